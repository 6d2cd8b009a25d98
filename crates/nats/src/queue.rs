//! The jobs that wait for workers, and which of these share a unit.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::address::Lane;
use crate::unit::{JOBS_MAX, JobId, MESSAGE_BYTES_MAX};
use juror_remote::message::{RunHead, WorkerFacts};
use juror_remote::serve::EXTRA_JOBS;

/// The longest time that the runs of a unit may take in total. They wait for one worker while others may be idle.
const TOGETHER: Duration = Duration::from_millis(150);

/// How long runs wait for others to share their unit while the workers have enough to do.
const HELD: Duration = Duration::from_millis(5);

/// For how many programs a run time is kept at most.
const PROGRAMS_MAX: usize = 4096;

/// A worker is gone after this long without a message.
pub const GONE: Duration = Duration::from_secs(10);

/// The jobs that wait, and the workers for them.
#[derive(Default)]
pub struct JobQueue {
    pub waiting: VecDeque<QueuedJob>,
    /// How many units are on the server or on workers.
    pub in_flight: usize,
    /// When each worker announced itself, by its unique name.
    pub members: HashMap<String, (WorkerFacts, Instant)>,
    /// The mean time of recent runs of each program, in seconds.
    means: HashMap<u64, f64>,
}

/// A job that waits to be sent.
#[derive(Clone)]
pub struct QueuedJob {
    /// Exclusive if it must not share a unit.
    pub head: RunHead,
    pub id: JobId,
    /// Its frame.
    pub bytes: Arc<[u8]>,
    pub posted: Instant,
    pub lane: Lane,
    /// How often it yielded no usable result.
    pub lost: u64,
}

impl JobQueue {
    /// The slots of the workers that are there, and how many workers there are.
    pub fn here(&self) -> (usize, usize) {
        let here = self.members.values().filter(|(_, seen)| seen.elapsed() < GONE);
        here.fold((0, 0), |(slots, workers), (facts, _)| (slots + facts.slots, workers + 1))
    }

    /// How many runs of a program may share a unit: free slots share the waiting runs.
    fn most(&self, program: u64) -> usize {
        let mean = self.means.get(&program);
        // If the run time is not known, one run measures it.
        let most = mean.map_or(1, |mean| (TOGETHER.as_secs_f64() / mean) as usize);
        let part = match self.here().0.saturating_sub(self.in_flight) {
            0 => JOBS_MAX,
            free => self.waiting.len().div_ceil(free),
        };
        most.min(part).clamp(1, JOBS_MAX)
    }

    /// Records how long a run took.
    pub fn learn(&mut self, program: u64, took: f64) {
        if self.means.len() >= PROGRAMS_MAX {
            self.means.clear();
        }
        let mean = self.means.entry(program).or_insert(took);
        *mean = *mean * 0.9 + took * 0.1;
    }

    /// Whether a unit must be sent now.
    pub fn must_send(&self) -> bool {
        self.held_for().is_some_and(|time| time.is_zero())
    }

    /// How long the next unit may wait for more runs. None if there is none, or enough units are under way.
    pub fn held_for(&self) -> Option<Duration> {
        let first = self.waiting.front()?;
        let (slots, workers) = self.here();
        if self.in_flight >= (slots + EXTRA_JOBS * workers).max(1 + EXTRA_JOBS) {
            return None;
        }
        let is_full = || self.together().len() >= self.most(first.head.program);
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
            let is_like = next.lane == first.lane && next.head.program == first.head.program;
            *index == 0 || is_like && !first.head.is_exclusive && !next.head.is_exclusive
        });
        let fits = |(_, next): &(usize, &QueuedJob)| {
            bytes += next.bytes.len();
            bytes <= MESSAGE_BYTES_MAX || bytes == next.bytes.len()
        };
        let most = self.most(first.head.program);
        places.take(most).take_while(fits).map(|(index, _)| index).collect()
    }

    /// Takes the waiting runs of the next unit.
    pub fn take(&mut self) -> Vec<QueuedJob> {
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

    fn facts(slots: usize) -> WorkerFacts {
        WorkerFacts {
            name: "a".to_owned(),
            boot: "a".to_owned(),
            isolation: juror_core::isolation::Isolation::Namespaces,
            shortfall: None,
            mechanism: String::new(),
            slots,
            queue: EXTRA_JOBS,
            pace: Duration::from_millis(1),
            identity: None,
        }
    }

    /// A queue for workers with these slots, this many units under way, and this many runs of the given number of programs in
    /// turn, which have waited this long.
    fn queue(
        slots: &[usize],
        in_flight: usize,
        waiting: usize,
        waited: u64,
        programs: usize,
    ) -> JobQueue {
        let posted = Instant::now().checked_sub(Duration::from_millis(waited)).unwrap();
        let head = |number: usize| RunHead {
            number: number as u64,
            program: (number % programs) as u64,
            ..RunHead::default()
        };
        let envelope = |number| QueuedJob {
            head: head(number),
            id: JobId::default(),
            bytes: Arc::from([]),
            posted,
            lane: Lane::Live,
            lost: 0,
        };
        let member =
            |(id, slots): (usize, &usize)| (id.to_string(), (facts(*slots), Instant::now()));
        JobQueue {
            waiting: (0..waiting).map(envelope).collect(),
            in_flight,
            members: slots.iter().enumerate().map(member).collect(),
            means: HashMap::new(),
        }
    }

    #[test]
    fn units_are_full_if_workers_have_enough_to_do() {
        let check =
            |slots: &[usize], in_flight, waiting, waited, mean: f64, expected: Option<usize>| {
                let mut queue = queue(slots, in_flight, waiting, waited, 1);
                queue.learn(0, mean);
                let sent = queue.must_send().then(|| queue.take().len());
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
        let mut queue = queue(&[1], 0, 10, 0, 3);
        queue.learn(0, 0.001);
        queue.learn(1, 5.0);
        let units = std::iter::from_fn(|| queue.must_send().then(|| queue.take()));
        let numbers =
            |unit: Vec<QueuedJob>| unit.iter().map(|job| job.head.number).collect::<Vec<_>>();
        let expected = [vec![0, 3, 6, 9], vec![1], vec![2], vec![4], vec![5], vec![7], vec![8]];
        assert_eq!(units.map(numbers).collect::<Vec<_>>(), expected);
    }
}
