//! Starts, kills and examines processes: the calls that differ between systems, and all unsafe ones.

use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::ptr;
use std::thread;
use std::time::Duration;

use rustix::process::{
    Pid, Resource, Rlimit, WaitId, WaitIdOptions, getrlimit, kill_process_group, setrlimit, waitid,
};

use crate::sandbox::fault::Fault;
use crate::sandbox::forks;
use crate::sandbox::rlimits::{ResourceLimit, UNLIMITED};
use crate::sandbox::strings::ExecStrings;
use juror_core::job;
use juror_core::outcome::{Ending, Signal};

/// What a program needs to start. It is prepared before the fork: after it, nothing may be allocated.
pub(super) struct ProgramStart {
    argv: ExecStrings,
    env: ExecStrings,
    limits: Vec<ResourceLimit>,
    left_open: Vec<RawFd>,
    guard: RawFd,
}

impl ProgramStart {
    /// `command.env` is the whole environment.
    pub(super) fn new(
        command: &job::Command,
        limits: Vec<ResourceLimit>,
        left_open: Vec<RawFd>,
        guard: RawFd,
    ) -> Result<Self, Fault> {
        if command.argv.is_empty() {
            return Err(Fault::new("start the program", "no program given"));
        }
        let arguments = command.argv.iter().map(|argument| argument.clone().into_bytes());
        let variables = command.env.iter();
        Ok(Self {
            argv: ExecStrings::new(arguments)?,
            env: ExecStrings::new(variables.map(|(name, value)| format!("{name}={value}").into()))?,
            limits,
            left_open,
            guard,
        })
    }

    pub(super) fn spawn(
        self,
        directory: &Path,
        streams: [OwnedFd; 3],
    ) -> io::Result<StartedProgram> {
        let [stdin, stdout, stderr] = streams;
        // The path and the environment are not used: see `become_program`.
        let mut command = Command::new("/");
        command.current_dir(directory).stdin(stdin).stdout(stdout).stderr(stderr);
        // SAFETY: `become_program` only calls the system, and allocates nothing.
        unsafe { command.pre_exec(move || self.become_program()) };
        let child = forks::spawn(&mut command)?;
        let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        number.map(StartedProgram).ok_or_else(|| io::Error::from_raw_os_error(libc::ESRCH))
    }

