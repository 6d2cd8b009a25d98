//! Two programs that talk with each other, as plain data, and what came back.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::job::{Job, Reply};
use crate::model::units::Bytes;

/// Two programs of which each reads what the other writes: standard output of the one is standard input
/// of the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JointJob {
    /// The one that is watched. What its job says about standard input is not used.
    pub program: Job,
    /// The one that it talks with. What its job says about standard input is not used.
    pub partner: Job,
    /// With this exit code the partner lets the program go on to its own end. After any other end of the
    /// partner the program is ended at once.
    pub accept_exit_code: i32,
    /// How much of what they say is kept: this many bytes of its beginning, and as many of its end.
    pub transcript: Option<Bytes>,
}

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// The one that is watched.
    Program,
    /// The one that it talks with.
    Partner,
}

/// What came back from a joint job.
#[derive(Debug, Serialize, Deserialize)]
pub struct JointReply {
    /// The program's part.
    pub program: Part,
    /// Its partner's part.
    pub partner: Part,
    /// When the partner was told that the program's output is at its end; `None` if the partner had ended
    /// before.
    ///
    /// It is told as late as possible: it has read all that the program said, and waits for more. So what a
    /// partner does before that is by what was said, and not by how the program ended; and once it was told, the program goes on to
    /// its own end, whatever the partner does.
    pub told: Option<Duration>,
    /// Set if both waited for each other; then both were ended for it.
    pub deadlock: Option<Deadlock>,
    /// What they said, as far as it was asked for.
    pub transcript: Transcript,
}

/// What one of the two did. All times are from the start of the pair.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    /// The facts. Standard output is not in it, but counted.
    pub reply: Reply,
    /// When it started.
    pub started: Duration,
    /// When it ended.
    pub ended: Duration,
    /// When its standard output was closed: by its end, or by itself before.
    pub closed: Duration,
    /// What it wrote after the other had ended or closed its standard input; it is not read.
    pub unread: Bytes,
    /// What it was last seen to wait for, since when nothing more was said.
    pub waits: Option<Waits>,
    /// Whether it was last seen to run, or to wait for a processor, since when nothing more was said.
    pub runs: bool,
}

/// What a program waits for that stands still, with all its processes and threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Waits {
    /// For input: it reads, and nothing is there.
    Input,
    /// To write: the other does not read what it wrote before.
    Output,
    /// Only for itself, such as two threads for each other's lock.
    Itself,
}

/// Both waited, and nothing was on its way between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deadlock {
    /// When it was seen, from the start of the pair.
    pub at: Duration,
    /// What the program waited for.
    pub program: Waits,
    /// What its partner waited for.
    pub partner: Waits,
}

/// What two programs said to each other, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transcript {
    /// The beginning.
    pub first: Vec<Said>,
    /// How much was left out after that.
    pub left_out: Bytes,
    /// The end.
    pub last: Vec<Said>,
}

/// Something that one of the two said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// When, from the start of the pair.
    pub at: Duration,
    /// Who.
    pub by: Side,
    /// A line with its end, or a part of one.
    pub text: Vec<u8>,
}

/// A line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When its first piece was said, from the start of the pair.
    pub at: Duration,
    /// Who said it.
    pub by: Side,
    /// Without its end.
    pub text: Vec<u8>,
    /// Whether it has an end; what has none was interrupted, or not finished.
    pub is_whole: bool,
}

/// Pieces of a transcript as lines: pieces that one side said one after the other are put together.
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
    /// How the package format marks its lines: `>` a submission's, `<` those of the output validator.
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
    /// In the notation of `.interaction` files.
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
