//! Chooses values: at random in a shape, or from an earlier input.

use std::collections::HashMap;

use crate::chance::Chance;
use crate::graph::{self, GraphSize, NodeOrder, Pointer};
use crate::number::Int;
use crate::port::{LoopObserver, LoopState};
use crate::program::Grammar;
use crate::shape::{Cases, Counts, Shape, Values};

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Random,
    Least,
    Most,
    /// This many bytes, as far as possible.
    Exactly(usize),
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

/// How trees and graphs of an input are written.
struct GraphStyle {
    labels: NodeOrder,
    edges: NodeOrder,
    ends: NodeOrder,
    /// Whether edges begin at the lesser node.
    is_ordered: bool,
    /// Whether n - 1 edges between n nodes form a tree.
    makes_trees: bool,
    /// Whether numbers of nodes are chosen like counts.
    sizes_are_counts: bool,
}

impl GraphStyle {
    fn draw(grammar: &Grammar, shape: &Shape, chance: &mut Chance) -> Self {
        let pointers = || grammar.sites.iter().filter_map(|site| site.pointer);
        let has_pointers = pointers().next().is_some();
        let mut order = || if has_pointers { NodeOrder::draw(chance) } else { NodeOrder::Kept };
        let (labels, edges, ends) = (order(), order(), order());
        let is_value = matches!(
            shape.values,
            Values::Least | Values::Most | Values::Zero | Values::Largest | Values::Extremes
        );
        Self {
            labels,
            edges,
            ends,
            is_ordered: pointers()
                .any(|it| matches!(it, Pointer::EdgeEnd { is_ordered: true, .. })),
            makes_trees: has_pointers && chance.happens(750),
            sizes_are_counts: shape.values.is_graph()
                || (has_pointers && !is_value && chance.happens(500)),
        }
    }
}

struct DrawnEdge {
    /// The site of its first end, and its index in the row.
    place: (usize, u64),
    values: Values,
    /// The first node.
    min: Int,
    all_nodes: u64,
    ends: [u64; 2],
}

/// The place of a value among those of its test case, with loops flattened.
struct RowPlace {
    index: u64,
    length: u64,
}

