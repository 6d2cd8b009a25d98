//! Decides which of two programs is to blame after an interactive run.
//!
//! The first failure counts. What the output validator decides before it learns of the end of the submission's output
//! depends only on that output. So it counts before anything that happens to the submission afterwards. A later
//! decision may depend on the end itself. So if the submission ended badly, that counts, however much later it was. It
//! does not matter which of the two exited first.
//!
//! A submission at its wall time limit is to blame, unless it waited for an answer that the output validator owed it.
//! What the validator does later, or for questions that nobody waits for, does not count against it.
//!
//! Source: problem package format 2025-09, "Reporting a judgement", "Limits".

use std::time::Duration;

use crate::judge::classify::{VerdictWithCause, classify};
use crate::output_validator::response::Opinion;
use juror_core::joint::{Deadlock, PartnerDelay, WaitReason};
use juror_core::limits::Limits;
use juror_core::outcome::{Outcome, StopReason};
use juror_core::text::exact_seconds;
use juror_core::units::seconds;
use juror_core::verdict::Verdict;

pub(super) struct InteractionEnd<'a> {
    pub(super) submission: &'a Outcome,
    pub(super) limits: &'a Limits,
    /// What the submission waited for at the last check.
    pub(super) submission_waits: Option<WaitReason>,
    pub(super) opinion: &'a Opinion,
    pub(super) validator_time: Duration,
    /// How long the output validator let the submission wait.
    pub(super) debt: PartnerDelay,
    /// Whether a time limit ended the output validator although it had questions to read.
    pub(super) is_validator_behind: bool,
    /// Whether the output validator, while it ran, learned of the end of the submission's output.
    pub(super) validator_saw_end: bool,
    /// Set if both waited for each other.
    pub(super) deadlock: Option<Deadlock>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    Submission(VerdictWithCause),
    ValidatorDecides,
    Validator(String),
}

pub(super) fn blame(end: &InteractionEnd<'_>) -> Blame {
    if let Some(deadlock) = &end.deadlock {
        return blame_for_deadlock(deadlock);
    }
    let classified = classify(end.submission, end.limits);
    let decided_before = !end.validator_saw_end;
    match (end.opinion, classified) {
        (Opinion::Rejected | Opinion::Partial(_), _) if decided_before => Blame::ValidatorDecides,
        (Opinion::Broken(_), Some(classified)) if end.is_validator_behind => {
            blame_submission(end, classified)
        }
        (Opinion::Broken(what), _) if decided_before => Blame::Validator(what.clone()),
        (Opinion::Broken(what), None) => Blame::Validator(what.clone()),
        (_, Some(classified)) => {
            blame_slow_validator(end).unwrap_or_else(|| blame_submission(end, classified))
        }
        (_, None) => Blame::ValidatorDecides,
    }
}

/// In a deadlock, the submission waited for something that could never come. So it is to blame, unless the output
/// validator waited for itself.
fn blame_for_deadlock(deadlock: &Deadlock) -> Blame {
    let cause = match (deadlock.program, deadlock.partner) {
        (_, WaitReason::Itself) => {
            let what = "it waits for itself, such as for a lock that is never released";
            return Blame::Validator(what.to_owned());
        }
        (WaitReason::Input, WaitReason::Input) => {
            "waited for input that never came: the output validator also waited, for a line or its end. \
             Was all output flushed?"
        }
        (WaitReason::Input, WaitReason::Output) => {
            "waited for input, and the output validator for its own output to be read"
        }
        (WaitReason::Output, _) => {
            "waited for its output to be read, but the output validator does not read it"
        }
        (WaitReason::Itself, _) => "waited for itself, such as for a lock that is never released",
    };
    let (verdict, cause) = (Verdict::TimeLimitExceeded, cause.to_owned());
    Blame::Submission(VerdictWithCause { verdict, cause })
}

/// Blames the output validator if the submission waited for it at its wall time limit, and for more than half of that
/// time for one answer. Many quick answers are the submission's own doing: it asked.
fn blame_slow_validator(end: &InteractionEnd<'_>) -> Option<Blame> {
    let PartnerDelay { longest, is_open } = end.debt;
    let limit = exact_seconds(exceeded_wall_time_limit(end)?);
    let is_blamed = is_open && longest * 2 > end.submission.wall_time;
    let longest = seconds(longest);
    is_blamed.then(|| {
        Blame::Validator(format!(
            "it let the submission wait until its wall time limit of {limit}, and for {longest} for one answer"
        ))
    })
}

