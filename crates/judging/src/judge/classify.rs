//! The verdict that follows from a run before its output is checked.

use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Outcome, Signal, StopReason};
use juror_core::verdict::Verdict;

const SIGSYS: i32 = 31;
const SIGXFSZ: i32 = 25;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictWithCause {
    pub verdict: Verdict,
    pub cause: String,
}

/// The verdict of a run; `None` if its output decides, or if its partner ended it.
///
/// The limit that was exceeded first counts most, even if the sandbox did not stop the run: a program that ends by
/// itself just beyond a limit has exceeded it. The ending comes second, because a program that is killed for a limit
/// also shows a signal. Only measured facts are causes: any program can end with any signal or exit code.
pub fn classify(outcome: &Outcome, limits: &Limits) -> Option<VerdictWithCause> {
    match limits.first_exceeded(outcome) {
        Some(StopReason::Dismissed) => None,
        Some(limit) => Some(VerdictWithCause {
            verdict: match limit {
                StopReason::Memory => Verdict::MemoryLimitExceeded,
                StopReason::Output => Verdict::OutputLimitExceeded,
                _ => Verdict::TimeLimitExceeded,
            },
            cause: limits.describe_exceeded(limit, outcome),
        }),
        None => classify_ending(outcome),
    }
}

fn classify_ending(outcome: &Outcome) -> Option<VerdictWithCause> {
    let cause = match outcome.ending {
        Ending::Exited(0) => return None,
        Ending::Signalled(Signal(SIGSYS)) => {
            "killed by SIGSYS, the signal of a forbidden system call".to_owned()
        }
        Ending::Signalled(Signal(SIGXFSZ)) => {
            "killed by SIGXFSZ, the signal of a file that is too large".to_owned()
        }
        Ending::Signalled(signal) => format!("killed by {signal}"),
        Ending::Exited(code) => format!("exit code {code}"),
    };
    let refused = match outcome.refused_processes {
        0 => String::new(),
        1 => ", after a new process or thread was refused".to_owned(),
        n => format!(", after {n} new processes or threads were refused"),
    };
    Some(VerdictWithCause { verdict: Verdict::RunTimeError, cause: cause + &refused })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use juror_core::outcome::quiet_outcome;
    use juror_core::units::Bytes;

    fn limits() -> Limits {
        Limits {
            cpu_time: Some(Duration::from_secs(1)),
            wall_time: Some(Duration::from_secs(3)),
            deadline: None,
            memory: Some(Bytes::mib(256)),
            output: Some(Bytes::mib(8)),
            processes: Some(64),
        }
    }

    /// `cpu` is in milliseconds, `peak` in MiB; `expected` starts with the verdict, or is `-`.
    fn check(ending: Ending, stop: Option<StopReason>, cpu: u64, peak: u64, expected: &str) {
        let outcome = Outcome {
            ending,
            stopped_by: stop,
            cpu_time: Duration::from_millis(cpu),
            wall_time: Duration::from_millis(if stop == Some(StopReason::WallTime) {
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
    fn a_run_that_ends_before_the_clock_stops_it_is_in_time() {
        let wall_time = Duration::from_secs(5);
        let outcome = Outcome { wall_time, ..quiet_outcome() };
        assert_eq!(classify(&outcome, &limits()), None);
    }

    #[test]
    fn an_ending_other_than_0_is_a_run_time_error_with_its_name() {
        check(Ending::Exited(3), None, 10, 4, "RTE exit code 3");
        check(Ending::Signalled(Signal(11)), None, 10, 4, "RTE killed by SIGSEGV");
        check(Ending::Signalled(Signal(6)), None, 10, 4, "RTE killed by SIGABRT");
        check(KILLED, None, 10, 4, "RTE killed by SIGKILL");
        check(
            Ending::Signalled(Signal(31)),
            None,
            10,
            4,
            "RTE killed by SIGSYS, the signal of a forbidden system call",
        );
        let expected = "RTE killed by SIGXFSZ, the signal of a file that is too large";
        check(Ending::Signalled(Signal(25)), None, 10, 4, expected);
        check(Ending::Signalled(Signal(24)), None, 10, 4, "RTE killed by SIGXCPU");
        check(Ending::Exited(137), None, 10, 4, "RTE exit code 137");
    }

    #[test]
    fn the_cause_names_refused_processes() {
        let check = |refused_processes: u32, expected: &str| {
            let ending = Ending::Exited(1);
            let outcome = Outcome { ending, refused_processes, ..quiet_outcome() };
            let found = classify(&outcome, &limits()).expect("a verdict");
            assert_eq!((found.verdict, &*found.cause), (Verdict::RunTimeError, expected));
        };
        check(0, "exit code 1");
        check(1, "exit code 1, after a new process or thread was refused");
        check(7, "exit code 1, after 7 new processes or threads were refused");
    }

    /// 2025-09, "Submission limits": a value at the limit is within it; beyond it, the verdict is TLE or MLE
    #[test]
    fn limits_come_before_endings() {
        check(Ending::Exited(0), None, 1001, 4, "TLE over 1.00 s of CPU time, 1.00 s allowed");
        check(Ending::Exited(3), None, 1200, 4, "TLE 1.20 s of CPU time, 1.00 s allowed");
        check(
            Ending::Signalled(Signal(11)),
            None,
            10,
            257,
            "MLE wanted more than the 256 MiB allowed; held 257 MiB",
        );
    }

    /// A file can grow one byte beyond the limit. It does not matter what the program does afterwards.
    #[test]
    fn a_byte_beyond_the_limit_is_too_much_output_however_the_program_ended() {
        let check = |ending: Ending, files: Bytes, expected: &str| {
            let outcome = Outcome { ending, file_bytes: files, ..quiet_outcome() };
            let found = classify(&outcome, &limits());
            let found = found.map_or("-".to_owned(), |found| found.verdict.to_string());
            assert_eq!(found, expected, "{ending:?} {files}");
        };
        let (all, more) = (Bytes::mib(8), Bytes(1 + Bytes::mib(8).0));
        for ending in [Ending::Signalled(Signal(SIGXFSZ)), KILLED, Ending::Exited(1)] {
            check(ending, all, "RTE");
            check(ending, more, "OLE");
        }
        check(Ending::Exited(0), all, "-");
        check(Ending::Exited(0), more, "OLE");
    }

    #[test]
    fn the_limit_that_was_passed_first_counts() {
        check(
            KILLED,
            Some(StopReason::CpuTime),
            1010,
            257,
            "TLE 1.01 s of CPU time, 1.00 s allowed",
        );
        check(
            KILLED,
            Some(StopReason::Memory),
            1000,
            256,
            "MLE wanted more than the 256 MiB allowed; held 256 MiB",
        );
        check(
            KILLED,
            Some(StopReason::Memory),
            1010,
            256,
            "TLE 1.01 s of CPU time, 1.00 s allowed",
        );
        // A run that continued beyond its CPU time on a busy machine.
        let clock = Some(StopReason::WallTime);
        check(KILLED, clock, 1300, 4, "TLE 1.30 s of CPU time, 1.00 s allowed");
        check(KILLED, Some(StopReason::Output), 10, 4, "OLE wrote more than the 8 MiB allowed");
    }

    #[test]
    fn the_cause_distinguishes_idle_from_busy_programs() {
        check(
            KILLED,
            Some(StopReason::WallTime),
            20,
            4,
            "TLE over 3.00 s on the wall clock, 3.00 s allowed, with 0.020 s of CPU time: it slept, or waited for input that never came",
        );
        let limits = Limits { cpu_time: Some(Duration::from_secs(2)), ..limits() };
        let outcome = Outcome {
            ending: KILLED,
            stopped_by: Some(StopReason::WallTime),
            cpu_time: Duration::from_millis(1800),
            wall_time: Duration::from_millis(3004),
            ..quiet_outcome()
        };
        let cause = classify(&outcome, &limits).unwrap().cause;
        assert_eq!(cause, "over 3.00 s on the wall clock, 3.00 s allowed, with 1.80 s of CPU time");
    }

    #[test]
    fn standard_error_is_named_if_it_is_most_of_the_output() {
        let check = |stdout: u64, stderr: u64, files: u64, is_named: bool| {
            let outcome = Outcome {
                stdout_bytes: Bytes::mib(stdout),
                stderr_bytes: Bytes::mib(stderr),
                file_bytes: Bytes::mib(files),
                ..quiet_outcome()
            };
            let cause = classify(&outcome, &limits()).expect("a verdict").cause;
            let place = if is_named { ", most of it on standard error" } else { "" };
            assert_eq!(cause, format!("wrote more than the 8 MiB allowed{place}"));
        };
        check(0, 9, 0, true);
        check(1, 8, 0, true);
        check(1, 7, 1, true);
        check(9, 0, 0, false);
        check(5, 4, 0, false);
        check(2, 5, 4, false);
        check(0, 1, 9, false);
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
