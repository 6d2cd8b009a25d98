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

use crate::model::isolation::Isolation;
use crate::model::job::{Job, Reply};
use crate::model::judgement::JudgeError;
use crate::model::outcome::{Ending, Mechanism, Meter, Outcome, Signal, StoppedBy};
use crate::model::units::Bytes;
use crate::sandbox::boxes::DiskBoxes;
use crate::sandbox::capture::Outputs;
use crate::sandbox::clock;
use crate::sandbox::control::{Cause, Control, EndRun, interrupted};
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::plain::directories::RunDirectory;
use crate::sandbox::plain::guard::Guard;
use crate::sandbox::plain::sys::{Program, Start};
use crate::sandbox::slot::{Backend, Ends, Ran};
use crate::sandbox::system::Pipes;
use crate::sandbox::watch::{Seen, Watch};

pub(super) use limits::gaps;

pub(super) const MECHANISM: Mechanism =
    Mechanism { cpu: Meter::Rusage, memory: Meter::Rusage, isolation: Isolation::Plain };

/// The shortest sleep between two checks of a program's CPU time, in nanoseconds.
const SHORTEST: u64 = 1_000_000;

/// The time between two checks of the program's outputs, in nanoseconds.
const LOOK: u64 = 15_000_000;

/// Time to wait for a killed group, in milliseconds. The group is empty at once, except for dead processes that their
/// parent does not reap.
const PATIENCE: u32 = 200;

pub(super) fn start() -> Result<Box<dyn Backend>, JudgeError> {
    Ok(Box::new(PlainSlot::make()?))
}

#[derive(Debug)]
struct PlainSlot {
    control: Arc<Control>,
    bell: Arc<Bell>,
    heard: PipeReader,
    disk: DiskBoxes,
    guard: Guard,
    /// Descriptors of the judge that programs would inherit.
    left_open: Vec<i32>,
    running: Arc<Running>,
}

#[derive(Debug)]
struct Bell {
    rings: PipeWriter,
    wanted: Mutex<Option<(u64, Cause)>>,
}

impl Bell {
    fn ring(&self) {
        // If the pipe is full, the thread wakes anyway.
        let _ = (&self.rings).write(&[1]);
    }
}

impl EndRun for Arc<Bell> {
    fn end(&self, run: u64, cause: Cause) {
        let mut wanted = self.wanted.lock();
        if wanted.is_none_or(|(earlier, _)| earlier != run) {
            *wanted = Some((run, cause));
        }
        drop(wanted);
        self.ring();
    }
}

/// `None` as soon as the program's number can belong to another process.
#[derive(Debug, Default)]
struct Running(Mutex<Option<Program>>);

impl Running {}

#[derive(Debug)]
struct PlainWatch {
    running: Arc<Running>,
    pipes: Pipes,
}

impl Watch for PlainWatch {
    fn look(&self) -> Seen {
        // While this lock is held, the program's number cannot belong to another process.
        let program = self.running.0.lock();
        program.map_or(Seen::Nothing, |program| self.pipes.look_at(program.number()))
    }

