//! The monotonic clock, which is independent of the time of day.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// A program may take this many times its wall time if others keep the processor busy.
pub(super) const BUSY_FACTOR: u32 = 20;

/// Nanoseconds since some fixed moment.
pub(super) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    nanoseconds(duration(time))
}

/// The system's time is never negative here.
pub(super) fn duration(time: Timespec) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

pub(super) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

pub(super) fn timespec(nanoseconds: u64) -> Timespec {
    Timespec {
        tv_sec: (nanoseconds / 1_000_000_000) as _,
        tv_nsec: (nanoseconds % 1_000_000_000) as _,
    }
}

/// Upper bound on what the kernel may charge to `RLIMIT_CPU` when a program reaches its limit, in seconds. It counts
/// whole ticks of its timer. Next to many short programs a long one is charged for their ticks too, by a third and more.
///
/// Source: `cputime.c` of Linux, `account_process_tick`.
#[cfg(target_os = "linux")]
pub(super) fn charged_seconds(limit: Duration) -> u64 {
    let twice = limit * 2;
    twice.as_secs() + u64::from(twice.subsec_nanos() > 0) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_kernel_may_charge_more_than_the_limit() {
        let check = |millis: u64, seconds: u64| {
            assert_eq!(charged_seconds(Duration::from_millis(millis)), seconds, "{millis} ms");
        };
        check(100, 2);
        check(1000, 3);
        check(1250, 4);
        check(12_500, 26);
    }
}
