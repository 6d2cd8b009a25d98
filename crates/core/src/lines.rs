//! Finds lines and columns in a text without scanning it again, even if all of it is one line or it has only line
//! ends.

use std::ops::Range;

use crate::diagnostic::LONGEST_SHOWN_LINE;

#[cfg(test)]
thread_local! {
    /// How many bytes were scanned.
    static SCANNED_BYTES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The number of characters is stored at each multiple of so many bytes.
const CHUNK: usize = 256;

/// Where lines start, and how many characters are before each `CHUNK` of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<usize>,
    characters: Vec<usize>,
    length: usize,
}

impl LineIndex {
    /// Scans the text once.
    pub fn new(text: &[u8]) -> Self {
        let ends = memchr::memchr_iter(b'\n', text);
        let starts = std::iter::once(0).chain(ends.map(|end| end + 1)).collect();
        let mut all = 0;
        let before = |piece: &[u8]| {
            let before = all;
            all += count_starts(piece);
            before
        };
        let mut characters: Vec<usize> = text.chunks(CHUNK).map(before).collect();
        characters.push(all);
        Self { starts, characters, length: text.len() }
    }

    /// Counts from 1.
    pub fn line_number(&self, index: usize) -> usize {
        self.starts.partition_point(|start| *start <= index)
    }

    /// The bytes of a line with its line end. Lines count from 1; a line that does not exist is empty.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let start = |line: usize| self.starts.get(line).copied().unwrap_or(self.length);
        start(line - 1)..start(line)
    }

    /// The number of characters in a part of this text. The part may end beyond the text.
    pub fn count_characters(&self, text: &[u8], part: Range<usize>) -> usize {
        let end = part.end.min(text.len());
        let start = part.start.min(end);
        if end - start <= LONGEST_SHOWN_LINE {
            #[cfg(test)]
            SCANNED_BYTES.set(SCANNED_BYTES.get() + end - start);
            return String::from_utf8_lossy(&text[start..end]).chars().count();
        }
        let before = |index: usize| {
            let piece = index / CHUNK;
            self.characters[piece] + count_starts(&text[piece * CHUNK..index])
        };
        before(end) - before(start)
    }
}

/// The number of characters that begin in these bytes.
fn count_starts(bytes: &[u8]) -> usize {
    #[cfg(test)]
    SCANNED_BYTES.set(SCANNED_BYTES.get() + bytes.len());
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let index = LineIndex::new(text.as_bytes());
        let boundaries = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
        for at in boundaries.step_by(1 + text.len() / 50) {
            let line = index.line_number(at);
            assert_eq!(line, text[..at].matches('\n').count() + 1, "{at}");
            let bytes = index.line_range(line);
            assert!(bytes.contains(&at) || at == bytes.end, "{at} {bytes:?}");
            assert_eq!(text[bytes].trim_end_matches('\n').matches('\n').count(), 0);
            assert_eq!(
                index.count_characters(text.as_bytes(), 0..at),
                text[..at].chars().count(),
                "{at}"
            );
        }
    }

    #[test]
    fn the_index_agrees_with_a_search_of_the_whole_text() {
        for text in ["", "\n", "a", "a\nb", "a\n", "\n\nä\n"] {
            check(text);
        }
        check(&"a{b: ä},".repeat(2000));
        check(&"é".repeat(3 * CHUNK));
        check(&"x".repeat(10 * CHUNK));
        check(&"a\nbc\n".repeat(500));
    }

    #[test]
    fn a_line_that_does_not_exist_is_empty() {
        let index = LineIndex::new(b"a\nb");
        assert_eq!(
            (index.line_range(1), index.line_range(2), index.line_range(3)),
            (0..2, 2..3, 3..3)
        );
        assert_eq!(index.count_characters(b"a\nb", 2..100), 1);
    }

    /// In a line of a MiB, a column takes the bytes of a few chunks.
    #[test]
    fn finding_a_column_does_not_scan_the_whole_text() {
        let text = "[],".repeat(1 << 18);
        let index = LineIndex::new(text.as_bytes());
        SCANNED_BYTES.set(0);
        for at in (0..text.len()).step_by(1024) {
            assert_eq!(index.count_characters(text.as_bytes(), 0..at), at);
        }
        let most = text.len() / 1024 * (LONGEST_SHOWN_LINE + 2 * CHUNK);
        assert!(SCANNED_BYTES.get() <= most, "{} bytes", SCANNED_BYTES.get());
    }
}
