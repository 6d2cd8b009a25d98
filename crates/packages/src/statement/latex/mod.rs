//! LaTeX statements: translates the subset of the format to HTML. Unknown commands are reported, and their text stays.
//!
//! Source: problem package format 2025-09, "LaTeX environment and supported subset".

mod environments;
mod scanner;
mod symbols;
mod tables;
mod writer;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::package::latex::{accent_mark, symbol_text, typography, with_accent};
use crate::statement::TranslationState;
use crate::statement::html::escape;
use crate::statement::images;
use crate::statement::latex::scanner::{LatexScanner, LatexToken, SearchBudget};
use crate::statement::latex::symbols::{
    TextStyle, ignored_arguments, lasting_style, style_of_argument,
};
use crate::statement::latex::writer::HtmlWriter;
use crate::statement::markdown::FORMULA_HELP;
use crate::statement::math::{self, FormulaTranslator};
use crate::statement::page;
use crate::statement::source::StatementText;
use crate::statement::tags::is_link;

/// For nested groups and environments, and for macros in macros.
const DEEPEST: usize = 50;
/// In bytes of text that macros make.
const MOST_EXPANDED: usize = 1 << 20;

const IMAGE_HELP: &str =
    "add it beside the statement as .png or .svg; `pdftocairo -svg a.pdf a.svg` makes one";

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
        labels: figure_numbers(&text),
        search_budget: SearchBudget::for_text(&text),
        text,
        expanded_at: None,
        expanded_bytes: 0,
        depth: 0,
        writer: HtmlWriter::default(),
        math: FormulaTranslator::new(),
        macros: HashMap::new(),
        title: None,
        figures: 0,
        footnotes: Vec::new(),
    };
    translator.translate_range(start..end);
    translator.writer.end_paragraph();
    let notes = std::mem::take(&mut translator.footnotes);
    if !notes.is_empty() {
        let notes: String = notes.iter().map(|note| format!("<li>{note}</li>\n")).collect();
        translator.writer.push_block(&format!("<ol class=\"footnotes\">\n{notes}</ol>"));
    }
    (translator.title, translator.writer.html)
}

/// For `\ref`.
fn figure_numbers(text: &str) -> HashMap<String, usize> {
    let mut labels = HashMap::new();
    let mut captions = 0;
    for part in text.split('\\') {
        if part.starts_with("caption{") {
            captions += 1;
        } else if let Some(label) = part.strip_prefix("label{") {
            let name = label.split('}').next().unwrap_or_default();
            labels.insert(name.to_owned(), captions.max(1));
        }
    }
    labels
}

struct LatexTranslator<'a, 'b> {
    source: &'a StatementText,
    scope: &'a mut TranslationState<'b>,
    /// The statement, or the text of a macro.
    text: Rc<str>,
    search_budget: SearchBudget,
    /// The range of the macro in the statement.
    expanded_at: Option<Range<usize>>,
    expanded_bytes: usize,
    depth: usize,
    writer: HtmlWriter,
    math: FormulaTranslator,
    macros: HashMap<String, Rc<LatexMacro>>,
    title: Option<String>,
    figures: usize,
    labels: HashMap<String, usize>,
    footnotes: Vec<String>,
}

struct LatexMacro {
    parameters: usize,
    /// The default of the first parameter, which is then an argument in brackets.
    default: Option<String>,
    body: String,
}

