//! Turns a fork of the judge into a slot's process: isolated, in its own namespaces, with its own view, and with only
//! the rights that it needs.

use std::fs;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::path::Path;
use std::sync::Arc;

use rustix::process::PidfdFlags;
use rustix::thread::CpuSet;

use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::cgroup::{self, NoGroups, OomPolicy, Placement, SlotGroups};
use crate::sandbox::linux::keeper::notifications::Notifications;
use crate::sandbox::linux::keeper::procfs::{self, MachineProc};
use crate::sandbox::linux::keeper::resources;
use crate::sandbox::linux::run::child::ProcessStack;
use crate::sandbox::linux::setup::{SlotSetup, UserChange, UserIdentity};
use crate::sandbox::linux::sys;
use crate::sandbox::linux::view::boxes::{LANDLOCK_SINCE, open_path};
use crate::sandbox::linux::view::landlock::LandlockView;
use crate::sandbox::linux::view::mounts::{SlotContext, ViewTemplate};
use juror_core::isolation::Isolation;
use juror_core::outcome::Meter;

pub(crate) enum ProgramView {
    Template(ViewTemplate),
    Landlock(LandlockView),
}

pub(crate) struct PreparedSlot {
    pub(crate) group: Box<dyn SlotGroups>,
    pub(crate) view: ProgramView,
    /// Landlock's version; `None` if it cannot be used.
    pub(crate) landlock: Option<usize>,
    pub(crate) devices: Option<OwnedFd>,
    /// Stacks for two PID 1s: that of a run, and that of the next, which may start before the first is gone.
    pub(crate) pid1_stacks: [ProcessStack; 2],
    pub(crate) child_stack: ProcessStack,
    /// `None` unless the slot itself has a lower one.
    pub(crate) nice: Option<i32>,
    /// CPU time or memory is measured in `/proc`, where the slot can see processes.
    pub(crate) measures_processes: bool,
    pub(crate) cores: u64,
    pub(crate) notifications: Option<Notifications>,
    pub(crate) proc: Arc<MachineProc>,
    pub(crate) process: OwnedFd,
}

/// Closes all descriptors of the judge except these, leaves its terminal and session, and resets its signal handlers.
pub(crate) fn close_other_descriptors(inherited: [Option<RawFd>; 2]) -> [Option<OwnedFd>; 2] {
    const FIRST: RawFd = 3;
    /// Above all descriptors that stay open, whatever their numbers are.
    const ASIDE: RawFd = 8;
    let _ = sys::block_signals(u64::MAX);
    sys::reset_signal_handlers();
    let _ = sys::setsid();
    let aside = inherited.map(|fd| fd.and_then(|fd| sys::duplicate_above(fd, ASIDE).ok()));
    let mut next = FIRST;
    let inherited = aside.map(|fd| {
        let number = next;
        sys::dup3(fd?, number, libc::O_CLOEXEC).ok()?;
        next += 1;
        // SAFETY: this process has just put it there, and no other code knows the number.
        Some(unsafe { OwnedFd::from_raw_fd(number) })
    });
    let _ = sys::close_range(next as u32, u32::MAX, 0);
    // The three standard numbers must be in use, so that no other descriptor ever gets one.
    if let Ok(null) = sys::openat(libc::AT_FDCWD, c"/dev/null", libc::O_RDWR, 0) {
        let null = std::os::fd::AsRawFd::as_raw_fd(&null);
        for number in 0..FIRST {
            let _ = sys::dup3(null, number, libc::O_CLOEXEC);
        }
    }
    inherited
}

/// After a failure, nothing is left behind.
pub(crate) fn prepare_slot(setup: &SlotSetup) -> Result<PreparedSlot, Fault> {
    // Refused without a right that even root may lack in a container.
    let slot = match fs::write("/proc/self/oom_score_adj", "-1000") {
        Ok(()) => OomPolicy::SpareSlot,
        Err(_) => OomPolicy::MayKillSlot,
    };
    let mut group = cgroup::create(setup.placement.as_ref(), &setup.name, slot)?;
    match prepare_after_groups(setup) {
        Ok(ready) => Ok(PreparedSlot { group, ..ready }),
        Err(fault) => {
            group.remove();
            Err(fault)
        }
    }
}

