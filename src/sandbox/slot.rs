//! A slot as the judge holds it: starts the slot's process, gives it jobs, reads what programs write.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::Mode;
use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType};
use rustix::pipe::PipeFlags;

use crate::model::isolation::Isolation;
use crate::model::job::{Collected, Job, Reply};
use crate::model::judgement::{Again, JudgeError};
use crate::model::outcome::{Ending, Mechanism, Outcome, Signal, Stop};
use crate::model::units::Bytes;
use crate::sandbox::capture::{Progress, Stream, copy_file};
use crate::sandbox::cgroup::Placement;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::host::{CoreId, Host};
use crate::sandbox::keep;
use crate::sandbox::leftover;
use crate::sandbox::pack::{Prepared, file_of, input};
use crate::sandbox::prepare::Setup;
use crate::sandbox::server::{self, stop_code};
use crate::sandbox::sys::{self, Forked};
use crate::sandbox::wire::{self, Answer, Cause, Facts, Found, OTHER_KINDS, Request};

/// How a slot is to be.
#[derive(Clone, Debug, Default)]
pub struct SlotOptions {
    /// The core on which its programs stay; any, if none is given.
    pub core: Option<CoreId>,
}

/// One place where jobs run, one after the other: a process that stands ready for them.
///
/// Dropping it ends what runs in it, and its process, and removes its control groups.
#[derive(Debug)]
pub struct Slot {
    shared: Arc<Shared>,
    process: i32,
    groups: Option<Groups>,
    mechanism: Mechanism,
    last_run: u64,
    last_start: u64,
    buffer: Vec<u8>,
}

/// A slot's control groups, which the judge removes when the slot's process cannot.
#[derive(Debug)]
struct Groups {
    placement: Placement,
    name: String,
}

/// Ends of pipes to use in place of what a job says.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// What the program reads.
    pub(super) stdin: Option<OwnedFd>,
    /// Where it writes.
    pub(super) stdout: Option<OwnedFd>,
}

/// What a slot and its stoppers share.
#[derive(Debug)]
struct Shared {
    socket: OwnedFd,
    /// The number of the run that goes on, or 0.
    current: AtomicU64,
    /// The last run that was to be stopped.
    stopped: AtomicU64,
    /// The run that another program's end or the like ends, if any, and why.
    unwanted: Mutex<Option<Unwanted>>,
    /// No run is wanted any more.
    closed: AtomicBool,
}

/// A run that is to end, perhaps before it has begun.
#[derive(Clone, Copy, Debug)]
struct Unwanted {
    run: u64,
    cause: Cause,
}

/// Ends one run of a slot, from any thread, also one that has not begun yet.
#[derive(Clone, Debug)]
pub(super) struct Ender {
    shared: Arc<Shared>,
    run: u64,
}

impl Ender {
    /// Ends the run; what it did until then is told.
    pub(super) fn end(&self, cause: Cause) {
        let run = self.run;
        *self.shared.unwanted() = Some(Unwanted { run, cause });
        // If it has not begun, this is nothing to the slot, and the run itself looks once it has.
        self.shared.end(run, cause);
    }
}

/// Ends the current run of a slot, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<Shared>);

impl Stopper {
    /// Ends the run that goes on, if any, at once: [`Slot::run`] then gives an error for which
    /// [`is_interrupted`] holds. A run that has not yet begun is not touched.
    pub fn stop(&self) {
        let run = self.0.current.load(Ordering::SeqCst);
        if run != 0 {
            // Its request may be on its way only now; then it is for the run itself to look here.
            self.0.stopped.store(run, Ordering::SeqCst);
            self.0.end(run, Cause::Interrupt);
        }
    }

    /// As [`stop`](Self::stop), and the slot refuses every run from now on in the same way.
    pub fn close(&self) {
        self.0.closed.store(true, Ordering::SeqCst);
        self.stop();
    }
}

impl Shared {
    /// Whether this run is not wanted any more.
    fn is_stopped(&self, run: u64) -> bool {
        self.closed.load(Ordering::SeqCst) || self.stopped.load(Ordering::SeqCst) == run
    }

    fn unwanted(&self) -> MutexGuard<'_, Option<Unwanted>> {
        self.unwanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for the end of a run. If the slot is gone, the run is, too.
    fn end(&self, run: u64, cause: Cause) {
        let message = Request::End { run, cause }.encode();
        let _ = wire::send(&self.socket, &message, &[]);
    }
}

const RUN: &str = "run";
const INTERRUPTED: &str = "interrupted";