    /// In the new process: detaches from the judge, and becomes the program. Returns only if that fails.
    ///
    /// Calls `execve` itself: the library's `execvp` would run a file that is not a program with a shell.
    fn become_program(&self) -> io::Result<()> {
        let process = rustix::process::setsid()?;
        // If the guard is missing, that is a fault of the judge, and must not end the program.
        // SAFETY: sets no handler.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
        // SAFETY: the guard's pipe is open as long as the slot that started this.
        let guard = unsafe { BorrowedFd::borrow_raw(self.guard) };
        rustix::io::write(guard, &process.as_raw_pid().to_ne_bytes())?;
        for fd in &self.left_open {
            // SAFETY: takes no pointer; a closed descriptor only gives an error.
            unsafe { libc::fcntl(*fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
        for limit in &self.limits {
            let [current, maximum] =
                [limit.soft, limit.hard].map(|value| (value != UNLIMITED).then_some(value));
            let limited = Rlimit { current, maximum };
            setrlimit(limit.resource, limited)?;
        }
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
        for signal in 1..65 {
            // SAFETY: sets no handler; signals that cannot be set are refused.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        // The parent of the judge may have blocked some.
        let mut none = MaybeUninit::uninit();
        // SAFETY: the set is valid once it was made empty; it changes signals of this thread only.
        unsafe {
            libc::sigemptyset(none.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        }
        let program = self.argv.first().map_or(ptr::null(), |program| program.as_ptr());
        // SAFETY: all strings end with a zero byte and both lists with a null, see `ExecStrings`.
        unsafe { libc::execve(program, self.argv.as_ptr(), self.env.as_ptr()) };
        Err(io::Error::last_os_error())
    }
}

/// A program that was started and not reaped. It leads its process group.
#[derive(Clone, Copy, Debug)]
pub(super) struct StartedProgram(Pid);

pub(super) struct ResourceUsage {
    pub(super) ending: Ending,
    /// Of the program and of the children that it waited for.
    pub(super) cpu: Duration,
    /// The largest of these processes, in bytes.
    pub(super) memory: u64,
}

impl StartedProgram {
    /// Waits for its end, without reaping it.
    pub(super) fn wait(self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(self.0), options) {}
    }

    pub(super) fn number(self) -> i32 {
        self.0.as_raw_pid()
    }

    pub(super) fn has_ended(self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(self.0), options), Ok(None))
    }

    /// Kills the whole group. Call it only before the program is reaped, or while a process of the group is left.
    pub(super) fn kill_group(self) {
        let _ = kill_process_group(self.0, rustix::process::Signal::KILL);
    }

    /// Waits, for a bounded time, until its killed group is empty. A process that was forked at that moment may have
    /// been missed, so the group is killed again: while a process is left in it, its number is taken.
    pub(super) fn wait_for_group_end(self, milliseconds: u32) {
        for _ in 0..milliseconds {
            if let Err(rustix::io::Errno::SRCH) = rustix::process::test_kill_process_group(self.0) {
                return;
            }
            self.kill_group();
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Without its children, in nanoseconds; `None` if the system does not tell during the run.
    #[cfg(not(target_vendor = "apple"))]
    pub(super) fn cpu_used(self) -> Option<u64> {
        let mut clock = 0;
        // SAFETY: the variable for the clock's number lives until the call returns.
        let refused = unsafe { libc::clock_getcpuclockid(self.0.as_raw_pid(), &raw mut clock) };
        let mut time = MaybeUninit::<libc::timespec>::zeroed();
        // SAFETY: as above, for the time; all zeros are a valid value.
        let time = unsafe {
            if refused != 0 || libc::clock_gettime(clock, time.as_mut_ptr()) != 0 {
                return None;
            }
            time.assume_init()
        };
        let seconds = u64::try_from(time.tv_sec).ok()?;
        Some(seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?)
    }

    #[cfg(target_vendor = "apple")]
    pub(super) fn cpu_used(self) -> Option<u64> {
        None
    }

    pub(super) fn reap(self) -> io::Result<ResourceUsage> {
        let mut status = 0;
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        loop {
            let pid = self.0.as_raw_pid();
            // SAFETY: the places for status and usage live until the call returns.
            let result = unsafe { libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr()) };
            if result == pid {
                break;
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        // SAFETY: plain numbers, which the system has filled in.
        let usage = unsafe { usage.assume_init() };
        let ending = if libc::WIFSIGNALED(status) {
            Ending::Signalled(linux_signal(libc::WTERMSIG(status)))
        } else {
            Ending::Exited(libc::WEXITSTATUS(status))
        };
        Ok(ResourceUsage {
            ending,
            cpu: time(usage.ru_utime) + time(usage.ru_stime),
            memory: memory(&usage),
        })
    }
}

fn time(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000)
}

/// In bytes. Source: the manual pages `getrusage(2)` of the systems.
fn memory(usage: &libc::rusage) -> u64 {
    const UNIT: u64 = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    usage.ru_maxrss as u64 * UNIT
}

/// Memory that a program is charged with before it begins, in bytes: on Linux, that of the judge. Other systems do not
/// charge it, and have no such file.
pub(super) fn inherited_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line?.trim().strip_suffix(" kB")?;
    number.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Signals that have other numbers on other systems: the number here, and that of Linux, which the model uses. Source:
/// `signal(7)` of Linux, `signal(3)` of FreeBSD and macOS.
const SIGNALS: [(i32, i32); 10] = [
    (libc::SIGBUS, 7),
    (libc::SIGUSR1, 10),
    (libc::SIGUSR2, 12),
    (libc::SIGCHLD, 17),
    (libc::SIGCONT, 18),
    (libc::SIGSTOP, 19),
    (libc::SIGTSTP, 20),
    (libc::SIGURG, 23),
    (libc::SIGIO, 29),
    (libc::SIGSYS, 31),
];

fn linux_signal(number: i32) -> Signal {
    let known = SIGNALS.iter().find(|(here, _)| *here == number);
    // On other systems these are SIGEMT, SIGINFO, and signals that no program expects.
    let is_only_here = !cfg!(target_os = "linux") && matches!(number, 7 | 29 | 32..);
    match known {
        Some((_, linux)) => Signal(*linux),
        None if is_only_here => Signal(Signal::FOREIGN_OFFSET + number),
        None => Signal(number),
    }
}

/// The highest descriptor to check: no process has that many by accident.
const DESCRIPTOR_MAX: u64 = 65_536;

fn descriptors() -> std::ops::Range<RawFd> {
    let most = getrlimit(Resource::Nofile).current.unwrap_or(DESCRIPTOR_MAX);
    3..RawFd::try_from(most.min(DESCRIPTOR_MAX)).unwrap_or(RawFd::MAX)
}

/// The descriptors of this process that programs would inherit, except the three standard ones. Its parent left them
/// open.
pub(super) fn inherited_fds() -> Vec<RawFd> {
    descriptors()
        .filter(|fd| {
            // SAFETY: takes no pointer.
            let flags = unsafe { libc::fcntl(*fd, libc::F_GETFD) };
            flags >= 0 && flags & libc::FD_CLOEXEC == 0
        })
        .collect()
}

/// Starts a process that only does this work, and keeps one descriptor.
///
/// # Safety
/// The work must not need what another thread of this process may hold at this moment, such as a lock.
pub(super) unsafe fn fork(keep: RawFd, work: impl FnOnce()) -> io::Result<Pid> {
    // SAFETY: the caller's guarantee; the child only does what is below.
    match unsafe { forks::fork() }? {
        None => {
            let _ = rustix::process::setsid();
            for signal in 1..32 {
                // SAFETY: sets no handler.
                unsafe { libc::signal(signal, libc::SIG_DFL) };
            }
            for fd in (0..3).chain(descriptors()).filter(|fd| *fd != keep) {
                // SAFETY: nothing in this process uses any of them.
                unsafe { libc::close(fd) };
            }
            work();
            // SAFETY: ends the process without the judge's cleanup.
            unsafe { libc::_exit(0) }
        }
        Some(number) => {
            Pid::from_raw(number).ok_or_else(|| io::Error::from_raw_os_error(libc::ESRCH))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_the_systems_names() {
        let check = |number: i32, name: &str| assert_eq!(linux_signal(number).to_string(), name);
        check(libc::SIGBUS, "SIGBUS");
        check(libc::SIGSYS, "SIGSYS");
        check(libc::SIGUSR1, "SIGUSR1");
        check(libc::SIGXFSZ, "SIGXFSZ");
        check(libc::SIGKILL, "SIGKILL");
    }
}
