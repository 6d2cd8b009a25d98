//! The test double of executors: a function answers jobs, and nothing starts. Unit tests use it, too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::executor::Executor;
use juror_core::job::{Job, JobReply};
use juror_core::joint::{JointJob, JointReply};
use juror_core::judgement::JudgeError;
use juror_core::stop::Stop;
use juror_core::work::{RunMode, Work, WorkReply};

pub struct ScriptedExecutor<F> {
    answer: F,
    joint: Option<Box<AnswerJointJob>>,
    slots: usize,
    /// Set by `stop`.
    pub stopped: Arc<AtomicBool>,
}

type AnswerJointJob = dyn Fn(&JointJob) -> Result<JointReply, Stop> + Send + Sync;

impl<F: Fn(&Job) -> Result<JobReply, Stop> + Send + Sync> ScriptedExecutor<F> {
    pub fn new(slots: usize, answer: F) -> Self {
        Self { answer, joint: None, slots, stopped: Arc::default() }
    }

    /// Without this, joint jobs fail.
    #[must_use]
    pub fn with_joint_answers(
        self,
        answer: impl Fn(&JointJob) -> Result<JointReply, Stop> + Send + Sync + 'static,
    ) -> Self {
        Self { joint: Some(Box::new(answer)), ..self }
    }
}

impl<F: Fn(&Job) -> Result<JobReply, Stop> + Send + Sync> Executor for ScriptedExecutor<F> {
    fn slots(&self) -> usize {
        self.slots
    }

    fn mechanism(&self) -> String {
        "scripted".to_owned()
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn run(&self, work: &Work, _: RunMode) -> Result<WorkReply, Stop> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        match (work, &self.joint) {
            (Work::Single(job), _) => Ok((self.answer)(job)?.into()),
            (Work::Joint(job), Some(answer)) => Ok(answer(job)?.into()),
            (Work::Joint(_), None) => {
                Err(JudgeError::new("run two programs", "the script has no such answer").into())
            }
        }
    }
}