fn prepare_after_groups(setup: &SlotSetup) -> Result<PreparedSlot, Fault> {
    sys::umask(0).step("set the mask for new files")?;
    // Must come before a user namespace, which inherits its maker's limit of processes.
    resources::lift_limits();
    if let Some(core) = setup.core {
        pin_to_core(core)?;
    }
    let is_bare = setup.mechanism.isolation == Isolation::Landlock;
    if !is_bare {
        make_namespaces(setup).map_err(Fault::for_namespaces)?;
    }
    let is_metered = |meter: fn(&Placement) -> Meter| {
        setup.placement.as_ref().is_some_and(|placement| meter(placement) != Meter::Rusage)
    };
    let in_user_namespace = setup.identity.change == UserChange::Unchanged;
    let looks_at_processes =
        !is_metered(Placement::cpu_meter) || !is_metered(Placement::memory_meter);
    if looks_at_processes {
        procfs::check_children_are_shown()?;
    }
    let context = if in_user_namespace || looks_at_processes {
        SlotContext::WithMachineProc
    } else {
        SlotContext::WithoutProc
    };
    let mut view = None;
    let mut devices = None;
    let proc = Arc::new(MachineProc::open());
    if !is_bare {
        view = Some(ProgramView::Template(ViewTemplate::build(setup.identity, context)?));
        devices = Some(open_path(Path::new("/dev"))?);
    }
    give_up_rights(setup)?;
    let view = match view {
        Some(view) => view,
        None => ProgramView::Landlock(LandlockView::make(setup)?),
    };
    let pass = sys::choose_pass().step("choose a random number")?;
    let notifications = Notifications::install(pass, &setup.alarms, Arc::clone(&proc));
    let notifications = notifications.step("install the system call filter")?;
    sys::umask(0o022).step("set the mask for new files")?;
    let version = sys::landlock_version().ok();
    let landlock = version.filter(|version| *version >= LANDLOCK_SINCE);
    let nice = raise_priority();
    resources::set_slot_limits()?;
    Ok(PreparedSlot {
        group: Box::new(NoGroups),
        view,
        landlock,
        devices,
        pid1_stacks: [new_stack()?, new_stack()?],
        child_stack: new_stack()?,
        nice,
        measures_processes: looks_at_processes,
        process: rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())
            .step("open the slot's own process")?,
        cores: resources::core_count(),
        notifications,
        proc,
    })
}

/// Gives the slot and PID 1 priority over programs, so that limits hold even while hundreds of processes compete for
/// the processor. Returns the niceness of the judge, which its programs get; `None` if this process has no right to
/// raise its priority.
fn raise_priority() -> Option<i32> {
    const HOW_MUCH: i32 = 10;
    const MOST: i32 = -20;
    let present = 20 - i32::try_from(sys::getpriority(0, 0).ok()?).ok()?;
    let nice = (present - HOW_MUCH).max(MOST);
    sys::setpriority(0, 0, nice).ok().map(|_| present)
}

fn pin_to_core(core: usize) -> Result<(), Fault> {
    let mut set = CpuSet::new();
    if core >= CpuSet::MAX_CPU {
        return Err(Fault::new(format!("stay on core {core}"), "no such core"));
    }
    set.set(core);
    rustix::thread::sched_setaffinity(None, &set).step_on("stay on core", core)
}

fn make_namespaces(setup: &SlotSetup) -> Result<(), Fault> {
    if setup.identity.change == UserChange::Unchanged {
        sys::unshare(libc::CLONE_NEWUSER).step("make namespaces (user)")?;
        let UserIdentity { uid, gid, .. } = setup.identity;
        let write = |name: &str, text: String| {
            let path = format!("/proc/self/{name}");
            fs::write(&path, text).step_on("make namespaces (user): write", path)
        };
        write("setgroups", "deny".to_owned())?;
        write("uid_map", format!("{uid} {} 1", setup.outside_uid))?;
        write("gid_map", format!("{gid} {} 1", setup.outside_gid))?;
    }
    let flags = libc::CLONE_NEWNS | libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
    sys::unshare(flags).step("make namespaces (mounts, network, messages, name)")?;
    // With version 2, a run has its own control group, and makes the namespace itself. From inside one, the kernel may
    // refuse to start processes in sibling groups.
    if !matches!(setup.placement, Some(Placement::V2(_))) {
        sys::unshare(libc::CLONE_NEWCGROUP).step("make namespaces (control groups)")?;
    }
    rustix::system::sethostname(b"juror").step("set the sandbox's host name")
}

/// Gives up rights that neither the slot nor a contestant may ever regain.
fn give_up_rights(setup: &SlotSetup) -> Result<(), Fault> {
    sys::new_keyring();
    const LAST_CAPABILITY: usize = 63;
    for capability in 0..=LAST_CAPABILITY {
        // Numbers above the kernel's last one are refused.
        let _ = sys::prctl(libc::PR_CAPBSET_DROP, capability, 0);
    }
    let clear = libc::PR_CAP_AMBIENT_CLEAR_ALL as usize;
    let _ = sys::prctl(libc::PR_CAP_AMBIENT, clear, 0);
    resources::forbid_dumps()?;
    if setup.identity.change == UserChange::Switch {
        sys::leave_groups().step("leave all groups")?;
    }
    sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0).step("forbid new privileges")?;
    // Nobody may read the memory of the slot and of PID 1. In a user namespace this would also remove the slot's own
    // entries in /proc, which PID 2 needs. There the kernel's other rules must suffice: a process without capabilities
    // cannot inspect one that has them.
    if setup.identity.change == UserChange::Switch {
        sys::prctl(libc::PR_SET_DUMPABLE, 0, 0).step("hide the slot's memory")?;
    }
    Ok(())
}

/// PID 1 and PID 2 need little.
fn new_stack() -> Result<ProcessStack, Fault> {
    const LENGTH: usize = 64 << 10;
    let bottom = sys::allocate_pages(LENGTH).step("make a stack")?;
    Ok(ProcessStack { bottom: bottom as u64, length: LENGTH as u64 })
}
