//! All submissions of a package in one table, a row each.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthStr;

use crate::model::report::SubmissionReport;
use crate::model::score::Score;
use crate::model::text::printable;
use crate::model::units::seconds;
use crate::model::verdict::Verdict;
use crate::report::style::{Look, Style};

/// The table with an empty line at its end; nothing without rows.
pub(super) fn table(rows: &[SubmissionReport], style: &Style) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let counted: Vec<Verdict> = Verdict::ALL
        .into_iter()
        .filter(|&verdict| rows.iter().any(|row| number_of(row, verdict) > 0))
        .collect();
    let scores = rows.iter().any(|row| score_of(row).is_some());
    let counts = Counts { counted, scores };
    let mut lines = laid_out(rows, &counts, Columns::All, style);
    if lines.iter().any(|line| line.width() > style.width) {
        lines = laid_out(rows, &counts, Columns::WithoutSlowestCase, style);
    }
    let mut rows = rows.iter();
    let painted = lines.iter().enumerate().map(|(index, line)| match index {
        0 => style.paint(Look::Dim, line),
        // The rest of a name that was broken.
        _ if line.starts_with(' ') => line.clone(),
        _ => rows.next().map_or(line.clone(), |row| painted(line, row, style)),
    });
    painted.collect::<Vec<String>>().join("\n") + "\n\n"
}

/// What is told of the cases, beside times and memory.
struct Counts {
    /// How many have each of these verdicts.
    counted: Vec<Verdict>,
    /// What they are worth.
    scores: bool,
}

/// Which columns there is room for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    /// All, each as wide as it wants to be.
    All,
    /// All but the name of the slowest case; where that is still too wide, the submissions' names
    /// are broken.
    WithoutSlowestCase,
}

/// The lines of the table, without colours.
fn laid_out(
    rows: &[SubmissionReport],
    counts: &Counts,
    columns: Columns,
    style: &Style,
) -> Vec<String> {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(match columns {
            Columns::All => ContentArrangement::Disabled,
            Columns::WithoutSlowestCase => ContentArrangement::Dynamic,
        })
        .set_width(style.width.try_into().unwrap_or(u16::MAX))
        .set_header(header(counts))
        .add_rows(rows.iter().map(|row| cells(row, counts)));
    let slowest_case = counts.counted.len() + 3 + usize::from(counts.scores);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index == slowest_case && columns == Columns::WithoutSlowestCase {
            column.set_constraint(ColumnConstraint::Hidden);
        } else if index == 1 {
            column.set_delimiter('/');
        } else {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// The titles of the columns.
fn header(counts: &Counts) -> Vec<Cell> {
    let mut cells = vec![Cell::new(""), Cell::new("submission")];
    if counts.scores {
        cells.push(right("score"));
    }
    let counted = counts.counted.iter();
    cells.extend(counted.map(|verdict| right(verdict.short())));
    cells.push(right("slowest"));
    cells.push(Cell::new("on"));
    cells.push(right("memory"));
    cells.push(Cell::new("expected"));
    cells
}

/// One row.
fn cells(row: &SubmissionReport, counts: &Counts) -> Vec<Cell> {
    let short = row.verdict.map_or("-", Verdict::short);
    let mut cells = vec![Cell::new(short), Cell::new(printable(&row.name))];
    if counts.scores {
        let score = score_of(row).map_or(String::new(), |score| score.to_string());
        cells.push(right(&score));
    }
    cells.extend(counts.counted.iter().map(|&verdict| match number_of(row, verdict) {
        0 => Cell::new(""),
        number => right(&number.to_string()),
    }));
    let runs = row.test_cases.iter().filter_map(|case| Some((case, case.outcome.as_ref()?)));
    // The first of the cases that took the most CPU time.
    let slowest = runs.clone().rev().max_by_key(|(_, outcome)| outcome.cpu_time);
    let memory = runs.filter_map(|(_, outcome)| outcome.memory()).max();
    cells.push(right(&slowest.map_or(String::new(), |(_, outcome)| seconds(outcome.cpu_time))));
    cells.push(Cell::new(slowest.map_or(String::new(), |(case, _)| printable(&case.test_case))));
    cells.push(right(&memory.map_or(String::new(), |memory| memory.to_string())));
    cells.push(Cell::new(expected(row).0));
    cells
}

/// A cell whose text ends at its right edge.
fn right(text: &str) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// What a submission earned, where that is known.
fn score_of(row: &SubmissionReport) -> Option<Score> {
    row.score.as_ref()?.score
}

/// How many cases have this verdict.
fn number_of(row: &SubmissionReport, verdict: Verdict) -> usize {
    row.test_cases.iter().filter(|case| case.verdict == verdict).count()
}

/// What the last column says of a row, and in which colour.
fn expected(row: &SubmissionReport) -> (String, Look) {
    match (row.verdict, row.broken_expectations.len()) {
        (None, _) => ("judge error".to_owned(), Look::JudgeError),
        (Some(_), 0) => ("ok".to_owned(), Look::Good),
        (Some(_), number) => (format!("{number} broken"), Look::Bad),
    }
}

/// The first line of a row with its first and its last cell in colour. The table is laid out without colours, because
/// their codes would count as text.
fn painted(line: &str, row: &SubmissionReport, style: &Style) -> String {
    let first = row.verdict.map_or("-", Verdict::short);
    let (last, look) = expected(row);
    let start = match row.verdict {
        Some(verdict) => style.paint(Look::Verdict(verdict), first),
        None => first.to_owned(),
    };
    let Some(between) = line.strip_prefix(first).and_then(|it| it.strip_suffix(&*last)) else {
        return line.to_owned();
    };
    format!("{start}{between}{}", style.paint(look, &last))
}
