//! What this machine offers for a sandbox; found once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

use crate::sandbox::linux::cgroup::{ControllerDirectories, Placement, stale};
use crate::sandbox::linux::keeper::notifications::AlarmFlag;
use crate::sandbox::linux::keeper::procfs::status_field;
use crate::sandbox::linux::setup::{SlotSetup, UserChange, UserIdentity};
use crate::sandbox::plain;
use crate::sandbox::slot::CoreId;
use juror_core::host::TriedIsolation;
use juror_core::isolation::Isolation;
use juror_core::judgement::JudgeError;
use juror_core::outcome::{Mechanism, Meter};

#[derive(Clone, Debug)]
pub struct Host {
    pub(super) placement: Option<Placement>,
    isolation: Isolation,
    pub(super) is_administrator: bool,
    landlock_user_change: UserChange,
    cores: Vec<CoreId>,
    pub(crate) refused: Vec<TriedIsolation>,
}

impl Host {
    /// Reads what this machine offers: control groups, rights, cores. Tries nothing.
    pub(crate) fn examine() -> Result<Self, JudgeError> {
        let read = |path: &str| {
            fs::read_to_string(path)
                .map_err(|error| JudgeError::new(format!("read {path}"), error))
                .map_err(|error| error.help("mount /proc; juror needs Linux 5.12 or newer"))
        };
        let mounts = read("/proc/self/mountinfo")?;
        let groups = read("/proc/self/cgroup")?;
        let status = read("/proc/self/status")?;
        let is_administrator = is_administrator(&status);
        Ok(Self {
            placement: find_placement(&mounts, &groups),
            isolation: if is_administrator {
                Isolation::Namespaces
            } else {
                Isolation::UserNamespaces
            },
            is_administrator,
            landlock_user_change: user_change_by_landlock(&status),
            refused: Vec::new(),
            cores: physical_cores(Path::new("/sys/devices/system/cpu"), &allowed_cores()),
        })
    }

    pub fn mechanism(&self) -> Mechanism {
        let placement = self.placement.as_ref();
        let placement = placement.filter(|_| self.isolation != Isolation::Plain);
        let meter = |of: fn(&Placement) -> Meter| placement.map_or(Meter::Rusage, of);
        Mechanism {
            cpu: meter(Placement::cpu_meter),
            memory: meter(Placement::memory_meter),
            isolation: self.isolation,
        }
    }

    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// The isolation methods stronger than [`isolation`](Self::isolation), and why each does not work.
    pub fn refused(&self) -> &[TriedIsolation] {
        &self.refused
    }

    /// What is not enforced if programs run plainly, one line each; empty if they do not.
    pub fn gaps(&self) -> Vec<String> {
        match self.isolation {
            Isolation::Plain => plain::gaps(),
            Isolation::Namespaces | Isolation::UserNamespaces | Isolation::Landlock => Vec::new(),
        }
    }

    pub(crate) fn with_isolation(&self, isolation: Isolation) -> Self {
        Self { isolation, ..self.clone() }
    }

    #[cfg(test)]
    pub(crate) fn with_all_rights(self) -> Self {
        Self { is_administrator: true, ..self }
    }

    /// One core for each physical one that this process may use. Two threads of one physical core slow each other
    /// down, so at most this many runs are undisturbed at the same time.
    pub fn physical_cores(&self) -> Vec<CoreId> {
        self.cores.clone()
    }

    /// Upper bound on simultaneous runs that do not disturb each other; `None` if only the processors bound them.
    ///
    /// If programs have the judge's own user, the kernel counts their processes together. A program that uses up all
    /// of them would make another fail.
    pub fn max_simultaneous_runs(&self) -> Option<usize> {
        let is_shared = self.isolation == Isolation::Landlock
            && self.landlock_user_change == UserChange::Unchanged;
        is_shared.then_some(1)
    }

    pub(crate) fn user_change(&self) -> UserChange {
        match self.isolation {
            Isolation::Namespaces => UserChange::Switch,
            Isolation::UserNamespaces => UserChange::Unchanged,
            Isolation::Landlock | Isolation::Plain => self.landlock_user_change,
        }
    }

    pub(crate) fn setup(
        &self,
        number: u32,
        user: u32,
        alarms: AlarmFlag,
        core: Option<CoreId>,
    ) -> SlotSetup {
        let change = self.user_change();
        SlotSetup {
            placement: self.placement.clone(),
            name: stale::group_name(number),
            identity: UserIdentity { uid: user, gid: user, change },
            mechanism: self.mechanism(),
            judge: std::process::id().cast_signed(),
            temporary: std::env::temp_dir(),
            outside_uid: rustix::process::geteuid().as_raw(),
            outside_gid: rustix::process::getegid().as_raw(),
            alarms,
            core: core.map(|core| core.0),
        }
    }
}

/// This process may make namespaces, mounts and groups, and change its user. User 0 often may not, for example in many
/// containers.
fn is_administrator(status: &str) -> bool {
    const CAP_SYS_ADMIN: u32 = 21;
    const CAP_SETUID: u32 = 7;
    const CAP_SETGID: u32 = 6;
    has_capabilities(status, &[CAP_SYS_ADMIN, CAP_SETUID, CAP_SETGID])
}

