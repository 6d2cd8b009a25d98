//! A table of all submissions of a package, one row each.

use std::cmp::Reverse;
use std::iter;

use unicode_width::UnicodeWidthStr;

use crate::report::document::{FaultReport, Report, SubmissionReport, shared_directory};
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
/// Most names of people are shorter.
const CLASS_NAME: usize = 28;
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
        let mut lines = fit_lines(fields, !report.classes.is_empty(), style);
        lines[0] = style.paint(TextRole::Dim, &lines[0]);
        if !directory.is_empty() {
            let shared = format!("submissions in {}", printable(directory));
            let shared = shorten(&shared, style.width, style.ellipsis());
            lines.insert(0, style.paint(TextRole::Dim, &shared));
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
            let points = |row: &SubmissionReport| row.points().map_or(-1.0, Score::points);
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
    use Importance::{Failure, Group, Memory, Name, Needed, Share, SlowestCase};
    let column = |importance, title: TableCell, cell: &dyn Fn(&SubmissionReport) -> TableCell| {
        let cells = iter::once(title).chain(rows.iter().map(|row| cell(row))).collect();
        Column { importance, cells }
    };
    // Texts are aligned like the title.
    let texts =
        |importance, title: TableCell, text: &dyn Fn(&SubmissionReport) -> Option<String>| {
            column(importance, title.clone(), &|row| title.with_text(text(row).unwrap_or_default()))
        };
    let totals = || rows.iter().filter_map(|row| row.score());
    let score = score_title("score", totals().find_map(|total| total.max_score));
    let groups = totals().map(|total| &total.groups).max_by_key(|groups| groups.len());
    let package = report.session.packages.last();
    let limit = package.and_then(|package| Some(package.limits.as_ref()?.cpu_time()));
    let of_limit = limit.map_or(String::new(), |limit| format!("of {}", exact_seconds(limit)));
    // A short mark; the last line explains it in words.
    let is_recalled =
        |row: &SubmissionReport| slowest_run(row).is_some_and(|run| run.1.ran_at.is_some());
    let no_mark = if rows.iter().any(|row| is_recalled(row)) { " " } else { "" };
    let mark = |row: &SubmissionReport| if is_recalled(row) { "*" } else { no_mark };
    // Who grades a class wants names and reasons.
    let is_class = !report.classes.is_empty();
    let less_needed = if is_class { Memory } else { Needed };
    let has_points = totals().next().is_some();
    let mut all = vec![
        column(Needed, TableCell::left(""), &verdict_cell),
        texts(Name, TableCell::left("submission"), &|row| {
            Some(printable(&report.shown_name(&row.name, directory)))
        }),
        texts(Needed, TableCell::right(score), &|row| {
            has_points.then_some(())?;
            Some(match row.judgement().and_then(score::of_runs) {
                Some((score, most)) => format!("{score}/{}", score::points(most)),
                None if row.points().is_none() && row.score().is_none() => return None,
                None => score::points(row.points()),
            })
        }),
    ];
    all.extend(groups.into_iter().flatten().map(|group| {
        let name = printable(group.name.trim_start_matches("secret/"));
        texts(Group, TableCell::right(score_title(&name, group.max_score)), &|row| {
            let same = row.score()?.groups.iter().find(|other| other.name == group.name)?;
            Some(score::points(same.score))
        })
    }));
    all.extend([
        texts(if has_points { less_needed } else { Needed }, TableCell::right("passed"), &|row| {
            let total = row.selected_cases();
            (total > 0).then(|| format!("{}/{total}", row.passed_cases()))
        }),
        texts(less_needed, TableCell::right("slowest"), &|row| {
            Some(seconds(row.slowest_cpu_time()?) + mark(row))
        }),
        texts(Share, TableCell::right(of_limit), &|row| {
            let part = row.slowest_cpu_time()?.as_secs_f64() / limit?.as_secs_f64();
            Some(format!("{} %", (part * 100.0).ceil()))
        }),
        texts(SlowestCase, TableCell::left("on"), &|row| {
            Some(printable(&slowest_run(row)?.0.test_case))
        }),
        texts(Memory, TableCell::right("memory"), &|row| Some(row.peak_memory()?.to_string())),
        texts(Needed, TableCell::left("copy"), &|row| {
            let groups = report.duplicates.iter().zip(1..);
            let own = groups.filter(|(group, _)| group.submissions.contains(&row.name));
            Some(joined(own.map(|(group, number)| copy_mark(group.likeness, number)), " "))
        }),
    ]);
    if is_verified {
        all.push(column(Needed, TableCell::left("expected"), &expectation_cell));
    }
    all.push(column(Failure, TableCell::left("first failure"), &|row| failure_cell(row, is_class)));
    all.retain(|column| column.cells[1..].iter().any(|cell| !cell.text.is_empty()));
    all
}

