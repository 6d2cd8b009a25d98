//! Inputs from the grammar: all small ones in order, bounds, random ones by size, shapes, and the largest ones.
//!
//! Most faults show on small inputs, and the rest mostly at bounds or in time. No source can know which, so each has a
//! share; the figures are from measurements, see `docs/design/stress.md`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::inputs::candidates::{
    Candidate, CandidateContent, CandidateSource, DrawnInput, SourceMix, SourceShare,
};
use crate::search::result::CounterexampleOrigin;
use juror_core::stop::Stop;
use juror_grammar::chance::Chance;
use juror_grammar::enumerate::SmallInputs;
use juror_grammar::program::Grammar;
use juror_grammar::shape::{self, Scale, Shape, SpecialNumbers};
use juror_grammar::value_bounds::{BoundSide, Pin};
use juror_grammar::variables::variables;

/// Number of test cases that share an input in the list of small ones.
const CASES_PER_INPUT: u64 = 100;

/// Number of small inputs that are tried first.
const FIRST_SMALL: u32 = 50;

const SMALL_SHARE: SourceShare = SourceShare::same(10);
const BOUNDARY_SHARE: SourceShare = SourceShare::same(3);
const EXTREME_SHARE: SourceShare = SourceShare::same(2);
const SHAPE_SHARE: SourceShare = SourceShare { time: 3, turns: 4 };
/// Even few of the largest inputs take most of the time.
const LARGEST_SHARE: SourceShare = SourceShare { time: 9, turns: 1 };

/// The size bands: the upper bound on counts, and the share.
const BANDS: [(u32, SourceShare); 5] = [
    (6, SourceShare { time: 4, turns: 3 }),
    (12, SourceShare { time: 3, turns: 3 }),
    (40, SourceShare { time: 3, turns: 2 }),
    (300, SourceShare { time: 2, turns: 1 }),
    (3000, SourceShare { time: 2, turns: 1 }),
];

const LARGEST: &str = "largest counts";

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

/// In each turn of a size band, in this order.
const IN_BANDS: [&str; 12] = [
    "tiny",
    "random",
    "numbers",
    "mixed",
    "sums",
    "echo",
    "few-distinct",
    "ends",
    "mixed",
    "extremes",
    "numbers",
    "mixed",
];

/// Adds the sources of the grammar. `most` is the upper bound on the bytes of an input; starting a larger one costs
/// little.
pub fn add_sources<'a>(
    mix: &mut SourceMix<'a>,
    grammar: &'a Grammar,
    seed: u64,
    most: Option<usize>,
    numbers: &Arc<SpecialNumbers>,
) {
    let shapes: Vec<Shape> =
        shape::applicable(grammar).iter().map(|shape| shape.with_numbers(numbers)).collect();
    let of = |names: &[&str]| -> Vec<Shape> {
        let named = |name: &&str| shapes.iter().find(|shape| shape.name == *name).cloned();
        names.iter().filter_map(named).collect()
    };
    mix.add("small inputs in order", SMALL_SHARE, SmallInputs::new(grammar, CASES_PER_INPUT));
    mix.set_first_turns(FIRST_SMALL);
    let shaped = |source: u64, shapes: Vec<Shape>, rounds| ShapedInputs {
        shapes,
        seed: seed.wrapping_add(source * SEED_DISTANCE),
        size_limit: most,
        attempts: 0,
        rounds,
    };
    // The first input of each source comes in this order: bands from the smallest on, then the large ones.
    for (index, (limit, share)) in (1..).zip(BANDS) {
        let shapes = of(&IN_BANDS).iter().map(|shape| shape.with_count_limit(limit)).collect();
        mix.add(format!("counts to {limit}"), share, shaped(index, shapes, None));
    }
    mix.add("bounds", BOUNDARY_SHARE, shaped(0, of(&AT_BOUNDARIES), Some(1)));
    let large: Vec<Shape> = shapes.iter().filter_map(|shape| shape.sized(Scale::Large)).collect();
    let large_seed = seed.wrapping_add(8 * SEED_DISTANCE);
    mix.add(LARGEST, LARGEST_SHARE, SlowInputs::new(grammar, large, large_seed, most));
    let pin = |site, side, option| (Pin { site, side }, option);
    let ends =
        |site| [pin(site, BoundSide::Most, "--most"), pin(site, BoundSide::Least, "--least")];
    let pins = (0..grammar.sites.len()).rev().flat_map(ends).collect();
    mix.add(
        "one value at a bound",
        BOUNDARY_SHARE,
        BoundInputs { grammar, pins, seed, size_limit: most },
    );
    // An account for each size, since the cost of an input is estimated by those before.
    let [small, large] = extreme_shapes(&shapes, grammar, seed);
    mix.add("extremes", EXTREME_SHARE, shaped(6, small, Some(1)));
    mix.add("extremes, largest counts", EXTREME_SHARE, shaped(9, large, Some(1)));
    mix.add("all shapes", SHAPE_SHARE, shaped(7, shapes, None));
}

