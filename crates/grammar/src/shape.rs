//! The named shapes of generated inputs, beyond uniform noise.
//!
//! Noise finds few faults: random numbers hardly repeat, random trees are shallow, sums are near their mean. Each shape
//! is a row that says what it gives and what that may find.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::chance::Chance;
use crate::number::Int;
use crate::program::{Grammar, Pointer, Site};
use juror_core::words::words;

/// A way to choose the counts and the values of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its name, such as `largest`.
    pub name: &'static str,
    /// What it gives, and what that may find.
    pub description: &'static str,
    pub(super) cases: Cases,
    pub(super) counts: Counts,
    pub(super) values: Values,
    /// By site, for [`Values::Mixed`] and [`Values::Extremes`]; `None` if the seed chooses.
    pub(super) mix: Option<Arc<[Values]>>,
    /// Upper bound on counts and on the lengths of texts, as far as the grammar allows it.
    pub(super) count_limit: Option<u32>,
    pub(super) numbers: Option<Arc<SpecialNumbers>>,
}

/// Numbers of which programs may make a mistake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecialNumbers {
    /// Values and counts, in order. Likely ones occur several times.
    pub values: Vec<Int>,
    /// Distances between values: sizes of hash tables, moduli.
    pub steps: Vec<Int>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cases {
    /// Their number is chosen like other counts.
    Plain,
    ManyTiny,
    OneHuge,
    BigBeforeSmall,
    SameTwice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    Random,
    Least,
    AboveLeast,
    BelowMost,
    Most,
    Small,
    Few,
}

words! {
    /// In sections: up to `Parallel` for pointers between nodes, from `Random` to `OrganPipe` for all numbers, and from
    /// `Ends` on for searches. In a section, the order decides what a seed draws.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
    pub(super) enum Values {
        Path = "path",
        TwoPaths = "two-paths",
        BackPath = "back-path",
        NearPath = "near-path",
        Star = "star",
        Binary = "binary",
        Caterpillar = "caterpillar",
        Broom = "broom",
        SquareRoot = "square-root",
        RandomTree = "random-tree",
        Cycle = "cycle",
        Clique = "clique",
        Grid = "grid",
        SelfLoop = "self-loop",
        Parallel = "parallel",
        Largest = "largest",
        Random = "random",
        Small = "small",
        Least = "all-least",
        Most = "all-most",
        Zero = "zeros",
        Equal = "all-equal",
        Increasing = "increasing",
        Decreasing = "decreasing",
        Alternating = "alternating",
        Spike = "spike",
        FewDistinct = "few-distinct",
        AlmostSorted = "almost-sorted",
        Planted = "planted",
        /// Each value for itself at its least or most.
        Ends = "ends",
        /// Special numbers and those near the bounds.
        Numbers = "numbers",
        /// Special numbers as sums.
        Sums = "sums",
        /// At distances as large as a table.
        Multiples = "multiples",
        /// Multiples, and then the numbers after them.
        Clusters = "clusters",
        /// At distances of one or two.
        Diagonal = "diagonal",
        OnePlace = "one-place",
        Sawtooth = "sawtooth",
        Blocks = "blocks",
        OrganPipe = "organ-pipe",
        /// Each site at its least or most.
        Extremes = "extremes",
        /// For texts; numbers are at random.
        ThueMorse = "thue-morse",
        Fibonacci = "fibonacci",
        AlmostPeriod = "almost-period",
        Echo = "echo",
        /// For rows of texts or of numbers.
        Serpentine = "serpentine",
        /// Each site has its own of the others.
        Mixed = "mixed",
    }
}

/// Upper bound on the variables of which all combinations of extremes are tried.
const EXTREME_VARIABLES_MAX: usize = 8;

/// What all other numbers have in a tree or graph: a long path of the greatest weights passes any limit.
const FOR_WEIGHTS: [Values; 6] =
    [Values::Random, Values::Random, Values::Most, Values::Most, Values::Least, Values::Ends];

/// What a text may have in [`Values::Mixed`].
const FOR_TEXTS: [Values; 13] = [
    Values::Random,
    Values::Least,
    Values::Most,
    Values::Equal,
    Values::Alternating,
    Values::FewDistinct,
    Values::OnePlace,
    Values::Blocks,
    Values::ThueMorse,
    Values::Fibonacci,
    Values::AlmostPeriod,
    Values::Echo,
    Values::Serpentine,
];

