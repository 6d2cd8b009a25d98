//! Resource limits (`setrlimit`) of a program.

use rustix::process::{Resource, getrlimit};

use juror_core::limits::Limits;

/// For one process: enough for run-time systems. On Linux, a process can send descriptors while its user has at most
/// this many in flight, plus some 250 at once. Hostile programs must stay below 1024, the usual limit of the user's
/// other processes. Otherwise these could send none, and the judge is one of them.
pub(super) const OPEN_FILES: u64 = 768;

/// Memory that a program may request beyond its limit, in bytes. Some run-time systems request much more than they
/// use.
pub(super) const UNUSED_MEMORY: u64 = 1 << 30;

/// The stack of a program without a memory limit, in bytes. Otherwise endless recursion would use up the machine's
/// memory.
pub(super) const STACK_WITHOUT_MEMORY_LIMIT: u64 = 1 << 30;

pub(super) const UNLIMITED: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResourceLimit {
    pub(super) resource: Resource,
    pub(super) soft: u64,
    pub(super) hard: u64,
}

impl ResourceLimit {
    pub(super) fn soft_and_hard(resource: Resource, value: u64) -> Self {
        Self { resource, soft: value, hard: value }
    }
}

/// The limits of every program: open files, the size of a file, and requested memory. `memory` is the resource that
/// limits the latter, if one does.
pub(super) fn resource_limits(
    limits: &Limits,
    open_files: u64,
    file_size: Option<u64>,
    memory: Option<Resource>,
) -> Vec<ResourceLimit> {
    let mut list = vec![ResourceLimit::soft_and_hard(Resource::Nofile, open_files)];
    list.extend(file_size.map(|size| ResourceLimit::soft_and_hard(Resource::Fsize, size)));
    let asked = limits.memory.map(|limit| limit.0.saturating_add(UNUSED_MEMORY));
    list.extend(
        memory.zip(asked).map(|(resource, asked)| ResourceLimit::soft_and_hard(resource, asked)),
    );
    list
}

pub(super) fn hard_limit(resource: Resource) -> u64 {
    getrlimit(resource).maximum.unwrap_or(UNLIMITED)
}
