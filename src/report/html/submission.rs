//! A submission as a card: why it failed, its times, its test cases.

use maud::{Markup, html};

use crate::report::document::{FaultReport, SubmissionReport, each_once};
use crate::report::html::failure;
use crate::report::html::plot::{Plot, plot};
use crate::report::html::text::{Pane, pane, section, table};
use crate::report::html::{Attention, NumberedSubmission, OPEN_CARDS, Page, badge};
use juror_core::judgement::{CaseJudgement, Judgement, accepted_word};
use juror_core::progress::LimitsReport;
use juror_core::score::{GroupScore, Score, Standing as Run, TotalScore};
use juror_core::text::{count, printable};
use juror_core::units::{Bytes, seconds};
use juror_core::verdict::Verdict;

const MAX_FULL_FAILURES: usize = 4;
const MAX_LISTED_CASES: usize = 30;

pub(super) fn cards(page: &Page<'_>) -> Markup {
    html! {
        @if !page.submissions.is_empty() {
            @let title = if page.submissions.len() == 1 { "The submission" } else { "Each submission" };
            (section("cards", title, html! { @for shown in &page.submissions { (card(page, shown)) } }))
        }
    }
}

/// Returns the test case and the cause.
pub(super) fn reason(submission: &SubmissionReport) -> Option<(Option<&str>, String)> {
    let (test_case, cause) = match submission.broken_expectations().first() {
        Some(broken) => (None, Some(broken.reason.clone())),
        None => submission.explained_failure(),
    };
    cause.map(|cause| (test_case, failure::shortened_cause(&cause)))
}

pub(super) fn describe_result(submission: &SubmissionReport) -> String {
    match reason(submission) {
        Some((Some(case), cause)) => format!("{}: {cause}", printable(case)),
        Some((None, cause)) => cause,
        None => {
            let word = accepted_word(submission.is_compared());
            let also = submission.judgement().and_then(Judgement::unjudged_note);
            let cases = count(submission.passed_cases(), "test case");
            format!("{word} on {cases}{}", also.unwrap_or_default())
        }
    }
}

/// Indexes of test cases: first those that break an expectation, then other failures.
pub(super) fn full_failures(submission: &SubmissionReport) -> Vec<usize> {
    let cases = submission.cases();
    let names = submission.broken_expectations().iter().filter_map(|rule| rule.test_case.as_ref());
    let broken = names.filter_map(|name| cases.iter().position(|case| case.test_case == *name));
    let failed = (0..cases.len()).filter(|at| cases[*at].verdict != Verdict::Accepted);
    let mut places = each_once(broken.chain(failed));
    places.truncate(MAX_FULL_FAILURES);
    places
}

fn card(page: &Page<'_>, shown: &NumberedSubmission<'_>) -> Markup {
    let NumberedSubmission { number, submission, attention: standing } = shown;
    let is_bad = standing.word() == "bad";
    let limits = page.limits(submission);
    let is_open =
        page.submissions.len() == 1 || (is_bad && *number < OPEN_CARDS && !page.is_class());
    html! {
        details.card.bad[is_bad] id={ "s" (number) } data-s=(number) open[is_open] {
            summary {
                (badge(submission, *standing))
                h3 { (page.shown_name(submission, "")) }
                span.because { (describe_result(submission)) }
            }
            div.body {
                @match &submission.result {
                    Ok(judgement) => {
                        (broken_expectations(judgement))
                        (compile_error_panes(page, judgement))
                        (explanation_line(page, submission))
                        (failures(page, *number, submission))
                        @if let Some(total) = &judgement.score { (points(total)) }
                        (measurements(page, *number, limits, judgement))
                    }
                    Err(fault) => (not_judged(page, fault)),
                }
                @if page.submissions.len() > 1 { p.note { a href="#list" { "Back to the list" } } }
            }
        }
    }
}

fn broken_expectations(judgement: &Judgement) -> Markup {
    html! {
        @for broken in &judgement.broken {
            p.why.unexpected {
                strong { "not as expected: " (printable(&broken.rule)) }
                span { (failure::shortened_cause(&broken.reason)) }
            }
        }
    }
}

