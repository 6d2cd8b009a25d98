//! `--github`: annotations of files and lines, and a job summary, for GitHub Actions.
//!
//! Source: "Workflow commands for GitHub Actions". GitHub shows the first ten errors and ten warnings of a step.

use std::io::{self, Write};
use std::path::Path;

use crate::report::document::{Report, SubmissionReport};
use crate::report::html::PageContent;
use juror_core::diagnostic::Severity;
use juror_core::event::CommandTask;
use juror_core::judgement::Judgement;
use juror_core::text::{count, joined, printable};
use juror_core::verdict::Verdict;

/// How many errors of packages the summary names.
const LISTED_ERRORS: usize = 100;

pub fn write(report: &Report, _: PageContent<'_>, out: &mut dyn Write) -> io::Result<()> {
    for submission in &report.submissions {
        if let Some((title, message)) = describe_surprise(report, submission) {
            let path = submission.judgement().map(|judgement| judgement.path.as_path());
            annotate(out, Severity::Error, path, None, &title, &message)?;
        }
    }
    for diagnostic in &report.session.diagnostics {
        let message = joined([&diagnostic.message].into_iter().chain(&diagnostic.help), "\n");
        let spot = diagnostic.place.spot.as_ref().map(|spot| (spot.line, spot.column));
        let path = Some(diagnostic.place.path.as_path());
        annotate(out, diagnostic.severity, path, spot, "juror", &message)?;
    }
    let session = &report.session;
    let faults = session.judge_errors.iter().map(|fault| ("judge error", fault.error.to_string()));
    let complaints = session.complaints.iter().map(|complaint| ("juror", complaint.clone()));
    for (title, message) in faults.chain(complaints) {
        annotate(out, Severity::Error, None, None, title, &message)?;
    }
    Ok(())
}

pub fn write_summary(report: &Report, _: PageContent<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = &report.summary;
    let (judged, runs) = (summary.accepted + summary.rejected, summary.runs);
    writeln!(out, "### juror {}\n", report.session.command)?;
    if !report.submissions.is_empty() {
        let titles =
            "| package | submission | verdict | passed | slowest | first failure | unexpected |";
        writeln!(out, "{titles}\n|---|---|---|---|---|---|---|")?;
    }
    for submission in &report.submissions {
        let (name, cause) = submission.explained_failure();
        let reasons = submission.broken_expectations().iter().map(|broken| &broken.reason);
        let time = submission.slowest_cpu_time().map(|time| format!("{:.3} s", time.as_secs_f64()));
        let cells = [
            submission.package.clone().unwrap_or_default(),
            submission.name.clone(),
            submission.judgement().map_or("–", Judgement::short_verdict).to_owned(),
            format!("{} of {}", submission.passed_cases(), submission.selected_cases()),
            time.unwrap_or_default(),
            joined(name.into_iter().chain(cause.as_deref()), ": "),
            joined(reasons, "; "),
        ];
        writeln!(out, "| {} |", cells.map(|cell| escape_cell(&cell)).join(" | "))?;
    }
    let errors = report.session.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    for (index, error) in errors.clone().take(LISTED_ERRORS).enumerate() {
        let before = if index == 0 { "\n" } else { "" };
        writeln!(out, "{before}- error: {}", escape_cell(&error.to_string()))?;
    }
    if let Some(more) = errors.count().checked_sub(LISTED_ERRORS).filter(|more| *more > 0) {
        writeln!(out, "- and {}", count(more, "more error"))?;
    }
    let figures = [
        (judged, "submission"),
        (runs, "run"),
        (summary.errors, "error"),
        (summary.warnings, "warning"),
        (summary.judge_errors, "judge error"),
    ];
    let figures = joined(figures.map(|(number, noun)| count(number, noun)), ", ");
    writeln!(out, "\n{figures}; {:.1} s", report.session.elapsed.as_secs_f64())?;
    if report.session.interrupted {
        writeln!(out, "\n**Interrupted: results are missing.**")?;
    }
    Ok(())
}