/// All combinations of extremes, with small counts and with the largest ones. The seed decides their order.
fn extreme_shapes(shapes: &[Shape], grammar: &Grammar, seed: u64) -> [Vec<Shape>; 2] {
    let shape = shapes.iter().find(|shape| shape.name == "extremes");
    let mut chance = Chance::new(seed, "extremes");
    let (small, _) = BANDS[0];
    let small = shape.map(|shape| shape.with_count_limit(small));
    let large = shape.and_then(|shape| shape.sized(Scale::Large));
    [small, large].map(|shape| {
        let mut all = shape.map_or_else(Vec::new, |shape| shape.at_extremes(grammar));
        for at in (1..all.len()).rev() {
            all.swap(at, chance.below(at as u64 + 1) as usize);
        }
        all
    })
}

/// The greatest values of variables, where they are the same everywhere.
pub fn greatest_values(grammar: &Grammar) -> Vec<i128> {
    let mosts = variables(grammar).into_iter().filter_map(|variable| variable.max?.to_small());
    mosts.map(i128::from).collect::<BTreeSet<i128>>().into_iter().collect()
}

impl CandidateSource for SmallInputs<'_> {
    fn next(&mut self, is_over: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        let Some(small) = self.next_until(is_over) else { return Ok(None) };
        let origin = CounterexampleOrigin::Small { level: small.level };
        Ok(Some(Candidate::text(small.text, origin)))
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
    fn next(&mut self, _: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        let Some((pin, option)) = self.pins.pop() else { return Ok(None) };
        let Self { grammar, seed, size_limit, .. } = *self;
        let option = format!("{option} {}", grammar.sites[pin.site].label);
        let drawn = DrawnInput { shape: shape::RANDOM, pins: vec![pin], seed, size_limit };
        let origin = CounterexampleOrigin::Bound { option, seed };
        Ok(Some(Candidate::new(CandidateContent::Drawn(Box::new(drawn)), origin)))
    }
}

fn shaped_candidate(shape: Shape, seed: u64, size_limit: Option<usize>) -> Candidate {
    let origin = CounterexampleOrigin::Shape { name: shape.name, seed };
    let drawn = DrawnInput { shape, pins: Vec::new(), seed, size_limit };
    Candidate::new(CandidateContent::Drawn(Box::new(drawn)), origin)
}

/// Shapes take turns, each time with a fresh seed.
struct ShapedInputs {
    shapes: Vec<Shape>,
    seed: u64,
    size_limit: Option<usize>,
    attempts: u64,
    /// `None` for an endless number of rounds.
    rounds: Option<u64>,
}

impl CandidateSource for ShapedInputs {
    fn next(&mut self, _: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        let count = self.shapes.len() as u64;
        let is_done = self.rounds.is_some_and(|rounds| self.attempts >= rounds * count);
        if count == 0 || is_done {
            return Ok(None);
        }
        let shape = self.shapes[(self.attempts % count) as usize].clone();
        // A shape may have several turns in a round.
        let seed = self.seed.wrapping_add(self.attempts);
        self.attempts += 1;
        Ok(Some(shaped_candidate(shape, seed, self.size_limit)))
    }
}

