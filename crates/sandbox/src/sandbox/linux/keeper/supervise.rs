//! Supervises a run: sleeps until it ends, until a limit may be reached, or until the judge sends a message.
//!
//! The CPU counter is read again when the program could have used up the rest of its time, if it ran on all cores. The
//! nearer the limit, the shorter the sleep. Only what the kernel does not count is checked at intervals
//! ([`CHECK_INTERVAL`]): the size of the output, and of a box on disk; pipes; without control groups, all processes.

use std::ops::ControlFlow::{self, Break, Continue};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use rustix::event::{PollFd, PollFlags, poll};

use crate::sandbox::clock::{BUSY_FACTOR, nanoseconds, timespec};
use crate::sandbox::control::{RUN_STEP, StopCause};
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::cgroup::{
    MemoryPeak, MemoryRoom, OUTPUT_WINDOW, SLACK, SlotGroups, UsageBaseline,
};
use crate::sandbox::linux::keeper::notifications::Notifications;
use crate::sandbox::linux::keeper::outputs::{OutputFiles, OutputSize};
use crate::sandbox::linux::keeper::pipes;
use crate::sandbox::linux::keeper::procfs::{MachineProc, ProcessTreeUsage};
use crate::sandbox::linux::run::child::{ENDED, RunReport, STARTED};
use crate::sandbox::linux::sys::{self, Errno, Usage};
use crate::sandbox::linux::view::boxes::RunBoxes;
use crate::sandbox::linux::view::landlock;
use crate::sandbox::linux::wire::{self, SlotRequest};
use juror_core::limits::Limits;
use juror_core::outcome::StopReason;

/// The shortest sleep between two readings of the CPU counter, in nanoseconds. The counter itself is only as exact as
/// the kernel's tick.
const SLEEP_MIN: u64 = 1_000_000;
/// The longest sleep after memory ran short, if nothing was killed at once; in nanoseconds.
const ALARM_SLEEP_MAX: u64 = 64_000_000;

/// Outputs grow by at most this many bytes in a nanosecond, as far as is known: they are copied.
pub(crate) const OUTPUT_GROWTH_MAX: u64 = 4;

/// The same for other memory: a core clears huge pages at 9. It matters only if outputs hold what they can give up.
const MEMORY_GROWTH_MAX: u64 = 16;

/// The shortest time between two checks of what the kernel does not count, in nanoseconds.
pub(crate) const CHECK_INTERVAL: u64 = 15_000_000;

pub(crate) struct RunningPid1<'a> {
    pub(crate) pid: i32,
    pub(crate) pidfd: BorrowedFd<'a>,
    /// Becomes readable if the run is over and only this process is left; `None` if its end signals that.
    pub(crate) over_event: Option<BorrowedFd<'a>>,
    /// The slot's own CPU time at its start, in nanoseconds.
    pub(crate) slot_cpu: u64,
}

/// All of its processes are gone, except PID 1 if `pid1_stays`.
pub(crate) struct StoppedRun {
    /// PID 1 still exists, and does nothing.
    pub(crate) pid1_stays: bool,
    /// The status from `wait4`.
    pub(crate) status: i32,
    /// `None` if the run ended by itself.
    pub(crate) cause: Option<StopCause>,
    /// PID 1 reported the end of the program.
    pub(crate) ended_by_itself: bool,
    pub(crate) never_started: bool,
    /// In nanoseconds.
    pub(crate) wall: u64,
    /// The part of `wall` in which others had the processor, in nanoseconds; 0 if the wall time was not up.
    pub(crate) queued: u64,
    pub(crate) baseline: UsageBaseline,
    pub(crate) peak: MemoryPeak,
    /// See [`Supervisor::stack`].
    pub(crate) stack: u64,
    pub(crate) is_output_beyond: bool,
    /// The memory that holds the outputs, in bytes.
    pub(crate) output_memory: u64,
    /// CPU time is from the control group, if one counts, otherwise from `wait4`; memory is always from the latter.
    pub(crate) usage: Usage,
}

