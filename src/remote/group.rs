//! Several workers behind one address, which juror treats as one worker: something else distributes jobs among them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use crate::language::toolchain::{Toolchain, Tried};
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::remote::judge_side::Response;
use crate::remote::message::{Ended, Facts, RequestId};
use crate::remote::state::Shared;

/// The tool for each word on a machine.
pub type Tools = BTreeMap<String, Result<Toolchain, Vec<Tried>>>;

/// A message to a worker, and what its sender must know about it.
#[derive(Debug)]
pub struct Envelope<'a> {
    pub number: u64,
    pub bytes: &'a [u8],
    pub is_lone: bool,
    /// The same number for envelopes whose jobs start the same program.
    pub program: usize,
    /// Its jobs may take long: urgent envelopes should not have to wait for it.
    pub is_long: bool,
}

#[derive(Clone, Debug)]
pub struct Member {
    /// Unique among all workers.
    pub name: String,
    pub facts: Facts,
}

pub trait WorkerGroup: Send + Sync {
    fn members(&self) -> Vec<Member>;
    /// Starts the group: from now on it gets envelopes and answers them.
    fn open(&self, reply_to: ReplyTo);
    /// Does not wait.
    fn send(&self, envelope: &Envelope<'_>);
    /// Does not wait.
    fn close(&self);
    /// Waits briefly until the group has cleaned up.
    fn finish(&self);
}

#[derive(Clone)]
pub struct ReplyTo {
    pub(super) shared: Arc<Shared>,
    pub(super) worker: usize,
    /// The facts of the first of all workers.
    pub first: Facts,
}

#[derive(Debug)]
pub struct Open {
    /// Upper bound on the reply's size in bytes.
    pub room: u64,
    pub blobs: Vec<Blob>,
}

impl ReplyTo {
    /// `None` if nobody waits for the answer.
    pub fn known(&self, number: RequestId) -> Option<Open> {
        let state = self.shared.lock();
        let asked = state.workers[self.worker].asked.get(&number)?;
        Some(Open { room: asked.room, blobs: asked.blobs.clone() })
    }

    pub(super) fn answer(&self, number: RequestId, answer: Response) {
        let asked = self.shared.lock().workers[self.worker].asked.remove(&number);
        if let Some(asked) = asked {
            // The caller may have given up.
            let _ = asked.answer.try_send(answer);
        }
        self.shared.changed.notify_all();
    }

    pub fn fail(&self, number: RequestId, error: JudgeError) {
        self.answer(number, Response::Ran(Ended::Failed(error)));
    }

    pub fn alive(&self) {
        self.shared.lock().workers[self.worker].silent = 0;
    }

    /// Reports that the workers are lost: their jobs go elsewhere.
    pub fn lose(&self, reason: &str) {
        self.shared.lose(self.worker, reason);
    }

    pub fn remark(&self, remark: Diagnostic) {
        let mut state = self.shared.lock();
        if !state.is_stopped {
            state.remarks.push((Instant::now(), remark));
        }
    }
}
