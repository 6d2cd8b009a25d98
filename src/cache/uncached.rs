//! The executor behind a cache: counts the programs that it starts, and fetches blobs from the cache.

use std::sync::Arc;

use crate::cache::key::of_job;
use crate::cache::knowledge::Knowledge;
use crate::executor::{Executor, Hand};
use crate::model::blob::Blob;
use crate::model::job::{Job, Repeat, Reply};
use crate::model::joint::{JointJob, JointReply};
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;

/// Runs every job.
pub(super) struct Uncached {
    pub(super) inner: Arc<dyn Executor>,
    pub(super) knowledge: Arc<Knowledge>,
}

impl Uncached {
    /// Prepares these jobs and counts them.
    fn begin(&self, jobs: &[&Job]) -> Result<(), Stop> {
        self.fetch(jobs)?;
        self.knowledge.start(jobs.len());
        Ok(())
    }

    /// Fetches all blobs of the jobs; those that the cache has lost are made again.
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
            let reason = "it is damaged, and building it again gives another result";
            JudgeError::new("read a program from the cache", reason).help("add --fresh")
        };
        let digest = lost.digest().map_err(|_| gone())?;
        let origin = self.knowledge.origin(&digest).ok_or_else(gone)?;
        let reply = self.run(&origin)?;
        let key = of_job(&origin, &self.mechanism(), &self.knowledge.surroundings);
        let mut blobs = reply.blobs();
        let same = blobs.find(|blob| blob.digest().is_ok_and(|it| it == digest));
        lost.arrive(same.ok_or_else(gone)?.clone());
        if let Some(key) = key {
            self.knowledge.keep(&key, &[&origin], &reply);
        }
        Ok(())
    }
}

impl Executor for Uncached {
    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn mechanism(&self) -> String {
        self.inner.mechanism()
    }

    fn run_one(&self, job: &Job, repeat: Option<Repeat>) -> Result<Reply, Stop> {
        self.begin(&[job])?;
        self.inner.run_one(job, repeat)
    }

    fn run_two(&self, job: &JointJob, repeat: Option<Repeat>) -> Result<JointReply, Stop> {
        self.begin(&[&job.program, &job.partner])?;
        self.inner.run_two(job, repeat)
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