/// The planned values of a row.
enum RowPlan {
    /// In this order; the last value repeats.
    Row(Vec<Int>),
    Cycle(Vec<Int>),
    OneOf(Vec<Int>),
    /// `other_value` at every index but `index`.
    Except {
        index: u64,
        value: Int,
        other_value: Int,
    },
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
        Self {
            probabilities,
            rounds: vec![0; grammar.loops.len()],
            grammar,
            shape,
            letters: None,
            echoed: None,
            step: None,
            maze: None,
            values: shape.values_by_site(grammar, &mut chance),
            graphs: GraphStyle::draw(grammar, shape, &mut chance),
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

    /// Mostly one of the special numbers or near a bound, sometimes a small one or any.
    fn special_number(&mut self, min: &Int, max: &Int) -> Int {
        let by = Int::Small(self.chance.below(3) as i64);
        let chosen = match self.chance.below(10) {
            0 => Some(min.plus(&by)),
            1 => Some(max.minus(&by)),
            2 => Some(Int::Small(self.chance.below(12) as i64)),
            3 => None,
            4 | 5 => self.related_number(min, max),
            _ => self.special_within(min, max),
        };
        match chosen {
            Some(number) => number.clamped(min, max),
            None => self.chance.between(min, max),
        }
    }

    fn special_within(&mut self, min: &Int, max: &Int) -> Option<Int> {
        let numbers: &[Int] = self.shape.numbers.as_deref().map_or(&[], |it| &it.values);
        let from = numbers.partition_point(|number| number < min);
        let to = numbers.partition_point(|number| number <= max);
        let chosen = from + self.chance.below(to.saturating_sub(from) as u64) as usize;
        numbers[from..to].get(chosen - from).cloned()
    }

    /// A number whose sum, difference or product with the one before is special.
    fn related_number(&mut self, min: &Int, max: &Int) -> Option<Int> {
        let last = self.last_number.clone()?;
        let magnitude = |number: &Int| number.magnitude();
        let most = [min, max, &last].into_iter().map(magnitude).max()?.times(&Int::Small(2));
        let (special, number) = match self.chance.below(4) {
            0 => {
                let most = most.times(&magnitude(&last)).plus(&Int::ONE);
                let special = self.special_within(&Int::ONE, &most)?;
                let number = special.divided_by(&last)?;
                (special, number.plus(&Int::Small(self.chance.below(2) as i64)))
            }
            sign => {
                let special = self.special_within(&Int::ONE, &most)?;
                let number = match sign {
                    1 => last.plus(&special),
                    2 => last.minus(&special),
                    _ => special.minus(&last),
                };
                (special, number)
            }
        };
        let is_within = *min <= number && number <= *max;
        Some(if is_within { number } else { special })
    }

    /// Values whose sum, or the sum of the first of which, is special; `None` if bounds rule that out.
    fn row_with_sum(&mut self, min: &Int, max: &Int, length: u64) -> Option<Vec<Int>> {
        let count = match self.chance.below(2) {
            0 => length,
            _ => 1 + self.chance.below(length),
        };
        let times = |bound: &Int, count: u64| bound.times(&Int::from(count));
        let (least, most) = (times(min, count), times(max, count));
        let power = Int::from(1_u64 << [31, 32, 63][self.chance.below(3) as usize]);
        let by = Int::Small(self.chance.below(3) as i64 - 1);
        let sum = Some(power.plus(&by)).filter(|it| least <= *it && *it <= most);
        let mut left = sum.or_else(|| self.special_within(&least, &most))?;
        let values = (0..length).map(|at| {
            let Some(later) = (count - 1).checked_sub(at) else {
                return self.chance.between(min, max);
            };
            let low = left.minus(&times(max, later)).clamped(min, max);
            let high = left.minus(&times(min, later)).clamped(min, max);
            let value = self.chance.between(&low, &high);
            left = left.minus(&value);
            value
        });
        Some(values.collect())
    }

    /// A value that points to a node of a tree or graph; `None` if its shape is not one of these.
    fn graph_value(&mut self, draw: &DrawRequest<'_>) -> Option<Int> {
        let pointer = self.grammar.sites[draw.site].pointer?;
        let RowPlace { index, length } = self.row_place(draw);
        let begun = match pointer {
            Pointer::EdgeEnd { begin, .. } => {
                self.edge.take_if(|edge| edge.place == (begin, index))
            }
            _ => None,
        };
        let (min, all_nodes) = match &begun {
            Some(edge) => (edge.min.clone(), edge.all_nodes),
            None if pointer == Pointer::Parent => (draw.min.clone(), length.saturating_add(1)),
            None => (draw.min.clone(), width(draw)),
        };
        let is_edge = matches!(pointer, Pointer::EdgeBegin | Pointer::EdgeEnd { .. });
        let is_tree = self.graphs.makes_trees && is_edge && length.saturating_add(1) == all_nodes;
        let values = match self.values[draw.site] {
            values if values.is_graph() => values,
            Values::Least | Values::Most | Values::Zero | Values::Largest => return None,
            _ if is_tree => Values::RandomTree,
            _ => return None,
        };
        let size = GraphSize { nodes: all_nodes.min(length.saturating_add(1)), edges: length };
        let chance = &mut self.chance;
        let node = match pointer {
            Pointer::Parent => graph::parent(values, index + 1, size.nodes, chance)?,
            Pointer::Next if all_nodes == length.saturating_add(1) => {
                graph::parent(values, index + 1, all_nodes, chance)?
            }
            Pointer::Next => {
                let size = size.nodes.min(length);
                let node = self.reordered(self.graphs.labels, index, size);
                let next = graph::next(values, node.min(size - 1), size, &mut self.chance)?;
                self.reordered(self.graphs.labels, next, size)
            }
            Pointer::EdgeBegin => {
                let ends = self.new_edge(values, index, size, all_nodes)?;
                let min = draw.min.clone();
                let place = (draw.site, index);
                self.edge = Some(DrawnEdge { place, values, min, all_nodes, ends });
                ends[0]
            }
            Pointer::EdgeEnd { .. } => match begun {
                Some(edge) if edge.values == values => edge.ends[1],
                _ => self.new_edge(values, index, size, all_nodes)?[1],
            },
        };
        Some(draw.clamp(&min.plus(&Int::from(node))))
    }

    /// The nodes of an edge after edges and nodes have got their order.
    fn new_edge(
        &mut self,
        values: Values,
        index: u64,
        size: GraphSize,
        all_nodes: u64,
    ) -> Option<[u64; 2]> {
        let order = match values {
            Values::BackPath => NodeOrder::Reversed,
            _ => self.graphs.edges,
        };
        let index = self.reordered(order, index, size.edges);
        let labels = self.graphs.labels;
        let labelled = if labels == NodeOrder::Shuffled { size.nodes } else { all_nodes };
        let ends = graph::edge(values, index, size, &mut self.chance)?;
        let mut ends = ends.map(|node| self.reordered(labels, node, labelled));
        match self.graphs.ends {
            NodeOrder::Kept => {}
            NodeOrder::Shuffled if self.chance.happens(500) => {}
            _ => ends.reverse(),
        }
        if self.graphs.is_ordered {
            ends.sort_unstable();
        }
        Some(ends)
    }

    fn reordered(&mut self, order: NodeOrder, at: u64, count: u64) -> u64 {
        match order {
            NodeOrder::Shuffled if at < count && count <= ROW_MAX => {
                let chance = &mut self.chance;
                let shuffled = self.shuffled.entry(count);
                shuffled.or_insert_with(|| graph::shuffled(count, chance))[at as usize]
            }
            NodeOrder::Reversed if at < count => count - 1 - at,
            _ => at,
        }
    }

    fn row_place(&self, draw: &DrawRequest<'_>) -> RowPlace {
        let (_, loops) = self.case(draw.loops);
        let size = |state: &LoopState| state.count.map_or(ROW_LENGTH_GUESS, u64::from).max(1);
        let index = loops.iter().fold(0_u64, |index, state| {
            index.saturating_mul(size(state)).saturating_add(state.index)
        });
        let length = loops.iter().fold(1_u64, |length, state| length.saturating_mul(size(state)));
        RowPlace { index, length }
    }

    fn planned_value(&mut self, draw: &DrawRequest<'_>) -> Int {
        let (case, _) = self.case(draw.loops);
        let RowPlace { index, length } = self.row_place(draw);
        let key = (draw.site, case);
        if length > ROW_MAX {
            return self.chance.between(draw.min, draw.max);
        }
        if !self.plans.contains_key(&key) {
            let plan = self.plan_row(draw, length);
            self.plans.insert(key, plan);
        }
        let index_in =
            |values: &[Int]| usize::try_from(index).unwrap_or(usize::MAX).min(values.len() - 1);
        let value =
            match &self.plans[&key] {
                RowPlan::Row(values) => values[index_in(values)].clone(),
                RowPlan::Cycle(values) => values[(index % values.len() as u64) as usize].clone(),
                RowPlan::OneOf(values) => {
                    values[self.chance.below(values.len() as u64) as usize].clone()
                }
                RowPlan::Except { index: at, value: there, other_value: elsewhere } => {
                    if *at == index { there.clone() } else { elsewhere.clone() }
                }
            };
        draw.clamp(&value)
    }

    /// The distance between values of a row: the size of a table. The more different values it gives, the longer a list
    /// of those that meet.
    fn table_size(&mut self, draw: &DrawRequest<'_>) -> Int {
        let chance = &mut self.chance;
        let steps: &[Int] = self.shape.numbers.as_deref().map_or(&[], |it| &it.steps);
        let mut any = || match steps.get(chance.below(steps.len() as u64) as usize) {
            Some(step) if chance.happens(900) => step.clone(),
            _ => Int::Small(1 << (10 + chance.below(11))),
        };
        let width = draw.max.minus(draw.min);
        let values = |step: &Int| step.clone().min(width.divided_by(step).unwrap_or(Int::ZERO));
        [(); 3].map(|()| any()).into_iter().max_by_key(values).unwrap_or(Int::ONE)
    }

    /// The numbers of an iteration rise by the same, or by one and two.
    fn diagonal_step(&mut self) -> Int {
        let two_first = self.chance.happens(500);
        let step = match self.step {
            Some(step) if two_first => 3 - step,
            Some(step) => step,
            None => *self.step.insert(1 + i64::from(two_first)),
        };
        Int::Small(step)
    }

    /// Multiples of a step.
    fn multiples(&mut self, draw: &DrawRequest<'_>, length: u64) -> RowPlan {
        let is_diagonal = self.values[draw.site] == Values::Diagonal;
        let step = if is_diagonal { self.diagonal_step() } else { self.table_size(draw) };
        let first = draw.clamp(&Int::ZERO);
        let small = |number: Int| number.to_small().and_then(|it| u64::try_from(it).ok());
        let fitting = draw.max.minus(&first).divided_by(&step).and_then(small);
        let fitting = fitting.map_or(u64::MAX, |it| it + 1);
        let value = |at: u64| first.plus(&step.times(&Int::from(at)));
        if self.values[draw.site] == Values::Multiples {
            // A table that gets more keys changes its size, so they repeat. A program may insert two for each.
            let places = small(step.clone()).unwrap_or(u64::MAX);
            let period = fitting.min(length).min(places) >> self.chance.below(2);
            return RowPlan::Cycle((0..period.max(1)).map(value).collect());
        }
        let values = (0..length).map(|at| value(at % fitting).plus(&Int::from(at / fitting)));
        RowPlan::Row(values.collect())
    }

    /// Whether a cell of a maze has the greater letter or number. The only path has every other row, and cells between
    /// them at alternate ends. Each coordinate has an index and a size.
    fn is_high(&mut self, cell: [(u64, u64); 2]) -> bool {
        let chance = &mut self.chance;
        let [is_turned, is_path_high] =
            *self.maze.get_or_insert_with(|| [(); 2].map(|()| chance.happens(500)));
        let [(row, rows), (column, columns)] = if is_turned { [cell[1], cell[0]] } else { cell };
        let end = if row % 4 == 1 { columns - 1 } else { 0 };
        // The last row is open, so that the path has both corners.
        let is_path = row.is_multiple_of(2) || row + 1 == rows || column == end;
        is_path == is_path_high
    }

    fn plan_row(&mut self, draw: &DrawRequest<'_>, length: u64) -> RowPlan {
        let planned = self.values[draw.site];
        if matches!(planned, Values::Multiples | Values::Clusters | Values::Diagonal) {
            return self.multiples(draw, length);
        }
        let chance = &mut self.chance;
        let mut draw_values = |count: u64| -> Vec<Int> {
            (0..count).map(|_| chance.between(draw.min, draw.max)).collect()
        };
        match self.values[draw.site] {
            Values::Sums => match self.row_with_sum(draw.min, draw.max, length) {
                Some(row) => RowPlan::Row(row),
                None => RowPlan::Cycle(vec![self.special_number(draw.min, draw.max)]),
            },
            Values::OnePlace => {
                let values = draw_values(2);
                RowPlan::Except {
                    index: self.chance.below(length),
                    value: values[0].clone(),
                    other_value: values[1].clone(),
                }
            }
            Values::Sawtooth | Values::Blocks => {
                let size = length.isqrt().max(1);
                let mut values = draw_values(size);
                let row: Vec<Int> = if self.values[draw.site] == Values::Sawtooth {
                    values.sort();
                    (0..length).map(|at| values[(at % size) as usize].clone()).collect()
                } else {
                    (0..length).map(|at| values[(at / size % size) as usize].clone()).collect()
                };
                RowPlan::Row(row)
            }
            Values::OrganPipe => {
                let mut values = draw_values(length);
                values.sort();
                let (rising, falling): (Vec<_>, Vec<_>) =
                    values.into_iter().enumerate().partition(|(at, _)| at % 2 == 0);
                let row = rising.into_iter().chain(falling.into_iter().rev());
                RowPlan::Row(row.map(|(_, value)| value).collect())
            }
            order @ (Values::Increasing | Values::Decreasing | Values::AlmostSorted) => {
                let mut values = draw_values(length);
                values.sort();
                if order == Values::Decreasing {
                    values.reverse();
                }
                for _ in 0..=length / 10 {
                    if order == Values::AlmostSorted {
                        let (a, b) = (self.chance.below(length), self.chance.below(length));
                        values.swap(a as usize, b as usize);
                    }
                }
                RowPlan::Row(values)
            }
            Values::Alternating => RowPlan::Cycle(vec![draw.max.clone(), draw.min.clone()]),
            Values::Spike => RowPlan::Except {
                index: length / 2,
                value: draw.max.clone(),
                other_value: draw.min.clone(),
            },
            Values::FewDistinct => RowPlan::OneOf(draw_values(3)),
            Values::Planted => {
                let mut pattern = draw_values(4);
                pattern.truncate(2 + self.chance.below(3) as usize);
                let period = pattern.len();
                let mut values: Vec<Int> =
                    (0..length).map(|at| pattern[at as usize % period].clone()).collect();
                let at = self.chance.below(length) as usize;
                values[at] = self.chance.between(draw.min, draw.max);
                RowPlan::Row(values)
            }
            _ => RowPlan::Cycle(draw_values(1)),
        }
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
        let one = *text.iter().min()?;
        let other = text.iter().copied().filter(|byte| *byte != one).min().unwrap_or(one);
        // Texts of the same letters, since one is often looked for in another.
        let [one, other] = self.letters.unwrap_or([one, other]);
        self.letters = (one != other).then_some([one, other]);
        let mut letters = vec![one; text.len()];
        match self.values[site] {
            Values::Equal => {}
            Values::AlmostPeriod => *letters.last_mut()? = other,
            Values::OnePlace => letters[text.len() / 2] = other,
            Values::Alternating => letters.iter_mut().skip(1).step_by(2).for_each(|it| *it = other),
            Values::Blocks => letters[text.len() / 2..].fill(other),
            Values::FewDistinct => {
                letters.iter_mut().for_each(|it| *it = [one, other][self.chance.below(2) as usize]);
            }
            Values::ThueMorse => {
                for (index, letter) in letters.iter_mut().enumerate() {
                    *letter = [one, other][(index.count_ones() % 2) as usize];
                }
            }
            Values::Fibonacci => {
                let (mut shorter, mut longer) = (vec![other], vec![one]);
                while longer.len() < text.len() {
                    let next = [&*longer, &*shorter].concat();
                    shorter = std::mem::replace(&mut longer, next);
                }
                letters.copy_from_slice(&longer[..text.len()]);
            }
            Values::Echo => {
                let mut echo = Vec::new();
                while echo.len() < text.len() {
                    let source = self.echoed.as_ref().unwrap_or(&echo);
                    if source.is_empty() || self.chance.happens(300) {
                        echo.push([one, other][self.chance.below(2) as usize]);
                    } else {
                        let end = 1 + self.chance.below(source.len() as u64) as usize;
                        echo.extend(source[..end].to_vec());
                    }
                }
                letters.copy_from_slice(&echo[..text.len()]);
                self.echoed.get_or_insert_with(|| letters.clone());
            }
            Values::Serpentine => {
                let row = place(self.case(loops).1.last()?);
                let columns = text.len() as u64;
                for (column, letter) in (0..).zip(&mut letters) {
                    *letter = if self.is_high([row, (column, columns)]) { other } else { one };
                }
            }
            _ => return None,
        }
        Some(letters)
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

/// How many values there are, at most 2^32.
fn width(draw: &DrawRequest<'_>) -> u64 {
    let width = draw.max.minus(draw.min).plus(&Int::ONE).to_small().unwrap_or(i64::MAX);
    width.clamp(1, 1 << 32) as u64
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
