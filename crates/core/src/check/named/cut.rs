//! Cuts a text into the units that a comparison compares: tokens, or lines in the ways of the originals.

use std::borrow::Cow;
use std::collections::TryReserveError;

use crate::check::bytes::is_blank;

/// A part of a text, as offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    pub(super) fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.end]
    }

    pub(super) fn end_of(text: &[u8]) -> Self {
        Self { start: text.len(), end: text.len() }
    }
}

/// The bytes between tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blanks {
    /// Space, tab, CR and LF.
    Four,
    /// Also vertical tab and form feed.
    Six,
}

impl Blanks {
    #[inline]
    pub(super) fn contains(self, byte: u8) -> bool {
        is_blank(byte) && (self == Self::Six || !matches!(byte, b'\x0b' | b'\x0c'))
    }
}

#[derive(Clone)]
pub(super) struct Tokens<'t> {
    pub(super) text: &'t [u8],
    blanks: Blanks,
    position: usize,
}

/// The tokens of `span`, as offsets in the whole text.
pub(super) fn tokens(text: &[u8], span: Span, blanks: Blanks) -> Tokens<'_> {
    Tokens { text: &text[..span.end], blanks, position: span.start }
}

impl Iterator for Tokens<'_> {
    type Item = Span;

    #[inline]
    fn next(&mut self) -> Option<Span> {
        let (text, blanks) = (self.text, self.blanks);
        let rest = &text[self.position..];
        let start = self.position + rest.iter().position(|&byte| !blanks.contains(byte))?;
        let rest = &text[start..];
        let length = rest.iter().position(|&byte| blanks.contains(byte)).unwrap_or(rest.len());
        self.position = start + length;
        Some(Span { start, end: self.position })
    }
}

/// Which lines do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SkippedLines {
    None,
    Empty,
    /// Those without a token.
    Blank,
}

/// The pieces between any two of CR and LF, so that a CR before an LF ends an empty line, too.
pub(super) fn lines(text: &[u8], skipped: SkippedLines) -> impl Iterator<Item = Span> {
    let mut start = 0;
    let pieces = text.split(|byte| matches!(byte, b'\r' | b'\n')).map(move |piece| {
        let span = Span { start, end: start + piece.len() };
        start = span.end + 1;
        span
    });
    pieces.filter(move |span| match skipped {
        SkippedLines::None => true,
        SkippedLines::Empty => span.start < span.end,
        SkippedLines::Blank => !span.of(text).iter().all(|&byte| is_blank(byte)),
    })
}

/// The pieces that end with LF, without it.
pub(super) fn testlib_lines(text: &[u8], from: usize) -> impl Iterator<Item = Span> {
    let mut start = from;
    text[from..].split_inclusive(|&byte| byte == b'\n').map(move |piece| {
        let length = piece.strip_suffix(b"\n").unwrap_or(piece).len();
        let span = Span { start, end: start + length };
        start += piece.len();
        span
    })
}

/// What testlib's `readString` makes of a line.
///
/// It drops a CR at the end, and each other CR. It takes what follows a dropped one as it is, even another CR, and
/// takes the end of the file for the byte 255.
pub(super) fn testlib_line(text: &[u8], line: Span) -> Result<Cow<'_, [u8]>, TryReserveError> {
    let bytes = line.of(text);
    if !bytes.contains(&b'\r') {
        return Ok(bytes.into());
    }
    let has_line_end = line.end < text.len();
    let mut content = Vec::new();
    content.try_reserve_exact(bytes.len())?;
    let mut rest = bytes.iter();
    while let Some(&byte) = rest.next() {
        match byte {
            b'\r' => match rest.next() {
                Some(&next) => content.push(next),
                None if has_line_end => {}
                None => content.push(u8::MAX),
            },
            _ => content.push(byte),
        }
    }
    Ok(content.into())
}
