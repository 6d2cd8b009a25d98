//! Compiled headers in the cache: with one, a build of a C++ program takes a third of its time.
//!
//! A build with a compiled header counts as the build without it, under the same key. So its program must be the same,
//! byte for byte. That is tested for the first program after a header was made, and for one in sixteen programs later;
//! after one difference, the header is used no more. Whatever the compiler has to say, it says in a build without it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cache::key::{of_job, of_tree};
use crate::cache::notes::Notes;
use crate::cache::uncached::{Uncached, circumstances};
use crate::executor::{Executor as _, Notebook as _};
use crate::language::header::{of_build, with_header};
use crate::model::blob::Digest;
use crate::model::job::{Job, Reply};
use crate::model::limits::Limits;
use crate::model::outcome::Ending;
use crate::model::stop::Stop;
use crate::model::tree::Tree;

/// How many builds need a header before it is made: making it costs as much as it saves in three of them.
const ENOUGH: u32 = 4;
/// Of so many programs, one is built both ways.
const SAMPLE: u8 = 16;

/// The compiled headers of a command, by the keys of the jobs that make them.
#[derive(Default)]
pub(super) struct Headers(Mutex<HashMap<Digest, Header>>);

enum Header {
    /// So many builds could have used it.
    Wanted(u32),
    /// It is being made, and nobody waits for it.
    Making,
    /// It can be used.
    Made(Made),
    /// It cannot be made, or a program differed.
    Useless,
}

#[derive(Clone)]
struct Made {
    tree: Arc<Tree>,
    /// Whether a program was the same with it.
    is_proven: bool,
}

impl Headers {
    fn all(&self) -> MutexGuard<'_, HashMap<Digest, Header>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, name: &Digest, state: Header) {
        self.all().insert(*name, state);
    }
}

impl Uncached {
    /// Runs a job: a build with a compiled header, if there is one for it.
    pub(super) fn run_fast(&self, job: &Job, key: &Digest) -> Result<Reply, Stop> {
        let name = |making: &Job| of_job(making, &self.mechanism(), &self.knowledge.surroundings);
        if let Some(making) = of_build(job)
            && let Some(name) = name(&making)
            && let Some(header) = self.header(&name, &making)?
            && let Some(reply) = self.build_with(&header, &name, job, key)?
        {
            return Ok(reply);
        }
        self.run(job)
    }

    /// The header of this name, which the job makes; `None` if there is none for this build.
    fn header(&self, name: &Digest, making: &Job) -> Result<Option<Made>, Stop> {
        let headers = &self.knowledge.headers;
        let mut all = headers.all();
        let state = match all.remove(name) {
            None => self.recalled(name, making).unwrap_or(Header::Wanted(1)),
            Some(Header::Wanted(ENOUGH)) => Header::Making,
            Some(Header::Wanted(before)) => Header::Wanted(before + 1),
            Some(Header::Making) => {
                all.insert(*name, Header::Making);
                return Ok(None);
            }
            Some(known) => known,
        };
        let (made, is_to_make) = match &state {
            Header::Made(made) => (Some(made.clone()), false),
            Header::Making => (None, true),
            Header::Wanted(_) | Header::Useless => (None, false),
        };
        all.insert(*name, state);
        drop(all);
        if !is_to_make {
            return Ok(made);
        }
        let tree = match self.run(making) {
            Err(Stop::Interrupted) => return Err(Stop::Interrupted),
            Ok(reply) if reply.outcome.ending == Ending::Exited(0) => {
                self.knowledge.keep(name, &circumstances(&[making]), &[making], &reply);
                reply.kept
            }
            Err(_) | Ok(_) => None,
        };
        let made = tree.map(|tree| Made { tree: Arc::new(tree), is_proven: false });
        headers.set(name, made.clone().map_or(Header::Useless, Header::Made));
        Ok(made)
    }

    /// What earlier commands know about a header.
    fn recalled(&self, name: &Digest, making: &Job) -> Option<Header> {
        let noted = self.notes().recall(&note(name));
        if noted.as_deref() == Some(DIFFERENT) {
            return Some(Header::Useless);
        }
        let reply: Reply = self.knowledge.get(name, &circumstances(&[making]), &[making])?;
        let tree = Arc::new(reply.kept?);
        Some(Header::Made(Made { tree, is_proven: noted.as_deref() == Some(SAME) }))
    }

    /// The reply to a build, from a build with a header; `None` if that leaves doubt about the build without it.
    fn build_with(
        &self,
        header: &Made,
        name: &Digest,
        job: &Job,
        key: &Digest,
    ) -> Result<Option<Reply>, Stop> {
        let headers = &self.knowledge.headers;
        let Some(fast) = with_header(job, &header.tree) else { return Ok(None) };
        let reply = match self.run(&fast) {
            Ok(reply) if is_certain(&reply, &job.limits) => reply,
            Ok(_) => return Ok(None),
            Err(Stop::Interrupted) => return Err(Stop::Interrupted),
            Err(_) => {
                headers.set(name, Header::Useless);
                return Ok(None);
            }
        };
        if header.is_proven && !key.0[0].is_multiple_of(SAMPLE) {
            return Ok(Some(reply));
        }
        let plain = self.run(job)?;
        let content = |reply: &Reply| of_tree(reply.kept.as_ref()?, &self.knowledge.surroundings);
        let is_same = content(&plain).is_some() && content(&plain) == content(&reply);
        self.notes().note(&note(name), if is_same { SAME } else { DIFFERENT });
        let tree = Arc::clone(&header.tree);
        headers.set(
            name,
            match is_same {
                true => Header::Made(Made { tree, is_proven: true }),
                false => Header::Useless,
            },
        );
        Ok(Some(plain))
    }

    fn notes(&self) -> Notes {
        Notes::new(Arc::clone(&self.knowledge.store), false)
    }
}

/// The name of the note that says whether programs were the same.
fn note(header: &Digest) -> String {
    format!("header {:?}", header.0)
}

const SAME: &[u8] = b"same";
const DIFFERENT: &[u8] = b"different";

/// Whether the build succeeded without a word and used at most half of each limit, so that it does without the header.
fn is_certain(reply: &Reply, limits: &Limits) -> bool {
    let Reply { outcome, stdout, stderr, .. } = reply;
    let within = |used, limit: Option<_>| limit.is_none_or(|limit| used <= limit / 2);
    outcome.ending == Ending::Exited(0)
        && outcome.stopped_by.is_none()
        && outcome.refused_processes == 0
        && [stdout, stderr].into_iter().all(|said| said.len().is_ok_and(|length| length == 0))
        && within(outcome.cpu_time, limits.cpu_time)
        && within(outcome.wall_time, limits.wall_time)
        && limits.memory.is_none_or(|limit| outcome.peak_memory.0 <= limit.0 / 2)
}

#[cfg(test)]
mod tests;
