//! Recorded runs of `compare`.

use juror::ops::compare::ComparisonReport;
use juror_core::exit_code::ExitCode;

use super::record::{Recording, record_result};
use crate::fixture::Fixture;

fn record_comparison(
    answer: &str,
    output: &str,
    more: &str,
    code: ExitCode,
) -> Recording<ComparisonReport> {
    let fixture = Fixture::new();
    fixture.write("1.ans", answer);
    fixture.write("my.out", output);
    record_result(&fixture, &format!("compare @1.ans @my.out {more}"), code)
}

pub(super) fn right_output() -> Recording<ComparisonReport> {
    record_comparison("1 2\n", "1  2\n", "", ExitCode::Success)
}

/// Wrong in several lines.
pub(super) fn wrong_output() -> Recording<ComparisonReport> {
    let answer: String = (1..60).map(|line| format!("{line} {}\n", line * line)).collect();
    let output = answer.replace("9\n", "8\n").replace("30 900", "30 900 \u{1b}[2J");
    record_comparison(&answer, &output, "", ExitCode::Rejected)
}

/// A number that is too far from a judge answer of 0.
pub(super) fn far_number() -> Recording<ComparisonReport> {
    record_comparison("0\n", "0.001\n", "float_tolerance 1e-6", ExitCode::Rejected)
}
