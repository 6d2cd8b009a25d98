//! The lines of a stream that are done, with their digests. A block of about a thousand lines has one number if it is
//! complete, otherwise one number for each line.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

/// How many lines one number represents once all of them are done.
const BLOCK: u64 = 1024;

/// Identifies a line together with the settings by which it is read.
pub fn digest(settings: &str, text: &[u8]) -> u64 {
    let mut hash = Sha256::new();
    hash.update((settings.len() as u64).to_le_bytes());
    hash.update(settings);
    hash.update(text);
    let digest = hash.finalize();
    digest.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Lines that are done, from 1, added in any order and queried in order.
#[derive(Debug, Default)]
pub struct Done {
    blocks: BTreeMap<u64, Block>,
    lines: u64,
    passed: u64,
    /// What is known of the lines queried so far in the current block.
    order: u64,
}

#[derive(Debug)]
enum Block {
    /// All lines, as [`next`] combines their digests.
    Whole(u64),
    Part(BTreeMap<u64, u64>),
}

/// The state of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It is not done.
    New,
    /// It is done.
    Done,
    /// The line with this number, or an earlier one in its block, is done but had other content.
    Other,
}

/// Combines the digests of lines in their order: lines that change places count as others.
fn next(lines: u64, digest: u64) -> u64 {
    // Odd, so that no bit is lost; which number does not matter.
    lines.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(digest)
}

fn block(line: u64) -> u64 {
    line.saturating_sub(1) / BLOCK
}

impl Done {
    /// Adds a line. Returns whether it is new.
    pub fn insert(&mut self, line: u64, digest: u64) -> bool {
        let at = self.blocks.entry(block(line)).or_insert_with(|| Block::Part(BTreeMap::new()));
        let Block::Part(lines) = at else { return false };
        if lines.insert(line, digest).is_some() {
            return false;
        }
        if lines.len() as u64 == BLOCK {
            *at = Block::Whole(lines.values().fold(0, |lines, digest| next(lines, *digest)));
        }
        self.lines += 1;
        true
    }

    /// The state of the next line.
    pub fn pass(&mut self, line: u64, digest: u64) -> Known {
        let known = match self.blocks.get(&block(line)) {
            None => return Known::New,
            Some(Block::Part(lines)) => match lines.get(&line) {
                None => return Known::New,
                Some(known) if *known == digest => Known::Done,
                Some(_) => Known::Other,
            },
            Some(Block::Whole(order)) => {
                self.order = next(self.order, digest);
                match line.is_multiple_of(BLOCK) {
                    false => Known::Done,
                    true if *order == std::mem::take(&mut self.order) => Known::Done,
                    true => Known::Other,
                }
            }
        };
        self.passed += 1;
        known
    }

    /// How many lines are done.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// How many of them were not queried yet.
    pub fn ahead(&self) -> u64 {
        self.lines - self.passed
    }

    /// How many numbers are kept.
    #[cfg(test)]
    fn kept(&self) -> usize {
        let kept = |block: &Block| match block {
            Block::Whole(_) => 1,
            Block::Part(lines) => lines.len(),
        };
        self.blocks.values().map(kept).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: u64) -> u64 {
        digest("", line.to_string().as_bytes())
    }

    #[test]
    fn a_digest_tells_lines_and_settings_apart() {
        let all = [("", "ab"), ("a", "b"), ("ab", ""), ("", "a"), ("", "")];
        let all: std::collections::BTreeSet<u64> =
            all.iter().map(|(settings, text)| digest(settings, text.as_bytes())).collect();
        assert_eq!(all.len(), 5);
    }

    #[test]
    fn done_lines_are_known_in_any_order_and_once() {
        let check = |done: &[u64], all: u64, changed: u64, expected: &[(u64, Known)]| {
            let mut known = Done::default();
            for line in done {
                assert!(known.insert(*line, of(*line)), "{line}");
                assert!(!known.insert(*line, of(*line)), "{line}");
            }
            assert_eq!(known.lines(), done.len() as u64);
            let of = |line| of(if line == changed { 0 } else { line });
            let all: Vec<Known> = (1..=all).map(|line| known.pass(line, of(line))).collect();
            for (line, expected) in expected {
                let got = all[usize::try_from(line - 1).expect("a small number")];
                assert_eq!(got, *expected, "line {line}");
            }
            assert_eq!(known.ahead(), 0);
        };
        check(&[], 2, 0, &[(1, Known::New), (2, Known::New)]);
        check(&[2], 3, 0, &[(1, Known::New), (2, Known::Done), (3, Known::New)]);
        check(&[2], 3, 2, &[(2, Known::Other)]);
        let mut most: Vec<u64> = (1..=3000).filter(|line| *line != 2500).collect();
        most.reverse();
        check(
            &most,
            3001,
            0,
            &[
                (1, Known::Done),
                (2499, Known::Done),
                (2500, Known::New),
                (3000, Known::Done),
                (3001, Known::New),
            ],
        );
        // In a complete block a difference shows at its end: by then nothing is left to do.
        check(
            &most,
            3001,
            7,
            &[(7, Known::Done), (1024, Known::Other), (1025, Known::Done), (2048, Known::Done)],
        );
        check(&most, 3001, 2400, &[(2400, Known::Other), (2401, Known::Done)]);
    }

    #[test]
    fn lines_that_change_places_are_other_lines() {
        let check = |places: [u64; 2]| {
            let mut known = Done::default();
            (1..=1024).for_each(|line| assert!(known.insert(line, of(line))));
            let moved = |line| places.iter().find(|place| **place != line).copied();
            let other = |line| if places.contains(&line) { moved(line) } else { None };
            let all = (1..=1024).map(|line| known.pass(line, of(other(line).unwrap_or(line))));
            assert_eq!(all.last(), Some(Known::Other), "{places:?}");
        };
        check([1, 2]);
        check([1, 513]);
        check([1023, 1024]);
    }

    #[test]
    fn a_long_stream_needs_little() {
        let mut known = Done::default();
        let mut most = 0;
        // Eight lines at a time, the last first.
        for first in (0..100_000).step_by(8) {
            for line in (first + 1..=first + 8).rev() {
                known.insert(line, of(line));
                most = most.max(known.kept());
            }
        }
        assert_eq!(known.lines(), 100_000);
        assert!(most < 100_000 / 1024 + 1024, "{most}");
    }
}
