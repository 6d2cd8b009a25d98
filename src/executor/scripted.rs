//! The executor's test double: answers from a function, starts nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::executor::Executor;
use crate::model::job::{Job, Repeat, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;

/// An executor that answers from a function.
pub struct Scripted<F> {
    answer: F,
    joint: Option<Box<AnswerJoint>>,
    slots: usize,
    stopped: Arc<AtomicBool>,
}

/// A function that answers joint jobs.
type AnswerJoint = dyn Fn(&JointJob) -> Result<JointReply, Stop> + Send + Sync;

impl<F: Fn(&Job) -> Result<Reply, Stop> + Send + Sync> Scripted<F> {
    /// Answers each job with this function, on this many slots.
    pub fn new(slots: usize, answer: F) -> Self {
        Self { answer, joint: None, slots, stopped: Arc::default() }
    }

    /// Answers each joint job with this function; otherwise they fail.
    #[must_use]
    pub fn joint(
        self,
        answer: impl Fn(&JointJob) -> Result<JointReply, Stop> + Send + Sync + 'static,
    ) -> Self {
        Self { joint: Some(Box::new(answer)), ..self }
    }

    /// Sets this when it is asked to stop.
    #[must_use]
    pub fn telling(self, stopped: &Arc<AtomicBool>) -> Self {
        Self { stopped: Arc::clone(stopped), ..self }
    }
}

impl<F: Fn(&Job) -> Result<Reply, Stop> + Send + Sync> Executor for Scripted<F> {
    fn slots(&self) -> usize {
        self.slots
    }

    fn mechanism(&self) -> String {
        "scripted".to_owned()
    }

    fn run_one(&self, job: &Job, _: Option<Repeat>) -> Result<Reply, Stop> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        (self.answer)(job)
    }

    fn run_two(&self, job: &JointJob, _: Option<Repeat>) -> Result<JointReply, Stop> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        match &self.joint {
            Some(answer) => answer(job),
            None => {
                Err(JudgeError::new("run two programs", "the script has no such answer").into())
            }
        }
    }

    fn anew(&self) -> &dyn Executor {
        self
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use crate::model::outcome::{Outcome, quiet_outcome};
    use crate::model::serial::{RunKeys, View};
    use crate::model::units::Bytes;

    #[test]
    fn memory_that_was_not_measured_is_not_zero() {
        let check = |bytes: u64, expected: &str| {
            let outcome = Outcome { peak_memory: Bytes(bytes), ..quiet_outcome() };
            let run = serde_json::to_value(RunKeys::view(&outcome)).expect("a document");
            assert_eq!(run["memory_bytes"].to_string(), expected);
        };
        check(4096, "4096");
        check(0, "null");
    }
}
