//! Finds out whether a program is blocked, and what it waits for, from the kernel's data about each of its threads.
//!
//! For a waiting thread, `/proc/PID/task/TID/syscall` shows the call and its arguments. A program is certainly blocked
//! only under two conditions. Every thread of every process of its run waits in a call that no clock ends: for input,
//! for room to write, for a lock, for a child. And none of their timers may send a signal. Any other wait (a sleep, a
//! time limit, an event queue) may end by itself. Then only this is known: whether a thread waits for the other
//! program, at least for some time. A result is never a guess; if the kernel does not show this data, there is no
//! result.

use std::fs;
use std::io;
use std::os::fd::AsFd;

use crate::sandbox::linux::keeper::notifications::AlarmFlag;
use crate::sandbox::linux::keeper::procfs::{children, stat_fields, status_field};
use crate::sandbox::watch::{BlockedProgram, ProgramState, ProgramWatch, ThreadState};
use juror_core::joint::WaitReason;

#[derive(Debug)]
pub(crate) struct ProcessWatch {
    slot: i32,
    /// An alarm may end a wait that has no time limit.
    alarms: AlarmFlag,
    pipes: ProgramPipes,
}

/// Their names in `/proc/PID/fd`.
#[derive(Debug)]
pub(crate) struct ProgramPipes {
    input: String,
    output: String,
}

impl ProgramWatch for ProcessWatch {
    fn observe(&self) -> ProgramState {
        let processes = with_children(self.programs());
        self.pipes
            .observe_processes(&processes, || self.alarms.may_be_set())
            .unwrap_or(ProgramState::Unknown)
    }

    fn is_ending(&self) -> bool {
        let list = format!("/proc/{0}/task/{0}/children", self.slot);
        if fs::metadata(list).is_err() {
            return false;
        }
        // If it no longer exists, somebody has waited for it.
        let Some(program) = self.programs().first().copied() else { return true };
        // Its first thread may end long before the others.
        let ends = |thread: i32| {
            let stat = fs::read_to_string(format!("/proc/{program}/task/{thread}/stat"));
            // A thread that was listed and no longer exists has also ended.
            stat.map_or(true, |stat| is_exiting(&stat))
        };
        threads_of(program).is_some_and(|threads| threads.into_iter().all(ends))
    }
}

impl ProcessWatch {
    pub(crate) fn new(
        slot: i32,
        alarms: AlarmFlag,
        input: impl AsFd,
        output: impl AsFd,
    ) -> io::Result<Self> {
        Ok(Self { slot, alarms, pipes: ProgramPipes::of(input, output)? })
    }

    /// The program, if it exists, and other children of PID 1 or the slot. The first process of the run is not
    /// included: it belongs to the sandbox and only waits.
    fn programs(&self) -> Vec<i32> {
        let below = children(self.slot);
        let firsts: Vec<i32> = below.iter().copied().filter(|process| is_pid1(*process)).collect();
        if !firsts.is_empty() {
            // If nothing runs, PID 1 sleeps and has no children.
            return firsts.into_iter().flat_map(children).collect();
        }
        // The slot starts one process for each run; later ones are orphans that it adopted.
        let Some((first, adopted)) = below.split_first() else { return below };
        let mut processes = children(*first);
        processes.extend(adopted);
        processes
    }
}

/// Includes all descendants.
fn with_children(mut processes: Vec<i32>) -> Vec<i32> {
    let mut index = 0;
    while let Some(process) = processes.get(index).copied() {
        processes.extend(children(process));
        index += 1;
    }
    processes
}

impl ProgramPipes {
    /// `input` and `output` are the other ends of these pipes.
    pub(crate) fn of(input: impl AsFd, output: impl AsFd) -> io::Result<Self> {
        Ok(Self { input: pipe_name(input)?, output: pipe_name(output)? })
    }

    /// Observes a program and its children. Nothing else is known of them: an alarm may wake one.
    pub(crate) fn observe(&self, program: i32) -> ProgramState {
        self.observe_processes(&with_children(vec![program]), || true)
            .unwrap_or(ProgramState::Unknown)
    }

