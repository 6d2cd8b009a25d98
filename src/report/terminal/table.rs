//! A table of all submissions of a package, one row each.

use std::cmp::Reverse;
use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use crate::report::document::{Report, SubmissionReport, shared_directory};
use crate::report::style::{Order, Style, SubmissionFilter, TableListing, TextRole, shorten};
use crate::report::terminal::columns::{COLUMN_GAP, TableCell, align_columns, fold_column};
use crate::report::terminal::page::{Label, Page};
use crate::report::terminal::score;
use juror_core::duplicates::Likeness;
use juror_core::event::CommandTask;
use juror_core::judgement::CaseJudgement;
use juror_core::outcome::Outcome;
use juror_core::score::Score;
use juror_core::text::{exact_seconds, joined, printable};
use juror_core::units::seconds;
use juror_core::verdict::Verdict;

/// Less important columns are omitted first if the table is too wide; needed ones never.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Importance {
    SlowestCase,
    /// The slowest run relative to the limit.
    Share,
    Memory,
    Group,
    /// The first failure, which may be shortened.
    Failure,
    Needed,
    /// The submission's name, which may be folded.
    Name,
}

/// The first cell is the title.
struct Column {
    importance: Importance,
    cells: Vec<TableCell>,
}

const MIN_NAME: usize = 14;
const MIN_FAILURE: usize = 10;
/// Optional columns leave at least this much room for names and for failures.
const PREFERRED_NAME: usize = 22;
const PREFERRED_FAILURE: usize = 28;
/// Names and failures share the room: both grow to the first pair, then to the second, and so on.
const WIDTH_STEPS: [(usize, usize); 4] = [
    (MIN_NAME, MIN_FAILURE + 4),
    (PREFERRED_NAME, PREFERRED_FAILURE),
    (usize::MAX, PREFERRED_FAILURE),
    (usize::MAX, usize::MAX),
];

/// Ends with an empty line; empty without rows.
pub(super) fn submission_table(
    rows: &[SubmissionReport],
    report: &Report,
    listing: TableListing,
    style: &Style,
) -> String {
    let mut shown: Vec<&SubmissionReport> =
        rows.iter().filter(|row| is_listed(row, listing)).collect();
    sort_rows(&mut shown, listing.order);
    let mut text = String::new();
    if !shown.is_empty() {
        let is_verified = report.session.task == CommandTask::Verify;
        let directory = if is_verified { "" } else { shared_directory(&shown) };
        let fields = make_columns(&shown, report, is_verified, directory);
        let mut lines = fit_lines(fields, style);
        lines[0] = style.paint(TextRole::Dim, &lines[0]);
        if !directory.is_empty() {
            let shared = format!("submissions in {}", printable(directory));
            lines.insert(
                0,
                style.paint(TextRole::Dim, &shorten(&shared, style.width, style.ellipsis())),
            );
        }
        text = lines.join("\n") + "\n\n" + &explain_copies(report, directory, style);
    }
    let hidden = rows.len() - shown.len();
    if hidden > 0 {
        let only = listing.only.map_or("", SubmissionFilter::name);
        text.push_str(&format!("{hidden} of {} not shown (--only {only})\n\n", rows.len()));
    }
    text
}

/// Of the last package.
fn cpu_time_limit(report: &Report) -> Option<Duration> {
    Some(report.session.packages.last()?.limits.as_ref()?.cpu_time())
}

pub(super) fn is_listed(row: &SubmissionReport, listing: TableListing) -> bool {
    match listing.only {
        None => true,
        Some(SubmissionFilter::Failed) => row.verdict() != Some(Verdict::Accepted),
        Some(SubmissionFilter::Unexpected) => is_surprise(row),
    }
}

/// Whether the submission is not as expected, or the judge failed.
fn is_surprise(row: &SubmissionReport) -> bool {
    match &row.result {
        Ok(judgement) => !judgement.broken.is_empty(),
        Err(fault) => !fault.is_skipped_submission(),
    }
}

fn sort_rows(rows: &mut [&SubmissionReport], order: Order) {
    match order {
        Order::Surprise => rows.sort_by_key(|row| !is_surprise(row)),
        Order::Given => {}
        Order::Name => rows.sort_by(|a, b| a.name.cmp(&b.name)),
        Order::Verdict => rows.sort_by_key(|row| (row.verdict().is_none(), row.verdict())),
        Order::Passed => rows.sort_by_key(|row| Reverse(row.passed_cases())),
        Order::Score => {
            let points = |row: &SubmissionReport| {
                row.score().and_then(|total| total.score).map_or(-1.0, Score::points)
            };
            rows.sort_by(|a, b| points(b).total_cmp(&points(a)));
        }
        Order::Time => rows.sort_by_key(|row| Reverse(row.slowest_cpu_time())),
        Order::Memory => rows.sort_by_key(|row| Reverse(row.peak_memory())),
    }
}

