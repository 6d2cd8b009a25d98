//! PID 1 of a run with namespaces: waits until there is a run, completes the view, starts the program, and ends all
//! processes after it. The rules in [`crate::sandbox::linux::run::child`] about memory hold here, too.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::sandbox::linux::run::child::{
    ATTACH, RunReport, RunSpec, RunStep, SESSION, SIGNALS, START, StepFailure, StepResult,
    TIE_PID1, in_step, record_end, report_failure, start_child,
};
use crate::sandbox::linux::sys::{self, Errno, mount};

/// Messages between the slot and PID 1. The slot keeps them until PID 1 is gone.
pub(crate) struct Pid1Channel {
    pub(crate) slot: RawFd,
    /// Null until there is a run.
    pub(crate) spec: AtomicPtr<RunSpec>,
    /// 1 as soon as there is a run.
    pub(crate) is_started: AtomicU32,
    /// Becomes 1 after the program has ended and only PID 1 is left.
    pub(crate) over_event: OwnedFd,
    pub(crate) report: Arc<RunReport>,
}

impl Pid1Channel {
    /// Makes PID 1 start this run. The slot must keep the spec until the run is over.
    pub(crate) fn start_run(&self, spec: &RunSpec) {
        let spec = ptr::from_ref(spec).cast_mut();
        self.spec.store(spec, Ordering::Release);
        sys::set_and_wake(&self.is_started);
    }
}

/// The box, in the file system that it shares with the temporary directory.
pub(crate) const BOX: &CStr = c"box";
/// The temporary directory, in the same file system.
pub(crate) const TMP: &CStr = c"tmp";

/// The mount point of both, until the mount of the temporary directory hides it.
const SHARED_MOUNT_POINT: &CStr = c"/tmp";

pub(crate) extern "C" fn pid1(channel: *const Pid1Channel) -> ! {
    // SAFETY: the slot keeps the channel until this process is gone; it is shared, and only its atomics
    // change.
    let channel = unsafe { &*channel };
    let result = wait_for_run(channel).and_then(|spec| run_program(spec, channel));
    if let Err(failure) = result {
        sys::exit(report_failure(&channel.report, failure));
    }
    // Waits until the slot has measured. The end of PID 1 must not count for the program.
    let _ = sys::write(channel.over_event.as_raw_fd(), &1u64.to_ne_bytes());
    loop {
        let _ = sys::wait_for_signal(&[]);
    }
}

/// Steps that can be done before a run, because no program could tell the difference.
fn wait_for_run(channel: &Pid1Channel) -> Result<&RunSpec, StepFailure> {
    let deadly = libc::SIGKILL as usize;
    in_step(TIE_PID1, sys::prctl(libc::PR_SET_PDEATHSIG, deadly, 0))?;
    // The slot may have died before that.
    if in_step(TIE_PID1, sys::is_readable(channel.slot))? {
        return Err((TIE_PID1, Errno(libc::ESRCH)));
    }
    in_step(SESSION, sys::setsid())?;
    // A blocked signal would wait forever; PID 1 ignores the others.
    in_step(SIGNALS, sys::block_signals(0))?;
    sys::wait_until_set(&channel.is_started);
    // SAFETY: the slot keeps the spec until it hears that the run is over.
    Ok(unsafe { &*channel.spec.load(Ordering::Acquire) })
}

/// Begins with everything that has a date.
fn run_program(spec: &RunSpec, channel: &Pid1Channel) -> StepResult {
    const PROC_FLAGS: u64 = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    // Processes of others must be invisible.
    let proc = mount::mount(c"proc", c"/proc", c"proc", PROC_FLAGS, c"hidepid=2");
    in_step(&RunStep("mount /proc in the sandbox"), proc)?;
    in_step(ATTACH, mount::move_mount(spec.memory, SHARED_MOUNT_POINT))?;
    in_step(ATTACH, mount::bind(c"/tmp/box", c"/box"))?;
    in_step(ATTACH, mount::bind(c"/tmp/tmp", SHARED_MOUNT_POINT))?;
    if !spec.writable {
        in_step(ATTACH, mount::make_read_only(c"/box"))?;
    }
    for attach in &spec.shown {
        let attached = mount::move_mount(attach.mount, &attach.target);
        in_step(&RunStep("show in the sandbox what the job shows"), attached)?;
    }
    let child = start_child(spec);
    // The slot has the same descriptors. The reader of the program's output must see its end when the program closes
    // it.
    spec.stdio.iter().for_each(|fd| _ = sys::close(*fd));
    let child = child?;
    loop {
        let ended = in_step(START, sys::wait(-1))?;
        if ended.pid == child {
            let report = &channel.report;
            record_end(report, ended);
            kill_all()?;
            let used = sys::usage(libc::RUSAGE_CHILDREN);
            report.used_cpu.store(used.cpu, Ordering::Relaxed);
            report.used_memory.store(used.memory, Ordering::Relaxed);
            return Ok(());
        }
    }
}

/// Kills all other processes in the process namespace, and waits for them. Orphans become children of PID 1. So once
/// PID 1 has no children, no process is left.
fn kill_all() -> StepResult {
    loop {
        match sys::ended_child() {
            Err(Errno(libc::ECHILD)) => return Ok(()),
            Err(errno) => return Err((&RunStep("end all processes of the run"), errno)),
            Ok(ended) if ended.pid != 0 => {}
            Ok(_) => {
                // A process that is about to fork is killed before it can.
                let _ = sys::kill(-1, libc::SIGKILL);
                let _ = sys::wait(-1);
            }
        }
    }
}
