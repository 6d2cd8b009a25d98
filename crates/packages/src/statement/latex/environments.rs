//! Environments: lists, figures, quotes and the sections of the format.

use std::ops::Range;
use std::rc::Rc;

use crate::statement::html::escape;
use crate::statement::latex::scanner::{LatexScanner, LatexToken, VERBATIM_ENVIRONMENTS};
use crate::statement::latex::{COMMANDS_HELP, IMAGE_HELP, LatexTranslator};

const FORMULA_ENVIRONMENTS: &str =
    "equation align eqnarray gather multline displaymath math alignat flalign xalignat xxalignat";

/// What the numbers of a list are, and their type in HTML.
const NUMBERS: [(&str, &str); 5] =
    [("\\alph", "a"), ("\\Alph", "A"), ("\\roman", "i"), ("\\Roman", "I"), ("\\arabic", "1")];

impl LatexTranslator<'_, '_> {
    pub(super) fn environment(&mut self, name: &str, body: Range<usize>, at: Range<usize>) {
        let words = self.scope.words;
        let plain = name.trim_end_matches('*');
        if FORMULA_ENVIRONMENTS.split(' ').any(|known| known == plain) {
            let text = Rc::clone(&self.text);
            return match name {
                "math" | "displaymath" => self.formula(&text[body], name != "math", at),
                _ => self.formula(&text[at.clone()], true, at),
            };
        }
        if let Some((_, forms)) = VERBATIM_ENVIRONMENTS.iter().find(|(known, _)| *known == name) {
            let inner = self.after_arguments(body.clone(), forms);
            if self.text[body.start..inner.start].contains("caption") {
                self.add_remark(body, "the caption of a listing is left out", COMMANDS_HELP);
            }
            return self.verbatim(inner);
        }
        match name {
            "Input" => self.section(words.input, body),
            "Output" => self.section(words.output, body),
            "Interaction" => self.section(words.interaction, body),
            "problem" => self.polygon_problem(body),
            "example" => self.translate_range(body),
            "itemize" | "itemize*" | "description" | "description*" => self.list("ul", body),
            "enumerate" | "enumerate*" => self.list("ol", body),
            "tabular" => self.table(body, "om"),
            "tabular*" | "tabularx" | "tabulary" => self.table(body, "mom"),
            "quote" | "quotation" => self.wrap("blockquote", "", body),
            "center" | "centering" => self.wrap("div", "center", body),
            "flushright" => self.wrap("div", "right", body),
            "flushleft" => self.wrap("div", "", body),
            "figure" | "table" | "figure*" | "table*" => self.figure("", "o", body),
            "wrapfigure" => self.figure("illustration", "omom", body),
            "minipage" => self.wrap("div", "", self.after_arguments(body, "ooom")),
            "tikzpicture" | "picture" => {
                let message = format!("a page cannot show `{name}`; it is shown as written");
                self.add_remark(at, message, IMAGE_HELP);
                self.verbatim(body);
            }
            _ => {
                let message = format!("the environment `{name}` is unknown; its text is kept");
                self.add_remark(at, message, COMMANDS_HELP);
                self.push_source(&format!("\\begin{{{name}}}"));
                self.translate_range(body);
                self.push_source(&format!("\\end{{{name}}}"));
            }
        }
    }

    fn after_arguments(&self, body: Range<usize>, forms: &str) -> Range<usize> {
        let mut scanner = LatexScanner::new(&self.text, body, &self.search_budget);
        scanner.arguments(forms);
        scanner.remaining_range()
    }

    fn figure(&mut self, class: &str, forms: &str, body: Range<usize>) {
        self.label_number = None;
        self.wrap("figure", class, self.after_arguments(body, forms));
        self.label_number = None;
    }

    /// Polygon's environment: the title, the files that programs read and write, and the limits; then the statement.
    fn polygon_problem(&mut self, body: Range<usize>) {
        let text = Rc::clone(&self.text);
        let mut scanner = LatexScanner::new(&text, body, &self.search_budget);
        let range = scanner.argument();
        for _ in 0..4 {
            scanner.argument();
        }
        let title = self.inline(range);
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
        let text = text.strip_prefix('\n').unwrap_or(text);
        let html = format!("<pre>{}</pre>", escape(text.trim_end()));
        self.writer.push_block(&html);
    }

    fn list(&mut self, tag: &str, body: Range<usize>) {
        let outer = self.item_number.take();
        let mut parts = self.split_at_command(body, "item").into_iter();
        let attributes = parts.next().map(|before| self.list_attributes(tag, before));
        let mut items = String::new();
        for part in parts {
            let text = Rc::clone(&self.text);
            let mut scanner = LatexScanner::new(&text, part, &self.search_budget);
            let number = self.item_number.take().filter(|_| tag == "ol");
            let number = number.map(|number| format!(" value=\"{number}\"")).unwrap_or_default();
            let label = scanner.option();
            // A label is instead of a number.
            let class = if label.is_some() { " class=\"labelled\"" } else { "" };
            let label = label.map(|label| format!("<strong>{}</strong> ", self.inline(label)));
            let inner = self.block(scanner.remaining_range());
            let alone = inner.strip_prefix("<p>").and_then(|inner| inner.strip_suffix("</p>\n"));
            let inner = alone.filter(|inner| !inner.contains("<p>")).unwrap_or(&inner);
            let label = label.unwrap_or_default();
            items.push_str(&format!("<li{class}{number}>{label}{inner}</li>\n"));
        }
        let attributes = attributes.unwrap_or_default();
        self.writer.push_block(&format!("<{tag}{attributes}>\n{items}</{tag}>"));
        self.item_number = outer;
    }

    /// `before`: what stands before the first item.
    fn list_attributes(&mut self, tag: &str, before: Range<usize>) -> String {
        let text = Rc::clone(&self.text);
        let mut scanner = LatexScanner::new(&text, before, &self.search_budget);
        let mut attributes = String::new();
        if let Some(options) = scanner.option().filter(|_| tag == "ol") {
            for option in text[options.clone()].split(',').map(str::trim) {
                match list_attribute(option) {
                    Some(attribute) => attributes.push_str(&attribute),
                    None => {
                        let message = format!("the option `{option}` of a list is left out");
                        self.add_remark(options.clone(), message, COMMANDS_HELP);
                    }
                }
            }
        }
        let before = self.block(scanner.remaining_range());
        if !before.is_empty() {
            self.writer.push_block(&before);
        }
        attributes
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

/// The attribute for an option such as `start=4`, `label=(\alph*)` or `a)`; `None` if it has an effect that a page
/// cannot show.
fn list_attribute(option: &str) -> Option<String> {
    let kind =
        |label: &str| NUMBERS.iter().find(|(name, sign)| label.contains(name) || label == *sign);
    match option.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
        Some(("start", value)) => Some(format!(" start=\"{}\"", value.parse::<u32>().ok()?)),
        Some(("label", value)) => Some(format!(" type=\"{}\"", kind(value)?.1)),
        Some(("resume", _)) => None,
        Some(_) => Some(String::new()),
        None if ["", "nosep", "noitemsep", "wide"].contains(&option) => Some(String::new()),
        None => {
            let sign = option.trim_matches(|c: char| c.is_ascii_punctuation());
            Some(format!(" type=\"{}\"", kind(sign)?.1))
        }
    }
}
