//! Scans a LaTeX text: groups and environments as a whole, formulas unparsed.
//!
//! A group or environment is a range of the text, and a scanner of its own reads what is in it. So a brace without its
//! partner is one odd token, and the rest of the statement is shown all the same.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use crate::package::latex::{closing_brace, find_outside_comments};

/// Environments whose content is no LaTeX, with their arguments.
pub(super) const VERBATIM_ENVIRONMENTS: [(&str, &str); 7] = [
    ("verbatim", ""),
    ("verbatim*", ""),
    ("Verbatim", "o"),
    ("Verbatim*", "o"),
    ("lstlisting", "o"),
    ("minted", "om"),
    ("comment", ""),
];

/// Commands for a text between two equal characters, and their arguments before it.
const VERBATIM_COMMANDS: [(&str, &str); 5] =
    [("verb", "s"), ("Verb", "s"), ("lstinline", "o"), ("mintinline", "om"), ("path", "")];

/// A star belongs to the name of these commands only: `{\tt*}` is a star.
const STARRED_COMMANDS: &str = "caption includegraphics hspace vspace section subsection subsubsection paragraph \
                               newcommand renewcommand providecommand DeclareMathOperator operatorname tag";

const UNITS: [&str; 13] =
    ["pt", "pc", "in", "bp", "cm", "mm", "dd", "cc", "sp", "em", "ex", "mu", "fi"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LatexToken<'a> {
    Text(&'a str),
    /// White space, including the end of a line.
    Space,
    /// `~`.
    Tie,
    /// An empty line.
    Paragraph,
    Math {
        formula: &'a str,
        is_display: bool,
    },
    /// `\verb|text|`.
    Verbatim(&'a str),
    Group(Range<usize>),
    Environment {
        name: &'a str,
        body: Range<usize>,
    },
    /// `\name`, without the backslash.
    Command(&'a str),
    /// `&`.
    Cell,
    /// A brace, or the `\begin` or `\end` of an environment, without its partner.
    Unmatched(&'a str),
}

pub(super) struct LatexScanner<'a> {
    text: &'a str,
    position: usize,
    end: usize,
    search_budget: SearchBudget,
}

/// The bytes that all scanners of a statement together may still search. A missing end is searched up to the end of
/// the text, so without a bound the time would be quadratic.
#[derive(Clone, Debug)]
pub(super) struct SearchBudget(Rc<Cell<usize>>);

impl SearchBudget {
    /// Each byte is searched once for each group that contains it, and a few times for each table.
    const PER_BYTE: usize = 64;
    /// For short texts.
    const MINIMUM: usize = 1 << 20;

    pub(super) fn for_text(text: &str) -> Self {
        Self(Rc::new(Cell::new(Self::MINIMUM + Self::PER_BYTE * text.len())))
    }

    pub(super) fn remaining(&self) -> usize {
        self.0.get()
    }

    fn spend(&self, bytes: usize) {
        self.0.set(self.0.get().saturating_sub(bytes));
    }

    fn limit(&self, start: usize, end: usize) -> usize {
        end.min(start.saturating_add(self.remaining()))
    }
}

impl<'a> LatexScanner<'a> {
    pub(super) fn new(text: &'a str, range: Range<usize>, ahead: &SearchBudget) -> Self {
        Self { text, position: range.start, end: range.end, search_budget: ahead.clone() }
    }

    fn find(&self, start: usize, needle: &str) -> Option<usize> {
        let found = find_outside_comments(
            self.text,
            start,
            self.search_budget.limit(start, self.end),
            needle,
        );
        self.search_budget.spend(found.unwrap_or(self.end).saturating_sub(start));
        found
    }

    fn find_closing(&self, open: usize, has_comments: bool) -> Option<usize> {
        let found =
            closing_brace(self.text, open, self.search_budget.limit(open, self.end), has_comments);
        self.search_budget.spend(found.unwrap_or(self.end).saturating_sub(open));
        found
    }

    fn rest(&self) -> &'a str {
        &self.text[self.position..self.end]
    }

    pub(super) fn next(&mut self) -> Option<(LatexToken<'a>, Range<usize>)> {
        while self.skip_comment() {}
        let start = self.position;
        let first = self.rest().chars().next()?;
        let token = match first {
            _ if first.is_whitespace() => self.blanks(),
            '~' => self.single(LatexToken::Tie),
            '&' => self.single(LatexToken::Cell),
            '}' => self.single(LatexToken::Unmatched("}")),
            '{' => match self.find_closing(self.position, true) {
                Some(close) => {
                    let inner = self.position + 1..close;
                    self.position = close + 1;
                    LatexToken::Group(inner)
                }
                None => self.single(LatexToken::Unmatched("{")),
            },
            '$' => self.math(),
            '\\' => self.backslash(),
            _ => {
                let is_special = |c: char| "%~&{}$\\".contains(c) || c.is_whitespace();
                LatexToken::Text(self.skip(|c| !is_special(c)))
            }
        };
        Some((token, start..self.position))
    }

    /// Skips a comment: the rest of a line with the white space after it, or what LaTeX never shows.
    fn skip_comment(&mut self) -> bool {
        let rest = self.rest();
        if rest.starts_with('%') {
            self.position += rest.find('\n').map_or(rest.len(), |end| end + 1);
            self.skip(|c| c == ' ' || c == '\t');
            return true;
        }
        let end = match rest.strip_prefix('\\') {
            Some(rest) if rest.starts_with("begin{comment}") => self.after("\\end{comment}"),
            Some(rest) if command_name(rest) == "iffalse" => self.after_condition(),
            _ => None,
        };
        self.position = end.unwrap_or(self.position);
        end.is_some()
    }

    fn after(&self, needle: &str) -> Option<usize> {
        self.find(self.position, needle).map(|found| found + needle.len())
    }

    /// Where the text goes on after `\iffalse`: behind its `\else` or `\fi`.
    fn after_condition(&self) -> Option<usize> {
        let mut depth = 0_usize;
        let mut at = self.position;
        while let Some(found) = self.find(at, "\\") {
            let name = command_name(&self.text[found + 1..self.end]);
            at = found + 1 + name.len().max(1);
            match name {
                "else" if depth == 1 => return Some(at),
                "fi" if depth == 1 => return Some(at),
                "fi" => depth -= 1,
                // A comparison of the package ifthen has braces, and no end.
                "ifthenelse" | "iff" => {}
                name if name.starts_with("if") => depth += 1,
                _ => {}
            }
        }
        None
    }

    /// Returns the skipped text.
    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let passed = &rest[..rest.find(|c: char| !is_skipped(c)).unwrap_or(rest.len())];
        self.position += passed.len();
        passed
    }

    fn single(&mut self, token: LatexToken<'a>) -> LatexToken<'a> {
        self.position += 1;
        token
    }

    fn blanks(&mut self) -> LatexToken<'a> {
        match self.skip(char::is_whitespace).matches('\n').count() {
            0 | 1 => LatexToken::Space,
            _ => LatexToken::Paragraph,
        }
    }

    fn math(&mut self) -> LatexToken<'a> {
        let alone = self.rest().starts_with("$$");
        let mark = if alone { "$$" } else { "$" };
        self.position += mark.len();
        self.formula(mark, mark, alone)
    }

    /// The opening mark is already scanned.
    fn formula(&mut self, open: &'a str, close: &str, alone: bool) -> LatexToken<'a> {
        let start = self.position;
        match self.find(start, close) {
            Some(end) => {
                self.position = end + close.len();
                LatexToken::Math { formula: &self.text[start..end], is_display: alone }
            }
            None => LatexToken::Unmatched(open),
        }
    }

    fn backslash(&mut self) -> LatexToken<'a> {
        let rest = &self.rest()[1..];
        let mut name = command_name(rest);
        if name.is_empty() {
            let length = rest.chars().next().map_or(0, char::len_utf8);
            let name = &rest[..length];
            self.position += 1 + length;
            return match name {
                "(" => self.formula(name, "\\)", false),
                "[" => self.formula(name, "\\]", true),
                "\\" => {
                    self.row_distance();
                    LatexToken::Command(name)
                }
                _ => LatexToken::Command(name),
            };
        }
        let has_star = rest[name.len()..].starts_with('*');
        if has_star && STARRED_COMMANDS.split(' ').any(|starred| starred == name) {
            name = &rest[..name.len() + 1];
        }
        let start = self.position;
        self.position += 1 + name.len();
        if let Some((_, forms)) = VERBATIM_COMMANDS.iter().find(|(known, _)| *known == name) {
            self.arguments(forms);
            return self.verb(start);
        }
        match name {
            "begin" => self.environment(start),
            "end" => {
                self.argument();
                LatexToken::Unmatched(&self.text[start..self.position])
            }
            _ => {
                // White space after a command only ends it.
                self.skip(|c| c == ' ' || c == '\t');
                LatexToken::Command(name)
            }
        }
    }

    /// The command is scanned from `start` up to its text.
    fn verb(&mut self, start: usize) -> LatexToken<'a> {
        let open = self.position;
        let end = match self.rest().chars().next() {
            Some('{') => self.find_closing(open, false),
            Some(mark) => self.find_plain(open + mark.len_utf8(), mark.encode_utf8(&mut [0; 4])),
            None => None,
        };
        let Some(end) = end else { return LatexToken::Unmatched(&self.text[start..open]) };
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        let closing = self.text[end..].chars().next().map_or(0, char::len_utf8);
        self.position = end + closing;
        LatexToken::Verbatim(&self.text[open + width..end])
    }

    /// Finds a text, in comments and after a backslash, too.
    fn find_plain(&self, start: usize, needle: &str) -> Option<usize> {
        let mut far = self.search_budget.limit(start, self.end);
        while !self.text.is_char_boundary(far) {
            far -= 1;
        }
        let found = self.text[start..far].find(needle).map(|found| start + found);
        self.search_budget.spend(found.unwrap_or(far) - start);
        found
    }

    /// `\begin` is already scanned.
    fn environment(&mut self, start: usize) -> LatexToken<'a> {
        let range = self.argument();
        let name = &self.text[range];
        let (open, close) = (format!("\\begin{{{name}}}"), format!("\\end{{{name}}}"));
        let is_verbatim = VERBATIM_ENVIRONMENTS.iter().any(|(known, _)| *known == name);
        let end = if is_verbatim {
            self.find_plain(self.position, &close)
        } else {
            self.find_end(&open, &close)
        };
        let Some(end) = end else { return LatexToken::Unmatched(&self.text[start..self.position]) };
        let body = self.position..end;
        self.position = end + close.len();
        LatexToken::Environment { name, body }
    }

    /// Finds the end of an environment, which may contain others of its name.
    fn find_end(&self, open: &str, close: &str) -> Option<usize> {
        let mut depth = 1_usize;
        let mut at = self.position;
        while let Some(found) = self.find(at, "\\") {
            let rest = &self.text[found..self.end];
            let inner = rest.strip_prefix("\\begin{").and_then(verbatim_name);
            // The character after a backslash belongs to the command.
            at = found + 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            if rest.starts_with(close) {
                depth -= 1;
                if depth == 0 {
                    return Some(found);
                }
            } else if rest.starts_with(open) {
                depth += 1;
            } else if let Some(name) = inner {
                at = self.find_plain(at, &format!("\\end{{{name}}}")).unwrap_or(at);
            }
        }
        None
    }

    pub(super) fn skip_blanks(&mut self) {
        loop {
            self.skip(char::is_whitespace);
            if !self.skip_comment() {
                return;
            }
        }
    }

    /// Skips the star and the distance after `\\\\`: `*[2pt]`.
    fn row_distance(&mut self) {
        self.accept('*');
        let before = self.position;
        self.skip(|c| c.is_whitespace());
        if self.accept('[') {
            let start = self.position;
            self.length();
            if self.position > start && self.accept(']') {
                return;
            }
        }
        self.position = before;
    }

    pub(super) fn accept(&mut self, character: char) -> bool {
        let is_next = self.rest().starts_with(character);
        self.position += if is_next { character.len_utf8() } else { 0 };
        is_next
    }

    /// Skips a length without braces, such as `=2pt plus 1fil`.
    fn length(&mut self) {
        let start = self.position;
        self.skip(|c| " =+-".contains(c));
        let number = self.skip(|c| c.is_ascii_digit() || ".,".contains(c));
        self.skip(|c| c == ' ');
        let rest = self.rest();
        let unit = match rest.strip_prefix('\\').map(command_name) {
            Some(name) => name.len() + usize::from(!name.is_empty()),
            None if !number.is_empty() && UNITS.iter().any(|unit| rest.starts_with(unit)) => 2,
            None => 0,
        };
        self.position = if unit == 0 { start } else { self.position + unit };
        if self.text[..self.position].ends_with("fi") {
            self.skip(|c| c == 'l');
        }
        for word in [" plus", " minus"] {
            if unit > 0 && self.rest().starts_with(word) {
                self.position += word.len();
                self.length();
            }
        }
    }

    /// Reads arguments and returns those of `m`. The forms are: `m` in braces, `o` in brackets if there is one, `p` in
    /// parentheses if there is one, `s` a star if there is one, `l` a length without braces.
    pub(super) fn arguments(&mut self, forms: &str) -> Vec<Range<usize>> {
        let mut arguments = Vec::new();
        for form in forms.chars() {
            match form {
                'm' => arguments.push(self.argument()),
                'o' => drop(self.option()),
                'p' if self.rest().starts_with('(') => {
                    let close = self.find_plain(self.position, ")");
                    self.position = close.map_or(self.position, |close| close + 1);
                }
                's' => drop(self.accept('*')),
                'l' => self.length(),
                _ => {}
            }
        }
        arguments
    }

    pub(super) fn remaining_range(&self) -> Range<usize> {
        self.position..self.end
    }

    pub(super) fn is_at_group(&self) -> bool {
        self.rest().starts_with('{')
    }

    pub(super) fn is_at_bracket(&self) -> bool {
        self.rest().trim_start().starts_with('[')
    }

    /// Up to a command, which is scanned, too; else up to the end.
    pub(super) fn range_before(&mut self, command: &str) -> Range<usize> {
        let start = self.position;
        while let Some((token, at)) = self.next() {
            if token == LatexToken::Command(command) {
                return start..at.start;
            }
        }
        start..self.end
    }

    /// The text between braces, else one character or command. Empty if there is none.
    pub(super) fn argument(&mut self) -> Range<usize> {
        self.argument_with(true)
    }

    /// What stands before the next brace, in front of which the scanner then is. Empty if it is not near.
    pub(super) fn range_before_brace(&mut self) -> Range<usize> {
        let start = self.position;
        self.position = self.find(start, "{").unwrap_or(start);
        start..self.position
    }

    /// A percent sign in an address begins no comment.
    pub(super) fn address(&mut self) -> Range<usize> {
        self.argument_with(false)
    }

    fn argument_with(&mut self, has_comments: bool) -> Range<usize> {
        let before = self.position;
        self.skip_blanks();
        let start = self.position;
        let Some(first) = self.rest().chars().next() else {
            self.position = before;
            return before..before;
        };
        match first {
            '{' => {
                let close = self.find_closing(start, has_comments);
                self.position = close.map_or(self.end, |close| close + 1);
                start + 1..close.unwrap_or(self.end)
            }
            '\\' => {
                let rest = &self.rest()[1..];
                let one = rest.chars().next().map_or(0, char::len_utf8);
                self.position += 1 + command_name(rest).len().max(one);
                start..self.position
            }
            // An address may stand between two equal characters.
            mark if !has_comments && !mark.is_alphanumeric() => {
                let start = start + mark.len_utf8();
                let close = self.find_plain(start, mark.encode_utf8(&mut [0; 4]));
                self.position = close.map_or(self.end, |close| close + mark.len_utf8());
                start..close.unwrap_or(self.end)
            }
            _ => {
                self.position += first.len_utf8();
                start..self.position
            }
        }
    }

    /// Between brackets. Those in groups do not end it.
    pub(super) fn option(&mut self) -> Option<Range<usize>> {
        if !self.rest().starts_with('[') {
            return None;
        }
        let start = self.position + 1;
        let mut close = self.find(start, "]")?;
        let mut at = start;
        while let Some(open) = self.text[at..close].find('{') {
            at = self.find_closing(at + open, true)? + 1;
            if at > close {
                close = self.find(at, "]")?;
            }
        }
        self.position = close + 1;
        Some(start..close)
    }
}

