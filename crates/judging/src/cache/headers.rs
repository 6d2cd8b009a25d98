//! Compiled headers in the cache: with one, a build of a C++ program takes a third of its time.
//!
//! A build with a header counts as a build without it, and has the same key: the compiler makes the same program. If
//! it has messages, the program is built again without the header.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::cache::cached::CachedExecutor;
use juror_core::blob::Digest;
use juror_core::job::{Job, JobReply};
use juror_core::language::header::{add_header, header_job};
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Outcome};
use juror_core::stop::Stop;
use juror_core::tree::Tree;
use juror_core::work::{RunMode, Work, WorkReply};

/// A header is made after so many builds that need it. Making it costs as much as it saves in three to five builds.
const BUILDS_BEFORE_HEADER: u32 = 4;

/// By the keys of the jobs that make them.
#[derive(Default)]
pub(super) struct CompiledHeaders(Mutex<HashMap<Digest, HeaderState>>);

enum HeaderState {
    /// The number of builds that could have used it.
    Requested(u32),
    /// It is being made, and nobody waits for it; or it cannot be made or used.
    Missing,
    Ready(Box<CompiledHeader>),
}

#[derive(Clone)]
struct CompiledHeader {
    tree: Arc<Tree>,
    /// What making it cost. A build without header takes no more than this and a build with header together.
    cost: Outcome,
}

impl CompiledHeader {
    fn new(reply: WorkReply) -> Option<Self> {
        let reply = reply.single().ok()?;
        Some(Self { tree: Arc::new(reply.kept?), cost: reply.outcome })
    }
}

impl CachedExecutor {
    /// Builds with a compiled header, if the job is a build and has one.
    pub(super) fn run_with_header(&self, job: &Job) -> Result<JobReply, Stop> {
        if let Some(making) = header_job(job).map(Work::from)
            && let [name] = &self.keys(&making)[..]
            && let Some(header) = self.header(&name.digest, &making)?
            && let Some(reply) = self.build_with(&header, &name.digest, job)?
        {
            return Ok(reply);
        }
        self.run_plain(job)
    }

    fn run_plain(&self, job: &Job) -> Result<JobReply, Stop> {
        self.run_fresh(&job.clone().into(), RunMode::default())?.single()
    }

    /// The header that the work makes; `None` if this build has none.
    fn header(&self, name: &Digest, making: &Work) -> Result<Option<CompiledHeader>, Stop> {
        let headers = &self.knowledge.headers;
        match headers.0.lock().entry(*name).or_insert_with(|| self.recall_header(name, making)) {
            HeaderState::Ready(header) => return Ok(Some((**header).clone())),
            HeaderState::Missing => return Ok(None),
            state @ HeaderState::Requested(BUILDS_BEFORE_HEADER) => *state = HeaderState::Missing,
            HeaderState::Requested(builds) => {
                *builds += 1;
                return Ok(None);
            }
        }
        let header = match self.run_fresh(making, RunMode::default()) {
            Err(Stop::Interrupted) => return Err(Stop::Interrupted),
            Ok(reply) if reply.replies()[0].outcome.ending == Ending::Exited(0) => {
                self.knowledge.keep_result(name, making, &reply);
                CompiledHeader::new(reply)
            }
            Err(_) | Ok(_) => None,
        };
        if let Some(header) = &header {
            headers.0.lock().insert(*name, HeaderState::Ready(Box::new(header.clone())));
        }
        Ok(header)
    }

    /// What earlier commands know about a header.
    fn recall_header(&self, name: &Digest, making: &Work) -> HeaderState {
        let header = self.knowledge.recall(name, making).and_then(CompiledHeader::new);
        header.map_or(HeaderState::Requested(0), |header| HeaderState::Ready(Box::new(header)))
    }

    /// The reply of a build with header; `None` if it leaves doubt about a build without header.
    fn build_with(
        &self,
        header: &CompiledHeader,
        name: &Digest,
        job: &Job,
    ) -> Result<Option<JobReply>, Stop> {
        let Some(fast) = add_header(job, &header.tree) else { return Ok(None) };
        match self.run_plain(&fast) {
            Ok(reply) if is_certain(&reply, &header.cost, &job.limits) => Ok(Some(reply)),
            Ok(_) => Ok(None),
            Err(Stop::Interrupted) => Err(Stop::Interrupted),
            Err(_) => {
                self.knowledge.headers.0.lock().insert(*name, HeaderState::Missing);
                Ok(None)
            }
        }
    }
}

/// Whether the build succeeded without messages, and would have done so within its limits without header.
fn is_certain(reply: &JobReply, cost: &Outcome, limits: &Limits) -> bool {
    let JobReply { outcome, stdout, stderr, .. } = reply;
    let time = |used: Duration, more, limit: Option<_>| limit.is_none_or(|it| used + more <= it);
    let memory = outcome.peak_memory.saturating_add(cost.peak_memory);
    outcome.ending == Ending::Exited(0)
        && outcome.stopped_by.is_none()
        && outcome.refused_processes == 0
        && [stdout, stderr].into_iter().all(|stream| stream.len().is_ok_and(|length| length == 0))
        && time(outcome.cpu_time, cost.cpu_time, limits.cpu_time)
        && time(outcome.wall_time, cost.wall_time, limits.wall_time)
        && limits.memory.is_none_or(|limit| memory <= limit)
}

#[cfg(test)]
mod tests;
