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

use crate::model::joint::{Deadlock, JointJob, Side, Waits};
use crate::model::judgement::JudgeError;
use crate::model::limits::Limits;
use crate::model::outcome::{Ending, StoppedBy};
use crate::sandbox::account::{Account, Queue};
use crate::sandbox::clock::{self, BUSY, nanoseconds};
use crate::sandbox::control::{Cause, StopHandle};
use crate::sandbox::slot::Ran;
use crate::sandbox::transcript::Recorder;
use crate::sandbox::watch::{Seen, Still, Watch};

/// In bytes.
const BUFFER: usize = 64 << 10;

/// Number of reads of an output after its run: enough for the contents of any pipe.
const LAST_READS: usize = 32;

/// Quiet time before the first check, in nanoseconds.
const FIRST_LOOK: u64 = 20_000_000;

/// The longest time between two checks, in nanoseconds.
const RAREST: u64 = 320_000_000;

/// The time between the two checks that together prove a deadlock, in nanoseconds.
const SECOND_LOOK: u64 = 1_000_000;

/// In nanoseconds: how long the end of a program is hidden from a partner that neither runs nor is known to wait.
const PATIENCE: u64 = 1_000_000_000;

/// A slot's thread sends it after its run.
pub(super) struct Over {
    pub(super) side: Side,
    pub(super) result: Result<Ran, JudgeError>,
}

pub(super) struct Speaker {
    /// The judge's end of its standard output; `None` after the end of that output.
    pub(super) from: Option<OwnedFd>,
    /// The judge's end of the other's standard input; `None` after its reader is gone.
    pub(super) to: Option<OwnedFd>,
    /// Data that was read and not yet passed on is `buffer[start..end]`.
    pub(super) buffer: Vec<u8>,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) said: u64,
    pub(super) most: u64,
    passed: u64,
    pub(super) unread: u64,
    /// When its output ended; monotonic, in nanoseconds.
    pub(super) closed: Option<u64>,
    /// When it was found to be ending; monotonic, in nanoseconds. The other learns of it only after that.
    pub(super) ended: Option<u64>,
    pub(super) stop_handle: StopHandle,
    pub(super) watch: Box<dyn Watch>,
    pub(super) over: Option<Result<Ran, JudgeError>>,
    /// How many more reads its output gets after its run.
    last_reads: usize,
    /// Its state at the last check, if it was blocked.
    still: Option<Still>,
    /// What it waited for at the last check, if no data flowed since.
    pub(super) waits: Option<Waits>,
}

#[derive(Clone, Copy, Default)]
struct Ready {
    from: bool,
    to: bool,
    gone: bool,
}

impl Speaker {
    pub(super) fn new(
        from: OwnedFd,
        to: OwnedFd,
        most: Option<u64>,
        stop_handle: StopHandle,
        watch: Box<dyn Watch>,
    ) -> Self {
        Self {
            from: Some(from),
            to: Some(to),
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            said: 0,
            most: most.unwrap_or(u64::MAX),
            passed: 0,
            unread: 0,
            closed: None,
            ended: None,
            stop_handle,
            watch,
            over: None,
            last_reads: LAST_READS,
            still: None,
            waits: None,
        }
    }

    /// Only the first reason counts.
    fn end(&mut self, by: StoppedBy) {
        self.stop_handle.end(Cause::Limit(by));
        self.most = u64::MAX;
    }

    /// Nothing is known after its run.
    fn look(&self) -> Seen {
        match self.over {
            Some(_) => Seen::Nothing,
            None => self.watch.look(),
        }
    }

    fn queue(&self) -> io::Result<Queue> {
        let unread = self.to.as_ref().map_or(Ok(0), rustix::io::ioctl_fionread)?;
        Ok(Queue { unread, passed: self.passed })
    }

    fn holds_something(&self) -> bool {
        self.start < self.end
    }

