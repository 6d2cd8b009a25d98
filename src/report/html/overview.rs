//! An overview of all submissions: the number of each verdict, the list, and the matrix of test cases.

use std::collections::HashMap;

use maud::{Markup, html};

use crate::report::document::{SubmissionReport, each_once};
use crate::report::html::submission::{full_failures, reason};
use crate::report::html::text::{bar, section, table};
use crate::report::html::{NumberedSubmission, Page, badge};
use juror_core::judgement::Judgement;
use juror_core::progress::PackageReport;
use juror_core::text::{count, printable};
use juror_core::units::seconds;
use juror_core::verdict::Verdict;

pub(super) const MAX_PRINTED_COLUMNS: usize = 40;

/// The abbreviation and the name of each verdict, in order, with the number of submissions; last those without one.
fn count_verdicts(page: &Page<'_>) -> Vec<(Option<[&'static str; 2]>, usize)> {
    let judgements = page.submissions.iter().map(|shown| shown.submission.judgement());
    let words = |own: &Judgement| (own.verdict, [own.short_verdict(), own.verdict_name()]);
    let mut all: Vec<_> = judgements.map(|judgement| judgement.map(words)).collect();
    all.sort_by_key(|verdict| (verdict.is_none(), *verdict));
    let counts = all.chunk_by(|a, b| a == b);
    counts.map(|same| (same[0].map(|(_, words)| words), same.len())).collect()
}

pub(super) fn tally(page: &Page<'_>) -> Markup {
    let all = page.submissions.len();
    if all < 2 {
        return html! {};
    }
    let parts = count_verdicts(page);
    html! {
        svg.strip viewBox={ "0 0 " (all) " 1" } preserveAspectRatio="none" aria-hidden="true" {
            @for (at, (verdict, number)) in parts.iter().enumerate() {
                @let before: usize = parts[..at].iter().map(|(_, number)| number).sum();
                rect class=(verdict.map_or("JE", |[short, _]| short)) x=(before) width=(number) height="1" {}
            }
        }
        ul.tally {
            @for (verdict, number) in &parts {
                li {
                    span class={ "v " (verdict.map_or("JE", |[short, _]| short)) } { (verdict.map_or("–", |[short, _]| short)) }
                    " " (number) " " (verdict.map_or("no verdict", |[_, name]| name))
                }
            }
        }
    }
}

pub(super) fn search_tools(page: &Page<'_>) -> Markup {
    if page.submissions.len() < 2 {
        return html! {};
    }
    let bad = page.submissions.iter().filter(|shown| shown.attention.word() == "bad").count();
    let bad_name = if page.is_verified() { "Surprises" } else { "Rejected" };
    let verdicts = count_verdicts(page);
    html! {
        div.tools role="search" aria-label="submissions" hidden {
            label.aside for="search" { "Search submissions" }
            input #search type="search" placeholder="Search name, verdict, reason" autocomplete="off";
            button type="button" data-filter="" aria-pressed="true" { "All " (page.submissions.len()) }
            @if bad > 0 {
                button type="button" data-filter="bad" aria-pressed="false" { (bad_name) " " (bad) }
            }
            @for (verdict, number) in &verdicts {
                @if let Some([short, name]) = verdict {
                    button type="button" data-filter=(short) aria-pressed="false" {
                        (short) " " (number) " " (name)
                    }
                }
            }
            output #count aria-live="polite" {}
        }
    }
}

