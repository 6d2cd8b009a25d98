//! What a command knows of runs, its own and those of earlier commands: one for all executors that remember.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::cache::fact::{CachedReply, Circumstances, Fetch, read, write};
use crate::cache::key::still_holds;
use crate::cache::store::Store;
use crate::cache::surroundings::Surroundings;
use crate::model::blob::Digest;
use crate::model::job::{Job, Keep};
use crate::model::moment::Moment;
use crate::model::recalled::Recalled;

/// The store, and what this command did.
pub struct Knowledge {
    pub(super) store: Arc<Store>,
    pub(super) surroundings: Surroundings,
    /// Whether nothing counts that was known before this command.
    is_fresh: bool,
    started: AtomicUsize,
    recalled: AtomicUsize,
    /// When the oldest of what was recalled ran, in seconds since 1970.
    oldest: AtomicU64,
    /// Keys of jobs that ran in this command: what is known of them is new.
    new: Mutex<HashSet<Digest>>,
    /// Which job left a blob that is yet to be fetched, in case that it is lost.
    origins: Mutex<HashMap<Digest, Arc<Job>>>,
    /// Keys of jobs that are under way, with how many others wait for each.
    under_way: Mutex<HashMap<Digest, usize>>,
    over: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Knowledge {
    /// What is in this store. If it is to be fresh, only what was put there since.
    pub fn new(store: Arc<Store>, is_fresh: bool) -> Self {
        Self {
            surroundings: Surroundings::new(Arc::clone(&store)),
            store,
            is_fresh,
            started: AtomicUsize::new(0),
            recalled: AtomicUsize::new(0),
            oldest: AtomicU64::new(u64::MAX),
            new: Mutex::default(),
            origins: Mutex::default(),
            under_way: Mutex::default(),
            over: Condvar::new(),
        }
    }

    /// How many programs were started, and how many need not be.
    pub fn recalled(&self) -> Recalled {
        let programs = self.recalled.load(Ordering::Relaxed);
        let oldest = self.oldest.load(Ordering::Relaxed);
        Recalled {
            started: self.started.load(Ordering::Relaxed),
            recalled: programs,
            oldest: (programs > 0).then(|| Moment::new(oldest)),
        }
    }

    /// Counts programs that are started.
    pub(super) fn start(&self, programs: usize) {
        self.started.fetch_add(programs, Ordering::Relaxed);
    }

    /// Waits until no job of this key is under way. Then one is, until what this gives is dropped.
    pub(super) fn begin(&self, key: Digest) -> UnderWay<'_> {
        let mut under_way = lock(&self.under_way);
        while let Some(waiting) = under_way.get_mut(&key) {
            *waiting += 1;
            under_way = self.over.wait(under_way).unwrap_or_else(PoisonError::into_inner);
        }
        under_way.insert(key, 0);
        UnderWay { knowledge: self, key }
    }

    /// What came of the jobs with this key, if it is known and holds now.
    pub(super) fn get<C: CachedReply>(
        &self,
        key: &Digest,
        now: &Circumstances,
        jobs: &[&Job],
    ) -> Option<C> {
        let is_new = lock(&self.new).contains(key);
        if self.is_fresh && !is_new {
            return None;
        }
        let record = self.store.get(key)?;
        let made = Moment::from(record.made);
        let is_build = |job: &&Job| !job.is_timed && job.keep != Keep::Nothing;
        let fetch = match jobs {
            [job] if is_build(job) => Fetch::BoxLater,
            _ => Fetch::Now,
        };
        let came: C = read(&record.bytes, now, (!is_new).then_some(made), &self.store, fetch)?;
        if let ([job], Fetch::BoxLater) = (jobs, fetch) {
            self.note_origin(job, &came);
        }
        if !is_new {
            self.recalled.fetch_add(jobs.len(), Ordering::Relaxed);
            self.oldest.fetch_min(made.seconds(), Ordering::Relaxed);
        }
        Some(came)
    }

    /// Keeps what came, if it is to be kept. If somebody wrote a file of the jobs meanwhile, they may not be those of
    /// the key.
    pub(super) fn keep<C: CachedReply>(
        &self,
        key: &Digest,
        circumstances: &Circumstances,
        jobs: &[&Job],
        came: &C,
    ) {
        if jobs.iter().all(|job| still_holds(job, &self.surroundings))
            && let Some(record) = write(came, circumstances, &self.store)
        {
            self.store.put(key, &record);
            lock(&self.new).insert(*key);
        }
    }

    /// Notes which job made what is yet to be fetched.
    fn note_origin<C: CachedReply>(&self, job: &Job, came: &C) {
        let job = Arc::new(job.clone());
        let mut origins = lock(&self.origins);
        let left = came.replies().into_iter().flat_map(|reply| &reply.kept);
        for blob in left.flat_map(|tree| &tree.entries).filter_map(|entry| entry.blob()) {
            if let Ok(digest) = blob.digest() {
                origins.insert(digest, Arc::clone(&job));
            }
        }
    }

    /// The job that left a blob which was yet to be fetched.
    pub(super) fn origin(&self, blob: &Digest) -> Option<Arc<Job>> {
        lock(&self.origins).get(blob).cloned()
    }
}

/// A job that is under way, until it is dropped.
pub(super) struct UnderWay<'a> {
    knowledge: &'a Knowledge,
    key: Digest,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let waiting = lock(&self.knowledge.under_way).remove(&self.key);
        // A call to the kernel.
        if waiting != Some(0) {
            self.knowledge.over.notify_all();
        }
    }
}
