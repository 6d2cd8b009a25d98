//! The messages between a worker and the side that sends it jobs.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::packing::BlobRoute;
use juror_core::blob::Digest;
use juror_core::event::Shortfall;
use juror_core::isolation::Isolation;
use juror_core::judgement::JudgeError;
use juror_core::language::toolchain::{FailedCandidate, Toolchain};
use juror_core::work::{RunMode, Work, WorkReply};

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
    /// How long a fixed piece of work takes there.
    pub pace: Duration,
}

impl WorkerFacts {
    const SLOTS_MAX: usize = 4096;
    const PACE_MAX: Duration = Duration::from_secs(3600);

    /// Makes its numbers possible: later code computes with them.
    pub(super) fn clamp_numbers(&mut self) {
        self.slots = self.slots.min(Self::SLOTS_MAX);
        self.pace = self.pace.min(Self::PACE_MAX);
    }
}

/// A number that both sides use for a job or a stream of bytes.
pub(super) type RequestId = u64;

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum MessageToWorker {
    Run {
        number: RequestId,
        mode: RunMode,
        ways: Vec<BlobRoute>,
        work: Work,
    },
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
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum MessageFromWorker {
    Ready(WorkerFacts),
    BlobNeeded {
        stream: RequestId,
        digest: Digest,
    },
    /// The next bytes of a result follow.
    Piece {
        stream: RequestId,
        is_last: bool,
    },
    RunEnded {
        number: RequestId,
        ways: Vec<BlobRoute>,
        reply: JobEnd,
    },
    ToolFound {
        number: RequestId,
        found: Result<Toolchain, Vec<FailedCandidate>>,
    },
    Heartbeat,
}

impl MessageFromWorker {
    pub(super) fn failed(number: RequestId, error: JudgeError) -> Self {
        Self::RunEnded { number, ways: Vec::new(), reply: JobEnd::Failed(error) }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum JobEnd {
    Finished(WorkReply),
    Failed(JudgeError),
    Interrupted,
}
