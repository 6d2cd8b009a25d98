//! Known results of runs, by this command and earlier ones. All caching executors of a command share them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};

use crate::cache::key::is_unchanged;
use crate::cache::record::{FetchTime, JobLimits, decode_record, encode_record};
use crate::cache::store::Store;
use crate::cache::surroundings::Surroundings;
use juror_core::blob::Digest;
use juror_core::cache_use::CacheUse;
use juror_core::job::{BoxRetention, Job};
use juror_core::moment::Moment;
use juror_core::stop::{Stop, check_interrupted, wake_on_stop};
use juror_core::work::{Work, WorkReply};

/// The store, and counts for this command.
pub struct KnownResults {
    pub store: Arc<Store>,
    pub(super) surroundings: Surroundings,
    /// Whether results of earlier commands are ignored.
    pub(super) is_fresh: bool,
    /// In seconds since 1970. Timed runs of earlier seconds are ignored, too.
    runs_since: AtomicU64,
    used: Mutex<CacheUse>,
    /// Keys of results by this command.
    new_keys: Mutex<HashSet<Digest>>,
    /// The work that made each blob that is not fetched yet. The blob may be lost.
    origins: Mutex<HashMap<Digest, Arc<Work>>>,
    /// By key of work in progress: how many callers wait for it.
    in_progress: Mutex<HashMap<Digest, usize>>,
    work_done: Condvar,
}

impl KnownResults {
    /// If `is_fresh`, only results from now on are known.
    pub fn new(store: Arc<Store>, is_fresh: bool) -> Self {
        Self {
            surroundings: Surroundings::new(Arc::clone(&store)),
            store,
            is_fresh,
            runs_since: AtomicU64::new(0),
            used: Mutex::default(),
            new_keys: Mutex::default(),
            origins: Mutex::default(),
            in_progress: Mutex::default(),
            work_done: Condvar::new(),
        }
    }

    pub fn cache_use(&self) -> CacheUse {
        *self.used.lock()
    }

    /// From now on, submissions run again unless they ran then or later.
    pub fn ignore_runs_before(&self, moment: Moment) {
        self.runs_since.store(moment.seconds(), Ordering::Relaxed);
    }

    pub(super) fn count_started(&self, programs: usize) {
        self.used.lock().started += programs;
    }

    /// Waits until no work with this key is in progress, or the current work is to end. The work counts as in progress
    /// until the guard is dropped.
    pub(super) fn begin_work(self: &Arc<Self>, key: Digest) -> Result<WorkGuard<'_>, Stop> {
        let knowledge = Arc::clone(self);
        let _guard = wake_on_stop(move || {
            // With the lock, since a thread may be about to wait.
            let _under_way = knowledge.in_progress.lock();
            knowledge.work_done.notify_all();
        });
        let mut under_way = self.in_progress.lock();
        while let Some(waiting) = under_way.get_mut(&key) {
            check_interrupted()?;
            *waiting += 1;
            self.work_done.wait(&mut under_way);
        }
        under_way.insert(key, 0);
        Ok(WorkGuard { knowledge: self, key })
    }

    /// The result of work, if it is known and valid now.
    pub(super) fn recall(&self, key: &Digest, work: &Work) -> Option<WorkReply> {
        let is_new = self.new_keys.lock().contains(key);
        if self.is_fresh && !is_new {
            return None;
        }
        let record = self.store.get(key)?;
        let created = Moment::from(record.created);
        let is_old = created.seconds() < self.runs_since.load(Ordering::Relaxed);
        if is_old && !is_new && work.jobs().iter().any(|job| job.is_timed) {
            return None;
        }
        let is_build = |job: &Job| !job.is_timed && job.keep != BoxRetention::Nothing;
        let fetch = match work {
            Work::Single(job) if is_build(job) => FetchTime::BoxLater,
            _ => FetchTime::Now,
        };
        let now = JobLimits::of(work);
        let reply =
            decode_record(&record.bytes, &now, (!is_new).then_some(created), &self.store, fetch)?;
        if fetch == FetchTime::BoxLater {
            self.note_origin(work, &reply);
        }
        if !is_new {
            let recalled = work.jobs().len();
            let mut used = self.used.lock();
            *used = used.plus(CacheUse { started: 0, recalled, oldest: Some(created) });
        }
        Some(reply)
    }

    /// Keeps a result, if it should be kept. If a file of the work changed meanwhile, the key may be wrong, and
    /// nothing is kept.
    pub(super) fn keep_result(&self, key: &Digest, work: &Work, reply: &WorkReply) {
        if work.jobs().into_iter().all(|job| is_unchanged(job, &self.surroundings))
            && let Some(record) = encode_record(reply, &JobLimits::of(work), &self.store)
        {
            self.store.put(key, &record);
            self.new_keys.lock().insert(*key);
        }
    }

    /// Records which work made blobs that are not fetched yet.
    fn note_origin(&self, work: &Work, reply: &WorkReply) {
        let work = Arc::new(work.clone());
        let mut origins = self.origins.lock();
        let box_trees = reply.replies().into_iter().flat_map(|reply| &reply.kept);
        for blob in box_trees.flat_map(|tree| &tree.entries).filter_map(|entry| entry.blob()) {
            if let Ok(digest) = blob.digest() {
                origins.insert(digest, Arc::clone(&work));
            }
        }
    }

    pub(super) fn origin(&self, blob: &Digest) -> Option<Arc<Work>> {
        self.origins.lock().get(blob).cloned()
    }
}

/// While this exists, the work is in progress.
pub(super) struct WorkGuard<'a> {
    knowledge: &'a KnownResults,
    key: Digest,
}

impl Drop for WorkGuard<'_> {
    fn drop(&mut self) {
        let waiting = self.knowledge.in_progress.lock().remove(&self.key);
        // Notifying is a system call. It is not needed if nobody waits.
        if waiting != Some(0) {
            self.knowledge.work_done.notify_all();
        }
    }
}
