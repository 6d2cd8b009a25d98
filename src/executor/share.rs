//! A part of an executor's slots, if several tasks share the executor.

use crate::executor::{Executor, Hand};
use crate::model::job::{Job, Repeat, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::stop::Stop;

/// The same executor with another number of slots.
pub struct Share<'a> {
    inner: &'a dyn Executor,
    slots: usize,
}

impl<'a> Share<'a> {
    /// Wraps this executor.
    pub fn new(inner: &'a dyn Executor, slots: usize) -> Self {
        Self { inner, slots }
    }
}

impl Executor for Share<'_> {
    fn slots(&self) -> usize {
        self.slots
    }

    fn mechanism(&self) -> String {
        self.inner.mechanism()
    }

    fn run_one(&self, job: &Job, repeat: Option<Repeat>) -> Result<Reply, Stop> {
        self.inner.run_one(job, repeat)
    }

    fn run_two(&self, job: &JointJob, repeat: Option<Repeat>) -> Result<JointReply, Stop> {
        self.inner.run_two(job, repeat)
    }

    fn run_by_hand(&self, job: &Job, hand: Hand) -> Result<Reply, Stop> {
        self.inner.run_by_hand(job, hand)
    }

    fn anew(&self) -> &dyn Executor {
        self.inner.anew()
    }

    fn stop(&self) {
        self.inner.stop();
    }
}
