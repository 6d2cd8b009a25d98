//! Translates tables.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::statement::latex::LatexTranslator;
use crate::statement::latex::scanner::{LatexScanner, LatexToken};

struct TableCell {
    content: Range<usize>,
    columns: usize,
    rows: usize,
}

impl LatexTranslator<'_, '_> {
    /// The last of `arguments` arguments has the columns.
    pub(super) fn table(&mut self, body: Range<usize>, arguments: usize) {
        let text = Rc::clone(&self.text);
        let mut scanner = LatexScanner::new(&text, body, &self.search_budget);
        scanner.option();
        let mut columns = 0..0;
        for _ in 0..arguments {
            columns = scanner.argument();
        }
        let columns = &text[columns];
        let body = scanner.remaining_range();
        let has_lines = columns.contains('|') || text[body.clone()].contains("\\hline");
        let columns = alignments(columns);
        let mut rows = String::new();
        // For each column, the number of further rows that a cell covers.
        let mut taken: HashMap<usize, usize> = HashMap::new();
        for row in self.split_at_command(body, "\\") {
            let row = self.without_rules(row);
            if text[row.clone()].trim().is_empty() {
                continue;
            }
            let mut cells = String::new();
            let mut column = 0;
            for cell in self.split_at(row, |token| *token == LatexToken::Cell) {
                let TableCell { content, columns: wide, rows: high } = self.cell(cell);
                if let Some(covered) = taken.get_mut(&column).filter(|covered| **covered > 0) {
                    *covered -= 1;
                    column += 1;
                    continue;
                }
                let align = columns.get(column).copied().unwrap_or("left");
                let span = |name: &str, number: usize| match number {
                    0 | 1 => String::new(),
                    number => format!(" {name}=\"{number}\""),
                };
                let inner = self.inline(content);
                let (colspan, rowspan) = (span("colspan", wide), span("rowspan", high));
                cells.push_str(&format!(
                    "<td style=\"text-align:{align}\"{colspan}{rowspan}>{inner}</td>"
                ));
                (column..column + wide).for_each(|column| {
                    taken.insert(column, high.saturating_sub(1));
                });
                column += wide;
            }
            rows.push_str(&format!("<tr>{cells}</tr>\n"));
        }
        let class = if has_lines { "" } else { " class=\"plain\"" };
        self.writer.push_block(&format!("<table{class}>\n{rows}</table>"));
    }

    fn without_rules(&self, row: Range<usize>) -> Range<usize> {
        let mut scanner = LatexScanner::new(&self.text, row.clone(), &self.search_budget);
        let mut start = row.start;
        while let Some((token, at)) = scanner.next() {
            match token {
                LatexToken::Space | LatexToken::Paragraph => {}
                LatexToken::Command("hline" | "toprule" | "midrule" | "bottomrule") => {
                    start = at.end
                }
                LatexToken::Command("cline" | "cmidrule") => start = scanner.argument().end + 1,
                _ => break,
            }
        }
        start.min(row.end)..row.end
    }

    fn cell(&self, cell: Range<usize>) -> TableCell {
        let mut scanner = LatexScanner::new(&self.text, cell.clone(), &self.search_budget);
        let first = loop {
            match scanner.next() {
                Some((LatexToken::Space, _)) => {}
                Some((token, _)) => break Some(token),
                None => break None,
            }
        };
        let number = |range: Range<usize>| self.text[range].trim().parse().unwrap_or(1).min(100);
        match first {
            Some(LatexToken::Command("multicolumn" | "multicol")) => {
                let columns = number(scanner.argument());
                scanner.argument();
                TableCell { content: scanner.argument(), columns, rows: 1 }
            }
            Some(LatexToken::Command("multirow")) => {
                scanner.option();
                let rows = number(scanner.argument());
                scanner.argument();
                TableCell { content: scanner.argument(), columns: 1, rows }
            }
            _ => TableCell { content: cell, columns: 1, rows: 1 },
        }
    }
}

/// `columns` is such as `|l|c|p{5cm}|`.
fn alignments(columns: &str) -> Vec<&'static str> {
    let mut align = Vec::new();
    let mut depth = 0_usize;
    for sign in columns.chars() {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            'c' if depth == 0 => align.push("center"),
            'r' if depth == 0 => align.push("right"),
            'l' | 'p' | 'm' | 'b' | 'X' if depth == 0 => align.push("left"),
            _ => {}
        }
    }
    align
}
