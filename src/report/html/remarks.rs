//! Everything besides submissions: faults of the package and the judge, test data, a search.

use maud::{Markup, html};

use crate::report::document::Report;
use crate::report::html::failure::{
    difference_sides, evidence_panes, shortened_cause, verdict_and_cause,
};
use crate::report::html::text::{not_shown, section, table};
use crate::report::html::{Page, PageContent};
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::event::GeneratedState;
use juror_core::judgement::Evidence;
use juror_core::text::{count, path_text, printable};
use juror_core::units::{Bytes, seconds};
use juror_data::search::result::{Counterexample, Search, StressResult};

const MAX_REMARKS: usize = 100;
const MAX_ROWS: usize = 500;

/// Errors in the command line, of the judge and in the package.
pub(super) fn errors(report: &Report) -> Markup {
    let faults = report.session.judge_errors.iter().filter(|fault| fault.submission.is_none());
    let errors = with_severity(report, Severity::Error);
    html! {
        @if report.session.complaints.len() + faults.clone().count() + errors.len() > 0 {
            (section("errors", "Errors", html! {
                ul.remarks {
                    @for complaint in &report.session.complaints { li { (printable(complaint)) } }
                    @for fault in faults {
                        li {
                            span.v.JE { "judge error" } " " (printable(&fault.error.step)) ": " (shortened_cause(&fault.error.reason))
                            @if let Some(help) = &fault.error.help { p.soft { (printable(help)) } }
                        }
                    }
                    @for diagnostic in errors.iter().take(MAX_REMARKS) { (remark(diagnostic)) }
                }
                (not_shown(errors.len().saturating_sub(MAX_REMARKS) as u64, "more error"))
            }))
        }
    }
}

pub(super) fn warnings(report: &Report) -> Markup {
    let warnings = with_severity(report, Severity::Warning);
    html! {
        @if !warnings.is_empty() {
            (section("warnings", "Warnings", html! {
                ul.remarks { @for diagnostic in warnings.iter().take(MAX_REMARKS) { (remark(diagnostic)) } }
                (not_shown(warnings.len().saturating_sub(MAX_REMARKS) as u64, "more warning"))
            }))
        }
    }
}

fn with_severity(report: &Report, severity: Severity) -> Vec<&Diagnostic> {
    report.session.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).collect()
}

fn remark(diagnostic: &Diagnostic) -> Markup {
    let place = &diagnostic.place;
    html! {
        li {
            code {
                (printable(&path_text(&place.path)))
                @if let Some(spot) = &place.spot { ":" (spot.line) ":" (spot.column) }
            }
            " " (shortened_cause(&diagnostic.message))
            @if let Some(help) = &diagnostic.help { p.soft { (printable(help)) } }
        }
    }
}

pub(super) fn generated(report: &Report) -> Markup {
    let changes = report.generated.iter().filter(|file| file.state != GeneratedState::Unchanged);
    let number = changes.clone().count();
    let same = report.generated.len() - number;
    let rows = html! {
        @for case in changes.take(MAX_ROWS) {
            tr { th scope="row" { (printable(&case.test_case)) } td { (state_words(case.state)) } }
        }
    };
    let caption = "Test cases that are not unchanged";
    html! {
        @if !report.generated.is_empty() {
            (section("data", "Test data", html! {
                p { (count(same, "test case")) " unchanged" @if number > 0 { ", " (number) " not" } "." }
                @if number > 0 {
                    (table("sorts", "test data", caption, &["Test case", "State"], rows))
                    (not_shown(number.saturating_sub(MAX_ROWS) as u64, "more test case"))
                }
            }))
        }
    }
}

const fn state_words(state: GeneratedState) -> &'static str {
    match state {
        GeneratedState::Unknown => "not made by the recipe",
        GeneratedState::Differs => "differs from the recipe",
        state => state.name(),
    }
}

pub(super) fn search_in_short(search: &Search) -> String {
    let runs = count(search.runs, "comparison");
    match &search.found {
        Some(found) => format!(
            "{} fails on an input of {}, found after {runs}.",
            printable(&search.plan.submission),
            Bytes(found.input.len() as u64)
        ),
        None => format!("Nothing found in {runs}, {}.", seconds(search.elapsed)),
    }
}

pub(super) fn search(page: &Page<'_>) -> Markup {
    let PageContent::Search(result) = page.content else { return html! {} };
    let search = &result.search;
    let plan = &search.plan;
    let title = if search.found.is_some() { "The input found" } else { "The search" };
    html! {
        (section("search-title", title, html! {
            @if let Some(found) = &search.found { (counterexample(page, result, found)) }
            dl.facts {
                dt { "Reference" } dd { (printable(&plan.reference)) " (" (printable(&plan.chosen)) ")" }
                dt { "Inputs from" } dd { (printable(&plan.sources.join(", "))) }
                dt { "Random seed" } dd { (plan.seed) }
                dt { "Time" } dd { (seconds(search.searching)) " to search, " (seconds(search.elapsed)) " in all" }
            }
        }))
    }
}

fn counterexample(page: &Page<'_>, result: &StressResult, found: &Counterexample) -> Markup {
    let evidence = Evidence {
        input: found.input.clone(),
        answer: found.expected.clone().unwrap_or_default(),
        output: found.got.clone().unwrap_or_default(),
        transcript: found.transcript.clone(),
        stderr: found.stderr.clone(),
        validator_stderr: found.validator_stderr.clone(),
        repeat: result.search.repeat.clone(),
        ..Evidence::default()
    };
    html! {
        (verdict_and_cause(found.verdict, "this input", &found.cause))
        p.note {
            "Found by " (printable(&found.origin.to_string()))
            @if let Some(generated) = &found.generated {
                "; the generator's own input is of " (printable(&generated.command_line))
            }
            @if !found.path.is_empty() {
                "; made smaller from " (Bytes(found.first_size as u64)) " by " (printable(&found.path.join(", ")))
            }
            @if found.failing < found.repeats {
                "; only " (found.failing) " of " (found.repeats) " runs fail: it depends on more than the input"
            }
        }
        @for explanation in result.explanations.iter().filter_map(|result| result.explanation.as_ref()) {
            p.why { strong { "in general" } span { (printable(&explanation.sentence())) } }
        }
        @if let Some(difference) = &found.difference { (difference_sides(difference)) }
        (evidence_panes(page, found.difference.as_deref(), &evidence))
    }
}
