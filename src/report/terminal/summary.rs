//! The last lines of a command, and the list of generated test cases.

use std::collections::HashSet;

use crate::report::document::{GeneratedReport, Report};
use crate::report::style::{Style, TextRole};
use crate::report::terminal::page::Page;
use juror_core::event::{CommandTask, GeneratedState};
use juror_core::judgement::accepted_word;
use juror_core::text::{count, count_if_any, joined, printable};
use juror_core::units::seconds;
use juror_core::verdict::Verdict;
use juror_core::worker::WorkerReport;

pub(super) fn unfinished_work(report: &Report) -> String {
    if report.session.task == CommandTask::Other {
        return "results so far are above".to_owned();
    }
    let work = &report.work;
    let mut parts = Vec::new();
    let (done, begun) = (report.submissions_done(), work.submissions.len());
    let total = report.announced_submissions().max(done + begun);
    if total > 0 {
        parts.push(format!("{done} of {} done", count(total, "submission")));
        parts.extend(work.submissions.iter().map(|under_way| {
            format!(
                "{} stopped after {} of {}",
                printable(&under_way.submission),
                under_way.judged,
                count(under_way.test_cases, "test case")
            )
        }));
        if total > done + begun {
            parts.push(format!("{} not started", total - done - begun));
        }
    }
    if let Some(step) = work.step.as_ref().filter(|step| step.done < step.total) {
        let what = printable(&step.what);
        parts.push(format!("{what}: {} of {} done", step.done, step.total));
    }
    if parts.is_empty() {
        parts.push("nothing was done".to_owned());
    }
    let text = parts.join("; ");
    match &report.session.packages[..] {
        [_, .., last] => format!("{}: {text}", printable(&last.name)),
        _ => text,
    }
}

/// `None` if the line would be empty, or if nothing was judged.
pub(super) fn last_line(report: &Report, style: &Style) -> Option<String> {
    let is_judge = report.session.task == CommandTask::Judge;
    if report.session.task == CommandTask::Other
        || (is_judge && report.submissions.is_empty() && !report.session.interrupted)
    {
        return None;
    }
    let summary = &report.summary;
    let mut parts = Vec::new();
    if !report.generated.is_empty()
        || (report.session.task == CommandTask::Generate && !report.session.packages.is_empty())
    {
        parts.push(generated_summary(report));
    }
    if !report.submissions.is_empty() {
        parts.push(submissions_summary(report));
    }
    let faults = [
        count_if_any(summary.errors, "error"),
        count_if_any(summary.warnings, "warning"),
        count_if_any(summary.judge_errors, "judge error"),
    ];
    let text = joined(faults.into_iter().flatten(), ", ");
    if !text.is_empty() {
        parts.push(text);
    } else if report.session.packages.is_empty() {
        return None;
    } else if report.session.task == CommandTask::Verify && !report.session.interrupted {
        parts.push("no errors, no warnings".to_owned());
    }
    let elapsed = seconds(report.session.elapsed);
    parts.push(match (summary.runs, report.session.interrupted) {
        (0, true) => format!("stopped after {elapsed}"),
        (0, false) => format!("done in {elapsed}"),
        (runs, _) => {
            let done = format!("{} in {elapsed}{}", count(runs, "run"), cached_runs(report, style));
            match summary.spared_runs {
                0 => done,
                spared => format!("{done}, {spared} spared"),
            }
        }
    });
    parts.extend(worker_programs(report));
    let text = parts.join("; ");
    Some(match (&report.session.packages[..], report.refused) {
        ([], _) => text,
        ([package], 0) => format!("{}: {text}", printable(&package.name)),
        (packages, 0) => format!("{}: {text}", count(packages.len(), "package")),
        (packages, refused) => {
            let all = count(packages.len() + refused, "package");
            format!("{all}, {refused} of them unusable: {text}")
        }
    })
}

/// Such as `, 3 of them from the cache`; in verbose mode also the date of the oldest.
fn cached_runs(report: &Report, style: &Style) -> String {
    let Some((runs, oldest)) = report.recalled_runs() else { return String::new() };
    let number = if runs >= report.summary.runs { "all".to_owned() } else { runs.to_string() };
    let oldest = style.is_verbose().then(|| format!(" (oldest: {})", oldest.day()));
    format!(", {number} of them from the cache{}", oldest.unwrap_or_default())
}

/// Such as `programs on workers: a 12, b 30`; `None` if programs ran here.
fn worker_programs(report: &Report) -> Option<String> {
    let each = |worker: &WorkerReport| format!("{} {}", printable(&worker.name), worker.programs);
    let all = joined(report.session.workers.iter().map(each), ", ");
    (!all.is_empty()).then(|| format!("programs on workers: {all}"))
}

