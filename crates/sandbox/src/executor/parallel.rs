//! The same work for many items, on as many threads as there are slots.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;

use crate::executor::Executor;
use juror_core::stop::{Stop, check_interrupted, with_same_stop_flags};

/// Returns the results in the items' order.
///
/// # Errors
/// The first error; later work is not begun.
pub fn map<T: Sync, R: Send>(
    executor: &dyn Executor,
    items: &[T],
    work: impl Fn(&T) -> Result<R, Stop> + Sync,
) -> Result<Vec<R>, Stop> {
    map_on(executor.slots(), items, work)
}

/// As [`map`], on up to this many threads.
///
/// # Errors
/// The first error; later work is not begun.
pub fn map_on<T: Sync, R: Send>(
    most: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R, Stop> + Sync,
) -> Result<Vec<R>, Stop> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Ok(items.iter().map(|_| None).collect::<Vec<Option<R>>>()));
    let worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return };
            let result = check_interrupted().and_then(|()| work(item));
            let mut results = results.lock();
            match (&mut *results, result) {
                (Ok(results), Ok(result)) => results[index] = Some(result),
                (Ok(_), Err(error)) => {
                    *results = Err(error);
                    return;
                }
                (Err(_), _) => return,
            }
        }
    };
    on_threads(most.min(items.len()), worker);
    let results = results.into_inner();
    results?.into_iter().collect::<Option<_>>().ok_or(Stop::Interrupted)
}

/// Does two things at once, or in order if no thread can be started.
///
/// # Errors
/// The error of the first, otherwise that of the second; both run to their end.
pub fn both<A: Send, B: Send>(
    first: impl FnOnce() -> Result<A, Stop> + Send,
    second: impl FnOnce() -> Result<B, Stop> + Send,
) -> Result<(A, B), Stop> {
    let (first, second) = (Mutex::new(Some(first)), Mutex::new(Some(second)));
    let (one, other) = (Mutex::new(None), Mutex::new(None));
    on_threads(2, || {
        let task = first.lock().take();
        task.into_iter().for_each(|task| *one.lock() = Some(task()));
        let task = second.lock().take();
        task.into_iter().for_each(|task| *other.lock() = Some(task()));
    });
    let (one, other) = (one.lock().take(), other.lock().take());
    one.zip(other).map_or(Err(Stop::Interrupted), |(one, other)| Ok((one?, other?)))
}

/// Does the work on up to `most` threads including this one; on fewer if no more can be started.
pub fn on_threads(most: usize, work: impl Fn() + Sync) {
    let elsewhere = with_same_stop_flags(&work);
    thread::scope(|scope| {
        for _ in 1..most {
            if thread::Builder::new().spawn_scoped(scope, &elsewhere).is_err() {
                break;
            }
        }
        work();
    });
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;
    use std::sync::Barrier;

    use super::*;
    use crate::executor::scripted::ScriptedExecutor;
    use juror_core::stop::{StopFlag, with_stop_flags};

    fn check(slots: usize, items: &[u32], expected: Result<&[u32], Stop>) {
        let executor = ScriptedExecutor::new(slots, |_| Err(Stop::Interrupted));
        let got = map(&executor, items, |item| match item {
            0 => Err(Stop::Interrupted),
            n => Ok(n * 10),
        });
        assert_eq!(got.as_deref().map_err(Clone::clone), expected);
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for slots in 1..5 {
            check(slots, &[], Ok(&[]));
            check(slots, &[1, 2, 3, 4, 5], Ok(&[10, 20, 30, 40, 50]));
        }
    }

    #[test]
    fn two_things_are_done_at_once() {
        let met = Barrier::new(2);
        let meet = |number: u32| {
            met.wait();
            Ok(number)
        };
        assert_eq!(both(|| meet(1), || meet(2)), Ok((1, 2)));
        let fails = || Err::<u32, _>(Stop::Interrupted);
        let is_done = AtomicUsize::new(0);
        let done = || Ok(is_done.fetch_add(1, Ordering::Relaxed));
        assert_eq!(both(fails, done), Err(Stop::Interrupted));
        assert_eq!(both(done, fails), Err(Stop::Interrupted));
        assert_eq!(is_done.into_inner(), 2);
    }

    #[test]
    fn a_stop_flag_ends_the_map_on_all_threads() {
        for threads in 1..5 {
            let flag = StopFlag::default();
            let began = AtomicUsize::new(0);
            let work = |_: &u32| {
                began.fetch_add(1, Ordering::Relaxed);
                flag.set();
                Ok(())
            };
            let got = with_stop_flags(from_ref(&flag), || map_on(threads, &[0; 100], work));
            assert_eq!(got, Err(Stop::Interrupted));
            assert!((1..=threads).contains(&began.into_inner()), "each thread begins at most one");
        }
    }

    #[test]
    fn an_error_ends_the_map() {
        for slots in 1..5 {
            check(slots, &[1, 0, 3], Err(Stop::Interrupted));
        }
    }
}
