//! The present speed of this machine: the time for a short fixed piece of work.
//!
//! The work is SHA-256 over a text that stays in the nearest cache. It is the same in each build of juror, and only
//! the processor, and those who share it, make it faster or slower. A walk through memory shows what others do to the
//! large caches.

use std::fs;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest as _, Sha256};

use crate::model::host::Calibration;

/// The text's length in bytes.
const TEXT: usize = 4 << 10;
/// Number of digests in a round: together about half a millisecond.
const TIMES: usize = 64;

/// The time of one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// CPU time of the thread.
    pub cpu: Duration,
    /// Wall time, including the time in which others had the processor.
    pub wall: Duration,
}

/// Runs this many rounds, one after the other.
pub fn rounds(number: usize) -> Vec<Round> {
    let text = [0x5a; TEXT];
    (0..number).map(|_| round(&text)).collect()
}

/// The least CPU time of a few rounds; this takes about three milliseconds. Others can only make a round longer, so
/// the least is the machine's own pace.
pub fn pace() -> Duration {
    rounds(5).iter().map(|round| round.cpu).min().unwrap_or_default()
}

/// The CPU time of a step from one place in memory to another that the first one names, on average over a walk through 8
/// MiB: on a quiet machine as long as the last cache needs, for most processors below 30 ns.
pub fn step() -> Duration {
    let walk = || {
        let begun = thread_time();
        let mut at = 0;
        for _ in 0..PLACES {
            at = WALK[at * LINE] as usize;
        }
        std::hint::black_box(at);
        thread_time().saturating_sub(begun) / PLACES as u32
    };
    // The first walk fills the caches.
    walk();
    walk()
}

/// How many places the walk has, each in a line of the cache of its own: a power of two.
const PLACES: usize = 1 << 17;
/// Numbers in a line of 64 bytes.
const LINE: usize = 16;

/// What follows each place. All places are on one circle, because the multiplier minus one is a multiple of four and the
/// summand is odd. Source: Knuth, The Art of Computer Programming, volume 2, theorem A in 3.2.1.2.
static WALK: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let next = |place: usize| (place.wrapping_mul(2_654_435_761) + 12_345) % PLACES;
    let place = |at: usize| if at.is_multiple_of(LINE) { next(at / LINE) as u32 } else { 0 };
    (0..PLACES * LINE).map(place).collect()
});

/// Measures how even times are, alone and on this many cores at once; takes some hundreds of milliseconds.
pub(crate) fn calibrate(cores: usize) -> Calibration {
    /// Number of rounds of each kind.
    const ROUNDS: usize = 100;
    let (begun, taken) = (Instant::now(), stolen());
    let alone = rounds(ROUNDS);
    let beside = on_all(cores, || rounds(ROUNDS));
    let copied = copied();
    let copied_beside = on_all(cores, || vec![self::copied()]);
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let all = begun.elapsed().as_secs_f64() * processors as f64;
    let mut times: Vec<f64> = alone.iter().map(|round| round.cpu.as_secs_f64()).collect();
    times.sort_by(f64::total_cmp);
    let least = times[0].max(1e-9);
    let mean = |rounds: &[Round]| {
        let sum: f64 = rounds.iter().map(|round| round.cpu.as_secs_f64()).sum();
        sum / rounds.len().max(1) as f64
    };
    let sum = |time: fn(&Round) -> Duration| alone.iter().map(time).sum::<Duration>().as_secs_f64();
    Calibration {
        pace_seconds: least,
        pace_noise: times[ROUNDS * 9 / 10] / least - 1.0,
        pace_beside: (mean(&beside) / mean(&alone).max(1e-9) - 1.0).max(0.0),
        busy: 1.0 - (sum(|round| round.cpu) / sum(|round| round.wall).max(1e-9)).min(1.0),
        stolen: stolen().saturating_sub(taken).as_secs_f64() / all.max(1e-9),
        copied_per_second: copied,
        copied_beside_per_second: copied_beside.into_iter().fold(copied, f64::min),
        frequency_governor: fs::read_to_string(GOVERNOR).ok().map(|it| it.trim().to_owned()),
    }
}