/// Such as `3 submissions, 1 accepted, 2 rejected`; for `verify`, whether expectations hold.
fn submissions_summary(report: &Report) -> String {
    let summary = &report.summary;
    let submissions = count(report.submissions.len(), "submission");
    if report.session.task == CommandTask::Verify {
        // An expectation about some test case cannot be checked on a selection.
        let mut packages = report.session.packages.iter();
        let are_all = packages.all(|package| package.test_cases == package.all_test_cases);
        let is_sure = summary.judge_errors == 0 && !report.session.interrupted && are_all;
        return match (summary.broken, summary.skipped_submissions) {
            (0, 0) if is_sure => format!("{submissions}, all as expected"),
            (0, skipped) if is_sure => {
                format!("{submissions}, {skipped} of them skipped, all others as expected")
            }
            (0, _) => format!("{submissions}, no expectation broken"),
            (broken, _) => format!("{submissions}, {} broken", count(broken, "expectation")),
        };
    }
    let skipped = summary.skipped_submissions;
    let without = report.submissions.len() - summary.accepted - summary.rejected - skipped;
    let word = accepted_word(report.submissions.iter().all(|submission| submission.is_compared()));
    let parts = [
        (summary.accepted > 0).then(|| format!("{} {word}", summary.accepted)),
        (summary.rejected > 0)
            .then(|| format!("{} rejected{}", summary.rejected, rejected_verdicts(report))),
        (skipped > 0).then(|| format!("{skipped} skipped")),
        (without > 0).then(|| format!("{without} without verdict")),
        (summary.broken > 0).then(|| format!("{} broken", count(summary.broken, "expectation"))),
    ];
    joined([submissions].into_iter().chain(parts.into_iter().flatten()), ", ")
}

/// Such as ` (2 WA, 1 TLE)`; empty if there is at most one rejection.
fn rejected_verdicts(report: &Report) -> String {
    if report.summary.rejected <= 1 {
        return String::new();
    }
    let rejections = Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Accepted);
    let parts = rejections.filter_map(|verdict| {
        let same = report.submissions.iter().filter(|row| row.verdict() == Some(verdict));
        let number = same.count();
        (number > 0).then(|| format!("{number} {verdict}"))
    });
    format!(" ({})", joined(parts, ", "))
}

/// Such as `6 test cases, 3 created, 3 unchanged`.
fn generated_summary(report: &Report) -> String {
    let all = &report.generated;
    let parts = GeneratedState::ALL.into_iter().filter_map(|state| {
        let number = all.iter().filter(|case| case.state == state).count();
        let word = match (state, number) {
            (GeneratedState::Differs, 2..) => "differ",
            _ => state.name(),
        };
        (number > 0).then(|| format!("{number} {word}"))
    });
    joined([count(all.len(), "test case")].into_iter().chain(parts), ", ")
}

/// At most so many test cases are listed without `--verbose`.
const LISTED_MAX: usize = 20;

/// In quiet mode each line names its package, and new test cases are not listed. Neither are those that a proposal
/// describes.
pub(super) fn generated_list(all: &[GeneratedReport], report: &Report, style: &Style) -> String {
    let mut page = Page::new(style);
    let proposed = report.proposals.iter().flat_map(|it| &it.proposal.cases);
    let proposed: HashSet<&str> = proposed.map(|case| &*case.name).collect();
    let is_listed = |generated: &&GeneratedReport| match generated.state {
        GeneratedState::Unchanged => style.is_verbose(),
        GeneratedState::Created if proposed.contains(&*generated.test_case) => style.is_verbose(),
        GeneratedState::Created | GeneratedState::Changed => !style.is_quiet(),
        _ => true,
    };
    let listed: Vec<&GeneratedReport> = all.iter().filter(is_listed).collect();
    let is_whole = style.is_verbose() || style.is_quiet();
    let most = if is_whole { listed.len() } else { LISTED_MAX };
    for generated in listed.iter().take(most) {
        let role = match generated.state {
            GeneratedState::Missing | GeneratedState::Differs => TextRole::Bad,
            GeneratedState::Unchanged => TextRole::Dim,
            _ => TextRole::Plain,
        };
        let state = style.paint(role, &format!("{:<9}", generated.state.name()));
        let name = printable(&generated.test_case);
        let package = generated.package.as_ref().filter(|_| style.is_quiet());
        let package = package.map(|package| format!("{}: ", printable(package)));
        page.line(0, &format!("{state}  {}{name}", package.unwrap_or_default()));
    }
    let more = listed.len().saturating_sub(most);
    if more > 0 {
        page.line(0, &style.paint(TextRole::Dim, &format!("and {more} more: -v lists all")));
    }
    let text = page.into_text();
    if text.is_empty() || style.is_quiet() {
        return text;
    }
    text + "\n"
}
