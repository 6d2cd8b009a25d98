//! The variables of a running grammar: scalars, arrays of any shape, and undo.

use std::collections::HashMap;

use crate::grammar::number::Int;
use crate::grammar::value::{Key, Value};
use crate::model::units::Bytes;

#[derive(Debug)]
pub(super) struct Vars {
    slots: Vec<Cells>,
    /// Overwritten values, newest last; `None` if they are not recorded.
    trail: Option<Vec<Change>>,
    /// The bytes of all values and indices. Text does not count: it is in the input or the grammar.
    held: u64,
    trailed: u64,
    most: Bytes,
}

#[derive(Debug, Default)]
struct Cells {
    scalar: Option<Value>,
    /// Values with one small index, without large gaps.
    row: Vec<Option<Value>>,
    filled: usize,
    /// The bytes of its values and indices.
    held: u64,
    /// The values at all other indices.
    others: HashMap<Vec<Int>, Value>,
    /// Only if a test needs the number of occurrences of each value.
    bag: Option<Bag>,
}

#[derive(Debug, Default)]
struct Bag {
    counts: HashMap<Key, u32>,
    /// The bytes of its keys.
    held: u64,
    /// Number of values that occur more than once.
    repeated: usize,
}

#[derive(Debug)]
enum Change {
    Cell { slot: usize, index: Vec<Int>, old: Option<Value> },
    Whole { slot: usize, old: Box<Cells> },
}

/// The bytes of a map's entry, without its key and value: a map has room for more entries than it has.
const ENTRY: u64 = 48;

/// A value further than this beyond twice the length of the row becomes sparse.
const GAP_MAX: usize = 1024;

impl Vars {
    /// `counted` tells which variables need lookups of values; `most` is the upper bound on the bytes of all values.
    pub(super) fn new(counted: impl Iterator<Item = bool>, most: u64) -> Self {
        let cells = |counted: bool| Cells { bag: counted.then(Bag::default), ..Cells::default() };
        let slots = counted.map(cells).collect();
        Self { slots, trail: None, held: 0, trailed: 0, most: Bytes(most) }
    }

    /// Records overwritten values for undo.
    pub(super) fn with_trail(mut self) -> Self {
        self.trail = Some(Vec::new());
        self
    }

    pub(super) fn mark(&self) -> usize {
        self.trail.as_ref().map_or(0, Vec::len)
    }

    pub(super) fn undo(&mut self, mark: usize) {
        while self.mark() > mark {
            let change = self.trail.as_mut().and_then(Vec::pop);
            match change {
                Some(change @ Change::Cell { .. }) => {
                    self.trailed -= change.size();
                    let Change::Cell { slot, index, old } = change else { return };
                    self.held -= self.slots[slot].held();
                    self.slots[slot].put(&index, old);
                    self.held += self.slots[slot].held();
                }
                Some(Change::Whole { slot, old }) => {
                    self.trailed -= old.held() + size_of::<Change>() as u64;
                    self.held = self.held + old.held() - self.slots[slot].held();
                    self.slots[slot] = *old;
                }
                None => return,
            }
        }
    }

    /// An empty index means the scalar.
    #[inline]
    pub(super) fn get(&self, slot: usize, index: &[Int]) -> Option<&Value> {
        let cells = &self.slots[slot];
        match index {
            [] => cells.scalar.as_ref(),
            [Int::Small(at)] => self.at(slot, *at),
            _ => cells.others.get(index),
        }
    }

    #[inline]
    pub(super) fn at(&self, slot: usize, index: i64) -> Option<&Value> {
        let cells = &self.slots[slot];
        match usize::try_from(index).ok().and_then(|at| cells.row.get(at)) {
            Some(Some(value)) => Some(value),
            _ if cells.others.is_empty() => None,
            _ => cells.others.get([Int::Small(index)].as_slice()),
        }
    }

