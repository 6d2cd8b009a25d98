//! PID 2 up to the moment at which the program starts, and what it has in common with PID 1.
//!
//! Both share the slot's memory (`CLONE_VM`), the slot itself runs beside PID 1, and PID 1 stands
//! still until PID 2 has started the program. So nothing here allocates, panics, or touches anything
//! thread-local: all that is needed lies ready in [`Plan`], every call goes straight to the kernel,
//! and what there is to tell is left in [`Report`].

use std::ffi::{CString, c_char};
use std::os::fd::{IntoRawFd, RawFd};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use rustix::process::Resource;

use crate::sandbox::linux::cgroup::{CgroupFiles, read_first_number};
use crate::sandbox::linux::run::pid1::Attach;
use crate::sandbox::linux::sys::{
    self, CLONE_INTO_CGROUP, Capabilities, CloneArguments, Ended, Errno,
};
use crate::sandbox::linux::view::landlock::{LandlockPlan, OWN_PROC};

/// All that PID 1 and PID 2 need, made by the slot before they exist.
pub(crate) struct Plan {
    /// The program, an absolute path inside.
    pub(crate) program: CString,
    /// Its arguments, and a null pointer.
    pub(crate) argv: Vec<*const c_char>,
    /// Its environment, and a null pointer.
    pub(crate) envp: Vec<*const c_char>,
    /// The directory to start in.
    pub(crate) directory: CString,
    /// Whether the box may be written to.
    pub(crate) writable: bool,
    /// What else is to be seen in the run's view.
    pub(crate) shown: Vec<Attach>,
    /// What a run without namespaces needs.
    pub(crate) landlock_plan: Option<LandlockPlan>,
    /// Standard input, output, error.
    pub(crate) stdio: [RawFd; 3],
    /// Who the program runs as.
    pub(crate) identity: Identity,
    /// What it may use of each resource.
    pub(crate) resources: Vec<Limit>,
    /// How nice it is to be, if PID 1 is less nice.
    pub(crate) nice: Option<i32>,
    /// Where it may write, as landlock's rules; -1 if there is no landlock.
    pub(crate) landlock: RawFd,
    /// How its use is counted.
    pub(crate) cgroup_files: CgroupFiles,
    /// PID 2's stack: the top, and its length.
    pub(crate) stack: Stack,
    /// What happened.
    pub(crate) report: Arc<Report>,
}

/// A stack for a process that shares the slot's memory.
#[derive(Clone, Copy)]
pub(crate) struct Stack {
    /// The lowest address.
    pub(crate) bottom: u64,
    /// In bytes.
    pub(crate) length: u64,
}

/// A user and a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// How the process becomes this user.
    pub(crate) change: Change,
}

/// How a process becomes another user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// By the rights of root.
    Switch,
    /// Not at all: in its user namespace it is this one already.
    Already,
}

/// A limit on a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) resource: Resource,
    pub(crate) soft: u64,
    pub(crate) hard: u64,
}

/// What PID 1 and PID 2 tell the slot.
#[derive(Default)]
pub(crate) struct Report {
    /// The step that failed, or null.
    pub(crate) failed: AtomicPtr<Step>,
    /// Why.
    pub(crate) errno: AtomicI32,
    /// 1 once the program started, 2 once it ended.
    pub(crate) phase: AtomicU32,
    /// How it ended, as `wait4` says.
    pub(crate) status: AtomicI32,
    /// When it started, monotonic, in nanoseconds.
    pub(crate) started: AtomicU64,
    /// When it ended.
    pub(crate) ended: AtomicU64,
    /// The group's CPU counter just before the start.
    pub(crate) base_cpu: AtomicU64,
    /// The group's memory just before the start, in bytes.
    pub(crate) base_memory: AtomicU64,
    /// CPU time of PID 2 itself before the start, in nanoseconds.
    pub(crate) own_cpu: AtomicU64,
    /// CPU time of PID 1 since then, in nanoseconds, if it did not end.
    pub(crate) pid1_cpu: AtomicU64,
    /// A descriptor of the run's mount namespace, which PID 1 opened in the slot; 0 if there is none.
    pub(crate) namespace: AtomicI32,
    /// What all processes of the run used by their own account, if PID 1 did not end: CPU time in nanoseconds.
    pub(crate) used_cpu: AtomicU64,
    /// The same: the largest memory of one, in bytes.
    pub(crate) used_memory: AtomicU64,
    /// The same: how often one lost its processor.
    pub(crate) used_switches: AtomicU64,
}

/// The program is about to start.
pub(crate) const STARTED: u32 = 1;
/// The program ended by itself.
pub(crate) const ENDED: u32 = 2;

/// What PID 1 or PID 2 is doing, in words.
pub(crate) struct Step(pub(crate) &'static str);

/// Becoming the program. No other step has these words.
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
    /// Whether it is the last: then the program's own file is at fault.
    pub(crate) fn is_last(&self) -> bool {
        self.0 == EXECUTE.0
    }
}

