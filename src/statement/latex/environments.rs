//! Environments: lists, figures, quotes and the sections of the format.

use std::ops::Range;
use std::rc::Rc;

use crate::model::html::escape;
use crate::statement::latex::scanner::{Scanner, Token, VERBATIM};
use crate::statement::latex::{HELP, Translator};

impl Translator<'_, '_> {
    pub(super) fn environment(&mut self, name: &str, body: Range<usize>, at: Range<usize>) {
        let words = self.scope.words;
        match name.trim_end_matches('*') {
            "Input" => self.section(words.input, body),
            "Output" => self.section(words.output, body),
            "Interaction" => self.section(words.interaction, body),
            "problem" => self.problem(body),
            "example" => self.range(body),
            "itemize" => self.list("ul", body),
            "enumerate" => self.list("ol", body),
            "description" => self.list("ul", body),
            "tabular" => self.table(body, 1),
            "tabularx" => self.table(body, 2),
            name if VERBATIM.contains(&name) => self.verbatim(body),
            "quote" | "quotation" => self.around("blockquote", "", body),
            "center" | "centering" => self.around("div", "center", body),
            "flushright" => self.around("div", "right", body),
            "flushleft" => self.around("div", "", body),
            "figure" | "table" => self.around("figure", "", self.behind_arguments(body, 0)),
            "wrapfigure" => {
                self.around("figure", "illustration", self.behind_arguments(body, 2));
            }
            "minipage" => self.around("div", "", self.behind_arguments(body, 1)),
            _ => {
                let message = format!("the environment `{name}` is unknown; its text is kept");
                self.remark(at, message, HELP);
                self.range(body);
            }
        }
    }

    fn behind_arguments(&self, body: Range<usize>, arguments: usize) -> Range<usize> {
        let mut scanner = Scanner::new(&self.text, body, &self.ahead);
        scanner.option();
        for _ in 0..arguments {
            scanner.argument();
        }
        scanner.left()
    }

    /// Polygon's environment: the title, the files that programs read and write, and the limits; then the statement.
    fn problem(&mut self, body: Range<usize>) {
        let text = Rc::clone(&self.text);
        let mut scanner = Scanner::new(&text, body, &self.ahead);
        let title = scanner.argument();
        for _ in 0..4 {
            scanner.argument();
        }
        let title = self.inline(title);
        self.title = Some(title).filter(|title| !title.is_empty());
        self.range(scanner.left());
    }

    fn section(&mut self, title: &str, body: Range<usize>) {
        self.writer.section(title);
        self.range(body);
        self.writer.paragraph();
    }

    fn around(&mut self, tag: &str, class: &str, body: Range<usize>) {
        let inner = self.block(body);
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.writer.block(&format!("<{tag}{class}>\n{inner}</{tag}>"));
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
        self.writer.block(&html);
    }

    fn list(&mut self, tag: &str, body: Range<usize>) {
        let parts = self.parts(body, "item");
        let mut items = String::new();
        // Text before the first item is options.
        for part in parts.into_iter().skip(1) {
            let text = Rc::clone(&self.text);
            let mut scanner = Scanner::new(&text, part, &self.ahead);
            let label = scanner.option();
            let label = label.map(|label| format!("<strong>{}</strong> ", self.inline(label)));
            let inner = self.block(scanner.left());
            let alone = inner.strip_prefix("<p>").and_then(|inner| inner.strip_suffix("</p>\n"));
            let inner = alone.filter(|inner| !inner.contains("<p>")).unwrap_or(&inner);
            items.push_str(&format!("<li>{}{inner}</li>\n", label.unwrap_or_default()));
        }
        self.writer.block(&format!("<{tag}>\n{items}</{tag}>"));
    }

    /// Ignores commands in groups and environments.
    pub(super) fn parts(&self, range: Range<usize>, name: &str) -> Vec<Range<usize>> {
        self.split(range, |token| *token == Token::Command(name))
    }

    pub(super) fn split(
        &self,
        range: Range<usize>,
        is_between: impl Fn(&Token<'_>) -> bool,
    ) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = range.start;
        let mut scanner = Scanner::new(&self.text, range.clone(), &self.ahead);
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
