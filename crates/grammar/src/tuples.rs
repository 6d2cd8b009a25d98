//! The tuples of a UNIQUE of several variables, so that the next drawn one differs.

use std::collections::{HashMap, HashSet};

use crate::number::Int;
use crate::value::ValueKey;
use crate::variable_values::VariableValues;

/// Upper bound on the values that are scanned. Beyond that, tuples may repeat; UNIQUE itself is checked anyway.
const SCANNED_MAX: usize = 10_000_000;

/// By the variable that completes the tuple.
#[derive(Default)]
pub(super) struct Tuples {
    by_variable: HashMap<usize, VariableTuples>,
    scanned: usize,
}

#[derive(Default)]
struct VariableTuples {
    /// The values of the variable, by the values of the others.
    used_values: HashMap<Vec<ValueKey>, HashSet<ValueKey>>,
    /// In the order of the variable's values, so that they can be undone.
    order: Vec<(Vec<ValueKey>, ValueKey)>,
    values: usize,
}

/// The missing value of a tuple whose other values are known.
pub(super) struct Gap {
    variable: usize,
    others: Vec<ValueKey>,
}

impl Gap {
    /// `None` if another variable of the group has no value yet.
    pub(super) fn of(
        slot: usize,
        group: &[usize],
        index: &[Int],
        vars: &VariableValues,
    ) -> Option<Self> {
        let others = group.iter().filter(|other| **other != slot);
        let others = others.map(|other| vars.get(*other, index).map(|value| value.key()));
        Some(Self { variable: slot, others: others.collect::<Option<_>>()? })
    }
}

impl Tuples {
    /// The values that would repeat a tuple.
    pub(super) fn used_values(
        &mut self,
        gap: &Gap,
        group: &[usize],
        index: &[Int],
        vars: &VariableValues,
    ) -> Option<&HashSet<ValueKey>> {
        let values = vars.len(gap.variable);
        let is_new = vars.get(gap.variable, index).is_none();
        let tuples = self.by_variable.entry(gap.variable).or_default();
        while tuples.values > values
            && let Some((others, own)) = tuples.order.pop()
        {
            tuples.values -= 1;
            if let Some(of_others) = tuples.used_values.get_mut(&others) {
                of_others.remove(&own);
            }
        }
        if tuples.values != values || !is_new {
            *tuples = VariableTuples { values, ..VariableTuples::default() };
            self.scanned += values;
            if self.scanned > SCANNED_MAX {
                return None;
            }
            vars.each(gap.variable, &mut |at, value| {
                let other = Gap::of(gap.variable, group, at, vars).filter(|_| at != index);
                tuples.order.extend(other.map(|other| (other.others, value.key())));
            });
            for (others, own) in &tuples.order {
                tuples.used_values.entry(others.clone()).or_default().insert(own.clone());
            }
        }
        tuples.used_values.get(&gap.others)
    }

    pub(super) fn add(&mut self, gap: Gap, own: ValueKey) {
        let tuples = self.by_variable.entry(gap.variable).or_default();
        tuples.values += 1;
        tuples.used_values.entry(gap.others.clone()).or_default().insert(own.clone());
        tuples.order.push((gap.others, own));
    }
}
