//! Runs programs without isolation: works on every Unix.
//!
//! # Theory of operation
//!
//! | process | rights | lives | ends by |
//! |---|---|---|---|
//! | the judge | those of whoever started it | | |
//! | a slot's guard, a fork of the judge | the judge's; no exec | as long as its slot | a message, the judge's death |
//! | the program, leader of its own session and group | the judge's | one run | itself, or SIGKILL to its group |
//! | what the program starts | the judge's | one run, if it stays in the group | SIGKILL to the group |
//!
//! The judge itself starts the program. A thread waits for its end without reaping it (`WNOWAIT`), so that the number
//! of its group stays taken until all its processes are killed. Only then is the kernel's accounting read (`wait4`):
//! CPU time of the program and of the children that it waited for, memory of the largest of them. The program's
//! outputs are files without a name, whose size is read at intervals.
//!
//! The program sends the number of its group to the guard before it starts. If the judge dies, in whatever way, the
//! guard's pipe ends. Then the guard kills that group, removes the slot's directory, and ends.
//!
//! # What is not prevented
//!
//! The program may do everything that the user may do: read and change files, use the network, signal the judge. A
//! process that leaves the group (`setsid`) outlives the run. [`gaps`] lists this for users of plain runs.

mod directories;
mod guard;
mod limits;
mod sys;

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use parking_lot::Mutex;

use crate::sandbox::boxes::DiskBoxes;
use crate::sandbox::capture::Outputs;
use crate::sandbox::clock;
use crate::sandbox::control::{Control, RunEnder, StopCause, interrupted};
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::plain::directories::RunDirectory;
use crate::sandbox::plain::guard::Guard;
use crate::sandbox::plain::sys::{ProgramStart, StartedProgram};
use crate::sandbox::slot::{Backend, FinishedRun, StreamEnds};
use crate::sandbox::system::ProgramPipes;
use crate::sandbox::watch::{ProgramState, ProgramWatch};
use juror_core::isolation::Isolation;
use juror_core::job::{Job, JobReply};
use juror_core::judgement::JudgeError;
use juror_core::outcome::{Ending, Mechanism, Meter, Outcome, Signal, StopReason};
use juror_core::units::Bytes;

pub(super) use limits::gaps;

pub(super) const MECHANISM: Mechanism =
    Mechanism { cpu: Meter::Rusage, memory: Meter::Rusage, isolation: Isolation::Plain };

/// The shortest sleep between two checks of a program's CPU time, in nanoseconds.
const CPU_CHECK_MIN: u64 = 1_000_000;

/// The time between two checks of the program's outputs, in nanoseconds.
const OUTPUT_CHECK_INTERVAL: u64 = 15_000_000;

/// Time to wait for a killed group, in milliseconds. The group is empty at once, except for dead processes that their
/// parent does not reap.
const GROUP_END_TIMEOUT_MS: u32 = 200;

pub(super) fn start() -> Result<Box<dyn Backend>, JudgeError> {
    Ok(Box::new(PlainSlot::make()?))
}

#[derive(Debug)]
struct PlainSlot {
    control: Arc<Control>,
    waker: Arc<RunWaker>,
    wake_pipe: PipeReader,
    disk: DiskBoxes,
    guard: Guard,
    /// Descriptors of the judge that programs would inherit.
    left_open: Vec<i32>,
    running: Arc<RunningProgram>,
}

#[derive(Debug)]
struct RunWaker {
    pipe: PipeWriter,
    requested_end: Mutex<Option<(u64, StopCause)>>,
}

impl RunWaker {
    fn wake(&self) {
        // If the pipe is full, the thread wakes anyway.
        let _ = (&self.pipe).write(&[1]);
    }
}

impl RunEnder for Arc<RunWaker> {
    fn end_run(&self, run: u64, cause: StopCause) {
        let mut requested = self.requested_end.lock();
        if requested.is_none_or(|(earlier, _)| earlier != run) {
            *requested = Some((run, cause));
        }
        drop(requested);
        self.wake();
    }
}

/// `None` as soon as the program's number can belong to another process.
type RunningProgram = Mutex<Option<StartedProgram>>;

#[derive(Debug)]
struct PlainWatch {
    running: Arc<RunningProgram>,
    pipes: ProgramPipes,
}

impl ProgramWatch for PlainWatch {
    fn observe(&self) -> ProgramState {
        // While this lock is held, the program's number cannot belong to another process.
        let program = self.running.lock();
        program.map_or(ProgramState::Unknown, |program| self.pipes.observe(program.number()))
    }

