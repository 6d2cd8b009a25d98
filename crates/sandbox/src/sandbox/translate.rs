//! Translates paths in a job to those of the machine, for runs that see the machine's own files.
//!
//! A path in a text counts if two things hold. The character before it cannot belong to a longer path. After it comes
//! the end, a slash, or a character that cannot continue a path. So `-I/box/include`, `a:/program` and `--out=/box`
//! are translated, `/boxes` and `x/box` are not.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathPair {
    inside: Vec<u8>,
    host: Vec<u8>,
}

impl PathPair {
    pub(super) fn new(inside: impl AsRef<Path>, host: &Path) -> Self {
        Self {
            inside: inside.as_ref().as_os_str().as_bytes().to_vec(),
            host: host.as_os_str().as_bytes().to_vec(),
        }
    }
}

#[derive(Default)]
pub(super) struct PathTranslation {
    pairs: Vec<PathPair>,
    temporary: Option<Vec<u8>>,
}

impl PathTranslation {
    pub(super) fn new(mut pairs: Vec<PathPair>, temporary: &Path) -> Self {
        // The longest first: `/program/lib` before `/program`.
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.inside.len()));
        Self { pairs, temporary: Some(temporary.as_os_str().as_bytes().to_vec()) }
    }

    pub(super) fn translate_variable(&self, name: &str, value: &str) -> Vec<u8> {
        match &self.temporary {
            // In an argument, `/tmp` may mean anything; here it means the directory.
            Some(temporary) if (name, value) == ("TMPDIR", "/tmp") => temporary.clone(),
            _ => self.translate_text(value.as_bytes()),
        }
    }

    pub(super) fn translate_text(&self, text: &[u8]) -> Vec<u8> {
        if self.pairs.is_empty() {
            return text.to_vec();
        }
        let mut translated = Vec::with_capacity(text.len());
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            let rest = &text[at..];
            let is_start = at == 0 || !is_path_byte(text[at - 1]) || is_option(&text[..at]);
            let pair = self.pairs.iter().find(|pair| {
                is_start
                    && rest.starts_with(&pair.inside)
                    && rest
                        .get(pair.inside.len())
                        .is_none_or(|next| *next == b'/' || !is_path_byte(*next))
            });
            match pair {
                Some(pair) => {
                    translated.extend_from_slice(&pair.host);
                    at += pair.inside.len();
                }
                None => {
                    translated.push(*byte);
                    at += 1;
                }
            }
        }
        translated
    }
}

/// A whole option, such as the `-I` of `-I/box`.
fn is_option(text: &[u8]) -> bool {
    matches!(text, [b'-', name @ ..] if !name.is_empty() && name.iter().all(u8::is_ascii_alphabetic))
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'+' | b'~')
        || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let pairs = vec![
            PathPair::new("/box", Path::new("/t/run/box")),
            PathPair::new("/program", Path::new("/t/built")),
            PathPair::new("/program/lib", Path::new("/opt/lib")),
        ];
        let translation = PathTranslation::new(pairs, Path::new("/t/run/tmp"));
        let translated = translation.translate_text(text.as_bytes());
        assert_eq!(String::from_utf8(translated).unwrap(), expected, "{text}");
    }

    #[test]
    fn paths_are_translated_where_they_stand_alone() {
        check("/box", "/t/run/box");
        check("/box/a.out", "/t/run/box/a.out");
        check("HOME=/box", "HOME=/t/run/box");
        check("-cp=/program:/box", "-cp=/t/built:/t/run/box");
        check("/program/lib/x.so", "/opt/lib/x.so");
        check("/program/main", "/t/built/main");
        check("a,/box,b", "a,/t/run/box,b");
    }

    #[test]
    fn similar_texts_are_not_translated() {
        for text in
            ["/boxes", "x/box", "/home/box/", "./box", "/box.old", "/programs", "box", "~/box"]
        {
            check(text, text);
        }
    }

    #[test]
    fn a_path_after_an_option_is_translated() {
        check("-I/box/include", "-I/t/run/box/include");
        check("-L/program", "-L/t/built");
        check("-I/boxes", "-I/boxes");
    }
}
