//! PID 1 of a run without namespaces. The rules in [`crate::sandbox::linux::run::child`] about memory hold here, too.
//!
//! To the kernel it is not PID 1: its end would kill no other process. So it kills all processes itself, at the end of
//! the program, and when the slot dies, which the kernel reports by a signal.

use crate::sandbox::linux::run::child::{
    self, CLOSE, LANDLOCK, Outcome, Plan, START, TIE, at, fail,
};
use crate::sandbox::linux::sys::{self, Errno};
use crate::sandbox::linux::view::landlock::LandlockPlan;

/// The kernel's signal when the slot dies.
const SLOT_DIED: i32 = libc::SIGTERM;

/// Starts PID 2, waits for all processes, and ends them.
pub(crate) extern "C" fn pid1(plan: *const Plan) -> ! {
    // SAFETY: as in `pid1`.
    let plan = unsafe { &*plan };
    let done = match &plan.landlock_plan {
        Some(landlock) => run(plan, landlock),
        None => Err((TIE, Errno(libc::EINVAL))),
    };
    sys::exit(done.map_or_else(|failure| fail(&plan.report, failure), |()| 0))
}

fn run(plan: &Plan, landlock: &LandlockPlan) -> Outcome {
    let told = SLOT_DIED as usize;
    at(TIE, sys::prctl(libc::PR_SET_PDEATHSIG, told, 0))?;
    if sys::parent() != Ok(landlock.slot as usize) {
        return Err((TIE, Errno(libc::ESRCH)));
    }
    at(TIE, sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0))?;
    at(LANDLOCK, sys::landlock_restrict(landlock.scope))?;
    // Everything depends on this: the kill below reaches all processes that this one may signal.
    if sys::kill(landlock.slot, 0) != Err(Errno(libc::EPERM)) {
        return Err((LANDLOCK, Errno(libc::EOPNOTSUPP)));
    }
    let child = child::start_child(plan)?;
    // The reader of the program's output must see its end when the program closes it.
    at(CLOSE, sys::close_range(child::FIRST_OTHER, u32::MAX, 0))?;
    loop {
        while let Ok(ended) = sys::ended_child() {
            if ended.pid == 0 {
                break;
            }
            if ended.pid == child {
                child::note_end(&plan.report, ended);
                collect_all();
                return Ok(());
            }
        }
        let signal = at(START, sys::wait_for_signal(&[libc::SIGCHLD, SLOT_DIED]))?;
        if signal == SLOT_DIED {
            collect_all();
            return Ok(());
        }
    }
}

/// If no control group counts, only children that were waited for are accounted for.
fn collect_all() {
    let _ = sys::kill(-1, libc::SIGKILL);
    while sys::wait(-1).is_ok() {}
}