    /// The pipe is closed a moment before the process is gone, so this waits for a moment.
    fn is_ending(&self) -> bool {
        const TRIES: u32 = 25;
        const EACH: Duration = Duration::from_micros(200);
        for _ in 0..TRIES {
            match &*self.running.lock() {
                Some(program) if !program.has_ended() => {}
                _ => return true,
            }
            thread::sleep(EACH);
        }
        false
    }
}

impl Backend for PlainSlot {
    fn control(&self) -> &Arc<Control> {
        &self.control
    }

    fn run_joined(
        &mut self,
        job: &Job,
        ends: StreamEnds,
        keep_in: &Path,
    ) -> Result<FinishedRun, JudgeError> {
        let run = self.control.begin_run();
        let reply = self.run(job, run, ends, keep_in);
        self.disk.remove_run();
        reply
    }

    fn watch(
        &self,
        input: BorrowedFd<'_>,
        output: BorrowedFd<'_>,
    ) -> io::Result<Box<dyn ProgramWatch>> {
        let running = Arc::clone(&self.running);
        Ok(Box::new(PlainWatch { running, pipes: ProgramPipes::of(input, output)? }))
    }

    fn core_process(&self) -> Option<i32> {
        None
    }
}

impl PlainSlot {
    /// The guard starts before any program.
    fn make() -> Result<Self, JudgeError> {
        let disk = directories::make_slot_directory()?;
        let guard = Guard::start(disk.path()).step("start the guard of a slot")?;
        let (wake_pipe, pipe) = io::pipe().step("make a pipe")?;
        for end in [wake_pipe.as_fd(), pipe.as_fd()] {
            rustix::io::ioctl_fionbio(end, true).step("make a pipe")?;
        }
        let bell = Arc::new(RunWaker { pipe, requested_end: Mutex::new(None) });
        Ok(Self {
            control: Control::new(Arc::clone(&bell)),
            waker: bell,
            wake_pipe,
            disk,
            guard,
            left_open: sys::inherited_fds(),
            running: Arc::default(),
        })
    }

    fn run(
        &mut self,
        job: &Job,
        run: u64,
        ends: StreamEnds,
        keep_in: &Path,
    ) -> Result<FinishedRun, JudgeError> {
        let room = RunDirectory::prepare(&self.disk, job)?;
        let stdin = match ends.stdin {
            Some(end) => end,
            None => directories::open_input(&self.disk, &job.stdin)?,
        };
        let (outputs, ends) = Outputs::make(ends.stdout)?;
        let start = ProgramStart::new(
            &room.command,
            limits::run_limits(&job.limits),
            self.left_open.clone(),
            self.guard.pipe_fd(),
        )?;
        let floor = sys::inherited_memory();
        let started = clock::now();
        let name = room.command.argv.first().map_or("", String::as_str);
        let spawned = start.spawn(&room.path, [stdin, ends.stdout, ends.stderr]);
        let spawned = spawned.step_on("start the program", name).map_err(Fault::for_start);
        let program = spawned.inspect_err(|_| self.guard.report_group_gone())?;
        *self.running.lock() = Some(program);
        self.control.repeat_stop_request(run);
        let ended = Arc::new(AtomicU64::new(0));
        let waiting = self.spawn_waiter(program, &ended);
        let watched = match &waiting {
            Ok(_) => self.supervise(job, run, program, started, &ended, &outputs),
            Err(_) => Ok(None),
        };
        let stopped_at = clock::now();
        program.kill_group();
        let waiting = waiting.step("start a thread");
        let joined = waiting.map(JoinHandle::join);
        self.guard.report_group_gone();
        *self.running.lock() = None;
        let bill = program.reap().step("wait for the program");
        program.wait_for_group_end(GROUP_END_TIMEOUT_MS);
        let cause = watched?;
        joined?.map_err(|_| Fault::new("wait for the program", "a thread panicked"))?;
        let bill = bill?;
        if cause == Some(StopCause::Interrupt) {
            return Err(interrupted());
        }
        // A process that left the group may go on writing.
        let written = outputs.written()?;
        let ended = match cause {
            Some(_) => stopped_at,
            None => ended.load(Ordering::SeqCst),
        };
        let mut outcome = Outcome {
            ending: bill.ending,
            cpu_time: bill.cpu,
            wall_time: Duration::from_nanos(ended.saturating_sub(started)),
            peak_memory: Bytes(limits::own_memory(bill.memory, floor)),
            file_bytes: Bytes(room.new_bytes()?),
            ..Outcome::unmeasured(MECHANISM)
        };
        if let Some(StopCause::Limit(by)) = cause {
            outcome.stopped_by = Some(by);
            outcome.ending = Ending::Signalled(Signal(SIGKILL));
        }
        written.record_in(&mut outcome, &job.limits);
        if outcome.stopped_by.is_none()
            && matches!(outcome.ending, Ending::Signalled(_))
            && limits::image_exceeds_limit(name, &job.limits)
        {
            outcome.stopped_by = Some(StopReason::Memory);
        }
        if outcome.stopped_by.is_none() && outcome.ending != Ending::Exited(0) {
            room.check_room()?;
        }
        let collected = room.collect(job)?;
        let (stdout, stderr) = outputs.read(written, &job.limits)?;
        let kept = room.keep(job, &outcome, keep_in)?;
        Ok(FinishedRun { reply: JobReply { outcome, stdout, stderr, collected, kept }, started })
    }

