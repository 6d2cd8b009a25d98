//! Reads the lines of a stream, of bounded length.

use std::io::{self, BufRead};

/// In bytes. Each line that is judged is in memory up to this size.
pub const LONGEST_LINE: usize = 64 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawLine {
    /// From 1.
    pub number: u64,
    /// Without the line end; if the line is too long, only its beginning.
    pub text: Vec<u8>,
    pub is_too_long: bool,
}

pub struct LineReader<R> {
    from: R,
    longest: usize,
    number: u64,
    bytes: u64,
}

impl<R: BufRead> LineReader<R> {
    /// Lines have at most `longest` bytes.
    pub fn new(from: R, longest: usize) -> Self {
        Self { from, longest, number: 0, bytes: 0 }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line that is not blank; blank ones count.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        loop {
            let Some(line) = self.next_raw_line()? else { return Ok(None) };
            if line.is_too_long || !line.text.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
    }

    /// The next line, also a blank one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn next_raw_line(&mut self) -> io::Result<Option<RawLine>> {
        let mut line = RawLine { number: self.number + 1, text: Vec::new(), is_too_long: false };
        let mut is_there = false;
        loop {
            let buffered = match self.from.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffered => buffered?,
            };
            if buffered.is_empty() {
                break;
            }
            is_there = true;
            let end = memchr::memchr(b'\n', buffered);
            let part = &buffered[..end.unwrap_or(buffered.len())];
            let room = self.longest - line.text.len();
            line.text.extend_from_slice(&part[..part.len().min(room)]);
            line.is_too_long |= part.len() > room;
            let used = part.len() + usize::from(end.is_some());
            self.from.consume(used);
            self.bytes += used as u64;
            if end.is_some() {
                break;
            }
        }
        self.number += u64::from(is_there);
        Ok(is_there.then_some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_lines(text: &[u8], capacity: usize) -> Vec<RawLine> {
        let mut lines = LineReader::new(io::BufReader::with_capacity(capacity, text), 8);
        let all = std::iter::from_fn(|| lines.next_line().expect("bytes can be read")).collect();
        assert_eq!(lines.bytes(), text.len() as u64);
        all
    }

    #[test]
    fn lines_end_at_a_line_feed_or_at_the_end_and_are_bounded() {
        let check = |text: &str, expected: &[(u64, &str, bool)]| {
            let expected = expected.iter().map(|(number, text, is_too_long)| RawLine {
                number: *number,
                text: text.as_bytes().to_vec(),
                is_too_long: *is_too_long,
            });
            let expected: Vec<RawLine> = expected.collect();
            for capacity in [1, 3, 100] {
                assert_eq!(
                    read_lines(text.as_bytes(), capacity),
                    expected,
                    "{text:?} by {capacity}"
                );
            }
        };
        check("", &[]);
        check("\n\n \r\n", &[]);
        check("a", &[(1, "a", false)]);
        check("a\n", &[(1, "a", false)]);
        check("\na\r\n\nb\n", &[(2, "a\r", false), (4, "b", false)]);
        check("12345678\n", &[(1, "12345678", false)]);
        check("123456789\nx", &[(1, "12345678", true), (2, "x", false)]);
        check("         y\n", &[(1, "        ", true)]);
    }

    proptest! {
        #[test]
        fn each_line_that_is_not_blank_is_read_once(text in prop::collection::vec(
            prop_oneof![Just(b'\n'), Just(b' '), any::<u8>()], 0..60,
        ), capacity in 1..20_usize) {
            let all = text.split(|byte| *byte == b'\n').enumerate();
            let expected = all.filter(|(_, line)| line.len() > 8 || !line.trim_ascii().is_empty());
            let expected: Vec<RawLine> = expected.map(|(at, line)| RawLine {
                number: at as u64 + 1,
                text: line[..line.len().min(8)].to_vec(),
                is_too_long: line.len() > 8,
            }).collect();
            prop_assert_eq!(read_lines(&text, capacity), expected);
        }
    }
}
