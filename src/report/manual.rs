//! A page of the documentation as plain text, as wide as the terminal.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

use crate::report::style::filled;

/// The maximum width of text, however wide the terminal is.
const WIDEST: usize = 100;
/// The minimum width.
const NARROWEST: usize = 40;

/// The text of a page. `page_of` returns how to reach another page from the terminal.
pub fn text(markdown: &str, width: usize, page_of: &dyn Fn(&str) -> Option<String>) -> String {
    let width = width.clamp(NARROWEST, WIDEST);
    let mut writer = Writer {
        width,
        text: String::new(),
        line: String::new(),
        indents: Vec::new(),
        link: None,
        is_code: false,
        table: Vec::new(),
        page_of,
    };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        writer.event(event);
    }
    format!("{}\n", writer.text.trim_end())
}

struct Writer<'a> {
    width: usize,
    text: String,
    /// The current paragraph, cell or heading.
    line: String,
    /// For each list around the text: the number of the next item, if items are numbered.
    indents: Vec<Option<u64>>,
    /// The target of the current link.
    link: Option<String>,
    is_code: bool,
    /// The rows of the current table.
    table: Vec<Vec<String>>,
    page_of: &'a dyn Fn(&str) -> Option<String>,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) if self.is_code => {
                for line in text.lines() {
                    self.text.push_str(format!("    {line}").trim_end());
                    self.text.push('\n');
                }
            }
            Event::Text(text) => self.line.push_str(&text),
            Event::Code(text) => self.line.push_str(&format!("`{text}`")),
            Event::SoftBreak | Event::HardBreak => self.line.push(' '),
            Event::Start(Tag::CodeBlock(_)) => {
                self.paragraph();
                self.is_code = true;
            }
            Event::End(TagEnd::CodeBlock) => {
                self.is_code = false;
                self.text.push('\n');
            }
            Event::Start(Tag::List(number)) => {
                self.paragraph();
                self.indents.push(number);
            }
            Event::End(TagEnd::List(_)) => {
                self.indents.pop();
                if self.indents.is_empty() {
                    self.text.push('\n');
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => self.link = Some(dest_url.into_string()),
            Event::End(TagEnd::Link) => self.end_link(),
            Event::Start(Tag::Heading { .. }) => self.paragraph(),
            Event::End(TagEnd::Heading(_)) => {
                let title = std::mem::take(&mut self.line);
                self.text.push_str(&format!("{title}\n{}\n\n", "─".repeat(title.width())));
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item) => self.paragraph(),
            Event::Start(Tag::TableRow | Tag::TableHead) => self.table.push(Vec::new()),
            Event::End(TagEnd::TableCell) => {
                let cell = std::mem::take(&mut self.line);
                self.table.last_mut().into_iter().for_each(|row| row.push(cell.clone()));
            }
            Event::End(TagEnd::Table) => self.end_table(),
            _ => {}
        }
    }

    /// Ends the current paragraph or item.
    fn paragraph(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.trim().is_empty() {
            return;
        }
        let depth = self.indents.len();
        let mark = match self.indents.last_mut() {
            None => String::new(),
            Some(None) => "- ".to_owned(),
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
        };
        let first = "  ".repeat(depth.saturating_sub(1)) + &mark;
        let next = " ".repeat(first.width());
        for (at, line) in wrap(&line, self.width - first.width()).into_iter().enumerate() {
            let indent = if at == 0 { &first } else { &next };
            self.text.push_str(&format!("{indent}{line}\n"));
        }
        if depth == 0 {
            self.text.push('\n');
        }
    }

    /// Adds the target of a link, unless its text shows it.
    fn end_link(&mut self) {
        let Some(link) = self.link.take() else { return };
        if let Some(page) = (self.page_of)(&link) {
            self.line.push_str(&format!(" ({page})"));
        } else if link.starts_with("http") && !self.line.ends_with(&link) {
            self.line.push_str(&format!(" <{link}>"));
        }
    }

    /// A table in columns if it fits; otherwise each row's first cell with the others below it.
    fn end_table(&mut self) {
        let rows = std::mem::take(&mut self.table);
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
        let widths: Vec<usize> = (0..columns)
            .map(|column| rows.iter().map(|row| cell(row, column).width()).max().unwrap_or(0))
            .collect();
        let fits = widths.iter().sum::<usize>() + 2 * columns <= self.width;
        let last = columns.saturating_sub(1);
        // Wraps the last column, if the other columns leave room for it.
        let before: usize = widths[..last].iter().map(|width| width + 2).sum();
        let (head, body) =
            rows.split_first().map_or((&[][..], &[][..]), |(head, body)| (&head[..], body));
        if fits || before + 36 <= self.width {
            for row in &rows {
                let mut start = String::new();
                for (column, width) in widths[..last].iter().enumerate() {
                    let cell = cell(row, column);
                    start.push_str(&format!("{cell}{}  ", " ".repeat(width - cell.width())));
                }
                for (at, line) in
                    wrap(&cell(row, last), self.width - before).into_iter().enumerate()
                {
                    let start = if at == 0 { start.clone() } else { " ".repeat(before) };
                    self.text.push_str(&format!("{start}{line}"));
                    self.text.truncate(self.text.trim_end().len());
                    self.text.push('\n');
                }
            }
        } else {
            for row in body {
                for (column, value) in row.iter().enumerate().filter(|(_, value)| !value.is_empty())
                {
                    let head = cell(head, column);
                    let label = if column == 0 || head.is_empty() {
                        String::new()
                    } else {
                        format!("{head}: ")
                    };
                    let indent = if column == 0 { "" } else { "    " };
                    for line in wrap(&format!("{label}{value}"), self.width - indent.len()) {
                        self.text.push_str(&format!("{indent}{line}\n"));
                    }
                }
            }
        }
        self.text.push('\n');
    }
}

/// Lines of at most this width, if no word is longer. An empty text gives one line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    filled(text.split_whitespace(), width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, width: usize, expected: &str) {
        let page_of = |link: &str| (link == "a.md").then(|| "juror help a".to_owned());
        assert_eq!(text(markdown, width, &page_of), expected);
    }

    #[test]
    fn markdown_is_text_as_wide_as_the_terminal() {
        check("# One\n\nTwo `three` *four*.\n", 60, "One\n───\n\nTwo `three` four.\n");
        check(
            "A [page](a.md) and [the web](https://b.example), and words that go on.\n",
            40,
            "A page (juror help a) and the web\n<https://b.example>, and words that go\non.\n",
        );
        check("- a\n- b\n  1. c\n  2. d\n", 60, "- a\n- b\n  1. c\n  2. d\n");
        check("```sh\njuror  judge\n\nx\n```\n", 60, "    juror  judge\n\n    x\n");
    }

    #[test]
    fn a_table_too_wide_for_columns_is_a_list() {
        let table =
            "| key | type | meaning |\n|---|---|---|\n| a | text | it says a |\n| bc | | two |\n";
        check(table, 80, "key  type  meaning\na    text  it says a\nbc         two\n");
        let long = table.replace("text", "a list of texts, or a map from names to them");
        check(
            &long,
            40,
            "a\n    type: a list of texts, or a map from\n    names to them\n    meaning: it says a\nbc\n    meaning: two\n",
        );
    }
}
