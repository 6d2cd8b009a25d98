//! PID 2 until the program starts, and what it has in common with PID 1.
//!
//! Both share the slot's memory (`CLONE_VM`). The slot itself runs at the same time as PID 1, and PID 1 stands still
//! until PID 2 has started the program. So nothing here allocates, panics, or touches anything thread-local. All data
//! is prepared in [`RunSpec`], every call goes straight to the kernel, and results go into [`RunReport`].

use std::ffi::CString;
use std::os::fd::{IntoRawFd, RawFd};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::sandbox::linux::cgroup::{CgroupFiles, read_first_number};
use crate::sandbox::linux::run::pid1::Attach;
use crate::sandbox::linux::sys::{
    self, CLONE_INTO_CGROUP, Capabilities, CloneArguments, Ended, Errno,
};
use crate::sandbox::linux::view::landlock::{LandlockPlan, OWN_PROC};
use crate::sandbox::rlimits::Limit;
use crate::sandbox::strings::Strings;

/// The slot makes it before PID 1 and PID 2 exist.
pub(crate) struct Plan {
    /// An absolute path inside.
    pub(crate) program: CString,
    pub(crate) argv: Strings,
    pub(crate) env: Strings,
    pub(crate) directory: CString,
    pub(crate) writable: bool,
    pub(crate) shown: Vec<Attach>,
    pub(crate) landlock_plan: Option<LandlockPlan>,
    /// With namespaces: the file system with the directories [`BOX`](super::pid1::BOX) and [`TMP`](super::pid1::TMP).
    pub(crate) memory: RawFd,
    pub(crate) stdio: [RawFd; 3],
    pub(crate) identity: Identity,
    pub(crate) resources: Vec<Limit>,
    /// The program's niceness, if PID 1 has a lower one.
    pub(crate) nice: Option<i32>,
    /// Landlock's rules for the directories where it may write; -1 if landlock is not used.
    pub(crate) landlock: RawFd,
    pub(crate) cgroup_files: CgroupFiles,
    pub(crate) stack: Stack,
    pub(crate) report: Arc<Report>,
}

/// For a process that shares the slot's memory.
#[derive(Clone, Copy)]
pub(crate) struct Stack {
    pub(crate) bottom: u64,
    /// In bytes.
    pub(crate) length: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) change: Change,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// With root's rights.
    Switch,
    /// Not at all: in its user namespace it already is this user.
    Already,
}

/// PID 1 and PID 2 write it, and the slot reads it.
#[derive(Default)]
pub(crate) struct Report {
    /// Null if none failed.
    pub(crate) failed: AtomicPtr<Step>,
    pub(crate) errno: AtomicI32,
    /// 1 after the program started, 2 after it ended.
    pub(crate) phase: AtomicU32,
    /// From `wait4`.
    pub(crate) status: AtomicI32,
    /// Monotonic, in nanoseconds.
    pub(crate) started: AtomicU64,
    pub(crate) ended: AtomicU64,
    /// The group's CPU counter just before the start.
    pub(crate) base_cpu: AtomicU64,
    /// The group's memory just before the start, in bytes.
    pub(crate) base_memory: AtomicU64,
    /// CPU time of PID 2 itself before the start, in nanoseconds.
    pub(crate) own_cpu: AtomicU64,
    /// CPU time of all processes of the run by the kernel's accounting, in nanoseconds, if PID 1 did not end.
    pub(crate) used_cpu: AtomicU64,
    /// The largest memory of one of these processes, in bytes, from the same source.
    pub(crate) used_memory: AtomicU64,
}

pub(crate) const STARTED: u32 = 1;
pub(crate) const ENDED: u32 = 2;

