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
use crate::sandbox::linux::setup::{UserChange, UserIdentity};
use crate::sandbox::linux::sys::{
    self, CLONE_INTO_CGROUP, Capabilities, CloneArguments, EndedChild, Errno, right,
};
use crate::sandbox::rlimits::ResourceLimit;
use crate::sandbox::strings::ExecStrings;

/// The slot makes it before PID 1 and PID 2 exist.
pub(crate) struct RunSpec {
    /// An absolute path inside.
    pub(crate) program: CString,
    pub(crate) argv: ExecStrings,
    pub(crate) env: ExecStrings,
    pub(crate) directory: CString,
    pub(crate) writable: bool,
    pub(crate) shown: Vec<MountToAttach>,
    pub(crate) landlock_spec: Option<LandlockSpec>,
    /// With namespaces: the file system with the directories [`BOX`](super::pid1::BOX) and [`TMP`](super::pid1::TMP).
    pub(crate) memory: RawFd,
    pub(crate) stdio: [RawFd; 3],
    pub(crate) identity: UserIdentity,
    pub(crate) resources: Vec<ResourceLimit>,
    /// The program's niceness, if PID 1 has a lower one.
    pub(crate) nice: Option<i32>,
    /// Landlock's rules for the directories where it may write; -1 if landlock is not used.
    pub(crate) landlock: RawFd,
    pub(crate) cgroup_files: CgroupFiles,
    pub(crate) stack: ProcessStack,
    pub(crate) report: Arc<RunReport>,
}

/// A mount to attach in the run's own view.
pub(crate) struct MountToAttach {
    pub(crate) mount: RawFd,
    pub(crate) target: CString,
}

/// What PID 1 and PID 2 of a run without namespaces need.
pub(crate) struct LandlockSpec {
    /// Rules that only keep signals in.
    pub(crate) scope: RawFd,
    pub(crate) slot: i32,
    /// The filter of calls beyond the slot's own one.
    pub(crate) filter: Vec<libc::sock_filter>,
    pub(crate) directory: CString,
}

/// For a process that shares the slot's memory.
#[derive(Clone, Copy)]
pub(crate) struct ProcessStack {
    pub(crate) bottom: u64,
    /// In bytes.
    pub(crate) length: u64,
}

