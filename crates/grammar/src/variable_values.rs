//! The variables of a running grammar: scalars, arrays of any shape, and undo.
//!
//! The generator goes back often. So old values are recorded and put back: a copy of all variables for each choice
//! would take quadratic time. Rows have an own form, because nearly all arrays are rows.

use std::collections::HashMap;

use crate::number::Int;
use crate::value::{Value, ValueKey};
use juror_core::units::Bytes;

#[derive(Debug)]
pub(super) struct VariableValues {
    variables: Vec<Cells>,
    /// Overwritten values, newest last; `None` if they are not recorded.
    trail: Option<Vec<VariableChange>>,
    /// The bytes of all values and indices. Text does not count: it is in the input or the grammar.
    bytes: u64,
    trail_bytes: u64,
    limit: Bytes,
}

#[derive(Debug, Default)]
struct Cells {
    scalar: Option<Value>,
    /// Values with one small index, without large gaps.
    row: Vec<Option<Value>>,
    filled: usize,
    /// The bytes of its values and indices.
    bytes: u64,
    /// The values at all other indices.
    sparse: HashMap<Vec<Int>, Value>,
    /// Only if a test needs the number of occurrences of each value.
    bag: Option<ValueCounts>,
}

#[derive(Debug, Default)]
struct ValueCounts {
    counts: HashMap<ValueKey, u32>,
    /// The bytes of its keys.
    bytes: u64,
    /// Number of values that occur more than once.
    repeated: usize,
}

#[derive(Debug)]
enum VariableChange {
    Cell { variable: usize, index: Vec<Int>, old: Option<Value> },
    AllCells { variable: usize, old: Box<Cells> },
}

/// The bytes of a map's entry, without its key and value: a map has room for more entries than it has.
const MAP_ENTRY_BYTES: u64 = 48;

/// A value further than this beyond twice the length of the row becomes sparse.
const GAP_MAX: usize = 1024;

impl VariableValues {
    /// `counted` tells which variables need lookups of values; `most` is the upper bound on the bytes of all values.
    pub(super) fn new(counted: impl Iterator<Item = bool>, most: u64) -> Self {
        let variables = counted.map(Cells::new).collect();
        Self { variables, trail: None, bytes: 0, trail_bytes: 0, limit: Bytes(most) }
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
        while self.mark() > mark
            && let Some(change) = self.trail.as_mut().and_then(Vec::pop)
        {
            self.trail_bytes -= change.size();
            match change {
                VariableChange::Cell { variable, index, old } => {
                    self.change(variable, |cells| cells.replace(&index, old));
                }
                VariableChange::AllCells { variable, old } => {
                    self.change(variable, |cells| *cells = *old);
                }
            }
        }
    }

    /// Changes the cells of a variable, and counts their bytes.
    fn change<T>(&mut self, slot: usize, change: impl FnOnce(&mut Cells) -> T) -> T {
        let cells = &mut self.variables[slot];
        self.bytes -= cells.total_bytes();
        let result = change(cells);
        self.bytes += cells.total_bytes();
        result
    }

    fn record(&mut self, change: VariableChange) {
        self.trail_bytes += change.size();
        self.trail.get_or_insert_default().push(change);
    }

    /// An empty index means the scalar.
    #[inline]
    pub(super) fn get(&self, slot: usize, index: &[Int]) -> Option<&Value> {
        let cells = &self.variables[slot];
        match index {
            [] => cells.scalar.as_ref(),
            [Int::Small(at)] => self.get_small(slot, *at),
            _ => cells.sparse.get(index),
        }
    }

    #[inline]
    pub(super) fn get_small(&self, slot: usize, index: i64) -> Option<&Value> {
        let cells = &self.variables[slot];
        match usize::try_from(index).ok().and_then(|at| cells.row.get(at)) {
            Some(Some(value)) => Some(value),
            _ if cells.sparse.is_empty() => None,
            _ => cells.sparse.get([Int::Small(index)].as_slice()),
        }
    }

