//! `--csv`: a row for each submission, with a column for each group that has points, and for each test case.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::io::{self, Write};
use std::iter::repeat_n;

use csv::WriterBuilder;

use crate::report::document::{Report, SubmissionReport, each_once};
use crate::report::html::PageContent;
use juror_core::judgement::Judgement;
use juror_core::score::Score;
use juror_core::text::joined;

type CellFunction = fn(&SubmissionReport, &Report) -> String;

/// The columns before those of groups and test cases.
const FIXED_COLUMNS: [(&str, CellFunction); 13] = [
    ("package", |row, _| cell_text(row.package.as_ref())),
    ("submission", |row, _| row.name.clone()),
    ("verdict", |row, _| cell_text(row.judgement().map(Judgement::short_verdict))),
    ("unexpected", |row, _| joined(row.broken_expectations().iter().map(|it| &it.reason), "; ")),
    ("score", |row, report| cell_text(report.max_points().and_then(|_| row.points()))),
    ("max_score", |row, report| match row.points() {
        None => cell_text(row.score().and_then(|score| score.max_score)),
        Some(_) => cell_text(report.max_points()),
    }),
    ("passed", |row, _| row.passed_cases().to_string()),
    ("test_cases", |row, _| row.selected_cases().to_string()),
    ("slowest_seconds", |row, _| cell_text(row.slowest_cpu_time().map(|time| time.as_secs_f64()))),
    ("memory_bytes", |row, _| cell_text(row.peak_memory().map(|memory| memory.0))),
    ("first_failure", |row, _| cell_text(row.explained_failure().0)),
    ("cause", |row, _| cell_text(row.explained_failure().1)),
    ("same_as", |row, report| joined(same_as(row, report), "; ")),
];

/// Columns behind all others, for who was in a class.
const STUDENT_COLUMNS: [(&str, CellFunction); 3] = [
    ("name", |row, report| cell_text(report.student(&row.name).map(|student| &student.name))),
    ("number", |row, report| {
        cell_text(report.student(&row.name).and_then(|student| student.number.as_ref()))
    }),
    ("late", |row, report| {
        let is_late = report.student(&row.name).is_some_and(|student| student.late);
        if is_late { "late".to_owned() } else { String::new() }
    }),
];

pub const SIGNATURE: &str = "package,submission";

/// Adds an apostrophe if a spreadsheet would read the cell as a formula. Some programs skip blanks before the sign.
/// Numbers stay as they are.
fn escape_formula(cell: String) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && cell.parse::<f64>().is_err() {
        format!("'{cell}")
    } else {
        cell
    }
}

/// By which some spreadsheets know UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Writes CSV (RFC 4180).
pub fn write(report: &Report, content: PageContent<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_separated::<b',', false>(report, content, out)
}

