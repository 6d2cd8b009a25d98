//! One executor for several users, such as packages that are verified side by side. The waiting user with the lowest
//! number gets the next place.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::executor::{Executor, Hand};
use crate::model::job::{Job, Repeat, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::stop::Stop;

/// The places of an executor whose users take turns.
#[derive(Debug)]
pub struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// How many jobs of each user wait.
    waiting: BTreeMap<usize, usize>,
}

impl Turns {
    /// This many places, all free.
    pub fn new(places: usize) -> Arc<Self> {
        let state = State { free: places, waiting: BTreeMap::new() };
        Arc::new(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes waiting users, if any: notifying is a system call.
    fn wake(&self, state: &State) {
        if !state.waiting.is_empty() {
            self.changed.notify_all();
        }
    }

    /// Waits until a place is free and no user with a lower number waits.
    fn take(&self, user: usize) -> Turn<'_> {
        let mut state = self.lock();
        *state.waiting.entry(user).or_default() += 1;
        while !state.may_begin(user) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.free -= 1;
        state.leave(user);
        // Another place may be free, so the next user may begin.
        self.wake(&state);
        Turn(self)
    }
}

impl State {
    fn may_begin(&self, user: usize) -> bool {
        self.free > 0 && self.waiting.first_key_value().is_none_or(|(first, _)| *first >= user)
    }

    fn leave(&mut self, user: usize) {
        if let Some(number) = self.waiting.get_mut(&user) {
            *number -= 1;
            if *number == 0 {
                self.waiting.remove(&user);
            }
        }
    }
}

/// A place in use, until it is dropped.
struct Turn<'a>(&'a Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.free += 1;
        self.0.wake(&state);
    }
}

/// The executor for one of its users. It has no memory: a known answer needs no place, so a cache belongs around this
/// executor.
pub struct InTurn {
    inner: Arc<dyn Executor>,
    turns: Arc<Turns>,
    user: usize,
}

impl InTurn {
    /// The executor for the user with this number; lower numbers go first.
    pub fn new(inner: Arc<dyn Executor>, turns: Arc<Turns>, user: usize) -> Self {
        Self { inner, turns, user }
    }

    /// Uses the inner executor when it is this user's turn. What must run alone waits for all places there, and takes
    /// none from others meanwhile.
    fn in_turn<R>(&self, repeat: Option<Repeat>, run: impl FnOnce(&dyn Executor) -> R) -> R {
        let is_alone = repeat.is_some_and(|repeat| repeat.is_alone);
        let _turn = (!is_alone).then(|| self.turns.take(self.user));
        run(&*self.inner)
    }
}

impl Executor for InTurn {
    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn mechanism(&self) -> String {
        self.inner.mechanism()
    }

    fn run_one(&self, job: &Job, repeat: Option<Repeat>) -> Result<Reply, Stop> {
        self.in_turn(repeat, |inner| inner.run_one(job, repeat))
    }

    fn run_two(&self, job: &JointJob, repeat: Option<Repeat>) -> Result<JointReply, Stop> {
        self.in_turn(repeat, |inner| inner.run_two(job, repeat))
    }

    fn run_by_hand(&self, job: &Job, hand: Hand) -> Result<Reply, Stop> {
        self.in_turn(None, |inner| inner.run_by_hand(job, hand))
    }

    fn anew(&self) -> &dyn Executor {
        self
    }

    fn stop(&self) {
        self.inner.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use crate::executor::scripted::Scripted;

    /// The order in which these users get the only place, if they wait while it is taken.
    fn order(users: &[usize]) -> Vec<usize> {
        let turns = Turns::new(1);
        let held = turns.take(0);
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            for user in users {
                let (turns, sender) = (&turns, sender.clone());
                scope.spawn(move || {
                    let _turn = turns.take(*user);
                    sender.send(*user).expect("somebody listens");
                });
            }
            while turns.lock().waiting.values().sum::<usize>() < users.len() {
                thread::yield_now();
            }
            drop(held);
        });
        drop(sender);
        receiver.iter().collect()
    }

    #[test]
    fn of_those_who_wait_the_first_in_order_is_next() {
        let check = |users: &[usize], expected: &[usize]| assert_eq!(order(users), expected);
        check(&[], &[]);
        check(&[2], &[2]);
        check(&[3, 1, 2], &[1, 2, 3]);
        check(&[2, 1, 2, 1], &[1, 1, 2, 2]);
    }

    #[test]
    fn every_free_place_is_used() {
        let turns = Turns::new(2);
        let first = turns.take(7);
        let second = turns.take(9);
        assert_eq!(turns.lock().free, 0);
        drop((first, second));
        assert_eq!(turns.lock().free, 2);
        assert!(turns.lock().waiting.is_empty());
    }

    #[test]
    fn whatever_runs_has_a_place_but_what_waits_for_all_of_them() {
        let turns = Turns::new(2);
        let free = Arc::new(AtomicUsize::new(usize::MAX));
        let look = || {
            let (turns, free) = (Arc::clone(&turns), Arc::clone(&free));
            move || {
                free.store(turns.lock().free, Ordering::SeqCst);
                Stop::Interrupted
            }
        };
        let (single, joint) = (look(), look());
        let scripted = Scripted::new(2, move |_: &Job| Err(single()));
        let scripted = scripted.joint(move |_| Err(joint()));
        let executor = InTurn::new(Arc::new(scripted), Arc::clone(&turns), 1);
        let check = |outcome: Option<Stop>, meanwhile: usize| {
            assert_eq!(outcome, Some(Stop::Interrupted));
            assert_eq!(free.swap(usize::MAX, Ordering::SeqCst), meanwhile);
            assert_eq!(turns.lock().free, 2);
        };
        let job = Job::default();
        let (program, partner) = (job.clone(), job.clone());
        let both = JointJob { program, partner, accept_exit_code: 42, transcript: None };
        check(executor.run(&job).err(), 1);
        check(executor.run_one(&job, Some(Repeat::beside(1))).err(), 1);
        check(executor.run_one(&job, Some(Repeat::alone(1))).err(), 2);
        check(executor.run_two(&both, None).err(), 1);
        check(executor.run_two(&both, Some(Repeat::alone(1))).err(), 2);
        check(executor.anew().run(&job).err(), 1);
    }
}
