//! A table of all submissions of a package, one row each.

use std::cmp::Reverse;
use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use crate::model::duplicates::Likeness;
use crate::model::event::CommandTask;
use crate::model::judgement::CaseJudgement;
use crate::model::outcome::Outcome;
use crate::model::report::{Report, SubmissionReport, shared_directory};
use crate::model::score::Score;
use crate::model::text::{given_seconds, joined, printable};
use crate::model::units::seconds;
use crate::model::verdict::Verdict;
use crate::report::style::{Listing, Look, Only, Order, Style, cut};
use crate::report::terminal::columns::{Cell, GAP, columns, fold};
use crate::report::terminal::page::{Label, Page};
use crate::report::terminal::score;

/// Less important columns are omitted first if the table is too wide; needed ones never.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    Place,
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
    worth: Worth,
    cells: Vec<Cell>,
}

const NAME_MIN: usize = 14;
const FAILURE_MIN: usize = 10;
/// Optional columns leave at least this much room for names and for failures.
const NAME_GOOD: usize = 22;
const FAILURE_GOOD: usize = 28;
/// Names and failures share the room: both grow to the first pair, then to the second, and so on.
const SHARES: [(usize, usize); 4] = [
    (NAME_MIN, FAILURE_MIN + 4),
    (NAME_GOOD, FAILURE_GOOD),
    (usize::MAX, FAILURE_GOOD),
    (usize::MAX, usize::MAX),
];

/// Ends with an empty line; empty without rows.
pub(super) fn table(
    rows: &[SubmissionReport],
    report: &Report,
    listing: Listing,
    style: &Style,
) -> String {
    let mut shown: Vec<&SubmissionReport> =
        rows.iter().filter(|row| listed(row, listing)).collect();
    sort(&mut shown, listing.order);
    let mut text = String::new();
    if !shown.is_empty() {
        let is_verified = report.session.task == CommandTask::Verify;
        let directory = if is_verified { "" } else { shared_directory(&shown) };
        let fields = fields(&shown, report, is_verified, directory);
        let mut lines = lines(fields, style);
        lines[0] = style.paint(Look::Dim, &lines[0]);
        if !directory.is_empty() {
            let shared = format!("submissions in {}", printable(directory));
            lines.insert(0, style.paint(Look::Dim, &cut(&shared, style.width, style.ellipsis())));
        }
        text = lines.join("\n") + "\n\n" + &duplicates(report, directory, style);
    }
    let hidden = rows.len() - shown.len();
    if hidden > 0 {
        let only = listing.only.map_or("", Only::name);
        text.push_str(&format!("{hidden} of {} not shown (--only {only})\n\n", rows.len()));
    }
    text
}

/// Of the last package.
fn limit(report: &Report) -> Option<Duration> {
    Some(report.session.packages.last()?.limits.as_ref()?.cpu_time())
}

pub(super) fn listed(row: &SubmissionReport, listing: Listing) -> bool {
    match listing.only {
        None => true,
        Some(Only::Failed) => row.verdict() != Some(Verdict::Accepted),
        Some(Only::Unexpected) => is_surprise(row),
    }
}

/// Whether the submission is not as expected, or the judge failed.
fn is_surprise(row: &SubmissionReport) -> bool {
    match &row.result {
        Ok(judgement) => !judgement.broken.is_empty(),
        Err(fault) => !fault.is_skip(),
    }
}

fn sort(rows: &mut [&SubmissionReport], order: Order) {
    match order {
        Order::Surprise => rows.sort_by_key(|row| !is_surprise(row)),
        Order::Given => {}
        Order::Name => rows.sort_by(|a, b| a.name.cmp(&b.name)),
        Order::Verdict => rows.sort_by_key(|row| (row.verdict().is_none(), row.verdict())),
        Order::Passed => rows.sort_by_key(|row| Reverse(row.passed())),
        Order::Score => {
            let points = |row: &SubmissionReport| {
                row.score().and_then(|it| it.score).map_or(-1.0, Score::points)
            };
            rows.sort_by(|a, b| points(b).total_cmp(&points(a)));
        }
        Order::Time => rows.sort_by_key(|row| Reverse(row.slowest())),
        Order::Memory => rows.sort_by_key(|row| Reverse(row.memory())),
    }
}