words! {
    /// The size of counts in shapes that do not set it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Scale {
        /// About ten: small enough to follow by hand.
        Small = "small",
        /// As large as permitted. If an input has several test cases, it gets only one.
        Large = "large",
    }
}

impl Values {
    /// What a number may have in [`Values::Mixed`].
    fn for_numbers() -> &'static [Self] {
        &Self::ALL[Self::Random as usize..=Self::OrganPipe as usize]
    }

    /// What a number that may point to a node may have, too.
    fn for_pointers() -> &'static [Self] {
        &Self::ALL[..=Self::Parallel as usize]
    }

    /// Whether only pointers between nodes have it.
    pub(super) fn is_graph(self) -> bool {
        self <= Self::Parallel
    }

    fn suits(self, site: &Site) -> bool {
        if !site.is_number {
            return FOR_TEXTS.contains(&self);
        }
        if self.is_graph() { site.pointer.is_some() } else { Self::for_numbers().contains(&self) }
    }
}

impl Shape {
    /// `None` if the shape itself sets the size of counts.
    pub fn sized(&self, size: Scale) -> Option<Self> {
        let cases = match (self.cases, self.counts, size) {
            (Cases::Plain, Counts::Random, Scale::Large) => Cases::OneHuge,
            (cases @ (Cases::Plain | Cases::SameTwice), Counts::Random, _) => cases,
            _ => return None,
        };
        let counts = match size {
            Scale::Small => Counts::Few,
            Scale::Large => Counts::Most,
        };
        Some(Self { cases, counts, ..self.clone() })
    }

    /// Whether it is for searches: people would not choose it for test data, and it explains little.
    pub fn is_for_searches(&self) -> bool {
        self.values >= Values::Ends
    }

    /// Counts and lengths of texts are at most this, as far as the grammar allows it.
    #[must_use]
    pub fn with_count_limit(&self, most: u32) -> Self {
        Self { count_limit: Some(most), ..self.clone() }
    }

    /// The numbers to choose from where values are special.
    #[must_use]
    pub fn with_numbers(&self, numbers: &Arc<SpecialNumbers>) -> Self {
        Self { numbers: Some(Arc::clone(numbers)), ..self.clone() }
    }

    /// Another way to choose values for one of the sites.
    #[must_use]
    pub fn varied(&self, grammar: &Grammar, chance: &mut Chance) -> Self {
        let mut mix: Vec<Values> = match &self.mix {
            Some(mix) => mix.to_vec(),
            None if self.values == Values::Mixed => draw_mix(grammar, chance),
            None => vec![self.values; grammar.sites.len()],
        };
        let sites = (0..mix.len()).filter(|site| !grammar.sites[*site].is_count);
        let sites: Vec<usize> = sites.collect();
        if let Some(site) = chance.pick(&sites) {
            mix[*site] = any_values(&grammar.sites[*site], chance);
            if let Some(Pointer::EdgeEnd { begin, .. }) = grammar.sites[*site].pointer
                && (mix[*site].is_graph() || mix[begin].is_graph())
            {
                mix[begin] = mix[*site];
            }
        }
        Self { name: MIXED.name, values: Values::Mixed, mix: Some(mix.into()), ..self.clone() }
    }

    /// This shape with each combination of variables at their least and at their most; none if there are too many.
    pub fn at_extremes(&self, grammar: &Grammar) -> Vec<Self> {
        let sites = grammar.sites.iter().enumerate();
        let sites = sites.filter(|(_, site)| site.is_number && !site.is_count);
        // A site without a variable has a key of its own.
        let key = |(index, site): (usize, &Site)| site.variable.map_or((1, index), |id| (0, id));
        let mut sites_by_variable: BTreeMap<(u8, usize), Vec<usize>> = BTreeMap::new();
        for (index, site) in sites {
            sites_by_variable.entry(key((index, site))).or_default().push(index);
        }
        let count = sites_by_variable.len();
        if count == 0 || count > EXTREME_VARIABLES_MAX {
            return Vec::new();
        }
        let combination = |mask: usize| {
            let mut mix = vec![Values::Random; grammar.sites.len()];
            for (at, sites) in sites_by_variable.values().enumerate() {
                let side = if mask >> at & 1 == 0 { Values::Least } else { Values::Most };
                sites.iter().for_each(|site| mix[*site] = side);
            }
            Self { values: Values::Extremes, mix: Some(mix.into()), ..self.clone() }
        };
        (0..1 << count).map(combination).collect()
    }

