//! The text of a grammar, and diagnostics at spots in it.

use std::path::{Path, PathBuf};

use juror_core::diagnostic::{Diagnostic, LONGEST_SHOWN_LINE, TextPosition};
use juror_core::lines::LineIndex;

/// A range of bytes of a grammar's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    #[must_use]
    pub fn to(self, end: Self) -> Self {
        Self { start: self.start, end: end.end.max(self.start) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub path: PathBuf,
    pub text: Vec<u8>,
    lines: LineIndex,
}

impl Source {
    pub fn new(path: &Path, text: &[u8]) -> Self {
        Self { path: path.to_owned(), text: text.to_vec(), lines: LineIndex::new(text) }
    }

    pub fn spot(&self, span: Span) -> TextPosition {
        spot(&self.text, &self.lines, span)
    }

    /// A single line with white space collapsed, shortened if it is long.
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

    /// For example `a.ctd:3:5`.
    pub fn address(&self, span: Span) -> String {
        let spot = self.spot(span);
        format!("{}:{}:{}", self.path.display(), spot.line, spot.column)
    }

    /// From 1.
    pub fn line(&self, span: Span) -> u32 {
        number(self.lines.line_number(span.start))
    }

    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(&self.path, message).at_position(self.spot(span))
    }

    pub fn warning(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(&self.path, message).at_position(self.spot(span))
    }
}

/// Ends at the end of the span's first line.
pub(super) fn spot(text: &[u8], lines: &LineIndex, span: Span) -> TextPosition {
    let line = lines.line_number(span.start);
    let mut bytes = lines.line_range(line);
    if text[bytes.clone()].ends_with(b"\n") {
        bytes.end -= 1;
    }
    let shown = Some(&text[bytes.clone()]).filter(|line| line.len() <= LONGEST_SHOWN_LINE);
    TextPosition {
        line: number(line),
        column: number(lines.count_characters(text, bytes.start..span.start) + 1),
        text: String::from_utf8_lossy(shown.unwrap_or_default()).into_owned(),
        width: number(lines.count_characters(text, span.start..span.end.min(bytes.end)).max(1)),
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
