//! Slots that runs use one at a time. A run that must be alone waits for all of them: other runs may be why it failed
//! before, or why it took so long.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use juror_core::judgement::{JudgeError, Retry};
use juror_core::stop::{Stop, WakeGuard, check_interrupted, wake_on_stop};

/// Generic, so that a test needs no machine.
pub(super) struct SlotPool<S> {
    state: Mutex<PoolState<S>>,
    changed: Condvar,
    size: usize,
}

struct PoolState<S> {
    free: Vec<S>,
    turn: PoolTurn,
    /// How often a run waited for all slots.
    times: u64,
    /// Slots that were taken before a run began to wait for all, and are not back yet.
    taken_before: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PoolTurn {
    Any,
    /// A run waits for all slots. Others may still have one while an earlier run goes on, because the waiting run
    /// could not start anyway.
    Waiting,
    Exclusive,
}

/// A slot in use, and the value of [`PoolState::times`] when it was taken.
struct TakenSlot<S> {
    slot: S,
    times: u64,
}

impl<S: Send + 'static> SlotPool<S> {
    pub(super) fn new(slots: Vec<S>) -> Self {
        Self {
            size: slots.len(),
            state: Mutex::new(PoolState {
                free: slots,
                turn: PoolTurn::Any,
                times: 0,
                taken_before: 0,
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Runs in a free slot. If the machine fails, `mend` prepares the slot, and the run is repeated alone.
    pub(super) fn run<R>(
        self: &Arc<Self>,
        run: impl Fn(&mut S) -> Result<R, JudgeError>,
        mend: impl Fn(&mut S),
    ) -> Result<R, Stop> {
        let mut taken = self.take_slot()?;
        let result = run(&mut taken.slot);
        if !result.as_ref().is_err_and(|error| error.again == Retry::Possible) {
            self.return_slot(taken);
            return Ok(result?);
        }
        mend(&mut taken.slot);
        // Given back first: waiting for all slots while holding one would deadlock.
        self.return_slot(taken);
        self.run_exclusive(run, mend)
    }

    pub(super) fn run_exclusive<R>(
        self: &Arc<Self>,
        run: impl Fn(&mut S) -> Result<R, JudgeError>,
        mend: impl Fn(&mut S),
    ) -> Result<R, Stop> {
        let mut taken = self.take_exclusive()?;
        let result = run(&mut taken.slot);
        if result.is_err() {
            mend(&mut taken.slot);
        }
        self.return_slot(taken);
        Ok(result?)
    }

    pub(super) fn take_free_slots(&self) -> Vec<S> {
        std::mem::take(&mut self.state.lock().free)
    }

    /// While it exists, a stop of the current work wakes all that wait.
    fn wake_on_stop(self: &Arc<Self>) -> WakeGuard {
        let pool = Arc::clone(self);
        wake_on_stop(move || {
            // With the lock, since a thread may be about to wait.
            let _state = pool.state.lock();
            pool.changed.notify_all();
        })
    }

    fn take_slot(self: &Arc<Self>) -> Result<TakenSlot<S>, Stop> {
        let _guard = self.wake_on_stop();
        let mut state = self.state.lock();
        loop {
            check_interrupted()?;
            if (state.turn == PoolTurn::Any || state.taken_before > 0)
                && let Some(slot) = state.free.pop()
            {
                return Ok(TakenSlot { slot, times: state.times });
            }
            self.changed.wait(&mut state);
        }
    }

    fn return_slot(&self, taken: TakenSlot<S>) {
        let mut state = self.state.lock();
        state.free.push(taken.slot);
        if taken.times != state.times {
            state.taken_before -= 1;
        }
        if state.turn == PoolTurn::Exclusive {
            state.turn = PoolTurn::Any;
        }
        self.changed.notify_all();
    }

    /// Waits until all slots are idle. Takes the one that is used most.
    fn take_exclusive(self: &Arc<Self>) -> Result<TakenSlot<S>, Stop> {
        let _guard = self.wake_on_stop();
        let mut state = self.state.lock();
        while state.turn != PoolTurn::Any {
            check_interrupted()?;
            self.changed.wait(&mut state);
        }
        state.turn = PoolTurn::Waiting;
        state.times += 1;
        state.taken_before = self.size - state.free.len();
        loop {
            if state.free.len() == self.size
                && let Some(slot) = state.free.pop()
            {
                state.turn = PoolTurn::Exclusive;
                return Ok(TakenSlot { slot, times: state.times });
            }
            if let Err(stop) = check_interrupted() {
                state.turn = PoolTurn::Any;
                self.changed.notify_all();
                return Err(stop);
            }
            self.changed.wait(&mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::stop::{StopFlag, with_stop_flags};
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;

    fn check(answers: &[Result<u32, JudgeError>], expected: Result<u32, JudgeError>, runs: usize) {
        let pool = Arc::new(SlotPool::new(vec![0usize]));
        let result = pool.run(
            |index| {
                *index += 1;
                answers[*index - 1].clone()
            },
            |_| {},
        );
        assert_eq!(result, expected.map_err(Stop::Fault));
        assert_eq!(pool.take_slot().unwrap().slot, runs);
    }

    #[test]
    fn a_run_is_repeated_once_after_a_fault_of_the_machine() {
        let busy = || Err(JudgeError::new("make a control group", "EBUSY").transient());
        let missing = || Err(JudgeError::new("start the program", "ENOENT"));
        check(&[Ok(1)], Ok(1), 1);
        check(&[busy(), Ok(2)], Ok(2), 2);
        check(&[busy(), busy(), Ok(3)], busy(), 2);
        check(&[missing(), Ok(4)], missing(), 1);
        check(&[busy(), missing(), Ok(5)], missing(), 2);
    }

    #[test]
    fn the_repeated_run_is_alone() {
        let pool = Arc::new(SlotPool::new(vec![(), (), ()]));
        let running = AtomicUsize::new(0);
        let failures = AtomicUsize::new(0);
        let work = |number: usize| {
            let tries = AtomicUsize::new(0);
            let result = pool.run(
                |()| {
                    let others = running.fetch_add(1, Ordering::SeqCst);
                    let is_second = tries.fetch_add(1, Ordering::SeqCst) == 1;
                    thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                    if is_second {
                        assert_eq!(others, 0, "a second try beside another run");
                        return Ok(());
                    }
                    if number.is_multiple_of(3) {
                        failures.fetch_add(1, Ordering::SeqCst);
                        return Err(JudgeError::new("mount", "EBUSY").transient());
                    }
                    Ok(())
                },
                |()| {},
            );
            assert_eq!(result, Ok(()));
        };
        thread::scope(|scope| {
            for number in 0..30 {
                scope.spawn(move || work(number));
            }
        });
        assert_eq!(failures.into_inner(), 10);
    }

    /// A run that waits for all slots waits for earlier runs, and for others that end meanwhile or soon after.
    #[test]
    fn other_runs_start_while_an_exclusive_run_must_wait() {
        let pool = Arc::new(SlotPool::new(vec![(), ()]));
        let (is_old_over, order) = (AtomicBool::new(false), Mutex::new(Vec::new()));
        let note = |what| {
            order.lock().push(what);
            Ok::<(), JudgeError>(())
        };
        let until = |is_so: &dyn Fn() -> bool| {
            while !is_so() {
                thread::yield_now()
            }
        };
        let run = |work: &dyn Fn() -> Result<(), JudgeError>| pool.run(|()| work(), |()| {});
        thread::scope(|scope| {
            let old = || {
                until(&|| is_old_over.load(Ordering::SeqCst));
                note("old")
            };
            scope.spawn(move || run(&old).unwrap());
            until(&|| pool.state.lock().free.len() == 1);
            scope.spawn(|| pool.run_exclusive(|()| note("alone"), |()| {}));
            until(&|| pool.state.lock().turn == PoolTurn::Waiting);
            run(&|| note("new")).unwrap();
            // The last that may start; it ends after the earlier one.
            let last = || {
                is_old_over.store(true, Ordering::SeqCst);
                until(&|| pool.state.lock().taken_before == 0);
                scope.spawn(|| run(&|| note("later")).unwrap());
                thread::yield_now();
                note("last")
            };
            run(&last).unwrap();
        });
        assert_eq!(*order.lock(), ["new", "old", "last", "alone", "later"]);
    }

    /// Whoever waits for a slot, or for all slots, leaves at once, and the others take turns as before.
    #[test]
    fn a_stop_ends_the_wait_for_a_slot() {
        for is_alone in [false, true] {
            let pool = Arc::new(SlotPool::new(vec![(), ()]));
            let taken = [pool.take_slot().unwrap(), pool.take_slot().unwrap()];
            let flag = StopFlag::default();
            let wait = || {
                if is_alone {
                    return pool.run_exclusive(|()| Ok(()), |()| {});
                }
                pool.run(|()| Ok(()), |()| {})
            };
            thread::scope(|scope| {
                let waiting = || with_stop_flags(std::slice::from_ref(&flag), wait);
                let stopped = [scope.spawn(waiting), scope.spawn(waiting)];
                let others = [scope.spawn(wait), scope.spawn(wait)];
                flag.set();
                for thread in stopped {
                    assert_eq!(thread.join().unwrap(), Err(Stop::Interrupted));
                }
                taken.into_iter().for_each(|slot| pool.return_slot(slot));
                for thread in others {
                    assert_eq!(thread.join().unwrap(), Ok(()));
                }
            });
            let state = pool.state.lock();
            assert_eq!((state.free.len(), state.taken_before), (2, 0));
            assert!(state.turn == PoolTurn::Any);
        }
    }

    #[test]
    fn a_failed_slot_is_repaired_before_its_next_use() {
        let pool = Arc::new(SlotPool::new(vec!["broken"]));
        let result = pool.run(
            |slot| match *slot {
                "whole" => Ok(()),
                _ => Err(JudgeError::new("run", "gone").transient()),
            },
            |slot| *slot = "whole",
        );
        assert_eq!(result, Ok(()));
    }
}
