//! What a worker and who sends it jobs say to each other.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::language::toolchain::{Toolchain, Tried};
use crate::model::blob::Digest;
use crate::model::event::Shortfall;
use crate::model::isolation::Isolation;
use crate::model::job::{Job, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::judgement::JudgeError;
use crate::remote::packing::Way;

/// What a worker says of its machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The machine's name.
    pub name: String,
    /// What tells this start of the machine from all others, so that two workers on one machine are known as such.
    pub boot: String,
    /// What keeps programs apart there.
    pub isolation: Isolation,
    /// What is missing to full isolation.
    pub shortfall: Option<Shortfall>,
    /// What measures and limits the runs, in words.
    pub mechanism: String,
    /// How many programs run at once.
    pub slots: usize,
    /// How long a fixed piece of work takes.
    pub pace: Duration,
}

/// A number that both sides have for a job, or for bytes on their way.
pub(super) type RequestId = u64;

/// What a worker is told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToWorker<J = Box<Job>, P = Box<JointJob>> {
    /// Run this.
    Run { number: RequestId, alone: Option<u32>, ways: Vec<Way>, job: J },
    /// Run these two, which talk.
    RunJoint { number: RequestId, alone: Option<u32>, ways: Vec<Way>, job: P },
    /// The next bytes of what was needed are behind this.
    Piece { stream: RequestId, is_last: bool },
    /// What was needed cannot be read.
    Unreadable { stream: RequestId, reason: String },
    /// Look for this tool.
    Find { number: RequestId, word: String },
}

/// What a worker says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromWorker<R = Box<Reply>, P = Box<JointReply>> {
    /// It is ready.
    Ready(Facts),
    /// These bytes are needed for a job.
    Need { stream: RequestId, digest: Digest },
    /// The next bytes of a result are behind this.
    Piece { stream: RequestId, is_last: bool },
    /// What came of a job.
    Done { number: RequestId, ways: Vec<Way>, reply: Ended<R> },
    /// The same of two programs.
    DoneJoint { number: RequestId, ways: Vec<Way>, reply: Ended<P> },
    /// What was found when a tool was looked for.
    Found { number: RequestId, found: Result<Toolchain, Vec<Tried>> },
    /// It is still there.
    Alive,
}

/// What a job came to.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ended<R> {
    Came(R),
    Failed(JudgeError),
    /// The worker was asked to end.
    Interrupted,
}
