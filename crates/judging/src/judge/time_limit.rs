//! The time limit that follows from the author's submissions.
//!
//! It has two bounds. Submissions that must pass bound it from below by their slowest run; those that must be too slow
//! bound it from above, by the slowest run of each, since one such run is enough. A run that was stopped has only a
//! lower bound of its time, so some may go on beyond the limit.

use std::time::Duration;

use juror_core::diagnostic::Severity;
use juror_core::judgement::{CaseJudgement, Judgement};
use juror_core::limits::ProblemLimits;
use juror_core::outcome::StopReason;
use juror_core::pattern::Pattern;
use juror_core::submission::{Expectation, Submission, UseForTimeLimit};
use juror_core::units::seconds;
use juror_core::verdict::Verdict;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeLimitBounds {
    /// The slowest run that must not exceed the limit.
    pub slowest: Option<MeasuredRun>,
    /// Of the submissions that must exceed it, the one whose slowest run is the fastest.
    pub fastest_too_slow: Option<MeasuredRun>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredRun {
    pub submission: String,
    pub test_case: String,
    pub cpu_time: Duration,
}

/// Whether a rule bounds the time limit from above: a case must be too slow.
pub fn is_upper_bound(expectation: &Expectation) -> bool {
    match expectation.use_for_time_limit {
        UseForTimeLimit::Never | UseForTimeLimit::Lower => false,
        UseForTimeLimit::Upper => true,
        UseForTimeLimit::AsExpected => {
            expectation.required.as_deref() == Some(&[Verdict::TimeLimitExceeded])
        }
    }
}

/// Whether a submission bounds the time limit from below with the case of this name.
pub fn bounding_cases(submission: &Submission) -> impl Fn(&str) -> bool + use<> {
    let rules = submission.expectations.iter().filter(|rule| rule.is_lower_bound());
    let rules: Vec<_> = rules.map(case_filter).collect();
    move |case| rules.iter().any(|means| means(case))
}

/// Source: problem package format 2025-09, "Timelimit inference".
pub fn bounds<'a>(
    judged: impl IntoIterator<Item = (&'a Submission, &'a Judgement)>,
) -> TimeLimitBounds {
    let mut bounds = TimeLimitBounds::default();
    for (submission, judgement) in judged {
        for expectation in &submission.expectations {
            let Some(slowest) = slowest_run(expectation, judgement) else { continue };
            if expectation.is_lower_bound() {
                let slower = |known: &MeasuredRun| slowest.cpu_time > known.cpu_time;
                if bounds.slowest.as_ref().is_none_or(slower) {
                    bounds.slowest = Some(slowest.clone());
                }
            }
            if is_upper_bound(expectation) && !waits_for_ever(expectation, judgement) {
                let faster = |known: &MeasuredRun| slowest.cpu_time < known.cpu_time;
                if bounds.fastest_too_slow.as_ref().is_none_or(faster) {
                    bounds.fastest_too_slow = Some(slowest);
                }
            }
        }
    }
    bounds
}

/// Whether a run on this case may continue beyond the time limit, up to `slow`. It may if a rule says that this case
/// must be too slow, and no run so far exceeds the margin. A bound needs only one such run.
pub fn needs_margin<'a>(
    submission: &Submission,
    case: &str,
    judged: impl Iterator<Item = &'a CaseJudgement> + Clone,
    slow: Option<Duration>,
) -> bool {
    let mut upper = submission.expectations.iter().filter(|rule| is_upper_bound(rule));
    upper.any(|rule| {
        let means = case_filter(rule);
        let mut meant = judged.clone().filter(|case| means(&case.test_case));
        means(case) && !meant.any(|case| is_too_slow(case, slow))
    })
}

/// Whether a run took at least this long, or would have.
pub(super) fn is_too_slow(case: &CaseJudgement, slow: Option<Duration>) -> bool {
    case.is_deadlocked() || slow.is_some_and(|slow| time_taken(case) >= Some(slow))
}

/// Whether a run was ended because it waited for something that never came. It would exceed every limit.
fn waits_for_ever(expectation: &Expectation, judgement: &Judgement) -> bool {
    matching_cases(expectation, judgement).any(CaseJudgement::is_deadlocked)
}

