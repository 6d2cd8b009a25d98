//! Rewrites formulas: macros, and commands of MathJax that the converter lacks, become commands that it knows.
//!
//! The result is text again, not a tree: the converter has the parser for formulas, and its report of their faults.

use crate::package::latex::{accent_mark, symbol_text, typography, with_accent};
use crate::statement::latex::DEEPEST;
use crate::statement::latex::formula_commands::{
    BEFORE_DELIMITERS, COMMANDS, DIVIDED, ENVIRONMENTS, TEXTS,
};
use crate::statement::latex::macros::LatexMacros;
use crate::statement::latex::scanner::{LatexScanner, LatexToken, SearchBudget};
use crate::statement::latex::tables::column_letters;

/// In bytes: each may begin a group, and the converter needs stack for each level.
const LONGEST_REWRITTEN: usize = 4000;

/// Environments in which the converter numbers lines.
const NUMBERED: [&str; 4] = ["equation", "align", "gather", "multline"];

/// Commands that stand beside the content of a cell.
const BESIDE_CELLS: [&str; 6] = ["hline", "hdashline", "tag", "label", "notag", "nonumber"];

/// # Errors
/// If its macros make too much text, or have no effect.
pub(in crate::statement) fn rewrite_formula(
    formula: &str,
    is_display: bool,
    macros: &mut LatexMacros,
) -> Result<String, String> {
    let mut rewriter = FormulaRewriter {
        macros,
        budget: SearchBudget::for_text(formula),
        written: String::new(),
        is_display,
        depth: 0,
        groups: 0,
        cell: FormulaCell { groups: 0, start: 0 },
        is_numbered: false,
        has_lines: false,
        fault: None,
    };
    rewriter.formula(formula);
    if rewriter.has_lines {
        rewriter.end_cell();
    }
    let FormulaRewriter { written, has_lines, fault, .. } = rewriter;
    match fault {
        Some(fault) => Err(fault),
        None if written.len() > LONGEST_REWRITTEN => {
            Err(format!("its macros make more than {LONGEST_REWRITTEN} bytes"))
        }
        None if has_lines => Ok(format!("\\begin{{gathered}}{written}\\end{{gathered}}")),
        None => Ok(written),
    }
}

/// The cell of a table that is written.
#[derive(Clone, Copy)]
struct FormulaCell {
    /// Number of groups and environments around it; 0 outside of tables.
    groups: usize,
    start: usize,
}

struct FormulaRewriter<'a> {
    macros: &'a mut LatexMacros,
    budget: SearchBudget,
    written: String,
    is_display: bool,
    /// Of macros in macros.
    depth: usize,
    /// Number of groups and environments around this place.
    groups: usize,
    cell: FormulaCell,
    is_numbered: bool,
    /// Whether the formula has lines without an environment.
    has_lines: bool,
    fault: Option<String>,
}