    fn observe_processes(
        &self,
        processes: &[i32],
        may_be_woken: impl Fn() -> bool,
    ) -> Option<ProgramState> {
        let mut waits = WaitReason::Itself;
        let mut is_certain = true;
        let mut has_output = false;
        let mut threads = Vec::new();
        for process in processes.iter().copied() {
            is_certain &= !has_timers(process)?;
            has_output |= has_descriptor(process, &self.output)?;
            for number in threads_of(process)? {
                let directory = format!("/proc/{process}/task/{number}");
                let status = fs::read_to_string(format!("{directory}/status")).ok()?;
                if is_killed(&status)
                    || is_exiting(&fs::read_to_string(format!("{directory}/stat")).ok()?)
                {
                    // Its present state says nothing about its earlier one.
                    return None;
                }
                let switches = switches(&status)?;
                let call = fs::read_to_string(format!("{directory}/syscall")).ok()?;
                let name = |fd: u64| descriptor(&directory, fd);
                let timeless = || has_only_pipes_and_files(&directory);
                if call.trim() == "running" {
                    return Some(ProgramState::Running);
                }
                let call = WaitingCall::parse(&call);
                match call.as_ref().and_then(|call| self.waits_for(call, name, timeless)) {
                    Some(WaitReason::Itself) => {}
                    Some(other) => waits = other,
                    None => {
                        is_certain = false;
                        if call.is_some_and(|call| call.is_for_descriptors()) {
                            waits = WaitReason::Input;
                        }
                    }
                }
                threads.push(ThreadState { number, switches });
            }
        }
        if threads.is_empty() {
            return None;
        }
        // If its output is closed, the other side will see the end: a fork of the judge may hold a copy for a moment.
        is_certain &= has_output;
        // Must come last: an alarm is announced before the call that sets it returns.
        Some(match (is_certain && !may_be_woken(), waits) {
            (true, _) => ProgramState::Blocked(BlockedProgram { waits_for: waits, threads }),
            (false, WaitReason::Itself) => ProgramState::Wakeable(None),
            (false, _) => ProgramState::Wakeable(Some(waits)),
        })
    }

