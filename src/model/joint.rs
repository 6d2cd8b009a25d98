//! Two programs that talk with each other, as plain data, and what came back.

use std::time::Duration;

use crate::model::job::{Job, Reply};
use crate::model::units::Bytes;

/// Two programs of which each reads what the other writes: standard output of the one is standard input
/// of the other.
#[derive(Clone, Debug)]
pub struct JointJob {
    /// The one that is watched. What its job says about standard input is not used.
    pub program: Job,
    /// The one that it talks with. What its job says about standard input is not used.
    pub partner: Job,
    /// With this exit code the partner lets the program go on to its own end. After any other end of the
    /// partner the program is ended at once.
    pub farewell: i32,
    /// How much of what they say is kept: this many bytes of its beginning, and as many of its end.
    pub transcript: Option<Bytes>,
}

/// One of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The one that is watched.
    Program,
    /// The one that it talks with.
    Partner,
}

/// What came back from a joint job.
#[derive(Debug)]
pub struct JointReply {
    /// The program's part.
    pub program: Part,
    /// Its partner's part.
    pub partner: Part,
    /// Set if both waited for each other; then both were ended for it.
    pub deadlock: Option<Deadlock>,
    /// What they said, as far as it was asked for.
    pub transcript: Transcript,
}

/// What one of the two did. All times are from the start of the pair.
#[derive(Debug)]
pub struct Part {
    /// The facts. Standard output is not in it, but counted.
    pub reply: Reply,
    /// When it started.
    pub started: Duration,
    /// When it ended.
    pub ended: Duration,
    /// When its standard output was closed: by its end, or by itself before.
    pub closed: Duration,
    /// What it wrote after the other had ended or closed its standard input: nobody reads that.
    pub unread: Bytes,
    /// What it was last seen to wait for, since when nothing more was said.
    pub waits: Option<Waits>,
}

/// What a program waits for that stands still, with all its processes and threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// For input: it reads, and nothing is there.
    Input,
    /// To write: nobody reads what it wrote before.
    Output,
    /// Only for itself, such as two threads for each other's lock.
    Itself,
}

/// Both waited, and nothing was on its way between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// When it was seen, from the start of the pair.
    pub at: Duration,
    /// What the program waited for.
    pub program: Waits,
    /// What its partner waited for.
    pub partner: Waits,
}

/// What two programs said to each other, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The beginning.
    pub first: Vec<Said>,
    /// How much was left out after that.
    pub left_out: Bytes,
    /// The end.
    pub last: Vec<Said>,
}

/// Something that one of the two said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// When, from the start of the pair.
    pub at: Duration,
    /// Who.
    pub by: Side,
    /// A line with its end, or a part of one.
    pub text: Vec<u8>,
}
