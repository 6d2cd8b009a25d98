//! The inputs and bounds of a grammar.

use crate::model::grammar::{Bound, Reached, ValueBounds};
use crate::model::text::printable;
use crate::report::style::Style;
use crate::report::terminal::columns::{Cell, columns};

/// One line for each command that reads numbers: its bounds, and which of them inputs reach.
pub(super) fn bounds(all: &[ValueBounds], style: &Style) -> String {
    let row = |bounds: &ValueBounds| {
        let range = format!("{} to {}", bound(&bounds.min), bound(&bounds.max));
        let reached = bounds.reached.as_ref().map(|reached| seen(bounds, reached));
        [printable(&bounds.name), range, reached.unwrap_or_default()].map(Cell::left).into()
    };
    let rows: Vec<Vec<Cell>> = all.iter().map(row).collect();
    columns(&rows, style).iter().map(|line| format!("{line}\n")).collect()
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
