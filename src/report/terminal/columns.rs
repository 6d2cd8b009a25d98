//! Cells in columns: each as wide as its widest cell, with two blanks between.

use unicode_width::UnicodeWidthStr;

use crate::report::style::{Look, Style};

/// One cell.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) look: Look,
    /// Whether its text ends at the right edge of the column.
    is_right: bool,
}

impl Cell {
    /// Text at the left edge of its column.
    pub(super) fn left(text: impl Into<String>) -> Self {
        Self { text: text.into(), look: Look::Plain, is_right: false }
    }

    /// Text at the right edge of its column.
    pub(super) fn right(text: impl Into<String>) -> Self {
        Self { is_right: true, ..Self::left(text) }
    }

    /// The same in colour.
    pub(super) fn looking(self, look: Look) -> Self {
        Self { look, ..self }
    }
}

/// How wide each column is.
pub(super) fn widths(rows: &[Vec<Cell>]) -> Vec<usize> {
    let mut widths = vec![0; rows.iter().map(Vec::len).max().unwrap_or(0)];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.text.width().max(*width);
        }
    }
    widths
}

/// One line a row. Text is measured before it is painted, since the codes of colours take no room.
pub(super) fn columns(rows: &[Vec<Cell>], style: &Style) -> Vec<String> {
    let widths = widths(rows);
    let line = |row: &Vec<Cell>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let text = style.paint(cell.look, &cell.text);
            let gap = " ".repeat(width - cell.text.width());
            if cell.is_right { gap + &text } else { text + &gap }
        });
        cells.collect::<Vec<String>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
