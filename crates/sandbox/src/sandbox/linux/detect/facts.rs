//! Collects facts about a machine for `juror doctor`, by reading and by trying. Judges nothing.

use std::env;
use std::fs;
use std::path::Path;

use rustix::process::{Resource, getrlimit};

use crate::sandbox::disk::temporary_facts;
use crate::sandbox::linux::cgroup::Placement;
use crate::sandbox::linux::detect::enclosing_groups::EnclosingGroups;
use crate::sandbox::linux::detect::host::{Host, allowed_cores, mounted_hierarchies};
use crate::sandbox::linux::sys;
use crate::sandbox::pace::calibrate;
use juror_core::host::{CgroupFacts, HostFacts, NamespaceSettings, Processors};
use juror_core::judgement::JudgeError;
use juror_core::units::Bytes;

impl Host {
    /// Tries every isolation method; takes some hundreds of milliseconds.
    ///
    /// # Errors
    /// If not even `/proc` can be read.
    pub fn facts() -> Result<HostFacts, JudgeError> {
        let host = Self::examine()?;
        let meters = host.mechanism();
        let above = EnclosingGroups::find();
        Ok(HostFacts {
            system: "Linux".to_owned(),
            kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
            user: rustix::process::geteuid().as_raw(),
            administrator: host.is_administrator,
            modes: host.try_all(),
            gaps: Vec::new(),
            landlock: sys::landlock_version().ok().and_then(|version| u32::try_from(version).ok()),
            settings: NamespaceSettings {
                unprivileged_clone: setting("kernel/unprivileged_userns_clone"),
                most: setting("user/max_user_namespaces"),
                apparmor_restricts: setting("kernel/apparmor_restrict_unprivileged_userns"),
            },
            cgroups: host.cgroup_facts(),
            cpu_meter: meters.cpu,
            memory_meter: meters.memory,
            container: container(Path::new("/"), env::var("container").ok()),
            systemd: Path::new("/run/systemd/system").is_dir(),
            stack_limit: getrlimit(Resource::Stack).maximum.map(Bytes),
            memory_limit: above.memory_limit().map(Bytes),
            process_limit: [above.process_limit(), getrlimit(Resource::Nproc).maximum]
                .into_iter()
                .flatten()
                .min(),
            processors: Processors {
                logical: allowed_cores().len(),
                physical: host.physical_cores().len(),
                load: fs::read_to_string("/proc/loadavg").ok().and_then(|text| load(&text)),
            },
            calibration: calibrate(),
            temporary: temporary_facts(env::temp_dir()),
        })
    }

    fn cgroup_facts(&self) -> CgroupFacts {
        let mut facts = CgroupFacts::default();
        for hierarchy in mounted_hierarchies() {
            if hierarchy.controllers.is_empty() {
                let text = fs::read_to_string(hierarchy.mount_point.join("cgroup.controllers"));
                let text = text.unwrap_or_default();
                facts.controllers2 = text.split_whitespace().map(str::to_owned).collect();
                facts.version2 = Some(hierarchy.mount_point);
            } else {
                let named = |name: &&String| ["memory", "cpuacct", "pids"].contains(&name.as_str());
                facts.controllers1.extend(hierarchy.controllers.iter().filter(named).cloned());
            }
        }
        match &self.placement {
            Some(Placement::V2(directory)) => facts.usable2 = Some(directory.clone()),
            Some(Placement::V1(controllers)) => {
                let directories = [
                    ("memory", &controllers.memory),
                    ("cpuacct", &controllers.cpuacct),
                    ("pids", &controllers.pids),
                ];
                let usable = directories.iter().filter(|(_, directory)| directory.is_some());
                facts.usable1 = usable.map(|(name, _)| (*name).to_owned()).collect();
            }
            None => {}
        }
        facts
    }
}

fn setting(name: &str) -> Option<u64> {
    let text = fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?;
    text.trim().parse().ok()
}

/// The kind of container that has this root, if any mark shows it.
fn container(root: &Path, variable: Option<String>) -> Option<String> {
    let exists = |name: &str| root.join(name).exists();
    let named = variable.filter(|name| !name.is_empty());
    named
        .or_else(|| exists(".dockerenv").then(|| "docker".to_owned()))
        .or_else(|| exists("run/.containerenv").then(|| "podman".to_owned()))
        .or_else(|| exists("var/run/secrets/kubernetes.io").then(|| "kubernetes".to_owned()))
}

/// The load of the last minute, from the text of `/proc/loadavg`.
fn load(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_that_of_the_last_minute() {
        assert_eq!(load("1.07 0.30 0.20 1/99 12345\n"), Some(1.07));
        assert_eq!(load("12.50 0 0"), Some(12.5));
        assert_eq!(load(""), None);
        assert_eq!(load("x.yy"), None);
    }

    #[test]
    fn a_container_is_known_by_what_it_leaves_at_its_root() {
        let check = |file: Option<&str>, variable: Option<&str>, expected: Option<&str>| {
            let root = tempfile::tempdir().unwrap();
            if let Some(file) = file {
                let file = root.path().join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "").unwrap();
            }
            let found = container(root.path(), variable.map(str::to_owned));
            assert_eq!(found.as_deref(), expected);
        };
        check(None, None, None);
        check(None, Some(""), None);
        check(Some(".dockerenv"), None, Some("docker"));
        check(Some("run/.containerenv"), None, Some("podman"));
        check(Some(".dockerenv"), Some("lxc"), Some("lxc"));
    }
}
