//! Scans a LaTeX text: groups and environments as a whole, formulas unparsed.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use crate::package::latex::{closing_brace, find_outside_comments};

const FORMULA_ENVIRONMENTS: [&str; 8] =
    ["equation", "align", "eqnarray", "gather", "multline", "displaymath", "math", "alignat"];
pub(super) const VERBATIM_ENVIRONMENTS: [&str; 2] = ["verbatim", "lstlisting"];

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

    fn find(&self, start: usize, what: &str) -> Option<usize> {
        let found = find_outside_comments(
            self.text,
            start,
            self.search_budget.limit(start, self.end),
            what,
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
        while self.rest().starts_with('%') {
            self.comment();
        }
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

    /// Skips a comment, up to the first character of the next line that is not white space.
    fn comment(&mut self) {
        let rest = self.rest();
        self.position += rest.find('\n').map_or(rest.len(), |end| end + 1);
        self.skip(|c| c == ' ' || c == '\t');
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
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        if letters == 0 {
            let length = rest.chars().next().map_or(0, char::len_utf8);
            let name = &rest[..length];
            self.position += 1 + length;
            return match name {
                "(" => self.formula(name, "\\)", false),
                "[" => self.formula(name, "\\]", true),
                _ => LatexToken::Command(name),
            };
        }
        let name = &rest[..letters + usize::from(rest[letters..].starts_with('*'))];
        let start = self.position;
        self.position += 1 + name.len();
        match name {
            "verb" | "verb*" => self.verb(),
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

    fn verb(&mut self) -> LatexToken<'a> {
        let rest = self.rest();
        let Some(mark) = rest.chars().next() else { return LatexToken::Unmatched("\\verb") };
        let start = mark.len_utf8();
        let far = self.search_budget.limit(0, rest.len() - start);
        let far = (0..=far).rev().find(|far| rest.is_char_boundary(start + far)).unwrap_or(0);
        let found = rest[start..start + far].find(mark);
        self.search_budget.spend(found.unwrap_or(far));
        let Some(end) = found else { return LatexToken::Unmatched("\\verb") };
        self.position += start + end + start;
        LatexToken::Verbatim(&rest[start..start + end])
    }

    /// `\begin` is already scanned.
    fn environment(&mut self, start: usize) -> LatexToken<'a> {
        let name = self.argument();
        let name = &self.text[name];
        let plain = name.trim_end_matches('*');
        let (open, close) = (format!("\\begin{{{name}}}"), format!("\\end{{{name}}}"));
        let mut depth = 1_usize;
        let mut at = self.position;
        while let Some(found) = self.find(at, "\\") {
            let rest = &self.text[found..self.end];
            at = found + 1;
            if rest.starts_with(&close) {
                depth -= 1;
                if depth == 0 {
                    let body = self.position..found;
                    self.position = found + close.len();
                    let whole = &self.text[start..self.position];
                    return if !FORMULA_ENVIRONMENTS.contains(&plain) {
                        LatexToken::Environment { name, body }
                    } else if matches!(plain, "displaymath" | "math") {
                        LatexToken::Math {
                            formula: &self.text[body],
                            is_display: plain == "displaymath",
                        }
                    } else {
                        LatexToken::Math { formula: whole, is_display: true }
                    };
                }
            } else if rest.starts_with(&open) && !VERBATIM_ENVIRONMENTS.contains(&plain) {
                depth += 1;
            } else if rest.starts_with("\\\\") && !VERBATIM_ENVIRONMENTS.contains(&plain) {
                at += 1;
            }
        }
        LatexToken::Unmatched(&self.text[start..self.position])
    }

    fn skip_blanks(&mut self) {
        loop {
            self.skip(char::is_whitespace);
            if !self.rest().starts_with('%') {
                return;
            }
            self.comment();
        }
    }

    pub(super) fn remaining_range(&self) -> Range<usize> {
        self.position..self.end
    }

    pub(super) fn is_at_group(&self) -> bool {
        self.rest().starts_with('{')
    }

    /// The text between braces, else one character or command. Empty if there is none.
    pub(super) fn argument(&mut self) -> Range<usize> {
        self.argument_with(true)
    }

    pub(super) fn skip_to_brace(&mut self) {
        self.position = self.find(self.position, "{").unwrap_or(self.end);
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
                let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let one = rest.chars().next().map_or(0, char::len_utf8);
                self.position += 1 + letters.max(one);
                start..self.position
            }
            _ => {
                self.position += first.len_utf8();
                start..self.position
            }
        }
    }

    /// Between brackets.
    pub(super) fn option(&mut self) -> Option<Range<usize>> {
        if !self.rest().starts_with('[') {
            return None;
        }
        let start = self.position + 1;
        let close = self.find(start, "]")?;
        self.position = close + 1;
        Some(start..close)
    }
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
