//! LaTeX statements: translates the subset of the format to HTML. Unknown commands are reported, and their text stays.
//!
//! Source: problem package format 2025-09, "LaTeX environment and supported subset".

mod environments;
pub(super) mod formula;
mod formula_commands;
pub(super) mod macros;
mod scanner;
mod symbols;
mod tables;
mod writer;

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::package::latex::{accent_mark, symbol_text, typography, with_accent};
use crate::statement::TranslationState;
use crate::statement::html::escape;
use crate::statement::latex::macros::LatexMacros;
use crate::statement::latex::scanner::{LatexScanner, LatexToken, SearchBudget};
use crate::statement::latex::symbols::{
    TextStyle, container_arguments, ignored_arguments, lasting_style, space_arguments,
    style_of_argument,
};
use crate::statement::latex::writer::HtmlWriter;
use crate::statement::math::{self, FORMULA_HELP, FormulaTranslator};
use crate::statement::page;
use crate::statement::source::StatementText;
use crate::statement::tags::is_link;
use juror_core::language::constants::find_constants;

/// For nested groups and environments, and for macros in macros.
const DEEPEST: usize = 50;
/// Around the index of a `\ref` until all labels are known. A text cannot have it: `escape` replaces it.
const REFERENCE_MARK: char = '\u{1}';

const IMAGE_HELP: &str =
    "add it beside the statement as .png or .svg; `pdftocairo -svg a.pdf a.svg` makes one";

/// The end of the message about a command that juror does not know.
pub(super) const UNKNOWN_COMMAND: &str = " is unknown; it is shown as written";

const COMMANDS_HELP: &str = "use the commands that the package format lists for LaTeX statements";

/// Returns the title, if the statement sets one, and the statement, both as HTML.
pub(super) fn translate(
    source: &StatementText,
    scope: &mut TranslationState<'_>,
) -> (Option<String>, String) {
    let text: Rc<str> = source.text.as_str().into();
    let start = text.find("\\begin{document}").map_or(0, |at| at + "\\begin{document}".len());
    let end = text.find("\\end{document}").unwrap_or(text.len()).max(start);
    let mut translator = LatexTranslator {
        source,
        scope,
        labels: HashMap::new(),
        label_number: None,
        references: Vec::new(),
        search_budget: SearchBudget::for_text(&text),
        text,
        expanded_at: None,
        depth: 0,
        writer: HtmlWriter::default(),
        math: FormulaTranslator::new(),
        title: None,
        figures: 0,
        item_number: None,
        footnotes: Vec::new(),
    };
    translator.report_braces();
    translator.translate_range(start..end);
    translator.writer.end_paragraph();
    let notes = std::mem::take(&mut translator.footnotes);
    if !notes.is_empty() {
        let notes: String = notes.iter().map(|note| format!("<li>{note}</li>\n")).collect();
        translator.writer.push_block(&format!("<ol class=\"footnotes\">\n{notes}</ol>"));
    }
    let html = std::mem::take(&mut translator.writer.html);
    let html = translator.resolve_references(&html);
    let title = translator.title.take().map(|title| translator.resolve_references(&title));
    (title, html)
}

struct LatexTranslator<'a, 'b> {
    source: &'a StatementText,
    scope: &'a mut TranslationState<'b>,
    /// The statement, or the text of a macro.
    text: Rc<str>,
    search_budget: SearchBudget,
    /// The range of the macro in the statement.
    expanded_at: Option<Range<usize>>,
    depth: usize,
    writer: HtmlWriter,
    math: FormulaTranslator,
    title: Option<String>,
    figures: usize,
    /// Of the next item of a list, if a counter is set.
    item_number: Option<u32>,
    labels: HashMap<String, usize>,
    /// What a `\label` here names, if it is known.
    label_number: Option<usize>,
    references: Vec<SourceReference>,
    footnotes: Vec<String>,
}

struct SourceReference {
    label: String,
    at: Range<usize>,
}

