//! Random numbers that are the same on every machine and in every version.
//!
//! The words come from ChaCha8. Their use is defined here, since samplers of libraries change.

use num_bigint::{BigInt, BigUint};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use crate::number::Int;

#[derive(Clone, Debug)]
pub struct Chance {
    words: ChaCha8Rng,
}

impl Chance {
    /// `purpose` separates the streams of one seed.
    pub fn new(seed: u64, purpose: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"juror grammar\0");
        hash.update(seed.to_le_bytes());
        hash.update(purpose.as_bytes());
        Self { words: ChaCha8Rng::from_seed(hash.finalize().into()) }
    }

    fn word(&mut self) -> u64 {
        self.words.next_u64()
    }

    /// A uniformly random number from 0 to `bound - 1`; 0 for the bound 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        let Some(largest) = bound.checked_sub(1) else { return 0 };
        // Draws as many bits as are needed, until the number is small enough.
        let mask = u64::MAX.checked_shr(largest.leading_zeros()).unwrap_or(0);
        loop {
            let value = self.word() & mask;
            if value <= largest {
                return value;
            }
        }
    }

    /// A uniformly random item; `None` if there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len() as u64) as usize)
    }

    pub fn happens(&mut self, per_mille: u64) -> bool {
        self.below(1000) < per_mille
    }

    /// A uniformly random number from `min` to `max`; `min` if the range is empty.
    pub fn between(&mut self, min: &Int, max: &Int) -> Int {
        if min >= max {
            return min.clone();
        }
        if let (Int::Small(low), Int::Small(high)) = (min, max) {
            let width = high.wrapping_sub(*low) as u64;
            let offset = match width.checked_add(1) {
                Some(bound) => self.below(bound),
                None => self.word(),
            };
            return Int::Small(low.wrapping_add(offset as i64));
        }
        let width = max.minus(min).to_big();
        let bits = width.bits();
        let words = usize::try_from(bits.div_ceil(32)).unwrap_or(usize::MAX);
        loop {
            let mut digits: Vec<u32> = (0..words).map(|_| (self.word() >> 32) as u32).collect();
            if let (Some(top), extra @ 1..) = (digits.last_mut(), bits % 32) {
                *top &= (1 << extra) - 1;
            }
            let offset = BigInt::from(BigUint::new(digits));
            if offset <= width {
                return min.plus(&Int::from(offset));
            }
        }
    }

    /// A number in the lowest of `parts` equal parts of the range from `min` to `max`.
    pub fn near_min(&mut self, min: &Int, max: &Int, parts: u32) -> Int {
        let part = max.minus(min).divided_by(&Int::Small(parts.max(1).into()));
        self.between(min, &min.plus(&part.unwrap_or(Int::ZERO)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        let mut chance = Chance::new(1, "test");
        let values: Vec<u64> = (0..6).map(|_| chance.below(1000)).collect();
        assert_eq!(values, GOLDEN);
        let mut chance = Chance::new(1, "test");
        let max = Int::Small(10).power(30).unwrap();
        assert_eq!(chance.between(&Int::ZERO, &max).to_string(), GOLDEN_BIG);
    }

    const GOLDEN: [u64; 6] = [868, 701, 845, 791, 243, 238];
    const GOLDEN_BIG: &str = "122884457398385491851546338761";

    #[test]
    fn every_number_is_about_as_likely() {
        let mut chance = Chance::new(7, "test");
        for bound in [1_u64, 2, 3, 10, 100] {
            let mut counts = vec![0_u64; bound as usize];
            for _ in 0..bound * 1000 {
                counts[chance.below(bound) as usize] += 1;
            }
            assert!(
                counts.iter().all(|count| (800..=1200).contains(count) || bound == 1),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn numbers_stay_within_their_bounds() {
        let mut chance = Chance::new(3, "test");
        let big = Int::Small(10).power(25).unwrap();
        for (min, max) in [
            (Int::Small(i64::MIN), Int::Small(i64::MAX)),
            (Int::Small(-3), Int::Small(3)),
            (big.negated(), big.clone()),
            (big.clone(), big.plus(&Int::ONE)),
            (Int::Small(5), Int::Small(5)),
        ] {
            for parts in [1, 4, 64] {
                let value = chance.near_min(&min, &max, parts);
                assert!(min <= value && value <= max, "{min} <= {value} <= {max}");
            }
        }
    }
}
