//! `--csv`: a row for each submission, with a column for each group that has points, and for each test case.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};

use csv::Writer;

use crate::model::report::{Report, SubmissionReport};
use crate::model::score::Score;
use crate::model::text::joined;

/// The columns before those of the test cases.
const COLUMNS: [&str; 13] = [
    "package",
    "submission",
    "verdict",
    "unexpected",
    "score",
    "max_score",
    "passed",
    "test_cases",
    "slowest_seconds",
    "memory_bytes",
    "first_failure",
    "cause",
    "same_as",
];

/// What the first line begins with.
pub const SIGN: &str = "package,submission";

/// Writes the table (RFC 4180). A test case that was not run has an empty cell.
///
/// # Errors
/// Errors of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut names: Vec<&str> = Vec::new();
    let mut known = HashSet::new();
    for case in report.submissions.iter().flat_map(|it| it.test_cases.iter()) {
        if known.insert(&case.test_case) {
            names.push(&case.test_case);
        }
    }
    names.sort_by_key(|name| !name.starts_with("sample"));
    let mut groups: Vec<&str> = Vec::new();
    let totals = report.submissions.iter().filter_map(|it| it.score.as_ref());
    for group in totals.flat_map(|total| &total.groups) {
        if !groups.contains(&group.name.as_str()) {
            groups.push(&group.name);
        }
    }
    let mut table = Writer::from_writer(out);
    let titles = COLUMNS.iter().map(|it| (*it).to_owned());
    let titles = titles.chain(groups.iter().map(|group| format!("points {group}")));
    table.write_record(titles.chain(names.iter().map(|it| (*it).to_owned())))?;
    for submission in &report.submissions {
        let cell = |name: &&str| {
            let mut cases = submission.test_cases.iter();
            let case = cases.find(|case| case.test_case == **name);
            case.map(|case| case.verdict.to_string()).unwrap_or_default()
        };
        let points = |group: &&str| {
            let mut groups = submission.score.iter().flat_map(|total| &total.groups);
            let group = groups.find(|it| it.name == **group);
            points(group.and_then(|group| group.score))
        };
        let cells = groups.iter().map(points).chain(names.iter().map(cell));
        table.write_record(summary(submission, report).into_iter().chain(cells))?;
    }
    table.flush()
}

/// Points as a number; empty if not known.
fn points(score: Option<Score>) -> String {
    score.map(|score| score.to_string()).unwrap_or_default()
}

/// The other submissions that are the same program.
fn same_as<'a>(submission: &SubmissionReport, report: &'a Report) -> BTreeSet<&'a str> {
    let groups = report.duplicates.iter().filter(|it| it.submissions.contains(&submission.name));
    let names = groups.flat_map(|it| &it.submissions).map(String::as_str);
    names.filter(|name| *name != submission.name).collect()
}

fn summary(submission: &SubmissionReport, report: &Report) -> [String; COLUMNS.len()] {
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    let (first_failure, cause) = submission.failure();
    let unexpected = submission.broken_expectations.iter().map(|it| &it.reason);
    let total = submission.score.as_ref();
    [
        text(submission.package.as_deref()),
        submission.name.clone(),
        submission.verdict.map(|it| it.to_string()).unwrap_or_default(),
        joined(unexpected, "; "),
        points(total.and_then(|it| it.score)),
        points(total.and_then(|it| it.max_score)),
        submission.passed().to_string(),
        (submission.test_cases.len() + submission.skipped).to_string(),
        submission.slowest().map(|it| it.as_secs_f64().to_string()).unwrap_or_default(),
        submission.memory().map(|it| it.0.to_string()).unwrap_or_default(),
        text(first_failure),
        text(cause),
        joined(same_as(submission, report), "; "),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    #[test]
    fn a_submission_is_a_row_and_a_test_case_a_column() {
        let mut out = Vec::new();
        write(&report("judge"), &mut out).expect("a table");
        assert_eq!(
            String::from_utf8_lossy(&out),
            "package,submission,verdict,unexpected,score,max_score,passed,test_cases,slowest_seconds,memory_bytes,\
             first_failure,cause,same_as,sample/1,secret/2\n\
             sum,a.cpp,AC,,,,2,2,0.5,2048,,,,AC,AC\n\
             sum,\"odd, \"\"name\"\".py\",WA,required AC,,,1,3,0.5,2048,secret/2,token 1 differs,,AC,WA\n\
             sum,c.c,CE,,,,0,2,,,build,the compiler ends with exit code 1,,,\n\
             sum,d.go,,,,,0,0,,,,go not found,,,\n"
        );
    }
}