impl LatexTranslator<'_, '_> {
    /// In LaTeX, braces around the name of a constant only group its letters.
    fn report_braces(&mut self) {
        let text = Rc::clone(&self.text);
        for (at, _) in find_constants(text.as_bytes(), &self.scope.problem.constants) {
            let name = text[at.clone()].trim_matches(['{', '}']);
            let message =
                format!("`{{{{{name}}}}}` is no constant in LaTeX: its letters are shown");
            self.add_remark(at, message, &format!("write \\constant{{{name}}}"));
        }
    }

    fn translate_range(&mut self, range: Range<usize>) {
        if self.depth >= DEEPEST {
            self.add_remark(
                range,
                "groups are nested too deeply here; the rest is left out",
                COMMANDS_HELP,
            );
            return;
        }
        self.depth += 1;
        let mark = self.writer.style_count();
        let text = Rc::clone(&self.text);
        let mut scanner = LatexScanner::new(&text, range, &self.search_budget);
        while let Some((token, at)) = scanner.next() {
            self.token(token, at, &mut scanner);
        }
        self.writer.pop_styles(mark);
        self.depth -= 1;
    }

    fn token(&mut self, token: LatexToken<'_>, at: Range<usize>, scanner: &mut LatexScanner<'_>) {
        match token {
            LatexToken::Text(text) if self.writer.is_code() => self.writer.push_text(&escape(text)),
            LatexToken::Text(text) => self.writer.push_text(&escape(&typography(text))),
            LatexToken::Space => self.writer.push_space(),
            LatexToken::Tie => self.writer.push_text("\u{a0}"),
            LatexToken::Paragraph => self.writer.end_paragraph(),
            LatexToken::Math { formula, is_display: alone } => self.formula(formula, alone, at),
            LatexToken::Verbatim(text) => {
                self.writer.push_text(&format!("<code>{}</code>", escape(text)));
            }
            LatexToken::Group(inner) => self.translate_range(inner),
            LatexToken::Environment { name, body } => self.environment(name, body, at),
            LatexToken::Command(name) => self.command(name, at, scanner),
            // `&` outside of tables.
            LatexToken::Cell => self.writer.push_text("&amp;"),
            LatexToken::Unmatched(what) => {
                let message = format!("`{what}` is shown as written: it has no match");
                self.add_remark(at, message, COMMANDS_HELP);
                self.push_source(what);
            }
        }
    }

