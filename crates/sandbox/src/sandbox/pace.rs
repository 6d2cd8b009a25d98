//! The speed of this machine: the time for a short fixed piece of work.
//!
//! The work is SHA-256 over a text that stays in the nearest cache. It is the same in each build of juror. Only the
//! processor, and other programs on it, change its time.

use std::fs;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest as _, Sha256};

use crate::sandbox::clock;
use juror_core::host::Calibration;

/// In bytes.
const TEXT_BYTES: usize = 4 << 10;
/// Digests in a round, which takes about half a millisecond.
const DIGESTS_PER_ROUND: usize = 64;

/// Source: `Documentation/admin-guide/pm/cpufreq.rst` of Linux.
const GOVERNOR: &str = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";

/// The least CPU time of a few rounds; takes about ten milliseconds. Others can only make a round longer, so the least
/// is the machine's own pace.
pub fn measure_pace() -> Duration {
    const ROUNDS: usize = 20;
    (1..ROUNDS).map(|_| round_time()).fold(round_time(), Duration::min)
}

fn round_time() -> Duration {
    let text = [0x5a; TEXT_BYTES];
    let begun = thread_time();
    let mut digest = Sha256::new();
    for _ in 0..DIGESTS_PER_ROUND {
        digest.update(text);
    }
    std::hint::black_box(digest.finalize());
    thread_time().saturating_sub(begun)
}

/// Measures how even times are; takes some tens of milliseconds.
pub(crate) fn calibrate() -> Calibration {
    const ROUNDS: usize = 100;
    let mut times: Vec<f64> = (0..ROUNDS).map(|_| round_time().as_secs_f64()).collect();
    times.sort_by(f64::total_cmp);
    Calibration {
        pace_noise: times[ROUNDS * 9 / 10] / times[0].max(1e-9) - 1.0,
        frequency_governor: fs::read_to_string(GOVERNOR).ok().map(|it| it.trim().to_owned()),
    }
}

fn thread_time() -> Duration {
    clock::duration(clock_gettime(ClockId::ThreadCPUTime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calibration_is_of_positive_numbers() {
        let found = calibrate();
        assert!(found.pace_noise.is_finite() && found.pace_noise >= 0.0, "{found:?}");
        assert!(measure_pace() > Duration::ZERO);
    }
}
