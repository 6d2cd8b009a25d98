//! The number of inputs in a batch: more while batches are quick and accept, fewer otherwise.

use std::time::Duration;

/// Upper bound on the inputs of a batch.
pub const BATCH_MAX: usize = 256;

/// If a batch takes less time than this beyond the start, the next may be larger.
const QUICK: Duration = Duration::from_millis(100);
/// If a batch takes more time than this beyond the start, the next is smaller.
const SLOW: Duration = Duration::from_millis(300);

/// After this many batches in a row that accept nothing, there are no more.
const USELESS_MAX: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSize {
    next: usize,
    /// Whether a batch was tried. Single inputs only show how long a start takes, so the first batch is always tried.
    is_tried: bool,
    useless_batches: u32,
    /// The least time of a single input: most of it is the start of the programs, which a batch has only once.
    start_time: Option<Duration>,
}

impl Default for BatchSize {
    fn default() -> Self {
        Self { next: 2, is_tried: false, useless_batches: 0, start_time: None }
    }
}

impl BatchSize {
    pub fn next(&self) -> usize {
        self.next
    }

    /// Adjusts the size by the result of a batch or of a single input: its inputs, how many of them were accepted, and
    /// the time.
    pub fn adjust(&mut self, count: usize, accepted: usize, elapsed: Duration) {
        if self.useless_batches >= USELESS_MAX {
            return;
        }
        if count > 1 && accepted == 0 {
            self.is_tried = true;
            self.useless_batches += 1;
            self.next = 1;
            return;
        }
        if count > 1 {
            self.useless_batches = 0;
        }
        if count == 1 {
            self.start_time = Some(self.start_time.map_or(elapsed, |known| known.min(elapsed)));
        }
        self.is_tried |= count > 1;
        if !self.is_tried {
            return;
        }
        let start = self.start_time.unwrap_or_default();
        if elapsed > SLOW + start || accepted * 2 < count {
            self.next = (count / 2).max(1);
        } else if elapsed < QUICK + start && accepted == count {
            // Other workers may have set another size in the meantime.
            self.next = self.next.max(count * 2).min(BATCH_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each batch is `count accepted milliseconds`.
    fn check(batches: &[(usize, usize, u64)], expected: usize) {
        let mut size = BatchSize::default();
        for &(count, accepted, milliseconds) in batches {
            size.adjust(count, accepted, Duration::from_millis(milliseconds));
        }
        assert_eq!(size.next(), expected, "{batches:?}");
    }

    #[test]
    fn quick_batches_grow_up_to_a_bound() {
        check(&[], 2);
        check(&[(1, 1, 2)], 2);
        check(&[(1, 1, 300), (1, 1, 2000), (1, 0, 2000)], 2);
        check(&[(1, 1, 2), (2, 2, 2), (4, 4, 2)], 8);
        check(&[(200, 200, 20)], 256);
        check(&[(8, 8, 150)], 2);
        check(&[(8, 8, 20), (16, 16, 150)], 16);
        // A slow start happens only once in a batch.
        check(&[(1, 1, 300), (2, 2, 310)], 4);
        check(&[(1, 1, 300), (2, 2, 310), (4, 4, 650)], 2);
        // A smaller batch that was still running.
        check(&[(8, 8, 20), (2, 2, 2)], 16);
    }

    #[test]
    fn slow_or_rejecting_batches_shrink() {
        check(&[(16, 16, 301)], 8);
        check(&[(1, 1, 2000), (2, 2, 4000)], 1);
        check(&[(32, 15, 5)], 16);
        check(&[(8, 8, 5), (16, 10, 5)], 16);
        check(&[(32, 32, 5), (64, 0, 1000)], 1);
    }

    #[test]
    fn batches_that_never_accept_end() {
        let in_vain = [(2, 0, 1), (1, 1, 1)].repeat(4);
        check(&in_vain, 2);
        check(&[&in_vain[..], &[(2, 0, 1), (1, 1, 1)]].concat(), 1);
        // A batch that accepts makes up for earlier ones.
        check(&[&in_vain[..], &[(2, 2, 1), (4, 0, 1), (1, 1, 1)]].concat(), 2);
    }
}
