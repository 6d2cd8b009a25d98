//! How fast this machine is just now: a short fixed piece of work, and how long it takes.
//!
//! The work is one SHA-256 over a text that stays in the nearest cache, so it is the same in each build of juror, and
//! nothing but the processor, and who shares it, makes it faster or slower.

use std::fs;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest as _, Sha256};

/// The text's length in bytes.
const TEXT: usize = 4 << 10;
/// How often a round digests it: together about half a millisecond.
const TIMES: usize = 64;

/// How long one round took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// CPU time of the thread.
    pub cpu: Duration,
    /// By the clock, so with the time in which others had the processor.
    pub wall: Duration,
}

/// Does so many rounds, one after the other.
pub fn rounds(number: usize) -> Vec<Round> {
    let text = [0x5a; TEXT];
    (0..number).map(|_| round(&text)).collect()
}

/// The least CPU time of a few rounds; this takes about three milliseconds. Others can only make a round longer, so the
/// least is the machine's own pace.
pub fn pace() -> Duration {
    rounds(5).iter().map(|round| round.cpu).min().unwrap_or_default()
}

/// How much time the host of this virtual machine took away from all its processors together, since it started. Zero if
/// nothing tells.
pub fn stolen() -> Duration {
    let counted = fs::read_to_string("/proc/stat").ok().and_then(|text| steal(&text));
    let ticks = counted.unwrap_or(0);
    let rate = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_nanos(ticks.saturating_mul(1_000_000_000 / rate))
}

/// The eighth number of the first line of `/proc/stat`. Source: the manual page `proc_stat(5)`.
fn steal(stat: &str) -> Option<u64> {
    let all = stat.lines().next()?.strip_prefix("cpu ")?;
    all.split_whitespace().nth(7)?.parse().ok()
}

fn round(text: &[u8]) -> Round {
    let (cpu, wall) = (thread_time(), Instant::now());
    let mut digest = Sha256::new();
    for _ in 0..TIMES {
        digest.update(text);
    }
    std::hint::black_box(digest.finalize());
    Round { cpu: thread_time().saturating_sub(cpu), wall: wall.elapsed() }
}

/// CPU time of this thread.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_counted_for_all_processors() {
        let check = |stat: &str, ticks: Option<u64>| assert_eq!(steal(stat), ticks, "{stat}");
        check("cpu  1 2 3 4 5 6 7 80 0 0\ncpu0 1 2 3 4 5 6 7 40 0 0\n", Some(80));
        check("cpu  1 2 3 4\n", None);
        check("intr 1 2\n", None);
        check("", None);
    }

    #[test]
    fn each_round_takes_time() {
        let rounds = rounds(3);
        assert_eq!(rounds.len(), 3);
        assert!(rounds.iter().all(|round| round.cpu > Duration::ZERO));
        assert!(pace() > Duration::ZERO);
    }
}
