//! What is said of a grammar's inputs and bounds.

use unicode_width::UnicodeWidthStr;

use crate::model::grammar::{Bound, Reached, ValueBounds};
use crate::model::text::printable;

/// A line for each value that a grammar reads: its bounds, what inputs reach, which bound none reaches.
pub(super) fn bounds(all: &[ValueBounds]) -> String {
    let rows: Vec<[String; 3]> = all.iter().map(row).collect();
    let widths: Vec<usize> = (0..2)
        .map(|column| {
            let widths = rows.iter().map(|row| row[column].width());
            widths.max().unwrap_or(0)
        })
        .collect();
    rows.iter()
        .map(|row| {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(cell);
                line.push_str(&" ".repeat(width - cell.width() + 2));
            }
            line.push_str(&row[2]);
            format!("{}\n", line.trim_end())
        })
        .collect()
}

fn row(bounds: &ValueBounds) -> [String; 3] {
    let range = format!("{} to {}", bound(&bounds.min), bound(&bounds.max));
    [
        printable(&bounds.name),
        range,
        bounds.reached.as_ref().map_or_else(String::new, |reached| seen(bounds, reached)),
    ]
}

fn bound(bound: &Bound) -> String {
    let written = printable(&bound.written);
    match &bound.value {
        Some(value) if *value != bound.written => format!("{written} ({value})"),
        _ => written,
    }
}

fn seen(bounds: &ValueBounds, reached: &Reached) -> String {
    let seen = match (&reached.least, &reached.greatest) {
        (Some(least), Some(greatest)) => format!("has {least} to {greatest}"),
        _ => String::new(),
    };
    match bounds.missed() {
        None => seen,
        Some(missed) if seen.is_empty() => missed,
        Some(missed) => format!("{seen}: {missed}"),
    }
}
