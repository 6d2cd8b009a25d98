//! Scans a LaTeX text: groups and environments as a whole, formulas unparsed.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use crate::package::latex::{closing, find};

const FORMULAS: [&str; 8] =
    ["equation", "align", "eqnarray", "gather", "multline", "displaymath", "math", "alignat"];
pub(super) const VERBATIM: [&str; 2] = ["verbatim", "lstlisting"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    /// White space, including the end of a line.
    Space,
    /// `~`.
    Tie,
    /// An empty line.
    Paragraph,
    Math {
        formula: &'a str,
        alone: bool,
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
    Stray(&'a str),
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    ahead: Ahead,
}

/// The bytes that all scanners of a statement together may still search. A missing end is searched up to the end of
/// the text, so without a bound the time would be quadratic.
#[derive(Clone, Debug)]
pub(super) struct Ahead(Rc<Cell<usize>>);

impl Ahead {
    /// Each byte is searched once for each group that contains it, and a few times for each table.
    const TIMES: usize = 64;
    /// For short texts.
    const LEAST: usize = 1 << 20;

    pub(super) fn of(text: &str) -> Self {
        Self(Rc::new(Cell::new(Self::LEAST + Self::TIMES * text.len())))
    }

    pub(super) fn left(&self) -> usize {
        self.0.get()
    }

    fn pass(&self, bytes: usize) {
        self.0.set(self.0.get().saturating_sub(bytes));
    }

    fn end(&self, start: usize, end: usize) -> usize {
        end.min(start.saturating_add(self.left()))
    }
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, range: Range<usize>, ahead: &Ahead) -> Self {
        Self { text, at: range.start, end: range.end, ahead: ahead.clone() }
    }

    fn find(&self, start: usize, what: &str) -> Option<usize> {
        let found = find(self.text, start, self.ahead.end(start, self.end), what);
        self.ahead.pass(found.unwrap_or(self.end).saturating_sub(start));
        found
    }

    fn closing(&self, open: usize, has_comments: bool) -> Option<usize> {
        let found = closing(self.text, open, self.ahead.end(open, self.end), has_comments);
        self.ahead.pass(found.unwrap_or(self.end).saturating_sub(open));
        found
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    pub(super) fn next(&mut self) -> Option<(Token<'a>, Range<usize>)> {
        while self.rest().starts_with('%') {
            self.comment();
        }
        let start = self.at;
        let first = self.rest().chars().next()?;
        let token = match first {
            _ if first.is_whitespace() => self.blanks(),
            '~' => self.single(Token::Tie),
            '&' => self.single(Token::Cell),
            '}' => self.single(Token::Stray("}")),
            '{' => match self.closing(self.at, true) {
                Some(close) => {
                    let inner = self.at + 1..close;
                    self.at = close + 1;
                    Token::Group(inner)
                }
                None => self.single(Token::Stray("{")),
            },
            '$' => self.math(),
            '\\' => self.backslash(),
            _ => {
                let is_special = |c: char| "%~&{}$\\".contains(c) || c.is_whitespace();
                Token::Text(self.skip(|c| !is_special(c)))
            }
        };
        Some((token, start..self.at))
    }

    /// Skips a comment, up to the first character of the next line that is not white space.
    fn comment(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
        self.skip(|c| c == ' ' || c == '\t');
    }

    /// Returns the skipped text.
    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let passed = &rest[..rest.find(|c: char| !is_skipped(c)).unwrap_or(rest.len())];
        self.at += passed.len();
        passed
    }

    fn single(&mut self, token: Token<'a>) -> Token<'a> {
        self.at += 1;
        token
    }

    fn blanks(&mut self) -> Token<'a> {
        match self.skip(char::is_whitespace).matches('\n').count() {
            0 | 1 => Token::Space,
            _ => Token::Paragraph,
        }
    }

    fn math(&mut self) -> Token<'a> {
        let alone = self.rest().starts_with("$$");
        let mark = if alone { "$$" } else { "$" };
        self.at += mark.len();
        self.formula(mark, mark, alone)
    }

    /// The opening mark is already scanned.
    fn formula(&mut self, open: &'a str, close: &str, alone: bool) -> Token<'a> {
        let start = self.at;
        match self.find(start, close) {
            Some(end) => {
                self.at = end + close.len();
                Token::Math { formula: &self.text[start..end], alone }
            }
            None => Token::Stray(open),
        }
    }

    fn backslash(&mut self) -> Token<'a> {
        let rest = &self.rest()[1..];
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        if letters == 0 {
            let length = rest.chars().next().map_or(0, char::len_utf8);
            let name = &rest[..length];
            self.at += 1 + length;
            return match name {
                "(" => self.formula(name, "\\)", false),
                "[" => self.formula(name, "\\]", true),
                _ => Token::Command(name),
            };
        }
        let name = &rest[..letters + usize::from(rest[letters..].starts_with('*'))];
        let start = self.at;
        self.at += 1 + name.len();
        match name {
            "verb" | "verb*" => self.verb(),
            "begin" => self.environment(start),
            "end" => {
                self.argument();
                Token::Stray(&self.text[start..self.at])
            }
            _ => {
                // White space after a command only ends it.
                self.skip(|c| c == ' ' || c == '\t');
                Token::Command(name)
            }
        }
    }

    fn verb(&mut self) -> Token<'a> {
        let rest = self.rest();
        let Some(mark) = rest.chars().next() else { return Token::Stray("\\verb") };
        let start = mark.len_utf8();
        let far = self.ahead.end(0, rest.len() - start);
        let far = (0..=far).rev().find(|far| rest.is_char_boundary(start + far)).unwrap_or(0);
        let found = rest[start..start + far].find(mark);
        self.ahead.pass(found.unwrap_or(far));
        let Some(end) = found else { return Token::Stray("\\verb") };
        self.at += start + end + start;
        Token::Verbatim(&rest[start..start + end])
    }

    /// `\begin` is already scanned.
    fn environment(&mut self, start: usize) -> Token<'a> {
        let name = self.argument();
        let name = &self.text[name];
        let plain = name.trim_end_matches('*');
        let (open, close) = (format!("\\begin{{{name}}}"), format!("\\end{{{name}}}"));
        let mut depth = 1_usize;
        let mut at = self.at;
        while let Some(found) = self.find(at, "\\") {
            let rest = &self.text[found..self.end];
            at = found + 1;
            if rest.starts_with(&close) {
                depth -= 1;
                if depth == 0 {
                    let body = self.at..found;
                    self.at = found + close.len();
                    let whole = &self.text[start..self.at];
                    return if !FORMULAS.contains(&plain) {
                        Token::Environment { name, body }
                    } else if matches!(plain, "displaymath" | "math") {
                        Token::Math { formula: &self.text[body], alone: plain == "displaymath" }
                    } else {
                        Token::Math { formula: whole, alone: true }
                    };
                }
            } else if rest.starts_with(&open) && !VERBATIM.contains(&plain) {
                depth += 1;
            } else if rest.starts_with("\\\\") && !VERBATIM.contains(&plain) {
                at += 1;
            }
        }
        Token::Stray(&self.text[start..self.at])
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

    pub(super) fn left(&self) -> Range<usize> {
        self.at..self.end
    }

    pub(super) fn is_at_group(&self) -> bool {
        self.rest().starts_with('{')
    }

    /// The text between braces, else one character or command. Empty if there is none.
    pub(super) fn argument(&mut self) -> Range<usize> {
        self.argument_with(true)
    }

    pub(super) fn skip_to_brace(&mut self) {
        self.at = self.find(self.at, "{").unwrap_or(self.end);
    }

    /// A percent sign in an address begins no comment.
    pub(super) fn address(&mut self) -> Range<usize> {
        self.argument_with(false)
    }

    fn argument_with(&mut self, has_comments: bool) -> Range<usize> {
        let before = self.at;
        self.skip_blanks();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else {
            self.at = before;
            return before..before;
        };
        match first {
            '{' => {
                let close = self.closing(start, has_comments);
                self.at = close.map_or(self.end, |close| close + 1);
                start + 1..close.unwrap_or(self.end)
            }
            '\\' => {
                let rest = &self.rest()[1..];
                let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let one = rest.chars().next().map_or(0, char::len_utf8);
                self.at += 1 + letters.max(one);
                start..self.at
            }
            _ => {
                self.at += first.len_utf8();
                start..self.at
            }
        }
    }

    /// Between brackets.
    pub(super) fn option(&mut self) -> Option<Range<usize>> {
        if !self.rest().starts_with('[') {
            return None;
        }
        let start = self.at + 1;
        let close = self.find(start, "]")?;
        self.at = close + 1;
        Some(start..close)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes searches pass in a text, and how many tokens it has.
    fn passed(text: &str) -> [usize; 2] {
        let ahead = Ahead::of(text);
        let before = ahead.left();
        let mut scanner = Scanner::new(text, 0..text.len(), &ahead);
        let mut tokens = 0;
        while let Some((token, _)) = scanner.next() {
            tokens += 1;
            if let Token::Command(_) = token {
                scanner.option();
            }
        }
        [before - ahead.left(), tokens]
    }

    /// A missing end costs a few searches for each byte, not one for each start.
    #[test]
    fn twice_the_text_takes_about_twice_the_steps() {
        const SIZE: usize = 1 << 16;
        let check = |unit: &str| {
            let [once, twice] = [1, 2].map(|times| passed(&unit.repeat(times * SIZE / unit.len())));
            assert!(twice[0] <= 2 * once[0] + 1000, "{unit}: {once:?}, {twice:?}");
            assert!(once[0] <= Ahead::LEAST + Ahead::TIMES * SIZE, "{unit}: {once:?}");
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
        let most = Ahead::LEAST + Ahead::TIMES * names.len();
        assert!(passed(&names)[0] <= most);
    }

    /// Even a statement of which each word is in 40 groups has enough.
    #[test]
    fn nested_groups_are_found_however_deep() {
        let depth = 40;
        let inner = "{\\bf a} $x$ \\begin{itemize}\\item b\\end{itemize} ".repeat(1000);
        let text = format!("{}{inner}{}", "{".repeat(depth), "}".repeat(depth));
        let ahead = Ahead::of(&text);
        let mut range = 0..text.len();
        for _ in 0..depth {
            let mut scanner = Scanner::new(&text, range, &ahead);
            let Some((Token::Group(inside), _)) = scanner.next() else { panic!("a group") };
            range = inside;
        }
        assert_eq!(&text[range], inner);
        assert!(ahead.left() > Ahead::LEAST);
    }
}
