//! The tuples of a UNIQUE of several variables, so that the next drawn one differs.

use std::collections::{HashMap, HashSet};

use crate::grammar::number::Int;
use crate::grammar::value::Key;
use crate::grammar::vars::Vars;

/// Upper bound on the values that are scanned. Beyond that, tuples may repeat; UNIQUE itself is checked anyway.
const LOOKED_THROUGH_MAX: usize = 10_000_000;

/// By the variable that completes the tuple.
#[derive(Default)]
pub(super) struct Tuples {
    by_slot: HashMap<usize, Seen>,
    looked_through: usize,
}

#[derive(Default)]
struct Seen {
    /// The values of the variable, by the values of the others.
    taken: HashMap<Vec<Key>, HashSet<Key>>,
    /// In the order of the variable's values, so that they can be undone.
    order: Vec<(Vec<Key>, Key)>,
    values: usize,
}

/// The missing value of a tuple whose other values are known.
pub(super) struct Gap {
    slot: usize,
    others: Vec<Key>,
}

impl Gap {
    /// `None` if another variable of the group has no value yet.
    pub(super) fn of(slot: usize, group: &[usize], index: &[Int], vars: &Vars) -> Option<Self> {
        let others = group.iter().filter(|other| **other != slot);
        let others = others.map(|other| vars.get(*other, index).map(|it| it.key()));
        Some(Self { slot, others: others.collect::<Option<_>>()? })
    }
}

impl Tuples {
    /// The values that would repeat a tuple.
    pub(super) fn taken(
        &mut self,
        gap: &Gap,
        group: &[usize],
        index: &[Int],
        vars: &Vars,
    ) -> Option<&HashSet<Key>> {
        let values = vars.len(gap.slot);
        let is_new = vars.get(gap.slot, index).is_none();
        let seen = self.by_slot.entry(gap.slot).or_default();
        while seen.values > values
            && let Some((others, own)) = seen.order.pop()
        {
            seen.values -= 1;
            if let Some(of_others) = seen.taken.get_mut(&others) {
                of_others.remove(&own);
            }
        }
        if seen.values != values || !is_new {
            *seen = Seen { values, ..Seen::default() };
            self.looked_through += values;
            if self.looked_through > LOOKED_THROUGH_MAX {
                return None;
            }
            vars.each(gap.slot, &mut |at, value| {
                let found = Gap::of(gap.slot, group, at, vars).filter(|_| at != index);
                seen.order.extend(found.map(|found| (found.others, value.key())));
            });
            for (others, own) in &seen.order {
                seen.taken.entry(others.clone()).or_default().insert(own.clone());
            }
        }
        seen.taken.get(&gap.others)
    }

    pub(super) fn add(&mut self, gap: Gap, own: Key) {
        let seen = self.by_slot.entry(gap.slot).or_default();
        seen.values += 1;
        seen.taken.entry(gap.others.clone()).or_default().insert(own.clone());
        seen.order.push((gap.others, own));
    }
}