    fn command(&mut self, name: &str, at: Range<usize>, scanner: &mut LatexScanner<'_>) {
        let plain = name.trim_end_matches('*');
        if let Some(found) = self.math.macros.get(plain) {
            let expanded = self.math.macros.expand(&found, &self.text, scanner);
            return self.translate_macro(expanded, at);
        }
        if let Some(text) = symbol_text(name) {
            return self.writer.push_text(&escape(text));
        }
        if let Some(mark) = accent_mark(name) {
            return match with_accent(&self.text[scanner.argument()], mark) {
                Some(text) => self.writer.push_text(&escape(&text)),
                None => self.unknown(at.start..scanner.remaining_range().start),
            };
        }
        if let Some(style) = style_of_argument(plain) {
            return self.apply_style(style, scanner);
        }
        if let Some(style) = lasting_style(plain) {
            // Polygon writes `\bf{text}`.
            if scanner.is_at_group() {
                self.apply_style(style, scanner)
            } else {
                self.writer.push_style(style)
            }
            return;
        }
        if let Some(forms) = ignored_arguments(plain) {
            scanner.arguments(forms);
            return;
        }
        if let Some(forms) = space_arguments(plain) {
            scanner.arguments(forms);
            return self.writer.push_space();
        }
        if let Some(forms) = container_arguments(plain) {
            let content = scanner.arguments(forms).pop().unwrap_or_default();
            return self.translate_range(content);
        }
        match plain {
            "par" | "newpage" | "clearpage" | "vfill" => self.writer.end_paragraph(),
            "vskip" => {
                scanner.arguments("l");
                self.writer.end_paragraph();
            }
            "\\" | "newline" | "linebreak" => {
                scanner.option();
                self.writer.push_line_break();
            }
            "section" | "subsection" | "subsubsection" | "paragraph" => {
                self.heading(plain, scanner)
            }
            "problemname" => {
                let title = self.inline(scanner.argument());
                self.title = Some(title).filter(|title| !title.trim().is_empty());
            }
            "problemyamlname" => {
                self.writer
                    .push_text(&page::problem_title(self.scope.problem, self.scope.language));
            }
            "nextsample" => self.writer.push_block(&self.scope.samples.next_sample()),
            "remainingsamples" => self.writer.push_block(&self.scope.samples.remaining_samples()),
            "constant" => self.constant(at, scanner),
            "ensuremath" => {
                let text = Rc::clone(&self.text);
                self.formula(&text[scanner.argument()], false, at);
            }
            "url" => {
                let address = self.text[scanner.address()].replace('\\', "");
                self.link(&address, &escape(&address), at);
            }
            "href" => {
                scanner.option();
                let address = self.text[scanner.address()].replace('\\', "");
                let shown = self.inline(scanner.argument());
                self.link(&address, &shown, at);
            }
            "includegraphics" => self.image(at, scanner),
            "illustration" => self.illustration(at, scanner),
            "caption" => {
                scanner.option();
                self.figures += 1;
                self.label_number = Some(self.figures);
                let (word, number) = (self.scope.words.figure, self.figures);
                let caption = self.inline(scanner.argument());
                let number =
                    if name == "caption" { format!("{word} {number}: ") } else { String::new() };
                self.writer.push_block(&format!("<figcaption>{number}{caption}</figcaption>"));
            }
            "epigraph" => {
                let quote = self.inline(scanner.argument());
                let from = self.inline(scanner.argument());
                self.writer.push_block(&format!(
                    "<blockquote class=\"epigraph\"><p>{quote}</p><p>— {from}</p></blockquote>"
                ));
            }
            "footnote" => {
                scanner.option();
                let note = self.inline(scanner.argument());
                self.footnotes.push(note);
                self.writer.push_text(&format!("<sup>{}</sup>", self.footnotes.len()));
            }
            "label" => {
                let label = self.text[scanner.argument()].to_owned();
                self.labels.extend(self.label_number.map(|number| (label, number)));
            }
            "ref" => {
                let label = self.text[scanner.argument()].to_owned();
                let index = self.references.len();
                self.writer.push_text(&format!("{REFERENCE_MARK}{index}{REFERENCE_MARK}"));
                self.references.push(SourceReference { label, at });
            }
            "eqref" => {
                let reference = format!("\\eqref{{{}}}", &self.text[scanner.argument()]);
                self.formula(&reference, false, at);
            }
            "setcounter" => self.set_counter(at, scanner),
            _ if LatexMacros::is_definition(plain) => {
                let text = Rc::clone(&self.text);
                if let Err(message) = self.math.macros.define(name, &text, scanner) {
                    self.add_remark(at, message, "define it by `\\newcommand`");
                }
            }
            // Sections that continue up to the next one.
            "InputFile" => self.writer.push_section_title(self.scope.words.input),
            "OutputFile" => self.writer.push_section_title(self.scope.words.output),
            "Interaction" => self.writer.push_section_title(self.scope.words.interaction),
            "Scoring" => self.writer.push_section_title(self.scope.words.scoring),
            "Note" | "Notes" | "Explanation" | "Explanations" => {
                self.writer.push_section_title(self.scope.words.note)
            }
            // Each example has its own heading.
            "Example" | "Examples" => {}
            "exmpfile" => {
                let mut path = || self.source.neighbour(self.text[scanner.argument()].trim());
                let (input, output) = (path(), path());
                self.writer.push_block(&self.scope.samples.sample_of_files(input, output));
            }
            "exmp" => {
                let ranges = [scanner.argument(), scanner.argument()];
                let texts = ranges.map(|range| self.text[range].to_owned());
                let sample =
                    self.scope.samples.sample_of_texts(texts.each_ref().map(String::as_str));
                self.writer.push_block(&sample);
            }
            "item" => self.add_remark(at, "`\\item` is outside a list", COMMANDS_HELP),
            _ => self.unknown(at),
        }
    }

