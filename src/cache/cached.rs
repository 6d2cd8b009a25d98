//! An executor with a memory: it answers with the result of an earlier run if that result is still valid.
//!
//! Facts are kept, never verdicts. What failed at the judge's side and what was interrupted is not kept. Equal jobs at the
//! same time run once: the others wait.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::cache::beyond::{Beyond, circumstances, lock};
use crate::cache::fact::{Came, Circumstances, Fetch, read};
use crate::cache::key::{of_job, of_joint};
use crate::cache::store::Store;
use crate::cache::surroundings::digest_of;
use crate::executor::{Executor, Hand};
use crate::model::blob::Digest;
use crate::model::job::{Job, Keep, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::moment::Moment;
use crate::model::recalled::Recalled;
use crate::model::stop::Stop;

/// Stands around an executor.
pub struct Cached {
    beyond: Beyond,
    /// Whether nothing counts that was known before this command.
    is_fresh: bool,
    /// Keys of jobs that are under way, with how many others wait for each.
    under_way: Mutex<HashMap<Digest, usize>>,
    over: Condvar,
    recalled: AtomicUsize,
    /// When the oldest of them ran, in seconds since 1970.
    oldest: AtomicU64,
}

impl Cached {
    /// One that remembers in this store. A fresh one only writes there, and knows what it wrote itself.
    pub fn new(inner: Arc<dyn Executor>, store: Arc<Store>, is_fresh: bool) -> Self {
        Self {
            beyond: Beyond::new(inner, store),
            is_fresh,
            under_way: Mutex::default(),
            over: Condvar::new(),
            recalled: AtomicUsize::new(0),
            oldest: AtomicU64::new(u64::MAX),
        }
    }

    /// How many programs were started, and how many need not be.
    pub fn recalled(&self) -> Recalled {
        let programs = self.recalled.load(Ordering::Relaxed);
        let oldest = self.oldest.load(Ordering::Relaxed);
        Recalled {
            started: self.beyond.started(),
            recalled: programs,
            oldest: (programs > 0).then(|| Moment::new(oldest)),
        }
    }

    /// The result of the job with this key: the known one if it is valid, else that of a new run.
    fn remembered<C: Came>(
        &self,
        key: Option<Digest>,
        circumstances: impl FnOnce() -> Circumstances,
        jobs: &[&Job],
        run: impl FnOnce() -> Result<C, Stop>,
    ) -> Result<C, Stop> {
        let Some(key) = key else { return run() };
        let circumstances = circumstances();
        let _turn = self.turn(key);
        if let Some(came) = self.known(&key, &circumstances, jobs) {
            return Ok(came);
        }
        let came = run()?;
        self.beyond.keep(&key, &circumstances, &came);
        Ok(came)
    }

    /// Waits until no equal job is under way.
    fn turn(&self, key: Digest) -> Turn<'_> {
        let mut under_way = lock(&self.under_way);
        while let Some(waiting) = under_way.get_mut(&key) {
            *waiting += 1;
            under_way = self.over.wait(under_way).unwrap_or_else(PoisonError::into_inner);
        }
        under_way.insert(key, 0);
        Turn { cached: self, key }
    }

    fn known<C: Came>(&self, key: &Digest, now: &Circumstances, jobs: &[&Job]) -> Option<C> {
        let is_new = self.beyond.is_new(key);
        if self.is_fresh && !is_new {
            return None;
        }
        let record = self.beyond.store.get(key)?;
        let made = Moment::from(record.made);
        let is_build = |job: &&Job| !job.is_timed && job.keep != Keep::Nothing;
        let fetch = match jobs {
            [job] if is_build(job) => Fetch::BoxLater,
            _ => Fetch::Now,
        };
        let came: C =
            read(&record.bytes, now, (!is_new).then_some(made), &self.beyond.store, fetch)?;
        if let ([job], Fetch::BoxLater) = (jobs, fetch) {
            self.beyond.note_origin(job, &came);
        }
        if !is_new {
            self.recalled.fetch_add(jobs.len(), Ordering::Relaxed);
            self.oldest.fetch_min(made.seconds(), Ordering::Relaxed);
        }
        Some(came)
    }
}

/// Ends the wait of equal jobs.
struct Turn<'a> {
    cached: &'a Cached,
    key: Digest,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let waiting = lock(&self.cached.under_way).remove(&self.key);
        // A call to the kernel.
        if waiting != Some(0) {
            self.cached.over.notify_all();
        }
    }
}

impl Executor for Cached {
    fn slots(&self) -> usize {
        self.beyond.slots()
    }

    fn mechanism(&self) -> String {
        self.beyond.mechanism()
    }

    fn run(&self, job: &Job) -> Result<Reply, Stop> {
        let key = of_job(job, &self.mechanism(), &self.beyond.surroundings);
        self.remembered(key, || circumstances(&[job]), &[job], || self.beyond.run(job))
    }

    fn run_joint(&self, job: &JointJob) -> Result<JointReply, Stop> {
        let key = of_joint(job, &self.mechanism(), &self.beyond.surroundings);
        let jobs = [&job.program, &job.partner];
        self.remembered(key, || circumstances(&jobs), &jobs, || self.beyond.run_joint(job))
    }

    /// Each of them is remembered by its number: what they say together is said again.
    fn run_alone(&self, job: &Job, number: u32) -> Result<Reply, Stop> {
        let key = of_job(job, &self.mechanism(), &self.beyond.surroundings);
        let key = key.and_then(|key| digest_of(&("alone", number, key)));
        let run = || self.beyond.run_alone(job, number);
        self.remembered(key, || circumstances(&[job]), &[job], run)
    }

    fn run_joint_alone(&self, job: &JointJob, number: u32) -> Result<JointReply, Stop> {
        let key = of_joint(job, &self.mechanism(), &self.beyond.surroundings);
        let key = key.and_then(|key| digest_of(&("alone", number, key)));
        let jobs = [&job.program, &job.partner];
        let run = || self.beyond.run_joint_alone(job, number);
        self.remembered(key, || circumstances(&jobs), &jobs, run)
    }

    fn run_by_hand(&self, job: &Job, hand: Hand) -> Result<Reply, Stop> {
        self.beyond.run_by_hand(job, hand)
    }

    fn anew(&self) -> &dyn Executor {
        &self.beyond
    }

    fn stop(&self) {
        self.beyond.stop();
    }
}
