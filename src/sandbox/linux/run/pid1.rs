//! PID 1 of a run with namespaces: waits until there is a run, completes the view, starts the program, and ends all
//! processes after it. The rules in [`crate::sandbox::linux::run::child`] about memory hold here, too.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::sandbox::linux::run::child::{
    ATTACH, Failure, Outcome, Plan, Report, SESSION, SIGNALS, START, Step, TIE, at, fail, note_end,
    start_child,
};
use crate::sandbox::linux::sys::mount;
use crate::sandbox::linux::sys::{self, Errno};

/// Messages between the slot and PID 1. The slot keeps them until PID 1 is gone.
pub(crate) struct Order {
    pub(crate) slot: RawFd,
    /// Null until there is a run.
    pub(crate) plan: AtomicPtr<Plan>,
    /// 1 as soon as there is a run.
    pub(crate) asked: AtomicU32,
    /// Becomes 1 after the program has ended and only PID 1 is left.
    pub(crate) over: OwnedFd,
    pub(crate) report: Arc<Report>,
}

impl Order {
    /// Makes PID 1 start this run. The slot must keep the plan until the run is over.
    pub(crate) fn ask(&self, plan: &Plan) {
        let plan = ptr::from_ref(plan).cast_mut();
        self.plan.store(plan, Ordering::Release);
        sys::set(&self.asked);
    }
}

/// A mount to attach in the run's own view.
pub(crate) struct Attach {
    pub(crate) mount: RawFd,
    pub(crate) target: CString,
}

/// The box, in the file system that it shares with the temporary directory.
pub(crate) const BOX: &CStr = c"box";
/// The temporary directory, in the same file system.
pub(crate) const TMP: &CStr = c"tmp";

/// The mount point of both, until the mount of the temporary directory hides it.
const BOTH: &CStr = c"/tmp";

pub(crate) extern "C" fn pid1(order: *const Order) -> ! {
    // SAFETY: the slot keeps the order until this process is gone; it is shared, and only its atomics
    // change.
    let order = unsafe { &*order };
    let done = wait_for_run(order).and_then(|plan| run(plan, order));
    if let Err(failure) = done {
        sys::exit(fail(&order.report, failure));
    }
    // Waits until the slot has measured. The end of PID 1 must not count for the program.
    let _ = sys::write(order.over.as_raw_fd(), &1u64.to_ne_bytes());
    loop {
        let _ = sys::wait_for_signal(&[]);
    }
}

/// Steps that can be done before a run, because no program could tell the difference.
fn wait_for_run(order: &Order) -> Result<&Plan, Failure> {
    let deadly = libc::SIGKILL as usize;
    at(TIE, sys::prctl(libc::PR_SET_PDEATHSIG, deadly, 0))?;
    // The slot may have died before that.
    if at(TIE, sys::is_readable(order.slot))? {
        return Err((TIE, Errno(libc::ESRCH)));
    }
    at(SESSION, sys::setsid())?;
    // A blocked signal would wait forever; PID 1 ignores the others.
    at(SIGNALS, sys::block_signals(0))?;
    sys::wait_for(&order.asked);
    // SAFETY: the slot keeps the plan until it hears that the run is over.
    Ok(unsafe { &*order.plan.load(Ordering::Acquire) })
}

/// Begins with everything that has a date.
fn run(plan: &Plan, order: &Order) -> Outcome {
    const PROC_FLAGS: u64 = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    // Processes of others must be invisible.
    let proc = mount::mount(c"proc", c"/proc", c"proc", PROC_FLAGS, c"hidepid=2");
    at(&Step("mount /proc in the sandbox"), proc)?;
    at(ATTACH, mount::move_mount(plan.memory, BOTH))?;
    at(ATTACH, mount::bind(c"/tmp/box", c"/box"))?;
    at(ATTACH, mount::bind(c"/tmp/tmp", BOTH))?;
    if !plan.writable {
        at(ATTACH, mount::make_read_only(c"/box"))?;
    }
    for attach in &plan.shown {
        let attached = mount::move_mount(attach.mount, &attach.target);
        at(&Step("show in the sandbox what the job shows"), attached)?;
    }
    let child = start_child(plan);
    // The slot has the same descriptors. The reader of the program's output must see its end when the program closes
    // it.
    plan.stdio.iter().for_each(|fd| _ = sys::close(*fd));
    let child = child?;
    loop {
        let ended = at(START, sys::wait(-1))?;
        if ended.pid == child {
            let report = &order.report;
            note_end(report, ended);
            end_all()?;
            let used = sys::usage(libc::RUSAGE_CHILDREN);
            report.used_cpu.store(used.cpu, Ordering::Relaxed);
            report.used_memory.store(used.memory, Ordering::Relaxed);
            return Ok(());
        }
    }
}

/// Kills all other processes in the process namespace, and waits for them. Orphans become children of PID 1. So once
/// PID 1 has no children, no process is left.
fn end_all() -> Outcome {
    loop {
        match sys::ended_child() {
            Err(Errno(libc::ECHILD)) => return Ok(()),
            Err(errno) => return Err((&Step("end all processes of the run"), errno)),
            Ok(ended) if ended.pid != 0 => {}
            Ok(_) => {
                // A process that is about to fork is killed before it can.
                let _ = sys::kill(-1, libc::SIGKILL);
                let _ = sys::wait(-1);
            }
        }
    }
}