/// `verify` reports submissions that are not as expected; other commands report those that are not accepted.
fn describe_surprise(report: &Report, submission: &SubmissionReport) -> Option<(String, String)> {
    let name = &submission.name;
    if report.session.task == CommandTask::Verify {
        let reasons = joined(submission.broken_expectations(), "\n");
        return (!reasons.is_empty()).then(|| (format!("{name} is not as expected"), reasons));
    }
    let verdict = submission.verdict().filter(|verdict| *verdict != Verdict::Accepted)?;
    let (case, cause) = submission.explained_failure();
    let title = match case {
        Some(case) => format!("{name}: {verdict} on {case}"),
        None => format!("{name}: {verdict}"),
    };
    Some((title, cause.unwrap_or_default()))
}

fn annotate(
    out: &mut dyn Write,
    severity: Severity,
    path: Option<&Path>,
    spot: Option<(u32, u32)>,
    title: &str,
    message: &str,
) -> io::Result<()> {
    let mut properties = vec![format!("title={}", escape_property(title))];
    if let Some(path) = path {
        properties.push(format!("file={}", escape_property(&path.to_string_lossy())));
    }
    if let Some((line, column)) = spot {
        properties.push(format!("line={line},col={column}"));
    }
    let command = match severity {
        Severity::Remark => "notice",
        Severity::Warning | Severity::Error => severity.name(),
    };
    writeln!(out, "::{command} {}::{}", properties.join(","), escape_message(message))
}

/// Text must not end the line or begin another command. Control characters become visible.
fn escape_message(text: &str) -> String {
    let lines = text.split('\n').map(|line| printable(line).replace('%', "%25"));
    joined(lines, "%0A")
}

fn escape_property(text: &str) -> String {
    escape_message(text).replace(':', "%3A").replace(',', "%2C")
}

/// Escapes a cell of a Markdown table.
fn escape_cell(text: &str) -> String {
    let mut shown = String::new();
    for char in printable(&text.replace(['\n', '\r'], " ")).chars() {
        match char {
            '&' => shown += "&amp;",
            '<' => shown += "&lt;",
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' => {
                shown.push('\\');
                shown.push(char);
            }
            char => shown.push(char),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    fn shown(task: CommandTask, write: crate::report::WriteReport) -> String {
        let mut out = Vec::new();
        write(&report(task), PageContent::Nothing, &mut out).expect("text");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn annotations_name_file_and_line() {
        assert_eq!(
            shown(CommandTask::Verify, write),
            "::error title=odd%2C \"name\".py is not as expected,file=sum/odd%2C \"name\".py::accepted: required AC\n\
             ::error title=juror,file=sum/problem.yaml::has no name%0Aadd one\n"
        );
        assert_eq!(
            shown(CommandTask::Judge, write),
            "::error title=odd%2C \"name\".py%3A WA on secret/2,file=sum/odd%2C \"name\".py::token 1 differs\n\
             ::error title=c.c%3A CE on build,file=sum/c.c::the compiler ends with exit code 1\n\
             ::error title=juror,file=sum/problem.yaml::has no name%0Aadd one\n"
        );
    }

    #[test]
    fn the_summary_is_a_table() {
        let text = shown(CommandTask::Judge, write_summary);
        let row = "| sum | odd, \"name\".py | WA | 1 of 3 | 0.500 s | secret/2: token 1 differs | required AC |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("- error: sum/problem.yaml: has no name\n"), "{text}");
        assert!(text.contains(", 1 error, 0 warnings, "), "{text}");
        assert_eq!(escape_cell("a|b\n<img>`_"), "a\\|b &lt;img>\\`\\_");
    }

    #[test]
    fn control_characters_are_shown() {
        let hidden = "a\u{1b}[31mb\u{7}c\u{202e}d\r\ne%";
        assert_eq!(escape_message(hidden), "a\\x1b[31mb\\x07c\\u{202e}d\\r%0Ae%25");
        assert_eq!(escape_property("\u{1b}:,"), "\\x1b%3A%2C");
        assert_eq!(escape_cell(hidden), "a\\\\x1b\\[31mb\\\\x07c\\\\u{202e}d  e%");
    }
}
