//! One text, read once from front to back through a window of constant size.

use std::io::{self, ErrorKind, Read};

use crate::check::bytes::{count_tokens, is_blank, token_length};

/// How many bytes the window holds: large enough that a system call costs nothing beside them, small
/// enough that two windows stay in the processor's cache.
const WINDOW: usize = 256 << 10;

/// At least so many unread bytes are in the window after [`Text::fill`], unless the text ends before.
pub(super) const AHEAD: usize = 8 << 10;

/// At least so many bytes that were read last stay in the window, for excerpts.
pub(super) const BEHIND: usize = 256;

/// What a run of bytes consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// Bytes that separate tokens.
    Blanks,
    /// Bytes of one token.
    Token,
}

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// In bytes, from 0.
    pub(super) offset: u64,
    /// From 1.
    pub(super) line: u64,
    /// In bytes, from 1.
    pub(super) column: u64,
}

/// What counts in a block that both texts have in common, counted once for both.
pub(super) struct BlockCounts {
    length: usize,
    tokens: u64,
    newlines: u64,
    /// Where the last line that begins in the block begins.
    last_line_start: Option<usize>,
}

impl BlockCounts {
    /// Counts a block that begins and ends at ends of tokens.
    pub(super) fn of(block: &[u8]) -> Self {
        Self {
            length: block.len(),
            tokens: count_tokens(block),
            newlines: memchr::memchr_iter(b'\n', block).count() as u64,
            last_line_start: memchr::memrchr(b'\n', block).map(|newline| newline + 1),
        }
    }
}

/// Two hashes of the bytes that are not blank, exactly and with `A` to `Z` as `a` to `z`.
///
/// They tell, in constant memory, whether two texts have the same characters in other tokens: a
/// remark to a person hangs on them, never a verdict, so 64 bits (FNV-1a) are enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    pub(super) exact: u64,
    pub(super) folded: u64,
}

impl Fingerprint {
    fn new() -> Self {
        let start = 0xcbf2_9ce4_8422_2325;
        Self { exact: start, folded: start }
    }

    fn add(&mut self, bytes: &[u8]) {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        for &byte in bytes.iter().filter(|&&byte| !is_blank(byte)) {
            self.exact = step(self.exact, byte);
            self.folded = step(self.folded, byte.to_ascii_lowercase());
        }
    }
}

/// A text with a window on it.
pub(super) struct Text<R> {
    reader: R,
    /// For the messages of errors.
    name: &'static str,
    window: Box<[u8]>,
    /// The unread bytes are `window[start..end]`.
    start: usize,
    end: usize,
    ended: bool,
    /// Of the first unread byte.
    offset: u64,
    line: u64,
    line_start: u64,
    /// How many tokens were read.
    pub(super) tokens: u64,
    /// Of all tokens since [`Self::start_fingerprint`].
    pub(super) fingerprint: Option<Fingerprint>,
    line_end: LineEnd,
}

/// Whether the end of one line is looked for.
#[derive(Clone, Copy)]
enum LineEnd {
    NotWanted,
    Wanted,
    At(u64),
}

impl<R: Read> Text<R> {
    /// A window at the start of what this reader gives.
    pub(super) fn new(reader: R, name: &'static str) -> Self {
        Self {
            reader,
            name,
            window: vec![0; WINDOW].into_boxed_slice(),
            start: 0,
            end: 0,
            ended: false,
            offset: 0,
            line: 1,
            line_start: 0,
            tokens: 0,
            fingerprint: None,
            line_end: LineEnd::NotWanted,
        }
    }

