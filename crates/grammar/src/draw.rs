//! Chooses values: at random in a shape, or from an earlier input.

mod edges;
mod numbers;
mod rows;
mod texts;

use std::collections::HashMap;

use crate::chance::Chance;
use crate::draw::edges::{DrawnEdge, GraphStyle};
use crate::draw::rows::RowPlan;
use crate::number::Int;
use crate::port::{LoopObserver, LoopState};
use crate::program::Grammar;
use crate::shape::{Cases, Counts, Shape, Values};
use crate::strings::Length;

pub(super) struct DrawRequest<'a> {
    pub site: usize,
    pub min: &'a Int,
    pub max: &'a Int,
    /// The number will be divided by ten to this power.
    pub unit: u32,
    pub loops: &'a [LoopState],
    /// Number of values drawn here that led to a dead end.
    pub retry: u32,
}

impl DrawRequest<'_> {
    fn clamp(&self, number: &Int) -> Int {
        number.clamped(self.min, self.max)
    }
}

pub(super) trait Chooser: LoopObserver {
    /// May be out of bounds.
    fn number(&mut self, draw: &DrawRequest<'_>) -> Int;
    /// `None` if no text was chosen earlier.
    fn text(&mut self, _site: usize) -> Option<Vec<u8>> {
        None
    }
    fn length(&mut self, site: usize) -> Length;
    /// A text of the same length in the shape of the site.
    fn reshape(&mut self, _site: usize, text: &[u8], _loops: &[LoopState]) -> Option<Vec<u8>> {
        let _ = text;
        None
    }
    fn decimals(&mut self, site: usize, min: u32, max: u32) -> u32;
    /// The answer to a question about what comes next. It is asked only if both answers are possible.
    fn answer(&mut self, question: usize, loops: &[LoopState]) -> bool;
    /// Notes the only possible answer.
    fn note_forced(&mut self, _question: usize) {}
    /// Whether values whose sum is limited are drawn about alike, not as large as the sum allows.
    fn spreads_sums(&self) -> bool {
        false
    }
    fn chance(&mut self) -> &mut Chance;
}

pub(super) struct ShapedChooser<'a> {
    grammar: &'a Grammar,
    shape: &'a Shape,
    chance: Chance,
    /// Of texts in shapes of few letters.
    letters: Option<[u8; 2]>,
    /// The first text in the shape of an echo.
    echoed: Option<Vec<u8>>,
    /// Between values of the first site with [`Values::Diagonal`].
    step: Option<i64>,
    /// Whether a maze is turned, and whether its path has the greater letters.
    maze: Option<[bool; 2]>,
    /// By site.
    values: Vec<Values>,
    /// The bias of values towards a bound, by site.
    bias: Vec<BoundBias>,
    /// Values planned in advance, by site and test case.
    plans: HashMap<(usize, u64), RowPlan>,
    last_number: Option<Int>,
    /// The numbers of the first test case, by site and iterations, to repeat them.
    first_case: HashMap<(usize, Vec<u64>), Int>,
    graphs: GraphStyle,
    /// The edge whose first end was drawn last.
    edge: Option<DrawnEdge>,
    /// Random orders of nodes and edges, by their number.
    shuffled: HashMap<u64, Vec<u64>>,
    /// For each question, the probability that its test holds, in thousandths.
    probabilities: Vec<u64>,
    /// For each loop without a count, its number of iterations.
    rounds: Vec<u64>,
    spreads_sums: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundBias {
    Shape,
    /// Take the value after this many of [`PARTS`] equal parts of the range.
    Part(u32),
    /// Take this value, or the bound nearest to it.
    Value(i64),
    WholeRange,
    /// Draw near the least value, within one of this many parts of the range.
    Low(u32),
    /// Draw near the greatest value, within one of this many parts of the range.
    High(u32),
}

/// See [`BoundBias::Part`].
pub(super) const PARTS: u32 = 64;

/// The place of a value among those of its test case, with loops flattened.
struct RowPlace {
    index: u64,
    length: u64,
}

/// How many neighbours of a value are tried if it leads to a dead end.
const NEIGHBOURS: u32 = 8;
/// Length of the longest row that is planned in advance.
const ROW_MAX: u64 = 1 << 22;
/// Assumed number of iterations of a loop without a count.
const ROW_LENGTH_GUESS: u64 = 16;

impl<'a> ShapedChooser<'a> {
    pub(super) fn new(
        grammar: &'a Grammar,
        shape: &'a Shape,
        mut chance: Chance,
        bias: Vec<BoundBias>,
    ) -> Self {
        // A question gets random answers in some inputs, and mostly or always the same answer in others.
        let likely = grammar
            .questions
            .iter()
            .map(|_| [500, 500, 0, 1000, 900, 100][chance.below(6) as usize]);
        let probabilities = likely.collect();
        let values = shape.values_by_site(grammar, &mut chance);
        let graphs = GraphStyle::draw(grammar, shape, &mut chance);
        let has_sums = grammar.sites.iter().any(|site| site.sum_limit.is_some());
        Self {
            probabilities,
            spreads_sums: has_sums && chance.happens(500),
            rounds: vec![0; grammar.loops.len()],
            grammar,
            shape,
            letters: None,
            echoed: None,
            step: None,
            maze: None,
            values,
            graphs,
            edge: None,
            shuffled: HashMap::new(),
            chance,
            bias,
            plans: HashMap::new(),
            last_number: None,
            first_case: HashMap::new(),
        }
    }