pub(crate) struct Supervisor<'a> {
    pub(crate) socket: &'a OwnedFd,
    pub(crate) group: &'a dyn SlotGroups,
    pub(crate) report: &'a RunReport,
    pub(crate) run: u64,
    pub(crate) limits: &'a Limits,
    pub(crate) proc: &'a MachineProc,
    /// The time that the program was seen to wait for a processor, in nanoseconds.
    pub(crate) queued: u64,
    pub(crate) cores: u64,
    pub(crate) kill_scope: KillScope<'a>,
    pub(crate) outputs: &'a OutputFiles,
    /// Memory without the outputs, up to the last reading.
    pub(crate) peak: MemoryPeak,
    /// The program's stack at the last look, in bytes.
    pub(crate) stack: u64,
    /// What the program could still allocate then, in bytes.
    pub(crate) room_at_last_look: u64,
    /// Time of the next check of the outputs; monotonic, in nanoseconds.
    pub(crate) next_output_check: u64,
    /// Time of the next search of a box on disk; monotonic, in nanoseconds.
    pub(crate) next_search: u64,
    /// Before this time, the program has no visible processes; monotonic, in nanoseconds.
    pub(crate) first_measurement: u64,
    pub(crate) notifications: Option<&'a mut Notifications>,
    /// Time of the next check of the run's pipes, if they are checked; monotonic, in nanoseconds.
    pub(crate) next_pipe_check: Option<u64>,
    /// Measures the processes in `/proc`, if no control group counts.
    pub(crate) process_tree: Option<ProcessTreeUsage>,
}

