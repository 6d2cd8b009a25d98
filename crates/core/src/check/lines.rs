//! Reads the lines of a text around its first difference, and compares two lines.

use std::io::{self, Read, Seek, SeekFrom};

use crate::check::bytes::{common_prefix, take_run};
use crate::check::excerpt::{character_end, character_start};
use crate::check::options::Options;
use crate::check::token::mismatch;
use crate::difference::DifferenceSide;

/// Lines that are read before that of the first difference.
const LINES_BEFORE: usize = 3;

/// Lines that are read from that of the first difference on.
const LINES_READ: usize = 200;

/// Bytes that are searched for the lines before.
const BYTES_BEFORE: u64 = 4 << 10;

/// Bytes that are read from the line of the first difference on.
const BYTES_READ: u64 = 64 << 10;

const SHOWN_BYTES: usize = 160;

const SHOWN_BEFORE: usize = 60;

#[derive(Debug)]
pub(super) struct TextLine {
    /// From 1.
    pub(super) number: u64,
    /// The bytes without the line end; only a part if the line is very long.
    pub(super) bytes: Vec<u8>,
    pub(super) has_line_end: bool,
    is_cut_before: bool,
    is_cut_after: bool,
    /// The index of the first differing byte, in the line of the first difference.
    differs_at: Option<usize>,
}

/// Reads the lines around the first difference, with time and memory independent of their length.
pub(super) fn read_around(
    text: &mut (impl Read + Seek),
    side: &DifferenceSide,
) -> io::Result<Vec<TextLine>> {
    let line_start = side.offset - (side.column - 1);
    let mut lines = read_before(text, line_start, side.line)?;
    let start = line_start.max(side.differs_at.saturating_sub(BYTES_BEFORE));
    let bytes = read_part(text, start, BYTES_READ)?;
    let is_end = (bytes.len() as u64) < BYTES_READ;
    let pieces = bytes.split_inclusive(|&byte| byte == b'\n').take(LINES_READ);
    for (index, piece) in pieces.enumerate() {
        let line = piece.strip_suffix(b"\n");
        let is_whole = line.is_some() || is_end;
        if index > 0 && !is_whole {
            break;
        }
        lines.push(TextLine {
            number: side.line + index as u64,
            bytes: line.unwrap_or(piece).to_vec(),
            has_line_end: line.is_some(),
            is_cut_before: index == 0 && start > line_start,
            is_cut_after: !is_whole,
            differs_at: (index == 0).then_some((side.differs_at - start) as usize),
        });
    }
    Ok(lines)
}

/// Reads the last lines before this offset, at which line `number` begins.
fn read_before(
    text: &mut (impl Read + Seek),
    line_start: u64,
    number: u64,
) -> io::Result<Vec<TextLine>> {
    let start = line_start.saturating_sub(BYTES_BEFORE);
    let bytes = read_part(text, start, line_start - start)?;
    let mut pieces: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    if start > 0 && !pieces.is_empty() {
        // It may be only the end of a line.
        pieces.remove(0);
    }
    let first = pieces.len().saturating_sub(LINES_BEFORE);
    let pieces = &pieces[first..];
    let line = |(index, piece): (usize, &&[u8])| TextLine {
        number: number - (pieces.len() - index) as u64,
        bytes: piece.strip_suffix(b"\n").unwrap_or(piece).to_vec(),
        has_line_end: true,
        is_cut_before: false,
        is_cut_after: false,
        differs_at: None,
    };
    Ok(pieces.iter().enumerate().map(line).collect())
}

fn read_part(text: &mut (impl Read + Seek), start: u64, length: u64) -> io::Result<Vec<u8>> {
    text.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    text.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl TextLine {
    /// Cut around the byte at which it differs from its counterpart.
    pub(super) fn excerpt(&self, counterpart: Option<&Self>) -> Vec<u8> {
        let common = |other: &Self| common_prefix(&self.bytes, &other.bytes);
        let index = self.differs_at.or(counterpart.map(common)).unwrap_or(0);
        let (mut from, mut to) = (0, self.bytes.len());
        if to > SHOWN_BYTES {
            from = index.saturating_sub(SHOWN_BEFORE).min(to - SHOWN_BYTES);
            to = character_end(&self.bytes, from + SHOWN_BYTES);
            from = character_start(&self.bytes, from);
        }
        let points = |is_cut: bool| if is_cut { "…" } else { "" };
        let mut shown = points(self.is_cut_before || from > 0).as_bytes().to_vec();
        shown.extend(&self.bytes[from..to]);
        shown.extend(points(self.is_cut_after || to < self.bytes.len()).as_bytes());
        shown
    }

    /// Whether the output's line equals this line of the judge answer by the rules of the comparison.
    pub(super) fn accepts(&self, output: &Self, options: &Options) -> bool {
        let is_cut = |line: &Self| line.is_cut_before || line.is_cut_after;
        if is_cut(self)
            || is_cut(output)
            || (options.space_change_sensitive && self.has_line_end != output.has_line_end)
        {
            return false;
        }
        let rules = options.token_rules();
        let (mut answer, mut output) = (&self.bytes[..], &output.bytes[..]);
        loop {
            let (of_answer, of_output) = (take_run(&mut answer, true), take_run(&mut output, true));
            if options.space_change_sensitive && of_answer != of_output {
                return false;
            }
            let (of_answer, of_output) =
                (take_run(&mut answer, false), take_run(&mut output, false));
            match (of_answer, of_output) {
                ([], []) => return true,
                ([], _) | (_, []) => return false,
                _ if mismatch(of_answer, of_output, &rules).is_some() => return false,
                _ => {}
            }
        }
    }
}
