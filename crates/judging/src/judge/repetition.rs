//! The rule near the time limit: which runs are repeated alone, which run counts, and whether the verdict is
//! sensitive.
//!
//! Other programs on the machine can only make a run longer, so the run with the least CPU time counts. `docs/time.md`
//! explains the rule.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use juror_core::limits::Limits;
use juror_core::outcome::{Outcome, StopReason};
use juror_core::repeats::{Repeats, TimedRun};
use juror_core::stop::Stop;
use juror_core::work::RunMode;

/// A run is stopped at the limit times this. A run is near the limit if its time is within this factor, above or
/// below.
pub(super) const SLACK: f64 = 1.25;
/// The most repetitions of a run.
const MOST_PER_CASE: usize = 3;
/// The most repetitions for a submission on all test cases together.
const MOST_PER_SUBMISSION: u32 = 12;
/// Runs differ by this part of the limit even on the quietest machine.
const LEAST_SPREAD: f64 = 0.01;

#[derive(Debug, Default)]
pub struct RepeatBudget {
    remaining: AtomicU32,
    has_repeated_stopped_run: AtomicBool,
    /// The slowest run within the limit that was repeated.
    slowest: Mutex<Duration>,
}

impl RepeatBudget {
    /// Allows all repetitions of a submission, or none.
    pub fn new(is_allowed: bool) -> Self {
        let remaining = AtomicU32::new(if is_allowed { MOST_PER_SUBMISSION } else { 0 });
        Self { remaining, ..Self::default() }
    }

    /// Takes a repetition, if one is left. Only one stopped run is repeated.
    fn take(&self, is_of_stopped_run: bool) -> bool {
        let order = Ordering::Relaxed;
        let has_stopped = &self.has_repeated_stopped_run;
        if self.is_empty() || (is_of_stopped_run && has_stopped.swap(true, order)) {
            return false;
        }
        self.remaining.fetch_update(order, order, |remaining| remaining.checked_sub(1)).is_ok()
    }

    fn is_empty(&self) -> bool {
        self.remaining.load(Ordering::Relaxed) == 0
    }

    /// Whether no run within the limit was slower so far, and this one is slow enough to repeat it.
    fn is_slowest(&self, time: Duration) -> bool {
        let mut slowest = self.slowest.lock();
        let is_new = time.as_secs_f64() > slowest.as_secs_f64() * 1.05;
        if is_new {
            *slowest = time;
        }
        is_new
    }
}

#[derive(Clone, Copy)]
pub struct Repetition<'a> {
    pub budget: &'a RepeatBudget,
    /// Waits for earlier runs of the submission. Returns whether the test case still counts.
    pub is_needed: &'a dyn Fn() -> bool,
    pub announce: &'a dyn Fn(&'static str),
}

/// The run that counts, and all runs if the first one was near the limit.
pub(super) struct SettledRun<R> {
    pub(super) reply: R,
    pub(super) repeats: Option<Box<Repeats>>,
}

/// `facts` gives the outcome of a run, and the CPU time of its partner.
pub(super) fn settle<R>(
    repetition: Option<Repetition<'_>>,
    limits: &Limits,
    mut run: impl FnMut(RunMode) -> Result<R, Stop>,
    facts: impl Fn(&R) -> (&Outcome, Duration),
) -> Result<SettledRun<R>, Stop> {
    let first = run(RunMode::default())?;
    let (Some(repetition), Some(limit)) = (repetition, limits.cpu_time) else {
        return Ok(SettledRun { reply: first, repeats: None });
    };
    let Repetition { budget, is_needed, announce } = repetition;
    let times = |reply: &R| {
        let (outcome, partner) = facts(reply);
        TimedRun::new(outcome, partner)
    };
    let mut timed = vec![times(&first)];
    let zone = zone_of(&timed[0], limit);
    let mut alone = Vec::new();
    let mut is_sensitive = is_undecided(&timed[0], &[], limit);
    while is_sensitive && may_settle(&timed, limit) {
        let is_within = zone == Zone::Near && timed[0].cpu_seconds <= limit;
        if timed.len() == 1 && is_within && !budget.is_slowest(timed[0].cpu_seconds) {
            // Only the slowest one is repeated: it shows how far the limit is.
            is_sensitive = budget.is_empty();
            break;
        }
        if !is_needed() || !budget.take(timed.len() == 1 && zone == Zone::FarOver) {
            break;
        }
        announce(match zone {
            Zone::FarOver => "others used the processor",
            Zone::Near | Zone::Clear => "near the limit",
        });
        let reply = run(RunMode::repeat_alone(timed.len() as u32))?;
        timed.push(times(&reply));
        alone.push(reply);
        is_sensitive = is_undecided(&timed[0], &timed[1..], limit);
    }
    is_sensitive |= is_over_by_little(&timed[1..], limit);
    if timed.len() == 1 && !is_sensitive {
        return Ok(SettledRun { reply: first, repeats: None });
    }
    let reply = counted_run(first, alone, limits, |reply| facts(reply).0);
    Ok(SettledRun { reply, repeats: Some(Box::new(Repeats { is_sensitive, runs: timed })) })
}