fn not_judged(page: &Page<'_>, fault: &FaultReport) -> Markup {
    let error = &fault.error;
    html! {
        p.why {
            strong { @if fault.is_skipped_submission() { "skipped" } @else { "judge error: no verdict" } }
            span { (printable(&error.step)) ": " (failure::shortened_cause(&error.reason)) }
        }
        @if let Some(help) = &error.help { p.note { (printable(help)) } }
        @if let Some(program) = &error.program {
            div.panes { (pane(page, Pane::messages("Standard error of the package's program"), &program.stderr)) }
            code.repeat { (printable(&program.repeat)) }
        }
    }
}

fn compile_error_panes(page: &Page<'_>, judgement: &Judgement) -> Markup {
    let Some(compiler) = &judgement.compiler else { return html! {} };
    html! {
        @if let Some(refusal) = &compiler.refusal {
            @let explanation = judgement.explained_cause();
            @let cause = explanation.as_ref().unwrap_or(refusal);
            p.why.CE { strong { "compile error" } span { (failure::shortened_cause(cause)) } }
            @if cause != refusal { p.note { (printable(refusal)) } }
        }
        @if !compiler.messages.is_empty() {
            div.panes { (pane(page, Pane::messages("Compiler messages"), &compiler.messages)) }
        }
    }
}

fn explanation_line(page: &Page<'_>, submission: &SubmissionReport) -> Markup {
    let mut all = page.report.explanations.iter();
    let own = all.find(|result| {
        result.package == submission.package && result.submission == submission.name
    });
    html! {
        @if let Some(explanation) = own.and_then(|result| result.explanation.as_ref()) {
            p.why { strong { "in general" } span { (printable(&explanation.sentence())) } }
        }
    }
}

fn failures(page: &Page<'_>, number: usize, submission: &SubmissionReport) -> Markup {
    let places = full_failures(submission);
    let all = submission.judgement().map_or(0, |judgement| judgement.rejected().count());
    let shown = places.len();
    html! {
        @for (nth, index) in places.into_iter().enumerate() {
            @let case = &submission.cases()[index];
            @let id = format!("s{number}c{index}");
            @if nth == 0 {
                div id=(id) tabindex="-1" { (failure::failed_case(page, case, submission.judgement())) }
            } @else {
                details.failure id=(id) {
                    summary {
                        span class={ "v " (case.short_verdict()) } { (case.short_verdict()) } " "
                        (printable(&case.test_case)) ": " (failure::shortened_cause(&case.explained_cause()))
                    }
                    (failure::failed_case(page, case, None))
                }
            }
        }
        @if all > shown && shown > 0 {
            p.note { "It fails on " (count(all, "test case")) "; the others are in the table of test cases." }
        }
    }
}

fn points(total: &TotalScore) -> Markup {
    let of = |score: Option<Score>| score.map_or("?".to_owned(), |score| score.to_string());
    html! {
        h4 {
            "Score " (of(total.score)) @if let Some(max) = total.max_score { " of " (max) }
        }
        @if total.score.is_none() { p.note { "Not all test cases were selected." } }
        @if !total.groups.is_empty() {
            @let rows = html! { @for group in &total.groups { (group_row(group, &of)) } };
            (table("", "points", "Points by test data group", &["Group", ">Points", ">Of", "Remark"], rows))
        }
    }
}

fn group_row(group: &GroupScore, of: &impl Fn(Option<Score>) -> String) -> Markup {
    html! {
        tr {
            th scope="row" { (printable(&group.name)) }
            td.n { (of(group.score)) }
            td.n { @if let Some(max) = group.max_score { (max) } }
            td { @match &group.standing {
                Run::Complete => {},
                Run::Partial => { "not all run" },
                Run::Barred(by) => { "not run: " (printable(by)) " was not passed" },
            } }
        }
    }
}