/// The name of a verbatim environment at the start of a text, before a brace.
fn verbatim_name(text: &str) -> Option<&'static str> {
    let names = VERBATIM_ENVIRONMENTS.iter().map(|(name, _)| *name);
    let mut found =
        names.filter(|name| text.strip_prefix(name).is_some_and(|rest| rest.starts_with('}')));
    found.next()
}

/// The letters at the start of a text.
fn command_name(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes searches pass in a text, and how many tokens it has.
    fn count_steps(text: &str) -> [usize; 2] {
        let ahead = SearchBudget::for_text(text);
        let before = ahead.remaining();
        let mut scanner = LatexScanner::new(text, 0..text.len(), &ahead);
        let mut tokens = 0;
        while let Some((token, _)) = scanner.next() {
            tokens += 1;
            if let LatexToken::Command(_) = token {
                scanner.option();
            }
        }
        [before - ahead.remaining(), tokens]
    }

    /// A missing end costs a few searches for each byte, not one for each start.
    #[test]
    fn twice_the_text_takes_about_twice_the_steps() {
        const SIZE: usize = 1 << 16;
        let check = |unit: &str| {
            let [once, twice] =
                [1, 2].map(|times| count_steps(&unit.repeat(times * SIZE / unit.len())));
            assert!(twice[0] <= 2 * once[0] + 1000, "{unit}: {once:?}, {twice:?}");
            assert!(
                once[0] <= SearchBudget::MINIMUM + SearchBudget::PER_BYTE * SIZE,
                "{unit}: {once:?}"
            );
            assert!(once[1] <= SIZE, "{unit}: {once:?}");
        };
        for unit in ["{", "{a", "$", "\\(", "\\[", "\\begin{itemize}", "\\includegraphics["] {
            check(unit);
        }
        for unit in
            ["\\verb|", "\\verb", "\\", "%\n{", "\\textbf{", "}", "\\end{a}", "[", "$$", "é{"]
        {
            check(unit);
        }
        let names: String = (0..9000).map(|at| format!("\\begin{{a{at}}}")).collect();
        let most = SearchBudget::MINIMUM + SearchBudget::PER_BYTE * names.len();
        assert!(count_steps(&names)[0] <= most);
    }

    /// Even a statement of which each word is in 40 groups has enough.
    #[test]
    fn deeply_nested_groups_are_found() {
        let depth = 40;
        let inner = "{\\bf a} $x$ \\begin{itemize}\\item b\\end{itemize} ".repeat(1000);
        let text = format!("{}{inner}{}", "{".repeat(depth), "}".repeat(depth));
        let ahead = SearchBudget::for_text(&text);
        let mut range = 0..text.len();
        for _ in 0..depth {
            let mut scanner = LatexScanner::new(&text, range, &ahead);
            let Some((LatexToken::Group(inside), _)) = scanner.next() else { panic!("a group") };
            range = inside;
        }
        assert_eq!(&text[range], inner);
        assert!(ahead.remaining() > SearchBudget::MINIMUM);
    }
}