/// Without namespaces, programs get another user if this process has the rights for that.
///
/// To be root is not enough: this process must be able to give files away, and to kill processes of the other user.
fn user_change_by_landlock(status: &str) -> UserChange {
    const CHOWN: u32 = 0;
    const DAC_OVERRIDE: u32 = 1;
    const FOWNER: u32 = 3;
    const KILL: u32 = 5;
    const SETGID: u32 = 6;
    const SETUID: u32 = 7;
    if has_capabilities(status, &[CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID]) {
        UserChange::Switch
    } else {
        UserChange::Unchanged
    }
}

/// All of these capabilities are effective, by the text of `/proc/self/status`.
fn has_capabilities(status: &str, all: &[u32]) -> bool {
    let mask = status_field(status, "CapEff:").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    mask.is_some_and(|mask| all.iter().all(|capability| mask & (1 << capability) != 0))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CgroupHierarchy {
    /// Empty for version 2.
    pub(crate) controllers: Vec<String>,
    /// The directory of the hierarchy that is mounted.
    root: PathBuf,
    pub(crate) mount_point: PathBuf,
}

pub(crate) fn mounted_hierarchies() -> Vec<CgroupHierarchy> {
    let mounts = fs::read_to_string("/proc/self/mountinfo");
    parse_hierarchies(&mounts.unwrap_or_default())
}

/// `mounts` is the text of a `mountinfo`.
pub(super) fn parse_hierarchies(mounts: &str) -> Vec<CgroupHierarchy> {
    mounts
        .lines()
        .filter_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let before: Vec<&str> = before.split(' ').collect();
            let after: Vec<&str> = after.split(' ').collect();
            let controllers = match *after.first()? {
                "cgroup2" => Vec::new(),
                "cgroup" => after.get(2)?.split(',').map(str::to_owned).collect(),
                _ => return None,
            };
            Some(CgroupHierarchy {
                controllers,
                root: PathBuf::from(before.get(3)?),
                mount_point: PathBuf::from(before.get(4)?),
            })
        })
        .collect()
}

/// This process's group in a hierarchy as a directory. `groups` is the text of `/proc/self/cgroup`.
pub(super) fn own_group(hierarchy: &CgroupHierarchy, groups: &str) -> Option<PathBuf> {
    groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let is_this = if hierarchy.controllers.is_empty() {
            controllers.is_empty()
        } else {
            controllers
                .split(',')
                .any(|name| !name.is_empty() && hierarchy.controllers.iter().any(|own| own == name))
        };
        let below = Path::new(path).strip_prefix(&hierarchy.root).ok();
        is_this.then(|| hierarchy.mount_point.join(below.unwrap_or(Path::new(""))))
    })
}

/// Prefers version 2.
fn find_placement(mounts: &str, groups: &str) -> Option<Placement> {
    let hierarchies = parse_hierarchies(mounts);
    let second = hierarchies.iter().find(|hierarchy| hierarchy.controllers.is_empty()).and_then(
        |hierarchy| usable_version2_group(&own_group(hierarchy, groups)?, &hierarchy.mount_point),
    );
    if let Some(directory) = second {
        return Some(Placement::V2(directory));
    }
    let first = |controller: &str| {
        let hierarchy = hierarchies
            .iter()
            .find(|hierarchy| hierarchy.controllers.iter().any(|name| name == controller))?;
        let directory = own_group(hierarchy, groups)?;
        can_make_groups(&directory).then_some(directory)
    };
    let controllers = ControllerDirectories {
        memory: first("memory"),
        cpuacct: first("cpuacct"),
        pids: first("pids"),
    };
    let is_any = controllers != ControllerDirectories::default();
    is_any.then_some(Placement::V1(controllers))
}

/// The group below a delegated one to which its processes move. It is removed with the delegated one.
const MEMBER_GROUP: &str = "juror";

/// The nearest group, at or above our own, that meets two conditions. Groups with the needed controllers can be made
/// below it, and our group can start processes there.
///
/// Our own is rarely usable: a group with processes cannot hand down controllers. If no other group is ours, as in a
/// container or directly in a delegated group, its processes are moved out.
fn usable_version2_group(own: &Path, point: &Path) -> Option<PathBuf> {
    let usable = own
        .ancestors()
        .take_while(|directory| directory.starts_with(point))
        .find(|directory| is_usable_version2_group(directory));
    let emptied = || {
        // Another judge may be doing the same.
        let group = own.parent().filter(|_| own.ends_with(MEMBER_GROUP));
        Some(group.unwrap_or(own)).filter(|group| empty_own_group(group))
    };
    usable.or_else(emptied).map(Path::to_path_buf)
}

fn is_usable_version2_group(directory: &Path) -> bool {
    if !has_controllers(directory, "cgroup.controllers") {
        return false;
    }
    if !has_controllers(directory, "cgroup.subtree_control") {
        let _ = fs::write(directory.join("cgroup.subtree_control"), "+memory +pids");
    }
    has_controllers(directory, "cgroup.subtree_control")
        && can_write(directory, "cgroup.procs")
        && can_make_groups(directory)
}