    /// What a thread in this call waits for; `None` if a clock may end it. `name` gives the target of a descriptor.
    fn waits_for(
        &self,
        call: &WaitingCall,
        name: impl Fn(u64) -> Option<String>,
        timeless: impl Fn() -> Option<bool>,
    ) -> Option<WaitReason> {
        let [first, second, third, fourth, fifth] = call.arguments;
        let on = |pipe: &str, waits: WaitReason| match name(first)? {
            name if name == pipe => Some(waits),
            name if name.starts_with("pipe:") => Some(WaitReason::Itself),
            _ => None,
        };
        let poll = |is_endless: bool| {
            let is_certain = is_endless && timeless()?;
            is_certain.then_some(WaitReason::Input)
        };
        match call.number {
            libc::SYS_read | libc::SYS_readv => on(&self.input, WaitReason::Input),
            libc::SYS_write | libc::SYS_writev => on(&self.output, WaitReason::Output),
            libc::SYS_futex => is_endless_lock(second, fourth).then_some(WaitReason::Itself),
            libc::SYS_wait4 | libc::SYS_waitid | libc::SYS_rt_sigsuspend => {
                Some(WaitReason::Itself)
            }
            libc::SYS_ppoll => poll(third == 0),
            libc::SYS_pselect6 => poll(fifth == 0),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_poll => poll(third as u32 == u32::MAX),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_select => poll(fifth == 0),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_pause => Some(WaitReason::Itself),
            _ => None,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct WaitingCall {
    number: i64,
    arguments: [u64; 5],
}

impl WaitingCall {
    /// Parses the kernel's line; `None` for a running thread.
    ///
    /// Source: the manual page `proc_pid_syscall(5)`.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let number = words.next()?.parse().ok()?;
        let mut arguments = [0; 5];
        for argument in &mut arguments {
            *argument = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        }
        Some(Self { number, arguments })
    }

    /// It waits until one of its descriptors is ready, perhaps only until a time.
    fn is_for_descriptors(&self) -> bool {
        let [first, second, ..] = self.arguments;
        match self.number {
            libc::SYS_ppoll => second > 0,
            libc::SYS_pselect6 => first > 0,
            libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => true,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_poll => second > 0,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_select => first > 0,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_epoll_wait => true,
            _ => false,
        }
    }
}

/// The call waits without a time limit. Source: the manual page `futex(2)`.
fn is_endless_lock(operation: u64, timeout: u64) -> bool {
    const WAIT: u64 = 0;
    const LOCK_PI: u64 = 6;
    const WAIT_BITSET: u64 = 9;
    let flags = (libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) as u64;
    matches!(operation & !flags, WAIT | LOCK_PI | WAIT_BITSET) && timeout == 0
}

/// Timers of `timer_create` may send signals; `None` if the kernel cannot tell.
fn has_timers(process: i32) -> Option<bool> {
    let timers = fs::read_to_string(format!("/proc/{process}/timers")).ok()?;
    Some(!timers.trim().is_empty())
}

/// The thread is about to be killed. Source: the manual page `proc_pid_status(5)`.
fn is_killed(status: &str) -> bool {
    const KILL: u64 = 1 << (libc::SIGKILL - 1);
    let pending = |name| u64::from_str_radix(status_field(status, name).unwrap_or_default(), 16);
    ["SigPnd:", "ShdPnd:"].into_iter().any(|name| pending(name).is_ok_and(|mask| mask & KILL != 0))
}

/// The process is ending. Source: the manual page `proc_pid_stat(5)`, fields 3 and 9; the kernel's
/// `include/linux/sched.h`.
fn is_exiting(stat: &str) -> bool {
    const PF_EXITING: u64 = 0x4;
    let mut fields = stat_fields(stat);
    let state = fields.next().unwrap_or_default();
    let flags: u64 = fields.nth(5).and_then(|field| field.parse().ok()).unwrap_or(0);
    matches!(state, "Z" | "X") || flags & PF_EXITING != 0
}

/// It is PID 1 of its own process namespace.
fn is_pid1(process: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status"));
    status.is_ok_and(|status| is_first(&status))
}

/// Source: the manual page `proc_pid_status(5)`, `NSpid`: its number here, and in each inner namespace.
fn is_first(status: &str) -> bool {
    let numbers = status_field(status, "NSpid:").unwrap_or_default();
    let within = numbers.split_whitespace().skip(1);
    within.last() == Some("1")
}

/// How often a thread stopped running, voluntarily or not.
fn switches(status: &str) -> Option<u64> {
    let number = |name: &str| status_field(status, name)?.parse::<u64>().ok();
    Some(number("voluntary_ctxt_switches:")? + number("nonvoluntary_ctxt_switches:")?)
}

/// A wait for the thread's descriptors can only be a wait for other programs. Threads of a process need not share
/// descriptors.
fn has_only_pipes_and_files(thread: &str) -> Option<bool> {
    let directory = fs::read_dir(format!("{thread}/fd")).ok()?;
    let mut all = true;
    for entry in directory {
        let name = fs::read_link(entry.ok()?.path()).ok()?;
        let name = name.to_string_lossy();
        all &= name.starts_with("pipe:") || name.starts_with('/');
    }
    Some(all)
}

fn has_descriptor(process: i32, pipe: &str) -> Option<bool> {
    let mut descriptors = fs::read_dir(format!("/proc/{process}/fd")).ok()?;
    let is_it = |entry: io::Result<fs::DirEntry>| {
        entry.and_then(|it| fs::read_link(it.path())).is_ok_and(|name| name.as_os_str() == pipe)
    };
    Some(descriptors.any(is_it))
}

fn descriptor(thread: &str, fd: u64) -> Option<String> {
    let link = fs::read_link(format!("{thread}/fd/{fd}")).ok()?;
    Some(link.to_string_lossy().into_owned())
}

fn pipe_name(pipe: impl AsFd) -> io::Result<String> {
    Ok(format!("pipe:[{}]", rustix::fs::fstat(pipe)?.st_ino))
}

fn threads_of(process: i32) -> Option<Vec<i32>> {
    let directory = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    directory.map(|entry| entry.ok().and_then(number)).collect()
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::sandbox::forks;

    #[test]
    fn only_waits_without_a_clock_are_blocked() {
        let pipes = ProgramPipes { input: "pipe:[1]".to_owned(), output: "pipe:[2]".to_owned() };
        let name = |fd: u64| {
            let names = ["pipe:[1]", "pipe:[2]", "/dev/null", "pipe:[9]", "socket:[3]"];
            names.get(fd as usize).map(|name| (*name).to_owned())
        };
        let check = |line: &str, only_pipes: bool, expected: Option<WaitReason>| {
            let call = WaitingCall::parse(line);
            let waits = call.and_then(|call| pipes.waits_for(&call, name, || Some(only_pipes)));
            assert_eq!(waits, expected, "{line}");
        };
        let line = |number: i64, arguments: [u64; 3]| {
            let [a, b, c] = arguments;
            format!("{number} {a:#x} {b:#x} {c:#x} 0x0 0x0 0x0 0x7ffd 0x7fce\n")
        };
        let read = |fd: u64| line(libc::SYS_read, [fd, 0x7f00, 10]);
        let write = |fd: u64| line(libc::SYS_write, [fd, 0x7f00, 10]);
        check("running\n", true, None);
        check("", true, None);
        check("-1 0x7ffd 0x7fce\n", true, None);
        check(&read(0), true, Some(WaitReason::Input));
        check(&write(1), true, Some(WaitReason::Output));
        check(&read(3), true, Some(WaitReason::Itself));
        check(&read(2), true, None);
        check(&read(4), true, None);
        check(&read(7), true, None);
        check(&line(libc::SYS_ppoll, [0x7f00, 1, 0]), true, Some(WaitReason::Input));
        check(&line(libc::SYS_ppoll, [0x7f00, 1, 0]), false, None);
        check(&line(libc::SYS_ppoll, [0x7f00, 1, 0x7f40]), true, None);
        check(&line(libc::SYS_futex, [0x7f00, 128, 2]), true, Some(WaitReason::Itself));
        check(&line(libc::SYS_futex, [0x7f00, 128 | 256 | 9, 2]), true, Some(WaitReason::Itself));
        check(&line(libc::SYS_futex, [0x7f00, 129, 2]), true, None);
        let timed = format!("{} 0x7f00 0x80 0x2 0x7f40 0x0 0x0 0x0 0x0\n", libc::SYS_futex);
        check(&timed, true, None);
        check(&line(libc::SYS_wait4, [u64::MAX, 0, 0]), true, Some(WaitReason::Itself));
        check(&line(libc::SYS_clock_nanosleep, [0, 0, 0]), true, None);
        check(&line(libc::SYS_epoll_pwait, [0, 0, 0]), true, None);
    }

    /// A shell that waits for its input. Holds copies of the ends of its pipes, as a fork of the judge does for a
    /// moment.
    struct WaitingShell {
        shell: std::process::Child,
        pipes: ProgramPipes,
        _ends: [OwnedFd; 4],
    }

    impl WaitingShell {
        fn start(script: &str) -> Self {
            let (input, to_program) = io::pipe().unwrap();
            let (from_program, output) = io::pipe().unwrap();
            let pipes = ProgramPipes::of(&input, &output).unwrap();
            let mut command = std::process::Command::new("/bin/sh");
            command.args(["-c", script]);
            command.stdin(input.try_clone().unwrap()).stdout(output.try_clone().unwrap());
            let shell = forks::spawn(&mut command).unwrap();
            let ends = [input.into(), to_program.into(), from_program.into(), output.into()];
            Self { shell, pipes, _ends: ends }
        }

        fn observe_waiting(&self) -> ProgramState {
            let process = self.shell.id().cast_signed();
            loop {
                match self.pipes.observe_processes(&[process], || false) {
                    Some(state) if state.waits_for() == Some(WaitReason::Input) => return state,
                    _ => thread::sleep(Duration::from_millis(1)),
                }
            }
        }
    }

    impl Drop for WaitingShell {
        fn drop(&mut self) {
            let _ = self.shell.kill();
            let _ = self.shell.wait();
        }
    }

    /// Otherwise both would count as blocked, though the other one is about to see the end of this one's output.
    #[test]
    fn a_program_with_closed_output_is_not_blocked_while_a_copy_is_open() {
        const WAITS: &str = "read line";
        const CLOSES_FIRST: &str = "exec >&-; read line";
        let check = |scripts: [&str; 2], are_still: [bool; 2]| {
            let sides = scripts.map(WaitingShell::start);
            let states = sides.each_ref().map(WaitingShell::observe_waiting);
            let found = states.map(|state| matches!(state, ProgramState::Blocked(_)));
            assert_eq!(found, are_still, "{scripts:?}");
        };
        check([WAITS, WAITS], [true, true]);
        check([CLOSES_FIRST, WAITS], [false, true]);
        check([WAITS, CLOSES_FIRST], [true, false]);
        check([CLOSES_FIRST, CLOSES_FIRST], [false, false]);
    }

    #[test]
    fn waits_for_descriptors_are_recognized() {
        let check = |number: i64, arguments: [u64; 2], expected: bool| {
            let [first, second] = arguments;
            let line = format!("{number} {first:#x} {second:#x} 0x0 0x0 0x0 0x0 0x7ffd 0x7fce\n");
            let call = WaitingCall::parse(&line).unwrap();
            assert_eq!(call.is_for_descriptors(), expected, "{line}");
        };
        check(libc::SYS_ppoll, [0x7f00, 1], true);
        check(libc::SYS_ppoll, [0x7f00, 0], false);
        check(libc::SYS_pselect6, [1, 0x7f00], true);
        check(libc::SYS_pselect6, [0, 0], false);
        check(libc::SYS_epoll_pwait, [3, 0x7f00], true);
        check(libc::SYS_clock_nanosleep, [0, 0], false);
        check(libc::SYS_futex, [0x7f00, 128], false);
        #[cfg(target_arch = "x86_64")]
        check(libc::SYS_poll, [0x7f00, 2], true);
        #[cfg(target_arch = "x86_64")]
        check(libc::SYS_select, [0, 0], false);
    }

    #[test]
    fn an_ending_process_is_recognized() {
        let check = |stat: &str, expected: bool| assert_eq!(is_exiting(stat), expected, "{stat}");
        check("7 (a) b (c) S 1 7 7 0 -1 4194304 25 0 0 0", false);
        check("7 (a) R 1 7 7 0 -1 4194308 25 0 0 0", true);
        check("7 (a) Z 1 7 7 0 -1 4194304 25 0 0 0", true);
        check("", false);
    }

    #[test]
    fn a_thread_that_is_about_to_be_killed_is_recognized() {
        let check = |status: &str, expected: bool| assert_eq!(is_killed(status), expected);
        check("SigPnd:\t0000000000000100\nShdPnd:\t0000000000000000\n", true);
        check("SigPnd:\t0000000000000000\nShdPnd:\t0000000000000100\n", true);
        check("SigPnd:\t0000000000000001\nShdPnd:\t0000000000000000\n", false);
        check("", false);
    }

    #[test]
    fn the_first_process_of_a_namespace_is_recognized() {
        let check = |status: &str, expected: bool| {
            assert_eq!(is_first(status), expected, "{status}");
        };
        check("Name:\tx\nNSpid:\t4711\t1\nVmPeak:\t1\n", true);
        check("NSpid:\t4711\t30\t1\n", true);
        check("NSpid:\t4711\t2\n", false);
        check("NSpid:\t1\n", false);
        check("Name:\tx\n", false);
    }

    #[test]
    fn switches_of_both_kinds_count() {
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t5\n";
        assert_eq!(switches(status), Some(12));
        assert_eq!(switches("Name:\tx\n"), None);
    }
}
