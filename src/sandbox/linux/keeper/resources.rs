//! Limit limits (`setrlimit`) of the contestant: backstops behind the control group, and the
//! limits themselves if there is none.

use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::{Resource, getrlimit};

use crate::model::isolation::Isolation;
use crate::model::limits::Limits;
use crate::model::outcome::Meter;
use crate::model::units::Bytes;
use crate::sandbox::clock::cpu_backstop;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::linux::cgroup::Placement;
use crate::sandbox::linux::keeper::prepare::Setup;
use crate::sandbox::linux::run::child::{Change, Limit};
use crate::sandbox::linux::sys;

/// Open files of one process: enough for run-time systems. The kernel lets a process send descriptors as
/// long as its user has no more than this on their way, and some 250 at once. What a hostile program
/// has on their way must stay below 1024, the usual limit of other processes of the same user, or they
/// could send none, the judge among them.
const OPEN_FILES: u64 = 768;

/// The same if programs are of the judge's own user, whose pipes are counted together (see `pipes`).
pub(super) const OPEN_FILES_OF_THE_USER: u64 = 256;

/// Memory that one process can keep from being swapped out, in bytes.
const LOCKED_MEMORY: u64 = 64 << 10;

/// Queued signals and POSIX timers, at most. The kernel counts them for a user, so of an ordinary user all runs share what there
/// is: none has more than one part in [`SHARERS`] of it.
const PENDING_SIGNALS: u64 = 4096;
const SHARERS: u64 = 8;

/// So many every program is to have.
const LEAST_SIGNALS: u64 = 32;

/// Memory that a process may ask for beyond its limit if no control group counts what it holds,
/// in bytes.
const UNUSED_MEMORY: u64 = 1 << 30;

/// Processes that the user of the judge may start during a run, other runs among them, if the kernel
/// counts all of a user together. Too few would make a program fail for what it did not do.
const OTHERS_OF_THE_USER: u64 = 512;

/// What programs inherit from the judge unless it is set, and what would then end or refuse what they may do; each
/// with its option of `prlimit(1)`.
const INHERITED: [(Resource, &str); 8] = [
    (Resource::Cpu, "cpu"),
    (Resource::Fsize, "fsize"),
    (Resource::Data, "data"),
    (Resource::Stack, "stack"),
    (Resource::Nproc, "nproc"),
    (Resource::Nofile, "nofile"),
    (Resource::Sigpending, "sigpending"),
    (Resource::As, "as"),
];

/// Lifts the limits that the slot has from the judge, as far as it may.
pub(crate) fn lift() {
    for (resource, _) in INHERITED {
        // No process may have any number of open files.
        let most = if resource == Resource::Nofile { OPEN_FILES } else { u64::MAX };
        let hard = present(resource);
        if hard >= most || sys::set_limit(resource, most, most).is_err() {
            let _ = sys::set_limit(resource, hard, hard);
        }
    }
}

/// Whether programs can have so much; if not, a verdict could be the machine's fault.
fn allow(resource: Resource, needed: u64) -> Result<(), Fault> {
    let most = present(resource);
    if most >= needed {
        return Ok(());
    }
    let option = INHERITED.iter().find(|(other, _)| *other == resource).map_or("", |(_, it)| it);
    let enough = if resource == Resource::Nofile { "4096" } else { "unlimited" };
    let reason = format!(
        "programs need the limit `{option}` at {needed}, but juror itself has only {most}; raise it: \
         sudo prlimit --pid $$ --{option}={enough}:{enough}"
    );
    Err(Fault::new("limit resources", reason))
}

