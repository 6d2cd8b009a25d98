//! Resource limits (`setrlimit`) of a program.

use rustix::process::{Resource, getrlimit};

use crate::model::limits::Limits;
use crate::sandbox::clock::cpu_backstop;

/// Open files of one process: enough for run-time systems. On Linux, the kernel lets a process send descriptors as long
/// as its user has at most this many in flight, plus some 250 at once. Those of a hostile program must stay below 1024,
/// the usual limit of other processes of the same user: otherwise these could send none, and the judge is one of them.
pub(super) const OPEN_FILES: u64 = 768;

/// Memory that a process may request beyond its limit, in bytes. Some run-time systems request much that they do not
/// use.
pub(super) const UNUSED_MEMORY: u64 = 1 << 30;

/// No limit.
pub(super) const ENDLESS: u64 = u64::MAX;

/// A limit on a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) resource: Resource,
    pub(super) soft: u64,
    pub(super) hard: u64,
}

impl Limit {
    /// The same as soft and as hard limit.
    pub(super) fn same(resource: Resource, value: u64) -> Self {
        Self { resource, soft: value, hard: value }
    }
}

/// The limits that every program gets: open files, the size of a file, CPU time, and requested memory, if that is to be
/// limited by this resource.
pub(super) fn list(
    limits: &Limits,
    open_files: u64,
    file_size: Option<u64>,
    memory: Option<Resource>,
) -> Vec<Limit> {
    let mut list = vec![Limit::same(Resource::Nofile, open_files)];
    list.extend(file_size.map(|size| Limit::same(Resource::Fsize, size)));
    list.extend(
        limits
            .cpu_time
            .map(cpu_backstop)
            .map(|seconds| Limit { soft: seconds, ..Limit::same(Resource::Cpu, seconds + 1) }),
    );
    let asked = limits.memory.map(|limit| limit.0.saturating_add(UNUSED_MEMORY));
    list.extend(memory.zip(asked).map(|(resource, asked)| Limit::same(resource, asked)));
    list
}

/// The current hard limit of a resource.
pub(super) fn present(resource: Resource) -> u64 {
    getrlimit(resource).maximum.unwrap_or(ENDLESS)
}