/// Whether an error of [`Slot::run`] says that a [`Stopper`] ended the run.
pub fn is_interrupted(error: &JudgeError) -> bool {
    error.step == RUN && error.reason == INTERRUPTED
}

impl Slot {
    /// Starts a slot's process, and waits until it is ready.
    pub fn start(host: &Host, options: &SlotOptions) -> Result<Self, JudgeError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let setup = host.setup(number, options.core);
        let (ours, theirs) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .step("join the judge with its sandbox")?;
        let groups = setup.placement.clone().map(|placement| Groups {
            placement,
            name: setup.name.clone(),
        });
        static SWEPT: Once = Once::new();
        if let Some(groups) = &groups {
            SWEPT.call_once(|| leftover::sweep(&groups.placement));
        }
        let process = start_process(setup, &theirs)?;
        drop(theirs);
        let mut slot = Self {
            shared: Arc::new(Shared {
                socket: ours,
                current: AtomicU64::new(0),
                stopped: AtomicU64::new(0),
                unwanted: Mutex::new(None),
                closed: AtomicBool::new(false),
            }),
            process,
            groups,
            mechanism: host.mechanism(),
            last_run: 0,
            last_start: 0,
            buffer: vec![0; wire::LONGEST],
        };
        let received = wire::receive(&slot.shared.socket, &mut slot.buffer);
        match Answer::decode(received.step("start the sandbox")?.message) {
            Some(Answer::Ready) => Ok(slot),
            Some(Answer::Failed(fault)) => Err(fault.into()),
            _ => Err(gone("start the sandbox")),
        }
    }

    /// What ends the next run of this slot, whether it has begun or not.
    pub(super) fn ender_of_next(&self) -> Ender {
        Ender {
            shared: Arc::clone(&self.shared),
            run: self.last_run + 1,
        }
    }

    /// When the program of the last run started, monotonic, in nanoseconds; 0 if it did not.
    pub(super) fn last_start(&self) -> u64 {
        self.last_start
    }

    /// The number of the slot's process.
    pub(super) fn process(&self) -> i32 {
        self.process
    }

    /// What ends a run of this slot from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.shared))
    }

    /// Runs a job, and returns when all its processes are gone.
    ///
    /// An error is a fault of the judge or its machine; whatever the program does is an outcome.
    pub fn run(&mut self, job: &Job) -> Result<Reply, JudgeError> {
        self.run_joined(job, Ends::default())
    }

    /// Runs a job whose standard input or output is an end of a pipe instead, so that it talks to another
    /// program.
    ///
    /// The ends are closed here once the program has them, so that whoever reads the other side sees
    /// when it is done. What it writes into a pipe is neither kept nor counted.
    pub(super) fn run_joined(&mut self, job: &Job, ends: Ends) -> Result<Reply, JudgeError> {
        self.last_run += 1;
        let run = self.last_run;
        self.shared.current.store(run, Ordering::SeqCst);
        let answered = self.send_and_listen(job, run, ends);
        self.shared.current.store(0, Ordering::SeqCst);
        let answered = answered?;
        match answered.answer {
            Answer::Done(facts) => {
                self.last_start = facts.started;
                self.reply(job, facts, answered.streams, answered.fds)
            }
            Answer::Interrupted => Err(JudgeError::new(RUN, INTERRUPTED)),
            Answer::Failed(fault) => Err(fault.into()),
            Answer::Ready => Err(JudgeError::new(RUN, "the sandbox answered out of turn")),
        }
    }

    fn send_and_listen(&mut self, job: &Job, run: u64, ends: Ends) -> Result<Answered, JudgeError> {
        if self.shared.is_stopped(run) {
            return Err(JudgeError::new(RUN, INTERRUPTED));
        }
        let streams = self.send(job, run, ends)?;
        if self.shared.is_stopped(run) {
            self.shared.end(run, Cause::Interrupt);
        }
        let unwanted = *self.shared.unwanted();
        if let Some(unwanted) = unwanted.filter(|unwanted| unwanted.run == run) {
            self.shared.end(run, unwanted.cause);
        }
        self.listen(job, run, streams)
    }

    /// Sends a job.
    fn send(&self, job: &Job, run: u64, ends: Ends) -> Result<Streams, JudgeError> {
        let prepared = Prepared::of(job, run)?;
        for (end, mode) in [(&ends.stdin, 0o444), (&ends.stdout, 0o222)] {
            // As `/dev/stdin` and `/dev/stdout`, by a program of another user.
            if let Some(end) = end {
                rustix::fs::fchmod(end, Mode::from_raw_mode(mode)).step("join two programs")?;
            }
        }
        let input = match ends.stdin {
            Some(end) => end,
            None => input(&job.stdin)?,
        };
        let output = match ends.stdout {
            Some(write) => Pipe { read: None, write },
            None => pipe()?,
        };
        let error = pipe()?;
        let mut message = Request::Run(Box::new(prepared.request)).encode();
        let long = if message.len() > wire::LONGEST {
            let text = std::mem::replace(&mut message, wire::LONG.to_vec());
            Some(file_of(&text).step("send the job to the sandbox")?)
        } else {
            None
        };
        let mut fds = vec![input.as_fd(), output.write.as_fd(), error.write.as_fd()];
        fds.extend(prepared.contents.as_ref().map(AsFd::as_fd));
        fds.extend(long.as_ref().map(AsFd::as_fd));
        wire::send(&self.shared.socket, &message, &fds).step("send the job to the sandbox")?;
        let is_ours = output.read.is_some();
        Ok(Streams {
            output: Stream::output(output.read, job.limits.output.map(|limit| limit.0)),
            error: Stream::error(error.read),
            _open: [is_ours.then_some(output.write), Some(error.write)],
        })
    }

    /// Reads what the program writes until the slot says that it is over.
    fn listen(&mut self, job: &Job, run: u64, streams: Streams) -> Result<Answered, JudgeError> {
        let mut streams = streams;
        let most = job.limits.output.map_or(u64::MAX, |limit| limit.0);
        let mut is_told = false;
        loop {
            let ready = streams
                .wait(&self.shared.socket)
                .step("wait for the sandbox")?;
            if ready.output {
                streams
                    .output
                    .read(&mut self.buffer)
                    .step("read standard output")?;
            }
            if ready.error {
                streams
                    .error
                    .read(&mut self.buffer)
                    .step("read standard error")?;
            }
            if streams.total() > most && !is_told {
                is_told = true;
                self.shared.end(run, Cause::Output);
            }
            if ready.answer {
                let received = wire::receive(&self.shared.socket, &mut self.buffer)
                    .step("hear the sandbox")?;
                let answer =
                    Answer::decode(received.message).ok_or_else(|| gone("run the program"))?;
                let fds = received.fds;
                streams
                    .drain(&mut self.buffer)
                    .step("read the program's output")?;
                return Ok(Answered {
                    answer,
                    fds,
                    streams,
                });
            }
        }
    }

    /// Puts facts into the model's words.
    fn reply(
        &self,
        job: &Job,
        facts: Facts,
        streams: Streams,
        fds: Vec<OwnedFd>,
    ) -> Result<Reply, JudgeError> {
        let mut outcome = Outcome {
            ending: ending(facts.status),
            stop: stop(facts.stop),
            cpu_time: Duration::from_nanos(facts.cpu),
            wall_time: Duration::from_nanos(facts.wall),
            peak_memory: Bytes(facts.memory),
            stdout_bytes: Bytes(streams.output.total),
            stderr_bytes: Bytes(streams.error.total),
            file_bytes: Bytes(facts.files),
            refused_processes: u32::try_from(facts.refused_processes).unwrap_or(u32::MAX),
            mechanism: self.mechanism,
        };
        // The program may have ended just before the slot heard that it had written too much.
        let most = job.limits.output.map_or(u64::MAX, |limit| limit.0);
        if outcome.stop.is_none() && streams.total() > most {
            outcome.stop = Some(Stop::Output);
        }
        let mut fds = fds.into_iter();
        let most = job.limits.output.unwrap_or(job.box_size).0;
        let mut collected = Vec::new();
        for found in &facts.found {
            collected.push(match found {
                Found::Missing => Collected::Missing,
                Found::Other(kind) => Collected::NotAFile(
                    OTHER_KINDS
                        .get(usize::from(*kind))
                        .copied()
                        .unwrap_or("something unknown"),
                ),
                Found::File => {
                    let file = fds.next().ok_or_else(|| gone("collect a file"))?;
                    Collected::File(copy_file(file, most).step("copy a file out of the box")?)
                }
            });
        }
        if let Some(target) = &job.keep {
            let from = fds.next().ok_or_else(|| gone("keep the box"))?;
            let rights = match self.mechanism.isolation {
                // There `chmod` may do nothing.
                Isolation::Landlock => keep::Rights::ToStart,
                Isolation::Namespaces | Isolation::UserNamespaces => keep::Rights::AsLeft,
            };
            let kept = keep::copy_box(from, target, job.box_size.0, rights);
            kept.map_err(|fault| JudgeError {
                // The directory is there now; a second time would fail for that.
                again: Again::Never,
                ..fault.into()
            })?;
        }
        Ok(Reply {
            outcome,
            stdout: streams.output.finish().step("keep standard output")?,
            stderr: streams.error.finish().step("keep standard error")?,
            collected,
        })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Says good-bye even while a stopper still holds the socket.
        let _ = rustix::net::shutdown(&self.shared.socket, Shutdown::Both);
        let ended = sys::wait(self.process);
        let is_killed = ended.is_ok_and(|ended| ended.status != 0);
        if let Some(groups) = self.groups.as_ref().filter(|_| is_killed) {
            leftover::remove(&groups.placement, &groups.name);
        }
    }
}

