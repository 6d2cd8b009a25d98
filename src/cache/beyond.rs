//! The executor beyond a cache: counts what it starts, gets what the cache has for it, and keeps what came.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::cache::fact::{Came, Circumstances, write};
use crate::cache::key::of_job;
use crate::cache::store::Store;
use crate::cache::surroundings::Surroundings;
use crate::executor::{Executor, Hand};
use crate::model::blob::{Blob, Digest};
use crate::model::job::{Job, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;
use crate::sandbox::pace;

/// Runs each job that it is given.
pub(super) struct Beyond {
    inner: Arc<dyn Executor>,
    pub(super) store: Arc<Store>,
    pub(super) surroundings: Surroundings,
    started: AtomicUsize,
    /// Keys of jobs that ran in this command: what is known of them is new.
    new: Mutex<HashSet<Digest>>,
    /// Which job left a blob that is yet to be fetched, in case that it is lost.
    origins: Mutex<HashMap<Digest, Arc<Job>>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Under which circumstances these jobs run now.
pub(super) fn circumstances(jobs: &[&Job]) -> Circumstances {
    Circumstances {
        limits: jobs.iter().map(|job| job.limits.clone()).collect(),
        pace: jobs.iter().any(|job| job.is_timed).then(pace),
    }
}

/// How fast this machine is, measured when it is first asked for.
fn pace() -> Duration {
    static PACE: OnceLock<Duration> = OnceLock::new();
    *PACE.get_or_init(pace::pace)
}

impl Beyond {
    pub(super) fn new(inner: Arc<dyn Executor>, store: Arc<Store>) -> Self {
        Self {
            inner,
            surroundings: Surroundings::new(Arc::clone(&store)),
            store,
            started: AtomicUsize::new(0),
            new: Mutex::default(),
            origins: Mutex::default(),
        }
    }

    /// How many programs it started.
    pub(super) fn started(&self) -> usize {
        self.started.load(Ordering::Relaxed)
    }

    /// Whether the job of this key ran in this command.
    pub(super) fn is_new(&self, key: &Digest) -> bool {
        lock(&self.new).contains(key)
    }

    /// Gets ready for these jobs, and counts them.
    fn begin(&self, jobs: &[&Job]) -> Result<(), Stop> {
        self.fetch(jobs)?;
        self.started.fetch_add(jobs.len(), Ordering::Relaxed);
        Ok(())
    }

    /// Notes which job made what is yet to be fetched.
    pub(super) fn note_origin<C: Came>(&self, job: &Job, came: &C) {
        let job = Arc::new(job.clone());
        let mut origins = lock(&self.origins);
        let left = came.replies().into_iter().flat_map(|reply| &reply.kept);
        for blob in left.flat_map(|tree| &tree.entries).filter_map(|entry| entry.blob()) {
            if let Ok(digest) = blob.digest() {
                origins.insert(digest, Arc::clone(&job));
            }
        }
    }

    /// Keeps what came, if it is to be kept.
    pub(super) fn keep<C: Came>(&self, key: &Digest, circumstances: &Circumstances, came: &C) {
        if let Some(record) = write(came, circumstances, &self.store) {
            self.store.put(key, &record);
            lock(&self.new).insert(*key);
        }
    }

    /// Gets all that jobs need here; what the cache has lost is made once more.
    fn fetch(&self, jobs: &[&Job]) -> Result<(), Stop> {
        for blob in jobs.iter().flat_map(|job| job.blobs()) {
            if !blob.is_here() {
                self.make_again(blob)?;
            }
        }
        Ok(())
    }

    fn make_again(&self, lost: &Blob) -> Result<(), Stop> {
        let gone = || {
            let reason = "it is damaged, and what makes it makes something else now";
            JudgeError::new("read a program from the cache", reason).help("add --fresh")
        };
        let digest = lost.digest().map_err(|_| gone())?;
        let origin = lock(&self.origins).get(&digest).cloned().ok_or_else(gone)?;
        let reply = self.run(&origin)?;
        let key = of_job(&origin, &self.mechanism(), &self.surroundings);
        let mut blobs = reply.blobs();
        let same = blobs.find(|blob| blob.digest().is_ok_and(|it| it == digest));
        lost.arrive(same.ok_or_else(gone)?.clone());
        if let Some(key) = key {
            self.keep(&key, &circumstances(&[&origin]), &reply);
        }
        Ok(())
    }
}

impl Executor for Beyond {
    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn mechanism(&self) -> String {
        self.inner.mechanism()
    }

    fn run(&self, job: &Job) -> Result<Reply, Stop> {
        self.begin(&[job])?;
        self.inner.run(job)
    }

    fn run_joint(&self, job: &JointJob) -> Result<JointReply, Stop> {
        self.begin(&[&job.program, &job.partner])?;
        self.inner.run_joint(job)
    }

    fn run_alone(&self, job: &Job, number: u32) -> Result<Reply, Stop> {
        self.begin(&[job])?;
        self.inner.run_alone(job, number)
    }

    fn run_joint_alone(&self, job: &JointJob, number: u32) -> Result<JointReply, Stop> {
        self.begin(&[&job.program, &job.partner])?;
        self.inner.run_joint_alone(job, number)
    }

    fn run_by_hand(&self, job: &Job, hand: Hand) -> Result<Reply, Stop> {
        self.begin(&[job])?;
        self.inner.run_by_hand(job, hand)
    }

    fn anew(&self) -> &dyn Executor {
        self
    }

    fn stop(&self) {
        self.inner.stop();
    }
}
