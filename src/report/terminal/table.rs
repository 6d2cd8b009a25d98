//! All submissions of a package in one table, a row each.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthStr;

use crate::model::judgement::CaseJudgement;
use crate::model::report::SubmissionReport;
use crate::model::score::Score;
use crate::model::text::printable;
use crate::model::units::seconds;
use crate::model::verdict::Verdict;
use crate::report::style::{Look, Style};

/// What the last column says where all expectations hold.
const OK: &str = "ok";

/// What the last column says where the judge failed.
const JUDGE_ERROR: &str = "judge error";

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
    let lines: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(index, line)| match index {
            0 => style.paint(Look::Dim, line),
            _ => painted(line, style),
        })
        .collect();
    lines.join("\n") + "\n\n"
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
    let slowest = slowest(row);
    let memory = row.test_cases.iter().map(|case| case.outcome.peak_memory).max();
    cells.push(right(&slowest.map_or(String::new(), |case| seconds(case.outcome.cpu_time))));
    cells.push(Cell::new(slowest.map_or(String::new(), |case| printable(&case.test_case))));
    cells.push(right(&memory.map_or(String::new(), |memory| memory.to_string())));
    cells.push(Cell::new(match (row.verdict, row.broken_expectations.len()) {
        (None, _) => JUDGE_ERROR.to_owned(),
        (Some(_), 0) => OK.to_owned(),
        (Some(_), number) => format!("{number} broken"),
    }));
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

/// The first of the cases that took the most CPU time.
fn slowest(row: &SubmissionReport) -> Option<&CaseJudgement> {
    row.test_cases.iter().rev().max_by_key(|case| case.outcome.cpu_time)
}

/// The line with its verdict and its last word in colour. The table is laid out without colours,
/// because their codes would count as text.
fn painted(line: &str, style: &Style) -> String {
    let mut line = line.to_owned();
    for (end, look) in [(OK, Look::Good), ("broken", Look::Bad), (JUDGE_ERROR, Look::JudgeError)] {
        if let Some(start) = line.strip_suffix(end).filter(|rest| rest.ends_with(' ')) {
            line = format!("{start}{}", style.paint(look, end));
            break;
        }
    }
    for verdict in Verdict::ALL {
        let short = verdict.short();
        if let Some(rest) = line.strip_prefix(short).filter(|rest| rest.starts_with(' ')) {
            return format!("{}{rest}", style.paint(Look::Verdict(verdict), short));
        }
    }
    line
}