fn verdict_cell(row: &SubmissionReport) -> TableCell {
    row.judgement().map_or(TableCell::left("-"), |judgement| {
        let role = TextRole::Verdict(judgement.verdict);
        TableCell::left(judgement.short_verdict()).with_look(role)
    })
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
        let names = group.submissions.iter().map(|name| report.shown_name(name, directory));
        let names = names.map(|name| printable(&name));
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

/// For a class, the cause comes first.
fn failure_cell(row: &SubmissionReport, is_class: bool) -> TableCell {
    if let Some(FaultReport { error, .. }) = row.error() {
        let why = match &error.lacks {
            None => "judge error".to_owned(),
            Some(_) if error.is_no_program() => printable(&error.reason),
            Some(tool) => format!("skipped: no {}", printable(tool)),
        };
        return TableCell::left(why).with_look(TextRole::JudgeError);
    }
    let (Some(test_case), Some(cause)) = row.explained_failure() else {
        return TableCell::left("");
    };
    let (test_case, cause) = (printable(test_case), printable(&cause));
    let text =
        if is_class { format!("{cause} ({test_case})") } else { format!("{test_case}: {cause}") };
    TableCell::left(text)
}

/// Fits lines to the width: omits less important columns, shortens failures, and folds names.
fn fit_lines(mut all: Vec<Column>, is_class: bool, style: &Style) -> Vec<String> {
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
            // The names of people stay in one line.
            _ if is_class && least < Importance::Failure => {
                fixed(&all, CLASS_NAME, PREFERRED_FAILURE)
            }
            Importance::Share => fixed(&all, PREFERRED_NAME, PREFERRED_FAILURE),
            _ => fixed(&all, MIN_NAME, MIN_FAILURE),
        };
        if needed <= style.width || least >= Importance::Needed {
            break;
        }
        all.retain(|column| column.importance != least);
    }
    let (mut names, mut failures) = (MIN_NAME, MIN_FAILURE);
    let of_class = is_class.then_some((CLASS_NAME, MIN_FAILURE));
    for (name, failure) in of_class.into_iter().chain(WIDTH_STEPS) {
        let (name, failure) = (name.max(names), failure.max(failures));
        let room = |names, failures| style.width.saturating_sub(fixed(&all, names, failures));
        names += room(names, failures).min(name - names);
        failures += room(names, failures).min(failure - failures);
    }
    for column in &mut all {
        let most = match column.importance {
            Importance::Failure => failures,
            Importance::Name if is_class => names,
            _ => continue,
        };
        for cell in &mut column.cells {
            cell.text = shorten(&cell.text, most, style.ellipsis());
        }
    }
    let name_at = all.iter().position(|it| it.importance == Importance::Name).unwrap_or_default();
    let rows = (0..all[0].cells.len())
        .map(|row| all.iter().map(|column| column.cells[row].clone()).collect())
        .collect();
    align_columns(&fold_column(rows, name_at, names), style)
}
