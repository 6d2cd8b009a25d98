//! Several workers behind one address, which juror treats as one worker: something else distributes jobs among them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use crate::judge_side::Response;
use crate::message::{JobEnd, RequestId, WorkerFacts};
use crate::state::SharedWorkers;
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::language::toolchain::{FailedCandidate, Toolchain};

/// The tool for each word on a machine.
pub type MachineTools = BTreeMap<String, Result<Toolchain, Vec<FailedCandidate>>>;

/// A message to a worker, and what its sender must know about it.
#[derive(Debug)]
pub struct Envelope<'a> {
    pub number: u64,
    pub bytes: &'a [u8],
    pub is_exclusive: bool,
    /// The same number for envelopes whose jobs start the same program.
    pub program: usize,
    /// Its jobs may take long: urgent envelopes should not have to wait for it.
    pub is_long: bool,
}

#[derive(Clone, Debug)]
pub struct GroupMember {
    /// Unique among all workers.
    pub name: String,
    pub facts: WorkerFacts,
}

pub trait WorkerGroup: Send + Sync {
    fn members(&self) -> Vec<GroupMember>;
    /// Starts the group: from now on it gets envelopes and answers them.
    fn open(&self, reply_to: ReplyHandle);
    /// Does not wait.
    fn send(&self, envelope: &Envelope<'_>);
    /// Does not wait.
    fn close(&self);
    /// Waits briefly until the group has cleaned up.
    fn finish(&self);
}

#[derive(Clone)]
pub struct ReplyHandle {
    pub(super) shared: Arc<SharedWorkers>,
    pub(super) worker: usize,
    /// The facts of the first of all workers.
    pub first: WorkerFacts,
}

#[derive(Debug)]
pub struct OpenEnvelope {
    /// Upper bound on the reply's size in bytes.
    pub room: u64,
    pub blobs: Vec<Blob>,
}

impl ReplyHandle {
    /// `None` if nobody waits for the answer.
    pub fn open_envelope(&self, number: RequestId) -> Option<OpenEnvelope> {
        let state = self.shared.lock();
        let asked = state.workers[self.worker].open_requests.get(&number)?;
        Some(OpenEnvelope { room: asked.room, blobs: asked.blobs.clone() })
    }

    pub(super) fn answer(&self, number: RequestId, answer: Response) {
        let asked = self.shared.lock().workers[self.worker].open_requests.remove(&number);
        if let Some(asked) = asked {
            // The caller may have given up.
            let _ = asked.answer.try_send(answer);
        }
        self.shared.changed.notify_all();
    }

    pub fn fail(&self, number: RequestId, error: JudgeError) {
        self.answer(number, Response::RunEnded(JobEnd::Failed(error)));
    }

    pub fn report_alive(&self) {
        self.shared.lock().workers[self.worker].silent_checks = 0;
    }

    /// Reports that the workers are lost: their jobs go elsewhere.
    pub fn report_lost(&self, reason: &str) {
        self.shared.lose_worker(self.worker, reason);
    }

    pub fn add_diagnostic(&self, remark: Diagnostic) {
        let mut state = self.shared.lock();
        if !state.is_stopped {
            state.diagnostics.push((Instant::now(), remark));
        }
    }
}
