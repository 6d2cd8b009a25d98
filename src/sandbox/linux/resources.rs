//! Resource limits (`setrlimit`) of the contestant: backstops behind the control group, and the
//! limits themselves where there is none.

use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::model::isolation::Isolation;
use crate::model::outcome::Meter;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::linux::cgroup::Placement;
use crate::sandbox::linux::init::{Change, Kind, Resource};
use crate::sandbox::linux::prepare::Setup;
use crate::sandbox::linux::sys;
use crate::sandbox::linux::wire::RunRequest;

/// Open files of one process: enough for run-time systems. The kernel lets a process send descriptors as
/// long as its user has no more than this on their way, and some 250 at once. What a hostile program
/// has on their way must stay below 1024, the usual limit of other processes of the same user, or they
/// could send none, the judge among them.
const OPEN_FILES: u64 = 768;

/// Memory that one process can keep from being swapped out, in bytes.
const LOCKED_MEMORY: u64 = 64 << 10;

/// Memory that a process may ask for beyond its limit where no control group counts what it holds,
/// in bytes.
const UNUSED_MEMORY: u64 = 1 << 30;

/// Processes that the user of the judge may start during a run, other runs among them, where the kernel
/// counts all of a user together. Too few would make a program fail for what it did not do.
const OTHERS_OF_THE_USER: u64 = 512;

/// Sets the limits that all runs have for the slot, which they come from; and lets it have more files open than they, so that
/// it can send descriptors whatever they have on their way.
pub(super) fn limit_all(setup: &Setup) -> Result<(), Fault> {
    let files = sys::hard_limit(Kind::OpenFiles as u32).step("read the limit of open files")?;
    let mut limits = [
        same(Kind::OpenFiles, files),
        // The memory limit ends endless recursion.
        same(Kind::Stack, u64::MAX),
        same(Kind::LockedMemory, LOCKED_MEMORY),
        same(Kind::MessageQueues, 0),
        same(Kind::RealTime, 0),
        same(Kind::Nice, 0),
    ];
    lower_if_needed(&mut limits, setup);
    limits.iter().try_for_each(|limit| {
        sys::set_limit(limit.kind as u32, limit.soft, limit.hard)
            .map(|_| ())
            .step("limit resources")
    })
}

/// The limits for a run.
pub(super) fn list(request: &RunRequest, setup: &Setup) -> Vec<Resource> {
    let placement = setup.placement.as_ref();
    let mut limits = vec![
        same(Kind::FileSize, request.output.unwrap_or(u64::MAX)),
        same(Kind::OpenFiles, OPEN_FILES),
    ];
    if let Some(nanoseconds) = request.cpu_time {
        // Whole seconds, and only of one process: this holds if the slot's own watch should fail.
        let seconds = nanoseconds.div_ceil(1_000_000_000) + 1;
        limits.push(Resource {
            soft: seconds,
            ..same(Kind::Cpu, seconds + 1)
        });
    }
    let memory_is_metered = placement.is_some_and(|place| place.memory() != Meter::Rusage);
    if let Some(memory) = request.memory.filter(|_| !memory_is_metered) {
        // The slot looks at what is really held; this holds what grows between two looks. It counts
        // memory that is only asked for, of which some run-time systems ask for much.
        limits.push(same(Kind::Data, memory.saturating_add(UNUSED_MEMORY)));
    }
    let processes_are_counted = placement.is_some_and(Placement::limits_processes);
    if let Some(processes) = request.processes.filter(|_| !processes_are_counted) {
        // In a user namespace the slot and PID 1 are of the same user.
        let own = match setup.identity.change {
            Change::Already => 2,
            Change::Switch => 0,
        };
        // And without even that, of the same user as all that the judge's own user runs.
        let others = match (setup.isolation, setup.identity.change) {
            (Isolation::Landlock, Change::Already) => {
                tasks_of(setup.outside_uid).saturating_add(OTHERS_OF_THE_USER)
            }
            _ => 0,
        };
        limits.push(same(Kind::Processes, u64::from(processes) + own + others));
    }
    lower_if_needed(&mut limits, setup);
    limits
}

/// Where limits may not be raised: root may lack the right to that in a container.
fn lower_if_needed(limits: &mut [Resource], setup: &Setup) {
    if setup.identity.change == Change::Already || setup.isolation == Isolation::Landlock {
        limits.iter_mut().for_each(lower_to_present);
    }
}

/// How many processes and threads a user has.
fn tasks_of(user: u32) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let of_the_user = processes.filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes().iter().all(u8::is_ascii_digit)
            && entry.metadata().is_ok_and(|found| found.uid() == user)
    });
    // A directory has a link for itself, one from above, and one for each directory in it.
    let threads = of_the_user.filter_map(|entry| entry.path().join("task").metadata().ok());
    threads.map(|found| found.nlink().saturating_sub(2)).sum()
}

fn same(kind: Kind, value: u64) -> Resource {
    Resource {
        kind,
        soft: value,
        hard: value,
    }
}

/// Without root's rights a limit can only be lowered.
fn lower_to_present(resource: &mut Resource) {
    if let Ok(present) = sys::hard_limit(resource.kind as u32) {
        resource.hard = resource.hard.min(present);
        resource.soft = resource.soft.min(resource.hard);
    }
}

/// Forbids memory dumps for the slot and all that it starts: what the filter then keeps from being changed.
pub(super) fn forbid_dumps() -> Result<(), Fault> {
    // In bytes: too small for any, and the one value at which the kernel does not start the machine's
    // handler of dumps, a process of root outside of the sandbox.
    let mut limit = same(Kind::Core, 1);
    lower_to_present(&mut limit);
    sys::set_limit(limit.kind as u32, limit.soft, limit.hard)
        .map(|_| ())
        .step("forbid memory dumps")
}

/// How many cores this process, and so the program, may use at the same time.
pub(super) fn cores() -> u64 {
    let set = rustix::thread::sched_getaffinity(None);
    set.map_or(1, |set| u64::from(set.count()).max(1))
}
