//! Wraps an executor: answers with the result of an earlier run, if that is still valid.
//!
//! It keeps facts, never verdicts, and neither failures of the judge nor interrupted runs. If equal work comes at the
//! same time, one runs and the others wait. Blobs that the cache keeps are fetched when a program needs them.

use std::sync::Arc;

use crate::cache::key::{Place, key_of};
use crate::cache::knowledge::KnownResults;
use crate::cache::surroundings::digest_of;
use juror_core::blob::{Blob, Digest};
use juror_core::job::{Job, JobReply};
use juror_core::judgement::JudgeError;
use juror_core::stop::Stop;
use juror_core::work::{RunMode, Work, WorkReply};
use juror_core::worker::{WorkerId, WorkerKind};
use juror_sandbox::executor::{Executor, ManualPipes};

/// Several wrappers may share their knowledge.
pub struct CachedExecutor {
    inner: Arc<dyn Executor>,
    knowledge: Arc<KnownResults>,
}

struct ResultKey {
    digest: Digest,
    /// The workers whose results have this key; `None` for this machine.
    workers: Option<Vec<WorkerId>>,
}

impl ResultKey {
    fn is_of(&self, reply: &WorkReply) -> bool {
        let Some(workers) = &self.workers else { return true };
        let ran =
            |reply: &JobReply| reply.outcome.worker_id.is_some_and(|id| workers.contains(&id));
        reply.replies().into_iter().all(ran)
    }
}

impl CachedExecutor {
    pub fn new(inner: Arc<dyn Executor>, knowledge: Arc<KnownResults>) -> Self {
        Self { inner, knowledge }
    }

    /// The key of the result of work on this machine, or a key for each kind of worker that may run it.
    fn keys(&self, work: &Work) -> Vec<ResultKey> {
        let surroundings = &self.knowledge.surroundings;
        let Some(kinds) = self.worker_kinds() else {
            let mechanism = self.mechanism();
            let key = key_of(work, Place { mechanism: &mechanism, surroundings, workers: None });
            return key.into_iter().map(|digest| ResultKey { digest, workers: None }).collect();
        };
        let key = |kind: WorkerKind| {
            let place = Place { mechanism: &kind.mechanism, surroundings, workers: Some(&kind) };
            Some(ResultKey { digest: key_of(work, place)?, workers: Some(kind.workers) })
        };
        kinds.into_iter().filter_map(key).collect()
    }

    /// Keeps a result under the key of those who ran it.
    fn keep_result(&self, keys: &[ResultKey], work: &Work, reply: &WorkReply) {
        if let Some(key) = keys.iter().find(|key| key.is_of(reply)) {
            self.knowledge.keep_result(&key.digest, work, reply);
        }
    }

    /// Runs work without using earlier results.
    fn run_fresh(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
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
        let same = blobs.find(|blob| blob.digest().is_ok_and(|own| own == digest));
        lost.receive(same.ok_or_else(lost_program)?.clone());
        self.keep_result(&self.keys(&origin), &origin, &reply);
        Ok(())
    }
}

impl Executor for CachedExecutor {
    fn inner(&self) -> Option<&dyn Executor> {
        Some(&*self.inner)
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        if mode.is_fresh {
            return self.run_fresh(work, mode);
        }
        let mut keys = self.keys(work);
        if let Some(repeat) = mode.repeat {
            // Each repeated run has its own result by number, so that the next command compares the same runs.
            keys.retain_mut(|key| {
                let repeated = digest_of(&("repeat", repeat, key.digest));
                repeated.map(|digest| key.digest = digest).is_some()
            });
        }
        let Some(first) = keys.first() else { return self.run_fresh(work, mode) };
        let _under_way = self.knowledge.begin_work(first.digest)?;
        let recalled = keys.iter().find_map(|key| self.knowledge.recall(&key.digest, work));
        if let Some(reply) = recalled {
            return Ok(reply);
        }
        let reply = self.run_fresh(work, mode)?;
        self.keep_result(&keys, work, &reply);
        Ok(reply)
    }

    fn run_manually(&self, job: &Job, pipes: ManualPipes) -> Result<JobReply, Stop> {
        self.prepare_jobs(&[job])?;
        self.inner.run_manually(job, pipes)
    }
}