/// Leaves out empty columns.
fn fields(
    rows: &[&SubmissionReport],
    report: &Report,
    is_verified: bool,
    directory: &str,
) -> Vec<Column> {
    let column = |worth, title: Cell, cell: &dyn Fn(&SubmissionReport) -> Cell| {
        let cells = std::iter::once(title).chain(rows.iter().map(|row| cell(row))).collect();
        Column { worth, cells }
    };
    let mut all = vec![
        column(Worth::Needed, Cell::left(""), &|row| match row.verdict() {
            Some(verdict) => Cell::left(verdict.short()).looking(Look::Verdict(verdict)),
            None => Cell::left("-"),
        }),
        column(Worth::Name, Cell::left("submission"), &|row| {
            Cell::left(printable(row.name.strip_prefix(directory).unwrap_or(&row.name)))
        }),
    ];
    let totals = || rows.iter().filter_map(|row| row.score());
    if totals().next().is_some() {
        let max = totals().find_map(|total| total.max_score);
        all.push(column(Worth::Needed, Cell::right(titled("score", max)), &|row| {
            Cell::right(row.score().map_or(String::new(), |it| score::points(it.score)))
        }));
        let most = totals().max_by_key(|total| total.groups.len());
        for group in most.iter().flat_map(|total| &total.groups) {
            let name = printable(group.name.trim_start_matches("secret/"));
            let title = Cell::right(titled(&name, group.max_score));
            all.push(column(Worth::Group, title, &|row| {
                let mut groups = row.score().into_iter().flat_map(|total| &total.groups);
                let same = groups.find(|it| it.name == group.name);
                Cell::right(same.map_or(String::new(), |it| score::points(it.score)))
            }));
        }
    }
    // A short mark; the last line explains it in words.
    let of_cache =
        |row: &&&SubmissionReport| slowest_run(row).is_some_and(|it| it.1.ran_at.is_some());
    let known_rows: Vec<&str> = rows.iter().filter(of_cache).map(|row| &*row.name).collect();
    all.push(column(Worth::Needed, Cell::right("passed"), &|row| {
        Cell::right(match row.selected() {
            0 => String::new(),
            total => format!("{}/{total}", row.passed()),
        })
    }));
    all.push(column(Worth::Needed, Cell::right("slowest"), &|row| {
        let is_known = known_rows.contains(&row.name.as_str());
        let sign = match (known_rows.is_empty(), is_known) {
            (true, _) => "",
            (false, true) => "*",
            (false, false) => " ",
        };
        Cell::right(row.slowest().map_or(String::new(), |it| seconds(it) + sign))
    }));
    if let Some(limit) = limit(report) {
        let title = format!("of {}", given_seconds(limit));
        all.push(column(Worth::Share, Cell::right(title), &|row| {
            let share = |time: Duration| (time.as_secs_f64() / limit.as_secs_f64() * 100.0).ceil();
            Cell::right(row.slowest().map_or(String::new(), |it| format!("{} %", share(it))))
        }));
    }
    all.push(column(Worth::Place, Cell::left("on"), &|row| {
        Cell::left(slowest_run(row).map_or(String::new(), |(case, _)| printable(&case.test_case)))
    }));
    all.push(column(Worth::Memory, Cell::right("memory"), &|row| {
        Cell::right(row.memory().map_or(String::new(), |memory| memory.to_string()))
    }));
    all.push(column(Worth::Needed, Cell::left("copy"), &|row| {
        let groups = report.duplicates.iter().zip(1..);
        let groups = groups.filter(|(group, _)| group.submissions.contains(&row.name));
        Cell::left(joined(groups.map(|(group, number)| sign(group.likeness, number)), " "))
    }));
    if is_verified {
        all.push(column(Worth::Needed, Cell::left("expected"), &expected));
    }
    all.push(column(Worth::Failure, Cell::left("first failure"), &failure));
    all.retain(|column| column.cells[1..].iter().any(|cell| !cell.text.is_empty()));
    all
}