fn measurements(
    page: &Page<'_>,
    number: usize,
    limits: Option<&LimitsReport>,
    judgement: &Judgement,
) -> Markup {
    let cases = &judgement.cases;
    if cases.is_empty() {
        return html! { @if judgement.skipped > 0 { (skipped(judgement)) } };
    }
    let table = format!("t{number}");
    let time = Plot {
        quantity: "CPU time",
        table: &table,
        value: |case| Some(case.outcome.as_ref()?.cpu_time.as_secs_f64()),
        spread: |case| {
            let (least, most) = case.repeats.as_ref()?.spread();
            Some((least.as_secs_f64(), most.as_secs_f64()))
        },
        format: |value| seconds(std::time::Duration::from_secs_f64(value)),
        limit: limits.map(|limits| limits.cpu_time().as_secs_f64()),
    };
    let memory = Plot {
        quantity: "Memory",
        value: |case| Some(case.outcome.as_ref()?.memory()?.0 as f64),
        spread: |_| None,
        format: |value| Bytes(value as u64).to_string(),
        limit: limits.and_then(|limits| Some(limits.run.memory?.0 as f64)),
        ..time
    };
    let is_of_limits = matches!(
        judgement.verdict,
        Verdict::Accepted | Verdict::TimeLimitExceeded | Verdict::MemoryLimitExceeded
    );
    html! {
        @if cases.iter().any(|case| case.outcome.is_some()) {
            details.more open[is_of_limits] {
                summary { "Time and memory" }
                div.plots { (plot(&time, cases)) (plot(&memory, cases)) }
            }
        }
        (list(page, &table, judgement))
        @if judgement.skipped > 0 { (skipped(judgement)) }
    }
}

fn skipped(judgement: &Judgement) -> Markup {
    let (why, help) = match judgement.refusal() {
        Some(_) => ("the program does not compile", ""),
        None => judgement.skip_reason(),
    };
    html! { p.note { (count(judgement.skipped, "test case")) " not run: " (why) (help) "." } }
}

fn list(page: &Page<'_>, id: &str, judgement: &Judgement) -> Markup {
    let cases = &judgement.cases;
    let is_listed =
        |case: &&CaseJudgement| page.lists_all_cases || case.verdict != Verdict::Accepted;
    let most = if page.lists_all_cases { usize::MAX } else { MAX_LISTED_CASES };
    let listed: Vec<&CaseJudgement> = cases.iter().filter(is_listed).take(most).collect();
    let has_scores = cases.iter().any(|case| case.score.is_some());
    let unlisted = cases.len() - listed.len();
    let title = format!("Test cases of {}", printable(&judgement.submission));
    let points = has_scores.then_some(">Points");
    let titles = ["Test case", "Verdict", ">CPU time", ">Memory"].into_iter().chain(points);
    let titles: Vec<&str> = titles.chain(["Why"]).collect();
    let rows = html! { @for case in listed { (row(case, has_scores)) } };
    html! {
        details.more {
            summary { @if page.lists_all_cases { "All test cases" } @else { "Test cases that it fails" } }
            div id=[page.lists_all_cases.then_some(id)] { (table("sorts", &title, &title, &titles, rows)) }
            @if unlisted > 0 { p.note { (count(unlisted, "test case")) " not listed." } }
        }
    }
}

fn row(case: &CaseJudgement, has_scores: bool) -> Markup {
    let outcome = case.outcome.as_ref();
    html! {
        tr {
            th scope="row" { (printable(&case.test_case)) }
            td class=(case.short_verdict()) { (case.short_verdict()) }
            td { @if let Some(outcome) = outcome { (seconds(outcome.cpu_time)) } }
            td { @if let Some(memory) = outcome.and_then(|outcome| outcome.memory()) { (memory) } }
            @if has_scores { td { @if let Some(score) = &case.score { (score.score) } } }
            td {
                @if case.verdict != Verdict::Accepted { (failure::shortened_cause(&case.explained_cause())) }
                @if let Some(repeats) = &case.repeats { " " (failure::shortened_cause(&repeats.summary_with_meaning())) }
            }
        }
    }
}

impl Attention {
    /// For `juror verify`.
    pub(super) const fn expectation_words(self) -> &'static str {
        match self {
            Self::Fine => "as expected",
            Self::Skipped => "skipped",
            Self::Bad => "not as expected",
            Self::Fault => "judge error",
        }
    }
}