    /// The pipe is closed a moment before the process is gone, so this waits for a moment.
    fn is_ending(&self) -> bool {
        const TRIES: u32 = 25;
        const EACH: Duration = Duration::from_micros(200);
        for _ in 0..TRIES {
            match &*self.running.0.lock() {
                Some(program) if !program.is_over() => {}
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

    fn run_joined(&mut self, job: &Job, ends: Ends, keep_in: &Path) -> Result<Ran, JudgeError> {
        let run = self.control.begin();
        let reply = if self.control.is_stopped(run) {
            Err(interrupted())
        } else {
            self.run(job, run, ends, keep_in)
        };
        self.control.is_over();
        self.disk.remove_run();
        reply
    }

    fn watch(&self, input: BorrowedFd<'_>, output: BorrowedFd<'_>) -> io::Result<Box<dyn Watch>> {
        let running = Arc::clone(&self.running);
        Ok(Box::new(PlainWatch { running, pipes: Pipes::of(input, output)? }))
    }

    fn process(&self) -> Option<i32> {
        None
    }
}

impl PlainSlot {
    /// The guard starts before any program.
    fn make() -> Result<Self, JudgeError> {
        let disk = directories::make()?;
        let guard = Guard::start(disk.path()).step("start the guard of a slot")?;
        let (heard, rings) = io::pipe().step("make a pipe")?;
        for end in [heard.as_fd(), rings.as_fd()] {
            rustix::io::ioctl_fionbio(end, true).step("make a pipe")?;
        }
        let bell = Arc::new(Bell { rings, wanted: Mutex::new(None) });
        Ok(Self {
            control: Control::new(Arc::clone(&bell)),
            bell,
            heard,
            disk,
            guard,
            left_open: sys::left_open(),
            running: Arc::default(),
        })
    }

    fn run(&mut self, job: &Job, run: u64, ends: Ends, keep_in: &Path) -> Result<Ran, JudgeError> {
        let room = RunDirectory::prepare(&self.disk, job)?;
        let stdin = match ends.stdin {
            Some(end) => end,
            None => directories::input(&self.disk, &job.stdin)?,
        };
        let (outputs, ends) = Outputs::make(ends.stdout)?;
        let start = Start::new(
            &room.command,
            limits::list(&job.limits),
            self.left_open.clone(),
            self.guard.line(),
        )?;
        let floor = sys::inherited_memory();
        let started = clock::now();
        let name = room.command.argv.first().map_or("", String::as_str);
        let spawned = start.spawn(&room.path, [stdin, ends.stdout, ends.stderr]);
        let spawned = spawned.step_on("start the program", name).map_err(Fault::of_start);
        let program = spawned.inspect_err(|_| self.guard.forget())?;
        *self.running.0.lock() = Some(program);
        self.control.repeat(run);
        let ended = Arc::new(AtomicU64::new(0));
        let waiting = self.wait_for_its_end(program, &ended);
        let watched = match &waiting {
            Ok(_) => self.watch_run(job, run, program, started, &ended, &outputs),
            Err(_) => Ok(None),
        };
        let stopped_at = clock::now();
        program.kill_group();
        let waiting = waiting.step("start a thread");
        let joined = waiting.map(JoinHandle::join);
        self.guard.forget();
        *self.running.0.lock() = None;
        let bill = program.reap().step("wait for the program");
        program.settle(PATIENCE);
        let cause = watched?;
        joined?.map_err(|_| Fault::new("wait for the program", "a thread panicked"))?;
        let bill = bill?;
        if cause == Some(Cause::Interrupt) {
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
        if let Some(Cause::Limit(by)) = cause {
            outcome.stopped_by = Some(by);
            outcome.ending = Ending::Signalled(Signal(KILLED));
        }
        written.note(&mut outcome, &job.limits);
        if outcome.stopped_by.is_none()
            && matches!(outcome.ending, Ending::Signalled(_))
            && limits::refuses_to_start(name, &job.limits)
        {
            outcome.stopped_by = Some(StoppedBy::Memory);
        }
        if outcome.stopped_by.is_none() && outcome.ending != Ending::Exited(0) {
            room.check_room()?;
        }
        let collected = room.collect(job)?;
        let captured = outputs.read(written, &job.limits)?;
        let (stdout, stderr) = (captured.stdout, captured.stderr);
        let kept = room.keep(job, &outcome, keep_in)?;
        Ok(Ran { reply: Reply { outcome, stdout, stderr, collected, kept }, started })
    }

    /// The thread waits for the program's end, notes the time, and wakes the supervisor.
    fn wait_for_its_end(
        &self,
        program: Program,
        ended: &Arc<AtomicU64>,
    ) -> io::Result<JoinHandle<()>> {
        let (ended, bell) = (Arc::clone(ended), Arc::clone(&self.bell));
        thread::Builder::new().name("juror-wait".to_owned()).spawn(move || {
            program.wait();
            ended.store(clock::now().max(1), Ordering::SeqCst);
            bell.ring();
        })
    }

    /// Sleeps until the program is over or must be ended; then returns why.
    fn watch_run(
        &mut self,
        job: &Job,
        run: u64,
        program: Program,
        started: u64,
        ended: &AtomicU64,
        outputs: &Outputs,
    ) -> Result<Option<Cause>, Fault> {
        loop {
            if ended.load(Ordering::SeqCst) != 0 {
                return Ok(None);
            }
            let wanted = self.bell.wanted.lock().filter(|(wanted, _)| *wanted == run);
            if let Some((_, cause)) = wanted {
                return Ok(Some(cause));
            }
            let sleep = match next_look(job, program, started) {
                Ok(sleep) => sleep,
                Err(by) => return Ok(Some(Cause::Limit(by))),
            };
            if outputs.written()?.is_beyond(&job.limits) {
                return Ok(Some(Cause::Limit(StoppedBy::Output)));
            }
            let mut fds = [PollFd::new(&self.heard, PollFlags::IN)];
            match poll(&mut fds, Some(&clock::timespec(sleep))) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno).step("watch the run"),
            }
            let _ = rustix::io::read(&self.heard, &mut [0; 64]);
        }
    }
}

const KILLED: i32 = 9;

/// The longest permitted sleep in nanoseconds, or the limit that ends the run now.
fn next_look(job: &Job, program: Program, started: u64) -> Result<u64, StoppedBy> {
    let mut next = LOOK;
    let clock_limits = [job.limits.wall_time, job.limits.deadline];
    if let Some(limit) = clock_limits.into_iter().flatten().min().map(clock::nanoseconds) {
        let left = limit.saturating_sub(clock::now().saturating_sub(started));
        if left == 0 {
            return Err(StoppedBy::WallTime);
        }
        next = next.min(left);
    }
    if let Some(limit) = job.limits.cpu_time.map(clock::nanoseconds)
        && let Some(used) = program.cpu_so_far()
    {
        if used >= limit {
            return Err(StoppedBy::CpuTime);
        }
        let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
        next = next.min(((limit - used) / cores).max(SHORTEST));
    }
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::blob::Blob;
    use crate::model::job::{Command, Keep};
    use crate::model::judgement::Again;
    use crate::model::limits::Limits;

    #[test]
    fn that_the_guard_is_gone_is_a_fault_of_the_judge_and_no_end_of_a_program() {
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
            keep: Keep::Nothing,
            is_timed: false,
        };
        let ran = slot.run_joined(&job, Ends::default(), Path::new("")).unwrap();
        assert_eq!(ran.reply.outcome.ending, Ending::Exited(7));
        slot.guard.kill();
        let error = slot.run_joined(&job, Ends::default(), Path::new("")).unwrap_err();
        assert_eq!(error.again, Again::Perhaps, "{error}");
        assert!(error.step.starts_with("start the program"), "{error}");
    }
}
