//! The record of a job's result: the reply, the limits of the run, and how fast the machine was.
//!
//! Small blobs are in the record; large ones are kept beside it, by digest.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cache::holds::{Concurrency, holds};
use crate::cache::store::Store;
use crate::model::blob::Blob;
use crate::model::job::Reply;
use crate::model::joint::JointReply;
use crate::model::limits::{Limits, TIME_TO_FIND_LIMIT};
use crate::model::moment::Moment;
use crate::model::outcome::{Ending, Outcome, Signal, StoppedBy};

/// The largest blob in a record.
const SMALL: u64 = 4 << 10;

/// How large the blobs of a stored reply may be in total. Larger ones would displace much that took longer to make.
const LARGEST: u64 = 64 << 20;
/// The same for a build: a compiled header is large, and saves a second of each later build.
const LARGEST_BUILD: u64 = 256 << 20;

/// SIGKILL. If the sandbox did not send it, it came from a machine out of memory, or from a person.
const KILLED: Ending = Ending::Signalled(Signal(9));

/// The result of a job, single or joint.
pub(super) trait CachedReply: Serialize + DeserializeOwned {
    const CONCURRENCY: Concurrency;

    fn replies(&self) -> Vec<&Reply>;
    fn replies_mut(&mut self) -> Vec<&mut Reply>;
}

impl CachedReply for Reply {
    const CONCURRENCY: Concurrency = Concurrency::Alone;

    fn replies(&self) -> Vec<&Reply> {
        vec![self]
    }

    fn replies_mut(&mut self) -> Vec<&mut Reply> {
        vec![self]
    }
}

impl CachedReply for JointReply {
    const CONCURRENCY: Concurrency = Concurrency::Joint;

    fn replies(&self) -> Vec<&Reply> {
        vec![&self.program.reply, &self.partner.reply]
    }

    fn replies_mut(&mut self) -> Vec<&mut Reply> {
        vec![&mut self.program.reply, &mut self.partner.reply]
    }
}

/// The circumstances of a run, which precede the reply in its record.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Circumstances {
    /// The limits of each program.
    pub(super) limits: Vec<Limits>,
    /// How fast the machine was, if the result depends on it.
    pub(super) pace: Option<Duration>,
}

/// How much slower or faster the machine may be now, as a factor. It is less than the 1.5 by which the format
/// separates a time limit from both sides. It is more than the variation seen on a machine that others use, too.
const TOLERANCE: f64 = 1.25;

/// The change of the machine's speed, as a factor, beyond which no timed result holds.
const MOST: f64 = 2.0;

/// A run is far from its limits if it used no more than the limits divided by this. Nearer runs are repeated by the
/// judge.
const FAR: f64 = 2.0;

impl Circumstances {
    /// How many times as long the machine takes now; 1 if that does not matter. `None` if it matters for only one of
    /// the two.
    fn slower(&self, now: &Self) -> Option<f64> {
        match (self.pace, now.pace) {
            (Some(then), Some(now)) => Some(now.as_secs_f64() / then.as_secs_f64()),
            (None, None) => Some(1.0),
            _ => None,
        }
    }

    fn hold_for<C: CachedReply>(&self, came: &C, now: &Self) -> bool {
        let Some(slower) = self.slower(now) else { return false };
        let replies = came.replies();
        replies.len() == self.limits.len()
            && replies.len() == now.limits.len()
            && replies.iter().zip(self.limits.iter().zip(&now.limits)).all(
                |(reply, (made, now))| {
                    holds_at_pace(&reply.outcome, now, slower)
                        && holds(&reply.outcome, made, now, C::CONCURRENCY)
                },
            )
    }
}

/// Whether a run would get the same verdict on a machine that takes `slower` times as long. It would if the times are
/// almost equal, or the run ended by itself, far from its limits. It also would if CPU time ran out and the machine is
/// slower.
fn holds_at_pace(outcome: &Outcome, limits: &Limits, slower: f64) -> bool {
    let is_within = |factor: f64| slower <= factor && slower * factor >= 1.0;
    if is_within(TOLERANCE) {
        return true;
    }
    // Without a limit, or with one for finding the limit, the time itself is the result.
    let is_limited = limits.cpu_time.is_some_and(|limit| limit < TIME_TO_FIND_LIMIT);
    let is_far = |used: Duration, limit: Option<Duration>| {
        limit.is_none_or(|limit| used.mul_f64(slower.max(1.0) * FAR) <= limit)
    };
    is_within(MOST)
        && is_limited
        && match outcome.stopped_by {
            None => {
                is_far(outcome.cpu_time, limits.cpu_time)
                    && is_far(outcome.wall_time, limits.wall_time)
            }
            Some(StoppedBy::CpuTime) => slower >= 1.0,
            Some(_) => false,
        }
}