/// Leaves out empty columns.
fn make_columns(
    rows: &[&SubmissionReport],
    report: &Report,
    is_verified: bool,
    directory: &str,
) -> Vec<Column> {
    let column = |worth, title: TableCell, cell: &dyn Fn(&SubmissionReport) -> TableCell| {
        let cells = std::iter::once(title).chain(rows.iter().map(|row| cell(row))).collect();
        Column { importance: worth, cells }
    };
    let mut all = vec![
        column(Importance::Needed, TableCell::left(""), &|row| match row.judgement() {
            Some(judgement) => TableCell::left(judgement.short_verdict())
                .with_look(TextRole::Verdict(judgement.verdict)),
            None => TableCell::left("-"),
        }),
        column(Importance::Name, TableCell::left("submission"), &|row| {
            TableCell::left(printable(row.name.strip_prefix(directory).unwrap_or(&row.name)))
        }),
    ];
    let totals = || rows.iter().filter_map(|row| row.score());
    if totals().next().is_some() {
        let max = totals().find_map(|total| total.max_score);
        all.push(column(Importance::Needed, TableCell::right(score_title("score", max)), &|row| {
            TableCell::right(row.score().map_or(String::new(), |total| score::points(total.score)))
        }));
        let most = totals().max_by_key(|total| total.groups.len());
        for group in most.iter().flat_map(|total| &total.groups) {
            let name = printable(group.name.trim_start_matches("secret/"));
            let title = TableCell::right(score_title(&name, group.max_score));
            all.push(column(Importance::Group, title, &|row| {
                let mut groups = row.score().into_iter().flat_map(|total| &total.groups);
                let same = groups.find(|other| other.name == group.name);
                TableCell::right(same.map_or(String::new(), |score| score::points(score.score)))
            }));
        }
    }
    // A short mark; the last line explains it in words.
    let of_cache =
        |row: &&&SubmissionReport| slowest_run(row).is_some_and(|run| run.1.ran_at.is_some());
    let known_rows: Vec<&str> = rows.iter().filter(of_cache).map(|row| &*row.name).collect();
    all.push(column(Importance::Needed, TableCell::right("passed"), &|row| {
        TableCell::right(match row.selected_cases() {
            0 => String::new(),
            total => format!("{}/{total}", row.passed_cases()),
        })
    }));
    all.push(column(Importance::Needed, TableCell::right("slowest"), &|row| {
        let is_known = known_rows.contains(&row.name.as_str());
        let sign = match (known_rows.is_empty(), is_known) {
            (true, _) => "",
            (false, true) => "*",
            (false, false) => " ",
        };
        TableCell::right(row.slowest_cpu_time().map_or(String::new(), |time| seconds(time) + sign))
    }));
    if let Some(limit) = cpu_time_limit(report) {
        let title = format!("of {}", exact_seconds(limit));
        all.push(column(Importance::Share, TableCell::right(title), &|row| {
            let share = |time: Duration| (time.as_secs_f64() / limit.as_secs_f64() * 100.0).ceil();
            TableCell::right(
                row.slowest_cpu_time().map_or(String::new(), |time| format!("{} %", share(time))),
            )
        }));
    }
    all.push(column(Importance::SlowestCase, TableCell::left("on"), &|row| {
        TableCell::left(
            slowest_run(row).map_or(String::new(), |(case, _)| printable(&case.test_case)),
        )
    }));
    all.push(column(Importance::Memory, TableCell::right("memory"), &|row| {
        TableCell::right(row.peak_memory().map_or(String::new(), |memory| memory.to_string()))
    }));
    all.push(column(Importance::Needed, TableCell::left("copy"), &|row| {
        let groups = report.duplicates.iter().zip(1..);
        let groups = groups.filter(|(group, _)| group.submissions.contains(&row.name));
        TableCell::left(joined(
            groups.map(|(group, number)| copy_mark(group.likeness, number)),
            " ",
        ))
    }));
    if is_verified {
        all.push(column(Importance::Needed, TableCell::left("expected"), &expectation_cell));
    }
    all.push(column(Importance::Failure, TableCell::left("first failure"), &failure_cell));
    all.retain(|column| column.cells[1..].iter().any(|cell| !cell.text.is_empty()));
    all
}

