//! Moves a thread to the core of programs with which it takes turns: two programs that talk and the thread between
//! them, or a short run and the thread that waits for it.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps this thread on the core of a slot's programs, until dropped. They take turns. On another core, the thread
/// would have to be woken each time, which takes longer than its work.
pub(in crate::sandbox) struct CorePin {
    before: CpuSet,
}

impl CorePin {
    /// A failure only makes it slower.
    pub(in crate::sandbox) fn to_programs_of(process: i32) -> Option<Self> {
        let before = sched_getaffinity(None).ok()?;
        let cores = sched_getaffinity(Pid::from_raw(process)).ok()?;
        (cores != before).then(|| sched_setaffinity(None, &cores).ok())??;
        Some(Self { before })
    }
}

impl Drop for CorePin {
    fn drop(&mut self) {
        let _ = sched_setaffinity(None, &self.before);
    }
}