#[derive(Clone, Copy)]
pub(crate) enum KillScope<'a> {
    Pid1,
    /// By the slot, which kills everything that it may signal. The box is on disk, where only searches keep it small.
    Domain {
        boxes: &'a RunBoxes,
        /// In bytes.
        size: u64,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RunState {
    Pid1Gone,
    Pid1Reported,
    MustEnd(StopCause),
    JudgeGone,
}

impl Supervisor<'_> {
    /// Returns only after all of its processes are gone, whatever happens.
    pub(crate) fn supervise(mut self, running: &RunningPid1<'_>) -> Result<StoppedRun, Fault> {
        let mut watched = self.wait_for_end(running);
        if watched == Ok(RunState::Pid1Reported) {
            let usage = Usage {
                cpu: self.report.used_cpu.load(Relaxed),
                memory: self.report.used_memory.load(Relaxed),
            };
            match self.build_stopped_run(running, usage, None, None) {
                Ok(stopped) => return Ok(StoppedRun { pid1_stays: true, ..stopped }),
                Err(fault) => watched = Err(fault),
            }
        }
        let mut cause = None;
        let mut ended_at = None;
        match watched {
            Ok(RunState::Pid1Gone | RunState::Pid1Reported) => {}
            Ok(RunState::MustEnd(reason)) => {
                cause = Some(reason);
                let now = sys::clock(libc::CLOCK_MONOTONIC);
                ended_at = Some(now);
                if let Some(tree) = &mut self.process_tree {
                    // After PID 1 is killed, the rest is charged to no group.
                    let memory = self.limits.memory.map(|limit| limit.0);
                    tree.measure(running.pid, now + CHECK_INTERVAL, memory);
                }
                self.kill_run(running);
            }
            Ok(RunState::JudgeGone) | Err(_) => self.kill_run(running),
        }
        let ended = sys::wait(running.pid).step("wait for PID 1");
        let swept = match self.kill_scope {
            KillScope::Pid1 => Usage::default(),
            KillScope::Domain { .. } => landlock::kill_domain(),
        };
        if watched? == RunState::JudgeGone {
            return Err(Fault::new("run the program", "the judge is gone"));
        }
        let mut usage = ended?.usage;
        usage.cpu += swept.cpu;
        usage.memory = usage.memory.max(swept.memory);
        self.build_stopped_run(running, usage, cause, ended_at)
    }

    fn wait_for_end(&mut self, running: &RunningPid1<'_>) -> Result<RunState, Fault> {
        let alarm = self.group.memory_alarm().map(AsFd::as_fd);
        // The longest sleep since the last alarm.
        let mut soon: Option<u64> = None;
        loop {
            let mut sleep = match self.next_check(running)? {
                Continue(sleep) => sleep,
                Break(by) => return Ok(RunState::MustEnd(StopCause::Limit(by))),
            };
            if let Some(pause) = soon {
                if self.group.has_killed()? {
                    return Ok(RunState::MustEnd(StopCause::Limit(StopReason::Memory)));
                }
                // The kernel first notifies and then kills, unless memory becomes free in between.
                sleep = Some(sleep.map_or(pause, |sleep| sleep.min(pause)));
                soon = Some((pause * 2).min(ALARM_SLEEP_MAX));
            }
            let [gone, speaks, rings, reported] = self.sleep(running, alarm, sleep)?;
            if running.over_event.is_some() && reported {
                return Ok(RunState::Pid1Reported);
            }
            if gone {
                return Ok(RunState::Pid1Gone);
            }
            if let Some(bell) = alarm.filter(|_| rings) {
                soon = Some(SLEEP_MIN);
                let _ = rustix::io::read(bell, &mut [0; 8]);
            }
            if speaks && let Some(over) = self.read_message() {
                return Ok(over);
            }
        }
    }

    /// Sleeps at most this many nanoseconds, until one of four events: PID 1 is gone, the judge sends a message,
    /// memory is short, or the first process reports. Returns which of them happened. Answers calls meanwhile.
    fn sleep(
        &mut self,
        running: &RunningPid1<'_>,
        bell: Option<BorrowedFd<'_>>,
        most: Option<u64>,
    ) -> Result<[bool; 4], Fault> {
        let until = most.map(|most| sys::clock(libc::CLOCK_MONOTONIC).saturating_add(most));
        loop {
            let remaining = until.map(|end| end.saturating_sub(sys::clock(libc::CLOCK_MONOTONIC)));
            let timeout = remaining.map(timespec);
            let asked = self.notifications.as_ref().map(|notifications| notifications.listener());
            let mut fds = [
                PollFd::new(&running.pidfd, PollFlags::IN),
                PollFd::new(self.socket, PollFlags::IN),
                PollFd::from_borrowed_fd(bell.unwrap_or(self.socket.as_fd()), PollFlags::IN),
                PollFd::from_borrowed_fd(
                    running.over_event.unwrap_or(running.pidfd),
                    PollFlags::IN,
                ),
                PollFd::from_borrowed_fd(asked.unwrap_or(running.pidfd), PollFlags::IN),
            ];
            match poll(&mut fds, timeout.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(errno).step("watch the run"),
            }
            let happened = fds.each_ref().map(|fd| !fd.revents().is_empty());
            let [gone, speaks, rings, reported, asks] = happened;
            if let Some(notifications) = self.notifications.as_mut().filter(|_| asks)
                && notifications.answer_call(self.outputs)
            {
                // The kernel's limit must follow soon.
                let soon = sys::clock(libc::CLOCK_MONOTONIC) + SLEEP_MIN;
                self.next_output_check = self.next_output_check.min(soon);
                return Ok([gone, speaks, rings, reported]);
            }
            if !asks || gone || speaks || rings || reported || remaining == Some(0) {
                return Ok([gone, speaks, rings, reported]);
            }
        }
    }

    fn read_message(&self) -> Option<RunState> {
        // During a run, the only message is the short request to end it.
        let mut buffer = [0; 64];
        match wire::receive::<SlotRequest>(self.socket, &mut buffer) {
            Ok(Some((SlotRequest::EndRun { run, cause }, _))) => {
                (run == self.run).then_some(RunState::MustEnd(cause))
            }
            _ => Some(RunState::JudgeGone),
        }
    }

    /// The longest permitted sleep in nanoseconds, or why the run ends now.
    fn next_check(
        &mut self,
        running: &RunningPid1<'_>,
    ) -> Result<ControlFlow<StopReason, Option<u64>>, Fault> {
        let has_started = self.report.phase.load(Acquire) >= STARTED;
        let now = sys::clock(libc::CLOCK_MONOTONIC);
        let mut next: Option<u64> = None;
        let sooner = |next: &mut Option<u64>, time: u64| {
            *next = Some(next.map_or(time, |next| next.min(time)));
        };
        let started = if has_started { self.report.started.load(Relaxed) } else { now };
        let used = now.saturating_sub(started);
        if let Some(deadline) = self.limits.deadline.map(nanoseconds) {
            if used >= deadline {
                return Ok(Break(StopReason::WallTime));
            }
            sooner(&mut next, deadline - used);
        }
        if let Some(limit) = self.limits.wall_time.map(nanoseconds) {
            // A busy machine is not the program's fault. But if nothing measures its CPU time exactly, it could make
            // itself busy.
            if used >= limit
                && let Some(cpu) = self.group.cpu_since(&self.baseline(running))?
            {
                self.queued = self.queued.max(self.proc.queued_time(running.pid, cpu)).min(used);
            }
            let own = used - self.queued;
            if own >= limit || used >= limit.saturating_mul(BUSY_FACTOR.into()) {
                return Ok(Break(StopReason::WallTime));
            }
            sooner(&mut next, limit - own);
        }
        if has_started && now >= self.next_output_check {
            let outputs = self.look_at_outputs()?;
            if self.is_output_beyond(outputs) {
                return Ok(Break(StopReason::Output));
            }
            // Rarer in longer runs: each check takes a part of the program's own processor.
            let mut pause = CHECK_INTERVAL.max(used / 4);
            match self.group.adapt_limit(self.limits, outputs.memory)? {
                MemoryRoom::Unlimited => {}
                MemoryRoom::Bytes(room) => {
                    self.look_at_stack(running.pid, room);
                    let is_small = outputs.memory <= SLACK;
                    let growth = if is_small { OUTPUT_GROWTH_MAX } else { MEMORY_GROWTH_MAX };
                    pause = pause.min((room / growth).max(SLEEP_MIN));
                }
                MemoryRoom::Exceeded => return Ok(Break(StopReason::Memory)),
            }
            self.check_machine_has_memory(outputs)?;
            self.next_output_check = now + pause;
        }
        sooner(&mut next, self.next_output_check.saturating_sub(now).max(SLEEP_MIN));
        if let KillScope::Domain { boxes, size } = self.kill_scope {
            if has_started && now >= self.next_search {
                if landlock::run_disk_usage(boxes) > size {
                    return Ok(Break(StopReason::Output));
                }
                // Longer searches are rarer: they use the program's own processor.
                let took = sys::clock(libc::CLOCK_MONOTONIC).saturating_sub(now);
                self.next_search = now + CHECK_INTERVAL.max(took.saturating_mul(10));
            }
            sooner(&mut next, self.next_search.saturating_sub(now).max(SLEEP_MIN));
        }
        if let Some(time) = &mut self.next_pipe_check {
            if now >= *time {
                if pipes::end_run_with_too_many(running.pid)
                    && let Some(notifications) = &mut self.notifications
                {
                    notifications.note_kill();
                }
                let took = sys::clock(libc::CLOCK_MONOTONIC).saturating_sub(now);
                *time = now + CHECK_INTERVAL.max(took.saturating_mul(10));
            }
            sooner(&mut next, time.saturating_sub(now).max(SLEEP_MIN));
        }
        if let Some(tree) = &mut self.process_tree {
            let memory = self.limits.memory.map(|limit| limit.0);
            if now >= self.first_measurement {
                let until = next.map_or(u64::MAX, |time| now.saturating_add(time));
                tree.measure(running.pid, until, memory);
            }
            if self.limits.cpu_time.is_some() || memory.is_some() {
                sooner(&mut next, CHECK_INTERVAL);
            }
            let room = memory.map(|limit| limit.checked_sub(tree.memory_now()));
            if let Some(room) = room.filter(|_| has_started) {
                self.look_at_stack(running.pid, room.unwrap_or(0));
                if room.is_none() {
                    return Ok(Break(StopReason::Memory));
                }
            }
        }
        if let Some(limit) = self.limits.cpu_time.map(nanoseconds) {
            let used = if has_started { self.cpu(running)? } else { 0 };
            if used >= limit {
                return Ok(Break(StopReason::CpuTime));
            }
            sooner(&mut next, ((limit - used) / self.cores).max(SLEEP_MIN));
        }
        Ok(Continue(next))
    }

    /// Endless recursion fills memory with the stack. Each look needs half the room of the last one, so they are few.
    fn look_at_stack(&mut self, pid1: i32, room: u64) {
        if room < self.room_at_last_look / 2 {
            self.room_at_last_look = room;
            self.stack = self.proc.largest_stack(pid1);
        }
    }

    fn look_at_outputs(&mut self) -> Result<OutputSize, Fault> {
        // In this order: the files may grow in between.
        let peak = self.group.peak()?;
        let size = self.outputs.size();
        self.peak.record(peak.unwrap_or(0), size.memory);
        Ok(size)
    }

    fn is_output_beyond(&self, size: OutputSize) -> bool {
        self.limits.output.is_some_and(|limit| size.length > limit.0)
    }

    /// Outputs are in memory, and the slots do not know of each other.
    fn check_machine_has_memory(&self, outputs: OutputSize) -> Result<(), Fault> {
        if outputs.memory <= OUTPUT_WINDOW || self.proc.has_memory_for_outputs() {
            return Ok(());
        }
        Err(Fault {
            reason:
                "ENOMEM: the outputs of programs fill the memory of the machine; use fewer slots \
                     or a lower output limit"
                    .to_owned(),
            ..Fault::from_errno(RUN_STEP, Errno(libc::ENOMEM))
        })
    }

    fn kill_run(&self, running: &RunningPid1<'_>) {
        match self.kill_scope {
            // PID 1 kills all others when it ends. It is killed last, since it may take the processor from this
            // process at once. That it may see the others end no longer matters.
            KillScope::Pid1 => {
                self.group.kill();
                let _ = sys::pidfd_kill(running.pidfd, libc::SIGKILL);
            }
            KillScope::Domain { .. } => {
                let _ = sys::kill(-1, libc::SIGKILL);
            }
        }
    }

    /// In nanoseconds.
    fn cpu(&self, running: &RunningPid1<'_>) -> Result<u64, Fault> {
        let counted = self.group.cpu_since(&self.baseline(running))?;
        let measured = || {
            let own = self.report.own_cpu.load(Relaxed);
            self.process_tree.as_ref().map_or(0, |tree| tree.cpu().saturating_sub(own))
        };
        Ok(counted.unwrap_or_else(measured))
    }

    fn baseline(&self, running: &RunningPid1<'_>) -> UsageBaseline {
        UsageBaseline {
            cpu: self.report.base_cpu.load(Relaxed),
            memory: self.report.base_memory.load(Relaxed),
            slot_cpu: running.slot_cpu,
        }
    }

    /// Call it when all processes of the run are gone.
    fn build_stopped_run(
        &mut self,
        running: &RunningPid1<'_>,
        usage: Usage,
        cause: Option<StopCause>,
        ended_at: Option<u64>,
    ) -> Result<StoppedRun, Fault> {
        let report = self.report;
        let phase = report.phase.load(Acquire);
        let started = report.started.load(Relaxed);
        let ended = ended_at.unwrap_or_else(|| report.ended.load(Relaxed));
        let status = if phase == ENDED && cause.is_none() {
            report.status.load(Relaxed)
        } else {
            libc::SIGKILL
        };
        let own = report.own_cpu.load(Relaxed);
        let mut usage = Usage { cpu: usage.cpu.saturating_sub(own), ..usage };
        if let Some(tree) = &self.process_tree {
            usage.cpu = usage.cpu.max(tree.cpu().saturating_sub(own));
            usage.memory = tree.peak(usage.memory);
        }
        // Read at once: the counter contains more of the slot's own time with every moment.
        usage.cpu = self.group.cpu_since(&self.baseline(running))?.unwrap_or(usage.cpu);
        let outputs = self.look_at_outputs()?;
        Ok(StoppedRun {
            pid1_stays: false,
            status,
            cause,
            ended_by_itself: phase == ENDED,
            never_started: started == 0,
            wall: if started == 0 { 0 } else { ended.saturating_sub(started) },
            queued: self.queued,
            baseline: self.baseline(running),
            is_output_beyond: self.is_output_beyond(outputs),
            output_memory: outputs.memory,
            peak: self.peak,
            stack: self.stack,
            usage,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::event::{EventfdFlags, eventfd};
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    use super::*;

    /// Memory ran short in this group. It kills only after it was asked this often.
    struct ShortGroup {
        alarm_event: OwnedFd,
        asked: Cell<u32>,
        kills_after: u32,
        is_readable: bool,
    }

    impl SlotGroups for ShortGroup {
        fn memory_alarm(&self) -> Option<&OwnedFd> {
            Some(&self.alarm_event)
        }

        fn has_killed(&self) -> Result<bool, Fault> {
            self.asked.set(self.asked.get() + 1);
            Ok(self.asked.get() > self.kills_after)
        }

        fn cpu_since(&self, _: &UsageBaseline) -> Result<Option<u64>, Fault> {
            self.is_readable.then_some(None).ok_or_else(|| Fault::new("read", "unreadable"))
        }
    }

    /// The group raises the alarm, and nobody else ends the run. Its process is gone on return.
    fn supervised(
        kills_after: u32,
        is_readable: bool,
        limits: &Limits,
    ) -> Result<StoppedRun, Fault> {
        let mut child = Command::new("/bin/cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let pidfd = pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()).unwrap();
        let bell = eventfd(1, EventfdFlags::NONBLOCK).unwrap();
        let group = ShortGroup { alarm_event: bell, asked: Cell::new(0), kills_after, is_readable };
        let (socket, _judge) = UnixStream::pair().unwrap();
        let (report, proc) = (RunReport::default(), MachineProc::open());
        let Ok(outputs) = OutputFiles::of(&[]) else { panic!("no outputs") };
        let supervisor = Supervisor {
            socket: &socket.into(),
            group: &group,
            report: &report,
            run: 1,
            limits,
            proc: &proc,
            queued: 0,
            cores: 1,
            kill_scope: KillScope::Pid1,
            outputs: &outputs,
            peak: MemoryPeak::default(),
            stack: 0,
            room_at_last_look: 0,
            next_output_check: u64::MAX,
            next_search: 0,
            first_measurement: 0,
            notifications: None,
            next_pipe_check: None,
            process_tree: None,
        };
        let running = RunningPid1 { pid, pidfd: pidfd.as_fd(), over_event: None, slot_cpu: 0 };
        let stopped = supervisor.supervise(&running);
        // It is reaped already.
        child.stdin.take();
        assert!(child.wait().is_err());
        stopped
    }

    /// The first pauses are of 1, 2, 4 ms and so on. A slow machine only makes them longer.
    #[test]
    fn checks_after_a_memory_alarm_become_rarer() {
        let start = Instant::now();
        let Ok(stopped) = supervised(7, true, &Limits::default()) else { panic!("a fault") };
        let took = start.elapsed();
        assert!(stopped.cause == Some(StopCause::Limit(StopReason::Memory)));
        assert!(took >= Duration::from_millis(127), "{took:?}");
    }

    /// With the first limit, the counters are read during the run; with the other, only at the end.
    #[test]
    fn unreadable_counters_are_a_fault() {
        let limits = Limits { wall_time: Some(Duration::ZERO), ..Limits::default() };
        for limits in [limits, Limits::default()] {
            let Err(fault) = supervised(0, false, &limits) else { panic!("a measurement") };
            assert_eq!(fault.step, "read");
        }
    }
}
