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

/// `RLIMIT_CPU` of each process, in seconds: the kernel's own limit, if the judge's supervision fails. There the
/// kernel counts whole ticks of its timer. Next to many short programs a long one is charged for their ticks too, by a
/// third and more.
///
/// Source: `cputime.c` of Linux, `account_process_tick`.
pub(super) fn cpu_backstop(limit: Duration) -> u64 {
    if cfg!(target_vendor = "apple") {
        // Nothing else ends the program there. It is above the limit, so that the measured time decides.
        return limit.as_secs() + 1;
    }
    let twice = limit * 2;
    twice.as_secs() + u64::from(twice.subsec_nanos() > 0) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_limit_is_above_the_judges_limit() {
        let check = |millis: u64, seconds: u64| {
            assert_eq!(cpu_backstop(Duration::from_millis(millis)), seconds, "{millis} ms");
        };
        check(100, 2);
        check(1000, 3);
        check(1250, 4);
        check(12_500, 26);
    }
}