    /// The index of the test case, and the loops inside it.
    fn case<'l>(&self, loops: &'l [LoopState]) -> (u64, &'l [LoopState]) {
        match loops.split_first() {
            Some((state, inner)) if self.grammar.loops[state.id].is_cases => (state.index, inner),
            _ => (0, loops),
        }
    }

    fn count(&mut self, draw: &DrawRequest<'_>, is_case_count: bool) -> Int {
        let (case, _) = self.case(draw.loops);
        let counts = match (self.shape.cases, is_case_count) {
            (Cases::Plain, _) => self.shape.counts,
            (Cases::ManyTiny, true) => Counts::Most,
            (Cases::ManyTiny, false) => Counts::Small,
            (Cases::OneHuge, true) => Counts::Least,
            (Cases::OneHuge, false) => Counts::Most,
            (Cases::BigBeforeSmall, true) => return draw.clamp(&Int::Small(3)),
            (Cases::BigBeforeSmall, false) if case == 0 => Counts::Most,
            (Cases::BigBeforeSmall, false) => Counts::Small,
            (Cases::SameTwice, true) => return draw.clamp(&Int::Small(2)),
            (Cases::SameTwice, false) => self.shape.counts,
        };
        let most = match self.shape.count_limit {
            Some(limit) => draw.clamp(&Int::Small(limit.into())),
            None => draw.max.clone(),
        };
        match counts {
            Counts::Random
                if self.values[draw.site] == Values::Numbers && self.chance.happens(500) =>
            {
                self.special_number(draw.min, &most)
            }
            Counts::Random => self.chance.between(draw.min, &most),
            Counts::Least => draw.min.clone(),
            Counts::AboveLeast => draw.clamp(&draw.min.plus(&Int::ONE)),
            Counts::BelowMost => draw.clamp(&draw.max.minus(&Int::ONE)),
            Counts::Most => most,
            Counts::Small => {
                let most = draw.clamp(&draw.min.plus(&Int::Small(4)));
                self.chance.between(draw.min, &most)
            }
            Counts::Few => {
                let [least, most] = [5, 12].map(|by| draw.clamp(&draw.min.plus(&Int::Small(by))));
                self.chance.between(&least, &most)
            }
        }
    }

    fn value(&mut self, draw: &DrawRequest<'_>) -> Int {
        if let Some(value) = self.graph_value(draw) {
            return value;
        }
        match self.values[draw.site] {
            values if values.is_graph() => self.chance.between(draw.min, draw.max),
            Values::Random
            | Values::Mixed
            | Values::Extremes
            | Values::ThueMorse
            | Values::Fibonacci
            | Values::AlmostPeriod
            | Values::Echo => self.chance.between(draw.min, draw.max),
            Values::Serpentine => match self.case(draw.loops).1 {
                [row, column] if self.is_high([row, column].map(place)) => draw.max.clone(),
                [_, _] => draw.min.clone(),
                _ => self.chance.between(draw.min, draw.max),
            },
            Values::Ends if self.chance.happens(500) => draw.min.clone(),
            Values::Ends => draw.max.clone(),
            Values::Numbers => self.special_number(draw.min, draw.max),
            Values::Least => draw.min.clone(),
            Values::Most => draw.max.clone(),
            Values::Zero => draw.clamp(&Int::ZERO),
            Values::Largest => {
                if draw.min.magnitude() > draw.max.magnitude() {
                    draw.min.clone()
                } else {
                    draw.max.clone()
                }
            }
            Values::Small => {
                let middle = draw.clamp(&Int::ZERO);
                let near = |by: i64| draw.clamp(&middle.plus(&Int::Small(by)));
                // Around zero if that is in range, so that signs differ too.
                self.chance.between(&near(-2), &near(3))
            }
            _ => self.planned_value(draw),
        }
    }

    fn row_place(&self, draw: &DrawRequest<'_>) -> RowPlace {
        let (_, loops) = self.case(draw.loops);
        let first = RowPlace { index: 0, length: 1 };
        loops.iter().map(place).fold(first, |row, (index, size)| RowPlace {
            index: row.index.saturating_mul(size).saturating_add(index),
            length: row.length.saturating_mul(size),
        })
    }
}

