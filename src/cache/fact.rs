//! The record of a job's result: the reply, the limits of the run, and how fast the machine was.
//!
//! Small blobs stand in the record; large ones are kept beside it, by their digests.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cache::holds::{Company, holds};
use crate::cache::store::Store;
use crate::model::blob::Blob;
use crate::model::job::Reply;
use crate::model::joint::JointReply;
use crate::model::limits::Limits;
use crate::model::moment::Moment;
use crate::model::outcome::{Ending, Signal};

/// The largest blob that stands in its record.
const SMALL: u64 = 4 << 10;

/// All blobs of a reply that is kept. Larger ones would drive out much that took longer to make.
const LARGEST: u64 = 64 << 20;

/// What may have killed a program that the sandbox did not end: the machine, when its memory ran out, or a person.
const KILLED: Ending = Ending::Signalled(Signal(9));

/// What comes of a job, alone or joint.
pub(super) trait Came: Serialize + DeserializeOwned {
    const COMPANY: Company;

    fn replies(&self) -> Vec<&Reply>;
    fn replies_mut(&mut self) -> Vec<&mut Reply>;
}

impl Came for Reply {
    const COMPANY: Company = Company::Alone;

    fn replies(&self) -> Vec<&Reply> {
        vec![self]
    }

    fn replies_mut(&mut self) -> Vec<&mut Reply> {
        vec![self]
    }
}

impl Came for JointReply {
    const COMPANY: Company = Company::Joint;

    fn replies(&self) -> Vec<&Reply> {
        vec![&self.program.reply, &self.partner.reply]
    }

    fn replies_mut(&mut self) -> Vec<&mut Reply> {
        vec![&mut self.program.reply, &mut self.partner.reply]
    }
}

/// What is written before the reply.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Circumstances {
    /// The limits of each program.
    pub(super) limits: Vec<Limits>,
    /// How fast the machine was, if something depends on that.
    pub(super) pace: Option<Duration>,
}

/// How much faster or slower a machine may be now, as a factor: less than the 1.5 that a time limit keeps from both
/// sides in the format, and more than what was seen between two measurements of a machine that others use, too.
const TOLERANCE: f64 = 1.25;

impl Circumstances {
    /// Whether the machine is as fast as it was, as far as that counts.
    fn same_pace(&self, now: Option<Duration>) -> bool {
        match (self.pace, now) {
            (Some(then), Some(now)) => {
                let (slow, fast) = (then.max(now), then.min(now));
                slow <= fast.mul_f64(TOLERANCE)
            }
            (None, None) => true,
            _ => false,
        }
    }

    fn hold_for<C: Came>(&self, came: &C, now: &Self) -> bool {
        let replies = came.replies();
        replies.len() == self.limits.len()
            && replies.len() == now.limits.len()
            && self.same_pace(now.pace)
            && replies
                .iter()
                .zip(self.limits.iter().zip(&now.limits))
                .all(|(reply, (made, now))| holds(&reply.outcome, made, now, C::COMPANY))
    }
}

/// The record of what came, with its large blobs kept; `None` if it is not to be kept, or cannot be.
pub(super) fn write<C: Came>(
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
    if total > LARGEST {
        return None;
    }
    let contents = blobs().map(|blob| match blob.len().ok()? {
        ..=SMALL => Some(Some(blob.start(SMALL).ok()?)),
        _ => store.keep(blob).then_some(None),
    });
    let contents: Vec<Option<Vec<u8>>> = contents.collect::<Option<_>>()?;
    postcard::to_allocvec(&(circumstances, contents, came)).ok()
}

/// When blobs are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fetch {
    /// All of them, now.
    Now,
    /// What was left in a box, when somebody needs it: programs are large, and not needed if what they did is known.
    BoxLater,
}

/// What came, of its record, if it holds under these circumstances; `None` as well if a part of it is lost.
pub(super) fn read<C: Came>(
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
    use crate::executor::scripted::quiet_outcome;
    use crate::model::job::Collected;
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
        let store = Arc::new(Store::in_memory());
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
        check(Ending::Exited(0), 65 << 20, false);
    }

    #[test]
    fn a_record_of_which_a_part_is_lost_or_damaged_is_none() {
        let store = Arc::new(Store::in_memory());
        let record = write(&reply(Ending::Exited(0), 10), &circumstances(None), &store).unwrap();
        let other = Arc::new(Store::in_memory());
        let read = |record: &[u8], store| {
            read::<Reply>(record, &circumstances(None), None, store, Fetch::BoxLater)
        };
        assert!(read(&record, &store).is_some());
        assert!(read(&record, &other).is_none());
        for length in 0..record.len() {
            assert!(read(&record[..length], &store).is_none(), "{length}");
        }
    }

    #[test]
    fn times_hold_while_the_machine_is_as_fast() {
        let store = Arc::new(Store::in_memory());
        let check = |then: Option<u64>, now: Option<u64>, expected: bool| {
            let sent = reply(Ending::Exited(0), 10);
            let record = write(&sent, &circumstances(then), &store).unwrap();
            let came: Option<Reply> = read(&record, &circumstances(now), None, &store, Fetch::Now);
            assert_eq!(came.is_some(), expected, "{then:?} {now:?}");
        };
        check(None, None, true);
        check(Some(1000), Some(1000), true);
        check(Some(1000), Some(1250), true);
        check(Some(1250), Some(1000), true);
        check(Some(1000), Some(1300), false);
        check(Some(1300), Some(1000), false);
        check(Some(1000), None, false);
        check(None, Some(1000), false);
    }
}