/// Such as `=1` for copies with the same text, `~2` for similar ones.
fn copy_mark(likeness: Likeness, number: usize) -> String {
    let sign = match likeness {
        Likeness::Text => '=',
        Likeness::Code => '~',
    };
    format!("{sign}{number}")
}

/// Ends with an empty line; empty without copies.
fn explain_copies(report: &Report, directory: &str, style: &Style) -> String {
    let mut page = Page::new(style);
    for (group, number) in report.duplicates.iter().zip(1..) {
        let names = group.submissions.iter();
        let names = names.map(|name| printable(name.strip_prefix(directory).unwrap_or(name)));
        let label = format!("{}  ", copy_mark(group.likeness, number));
        let text = format!("{}: {}", group.likeness, joined(names, ", "));
        page.labelled(0, Label::new(TextRole::Warning, &label), &text);
    }
    let text = page.into_text();
    if text.is_empty() { text } else { text + "\n" }
}

/// Such as `score/100`.
fn score_title(name: &str, max: Option<Score>) -> String {
    max.map_or(name.to_owned(), |max| format!("{name}/{max}"))
}

/// The first of the test cases with the most CPU time.
fn slowest_run(row: &SubmissionReport) -> Option<(&CaseJudgement, &Outcome)> {
    let runs = row.cases().iter().filter_map(|case| Some((case, case.outcome.as_ref()?)));
    runs.rev().max_by_key(|(_, outcome)| outcome.cpu_time)
}

fn expectation_cell(row: &SubmissionReport) -> TableCell {
    match row.judgement().map(|judgement| judgement.broken.len()) {
        None => TableCell::left(""),
        Some(0) => TableCell::left("ok").with_look(TextRole::Good),
        Some(number) => TableCell::left(format!("{number} broken")).with_look(TextRole::Bad),
    }
}

fn failure_cell(row: &SubmissionReport) -> TableCell {
    let lacks = row.error().and_then(|fault| fault.error.lacks.as_ref());
    if let Some(tool) = lacks {
        return TableCell::left(format!("skipped: no {}", printable(tool)))
            .with_look(TextRole::JudgeError);
    }
    match row.explained_failure() {
        _ if row.error().is_some() => {
            TableCell::left("judge error").with_look(TextRole::JudgeError)
        }
        (Some(test_case), Some(cause)) => {
            TableCell::left(format!("{}: {}", printable(test_case), printable(&cause)))
        }
        _ => TableCell::left(""),
    }
}

/// Fits lines to the width: omits less important columns, shortens failures, and folds names.
fn fit_lines(mut all: Vec<Column>, style: &Style) -> Vec<String> {
    let width = |column: &Column| {
        let cells = column.cells.iter();
        cells.map(|cell| cell.text.width()).max().unwrap_or(0)
    };
    let fixed = |all: &[Column], name: usize, failure: usize| -> usize {
        let widths = all.iter().map(|column| match column.importance {
            Importance::Name => width(column).min(name),
            Importance::Failure => width(column).min(failure),
            _ => width(column),
        });
        widths.map(|width| width + COLUMN_GAP).sum::<usize>() - COLUMN_GAP
    };
    loop {
        let least = all.iter().map(|column| column.importance).min().unwrap_or(Importance::Needed);
        let needed = match least {
            Importance::SlowestCase => fixed(&all, usize::MAX, PREFERRED_FAILURE),
            Importance::Share => fixed(&all, PREFERRED_NAME, PREFERRED_FAILURE),
            _ => fixed(&all, MIN_NAME, MIN_FAILURE),
        };
        if needed <= style.width || least >= Importance::Needed {
            break;
        }
        all.retain(|column| column.importance != least);
    }
    let (mut names, mut failures) = (MIN_NAME, MIN_FAILURE);
    for (name, failure) in WIDTH_STEPS {
        let room = |names, failures| style.width.saturating_sub(fixed(&all, names, failures));
        names += room(names, failures).min(name - names);
        failures += room(names, failures).min(failure - failures);
    }
    for column in all.iter_mut().filter(|column| column.importance == Importance::Failure) {
        for cell in &mut column.cells {
            cell.text = shorten(&cell.text, failures, style.ellipsis());
        }
    }
    let name_at = all.iter().position(|it| it.importance == Importance::Name).unwrap_or_default();
    let rows = (0..all[0].cells.len())
        .map(|row| all.iter().map(|column| column.cells[row].clone()).collect())
        .collect();
    align_columns(&fold_column(rows, name_at, names), style)
}
