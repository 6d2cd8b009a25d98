//! A slot on any system: a place where jobs run, one after the other.

use std::env;
use std::fmt;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::sandbox::control::{Control, StopCause, StopHandle, interrupted};
use crate::sandbox::shortage::ShortageCounter;
use crate::sandbox::system::{self, Host};
use crate::sandbox::watch::ProgramWatch;
use juror_core::job::{Job, JobReply};
use juror_core::judgement::JudgeError;
use juror_core::stop::{WakeGuard, is_interrupted, wake_on_stop};

/// The number that the kernel gives the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoreId(pub usize);

/// Ends of pipes that replace the standard streams of a job.
#[derive(Debug, Default)]
pub(super) struct StreamEnds {
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: Option<OwnedFd>,
}

#[derive(Debug)]
pub(super) struct FinishedRun {
    pub(super) reply: JobReply,
    /// When its program started; monotonic, in nanoseconds. 0 if it did not.
    pub(super) started: u64,
}

pub(super) trait Backend: fmt::Debug + Send {
    fn control(&self) -> &Arc<Control>;

    /// Runs a job whose standard input or output may be an end of a pipe, so that it talks to another program.
    ///
    /// Closes the ends once the program has them, so that the reader of the other side sees when the program is done.
    /// Output into a pipe is neither kept nor counted. If the job keeps its box, it is below `keep_in`.
    fn run_joined(
        &mut self,
        job: &Job,
        ends: StreamEnds,
        keep_in: &Path,
    ) -> Result<FinishedRun, JudgeError>;

    /// Watches the next program, which has these pipes as its standard input and output.
    fn watch(
        &self,
        input: BorrowedFd<'_>,
        output: BorrowedFd<'_>,
    ) -> io::Result<Box<dyn ProgramWatch>>;

    /// A process on the same core as its programs, if there is one.
    fn core_process(&self) -> Option<i32>;
}

/// Runs jobs, one after the other.
///
/// Dropping it ends its run and removes everything that belongs to it.
#[derive(Debug)]
pub struct Slot {
    pub(super) backend: Box<dyn Backend>,
    pub(super) keep_directory: PathBuf,
    pub(super) counter: ShortageCounter,
}

impl Slot {
    /// Waits until the slot is ready. Its programs stay on this core, if one is given and the system permits it.
    ///
    /// # Errors
    /// If programs cannot be isolated in the host's way.
    pub fn start(host: &Host, core: Option<CoreId>) -> Result<Self, JudgeError> {
        let backend = system::start(host, core)?;
        Ok(Self {
            backend,
            keep_directory: env::temp_dir(),
            counter: ShortageCounter::new(host.mechanism().memory),
        })
    }

    /// Sets the directory for kept boxes, instead of the system's temporary one.
    pub fn set_keep_directory(&mut self, directory: &Path) {
        self.keep_directory = directory.to_path_buf();
    }

    /// Returns after all processes of the job are gone, as far as they can be found. A stop of the current work ends
    /// them; the slot is ready for the next run.
    ///
    /// # Errors
    /// A fault of the judge or its machine; anything that the program does is an outcome. One for which
    /// [`is_interrupted`](super::is_interrupted) holds after a stop.
    pub fn run(&mut self, job: &Job) -> Result<JobReply, JudgeError> {
        self.run_with_ends(job, StreamEnds::default())
    }

    /// Runs a job that reads from and writes to these ends of pipes; without one, it reads its own input. Its output
    /// there is neither kept nor counted.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with_pipes(
        &mut self,
        job: &Job,
        reads: Option<OwnedFd>,
        writes: OwnedFd,
    ) -> Result<JobReply, JudgeError> {
        self.run_with_ends(job, StreamEnds { stdin: reads, stdout: Some(writes) })
    }

    fn run_with_ends(&mut self, job: &Job, ends: StreamEnds) -> Result<JobReply, JudgeError> {
        let _guard = end_on_stop([self.next_stop_handle()])?;
        Ok(self.run_joined(job, ends)?.reply)
    }

    /// The result is an error if the machine is to blame.
    pub(super) fn run_joined(
        &mut self,
        job: &Job,
        ends: StreamEnds,
    ) -> Result<FinishedRun, JudgeError> {
        self.counter.start();
        let result = self.backend.run_joined(job, ends, &self.keep_directory);
        let outcome = result.as_ref().map(|run| &run.reply.outcome);
        match self.counter.machine_fault(job, outcome) {
            Some(error) => Err(error),
            None => result,
        }
    }

    /// The handle works even before the run has begun.
    pub(super) fn next_stop_handle(&self) -> StopHandle {
        self.backend.control().next_stop_handle()
    }
}

/// While the guard exists, a stop of the current work ends these runs, which have not begun yet.
pub(super) fn end_on_stop<const N: usize>(runs: [StopHandle; N]) -> Result<WakeGuard, JudgeError> {
    let guard = wake_on_stop(move || runs.iter().for_each(|run| run.end(StopCause::Interrupt)));
    if is_interrupted() { Err(interrupted()) } else { Ok(guard) }
}