    /// An empty index means the scalar.
    #[inline]
    pub(super) fn set(&mut self, slot: usize, index: &[Int], value: Value) {
        let cells = &mut self.slots[slot];
        if self.trail.is_some() || cells.bag.is_some() {
            return self.put(slot, index, value);
        }
        let added = size_of_cell(&value);
        let old = match index {
            [] => cells.scalar.replace(value),
            [Int::Small(at)]
                if cells.others.is_empty() && (0..=cells.row.len() as i64).contains(at) =>
            {
                let old = match cells.row.get_mut(*at as usize) {
                    Some(cell) => cell.replace(value),
                    None => {
                        cells.row.push(Some(value));
                        None
                    }
                };
                cells.filled += usize::from(old.is_none());
                old
            }
            _ => return self.put(slot, index, value),
        };
        let freed = old.map_or(0, |old| size_of_cell(&old));
        cells.held = cells.held + added - freed;
        self.held = self.held + added - freed;
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.held.saturating_add(self.trailed) > self.most.0
    }

    /// Upper bound on the bytes of all values.
    pub(super) fn most(&self) -> Bytes {
        self.most
    }

    /// The slow path of [`Self::set`]; a separate function keeps the fast path short.
    #[inline(never)]
    fn put(&mut self, slot: usize, index: &[Int], value: Value) {
        let cells = &mut self.slots[slot];
        self.held -= cells.held();
        let old = cells.put(index, Some(value));
        self.held += cells.held();
        if let Some(trail) = &mut self.trail {
            let change = Change::Cell { slot, index: index.to_vec(), old };
            self.trailed += change.size();
            trail.push(change);
        }
    }

    pub(super) fn unset(&mut self, slot: usize) {
        let cells = &mut self.slots[slot];
        self.held -= cells.held();
        if self.trail.is_none() {
            cells.clear();
            return;
        }
        let fresh = Cells { bag: cells.bag.is_some().then(Bag::default), ..Cells::default() };
        let old = Box::new(std::mem::replace(cells, fresh));
        self.trailed += old.held() + size_of::<Change>() as u64;
        if let Some(trail) = &mut self.trail {
            trail.push(Change::Whole { slot, old });
        }
    }

    /// For variables whose values are counted.
    pub(super) fn occurs(&self, slot: usize, value: &Value) -> bool {
        let bag = self.slots[slot].bag.as_ref();
        bag.is_some_and(|bag| bag.counts.contains_key(&value.key()))
    }

    /// For variables whose values are counted.
    pub(super) fn all_differ(&self, slot: usize) -> bool {
        self.slots[slot].bag.as_ref().is_some_and(|bag| bag.repeated == 0)
    }

    /// Number of values of a variable.
    pub(super) fn len(&self, slot: usize) -> usize {
        let cells = &self.slots[slot];
        usize::from(cells.scalar.is_some()) + cells.filled + cells.others.len()
    }

    /// Calls `see` with every index and its value, in any order.
    pub(super) fn each(&self, slot: usize, see: &mut dyn FnMut(&[Int], &Value)) {
        let cells = &self.slots[slot];
        if let Some(value) = &cells.scalar {
            see(&[], value);
        }
        for (index, value) in cells.row.iter().enumerate() {
            if let Some(value) = value {
                see(&[Int::Small(index as i64)], value);
            }
        }
        for (index, value) in &cells.others {
            see(index, value);
        }
    }
}

impl Cells {
    fn clear(&mut self) {
        self.scalar = None;
        self.row.clear();
        self.filled = 0;
        self.held = 0;
        self.others.clear();
        if let Some(bag) = &mut self.bag {
            *bag = Bag::default();
        }
    }

    /// The bytes of its values and indices, and of the bag.
    fn held(&self) -> u64 {
        self.held + self.bag.as_ref().map_or(0, |bag| bag.held)
    }

