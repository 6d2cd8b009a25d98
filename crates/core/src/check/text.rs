//! Reads a text through a window, which moves from token to token.

use std::io::{self, Read};

use crate::check::bytes::{count_tokens, is_blank, run_length};
use crate::check::excerpt::{DifferenceSpot, DroppedPart};
use crate::check::float::LONGEST_NUMBER;

/// Processed bytes that stay in the window, to be shown before a difference.
const CONTEXT: usize = 64;

pub(super) struct WindowedText<'s> {
    source: &'s mut dyn Read,
    window_size: usize,
    window: Vec<u8>,
    position: usize,
    is_end: bool,
    dropped: DroppedPart,
    /// Offset of the token of which a part is processed.
    token_start: Option<u64>,
}

impl<'s> WindowedText<'s> {
    /// Fails if there is too little memory.
    pub(super) fn new(source: &'s mut dyn Read, size: usize) -> io::Result<Self> {
        let mut window = Vec::new();
        window.try_reserve_exact(size)?;
        Ok(Self {
            source,
            window_size: size,
            window,
            position: 0,
            is_end: false,
            dropped: DroppedPart::default(),
            token_start: None,
        })
    }

    /// Reads until a number and one more byte fit in the part of the rest that is in memory.
    #[inline]
    pub(super) fn fill(&mut self) -> io::Result<()> {
        if self.is_end || self.rest().len() >= self.window_size.min(LONGEST_NUMBER + 1) {
            Ok(())
        } else {
            self.read_more()
        }
    }

    #[cold]
    fn read_more(&mut self) -> io::Result<()> {
        self.drop_processed();
        let read =
            (&mut *self.source).take(self.window_size as u64).read_to_end(&mut self.window)?;
        self.is_end = read < self.window_size;
        Ok(())
    }

    fn drop_processed(&mut self) {
        let length = self.position.saturating_sub(CONTEXT);
        let (done, rest) = self.window.split_at(length);
        let is_cut =
            [done.last(), rest.first()].iter().all(|end| end.is_some_and(|&end| !is_blank(end)));
        self.dropped.tokens += count_tokens(done) - u64::from(is_cut);
        self.dropped.lines += memchr::memchr_iter(b'\n', done).count() as u64;
        if let Some(newline) = memchr::memrchr(b'\n', done) {
            self.dropped.line_start = self.dropped.bytes + newline as u64 + 1;
        }
        self.dropped.bytes += length as u64;
        self.window.drain(..length);
        self.position -= length;
    }

    #[inline]
    pub(super) fn rest(&self) -> &[u8] {
        &self.window[self.position..]
    }

    /// The blanks or the token at the start of the rest, as far as they are in memory.
    #[inline]
    pub(super) fn peek_run(&self, of_blanks: bool) -> &[u8] {
        let rest = self.rest();
        &rest[..run_length(rest, of_blanks)]
    }

    #[inline]
    pub(super) fn ends_in_memory(&self, run: &[u8]) -> bool {
        self.is_end || run.len() < self.rest().len()
    }

    #[inline]
    pub(super) fn is_at_end(&self) -> bool {
        self.is_end && self.rest().is_empty()
    }

    #[inline]
    pub(super) fn position(&self) -> usize {
        self.position
    }

    #[inline]
    pub(super) fn skip(&mut self, length: usize) {
        self.position += length;
        self.token_start = None;
    }

    #[inline]
    pub(super) fn skip_in_token(&mut self, length: usize) {
        let start = self.offset();
        self.skip(length);
        self.token_start = Some(start);
    }

    #[inline]
    pub(super) fn is_inside_token(&self) -> bool {
        self.token_start.is_some()
    }

    /// Skips all blanks or a whole token, and reads a part of the rest.
    pub(super) fn skip_run(&mut self, of_blanks: bool) -> io::Result<()> {
        loop {
            let run = self.peek_run(of_blanks);
            let (length, is_whole) = (run.len(), self.ends_in_memory(run));
            self.skip(length);
            if is_whole {
                return Ok(());
            }
            self.fill()?;
        }
    }

    /// The offset of the rest in the text, or of the token that it continues.
    fn offset(&self) -> u64 {
        self.token_start.unwrap_or(self.dropped.bytes + self.position as u64)
    }

    /// The run begins here and differs after `same` bytes.
    pub(super) fn spot<'t>(&'t self, run: &'t [u8], same: usize) -> DifferenceSpot<'t> {
        let Self { window, dropped: before, position: start, .. } = self;
        DifferenceSpot {
            window,
            dropped: before,
            offset: self.offset(),
            run,
            start: *start,
            equal_bytes: same,
        }
    }

    /// Right only at the end of the text.
    pub(super) fn length_and_tokens(&self) -> (u64, u64) {
        let length = self.dropped.bytes + self.window.len() as u64;
        (length, self.dropped.tokens + count_tokens(&self.window))
    }

    /// `None` if the text does not fit in the window.
    pub(super) fn whole_text(&self) -> Option<&[u8]> {
        (self.is_end && self.dropped.bytes == 0).then_some(&self.window[..])
    }
}
