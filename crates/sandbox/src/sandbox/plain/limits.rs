//! Resource limits of a plain run, and what is not enforced there.

use std::fs::File;

use rustix::fs::{Mode, OFlags};
use rustix::process::Resource;

use crate::sandbox::image::ProgramImage;
use crate::sandbox::rlimits::{
    self, OPEN_FILES, ResourceLimit, STACK_WITHOUT_MEMORY_LIMIT, UNLIMITED, hard_limit,
};
use juror_core::limits::Limits;
use juror_core::units::Bytes;

/// Stack beyond the memory limit, in bytes, so that endless recursion shows as too much memory.
const EXTRA_STACK: u64 = 16 << 20;

/// File size beyond the output limit, in bytes. Some systems refuse the whole of a write that would pass the limit.
/// Then nothing would show that the program passed its output limit.
const EXTRA_OUTPUT: u64 = 64 << 20;

/// The limit of requested memory. On systems other than Linux, `Data` limits only memory from `sbrk`, which is little:
/// see `getrlimit(2)` of these systems.
const MEMORY_RESOURCE: Resource =
    if cfg!(target_os = "linux") { Resource::Data } else { Resource::As };

/// Two readings of the same memory differ by at most this many bytes.
const READING_ERROR_MAX: u64 = 4 << 20;

pub(super) fn run_limits(limits: &Limits) -> Vec<ResourceLimit> {
    requested_limits(limits)
        .into_iter()
        .map(|limit| lower_limit(limit, hard_limit(limit.resource)))
        .collect()
}

fn requested_limits(limits: &Limits) -> Vec<ResourceLimit> {
    let and = |limit: Option<Bytes>, more| limit.map_or(UNLIMITED, |it| it.0.saturating_add(more));
    let file_size = and(limits.output, EXTRA_OUTPUT);
    let mut list =
        rlimits::resource_limits(limits, OPEN_FILES, Some(file_size), Some(MEMORY_RESOURCE));
    list.push(cpu_limit(limits));
    list.push(ResourceLimit::soft_and_hard(Resource::Core, 0));
    // Some systems, such as macOS, do not permit that much.
    let stack =
        limits.memory.map_or(STACK_WITHOUT_MEMORY_LIMIT, |_| and(limits.memory, EXTRA_STACK));
    list.push(ResourceLimit::soft_and_hard(Resource::Stack, stack));
    list
}

/// On macOS, nothing else ends the program. It is above the limit, so that the measured time decides. Elsewhere a
/// program learns nothing of its time limit.
fn cpu_limit(limits: &Limits) -> ResourceLimit {
    let limit = limits.cpu_time.filter(|_| cfg!(target_vendor = "apple"));
    let seconds = limit.map_or(UNLIMITED, |limit| limit.as_secs() + 1);
    ResourceLimit { resource: Resource::Cpu, soft: seconds, hard: seconds.saturating_add(1) }
}

/// The program's file requests more memory than the limit, so the program never began.
pub(super) fn image_exceeds_limit(program: &str, limits: &Limits) -> bool {
    let list = run_limits(limits);
    let most = list.iter().find(|limit| limit.resource == MEMORY_RESOURCE);
    // A fifo may be in its place.
    let options = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(program, options, Mode::empty()).map(File::from);
    let image = file.ok().as_ref().and_then(ProgramImage::read);
    image.zip(most).is_some_and(|(image, most)| image.writable > most.soft)
}

/// Limits can only be lowered.
fn lower_limit(limit: ResourceLimit, present: u64) -> ResourceLimit {
    ResourceLimit { soft: limit.soft.min(present), hard: limit.hard.min(present), ..limit }
}

/// The program's own part of the counted memory, in bytes. Up to the inherited amount, the count says nothing about
/// the program.
pub(super) fn own_memory(counted: u64, inherited: Option<u64>) -> u64 {
    match inherited {
        Some(inherited) if counted <= inherited.saturating_add(READING_ERROR_MAX) => 0,
        _ => counted,
    }
}

/// What is not enforced for plain runs, one line each.
pub(in crate::sandbox) fn gaps() -> Vec<String> {
    let memory = if cfg!(target_vendor = "apple") {
        "memory: not limited while a program runs; the peak of the largest process is known only afterwards"
    } else {
        "memory: only what each process requests is limited, to 1 GiB above the limit; the largest one's peak is \
             known only afterwards"
    };
    let time = if cfg!(target_vendor = "apple") {
        "CPU time: a run that passes its limit ends up to a second later; processes that are not waited for are not counted"
    } else {
        "CPU time: processes that are not waited for are not counted"
    };
    let is_root = rustix::process::geteuid().is_root();
    let root =
        is_root.then_some("rights: programs run as root, as you do; run juror as an ordinary user");
    let gaps = [
        "files: programs can read and change all that you can, including test data and answers",
        "network: programs can use it",
        "processes: their number is not limited, and one that leaves its process group outlives the run",
        time,
        memory,
        "box: only the size of each file is limited",
        "interaction: a deadlock is not detected, only the wall clock ends it; if two programs end at once, which was first may be wrong",
    ];
    let all = root.into_iter().chain(gaps);
    all.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn limits_follow_from_the_job() {
        let limits = Limits {
            cpu_time: Some(Duration::from_millis(1500)),
            memory: Some(Bytes::mib(64)),
            output: Some(Bytes::mib(1)),
            ..Limits::default()
        };
        let check = |resource: Resource, expected: Option<(u64, u64)>| {
            let list = requested_limits(&limits);
            let found = list.iter().find(|limit| limit.resource == resource);
            let found = found.map(|limit| (limit.soft, limit.hard));
            assert_eq!(found, expected, "{resource:?}");
        };
        let same = |value| Some((value, value));
        let is_apple = cfg!(target_vendor = "apple");
        check(Resource::Cpu, Some(if is_apple { (2, 3) } else { (UNLIMITED, UNLIMITED) }));
        check(Resource::Core, same(0));
        check(Resource::Fsize, same((1 << 20) + EXTRA_OUTPUT));
        check(Resource::Stack, same((64 + 16) << 20));
        check(MEMORY_RESOURCE, same((64 << 20) + (1 << 30)));
    }

    #[test]
    fn no_limit_is_raised() {
        let check = |requested: u64, present: u64, expected: u64| {
            let limit =
                lower_limit(ResourceLimit::soft_and_hard(Resource::Stack, requested), present);
            assert_eq!(limit, ResourceLimit::soft_and_hard(Resource::Stack, expected));
        };
        check(5, UNLIMITED, 5);
        check(5, 3, 3);
        check(UNLIMITED, 3, 3);
        check(UNLIMITED, UNLIMITED, UNLIMITED);
    }

    #[test]
    fn memory_inherited_from_the_judge_does_not_count() {
        assert_eq!(own_memory(10 << 20, Some(30 << 20)), 0);
        assert_eq!(own_memory(33 << 20, Some(30 << 20)), 0);
        assert_eq!(own_memory(90 << 20, Some(30 << 20)), 90 << 20);
        assert_eq!(own_memory(1 << 20, None), 1 << 20);
    }
}
