//! Rows of values that are planned in advance.

use crate::draw::{DrawRequest, ROW_MAX, RowPlace, ShapedChooser};
use crate::number::Int;
use crate::shape::Values;

/// The planned values of a row.
pub(super) enum RowPlan {
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

impl ShapedChooser<'_> {
    pub(super) fn planned_value(&mut self, draw: &DrawRequest<'_>) -> Int {
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
        let steps: &[Int] = self.shape.numbers.as_deref().map_or(&[], |list| &list.steps);
        let mut any = || match chance.pick(steps) {
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
        let fitting = draw.max.minus(&first).divided_by(&step).and_then(|steps| steps.to());
        let fitting = fitting.map_or(u64::MAX, |steps: u64| steps + 1);
        let value = |at: u64| first.plus(&step.times(&Int::from(at)));
        if self.values[draw.site] == Values::Multiples {
            // A table that gets more keys changes its size, so they repeat. A program may insert two for each.
            let places = step.to().unwrap_or(u64::MAX);
            let period = fitting.min(length).min(places) >> self.chance.below(2);
            return RowPlan::Cycle((0..period.max(1)).map(value).collect());
        }
        let values = (0..length).map(|at| value(at % fitting).plus(&Int::from(at / fitting)));
        RowPlan::Row(values.collect())
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
