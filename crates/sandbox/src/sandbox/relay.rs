//! Carries the output of each of two programs to the other, and notices what happens between them.
//!
//! Each program has two pipes to the judge and none to the other program. So a program may write to one that has
//! ended: it gets no SIGPIPE, and its output is counted as unread. All data can be counted, limited and recorded. If
//! both programs wait for each other, that is noticed at once. At most one buffer each way is held; a program whose
//! partner does not read has to wait, as with a pipe.
//!
//! While data flows, nothing runs at intervals: the relay sleeps until there is something to carry. After some quiet
//! time, it checks what both programs wait for, more and more rarely.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::sandbox::clock::{self, BUSY_FACTOR, nanoseconds};
use crate::sandbox::control::{StopCause, StopHandle};
use crate::sandbox::slot::FinishedRun;
use crate::sandbox::transcript::TranscriptRecorder;
use crate::sandbox::wait_meter::{InputQueue, WaitMeter};
use crate::sandbox::watch::{BlockedProgram, ProgramState, ProgramWatch};
use juror_core::joint::{Deadlock, JointJob, TalkSide, WaitReason};
use juror_core::judgement::JudgeError;
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, StopReason};

/// In bytes.
const BUFFER_BYTES: usize = 64 << 10;

/// Number of reads of an output after its run: enough for the contents of any pipe.
const FINAL_READS_MAX: usize = 32;

/// Quiet time before the first check, in nanoseconds.
const FIRST_CHECK_DELAY: u64 = 20_000_000;

/// The longest time between two checks, in nanoseconds.
const CHECK_INTERVAL_MAX: u64 = 320_000_000;

/// The time between the two checks that together prove a deadlock, in nanoseconds.
const CONFIRMATION_DELAY: u64 = 1_000_000;

/// In nanoseconds: how long the end of a program is hidden from a partner that neither runs nor is known to wait.
const HIDDEN_END_MAX: u64 = 1_000_000_000;

/// A slot's thread sends it after its run.
pub(super) struct RunResult {
    pub(super) side: TalkSide,
    pub(super) result: Result<FinishedRun, JudgeError>,
}

pub(super) struct RelayedProgram {
    /// The judge's end of its standard output; `None` after the end of that output.
    pub(super) output: Option<OwnedFd>,
    /// The judge's end of the other's standard input; `None` after its reader is gone.
    pub(super) other_input: Option<OwnedFd>,
    /// Data that was read and not yet passed on is `buffer[start..end]`.
    pub(super) buffer: Vec<u8>,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) written: u64,
    pub(super) output_limit: u64,
    passed_on: u64,
    pub(super) unread: u64,
    /// When its output ended; monotonic, in nanoseconds.
    pub(super) closed_at: Option<u64>,
    /// When it was found to be ending; monotonic, in nanoseconds. The other learns of it only after that.
    pub(super) ended_at: Option<u64>,
    pub(super) stop_handle: StopHandle,
    pub(super) watch: Box<dyn ProgramWatch>,
    pub(super) result: Option<Result<FinishedRun, JudgeError>>,
    /// How many more reads its output gets after its run.
    reads_left: usize,
    /// Its state at the last check, if it was blocked.
    last_blocked: Option<BlockedProgram>,
    /// What it waited for at the last check, if no data flowed since.
    pub(super) waits_for: Option<WaitReason>,
}

#[derive(Clone, Copy, Default)]
struct ReadyEnds {
    is_output_ready: bool,
    is_input_ready: bool,
    is_reader_gone: bool,
}

impl RelayedProgram {
    pub(super) fn new(
        from: OwnedFd,
        to: OwnedFd,
        most: Option<u64>,
        stop_handle: StopHandle,
        watch: Box<dyn ProgramWatch>,
    ) -> Self {
        Self {
            output: Some(from),
            other_input: Some(to),
            buffer: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
            written: 0,
            output_limit: most.unwrap_or(u64::MAX),
            passed_on: 0,
            unread: 0,
            closed_at: None,
            ended_at: None,
            stop_handle,
            watch,
            result: None,
            reads_left: FINAL_READS_MAX,
            last_blocked: None,
            waits_for: None,
        }
    }

    /// Only the first reason counts.
    fn stop_run(&mut self, by: StopReason) {
        self.stop_handle.end(StopCause::Limit(by));
        self.output_limit = u64::MAX;
    }

