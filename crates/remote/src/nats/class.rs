//! Workers that are alike: the jobs that wait for them, and which of these share a unit.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::group::ReplyHandle;
use crate::message::WorkerFacts;
use crate::nats::address::Lane;
use crate::nats::unit::{MOST, MOST_JOBS};
use crate::serve::EXTRA_JOBS;

/// The longest time that the runs of a unit may take in total. They wait for one worker while others may be idle.
const TOGETHER: Duration = Duration::from_millis(150);

/// How long runs wait for others to share their unit while the workers have enough to do.
const HELD: Duration = Duration::from_millis(5);

/// For how many programs a run time is kept at most.
const MOST_KNOWN: usize = 4096;

/// A worker is gone after this long without a message.
pub(super) const GONE: Duration = Duration::from_secs(10);

/// Workers that are alike.
pub(super) struct WorkerClass {
    pub(super) name: String,
    pub(super) reply_to: Option<ReplyHandle>,
    pub(super) waiting: VecDeque<QueuedJob>,
    pub(super) in_flight: usize,
    pub(super) members: HashMap<String, (WorkerFacts, Instant)>,
    /// The mean time of recent runs of each program, in seconds.
    pub(super) means: HashMap<usize, f64>,
    pub(super) seen: Instant,
}

/// A job that waits to be sent.
#[derive(Clone)]
pub(super) struct QueuedJob {
    pub(super) number: u64,
    pub(super) bytes: Arc<[u8]>,
    pub(super) posted: Instant,
    pub(super) is_lone: bool,
    pub(super) program: usize,
    pub(super) lane: Lane,
    /// How often it yielded no usable result.
    pub(super) lost: u32,
}

impl WorkerClass {
    /// The slots of the workers that are there, and how many workers there are.
    fn here(&self) -> (usize, usize) {
        let here = self.members.values().filter(|(_, seen)| seen.elapsed() < GONE);
        here.fold((0, 0), |(slots, workers), (facts, _)| (slots + facts.slots, workers + 1))
    }

    /// How many runs of a program may share a unit: free slots share the waiting runs.
    fn most(&self, program: usize) -> usize {
        let mean = self.means.get(&program);
        // If the run time is not known, one run measures it.
        let most = mean.map_or(1, |mean| (TOGETHER.as_secs_f64() / mean) as usize);
        let part = match self.here().0.saturating_sub(self.in_flight) {
            0 => MOST_JOBS,
            free => self.waiting.len().div_ceil(free),
        };
        most.min(part).clamp(1, MOST_JOBS)
    }

    /// Records how long a run took.
    pub(super) fn learn(&mut self, program: usize, took: f64) {
        if self.means.len() >= MOST_KNOWN {
            self.means.clear();
        }
        let mean = self.means.entry(program).or_insert(took);
        *mean = *mean * 0.9 + took * 0.1;
    }

    /// Whether a unit must be sent now.
    pub(super) fn must_send(&self) -> bool {
        self.held_for().is_some_and(|time| time.is_zero())
    }

    /// How long the next unit may wait for more runs. None if there is none, or enough units are under way.
    pub(super) fn held_for(&self) -> Option<Duration> {
        let first = self.waiting.front()?;
        let (slots, workers) = self.here();
        if self.in_flight >= (slots + EXTRA_JOBS * workers).max(1 + EXTRA_JOBS) {
            return None;
        }
        let is_full = || self.together().len() >= self.most(first.program);
        if self.in_flight < slots || is_full() {
            Some(Duration::ZERO)
        } else {
            Some(HELD.saturating_sub(first.posted.elapsed()))
        }
    }

    /// Indexes of the first waiting run and those that can share its unit. They are runs of the same program, so that
    /// a short run does not wait for a long one.
    fn together(&self) -> Vec<usize> {
        let Some(first) = self.waiting.front() else { return Vec::new() };
        let mut bytes = 0;
        let places = self.waiting.iter().enumerate().filter(|(index, next)| {
            let is_like = !next.is_lone && next.lane == first.lane && next.program == first.program;
            *index == 0 || !first.is_lone && is_like
        });
        let fits = |(_, next): &(usize, &QueuedJob)| {
            bytes += next.bytes.len();
            bytes <= MOST || bytes == next.bytes.len()
        };
        places.take(self.most(first.program)).take_while(fits).map(|(index, _)| index).collect()
    }

