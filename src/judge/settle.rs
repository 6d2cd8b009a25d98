//! Settles a verdict that depends on a measurement near its limit: repeats the run alone until the limit is clear of
//! the measurements.
//!
//! Other programs on the machine can only make a run longer, so the run with the least CPU time counts. `docs/time.md`
//! explains the rule and its reasons.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::judge::classify::passed;
use crate::model::job::Job;
use crate::model::limits::Limits;
use crate::model::outcome::{Contention, Outcome, StoppedBy};
use crate::model::repeats::{Repeats, TimedRun};
use crate::model::stop::Stop;

/// How many runs of a submission on a test case there are at most, including the first.
const MOST: usize = 4;
/// How many repetitions a submission gets at most, on all test cases together.
const MOST_IN_ALL: u32 = 12;
/// How much neighbours on other cores may slow a program down. A run continues up to this many times the limit; one
/// that is stopped there need not be repeated.
pub(super) const SLACK: f64 = 1.25;
/// On a quiet machine, a run this many times over its limit is too slow without doubt.
const FAR: u32 = 2;
/// The same if other programs run.
const FAR_BESIDE_OTHERS: u32 = 3;
/// The same if they also use the memory so much that the large caches are of no use. A program that lives from these took
/// up to six times as long then.
const FAR_WITHOUT_CACHES: u32 = 10;
/// How long a step through memory takes if the large caches are of use.
const WITH_CACHES: Duration = Duration::from_nanos(15);
/// A program that loses its processor more often than this per second of its CPU time is not alone on it.
const OFTEN: f64 = 40.0;
/// Even on the quietest machine, runs differ by this part of the limit.
const LEAST_SPREAD: f64 = 0.01;
/// A single repetition proves that a program is too slow only if it exceeds the limit by more than this part.
const DOUBT: f64 = 0.1;

/// How near a submission came to its limits so far.
#[derive(Debug, Default)]
pub struct Nearness {
    /// The slowest run within the limit that was repeated.
    slowest: Mutex<Duration>,
    /// The number of repetitions.
    again: AtomicU32,
    /// A repetition needed as much memory, so runs on other test cases will, too.
    memory_is_firm: AtomicBool,
    /// A repetition took so long that there is no doubt: a run stopped on another test case is not repeated.
    time_is_firm: AtomicBool,
}

/// A repetition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Again {
    /// Its number, from 1.
    pub(super) number: u32,
    /// After how many times the limit it is too slow, whatever other programs do.
    far: u32,
}

/// A job that may run long enough to settle a verdict by these limits.
pub(super) fn patient(job: &Job, limits: &Limits, again: Again) -> Job {
    let mut job = job.clone();
    job.limits.cpu_time = limits.cpu_time.map(|limit| limit * again.far);
    let least = job.limits.cpu_time.map(|limit| limit * 2);
    job.limits.wall_time = job.limits.wall_time.map(|limit| limit.max(least.unwrap_or_default()));
    job
}

impl Nearness {
    /// Whether this is the slowest run so far, by enough to repeat it.
    fn is_slowest(&self, time: Duration) -> bool {
        let mut slowest = self.slowest.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = time.as_secs_f64() > slowest.as_secs_f64() * 1.05;
        if is_new {
            *slowest = time;
        }
        is_new
    }

    fn may_go_on(&self) -> bool {
        self.again.fetch_add(1, Ordering::Relaxed) < MOST_IN_ALL
    }
}

/// The run that counts, and all runs if there were several.
pub(super) struct Settled<R> {
    pub(super) reply: R,
    pub(super) repeats: Option<Box<Repeats>>,
}

