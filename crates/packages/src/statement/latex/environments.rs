//! Environments: lists, figures, quotes and the sections of the format.

use std::ops::Range;
use std::rc::Rc;

use crate::statement::html::escape;
use crate::statement::latex::scanner::{LatexScanner, LatexToken, VERBATIM_ENVIRONMENTS};
use crate::statement::latex::{COMMANDS_HELP, LatexTranslator};

impl LatexTranslator<'_, '_> {
    pub(super) fn environment(&mut self, name: &str, body: Range<usize>, at: Range<usize>) {
        let words = self.scope.words;
        match name.trim_end_matches('*') {
            "Input" => self.section(words.input, body),
            "Output" => self.section(words.output, body),
            "Interaction" => self.section(words.interaction, body),
            "problem" => self.polygon_problem(body),
            "example" => self.translate_range(body),
            "itemize" => self.list("ul", body),
            "enumerate" => self.list("ol", body),
            "description" => self.list("ul", body),
            "tabular" => self.table(body, 1),
            "tabularx" => self.table(body, 2),
            name if VERBATIM_ENVIRONMENTS.contains(&name) => self.verbatim(body),
            "quote" | "quotation" => self.wrap("blockquote", "", body),
            "center" | "centering" => self.wrap("div", "center", body),
            "flushright" => self.wrap("div", "right", body),
            "flushleft" => self.wrap("div", "", body),
            "figure" | "table" => self.wrap("figure", "", self.after_arguments(body, 0)),
            "wrapfigure" => {
                self.wrap("figure", "illustration", self.after_arguments(body, 2));
            }
            "minipage" => self.wrap("div", "", self.after_arguments(body, 1)),
            _ => {
                let message = format!("the environment `{name}` is unknown; its text is kept");
                self.add_remark(at, message, COMMANDS_HELP);
                self.translate_range(body);
            }
        }
    }

    fn after_arguments(&self, body: Range<usize>, arguments: usize) -> Range<usize> {
        let mut scanner = LatexScanner::new(&self.text, body, &self.search_budget);
        scanner.option();
        for _ in 0..arguments {
            scanner.argument();
        }
        scanner.remaining_range()
    }

    /// Polygon's environment: the title, the files that programs read and write, and the limits; then the statement.
    fn polygon_problem(&mut self, body: Range<usize>) {
        let text = Rc::clone(&self.text);
        let mut scanner = LatexScanner::new(&text, body, &self.search_budget);
        let title = scanner.argument();
        for _ in 0..4 {
            scanner.argument();
        }
        let title = self.inline(title);
        self.title = Some(title).filter(|title| !title.is_empty());
        self.translate_range(scanner.remaining_range());
    }

    fn section(&mut self, title: &str, body: Range<usize>) {
        self.writer.push_section_title(title);
        self.translate_range(body);
        self.writer.end_paragraph();
    }

    fn wrap(&mut self, tag: &str, class: &str, body: Range<usize>) {
        let inner = self.block(body);
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.writer.push_block(&format!("<{tag}{class}>\n{inner}</{tag}>"));
    }

    fn verbatim(&mut self, body: Range<usize>) {
        let text = &self.text[body];
        // Skips the options of a listing, and the rest of the line of `\begin`.
        let text = match text.strip_prefix('[').and_then(|text| text.split_once(']')) {
            Some((_, text)) => text,
            None => text,
        };
        let text = text.strip_prefix('\n').unwrap_or(text);
        let html = format!("<pre>{}</pre>", escape(text.trim_end()));
        self.writer.push_block(&html);
    }

    fn list(&mut self, tag: &str, body: Range<usize>) {
        let parts = self.split_at_command(body, "item");
        let mut items = String::new();
        // Text before the first item is options.
        for part in parts.into_iter().skip(1) {
            let text = Rc::clone(&self.text);
            let mut scanner = LatexScanner::new(&text, part, &self.search_budget);
            let label = scanner.option();
            let label = label.map(|label| format!("<strong>{}</strong> ", self.inline(label)));
            let inner = self.block(scanner.remaining_range());
            let alone = inner.strip_prefix("<p>").and_then(|inner| inner.strip_suffix("</p>\n"));
            let inner = alone.filter(|inner| !inner.contains("<p>")).unwrap_or(&inner);
            items.push_str(&format!("<li>{}{inner}</li>\n", label.unwrap_or_default()));
        }
        self.writer.push_block(&format!("<{tag}>\n{items}</{tag}>"));
    }

    /// Ignores commands in groups and environments.
    pub(super) fn split_at_command(&self, range: Range<usize>, name: &str) -> Vec<Range<usize>> {
        self.split_at(range, |token| *token == LatexToken::Command(name))
    }

    pub(super) fn split_at(
        &self,
        range: Range<usize>,
        is_between: impl Fn(&LatexToken<'_>) -> bool,
    ) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = range.start;
        let mut scanner = LatexScanner::new(&self.text, range.clone(), &self.search_budget);
        while let Some((token, at)) = scanner.next() {
            if is_between(&token) {
                parts.push(start..at.start);
                start = at.end;
            }
        }
        parts.push(start..range.end);
        parts
    }
}
