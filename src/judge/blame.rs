//! Decides which of two programs is to blame after an interactive run.
//!
//! The first failure counts. What the output validator decides before it learns of the end of the submission's output
//! depends only on that output. So it counts before anything that happens to the submission afterwards. A later
//! decision may depend on the end itself. So if the submission ended badly, that counts, however much later it was. It
//! does not matter which of the two exited first.
//!
//! A submission at its wall time limit is to blame, unless it waited for an answer that the output validator owed it.
//! What the validator does later, or for questions that nobody waits for, is not held against it.
//!
//! Source: problem package format 2025-09, "Reporting a judgement", "Limits".

use std::time::Duration;

use crate::judge::classify::{Classified, classify, passed};
use crate::model::joint::{Deadlock, Debt, Waits};
use crate::model::limits::Limits;
use crate::model::outcome::{Outcome, StoppedBy};
use crate::model::text::given_seconds;
use crate::model::units::seconds;
use crate::model::verdict::Verdict;
use crate::validator::response::Opinion;

pub(super) struct InteractionEnd<'a> {
    pub(super) submission: &'a Outcome,
    pub(super) limits: &'a Limits,
    /// What the submission waited for at the last look.
    pub(super) waits: Option<Waits>,
    pub(super) opinion: &'a Opinion,
    pub(super) validator_time: Duration,
    /// How long the output validator let the submission wait.
    pub(super) debt: Debt,
    /// Whether a time limit ended the output validator although it had questions to read.
    pub(super) is_behind: bool,
    /// Whether the output validator, while it ran, learned of the end of the submission's output.
    pub(super) is_told: bool,
    /// Set if both waited for each other.
    pub(super) deadlock: Option<Deadlock>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    Submission(Classified),
    AsTheValidatorSays,
    Validator(String),
}

pub(super) fn blame(known: &InteractionEnd<'_>) -> Blame {
    if let Some(deadlock) = &known.deadlock {
        return in_deadlock(deadlock);
    }
    let earned = classify(known.submission, known.limits);
    let decided_before = !known.is_told;
    match (known.opinion, earned) {
        (Opinion::Rejected | Opinion::Partial(_), _) if decided_before => Blame::AsTheValidatorSays,
        (Opinion::Broken(_), Some(earned)) if known.is_behind => by_itself(known, earned),
        (Opinion::Broken(what), _) if decided_before => Blame::Validator(what.clone()),
        (Opinion::Broken(what), None) => Blame::Validator(what.clone()),
        (_, Some(earned)) => slow(known).unwrap_or_else(|| by_itself(known, earned)),
        (_, None) => Blame::AsTheValidatorSays,
    }
}

/// In a deadlock, the submission waited for something that could never come. So it is to blame, unless the output
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

/// Blames the output validator if the submission waited for it at its wall time limit, and for more than half of that
/// time for one answer. Many quick answers are the submission's own doing: it asked.
fn slow(known: &InteractionEnd<'_>) -> Option<Blame> {
    let Debt { longest, is_open } = known.debt;
    let limit = given_seconds(limit_on_the_clock(known)?);
    let is_blamed = is_open && longest * 2 > known.submission.wall_time;
    let longest = seconds(longest);
    is_blamed.then(|| {
        Blame::Validator(format!(
            "it let the submission wait until its wall time limit of {limit}, and for {longest} for one answer"
        ))
    })
}

/// `None` if the submission did not exceed it.
fn limit_on_the_clock(known: &InteractionEnd<'_>) -> Option<Duration> {
    let is_passed = passed(known.submission, known.limits) == Some(StoppedBy::WallTime);
    known.limits.wall_time.filter(|_| is_passed)
}

fn by_itself(known: &InteractionEnd<'_>, earned: Classified) -> Blame {
    let Debt { longest, is_open } = known.debt;
    let waited = match known.waits {
        Some(Waits::Input) if is_open => {
            let longest = seconds(longest);
            Some(format!("waited for the output validator, which took {longest} for an answer"))
        }
        Some(Waits::Input) => Some("waited for input that never came".to_owned()),
        Some(Waits::Output) => Some("waited for its output to be read".to_owned()),
        Some(Waits::Itself) | None => None,
    };
    let until = |(waited, limit)| {
        let (limit, cpu_time) = (given_seconds(limit), seconds(known.submission.cpu_time));
        format!("{waited}, until its wall time limit of {limit}, with {cpu_time} of CPU time")
    };
    let waited = waited.zip(limit_on_the_clock(known));
    let cause = waited.map_or(earned.cause, until) + &validators_part(known);
    Blame::Submission(Classified { verdict: earned.verdict, cause })
}