    /// Takes the waiting runs of the next unit.
    pub(super) fn take(&mut self) -> Vec<QueuedJob> {
        let places = self.together();
        let taken = places.iter().rev().filter_map(|index| self.waiting.remove(*index));
        let mut envelopes: Vec<QueuedJob> = taken.collect();
        envelopes.reverse();
        envelopes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::facts;

    /// A class with these slots, this many units under way, and this many runs of the given number of programs in
    /// turn, which have waited this long.
    fn class(
        slots: &[usize],
        in_flight: usize,
        waiting: usize,
        waited: u64,
        programs: usize,
    ) -> WorkerClass {
        let posted = Instant::now().checked_sub(Duration::from_millis(waited)).unwrap();
        let envelope = |number| QueuedJob {
            number: number as u64,
            bytes: Arc::from([]),
            posted,
            is_lone: false,
            program: number % programs,
            lane: Lane::Live,
            lost: 0,
        };
        let member =
            |(id, slots): (usize, &usize)| (id.to_string(), (facts("a", *slots), Instant::now()));
        WorkerClass {
            name: "a".to_owned(),
            reply_to: None,
            waiting: (0..waiting).map(envelope).collect(),
            in_flight,
            members: slots.iter().enumerate().map(member).collect(),
            means: HashMap::new(),
            seen: Instant::now(),
        }
    }

    #[test]
    fn units_are_full_if_workers_have_enough_to_do() {
        let check =
            |slots: &[usize], in_flight, waiting, waited, mean: f64, expected: Option<usize>| {
                let mut class = class(slots, in_flight, waiting, waited, 1);
                class.learn(0, mean);
                let sent = class.must_send().then(|| class.take().len());
                assert_eq!(sent, expected, "{slots:?} {in_flight} {waiting} {waited} {mean}");
            };
        let (now, late) = (0, 100);
        check(&[2], 0, 0, now, 0.001, None);
        // A slot is free.
        check(&[2], 1, 1, now, 0.001, Some(1));
        check(&[2, 2], 3, 1, now, 0.001, Some(1));
        // Several slots are free.
        check(&[2, 2], 0, 9, now, 0.001, Some(3));
        check(&[2, 2], 2, 9, now, 0.001, Some(5));
        check(&[2, 2], 2, 9, now, 0.060, Some(2));
        // None is.
        check(&[2], 2, 3, now, 60.0, Some(1));
        check(&[2], 2, 23, now, 0.001, None);
        check(&[2], 2, 24, now, 0.001, Some(24));
        check(&[2], 3, 29, now, 0.001, Some(24));
        check(&[2], 3, 9, now, 0.029, Some(5));
        check(&[2], 3, 9, now, 0.060, Some(2));
        check(&[2], 2, 3, late, 0.001, Some(3));
        // Enough is under way.
        check(&[2], 4, 9, late, 0.001, None);
        check(&[2, 2], 8, 9, late, 0.001, None);
        // No worker is there.
        check(&[], 0, 1, late, 0.001, Some(1));
        check(&[], 3, 9, late, 0.001, None);
    }

    #[test]
    fn a_short_run_does_not_wait_for_a_long_one() {
        let mut class = class(&[1], 0, 10, 0, 3);
        class.learn(0, 0.001);
        class.learn(1, 5.0);
        let units = std::iter::from_fn(|| class.must_send().then(|| class.take()));
        let numbers = |unit: Vec<QueuedJob>| unit.iter().map(|it| it.number).collect::<Vec<_>>();
        let expected = [vec![0, 3, 6, 9], vec![1], vec![2], vec![4], vec![5], vec![7], vec![8]];
        assert_eq!(units.map(numbers).collect::<Vec<_>>(), expected);
    }
}
