//! The verdict that a run earns by itself, before its output is looked at.

use std::time::Duration;

use crate::model::limits::Limits;
use crate::model::outcome::{Ending, Outcome, Signal, Stop};
use crate::model::units::{Bytes, seconds};
use crate::model::verdict::Verdict;

const SIGXFSZ: i32 = 25;
const SIGSYS: i32 = 31;

/// A verdict with its reason in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub cause: String,
}

/// The verdict that a run earns by itself, or `None` when its output decides.
///
/// The limit at which the sandbox stepped in comes first, because it is what ended the run. Then
/// measured values against limits: a program that ended by itself just beyond a limit has still
/// exceeded it. Then the ending: a program killed for passing a limit also shows a signal.
///
/// A run that was ended because its partner was done with it earns nothing by itself.
pub fn classify(outcome: &Outcome, limits: &Limits) -> Option<Classified> {
    if outcome.stop == Some(Stop::Dismissed) {
        return None;
    }
    stopped(outcome, limits)
        .or_else(|| over_limit(outcome, limits))
        .or_else(|| ending(outcome, limits))
}

fn stopped(outcome: &Outcome, limits: &Limits) -> Option<Classified> {
    Some(match outcome.stop? {
        Stop::CpuTime => too_long(outcome, limits),
        Stop::WallTime => too_slow(outcome, limits),
        Stop::Memory => too_much_memory(outcome, limits),
        Stop::Output => too_much_output(limits),
        Stop::Deadlock => waits_for_ever(),
        Stop::Dismissed => return None,
    })
}

fn over_limit(outcome: &Outcome, limits: &Limits) -> Option<Classified> {
    let over = |used: Duration, limit: Option<Duration>| limit.is_some_and(|limit| used > limit);
    let above = |used: Bytes, limit: Option<Bytes>| limit.is_some_and(|limit| used > limit);
    if over(outcome.cpu_time, limits.cpu_time) {
        Some(too_long(outcome, limits))
    } else if above(outcome.peak_memory, limits.memory) {
        Some(too_much_memory(outcome, limits))
    } else if above(outcome.written(), limits.output) {
        Some(too_much_output(limits))
    } else if over(outcome.wall_time, limits.wall_time) {
        Some(too_slow(outcome, limits))
    } else {
        None
    }
}

fn ending(outcome: &Outcome, limits: &Limits) -> Option<Classified> {
    let cause = match outcome.ending {
        Ending::Exited(0) => return None,
        Ending::Signalled(Signal(SIGXFSZ)) => return Some(too_much_output(limits)),
        Ending::Signalled(Signal(SIGSYS)) => "killed by SIGSYS: a forbidden system call".to_owned(),
        Ending::Signalled(signal) => format!("killed by {signal}"),
        Ending::Exited(code) => format!("exit code {code}"),
    };
    let refused = match outcome.refused_processes {
        0 => String::new(),
        1 => ", after a new process or thread was refused".to_owned(),
        n => format!(", after {n} new processes or threads were refused"),
    };
    Some(Classified {
        verdict: Verdict::RunTimeError,
        cause: cause + &refused,
    })
}

fn too_long(outcome: &Outcome, limits: &Limits) -> Classified {
    let limit = limits.cpu_time.unwrap_or_default();
    Classified {
        verdict: Verdict::TimeLimitExceeded,
        cause: format!(
            "{} of CPU time, {} allowed",
            seconds(outcome.cpu_time),
            seconds(limit)
        ),
    }
}

fn too_slow(outcome: &Outcome, limits: &Limits) -> Classified {
    let limit = limits.wall_time.unwrap_or_default();
    let idle = outcome.cpu_time * 2 < outcome.wall_time;
    let reading = if idle {
        ": it slept, or waited for input that never came"
    } else {
        ""
    };
    Classified {
        verdict: Verdict::TimeLimitExceeded,
        cause: format!(
            "{} on the wall clock, {} allowed, with {} of CPU time{reading}",
            seconds(outcome.wall_time),
            seconds(limit),
            seconds(outcome.cpu_time)
        ),
    }
}

fn waits_for_ever() -> Classified {
    Classified {
        verdict: Verdict::TimeLimitExceeded,
        cause: "waited for input that never came".to_owned(),
    }
}

fn too_much_memory(outcome: &Outcome, limits: &Limits) -> Classified {
    let limit = limits.memory.unwrap_or_default();
    Classified {
        verdict: Verdict::MemoryLimitExceeded,
        cause: format!(
            "wanted more than the {limit} allowed; held {}",
            outcome.peak_memory
        ),
    }
}