/// The record of a result, with its large blobs stored; `None` if it is not to be kept, or cannot be.
pub(super) fn write<C: CachedReply>(
    came: &C,
    circumstances: &Circumstances,
    store: &Store,
) -> Option<Vec<u8>> {
    let replies = came.replies();
    let is_doubtful =
        |reply: &&Reply| reply.outcome.stopped_by.is_none() && reply.outcome.ending == KILLED;
    if replies.iter().any(is_doubtful) {
        return None;
    }
    let blobs = || replies.iter().flat_map(|reply| reply.blobs());
    let total = blobs().try_fold(0, |sum: u64, blob| Some(sum.saturating_add(blob.len().ok()?)))?;
    let is_build = replies.iter().any(|reply| reply.kept.is_some());
    if total > if is_build { LARGEST_BUILD } else { LARGEST } {
        return None;
    }
    let contents = blobs().map(|blob| match blob.len().ok()? {
        ..=SMALL => Some(Some(blob.start(SMALL).ok()?)),
        _ => store.keep(blob).then_some(None),
    });
    let contents: Vec<Option<Vec<u8>>> = contents.collect::<Option<_>>()?;
    postcard::to_allocvec(&(circumstances, contents, came)).ok()
}

/// When blobs are fetched from the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fetch {
    /// All blobs, now.
    Now,
    /// Files left in a box only when they are needed: programs are large, and not needed if their results are known.
    BoxLater,
}

