//! Translates tables.

use std::collections::HashMap;
use std::iter;
use std::ops::Range;
use std::rc::Rc;

use crate::statement::latex::scanner::{LatexScanner, LatexToken, SearchBudget};
use crate::statement::latex::symbols::ignored_arguments;
use crate::statement::latex::{COMMANDS_HELP, LatexTranslator};

/// What `*{9999}{c}` may make.
const MOST_COLUMNS: usize = 1000;

struct TableCell {
    content: Range<usize>,
    /// What follows the arguments of `\multicolumn`.
    rest: Range<usize>,
    columns: usize,
    rows: usize,
}

impl LatexTranslator<'_, '_> {
    /// The last of the arguments has the columns.
    pub(super) fn table(&mut self, body: Range<usize>, forms: &str) {
        let text = Rc::clone(&self.text);
        let mut scanner = LatexScanner::new(&text, body, &self.search_budget);
        let columns = scanner.arguments(forms).pop().unwrap_or_default();
        let (letters, has_texts) = column_letters(&text[columns.clone()]);
        if has_texts {
            self.add_remark(columns, "the texts between columns are left out", COMMANDS_HELP);
        }
        let body = scanner.remaining_range();
        let has_lines = letters.contains('|') || text[body.clone()].contains("\\hline");
        let columns = alignments(&letters);
        let mut rows = String::new();
        // For each column, the number of further rows that a cell covers.
        let mut rows_below: HashMap<usize, usize> = HashMap::new();
        let is_end = |token: &LatexToken<'_>| {
            matches!(token, LatexToken::Command("\\" | "tabularnewline" | "cr"))
        };
        for row in self.split_at(body, is_end) {
            let row = self.without_rules(row);
            if text[row.clone()].trim().is_empty() {
                continue;
            }
            let mut cells = String::new();
            let mut column = 0;
            for cell in self.split_at(row, |token| *token == LatexToken::Cell) {
                let TableCell { content, rest, columns: wide, rows: high } =
                    self.cell(cell.clone());
                if let Some(covered) = rows_below.get_mut(&column).filter(|covered| **covered > 0) {
                    *covered -= 1;
                    column += 1;
                    if !text[cell.clone()].trim().is_empty() {
                        let message = "a cell below a `\\multirow` is left out";
                        self.add_remark(cell, message, COMMANDS_HELP);
                    }
                    continue;
                }
                let align = columns.get(column).copied().unwrap_or("left");
                let span = |name: &str, number: usize| match number {
                    0 | 1 => String::new(),
                    number => format!(" {name}=\"{number}\""),
                };
                let inner = self.inline(content) + &self.inline(rest);
                let (colspan, rowspan) = (span("colspan", wide), span("rowspan", high));
                cells.push_str(&format!(
                    "<td style=\"text-align:{align}\"{colspan}{rowspan}>{inner}</td>"
                ));
                (column..column + wide).for_each(|column| {
                    rows_below.insert(column, high.saturating_sub(1));
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
        while let Some((token, _)) = scanner.next() {
            match token {
                LatexToken::Space | LatexToken::Paragraph => {}
                LatexToken::Command(name) => {
                    let Some(forms) = ignored_arguments(name) else { break };
                    scanner.arguments(forms);
                    start = scanner.remaining_range().start;
                }
                _ => break,
            }
        }
        start.min(row.end)..row.end
    }

    fn cell(&self, cell: Range<usize>) -> TableCell {
        let mut scanner = LatexScanner::new(&self.text, cell.clone(), &self.search_budget);
        let mut tokens = iter::from_fn(|| Some(scanner.next()?.0));
        let first = tokens.find(|token| *token != LatexToken::Space);
        let number = |range: Range<usize>| self.text[range].trim().parse().unwrap_or(1).min(100);
        let forms = match first {
            Some(LatexToken::Command("multicolumn" | "multicol")) => "mmm",
            Some(LatexToken::Command("multirow")) => "omomom",
            _ => {
                let rest = cell.end..cell.end;
                return TableCell { content: cell, rest, columns: 1, rows: 1 };
            }
        };
        let mut arguments = scanner.arguments(forms);
        let content = arguments.pop().unwrap_or_default();
        let number = number(arguments.swap_remove(0));
        let (columns, rows) = if forms == "mmm" { (number, 1) } else { (1, number) };
        TableCell { content, rest: scanner.remaining_range(), columns, rows }
    }
}

/// The columns of `|l|*{2}{c}|p{5cm}|`, as `|l|cc|l|`, and whether texts stand between columns: `@{ to }`.
pub(super) fn column_letters(columns: &str) -> (String, bool) {
    let budget = SearchBudget::for_text(columns);
    let mut scanner = LatexScanner::new(columns, 0..columns.len(), &budget);
    let (mut letters, mut has_texts) = (String::new(), false);
    while let Some((token, _)) = scanner.next() {
        let LatexToken::Text(signs) = token else { continue };
        let last = signs.chars().next_back();
        for sign in signs.chars() {
            match sign {
                'c' | 'r' | 'l' | '|' => letters.push(sign),
                'p' | 'm' | 'b' | 'X' | 'L' => letters.push('l'),
                'C' => letters.push('c'),
                'R' => letters.push('r'),
                _ => {}
            }
        }
        match last {
            Some('*') => {
                let times = columns[scanner.argument()].trim().parse().unwrap_or(1_usize);
                let inner = &columns[scanner.argument()];
                // One in another is not supported.
                let is_simple = !inner.contains('*');
                let (repeated, has) = column_letters(if is_simple { inner } else { "" });
                letters.push_str(&repeated.repeat(times.min(MOST_COLUMNS / repeated.len().max(1))));
                has_texts |= has || !is_simple;
            }
            Some('@' | '!') => {
                let between = &columns[scanner.argument()];
                has_texts |= !between.contains('\\') && !between.trim().is_empty();
            }
            Some('>' | '<') => drop(scanner.argument()),
            _ => {}
        }
    }
    (letters, has_texts)
}

fn alignments(columns: &str) -> Vec<&'static str> {
    let align = columns.chars().filter_map(|letter| match letter {
        'c' => Some("center"),
        'r' => Some("right"),
        'l' => Some("left"),
        _ => None,
    });
    align.collect()
}
