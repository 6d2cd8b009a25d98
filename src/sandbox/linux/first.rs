//! PID 1 of a room: finishes the view, starts the program of one run after the other, and takes everybody
//! along at its end. What [`super::init`] says about memory holds here, too.

use std::ffi::{CStr, CString};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::sandbox::linux::init::{Plan, Step, at, collect_all, fail, note_end, start_second};
use crate::sandbox::linux::sys::{self, Errno};
use crate::sandbox::linux::sys_mount;
use crate::sandbox::linux::sys_room;
use crate::sandbox::linux::trace::{self, Rest, Senses};

/// What the slot and PID 1 of a room tell each other. The slot keeps it until PID 1 is gone.
pub(super) struct Order {
    /// File systems to attach, once.
    pub(super) mounts: Vec<Attach>,
    /// What PID 1 looks for traces with, if the room may be kept.
    pub(super) senses: Option<Senses>,
    /// The run asked for last.
    pub(super) plan: AtomicPtr<Plan>,
    /// A pipe with a byte for each run asked for.
    pub(super) asked: RawFd,
    /// A pipe into which PID 1 writes a byte when a run is over and left no trace, and another when it rests and waits
    /// for the next. Else it ends, and takes the room with it.
    pub(super) untouched: RawFd,
    /// 1 once PID 1 found that this room cannot be made to look as new.
    pub(super) shows_age: AtomicU32,
}

/// A mount to attach in the run's own view.
pub(super) struct Attach {
    pub(super) mount: RawFd,
    pub(super) target: CString,
}

/// How `/proc` is mounted.
pub(super) const PROC_FLAGS: u64 = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
/// Processes of others are not to be seen.
pub(super) const PROC_OPTIONS: &CStr = c"hidepid=2";

/// PID 1: finishes the view, starts PID 2 of one run after the other while they leave no trace, and takes
/// all with it at its end.
pub(super) extern "C" fn first(order: *const Order) -> ! {
    // SAFETY: the slot keeps the order until this process is gone; it is shared, and only its atomics
    // change.
    let order = unsafe { &*order };
    let mut made = None;
    let code = loop {
        while sys_room::read(order.asked, &mut [0; 1]) != Ok(1) {}
        // SAFETY: the slot keeps the plan until it hears that the run is over.
        let plan = unsafe { &*order.plan.load(Ordering::Acquire) };
        let ran = made.map_or_else(|| make_room(order), Ok).and_then(|guard| {
            made = Some(guard);
            run(plan, guard, order)
        });
        match ran {
            Ok(Left::Nothing) => {
                let _ = sys::write(order.untouched, b"u");
                // While the judge looks at the outcome.
                if trace::forget_proc().is_err() {
                    break 1;
                }
                let _ = sys::write(order.untouched, b"r");
            }
            Ok(Left::Something) => break 0,
            Err((step, errno)) => break fail(&plan.report, step, errno),
        }
    };
    sys::exit(code)
}

/// What a run left in its room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Nothing,
    /// Or there is no telling.
    Something,
}

/// What to look for traces with, and what is to be seen where there are none.
#[derive(Clone, Copy)]
struct Guard<'a> {
    senses: &'a Senses,
    rest: Rest,
}

/// Finishes the view. Returns what to look for traces with, if that is possible.
fn make_room(order: &Order) -> Result<Option<Guard<'_>>, (Step, Errno)> {
    let deadly = libc::SIGKILL as usize;
    at(
        Step::TieToSlot,
        sys::prctl(libc::PR_SET_PDEATHSIG, deadly, 0),
    )?;
    at(Step::Session, sys::setsid())?;
    // What is held back would wait for ever. What is not, PID 1 is deaf to.
    at(Step::Signals, sys::unblock_signals())?;
    let proc = sys_mount::mount(c"proc", c"/proc", c"proc", PROC_FLAGS, PROC_OPTIONS);
    at(Step::MountProc, proc)?;
    for attach in &order.mounts {
        at(
            Step::Attach,
            sys_mount::move_mount(attach.mount, &attach.target),
        )?;
    }
    Ok(order.senses.as_ref().and_then(|senses| {
        let rest = senses.listen().ok()?;
        Some(Guard { senses, rest })
    }))
}

/// One run in the room.
fn run(plan: &Plan, guard: Option<Guard<'_>>, order: &Order) -> Result<Left, (Step, Errno)> {
    let before = match guard {
        Some(Guard { senses, rest }) => at(Step::Attach, senses.before(rest))?,
        None => None,
    };
    if before.is_none() {
        order.shows_age.store(1, Ordering::Relaxed);
    }
    let second = start_second(plan);
    // The slot has the same descriptors. Whoever reads what the program writes must see its end when the program
    // closes it.
    plan.stdio.iter().for_each(|fd| sys_room::close(*fd));
    let second = second?;
    let cpu = || sys::clock(libc::CLOCK_PROCESS_CPUTIME_ID);
    let begun = cpu();
    loop {
        let ended = at(Step::StartSecond, sys::wait(-1))?;
        if ended.pid != second {
            continue;
        }
        note_end(plan, ended);
        let is_untouched = match (guard, &before) {
            (Some(guard), Some(before)) => {
                sys::exited_by_itself(ended.status) && guard.senses.is_untouched(before)
            }
            _ => false,
        };
        if is_untouched {
            let used = cpu().saturating_sub(begun);
            plan.report.first_cpu.store(used, Ordering::Release);
            return Ok(Left::Nothing);
        }
        if plan.gates.cpu < 0 {
            collect_all();
        }
        return Ok(Left::Something);
    }
}