fn has_controllers(directory: &Path, list: &str) -> bool {
    const NEEDED: [&str; 2] = ["memory", "pids"];
    let text = fs::read_to_string(directory.join(list)).unwrap_or_default();
    NEEDED.iter().all(|needed| text.split_whitespace().any(|name| name == *needed))
}

fn can_write(directory: &Path, name: &str) -> bool {
    rustix::fs::access(directory.join(name), Access::WRITE_OK).is_ok()
}

/// Moves the processes of our group to a group below it, so that it can hand down controllers. If that does not help,
/// they move back.
fn empty_own_group(group: &Path) -> bool {
    let is_ours =
        ["cgroup.procs", "cgroup.subtree_control"].iter().all(|name| can_write(group, name));
    if !is_ours || !has_controllers(group, "cgroup.controllers") {
        return false;
    }
    let below = group.join(MEMBER_GROUP);
    let _ = fs::create_dir(&below);
    // Several times: a process may start others meanwhile.
    let is_usable = (0..10).any(|_| {
        move_members(group, &below);
        is_usable_version2_group(group)
    });
    if !is_usable {
        move_members(&below, group);
        let _ = fs::remove_dir(&below);
    }
    is_usable
}

fn move_members(from: &Path, to: &Path) {
    let members = fs::read_to_string(from.join("cgroup.procs")).unwrap_or_default();
    // Zero stands for a process that is invisible here; to write it would move this process.
    for member in members.lines().filter(|member| *member != "0") {
        let _ = fs::write(to.join("cgroup.procs"), member);
    }
}

fn can_make_groups(directory: &Path) -> bool {
    let name = format!("juror-probe-{}-{:?}", std::process::id(), std::thread::current().id());
    let probe = directory.join(name.replace(['(', ')'], ""));
    let is_made = fs::create_dir(&probe).is_ok();
    is_made && fs::remove_dir(&probe).is_ok()
}

pub(super) fn allowed_cores() -> Vec<CoreId> {
    match rustix::thread::sched_getaffinity(None) {
        Ok(set) => (0..rustix::thread::CpuSet::MAX_CPU)
            .filter(|core| set.is_set(*core))
            .map(CoreId)
            .collect(),
        Err(_) => vec![CoreId(0)],
    }
}

/// The first permitted core of each physical one.
fn physical_cores(topology: &Path, allowed: &[CoreId]) -> Vec<CoreId> {
    let mut first: BTreeMap<String, CoreId> = BTreeMap::new();
    for core in allowed {
        let directory = topology.join(format!("cpu{}/topology", core.0));
        let siblings = ["core_cpus_list", "thread_siblings_list"]
            .iter()
            .find_map(|name| fs::read_to_string(directory.join(name)).ok())
            .unwrap_or_else(|| core.0.to_string());
        let known = first.entry(siblings).or_insert(*core);
        *known = (*known).min(*core);
    }
    let mut cores: Vec<CoreId> = first.into_values().collect();
    cores.sort();
    cores
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
30 1 0:26 / / rw - ext4 /dev/vda rw
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:3 - cgroup2 cgroup2 rw,nsdelegate
";

    #[test]
    fn own_groups_are_found_in_every_hierarchy() {
        let groups =
            "4:memory:/docker/abc/x\n2:cpu,cpuacct:/user\n1:name=systemd:/\n0::/user.slice\n";
        let found: Vec<_> = parse_hierarchies(MOUNTS)
            .iter()
            .map(|hierarchy| own_group(hierarchy, groups).unwrap())
            .collect();
        let expected = [
            "/sys/fs/cgroup/cpu,cpuacct/user",
            "/sys/fs/cgroup/memory/x",
            "/sys/fs/cgroup/unified/user.slice",
        ];
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn one_core_is_given_for_each_physical_one() {
        let directory = tempfile::tempdir().unwrap();
        let siblings = ["0,2", "1,3", "0,2", "1,3", "4"];
        for (core, list) in siblings.iter().enumerate() {
            let topology = directory.path().join(format!("cpu{core}/topology"));
            fs::create_dir_all(&topology).unwrap();
            fs::write(topology.join("core_cpus_list"), format!("{list}\n")).unwrap();
        }
        let check = |allowed: &[usize], expected: &[usize]| {
            let allowed: Vec<CoreId> = allowed.iter().copied().map(CoreId).collect();
            let expected: Vec<CoreId> = expected.iter().copied().map(CoreId).collect();
            assert_eq!(physical_cores(directory.path(), &allowed), expected);
        };
        check(&[0, 1, 2, 3, 4], &[0, 1, 4]);
        check(&[2, 3], &[2, 3]);
        check(&[3, 1], &[1]);
        check(&[7], &[7]);
    }

    #[test]
    fn root_without_capabilities_is_no_administrator() {
        assert!(is_administrator("CapEff:\t000001ffffffffff\n"));
        assert!(!is_administrator("CapEff:\t00000000a80425fb\n"));
        assert!(!is_administrator("CapEff:\t0000000000000000\n"));
        assert!(!is_administrator(""));
    }
}