fn matching_cases<'a>(
    expectation: &Expectation,
    judgement: &'a Judgement,
) -> impl Iterator<Item = &'a CaseJudgement> {
    let means = case_filter(expectation);
    let cases = judgement.cases.iter();
    cases.filter(move |case| means(&case.test_case))
}

/// Whether a rule is about the case of this name.
pub(super) fn case_filter(expectation: &Expectation) -> impl Fn(&str) -> bool + use<> {
    let pattern = expectation.cases.as_deref().map(Pattern::parse);
    move |case| match &pattern {
        None => true,
        Some(Ok(pattern)) => pattern.matches(case),
        // The package reader refused it.
        Some(Err(_)) => false,
    }
}

fn slowest_run(expectation: &Expectation, judgement: &Judgement) -> Option<MeasuredRun> {
    let measured = |case: &CaseJudgement| {
        Some(MeasuredRun {
            submission: judgement.submission.clone(),
            test_case: case.test_case.clone(),
            cpu_time: time_taken(case)?,
        })
    };
    matching_cases(expectation, judgement)
        .filter_map(measured)
        .max_by_key(|measured| measured.cpu_time)
}

/// CPU time, or wall time if that stopped the run. `None` if nothing ran.
fn time_taken(case: &CaseJudgement) -> Option<Duration> {
    let outcome = case.outcome.as_ref()?;
    Some(match outcome.stopped_by {
        Some(StopReason::WallTime) => outcome.wall_time.max(outcome.cpu_time),
        _ => outcome.cpu_time,
    })
}

/// The smallest multiple of the resolution that gives the slowest run its margin.
///
/// Source: problem package format 2025-09, "Problem timing".
pub fn inferred_limit(slowest: Duration, limits: &ProblemLimits) -> Duration {
    let resolution = limits.time_resolution.as_secs_f64();
    let needed = slowest.as_secs_f64() * limits.ac_to_time_limit;
    // Slightly less, so that 0.3 / 0.1 is three steps and not four.
    let steps = (needed / resolution - 1e-9).ceil().max(1.0);
    Duration::from_secs_f64(steps * resolution)
}

/// Which margins a time limit lacks, a sentence for each.
pub fn margin_doubts(
    limit: Duration,
    bounds: &TimeLimitBounds,
    limits: &ProblemLimits,
    is_inferred: bool,
) -> Vec<(Severity, String)> {
    let mut doubts = Vec::new();
    if let Some(slow) = &bounds.slowest
        && slow.cpu_time.mul_f64(limits.ac_to_time_limit) > limit
    {
        let what = format!(
            "the time limit of {} is less than {} times the {} of {} on {}",
            seconds(limit),
            limits.ac_to_time_limit,
            seconds(slow.cpu_time),
            slow.submission,
            slow.test_case
        );
        doubts.push((Severity::Warning, what));
    }
    if let Some(fast) = &bounds.fastest_too_slow
        && limit.mul_f64(limits.time_limit_to_tle) > fast.cpu_time
    {
        let what = format!(
            "{} is meant to be too slow, but takes only {} at most, less than {} times the time limit of {}",
            fast.submission,
            seconds(fast.cpu_time),
            limits.time_limit_to_tle,
            seconds(limit)
        );
        doubts.push((if is_inferred { Severity::Error } else { Severity::Warning }, what));
    }
    doubts
}

#[cfg(test)]
mod tests {

    use super::*;
    use juror_core::program::{Program, ProgramKind};
    use juror_core::root::FilePath;
    use juror_core::submission::OverallExpectation;

    fn submission(rules: &[Expectation]) -> Submission {
        Submission {
            name: "slow.py".to_owned(),
            program: Program {
                name: "slow.py".to_owned(),
                path: FilePath::root("slow.py"),
                kind: ProgramKind::Submission,
                ..Program::default()
            },
            expectations: rules.to_vec(),
        }
    }

    #[test]
    fn the_inferred_limit_is_the_smallest_multiple_with_the_margin() {
        let check = |slowest_ms: u64, resolution: f64, expected_ms: u64| {
            let limits = ProblemLimits {
                time_resolution: Duration::from_secs_f64(resolution),
                ..ProblemLimits::default()
            };
            let limit = inferred_limit(Duration::from_millis(slowest_ms), &limits);
            assert_eq!(limit.as_millis(), u128::from(expected_ms));
        };
        check(0, 1.0, 1000);
        check(10, 1.0, 1000);
        check(500, 1.0, 1000);
        check(501, 1.0, 2000);
        check(150, 0.1, 300);
        check(151, 0.1, 400);
    }