    /// How each site chooses its values.
    pub(super) fn values_by_site(&self, grammar: &Grammar, chance: &mut Chance) -> Vec<Values> {
        let count = grammar.sites.len();
        match (&self.mix, self.values) {
            (Some(mix), Values::Mixed | Values::Extremes) if mix.len() == count => mix.to_vec(),
            (_, Values::Mixed) => draw_mix(grammar, chance),
            (_, Values::Extremes) => (0..count)
                .map(|_| if chance.happens(500) { Values::Least } else { Values::Most })
                .collect(),
            (_, values) if values.is_graph() => {
                let weights = FOR_WEIGHTS[chance.below(FOR_WEIGHTS.len() as u64) as usize];
                let site_values = |site: &Site| {
                    if site.is_number && site.pointer.is_none() { weights } else { values }
                };
                grammar.sites.iter().map(site_values).collect()
            }
            (_, values) => vec![values; count],
        }
    }
}

fn any_values(site: &Site, chance: &mut Chance) -> Values {
    let graph = if site.pointer.is_some() { 600 } else { 0 };
    let choices: &[Values] = if !site.is_number {
        &FOR_TEXTS
    } else if chance.happens(graph) {
        Values::for_pointers()
    } else {
        Values::for_numbers()
    };
    choices[chance.below(choices.len() as u64) as usize]
}

/// A value often has the same shape as the one before it in the same row. The two ends of an edge have one shape. Often
/// only one row has a structure, such as a tree with random queries.
fn draw_mix(grammar: &Grammar, chance: &mut Chance) -> Vec<Values> {
    let sites = &grammar.sites;
    let mut mix: Vec<Values> = Vec::with_capacity(sites.len());
    let only = chance.pick(sites).filter(|_| chance.happens(400));
    for (index, site) in sites.iter().enumerate() {
        let is_same_row = |other: &Site| other.loops == site.loops;
        let is_after_same = index > 0 && is_same_row(&sites[index - 1]);
        let values = match (mix.last(), site.pointer) {
            _ if only.is_some_and(|only| !is_same_row(only)) => Values::Random,
            (_, Some(Pointer::EdgeEnd { begin, .. })) if mix[begin].is_graph() => mix[begin],
            (Some(before), _) if is_after_same && before.suits(site) && chance.happens(400) => {
                *before
            }
            _ => any_values(site, chance),
        };
        mix.push(values);
    }
    mix
}

const fn values(values: Values, description: &'static str) -> Shape {
    counts_and_values(values.name(), description, Counts::Random, values)
}

const fn counts(name: &'static str, description: &'static str, counts: Counts) -> Shape {
    counts_and_values(name, description, counts, Values::Random)
}

const fn counts_and_values(
    name: &'static str,
    description: &'static str,
    counts: Counts,
    values: Values,
) -> Shape {
    shape(name, description, Cases::Plain, counts, values)
}

const fn cases(name: &'static str, description: &'static str, cases: Cases) -> Shape {
    shape(name, description, cases, Counts::Random, Values::Random)
}

const fn shape(
    name: &'static str,
    description: &'static str,
    cases: Cases,
    counts: Counts,
    values: Values,
) -> Shape {
    Shape { name, description, cases, counts, values, mix: None, count_limit: None, numbers: None }
}

pub const RANDOM: Shape = values(
    Values::Random,
    "everything drawn at random from all that is allowed: careless mistakes",
);

pub const MIXED: Shape =
    values(Values::Mixed, "each variable in a way of its own: faults that need two shapes at once");