    /// The thread waits for the program's end, notes the time, and wakes the supervisor.
    fn spawn_waiter(
        &self,
        program: StartedProgram,
        ended: &Arc<AtomicU64>,
    ) -> io::Result<JoinHandle<()>> {
        let (ended, bell) = (Arc::clone(ended), Arc::clone(&self.waker));
        thread::Builder::new().name("juror-wait".to_owned()).spawn(move || {
            program.wait();
            ended.store(clock::now().max(1), Ordering::SeqCst);
            bell.wake();
        })
    }

    /// Sleeps until the program is over or must be ended; then returns why.
    fn supervise(
        &mut self,
        job: &Job,
        run: u64,
        program: StartedProgram,
        started: u64,
        ended: &AtomicU64,
        outputs: &Outputs,
    ) -> Result<Option<StopCause>, Fault> {
        loop {
            if ended.load(Ordering::SeqCst) != 0 {
                return Ok(None);
            }
            let requested =
                self.waker.requested_end.lock().filter(|(requested, _)| *requested == run);
            if let Some((_, cause)) = requested {
                return Ok(Some(cause));
            }
            let sleep = match next_check(job, program, started) {
                Ok(sleep) => sleep,
                Err(by) => return Ok(Some(StopCause::Limit(by))),
            };
            if outputs.written()?.exceeds_limit(&job.limits) {
                return Ok(Some(StopCause::Limit(StopReason::Output)));
            }
            let mut fds = [PollFd::new(&self.wake_pipe, PollFlags::IN)];
            match poll(&mut fds, Some(&clock::timespec(sleep))) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno).step("watch the run"),
            }
            let _ = rustix::io::read(&self.wake_pipe, &mut [0; 64]);
        }
    }
}

const SIGKILL: i32 = 9;

/// The longest permitted sleep in nanoseconds, or the limit that ends the run now.
fn next_check(job: &Job, program: StartedProgram, started: u64) -> Result<u64, StopReason> {
    let mut next = OUTPUT_CHECK_INTERVAL;
    let clock_limits = [job.limits.wall_time, job.limits.deadline];
    if let Some(limit) = clock_limits.into_iter().flatten().min().map(clock::nanoseconds) {
        let remaining = limit.saturating_sub(clock::now().saturating_sub(started));
        if remaining == 0 {
            return Err(StopReason::WallTime);
        }
        next = next.min(remaining);
    }
    if let Some(limit) = job.limits.cpu_time.map(clock::nanoseconds)
        && let Some(used) = program.cpu_used()
    {
        if used >= limit {
            return Err(StopReason::CpuTime);
        }
        let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
        next = next.min(((limit - used) / cores).max(CPU_CHECK_MIN));
    }
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::blob::Blob;
    use juror_core::job::{BoxRetention, Command};
    use juror_core::judgement::Retry;
    use juror_core::limits::Limits;

    #[test]
    fn a_missing_guard_is_a_fault_of_the_judge() {
        let mut slot = PlainSlot::make().unwrap();
        let job = Job {
            command: Command {
                argv: vec!["/bin/sh".to_owned(), "-c".to_owned(), "exit 7".to_owned()],
                ..Command::default()
            },
            stdin: Blob::default(),
            files: Vec::new(),
            writable: true,
            box_size: Bytes::mib(1),
            limits: Limits::default(),
            collect: Vec::new(),
            keep: BoxRetention::Nothing,
            is_timed: false,
        };
        let finished = slot.run_joined(&job, StreamEnds::default(), Path::new("")).unwrap();
        assert_eq!(finished.reply.outcome.ending, Ending::Exited(7));
        slot.guard.kill();
        let error = slot.run_joined(&job, StreamEnds::default(), Path::new("")).unwrap_err();
        assert_eq!(error.again, Retry::Possible, "{error}");
        assert!(error.step.starts_with("start the program"), "{error}");
    }
}
