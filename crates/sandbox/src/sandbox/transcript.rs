//! A bounded record of what two programs write to each other: the beginning and the end.

use std::collections::VecDeque;
use std::time::Duration;

use juror_core::joint::{TalkSide, Transcript, TranscriptPiece};
use juror_core::units::Bytes;

/// In bytes. The end of a very long line can still be kept.
const PIECE_BYTES_MAX: usize = 4 << 10;

/// In bytes: many short pieces must not take more memory than a long one.
const PIECE_OVERHEAD: usize = 64;

pub(super) struct TranscriptRecorder {
    end_bytes_max: usize,
    first: Vec<TranscriptPiece>,
    first_size: usize,
    last: VecDeque<TranscriptPiece>,
    last_size: usize,
    left_out: u64,
}

impl TranscriptRecorder {
    pub(super) fn new(most: Bytes) -> Self {
        Self {
            end_bytes_max: usize::try_from(most.0).unwrap_or(usize::MAX),
            first: Vec::new(),
            first_size: 0,
            last: VecDeque::new(),
            last_size: 0,
            left_out: 0,
        }
    }

    /// Records data line by line; data that continues an uninterrupted line is joined to it.
    pub(super) fn add(&mut self, at: Duration, by: TalkSide, bytes: &[u8]) {
        let mut bytes = bytes;
        while !bytes.is_empty() {
            if !self.is_beginning() {
                let superfluous = self.skippable_bytes(bytes);
                if superfluous > 0 {
                    let dropped = self.last.drain(..).map(|piece| piece.text.len() as u64);
                    self.left_out += dropped.sum::<u64>() + superfluous as u64;
                    self.last_size = 0;
                    bytes = &bytes[superfluous..];
                }
            }
            let line = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
            let (piece, rest) = bytes.split_at(line.min(PIECE_BYTES_MAX));
            self.add_piece(at, by, piece);
            bytes = rest;
        }
    }

    fn is_beginning(&self) -> bool {
        self.last.is_empty() && self.left_out == 0
    }

    /// Number of bytes at the start of a long text that can be skipped, because the rest fills the whole end.
    fn skippable_bytes(&self, bytes: &[u8]) -> usize {
        let mut size = 0;
        let mut end = bytes.len();
        while end > 0 {
            let start = memchr::memrchr(b'\n', &bytes[..end - 1]).map_or(0, |before| before + 1);
            size += PIECE_OVERHEAD + end - start;
            if size > self.end_bytes_max {
                return start.max(end.saturating_sub(self.end_bytes_max));
            }
            end = start;
        }
        0
    }

    fn add_piece(&mut self, at: Duration, by: TalkSide, piece: &[u8]) {
        let is_first = self.is_beginning();
        let before = if is_first { self.first.last_mut() } else { self.last.back_mut() };
        let joins = |last: &TranscriptPiece| {
            last.by == by
                && !last.text.ends_with(b"\n")
                && last.text.len() + piece.len() <= PIECE_BYTES_MAX
        };
        if let Some(last) = before.filter(|last| joins(last)) {
            last.text.extend(piece);
            if is_first { self.first_size += piece.len() } else { self.last_size += piece.len() }
        } else {
            let new = TranscriptPiece { at, by, text: piece.to_vec() };
            let size = PIECE_OVERHEAD + piece.len();
            if is_first && self.first_size + size <= self.end_bytes_max {
                self.first.push(new);
                self.first_size += size;
            } else {
                self.last.push_back(new);
                self.last_size += size;
            }
        }
        while self.last_size > self.end_bytes_max
            && let Some(oldest) = self.last.pop_front()
        {
            self.last_size -= PIECE_OVERHEAD + oldest.text.len();
            self.left_out += oldest.text.len() as u64;
        }
    }

    pub(super) fn finish(self) -> Transcript {
        Transcript { first: self.first, left_out: Bytes(self.left_out), last: self.last.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `<` or `>`, the data, then `|` at the end of a piece.
    fn notation(pieces: &[TranscriptPiece]) -> String {
        let notation = |piece: &TranscriptPiece| {
            let mark = match piece.by {
                TalkSide::Program => '>',
                TalkSide::Partner => '<',
            };
            format!("{mark}{}|", String::from_utf8_lossy(&piece.text))
        };
        pieces.iter().map(notation).collect()
    }

    fn recorded(most: u64, written: &[(TalkSide, &str)]) -> Transcript {
        let mut recorder = TranscriptRecorder::new(Bytes(most));
        for (number, (by, text)) in written.iter().enumerate() {
            recorder.add(Duration::from_millis(number as u64), *by, text.as_bytes());
        }
        recorder.finish()
    }

    #[test]
    fn lines_are_joined_whatever_the_pieces() {
        use TalkSide::{Partner, Program};
        let check = |written: &[(TalkSide, &str)], expected: &str| {
            let transcript = recorded(1 << 20, written);
            assert_eq!(notation(&transcript.first), expected);
            assert_eq!(transcript.left_out, Bytes(0));
            assert!(transcript.last.is_empty());
        };
        check(&[], "");
        check(&[(Partner, "1\n2\n"), (Program, "L\n")], "<1\n|<2\n|>L\n|");
        check(&[(Program, "ab"), (Program, "c\nd")], ">abc\n|>d|");
        check(&[(Program, "a"), (Partner, "x\n"), (Program, "b\n")], ">a|<x\n|>b\n|");
    }

    #[test]
    fn both_ends_of_a_long_exchange_are_kept() {
        let mut recorder = TranscriptRecorder::new(Bytes(10_000));
        let count = |pieces: &[TranscriptPiece]| {
            pieces.iter().map(|piece| piece.text.len() as u64).sum::<u64>()
        };
        let mut all = 0;
        for number in 0..100_000 {
            let text = format!("{number}\n");
            all += text.len() as u64;
            recorder.add(Duration::ZERO, TalkSide::Program, text.as_bytes());
        }
        recorder.add(Duration::ZERO, TalkSide::Program, &vec![b'x'; 1 << 20]);
        recorder.add(Duration::ZERO, TalkSide::Program, b"end");
        all += (1 << 20) + 3;
        assert!(recorder.last.len() < 10 && recorder.last_size <= 10_000);
        let transcript = recorder.finish();
        assert_eq!(transcript.first[0].text, b"0\n");
        assert!(transcript.last.last().unwrap().text.ends_with(b"end"));
        let kept = count(&transcript.first) + count(&transcript.last);
        assert!(kept <= 20_000);
        assert_eq!(kept + transcript.left_out.0, all);
    }
}
