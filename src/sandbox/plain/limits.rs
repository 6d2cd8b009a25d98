//! Resource limits of a plain run, and what is not enforced there.

use std::fs::File;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, getrlimit};

use crate::model::limits::Limits;
use crate::sandbox::clock::cpu_backstop;
use crate::sandbox::image::Image;

/// Open files of one process: enough for run-time systems.
const OPEN_FILES: u64 = 768;

/// Memory that a process may request beyond its limit, in bytes. Some run-time systems request much that they do not
/// use.
const UNUSED_MEMORY: u64 = 1 << 30;

/// Stack beyond the memory limit, in bytes, so that endless recursion shows as more memory than permitted.
const MORE_STACK: u64 = 16 << 20;

/// What a file may have beyond the output limit, in bytes. Some systems refuse the whole of a write that would pass the
/// limit of files; then nothing would show that the program wanted more than its output limit.
const MORE_OUTPUT: u64 = 64 << 20;

/// The limit of requested memory. On systems other than Linux, data only means memory from `sbrk`, which is little:
/// see the systems' manual pages `getrlimit(2)`.
const MEMORY: Resource = if cfg!(target_os = "linux") { Resource::Data } else { Resource::As };

/// Upper bound on the difference of two readings of the same memory, in bytes.
const INEXACT: u64 = 4 << 20;

/// One limit; `None` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) resource: Resource,
    pub(super) soft: Option<u64>,
    pub(super) hard: Option<u64>,
}

/// The limits for a run.
pub(super) fn list(limits: &Limits) -> Vec<Limit> {
    let present = |resource| getrlimit(resource).maximum;
    wanted(limits).into_iter().map(|limit| lowered(limit, present(limit.resource))).collect()
}

fn wanted(limits: &Limits) -> Vec<Limit> {
    let same = |resource, value| Limit { resource, soft: value, hard: value };
    let mut list = vec![
        same(Resource::Core, Some(0)),
        same(Resource::Nofile, Some(OPEN_FILES)),
        same(Resource::Fsize, limits.output.map(|limit| limit.0.saturating_add(MORE_OUTPUT))),
    ];
    let memory = limits.memory.map(|limit| limit.0);
    // Set if the system permits that much; macOS, for one, does not.
    list.push(same(Resource::Stack, memory.map(|limit| limit.saturating_add(MORE_STACK))));
    if let Some(memory) = memory {
        let most = memory.saturating_add(UNUSED_MEMORY);
        list.push(same(MEMORY, Some(most)));
    }
    if let Some(time) = limits.cpu_time {
        let seconds = if cfg!(target_vendor = "apple") {
            // Nothing else ends the program there. Beyond the limit, so that the measured time decides.
            time.as_secs() + 1
        } else {
            cpu_backstop(time)
        };
        list.push(Limit { resource: Resource::Cpu, soft: Some(seconds), hard: Some(seconds + 1) });
    }
    list
}

/// Whether a program requests more memory by its file than it may have, so that it never began.
pub(super) fn refuses_to_start(program: &str, limits: &Limits) -> bool {
    let list = list(limits);
    let most = list.iter().find(|limit| limit.resource == MEMORY);
    // Somebody may have put a fifo in its place.
    let options = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(program, options, Mode::empty()).map(File::from);
    let image = file.ok().as_ref().and_then(Image::read);
    let most = most.and_then(|limit| limit.soft);
    image.zip(most).is_some_and(|(image, most)| image.writable > most)
}

/// Adjusts a limit, which can only be lowered.
fn lowered(limit: Limit, present: Option<u64>) -> Limit {
    let least = |wanted: Option<u64>, most: Option<u64>| match (wanted, most) {
        (Some(wanted), Some(most)) => Some(wanted.min(most)),
        (wanted, most) => wanted.or(most),
    };
    let hard = least(limit.hard, present);
    Limit { soft: least(limit.soft, hard), hard, ..limit }
}

/// The part of the counted memory that is the program's own, in bytes. Up to the inherited amount, the count says
/// nothing about it.
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
    use crate::model::units::Bytes;
    use std::time::Duration;

    #[test]
    fn limits_are_wanted_as_the_job_says() {
        let limits = Limits {
            cpu_time: Some(Duration::from_millis(1500)),
            memory: Some(Bytes::mib(64)),
            output: Some(Bytes::mib(1)),
            ..Limits::default()
        };
        let check = |resource: Resource, expected: Option<(Option<u64>, Option<u64>)>| {
            let list = wanted(&limits);
            let found = list.iter().find(|limit| limit.resource == resource);
            let found = found.map(|limit| (limit.soft, limit.hard));
            assert_eq!(found, expected, "{resource:?}");
        };
        let same = |value| Some((Some(value), Some(value)));
        let is_apple = cfg!(target_vendor = "apple");
        check(Resource::Cpu, Some(if is_apple { (Some(2), Some(3)) } else { (Some(4), Some(5)) }));
        check(Resource::Core, same(0));
        check(Resource::Fsize, same((1 << 20) + MORE_OUTPUT));
        check(Resource::Stack, same((64 + 16) << 20));
        check(MEMORY, same((64 << 20) + (1 << 30)));
    }

    #[test]
    fn no_limit_is_raised() {
        let check = |wanted: Option<u64>, present: Option<u64>, expected: Option<u64>| {
            let limit = Limit { resource: Resource::Stack, soft: wanted, hard: wanted };
            let found = lowered(limit, present);
            assert_eq!((found.soft, found.hard), (expected, expected));
        };
        check(Some(5), None, Some(5));
        check(Some(5), Some(3), Some(3));
        check(None, Some(3), Some(3));
        check(None, None, None);
    }

    #[test]
    fn the_judges_own_memory_is_nobody_elses() {
        assert_eq!(own_memory(10 << 20, Some(30 << 20)), 0);
        assert_eq!(own_memory(33 << 20, Some(30 << 20)), 0);
        assert_eq!(own_memory(90 << 20, Some(30 << 20)), 90 << 20);
        assert_eq!(own_memory(1 << 20, None), 1 << 20);
    }
}
