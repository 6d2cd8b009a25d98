//! The messages between a worker and the side that sends it jobs.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::language::toolchain::{Toolchain, Tried};
use crate::model::blob::Digest;
use crate::model::event::Shortfall;
use crate::model::isolation::Isolation;
use crate::model::job::{Job, Repeat, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::judgement::JudgeError;
use crate::remote::packing::Way;

/// What a worker reports about its machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The machine's name.
    pub name: String,
    /// Identifies this boot of the machine, so that two workers on one machine are recognized.
    pub boot: String,
    /// The isolation of programs there.
    pub isolation: Isolation,
    /// What is missing for full isolation.
    pub shortfall: Option<Shortfall>,
    /// What measures and limits runs there, in words.
    pub mechanism: String,
    /// How many programs run at once.
    pub slots: usize,
    /// How long a fixed piece of work takes there.
    pub pace: Duration,
}

/// A number that both sides use for a job or a stream of bytes.
pub(super) type RequestId = u64;

/// A message to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToWorker<J = Box<Job>, P = Box<JointJob>> {
    /// Run this job.
    Run { number: RequestId, repeat: Option<Repeat>, ways: Vec<Way>, job: J },
    /// Run these two programs, which talk with each other.
    RunJoint { number: RequestId, repeat: Option<Repeat>, ways: Vec<Way>, job: P },
    /// The next bytes of a needed blob follow.
    Piece { stream: RequestId, is_last: bool },
    /// A needed blob cannot be read.
    Unreadable { stream: RequestId, reason: String },
    /// Look for this tool.
    Find { number: RequestId, word: String },
}

/// A message from a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromWorker<R = Box<Reply>, P = Box<JointReply>> {
    /// The worker is ready.
    Ready(Facts),
    /// The worker needs this blob for a job.
    Need { stream: RequestId, digest: Digest },
    /// The next bytes of a result follow.
    Piece { stream: RequestId, is_last: bool },
    /// The result of a job.
    Done { number: RequestId, ways: Vec<Way>, reply: Ended<R> },
    /// The result of two joined programs.
    DoneJoint { number: RequestId, ways: Vec<Way>, reply: Ended<P> },
    /// The result of the search for a tool.
    Found { number: RequestId, found: Result<Toolchain, Vec<Tried>> },
    /// The worker is still there.
    Alive,
}

/// How a job ended.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ended<R> {
    Came(R),
    Failed(JudgeError),
    /// The worker was asked to end.
    Interrupted,
}
