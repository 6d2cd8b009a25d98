//! Makes inputs that test a hypothesis: in the grammar's shapes, and near judged inputs.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::explain::features::{Features, Row};
use crate::explain::find::{Sample, Threshold};
use crate::grammar::chance::Chance;
use crate::grammar::enumerate::Small;
use crate::grammar::generate::{End, Pin, generate_within};
use crate::grammar::number::Int;
use crate::grammar::program::Grammar;
use crate::grammar::shape::{Scale, Shape, applicable};
use crate::grammar::tree::{InputTree, parse};
use crate::grammar::vary::{WantedChange, grown, vary};

pub struct ParsedInput {
    pub input: Arc<[u8]>,
    pub tree: InputTree,
    pub rows: Vec<Row>,
    pub origin: InputOrigin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputOrigin {
    Known,
    Drawn,
    /// It was made to test a hypothesis, but not from a failing input.
    Fresh,
    /// It was made from a failing input: most of these fail, too.
    BesideFailing,
}

pub struct JudgedInput {
    pub tree: InputTree,
    /// In bytes.
    pub size: usize,
    pub origin: InputOrigin,
}

pub type Neighbour<'a> = (&'a Sample, &'a JudgedInput);

pub struct Maker<'g, 'f> {
    grammar: &'g Grammar,
    features: &'f Features<'g>,
    shapes: Vec<Shape>,
    small: Small<'g>,
    chance: Chance,
    drawn: u64,
    seen: HashSet<Arc<[u8]>>,
}

/// In bytes. Larger inputs are not made.
const LARGEST: usize = 64 << 10;
/// In bytes. No input is made from a larger one.
const BESIDE_MAX: usize = 64 << 10;

impl<'g, 'f> Maker<'g, 'f> {
    /// The same seed makes the same inputs.
    pub fn new(grammar: &'g Grammar, features: &'f Features<'g>, seed: u64) -> Self {
        Self {
            grammar,
            features,
            shapes: applicable(grammar),
            small: Small::new(grammar, 1),
            chance: Chance::new(seed, "explain"),
            drawn: 0,
            seen: HashSet::new(),
        }
    }

    /// `None` if the input was seen before or the grammar refuses it.
    pub fn apart(&mut self, input: Arc<[u8]>, origin: InputOrigin) -> Option<ParsedInput> {
        if self.seen.contains(&input) {
            return None;
        }
        let tree = parse(self.grammar, &input, Path::new("input")).ok()?;
        let rows = self.features.rows(&tree, &input, None);
        self.seen.insert(Arc::clone(&input));
        Some(ParsedInput { input, tree, rows, origin })
    }

    /// For an unused input: it may be made again.
    pub fn give_back(&mut self, made: &ParsedInput) {
        self.seen.remove(&made.input);
    }

    pub fn smallest(&mut self) -> Option<ParsedInput> {
        let small = self.small.next()?;
        self.apart(small.text.into(), InputOrigin::Fresh)
    }

    /// An input in one of the grammar's shapes, sometimes with a value at its bound.
    pub fn draw(&mut self, origin: InputOrigin) -> Option<ParsedInput> {
        self.drawn += 1;
        let turn = self.drawn;
        let shape = self.chance.below(self.shapes.len() as u64) as usize;
        let shape = self.shapes.get(shape)?.clone();
        let shape = match turn % 6 {
            0 => shape,
            _ => shape.sized(Scale::Small).unwrap_or(shape),
        };
        let sites = self.grammar.sites.len() as u64;
        let pins = match turn % 5 {
            0 if sites > 0 => {
                let site = self.chance.below(sites) as usize;
                let end = if self.chance.happens(500) { End::Least } else { End::Most };
                vec![Pin { site, end }]
            }
            _ => Vec::new(),
        };
        let seed = self.chance.below(u64::MAX);
        let text = generate_within(self.grammar, &shape, &pins, seed, Some(LARGEST)).ok()?;
        self.apart(text.into(), origin)
    }

    /// Picks one of these inputs, unless it is too large. The origin is that of what is made from it.
    fn one_of<'n>(&mut self, all: &[Neighbour<'n>]) -> Option<(Neighbour<'n>, InputOrigin)> {
        let place = self.chance.below(all.len() as u64) as usize;
        let near = all.get(place).filter(|(_, source)| source.size <= BESIDE_MAX)?;
        Some((*near, if near.0.fails { InputOrigin::BesideFailing } else { InputOrigin::Fresh }))
    }

    pub fn beside(&mut self, all: &[Neighbour<'_>]) -> Option<ParsedInput> {
        let ((_, source), origin) = self.one_of(all)?;
        let text = vary(self.grammar, &source.tree, &mut self.chance)?;
        self.apart(text.into(), origin)
    }

    /// Varies one of these inputs until its figure is as near to the goal as possible.
    pub fn towards(
        &mut self,
        all: &[Neighbour<'_>],
        threshold: &Threshold,
        goal: i128,
    ) -> Option<ParsedInput> {
        const STEPS: usize = 12;
        let feature = &self.features.list[threshold.feature];
        let ((sample, source), origin) = self.one_of(all)?;
        let mut tree = source.tree.clone();
        let mut figure = figure(&sample.rows, threshold.feature, goal)?;
        let mut best: Option<ParsedInput> = None;
        for _ in 0..STEPS {
            if figure == goal {
                break;
            }
            let by = i64::try_from(goal - figure).ok()?;
            let text = if feature.sites.is_empty() || self.chance.happens(100) {
                vary(self.grammar, &tree, &mut self.chance)
            } else {
                let wish = WantedChange { sites: &feature.sites, by: Int::from(by) };
                grown(self.grammar, &tree, &wish, &mut self.chance)
            };
            let Some(made) = text.and_then(|text| self.apart(text.into(), origin)) else {
                continue;
            };
            self.give_back(&made);
            let Some(now) = self::figure(&made.rows, threshold.feature, goal) else { continue };
            if (goal - now).abs() < (goal - figure).abs() {
                figure = now;
                tree = made.tree.clone();
                best = Some(made);
            }
        }
        best.filter(|made| self.seen.insert(Arc::clone(&made.input)))
    }
}

pub fn figure(rows: &[Row], feature: usize, goal: i128) -> Option<i128> {
    rows.iter().filter_map(|row| row[feature]).min_by_key(|figure| (goal - figure).abs())
}
