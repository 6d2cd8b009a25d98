//! Two programs have talked, and at least one of them failed: decides which one is to blame.
//!
//! The first failure counts. What the output validator decides before it learns of the end of the submission's output
//! depends only on what the submission wrote. So it counts before anything that happened to the submission then. A
//! later decision may depend on the end itself. So if the submission ended badly, that counts, however much later it
//! was. Which of the two exited first makes no difference.
//!
//! Source: problem package format 2025-09, "Reporting a judgement", "Limits".

use std::time::Duration;

use crate::judge::classify::{Classified, classify, passed};
use crate::model::joint::{Deadlock, Waits};
use crate::model::limits::Limits;
use crate::model::outcome::{Outcome, StoppedBy};
use crate::model::text::given_seconds;
use crate::model::units::seconds;
use crate::model::verdict::Verdict;
use crate::validator::response::Opinion;

/// The facts after both programs have ended.
pub(super) struct InteractionEnd<'a> {
    /// The outcome of the submission.
    pub(super) submission: &'a Outcome,
    /// The limits of the submission.
    pub(super) limits: &'a Limits,
    /// What the submission was last seen waiting for.
    pub(super) waits: Option<Waits>,
    /// The opinion of the output validator.
    pub(super) opinion: &'a Opinion,
    /// The output validator's CPU time.
    pub(super) validator_time: Duration,
    /// Whether the output validator was last seen running.
    pub(super) validator_runs: bool,
    /// How long the output validator was last seen in one sleep.
    pub(super) validator_slept: Duration,
    /// Whether the output validator learned, while it ran, of the end of the submission's output.
    pub(super) is_told: bool,
    /// The deadlock, if both waited for each other.
    pub(super) deadlock: Option<Deadlock>,
}

/// Who is to blame, if anyone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// The submission, with this verdict.
    Submission(Classified),
    /// The output validator decides.
    AsTheValidatorSays,
    /// The output validator, for this reason.
    Validator(String),
}

/// Decides who is to blame.
pub(super) fn blame(known: &InteractionEnd<'_>) -> Blame {
    if let Some(deadlock) = &known.deadlock {
        return in_deadlock(deadlock);
    }
    let earned = classify(known.submission, known.limits);
    let decided_before = !known.is_told;
    match (known.opinion, earned) {
        (Opinion::Rejected | Opinion::Partial(_), _) if decided_before => Blame::AsTheValidatorSays,
        (Opinion::Broken(what), _) if decided_before => Blame::Validator(what.clone()),
        (Opinion::Broken(what), None) => Blame::Validator(what.clone()),
        (_, Some(earned)) => slow(known).unwrap_or_else(|| by_itself(known, earned)),
        (_, None) => Blame::AsTheValidatorSays,
    }
}

/// In a deadlock the submission waited for something that could never come, so it is to blame; unless the output
/// validator waited for itself.
fn in_deadlock(deadlock: &Deadlock) -> Blame {
    let cause = match (deadlock.program, deadlock.partner) {
        (_, Waits::Itself) => {
            let what = "it waits for itself, such as for a lock that is never released";
            return Blame::Validator(what.to_owned());
        }
        (Waits::Input, Waits::Input) => {
            "waited for input that never came: the output validator also waited, for a line or its end. \
             Was all output flushed?"
        }
        (Waits::Input, Waits::Output) => {
            "waited for input, and the output validator for its own output to be read"
        }
        (Waits::Output, _) => {
            "waited for its output to be read, but the output validator does not read it"
        }
        (Waits::Itself, _) => "waited for itself, such as for a lock that is never released",
    };
    Blame::Submission(Classified { verdict: Verdict::TimeLimitExceeded, cause: cause.to_owned() })
}

/// Blames the output validator if it kept the submission waiting until its wall time limit. It did if it computed for
/// more than half of that time, or for a tenth of it and still when the submission was seen waiting; other programs
/// may have taken the processor from it. It also did if it lay in one sleep for more than half of that time.
fn slow(known: &InteractionEnd<'_>) -> Option<Blame> {
    let is_by_the_clock = passed(known.submission, known.limits) == Some(StoppedBy::WallTime);
    let wall_time = known.submission.wall_time;
    let is_seen = known.waits == Some(Waits::Input);
    let part = if is_seen && known.validator_runs { 10 } else { 2 };
    let did = if known.validator_time * part > wall_time {
        format!("used {} of CPU time", seconds(known.validator_time))
    } else if is_seen && known.validator_slept * 2 > wall_time {
        format!("slept for at least {}", seconds(known.validator_slept))
    } else {
        return None;
    };
    let limit = given_seconds(known.limits.wall_time.unwrap_or_default());
    let what =
        format!("it {did}, while the submission waited until its wall time limit of {limit}");
    is_by_the_clock.then_some(Blame::Validator(what))
}

