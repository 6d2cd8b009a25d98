//! The text of a grammar, and remarks about spots in it.

use std::path::{Path, PathBuf};

use crate::model::diagnostic::{Diagnostic, LINE_MAX, Spot};
use crate::model::lines::LineIndex;

/// A piece of a grammar's text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
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
    pub path: PathBuf,
    /// Its bytes.
    pub text: Vec<u8>,
    lines: LineIndex,
}

impl Source {
    /// The text of a file.
    pub fn new(path: &Path, text: &[u8]) -> Self {
        Self { path: path.to_owned(), text: text.to_vec(), lines: LineIndex::of(text) }
    }

    /// A spot of the text.
    pub fn spot(&self, span: Span) -> Spot {
        spot(&self.text, &self.lines, span)
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
        number(self.lines.line(span.start))
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

/// A spot of a text, up to the end of its first line.
pub(super) fn spot(text: &[u8], lines: &LineIndex, span: Span) -> Spot {
    let line = lines.line(span.start);
    let mut bytes = lines.bytes(line);
    if text[bytes.clone()].ends_with(b"\n") {
        bytes.end -= 1;
    }
    let shown = Some(&text[bytes.clone()]).filter(|line| line.len() <= LINE_MAX);
    Spot {
        line: number(line),
        column: number(lines.count(text, bytes.start..span.start) + 1),
        text: String::from_utf8_lossy(shown.unwrap_or_default()).into_owned(),
        width: number(lines.count(text, span.start..span.end.min(bytes.end)).max(1)),
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