    fn unknown(&mut self, at: Range<usize>) {
        let source = self.text[at.clone()].to_owned();
        let name = source.trim_end();
        self.add_remark(at, format!("`{name}`{UNKNOWN_COMMAND}"), COMMANDS_HELP);
        self.push_source(name);
        if name.len() < source.len() {
            self.writer.push_space();
        }
    }

    /// Shows what is not understood.
    fn push_source(&mut self, source: &str) {
        self.writer.push_text(&format!("<code>{}</code>", escape(source)));
    }

    /// The counters of lists and figures; others are not shown.
    fn set_counter(&mut self, at: Range<usize>, scanner: &mut LatexScanner<'_>) {
        let arguments = scanner.arguments("mm");
        let [name, value] = [0, 1].map(|index| self.text[arguments[index].clone()].trim());
        match (name, value.parse::<u32>()) {
            (name, Ok(value)) if name.starts_with("enum") => self.item_number = Some(value + 1),
            ("figure", Ok(value)) => self.figures = value as usize,
            ("page" | "section" | "subsection" | "secnumdepth" | "tocdepth", _) => {}
            _ => self.unknown(at.start..scanner.remaining_range().start),
        }
    }

    /// A label may stand after a reference to it.
    fn resolve_references(&mut self, html: &str) -> String {
        let mut resolved = String::new();
        for (index, part) in html.split(REFERENCE_MARK).enumerate() {
            let reference = part.parse::<usize>().ok().filter(|_| index % 2 == 1);
            let Some(SourceReference { label, at }) =
                reference.and_then(|index| self.references.get(index))
            else {
                resolved.push_str(part);
                continue;
            };
            if let Some(number) = self.labels.get(label) {
                resolved.push_str(&number.to_string());
                continue;
            }
            let source = format!("\\ref{{{label}}}");
            resolved.push_str(&math::as_code(&source));
            let message = format!("`{source}` is shown as written: there is no such figure");
            self.add_remark(at.clone(), message, "a label names the `\\caption` before it");
        }
        resolved
    }

    fn apply_style(&mut self, style: TextStyle, scanner: &mut LatexScanner<'_>) {
        let argument = scanner.argument();
        let mark = self.writer.style_count();
        self.writer.push_style(style);
        self.translate_range(argument);
        self.writer.pop_styles(mark);
    }

    fn heading(&mut self, name: &str, scanner: &mut LatexScanner<'_>) {
        scanner.option();
        let text = self.inline(scanner.argument());
        let level = match name {
            "section" => 2,
            "subsection" => 3,
            _ => 4,
        };
        self.writer.push_block(&format!("<h{level}>{text}</h{level}>"));
    }

    fn constant(&mut self, at: Range<usize>, scanner: &mut LatexScanner<'_>) {
        let name = self.text[scanner.argument()].trim().to_owned();
        let found = self.scope.problem.constants.iter().find(|constant| constant.key == name);
        match found.map(|constant| escape(&constant.value)) {
            Some(value) => self.writer.push_text(&value),
            None => {
                let message = format!("unknown constant `{name}`");
                self.add_remark(at, message, "add it to `constants` in problem.yaml");
                self.push_source(&format!("\\constant{{{name}}}"));
            }
        }
    }

    fn formula(&mut self, formula: &str, alone: bool, at: Range<usize>) {
        let constants = self.scope.problem.constants.iter();
        let constants = constants.filter(|_| formula.contains("\\constant{"));
        let formula = constants.fold(formula.to_owned(), |formula, constant| {
            formula.replace(&format!("\\constant{{{}}}", constant.key), &constant.value)
        });
        let translated = self.math.translate(&formula, alone).unwrap_or_else(|reason| {
            let message = format!("this formula is shown as written: {reason}");
            self.add_remark(at, message, FORMULA_HELP);
            math::as_code(&formula)
        });
        self.writer.push_text(&translated);
    }

