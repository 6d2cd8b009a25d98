//! Inputs by the grammar: all small ones in turn, boundaries, small values, shapes, and the full range.

use std::sync::Arc;

use crate::grammar::enumerate::Small;
use crate::grammar::generate::{End, Pin, generate, generate_at};
use crate::grammar::program::Grammar;
use crate::grammar::shape::{self, Shape};
use crate::model::stop::Stop;
use crate::model::stress::Origin;
use crate::stress::candidates::{Candidate, Candidates, Content, Mix};

/// How many test cases share an input of the list of small ones.
const PACKED: u64 = 100;

/// How many small inputs are tried before anything else.
const LEAD: u32 = 50;

/// How many turns each source has in a round.
const SMALL: u32 = 10;
const BOUNDARIES: u32 = 3;
const TIES: u32 = 4;
const SHAPES: u32 = 3;
const FULL: u32 = 2;

/// So far are the seeds of two sources from each other, so that they do not try the same.
const APART: u64 = 1 << 30;

/// Shapes whose inputs lie at a boundary of what is allowed; each is tried once.
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

/// Shapes in which equal values abound.
const WITH_TIES: [&str; 3] = ["tiny", "few-distinct", "all-equal"];

/// Adds the grammar's sources.
pub fn add<'a>(mix: &mut Mix<'a>, grammar: &'a Grammar, seed: u64) {
    let shapes = shape::applicable(grammar);
    let of = |names: &[&str]| -> Vec<Shape> {
        let named = |name: &&str| shapes.iter().find(|shape| shape.name == *name).cloned();
        names.iter().filter_map(named).collect()
    };
    mix.add(SMALL, Small::new(grammar, PACKED));
    mix.lead(LEAD);
    let shaped = |source: u64, shapes: Vec<Shape>, rounds| Shaped {
        grammar,
        shapes,
        seed: seed.wrapping_add(source * APART),
        made: 0,
        rounds,
        misses: 0,
    };
    mix.add(BOUNDARIES, shaped(0, of(&AT_BOUNDARIES), Some(1)));
    let pin = |site, end, option| (Pin { site, end }, option);
    let ends = |site| [pin(site, End::Most, "--most"), pin(site, End::Least, "--least")];
    let pins = (0..grammar.sites().len()).rev().flat_map(ends).collect();
    mix.add(BOUNDARIES, Bounds { grammar, pins, seed });
    mix.add(TIES, shaped(1, of(&WITH_TIES), None));
    mix.add(SHAPES, shaped(2, shapes.clone(), None));
    mix.add(FULL, shaped(3, vec![shape::RANDOM], None));
}

/// All small inputs in turn.
impl Candidates for Small<'_> {
    fn next(&mut self) -> Result<Option<Candidate>, Stop> {
        Ok(Iterator::next(self).map(|input| Candidate {
            content: Content::Text(Arc::from(input.text)),
            origin: Origin::Small { level: input.level },
        }))
    }
}

/// Each value at its bounds, all else at random.
struct Bounds<'a> {
    grammar: &'a Grammar,
    /// Each with the option that says so; the next one last.
    pins: Vec<(Pin, &'static str)>,
    seed: u64,
}

impl Candidates for Bounds<'_> {
    fn next(&mut self) -> Result<Option<Candidate>, Stop> {
        loop {
            let Some((pin, option)) = self.pins.pop() else { return Ok(None) };
            // What cannot be at its bound is left out.
            if let Ok(text) = generate_at(self.grammar, &shape::RANDOM, &[pin], self.seed) {
                let label = &self.grammar.sites()[pin.site].label;
                return Ok(Some(Candidate {
                    content: Content::Text(Arc::from(text)),
                    origin: Origin::Bound { option: format!("{option} {label}"), seed: self.seed },
                }));
            }
        }
    }
}

/// Shapes one after the other, each time with a fresh seed.
struct Shaped<'a> {
    grammar: &'a Grammar,
    shapes: Vec<Shape>,
    seed: u64,
    made: u64,
    /// How often each shape is taken; without end if there is no number.
    rounds: Option<u64>,
    /// How often in a row nothing could be written.
    misses: u64,
}

impl Candidates for Shaped<'_> {
    fn next(&mut self) -> Result<Option<Candidate>, Stop> {
        /// A grammar that random values cannot satisfy is left to the other sources.
        const MISSES_MAX: u64 = 50;
        let count = self.shapes.len() as u64;
        loop {
            let is_over = self.rounds.is_some_and(|rounds| self.made >= rounds * count);
            if count == 0 || is_over || self.misses >= MISSES_MAX {
                return Ok(None);
            }
            let shape = &self.shapes[(self.made % count) as usize];
            let seed = self.seed.wrapping_add(self.made / count);
            self.made += 1;
            match generate(self.grammar, shape, seed) {
                Ok(text) => {
                    self.misses = 0;
                    let name = shape.name;
                    return Ok(Some(Candidate {
                        content: Content::Text(Arc::from(text)),
                        origin: Origin::Shape { name, seed },
                    }));
                }
                Err(_) => self.misses += 1,
            }
        }
    }
}
