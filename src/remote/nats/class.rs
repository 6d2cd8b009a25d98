//! Workers that are alike: what waits for them, and which of it goes together.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::remote::message::Facts;
use crate::remote::nats::address::Lane;
use crate::remote::nats::unit::{MOST, MOST_JOBS};
use crate::remote::serve::AHEAD;
use crate::remote::station::Reception;

/// Runs go together if they take no longer, one after the other: what is in a unit waits for one worker while others
/// may be idle.
const TOGETHER: Duration = Duration::from_millis(100);

/// While workers have enough to do, runs wait for so long until others can go with them.
pub(super) const HELD: Duration = Duration::from_millis(5);

/// A worker that says nothing for so long is gone.
pub(super) const GONE: Duration = Duration::from_secs(10);

/// Workers that are alike.
pub(super) struct WorkerClass {
    pub(super) name: String,
    pub(super) reception: Option<Reception>,
    pub(super) waiting: VecDeque<Posted>,
    pub(super) flying: usize,
    pub(super) members: HashMap<String, (Facts, Instant)>,
    /// How long a run took lately, in seconds.
    pub(super) mean: Option<f64>,
    pub(super) seen: Instant,
}

/// A job as it is sent.
#[derive(Clone)]
pub(super) struct Posted {
    pub(super) number: u64,
    pub(super) bytes: Arc<[u8]>,
    pub(super) posted: Instant,
    pub(super) is_lone: bool,
    pub(super) lane: Lane,
    /// How often it came to nothing.
    pub(super) lost: u32,
}

impl WorkerClass {
    /// The slots of the workers that are there, and how many workers these are.
    fn here(&self) -> (usize, usize) {
        let here = self.members.values().filter(|(_, seen)| seen.elapsed() < GONE);
        here.fold((0, 0), |(slots, workers), (facts, _)| (slots + facts.slots, workers + 1))
    }

    /// So many runs may go together.
    fn most(&self) -> usize {
        // Of what nobody knows how long it takes, one shows it.
        let most = self.mean.map_or(1, |mean| (TOGETHER.as_secs_f64() / mean) as usize);
        most.clamp(1, MOST_JOBS)
    }

    /// Whether something waits, and another unit may be under way.
    pub(super) fn may_send(&self) -> bool {
        let (slots, workers) = self.here();
        !self.waiting.is_empty() && self.flying < (slots + AHEAD * workers).max(1 + AHEAD)
    }

    /// Whether a unit is to be sent now.
    pub(super) fn must_send(&self) -> bool {
        let is_full = self.waiting.len() >= self.most();
        let is_old = self.waiting.front().is_some_and(|it| it.posted.elapsed() >= HELD);
        self.may_send() && (is_full || is_old || self.flying < self.here().0)
    }

    /// What waits and can go together.
    pub(super) fn together(&mut self) -> Vec<Posted> {
        let most = self.most();
        let mut letters: Vec<Posted> = self.waiting.pop_front().into_iter().collect();
        let fits = |letters: &[Posted], next: &Posted| {
            let bytes: usize = letters.iter().map(|it| it.bytes.len()).sum();
            let [first, ..] = letters else { return false };
            let is_free = !first.is_lone && !next.is_lone && first.lane == next.lane;
            is_free && letters.len() < most && bytes + next.bytes.len() <= MOST
        };
        while self.waiting.front().is_some_and(|next| fits(&letters, next)) {
            letters.extend(self.waiting.pop_front());
        }
        letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::tests::facts;

    /// A class with these slots, with so many units under way and so many runs that have waited so long.
    fn class(slots: &[usize], flying: usize, waiting: usize, waited: u64) -> WorkerClass {
        let posted = Instant::now().checked_sub(Duration::from_millis(waited)).unwrap();
        let letter = |number| Posted {
            number: number as u64,
            bytes: Arc::from([]),
            posted,
            is_lone: false,
            lane: Lane::Live,
            lost: 0,
        };
        let member =
            |(id, slots): (usize, &usize)| (id.to_string(), (facts("a", *slots), Instant::now()));
        WorkerClass {
            name: "a".to_owned(),
            reception: None,
            waiting: (0..waiting).map(letter).collect(),
            flying,
            members: slots.iter().enumerate().map(member).collect(),
            mean: None,
            seen: Instant::now(),
        }
    }

    #[test]
    fn units_are_full_if_workers_have_enough_to_do() {
        let check =
            |slots: &[usize], flying, waiting, waited, mean: f64, expected: Option<usize>| {
                let mut class = class(slots, flying, waiting, waited);
                class.mean = Some(mean);
                let sent = class.must_send().then(|| class.together().len());
                assert_eq!(sent, expected, "{slots:?} {flying} {waiting} {waited} {mean}");
            };
        let (now, late) = (0, 100);
        check(&[2], 0, 0, now, 0.001, None);
        // A slot is free.
        check(&[2], 1, 1, now, 0.001, Some(1));
        check(&[2, 2], 3, 1, now, 0.001, Some(1));
        // None is.
        check(&[2], 2, 3, now, 60.0, Some(1));
        check(&[2], 2, 4, now, 0.001, Some(4));
        check(&[2], 3, 9, now, 0.001, Some(4));
        check(&[2], 3, 9, now, 0.040, Some(2));
        check(&[2], 2, 3, late, 0.001, Some(3));
        // Enough is under way.
        check(&[2], 4, 9, late, 0.001, None);
        check(&[2, 2], 8, 9, late, 0.001, None);
        // Nobody is there.
        check(&[], 0, 1, late, 0.001, Some(1));
        check(&[], 3, 9, late, 0.001, None);
    }
}