    fn link(&mut self, address: &str, shown: &str, at: Range<usize>) {
        if !is_link(address) {
            let message = format!("the link to `{address}` is left out");
            self.add_remark(at, message, "a page links to http, https and mail addresses");
            return self.writer.push_text(shown);
        }
        self.writer.push_text(&format!("<a href=\"{}\">{shown}</a>", escape(address)));
    }

    fn image(&mut self, at: Range<usize>, scanner: &mut LatexScanner<'_>) {
        let options = scanner.option().map(|range| self.text[range].to_owned()).unwrap_or_default();
        let name = self.text[scanner.argument()].trim().to_owned();
        let width = options.split(',').find_map(|option| parse_width(option.trim()));
        if let Some(tag) = self.image_tag(&name, width, at) {
            self.writer.push_text(&tag);
        }
    }

    fn illustration(&mut self, at: Range<usize>, scanner: &mut LatexScanner<'_>) {
        let part: f64 = self.text[scanner.argument()].trim().parse().unwrap_or(0.3);
        let name = self.text[scanner.argument()].trim().to_owned();
        let caption = self.inline(scanner.argument());
        let Some(tag) = self.image_tag(&name, None, at) else { return };
        self.writer.push_block(&format!(
            "<figure class=\"illustration\" style=\"width:{:.1}%\">{tag}<figcaption>{caption}</figcaption></figure>",
            part.clamp(0.05, 1.0) * 100.0
        ));
    }

    /// `width` is a fraction of the page's width.
    fn image_tag(&mut self, name: &str, width: Option<f64>, at: Range<usize>) -> Option<String> {
        match self.scope.images.address(name) {
            Ok(address) => {
                let style = width.map(|width| format!(" style=\"width:{:.1}%\"", width * 100.0));
                Some(format!("<img src=\"{address}\" alt=\"\"{}>", style.unwrap_or_default()))
            }
            Err(reason) => {
                let message = format!("the image `{name}` is left out: {reason}");
                self.add_remark(at, message, IMAGE_HELP);
                None
            }
        }
    }

    fn translate_macro(&mut self, expanded: Option<String>, at: Range<usize>) {
        let Some(body) = expanded else {
            let message = "macros make more than 1 MiB of text; the rest is left out";
            return self.add_remark(at, message, COMMANDS_HELP);
        };
        let body: Rc<str> = body.into();
        let outer = self.expanded_at.clone();
        self.expanded_at.get_or_insert(at);
        let end = body.len();
        let text = std::mem::replace(&mut self.text, body);
        self.translate_range(0..end);
        self.text = text;
        self.expanded_at = outer;
    }

    /// Without paragraphs.
    fn inline(&mut self, range: Range<usize>) -> String {
        let outer = std::mem::replace(&mut self.writer, HtmlWriter::inline());
        self.translate_range(range);
        std::mem::replace(&mut self.writer, outer).html.trim().to_owned()
    }

    /// With paragraphs.
    fn block(&mut self, range: Range<usize>) -> String {
        let outer = std::mem::take(&mut self.writer);
        self.translate_range(range);
        self.writer.end_paragraph();
        std::mem::replace(&mut self.writer, outer).html
    }

    fn add_remark(&mut self, at: Range<usize>, message: impl Into<String>, help: &str) {
        let at = self.expanded_at.clone().unwrap_or(at);
        self.scope.diagnostics.extend(self.source.new_remark(at, message.into(), help));
    }
}

/// The fraction of the page's width in `width=0.5\textwidth`, `width=7cm` or `scale=0.2`. A line has 16 cm; the size
/// of an image in centimetres is unknown.
fn parse_width(option: &str) -> Option<f64> {
    let value = option.strip_prefix("width=")?.trim();
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    let number: f64 = if number.is_empty() { 1.0 } else { number.parse().ok()? };
    let part = match unit.trim() {
        "\\textwidth" | "\\linewidth" | "\\columnwidth" | "\\hsize" => number,
        "cm" => number / 16.0,
        "mm" => number / 160.0,
        "in" => number / 6.3,
        "pt" => number / 455.0,
        _ => return None,
    };
    Some(part.clamp(0.02, 1.0))
}