    /// Nothing is known after its run.
    fn observe(&self) -> ProgramState {
        match self.result {
            Some(_) => ProgramState::Unknown,
            None => self.watch.observe(),
        }
    }

    fn input_queue(&self) -> io::Result<InputQueue> {
        let unread = self.other_input.as_ref().map_or(Ok(0), rustix::io::ioctl_fionread)?;
        Ok(InputQueue { unread, passed: self.passed_on })
    }

    fn has_buffered_data(&self) -> bool {
        self.start < self.end
    }

    /// Waits for only one end at a time: for data, or for room to write.
    fn poll_fds<'a>(&'a self, instead: &'a OwnedFd) -> [PollFd<'a>; 2] {
        let from = self.output.as_ref().filter(|_| !self.has_buffered_data());
        let out = if self.has_buffered_data() { PollFlags::OUT } else { PollFlags::empty() };
        [
            match from {
                Some(pipe) => PollFd::new(pipe, PollFlags::IN),
                None => PollFd::new(instead, PollFlags::empty()),
            },
            match &self.other_input {
                // The kernel always reports that the reader is gone.
                Some(pipe) => PollFd::new(pipe, out),
                None => PollFd::new(instead, PollFlags::empty()),
            },
        ]
    }

    fn carry(&mut self, ready: ReadyEnds, record: impl FnOnce(&[u8])) -> io::Result<bool> {
        let mut is_moved = false;
        if ready.is_reader_gone {
            self.note_closed_reader()?;
        } else if ready.is_input_ready {
            is_moved |= self.write()?;
        }
        if ready.is_output_ready && !self.has_buffered_data() {
            is_moved |= self.read(record)?;
            self.write()?;
        }
        Ok(is_moved)
    }

    /// Reads what it left in its pipe after its run. Without isolation, a process that it started may still hold the
    /// pipe, and even write to it.
    fn drain_output(&mut self, mut record: impl FnMut(&[u8])) -> io::Result<bool> {
        let mut is_moved = false;
        while self.result.is_some() && self.output.is_some() && !self.has_buffered_data() {
            let has_more = self.reads_left > 0 && self.read(&mut record)?;
            self.reads_left = self.reads_left.saturating_sub(1);
            if !has_more && self.output.take().is_some() {
                self.closed_at = Some(clock::now());
            }
            is_moved |= has_more;
            self.write()?;
        }
        Ok(is_moved)
    }

    /// All its data is passed on; only its end is left to report.
    fn is_drained(&self) -> bool {
        self.output.is_none() && !self.has_buffered_data() && self.other_input.is_some()
    }

    fn read(&mut self, record: impl FnOnce(&[u8])) -> io::Result<bool> {
        let Some(from) = &self.output else { return Ok(false) };
        match rustix::io::read(from, &mut self.buffer) {
            Ok(0) => {
                self.output = None;
                self.closed_at = Some(clock::now());
                self.ended_at = self.closed_at.filter(|_| self.watch.is_ending());
                Ok(false)
            }
            Ok(length) => {
                (self.start, self.end) = (0, length);
                self.written += length as u64;
                record(&self.buffer[..length]);
                Ok(true)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    fn write(&mut self) -> io::Result<bool> {
        let Some(to) = &self.other_input else {
            self.note_closed_reader()?;
            return Ok(false);
        };
        if !self.has_buffered_data() {
            return Ok(false);
        }
        match rustix::io::write(to, &self.buffer[self.start..self.end]) {
            Ok(length) => {
                self.start += length;
                self.passed_on += length as u64;
                Ok(true)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(false),
            Err(Errno::PIPE) => {
                self.note_closed_reader()?;
                Ok(false)
            }
            Err(errno) => Err(errno.into()),
        }
    }

    fn note_closed_reader(&mut self) -> io::Result<()> {
        if let Some(to) = self.other_input.take() {
            // The contents of the pipe were never read.
            self.unread += rustix::io::ioctl_fionread(&to)?;
        }
        self.unread += (self.end - self.start) as u64;
        self.start = self.end;
        Ok(())
    }
}

pub(super) struct Relay {
    pub(super) program: RelayedProgram,
    pub(super) partner: RelayedProgram,
    pub(super) limits: Limits,
    /// With this exit code of the partner, the program may go on.
    pub(super) accept_exit_code: i32,
    pub(super) wake_pipe: OwnedFd,
    pub(super) results: Receiver<RunResult>,
    pub(super) recorder: Option<TranscriptRecorder>,
    /// Monotonic, in nanoseconds.
    pub(super) start: u64,
    /// The program's end, while its partner does not know of it.
    pub(super) hidden_end: Option<HiddenEnd>,
    /// When the partner learned of the program's end; monotonic, in nanoseconds.
    pub(super) end_seen_at: Option<u64>,
    pub(super) deadlock: Option<Deadlock>,
    pub(super) wait_meter: WaitMeter,
    /// `None` if the partner's own limits suffice, or if it is being ended.
    pub(super) grace: Option<GracePeriod>,
}

/// How long the partner may go on after the program has ended.
///
/// The wall time of the partner is longer than the program's by what the partner may take for itself. On a busy
/// machine, a program that waits for a processor gets more wall time. The partner waits for it meanwhile, and is not
/// to blame.
pub(super) struct GracePeriod {
    /// The longest wall time of the partner, whatever the program does.
    pub(super) wall_time_max: Duration,
    /// Time after the program's end, in nanoseconds.
    time_after_end: u64,
    /// The earliest time to end it; monotonic, in nanoseconds. If it runs then, or waits for a processor, it goes on
    /// until a later check.
    deadline: u64,
    /// The program has ended.
    has_begun: bool,
}

impl GracePeriod {
    /// `None` unless both limits have a wall time.
    pub(super) fn of(job: &JointJob, now: u64) -> Option<Self> {
        let (program, partner) = (job.program.limits.wall_time?, job.partner.limits.wall_time?);
        let own = partner.saturating_sub(program);
        Some(Self {
            wall_time_max: own.saturating_add(program.saturating_mul(BUSY_FACTOR)),
            time_after_end: nanoseconds(own),
            deadline: now.saturating_add(nanoseconds(partner)),
            has_begun: false,
        })
    }

    fn begin(&mut self, now: u64) {
        self.deadline = self.deadline.max(now.saturating_add(self.time_after_end));
        self.has_begun = true;
    }
}

/// The program has ended or closed its output. Its partner may still be busy with its data.
pub(super) struct HiddenEnd {
    /// The latest time to report it if the partner is not seen to run; monotonic, in nanoseconds.
    latest: u64,
    /// Time until the next check, in nanoseconds.
    delay: u64,
    /// The time of the next check; monotonic, in nanoseconds.
    next: u64,
    /// The partner's state at the last check, if it was blocked.
    last_blocked: Option<BlockedProgram>,
}

impl Relay {
    /// Carries data until both runs are over and nothing is left to carry.
    ///
    /// # Errors
    /// If a pipe fails; then the caller must end both runs.
    pub(super) fn run(&mut self) -> io::Result<()> {
        let mut checks = CheckSchedule::new();
        loop {
            let both_over = self.program.result.is_some() && self.partner.result.is_some();
            if both_over && self.program.output.is_none() && self.partner.output.is_none() {
                return Ok(());
            }
            let sleep = checks.time_until_next().filter(|_| !both_over);
            let delay = self.hidden_end.as_ref().map(|end| end.delay);
            let time_of_late_partner = self.end_late_partner();
            let until = delay.or(sleep).into_iter().chain(time_of_late_partner).min();
            let Some([program, partner]) = self.wait(until)? else {
                match delay {
                    Some(_) => self.pass_on_ends()?,
                    None => self.detect_deadlock(&mut checks)?,
                }
                continue;
            };
            let now = self.since_start();
            self.receive_results()?;
            let mut is_moved = false;
            let recorder = &mut self.recorder;
            let mut record = |by: TalkSide, bytes: &[u8]| {
                if let Some(recorder) = recorder {
                    recorder.add(now, by, bytes);
                }
            };
            is_moved |= self.program.carry(program, |bytes| record(TalkSide::Program, bytes))?;
            is_moved |= self.partner.carry(partner, |bytes| record(TalkSide::Partner, bytes))?;
            is_moved |= self.program.drain_output(|bytes| record(TalkSide::Program, bytes))?;
            is_moved |= self.partner.drain_output(|bytes| record(TalkSide::Partner, bytes))?;
            self.pass_on_ends()?;
            for speaker in [&mut self.program, &mut self.partner] {
                if speaker.written > speaker.output_limit {
                    speaker.stop_run(StopReason::Output);
                }
            }
            checks = CheckSchedule::new();
            if is_moved {
                self.wait_meter.note_output(clock::now());
                // Data that goes to the partner after the program's end does not count.
                for speaker in [&mut self.program, &mut self.partner] {
                    speaker.waits_for = speaker.waits_for.filter(|_| speaker.result.is_some());
                }
            }
        }
    }

    /// Sleeps until something can be carried or a run is over; `None` if the time ran out first.
    fn wait(&self, sleep: Option<u64>) -> io::Result<Option<[ReadyEnds; 2]>> {
        let timeout = sleep.map(clock::timespec);
        let [a, b] = self.program.poll_fds(&self.wake_pipe);
        let [c, d] = self.partner.poll_fds(&self.wake_pipe);
        let mut fds = [a, b, c, d, PollFd::new(&self.wake_pipe, PollFlags::IN)];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) => return Ok(None),
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let events = fds.each_ref().map(PollFd::revents);
        let ready = |from: PollFlags, to: PollFlags| ReadyEnds {
            is_output_ready: !from.is_empty(),
            is_input_ready: to.contains(PollFlags::OUT),
            // Linux reports one of these; other systems report the other.
            is_reader_gone: to.intersects(PollFlags::ERR | PollFlags::HUP),
        };
        Ok(Some([ready(events[0], events[1]), ready(events[2], events[3])]))
    }

    /// Lets each program see the end of the other's output. The partner sees the end of the program's output only in
    /// two cases: if it waits for more, or if the program ended well, so that its end makes no difference. The end
    /// stays hidden not much longer than the partner was last seen to run.
    fn pass_on_ends(&mut self) -> io::Result<()> {
        if self.deadlock.is_some() {
            // Both are being ended; neither may react to the end of the other.
            return Ok(());
        }
        if self.partner.is_drained() {
            self.partner.other_input = None;
            self.wait_meter.note_output(clock::now());
        }
        if !self.program.is_drained() {
            self.hidden_end = None;
            return Ok(());
        }
        let now = clock::now();
        let end = self.hidden_end.get_or_insert(HiddenEnd {
            latest: now + HIDDEN_END_MAX,
            delay: CONFIRMATION_DELAY / 2,
            next: now,
            last_blocked: None,
        });
        let is_well = match &self.program.result {
            // It is ending, or has closed its output and goes on. Soon one of the two is seen.
            None => false,
            Some(Ok(finished)) => {
                let outcome = &finished.reply.outcome;
                outcome.ending == Ending::Exited(0)
                    && outcome.stopped_by.is_none()
                    && self.limits.exceeded(outcome).is_none()
            }
            Some(Err(_)) => true,
        };
        let is_due = now >= end.next;
        let mut waits = false;
        if is_due && !is_well {
            let state = self.partner.watch.observe();
            let queue = self.program.input_queue()?;
            if self.program.ended_at.is_none() {
                self.wait_meter.observe(now, &self.program.observe(), &state, queue);
            }
            if state == ProgramState::Running {
                end.latest = now + HIDDEN_END_MAX;
            }
            // A single check may miss a process that was just started.
            let blocked = state.into_blocked();
            let is_proven = blocked.is_some() && blocked == end.last_blocked;
            waits = is_proven && queue.unread == 0;
            if blocked.is_some() && !is_proven {
                end.delay = CONFIRMATION_DELAY / 2;
            }
            end.last_blocked = blocked;
        }
        if self.partner.result.is_some() || is_well || now >= end.latest || waits {
            self.program.other_input = None;
            self.wait_meter.note_output(now);
            self.end_seen_at = self.end_seen_at.or((self.partner.result.is_none()).then_some(now));
            self.hidden_end = None;
        } else if is_due {
            end.delay = (end.delay * 2).min(FIRST_CHECK_DELAY);
            end.next = now + end.delay;
        }
        Ok(())
    }

    /// Ends the partner if its time after the program's end is up. Returns the nanoseconds that are left.
    fn end_late_partner(&mut self) -> Option<u64> {
        let is_over = self.partner.result.is_some();
        let grace = self.grace.as_mut().filter(|grace| grace.has_begun && !is_over)?;
        let now = clock::now();
        if now >= grace.deadline && self.partner.watch.observe() == ProgramState::Running {
            grace.deadline = now + CHECK_INTERVAL_MAX;
        }
        if now < grace.deadline {
            return Some(grace.deadline - now);
        }
        self.grace = None;
        self.partner.stop_run(StopReason::WallTime);
        None
    }

    fn since_start(&self) -> Duration {
        let now = clock::now();
        Duration::from_nanos(now.saturating_sub(self.start))
    }

    /// Ends the other run if its result is no longer needed.
    fn receive_results(&mut self) -> io::Result<()> {
        // The pipe must be read first: results that arrive after that are found below, or wake the next wait.
        let _ = rustix::io::read(&self.wake_pipe, &mut [0; 8]);
        while let Ok(over) = self.results.try_recv() {
            let lets_go_on = match (&over.result, over.side) {
                (Err(_), _) => false,
                (Ok(_), TalkSide::Program) => true,
                (Ok(finished), TalkSide::Partner) => {
                    let outcome = &finished.reply.outcome;
                    outcome.stopped_by.is_none()
                        && outcome.ending == Ending::Exited(self.accept_exit_code)
                }
            };
            let (this, other) = match over.side {
                TalkSide::Program => (&mut self.program, &mut self.partner),
                TalkSide::Partner => (&mut self.partner, &mut self.program),
            };
            this.result = Some(over.result);
            if over.side == TalkSide::Program {
                self.wait_meter.note_program_end();
                self.grace.iter_mut().for_each(|grace| grace.begin(clock::now()));
            }
            let is_fault = this.result.as_ref().is_some_and(Result::is_err);
            // A partner that knew of the end of the output may have ended because of it. So the result of the program
            // takes precedence. A program that is ending reports its result soon.
            let is_awaited = self.end_seen_at.is_some() || other.ended_at.is_some();
            if !lets_go_on && (is_fault || !is_awaited) {
                other.stop_run(StopReason::Dismissed);
            }
            // Another process may hold its input; that does not count.
            other.note_closed_reader()?;
        }
        Ok(())
    }

    /// Checks what both wait for. If both were blocked between two checks, they always will be.
    fn detect_deadlock(&mut self, checks: &mut CheckSchedule) -> io::Result<()> {
        let (program, partner) = (self.program.observe(), self.partner.observe());
        self.wait_meter.observe(clock::now(), &program, &partner, self.program.input_queue()?);
        for (speaker, state) in [(&mut self.program, program), (&mut self.partner, partner)] {
            if state != ProgramState::Unknown {
                speaker.waits_for = state.waits_for();
            }
            let blocked = state.into_blocked();
            checks.is_proven &= blocked.is_some() && blocked == speaker.last_blocked;
            checks.is_likely &= blocked.is_some();
            speaker.last_blocked = blocked;
        }
        if checks.is_proven
            && let (Some(program), Some(partner)) = (self.program.waits_for, self.partner.waits_for)
        {
            self.deadlock = Some(Deadlock { at: self.since_start(), program, partner });
            self.program.stop_run(StopReason::Deadlock);
            self.partner.stop_run(StopReason::Deadlock);
            checks.is_over = true;
        }
        checks.schedule_next();
        Ok(())
    }
}

struct CheckSchedule {
    /// In nanoseconds.
    delay: u64,
    /// Both are blocked at this check, and have not moved since the previous one.
    is_proven: bool,
    is_likely: bool,
    is_over: bool,
}

impl CheckSchedule {
    fn new() -> Self {
        Self { delay: FIRST_CHECK_DELAY, is_proven: true, is_likely: true, is_over: false }
    }

    /// `None` if there is no next check.
    fn time_until_next(&self) -> Option<u64> {
        (!self.is_over).then_some(self.delay)
    }

    fn schedule_next(&mut self) {
        self.delay = if self.is_likely && !self.is_proven {
            CONFIRMATION_DELAY
        } else {
            (self.delay.max(FIRST_CHECK_DELAY) * 2).min(CHECK_INTERVAL_MAX)
        };
        self.is_proven = true;
        self.is_likely = true;
    }
}
