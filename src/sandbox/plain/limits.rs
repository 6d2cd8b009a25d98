//! Resource limits of a plain run, and what is not enforced there.

use std::fs::File;

use rustix::fs::{Mode, OFlags};
use rustix::process::Resource;

use crate::model::limits::Limits;
use crate::model::units::Bytes;
use crate::sandbox::image::Image;
use crate::sandbox::rlimits::{self, ENDLESS, Limit, OPEN_FILES, present};

/// Stack beyond the memory limit, in bytes, so that endless recursion shows as too much memory.
const MORE_STACK: u64 = 16 << 20;

/// File size beyond the output limit, in bytes. Some systems refuse the whole of a write that would pass the limit.
/// Then nothing would show that the program passed its output limit.
const MORE_OUTPUT: u64 = 64 << 20;

/// The limit of requested memory. On systems other than Linux, `Data` limits only memory from `sbrk`, which is little:
/// see `getrlimit(2)` of these systems.
const MEMORY: Resource = if cfg!(target_os = "linux") { Resource::Data } else { Resource::As };

/// Two readings of the same memory differ by at most this many bytes.
const INEXACT: u64 = 4 << 20;

pub(super) fn list(limits: &Limits) -> Vec<Limit> {
    wanted(limits).into_iter().map(|limit| lowered(limit, present(limit.resource))).collect()
}

fn wanted(limits: &Limits) -> Vec<Limit> {
    let and = |limit: Option<Bytes>, more| limit.map_or(ENDLESS, |it| it.0.saturating_add(more));
    let file_size = and(limits.output, MORE_OUTPUT);
    let mut list = rlimits::list(limits, OPEN_FILES, Some(file_size), Some(MEMORY));
    list.push(Limit::same(Resource::Core, 0));
    // Some systems, such as macOS, do not permit that much.
    list.push(Limit::same(Resource::Stack, and(limits.memory, MORE_STACK)));
    list
}

/// The program's file requests more memory than the limit, so the program never began.
pub(super) fn refuses_to_start(program: &str, limits: &Limits) -> bool {
    let list = list(limits);
    let most = list.iter().find(|limit| limit.resource == MEMORY);
    // A fifo may be in its place.
    let options = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(program, options, Mode::empty()).map(File::from);
    let image = file.ok().as_ref().and_then(Image::read);
    image.zip(most).is_some_and(|(image, most)| image.writable > most.soft)
}

/// Limits can only be lowered.
fn lowered(limit: Limit, present: u64) -> Limit {
    Limit { soft: limit.soft.min(present), hard: limit.hard.min(present), ..limit }
}

/// The program's own part of the counted memory, in bytes. Up to the inherited amount, the count says nothing about
/// the program.
pub(super) fn own_memory(counted: u64, inherited: Option<u64>) -> u64 {
    match inherited {
        Some(inherited) if counted <= inherited.saturating_add(INEXACT) => 0,
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
    let root = rustix::process::geteuid().is_root();
    let root =
        root.then_some("rights: programs run as root, as you do; run juror as an ordinary user");
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
    fn limits_are_wanted_as_the_job_says() {
        let limits = Limits {
            cpu_time: Some(Duration::from_millis(1500)),
            memory: Some(Bytes::mib(64)),
            output: Some(Bytes::mib(1)),
            ..Limits::default()
        };
        let check = |resource: Resource, expected: Option<(u64, u64)>| {
            let list = wanted(&limits);
            let found = list.iter().find(|limit| limit.resource == resource);
            let found = found.map(|limit| (limit.soft, limit.hard));
            assert_eq!(found, expected, "{resource:?}");
        };
        let same = |value| Some((value, value));
        let is_apple = cfg!(target_vendor = "apple");
        check(Resource::Cpu, Some(if is_apple { (2, 3) } else { (4, 5) }));
        check(Resource::Core, same(0));
        check(Resource::Fsize, same((1 << 20) + MORE_OUTPUT));
        check(Resource::Stack, same((64 + 16) << 20));
        check(MEMORY, same((64 << 20) + (1 << 30)));
    }

    #[test]
    fn no_limit_is_raised() {
        let check = |wanted: u64, present: u64, expected: u64| {
            let limit = lowered(Limit::same(Resource::Stack, wanted), present);
            assert_eq!(limit, Limit::same(Resource::Stack, expected));
        };
        check(5, ENDLESS, 5);
        check(5, 3, 3);
        check(ENDLESS, 3, 3);
        check(ENDLESS, ENDLESS, ENDLESS);
    }

    #[test]
    fn the_judges_own_memory_is_nobody_elses() {
        assert_eq!(own_memory(10 << 20, Some(30 << 20)), 0);
        assert_eq!(own_memory(33 << 20, Some(30 << 20)), 0);
        assert_eq!(own_memory(90 << 20, Some(30 << 20)), 90 << 20);
        assert_eq!(own_memory(1 << 20, None), 1 << 20);
    }
}