/// Inputs that are slow for the submission: first each shape, then mixtures of shapes. The slowest ones so far are
/// changed further.
struct SlowInputs<'a> {
    grammar: &'a Grammar,
    /// Each is tried once; the last one comes next.
    shapes: Vec<Shape>,
    mixed: Option<Shape>,
    seed: u64,
    size_limit: Option<usize>,
    chance: Chance,
    /// The slowest first.
    slowest: Vec<SlowInput>,
}

struct SlowInput {
    slowness: f64,
    shape: Shape,
    seed: u64,
}

/// Number of slow inputs that are changed further.
const SLOWEST_MAX: usize = 4;

impl<'a> SlowInputs<'a> {
    fn new(
        grammar: &'a Grammar,
        mut shapes: Vec<Shape>,
        seed: u64,
        size_limit: Option<usize>,
    ) -> Self {
        let mixed = shapes.iter().find(|shape| shape.name == shape::MIXED.name).cloned();
        // Trees and graphs take turns with the others.
        let mut counts = [0, 0];
        shapes.sort_by_cached_key(|shape| {
            let count = &mut counts[usize::from(shape.subject().is_graph())];
            *count += 1;
            *count
        });
        shapes.reverse();
        let chance = Chance::new(seed, "largest");
        Self { grammar, shapes, mixed, seed, size_limit, chance, slowest: Vec::new() }
    }

    fn next_shape(&mut self) -> Option<(Shape, u64)> {
        if let Some(shape) = self.shapes.pop() {
            return Some((shape, self.seed));
        }
        let (mixed, chance) = (self.mixed.as_ref()?, &mut self.chance);
        Some(match chance.pick(&self.slowest) {
            Some(slow) if chance.happens(600) => {
                let varied = slow.shape.varied(self.grammar, chance);
                match chance.below(3) {
                    0 => (slow.shape.clone(), self.seed),
                    1 => (varied, self.seed),
                    _ => (varied, slow.seed),
                }
            }
            _ => (mixed.varied(self.grammar, chance), self.seed),
        })
    }
}