    /// An empty index means the scalar.
    #[inline]
    pub(super) fn set(&mut self, slot: usize, index: &[Int], value: Value) {
        let cells = &mut self.variables[slot];
        if self.trail.is_some() || cells.bag.is_some() {
            return self.set_slow(slot, index, value);
        }
        let added = size_of_cell(&value);
        let old = match index {
            [] => cells.scalar.replace(value),
            [Int::Small(at)]
                if cells.sparse.is_empty() && (0..=cells.row.len() as i64).contains(at) =>
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
            _ => return self.set_slow(slot, index, value),
        };
        let freed = old.map_or(0, |old| size_of_cell(&old));
        cells.bytes = cells.bytes + added - freed;
        self.bytes = self.bytes + added - freed;
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.bytes.saturating_add(self.trail_bytes) > self.limit.0
    }

    /// Upper bound on the bytes of all values.
    pub(super) fn limit(&self) -> Bytes {
        self.limit
    }

    /// The slow path of [`Self::set`]; a separate function keeps the fast path short.
    #[inline(never)]
    fn set_slow(&mut self, slot: usize, index: &[Int], value: Value) {
        let old = self.change(slot, |cells| cells.replace(index, Some(value)));
        if self.trail.is_some() {
            self.record(VariableChange::Cell { variable: slot, index: index.to_vec(), old });
        }
    }

    pub(super) fn unset(&mut self, slot: usize) {
        if self.trail.is_none() {
            return self.change(slot, Cells::clear);
        }
        let old = self.change(slot, |cells| {
            let fresh = Cells::new(cells.bag.is_some());
            Box::new(std::mem::replace(cells, fresh))
        });
        self.record(VariableChange::AllCells { variable: slot, old });
    }

    /// For variables whose values are counted.
    pub(super) fn occurs(&self, slot: usize, value: &Value) -> bool {
        let bag = self.variables[slot].bag.as_ref();
        bag.is_some_and(|bag| bag.counts.contains_key(&value.key()))
    }

    /// For variables whose values are counted.
    pub(super) fn all_differ(&self, slot: usize) -> bool {
        self.variables[slot].bag.as_ref().is_some_and(|bag| bag.repeated == 0)
    }

    /// Number of values of a variable.
    pub(super) fn len(&self, slot: usize) -> usize {
        let cells = &self.variables[slot];
        usize::from(cells.scalar.is_some()) + cells.filled + cells.sparse.len()
    }

    /// Calls `see` with every index and its value, in any order.
    pub(super) fn each(&self, slot: usize, see: &mut dyn FnMut(&[Int], &Value)) {
        let cells = &self.variables[slot];
        if let Some(value) = &cells.scalar {
            see(&[], value);
        }
        for (index, value) in cells.row.iter().enumerate() {
            if let Some(value) = value {
                see(&[Int::Small(index as i64)], value);
            }
        }
        for (index, value) in &cells.sparse {
            see(index, value);
        }
    }
}

impl Cells {
    fn new(is_counted: bool) -> Self {
        Self { bag: is_counted.then(ValueCounts::default), ..Self::default() }
    }

    fn clear(&mut self) {
        self.scalar = None;
        self.row.clear();
        self.filled = 0;
        self.bytes = 0;
        self.sparse.clear();
        if let Some(bag) = &mut self.bag {
            *bag = ValueCounts::default();
        }
    }

    /// The bytes of its values and indices, and of the bag.
    fn total_bytes(&self) -> u64 {
        self.bytes + self.bag.as_ref().map_or(0, |bag| bag.bytes)
    }

    /// Sets or removes the value at an index, and counts the bytes. Returns the old value.
    fn replace(&mut self, index: &[Int], value: Option<Value>) -> Option<Value> {
        if let (Some(bag), Some(value)) = (&mut self.bag, &value) {
            bag.add(value);
        }
        self.bytes += value.as_ref().map_or(0, size_of_cell);
        let old = self.replace_uncounted(index, value);
        self.bytes -= old.as_ref().map_or(0, size_of_cell);
        if let (Some(bag), Some(old)) = (&mut self.bag, &old) {
            bag.remove(old);
        }
        old
    }

    fn replace_uncounted(&mut self, index: &[Int], value: Option<Value>) -> Option<Value> {
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
            return if old.is_none() && !self.sparse.is_empty() {
                self.replace_sparse(&[Int::Small(index as i64)], None)
            } else {
                old
            };
        }
        self.replace_sparse(index, value)
    }

    fn replace_sparse(&mut self, index: &[Int], value: Option<Value>) -> Option<Value> {
        let is_added = value.is_some();
        let old = match value {
            Some(value) => self.sparse.insert(index.to_vec(), value),
            None => self.sparse.remove(index),
        };
        let bytes = MAP_ENTRY_BYTES + size_of_index(index);
        match (is_added, &old) {
            (true, None) => self.bytes += bytes,
            (false, Some(_)) => self.bytes -= bytes,
            _ => {}
        }
        old
    }
}