/// PID 1 and PID 2 write it, and the slot reads it.
#[derive(Default)]
pub(crate) struct RunReport {
    /// Null if none failed.
    pub(crate) failed: AtomicPtr<RunStep>,
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
pub(crate) struct RunStep(pub(crate) &'static str);

/// No other step has this text.
const EXECUTE: &RunStep = &RunStep("start the program");
pub(crate) const TIE_PID1: &RunStep = &RunStep("tie PID 1 to the sandbox");
pub(crate) const ATTACH: &RunStep = &RunStep("mount the box in the sandbox");
pub(crate) const START: &RunStep = &RunStep("start a process for the program");
pub(crate) const SESSION: &RunStep = &RunStep("start a session in the sandbox");
const STREAMS: &RunStep = &RunStep("connect the standard streams");
pub(crate) const CLOSE: &RunStep = &RunStep("close the judge's descriptors");
const LIMITS: &RunStep = &RunStep("limit resources");
const USER: &RunStep = &RunStep("change to the contestant's user");
pub(crate) const LANDLOCK: &RunStep = &RunStep("restrict the program by landlock");
pub(crate) const SIGNALS: &RunStep = &RunStep("unblock signals");
const METERS: &RunStep = &RunStep("read the meters");

impl RunStep {
    /// Then the program's own file is at fault.
    pub(crate) fn is_last(&self) -> bool {
        self.0 == EXECUTE.0
    }
}

impl RunReport {
    pub(crate) fn failure(&self) -> Option<(&'static RunStep, Errno)> {
        // SAFETY: null, or a step that lives forever: `report_failure` stores no other pointer.
        let step = unsafe { self.failed.load(Ordering::Acquire).as_ref() }?;
        Some((step, Errno(self.errno.load(Ordering::Relaxed))))
    }
}

/// The first descriptor after the standard streams.
pub(crate) const FIRST_OTHER: u32 = 3;

pub(crate) type StepResult = Result<(), StepFailure>;

pub(crate) type StepFailure = (&'static RunStep, Errno);

pub(crate) fn report_failure(report: &RunReport, (step, errno): StepFailure) -> i32 {
    report.errno.store(errno.0, Ordering::Relaxed);
    report.failed.store(ptr::from_ref(step).cast_mut(), Ordering::Release);
    1
}

pub(crate) fn in_step<T>(
    step: &'static RunStep,
    result: Result<T, Errno>,
) -> Result<T, StepFailure> {
    match result {
        Ok(value) => Ok(value),
        Err(errno) => Err((step, errno)),
    }
}

pub(crate) fn start_child(spec: &RunSpec) -> Result<i32, StepFailure> {
    let mut arguments = CloneArguments {
        flags: (libc::CLONE_VM | libc::CLONE_VFORK) as u64,
        exit_signal: libc::SIGCHLD as u64,
        stack: spec.stack.bottom,
        stack_size: spec.stack.length,
        ..CloneArguments::default()
    };
    // Not PID 1 itself: if memory is short, killing a process also kills those that share its memory, such as the
    // slot.
    if spec.cgroup_files.directory >= 0 {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = spec.cgroup_files.directory as u64;
    }
    // SAFETY: only PID 2 uses the stack; this process stands still while PID 2 uses the memory.
    in_step(START, unsafe { sys::start(&arguments, pid2, spec) })
}

pub(crate) fn record_end(report: &RunReport, ended: EndedChild) {
    let now = sys::clock(libc::CLOCK_MONOTONIC);
    report.ended.store(now, Ordering::Relaxed);
    report.status.store(ended.status, Ordering::Relaxed);
    if report.failed.load(Ordering::Acquire).is_null() {
        report.phase.store(ENDED, Ordering::Release);
    }
}

extern "C" fn pid2(spec: *const RunSpec) -> ! {
    // SAFETY: as in `pid1`.
    let spec = unsafe { &*spec };
    sys::exit(
        become_program(spec).map_or_else(|failure| report_failure(&spec.report, failure), |()| 0),
    )
}

fn become_program(spec: &RunSpec) -> StepResult {
    if spec.landlock_spec.is_some() {
        in_step(SESSION, sys::setsid())?;
    } else {
        // The session belongs to PID 1.
        in_step(SESSION, sys::setpgid(0, 0))?;
    }
    if spec.cgroup_files.members >= 0 {
        in_step(
            &RunStep("join the run's control group"),
            sys::write(spec.cgroup_files.members, b"0"),
        )?;
    }
    let CgroupFiles { directory, members, memory, .. } = spec.cgroup_files;
    let has_group = [directory, members, memory].iter().any(|gate| *gate >= 0);
    if has_group {
        // The group's name would reveal judge and slot: from inside, it is the root. Without namespaces only if
        // possible.
        let result = sys::unshare(libc::CLONE_NEWCGROUP);
        if spec.landlock_spec.is_none() {
            in_step(&RunStep("make a control group namespace for the run"), result)?;
        }
    }
    connect_streams(spec.stdio)?;
    in_step(&RunStep("choose what is killed first when memory is short"), prefer_oom_kill())?;
    in_step(&RunStep("enter the box"), sys::chdir(&spec.directory))?;
    if let Some(nice) = spec.nice {
        in_step(LIMITS, sys::setpriority(0, 0, nice))?;
    }
    for limit in &spec.resources {
        in_step(LIMITS, sys::set_limit(limit.resource, limit.soft, limit.hard))?;
    }
    if spec.identity.change == UserChange::Switch {
        let UserIdentity { uid, gid, .. } = spec.identity;
        in_step(USER, sys::setresgid(gid, gid, gid))?;
        in_step(USER, sys::setresuid(uid, uid, uid))?;
    }
    in_step(&RunStep("give up capabilities"), sys::set_capabilities(Capabilities::NONE))?;
    if spec.landlock_spec.is_some() {
        in_step(LANDLOCK, show_own_proc(spec.landlock))?;
    }
    if spec.landlock >= 0 {
        in_step(LANDLOCK, sys::landlock_restrict(spec.landlock))?;
    }
    if let Some(landlock) = &spec.landlock_spec {
        in_step(
            &RunStep("install the program's system call filter"),
            sys::seccomp(&landlock.filter),
        )?;
    }
    in_step(SIGNALS, sys::block_signals(0))?;
    read_meters(spec)?;
    // Here, not at the start of the program: one of them could name the program's interpreter.
    in_step(CLOSE, sys::close_range(FIRST_OTHER, u32::MAX, 0))?;
    // SAFETY: both lists end with a null pointer, and the slot keeps them.
    let errno = unsafe { sys::execve(&spec.program, spec.argv.as_ptr(), spec.env.as_ptr()) };
    Err((EXECUTE, errno))
}

/// Their present numbers are higher.
fn connect_streams(stdio: [RawFd; 3]) -> StepResult {
    let [input, output, error] = stdio;
    in_step(STREAMS, sys::dup3(input, 0, 0))?;
    in_step(STREAMS, sys::dup3(output, 1, 0))?;
    in_step(STREAMS, sys::dup3(error, 2, 0))?;
    Ok(())
}

/// If memory is short, the contestant is killed first, and the slot never.
fn prefer_oom_kill() -> Result<(), Errno> {
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
    sys::landlock_allow(landlock, own.into_raw_fd(), right::READ)
}

/// From here on, usage counts for the program.
fn read_meters(spec: &RunSpec) -> StepResult {
    let report = &spec.report;
    let own = sys::usage(libc::RUSAGE_SELF).cpu;
    report.own_cpu.store(own, Ordering::Relaxed);
    if spec.cgroup_files.cpu >= 0 {
        // The kernel updates the running time when it is asked, which was just done.
        let cpu = in_step(METERS, read_first_number(spec.cgroup_files.cpu))?;
        report.base_cpu.store(cpu, Ordering::Relaxed);
    }
    if spec.cgroup_files.memory >= 0 {
        let memory = in_step(METERS, read_first_number(spec.cgroup_files.memory))?;
        report.base_memory.store(memory, Ordering::Relaxed);
    }
    if spec.cgroup_files.peak >= 0 {
        in_step(METERS, sys::write(spec.cgroup_files.peak, b"0"))?;
    }
    let now = sys::clock(libc::CLOCK_MONOTONIC);
    report.started.store(now, Ordering::Relaxed);
    report.phase.store(STARTED, Ordering::Release);
    Ok(())
}