fn gone(step: &str) -> JudgeError {
    JudgeError::new(step, "the sandbox's process ended unexpectedly").transient()
}

/// Forks the slot's process.
fn start_process(setup: Setup, socket: &OwnedFd) -> Result<i32, Fault> {
    let socket = socket.as_raw_fd();
    // SAFETY: the child takes no lock of this library or of the judge, allocates with the system's
    // allocator, which is usable after a fork, and ends with `exit` on every way.
    match unsafe { sys::fork() }.step("fork the sandbox's process")? {
        Forked::Parent(process) => Ok(process),
        Forked::Child => {
            let _ = catch_unwind(AssertUnwindSafe(|| server::serve(setup, socket)));
            sys::exit(1)
        }
    }
}

/// Both outputs of a run.
struct Streams {
    output: Stream,
    error: Stream,
    /// The program's ends, of our own pipes: at their end the judge would wake once more for each, just before the answer.
    _open: [Option<OwnedFd>; 2],
}

/// An answer with all that belongs to it.
struct Answered {
    answer: Answer,
    fds: Vec<OwnedFd>,
    streams: Streams,
}

/// What can be read.
#[derive(Default)]
struct ReadyToRead {
    output: bool,
    error: bool,
    answer: bool,
}

impl Streams {
    fn total(&self) -> u64 {
        self.output.total.saturating_add(self.error.total)
    }

