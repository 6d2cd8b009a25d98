//! `--html`: one page for people, which starts with why each submission failed. It loads nothing, and texts of
//! programs never become markup.

mod class;
mod failure;
mod measurement;
mod overview;
mod plot;
mod remarks;
mod strength;
mod submission;
mod text;

use std::cell::Cell;
use std::cmp::Reverse;
use std::io::{self, Write};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use crate::report::document::{Report, SubmissionReport, shared_directory};
use juror_core::event::CommandTask;
use juror_core::progress::LimitsReport;
use juror_core::text::{count, count_if_any, printable};
use juror_core::units::seconds;
use juror_core::verdict::Verdict;
use juror_data::search::result::StressResult;
use juror_data::strength::result::Strength;

const PAGE_STYLE: &str = include_str!("page.css");
const PAGE_SCRIPT: &str = include_str!("page.js");

/// The most bytes of programs' texts and of images on a page. The first ones are included.
const MAX_TEXT_BYTES: usize = 800_000;
const MAX_PICTURE_BYTES: usize = 6 << 20;

/// With more runs than this, the table of a submission has only the test cases that it fails.
const MAX_LISTED_RUNS: usize = 25_000;

/// So many submissions are expanded at first.
const OPEN_CARDS: usize = 3;

pub const SIGNATURE: &str = "<!DOCTYPE html>";

pub fn write(report: &Report, content: PageContent<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(render_page(report, content).as_bytes())
}

/// The result of a command that a page shows in addition to the report.
#[derive(Clone, Copy)]
pub enum PageContent<'a> {
    Nothing,
    Search(&'a StressResult),
    Strength(&'a Strength),
}

/// `texts` and `pictures` are the bytes that are left.
struct Page<'a> {
    report: &'a Report,
    content: PageContent<'a>,
    /// Unexpected results first, then in the order of judging.
    submissions: Vec<NumberedSubmission<'a>>,
    texts: Cell<usize>,
    pictures: Cell<usize>,
    lists_all_cases: bool,
    has_scores: bool,
    /// In which all submissions are; left out of names in the list.
    directory: &'a str,
}

struct NumberedSubmission<'a> {
    /// Part of the ids of its elements.
    number: usize,
    submission: &'a SubmissionReport,
    attention: Attention,
}

/// How much attention a submission needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Attention {
    /// Accepted, or as expected.
    Fine,
    Skipped,
    /// Rejected, or not as expected.
    Bad,
    Fault,
}

impl<'a> Page<'a> {
    fn new(report: &'a Report, own: PageContent<'a>) -> Self {
        let is_verified = report.session.task == CommandTask::Verify;
        let mut rows: Vec<&SubmissionReport> = report.submissions.iter().collect();
        if report.classes.is_empty() {
            rows.sort_by_key(|row| Reverse(Attention::of(row, is_verified)));
        } else {
            rows.sort_by_cached_key(|row| report.shown_name(&row.name, "").to_lowercase());
        }
        let directory = if is_verified { "" } else { shared_directory(&rows) };
        let submissions = rows.into_iter().enumerate().map(|(number, submission)| {
            let attention = Attention::of(submission, is_verified);
            NumberedSubmission { number, submission, attention }
        });
        let runs: usize = report.submissions.iter().map(|row| row.cases().len()).sum();
        Self {
            report,
            content: own,
            submissions: submissions.collect(),
            texts: Cell::new(MAX_TEXT_BYTES),
            pictures: Cell::new(MAX_PICTURE_BYTES),
            lists_all_cases: runs <= MAX_LISTED_RUNS,
            has_scores: report.submissions.iter().any(|row| row.score().is_some()),
            directory,
        }
    }

    /// Of the last package if several have this name.
    fn limits(&self, row: &SubmissionReport) -> Option<&'a LimitsReport> {
        let mut packages = self.report.session.packages.iter().rev();
        packages.find(|package| Some(&package.name) == row.package.as_ref())?.limits.as_ref()
    }

    fn is_verified(&self) -> bool {
        self.report.session.task == CommandTask::Verify
    }

    fn is_class(&self) -> bool {
        !self.report.classes.is_empty()
    }

    fn shown_name(&self, row: &SubmissionReport, directory: &str) -> String {
        printable(&self.report.shown_name(&row.name, directory))
    }

    /// Returns whether there was enough room.
    fn take_room(room: &Cell<usize>, bytes: usize) -> bool {
        let left = room.get().checked_sub(bytes);
        room.set(left.unwrap_or(0));
        left.is_some()
    }
}

impl Attention {
    fn of(submission: &SubmissionReport, is_verified: bool) -> Self {
        match &submission.result {
            Err(fault) if fault.is_skipped_submission() => Self::Skipped,
            Err(_) => Self::Fault,
            Ok(judgement) if !judgement.broken.is_empty() => Self::Bad,
            Ok(judgement) if is_verified || judgement.verdict == Verdict::Accepted => Self::Fine,
            Ok(_) => Self::Bad,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Skipped => "skipped",
            Self::Bad | Self::Fault => "bad",
        }
    }
}

