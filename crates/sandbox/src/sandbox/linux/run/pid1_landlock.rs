//! PID 1 of a run without namespaces. The rules in [`crate::sandbox::linux::run::child`] about memory hold here, too.
//!
//! To the kernel it is not PID 1: its end would kill no other process. So it kills all processes itself, at the end of
//! the program, and when the slot dies, which the kernel reports by a signal.

use crate::sandbox::linux::run::child::{
    self, CLOSE, LANDLOCK, LandlockSpec, RunSpec, START, StepResult, TIE_PID1, in_step,
    report_failure,
};
use crate::sandbox::linux::sys::{self, Errno};

/// The kernel's signal when the slot dies.
const SLOT_DIED: i32 = libc::SIGTERM;

/// Starts PID 2, waits for all processes, and ends them.
pub(crate) extern "C" fn pid1(spec: *const RunSpec) -> ! {
    // SAFETY: as in `pid1`.
    let spec = unsafe { &*spec };
    let result = match &spec.landlock_spec {
        Some(landlock) => run(spec, landlock),
        None => Err((TIE_PID1, Errno(libc::EINVAL))),
    };
    sys::exit(result.map_or_else(|failure| report_failure(&spec.report, failure), |()| 0))
}

fn run(spec: &RunSpec, landlock: &LandlockSpec) -> StepResult {
    let signal = SLOT_DIED as usize;
    in_step(TIE_PID1, sys::prctl(libc::PR_SET_PDEATHSIG, signal, 0))?;
    if sys::parent() != Ok(landlock.slot as usize) {
        return Err((TIE_PID1, Errno(libc::ESRCH)));
    }
    in_step(TIE_PID1, sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0))?;
    in_step(LANDLOCK, sys::landlock_restrict(landlock.scope))?;
    // Everything depends on this: the kill below reaches all processes that this one may signal.
    if sys::kill(landlock.slot, 0) != Err(Errno(libc::EPERM)) {
        return Err((LANDLOCK, Errno(libc::EOPNOTSUPP)));
    }
    let child = child::start_child(spec)?;
    // The reader of the program's output must see its end when the program closes it.
    in_step(CLOSE, sys::close_range(child::FIRST_OTHER, u32::MAX, 0))?;
    loop {
        while let Ok(ended) = sys::ended_child() {
            if ended.pid == 0 {
                break;
            }
            if ended.pid == child {
                child::record_end(&spec.report, ended);
                kill_and_reap_all();
                return Ok(());
            }
        }
        let signal = in_step(START, sys::wait_for_signal(&[libc::SIGCHLD, SLOT_DIED]))?;
        if signal == SLOT_DIED {
            kill_and_reap_all();
            return Ok(());
        }
    }
}

/// If no control group counts, only children that were waited for are accounted for.
fn kill_and_reap_all() {
    let _ = sys::kill(-1, libc::SIGKILL);
    while sys::wait(-1).is_ok() {}
}
