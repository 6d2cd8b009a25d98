//! Reads the opinion of a checker or interactor with testlib.h.
//!
//! It follows from the exit code: 0 right; 1 wrong; 2, 4 and 8 wrong, because the output is malformed, does not end,
//! or ends too early; 3 the test case is faulty; 7 points; 50 and more partly right. The report file has the message,
//! which begins with the points. A program without a report writes the message to standard error.

use crate::output_validator::response::{Opinion, Worth};
use juror_core::messages::first_line_clause;
use juror_core::program::PARTLY_RIGHT_EXIT_CODE;
use juror_core::score::Score;

/// The largest value that can be added to [`PARTLY_RIGHT_EXIT_CODE`].
const LARGEST_PART: i32 = 200;

/// # Errors
/// If they express none, with a clause about what the program did.
pub(super) fn opinion(code: i32, message: &[u8]) -> Result<Opinion, String> {
    let (quoted, _) = first_line_clause(message);
    match code {
        0 => Ok(Opinion::Accepted),
        1 | 2 | 4 | 8 => Ok(Opinion::Rejected),
        3 => Err(format!("it reports a fault of the test case{quoted}")),
        7 => points(message).map(Opinion::Partial).ok_or_else(|| {
            format!("it ended with exit code 7, but its message does not begin with points{quoted}")
        }),
        PARTLY_RIGHT_EXIT_CODE.. if code <= PARTLY_RIGHT_EXIT_CODE + LARGEST_PART => Err(format!(
            "it ended with exit code {code}, for \"partially correct ({})\"; what that is worth differs between judges. \
             Let it call quitp with points",
            code - PARTLY_RIGHT_EXIT_CODE
        )),
        _ => Err(format!(
            "it ended with exit code {code}; a program with testlib.h ends with 0, 1, 2, 3, 4, 7 or 8"
        )),
    }
}

/// The points at the beginning of a message, such as `12.5 of 20` or `points 12.5`.
fn points(message: &[u8]) -> Option<Worth> {
    let text = std::str::from_utf8(message.trim_ascii()).ok()?;
    let mut words = text.strip_prefix("points").unwrap_or(text).split_ascii_whitespace();
    let points: f64 = words.next()?.parse().ok()?;
    Score::new(points).filter(|_| points >= 0.0).map(Worth::Points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output_validator::feedback::FEEDBACK_FILES;
    use crate::output_validator::response::{Contract, Response, exit_code};
    use juror_core::blob::Blob;
    use juror_core::job::{CollectedEntry, JobReply};
    use juror_core::limits::Limits;
    use juror_core::outcome::quiet_outcome;
    use juror_core::outcome::{Ending, Outcome, Signal, StopReason};
    use juror_core::protocol::Protocol;

    /// Checks `+`, `-`, points or the start of the error, and the message.
    fn check(ending: Ending, report: Option<&str>, stderr: &str, expected: &str, message: &str) {
        let collected = FEEDBACK_FILES.map(|name| match (name, report) {
            ("judgemessage.txt", Some(text)) => CollectedEntry::File(text.as_bytes().into()),
            _ => CollectedEntry::Missing,
        });
        let reply = JobReply {
            outcome: Outcome { ending, ..quiet_outcome() },
            stdout: Blob::default(),
            stderr: stderr.as_bytes().into(),
            collected: collected.into(),
            kept: None,
        };
        let limits = Limits::of_machine_check();
        let response =
            Response::from_reply(reply, &limits, Protocol::Testlib, Contract::OnePass).unwrap();
        let found = match &response.opinion {
            Opinion::Accepted => "+".to_owned(),
            Opinion::Rejected => "-".to_owned(),
            Opinion::Partial(Worth::Points(points)) => points.to_string(),
            Opinion::Partial(other) => format!("{other:?}"),
            Opinion::Broken(what) => what.clone(),
        };
        let start: String = found.chars().take(expected.chars().count().max(1)).collect();
        assert_eq!(start, expected, "{ending:?}: {found}");
        assert_eq!(String::from_utf8_lossy(&response.feedback.judge_message), message);
    }

    #[test]
    fn the_exit_code_decides() {
        let check = |code: i32, expected: &str| {
            check(Ending::Exited(code), Some("why"), "", expected, "why");
        };
        check(0, "+");
        for wrong in [1, 2, 4, 8] {
            check(wrong, "-");
        }
        check(3, "it reports a fault of the test case: why");
        check(7, "it ended with exit code 7, but its message does not begin with points: why");
        check(50, "it ended with exit code 50, for \"partially correct (0)\"");
        check(75, "it ended with exit code 75, for \"partially correct (25)\"");
        for unknown in [5, 6, 9, 42, 43, 49, 251, 255] {
            check(unknown, &format!("it ended with exit code {unknown}; a program with testlib.h"));
        }
    }

    #[test]
    fn a_killed_checker_has_no_opinion() {
        check(Ending::Signalled(Signal(11)), None, "", "it was killed by SIGSEGV", "");
        let outcome = Outcome {
            ending: Ending::Exited(0),
            stopped_by: Some(StopReason::CpuTime),
            ..quiet_outcome()
        };
        let what = exit_code(&outcome, &Limits::of_machine_check()).unwrap_err();
        assert!(what.starts_with("it exceeded a limit"), "{what}");
    }

    #[test]
    fn the_report_comes_before_standard_error() {
        let seven = Ending::Exited(7);
        let check = |report: Option<&str>, stderr: &str, expected: &str, message: &str| {
            check(seven, report, stderr, expected, message);
        };
        check(Some("12.5 of 20"), "See file to check exit message\n", "12.5", "12.5 of 20");
        check(Some("0"), "points 9", "0", "0");
        check(None, "points 7 well\n", "7", "points 7 well\n");
        check(Some(""), "points 7", "7", "points 7");
        check(Some("-1"), "", "it ended with exit code 7, but its message", "-1");
        check(Some("nan"), "", "it ended with exit code 7, but its message", "nan");
    }
}
