//! Inputs from a generator of the command line: each with a fresh seed, and a size that grows with their number.

use crate::inputs::candidates::{Candidate, CandidateContent, CandidateSource};
use crate::recipe::seeded_generator::{SeededCall, SeededProgram};
use crate::search::result::CounterexampleOrigin;
use juror_core::stop::Stop;
use juror_grammar::chance::Chance;

/// The sizes up to this one come one by one. Each later one is a quarter larger.
const EACH_SIZE_MAX: u32 = 10;
/// Number of inputs of each of the first sizes.
const SMALL_INPUTS: u64 = 20;
/// Number of inputs of each later size, before all sizes take turns.
const LARGE_INPUTS: u64 = 10;

/// All sizes that are tried, up to a largest one.
pub fn sizes(most: u32) -> Vec<u32> {
    let next = |size: &u32| {
        let next =
            if *size < EACH_SIZE_MAX { size + 1 } else { size.saturating_add(size.div_ceil(4)) };
        (*size < most).then(|| next.min(most))
    };
    std::iter::successors(Some(1), next).collect()
}

/// The size of the input with this number, from 0.
fn size_at(sizes: &[u32], number: u64) -> u32 {
    let mut left = number;
    for size in sizes {
        let count = if *size <= EACH_SIZE_MAX { SMALL_INPUTS } else { LARGE_INPUTS };
        match left.checked_sub(count) {
            None => return *size,
            Some(rest) => left = rest,
        }
    }
    sizes[(left % sizes.len() as u64) as usize]
}

pub struct GeneratorInputs<'a> {
    generator: &'a SeededProgram,
    /// Empty if the generator gets no size.
    sizes: Vec<u32>,
    chance: Chance,
    number: u64,
}

impl<'a> GeneratorInputs<'a> {
    pub fn new(generator: &'a SeededProgram, seed: u64) -> Self {
        let sizes = if generator.has_size() { sizes(generator.size_max) } else { Vec::new() };
        Self { generator, sizes, chance: Chance::new(seed, "generator"), number: 0 }
    }
}

impl CandidateSource for GeneratorInputs<'_> {
    fn next(&mut self, _: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        let call = SeededCall {
            size: (!self.sizes.is_empty()).then(|| size_at(&self.sizes, self.number)),
            seed: self.chance.below(1 << 31) as u32,
        };
        self.number += 1;
        let origin = CounterexampleOrigin::Generator { line: self.generator.line(call) };
        Ok(Some(Candidate::new(CandidateContent::Seeded(call), origin)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::program::Program;

    #[test]
    fn sizes_grow_by_one_and_then_by_a_quarter() {
        let check = |most: u32, expected: &[u32]| assert_eq!(sizes(most), expected);
        check(1, &[1]);
        check(3, &[1, 2, 3]);
        check(20, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 17, 20]);
        assert_eq!(sizes(1000).len(), 30);
        assert_eq!(sizes(1000).last(), Some(&1000));
        assert_eq!(sizes(u32::MAX).last(), Some(&u32::MAX));
    }

    #[test]
    fn sizes_grow_with_the_number_of_inputs_and_then_take_turns() {
        let check = |most: u32, number: u64, expected: u32| {
            assert_eq!(size_at(&sizes(most), number), expected, "{most} {number}");
        };
        for (number, size) in
            [(0, 1), (19, 1), (20, 2), (199, 10), (200, 13), (209, 13), (210, 17), (399, 1000)]
        {
            check(1000, number, size);
        }
        for (number, size) in [(400, 1), (401, 2), (429, 1000), (430, 1)] {
            check(1000, number, size);
        }
        check(1, 1 << 40, 1);
    }

    #[test]
    fn the_same_seed_gives_the_same_calls() {
        let word = |text: &str| vec![text.to_owned()];
        let generator = SeededProgram::new(Program::default(), word("{n}"), word("{n}"));
        let generator = SeededProgram { size_max: 1000, ..generator };
        let calls = |seed| {
            let mut source = GeneratorInputs::new(&generator, seed);
            let calls = (0..30).map_while(|_| source.next(&|| false).unwrap());
            calls.map(|call| call.origin.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(calls(7), calls(7));
        assert_ne!(calls(7), calls(8));
    }
}