pub const SHAPES: [Shape; 57] = [
    RANDOM,
    counts_and_values(
        "tiny",
        "small counts and small values, so that ties abound",
        Counts::Small,
        Values::Small,
    ),
    counts_and_values(
        "smallest",
        "every count and value as small as allowed: missing base cases",
        Counts::Least,
        Values::Least,
    ),
    counts_and_values(
        "largest",
        "every count and value as large as allowed: time, memory, overflow",
        Counts::Most,
        Values::Most,
    ),
    counts("count-least", "every count as small as allowed: missing base cases", Counts::Least),
    counts(
        "count-above-least",
        "every count one above the least: the step after the base case",
        Counts::AboveLeast,
    ),
    counts(
        "count-below-most",
        "every count one below the most: arrays that just fit",
        Counts::BelowMost,
    ),
    counts("count-most", "every count as large as allowed: running time", Counts::Most),
    values(Values::Least, "every value as small as allowed: maxima that start too high"),
    values(Values::Most, "every value as large as allowed: sums that overflow"),
    values(Values::Zero, "every value zero, or as near to it as allowed: divisions"),
    values(Values::Equal, "all values of a row the same: ties"),
    values(Values::Increasing, "values that rise: pivots at an end, stacks that grow"),
    values(Values::Decreasing, "values that fall: sorts by insertion"),
    values(Values::Alternating, "large and small values in turn: comparing neighbours only"),
    values(Values::Spike, "small values and a single large one: greedy choices"),
    values(Values::FewDistinct, "two or three different values only: ties"),
    values(
        Values::AlmostSorted,
        "values that rise, but for a few exchanged: sorts that stop early",
    ),
    values(Values::Planted, "a short pattern again and again, broken once: guessed periods"),
    counts_and_values(
        "largest-sum",
        "as many values as allowed, far from zero: sums that overflow",
        Counts::Most,
        Values::Largest,
    ),
    counts_and_values(
        "increasing-most",
        "as many values as allowed, rising: pivots at an end",
        Counts::Most,
        Values::Increasing,
    ),
    values(
        Values::Extremes,
        "each variable at its least or its most in all its places: overflow at some corner only",
    ),
    values(Values::Ends, "each value at its least or its most: sentinels, overflow"),
    values(
        Values::Numbers,
        "numbers of both programs, powers of two and ten, and bounds, also as counts: limits, array sizes",
    ),
    values(
        Values::Sums,
        "rows that add up to a power of two or a number of the programs: overflow",
    ),
    values(
        Values::Multiples,
        "values at distances as large as a table: keys that meet in one bucket",
    ),
    values(
        Values::Clusters,
        "values at such distances, then their neighbours: keys that move on to the next place",
    ),
    values(Values::Diagonal, "values that rise by one or two: pairs with the same hash"),
    values(Values::OnePlace, "all values of a row the same but one: long lists in one bucket"),
    values(Values::Sawtooth, "values that rise again and again: windows, counts of runs"),
    values(Values::Blocks, "runs of equal values: run lengths, ties"),
    values(Values::OrganPipe, "values that rise, then fall: pivots in the middle"),
    values(Values::Path, "each index points to the next, or to the one before: depth, recursion"),
    values(Values::TwoPaths, "each index points to the one before the last: two long branches"),
    values(Values::BackPath, "each index points to its mirror image: a path from its end"),
    values(Values::NearPath, "each index points to one of the last three: depth with some width"),
    values(Values::Star, "all point to the first: what costs the square of a degree"),
    values(Values::Binary, "each index points to its half: complete trees"),
    values(Values::Caterpillar, "a path, and a leaf on each of its nodes"),
    values(Values::Broom, "a path with a star at its end: depth times degree"),
    values(Values::SquareRoot, "paths of length sqrt(n): depth times width"),
    values(Values::RandomTree, "edges that form a tree: programs that need one"),
    values(Values::Cycle, "edges that form one cycle: searches that go round it"),
    values(Values::Clique, "all edges between the first nodes: what costs nodes times edges"),
    values(Values::Grid, "the edges of a square grid: searches with many ways"),
    values(
        Values::SelfLoop,
        "a path with an edge from each node to itself: degrees, parents, endless loops",
    ),
    values(Values::Parallel, "a path with each edge many times: bridges, queues that grow"),
    values(Values::ThueMorse, "texts of two letters without a repeated part: hashes that overflow"),
    values(Values::Fibonacci, "texts of two letters with as many repetitions as possible: borders"),
    values(Values::AlmostPeriod, "texts of one letter but for the end: comparisons that fail late"),
    values(Values::Echo, "texts of pieces of an earlier text: comparisons that start anew"),
    values(Values::Serpentine, "rows of a maze with one long path: depth, search by trial"),
    MIXED,
    cases(
        "many-tiny",
        "as many test cases as allowed, each tiny: what each costs",
        Cases::ManyTiny,
    ),
    cases("one-huge", "a single test case, as large as allowed: running time", Cases::OneHuge),
    cases(
        "big-before-small",
        "a large test case, then small ones: state that is not cleared",
        Cases::BigBeforeSmall,
    ),
    cases("same-twice", "the same test case twice: state that is not cleared", Cases::SameTwice),
];

pub fn find_shape(name: &str) -> Option<Shape> {
    SHAPES.iter().find(|shape| shape.name == name).cloned()
}

words! {
    /// What an input must have so that a shape makes a difference.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ShapeSubject {
        Anything = "all inputs",
        Variables = "variables",
        Counts = "counts",
        Values = "values",
        CountsOrValues = "counts, values",
        CountedRows = "counts of rows",
        Rows = "rows",
        Texts = "texts",
        Mazes = "mazes",
        Pointers = "pointers",
        FreePointers = "pointers, edges",
        Edges = "edges",
        Cases = "test cases",
    }
}

