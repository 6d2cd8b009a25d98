//! How fast this machine is now: the CPU time of a short fixed loop.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Rounds of the loop, each of a part of a millisecond. The fastest counts: whatever disturbs one makes it slower.
const ROUNDS: usize = 8;

/// Steps of a round, each of which needs the result of the one before.
const STEPS: u64 = 100_000;

/// The CPU time of the loop, measured when it is first asked for: some milliseconds, once in a process.
pub fn pace() -> Duration {
    static PACE: OnceLock<Duration> = OnceLock::new();
    *PACE.get_or_init(|| measure(ROUNDS))
}

/// The CPU time of the fastest of so many rounds.
pub fn measure(rounds: usize) -> Duration {
    (0..rounds).map(|_| round()).min().unwrap_or_default()
}

/// The CPU time of one round.
pub fn round() -> Duration {
    let begin = cpu_time();
    let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for step in 0..STEPS {
        state = (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(step);
    }
    black_box(state);
    cpu_time().saturating_sub(begin)
}

/// What this thread used of the processor.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let parts = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    match parts {
        (Ok(seconds), Ok(nanoseconds)) => Duration::new(seconds, nanoseconds),
        _ => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_measured_once_and_takes_some_time() {
        assert_eq!(pace(), pace());
        assert!(pace() > Duration::ZERO);
        assert!(round() >= Duration::from_micros(1));
    }
}