/// `None` if the submission did not exceed it.
fn exceeded_wall_time_limit(end: &InteractionEnd<'_>) -> Option<Duration> {
    let is_passed = end.limits.first_exceeded(end.submission) == Some(StopReason::WallTime);
    end.limits.wall_time.filter(|_| is_passed)
}

fn blame_submission(end: &InteractionEnd<'_>, classified: VerdictWithCause) -> Blame {
    let PartnerDelay { longest, is_open } = end.debt;
    let waited = match end.submission_waits {
        Some(WaitReason::Input) if is_open => {
            let longest = seconds(longest);
            Some(format!("waited for the output validator, which took {longest} for an answer"))
        }
        Some(WaitReason::Input) => Some("waited for input that never came".to_owned()),
        Some(WaitReason::Output) => Some("waited for its output to be read".to_owned()),
        Some(WaitReason::Itself) | None => None,
    };
    let until = |(waited, limit)| {
        let (limit, cpu_time) = (exact_seconds(limit), seconds(end.submission.cpu_time));
        format!("{waited}, until its wall time limit of {limit}, with {cpu_time} of CPU time")
    };
    let waited = waited.zip(exceeded_wall_time_limit(end));
    let cause = waited.map_or(classified.cause, until) + &validator_time_note(end);
    Blame::Submission(VerdictWithCause { verdict: classified.verdict, cause })
}