impl Chooser for ShapedChooser<'_> {
    fn number(&mut self, draw: &DrawRequest<'_>) -> Int {
        let bias = match (draw.retry, self.bias[draw.site]) {
            (0, bias) => bias,
            (retry @ 1..=NEIGHBOURS, BoundBias::Part(parts)) => retry_bias(draw, parts, retry),
            // The same value would lead to the same dead end.
            (retry, _) => match retry % 6 {
                1 | 4 => BoundBias::WholeRange,
                2 => BoundBias::Low(1 << (retry / 6).min(6)),
                3 => BoundBias::High(1 << (retry / 6).min(6)),
                5 => BoundBias::Low(64),
                _ => BoundBias::High(64),
            },
        };
        let (grammar, cases) = (self.grammar, self.shape.cases);
        let site = &grammar.sites[draw.site];
        let (case, loops) = self.case(draw.loops);
        let key = || (draw.site, loops.iter().map(|state| state.index).collect());
        let is_first = case == 0;
        let repeats = cases == Cases::SameTwice && !draw.loops.is_empty();
        if repeats
            && !is_first
            && draw.retry == 0
            && let Some(value) = self.first_case.get(&key())
        {
            return value.clone();
        }
        let remembered = (repeats && is_first).then(key);
        let value = match bias {
            BoundBias::Part(parts) => value_at_part(draw, parts),
            BoundBias::Value(value) => draw.clamp(&Int::Small(value)),
            BoundBias::WholeRange => self.chance.between(draw.min, draw.max),
            BoundBias::Low(strength) => self.chance.near_min(draw.min, draw.max, strength),
            BoundBias::High(strength) => {
                let value = self.chance.near_min(draw.min, draw.max, strength);
                draw.max.minus(&value.minus(draw.min))
            }
            BoundBias::Shape if site.is_count || (site.is_size && self.graphs.sizes_are_counts) => {
                self.count(draw, site.is_case_count)
            }
            BoundBias::Shape => self.value(draw),
        };
        self.last_number = Some(value.clone());
        if let Some(key) = remembered {
            self.first_case.insert(key, value.clone());
        }
        value
    }

    fn length(&mut self, site: usize) -> Length {
        match (self.values[site], self.shape.count_limit) {
            (Values::Least, _) => Length::Least,
            (_, Some(limit)) if self.shape.counts == Counts::Most => {
                Length::Exactly(limit as usize)
            }
            (_, Some(limit)) => Length::Exactly(self.chance.below(u64::from(limit) + 1) as usize),
            (Values::Most | Values::Largest, _) => Length::Most,
            _ if self.shape.counts == Counts::Most => Length::Most,
            _ => Length::Random,
        }
    }

    fn reshape(&mut self, site: usize, text: &[u8], loops: &[LoopState]) -> Option<Vec<u8>> {
        self.reshaped_text(site, text, loops)
    }

    fn decimals(&mut self, _site: usize, min: u32, max: u32) -> u32 {
        min + self.chance.below(u64::from(max - min) + 1) as u32
    }

    fn answer(&mut self, question: usize, loops: &[LoopState]) -> bool {
        let question_site = &self.grammar.questions[question];
        let holds = match question_site.of_loop {
            // The question is in the condition of the innermost loop.
            Some(id) => {
                loops.last().is_some_and(|state| state.id == id && state.index < self.rounds[id])
            }
            None if question_site.is_asserted => true,
            None => self.chance.happens(self.probabilities[question]),
        };
        holds == question_site.is_positive
    }

    fn spreads_sums(&self) -> bool {
        self.spreads_sums
    }

    fn chance(&mut self) -> &mut Chance {
        &mut self.chance
    }
}

impl LoopObserver for ShapedChooser<'_> {
    fn enter(&mut self, id: usize, count: Option<u32>) {
        if count.is_none() {
            self.rounds[id] = match self.shape.counts {
                Counts::Least => 0,
                Counts::AboveLeast => 1,
                Counts::Most => 1000,
                Counts::BelowMost => 999,
                Counts::Small => self.chance.below(4),
                Counts::Few => 5 + self.chance.below(8),
                Counts::Random => self.chance.below(30),
            };
        }
    }
}

/// The index and the size of a coordinate.
fn place(state: &LoopState) -> (u64, u64) {
    (state.index, state.count.map_or(ROW_LENGTH_GUESS, u64::from).max(1))
}

fn value_at_part(draw: &DrawRequest<'_>, parts: u32) -> Int {
    let width = draw.max.minus(draw.min).times(&Int::Small(parts.into()));
    draw.min.plus(&width.divided_by(&Int::Small(PARTS.into())).unwrap_or(Int::ZERO))
}

/// The bias after this many dead ends at a part of the range: away from the nearest bound, ever faster.
fn retry_bias(draw: &DrawRequest<'_>, parts: u32, retry: u32) -> BoundBias {
    let value = value_at_part(draw, parts);
    let (room, is_low) = if parts < PARTS / 2 {
        (draw.max.minus(&value), true)
    } else {
        (value.minus(draw.min), false)
    };
    let step = match retry {
        1..=3 => Int::Small(retry.into()),
        _ => {
            room.divided_by(&Int::Small(2 << (NEIGHBOURS - retry.min(NEIGHBOURS)))).unwrap_or(room)
        }
    };
    let value = if is_low { value.plus(&step) } else { value.minus(&step) };
    value.to_small().map_or(BoundBias::WholeRange, BoundBias::Value)
}