/// The run that counts, of those alone if there are any: first those within the limits, then those that no time limit
/// stopped, then the least CPU time, then the earliest.
fn counted_run<R>(first: R, alone: Vec<R>, limits: &Limits, outcome: impl Fn(&R) -> &Outcome) -> R {
    let rank = |reply: &R| {
        let run = outcome(reply);
        (limits.first_exceeded(run).is_some(), run.is_stopped_for_time(), run.cpu_time)
    };
    alone.into_iter().min_by_key(rank).unwrap_or(first)
}

/// Where the time of a run is, seen from the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    /// Far below the limit, or the time does not matter.
    Clear,
    Near,
    /// It was stopped for its CPU time, or took as long.
    FarOver,
}

fn zone_of(run: &TimedRun, limit: Duration) -> Zone {
    let is_near = run.cpu_seconds.mul_f64(SLACK) >= limit;
    let is_far = run.cpu_seconds > limit.mul_f64(SLACK);
    match run.stopped_by {
        Some(StopReason::CpuTime) => Zone::FarOver,
        None if is_far => Zone::FarOver,
        // The wall clock ran out while it worked, because others had the processor.
        Some(StopReason::WallTime) if is_near => Zone::FarOver,
        None | Some(StopReason::Memory | StopReason::Output) if is_near && !is_far => Zone::Near,
        _ => Zone::Clear,
    }
}

/// Whether another run may get another verdict than the first one and those alone.
fn is_undecided(first: &TimedRun, alone: &[TimedRun], limit: Duration) -> bool {
    let times = || alone.iter().map(|run| run.cpu_seconds);
    let (Some(least), Some(most)) = (times().min(), times().max()) else {
        return match zone_of(first, limit) {
            Zone::Clear => false,
            Zone::Near => true,
            Zone::FarOver => first.is_disturbed,
        };
    };
    let spread = (most - least).max(limit.mul_f64(LEAST_SPREAD));
    let is_between = least <= limit + spread && most + spread >= limit;
    // A single run has no spread.
    let is_single = alone.len() == 1 && zone_of(&alone[0], limit) == Zone::Near;
    // Undisturbed, it may take less.
    let is_doubtful =
        least > limit && (first.cpu_seconds <= limit || alone.iter().any(|run| run.is_disturbed));
    is_between || is_single || is_doubtful
}

/// Whether all runs alone are over the limit, and one of them ended by itself near it. Other programs that use memory
/// and caches make every run longer, which no clock shows.
fn is_over_by_little(alone: &[TimedRun], limit: Duration) -> bool {
    let ended = alone.iter().any(|run| zone_of(run, limit) == Zone::Near);
    ended && alone.iter().all(|run| run.cpu_seconds > limit)
}

