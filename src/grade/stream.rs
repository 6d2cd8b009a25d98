//! Processes a stream: several items at once, results in the order of completion or of the items.
//!
//! Memory is bounded: an item for each worker and, for results in order of the items, a limited number of results that
//! wait for an earlier one. A worker takes the next item only when there is room for its result.

use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;

use juror_core::stop::Stop;

/// With results in the order of the items, so many items may start after the oldest one that is not done.
pub const REORDER_WINDOW: u64 = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultOrder {
    Completion,
    Input,
}

pub struct Stream<'a, T, R> {
    pub order: ResultOrder,
    pub next_item: NextItem<'a, T>,
    pub work: &'a (dyn Fn(T) -> Result<R, Stop> + Sync),
    pub deliver: ResultSink<'a, R>,
}

pub type NextItem<'a, T> = Box<dyn FnMut() -> Result<Option<T>, Stop> + Send + 'a>;

pub type ResultSink<'a, R> = Box<dyn FnMut(R) -> Result<(), Stop> + Send + 'a>;

struct StreamInput<'a, T> {
    next_item: NextItem<'a, T>,
    taken: u64,
}

struct StreamResults<'a, R> {
    sink: ResultSink<'a, R>,
    waiting: BTreeMap<u64, R>,
    delivered: u64,
    stop: Option<Stop>,
}

struct SharedStream<'a, T, R> {
    order: ResultOrder,
    work: &'a (dyn Fn(T) -> Result<R, Stop> + Sync),
    input: Mutex<StreamInput<'a, T>>,
    results: Mutex<StreamResults<'a, R>>,
    space_freed: Condvar,
}

impl<T: Send, R: Send> Stream<'_, T, R> {
    /// Processes the stream with this many threads; `on_threads` starts them and waits for them.
    ///
    /// # Errors
    /// The first error. Work that was begun is finished, but its results are dropped.
    pub fn run(
        self,
        at_once: usize,
        on_threads: fn(usize, &(dyn Fn() + Sync)),
    ) -> Result<(), Stop> {
        let shared = SharedStream {
            order: self.order,
            work: self.work,
            input: Mutex::new(StreamInput { next_item: self.next_item, taken: 0 }),
            results: Mutex::new(StreamResults {
                sink: self.deliver,
                waiting: BTreeMap::new(),
                delivered: 0,
                stop: None,
            }),
            space_freed: Condvar::new(),
        };
        on_threads(at_once, &|| shared.run_worker());
        let results = shared.results.into_inner();
        results.stop.map_or(Ok(()), Err)
    }
}

impl<T, R> SharedStream<'_, T, R> {
    fn run_worker(&self) {
        loop {
            let taken = self.take_item();
            let done = match taken {
                Ok(None) => return,
                Ok(Some((number, item))) => (self.work)(item).map(|result| (number, result)),
                Err(stop) => Err(stop),
            };
            if let Err(stop) = done.and_then(|(number, result)| self.deliver(number, result)) {
                self.results.lock().stop.get_or_insert(stop);
                self.space_freed.notify_all();
                return;
            }
        }
    }

    /// Waits until there is room for the result of the next item.
    fn take_item(&self) -> Result<Option<(u64, T)>, Stop> {
        let mut input = self.input.lock();
        let number = input.taken;
        let is_full = |results: &mut StreamResults<'_, R>| {
            let is_ahead =
                self.order == ResultOrder::Input && number >= results.delivered + REORDER_WINDOW;
            results.stop.is_none() && is_ahead
        };
        let mut results = self.results.lock();
        self.space_freed.wait_while(&mut results, is_full);
        if results.stop.is_some() {
            return Ok(None);
        }
        drop(results);
        let Some(item) = (input.next_item)()? else { return Ok(None) };
        input.taken += 1;
        Ok(Some((number, item)))
    }

    /// Delivers a result, and those that waited for it.
    fn deliver(&self, number: u64, result: R) -> Result<(), Stop> {
        let mut results = self.results.lock();
        if results.stop.is_some() {
            return Ok(());
        }
        if self.order == ResultOrder::Completion {
            results.delivered += 1;
            return (results.sink)(result);
        }
        results.waiting.insert(number, result);
        let mut next = results.delivered;
        while let Some(result) = results.waiting.remove(&next) {
            (results.sink)(result)?;
            next += 1;
        }
        results.delivered = next;
        self.space_freed.notify_all();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    const WORKERS: u64 = 4;

    fn on_threads(number: usize, work: &(dyn Fn() + Sync)) {
        thread::scope(|scope| (0..number).for_each(|_| _ = scope.spawn(work)));
    }

    /// Returns the result for this many items, of which one may end the stream, and the most that waited at once.
    fn run(order: ResultOrder, items: u64, end: Option<u64>) -> (Result<(), Stop>, Vec<u64>, u64) {
        let (in_work, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let mut numbers = 0..items;
        let mut done = Vec::new();
        // The first item is done after the results of all others are delivered; if these wait, after as many as
        // possible have begun.
        let (others, changed) = (Mutex::new(0), Condvar::new());
        let (counts_left, wait_for) = match order {
            ResultOrder::Completion => (true, items - 1),
            ResultOrder::Input => (false, (items - 1).min(REORDER_WINDOW - 1)),
        };
        let count = |is_counted: bool| {
            *others.lock() += u64::from(is_counted);
            changed.notify_all();
        };
        let result = Stream {
            order,
            next_item: Box::new(|| {
                let next = numbers.next();
                if next.is_some() {
                    most.fetch_max(in_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                }
                Ok(next)
            }),
            work: &|item| {
                count(!counts_left && item > 0);
                if item == 0 && end.is_none() {
                    changed.wait_while(&mut others.lock(), |others| *others < wait_for);
                }
                if Some(item) == end { Err(Stop::Interrupted) } else { Ok(item) }
            },
            deliver: Box::new(|item| {
                in_work.fetch_sub(1, Ordering::SeqCst);
                done.push(item);
                count(counts_left);
                Ok(())
            }),
        }
        .run(usize::try_from(WORKERS).expect("a few"), on_threads);
        (result, done, most.into_inner())
    }

    #[test]
    fn every_result_is_delivered_once_and_few_wait() {
        let check = |order: ResultOrder, items: u64, bound: u64| {
            let (result, mut done, most) = run(order, items, None);
            assert_eq!(result, Ok(()));
            if order == ResultOrder::Completion {
                assert_eq!(done.last(), Some(&0));
                done.sort_unstable();
            }
            assert_eq!(done, (0..items).collect::<Vec<u64>>());
            assert!(most <= bound, "{most} of {items}");
        };
        check(ResultOrder::Completion, 3000, WORKERS);
        check(ResultOrder::Input, 3000, REORDER_WINDOW);
        check(ResultOrder::Input, 2, WORKERS);
    }

    #[test]
    fn an_error_ends_the_stream_and_is_returned() {
        for order in [ResultOrder::Completion, ResultOrder::Input] {
            let (result, left, _) = run(order, 3000, Some(100));
            assert_eq!(result, Err(Stop::Interrupted));
            assert!(!left.contains(&100) && left.len() < 3000, "{} left", left.len());
        }
    }
}
