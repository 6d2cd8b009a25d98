//! The monotonic clock, which is independent of the time of day.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// The time since some fixed moment, in nanoseconds.
pub(super) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let rest = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds * 1_000_000_000 + rest
}

/// A number of nanoseconds as the system's type.
pub(super) fn timespec(nanoseconds: u64) -> Timespec {
    Timespec {
        tv_sec: (nanoseconds / 1_000_000_000) as _,
        tv_nsec: (nanoseconds % 1_000_000_000) as _,
    }
}