    /// As `Submissions._compute_time_limit` of problemtools (verifyproblem.py, commit a185fe9) does it.
    #[test]
    fn the_limit_of_a_legacy_package_is_a_whole_number_of_seconds() {
        let check = |slowest_ms: u64, multiplier: f64, expected: u64| {
            let limits = ProblemLimits { ac_to_time_limit: multiplier, ..ProblemLimits::default() };
            let limit = inferred_limit(Duration::from_millis(slowest_ms), &limits);
            assert_eq!(limit.as_secs_f64(), expected as f64, "{slowest_ms}");
        };
        check(0, 5.0, 1);
        check(10, 5.0, 1);
        check(200, 5.0, 1);
        check(201, 5.0, 2);
        check(600, 5.0, 3);
        check(1010, 5.0, 6);
        check(600, 2.5, 2);
    }

    #[test]
    fn only_the_cases_of_its_rules_bound_the_limit_from_below() {
        let rule = |cases: Option<&str>, permitted: &[Verdict]| Expectation {
            cases: cases.map(str::to_owned),
            permitted: Some(permitted.to_vec()),
            ..Expectation::default()
        };
        let (quick, any) = ([Verdict::Accepted], [Verdict::Accepted, Verdict::TimeLimitExceeded]);
        let check = |rules: &[Expectation], expected: &str| {
            let is_meant = bounding_cases(&submission(rules));
            let cases = ["sample/1", "secret/a/1", "secret/b/1"].into_iter();
            let meant: Vec<&str> = cases.filter(|case| is_meant(case)).collect();
            assert_eq!(meant.join(" "), expected, "{rules:?}");
        };
        check(&[rule(None, &quick)], "sample/1 secret/a/1 secret/b/1");
        check(&[rule(Some("sample"), &quick), rule(Some("secret/a"), &any)], "sample/1");
        check(
            &[rule(Some("sample"), &quick), rule(Some("secret/b"), &quick), rule(None, &any)],
            "sample/1 secret/b/1",
        );
        check(&[rule(None, &any)], "");
    }

    /// 2025-09, "Timelimit inference": all that may not be too slow bounds it from below, also `wrong_answer` and `run_time_error`
    #[test]
    fn submissions_that_may_not_be_too_slow_bound_the_limit_from_below() {
        use Verdict::{Accepted, RunTimeError, TimeLimitExceeded, WrongAnswer};
        let rule = |permitted: &[Verdict], required: &[Verdict]| {
            let some = |verdicts: &[Verdict]| (!verdicts.is_empty()).then(|| verdicts.to_vec());
            Expectation {
                permitted: some(permitted),
                required: some(required),
                ..Expectation::default()
            }
        };
        let check = |rule: &Expectation, lower: bool, upper: bool| {
            assert_eq!((rule.is_lower_bound(), is_upper_bound(rule)), (lower, upper), "{rule:?}");
        };
        // The directories of format 2025-09, in the order of its table.
        check(&rule(&[Accepted], &[]), true, false);
        check(&rule(&[], &[RunTimeError, TimeLimitExceeded, WrongAnswer]), false, false);
        check(&rule(&[Accepted, WrongAnswer], &[WrongAnswer]), true, false);
        check(&rule(&[Accepted, TimeLimitExceeded], &[TimeLimitExceeded]), false, true);
        check(&rule(&[Accepted, RunTimeError], &[RunTimeError]), true, false);
        let brute_force = [Accepted, RunTimeError, TimeLimitExceeded];
        check(&rule(&brute_force, &brute_force[1..]), false, false);
        // The directories of legacy packages: only `accepted` gives a lower bound.
        let overall = |verdicts: &[Verdict], is_partial| Expectation {
            overall: Some(OverallExpectation { verdicts: verdicts.to_vec(), is_partial }),
            ..Expectation::default()
        };
        check(&overall(&[Accepted], false), true, false);
        check(&overall(&[Accepted], true), false, false);
        check(&overall(&[WrongAnswer], false), false, false);
        check(&overall(&[TimeLimitExceeded], false), false, false);
        check(&overall(&[RunTimeError], false), false, false);
        let accepted = overall(&[Accepted], false);
        let never = UseForTimeLimit::Never;
        check(&Expectation { use_for_time_limit: never, ..accepted }, false, false);
    }