/// The time of the output validator, if it is much: many questions take long to answer.
fn validator_time_note(end: &InteractionEnd<'_>) -> String {
    let used = end.validator_time;
    if exceeded_wall_time_limit(end).is_some() && used * 2 > end.submission.wall_time {
        format!("; the output validator used {}", seconds(used))
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::outcome::quiet_outcome;
    use juror_core::outcome::{Ending, Signal};
    use juror_core::units::Bytes;

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

    fn interaction_end<'a>(
        submission: &'a Outcome,
        opinion: &'a Opinion,
        limits: &'a Limits,
        order: Order,
    ) -> InteractionEnd<'a> {
        InteractionEnd {
            submission,
            limits,
            submission_waits: None,
            opinion,
            validator_time: Duration::from_millis(5),
            debt: PartnerDelay::default(),
            is_validator_behind: false,
            validator_saw_end: order == Told,
            deadlock: None,
        }
    }

    /// A verdict with the start of its cause, `says` if the validator decides, or `fault`.
    fn shown(blame: &Blame) -> String {
        match blame {
            Blame::Submission(classified) => {
                format!("{} {}", classified.verdict, classified.cause)
            }
            Blame::ValidatorDecides => "says".to_owned(),
            Blame::Validator(what) => format!("fault {what}"),
        }
    }

    fn check(
        ending: Ending,
        stop: Option<StopReason>,
        opinion: Opinion,
        order: Order,
        expected: &str,
    ) {
        let outcome = Outcome { ending, stopped_by: stop, ..quiet_outcome() };
        let found = shown(&blame(&interaction_end(&outcome, &opinion, &limits(), order)));
        let start: String = found.chars().take(expected.chars().count()).collect();
        assert_eq!(start, expected, "{ending:?} {stop:?} {opinion:?}: {found}");
    }

    #[test]
    fn the_validator_decides_if_both_end_well() {
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
        use StopReason::{CpuTime, Dismissed, Memory, Output, WallTime};
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
            check(KILLED, Some(StopReason::CpuTime), "TLE");
            check(KILLED, Some(StopReason::WallTime), "TLE");
            check(KILLED, Some(StopReason::Memory), "MLE");
            check(KILLED, Some(StopReason::Output), "OLE");
        }
    }

    #[test]
    fn an_accepted_submission_must_still_end_well() {
        for order in [LastWords, Told] {
            check(BADLY, None, Opinion::Accepted, order, "RTE exit code 1");
            let stop = Some(StopReason::WallTime);
            check(KILLED, stop, Opinion::Accepted, order, "TLE");
            let stop = Some(StopReason::Output);
            check(KILLED, stop, Opinion::Accepted, order, "OLE");
        }
    }

    #[test]
    fn a_validator_that_breaks_down_is_at_fault_unless_the_submission_failed_before() {
        let fault = "fault it ended with exit code 1";
        check(CRASH, None, broken(), LastWords, fault);
        check(KILLED, Some(StopReason::Dismissed), broken(), LastWords, fault);
        check(KILLED, Some(StopReason::WallTime), broken(), LastWords, fault);
        for order in [LastWords, Told] {
            check(WELL, None, broken(), order, fault);
        }
    }

    /// 2025-09, "Resource guarantees": a deadlock is TLE at once
    #[test]
    fn a_deadlock_is_the_submissions_fault() {
        let check = |program: WaitReason, partner: WaitReason, expected: &str| {
            let outcome = Outcome {
                ending: KILLED,
                stopped_by: Some(StopReason::Deadlock),
                ..quiet_outcome()
            };
            let (opinion, limits) = (Opinion::Broken("it did not end".to_owned()), limits());
            let mut end = interaction_end(&outcome, &opinion, &limits, LastWords);
            end.deadlock = Some(Deadlock { at: Duration::from_millis(25), program, partner });
            let found = shown(&blame(&end));
            assert!(found.starts_with(expected), "{found}");
        };
        use WaitReason::{Input, Itself, Output};
        check(Input, Input, "TLE waited for input that never came");
        check(Input, Output, "TLE waited for input, and the output validator");
        check(Output, Output, "TLE waited for its output to be read");
        check(Itself, Input, "TLE waited for itself");
        check(Input, Itself, "fault it waits for itself");
    }

    /// A submission at its wall time limit of 3 s: what it waited for; how many milliseconds it waited for one answer;
    /// whether it still waited for one; and the output validator's CPU time in milliseconds.
    fn at_the_clock(
        waits: Option<WaitReason>,
        (longest, is_open): (u64, bool),
        validator_time: u64,
        is_behind: bool,
        opinion: &Opinion,
    ) -> String {
        let outcome = Outcome {
            ending: KILLED,
            stopped_by: Some(StopReason::WallTime),
            wall_time: Duration::from_secs(3),
            ..quiet_outcome()
        };
        let limits = limits();
        let order = if is_behind { LastWords } else { Told };
        let end = InteractionEnd {
            submission_waits: waits,
            validator_time: Duration::from_millis(validator_time),
            debt: PartnerDelay { longest: Duration::from_millis(longest), is_open },
            is_validator_behind: is_behind,
            ..interaction_end(&outcome, opinion, &limits, order)
        };
        shown(&blame(&end))
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
        check(Some(WaitReason::Input), (0, false), 1400, &waited);
        check(Some(WaitReason::Input), (2900, false), 1400, &waited);
        let working = format!("{waited}; the output validator used 2.00 s");
        check(Some(WaitReason::Input), (0, false), 2000, &working);
        // A queue of questions.
        let full = format!(
            "TLE waited for its output to be read, {until}; the output validator used 40.0 s"
        );
        check(Some(WaitReason::Output), (0, false), 40_000, &full);
        // Endless questions, each answered soon.
        let asked = format!(
            "TLE waited for the output validator, which took 0.200 s for an answer, {until}; \
             the output validator used 2.90 s"
        );
        check(Some(WaitReason::Input), (200, true), 2900, &asked);
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
        check(Some(WaitReason::Input), (2900, true), &fault("2.90 s"));
        check(Some(WaitReason::Input), (1501, true), &fault("1.50 s"));
        // It has not even begun to read.
        check(Some(WaitReason::Output), (2900, true), &fault("2.90 s"));
        let soon = "TLE waited for the output validator, which took 1.50 s for an answer, until its wall time limit of 3 s, with 0.010 s of CPU time";
        check(Some(WaitReason::Input), (1500, true), soon);
    }

    #[test]
    fn an_output_validator_that_cannot_answer_all_questions_in_its_time_is_not_to_blame() {
        let found = |is_behind| {
            at_the_clock(Some(WaitReason::Output), (0, false), 60_000, is_behind, &broken())
        };
        let expected = "TLE waited for its output to be read, until its wall time limit of 3 s, with 0.010 s of CPU time; the output validator used 60 s";
        assert_eq!(found(true), expected);
        // The submission ended well, or only crashed. Still, the questions are its own doing.
        let check = |ending, expected: &str| {
            let outcome = Outcome { ending, ..quiet_outcome() };
            let (opinion, limits) = (broken(), limits());
            let end = InteractionEnd {
                is_validator_behind: true,
                ..interaction_end(&outcome, &opinion, &limits, LastWords)
            };
            assert_eq!(shown(&blame(&end)), expected);
        };
        check(CRASH, "RTE killed by SIGSEGV");
        check(WELL, "fault it ended with exit code 1");
    }
}
