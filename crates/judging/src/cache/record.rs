//! The record of a result: the limits of the run, and the reply.
//!
//! Small blobs are in the record. Large ones are stored next to it by digest.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cache::reuse::is_still_valid;
use crate::cache::store::Store;
use juror_core::blob::Blob;
use juror_core::job::JobReply;
use juror_core::limits::Limits;
use juror_core::moment::Moment;
use juror_core::outcome::{Ending, Signal};
use juror_core::tree::TreeEntry;
use juror_core::units::Bytes;
use juror_core::work::{Work, WorkReply};

/// The largest blob in a record, in bytes.
const SMALL: u64 = 4 << 10;

/// The most bytes of all blobs of a reply. More would displace results that took longer to make.
const LARGEST: u64 = 64 << 20;
/// For a build, which takes longer than to read its program.
const LARGEST_BUILD: u64 = 256 << 20;

/// SIGKILL. Unless the sandbox sent it, it comes from a person, or from a machine without free memory.
const KILLED: Ending = Ending::Signalled(Signal(9));

/// The limits of each program. They precede the reply in its record.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JobLimits(Vec<Limits>);

impl JobLimits {
    pub(super) fn of(work: &Work) -> Self {
        Self(work.jobs().into_iter().map(|job| job.limits.clone()).collect())
    }

    fn are_valid_for(&self, reply: &WorkReply, now: &Self) -> bool {
        let (Self(old), Self(now)) = (self, now);
        let replies = reply.replies();
        let is_alone = replies.len() == 1;
        let is_complete = replies.len() == old.len() && replies.len() == now.len();
        let limits = old.iter().zip(now);
        let is_valid = |(reply, (old, now)): (&JobReply, (&Limits, &Limits))| {
            is_still_valid(&reply.outcome, old, now, is_alone)
        };
        is_complete && replies.into_iter().zip(limits).all(is_valid)
    }
}

/// The record of a result, after its large blobs are stored; `None` if it should or can not be kept.
pub(super) fn encode_record(
    reply: &WorkReply,
    limits: &JobLimits,
    store: &Store,
) -> Option<Vec<u8>> {
    let replies = reply.replies();
    let is_doubtful =
        |reply: &&JobReply| reply.outcome.stopped_by.is_none() && reply.outcome.ending == KILLED;
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
        ..=SMALL => Some(Some(blob.prefix(SMALL).ok()?)),
        _ => store.keep(blob).then_some(None),
    });
    let contents: Vec<Option<Vec<u8>>> = contents.collect::<Option<_>>()?;
    let mut record = postcard::to_allocvec(&(limits, contents, reply)).ok()?;
    // At the end, and only if they are known: most records have none.
    let stacks: Vec<Bytes> = replies.iter().map(|reply| reply.outcome.stack).collect();
    if stacks.iter().any(|stack| *stack > Bytes(0)) {
        record.extend(postcard::to_allocvec(&stacks).ok()?);
    }
    Some(record)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FetchTime {
    /// All blobs at once.
    Now,
    /// Files from a box only when they are needed. Programs are large, and not needed if all their results are known.
    BoxLater,
}

