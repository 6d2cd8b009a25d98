//! The text of a grammar, and remarks about spots in it.

use std::path::{Path, PathBuf};

use crate::model::diagnostic::{Diagnostic, Spot};

/// A piece of a grammar's text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Its start.
    pub start: usize,
    /// Its end, exclusive.
    pub end: usize,
}

impl Span {
    /// From the start of one to the end of another.
    #[must_use]
    pub fn to(self, end: Self) -> Self {
        Self { start: self.start, end: end.end.max(self.start) }
    }
}

/// A grammar's text and its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Its bytes.
    pub text: Vec<u8>,
}

impl Source {
    /// The text of a file.
    pub fn new(path: &Path, text: &[u8]) -> Self {
        Self { path: path.to_owned(), text: text.to_vec() }
    }

    /// A spot of the text.
    pub fn spot(&self, span: Span) -> Spot {
        spot(&self.text, span.start, span.end)
    }

    /// A piece of the text in one line, with white space collapsed, shortened if it is long.
    pub fn excerpt(&self, span: Span) -> String {
        const LONGEST: usize = 80;
        let text = String::from_utf8_lossy(&self.text[span.start..span.end]);
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.join(" ");
        match words.char_indices().nth(LONGEST) {
            None => words,
            Some((cut, _)) => format!("{}…", &words[..cut]),
        }
    }

    /// The address of a piece of the text: `a.ctd:3:5`.
    pub fn address(&self, span: Span) -> String {
        let spot = self.spot(span);
        format!("{}:{}:{}", self.path.display(), spot.line, spot.column)
    }

    /// The line of a piece's start, from 1.
    pub fn line(&self, span: Span) -> u32 {
        self.spot(span).line
    }

    /// An error about a spot.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(&self.path, message).at(self.spot(span))
    }

    /// A warning about a spot.
    pub fn warning(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(&self.path, message).at(self.spot(span))
    }
}

/// The spot from `start` to `end` of a text, up to the end of its first line.
pub(super) fn spot(text: &[u8], start: usize, end: usize) -> Spot {
    let start = start.min(text.len());
    let line_start = memchr::memrchr(b'\n', &text[..start]).map_or(0, |newline| newline + 1);
    let line_end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |at| start + at);
    let line = memchr::memchr_iter(b'\n', &text[..line_start]).count() + 1;
    let characters =
        |from: usize, to: usize| String::from_utf8_lossy(&text[from..to.max(from)]).chars().count();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Spot {
        line: number(line),
        column: number(characters(line_start, start) + 1),
        text: String::from_utf8_lossy(&text[line_start..line_end]).into_owned(),
        width: number(characters(start, end.min(line_end)).max(1)),
    }
}