impl LatexTranslator<'_, '_> {
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
                self.add_remark(
                    at,
                    format!("`{what}` is left out: it has no match"),
                    COMMANDS_HELP,
                );
            }
        }
    }

    fn command(&mut self, name: &str, at: Range<usize>, scanner: &mut LatexScanner<'_>) {
        let plain = name.trim_end_matches('*');
        if let Some(it) = self.macros.get(plain).map(Rc::clone) {
            return self.expand_macro(&it, at, scanner);
        }
        if let Some(text) = symbol_text(name) {
            return self.writer.push_text(&escape(text));
        }
        if let Some(mark) = accent_mark(name) {
            let text = with_accent(&self.text[scanner.argument()], mark);
            return self.writer.push_text(&escape(&text));
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
        if let Some(arguments) = ignored_arguments(plain) {
            scanner.option();
            for _ in 0..arguments {
                scanner.argument();
            }
            return;
        }
        match plain {
            "par" => self.writer.end_paragraph(),
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
            "url" => {
                let address = self.text[scanner.address()].replace('\\', "");
                self.link(&address, &escape(&address), at);
            }
            "href" => {
                let address = self.text[scanner.address()].replace('\\', "");
                let shown = self.inline(scanner.argument());
                self.link(&address, &shown, at);
            }
            "includegraphics" => self.image(at, scanner),
            "illustration" => self.illustration(at, scanner),
            "caption" => {
                scanner.option();
                self.figures += 1;
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
                let note = self.inline(scanner.argument());
                self.footnotes.push(note);
                self.writer.push_text(&format!("<sup>{}</sup>", self.footnotes.len()));
            }
            "ref" => {
                let label = scanner.argument();
                let number = self.labels.get(&self.text[label.clone()]).copied();
                match number {
                    Some(number) => self.writer.push_text(&number.to_string()),
                    None => self.add_remark(label, "there is no such label", "add it with \\label"),
                }
            }
            "def" | "newcommand" | "renewcommand" | "providecommand" => {
                self.define_macro(scanner, at)
            }
            // Those of Polygon are built in; others are not supported.
            "newenvironment" | "renewenvironment" => {
                scanner.argument();
                scanner.option();
                scanner.argument();
                scanner.argument();
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
                let texts = [scanner.argument(), scanner.argument()];
                let texts = texts.map(|text| self.text[text].to_owned());
                let sample = self.scope.samples.sample_of_texts(texts.each_ref().map(|it| &**it));
                self.writer.push_block(&sample);
            }
            "multicolumn" | "multirow" => {
                let (_, _, content) = (scanner.argument(), scanner.argument(), scanner.argument());
                self.translate_range(content);
            }
            "item" => self.add_remark(at, "`\\item` is outside a list", COMMANDS_HELP),
            _ => {
                let what = format!("`\\{name}` is unknown; it is left out, but its text is kept");
                self.add_remark(at, what, COMMANDS_HELP);
            }
        }
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
        let found = self.scope.problem.constants.iter().find(|it| it.key == name);
        match found.map(|it| escape(&it.value)) {
            Some(value) => self.writer.push_text(&value),
            None => {
                let message = format!("unknown constant `{name}`");
                self.add_remark(at, message, "add it to `constants` in problem.yaml");
            }
        }
    }

    fn formula(&mut self, formula: &str, alone: bool, at: Range<usize>) {
        let constants = self.scope.problem.constants.iter();
        let constants = constants.filter(|_| formula.contains("\\constant{"));
        let formula = constants.fold(formula.to_owned(), |formula, it| {
            formula.replace(&format!("\\constant{{{}}}", it.key), &it.value)
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

    fn image_tag(&mut self, name: &str, width: Option<f64>, at: Range<usize>) -> Option<String> {
        match self.scope.images.address(name) {
            Ok(address) => Some(images::image_tag(&address, "", width)),
            Err(reason) => {
                let message = format!("the image `{name}` is left out: {reason}");
                self.add_remark(at, message, IMAGE_HELP);
                None
            }
        }
    }

    /// Defines a macro: `\newcommand{\name}[2][default]{text}` or `\def\name{text}`.
    fn define_macro(&mut self, scanner: &mut LatexScanner<'_>, at: Range<usize>) {
        let name = self.text[scanner.argument()].trim().trim_start_matches('\\').to_owned();
        let parameters = scanner.option().and_then(|range| self.text[range].trim().parse().ok());
        let default = scanner.option().map(|range| self.text[range].to_owned());
        let mut body = scanner.argument();
        if &self.text[body.clone()] == "#" {
            // The pattern of a `\def` ends where the text begins.
            scanner.skip_to_brace();
            body = scanner.argument();
            let message = format!("the macro \\{name} has a pattern, so it is left out");
            self.add_remark(at, message, "define it by `\\newcommand`");
            body.end = body.start;
        }
        let body = self.text[body].to_owned();
        self.math.define(&name, &body);
        let parameters = parameters.unwrap_or(0);
        self.macros.insert(name, Rc::new(LatexMacro { parameters, default, body }));
    }

    fn expand_macro(&mut self, it: &LatexMacro, at: Range<usize>, scanner: &mut LatexScanner<'_>) {
        let mut body = Cow::from(&it.body);
        for number in 1..=it.parameters.min(9) {
            let default = it.default.as_deref().filter(|_| number == 1);
            let argument = match default {
                Some(default) => scanner.option().map_or(default, |range| &self.text[range]),
                None => &self.text[scanner.argument()],
            };
            if self.expanded_bytes > MOST_EXPANDED {
                continue;
            }
            let parameter = format!("#{number}");
            // The text is not made if it would be too long.
            self.expanded_bytes += body.matches(&parameter).count().saturating_mul(argument.len());
            if self.expanded_bytes <= MOST_EXPANDED {
                body = body.replace(&parameter, argument).into();
            }
        }
        self.expanded_bytes = self.expanded_bytes.saturating_add(it.body.len());
        if self.expanded_bytes > MOST_EXPANDED {
            let message = "macros make more than 1 MiB of text; the rest is left out";
            return self.add_remark(at, message, COMMANDS_HELP);
        }
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
        self.scope.remarks.extend(self.source.new_remark(at, message.into(), help));
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
