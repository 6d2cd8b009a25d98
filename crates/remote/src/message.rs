//! The messages between a worker and the side that sends it jobs.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::frame::{encode_body, encode_frame};
use crate::packing::BlobRoute;
use juror_core::blob::Digest;
use juror_core::event::Shortfall;
use juror_core::isolation::Isolation;
use juror_core::judgement::JudgeError;
use juror_core::language::probe::{FailedCandidate, Toolchain};
use juror_core::work::{RunMode, Work, WorkReply};
use juror_core::worker::MachineIdentity;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerFacts {
    pub name: String,
    /// Identifies this boot of the machine, so that two workers on one machine are recognized.
    pub boot: String,
    pub isolation: Isolation,
    pub shortfall: Option<Shortfall>,
    /// What measures and limits runs there, for people.
    pub mechanism: String,
    pub slots: usize,
    /// How many jobs it takes in addition to those that run, so that no slot waits for the next one.
    pub queue: usize,
    /// How long a fixed piece of work takes there.
    pub pace: Duration,
    /// `None` if the machine does not tell; then no results of it are kept.
    pub identity: Option<MachineIdentity>,
}

/// What a worker says about a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswer {
    pub found: Result<Toolchain, Vec<FailedCandidate>>,
    /// Identifies its files there.
    pub files: Option<Digest>,
}

impl WorkerFacts {
    const SLOTS_MAX: usize = 4096;
    const QUEUE_MAX: usize = 65_536;
    const PACE_MAX: Duration = Duration::from_secs(3600);

    /// Makes its numbers possible: later code computes with them.
    pub fn clamp_numbers(&mut self) {
        self.slots = self.slots.min(Self::SLOTS_MAX);
        self.queue = self.queue.min(Self::QUEUE_MAX);
        self.pace = self.pace.min(Self::PACE_MAX);
    }
}

/// A number that both sides use for a job or a stream of bytes.
pub type RequestId = u64;

/// Names all connections of one executor.
pub type SessionId = [u8; 16];

/// The head of a frame to a worker.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageToWorker {
    /// The first message. If a command is started once more, it gets the same one.
    Session(SessionId),
    /// A job follows.
    Run(RunHead),
    /// The next bytes of a needed blob follow.
    Piece {
        stream: RequestId,
        is_last: bool,
    },
    BlobUnreadable {
        stream: RequestId,
        reason: String,
    },
    FindTool {
        number: RequestId,
        word: String,
    },
    /// Nobody waits for this job any more. It is answered all the same, in whatever way.
    Cancel {
        number: RequestId,
    },
}

/// What somebody who forwards a job must know about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHead {
    pub number: RequestId,
    /// It wants a machine for itself.
    pub is_exclusive: bool,
    /// It may compute for minutes: urgent jobs should not have to wait for it.
    pub is_long: bool,
    /// The same number for jobs that start the same program.
    pub program: u64,
    /// The blobs that a worker may request.
    pub blobs: Vec<Digest>,
}

/// A job as it follows its head. Its small blobs come after it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunOrder {
    pub(super) mode: RunMode,
    pub(super) ways: Vec<BlobRoute>,
    pub(super) work: Work,
}

/// The head of a frame from a worker.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageFromWorker {
    Ready(WorkerFacts),
    /// One of several workers behind this connection, whose name is unique among them.
    Member(WorkerFacts),
    /// The user should know this about a worker behind this connection.
    Warning {
        worker: String,
        message: String,
    },
    BlobNeeded {
        stream: RequestId,
        digest: Digest,
    },
    /// The next bytes of a result follow.
    Piece {
        stream: RequestId,
        is_last: bool,
    },
    /// The result of a job follows.
    RunEnded {
        number: RequestId,
        /// How long its program ran.
        run_time: Duration,
        /// The worker behind this connection that ran it.
        worker: Option<String>,
    },
    /// The job was cancelled, or the worker was asked to end.
    RunInterrupted {
        number: RequestId,
    },
    ToolFound {
        number: RequestId,
        answer: ToolAnswer,
    },
    Heartbeat,
}

/// A result as it follows its head. Its small blobs come after it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunResult {
    pub(super) ways: Vec<BlobRoute>,
    pub(super) reply: Result<WorkReply, JudgeError>,
}

/// The frame that says that a job failed.
///
/// # Errors
/// If the frame would be too long.
pub fn encode_failure(number: RequestId, error: JudgeError) -> Result<Vec<u8>, JudgeError> {
    encode_result(number, Duration::ZERO, &RunResult { ways: Vec::new(), reply: Err(error) }, &[])
}

pub(super) fn encode_result(
    number: RequestId,
    run_time: Duration,
    result: &RunResult,
    behind: &[u8],
) -> Result<Vec<u8>, JudgeError> {
    let head = MessageFromWorker::RunEnded { number, run_time, worker: None };
    encode_frame(&head, &[&encode_body(result)?, behind])
}