/// `None` if the result is not valid under these limits, or a part of it is lost.
pub(super) fn decode_record(
    record: &[u8],
    limits: &JobLimits,
    created: Option<Moment>,
    store: &Arc<Store>,
    fetch: FetchTime,
) -> Option<WorkReply> {
    type Contents = Vec<Option<Vec<u8>>>;
    let ((old_limits, contents, mut reply), rest): ((JobLimits, Contents, WorkReply), &[u8]) =
        postcard::take_from_bytes(record).ok()?;
    let mut stacks = postcard::from_bytes::<Vec<Bytes>>(rest).unwrap_or_default().into_iter();
    if !old_limits.are_valid_for(&reply, limits) {
        return None;
    }
    let mut contents = contents.into_iter();
    for reply in reply.replies_mut() {
        reply.outcome.ran_at = created;
        reply.outcome.stack = stacks.next().unwrap_or_default();
        // Blobs from a box come last.
        let box_entries = reply.kept.iter().flat_map(|tree| &tree.entries);
        let others = reply.blobs().count() - box_entries.filter_map(TreeEntry::blob).count();
        for (index, blob) in reply.blobs_mut().enumerate() {
            *blob = match contents.next()? {
                Some(bytes) => bytes.into(),
                None => {
                    let digest = blob.digest().ok()?;
                    if index >= others && fetch == FetchTime::BoxLater {
                        let store = Arc::clone(store);
                        Blob::fetched_on_demand(blob.len().ok()?, digest, move || {
                            store.blob(&digest)
                        })
                    } else {
                        store.blob(&digest)?
                    }
                }
            };
        }
    }
    Some(reply)
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::job::CollectedEntry;
    use juror_core::outcome::quiet_outcome;
    use juror_core::tree::{Node, Tree};

    fn limits() -> JobLimits {
        JobLimits(vec![Limits::of_machine_check()])
    }

    fn reply(ending: Ending, program_size: usize) -> JobReply {
        let mut outcome = quiet_outcome();
        outcome.ending = ending;
        outcome.stack = Bytes(program_size as u64 - 10);
        JobReply {
            outcome,
            stdout: vec![b'o'; 10].into(),
            stderr: vec![b'e'; 10_000].into(),
            collected: vec![CollectedEntry::Missing, CollectedEntry::File(vec![b'c'; 5000].into())],
            kept: Some(Tree::from(vec![
                TreeEntry::new("empty", Node::Directory),
                TreeEntry::new("program", Node::plain(vec![b'p'; program_size])),
            ])),
        }
    }

    fn text(reply: &WorkReply) -> Vec<Vec<u8>> {
        let blobs = reply.replies().into_iter().flat_map(JobReply::blobs);
        blobs.map(|blob| blob.prefix(u64::MAX).unwrap_or_default()).collect()
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let store = Arc::new(Store::scratch());
        let created = Some(Moment::new(7));
        let check = |ending: Ending, program_size: usize, is_kept: bool| {
            let sent = reply(ending, program_size).into();
            let record = encode_record(&sent, &limits(), &store);
            assert_eq!(record.is_some(), is_kept, "{ending:?} {program_size}");
            let Some(record) = record else { return };
            for fetch in [FetchTime::Now, FetchTime::BoxLater] {
                let now = limits();
                let reply = decode_record(&record, &now, created, &store, fetch).unwrap();
                let outcome = &reply.replies()[0].outcome;
                assert_eq!(outcome.ran_at, created);
                assert_eq!(outcome.stack, sent.replies()[0].outcome.stack);
                assert_eq!(text(&reply), text(&sent));
            }
        };
        check(Ending::Exited(0), 10, true);
        check(Ending::Exited(0), 100_000, true);
        check(Ending::Signalled(Signal(11)), 10, true);
        check(KILLED, 10, false);
        let stdout = vec![0; 65 << 20].into();
        let long = JobReply { stdout, kept: None, ..reply(Ending::Exited(0), 10) };
        assert!(encode_record(&long.into(), &limits(), &store).is_none());
    }

    #[test]
    fn a_record_with_a_lost_or_damaged_part_is_ignored() {
        let store = Arc::new(Store::scratch());
        let record =
            encode_record(&reply(Ending::Exited(0), 10).into(), &limits(), &store).unwrap();
        let other = Arc::new(Store::scratch());
        let read = |record: &[u8], store| {
            decode_record(record, &limits(), None, store, FetchTime::BoxLater)
        };
        assert!(read(&record, &store).is_some());
        assert!(read(&record, &other).is_none());
        for length in 0..record.len() {
            assert!(read(&record[..length], &store).is_none(), "{length}");
        }
    }
}
