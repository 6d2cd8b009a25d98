//! An executor with a memory: it answers with the result of an earlier run if that result is still valid.
//!
//! Facts are kept, never verdicts. Failures of the judge and interrupted runs are not kept. Of equal jobs at the same
//! time one runs, and the others wait.

use std::sync::Arc;

use crate::cache::fact::CachedReply;
use crate::cache::key::{of_job, of_joint};
use crate::cache::knowledge::Knowledge;
use crate::cache::surroundings::digest_of;
use crate::cache::uncached::Uncached;
use crate::executor::{Executor, Hand};
use crate::model::blob::Digest;
use crate::model::job::{Job, Repeat, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::stop::Stop;

/// Wraps an executor without memory. Several wrappers may share their knowledge.
pub struct Cached {
    uncached: Uncached,
}

impl Cached {
    /// Answers with known results, and adds the results of the executor to them.
    pub fn new(inner: Arc<dyn Executor>, knowledge: Arc<Knowledge>) -> Self {
        Self { uncached: Uncached { inner, knowledge } }
    }

    /// The result of the job with this key: the known one if it is valid, else that of a new run.
    fn remembered<C: CachedReply>(
        &self,
        key: Option<Digest>,
        jobs: &[&Job],
        run: impl FnOnce() -> Result<C, Stop>,
    ) -> Result<C, Stop> {
        let Some(key) = key else { return run() };
        let knowledge = &self.uncached.knowledge;
        let _under_way = knowledge.begin(key);
        if let Some(came) = knowledge.get(&key, jobs) {
            return Ok(came);
        }
        let came = run()?;
        knowledge.keep(&key, jobs, &came);
        Ok(came)
    }
}

/// The key of a repeated run: each is remembered by its number, so that the same runs are compared the next time.
fn numbered(key: Option<Digest>, repeat: Option<Repeat>) -> Option<Digest> {
    match repeat {
        Some(repeat) => key.and_then(|key| digest_of(&("repeat", repeat, key))),
        None => key,
    }
}

impl Executor for Cached {
    fn slots(&self) -> usize {
        self.uncached.slots()
    }

    fn mechanism(&self) -> String {
        self.uncached.mechanism()
    }

    fn run_one(&self, job: &Job, repeat: Option<Repeat>) -> Result<Reply, Stop> {
        let key = of_job(job, &self.mechanism(), &self.uncached.knowledge.surroundings);
        let run = || match (repeat, &key) {
            (None, Some(key)) => self.uncached.run_fast(job, key),
            _ => self.uncached.run_one(job, repeat),
        };
        self.remembered(numbered(key, repeat), &[job], run)
    }

    fn run_two(&self, job: &JointJob, repeat: Option<Repeat>) -> Result<JointReply, Stop> {
        let key = of_joint(job, &self.mechanism(), &self.uncached.knowledge.surroundings);
        let jobs = [&job.program, &job.partner];
        let run = || self.uncached.run_two(job, repeat);
        self.remembered(numbered(key, repeat), &jobs, run)
    }

    fn run_by_hand(&self, job: &Job, hand: Hand) -> Result<Reply, Stop> {
        self.uncached.run_by_hand(job, hand)
    }

    fn anew(&self) -> &dyn Executor {
        &self.uncached
    }

    fn stop(&self) {
        self.uncached.stop();
    }
}