pub(super) fn list(page: &Page<'_>) -> Markup {
    if page.submissions.len() < 2 {
        return html! {};
    }
    let has_packages = page.report.session.packages.len() > 1;
    let caption = html! {
        @if page.is_class() {
            "By name. "
            span.filters-only { "A title of a column sorts by it. " }
        } @else if page.is_verified() { "Not as expected first. " } @else { "Rejected first. " }
        "Time and memory: the highest of all runs."
        @if !page.directory.is_empty() { " Submissions in " (printable(page.directory)) }
    };
    let optional = |is_there: bool, title| is_there.then_some(title);
    let titles = [
        Some("Verdict"),
        Some("Submission"),
        optional(has_packages, "Package"),
        optional(page.is_verified(), "Expected"),
        Some("Why"),
        optional(page.has_scores, ">Score"),
        Some(">Passed"),
        Some(">Slowest"),
        Some(">Memory"),
    ];
    let titles: Vec<&str> = titles.into_iter().flatten().collect();
    let rows = html! { @for shown in &page.submissions { (row(page, shown, has_packages)) } };
    let all = table("sorts", "submissions", caption, &titles, rows);
    section("list", "Submissions", html! { div #submissions { (all) } })
}

fn row(page: &Page<'_>, shown: &NumberedSubmission<'_>, has_packages: bool) -> Markup {
    let NumberedSubmission { number, submission, attention: standing } = shown;
    let score = if page.has_scores { submission.points() } else { None };
    let is_late = page.report.student(&submission.name).is_some_and(|student| student.late);
    let is =
        [standing.word(), submission.judgement().map_or("", Judgement::short_verdict)].join(" ");
    let (all, judged) = (submission.selected_cases(), submission.cases().len());
    let name = &page.shown_name(submission, page.directory);
    html! {
        tr data-s=(number) data-is=(is.trim_end()) {
            td { (badge(submission, *standing)) }
            th.name scope="row" { a href={ "#s" (number) } { (breakable_path(name)) } @if is_late { " " span.eyes { "late" } } }
            @if has_packages { td { (printable(submission.package.as_deref().unwrap_or_default())) } }
            @if page.is_verified() { td.short { (standing.expectation_words()) } }
            td.because {
                @if let Some((test_case, cause)) = reason(submission) {
                    (cause)
                    @if let Some(test_case) = test_case { div.place { (printable(test_case)) } }
                }
            }
            @if page.has_scores { td.n { @if let Some(score) = score { (score) } } }
            td.n {
                @if all > 0 { (submission.passed_cases()) " of " (all) }
                @if all > judged { div.place { (all - judged) " not run" } }
            }
            td.n { (slowest(page, submission)) }
            td.n { @if let Some(memory) = submission.peak_memory() { (memory) } }
        }
    }
}

fn breakable_path(name: &str) -> Markup {
    html! { @for part in name.split_inclusive('/') { (part) wbr; } }
}

/// The bar is full at the limit.
fn slowest(page: &Page<'_>, submission: &SubmissionReport) -> Markup {
    let Some(time) = submission.slowest_cpu_time() else { return html! {} };
    let share = page
        .limits(submission)
        .map(|limits| time.as_secs_f64() / limits.cpu_time().as_secs_f64().max(1e-9));
    let is_slow = submission.verdict() == Some(Verdict::TimeLimitExceeded);
    html! {
        (seconds(time))
        @if let Some(share) = share { (bar(if is_slow { "TLE" } else { "JE" }, share)) }
    }
}

pub(super) fn matrices(page: &Page<'_>) -> Markup {
    let packages = &page.report.session.packages;
    html! { @for package in packages { (matrix(page, package, packages.len() > 1)) } }
}

fn matrix(page: &Page<'_>, package: &PackageReport, is_one_of_many: bool) -> Markup {
    let submissions = page.submissions.iter();
    let own: Vec<&NumberedSubmission<'_>> = submissions
        .filter(|shown| shown.submission.package.as_deref() == Some(package.name.as_str()))
        .filter(|shown| !shown.submission.cases().is_empty())
        .collect();
    let cases = own.iter().flat_map(|shown| shown.submission.cases());
    let names = each_once(cases.map(|case| &*case.test_case));
    if own.len() < 2 || names.is_empty() {
        return html! {};
    }
    let title = if is_one_of_many {
        format!("Test cases of {}", printable(&package.name))
    } else {
        "Test cases".to_owned()
    };
    html! {
        section class=(if names.len() > MAX_PRINTED_COLUMNS { "matrix large" } else { "matrix" }) {
            h2 { (title) }
            div.wide tabindex="0" role="group" aria-label=(title) {
                table {
                    caption {
                        (count(own.len(), "submission")) " on " (count(names.len(), "test case"))
                        ": verdicts, and CPU times in seconds. Empty cells were not run."
                    }
                    thead { tr {
                        th scope="col" { "Submission" }
                        @for name in &names { th scope="col" title=(printable(name)) { span { (name_end(name)) } } }
                    } }
                    tbody { @for shown in &own { (line(page, shown, &names)) } }
                }
            }
        }
    }
}

fn line(page: &Page<'_>, shown: &NumberedSubmission<'_>, names: &[&str]) -> Markup {
    let cases = shown.submission.cases();
    let places: HashMap<&str, usize> =
        cases.iter().enumerate().map(|(at, case)| (&*case.test_case, at)).collect();
    let whole = full_failures(shown.submission);
    let name = page.shown_name(shown.submission, "");
    html! {
        tr data-s=(shown.number) {
            th scope="row" title=(name) { a href={ "#s" (shown.number) } { (name) } }
            @for name in names {
                @match places.get(name) {
                    None => td {},
                    Some(&at) => {
                        @let short = cases[at].short_verdict();
                        td class=(short) {
                            @if whole.contains(&at) { a href={ "#s" (shown.number) "c" (at) } { (short) } } @else { (short) }
                            @if let Some(outcome) = &cases[at].outcome { i { (seconds(outcome.cpu_time).trim_end_matches(" s")) } }
                        }
                    },
                }
            }
        }
    }
}

/// The names of test cases differ at their ends.
pub(super) fn name_end(name: &str) -> String {
    const MAX_NAME: usize = 28;
    let name = printable(name);
    match name.char_indices().rev().nth(MAX_NAME) {
        Some((start, first)) => format!("…{}", &name[start + first.len_utf8()..]),
        None => name,
    }
}
