//! Where a job runs. A [`Job`] is plain data, so here and elsewhere have one interface.

pub mod local;
pub mod parallel;
pub mod place;
mod pool;
pub mod scratch;
pub mod scripted;
pub mod share;
pub mod turns;
pub mod until;

use std::os::fd::OwnedFd;
use std::sync::Arc;

use crate::model::job::{Job, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;

/// A place where jobs run.
pub trait Executor: Send + Sync {
    /// How many jobs run at the same time. [`Executor::run`] may be called by that many threads.
    fn slots(&self) -> usize;

    /// What measures and limits the runs, in words.
    fn mechanism(&self) -> String;

    /// Runs one job and waits for its end.
    ///
    /// # Errors
    /// If the job could not be run as asked, or was ended by [`Executor::stop`]; never for
    /// anything that the program did.
    fn run(&self, job: &Job) -> Result<Reply, Stop>;

    /// Runs two programs that talk with each other, and waits for the end of both. They share one place: two
    /// that take turns need no more than one core, and a machine may have no more.
    ///
    /// # Errors
    /// As [`run`](Self::run), for either of the two.
    fn run_joint(&self, job: &JointJob) -> Result<JointReply, Stop>;

    /// Runs a job once more and with nothing beside it here, for its times: never an answer that is there already.
    /// `number` counts such runs of this job, from 1, so that who keeps answers may keep each of them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn run_alone(&self, job: &Job, _number: u32) -> Result<Reply, Stop> {
        self.run(job)
    }

    /// The same for two programs that talk with each other.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    fn run_joint_alone(&self, job: &JointJob, _number: u32) -> Result<JointReply, Stop> {
        self.run_joint(job)
    }

    /// Runs one program that talks with a person, and waits for its end. Its standard output is not in the reply.
    ///
    /// # Errors
    /// As [`run`](Self::run); and if jobs run elsewhere, where nobody can talk with them.
    fn run_by_hand(&self, _: &Job, _: Hand) -> Result<Reply, Stop> {
        let why = "programs run elsewhere, where nobody can talk with them";
        Err(JudgeError::new("connect the program with the terminal", why).into())
    }

    /// The same place, that remembers nothing: who must see a program run once more asks this one.
    fn anew(&self) -> &dyn Executor;

    /// Ends all runs at once, now and from now on: each returns [`Stop::Interrupted`].
    fn stop(&self);
}

/// Remembers small things about this machine from one start of juror to the next.
pub trait Notebook: Send + Sync {
    /// What was noted under this name.
    fn recall(&self, name: &str) -> Option<Vec<u8>>;

    /// Notes something in place of what was noted.
    fn note(&self, name: &str, text: &[u8]);
}

/// Remembers nothing.
impl Notebook for () {
    fn recall(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn note(&self, _: &str, _: &[u8]) {}
}

/// Ends of pipes between a program and a person, both of them the program's.
#[derive(Debug)]
pub struct Hand {
    /// What it reads.
    pub reads: OwnedFd,
    /// Where it writes.
    pub writes: OwnedFd,
}

/// Puts something around an executor, such as one that hands jobs on.
pub type Around = fn(Arc<dyn Executor>) -> Arc<dyn Executor>;