    /// Sets or removes the value at an index, and counts the bytes. Returns the old value.
    fn put(&mut self, index: &[Int], value: Option<Value>) -> Option<Value> {
        if let (Some(bag), Some(value)) = (&mut self.bag, &value) {
            bag.add(value);
        }
        self.held += value.as_ref().map_or(0, size_of_cell);
        let old = self.put_uncounted(index, value);
        self.held -= old.as_ref().map_or(0, size_of_cell);
        if let (Some(bag), Some(old)) = (&mut self.bag, &old) {
            bag.remove(old);
        }
        old
    }

    fn put_uncounted(&mut self, index: &[Int], value: Option<Value>) -> Option<Value> {
        if index.is_empty() {
            return std::mem::replace(&mut self.scalar, value);
        }
        if let [Int::Small(index)] = index
            && let Ok(index) = usize::try_from(*index)
            && (index < self.row.len()
                || (value.is_some() && index <= self.row.len() * 2 + GAP_MAX))
        {
            if index >= self.row.len() {
                self.row.resize(index + 1, None);
            }
            self.filled += usize::from(value.is_some());
            let old = std::mem::replace(&mut self.row[index], value);
            self.filled -= usize::from(old.is_some());
            // It may have been written to `sparse` before the row grew over it.
            return if old.is_none() && !self.others.is_empty() {
                self.put_other(&[Int::Small(index as i64)], None)
            } else {
                old
            };
        }
        self.put_other(index, value)
    }

    fn put_other(&mut self, index: &[Int], value: Option<Value>) -> Option<Value> {
        let is_added = value.is_some();
        let old = match value {
            Some(value) => self.others.insert(index.to_vec(), value),
            None => self.others.remove(index),
        };
        let bytes = ENTRY + size_of_index(index);
        match (is_added, &old) {
            (true, None) => self.held += bytes,
            (false, Some(_)) => self.held -= bytes,
            _ => {}
        }
        old
    }
}

impl Change {
    fn size(&self) -> u64 {
        let own = size_of::<Self>() as u64;
        match self {
            Self::Cell { index, old, .. } => {
                own + size_of_index(index) + old.as_ref().map_or(0, size_of_cell)
            }
            Self::Whole { old, .. } => own + old.held(),
        }
    }
}

/// A row has room for up to twice as many values.
fn size_of_cell(value: &Value) -> u64 {
    2 * size_of::<Option<Value>>() as u64 + value.more_bytes()
}

fn size_of_index(index: &[Int]) -> u64 {
    index.iter().map(|number| size_of::<Int>() as u64 + number.more_bits() / 8).sum()
}

fn size_of_key(value: &Value) -> u64 {
    ENTRY + size_of::<Key>() as u64 + value.more_bytes()
}

impl Bag {
    fn add(&mut self, value: &Value) {
        let count = self.counts.entry(value.key()).or_insert(0);
        *count += 1;
        self.repeated += usize::from(*count == 2);
        self.held += if *count == 1 { size_of_key(value) } else { 0 };
    }