/// The time of the output validator, if it is much: many questions take long to answer.
fn validators_part(known: &InteractionEnd<'_>) -> String {
    let used = known.validator_time;
    if limit_on_the_clock(known).is_some() && used * 2 > known.submission.wall_time {
        format!("; the output validator used {}", seconds(used))
    } else {
        String::new()
    }
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

    #[derive(Clone, Copy, PartialEq)]
    enum Order {
        /// Before it learned of the end of the submission's output: from the output alone.
        LastWords,
        /// After it learned of that end.
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
            debt: Debt::default(),
            is_behind: false,
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
            // It rejects after it learned of an early end.
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

    /// A submission at its wall time limit of 3 s: what it waited for; how many milliseconds it waited for one answer;
    /// whether it still waited for one; and the output validator's CPU time in milliseconds.
    fn at_the_clock(
        waits: Option<Waits>,
        (longest, is_open): (u64, bool),
        validator_time: u64,
        is_behind: bool,
        opinion: &Opinion,
    ) -> String {
        let outcome = Outcome {
            ending: KILLED,
            stopped_by: Some(StoppedBy::WallTime),
            wall_time: Duration::from_secs(3),
            ..quiet_outcome()
        };
        let limits = limits();
        let order = if is_behind { LastWords } else { Told };
        let known = InteractionEnd {
            waits,
            validator_time: Duration::from_millis(validator_time),
            debt: Debt { longest: Duration::from_millis(longest), is_open },
            is_behind,
            ..known(&outcome, opinion, &limits, order)
        };
        shown(&blame(&known))
    }

    const IDLE: &str = "TLE over 3.00 s on the wall clock, 3.00 s allowed, with 0.010 s of CPU time: it slept, or waited for input that never came";

    #[test]
    fn a_submission_at_its_limit_on_the_clock_is_to_blame_if_nothing_was_owed_to_it() {
        let check = |waits, debt, validator_time, expected: &str| {
            for opinion in [Opinion::Rejected, Opinion::Accepted, broken()] {
                assert_eq!(at_the_clock(waits, debt, validator_time, false, &opinion), expected);
            }
        };
        let until = "until its wall time limit of 3 s, with 0.010 s of CPU time";
        check(None, (0, false), 5, IDLE);
        // The output validator works after the interaction.
        check(None, (0, false), 9000, &format!("{IDLE}; the output validator used 9.00 s"));
        // It took long, but owes no answer any more.
        check(None, (2900, false), 5, IDLE);
        let waited = format!("TLE waited for input that never came, {until}");
        check(Some(Waits::Input), (0, false), 1400, &waited);
        check(Some(Waits::Input), (2900, false), 1400, &waited);
        let working = format!("{waited}; the output validator used 2.00 s");
        check(Some(Waits::Input), (0, false), 2000, &working);
        // A queue of questions.
        let full = format!(
            "TLE waited for its output to be read, {until}; the output validator used 40.0 s"
        );
        check(Some(Waits::Output), (0, false), 40_000, &full);
        // Endless questions, each answered soon.
        let asked = format!(
            "TLE waited for the output validator, which took 0.200 s for an answer, {until}; \
             the output validator used 2.90 s"
        );
        check(Some(Waits::Input), (200, true), 2900, &asked);
    }

    #[test]
    fn an_output_validator_that_lets_the_submission_wait_is_to_blame() {
        let check = |waits, debt, expected: &str| {
            for opinion in [Opinion::Rejected, Opinion::Accepted, broken()] {
                assert_eq!(at_the_clock(waits, debt, 5, false, &opinion), expected);
            }
        };
        let fault = |time: &str| {
            format!(
                "fault it let the submission wait until its wall time limit of 3 s, and for {time} for one answer"
            )
        };
        check(Some(Waits::Input), (2900, true), &fault("2.90 s"));
        check(Some(Waits::Input), (1501, true), &fault("1.50 s"));
        // It has not even begun to read.
        check(Some(Waits::Output), (2900, true), &fault("2.90 s"));
        let soon = "TLE waited for the output validator, which took 1.50 s for an answer, until its wall time limit of 3 s, with 0.010 s of CPU time";
        check(Some(Waits::Input), (1500, true), soon);
    }

    #[test]
    fn an_output_validator_that_cannot_answer_all_questions_in_its_time_is_not_to_blame() {
        let found =
            |is_behind| at_the_clock(Some(Waits::Output), (0, false), 60_000, is_behind, &broken());
        let expected = "TLE waited for its output to be read, until its wall time limit of 3 s, with 0.010 s of CPU time; the output validator used 60 s";
        assert_eq!(found(true), expected);
        // The submission ended well, or only crashed. Still, the questions are its own doing.
        let check = |ending, expected: &str| {
            let outcome = Outcome { ending, ..quiet_outcome() };
            let (opinion, limits) = (broken(), limits());
            let known =
                InteractionEnd { is_behind: true, ..known(&outcome, &opinion, &limits, LastWords) };
            assert_eq!(shown(&blame(&known)), expected);
        };
        check(CRASH, "RTE killed by SIGSEGV");
        check(WELL, "fault it ended with exit code 1");
    }
}
