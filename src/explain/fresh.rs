//! Makes inputs for a statement: in the grammar's shapes, and near judged inputs.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::explain::features::{Features, Row};
use crate::explain::find::Threshold;
use crate::grammar::chance::Chance;
use crate::grammar::enumerate::Small;
use crate::grammar::generate::{End, Pin, generate_within};
use crate::grammar::number::Int;
use crate::grammar::program::Grammar;
use crate::grammar::shape::{Scale, Shape, applicable};
use crate::grammar::tree::{InputTree, parse};
use crate::grammar::vary::{WantedChange, grown, vary};

/// A parsed input.
pub struct Fresh {
    /// Its text.
    pub input: Arc<[u8]>,
    /// Its parse tree.
    pub tree: InputTree,
    /// Its figures, except those of the answer.
    pub rows: Vec<Row>,
}

/// Makes new inputs.
pub struct Maker<'g, 'f> {
    grammar: &'g Grammar,
    features: &'f Features<'g>,
    shapes: Vec<Shape>,
    small: Small<'g>,
    chance: Chance,
    /// The number of inputs drawn.
    drawn: u64,
    seen: HashSet<Arc<[u8]>>,
}

/// The largest input that is made, in bytes.
const LARGEST: usize = 64 << 10;
/// The largest input that others are made from, in bytes.
const BESIDE_MAX: usize = 64 << 10;

impl<'g, 'f> Maker<'g, 'f> {
    /// A maker for a grammar; the same seed makes the same inputs.
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

    /// Parses a new input; None if it was seen before or the grammar refuses it.
    pub fn apart(&mut self, input: Arc<[u8]>) -> Option<Fresh> {
        if self.seen.contains(&input) {
            return None;
        }
        let tree = parse(self.grammar, &input, Path::new("input")).ok()?;
        let rows = self.features.rows(&tree, &input, None);
        self.seen.insert(Arc::clone(&input));
        Some(Fresh { input, tree, rows })
    }

    /// Allows an unused input to be made again.
    pub fn give_back(&mut self, made: &Fresh) {
        self.seen.remove(&made.input);
    }

    /// The next of the smallest inputs.
    pub fn smallest(&mut self) -> Option<Fresh> {
        let small = self.small.next()?;
        self.apart(small.text.into())
    }

    /// An input in one of the grammar's shapes, sometimes with a value at its bound.
    pub fn draw(&mut self) -> Option<Fresh> {
        self.drawn += 1;
        let turn = self.drawn;
        let shape = self.chance.below(self.shapes.len() as u64) as usize;
        let shape = self.shapes.get(shape)?.clone();
        let shape = match turn % 6 {
            0 => shape,
            _ => shape.sized(Scale::Small).unwrap_or(shape),
        };
        let sites = self.grammar.sites().len() as u64;
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
        self.apart(text.into())
    }

    /// A variation of one of these inputs, and whether the original fails.
    pub fn beside(&mut self, trees: &[Neighbour<'_>]) -> Option<(Fresh, bool)> {
        let place = self.chance.below(trees.len() as u64) as usize;
        let near = trees.get(place).filter(|it| it.size <= BESIDE_MAX)?;
        let text = vary(self.grammar, near.tree, &mut self.chance)?;
        Some((self.apart(text.into())?, near.fails))
    }

    /// A variation of one of these inputs with the figure as near to a goal as possible.
    pub fn towards(
        &mut self,
        trees: &[Neighbour<'_>],
        threshold: &Threshold,
        goal: i128,
    ) -> Option<(Fresh, bool)> {
        const STEPS: usize = 12;
        let feature = &self.features.list[threshold.feature];
        let place = self.chance.below(trees.len() as u64) as usize;
        let near = trees.get(place).filter(|it| it.size <= BESIDE_MAX)?;
        let mut tree = near.tree.clone();
        let mut figure = figure(near.rows, threshold.feature, goal)?;
        let mut best: Option<Fresh> = None;
        for _ in 0..STEPS {
            if figure == goal {
                break;
            }
            let by = i64::try_from(goal - figure).ok()?;
            let text = match feature.sites.is_empty() || self.chance.happens(100) {
                true => vary(self.grammar, &tree, &mut self.chance),
                false => {
                    let wish = WantedChange { sites: &feature.sites, by: Int::from(by) };
                    grown(self.grammar, &tree, &wish, &mut self.chance)
                }
            };
            let Some(made) = text.and_then(|text| self.apart(text.into())) else { continue };
            self.give_back(&made);
            let Some(now) = self::figure(&made.rows, threshold.feature, goal) else { continue };
            if (goal - now).abs() < (goal - figure).abs() {
                figure = now;
                tree = made.tree.clone();
                best = Some(made);
            }
        }
        let made = best.filter(|made| self.seen.insert(Arc::clone(&made.input)))?;
        Some((made, near.fails))
    }
}

/// The figure nearest to a goal, over all test cases.
pub fn figure(rows: &[Row], feature: usize, goal: i128) -> Option<i128> {
    rows.iter().filter_map(|row| row[feature]).min_by_key(|figure| (goal - figure).abs())
}

/// An input from which others are made.
pub struct Neighbour<'a> {
    /// Its parse tree.
    pub tree: &'a InputTree,
    /// Its figures.
    pub rows: &'a [Row],
    /// Its size in bytes.
    pub size: usize,
    /// Whether the submission fails on it.
    pub fails: bool,
}