pub fn render_page(report: &Report, own: PageContent<'_>) -> String {
    let page = Page::new(report, own);
    let title = title(report, own);
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        policy_hash(PAGE_STYLE),
        policy_hash(PAGE_SCRIPT)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { "juror " (report.session.command) ": " (title) }
                style { (PreEscaped(PAGE_STYLE)) }
            }
            body class=[page.is_class().then_some("class")] {
                a.skip href="#main" { "Skip to the results" }
                header {
                    p.brand { "juror " (report.session.command) }
                    h1 { (title) }
                    @if let [class] = &report.classes[..] && let [student] = &class.students[..] {
                        p.soft { (printable(&student.name)) @if student.late { " (late)" } }
                    }
                    (headline(&page))
                    (overview::tally(&page))
                }
                main #main tabindex="-1" {
                    (remarks::errors(report))
                    (remarks::search(&page))
                    (strength::sections(&page))
                    (class::sections(&page))
                    (overview::search_tools(&page))
                    (overview::list(&page))
                    (submission::cards(&page))
                    (overview::matrices(&page))
                    (remarks::warnings(report))
                    (remarks::generated(report))
                    (measurement::measurement(report))
                }
                footer {
                    p.keys {
                        label { input #keys type="checkbox" checked; " Keys: " }
                        kbd { "/" } " search, " kbd { "j" } " and " kbd { "k" } " next and previous submission, "
                        kbd { "Esc" } " clears the search"
                    }
                    p { "Written by juror " (env!("CARGO_PKG_VERSION")) ". This file needs no network." }
                }
                script { (PreEscaped(PAGE_SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn policy_hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// The title, such as `sum: Two Numbers` or `3 packages`.
fn title(report: &Report, own: PageContent<'_>) -> String {
    match &report.session.packages[..] {
        [] if let PageContent::Search(found) = own => found.search.plan.submission.clone(),
        [] => "no package".to_owned(),
        [package] if package.title.is_empty() || package.title == package.name => {
            printable(&package.name)
        }
        [package] => format!("{}: {}", printable(&package.name), printable(&package.title)),
        packages => count(packages.len(), "package"),
    }
}

fn headline(page: &Page<'_>) -> Markup {
    let report = page.report;
    let bad = page.submissions.iter().filter(|shown| shown.attention.word() == "bad").count();
    let all = page.submissions.len();
    let summary = &report.summary;
    let sentence = match (all, bad) {
        _ if let PageContent::Strength(found) = page.content => {
            format!("Score: {}.", found.score_in_words())
        }
        _ if let PageContent::Search(found) = page.content => {
            remarks::search_in_short(&found.search)
        }
        (0, _) => match report.generated.len() {
            0 => "No submission was judged.".to_owned(),
            made => format!("{} in the recipe.", count(made, "test case")),
        },
        (1, 0) if page.is_verified() => "The only submission is as expected.".to_owned(),
        (all, 0) if page.is_verified() => format!("All {all} submissions are as expected."),
        (all, bad) if page.is_verified() => {
            format!("{bad} of {} not as expected.", count(all, "submission"))
        }
        (all, 0) if !page.submissions.iter().all(|shown| shown.submission.is_compared()) => {
            format!("{} ran; outputs are not compared.", count(all, "submission"))
        }
        (1, 0) => "Accepted.".to_owned(),
        (all, 0) => format!("All {all} submissions are accepted."),
        (1, _) => {
            let verdict = page.submissions.iter().find_map(|shown| shown.submission.verdict());
            format!("Rejected: {}.", verdict.map_or("judge error", Verdict::name))
        }
        (all, bad) if bad == all => format!("All {all} submissions are rejected."),
        (all, bad) => format!("{bad} of {} rejected.", count(all, "submission")),
    };
    let known = report.recalled_runs().map_or(String::new(), |(runs, oldest)| {
        format!(" ({runs} from the cache, the oldest of {})", oldest.day())
    });
    let what = strength::tally(page).unwrap_or_else(|| count(summary.runs, "run"));
    let time = Some(report.session.elapsed).filter(|time| !time.is_zero());
    let time = time.map_or(String::new(), |time| format!(" in {}", seconds(time)));
    let mut parts = vec![format!("{what}{time}{known}")];
    parts.extend(count_if_any(summary.errors, "error"));
    parts.extend(count_if_any(summary.warnings, "warning"));
    parts.extend(count_if_any(summary.judge_errors, "judge error"));
    parts.extend(count_if_any(summary.skipped_submissions, "skipped submission"));
    html! {
        p.headline {
            (sentence)
            @if report.session.interrupted { " Interrupted: results are missing." }
        }
        p.soft { (parts.join(", ")) }
    }
}

/// The abbreviation of a verdict; `–` if there is none.
fn badge(submission: &SubmissionReport, standing: Attention) -> Markup {
    match (submission.judgement(), standing) {
        (Some(judgement), _) => html! {
            @let short = judgement.short_verdict();
            span class={ "v " (short) } title=(judgement.verdict_name()) { (short) }
        },
        (None, Attention::Fault) => html! { span.v.JE title="judge error" { "JE" } },
        (None, _) => html! { span.v title="skipped" { "–" } },
    }
}

#[cfg(test)]
mod tests;