impl ShapeSubject {
    /// Whether it is a tree or graph.
    pub fn is_graph(self) -> bool {
        matches!(self, Self::Pointers | Self::FreePointers | Self::Edges)
    }
}

impl Shape {
    /// For whom it is.
    pub fn subject(&self) -> ShapeSubject {
        match (self.cases, self.counts, self.values) {
            (Cases::Plain, Counts::Random, values) => match values {
                Values::Random => ShapeSubject::Anything,
                Values::Mixed => ShapeSubject::Variables,
                Values::Least
                | Values::Most
                | Values::Zero
                | Values::Extremes
                | Values::Numbers => ShapeSubject::Values,
                Values::ThueMorse | Values::Fibonacci | Values::AlmostPeriod | Values::Echo => {
                    ShapeSubject::Texts
                }
                Values::Serpentine => ShapeSubject::Mazes,
                Values::Cycle | Values::SelfLoop => ShapeSubject::FreePointers,
                Values::RandomTree | Values::Clique | Values::Grid | Values::Parallel => {
                    ShapeSubject::Edges
                }
                _ if values.is_graph() => ShapeSubject::Pointers,
                _ => ShapeSubject::Rows,
            },
            (Cases::Plain, _, Values::Random) => ShapeSubject::Counts,
            (Cases::Plain, Counts::Most, Values::Increasing) => ShapeSubject::CountedRows,
            (Cases::Plain, ..) => ShapeSubject::CountsOrValues,
            _ => ShapeSubject::Cases,
        }
    }
}

/// The shapes that make a difference for a grammar.
pub fn applicable(grammar: &Grammar) -> Vec<Shape> {
    let has = |is_wanted: &dyn Fn(&Site) -> bool| grammar.sites.iter().any(is_wanted);
    let has_counts = has(&|site| site.is_count);
    let has_values = has(&|site| !site.is_count && site.is_number);
    let has_rows = has(&|site| !site.is_count && site.is_number && !site.loops.is_empty());
    let applies = |shape: &Shape| match shape.subject() {
        ShapeSubject::Anything => true,
        ShapeSubject::Variables => has(&|_| true),
        ShapeSubject::Counts => has_counts,
        ShapeSubject::Values => has_values,
        ShapeSubject::CountsOrValues => has_counts || has_values,
        ShapeSubject::CountedRows => has_counts && has_rows,
        ShapeSubject::Rows => has_rows,
        ShapeSubject::Texts => has(&|site| !site.is_number),
        ShapeSubject::Mazes => has(&|site| site.loops.len() > usize::from(site.is_number)),
        ShapeSubject::Pointers => has(&|site| site.pointer.is_some()),
        ShapeSubject::FreePointers => {
            has(&|site| site.pointer.is_some_and(|pointer| pointer != Pointer::Parent))
        }
        ShapeSubject::Edges => has(&|site| site.pointer == Some(Pointer::EdgeBegin)),
        ShapeSubject::Cases => has(&|site| site.is_case_count),
    };
    SHAPES.iter().filter(|shape| applies(shape)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (index, shape) in SHAPES.iter().enumerate() {
            let same = SHAPES.iter().position(|other| other.name == shape.name);
            assert_eq!(same, Some(index), "{}", shape.name);
            assert_eq!(find_shape(shape.name).as_ref(), Some(shape));
        }
    }

    #[test]
    fn a_section_of_values_is_for_the_same_sites() {
        for shape in SHAPES {
            assert_eq!(shape.subject().is_graph(), shape.values.is_graph(), "{}", shape.name);
            let is_for_numbers = Values::for_numbers().contains(&shape.values);
            let subjects = [ShapeSubject::Texts, ShapeSubject::Mazes, ShapeSubject::Variables];
            let is_special = subjects.contains(&shape.subject()) || shape.values.is_graph();
            assert!(!is_for_numbers || !is_special, "{}", shape.name);
        }
    }

    #[test]
    fn the_documentation_lists_the_shapes() {
        let page = include_str!("../../../docs/grammar.md");
        for shape in SHAPES {
            let subject = shape.subject();
            let row = format!("| `{}` | {subject} | {} |", shape.name, shape.description);
            assert!(page.contains(&row), "docs/grammar.md lacks the row: {row}");
        }
    }
}