/// As it appears in messages.
pub(crate) struct Step(pub(crate) &'static str);

/// No other step has this text.
const EXECUTE: &Step = &Step("start the program");
pub(crate) const TIE: &Step = &Step("tie PID 1 to the sandbox");
pub(crate) const ATTACH: &Step = &Step("mount the box in the sandbox");
pub(crate) const START: &Step = &Step("start a process for the program");
pub(crate) const SESSION: &Step = &Step("start a session in the sandbox");
const STREAMS: &Step = &Step("connect the standard streams");
pub(crate) const CLOSE: &Step = &Step("close the judge's descriptors");
const LIMITS: &Step = &Step("limit resources");
const USER: &Step = &Step("change to the contestant's user");
pub(crate) const LANDLOCK: &Step = &Step("restrict the program by landlock");
pub(crate) const SIGNALS: &Step = &Step("unblock signals");
const METERS: &Step = &Step("read the meters");

impl Step {
    /// Then the program's own file is at fault.
    pub(crate) fn is_last(&self) -> bool {
        self.0 == EXECUTE.0
    }
}

impl Report {
    pub(crate) fn failure(&self) -> Option<(&'static Step, Errno)> {
        // SAFETY: null, or a step that lives forever: `report_failure` stores no other pointer.
        let step = unsafe { self.failed.load(Ordering::Acquire).as_ref() }?;
        Some((step, Errno(self.errno.load(Ordering::Relaxed))))
    }
}

/// The first descriptor after the standard streams.
pub(crate) const FIRST_OTHER: u32 = 3;

pub(crate) type Outcome = Result<(), Failure>;

pub(crate) type Failure = (&'static Step, Errno);

pub(crate) fn fail(report: &Report, (step, errno): Failure) -> i32 {
    report.errno.store(errno.0, Ordering::Relaxed);
    report.failed.store(ptr::from_ref(step).cast_mut(), Ordering::Release);
    1
}

pub(crate) fn at<T>(step: &'static Step, result: Result<T, Errno>) -> Result<T, Failure> {
    match result {
        Ok(value) => Ok(value),
        Err(errno) => Err((step, errno)),
    }
}

pub(crate) fn start_child(plan: &Plan) -> Result<i32, Failure> {
    let mut arguments = CloneArguments {
        flags: (libc::CLONE_VM | libc::CLONE_VFORK) as u64,
        exit_signal: libc::SIGCHLD as u64,
        stack: plan.stack.bottom,
        stack_size: plan.stack.length,
        ..CloneArguments::default()
    };
    // Not PID 1 itself: if memory is short, killing a process also kills those that share its memory, such as the
    // slot.
    if plan.cgroup_files.directory >= 0 {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = plan.cgroup_files.directory as u64;
    }
    // SAFETY: only PID 2 uses the stack; this process stands still while PID 2 uses the memory.
    at(START, unsafe { sys::start(&arguments, child, plan) })
}

pub(crate) fn note_end(report: &Report, ended: Ended) {
    let now = sys::clock(libc::CLOCK_MONOTONIC);
    report.ended.store(now, Ordering::Relaxed);
    report.status.store(ended.status, Ordering::Relaxed);
    if report.failed.load(Ordering::Acquire).is_null() {
        report.phase.store(ENDED, Ordering::Release);
    }
}

extern "C" fn child(plan: *const Plan) -> ! {
    // SAFETY: as in `pid1`.
    let plan = unsafe { &*plan };
    sys::exit(become_program(plan).map_or_else(|failure| fail(&plan.report, failure), |()| 0))
}

fn become_program(plan: &Plan) -> Outcome {
    if plan.landlock_plan.is_some() {
        at(SESSION, sys::setsid())?;
    } else {
        // The session belongs to PID 1.
        at(SESSION, sys::setpgid(0, 0))?;
    }
    if plan.cgroup_files.members >= 0 {
        at(&Step("join the run's control group"), sys::write(plan.cgroup_files.members, b"0"))?;
    }
    let CgroupFiles { directory, members, memory, .. } = plan.cgroup_files;
    let has_group = [directory, members, memory].iter().any(|gate| *gate >= 0);
    if has_group {
        // The group's name would reveal judge and slot: from inside, it is the root. Without namespaces only if
        // possible.
        let made = sys::unshare(libc::CLONE_NEWCGROUP);
        if plan.landlock_plan.is_none() {
            at(&Step("make a control group namespace for the run"), made)?;
        }
    }
    connect_streams(plan.stdio)?;
    at(&Step("choose what is killed first when memory is short"), kill_me_first())?;
    at(&Step("enter the box"), sys::chdir(&plan.directory))?;
    if let Some(nice) = plan.nice {
        at(LIMITS, sys::setpriority(0, 0, nice))?;
    }
    for limit in &plan.resources {
        at(LIMITS, sys::set_limit(limit.resource, limit.soft, limit.hard))?;
    }
    if plan.identity.change == Change::Switch {
        let Identity { uid, gid, .. } = plan.identity;
        at(USER, sys::setresgid(gid, gid, gid))?;
        at(USER, sys::setresuid(uid, uid, uid))?;
    }
    at(&Step("give up capabilities"), sys::set_capabilities(Capabilities::NONE))?;
    if plan.landlock_plan.is_some() {
        at(LANDLOCK, show_own_proc(plan.landlock))?;
    }
    if plan.landlock >= 0 {
        at(LANDLOCK, sys::landlock_restrict(plan.landlock))?;
    }
    if let Some(landlock) = &plan.landlock_plan {
        at(&Step("install the program's system call filter"), sys::seccomp(&landlock.filter))?;
    }
    at(SIGNALS, sys::block_signals(0))?;
    read_meters(plan)?;
    // Here, not at the start of the program: one of them could name the program's interpreter.
    at(CLOSE, sys::close_range(FIRST_OTHER, u32::MAX, 0))?;
    // SAFETY: both lists end with a null pointer, and the slot keeps them.
    let errno = unsafe { sys::execve(&plan.program, plan.argv.as_ptr(), plan.env.as_ptr()) };
    Err((EXECUTE, errno))
}

/// Their present numbers are higher.
fn connect_streams(stdio: [RawFd; 3]) -> Outcome {
    let [input, output, error] = stdio;
    at(STREAMS, sys::dup3(input, 0, 0))?;
    at(STREAMS, sys::dup3(output, 1, 0))?;
    at(STREAMS, sys::dup3(error, 2, 0))?;
    Ok(())
}

/// If memory is short, the contestant is killed first, and the slot never.
fn kill_me_first() -> Result<(), Errno> {
    let flags = libc::O_WRONLY;
    let file = sys::openat(libc::AT_FDCWD, c"/proc/self/oom_score_adj", flags, 0)?;
    // The descriptor is closed at the start of the program: this process cannot use the library's way to close it.
    sys::write(file.into_raw_fd(), b"1000")?;
    Ok(())
}

/// Lets the program read its own entries in `/proc`, if it has no `/proc` of its own.
fn show_own_proc(landlock: RawFd) -> Result<usize, Errno> {
    let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
    let own = sys::openat(libc::AT_FDCWD, c"/proc/self", flags, 0)?;
    // Closed at the start of the program.
    sys::landlock_allow(landlock, own.into_raw_fd(), OWN_PROC)
}

/// From here on, usage counts for the program.
fn read_meters(plan: &Plan) -> Outcome {
    let report = &plan.report;
    let own = sys::usage(libc::RUSAGE_SELF).cpu;
    report.own_cpu.store(own, Ordering::Relaxed);
    if plan.cgroup_files.cpu >= 0 {
        // The kernel updates the running time when it is asked, which was just done.
        let cpu = at(METERS, read_first_number(plan.cgroup_files.cpu))?;
        report.base_cpu.store(cpu, Ordering::Relaxed);
    }
    if plan.cgroup_files.memory >= 0 {
        let memory = at(METERS, read_first_number(plan.cgroup_files.memory))?;
        report.base_memory.store(memory, Ordering::Relaxed);
    }
    if plan.cgroup_files.peak >= 0 {
        at(METERS, sys::write(plan.cgroup_files.peak, b"0"))?;
    }
    let now = sys::clock(libc::CLOCK_MONOTONIC);
    report.started.store(now, Ordering::Relaxed);
    report.phase.store(STARTED, Ordering::Release);
    Ok(())
}