fn by_itself(known: &InteractionEnd<'_>, earned: Classified) -> Blame {
    let is_by_the_clock = passed(known.submission, known.limits) == Some(StoppedBy::WallTime);
    let cause = match (is_by_the_clock, known.waits) {
        (true, Some(Waits::Input)) => Some(format!(
            "waited for input that never came, until its wall time limit of {}, with {} of CPU time",
            given_seconds(known.limits.wall_time.unwrap_or_default()),
            seconds(known.submission.cpu_time)
        )),
        _ => None,
    };
    Blame::Submission(Classified { cause: cause.unwrap_or(earned.cause), ..earned })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::outcome::quiet_outcome;
    use crate::model::outcome::{Ending, Signal};
    use crate::model::units::Bytes;

    const WELL: Ending = Ending::Exited(0);
    const BADLY: Ending = Ending::Exited(1);
    const CRASH: Ending = Ending::Signalled(Signal(11));
    const KILLED: Ending = Ending::Signalled(Signal(9));

    fn limits() -> Limits {
        Limits {
            cpu_time: Some(Duration::from_secs(1)),
            wall_time: Some(Duration::from_secs(3)),
            deadline: None,
            memory: Some(Bytes::mib(64)),
            output: Some(Bytes::mib(8)),
            processes: Some(64),
        }
    }

    fn broken() -> Opinion {
        Opinion::Broken("it ended with exit code 1".to_owned())
    }

    /// When the validator decided.
    #[derive(Clone, Copy, PartialEq)]
    enum Order {
        /// From the submission's output alone, before it learned of its end.
        LastWords,
        /// After it learned of the end of the submission's output.
        Told,
    }
    use Order::{LastWords, Told};

    fn known<'a>(
        submission: &'a Outcome,
        opinion: &'a Opinion,
        limits: &'a Limits,
        order: Order,
    ) -> InteractionEnd<'a> {
        InteractionEnd {
            submission,
            limits,
            waits: None,
            opinion,
            validator_time: Duration::from_millis(5),
            validator_runs: false,
            validator_slept: Duration::ZERO,
            is_told: order == Told,
            deadlock: None,
        }
    }

    /// A verdict with the start of its cause, `says` if the validator decides, or `fault`.
    fn shown(blame: &Blame) -> String {
        match blame {
            Blame::Submission(classified) => {
                format!("{} {}", classified.verdict, classified.cause)
            }
            Blame::AsTheValidatorSays => "says".to_owned(),
            Blame::Validator(what) => format!("fault {what}"),
        }
    }

    fn check(
        ending: Ending,
        stop: Option<StoppedBy>,
        opinion: Opinion,
        order: Order,
        expected: &str,
    ) {
        let outcome = Outcome { ending, stopped_by: stop, ..quiet_outcome() };
        let found = shown(&blame(&known(&outcome, &opinion, &limits(), order)));
        let start: String = found.chars().take(expected.chars().count()).collect();
        assert_eq!(start, expected, "{ending:?} {stop:?} {opinion:?}: {found}");
    }

    #[test]
    fn when_both_end_well_the_validator_decides() {
        for order in [LastWords, Told] {
            check(WELL, None, Opinion::Accepted, order, "says");
            // It rejects after learning of an early end.
            check(WELL, None, Opinion::Rejected, order, "says");
        }
    }

    #[test]
    fn a_rejection_wins_over_what_happens_to_the_submission_afterwards() {
        for ending in [BADLY, CRASH] {
            check(ending, None, Opinion::Rejected, LastWords, "says");
        }
        use StoppedBy::{CpuTime, Dismissed, Memory, Output, WallTime};
        for stop in [CpuTime, WallTime, Memory, Output, Dismissed] {
            check(KILLED, Some(stop), Opinion::Rejected, LastWords, "says");
        }
    }

    #[test]
    fn a_failure_before_the_end_wins_over_what_the_validator_says_about_it() {
        for opinion in [Opinion::Rejected, Opinion::Accepted, broken()] {
            let check = |ending, stop, expected: &str| {
                check(ending, stop, opinion.clone(), Told, expected);
            };
            check(BADLY, None, "RTE exit code 1");
            check(CRASH, None, "RTE killed by SIGSEGV");
            check(KILLED, Some(StoppedBy::CpuTime), "TLE");
            check(KILLED, Some(StoppedBy::WallTime), "TLE");
            check(KILLED, Some(StoppedBy::Memory), "MLE");
            check(KILLED, Some(StoppedBy::Output), "OLE");
        }
    }

    #[test]
    fn after_an_acceptance_the_submission_has_still_to_end_well() {
        for order in [LastWords, Told] {
            check(BADLY, None, Opinion::Accepted, order, "RTE exit code 1");
            let stop = Some(StoppedBy::WallTime);
            check(KILLED, stop, Opinion::Accepted, order, "TLE");
            let stop = Some(StoppedBy::Output);
            check(KILLED, stop, Opinion::Accepted, order, "OLE");
        }
    }

    #[test]
    fn a_validator_that_breaks_down_is_at_fault_unless_the_submission_failed_before() {
        let fault = "fault it ended with exit code 1";
        check(CRASH, None, broken(), LastWords, fault);
        check(KILLED, Some(StoppedBy::Dismissed), broken(), LastWords, fault);
        check(KILLED, Some(StoppedBy::WallTime), broken(), LastWords, fault);
        for order in [LastWords, Told] {
            check(WELL, None, broken(), order, fault);
        }
    }

    /// 2025-09, "Resource guarantees": a deadlock is TLE at once; no limit on the clock is reached
    #[test]
    fn two_that_wait_for_each_other_are_the_submissions_fault() {
        let check = |program: Waits, partner: Waits, expected: &str| {
            let outcome = Outcome {
                ending: KILLED,
                stopped_by: Some(StoppedBy::Deadlock),
                ..quiet_outcome()
            };
            let (opinion, limits) = (Opinion::Broken("it did not end".to_owned()), limits());
            let mut known = known(&outcome, &opinion, &limits, LastWords);
            known.deadlock = Some(Deadlock { at: Duration::from_millis(25), program, partner });
            let found = shown(&blame(&known));
            assert!(found.starts_with(expected), "{found}");
        };
        use Waits::{Input, Itself, Output};
        check(Input, Input, "TLE waited for input that never came");
        check(Input, Output, "TLE waited for input, and the output validator");
        check(Output, Output, "TLE waited for its output to be read");
        check(Itself, Input, "TLE waited for itself");
        check(Input, Itself, "fault it waits for itself");
    }

    #[test]
    fn a_submission_at_its_limit_on_the_clock_waited_for_something() {
        let by_the_clock = || Outcome {
            ending: KILLED,
            stopped_by: Some(StoppedBy::WallTime),
            wall_time: Duration::from_secs(3),
            ..quiet_outcome()
        };
        let check = |waits: Option<Waits>, validator_time: u64, runs: bool, expected: &str| {
            let outcome = by_the_clock();
            let (opinion, limits) = (Opinion::Rejected, limits());
            let known = InteractionEnd {
                waits,
                validator_time: Duration::from_millis(validator_time),
                validator_runs: runs,
                ..known(&outcome, &opinion, &limits, Told)
            };
            assert_eq!(shown(&blame(&known)), expected);
        };
        let waited = "TLE waited for input that never came, until its wall time limit of 3 s, with 0.010 s of CPU time";
        let idle = "TLE over 3.00 s on the wall clock, 3.00 s allowed, with 0.010 s of CPU time: it slept, or waited for input that never came";
        let fault = |time: &str| {
            format!(
                "fault it used {time} of CPU time, while the submission waited until its wall time limit of 3 s"
            )
        };
        let slept = |waits: Option<Waits>, millis: u64| {
            let outcome = by_the_clock();
            let (opinion, limits) = (Opinion::Rejected, limits());
            let known = InteractionEnd {
                waits,
                validator_slept: Duration::from_millis(millis),
                ..known(&outcome, &opinion, &limits, Told)
            };
            shown(&blame(&known))
        };
        assert_eq!(slept(Some(Waits::Input), 1400), waited);
        assert_eq!(slept(None, 2900), idle);
        let fault_asleep = "fault it slept for at least 1.60 s, while the submission waited until its wall time limit of 3 s";
        assert_eq!(slept(Some(Waits::Input), 1600), fault_asleep);
        check(Some(Waits::Input), 5, false, waited);
        check(Some(Waits::Input), 5, true, waited);
        check(Some(Waits::Input), 1400, false, waited);
        check(None, 5, true, idle);
        check(None, 400, true, idle);
        check(Some(Waits::Input), 400, true, &fault("0.400 s"));
        check(Some(Waits::Input), 1600, false, &fault("1.60 s"));
        check(None, 1600, false, &fault("1.60 s"));
    }
}
