//! Resource limits (`setrlimit`) of the contestant: a second line behind the control group, and the only limits if
//! there is none.

use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::Resource;

use crate::sandbox::clock::charged_seconds;
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::cgroup::Placement;
use crate::sandbox::linux::setup::{SlotSetup, UserChange};
use crate::sandbox::linux::sys;
use crate::sandbox::rlimits::{
    self, OPEN_FILES, ResourceLimit, STACK_WITHOUT_MEMORY_LIMIT, UNLIMITED, UNUSED_MEMORY,
    hard_limit,
};
use juror_core::isolation::Isolation;
use juror_core::limits::Limits;
use juror_core::outcome::Meter;
use juror_core::units::Bytes;

/// For one process, if programs have the judge's own user, whose pipes are counted together (see `pipes`).
pub(super) const OPEN_FILES_OF_THE_USER: u64 = 256;

/// For one process, in bytes.
const LOCKED_MEMORY: u64 = 64 << 10;

/// Upper bound on queued signals and POSIX timers. The kernel counts them for a user, so all runs of an ordinary user
/// share them: each gets at most one part in [`SHARERS`].
const PENDING_SIGNALS: u64 = 4096;
const SHARERS: u64 = 8;

/// Every program must have this many.
const LEAST_SIGNALS: u64 = 32;

/// Processes that the user of the judge may start during a run, including other runs, if the kernel counts all of a
/// user together. If this were too small, a program would fail because of other processes.
const OTHERS_OF_THE_USER: u64 = 512;

/// Nobody has so many processes that a limit above this is near. To count them takes longer than a short run.
const ENOUGH_PROCESSES: u64 = 8192;

/// Limits that programs inherit from the judge unless they are set. They would stop programs or refuse what they may
/// do. Each has its option of `prlimit(1)`.
pub(crate) const INHERITED: [(Resource, &str); 8] = [
    (Resource::Cpu, "cpu"),
    (Resource::Fsize, "fsize"),
    (Resource::Data, "data"),
    (Resource::Stack, "stack"),
    (Resource::Nproc, "nproc"),
    (Resource::Nofile, "nofile"),
    (Resource::Sigpending, "sigpending"),
    (Resource::As, "as"),
];

pub(crate) fn lift_limits() {
    for (resource, _) in INHERITED {
        // No process may have an unlimited number of open files.
        let most = if resource == Resource::Nofile { OPEN_FILES } else { UNLIMITED };
        let hard = hard_limit(resource);
        if hard >= most || sys::set_limit(resource, most, most).is_err() {
            let _ = sys::set_limit(resource, hard, hard);
        }
    }
}

/// Checks that programs can have this much; otherwise a verdict could be the machine's fault.
fn require_limit(resource: Resource, needed: u64) -> Result<(), Fault> {
    let most = hard_limit(resource);
    if most >= needed {
        return Ok(());
    }
    let limit = INHERITED.iter().find(|(other, _)| *other == resource);
    let option = limit.map_or("", |(_, option)| option);
    let enough = if resource == Resource::Nofile { "4096" } else { "unlimited" };
    let reason = format!(
        "programs need the limit `{option}` at {needed}, but juror itself has only {most}; raise it: \
         sudo prlimit --pid $$ --{option}={enough}:{enough}"
    );
    Err(Fault::new("limit resources", reason))
}

/// Sets the limits that all runs inherit from the slot. The slot itself may have more files open than they, so that it
/// can send descriptors, however many of theirs are in flight.
pub(crate) fn set_slot_limits() -> Result<(), Fault> {
    require_limit(Resource::Nofile, OPEN_FILES)?;
    require_limit(Resource::Sigpending, SHARERS * LEAST_SIGNALS)?;
    let signals = hard_limit(Resource::Sigpending) / SHARERS;
    let limits = [
        (Resource::Sigpending, signals.min(PENDING_SIGNALS)),
        (Resource::Memlock, LOCKED_MEMORY),
        (Resource::Msgqueue, 0),
        (Resource::Rtprio, 0),
        (Resource::Nice, 0),
    ];
    limits
        .into_iter()
        .try_for_each(|(resource, most)| lower_limit(resource, most))
        .step("limit resources")
}

