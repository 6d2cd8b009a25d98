//! Two programs that talk with each other, and their result, as plain data.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::{FromIntoRef, IfIsHumanReadable, serde_as};

use crate::job::{Job, JobReply};
use crate::serial::{Seconds, Text};
use crate::units::Bytes;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Speaker"))]
pub enum TalkSide {
    #[serde(rename = "submission")]
    Program,
    /// The one that it talks with.
    #[serde(rename = "output_validator")]
    Partner,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct JointReply {
    pub program: ProgramReply,
    pub partner: ProgramReply,
    /// When the partner learned of the end of the program's output; `None` if the partner had ended before.
    ///
    /// The partner learns of it as late as possible: when it has read all output and waits for more. What it does
    /// before depends only on the output, not on how the program ended. Afterwards the program runs to its own end,
    /// whatever the partner does.
    pub output_end_reported: Option<Duration>,
    /// Set if both waited for each other, and were ended.
    pub deadlock: Option<Deadlock>,
    pub debt: PartnerDelay,
    pub transcript: Transcript,
}

/// The result of one of the two programs. All times are from the start of the pair.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProgramReply {
    /// It counts standard output, but does not contain it.
    pub reply: JobReply,
    pub started: Duration,
    pub ended: Duration,
    /// When its standard output was closed: at its end, or earlier.
    pub closed: Duration,
    /// The output that nobody read: the other program had ended, or had closed its standard input.
    pub unread: Bytes,
    /// What it waited for at the last check, if nothing was written since then.
    pub waits: Option<WaitReason>,
}

/// How long the program waited for its partner while the partner did not wait for it. The partner owes nothing while
/// it has other questions to read: these came from the program, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartnerDelay {
    /// The longest wait for one answer, or for the first words.
    pub longest: Duration,
    /// Whether the program still waited at the last check before its end, and nothing was written since then.
    pub is_open: bool,
}

/// What an idle program waits for, with all its processes and threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitReason {
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
    pub program: WaitReason,
    pub partner: WaitReason,
}

/// What two programs wrote to each other, in order.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Transcript {
    #[serde_as(as = "IfIsHumanReadable<FromIntoRef<TranscriptLines>>")]
    pub first: Vec<TranscriptPiece>,
    /// How much was omitted after that.
    #[serde(rename = "left_out_bytes")]
    pub left_out: Bytes,
    #[serde_as(as = "IfIsHumanReadable<FromIntoRef<TranscriptLines>>")]
    pub last: Vec<TranscriptPiece>,
}

/// A text that one of the two programs wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptPiece {
    /// When it was written, from the start of the pair.
    pub at: Duration,
    pub by: TalkSide,
    /// A line with its end, or a part of one.
    pub text: Vec<u8>,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TranscriptLine {
    /// When its first piece was written, from the start of the pair.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "at_seconds")]
    pub at: Duration,
    pub by: TalkSide,
    /// The text without line end.
    #[serde_as(as = "Text")]
    #[serde(rename = "line")]
    pub text: Vec<u8>,
    /// Whether it has a line end; otherwise it was interrupted or not finished.
    #[serde(rename = "whole")]
    pub is_whole: bool,
}

/// For human-readable formats: lines instead of pieces.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
struct TranscriptLines(Vec<TranscriptLine>);

impl From<&Vec<TranscriptPiece>> for TranscriptLines {
    fn from(pieces: &Vec<TranscriptPiece>) -> Self {
        Self(joined_lines(pieces))
    }
}

impl From<TranscriptLines> for Vec<TranscriptPiece> {
    fn from(TranscriptLines(lines): TranscriptLines) -> Self {
        let to_piece = |TranscriptLine { at, by, mut text, is_whole }: TranscriptLine| {
            text.extend(is_whole.then_some(b'\n'));
            TranscriptPiece { at, by, text }
        };
        lines.into_iter().map(to_piece).collect()
    }
}

/// Joins consecutive pieces of one side to lines.
pub fn joined_lines(pieces: &[TranscriptPiece]) -> Vec<TranscriptLine> {
    let mut lines: Vec<TranscriptLine> = Vec::new();
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
            None => lines.push(TranscriptLine {
                at: piece.at,
                by: piece.by,
                text: text.to_vec(),
                is_whole,
            }),
        }
    }
    lines
}

impl TalkSide {
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
    pub fn to_interaction_text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let write = |text: &mut Vec<u8>, pieces: &[TranscriptPiece]| {
            for line in joined_lines(pieces) {
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

    fn piece(by: TalkSide, text: &str) -> TranscriptPiece {
        TranscriptPiece { at: Duration::ZERO, by, text: text.as_bytes().to_vec() }
    }

    #[test]
    fn a_transcript_is_written_in_the_notation_of_the_format() {
        use TalkSide::{Partner, Program};
        let check =
            |first: &[TranscriptPiece], left_out: u64, last: &[TranscriptPiece], expected: &str| {
                let transcript = Transcript {
                    first: first.to_vec(),
                    left_out: Bytes(left_out),
                    last: last.to_vec(),
                };
                let notation = String::from_utf8(transcript.to_interaction_text()).unwrap();
                assert_eq!(notation, expected);
            };
        check(&[], 0, &[], "");
        let first = [piece(Partner, "2 1\n"), piece(Partner, "4 7\n"), piece(Program, "L\n")];
        let last = [piece(Partner, "R"), piece(Partner, "R\n"), piece(Program, "x")];
        check(&first, 0, &[], "<2 1\n<4 7\n>L\n");
        check(&first, 0, &last, "<2 1\n<4 7\n>L\n<RR\n>x\n");
        check(&first, 9, &last, "<2 1\n<4 7\n>L\n[9 bytes left out]\n<RR\n>x\n");
    }
}
