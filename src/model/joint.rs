//! Two programs that talk with each other, and their result, as plain data.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::{FromIntoRef, IfIsHumanReadable, serde_as};

use crate::model::job::{Job, Reply};
use crate::model::serial::{Seconds, Text};
use crate::model::units::Bytes;

/// Two programs, connected crosswise: the standard output of one is the standard input of the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JointJob {
    /// The observed program. The standard input of its job is ignored.
    pub program: Job,
    /// The program that it talks with. The standard input of its job is ignored.
    pub partner: Job,
    /// The partner's exit code after which the program may run to its own end. After any other end of the partner, the
    /// program is ended at once.
    pub accept_exit_code: i32,
    /// How many bytes of the transcript are kept from its beginning, and as many from its end.
    pub transcript: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Speaker")]
pub enum Side {
    #[serde(rename = "submission")]
    Program,
    /// The one that it talks with.
    #[serde(rename = "output_validator")]
    Partner,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct JointReply {
    pub program: Part,
    pub partner: Part,
    /// When the partner learned of the end of the program's output; `None` if the partner had ended before.
    ///
    /// The partner learns of it as late as possible: when it has read all output and waits for more. What it does
    /// before depends only on the output, not on how the program ended. Afterwards the program runs to its own end,
    /// whatever the partner does.
    pub told: Option<Duration>,
    /// Set if both waited for each other, and were ended.
    pub deadlock: Option<Deadlock>,
    pub debt: Debt,
    pub transcript: Transcript,
}

/// The result of one of the two programs. All times are from the start of the pair.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    /// It counts standard output, but does not contain it.
    pub reply: Reply,
    pub started: Duration,
    pub ended: Duration,
    /// When its standard output was closed: at its end, or earlier.
    pub closed: Duration,
    /// The output that nobody read: the other program had ended, or had closed its standard input.
    pub unread: Bytes,
    /// What it waited for at the last look, if nothing was written since then.
    pub waits: Option<Waits>,
}

/// How long the program waited for its partner while the partner did not wait for it. The partner owes nothing while
/// it has other questions to read: these came from the program, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debt {
    /// The longest wait for one answer, or for the first words.
    pub longest: Duration,
    /// Whether the program still waited at the last look before its end, and nothing was written since then.
    pub is_open: bool,
}

/// What an idle program waits for, with all its processes and threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Waits {
    /// It reads, but there is no input.
    Input,
    /// It writes, but the other does not read.
    Output,
    /// Nothing outside: for example, two threads wait for each other's lock.
    Itself,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deadlock {
    /// When it was detected, from the start of the pair.
    pub at: Duration,
    pub program: Waits,
    pub partner: Waits,
}

/// What two programs wrote to each other, in order.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Transcript {
    #[serde_as(as = "IfIsHumanReadable<FromIntoRef<Lines>>")]
    pub first: Vec<Said>,
    /// How much was omitted after that.
    #[serde(rename = "left_out_bytes")]
    pub left_out: Bytes,
    #[serde_as(as = "IfIsHumanReadable<FromIntoRef<Lines>>")]
    pub last: Vec<Said>,
}

/// A text that one of the two programs wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// When it was written, from the start of the pair.
    pub at: Duration,
    pub by: Side,
    /// A line with its end, or a part of one.
    pub text: Vec<u8>,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// When its first piece was written, from the start of the pair.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "at_seconds")]
    pub at: Duration,
    pub by: Side,
    /// The text without line end.
    #[serde_as(as = "Text")]
    #[serde(rename = "line")]
    pub text: Vec<u8>,
    /// Whether it has a line end; otherwise it was interrupted or not finished.
    #[serde(rename = "whole")]
    pub is_whole: bool,
}

/// For human-readable formats: lines instead of pieces.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct Lines(Vec<Line>);

impl From<&Vec<Said>> for Lines {
    fn from(pieces: &Vec<Said>) -> Self {
        Self(lines(pieces))
    }
}

impl From<Lines> for Vec<Said> {
    fn from(Lines(lines): Lines) -> Self {
        let said = |Line { at, by, mut text, is_whole }: Line| {
            text.extend(is_whole.then_some(b'\n'));
            Said { at, by, text }
        };
        lines.into_iter().map(said).collect()
    }
}

/// Joins consecutive pieces of one side to lines.
pub fn lines(pieces: &[Said]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for piece in pieces {
        let (text, is_whole) = match piece.text.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (&piece.text[..], false),
        };
        let continued = lines.last_mut();
        match continued.filter(|line| line.by == piece.by && !line.is_whole) {
            Some(line) => {
                line.text.extend(text);
                line.is_whole = is_whole;
            }
            None => lines.push(Line { at: piece.at, by: piece.by, text: text.to_vec(), is_whole }),
        }
    }
    lines
}

impl Side {
    /// `>` for the submission, `<` for the output validator.
    ///
    /// Source: problem package format 2025-09, "Samples for interactive and multi-pass problems".
    pub const fn mark(self) -> char {
        match self {
            Self::Program => '>',
            Self::Partner => '<',
        }
    }
}

impl Transcript {
    /// The text of an `.interaction` file.
    pub fn notation(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let write = |text: &mut Vec<u8>, pieces: &[Said]| {
            for line in lines(pieces) {
                text.push(line.by.mark() as u8);
                text.extend(line.text);
                text.push(b'\n');
            }
        };
        write(&mut text, &self.first);
        if self.left_out.0 > 0 {
            let note = format!("[{} bytes left out]\n", self.left_out.0);
            text.extend(note.as_bytes());
        }
        write(&mut text, &self.last);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(by: Side, text: &str) -> Said {
        Said { at: Duration::ZERO, by, text: text.as_bytes().to_vec() }
    }

    #[test]
    fn a_transcript_is_written_as_the_format_has_it() {
        use Side::{Partner, Program};
        let check = |first: &[Said], left_out: u64, last: &[Said], expected: &str| {
            let transcript = Transcript {
                first: first.to_vec(),
                left_out: Bytes(left_out),
                last: last.to_vec(),
            };
            let notation = String::from_utf8(transcript.notation()).unwrap();
            assert_eq!(notation, expected);
        };
        check(&[], 0, &[], "");
        let first = [said(Partner, "2 1\n"), said(Partner, "4 7\n"), said(Program, "L\n")];
        let last = [said(Partner, "R"), said(Partner, "R\n"), said(Program, "x")];
        check(&first, 0, &[], "<2 1\n<4 7\n>L\n");
        check(&first, 0, &last, "<2 1\n<4 7\n>L\n<RR\n>x\n");
        check(&first, 9, &last, "<2 1\n<4 7\n>L\n[9 bytes left out]\n<RR\n>x\n");
    }
}
