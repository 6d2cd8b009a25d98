//! Cells in columns: each column is as wide as its widest cell, with two spaces in between.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::report::style::{Style, TextRole};

pub const COLUMN_GAP: usize = 2;

#[derive(Clone, Debug)]
pub struct TableCell {
    pub text: String,
    pub role: TextRole,
    is_right: bool,
}

impl TableCell {
    pub fn left(text: impl Into<String>) -> Self {
        Self { text: text.into(), role: TextRole::Plain, is_right: false }
    }

    pub fn right(text: impl Into<String>) -> Self {
        Self { is_right: true, ..Self::left(text) }
    }

    pub fn with_look(self, role: TextRole) -> Self {
        Self { role, ..self }
    }

    /// A cell of the same column.
    pub fn with_text(&self, text: String) -> Self {
        Self { text, ..self.clone() }
    }

    fn fold(&self, width: usize) -> Vec<Self> {
        let mut parts = vec![String::new()];
        let mut taken = 0;
        for character in self.text.chars() {
            let cells = character.width().unwrap_or(0);
            if taken + cells > width.max(1) && taken > 0 {
                parts.push(String::new());
                taken = 0;
            }
            taken += cells;
            if let Some(part) = parts.last_mut() {
                part.push(character);
            }
        }
        parts.into_iter().map(|text| self.with_text(text)).collect()
    }
}

/// Splits wide cells of a column, so that some rows become several.
pub fn fold_column(rows: Vec<Vec<TableCell>>, column: usize, width: usize) -> Vec<Vec<TableCell>> {
    let folded = |row: Vec<TableCell>| {
        let parts = row[column].fold(width).into_iter().enumerate();
        let rows = parts.map(|(line, part)| {
            let cells = row.iter().enumerate().map(|(at, cell)| match (at == column, line) {
                (true, _) => part.clone(),
                (false, 0) => cell.clone(),
                (false, _) => TableCell::left(""),
            });
            cells.collect()
        });
        rows.collect::<Vec<Vec<TableCell>>>()
    };
    rows.into_iter().flat_map(folded).collect()
}

fn widths(rows: &[Vec<TableCell>]) -> Vec<usize> {
    let mut widths = vec![0; rows.iter().map(Vec::len).max().unwrap_or(0)];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.text.width().max(*width);
        }
    }
    widths
}

/// Text is measured before it is coloured, since colour codes take no room.
pub fn align_columns(rows: &[Vec<TableCell>], style: &Style) -> Vec<String> {
    let widths = widths(rows);
    let line = |row: &Vec<TableCell>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let text = style.paint(cell.role, &cell.text);
            let gap = " ".repeat(width - cell.text.width());
            if cell.is_right { gap + &text } else { text + &gap }
        });
        cells.collect::<Vec<String>>().join(&" ".repeat(COLUMN_GAP)).trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
