//! The control groups that juror itself is in: their limits, and how often they were short.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sandbox::linux::cgroup::named_number;
use crate::sandbox::linux::detect::host::{CgroupHierarchy, own_group, parse_hierarchies};

/// For each controller, from juror's own group to the outermost that it can see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EnclosingGroups {
    /// The file that counts kills for memory, in its line `oom_kill`.
    kills: Option<PathBuf>,
    memory: Vec<PathBuf>,
    processes: Vec<(PathBuf, u64)>,
}

/// Counts the kills of the whole machine, also those in control groups. Source: `mm/oom_kill.c` of the kernel.
const VMSTAT: &str = "/proc/vmstat";

impl EnclosingGroups {
    pub(crate) fn find() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let mounts = read("/proc/self/mountinfo");
        Self::from_texts(&parse_hierarchies(&mounts), &read("/proc/self/cgroup"))
    }

    /// `groups` is the text of `/proc/PID/cgroup`.
    fn from_texts(hierarchies: &[CgroupHierarchy], groups: &str) -> Self {
        let above = |controller: &str, limit: [&str; 2]| {
            let has = |names: &[String]| names.iter().any(|name| name == controller);
            let first = hierarchies.iter().find(|hierarchy| has(&hierarchy.controllers));
            let second = hierarchies.iter().find(|hierarchy| hierarchy.controllers.is_empty());
            let hierarchy = first.or(second)?;
            let own = own_group(hierarchy, groups)?;
            let above =
                own.ancestors().take_while(|group| group.starts_with(&hierarchy.mount_point));
            let has_limit = |group: &&Path| limit.iter().any(|name| group.join(name).exists());
            Some(above.filter(has_limit).map(Path::to_path_buf).collect::<Vec<_>>())
        };
        let memory = above("memory", ["memory.max", "memory.limit_in_bytes"]).unwrap_or_default();
        let processes = above("pids", ["pids.max"; 2]).unwrap_or_default().into_iter();
        let limited =
            |group: PathBuf| parse_number_file(&group.join("pids.max")).map(|limit| (group, limit));
        let processes = processes.filter_map(limited).collect();
        // The nearest one is charged for juror's processes. A group of version 1 counts only its own kills; so does
        // the local file of version 2.
        let counts = ["memory.events.local", "memory.events", "memory.oom_control"];
        let nearest = memory.first();
        let kills = nearest.and_then(|group| {
            counts.iter().map(|name| group.join(name)).find(|file| file.exists())
        });
        Self { kills, memory, processes }
    }

    pub(crate) fn killed_for_memory(&self) -> u64 {
        let file = self.kills.as_deref().unwrap_or(Path::new(VMSTAT));
        named_number(&fs::read_to_string(file).unwrap_or_default(), "oom_kill")
    }

    pub(crate) fn refused_processes(&self) -> u64 {
        let refused = self.processes.iter().map(|(group, _)| {
            // Prefers the file of the group alone: runs are in groups below, with limits of their own.
            let read = |name: &str| fs::read_to_string(group.join(name));
            let events = read("pids.events.local").or_else(|_| read("pids.events"));
            named_number(&events.unwrap_or_default(), "max")
        });
        refused.sum()
    }

    /// How many more processes they allow; `None` if they set no limit, or do not tell.
    pub(crate) fn processes_left(&self) -> Option<u64> {
        let room = |(group, limit): &(PathBuf, u64)| {
            Some(limit.saturating_sub(parse_number_file(&group.join("pids.current"))?))
        };
        self.processes.iter().filter_map(room).min()
    }

    pub(crate) fn process_limit(&self) -> Option<u64> {
        self.processes.iter().map(|(_, limit)| *limit).min()
    }

    /// The least limit, in bytes.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        /// Version 1 writes a number beyond any machine's memory if there is no limit.
        const NONE: u64 = 1 << 60;
        let names = ["memory.max", "memory.limit_in_bytes"];
        let limits = self
            .memory
            .iter()
            .filter_map(|group| names.iter().find_map(|name| parse_number_file(&group.join(name))));
        limits.filter(|limit| *limit < NONE).min()
    }
}

/// `None` also for `max`.
fn parse_number_file(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_shortages_are_those_of_the_groups_above() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let point = dir.path().display();
        let write = |files: &[(&str, &str)]| {
            for (name, text) in files {
                let path = dir.path().join(name);
                fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
                fs::write(path, text).expect("a file");
            }
        };
        let check = |groups: &EnclosingGroups, memory, processes, room, shortages| {
            assert_eq!(groups.memory_limit(), memory);
            assert_eq!((groups.process_limit(), groups.processes_left()), (processes, room));
            assert_eq!((groups.killed_for_memory(), groups.refused_processes()), shortages);
        };
        write(&[
            ("v2/a/b/memory.max", "max\n"),
            ("v2/a/b/memory.events.local", "oom 1\noom_kill 3\n"),
            ("v2/a/b/memory.events", "oom_kill 9\n"),
            ("v2/a/b/pids.max", "max\n"),
            ("v2/a/b/pids.events", "max 50\n"),
            ("v2/a/memory.max", "1048576\n"),
            ("v2/a/pids.max", "100\n"),
            ("v2/a/pids.current", "60\n"),
            ("v2/a/pids.events", "max 40\n"),
            ("v2/a/pids.events.local", "max 4\n"),
            ("v2/cgroup.procs", ""),
        ]);
        let mounts = format!("1 1 0:2 / {point}/v2 rw - cgroup2 none rw\n");
        let groups = EnclosingGroups::from_texts(&parse_hierarchies(&mounts), "0::/a/b\n");
        check(&groups, Some(1 << 20), Some(100), Some(40), (3, 4));
        write(&[
            ("memory/l/memory.limit_in_bytes", "157286400\n"),
            ("memory/l/memory.oom_control", "under_oom 0\noom_kill 2\n"),
            ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("pids/l/pids.max", "30\n"),
            ("pids/l/pids.current", "31\n"),
            ("pids/l/pids.events", "max 7\n"),
        ]);
        let first = format!(
            "2 1 0:3 / {point}/memory rw - cgroup none rw,memory\n\
             3 1 0:4 / {point}/pids rw - cgroup none rw,pids\n"
        );
        let all = parse_hierarchies(&(mounts + &first));
        let groups = EnclosingGroups::from_texts(&all, "5:memory:/l\n4:pids:/l\n0::/a/b\n");
        check(&groups, Some(157_286_400), Some(30), Some(0), (2, 7));
    }

    #[test]
    fn without_groups_the_machine_counts_kills_for_memory() {
        let groups = EnclosingGroups::from_texts(&[], "");
        assert_eq!((groups.memory_limit(), groups.processes_left()), (None, None));
        let of_the_machine = || {
            let text = fs::read_to_string(VMSTAT).expect("counters");
            assert!(text.contains("\noom_kill "), "this kernel counts them");
            named_number(&text, "oom_kill")
        };
        // Other programs may be killed meanwhile.
        let before = of_the_machine();
        let found = groups.killed_for_memory();
        assert!((before..=of_the_machine()).contains(&found));
        assert_eq!(groups.refused_processes(), 0);
    }
}
