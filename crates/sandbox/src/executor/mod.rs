//! Executors run jobs. A [`Job`] is plain data, so local and remote executors have the same interface.

mod cores;
pub mod local;
pub mod parallel;
mod pool;
pub mod scheduler;
pub mod scratch;
pub mod scripted;
pub mod trees;

use std::os::fd::OwnedFd;
use std::sync::Arc;

use juror_core::job::{Job, JobReply};
use juror_core::judgement::JudgeError;
use juror_core::stop::Stop;
use juror_core::work::{RunMode, Work, WorkReply};
use juror_core::worker::WorkerKind;

pub trait Executor: Send + Sync {
    /// The executor that this one wraps: it answers what this one does not answer itself.
    fn inner(&self) -> Option<&dyn Executor> {
        None
    }

    /// How many jobs run at the same time. That many threads may call [`Executor::run`].
    fn slots(&self) -> usize {
        self.inner().map_or(1, |inner| inner.slots())
    }

    /// What measures and limits the runs, for people.
    fn mechanism(&self) -> String {
        self.inner().map_or_else(String::new, |inner| inner.mechanism())
    }

    /// The workers that run programs, as far as results of their kind can be told apart; `None` if all run on this
    /// machine.
    fn worker_kinds(&self) -> Option<Vec<WorkerKind>> {
        self.inner()?.worker_kinds()
    }

    /// Ends all current and later runs: each returns [`Stop::Interrupted`].
    fn stop(&self) {
        if let Some(inner) = self.inner() {
            inner.stop();
        }
    }

    /// Runs one program, or two that talk, and waits for the end. Two programs share a slot: if they take turns, they
    /// need only one core, and a machine may have only one.
    ///
    /// # Errors
    /// If the work could not be run as requested, or was ended by [`Executor::stop`]; never for anything that a
    /// program did.
    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop>;

    /// Runs one program; others may run at the same time.
    ///
    /// # Errors
    /// See [`run`](Self::run).
    fn run_job(&self, job: &Job) -> Result<JobReply, Stop> {
        self.run(&job.clone().into(), RunMode::default())?.single()
    }

    /// Runs one program whose output a person sees as it comes, and who may type its input. Waits for its end. Its
    /// standard output is not in the reply.
    ///
    /// # Errors
    /// See [`run`](Self::run); also if jobs run on other machines, where nobody can talk with them.
    fn run_manually(&self, _: &Job, _: ManualPipes) -> Result<JobReply, Stop> {
        let why = "programs run on other machines, where you cannot talk with them";
        Err(JudgeError::new("connect the program with the terminal", why).into())
    }
}

#[derive(Debug)]
pub struct ManualPipes {
    /// `None` if nobody types, and the program reads the input of its job.
    pub input: Option<OwnedFd>,
    pub output: OwnedFd,
}

pub type ExecutorWrapper = fn(Arc<dyn Executor>) -> Arc<dyn Executor>;
