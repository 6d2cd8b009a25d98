//! Keeps recently made values for reuse.

use parking_lot::Mutex;
use std::sync::Arc;

/// The values that were requested last, by key. A request for a value that is being made waits for it.
#[derive(Debug)]
pub struct RecentValues<K, V> {
    most: usize,
    /// The most recent one is last.
    all: Mutex<Vec<(K, ValueCell<V>)>>,
}

/// The value, once it is made.
type ValueCell<V> = Arc<Mutex<Option<V>>>;

impl<K: PartialEq, V: Clone> RecentValues<K, V> {
    pub fn new(most: usize) -> Self {
        Self { most, all: Mutex::new(Vec::new()) }
    }

    /// Makes the value if it is not known.
    ///
    /// After a failure, the next request tries again.
    pub fn get<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let cell = self.cell(key);
        let mut value = cell.lock();
        match &mut *value {
            Some(value) => Ok(value.clone()),
            value => Ok(value.insert(make()?).clone()),
        }
    }

    /// The cell of this key, which becomes the most recent one. If there are too many, the oldest one is dropped.
    fn cell(&self, key: K) -> ValueCell<V> {
        let mut all = self.all.lock();
        let index = all.iter().position(|(known, _)| *known == key);
        let entry = match index {
            Some(index) => all.remove(index),
            None => (key, ValueCell::default()),
        };
        let cell = Arc::clone(&entry.1);
        all.push(entry);
        if all.len() > self.most {
            all.remove(0);
        }
        cell
    }
}

/// Keeps all values.
impl<K: PartialEq, V: Clone> Default for RecentValues<K, V> {
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_values_are_kept_and_failures_are_tried_again() {
        let check = |asked: &[u32], values: &[u32]| {
            let recent = RecentValues::new(2);
            let mut all = Vec::new();
            for key in asked {
                let make = || {
                    all.push(*key);
                    if *key == 0 { Err(()) } else { Ok(key * 10) }
                };
                let expected = if *key == 0 { Err(()) } else { Ok(key * 10) };
                assert_eq!(recent.get(*key, make), expected);
            }
            assert_eq!(all, values, "{asked:?}");
        };
        check(&[1, 1, 2, 1, 2], &[1, 2]);
        check(&[1, 2, 1, 3, 1, 2], &[1, 2, 3, 2]);
        check(&[0, 0, 1], &[0, 0, 1]);
    }

    #[test]
    fn a_request_for_a_value_that_is_being_made_waits_for_it() {
        let recent = RecentValues::new(1);
        let values = Mutex::new(0);
        let ask = || {
            let make = || {
                *values.lock() += 1;
                Ok::<_, ()>(7)
            };
            assert_eq!(recent.get("x", make), Ok(7));
        };
        std::thread::scope(|scope| (0..8).for_each(|_| _ = scope.spawn(ask)));
        assert_eq!(values.into_inner(), 1);
    }
}