/// Such as `=1` for copies with the same text, `~2` for similar ones.
fn sign(likeness: Likeness, number: usize) -> String {
    let sign = match likeness {
        Likeness::Text => '=',
        Likeness::Code => '~',
    };
    format!("{sign}{number}")
}

/// Ends with an empty line; empty without copies.
fn duplicates(report: &Report, directory: &str, style: &Style) -> String {
    let mut page = Page::new(style);
    for (group, number) in report.duplicates.iter().zip(1..) {
        let names = group.submissions.iter();
        let names = names.map(|name| printable(name.strip_prefix(directory).unwrap_or(name)));
        let label = format!("{}  ", sign(group.likeness, number));
        let text = format!("{}: {}", group.likeness, joined(names, ", "));
        page.labelled(0, Label::new(Look::Warning, &label), &text);
    }
    let text = page.into_text();
    if text.is_empty() { text } else { text + "\n" }
}

/// Such as `score/100`.
fn titled(name: &str, max: Option<Score>) -> String {
    max.map_or(name.to_owned(), |max| format!("{name}/{max}"))
}

/// The first of the test cases with the most CPU time.
fn slowest_run(row: &SubmissionReport) -> Option<(&CaseJudgement, &Outcome)> {
    let runs = row.cases().iter().filter_map(|case| Some((case, case.outcome.as_ref()?)));
    runs.rev().max_by_key(|(_, outcome)| outcome.cpu_time)
}

fn expected(row: &SubmissionReport) -> Cell {
    match row.judgement().map(|it| it.broken.len()) {
        None => Cell::left(""),
        Some(0) => Cell::left("ok").looking(Look::Good),
        Some(number) => Cell::left(format!("{number} broken")).looking(Look::Bad),
    }
}

fn failure(row: &SubmissionReport) -> Cell {
    let lacks = row.error().and_then(|fault| fault.error.lacks.as_ref());
    if let Some(tool) = lacks {
        return Cell::left(format!("skipped: no {}", printable(tool))).looking(Look::JudgeError);
    }
    match row.told_failure() {
        _ if row.error().is_some() => Cell::left("judge error").looking(Look::JudgeError),
        (Some(place), Some(cause)) => {
            Cell::left(format!("{}: {}", printable(place), printable(&cause)))
        }
        _ => Cell::left(""),
    }
}

/// Fits lines to the width: omits less important columns, shortens failures, and folds names.
fn lines(mut all: Vec<Column>, style: &Style) -> Vec<String> {
    let width = |column: &Column| {
        let cells = column.cells.iter();
        cells.map(|cell| cell.text.width()).max().unwrap_or(0)
    };
    let fixed = |all: &[Column], name: usize, failure: usize| -> usize {
        let widths = all.iter().map(|column| match column.worth {
            Worth::Name => width(column).min(name),
            Worth::Failure => width(column).min(failure),
            _ => width(column),
        });
        widths.map(|width| width + GAP).sum::<usize>() - GAP
    };
    loop {
        let least = all.iter().map(|column| column.worth).min().unwrap_or(Worth::Needed);
        let needed = match least {
            Worth::Place => fixed(&all, usize::MAX, FAILURE_GOOD),
            Worth::Share => fixed(&all, NAME_GOOD, FAILURE_GOOD),
            _ => fixed(&all, NAME_MIN, FAILURE_MIN),
        };
        if needed <= style.width || least >= Worth::Needed {
            break;
        }
        all.retain(|column| column.worth != least);
    }
    let (mut names, mut failures) = (NAME_MIN, FAILURE_MIN);
    for (name, failure) in SHARES {
        let room = |names, failures| style.width.saturating_sub(fixed(&all, names, failures));
        names += room(names, failures).min(name - names);
        failures += room(names, failures).min(failure - failures);
    }
    for column in all.iter_mut().filter(|column| column.worth == Worth::Failure) {
        for cell in &mut column.cells {
            cell.text = cut(&cell.text, failures, style.ellipsis());
        }
    }
    let name_at = all.iter().position(|it| it.worth == Worth::Name).unwrap_or_default();
    let rows = (0..all[0].cells.len())
        .map(|row| all.iter().map(|column| column.cells[row].clone()).collect())
        .collect();
    columns(&fold(rows, name_at, names), style)
}
