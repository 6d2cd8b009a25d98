//! Reads a text through a window, which moves from token to token.

use std::io::{self, Read};

use crate::check::bytes::{count_tokens, is_blank, run_length};
use crate::check::excerpt::{Before, Spot};
use crate::check::float::LONGEST_NUMBER;

/// Processed bytes that stay in the window, to be shown before a difference.
const CONTEXT: usize = 64;

pub(super) struct Text<'s> {
    source: &'s mut dyn Read,
    size: usize,
    window: Vec<u8>,
    position: usize,
    is_end: bool,
    before: Before,
    /// Offset of the token of which a part is processed.
    token_start: Option<u64>,
}

impl<'s> Text<'s> {
    pub(super) fn new(source: &'s mut dyn Read, size: usize) -> Self {
        let (window, before) = (Vec::with_capacity(size), Before::default());
        Self { source, size, window, position: 0, is_end: false, before, token_start: None }
    }

    /// Reads until a number and one more byte fit in the part of the rest that is in memory.
    #[inline]
    pub(super) fn fill(&mut self) -> io::Result<()> {
        if self.is_end || self.rest().len() >= self.size.min(LONGEST_NUMBER + 1) {
            Ok(())
        } else {
            self.read()
        }
    }

    #[cold]
    fn read(&mut self) -> io::Result<()> {
        self.forget();
        let read = (&mut *self.source).take(self.size as u64).read_to_end(&mut self.window)?;
        self.is_end = read < self.size;
        Ok(())
    }

    fn forget(&mut self) {
        let length = self.position.saturating_sub(CONTEXT);
        let (done, rest) = self.window.split_at(length);
        let is_cut =
            [done.last(), rest.first()].iter().all(|end| end.is_some_and(|&end| !is_blank(end)));
        self.before.tokens += count_tokens(done) - u64::from(is_cut);
        self.before.lines += memchr::memchr_iter(b'\n', done).count() as u64;
        if let Some(newline) = memchr::memrchr(b'\n', done) {
            self.before.line_start = self.before.bytes + newline as u64 + 1;
        }
        self.before.bytes += length as u64;
        self.window.drain(..length);
        self.position -= length;
    }

    #[inline]
    pub(super) fn rest(&self) -> &[u8] {
        &self.window[self.position..]
    }

    /// The blanks or the token at the start of the rest, as far as they are in memory.
    #[inline]
    pub(super) fn run(&self, of_blanks: bool) -> &[u8] {
        let rest = self.rest();
        &rest[..run_length(rest, of_blanks)]
    }

    #[inline]
    pub(super) fn is_whole(&self, run: &[u8]) -> bool {
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
            let run = self.run(of_blanks);
            let (length, is_whole) = (run.len(), self.is_whole(run));
            self.skip(length);
            if is_whole {
                return Ok(());
            }
            self.fill()?;
        }
    }

    /// The offset of the rest in the text, or of the token that it continues.
    fn offset(&self) -> u64 {
        self.token_start.unwrap_or(self.before.bytes + self.position as u64)
    }

    /// The run begins here and differs after `same` bytes.
    pub(super) fn spot<'t>(&'t self, run: &'t [u8], same: usize) -> Spot<'t> {
        let Self { window, before, position: start, .. } = self;
        Spot { window, before, offset: self.offset(), run, start: *start, same }
    }

    /// Right only at the end of the text.
    pub(super) fn size(&self) -> (u64, u64) {
        let length = self.before.bytes + self.window.len() as u64;
        (length, self.before.tokens + count_tokens(&self.window))
    }

    /// `None` if the text does not fit in the window.
    pub(super) fn whole(&self) -> Option<&[u8]> {
        (self.is_end && self.before.bytes == 0).then_some(&self.window[..])
    }
}