/// Whether a repetition can decide an open verdict.
fn may_settle(runs: &[TimedRun], limit: Duration) -> bool {
    let is_beyond = |run: &TimedRun| zone_of(run, limit) == Zone::FarOver;
    match runs {
        [first] => !matches!(first.stopped_by, Some(StopReason::Memory | StopReason::Output)),
        [first, alone] if is_beyond(first) && is_beyond(alone) => false,
        _ => runs.len() <= MOST_PER_CASE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::outcome::quiet_outcome;
    use juror_core::outcome::{Ending, Signal};
    use juror_core::units::Bytes;

    const LIMIT: u64 = 1000;

    fn limits() -> Limits {
        Limits {
            cpu_time: Some(Duration::from_millis(LIMIT)),
            memory: Some(Bytes::mib(64)),
            ..Limits::default()
        }
    }

    /// A run by its CPU time in milliseconds. Suffixes: `!` stopped for that, `w` stopped for wall time, `m` stopped
    /// for memory, `~` others wanted the processor.
    fn run(text: &str) -> Outcome {
        let is_disturbed = text.ends_with('~');
        let text = text.trim_end_matches('~');
        let millis: u64 = text.trim_end_matches(['!', 'm', 'w']).parse().unwrap();
        let stopped_by = match text.chars().last() {
            Some('!') => Some(StopReason::CpuTime),
            Some('m') => Some(StopReason::Memory),
            Some('w') => Some(StopReason::WallTime),
            _ => None,
        };
        Outcome {
            cpu_time: Duration::from_millis(millis),
            stopped_by,
            ending: match stopped_by {
                Some(_) => Ending::Signalled(Signal(9)),
                None => Ending::Exited(0),
            },
            wall_time: Duration::from_millis(if is_disturbed { 2 * millis } else { millis }),
            ..quiet_outcome()
        }
    }

    /// From a first run and its repetitions: how many runs there are, which one counts, and whether that is sensitive.
    fn check(script: &str, expected: &str) {
        check_with(&RepeatBudget::new(true), script, expected);
    }

    fn check_with(budget: &RepeatBudget, script: &str, expected: &str) {
        let mut runs = script.split(' ').map(run);
        let next = |_| Ok(runs.next().unwrap_or_else(|| panic!("more runs than {script}")));
        let repetition = Repetition { budget, is_needed: &|| true, announce: &|_| () };
        let settled =
            settle(Some(repetition), &limits(), next, |run| (run, Duration::ZERO)).unwrap();
        assert_eq!(runs.next(), None, "fewer runs than {script}");
        let number = settled.repeats.as_ref().map_or(1, |repeats| repeats.runs.len());
        let limit = match limits().first_exceeded(&settled.reply) {
            None => "within",
            Some(StopReason::Memory) => "memory",
            Some(_) => "over",
        };
        let is_sensitive = settled.repeats.is_some_and(|repeats| repeats.is_sensitive);
        let sensitive = if is_sensitive { ", sensitive" } else { "" };
        let millis = settled.reply.cpu_time.as_millis();
        assert_eq!(format!("{number}: {millis} {limit}{sensitive}"), expected, "{script}");
    }

    #[test]
    fn a_run_far_from_the_limit_is_not_repeated() {
        check("10", "1: 10 within");
        check("10~", "1: 10 within");
        check("799~", "1: 799 within");
        check("1250!", "1: 1250 over");
        // With the margin it may continue.
        check("1300", "1: 1300 over");
        check("1500!", "1: 1500 over");
        // It slept, or waited.
        check("5w~", "1: 5 over");
    }

    #[test]
    fn a_run_near_the_limit_is_repeated_alone_until_the_limit_is_farther_than_the_spread() {
        check("1050 900 905", "3: 900 within");
        check("1050 1145 1140", "3: 1140 over, sensitive");
        check("850 851 852", "3: 851 within");
        check("1250 900 901", "3: 900 within");
        check("800 790", "2: 790 within");
        check("1240 600", "2: 600 within");
        check("1240 600~", "2: 600 within");
        check("1200 1250!", "2: 1250 over");
        check("1050 960 900 961", "4: 900 within, sensitive");
        check("1050 960 930", "3: 930 within");
        check("1100 1120 1060 1121", "4: 1060 over, sensitive");
    }

    #[test]
    fn a_limit_within_the_spread_makes_the_verdict_sensitive() {
        check("1050 930 1020 970", "4: 930 within, sensitive");
        check("1002 1001 1003 1002", "4: 1001 over, sensitive");
        check("998 999 1001 1000", "4: 999 within, sensitive");
        check("998 995 995 995", "4: 995 within, sensitive");
        check("1200 940 1250! 941", "4: 940 within, sensitive");
    }

    #[test]
    fn a_run_alone_that_others_disturb_does_not_prove_that_a_program_is_too_slow() {
        check("1100~ 1110~ 1112~ 1108~", "4: 1108 over, sensitive");
        check("1100 1110 1112~ 1108", "4: 1108 over, sensitive");
        check("1100~ 1110 1112", "3: 1110 over, sensitive");
        // It proves that a program is fast enough.
        check("1100~ 900~ 902~", "3: 900 within");
    }

    #[test]
    fn a_run_within_the_limit_that_no_run_alone_repeats_makes_the_verdict_sensitive() {
        check("950 1100 1102 1101", "4: 1100 over, sensitive");
    }

    #[test]
    fn a_stopped_run_is_repeated_once_if_others_wanted_the_processor() {
        check("1250!~ 1250!", "2: 1250 over");
        check("1250!~ 1250!~", "2: 1250 over, sensitive");
        check("1250!~ 600", "2: 600 within");
        check("1250!~ 600~", "2: 600 within");
        check("1250!~ 900 905", "3: 900 within");
        check("1250!~ 1100 1102", "3: 1100 over, sensitive");
        check("1500!~ 1500!", "2: 1500 over");
        check("1400~ 1400", "2: 1400 over");
        // The wall clock stopped it while it worked.
        check("950w~ 600", "2: 600 within");
        check("1100w~ 1250!", "2: 1250 over");
    }

    #[test]
    fn a_run_stopped_for_memory_is_not_repeated() {
        check("10m", "1: 10 memory");
        check("10m~", "1: 10 memory");
        // Two limits at once: chance decides which one comes first.
        check("950m", "1: 950 memory, sensitive");
        check("1100m", "1: 1100 over, sensitive");
    }

    #[test]
    fn the_first_run_does_not_count_beside_runs_alone() {
        for script in ["1050 900 905", "880 900 905", "1250!~ 900 905"] {
            check(script, "3: 900 within");
        }
    }

    #[test]
    fn within_the_limit_only_the_slowest_run_of_a_submission_is_repeated() {
        let budget = RepeatBudget::new(true);
        check_with(&budget, "850 851 852", "3: 851 within");
        check_with(&budget, "840", "1: 840 within");
        check_with(&budget, "860", "1: 860 within");
        check_with(&budget, "940 941 942", "3: 941 within");
        check_with(&budget, "1050 900 901", "3: 900 within");
    }

    #[test]
    fn a_submission_gets_twelve_repetitions_and_later_near_runs_are_sensitive() {
        let budget = RepeatBudget::new(true);
        for _ in 0..MOST_PER_SUBMISSION / 2 {
            check_with(&budget, "1200 1200 1200", "3: 1200 over, sensitive");
        }
        check_with(&budget, "1200", "1: 1200 over, sensitive");
        check_with(&budget, "990", "1: 990 within, sensitive");
        check_with(&budget, "790", "1: 790 within");
        check_with(&budget, "1250!", "1: 1250 over");
        check_with(&budget, "1250!~", "1: 1250 over, sensitive");
    }

    #[test]
    fn a_submission_gets_one_repetition_of_a_stopped_run() {
        let budget = RepeatBudget::new(true);
        check_with(&budget, "1250!~ 1250!~", "2: 1250 over, sensitive");
        check_with(&budget, "1250!~", "1: 1250 over, sensitive");
        check_with(&budget, "1200~ 900 905", "3: 900 within");
    }

    #[test]
    fn without_repetitions_all_near_runs_are_sensitive() {
        let budget = RepeatBudget::new(false);
        check_with(&budget, "799", "1: 799 within");
        check_with(&budget, "850", "1: 850 within, sensitive");
        check_with(&budget, "850", "1: 850 within, sensitive");
        check_with(&budget, "1050", "1: 1050 over, sensitive");
        check_with(&budget, "1250!", "1: 1250 over");
        check_with(&budget, "1250!~", "1: 1250 over, sensitive");
    }
}
