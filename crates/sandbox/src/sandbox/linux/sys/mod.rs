//! Raw system calls: no allocation, no `errno`, nothing shared with other threads or processes.
//!
//! PID 1 and the contestant's process share the slot's memory until the program is started, including its thread-local
//! `errno`. So they call the kernel directly, and all of their calls are here. The rest of the sandbox uses the same
//! calls, so that there is one place for them.

mod call;
pub(super) mod mount;
pub(super) mod notify;
mod start;

use std::ffi::{CStr, c_char, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rustix::process::Resource;

use crate::sandbox::forks;

pub(super) use crate::sandbox::errno::Errno;
pub(super) use call::{Result, call};
pub(super) use start::{CLONE_INTO_CGROUP, CloneArguments, start};

/// Of the last failed library call.
fn last_errno() -> Errno {
    Errno::from(std::io::Error::last_os_error())
}

/// With this number, the process passes its own system call filter (see `seccomp`).
static PASS: AtomicU64 = AtomicU64::new(0);

pub(super) fn choose_pass() -> Result<u64> {
    let mut bytes = [0; 8];
    random(&mut bytes)?;
    let pass = u64::from_ne_bytes(bytes);
    PASS.store(pass, Ordering::Relaxed);
    Ok(pass)
}

pub(super) fn pass() -> usize {
    PASS.load(Ordering::Relaxed) as usize
}

pub(super) fn exit(code: i32) -> ! {
    loop {
        // SAFETY: takes no pointer.
        let _ = unsafe { call(libc::SYS_exit_group, [code as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Makes functions for calls that take only numbers.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) = $number:ident;)*) => {$(
        $(#[$doc])*
        pub(super) fn $name($($argument: $type),*) -> Result<usize> {
            let raw = [$($argument as usize),*];
            let mut arguments = [0; 6];
            let mut index = 0;
            while index < raw.len() {
                arguments[index] = raw[index];
                index += 1;
            }
            // SAFETY: takes no pointer.
            unsafe { call(libc::$number, arguments) }
        }
    )*};
}

plain! {
    /// Puts a process into a process group; 0 and 0 mean this process, and its own group.
    setpgid(process: i32, group: i32) = SYS_setpgid;
    /// Duplicates a descriptor onto a number; the copy survives the start of a program.
    dup3(old: RawFd, new: RawFd, flags: i32) = SYS_dup3;
    /// Closes descriptors from `first` to `last`, or marks them to be closed.
    close_range(first: u32, last: u32, flags: u32) = SYS_close_range;
    setresuid(real: u32, effective: u32, saved: u32) = SYS_setresuid;
    setresgid(real: u32, effective: u32, saved: u32) = SYS_setresgid;
    prctl(option: i32, a: usize, b: usize) = SYS_prctl;
    landlock_restrict(ruleset: RawFd) = SYS_landlock_restrict_self;
    /// Sets the niceness of processes; kind 0 and number 0 mean this one.
    setpriority(kind: i32, number: i32, nice: i32) = SYS_setpriority;
    /// 20 minus the niceness of processes.
    getpriority(kind: i32, number: i32) = SYS_getpriority;
    umask(mask: u32) = SYS_umask;
    parent() = SYS_getppid;
    /// Closes a descriptor, if it is open. The caller owns the number, and no `OwnedFd` has it.
    close(fd: RawFd) = SYS_close;
}

/// Duplicates a descriptor onto the first free number from `least` on.
pub(super) fn duplicate_above(fd: RawFd, least: RawFd) -> Result<RawFd> {
    let arguments = [fd as usize, libc::F_DUPFD_CLOEXEC as usize, least as usize, 0, 0, 0];
    // SAFETY: takes no pointer.
    unsafe { call(libc::SYS_fcntl, arguments) }.map(|fd| fd as RawFd)
}

/// Source: `fcntl.h` of Linux.
const F_SETSIG: i32 = 10;

/// Takes a read lease on a file that is open for reading, and gives it back. Fails if somebody can write to the file.
pub(super) fn try_read_lease(fd: RawFd) -> Result<()> {
    let control = |command: i32, value: i32| {
        // SAFETY: takes no pointer.
        unsafe { call(libc::SYS_fcntl, [fd as usize, command as usize, value as usize, 0, 0, 0]) }
    };
    // Who opens the file for writing meanwhile waits, and this process gets a signal that it ignores.
    control(F_SETSIG, libc::SIGURG)?;
    control(libc::F_SETLEASE, libc::F_RDLCK)?;
    control(libc::F_SETLEASE, libc::F_UNLCK).map(|_| ())
}

pub(super) fn setsid() -> Result<usize> {
    // SAFETY: takes no pointer.
    unsafe { call(libc::SYS_setsid, [0, 0, 0, 0, 0, pass()]) }
}

pub(super) fn unshare(flags: i32) -> Result<usize> {
    // SAFETY: takes no pointer.
    unsafe { call(libc::SYS_unshare, [flags as usize, 0, 0, 0, 0, pass()]) }
}

pub(super) fn setns(fd: RawFd, kind: i32) -> Result<usize> {
    // SAFETY: takes no pointer.
    unsafe { call(libc::SYS_setns, [fd as usize, kind as usize, 0, 0, 0, pass()]) }
}

/// Sends a signal to a process, if it exists and permission is given. -1 means all visible processes except this one;
/// signal 0 only checks for permission.
pub(super) fn kill(pid: i32, signal: i32) -> Result<usize> {
    // SAFETY: takes no pointer.
    unsafe { call(libc::SYS_kill, [pid as usize, signal as usize, 0, 0, 0, pass()]) }
}

pub(super) fn pidfd_kill(pidfd: BorrowedFd<'_>, signal: i32) -> Result<usize> {
    let fd = pidfd.as_raw_fd() as usize;
    // SAFETY: the third argument, the signal's details, may be null.
    unsafe { call(libc::SYS_pidfd_send_signal, [fd, signal as usize, 0, 0, 0, pass()]) }
}

/// The signals must be blocked. Returns the number of the signal that arrived.
pub(super) fn wait_for_signal(signals: &[i32]) -> Result<i32> {
    let set = signals.iter().fold(0u64, |set, signal| set | (1 << (signal - 1)));
    let address = ptr::from_ref(&set) as usize;
    loop {
        // SAFETY: the set is as long as the kernel's, 8 bytes, and lives until the call returns; the details and the
        // time may be null.
        match unsafe { call(libc::SYS_rt_sigtimedwait, [address, 0, 0, 8, 0, 0]) } {
            Err(Errno(libc::EINTR)) => {}
            other => return other.map(|signal| signal as i32),
        }
    }
}

pub(super) fn random(buffer: &mut [u8]) -> Result<()> {
    let arguments = [buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0, 0];
    // SAFETY: the buffer lives until the call returns; its size is given.
    let length = unsafe { call(libc::SYS_getrandom, arguments) }?;
    if length == buffer.len() { Ok(()) } else { Err(Errno(libc::EIO)) }
}

pub(super) fn leave_groups() -> Result<usize> {
    // SAFETY: a list of no groups may be null.
    unsafe { call(libc::SYS_setgroups, [0, 0, 0, 0, 0, 0]) }
}

/// Blocks the signals in this mask, as far as possible; unblocks all others.
pub(super) fn block_signals(mask: u64) -> Result<usize> {
    let set = ptr::from_ref(&mask) as usize;
    // SAFETY: the set is as long as the kernel's, 8 bytes, and lives until the call returns.
    unsafe { call(libc::SYS_rt_sigprocmask, [libc::SIG_SETMASK as usize, set, 0, 8, 0, 0]) }
}

/// Gives every signal its default effect.
pub(super) fn reset_signal_handlers() {
    let default = [0u64; 4];
    for signal in 1..=64usize {
        // SAFETY: an action of zeros, the default, is no longer than four words in the kernel's
        // layout; refusals, as for SIGKILL, do no harm.
        let _ = unsafe {
            call(libc::SYS_rt_sigaction, [signal, default.as_ptr() as usize, 0, 8, 0, 0])
        };
    }
}

/// The first 32 capabilities, as the kernel numbers their bits.
#[derive(Clone, Copy)]
pub(super) struct Capabilities(u32);

impl Capabilities {
    pub(super) const NONE: Self = Self(0);
    /// `CAP_SETUID`.
    pub(super) const SET_USER: Self = Self(1 << 7);
}

pub(super) fn set_capabilities(capabilities: Capabilities) -> Result<usize> {
    /// `_LINUX_CAPABILITY_VERSION_3`, for 64 capabilities in two parts.
    const VERSION: u32 = 0x2008_0522;
    let header = [VERSION, 0];
    // Effective, permitted, inheritable; then the same for the other 32.
    let data = [capabilities.0, capabilities.0, 0, 0, 0, 0];
    // SAFETY: header and data have the sizes of this version and live until the call returns.
    unsafe {
        call(libc::SYS_capset, [header.as_ptr() as usize, data.as_ptr() as usize, 0, 0, 0, 0])
    }
}

pub(super) fn set_limit(resource: Resource, soft: u64, hard: u64) -> Result<usize> {
    let limit = [soft, hard];
    let address = limit.as_ptr() as usize;
    // SAFETY: the limit has the kernel's layout and lives until the call returns.
    unsafe { call(libc::SYS_prlimit64, [0, resource as usize, address, 0, 0, pass()]) }
}

pub(super) fn seccomp(filter: &[libc::sock_filter]) -> Result<usize> {
    const SET_MODE_FILTER: usize = 1;
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    let program = ptr::from_ref(&program) as usize;
    // SAFETY: program and filter live until the call returns; the kernel copies them.
    unsafe { call(libc::SYS_seccomp, [SET_MODE_FILTER, 0, program, 0, 0, 0]) }
}

/// In nanoseconds.
pub(super) fn clock(clock: i32) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let address = ptr::from_mut(&mut time) as usize;
    // SAFETY: the value has the kernel's layout and lives until the call returns.
    let _ = unsafe { call(libc::SYS_clock_gettime, [clock as usize, address, 0, 0, 0, 0]) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Of a process, or of its children that were waited for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    /// In nanoseconds.
    pub(super) cpu: u64,
    /// The largest memory of one of these processes, in bytes.
    pub(super) memory: u64,
}

impl From<&libc::rusage> for Usage {
    fn from(usage: &libc::rusage) -> Self {
        let nanoseconds =
            |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
        Self {
            cpu: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
            memory: (usage.ru_maxrss as u64).saturating_mul(1024),
        }
    }
}

fn empty_rusage() -> libc::rusage {
    // SAFETY: `rusage` is plain numbers, for which zero is a value.
    unsafe { std::mem::zeroed() }
}

pub(super) fn usage(whose: i32) -> Usage {
    let mut usage = empty_rusage();
    let address = ptr::from_mut(&mut usage) as usize;
    // SAFETY: the value has the kernel's layout and lives until the call returns.
    let _ = unsafe { call(libc::SYS_getrusage, [whose as usize, address, 0, 0, 0, 0]) };
    Usage::from(&usage)
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EndedChild {
    pub(super) pid: i32,
    pub(super) status: i32,
    pub(super) usage: Usage,
}

/// Waits for a child to end; -1 waits for any.
pub(super) fn wait(pid: i32) -> Result<EndedChild> {
    wait_with(pid, libc::__WALL)
}

/// Number 0 means that no child has ended.
pub(super) fn ended_child() -> Result<EndedChild> {
    wait_with(-1, libc::__WALL | libc::WNOHANG)
}

fn wait_with(pid: i32, options: i32) -> Result<EndedChild> {
    let mut status = 0i32;
    let mut usage = empty_rusage();
    let status_place = ptr::from_mut(&mut status) as usize;
    let usage_place = ptr::from_mut(&mut usage) as usize;
    let all = options as usize;
    loop {
        // SAFETY: both places have the kernel's layout and live until the call returns.
        let result =
            unsafe { call(libc::SYS_wait4, [pid as usize, status_place, all, usage_place, 0, 0]) };
        match result {
            Err(Errno(libc::EINTR)) => {}
            other => {
                return other.map(|pid| EndedChild {
                    pid: pid as i32,
                    status,
                    usage: Usage::from(&usage),
                });
            }
        }
    }
}

/// Returns only if the program did not start, with the reason.
///
/// # Safety
/// `argv` and `envp` must be lists of pointers to strings, each with a null pointer at its end.
pub(super) unsafe fn execve(
    path: &CStr,
    argv: *const *const c_char,
    envp: *const *const c_char,
) -> Errno {
    let path = path.as_ptr() as usize;
    // SAFETY: the caller guarantees the lists.
    match unsafe { call(libc::SYS_execve, [path, argv as usize, envp as usize, 0, 0, 0]) } {
        Ok(_) => Errno(libc::EIO),
        Err(errno) => errno,
    }
}

pub(super) fn openat(directory: RawFd, path: &CStr, flags: i32, mode: u32) -> Result<OwnedFd> {
    let arguments = [
        directory as usize,
        path.as_ptr() as usize,
        (flags | libc::O_CLOEXEC) as usize,
        mode as usize,
        0,
        0,
    ];
    // SAFETY: the path ends with a zero and lives until the call returns.
    unsafe { call(libc::SYS_openat, arguments) }.map(into_owned_fd)
}

/// Takes a descriptor that the kernel has just made.
pub(super) fn into_owned_fd(fd: usize) -> OwnedFd {
    // SAFETY: the kernel has just given us this descriptor; no other code knows it.
    unsafe { OwnedFd::from_raw_fd(fd as RawFd) }
}

/// Returns the number of bytes.
pub(super) fn pread(fd: RawFd, buffer: &mut [u8]) -> Result<usize> {
    let arguments = [fd as usize, buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0];
    // SAFETY: the buffer is ours, its length is given.
    unsafe { call(libc::SYS_pread64, arguments) }
}

pub(super) fn write(fd: RawFd, bytes: &[u8]) -> Result<usize> {
    let arguments = [fd as usize, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0];
    // SAFETY: the bytes live until the call returns, their length is given.
    unsafe { call(libc::SYS_write, arguments) }
}

/// For a process's descriptor: it has ended.
pub(super) fn is_readable(fd: RawFd) -> Result<bool> {
    let mut question = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let now = [0u64; 2];
    let (question, now) = (ptr::from_mut(&mut question) as usize, now.as_ptr() as usize);
    // SAFETY: question and time have the kernel's layouts and live until the call returns; no signals may be null.
    unsafe { call(libc::SYS_ppoll, [question, 1, now, 0, 8, 0]) }.map(|ready| ready > 0)
}

/// Sleeps as long as the word is 0.
pub(super) fn wait_until_set(word: &AtomicU32) {
    while word.load(Ordering::Acquire) == 0 {
        let address = word.as_ptr() as usize;
        let operation = (libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG) as usize;
        // SAFETY: the word lives until the call returns; no time may be null.
        let _ = unsafe { call(libc::SYS_futex, [address, operation, 0, 0, 0, 0]) };
    }
}

/// Sets the word to 1, and wakes a process that waits for it.
pub(super) fn set_and_wake(word: &AtomicU32) {
    word.store(1, Ordering::Release);
    let address = word.as_ptr() as usize;
    let operation = (libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG) as usize;
    // SAFETY: the word lives until the call returns.
    let _ = unsafe { call(libc::SYS_futex, [address, operation, 1, 0, 0, 0]) };
}

pub(super) fn chdir(path: &CStr) -> Result<usize> {
    // SAFETY: the path ends with a zero and lives until the call returns.
    unsafe { call(libc::SYS_chdir, [path.as_ptr() as usize, 0, 0, 0, 0, 0]) }
}

/// Rights, as landlock numbers them.
pub(super) mod right {
    pub(crate) const EXECUTE: u64 = 1;
    pub(crate) const WRITE_FILE: u64 = 1 << 1;
    pub(crate) const READ_FILE: u64 = 1 << 2;
    pub(crate) const READ_DIR: u64 = 1 << 3;
    pub(crate) const READ: u64 = READ_FILE | READ_DIR;
    /// All rights about files, including those on devices: the rights of version 5.
    pub(crate) const ALL: u64 = (1 << 16) - 1;
    pub(crate) const REMOVE_AND_MAKE: u64 = 0x1ff0;
    pub(crate) const REFER: u64 = 1 << 13;
    pub(crate) const TRUNCATE: u64 = 1 << 14;
    pub(crate) const IOCTL_DEV: u64 = 1 << 15;
    pub(crate) const TCP: u64 = 3;
    pub(crate) const SCOPES: u64 = 3;
}

pub(super) fn landlock_version() -> Result<usize> {
    const VERSION: usize = 1;
    // SAFETY: asking for the version takes no rules.
    unsafe { call(libc::SYS_landlock_create_ruleset, [0, 0, VERSION, 0, 0, 0]) }
}

/// Makes a set of landlock's rules: the file, network and scope rights that need a rule.
pub(super) fn landlock_ruleset(handled: &[u64]) -> Result<OwnedFd> {
    let arguments = [handled.as_ptr() as usize, size_of_val(handled), 0, 0, 0, 0];
    // SAFETY: the rights live until the call returns; their size is given.
    unsafe { call(libc::SYS_landlock_create_ruleset, arguments) }.map(into_owned_fd)
}

/// At and below a directory.
pub(super) fn landlock_allow(ruleset: RawFd, directory: RawFd, rights: u64) -> Result<usize> {
    /// The kernel's layout has no padding between the two.
    #[repr(C, packed)]
    struct PathBeneath {
        rights: u64,
        parent: i32,
    }
    const PATH_BENEATH: usize = 1;
    let rule = PathBeneath { rights, parent: directory };
    let rule = ptr::from_ref(&rule) as usize;
    // SAFETY: the rule has the kernel's layout and lives until the call returns.
    unsafe { call(libc::SYS_landlock_add_rule, [ruleset as usize, PATH_BENEATH, rule, 0, 0, 0]) }
}

/// Starts our own session keyring, so that the judge's keys are out of reach. It is invisible to all: `/proc/keys`
/// would show all runs of the user how many processes refer to it.
pub(super) fn new_keyring() {
    const JOIN_SESSION_KEYRING: usize = 1;
    const SET_PERMISSIONS: usize = 5;
    const SESSION_KEYRING: usize = -3_isize as usize;
    // SAFETY: no name is needed, and no pointer is given. Kernels without keys refuse, and have none to protect.
    let _ = unsafe { call(libc::SYS_keyctl, [JOIN_SESSION_KEYRING, 0, 0, 0, 0, 0]) };
    // SAFETY: as above.
    let _ = unsafe { call(libc::SYS_keyctl, [SET_PERMISSIONS, SESSION_KEYRING, 0, 0, 0, 0]) };
}

/// Memory for the lifetime of the process, such as a stack; the length is a multiple of a page.
pub(super) fn allocate_pages(length: usize) -> Result<*mut c_void> {
    // SAFETY: asks for fresh memory anywhere.
    let pages = unsafe {
        libc::mmap(
            ptr::null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if pages == libc::MAP_FAILED {
        return Err(last_errno());
    }
    Ok(pages)
}

/// No process can have this much memory at once, in bytes, even untouched.
pub(super) fn refuses_memory(length: u64) -> bool {
    let Ok(length) = usize::try_from(length) else { return true };
    match allocate_pages(length) {
        Ok(pages) => {
            // SAFETY: these pages were made just now, and no reference to them exists.
            unsafe { libc::munmap(pages, length) };
            false
        }
        Err(errno) => errno.0 == libc::ENOMEM,
    }
}

/// Starts a copy of this process, with one thread, that only does this work; returns its number.
///
/// # Safety
/// The work may need no lock which another thread may hold, beyond what the system's library repairs after a fork (its
/// allocator).
pub(super) unsafe fn fork(work: impl FnOnce()) -> Result<i32> {
    // SAFETY: the caller's guarantee.
    let forked = unsafe { forks::fork() }?;
    forked.map_or_else(|| do_and_exit(work), Ok)
}

/// As [`fork`], for a process with one thread.
pub(super) fn fork_single_thread(work: impl FnOnce()) -> Result<i32> {
    // SAFETY: there is no other thread, so none holds a lock.
    match unsafe { libc::fork() } {
        -1 => Err(last_errno()),
        0 => do_and_exit(work),
        pid => Ok(pid),
    }
}

fn do_and_exit(work: impl FnOnce()) -> ! {
    let _ = catch_unwind(AssertUnwindSafe(work));
    exit(1)
}
