//! Makes inputs that test a hypothesis: in the grammar's shapes, and near judged inputs.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::explain::features::{FeatureRow, Features};
use crate::explain::find::{InputOrigin, ParsedInput, Sample};
use crate::inputs::candidates::DrawnInput;
use juror_grammar::chance::Chance;
use juror_grammar::enumerate::SmallInputs;
use juror_grammar::number::Int;
use juror_grammar::shape::{Scale, Shape, applicable};
use juror_grammar::tree::parse;
use juror_grammar::value_bounds::{BoundSide, Pin};
use juror_grammar::vary::{WantedChange, vary, vary_towards};

pub struct InputMaker<'g, 'f> {
    pub features: &'f Features<'g>,
    shapes: Vec<Shape>,
    small: SmallInputs<'g>,
    chance: Chance,
    draws: u64,
    seen: HashSet<Arc<[u8]>>,
}

/// In bytes. Larger inputs are not made.
const LARGEST_INPUT: usize = 64 << 10;
/// In bytes. No input is made from a larger one.
const LARGEST_SOURCE: usize = 64 << 10;

impl<'g, 'f> InputMaker<'g, 'f> {
    /// The same seed makes the same inputs.
    pub fn new(features: &'f Features<'g>, seed: u64) -> Self {
        let grammar = features.grammar;
        let shapes = applicable(grammar).into_iter().filter(|shape| !shape.is_for_searches());
        Self {
            features,
            shapes: shapes.collect(),
            small: SmallInputs::new(grammar, 1),
            chance: Chance::new(seed, "explain"),
            draws: 0,
            seen: HashSet::new(),
        }
    }

    /// `None` if the input was seen before or the grammar refuses it.
    pub fn parse_new(&mut self, input: Arc<[u8]>, origin: InputOrigin) -> Option<ParsedInput> {
        if self.seen.contains(&input) {
            return None;
        }
        let tree = parse(self.features.grammar, &input, Path::new("input")).ok()?;
        let rows = self.features.rows(&tree, &input, None);
        self.seen.insert(Arc::clone(&input));
        Some(ParsedInput { input, tree, rows, origin })
    }

    /// For an unused input: it may be made again.
    pub fn forget(&mut self, parsed: &ParsedInput) {
        self.seen.remove(&parsed.input);
    }

    pub fn next_small(&mut self) -> Option<ParsedInput> {
        let small = self.small.next()?;
        self.parse_new(small.text.into(), InputOrigin::Fresh)
    }

    /// An input in one of the grammar's shapes, sometimes with a value at its bound.
    pub fn draw(&mut self, origin: InputOrigin) -> Option<ParsedInput> {
        self.draws += 1;
        let turn = self.draws;
        let mut shape = self.chance.pick(&self.shapes)?.clone();
        // Most inputs are small; every sixth one has the shape's own size.
        if !turn.is_multiple_of(6) {
            shape = shape.sized(Scale::Small).unwrap_or(shape);
        }
        let sites = self.features.grammar.sites.len() as u64;
        let mut pins = Vec::new();
        if turn.is_multiple_of(5) && sites > 0 {
            let site = self.chance.below(sites) as usize;
            let side = if self.chance.happens(500) { BoundSide::Least } else { BoundSide::Most };
            pins.push(Pin { site, side });
        }
        let seed = self.chance.below(u64::MAX);
        let drawn = DrawnInput { shape, pins, seed, size_limit: Some(LARGEST_INPUT) };
        self.parse_new(drawn.write(self.features.grammar, &|| false)?.into(), origin)
    }

    /// Picks one of these inputs, unless it is too large. The origin is that of what is made from it.
    fn pick<'s>(&mut self, all: &[&'s Sample]) -> Option<(&'s Sample, InputOrigin)> {
        let near = self.chance.pick(all)?;
        let origin = if near.fails { InputOrigin::NearFailing } else { InputOrigin::Fresh };
        (near.parsed.input.len() <= LARGEST_SOURCE).then_some((near, origin))
    }

    pub fn vary(&mut self, all: &[&Sample]) -> Option<ParsedInput> {
        let (near, origin) = self.pick(all)?;
        let text = vary(self.features.grammar, &near.parsed.tree, &mut self.chance)?;
        self.parse_new(text.into(), origin)
    }

    /// Varies one of these inputs until its figure of this feature is as near to the goal as possible.
    pub fn vary_towards(
        &mut self,
        all: &[&Sample],
        index: usize,
        goal: i128,
    ) -> Option<ParsedInput> {
        const STEPS: usize = 12;
        let feature = &self.features.features[index];
        let (near, origin) = self.pick(all)?;
        let mut tree = near.parsed.tree.clone();
        let mut figure = nearest_figure(near.rows(), index, goal)?;
        let mut best: Option<ParsedInput> = None;
        for _ in 0..STEPS {
            if figure == goal {
                break;
            }
            let by = i64::try_from(goal - figure).ok()?;
            let text = if feature.sites.is_empty() || self.chance.happens(100) {
                vary(self.features.grammar, &tree, &mut self.chance)
            } else {
                let change = WantedChange { sites: &feature.sites, by: Int::from(by) };
                vary_towards(self.features.grammar, &tree, &change, &mut self.chance)
            };
            let Some(parsed) = text.and_then(|text| self.parse_new(text.into(), origin)) else {
                continue;
            };
            self.forget(&parsed);
            let Some(now) = nearest_figure(&parsed.rows, index, goal) else {
                continue;
            };
            if (goal - now).abs() < (goal - figure).abs() {
                figure = now;
                tree = parsed.tree.clone();
                best = Some(parsed);
            }
        }
        best.filter(|parsed| self.seen.insert(Arc::clone(&parsed.input)))
    }
}

pub fn nearest_figure(rows: &[FeatureRow], feature: usize, goal: i128) -> Option<i128> {
    rows.iter().filter_map(|row| row[feature]).min_by_key(|figure| (goal - figure).abs())
}