    fn remove(&mut self, value: &Value) {
        let key = value.key();
        let Some(count) = self.counts.get_mut(&key) else { return };
        *count -= 1;
        self.repeated -= usize::from(*count == 1);
        if *count == 0 {
            self.counts.remove(&key);
            self.held -= size_of_key(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    proptest::proptest! {
        /// Compares with a plain map, with undo at any point.
        #[test]
        fn variables_are_a_map_with_a_way_back(
            steps in proptest::collection::vec((0_u8..10, -2_i64..3000, 0_i64..4), 0..60),
            back in 0_usize..60,
        ) {
            let mut vars = Vars::new([true].into_iter(), u64::MAX).with_trail();
            let mut map: BTreeMap<Vec<i64>, i64> = BTreeMap::new();
            let mut saved = (0, map.clone());
            for (number, (kind, index, value)) in steps.iter().enumerate() {
                if number == back {
                    saved = (vars.mark(), map.clone());
                }
                match kind {
                    0 => {
                        vars.unset(0);
                        map.clear();
                    }
                    1 => {
                        vars.set(0, &[], Value::from(*value));
                        map.insert(vec![], *value);
                    }
                    2 => {
                        vars.set(0, &[Int::Small(*index), Int::Small(1)], Value::from(*value));
                        map.insert(vec![*index, 1], *value);
                    }
                    _ => {
                        vars.set(0, &[Int::Small(*index)], Value::from(*value));
                        map.insert(vec![*index], *value);
                    }
                }
                check(&vars, &map);
            }
            vars.undo(saved.0);
            check(&vars, &saved.1);
            vars.undo(0);
            assert_eq!((vars.held, vars.trailed), (0, 0));
        }
    }

    /// With and without undo, values and indices of any size are counted, and freed again.
    #[test]
    fn values_with_too_many_bytes_in_all_are_noticed() {
        let power = |exponent| Int::Small(2).power(exponent).expect("a number");
        let bytes = |vars: &Vars| (vars.held + vars.trailed).next_multiple_of(4 << 10) >> 10;
        for has_trail in [false, true] {
            let mut vars = Vars::new([false, true].into_iter(), u64::MAX);
            if has_trail {
                vars = vars.with_trail();
            }
            for at in 0..10 {
                vars.set(0, &[Int::Small(at)], power(1 << 20).into());
            }
            assert_eq!(bytes(&vars), 1280 + 4, "and some for the cells");
            vars.set(0, &[], power(1 << 19).into());
            vars.set(1, &[power(1 << 20)], Value::from(1));
            assert_eq!(bytes(&vars), 1280 + 4 + 64 + if has_trail { 256 } else { 128 });
            for at in 0..10 {
                vars.set(0, &[Int::Small(at)], Value::from(1));
            }
            vars.unset(0);
            vars.unset(1);
            if has_trail {
                assert!(bytes(&vars) > 1280)
            } else {
                assert_eq!(vars.held, 0)
            }
            assert!(!vars.is_full());
            vars.undo(0);
            assert_eq!((vars.held, vars.trailed), (0, 0));
            vars.most = Bytes(size_of_cell(&Value::from(1)));
            vars.set(0, &[], Value::from(1));
            assert_eq!(vars.is_full(), has_trail);
            vars.set(0, &[Int::Small(1 << 40)], Value::from(1));
            assert!(vars.is_full());
        }
    }

    /// Cells, entries, keys and the trail count even if all numbers are small.
    #[test]
    fn many_small_values_count_as_much_as_they_take() {
        let check = |is_counted: bool, has_trail: bool, gap: i64, least: u64| {
            let mut vars = Vars::new([is_counted].into_iter(), u64::MAX);
            if has_trail {
                vars = vars.with_trail();
            }
            for at in 0..100 {
                vars.set(0, &[Int::Small(at * gap)], Value::from(at));
            }
            let bytes = (vars.held + vars.trailed) / 100;
            assert!(bytes >= least, "{bytes} bytes for each, at least {least}");
        };
        check(false, false, 1, 32);
        check(false, false, 1 << 40, 90);
        check(true, false, 1, 90);
        check(false, true, 1, 90);
    }

    fn check(vars: &Vars, map: &BTreeMap<Vec<i64>, i64>) {
        let mut seen = BTreeMap::new();
        vars.each(0, &mut |index, value| {
            let index: Vec<i64> = index.iter().map(|index| index.small().unwrap()).collect();
            let Value::Int(Int::Small(value)) = value else {
                panic!("an integer");
            };
            assert!(seen.insert(index, *value).is_none(), "one index, one value");
        });
        assert_eq!(&seen, map);
        assert_eq!(vars.len(0), map.len());
        let mut values: Vec<i64> = map.values().copied().collect();
        values.sort_unstable();
        let all_differ = values.windows(2).all(|pair| pair[0] != pair[1]);
        assert_eq!(vars.all_differ(0), all_differ);
        for value in 0..4 {
            assert_eq!(vars.occurs(0, &Value::from(value)), values.contains(&value));
        }
    }
}
