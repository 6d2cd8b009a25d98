//! All submissions of a package in one table, a row each.

use crate::model::report::SubmissionReport;
use crate::model::score::Score;
use crate::model::text::printable;
use crate::model::units::seconds;
use crate::model::verdict::Verdict;
use crate::report::style::{Look, Style};
use crate::report::terminal::columns::{Cell, columns, widths};

/// The table with an empty line at its end; nothing without rows.
pub(super) fn table(rows: &[SubmissionReport], style: &Style) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let counted = Verdict::ALL.into_iter();
    let counted = counted.filter(|verdict| rows.iter().any(|row| number_of(row, *verdict) > 0));
    let counts = Counts {
        counted: counted.collect(),
        scores: rows.iter().any(|row| score_of(row).is_some()),
    };
    let rows = rows.iter().map(|row| cells(row, &counts));
    let mut rows: Vec<Vec<Cell>> = std::iter::once(header(&counts)).chain(rows).collect();
    let missing = |rows: &[Vec<Cell>]| {
        let widths = widths(rows);
        let width = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
        (width.saturating_sub(style.width), widths[1])
    };
    if missing(&rows).0 > 0 {
        let slowest_case = counts.counted.len() + 3 + usize::from(counts.scores);
        rows.iter_mut().for_each(|row| drop(row.remove(slowest_case)));
    }
    let (missing, names) = missing(&rows);
    let room = names.saturating_sub(missing).max(NAME_MIN);
    let rows: Vec<Vec<Cell>> = rows.into_iter().flat_map(|row| broken(row, room)).collect();
    let mut lines = columns(&rows, style);
    lines[0] = style.paint(Look::Dim, &lines[0]);
    lines.join("\n") + "\n\n"
}

/// Names are not broken into shorter pieces.
const NAME_MIN: usize = 20;

/// A row whose name takes several lines, if it is longer than there is room.
fn broken(mut row: Vec<Cell>, room: usize) -> Vec<Vec<Cell>> {
    let name: Vec<char> = std::mem::take(&mut row[1].text).chars().collect();
    let parts: Vec<String> = name.chunks(room).map(|part| part.iter().collect()).collect();
    let mut rows: Vec<Vec<Cell>> =
        parts.into_iter().map(|part| vec![Cell::left(""), Cell::left(part)]).collect();
    row[1] = rows[0].remove(1);
    rows[0] = row;
    rows
}

/// What is shown of the cases, beside times and memory.
struct Counts {
    /// How many have each of these verdicts.
    counted: Vec<Verdict>,
    /// What they are worth.
    scores: bool,
}

/// The titles of the columns.
fn header(counts: &Counts) -> Vec<Cell> {
    let mut cells = vec![Cell::left(""), Cell::left("submission")];
    cells.extend(counts.scores.then(|| Cell::right("score")));
    cells.extend(counts.counted.iter().map(|verdict| Cell::right(verdict.short())));
    let last = [Cell::right("slowest"), Cell::left("on"), Cell::right("memory")];
    cells.into_iter().chain(last).chain([Cell::left("expected")]).collect()
}

/// One row.
fn cells(row: &SubmissionReport, counts: &Counts) -> Vec<Cell> {
    let verdict = match row.verdict {
        Some(verdict) => Cell::left(verdict.short()).looking(Look::Verdict(verdict)),
        None => Cell::left("-"),
    };
    let mut cells = vec![verdict, Cell::left(printable(&row.name))];
    if counts.scores {
        cells.push(Cell::right(score_of(row).map_or(String::new(), |score| score.to_string())));
    }
    cells.extend(counts.counted.iter().map(|&verdict| match number_of(row, verdict) {
        0 => Cell::left(""),
        number => Cell::right(number.to_string()),
    }));
    let runs = row.test_cases.iter().filter_map(|case| Some((case, case.outcome.as_ref()?)));
    // The first of the cases that took the most CPU time.
    let slowest = runs.clone().rev().max_by_key(|(_, outcome)| outcome.cpu_time);
    let memory = runs.filter_map(|(_, outcome)| outcome.memory()).max();
    let (time, case) = match slowest {
        Some((case, outcome)) => (seconds(outcome.cpu_time), printable(&case.test_case)),
        None => (String::new(), String::new()),
    };
    cells.extend([Cell::right(time), Cell::left(case)]);
    cells.push(Cell::right(memory.map_or(String::new(), |memory| memory.to_string())));
    cells.push(expected(row));
    cells
}

/// What a submission earned, if that is known.
fn score_of(row: &SubmissionReport) -> Option<Score> {
    row.score.as_ref()?.score
}

/// How many cases have this verdict.
fn number_of(row: &SubmissionReport, verdict: Verdict) -> usize {
    row.test_cases.iter().filter(|case| case.verdict == verdict).count()
}

/// The last cell of a row.
fn expected(row: &SubmissionReport) -> Cell {
    let lacks = row.error.as_ref().and_then(|fault| fault.error.lacks.as_ref());
    if let Some(tool) = lacks {
        return Cell::left(format!("skipped: no {}", printable(tool))).looking(Look::JudgeError);
    }
    match (row.verdict, row.broken_expectations.len()) {
        (None, _) => Cell::left("judge error").looking(Look::JudgeError),
        (Some(_), 0) => Cell::left("ok").looking(Look::Good),
        (Some(_), number) => Cell::left(format!("{number} broken")).looking(Look::Bad),
    }
}
