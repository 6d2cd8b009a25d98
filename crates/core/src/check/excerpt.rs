//! Excerpts of the two texts at their first difference, for people.

use crate::check::bytes::count_tokens;
use crate::difference::{DifferenceSide, Excerpt};

const TOKEN_BYTES: usize = 60;

/// Bytes of the line that are shown before the first differing byte, and as many from it on.
const LINE_BYTES: usize = 40;

pub(super) struct DifferenceSpot<'t> {
    pub(super) window: &'t [u8],
    pub(super) dropped: &'t DroppedPart,
    /// Offset of the token, or of the first differing blank.
    pub(super) offset: u64,
    /// The part of it that is in memory, which begins at `start` in the window.
    pub(super) run: &'t [u8],
    pub(super) start: usize,
    pub(super) equal_bytes: usize,
}

/// The part of a text that was read and then dropped from memory.
#[derive(Debug, Default)]
pub(super) struct DroppedPart {
    pub(super) bytes: u64,
    pub(super) tokens: u64,
    pub(super) lines: u64,
    pub(super) line_start: u64,
}

impl DifferenceSpot<'_> {
    /// Without the length and the number of tokens, which are known at the end of the text.
    fn side(&self, before: usize) -> DifferenceSide {
        let Self { window, run, start, equal_bytes: same, .. } = *self;
        let differs_at = start + same;
        let newline = memchr::memrchr(b'\n', &window[..differs_at]);
        let in_window = newline.map_or(0, |at| at + 1);
        let line_start = match newline {
            Some(_) => self.dropped.bytes + in_window as u64,
            None => self.dropped.line_start,
        };
        let line_end = memchr::memchr(b'\n', &window[differs_at..]);
        let line = &window[in_window..line_end.map_or(window.len(), |length| differs_at + length)];
        let tokens = self.dropped.tokens + count_tokens(&window[..start]);
        // The token itself is already counted if a part of it comes before.
        let is_begun = self.offset < self.dropped.bytes + start as u64;
        let mut token = cut_excerpt(run, same, before, TOKEN_BYTES - same.min(before));
        token.cut_before += self.dropped.bytes + start as u64 - self.offset;
        let mut line = cut_excerpt(line, differs_at - in_window, LINE_BYTES, LINE_BYTES);
        line.cut_before += self.dropped.bytes + in_window as u64 - line_start;
        let lines = memchr::memchr_iter(b'\n', &window[..start]).count();
        DifferenceSide {
            token_number: tokens + u64::from(!is_begun),
            line: self.dropped.lines + lines as u64 + 1,
            column: self.offset - line_start + 1,
            offset: self.offset,
            differs_at: self.dropped.bytes + differs_at as u64,
            length: 0,
            tokens: 0,
            token,
            window: line,
        }
    }
}

pub(super) fn sides(
    answer: &DifferenceSpot<'_>,
    output: &DifferenceSpot<'_>,
) -> (DifferenceSide, DifferenceSide) {
    let longest =
        (answer.run.len() - answer.equal_bytes).max(output.run.len() - output.equal_bytes);
    // The same for both sides, so that they are aligned.
    let before = TOKEN_BYTES - longest.min(TOKEN_BYTES / 2);
    (answer.side(before), output.side(before))
}

/// Keeps so many bytes before and after `at`, and a few more if a cut would split a character.
fn cut_excerpt(piece: &[u8], at: usize, before: usize, after: usize) -> Excerpt {
    let (behind, ahead) = piece.split_at(at);
    let from = character_start(behind, at.saturating_sub(before));
    let to = at + character_end(ahead, after.min(ahead.len()));
    Excerpt {
        bytes: piece[from..to].to_vec(),
        cut_before: from as u64,
        cut_after: (piece.len() - to) as u64,
    }
}

/// A UTF-8 character may begin there: at the index, or up to three bytes before it.
pub(super) fn character_start(bytes: &[u8], index: usize) -> usize {
    let least = index.saturating_sub(3);
    let may_begin = |&start: &usize| bytes.get(start).is_none_or(|&byte| !is_continuation(byte));
    (least..=index).rev().find(may_begin).unwrap_or(index)
}

/// A UTF-8 character may end there: at the index, or up to three bytes after it.
pub(super) fn character_end(bytes: &[u8], index: usize) -> usize {
    let may_end = |&end: &usize| bytes.get(end).is_none_or(|&byte| !is_continuation(byte));
    (index..=index + 3).find(may_end).unwrap_or(index)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}