    #[test]
    fn one_run_beyond_the_margin_is_enough_for_each_rule() {
        use juror_core::outcome::Outcome;
        use juror_core::outcome::quiet_outcome;
        let rule = |cases: Option<&str>, required: Verdict| Expectation {
            pattern: "slow".to_owned(),
            cases: cases.map(str::to_owned),
            permitted: None,
            required: Some(vec![required]),
            score: None,
            overall: None,
            message: None,
            use_for_time_limit: UseForTimeLimit::AsExpected,
            place: None,
        };
        let run = |(name, stop, ms): &(&str, Option<StopReason>, u64)| CaseJudgement {
            outcome: Some(Outcome {
                stopped_by: *stop,
                cpu_time: Duration::from_millis(*ms),
                wall_time: Duration::from_millis(*ms),
                ..quiet_outcome()
            }),
            ..CaseJudgement::new(*name, Verdict::TimeLimitExceeded)
        };
        let check =
            |rules: &[Expectation], runs: &[(&str, Option<StopReason>, u64)], expected: bool| {
                let submission = submission(rules);
                let runs: Vec<CaseJudgement> = runs.iter().map(run).collect();
                let slow = Some(Duration::from_millis(1500));
                assert_eq!(
                    needs_margin(&submission, "secret/2/b", runs.iter(), slow),
                    expected,
                    "{rules:?} {runs:?}"
                );
            };
        let tle = Verdict::TimeLimitExceeded;
        let everywhere = || rule(None, tle);
        let below = |pattern| rule(Some(pattern), tle);
        let (cpu, wall) = (Some(StopReason::CpuTime), Some(StopReason::WallTime));
        check(&[], &[], false);
        check(&[rule(None, Verdict::WrongAnswer)], &[], false);
        check(&[everywhere()], &[], true);
        check(&[everywhere()], &[("secret/1/a", cpu, 1499)], true);
        check(&[everywhere()], &[("secret/1/a", cpu, 1500)], false);
        check(&[everywhere()], &[("secret/1/a", None, 1600)], false);
        check(&[everywhere()], &[("secret/1/a", wall, 4000)], false);
        check(&[everywhere()], &[("secret/1/a", Some(StopReason::Deadlock), 3)], false);
        // The other case belongs to another rule.
        check(&[below("secret/1")], &[], false);
        check(&[below("secret/2")], &[("secret/1/a", cpu, 1500)], true);
        check(&[below("secret/2")], &[("secret/2/a", cpu, 1500)], false);
        check(&[everywhere(), below("secret/2")], &[("secret/1/a", cpu, 1500)], true);
    }

    /// 2025-09, "Problem timing": if no multiple has both margins, it is an error; a `time_limit` without them is a warning
    #[test]
    fn limits_without_margin_are_doubted() {
        let measured = |name: &str, ms: u64| {
            Some(MeasuredRun {
                submission: name.to_owned(),
                test_case: "secret/1".to_owned(),
                cpu_time: Duration::from_millis(ms),
            })
        };
        let check = |slowest: u64, fastest_too_slow: u64, expected: &[&str]| {
            let bounds = TimeLimitBounds {
                slowest: measured("accepted/a.py", slowest),
                fastest_too_slow: measured("time_limit_exceeded/b.py", fastest_too_slow),
            };
            let limits = ProblemLimits::default();
            let found =
                |is_inferred| margin_doubts(Duration::from_secs(1), &bounds, &limits, is_inferred);
            let messages: Vec<String> = found(false).into_iter().map(|(_, what)| what).collect();
            assert_eq!(messages, expected);
            assert!(found(false).iter().all(|(severity, _)| *severity == Severity::Warning));
            let is_error = found(true).iter().any(|(severity, _)| *severity == Severity::Error);
            assert_eq!(is_error, fastest_too_slow < 1500, "no multiple has both margins");
        };
        check(500, 1500, &[]);
        check(
            501,
            1499,
            &[
                "the time limit of 1.00 s is less than 2 times the 0.501 s of accepted/a.py on secret/1",
                "time_limit_exceeded/b.py is meant to be too slow, but takes only 1.50 s at most, less than 1.5 times the time limit of 1.00 s",
            ],
        );
    }
}