impl FormulaRewriter<'_> {
    fn formula(&mut self, text: &str) {
        let budget = self.budget.clone();
        let mut scanner = LatexScanner::new(text, 0..text.len(), &budget);
        while self.written.len() <= LONGEST_REWRITTEN {
            // The converter finds the end of a group.
            if scanner.accept('{') {
                self.groups += 1;
                self.written.push('{');
                continue;
            }
            let Some((token, at)) = scanner.next() else { break };
            match token {
                LatexToken::Command(name) => self.command(name, text, &mut scanner),
                LatexToken::Environment { name, body } => self.environment(name, &text[body]),
                LatexToken::Math { formula, .. } => self.formula(formula),
                LatexToken::Verbatim(code) => {
                    self.written.push_str("\\texttt{");
                    self.push_plain(code);
                    self.written.push('}');
                }
                LatexToken::Paragraph => self.written.push(' '),
                LatexToken::Cell => {
                    self.end_cell();
                    self.begin_cell("&");
                }
                LatexToken::Unmatched("}") => {
                    self.groups = self.groups.saturating_sub(1);
                    self.written.push('}');
                }
                LatexToken::Unmatched(what) => {
                    self.fault = Some(format!("`{what}` has no match"));
                }
                _ => self.written.push_str(&text[at]),
            }
        }
    }

    fn command(&mut self, name: &str, text: &str, scanner: &mut LatexScanner<'_>) {
        let is_kept = self.is_numbered && ["tag", "label"].contains(&name);
        if let Some(found) = self.macros.get(name) {
            let expanded = self.macros.expand(&found, text, scanner);
            self.deeper(expanded.as_deref(), Self::formula);
        } else if LatexMacros::is_definition(name.trim_end_matches('*')) {
            let fault = self.macros.define(name, text, scanner).err();
            self.fault = self.fault.take().or(fault);
        } else if let Some((_, new)) = TEXTS.iter().find(|(known, _)| *known == name) {
            let argument = scanner.argument();
            self.text(new, &text[argument]);
        } else if let Some((_, until, body)) = DIVIDED.iter().find(|(known, ..)| *known == name) {
            let first = scanner.range_before(until);
            let arguments = [first, scanner.argument()].map(|argument| &text[argument]);
            let expanded = self.macros.substitute(body, &arguments);
            self.deeper(expanded.as_deref(), Self::formula);
        } else if let Some((_, forms, body)) =
            COMMANDS.iter().find(|(known, ..)| *known == name && !is_kept)
        {
            let arguments = scanner.arguments(forms);
            let arguments: Vec<&str> = arguments.into_iter().map(|range| &text[range]).collect();
            let expanded = self.macros.substitute(body, &arguments);
            self.deeper(expanded.as_deref(), Self::formula);
        } else if name == "\\" {
            self.line_end(scanner);
        } else if name == "rule" || name == "Rule" {
            let sides = scanner.arguments(if name == "rule" { "omm" } else { "mmm" });
            self.rule(&text[sides[0].clone()], &text[sides[1].clone()]);
        } else {
            self.plain_command(name, text, scanner);
        }
    }

    fn plain_command(&mut self, name: &str, text: &str, scanner: &mut LatexScanner<'_>) {
        if self.cell.groups == 0 && ["notag", "nonumber"].contains(&name) {
            return;
        }
        if self.cell.groups > 0 && BESIDE_CELLS.contains(&name) {
            let arguments =
                scanner.arguments(if ["tag", "label"].contains(&name) { "m" } else { "" });
            let argument = arguments.into_iter().next().map(|part| format!("{{{}}}", &text[part]));
            self.end_cell();
            return self.begin_cell(&format!("\\{name}{} ", argument.unwrap_or_default()));
        }
        self.written.extend(["\\", name]);
        if name.starts_with(|c: char| c.is_ascii_alphabetic()) && !scanner.is_at_group() {
            self.written.push(' ');
        }
        match name {
            "left" => self.groups += 1,
            "right" => self.groups = self.groups.saturating_sub(1),
            _ => {}
        }
        if BEFORE_DELIMITERS.split(' ').any(|known| known == name) {
            scanner.skip_blanks();
            let angles = [('<', "\\langle "), ('>', "\\rangle ")];
            let angle = angles.iter().find(|(angle, _)| scanner.accept(*angle));
            self.written.push_str(angle.map_or("", |(_, name)| *name));
        }
    }

    fn deeper(&mut self, text: Option<&str>, write: impl FnOnce(&mut Self, &str)) {
        match text {
            Some(text) if self.depth < DEEPEST => {
                self.depth += 1;
                write(self, text);
                self.depth -= 1;
            }
            _ => self.fault = Some("its macros are nested too deeply".to_owned()),
        }
    }

    fn line_end(&mut self, scanner: &LatexScanner<'_>) {
        let is_in_table = self.cell.groups > 0;
        if !is_in_table && (self.groups > 0 || !self.is_display) {
            return self.written.push_str("\\quad ");
        }
        self.has_lines |= !is_in_table;
        self.end_cell();
        // A bracket there would be a distance.
        self.begin_cell(if scanner.is_at_bracket() { "\\\\{}" } else { "\\\\ " });
    }

    /// In the converter, a cell is no group, although a style ends there; and it fails if a command has its argument
    /// in another cell.
    fn end_cell(&mut self) {
        if self.cell.groups == 0 && !self.has_lines {
            return;
        }
        if self.cell.groups != self.groups {
            self.fault = Some("a cell of a table ends in a group".to_owned());
        } else if !self.written[self.cell.start..].trim().is_empty() {
            self.written.insert(self.cell.start, '{');
            self.written.push('}');
        }
    }

    fn begin_cell(&mut self, after: &str) {
        self.written.push_str(after);
        self.cell.start = self.written.len();
    }

    fn environment(&mut self, name: &str, body: &str) {
        let budget = self.budget.clone();
        let mut scanner = LatexScanner::new(body, 0..body.len(), &budget);
        let known = ENVIRONMENTS.iter().find(|(known, ..)| *known == name);
        let (_, forms, new, arguments) = known.copied().unwrap_or((name, "", name, ""));
        scanner.arguments(forms);
        let mut arguments = arguments.to_owned();
        if ["array", "darray", "subarray"].contains(&name) {
            scanner.option();
            arguments = format!("{{{}}}", column_letters(&body[scanner.argument()]).0);
        }
        let inner = &body[scanner.remaining_range()];
        if ["math", "displaymath"].contains(&name) {
            return self.formula(inner);
        }
        let outer = (self.is_numbered, self.groups, self.cell);
        self.is_numbered |= NUMBERED.contains(&new.trim_end_matches('*'));
        self.groups += 1;
        self.written.extend(["\\begin{", new, "}", &arguments]);
        let start = self.written.len();
        self.cell = FormulaCell { groups: self.groups, start };
        self.deeper(Some(inner), Self::formula);
        self.end_cell();
        self.written.extend(["\\end{", new, "}"]);
        (self.is_numbered, self.groups, self.cell) = outer;
    }

    /// One without width or height is only a space.
    fn rule(&mut self, width: &str, height: &str) {
        let has_ink =
            [width, height].iter().all(|length| length.contains(|c| ('1'..='9').contains(&c)));
        match has_ink {
            true if width == height => self.written.push_str("\\blacksquare "),
            true => self.written.extend(["\\underline{\\hspace{", width, "}}"]),
            false => self.written.extend(["\\hspace{", width, "}"]),
        }
    }

    /// A text with formulas and other styles in it becomes several: `\text{if }n\text{ is}`.
    fn text(&mut self, style: &str, text: &str) {
        let is_simple = !text.contains(['\\', '$']);
        let [open, close] = if is_simple { ["", ""] } else { ["{", "}"] };
        self.written.extend([open, "\\", style, "{"]);
        self.text_content(style, text);
        self.written.extend(["}", close]);
    }

    fn text_content(&mut self, style: &str, text: &str) {
        let budget = self.budget.clone();
        let mut scanner = LatexScanner::new(text, 0..text.len(), &budget);
        while let Some((token, at)) = scanner.next() {
            match token {
                LatexToken::Text(text) if style == "texttt" => self.push_plain(text),
                LatexToken::Text(text) => self.push_plain(&typography(text)),
                LatexToken::Verbatim(text) => self.push_plain(text),
                LatexToken::Space | LatexToken::Paragraph => self.written.push(' '),
                LatexToken::Cell => self.written.push_str("\\&"),
                LatexToken::Group(inner) => {
                    self.deeper(Some(&text[inner]), |this, text| this.text_content(style, text));
                }
                LatexToken::Math { formula, .. } => {
                    self.between_texts(style, |this| this.formula(formula));
                }
                LatexToken::Command(name) => {
                    if !self.text_command(style, name, text, &mut scanner) {
                        self.written.push_str(&text[at]);
                    }
                }
                _ => self.written.push_str(&text[at]),
            }
        }
    }

    /// Returns whether the command is known.
    fn text_command(
        &mut self,
        style: &str,
        name: &str,
        text: &str,
        scanner: &mut LatexScanner<'_>,
    ) -> bool {
        if let Some(found) = self.macros.get(name) {
            let expanded = self.macros.expand(&found, text, scanner);
            self.deeper(expanded.as_deref(), |this, text| this.text_content(style, text));
        } else if let Some(mark) = accent_mark(name) {
            match with_accent(&text[scanner.argument()], mark) {
                Some(letter) => self.push_plain(&letter),
                None => self.fault = Some("an accent stands on more than letters".to_owned()),
            }
        } else if let Some(symbol) = symbol_text(name) {
            self.push_plain(symbol);
        } else if let Some((_, new)) = TEXTS.iter().find(|(known, _)| *known == name) {
            let argument = &text[scanner.argument()];
            self.between_texts(style, |this| this.text(new, argument));
        } else if name == "\\" {
            self.written.push(' ');
        } else {
            let ignored =
                COMMANDS.iter().find(|(known, _, body)| *known == name && body.is_empty());
            scanner.arguments(ignored.map_or("", |(_, forms, _)| forms));
            return ignored.is_some();
        }
        true
    }

    fn between_texts(&mut self, style: &str, write: impl FnOnce(&mut Self)) {
        self.written.push('}');
        write(self);
        self.written.extend(["\\", style, "{"]);
    }

    fn push_plain(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '_' | '&' | '#' | '%' | '$' | '{' | '}' => self.written.extend(['\\', character]),
                '\\' => self.written.push_str("\\textbackslash{}"),
                '^' => self.written.push_str("\\textasciicircum{}"),
                '~' => self.written.push_str("\\textasciitilde{}"),
                _ => self.written.push(character),
            }
        }
    }
}
