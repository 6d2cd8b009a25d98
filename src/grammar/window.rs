//! An input as it is read: a window that moves over it, so that a large file needs little memory.

use std::io::{self, Read};

use crate::grammar::source;
use crate::model::diagnostic::{LINE_MAX, Spot};

/// How much is read at once, in bytes.
const CHUNK: usize = 1 << 18;
/// How much is read at first: many inputs are short, and there are thousands a second of them.
const FIRST: usize = 1 << 12;
/// How much of what was read stays for messages, in bytes.
const KEPT: usize = 4096;

/// A window over an input.
pub(super) struct Window<'a> {
    input: Box<dyn Read + 'a>,
    bytes: Vec<u8>,
    /// Where reading stands, in `bytes`.
    pub(super) at: usize,
    /// Whether `bytes` ends with the input.
    ended: bool,
    /// How many bytes lie before the window.
    dropped: u64,
    /// How many line ends lie before it.
    dropped_lines: u64,
    /// How much of the line that the window begins in lies before it, in bytes.
    dropped_of_line: u64,
}

impl<'a> Window<'a> {
    pub(super) fn new(input: impl Read + 'a) -> Self {
        Self {
            input: Box::new(input),
            bytes: Vec::new(),
            at: 0,
            ended: false,
            dropped: 0,
            dropped_lines: 0,
            dropped_of_line: 0,
        }
    }

    /// What is not read yet: at least `wanted` bytes, unless the input ends before.
    #[inline]
    pub(super) fn ahead(&mut self, wanted: usize) -> io::Result<&[u8]> {
        if self.bytes.len() - self.at < wanted && !self.ended {
            self.fill(wanted)?;
        }
        Ok(&self.bytes[self.at..])
    }

    /// What is not read yet, as far as it is in the window.
    #[inline]
    pub(super) fn seen(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// All that is not read yet.
    pub(super) fn all(&mut self) -> io::Result<&[u8]> {
        self.ahead(usize::MAX)
    }

    /// Whether the window reaches the input's end.
    pub(super) fn is_complete(&self) -> bool {
        self.ended
    }

    /// How much has been read, in bytes.
    #[inline]
    pub(super) fn offset(&self) -> u64 {
        self.dropped + self.at as u64
    }

    /// The bytes from `start` to `end` of the input, as far as they are still in the window.
    pub(super) fn piece(&self, start: u64, end: u64) -> &[u8] {
        let place = |offset: u64| {
            usize::try_from(offset.saturating_sub(self.dropped))
                .unwrap_or(usize::MAX)
                .min(self.bytes.len())
        };
        &self.bytes[place(start)..place(end).max(place(start))]
    }

    #[cold]
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        while self.bytes.len() - self.at < wanted && !self.ended {
            self.drop_read();
            let length = self.bytes.len();
            // The more is wanted, the larger the steps.
            let before = usize::try_from(self.dropped).map_or(CHUNK, |dropped| dropped + length);
            let usual = before.saturating_mul(4).clamp(FIRST, CHUNK);
            let step = usual.max((length - self.at).min(64 * CHUNK));
            self.bytes.resize(length + step, 0);
            let read = loop {
                match self.input.read(&mut self.bytes[length..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => break other,
                }
            };
            let read = match read {
                Ok(read) => read,
                Err(error) => {
                    self.bytes.truncate(length);
                    return Err(error);
                }
            };
            self.bytes.truncate(length + read);
            self.ended = read == 0;
        }
        Ok(())
    }

    fn drop_read(&mut self) {
        let count = self.at.saturating_sub(KEPT);
        if count < CHUNK / 2 {
            return;
        }
        let gone = &self.bytes[..count];
        self.dropped += count as u64;
        self.dropped_lines += memchr::memchr_iter(b'\n', gone).count() as u64;
        self.dropped_of_line = match memchr::memrchr(b'\n', gone) {
            Some(newline) => (count - newline - 1) as u64,
            None => self.dropped_of_line + count as u64,
        };
        self.bytes.drain(..count);
        self.at -= count;
    }

    /// A spot of the input; its text is empty where the line is too long to be shown.
    pub(super) fn spot(&mut self, offset: u64, length: usize) -> Spot {
        // A line that cannot be read to its end is shown as far as it is there.
        let _ = self.ahead(LINE_MAX);
        let start = usize::try_from(offset.saturating_sub(self.dropped)).unwrap_or(usize::MAX);
        let start = start.min(self.bytes.len());
        let mut spot =
            source::spot(&self.bytes, start, start.saturating_add(length).min(self.bytes.len()));
        let number = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let line = u64::from(spot.line) + self.dropped_lines;
        let begins_outside = spot.line == 1 && self.dropped_of_line > 0;
        if begins_outside {
            spot.column = number(u64::from(spot.column) + self.dropped_of_line);
        }
        spot.line = number(line);
        if begins_outside || spot.text.len() > LINE_MAX {
            spot.text = String::new();
        }
        spot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_right_after_the_window_has_moved() {
        let mut text = Vec::new();
        for number in 0..200_000 {
            text.extend(format!("{number} é\n").bytes());
        }
        let mut window = Window::new(&text[..]);
        let target = text.windows(6).position(|bytes| bytes == b"199998").unwrap();
        while window.offset() < target as u64 {
            assert!(!window.ahead(100).unwrap().is_empty());
            window.at += 1;
        }
        assert!(window.bytes.len() < 2 * CHUNK, "memory stays small");
        let spot = window.spot(target as u64 + 9, 1);
        assert_eq!((spot.line, spot.column), (199_999, 9));
        assert_eq!(spot.text, "199998 é");
        assert_eq!(window.piece(target as u64, target as u64 + 6), b"199998");
    }

    #[test]
    fn a_line_that_is_too_long_is_not_shown() {
        let text = vec![b'x'; 1 << 20];
        let mut window = Window::new(&text[..]);
        for _ in 0..1_000_000 {
            window.ahead(1).unwrap();
            window.at += 1;
        }
        let spot = window.spot(1_000_000, 1);
        assert_eq!((spot.line, spot.column, spot.text.as_str()), (1, 1_000_001, ""));
    }
}
