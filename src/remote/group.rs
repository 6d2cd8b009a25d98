//! Several workers behind one address, which the others see as one worker: something else balances between them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use crate::language::toolchain::{Toolchain, Tried};
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::remote::judge_side::Response;
use crate::remote::message::{Facts, RequestId};
use crate::remote::state::{Awaited, Shared};

/// What each of these words leads to on a machine.
pub type Tools = HashMap<String, Result<Toolchain, Vec<Tried>>>;

/// A message to a worker, and what must be known of it on its way.
#[derive(Debug)]
pub struct Envelope<'a> {
    /// Under which number its answer comes.
    pub number: u64,
    /// A frame.
    pub bytes: &'a [u8],
    /// Whether nothing may be sent with it.
    pub is_lone: bool,
    /// The same for envelopes whose jobs start one program.
    pub program: usize,
    /// Whether it may take long: urgent ones should not wait behind it.
    pub is_long: bool,
}

/// One of the workers.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name among all.
    pub name: String,
    /// What it says of its machine.
    pub facts: Facts,
    /// How much longer it takes than the first worker of all.
    pub pace: f64,
}

/// Workers that are alike, behind one address.
pub trait WorkerGroup: Send + Sync {
    /// What they say of their machines, as one.
    fn facts(&self) -> Facts;
    /// How many jobs they may have at once.
    fn places(&self) -> usize;
    /// The tools that all of them have.
    fn tools(&self) -> Tools;
    /// Each of them.
    fn members(&self) -> Vec<Member>;
    /// From now on it is sent envelopes, and answers them.
    fn open(&self, reply_to: ReplyTo);
    /// Takes an envelope, and does not wait.
    fn send(&self, envelope: &Envelope<'_>);
    /// Nothing is wanted of it any more. Does not wait.
    fn close(&self);
    /// Waits a moment until it has tidied up.
    fn finish(&self);
}

/// Where a group answers envelopes.
#[derive(Clone)]
pub struct ReplyTo {
    pub(super) shared: Arc<Shared>,
    pub(super) worker: usize,
    /// What the first worker of all says: its times count.
    pub first: Facts,
}

/// What is known of an envelope whose answer is waited for.
#[derive(Debug)]
pub struct Open {
    /// So many bytes may come of it.
    pub room: u64,
    /// What may be asked for.
    pub blobs: Vec<Blob>,
}

impl ReplyTo {
    /// What is known of an envelope. None if nobody waits for its answer.
    pub fn known(&self, number: RequestId) -> Option<Open> {
        let state = self.shared.lock();
        let asked = state.workers[self.worker].asked.get(&number)?;
        Some(Open { room: asked.room, blobs: asked.blobs.clone() })
    }

    #[cfg(feature = "nats")]
    pub(super) fn answer(&self, number: RequestId, answer: Response) {
        self.end(number, |_| answer);
    }

    /// Nothing can come of an envelope.
    pub fn fail(&self, number: RequestId, error: JudgeError) {
        self.end(number, |asked| (asked.failed)(error));
    }

    fn end(&self, number: RequestId, answer: impl FnOnce(&Awaited) -> Response) {
        let mut state = self.shared.lock();
        if let Some(asked) = state.workers[self.worker].asked.remove(&number) {
            // Who asked may have gone.
            let _ = asked.answer.try_send(answer(&asked));
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// They are still there.
    pub fn alive(&self) {
        self.shared.lock().workers[self.worker].silent = 0;
    }

    /// They are not: jobs go elsewhere.
    pub fn lose(&self, reason: &str) {
        self.shared.lose(self.worker, reason);
    }

    /// Something is to be told.
    pub fn remark(&self, remark: Diagnostic) {
        let mut state = self.shared.lock();
        if !state.is_stopped {
            state.remarks.push((Instant::now(), remark));
        }
    }
}

impl std::fmt::Debug for ReplyTo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplyTo").field("worker", &self.worker).finish_non_exhaustive()
    }
}