fn too_much_output(limits: &Limits) -> Classified {
    let limit = limits.output.unwrap_or_default();
    Classified {
        verdict: Verdict::OutputLimitExceeded,
        cause: format!("wrote more than the {limit} allowed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::scripted::quiet_outcome;

    fn limits() -> Limits {
        Limits {
            cpu_time: Some(Duration::from_secs(1)),
            wall_time: Some(Duration::from_secs(3)),
            memory: Some(Bytes::mib(256)),
            output: Some(Bytes::mib(8)),
            processes: Some(64),
        }
    }

    /// `cpu` in milliseconds, `peak` in MiB; `expected` starts with the verdict, or is `-`.
    fn check(ending: Ending, stop: Option<Stop>, cpu: u64, peak: u64, expected: &str) {
        let outcome = Outcome {
            ending,
            stop,
            cpu_time: Duration::from_millis(cpu),
            wall_time: Duration::from_millis(if stop == Some(Stop::WallTime) {
                3004
            } else {
                cpu + 2
            }),
            peak_memory: Bytes::mib(peak),
            ..quiet_outcome()
        };
        let got = classify(&outcome, &limits()).map_or("-".to_owned(), |classified| {
            format!("{} {}", classified.verdict, classified.cause)
        });
        assert_eq!(got, expected);
    }

    const KILLED: Ending = Ending::Signalled(Signal(9));

    #[test]
    fn output_decides_about_a_run_within_limits_that_ends_with_0() {
        check(Ending::Exited(0), None, 10, 4, "-");
        check(Ending::Exited(0), None, 1000, 256, "-");
    }

    #[test]
    fn an_ending_other_than_0_is_a_run_time_error_with_its_name() {
        check(Ending::Exited(3), None, 10, 4, "RTE exit code 3");
        check(
            Ending::Signalled(Signal(11)),
            None,
            10,
            4,
            "RTE killed by SIGSEGV",
        );
        check(
            Ending::Signalled(Signal(6)),
            None,
            10,
            4,
            "RTE killed by SIGABRT",
        );
        check(KILLED, None, 10, 4, "RTE killed by SIGKILL");
        check(
            Ending::Signalled(Signal(31)),
            None,
            10,
            4,
            "RTE killed by SIGSYS: a forbidden system call",
        );
    }

    #[test]
    fn limits_come_before_endings() {
        check(
            Ending::Exited(0),
            None,
            1001,
            4,
            "TLE 1.00 s of CPU time, 1.00 s allowed",
        );
        check(
            Ending::Exited(3),
            None,
            1200,
            4,
            "TLE 1.20 s of CPU time, 1.00 s allowed",
        );
        check(
            Ending::Signalled(Signal(11)),
            None,
            10,
            257,
            "MLE wanted more than the 256 MiB allowed; held 257 MiB",
        );
        check(
            Ending::Signalled(Signal(25)),
            None,
            10,
            4,
            "OLE wrote more than the 8 MiB allowed",
        );
    }

    #[test]
    fn what_ended_the_run_comes_before_what_was_also_exceeded() {
        check(
            KILLED,
            Some(Stop::CpuTime),
            1010,
            257,
            "TLE 1.01 s of CPU time, 1.00 s allowed",
        );
        check(
            KILLED,
            Some(Stop::Memory),
            1010,
            256,
            "MLE wanted more than the 256 MiB allowed; held 256 MiB",
        );
        check(
            KILLED,
            Some(Stop::Output),
            10,
            4,
            "OLE wrote more than the 8 MiB allowed",
        );
    }

    #[test]
    fn an_idle_program_is_told_from_a_busy_one() {
        check(
            KILLED,
            Some(Stop::WallTime),
            20,
            4,
            "TLE 3.00 s on the wall clock, 3.00 s allowed, with 0.020 s of CPU time: it slept, or waited for input that never came",
        );
        check(
            KILLED,
            Some(Stop::WallTime),
            1800,
            4,
            "TLE 3.00 s on the wall clock, 3.00 s allowed, with 1.80 s of CPU time",
        );
    }

    #[test]
    fn all_that_is_written_counts_against_the_output_limit() {
        let mut outcome = quiet_outcome();
        outcome.stdout_bytes = Bytes::mib(4);
        outcome.stderr_bytes = Bytes::mib(4);
        assert_eq!(classify(&outcome, &limits()), None);
        outcome.file_bytes = Bytes(1);
        let classified = classify(&outcome, &limits()).unwrap();
        assert_eq!(classified.verdict, Verdict::OutputLimitExceeded);
    }
}
