//! Output that a CI system may log. Some systems run commands that they find in a log.
//!
//! GitHub looks for `##[command]` anywhere in a line, Azure for `##vso[command]`, TeamCity for `##teamcity[command]`. A
//! submission can print such a line, and a file can have such a name, so the bracket is written as an escape.
//!
//! Source: `ActionCommand.TryParse` in actions/runner, `Command.TryParse` in microsoft/azure-pipelines-agent.

use std::env;
use std::io::{self, Write};

/// Decides how a bracket is escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people: `\[`.
    Text,
    /// JSON, where brackets after `##` occur in strings only: `\u005b`.
    Json,
}

pub struct Log<W> {
    to: W,
    form: LogFormat,
    escapes_commands: bool,
    prefix: CommandPrefix,
}

/// The part of a command prefix that the last bytes form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CommandPrefix {
    #[default]
    Empty,
    /// `#`
    Hash,
    /// `##`
    Hashes,
    /// `##` and letters.
    Word,
}

impl CommandPrefix {
    fn after_byte(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Empty | Self::Word, b'#') => Self::Hash,
            (Self::Hash | Self::Hashes, b'#') => Self::Hashes,
            (Self::Hashes | Self::Word, _) if byte.is_ascii_alphanumeric() => Self::Word,
            _ => Self::Empty,
        }
    }
}

/// Whether the environment shows such a CI system.
pub fn obeys_log() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"].into_iter().any(is_set)
}

impl<W: Write> Log<W> {
    pub fn new(to: W, form: LogFormat, escapes_commands: bool) -> Self {
        Self { to, form, escapes_commands, prefix: CommandPrefix::Empty }
    }
}

impl<W: Write> Write for Log<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.escapes_commands {
            return self.to.write(bytes);
        }
        let mut harmless = Vec::with_capacity(bytes.len());
        for byte in bytes {
            let is_command =
                matches!(self.prefix, CommandPrefix::Hashes | CommandPrefix::Word) && *byte == b'[';
            match (is_command, self.form) {
                (true, LogFormat::Text) => harmless.extend(b"\\["),
                (true, LogFormat::Json) => harmless.extend(b"\\u005b"),
                (false, _) => harmless.push(*byte),
            }
            self.prefix = self.prefix.after_byte(*byte);
        }
        self.to.write_all(&harmless)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, pieces: usize, form: LogFormat, is_obeyed: bool) -> String {
        let mut out = Vec::new();
        let mut log = Log::new(&mut out, form, is_obeyed);
        for piece in text.as_bytes().chunks(pieces) {
            log.write_all(piece).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn commands_are_escaped_however_they_are_split() {
        let check = |text: &str, expected: &str| {
            for pieces in [1, 2, 3, 100] {
                assert_eq!(written(text, pieces, LogFormat::Text, true), expected, "{pieces}");
                let json = expected.replace("\\[", "\\u005b");
                assert_eq!(written(text, pieces, LogFormat::Json, true), json, "{pieces}");
                assert_eq!(written(text, pieces, LogFormat::Text, false), text);
            }
        };
        check("##[set-output name=a]b", "##\\[set-output name=a]b");
        check("a ##vso[task.setvariable]", "a ##vso\\[task.setvariable]");
        check("##teamcity[x", "##teamcity\\[x");
        check("###[add-mask]", "###\\[add-mask]");
        check("##[##[", "##\\[##\\[");
        check("#a##b[", "#a##b\\[");
        check("##\n[ # #[a] #[a] a[1] ##a#[ ## [x]", "##\n[ # #[a] #[a] a[1] ##a#[ ## [x]");
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let text = serde_json::json!({ "##[a]": ["##vso[b]", "##"] }).to_string();
        let harmless = written(&text, 3, LogFormat::Json, true);
        assert!(!harmless.contains("##[") && !harmless.contains("##vso["), "{harmless}");
        let read: serde_json::Value = serde_json::from_str(&harmless).unwrap();
        assert_eq!(read.to_string(), text);
    }
}