/// Repeats a run as long as that may settle the verdict.
pub(super) fn settle<R>(
    nearness: Option<&Nearness>,
    limits: &Limits,
    first: R,
    outcome: impl Fn(&R) -> &Outcome,
    mut again: impl FnMut(Again) -> Result<R, Stop>,
) -> Result<Settled<R>, Stop> {
    let mut runs = vec![first];
    if let (Some(nearness), Some(limit)) = (nearness, limits.cpu_time) {
        for number in 1..MOST {
            let facts: Vec<&Outcome> = runs.iter().map(&outcome).collect();
            if !is_open(&facts, limits, limit, nearness) || !nearness.may_go_on() {
                break;
            }
            // The next step may be slower still, so there is time for the slowest.
            let far = match facts.iter().any(|run| far(run) > FAR_BESIDE_OTHERS) {
                true => FAR_WITHOUT_CACHES,
                false => FAR_BESIDE_OTHERS,
            };
            runs.push(again(Again { number: number as u32, far })?);
        }
    }
    let facts: Vec<&Outcome> = runs.iter().map(&outcome).collect();
    let best = best(&facts, limits);
    let repeats = limits.cpu_time.filter(|_| facts.len() > 1).map(|limit| {
        let kinds = || facts.iter().map(|run| passed(run, limits));
        let memory = Some(StoppedBy::Memory);
        // It needed less memory only by chance.
        let in_memory = kinds().any(|it| it == memory) && passed(facts[best], limits) != memory;
        if let (Some(nearness), false) = (nearness, in_memory) {
            let is_firm = kinds().all(|it| it == memory);
            nearness.memory_is_firm.fetch_or(is_firm, Ordering::Relaxed);
        }
        if let Some(nearness) = nearness {
            let is_firm = facts[1..].iter().any(|run| is_far(run, limit));
            nearness.time_is_firm.fetch_or(is_firm, Ordering::Relaxed);
        }
        Box::new(Repeats {
            is_sensitive: in_memory || !is_clear(&facts, limit),
            is_about_memory: in_memory,
            runs: facts.iter().map(|run| TimedRun::from(*run)).collect(),
        })
    });
    Ok(Settled { reply: runs.swap_remove(best), repeats })
}

/// The run that counts: first those within the limits, then those with a known time, then those with the least CPU
/// time, then the earliest.
fn best(facts: &[&Outcome], limits: &Limits) -> usize {
    let rank = |at: &usize| {
        let run = facts[*at];
        let is_stopped = run.is_cut_off();
        (passed(run, limits).is_some(), is_stopped, run.cpu_time)
    };
    (0..facts.len()).min_by_key(rank).unwrap_or_default()
}

/// Whether a repetition may change the result.
fn is_open(facts: &[&Outcome], limits: &Limits, limit: Duration, nearness: &Nearness) -> bool {
    let run = facts[best(facts, limits)];
    if facts.len() > 1 {
        let kinds = || facts.iter().map(|run| passed(run, limits));
        let is_timed = kinds().any(|it| it == Some(StoppedBy::CpuTime))
            || kinds().all(|it| it != Some(StoppedBy::Memory));
        return is_timed && !is_clear(facts, limit);
    }
    match passed(run, limits) {
        // Its full time is unknown, but it exceeds the limit by more than simultaneous runs vary.
        Some(StoppedBy::CpuTime) if run.is_cut_off() => {
            !is_far(run, limit)
                && is_disturbed(run)
                && !nearness.time_is_firm.load(Ordering::Relaxed)
        }
        Some(StoppedBy::CpuTime) => !is_far(run, limit),
        Some(StoppedBy::Memory) => {
            let allowed = limits.memory.unwrap_or_default().0;
            let is_far = run.peak_memory.0 / u64::from(FAR) >= allowed;
            !is_far && !nearness.memory_is_firm.load(Ordering::Relaxed)
        }
        None => run.cpu_time.mul_f64(SLACK) > limit && nearness.is_slowest(run.cpu_time),
        Some(_) => false,
    }
}

/// Whether the limit is farther from all measurements than the runs differ from each other. Runs that were alone
/// count; the first run counts only if there is a single repetition.
fn is_clear(facts: &[&Outcome], limit: Duration) -> bool {
    // One that was stopped before it was far over the limit proves nothing beside one that was not.
    let proves = |run: &&Outcome| !run.is_cut_off() || is_far(run, limit);
    let mut alone: Vec<&Outcome> = facts[1..].to_vec();
    if alone.iter().any(proves) {
        alone.retain(proves);
    }
    let measured = if facts.len() > 2 { &alone } else { facts };
    let pace = facts.iter().filter_map(|run| run.contention.pace).min();
    let most = measured.iter().map(|run| run.cpu_time).max().unwrap_or_default();
    let least = measured.iter().map(|run| run.cpu_time).min().unwrap_or_default();
    let spread = (most - least).max(limit.mul_f64(LEAST_SPREAD));
    // What the repetitions would have taken on a quiet machine.
    let quiet = alone.iter().map(|run| match is_far(run, limit) {
        true => run.cpu_time,
        false => run.cpu_time.saturating_sub(lost(run, pace)),
    });
    // A single repetition is little evidence for rejecting a submission.
    let doubt = if facts.len() > 2 { spread } else { spread.max(limit.mul_f64(DOUBT)) };
    most + spread < limit || quiet.min().is_some_and(|quiet| quiet > limit + doubt)
}