    /// Waits for only one end at a time: for data, or for room to write.
    fn interest<'a>(&'a self, instead: &'a OwnedFd) -> [PollFd<'a>; 2] {
        let from = self.from.as_ref().filter(|_| !self.holds_something());
        let out = if self.holds_something() { PollFlags::OUT } else { PollFlags::empty() };
        [
            match from {
                Some(pipe) => PollFd::new(pipe, PollFlags::IN),
                None => PollFd::new(instead, PollFlags::empty()),
            },
            match &self.to {
                // The kernel always reports that the reader is gone.
                Some(pipe) => PollFd::new(pipe, out),
                None => PollFd::new(instead, PollFlags::empty()),
            },
        ]
    }

    fn carry(&mut self, ready: Ready, record: impl FnOnce(&[u8])) -> io::Result<bool> {
        let mut is_moved = false;
        if ready.gone {
            self.reader_is_gone()?;
        } else if ready.to {
            is_moved |= self.write()?;
        }
        if ready.from && !self.holds_something() {
            is_moved |= self.read(record)?;
            self.write()?;
        }
        Ok(is_moved)
    }

    /// Reads what it left in its pipe after its run. Without isolation, a process that it started may still hold the
    /// pipe, and even write to it.
    fn read_the_rest(&mut self, mut record: impl FnMut(&[u8])) -> io::Result<bool> {
        let mut is_moved = false;
        while self.over.is_some() && self.from.is_some() && !self.holds_something() {
            let has_more = self.last_reads > 0 && self.read(&mut record)?;
            self.last_reads = self.last_reads.saturating_sub(1);
            if !has_more && self.from.take().is_some() {
                self.closed = Some(clock::now());
            }
            is_moved |= has_more;
            self.write()?;
        }
        Ok(is_moved)
    }

    /// All its data is passed on; only its end is left to report.
    fn is_at_its_end(&self) -> bool {
        self.from.is_none() && !self.holds_something() && self.to.is_some()
    }

    fn read(&mut self, record: impl FnOnce(&[u8])) -> io::Result<bool> {
        let Some(from) = &self.from else { return Ok(false) };
        match rustix::io::read(from, &mut self.buffer) {
            Ok(0) => {
                self.from = None;
                self.closed = Some(clock::now());
                self.ended = self.closed.filter(|_| self.watch.is_ending());
                Ok(false)
            }
            Ok(length) => {
                (self.start, self.end) = (0, length);
                self.said += length as u64;
                record(&self.buffer[..length]);
                Ok(true)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    fn write(&mut self) -> io::Result<bool> {
        let Some(to) = &self.to else {
            self.reader_is_gone()?;
            return Ok(false);
        };
        if !self.holds_something() {
            return Ok(false);
        }
        match rustix::io::write(to, &self.buffer[self.start..self.end]) {
            Ok(length) => {
                self.start += length;
                self.passed += length as u64;
                Ok(true)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(false),
            Err(Errno::PIPE) => {
                self.reader_is_gone()?;
                Ok(false)
            }
            Err(errno) => Err(errno.into()),
        }
    }

    fn reader_is_gone(&mut self) -> io::Result<()> {
        if let Some(to) = self.to.take() {
            // The contents of the pipe were never read.
            self.unread += rustix::io::ioctl_fionread(&to)?;
        }
        self.unread += (self.end - self.start) as u64;
        self.start = self.end;
        Ok(())
    }
}

pub(super) struct Relay {
    pub(super) program: Speaker,
    pub(super) partner: Speaker,
    pub(super) limits: Limits,
    /// With this exit code of the partner, the program may go on.
    pub(super) accept_exit_code: i32,
    pub(super) bell: OwnedFd,
    pub(super) over: Receiver<Over>,
    pub(super) recorder: Option<Recorder>,
    /// Monotonic, in nanoseconds.
    pub(super) start: u64,
    /// The program's end, while its partner does not know of it.
    pub(super) end: Option<UntoldEnd>,
    /// When the partner learned of the program's end; monotonic, in nanoseconds.
    pub(super) told: Option<u64>,
    pub(super) deadlock: Option<Deadlock>,
    pub(super) account: Account,
    /// `None` if the partner's own limits suffice, or if it is being ended.
    pub(super) grace: Option<Grace>,
}

/// How long the partner may go on after the program has ended.
///
/// The wall time of the partner is longer than the program's by what the partner may take for itself. On a busy
/// machine, a program that waits for a processor gets more wall time. The partner waits for it meanwhile, and is not
/// to blame.
pub(super) struct Grace {
    /// The longest wall time of the partner, whatever the program does.
    pub(super) most: Duration,
    /// Time after the program's end, in nanoseconds.
    own: u64,
    /// The earliest time to end it; monotonic, in nanoseconds. If it runs then, or waits for a processor, it goes on
    /// until a later check.
    until: u64,
    /// The program has ended.
    counts: bool,
}

impl Grace {
    /// `None` unless both limits have a wall time.
    pub(super) fn of(job: &JointJob, now: u64) -> Option<Self> {
        let (program, partner) = (job.program.limits.wall_time?, job.partner.limits.wall_time?);
        let own = partner.saturating_sub(program);
        Some(Self {
            most: own.saturating_add(program.saturating_mul(BUSY)),
            own: nanoseconds(own),
            until: now.saturating_add(nanoseconds(partner)),
            counts: false,
        })
    }

    fn begin(&mut self, now: u64) {
        self.until = self.until.max(now.saturating_add(self.own));
        self.counts = true;
    }
}

/// The program has ended or closed its output. Its partner may still be busy with its data.
pub(super) struct UntoldEnd {
    /// The latest time to report it if the partner is not seen to run; monotonic, in nanoseconds.
    latest: u64,
    /// Time until the next check, in nanoseconds.
    delay: u64,
    /// The time of the next check; monotonic, in nanoseconds.
    next: u64,
    /// The partner's state at the last check, if it was blocked.
    still: Option<Still>,
}

impl Relay {
    /// Carries data until both runs are over and nothing is left to carry.
    ///
    /// # Errors
    /// If a pipe fails; then the caller must end both runs.
    pub(super) fn run(&mut self) -> io::Result<()> {
        let mut looks = Looks::new();
        loop {
            let both_over = self.program.over.is_some() && self.partner.over.is_some();
            if both_over && self.program.from.is_none() && self.partner.from.is_none() {
                return Ok(());
            }
            let sleep = looks.sleep().filter(|_| !both_over);
            let delay = self.end.as_ref().map(|end| end.delay);
            let left = self.end_late();
            let until = delay.or(sleep).into_iter().chain(left).min();
            let Some([program, partner]) = self.wait(until)? else {
                match delay {
                    Some(_) => self.tell_end()?,
                    None => self.look(&mut looks)?,
                }
                continue;
            };
            let now = self.since_start();
            self.hear_what_is_over()?;
            let mut is_moved = false;
            let recorder = &mut self.recorder;
            let mut record = |by: Side, bytes: &[u8]| {
                if let Some(recorder) = recorder {
                    recorder.add(now, by, bytes);
                }
            };
            is_moved |= self.program.carry(program, |bytes| record(Side::Program, bytes))?;
            is_moved |= self.partner.carry(partner, |bytes| record(Side::Partner, bytes))?;
            is_moved |= self.program.read_the_rest(|bytes| record(Side::Program, bytes))?;
            is_moved |= self.partner.read_the_rest(|bytes| record(Side::Partner, bytes))?;
            self.tell_end()?;
            for speaker in [&mut self.program, &mut self.partner] {
                if speaker.said > speaker.most {
                    speaker.end(StoppedBy::Output);
                }
            }
            looks = Looks::new();
            if is_moved {
                self.account.words(clock::now());
                // Data that goes to the partner after the program's end does not count.
                for speaker in [&mut self.program, &mut self.partner] {
                    speaker.waits = speaker.waits.filter(|_| speaker.over.is_some());
                }
            }
        }
    }

    /// Sleeps until something can be carried or a run is over; `None` if the time ran out first.
    fn wait(&self, sleep: Option<u64>) -> io::Result<Option<[Ready; 2]>> {
        let timeout = sleep.map(clock::timespec);
        let [a, b] = self.program.interest(&self.bell);
        let [c, d] = self.partner.interest(&self.bell);
        let mut fds = [a, b, c, d, PollFd::new(&self.bell, PollFlags::IN)];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(0) => return Ok(None),
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let events = fds.each_ref().map(PollFd::revents);
        let ready = |from: PollFlags, to: PollFlags| Ready {
            from: !from.is_empty(),
            to: to.contains(PollFlags::OUT),
            // Linux reports one of these; other systems report the other.
            gone: to.intersects(PollFlags::ERR | PollFlags::HUP),
        };
        Ok(Some([ready(events[0], events[1]), ready(events[2], events[3])]))
    }

    /// Lets each program see the end of the other's output. The partner sees the end of the program's output only in
    /// two cases: if it waits for more, or if the program ended well, so that its end makes no difference. The end
    /// stays hidden not much longer than the partner was last seen to run.
    fn tell_end(&mut self) -> io::Result<()> {
        if self.deadlock.is_some() {
            // Both are being ended; neither may react to the end of the other.
            return Ok(());
        }
        if self.partner.is_at_its_end() {
            self.partner.to = None;
            self.account.words(clock::now());
        }
        if !self.program.is_at_its_end() {
            self.end = None;
            return Ok(());
        }
        let now = clock::now();
        let end = self.end.get_or_insert(UntoldEnd {
            latest: now + PATIENCE,
            delay: SECOND_LOOK / 2,
            next: now,
            still: None,
        });
        let is_well = match &self.program.over {
            // It is ending, or has closed its output and goes on. Soon one of the two is seen.
            None => false,
            Some(Ok(ran)) => {
                let outcome = &ran.reply.outcome;
                outcome.ending == Ending::Exited(0)
                    && outcome.stopped_by.is_none()
                    && self.limits.exceeded(outcome).is_none()
            }
            Some(Err(_)) => true,
        };
        let is_due = now >= end.next;
        let mut waits = false;
        if is_due && !is_well {
            let seen = self.partner.watch.look();
            let queue = self.program.queue()?;
            if self.program.ended.is_none() {
                self.account.look(now, &self.program.look(), &seen, queue);
            }
            if seen == Seen::Running {
                end.latest = now + PATIENCE;
            }
            // A single check may miss a process that was just started.
            let still = if let Seen::Still(still) = seen { Some(still) } else { None };
            let is_proven = still.is_some() && still == end.still;
            waits = is_proven && queue.unread == 0;
            if still.is_some() && !is_proven {
                end.delay = SECOND_LOOK / 2;
            }
            end.still = still;
        }
        if self.partner.over.is_some() || is_well || now >= end.latest || waits {
            self.program.to = None;
            self.account.words(now);
            self.told = self.told.or((self.partner.over.is_none()).then_some(now));
            self.end = None;
        } else if is_due {
            end.delay = (end.delay * 2).min(FIRST_LOOK);
            end.next = now + end.delay;
        }
        Ok(())
    }

    /// Ends the partner if its time after the program's end is up. Returns the nanoseconds that are left.
    fn end_late(&mut self) -> Option<u64> {
        let is_over = self.partner.over.is_some();
        let grace = self.grace.as_mut().filter(|grace| grace.counts && !is_over)?;
        let now = clock::now();
        if now >= grace.until && self.partner.watch.look() == Seen::Running {
            grace.until = now + RAREST;
        }
        if now < grace.until {
            return Some(grace.until - now);
        }
        self.grace = None;
        self.partner.end(StoppedBy::WallTime);
        None
    }

    fn since_start(&self) -> Duration {
        let now = clock::now();
        Duration::from_nanos(now.saturating_sub(self.start))
    }

    /// Ends the other run if its result is no longer needed.
    fn hear_what_is_over(&mut self) -> io::Result<()> {
        // The pipe must be read first: results that arrive after that are found below, or wake the next wait.
        let _ = rustix::io::read(&self.bell, &mut [0; 8]);
        while let Ok(over) = self.over.try_recv() {
            let lets_go_on = match (&over.result, over.side) {
                (Err(_), _) => false,
                (Ok(_), Side::Program) => true,
                (Ok(ran), Side::Partner) => {
                    let outcome = &ran.reply.outcome;
                    outcome.stopped_by.is_none()
                        && outcome.ending == Ending::Exited(self.accept_exit_code)
                }
            };
            let (this, other) = match over.side {
                Side::Program => (&mut self.program, &mut self.partner),
                Side::Partner => (&mut self.partner, &mut self.program),
            };
            this.over = Some(over.result);
            if over.side == Side::Program {
                self.account.close();
                self.grace.iter_mut().for_each(|grace| grace.begin(clock::now()));
            }
            let is_fault = this.over.as_ref().is_some_and(Result::is_err);
            // A partner that knew of the end of the output may have ended because of it. So the result of the program
            // takes precedence. A program that is ending reports its result soon.
            let is_awaited = self.told.is_some() || other.ended.is_some();
            if !lets_go_on && (is_fault || !is_awaited) {
                other.end(StoppedBy::Dismissed);
            }
            // Another process may hold its input; that does not count.
            other.reader_is_gone()?;
        }
        Ok(())
    }

    /// Checks what both wait for. If both were blocked between two checks, they always will be.
    fn look(&mut self, looks: &mut Looks) -> io::Result<()> {
        let (program, partner) = (self.program.look(), self.partner.look());
        self.account.look(clock::now(), &program, &partner, self.program.queue()?);
        for (speaker, seen) in [(&mut self.program, program), (&mut self.partner, partner)] {
            if seen != Seen::Nothing {
                speaker.waits = seen.waits();
            }
            let still = if let Seen::Still(still) = seen { Some(still) } else { None };
            looks.is_proven &= still.is_some() && still == speaker.still;
            looks.is_likely &= still.is_some();
            speaker.still = still;
        }
        if looks.is_proven
            && let (Some(program), Some(partner)) = (self.program.waits, self.partner.waits)
        {
            self.deadlock = Some(Deadlock { at: self.since_start(), program, partner });
            self.program.end(StoppedBy::Deadlock);
            self.partner.end(StoppedBy::Deadlock);
            looks.is_over = true;
        }
        looks.next();
        Ok(())
    }
}

struct Looks {
    /// In nanoseconds.
    delay: u64,
    /// Both are blocked at this check, and have not moved since the previous one.
    is_proven: bool,
    is_likely: bool,
    is_over: bool,
}

impl Looks {
    fn new() -> Self {
        Self { delay: FIRST_LOOK, is_proven: true, is_likely: true, is_over: false }
    }

    /// `None` if there is no next check.
    fn sleep(&self) -> Option<u64> {
        (!self.is_over).then_some(self.delay)
    }

    fn next(&mut self) {
        self.delay = if self.is_likely && !self.is_proven {
            SECOND_LOOK
        } else {
            (self.delay.max(FIRST_LOOK) * 2).min(RAREST)
        };
        self.is_proven = true;
        self.is_likely = true;
    }
}