impl Report {
    /// The step that failed, if one did, and why.
    pub(crate) fn failure(&self) -> Option<(&'static Step, Errno)> {
        // SAFETY: null, or a step that lives for ever: `fail` stores no other.
        let step = unsafe { self.failed.load(Ordering::Acquire).as_ref() }?;
        Some((step, Errno(self.errno.load(Ordering::Relaxed))))
    }
}

/// The first descriptor after the standard streams.
pub(crate) const FIRST_OTHER: u32 = 3;

/// What comes of several steps.
pub(crate) type Outcome = Result<(), Failure>;

/// The step that failed, and why.
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

/// Starts PID 2.
pub(crate) fn start_child(plan: &Plan) -> Result<i32, Failure> {
    let mut arguments = CloneArguments {
        flags: (libc::CLONE_VM | libc::CLONE_VFORK) as u64,
        exit_signal: libc::SIGCHLD as u64,
        stack: plan.stack.bottom,
        stack_size: plan.stack.length,
        ..CloneArguments::default()
    };
    // Not PID 1 itself: what is killed when memory is short takes all along that share its memory,
    // and the slot does.
    if plan.cgroup_files.directory >= 0 {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = plan.cgroup_files.directory as u64;
    }
    // SAFETY: the stack is PID 2's alone; this process stands still while PID 2 uses the memory.
    at(START, unsafe { sys::start(&arguments, child, plan) })
}

/// Notes how and when PID 2 ended.
pub(crate) fn note_end(report: &Report, ended: Ended) {
    let now = sys::clock(libc::CLOCK_MONOTONIC);
    report.ended.store(now, Ordering::Relaxed);
    report.status.store(ended.status, Ordering::Relaxed);
    if report.failed.load(Ordering::Acquire).is_null() {
        report.phase.store(ENDED, Ordering::Release);
    }
}

/// PID 2: gives up all rights and becomes the program.
extern "C" fn child(plan: *const Plan) -> ! {
    // SAFETY: as in `pid1`.
    let plan = unsafe { &*plan };
    sys::exit(become_program(plan).map_or_else(|failure| fail(&plan.report, failure), |()| 0))
}

fn become_program(plan: &Plan) -> Outcome {
    if plan.landlock_plan.is_some() {
        at(SESSION, sys::setsid())?;
    } else {
        // The session is PID 1's.
        at(SESSION, sys::setpgid(0, 0))?;
    }
    if plan.cgroup_files.members >= 0 {
        at(&Step("join the run's control group"), sys::write(plan.cgroup_files.members, b"0"))?;
    }
    let CgroupFiles { directory, members, memory, .. } = plan.cgroup_files;
    let has_group = [directory, members, memory].iter().any(|gate| *gate >= 0);
    if has_group {
        // The group's name would tell judge and slot: from inside it is the root. Without namespaces, if it can be.
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
    // Now, not by the start of the program: its interpreter could be named by one of them.
    at(CLOSE, sys::close_range(FIRST_OTHER, u32::MAX, 0))?;
    // SAFETY: the slot ended both lists with a null pointer, and keeps them.
    let errno = unsafe { sys::execve(&plan.program, plan.argv.as_ptr(), plan.envp.as_ptr()) };
    Err((EXECUTE, errno))
}

/// Puts the three streams in their places. Their present numbers are above those.
fn connect_streams(stdio: [RawFd; 3]) -> Outcome {
    let [input, output, error] = stdio;
    at(STREAMS, sys::dup3(input, 0, 0))?;
    at(STREAMS, sys::dup3(output, 1, 0))?;
    at(STREAMS, sys::dup3(error, 2, 0))?;
    Ok(())
}

/// When memory is short, the contestant goes first, and the slot never.
fn kill_me_first() -> Result<(), Errno> {
    let flags = libc::O_WRONLY;
    let file = sys::openat(libc::AT_FDCWD, c"/proc/self/oom_score_adj", flags, 0)?;
    // Closed before the start of the program: the library's own way to close is not for this process.
    sys::write(file.into_raw_fd(), b"1000")?;
    Ok(())
}

/// Lets the program read what `/proc` says about itself, if that is not its own `/proc`.
fn show_own_proc(landlock: RawFd) -> Result<usize, Errno> {
    let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
    let own = sys::openat(libc::AT_FDCWD, c"/proc/self", flags, 0)?;
    // Closed before the start of the program.
    sys::landlock_allow(landlock, own.into_raw_fd(), OWN_PROC)
}

/// From here on the program pays.
fn read_meters(plan: &Plan) -> Outcome {
    let report = &plan.report;
    let own = sys::usage(libc::RUSAGE_SELF).cpu;
    report.own_cpu.store(own, Ordering::Relaxed);
    if plan.cgroup_files.cpu >= 0 {
        // The kernel books running time when it is asked for, and has just been.
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