/// With another sign between columns, and a mark at the beginning. A test case that was not run has an empty cell. The last row of an interrupted run says so,
/// and has no submission.
pub fn write_separated<const SEPARATOR: u8, const IS_MARKED: bool>(
    report: &Report,
    _: PageContent<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if IS_MARKED {
        out.write_all(BYTE_ORDER_MARK)?;
    }
    let mut names = each_once(report.cases().map(|case| &*case.test_case));
    names.sort_by_key(|name| !name.starts_with("sample"));
    let totals = report.submissions.iter().filter_map(SubmissionReport::score);
    let groups = each_once(totals.flat_map(|total| &total.groups).map(|group| &*group.name));
    let students = if report.classes.is_empty() { &[] } else { &STUDENT_COLUMNS[..] };
    let mut table = WriterBuilder::new().delimiter(SEPARATOR).from_writer(out);
    let titles = |columns: &[(&'static str, CellFunction)]| -> Vec<String> {
        columns.iter().map(|(title, _)| (*title).to_owned()).collect()
    };
    let mut first = titles(&FIXED_COLUMNS);
    first.extend(groups.iter().map(|group| format!("points {group}")));
    let last = titles(students);
    // A test case may have the name of another column.
    let taken: HashSet<&String> = first.iter().chain(&last).collect();
    let cases = names.iter().map(|name| {
        let is_marked = name.starts_with('~') || taken.contains(&(*name).to_owned());
        if is_marked { format!("~{name}") } else { (*name).to_owned() }
    });
    let all = first.iter().cloned().chain(cases).chain(last.iter().cloned());
    table.write_record(all.map(escape_formula))?;
    for submission in &report.submissions {
        let cases = submission.cases().iter();
        let verdicts: HashMap<&str, &str> =
            cases.map(|case| (&*case.test_case, case.short_verdict())).collect();
        let scored = submission.score().into_iter().flat_map(|total| &total.groups);
        let scores: HashMap<&str, Option<Score>> =
            scored.map(|group| (&*group.name, group.score)).collect();
        let cell = |name: &&str| cell_text(verdicts.get(name));
        let points = |group: &&str| cell_text(scores.get(group).copied().flatten());
        let facts = FIXED_COLUMNS.iter().map(|(_, cell)| cell(submission, report));
        let cells = facts.chain(groups.iter().map(points)).chain(names.iter().map(cell));
        let cells = cells.chain(students.iter().map(|(_, cell)| cell(submission, report)));
        table.write_record(cells.map(escape_formula))?;
    }
    // Without it, a table with missing rows would look complete.
    if report.session.interrupted {
        let cell = |(title, _): &(&str, CellFunction)| match *title {
            "cause" => "interrupted: results are missing",
            _ => "",
        };
        let others = repeat_n("", groups.len() + names.len() + students.len());
        table.write_record(FIXED_COLUMNS.iter().map(cell).chain(others))?;
    }
    table.flush()
}

fn cell_text(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn same_as<'a>(row: &SubmissionReport, report: &'a Report) -> BTreeSet<&'a str> {
    let groups = report.duplicates.iter().filter(|group| group.submissions.contains(&row.name));
    let names = groups.flat_map(|group| &group.submissions).map(String::as_str);
    names.filter(|name| *name != row.name).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::report::tests::report;
    use juror_core::event::CommandTask;
    use juror_core::judgement::CaseJudgement;

    fn check(report: &Report, expected: &str) {
        let mut out = Vec::new();
        write(report, PageContent::Nothing, &mut out).expect("a table");
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn the_table_of_an_interrupted_run_says_that_rows_are_missing() {
        let mut report = Report::default();
        report.session.interrupted = true;
        check(
            &report,
            "package,submission,verdict,unexpected,score,max_score,passed,test_cases,slowest_seconds,memory_bytes,\
             first_failure,cause,same_as\n,,,,,,,,,,,interrupted: results are missing,\n",
        );
    }

    #[test]
    fn a_cell_never_starts_a_formula() {
        let check =
            |cell: &str, expected: &str| assert_eq!(escape_formula(cell.to_owned()), expected);
        check("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
        check("+1+cmd", "'+1+cmd");
        check("-x.py", "'-x.py");
        check("@SUM(1)", "'@SUM(1)");
        check("\t=1", "'\t=1");
        for same in ["", "a.py", "-1", "-0.5", "+3", "1e-6", "0.25", "'=1", "a=b"] {
            check(same, same);
        }
        let mut report = report(CommandTask::Judge);
        report.submissions.truncate(1);
        report.submissions[0].name = "=1+1".to_owned();
        let mut out = Vec::new();
        write(&report, PageContent::Nothing, &mut out).expect("a table");
        let text = String::from_utf8(out).expect("UTF-8");
        assert!(text.contains("\nsum,'=1+1,AC,"), "{text}");
    }

    /// If the work were quadratic in test cases, this would take minutes.
    #[test]
    fn a_hundred_thousand_test_cases_are_as_many_columns() {
        const CASES: usize = 100_000;
        let mut report = report(CommandTask::Judge);
        report.submissions.truncate(1);
        let case = report.submissions[0].cases()[0].clone();
        let cases = (0..CASES).map(|number| {
            let test_case = format!("secret/{number:05}");
            CaseJudgement { test_case, ..case.clone() }
        });
        let judgement = report.submissions[0].result.as_mut().expect("it is judged");
        judgement.cases = Arc::new(cases.collect());
        let mut out = Vec::new();
        write(&report, PageContent::Nothing, &mut out).expect("a table");
        let text = String::from_utf8(out).expect("UTF-8");
        let columns: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(columns, [FIXED_COLUMNS.len() + CASES; 2]);
        assert!(text.ends_with(",AC,AC\n"));
    }

    #[test]
    fn each_submission_has_a_row_and_each_test_case_a_column() {
        check(
            &report(CommandTask::Judge),
            "package,submission,verdict,unexpected,score,max_score,passed,test_cases,slowest_seconds,memory_bytes,\
             first_failure,cause,same_as,sample/1,secret/2\n\
             sum,a.cpp,AC,,,,2,2,0.5,2048,,,,AC,AC\n\
             sum,\"odd, \"\"name\"\".py\",WA,required AC,,,1,3,0.5,2048,secret/2,token 1 differs,,AC,WA\n\
             sum,c.c,CE,,,,0,2,,,build,the compiler ends with exit code 1,,,\n\
             sum,d.go,,,,,0,0,,,,go not found,,,\n",
        );
    }
}
