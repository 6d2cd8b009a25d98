//! Wraps an executor: answers with the result of an earlier run, if that is still valid.
//!
//! It keeps facts, never verdicts, and neither failures of the judge nor interrupted runs. If equal work comes at the
//! same time, one runs and the others wait. Blobs that the cache keeps are fetched when a program needs them.

use std::sync::Arc;

use crate::cache::key::key_of;
use crate::cache::knowledge::KnownResults;
use crate::cache::surroundings::digest_of;
use juror_core::blob::{Blob, Digest};
use juror_core::job::{Job, JobReply};
use juror_core::judgement::JudgeError;
use juror_core::stop::Stop;
use juror_core::work::{RunMode, Work, WorkReply};
use juror_sandbox::executor::{Executor, ManualPipes};

/// Several wrappers may share their knowledge.
pub struct CachedExecutor {
    inner: Arc<dyn Executor>,
    pub(super) knowledge: Arc<KnownResults>,
}

impl CachedExecutor {
    pub fn new(inner: Arc<dyn Executor>, knowledge: Arc<KnownResults>) -> Self {
        Self { inner, knowledge }
    }

    /// The key of the result of work.
    pub(super) fn key(&self, work: &Work) -> Option<Digest> {
        key_of(work, &self.mechanism(), &self.knowledge.surroundings)
    }

    /// Runs work without using earlier results.
    pub(super) fn run_fresh(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        self.prepare_jobs(&work.jobs())?;
        self.inner.run(work, mode)
    }

    /// Fetches the blobs of these jobs, and counts the jobs.
    fn prepare_jobs(&self, jobs: &[&Job]) -> Result<(), Stop> {
        for blob in jobs.iter().flat_map(|job| job.blobs()) {
            if !blob.is_available() {
                self.rebuild_blob(blob)?;
            }
        }
        self.knowledge.count_started(jobs.len());
        Ok(())
    }

    /// The cache lost a blob: runs the work that made it again.
    fn rebuild_blob(&self, lost: &Blob) -> Result<(), Stop> {
        let lost_program = || {
            let reason = "it is damaged, and building it again gives another result";
            JudgeError::new("read a program from the cache", reason).help("add --fresh")
        };
        let digest = lost.digest().map_err(|_| lost_program())?;
        let origin = self.knowledge.origin(&digest).ok_or_else(lost_program)?;
        let reply = self.run_fresh(&origin, RunMode::default())?;
        let mut blobs = reply.replies().into_iter().flat_map(JobReply::blobs);
        let same = blobs.find(|blob| blob.digest().is_ok_and(|it| it == digest));
        lost.receive(same.ok_or_else(lost_program)?.clone());
        if let Some(key) = self.key(&origin) {
            self.knowledge.keep_result(&key, &origin, &reply);
        }
        Ok(())
    }
}

impl Executor for CachedExecutor {
    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn mechanism(&self) -> String {
        self.inner.mechanism()
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        if mode.is_fresh {
            return self.run_fresh(work, mode);
        }
        let key = self.key(work).and_then(|key| match mode.repeat {
            // Each repeated run has its own result by number, so that the next command compares the same runs.
            Some(repeat) => digest_of(&("repeat", repeat, key)),
            None => Some(key),
        });
        let Some(key) = key else { return self.run_fresh(work, mode) };
        let _under_way = self.knowledge.begin_work(key);
        if let Some(reply) = self.knowledge.recall(&key, work) {
            return Ok(reply);
        }
        let reply = match (work, mode.repeat) {
            (Work::Single(job), None) => self.run_with_header(job)?.into(),
            _ => self.run_fresh(work, mode)?,
        };
        self.knowledge.keep_result(&key, work, &reply);
        Ok(reply)
    }

    fn run_manually(&self, job: &Job, hand: ManualPipes) -> Result<JobReply, Stop> {
        self.prepare_jobs(&[job])?;
        self.inner.run_manually(job, hand)
    }

    fn stop(&self) {
        self.inner.stop();
    }
}