/// Fails if programs cannot use all that these limits permit.
pub(crate) fn run_limits(
    requested: &Limits,
    setup: &SlotSetup,
) -> Result<Vec<ResourceLimit>, Fault> {
    let placement = setup.placement.as_ref();
    let open_files = match setup.identity.change {
        UserChange::Unchanged => OPEN_FILES_OF_THE_USER,
        UserChange::Switch => OPEN_FILES,
    };
    // If no group counts memory, the slot measures what is really used; this limits the growth between two
    // measurements.
    let is_uncounted = placement.is_none_or(|group| group.memory_meter() == Meter::Rusage);
    let memory = is_uncounted.then_some(Resource::Data);
    let mut limits = rlimits::resource_limits(requested, open_files, requested.file_size(), memory);
    limits.iter().try_for_each(|limit| require_limit(limit.resource, limit.hard))?;
    // A program can ask for this limit, so it is the same under each time limit: that of juror.
    if let Some(limit) = requested.cpu_time {
        require_limit(Resource::Cpu, charged_seconds(limit))?;
    }
    if let Some(Bytes(memory)) = requested.memory {
        let requested_memory = memory.saturating_add(UNUSED_MEMORY);
        // The memory limit stops endless recursion.
        require_limit(Resource::Stack, memory)?;
        require_limit(Resource::Data, requested_memory)?;
        require_limit(Resource::As, requested_memory)?;
    } else {
        let stack = hard_limit(Resource::Stack).min(STACK_WITHOUT_MEMORY_LIMIT);
        limits.push(ResourceLimit::soft_and_hard(Resource::Stack, stack));
    }
    let Some(processes) = requested.processes.map(u64::from) else {
        return Ok(limits);
    };
    if placement.is_some_and(Placement::limits_processes) {
        require_limit(Resource::Nproc, processes)?;
        return Ok(limits);
    }
    // In a user namespace, the slot and PID 1 have the same user; otherwise, only the holder of the user number has
    // it.
    let own = match setup.identity.change {
        UserChange::Unchanged => 2,
        UserChange::Switch => 1,
    };
    let is_shared = setup.identity.change == UserChange::Unchanged;
    let is_bare = setup.mechanism.isolation == Isolation::Landlock;
    // All processes of the judge's own user count. In a user namespace they count only against the limit outside of
    // it, and have the user that they are shown as.
    let others = if is_shared && (is_bare || hard_limit(Resource::Nproc) < ENOUGH_PROCESSES) {
        tasks_of(if is_bare { setup.outside_uid } else { setup.identity.uid })?
    } else {
        0
    };
    let needed = processes + own + others;
    require_limit(Resource::Nproc, needed)?;
    let most = if is_shared && is_bare {
        (needed + OTHERS_OF_THE_USER).min(hard_limit(Resource::Nproc))
    } else {
        processes + own
    };
    limits.push(ResourceLimit::soft_and_hard(Resource::Nproc, most));
    Ok(limits)
}

fn tasks_of(user: u32) -> Result<u64, Fault> {
    let processes = fs::read_dir("/proc").step("count the processes of the user")?.flatten();
    let of_the_user = processes.filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes().iter().all(u8::is_ascii_digit)
            && entry.metadata().is_ok_and(|found| found.uid() == user)
    });
    // A directory has a link for itself, one from above, and one for each directory in it.
    let threads = of_the_user.filter_map(|entry| entry.path().join("task").metadata().ok());
    Ok(threads.map(|found| found.nlink().saturating_sub(2)).sum())
}

/// Without root's rights, a limit can only be lowered.
fn lower_limit(resource: Resource, most: u64) -> sys::Result<()> {
    let most = most.min(hard_limit(resource));
    sys::set_limit(resource, most, most).map(|_| ())
}

/// The filter then prevents a change of this limit.
pub(crate) fn forbid_dumps() -> Result<(), Fault> {
    // In bytes: too small for any dump, and the only value at which the kernel does not start the machine's dump
    // handler, a process of root outside the sandbox.
    lower_limit(Resource::Core, 1).step("forbid memory dumps")
}

pub(crate) fn core_count() -> u64 {
    let set = rustix::thread::sched_getaffinity(None);
    set.map_or(1, |set| u64::from(set.count()).max(1))
}