/// Source: `Documentation/admin-guide/pm/cpufreq.rst` of Linux.
const GOVERNOR: &str = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";

/// The results of this many threads at the same time; fewer if the machine starts no more.
fn on_all<T: Send>(threads: usize, work: impl Fn() -> Vec<T> + Sync) -> Vec<T> {
    let found = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..threads {
            let start = thread::Builder::new().spawn_scoped(scope, || {
                let mut mine = work();
                found.lock().unwrap_or_else(PoisonError::into_inner).append(&mut mine);
            });
            if start.is_err() {
                break;
            }
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Number of bytes that this thread copies in a second of its CPU time, from an area larger than caches.
fn copied() -> f64 {
    const SIZE: usize = 32 << 20;
    const COPIES: usize = 3;
    let from = vec![1u8; SIZE];
    let mut to = vec![0u8; SIZE];
    let mut best = Duration::MAX;
    for _ in 0..COPIES {
        let begun = thread_time();
        to.copy_from_slice(std::hint::black_box(&from));
        best = best.min(thread_time().saturating_sub(begun));
        std::hint::black_box(&mut to);
    }
    SIZE as f64 / best.as_secs_f64().max(1e-9)
}

/// The time that the host of this virtual machine took from all its processors together since the start; zero if
/// unknown.
pub fn stolen() -> Duration {
    let counted = fs::read_to_string("/proc/stat").ok().and_then(|text| steal(&text));
    let ticks = counted.unwrap_or(0);
    let rate = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_nanos(ticks.saturating_mul(1_000_000_000 / rate))
}

/// The least number of other threads of the machine that want a processor, in several looks; zero if unknown.
///
/// After a run, the kernel removes its namespaces. That takes some milliseconds and does not count.
pub fn runnable() -> u32 {
    let look = || {
        let counted = fs::read_to_string("/proc/loadavg").ok().and_then(|text| running(&text));
        counted.unwrap_or(0).saturating_sub(1)
    };
    let mut least = look();
    for _ in 0..LOOKS {
        if least == 0 {
            break;
        }
        thread::sleep(BETWEEN_LOOKS);
        least = least.min(look());
    }
    least
}

/// How often to look again for other threads.
const LOOKS: usize = 4;
/// The time between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// The number before the slash in `/proc/loadavg`. Source: the manual page `proc_loadavg(5)`.
fn running(loadavg: &str) -> Option<u32> {
    loadavg.split_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
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
    fn threads_that_want_a_processor_are_counted() {
        assert_eq!(running("1.07 0.30 0.20 3/99 12345\n"), Some(3));
        assert_eq!(running("1.07 0.30"), None);
    }

    #[test]
    fn a_calibration_is_of_positive_numbers() {
        let found = calibrate(2);
        assert!(found.pace_seconds > 0.0 && found.copied_beside_per_second > 0.0, "{found:?}");
        let parts = [found.busy, found.stolen, found.pace_beside, found.pace_noise];
        assert!(parts.iter().all(|part| part.is_finite() && *part >= 0.0), "{found:?}");
    }

    #[test]
    fn each_round_takes_time() {
        let rounds = rounds(3);
        assert_eq!(rounds.len(), 3);
        assert!(rounds.iter().all(|round| round.cpu > Duration::ZERO));
        assert!(pace() > Duration::ZERO);
    }

    #[test]
    fn a_walk_visits_each_place_once() {
        let mut at = 0;
        let visited: std::collections::BTreeSet<usize> = (0..PLACES)
            .map(|_| {
                at = WALK[at * LINE] as usize;
                at
            })
            .collect();
        assert_eq!(visited.len(), PLACES);
        assert!(step() > Duration::ZERO);
    }
}