    /// Waits until there is something to read.
    fn wait(&self, socket: &OwnedFd) -> rustix::io::Result<ReadyToRead> {
        let mut fds = vec![PollFd::new(socket, PollFlags::IN)];
        let streams = [&self.output, &self.error];
        for stream in streams {
            if let Some(pipe) = &stream.pipe {
                fds.push(PollFd::new(pipe, PollFlags::IN));
            }
        }
        match poll(&mut fds, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(ReadyToRead::default()),
            Err(errno) => return Err(errno),
        }
        let mut events = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = |is_polled: bool| is_polled && events.next().unwrap_or(false);
        Ok(ReadyToRead {
            answer: next(true),
            output: next(self.output.pipe.is_some()),
            error: next(self.error.pipe.is_some()),
        })
    }

    /// Reads the rest; nobody writes any more.
    fn drain(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        while self.output.read(buffer)? == Progress::Some {}
        while self.error.read(buffer)? == Progress::Some {}
        Ok(())
    }
}

/// A pipe whose reading end, if it is ours, does not block.
///
/// A program can open its output once more by name (`/dev/stdout`), whoever it runs as, and only for
/// writing.
struct Pipe {
    read: Option<OwnedFd>,
    write: OwnedFd,
}

fn pipe() -> Result<Pipe, Fault> {
    let (read, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).step("make a pipe")?;
    rustix::io::ioctl_fionbio(&read, true).step("make a pipe")?;
    rustix::fs::fchmod(&write, Mode::from_raw_mode(0o222)).step("make a pipe")?;
    Ok(Pipe {
        read: Some(read),
        write,
    })
}

/// Source: the manual page `wait(2)`.
fn ending(status: i32) -> Ending {
    let signal = status & 0x7f;
    if signal == 0 {
        Ending::Exited((status >> 8) & 0xff)
    } else {
        Ending::Signalled(Signal(signal))
    }
}

fn stop(code: u8) -> Option<Stop> {
    match code {
        stop_code::CPU_TIME => Some(Stop::CpuTime),
        stop_code::WALL_TIME => Some(Stop::WallTime),
        stop_code::MEMORY => Some(Stop::Memory),
        stop_code::OUTPUT => Some(Stop::Output),
        stop_code::DEADLOCK => Some(Stop::Deadlock),
        stop_code::DISMISSED => Some(Stop::Dismissed),
        _ => None,
    }
}