/// Sets the limits that all runs have for the slot, which they come from. It may itself have more files open than they, so
/// that it can send descriptors whatever they have on their way.
pub(crate) fn limit_all() -> Result<(), Fault> {
    allow(Resource::Nofile, OPEN_FILES)?;
    allow(Resource::Sigpending, SHARERS * LEAST_SIGNALS)?;
    let signals = present(Resource::Sigpending) / SHARERS;
    let limits = [
        (Resource::Sigpending, signals.min(PENDING_SIGNALS)),
        (Resource::Memlock, LOCKED_MEMORY),
        (Resource::Msgqueue, 0),
        (Resource::Rtprio, 0),
        (Resource::Nice, 0),
    ];
    limits
        .into_iter()
        .try_for_each(|(resource, most)| lower(resource, most))
        .step("limit resources")
}

/// The limits for a run, if programs can have all that these allow.
pub(crate) fn list(wanted: &Limits, setup: &Setup) -> Result<Vec<Limit>, Fault> {
    let placement = setup.placement.as_ref();
    let mut limits = vec![same(
        Resource::Nofile,
        match setup.identity.change {
            Change::Already => OPEN_FILES_OF_THE_USER,
            Change::Switch => OPEN_FILES,
        },
    )];
    if let Some(output) = wanted.output {
        allow(Resource::Fsize, output.0)?;
        limits.push(same(Resource::Fsize, output.0));
    }
    if let Some(time) = wanted.cpu_time {
        let seconds = cpu_backstop(time);
        allow(Resource::Cpu, seconds + 1)?;
        limits.push(Limit { soft: seconds, ..same(Resource::Cpu, seconds + 1) });
    }
    if let Some(Bytes(memory)) = wanted.memory {
        // Memory that is only asked for, of which some run-time systems ask for much.
        let asked = memory.saturating_add(UNUSED_MEMORY);
        // The memory limit ends endless recursion.
        allow(Resource::Stack, memory)?;
        allow(Resource::Data, asked)?;
        allow(Resource::As, asked)?;
        if placement.is_none_or(|place| place.memory() == Meter::Rusage) {
            // The slot looks at what is really held; this holds what grows between two looks.
            limits.push(same(Resource::Data, asked));
        }
    }
    let Some(processes) = wanted.processes.map(u64::from) else {
        return Ok(limits);
    };
    if placement.is_some_and(Placement::limits_processes) {
        allow(Resource::Nproc, processes)?;
        return Ok(limits);
    }
    // In a user namespace the slot and PID 1 are of the same user; else who holds the user's number is.
    let own = match setup.identity.change {
        Change::Already => 2,
        Change::Switch => 1,
    };
    // And without even that, of the same user as all that the judge's own user runs.
    let is_shared = setup.mechanism.isolation == Isolation::Landlock
        && setup.identity.change == Change::Already;
    let (others, later) = match is_shared {
        true => (tasks_of(setup.outside_uid), OTHERS_OF_THE_USER),
        false => (0, 0),
    };
    let needed = processes + own + others;
    allow(Resource::Nproc, needed)?;
    let most = (needed + later).min(present(Resource::Nproc));
    limits.push(same(Resource::Nproc, most));
    Ok(limits)
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

fn same(resource: Resource, value: u64) -> Limit {
    Limit { resource, soft: value, hard: value }
}

/// The hard limit of a resource at present.
fn present(resource: Resource) -> u64 {
    getrlimit(resource).maximum.unwrap_or(u64::MAX)
}

/// Limits a resource of this process to so much. Without root's rights a limit can only be lowered.
fn lower(resource: Resource, most: u64) -> sys::Result<()> {
    let most = most.min(present(resource));
    sys::set_limit(resource, most, most).map(|_| ())
}

/// Forbids memory dumps for the slot and all that it starts: what the filter then keeps from being changed.
pub(crate) fn forbid_dumps() -> Result<(), Fault> {
    // In bytes: too small for any, and the one value at which the kernel does not start the machine's
    // handler of dumps, a process of root outside of the sandbox.
    lower(Resource::Core, 1).step("forbid memory dumps")
}

/// How many cores this process, and so the program, may use at the same time.
pub(crate) fn cores() -> u64 {
    let set = rustix::thread::sched_getaffinity(None);
    set.map_or(1, |set| u64::from(set.count()).max(1))
}
