//! Inputs from the grammar: all small ones in order, bounds, small values, shapes, and the full range.

use crate::inputs::candidates::{Candidate, CandidateSource, SourceMix};
use crate::search::result::CounterexampleOrigin;
use juror_core::stop::Stop;
use juror_grammar::enumerate::SmallInputs;
use juror_grammar::generate::{BoundSide, Pin, generate_until};
use juror_grammar::program::Grammar;
use juror_grammar::shape::{self, Shape};

/// Number of test cases that share an input in the list of small ones.
const CASES_PER_INPUT: u64 = 100;

/// Number of small inputs that are tried first.
const FIRST_SMALL: u32 = 50;

/// Number of turns of each source in a round.
const SMALL_TURNS: u32 = 10;
const BOUNDARY_TURNS: u32 = 3;
const TIE_TURNS: u32 = 4;
const SHAPE_TURNS: u32 = 3;
const RANDOM_TURNS: u32 = 2;

/// Distance between the seeds of two sources, so that they do not try the same inputs.
const SEED_DISTANCE: u64 = 1 << 30;

/// Shapes whose inputs are at a bound of the permitted values. Each is tried once.
const AT_BOUNDARIES: [&str; 11] = [
    "smallest",
    "largest",
    "count-most",
    "count-below-most",
    "count-least",
    "count-above-least",
    "all-most",
    "all-least",
    "zeros",
    "all-equal",
    "largest-sum",
];

/// Shapes with many equal values.
const WITH_TIES: [&str; 3] = ["tiny", "few-distinct", "all-equal"];

/// Adds the sources of the grammar. `most` is the upper bound on the bytes of an input; starting a larger one costs
/// little.
pub fn add_sources<'a>(
    mix: &mut SourceMix<'a>,
    grammar: &'a Grammar,
    seed: u64,
    most: Option<usize>,
) {
    let shapes = shape::applicable(grammar);
    let of = |names: &[&str]| -> Vec<Shape> {
        let named = |name: &&str| shapes.iter().find(|shape| shape.name == *name).cloned();
        names.iter().filter_map(named).collect()
    };
    mix.add(SMALL_TURNS, SmallInputs::new(grammar, CASES_PER_INPUT));
    mix.set_first_turns(FIRST_SMALL);
    let shaped = |source: u64, shapes: Vec<Shape>, rounds| ShapedInputs {
        grammar,
        shapes,
        seed: seed.wrapping_add(source * SEED_DISTANCE),
        size_limit: most,
        attempts: 0,
        rounds,
        misses: 0,
    };
    mix.add(BOUNDARY_TURNS, shaped(0, of(&AT_BOUNDARIES), Some(1)));
    let pin = |site, end, option| (Pin { site, side: end }, option);
    let ends =
        |site| [pin(site, BoundSide::Most, "--most"), pin(site, BoundSide::Least, "--least")];
    let pins = (0..grammar.sites.len()).rev().flat_map(ends).collect();
    mix.add(BOUNDARY_TURNS, BoundInputs { grammar, pins, seed, size_limit: most });
    mix.add(TIE_TURNS, shaped(1, of(&WITH_TIES), None));
    mix.add(SHAPE_TURNS, shaped(2, shapes.clone(), None));
    mix.add(RANDOM_TURNS, shaped(3, vec![shape::RANDOM], None));
}

impl CandidateSource for SmallInputs<'_> {
    fn next(&mut self, is_over: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        let input = self.next_until(is_over);
        Ok(input
            .map(|it| Candidate::text(it.text, CounterexampleOrigin::Small { level: it.level })))
    }
}

/// Inputs with one value at its bound, and random other values.
struct BoundInputs<'a> {
    grammar: &'a Grammar,
    /// The values to fix, each with its option for the command line. The last one comes next.
    pins: Vec<(Pin, &'static str)>,
    seed: u64,
    size_limit: Option<usize>,
}

impl CandidateSource for BoundInputs<'_> {
    fn next(&mut self, is_over: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        while !is_over() {
            let Some((pin, option)) = self.pins.pop() else { break };
            let Self { grammar, seed, size_limit: most, .. } = *self;
            // A value that cannot be at its bound is skipped.
            let input = generate_until(grammar, &shape::RANDOM, &[pin], seed, most, is_over);
            if let Ok(text) = input {
                let option = format!("{option} {}", grammar.sites[pin.site].label);
                return Ok(Some(Candidate::text(
                    text,
                    CounterexampleOrigin::Bound { option, seed },
                )));
            }
        }
        Ok(None)
    }
}

/// Shapes take turns, each time with a fresh seed.
struct ShapedInputs<'a> {
    grammar: &'a Grammar,
    shapes: Vec<Shape>,
    seed: u64,
    size_limit: Option<usize>,
    attempts: u64,
    /// `None` for an endless number of rounds.
    rounds: Option<u64>,
    /// Number of failed attempts in a row to write an input.
    misses: u64,
}

impl CandidateSource for ShapedInputs<'_> {
    fn next(&mut self, is_over: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        /// After this many failures, random values cannot satisfy the grammar, and the source ends.
        const MISSES_MAX: u64 = 50;
        let count = self.shapes.len() as u64;
        loop {
            let is_done = self.rounds.is_some_and(|rounds| self.attempts >= rounds * count);
            if count == 0 || is_done || self.misses >= MISSES_MAX || is_over() {
                return Ok(None);
            }
            let shape = &self.shapes[(self.attempts % count) as usize];
            let seed = self.seed.wrapping_add(self.attempts / count);
            self.attempts += 1;
            match generate_until(self.grammar, shape, &[], seed, self.size_limit, is_over) {
                Ok(text) => {
                    self.misses = 0;
                    let name = shape.name;
                    return Ok(Some(Candidate::text(
                        text,
                        CounterexampleOrigin::Shape { name, seed },
                    )));
                }
                Err(_) => self.misses += 1,
            }
        }
    }
}
