//! The bytes of an input that is checked: all of them, or a window that moves through a file.

use std::io::{self, Read};

pub(super) trait Input {
    const MOVES: bool;
    fn bytes(&self) -> &[u8];
    /// The offset of the first byte in memory.
    fn start(&self) -> usize;
    /// Forgets the first `used` bytes and reads more: one window, or all that is left.
    fn advance(&mut self, used: usize, all: bool);
    fn is_at_end(&self) -> bool;
}

impl Input for &[u8] {
    const MOVES: bool = false;

    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }

    #[inline]
    fn start(&self) -> usize {
        0
    }

    fn advance(&mut self, _used: usize, _all: bool) {}

    fn is_at_end(&self) -> bool {
        true
    }
}

/// In bytes. Large enough that reads cost little, small enough for a processor's cache.
pub(super) const WINDOW: usize = 128 << 10;

pub(super) struct Window<R> {
    file: R,
    size: usize,
    buffer: Vec<u8>,
    /// The end of the bytes in memory, in the buffer; they begin at `first`.
    end: usize,
    first: usize,
    start: usize,
    is_at_end: bool,
    pub(super) error: Option<io::Error>,
}

impl<R: Read> Window<R> {
    pub(super) fn new(file: R, size: usize) -> Self {
        let buffer = Vec::new();
        Self { file, size, buffer, end: 0, first: 0, start: 0, is_at_end: false, error: None }
    }

    fn fill(&mut self) {
        while self.end < self.buffer.len() && !self.is_at_end {
            match self.file.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.is_at_end = true,
                Ok(length) => self.end += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error = Some(error);
                    self.is_at_end = true;
                }
            }
        }
    }
}

impl<R: Read> Input for Window<R> {
    const MOVES: bool = true;

    #[inline]
    fn bytes(&self) -> &[u8] {
        &self.buffer[self.first..self.end]
    }

    #[inline]
    fn start(&self) -> usize {
        self.start
    }

    #[cold]
    fn advance(&mut self, used: usize, all: bool) {
        // Many processors copy several times slower to an address that is a few bytes after a multiple of 4096.
        const LINE: usize = 64;
        self.start += used;
        let kept = self.first + used..self.end;
        let room = kept.len().next_multiple_of(LINE);
        let size = room + self.size + LINE;
        if self.buffer.len() < size {
            self.buffer.resize(size, 0);
        }
        let line = self.buffer.as_ptr().align_offset(LINE).min(LINE) + room;
        self.first = line - kept.len();
        self.buffer.copy_within(kept, self.first);
        self.end = line;
        self.fill();
        while all && !self.is_at_end {
            self.buffer.resize(self.buffer.len() * 2, 0);
            self.fill();
        }
    }

    fn is_at_end(&self) -> bool {
        self.is_at_end
    }
}