/// The result in a record, if it holds under these circumstances; `None` also if a part of it is lost.
pub(super) fn read<C: CachedReply>(
    record: &[u8],
    now: &Circumstances,
    made: Option<Moment>,
    store: &Arc<Store>,
    fetch: Fetch,
) -> Option<C> {
    type Contents = Vec<Option<Vec<u8>>>;
    let (then, contents, mut came): (Circumstances, Contents, C) =
        postcard::from_bytes(record).ok()?;
    if !then.hold_for(&came, now) {
        return None;
    }
    let mut contents = contents.into_iter();
    for reply in came.replies_mut() {
        reply.outcome.ran_at = made;
        let is_left: Vec<bool> = {
            let left = reply.kept.iter().flat_map(|tree| &tree.entries);
            let left = left.filter(|entry| entry.blob().is_some()).count();
            let all = reply.blobs().count();
            (0..all).map(|index| index >= all - left).collect()
        };
        for (blob, is_left) in reply.blobs_mut().zip(is_left) {
            *blob = match contents.next()? {
                Some(bytes) => bytes.into(),
                None => {
                    let digest = blob.digest().ok()?;
                    match is_left && fetch == Fetch::BoxLater {
                        true => {
                            let store = Arc::clone(store);
                            Blob::fetched(blob.len().ok()?, digest, move || store.blob(&digest))
                        }
                        false => store.blob(&digest)?,
                    }
                }
            };
        }
    }
    Some(came)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::job::Collected;
    use crate::model::outcome::quiet_outcome;
    use crate::model::tree::{Node, Tree, TreeEntry};

    fn circumstances(pace: Option<u64>) -> Circumstances {
        Circumstances { limits: vec![Limits::of_trial()], pace: pace.map(Duration::from_micros) }
    }

    fn reply(ending: Ending, left: usize) -> Reply {
        let mut outcome = quiet_outcome();
        outcome.ending = ending;
        Reply {
            outcome,
            stdout: vec![b'o'; 10].into(),
            stderr: vec![b'e'; 10_000].into(),
            collected: vec![Collected::Missing, Collected::File(vec![b'c'; 5000].into())],
            kept: Some(Tree::from(vec![
                TreeEntry::new("empty", Node::Directory),
                TreeEntry::new("program", Node::plain(vec![b'p'; left])),
            ])),
        }
    }

    fn text(reply: &Reply) -> Vec<Vec<u8>> {
        reply.blobs().map(|blob| blob.start(u64::MAX).unwrap_or_default()).collect()
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let store = Arc::new(Store::scratch());
        let made = Some(Moment::new(7));
        let check = |ending: Ending, left: usize, is_kept: bool| {
            let sent = reply(ending, left);
            let record = write(&sent, &circumstances(None), &store);
            assert_eq!(record.is_some(), is_kept, "{ending:?} {left}");
            let Some(record) = record else { return };
            for fetch in [Fetch::Now, Fetch::BoxLater] {
                let now = circumstances(None);
                let came: Reply = read(&record, &now, made, &store, fetch).unwrap();
                assert_eq!(came.outcome.ran_at, made);
                assert_eq!(text(&came), text(&sent));
            }
        };
        check(Ending::Exited(0), 10, true);
        check(Ending::Exited(0), 100_000, true);
        check(Ending::Signalled(Signal(11)), 10, true);
        check(KILLED, 10, false);
        let said = vec![0; 65 << 20].into();
        let long = Reply { stdout: said, kept: None, ..reply(Ending::Exited(0), 10) };
        assert!(write(&long, &circumstances(None), &store).is_none());
    }

    #[test]
    fn a_record_of_which_a_part_is_lost_or_damaged_is_none() {
        let store = Arc::new(Store::scratch());
        let record = write(&reply(Ending::Exited(0), 10), &circumstances(None), &store).unwrap();
        let other = Arc::new(Store::scratch());
        let read = |record: &[u8], store| {
            read::<Reply>(record, &circumstances(None), None, store, Fetch::BoxLater)
        };
        assert!(read(&record, &store).is_some());
        assert!(read(&record, &other).is_none());
        for length in 0..record.len() {
            assert!(read(&record[..length], &store).is_none(), "{length}");
        }
    }

    /// Checks whether a run under a limit of a second holds: its time in milliseconds, and the machine's pace then and
    /// now.
    fn check_pace(
        took: u64,
        stopped_by: Option<StoppedBy>,
        then: Option<u64>,
        now: Option<u64>,
        expected: bool,
    ) {
        let store = Arc::new(Store::scratch());
        let second = Some(Duration::from_secs(1));
        let circumstances = |pace| {
            let limits = Limits { cpu_time: second, wall_time: second, ..Limits::of_trial() };
            Circumstances { limits: vec![limits], ..circumstances(pace) }
        };
        let mut sent = reply(Ending::Exited(0), 10);
        let took = Duration::from_millis(took);
        sent.outcome = Outcome { cpu_time: took, wall_time: took, stopped_by, ..sent.outcome };
        let record = write(&sent, &circumstances(then), &store).unwrap();
        let came: Option<Reply> = read(&record, &circumstances(now), None, &store, Fetch::Now);
        assert_eq!(came.is_some(), expected, "{took:?} {stopped_by:?} {then:?} {now:?}");
    }

    #[test]
    fn times_near_a_limit_hold_while_the_machine_is_as_fast() {
        for took in [0, 400, 900] {
            let check = |then, now, expected| check_pace(took, None, then, now, expected);
            check(None, None, true);
            check(Some(1000), Some(1000), true);
            check(Some(1000), Some(1249), true);
            check(Some(1249), Some(1000), true);
            check(Some(1000), None, false);
            check(None, Some(1000), false);
            check(Some(1000), Some(2010), false);
            check(Some(2010), Some(1000), false);
        }
        let check =
            |took, then, now, expected| check_pace(took, None, Some(then), Some(now), expected);
        check(10, 1000, 1990, true);
        check(10, 1990, 1000, true);
        check(499, 1300, 1000, true);
        check(501, 1300, 1000, false);
        check(332, 1000, 1500, true);
        check(334, 1000, 1500, false);
    }

    #[test]
    fn who_was_too_slow_is_so_on_a_slower_machine() {
        let check = |stopped_by, then, now, expected| {
            check_pace(1001, Some(stopped_by), Some(then), Some(now), expected);
        };
        check(StoppedBy::CpuTime, 1000, 1500, true);
        check(StoppedBy::CpuTime, 1500, 1000, false);
        check(StoppedBy::CpuTime, 1000, 2100, false);
        check(StoppedBy::WallTime, 1000, 1500, false);
    }

    #[test]
    fn a_time_that_counts_itself_holds_while_the_machine_is_as_fast() {
        let check = |limit: Option<u64>, expected| {
            let cpu_time = limit.map(Duration::from_secs);
            let limits = Limits { cpu_time, ..Limits::default() };
            assert_eq!(holds_at_pace(&quiet_outcome(), &limits, 1.5), expected, "{limit:?}");
            assert!(holds_at_pace(&quiet_outcome(), &limits, 1.2), "{limit:?}");
        };
        check(Some(59), true);
        check(Some(60), false);
        check(None, false);
    }
}