impl VariableChange {
    fn size(&self) -> u64 {
        let own = size_of::<Self>() as u64;
        match self {
            Self::Cell { index, old, .. } => {
                own + size_of_index(index) + old.as_ref().map_or(0, size_of_cell)
            }
            Self::AllCells { old, .. } => own + old.total_bytes(),
        }
    }
}

/// A row has room for up to twice as many values.
fn size_of_cell(value: &Value) -> u64 {
    2 * size_of::<Option<Value>>() as u64 + value.bytes_if_big()
}

fn size_of_index(index: &[Int]) -> u64 {
    index.iter().map(|number| size_of::<Int>() as u64 + number.bits_if_big() / 8).sum()
}

fn size_of_key(value: &Value) -> u64 {
    MAP_ENTRY_BYTES + size_of::<ValueKey>() as u64 + value.bytes_if_big()
}

impl ValueCounts {
    fn add(&mut self, value: &Value) {
        let count = self.counts.entry(value.key()).or_insert(0);
        *count += 1;
        self.repeated += usize::from(*count == 2);
        self.bytes += if *count == 1 { size_of_key(value) } else { 0 };
    }

    fn remove(&mut self, value: &Value) {
        let key = value.key();
        let Some(count) = self.counts.get_mut(&key) else { return };
        *count -= 1;
        self.repeated -= usize::from(*count == 1);
        if *count == 0 {
            self.counts.remove(&key);
            self.bytes -= size_of_key(value);
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
        fn variables_behave_like_a_map_with_undo(
            steps in proptest::collection::vec((0_u8..10, -2_i64..3000, 0_i64..4), 0..60),
            back in 0_usize..60,
        ) {
            let mut vars = VariableValues::new([true].into_iter(), u64::MAX).with_trail();
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
            assert_eq!((vars.bytes, vars.trail_bytes), (0, 0));
        }
    }

    /// With and without undo, values and indices of any size are counted, and freed again.
    #[test]
    fn values_with_too_many_bytes_are_noticed() {
        let power = |exponent| Int::Small(2).power(exponent).expect("a number");
        let bytes =
            |vars: &VariableValues| (vars.bytes + vars.trail_bytes).next_multiple_of(4 << 10) >> 10;
        for has_trail in [false, true] {
            let mut vars = VariableValues::new([false, true].into_iter(), u64::MAX);
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
                assert_eq!(vars.bytes, 0)
            }
            assert!(!vars.is_full());
            vars.undo(0);
            assert_eq!((vars.bytes, vars.trail_bytes), (0, 0));
            vars.limit = Bytes(size_of_cell(&Value::from(1)));
            vars.set(0, &[], Value::from(1));
            assert_eq!(vars.is_full(), has_trail);
            vars.set(0, &[Int::Small(1 << 40)], Value::from(1));
            assert!(vars.is_full());
        }
    }

    /// Cells, entries, keys and the trail count even if all numbers are small.
    #[test]
    fn small_values_count_with_their_full_memory() {
        let check = |is_counted: bool, has_trail: bool, gap: i64, least: u64| {
            let mut vars = VariableValues::new([is_counted].into_iter(), u64::MAX);
            if has_trail {
                vars = vars.with_trail();
            }
            for at in 0..100 {
                vars.set(0, &[Int::Small(at * gap)], Value::from(at));
            }
            let bytes = (vars.bytes + vars.trail_bytes) / 100;
            assert!(bytes >= least, "{bytes} bytes for each, at least {least}");
        };
        check(false, false, 1, 32);
        check(false, false, 1 << 40, 90);
        check(true, false, 1, 90);
        check(false, true, 1, 90);
    }

    fn check(vars: &VariableValues, map: &BTreeMap<Vec<i64>, i64>) {
        let mut seen = BTreeMap::new();
        vars.each(0, &mut |index, value| {
            let index: Vec<i64> = index.iter().map(|index| index.to_small().unwrap()).collect();
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
