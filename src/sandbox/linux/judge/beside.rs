//! Who takes turns on one core: two programs that talk and the thread between them, a short run and the thread that waits for it.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// This thread on the core of a slot's programs, until dropped. They take turns: on another core it would have to be woken there, each
/// time anew, which takes longer than all else that it does.
pub(in crate::sandbox) struct Beside {
    before: CpuSet,
}

impl Beside {
    /// On the core of a slot's process; if that fails, it is only slower.
    pub(in crate::sandbox) fn programs_of(process: i32) -> Option<Self> {
        let before = sched_getaffinity(None).ok()?;
        let cores = sched_getaffinity(Pid::from_raw(process)).ok()?;
        (cores != before).then(|| sched_setaffinity(None, &cores).ok())??;
        Some(Self { before })
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = sched_setaffinity(None, &self.before);
    }
}