    /// Reads, if need be, until [`AHEAD`] bytes are in the window or the text ends.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        match self.ended || self.end - self.start >= AHEAD {
            true => Ok(()),
            false => self.read(),
        }
    }

    #[cold]
    fn read(&mut self) -> io::Result<()> {
        let keep = self.start.saturating_sub(BEHIND);
        self.window.copy_within(keep..self.end, 0);
        self.start -= keep;
        self.end -= keep;
        while !self.ended && self.end - self.start < AHEAD {
            match self.reader.read(&mut self.window[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(length) => self.end += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let message = format!("reading {}: {error}", self.name);
                    return Err(io::Error::new(error.kind(), message));
                }
            }
        }
        Ok(())
    }

    /// The unread bytes in the window.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.window[self.start..self.end]
    }

    /// The read bytes that are still in the window.
    pub(super) fn behind(&self) -> &[u8] {
        &self.window[..self.start]
    }

    /// Whether the window reaches to the end of the text.
    pub(super) fn sees_end(&self) -> bool {
        self.ended
    }

    /// Whether all is read.
    pub(super) fn at_end(&self) -> bool {
        self.ended && self.start == self.end
    }

    /// Where the first unread byte is; at the end, the length of the text.
    pub(super) fn place(&self) -> Place {
        Place { offset: self.offset, line: self.line, column: self.offset - self.line_start + 1 }
    }

    /// How many unread bytes belong to a run of this kind, as far as [`AHEAD`] bytes show.
    pub(super) fn run(&self, run: Run) -> usize {
        let seen = &self.ahead()[..AHEAD.min(self.end - self.start)];
        match run {
            Run::Token => token_length(seen),
            Run::Blanks => seen.iter().take_while(|&&byte| is_blank(byte)).count(),
        }
    }

    /// The token ahead, if the window shows that it is whole.
    pub(super) fn whole_token(&self) -> Option<&[u8]> {
        let length = self.run(Run::Token);
        let is_whole = length < self.end - self.start || self.ended;
        (is_whole && length < AHEAD).then(|| &self.ahead()[..length])
    }

    /// Goes on over bytes of one run.
    pub(super) fn skip(&mut self, run: Run, length: usize) {
        match run {
            Run::Token => {
                if let Some(fingerprint) = &mut self.fingerprint {
                    fingerprint.add(&self.window[self.start..self.start + length]);
                }
            }
            Run::Blanks => {
                for index in 0..length {
                    if self.window[self.start + index] == b'\n' {
                        let newline = self.offset + index as u64;
                        self.line += 1;
                        self.line_start = newline + 1;
                        self.found_line_end(newline);
                    }
                }
            }
        }
        self.start += length;
        self.offset += length as u64;
    }

    /// Goes on to the end of the run. What is then ahead may need [`Self::fill`].
    pub(super) fn skip_rest(&mut self, run: Run) -> io::Result<()> {
        loop {
            let length = self.run(run);
            let is_all = length < AHEAD.min(self.end - self.start);
            self.skip(run, length);
            if is_all || self.at_end() {
                return Ok(());
            }
            self.fill()?;
        }
    }

    /// Goes on over a block of tokens and blanks.
    pub(super) fn skip_block(&mut self, counts: &BlockCounts) {
        let block = &self.window[self.start..self.start + counts.length];
        if let Some(fingerprint) = &mut self.fingerprint {
            fingerprint.add(block);
        }
        if let LineEnd::Wanted = self.line_end
            && let Some(newline) = memchr::memchr(b'\n', block)
        {
            self.line_end = LineEnd::At(self.offset + newline as u64);
        }
        if let Some(line_start) = counts.last_line_start {
            self.line_start = self.offset + line_start as u64;
        }
        self.line += counts.newlines;
        self.tokens += counts.tokens;
        self.start += counts.length;
        self.offset += counts.length as u64;
    }

    /// Hashes all tokens from here on.
    pub(super) fn start_fingerprint(&mut self) {
        self.fingerprint = Some(Fingerprint::new());
    }

    /// Remembers where the line that is being read ends.
    pub(super) fn want_line_end(&mut self) {
        self.line_end = LineEnd::Wanted;
    }

    /// Where the line that was asked for ends, or what was read of it.
    pub(super) fn line_end(&self) -> u64 {
        match self.line_end {
            LineEnd::At(offset) => offset,
            LineEnd::NotWanted | LineEnd::Wanted => self.offset,
        }
    }

    fn found_line_end(&mut self, newline: u64) {
        if let LineEnd::Wanted = self.line_end {
            self.line_end = LineEnd::At(newline);
        }
    }
}