/// Whether a run exceeds the limit by so much that other programs cannot be the reason.
fn is_far(run: &Outcome, limit: Duration) -> bool {
    run.cpu_time >= limit * far(run)
}

/// How many times as long as on a quiet machine a run may take at most, under the conditions that it had.
fn far(run: &Outcome) -> u32 {
    if !is_disturbed(run) {
        return FAR;
    }
    // No program is slower by more than the memory is.
    let slower = run.contention.step.unwrap_or_default().div_duration_f64(WITH_CACHES).ceil();
    (slower as u32).clamp(FAR_BESIDE_OTHERS, FAR_WITHOUT_CACHES)
}

/// Whether others used the processor for a part of the time, or other processors at the end. A program whose own
/// threads compete for the processor does not wait.
fn is_disturbed(run: &Outcome) -> bool {
    let Contention { switches, others, stolen, .. } = run.contention;
    let cpu = run.cpu_time.as_secs_f64();
    let waited = run.wall_time.as_secs_f64() > cpu * 1.1;
    let is_pushed = switches as f64 > OFTEN * cpu && switches > 4;
    others > 0 || waited && is_pushed || stolen.as_secs_f64() > cpu * 0.02
}

/// The CPU time that others may have cost a run. `pace` is the best pace that was measured.
fn lost(run: &Outcome, pace: Option<Duration>) -> Duration {
    if is_disturbed(run) {
        return run.cpu_time - run.cpu_time / far(run);
    }
    match (pace, run.contention.pace) {
        (Some(best), Some(pace)) if pace > best => {
            run.cpu_time.mul_f64(1.0 - best.as_secs_f64() / pace.as_secs_f64())
        }
        _ => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::outcome::quiet_outcome;
    use crate::model::outcome::{Contention, Ending, Signal};
    use crate::model::units::Bytes;

    const LIMIT: u64 = 1000;

    fn limits() -> Limits {
        Limits {
            cpu_time: Some(Duration::from_millis(LIMIT)),
            memory: Some(Bytes::mib(64)),
            ..Limits::default()
        }
    }

    /// A run by its CPU time in milliseconds. Suffixes: `!` if it was stopped for that, `w` for wall time, `m` for
    /// memory; `~` if it was disturbed, `~~` if others used the memory, too.
    fn run(text: &str) -> Outcome {
        let switches = if text.ends_with('~') { 300 } else { 0 };
        let step = Some(Duration::from_nanos(if text.ends_with("~~") { 90 } else { 20 }));
        let text = text.trim_end_matches('~');
        let millis: u64 = text.trim_end_matches(['!', 'm', 'w']).parse().unwrap();
        let stopped_by = match text.chars().last() {
            Some('!') => Some(StoppedBy::CpuTime),
            Some('m') => Some(StoppedBy::Memory),
            Some('w') => Some(StoppedBy::WallTime),
            _ => None,
        };
        Outcome {
            cpu_time: Duration::from_millis(millis),
            stopped_by,
            ending: match stopped_by {
                Some(_) => Ending::Signalled(Signal(9)),
                None => Ending::Exited(0),
            },
            wall_time: Duration::from_millis(if switches > 0 { 2 * millis } else { millis }),
            contention: Contention { switches, step, ..Contention::default() },
            ..quiet_outcome()
        }
    }

    /// Checks what is made of a first run and its repetitions: how many runs there are, which one counts, and whether
    /// that is sensitive.
    fn check(script: &str, expected: &str) {
        check_with(&Nearness::default(), script, expected);
    }

    fn check_with(nearness: &Nearness, script: &str, expected: &str) {
        let mut runs = script.split(' ').map(run);
        let first = runs.next().unwrap();
        let again = |_| Ok(runs.next().expect("not so many runs"));
        let settled = settle(Some(nearness), &limits(), first, |run| run, again).unwrap();
        let number = settled.repeats.as_ref().map_or(1, |it| it.runs.len());
        let kept = match passed(&settled.reply, &limits()) {
            None => "within",
            Some(StoppedBy::Memory) => "memory",
            Some(_) => "over",
        };
        let is_sensitive = settled.repeats.is_some_and(|it| it.is_sensitive);
        let sensitive = if is_sensitive { ", sensitive" } else { "" };
        let millis = settled.reply.cpu_time.as_millis();
        assert_eq!(format!("{number}: {millis} {kept}{sensitive}"), expected, "{script}");
    }

    #[test]
    fn what_is_far_from_the_limit_is_run_once() {
        check("10", "1: 10 within");
        check("600", "1: 600 within");
        check("799", "1: 799 within");
        check("2000", "1: 2000 over");
        check("2300", "1: 2300 over");
        check("1250!", "1: 1250 over");
        check("3000!~", "1: 3000 over");
    }

    #[test]
    fn what_is_over_its_limit_by_little_runs_again_alone() {
        check("1050 900 905", "3: 900 within");
        check("1050 1045 1047", "3: 1045 over");
        check("1150 1145", "2: 1145 over");
        check("1240 600 605", "3: 600 within");
        check("1200 1050 1052", "3: 1050 over");
        // Stopped, but others used the processor for a part of the time.
        check("1250!~ 900 905", "3: 900 within");
        check("1250!~ 2000", "2: 2000 over");
        check("1250!~ 3000!~", "2: 1250 over");
        // What others do to the memory may cost it more.
        check("1250!~ 3000!~~ 5100~~ 5000~~", "4: 5000 over, sensitive");
        check("1250!~ 3000!~~ 900", "3: 900 within");
        check("1250!~ 3000!~~ 6000!~~", "3: 1250 over");
        check("1250!~ 3000!~~ 5900~~ 5950~~", "4: 5900 over, sensitive");
    }

    #[test]
    fn a_limit_within_the_spread_is_told() {
        check("1050 930 1020 970", "4: 930 within, sensitive");
        check("1002 1001 1003 1002", "4: 1001 over, sensitive");
        check("998 999 1001 1000", "4: 998 within, sensitive");
        // Others disturbed every run.
        check("1100~ 1110~ 1105~ 1108~", "4: 1100 over, sensitive");
        check("1250!~ 2400~ 2300~ 2350~", "4: 2300 over, sensitive");
        // The machine was so busy that wall time ended runs that were allowed to continue beyond the limit.
        check("1250!~ 1350w~ 1340w~ 1360w~", "4: 1250 over, sensitive");
    }

    #[test]
    fn whichever_run_was_disturbed_the_verdict_is_the_same() {
        for script in ["1050 900 905", "900 905", "900 1050 905 902", "1050 1050 900 905"] {
            let mut runs = script.split(' ').map(run);
            let first = runs.next().unwrap();
            let again = |_| Ok(runs.next().expect("not so many runs"));
            let near = Nearness::default();
            let settled = settle(Some(&near), &limits(), first, |run| run, again).unwrap();
            assert_eq!(settled.reply.cpu_time.as_millis(), 900, "{script}");
        }
    }

    #[test]
    fn only_the_slowest_run_within_the_limit_is_looked_at_again() {
        let near = Nearness::default();
        check_with(&near, "850 851", "2: 850 within");
        check_with(&near, "840", "1: 840 within");
        check_with(&near, "860", "1: 860 within");
        check_with(&near, "940 941", "2: 940 within");
    }

    #[test]
    fn a_submission_is_run_again_only_so_often() {
        let near = Nearness::default();
        for _ in 0..MOST_IN_ALL {
            check_with(&near, "1200 1200", "2: 1200 over");
        }
        check_with(&near, "1200", "1: 1200 over");
    }

    #[test]
    fn an_endless_program_is_run_again_once() {
        let near = Nearness::default();
        check_with(&near, "1250!~ 3000!~", "2: 1250 over");
        check_with(&near, "1250!~", "1: 1250 over");
        check_with(&near, "1200~ 900 905", "3: 900 within");
    }

    #[test]
    fn memory_is_looked_at_again_once() {
        let near = Nearness::default();
        check_with(&near, "10m 12m", "2: 10 memory");
        check_with(&near, "11m", "1: 11 memory");
        check("10m 12", "2: 12 within, sensitive");
        // The run with the least CPU time decides which of two limits comes first.
        check("1100m 900m 905m", "3: 900 memory");
    }
}