impl CandidateSource for SlowInputs<'_> {
    fn next(&mut self, _: &dyn Fn() -> bool) -> Result<Option<Candidate>, Stop> {
        self.seed = self.seed.wrapping_add(1);
        let Some((shape, seed)) = self.next_shape() else { return Ok(None) };
        let candidate = shaped_candidate(shape, seed, self.size_limit);
        Ok(Some(Candidate { is_timed: true, ..candidate }))
    }

    fn note(&mut self, drawn: &DrawnInput, slowness: f64) {
        let (shape, seed) = (drawn.shape.clone(), drawn.seed);
        self.slowest.push(SlowInput { slowness, shape, seed });
        self.slowest.sort_by(|a, b| b.slowness.total_cmp(&a.slowness));
        self.slowest.truncate(SLOWEST_MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::inputs::numbers::special_numbers;
    use juror_grammar::compile::parse_grammar;

    fn grammar() -> Grammar {
        let text = b"INT(1,100000,n) NEWLINE REPI(i,n,SPACE) INT(1,10^9,a[i]) END NEWLINE";
        parse_grammar(Path::new("g.ctd"), text).grammar.expect("a grammar")
    }

    fn text_of(candidate: Candidate, grammar: &Grammar) -> String {
        match candidate.written(Some(grammar), &|| false).expect("an input").content {
            CandidateContent::Text(text) => String::from_utf8(text.to_vec()).expect("a text"),
            _ => panic!("a text"),
        }
    }

    #[test]
    fn numbers_of_programs_and_all_sizes_come_soon() {
        let grammar = grammar();
        let mut mix = SourceMix::default();
        add_sources(&mut mix, &grammar, 1, None, &special_numbers(["x %= 998244353;"], &[], []));
        let (mut counts, mut has_number) = (Vec::new(), false);
        for _ in 0..500 {
            let candidate = mix.next(&|| false).expect("no stop").expect("an input");
            let text = text_of(candidate, &grammar);
            has_number |= text.split_whitespace().any(|word| word == "998244353");
            let count = text.split_whitespace().next().expect("a count");
            counts.push(count.parse::<u32>().expect("a count"));
        }
        assert!(has_number);
        for (limit, _) in BANDS {
            let is_in = |count: &u32| (limit / 3..=limit).contains(count);
            assert!(counts.iter().any(is_in), "counts to {limit}");
        }
        assert!(counts.contains(&100_000));
        let small = counts.iter().filter(|count| **count <= 12).count();
        assert!(small * 2 > counts.len(), "{small} small inputs");
    }

    /// The clock is that of the inputs themselves: one slot, and the largest inputs take as long as they may.
    #[test]
    fn bands_start_with_the_smallest_and_the_largest_starts_soon() {
        let check = |largest: Duration| {
            let grammar = grammar();
            let mut mix = SourceMix::default();
            add_sources(&mut mix, &grammar, 1, None, &special_numbers([], &[], []));
            mix.share_time();
            let mut names: Vec<String> =
                BANDS.map(|(limit, _)| format!("counts to {limit}")).into();
            names.push(LARGEST.to_owned());
            let (mut clock, mut first) = (Duration::ZERO, Vec::new());
            while first.len() < names.len() {
                let account = mix.next(&|| false).expect("no stop").expect("an input").account;
                let name = mix.searched()[account].name.clone();
                let time = match name.rsplit_once("counts to ") {
                    Some((_, limit)) => {
                        limit.parse::<u32>().expect("a count") * (largest / 100_000)
                    }
                    None if name.starts_with("small") => Duration::from_micros(200),
                    None => largest,
                };
                clock += time;
                mix.settle(account, time);
                if names.contains(&name) && !first.contains(&name) {
                    first.push(name);
                    assert!(clock <= largest * 2 + Duration::from_secs(1), "{first:?}: {clock:?}");
                }
            }
            assert_eq!(first, names);
        };
        check(Duration::from_millis(100));
        check(Duration::from_secs(2));
        check(Duration::from_secs(20));
    }

    #[test]
    fn extremes_are_tried_once_each() {
        let text = b"INT(1,9,n) NEWLINE REPI(i,n,SPACE) INT(1,9,a[i]) END SPACE INT(1,9,b) NEWLINE";
        let grammar = parse_grammar(Path::new("g.ctd"), text).grammar.expect("a grammar");
        let inputs = |seed: u64| -> Vec<String> {
            let shapes = extreme_shapes(&shape::applicable(&grammar), &grammar, seed);
            let of = |shape| text_of(shaped_candidate(shape, 1, None), &grammar);
            shapes.into_iter().flatten().map(of).collect()
        };
        let one = inputs(1);
        assert_eq!((one.len(), one.iter().collect::<BTreeSet<_>>().len()), (8, 8), "{one:?}");
        assert!(one[4..].iter().all(|input| input.starts_with('9')), "{one:?}");
        assert!((2..9).any(|seed| inputs(seed) != one), "the seed decides the order");
    }

    fn slow_inputs(grammar: &Grammar) -> SlowInputs<'_> {
        let shapes = shape::applicable(grammar);
        let large = shapes.iter().filter_map(|shape| shape.sized(Scale::Large)).collect();
        SlowInputs::new(grammar, large, 5, None)
    }

    fn next(source: &mut SlowInputs<'_>) -> DrawnInput {
        let candidate = source.next(&|| false).expect("no stop").expect("an input");
        assert!(candidate.is_timed);
        match candidate.content {
            CandidateContent::Drawn(drawn) => *drawn,
            _ => panic!("a drawn input"),
        }
    }

    #[test]
    fn the_slowest_inputs_are_changed_further() {
        let grammar = grammar();
        let mut source = slow_inputs(&grammar);
        let first: Vec<&str> = (0..12).map(|_| next(&mut source).shape.name).collect();
        assert!(first.contains(&"increasing") && first.contains(&"all-equal"), "{first:?}");
        let mut slow = next(&mut source);
        slow.seed = 1_000_000;
        source.note(&slow, 88.0);
        let changed = (0..100).filter(|_| next(&mut source).seed == slow.seed).count();
        assert!((5..80).contains(&changed), "{changed}");
    }
}
