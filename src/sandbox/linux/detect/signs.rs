//! The facts that decide which isolation methods work here. While they stay the same, so do the results of trials,
//! which can be reused.

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::sandbox::linux::detect::host::Host;
use crate::sandbox::linux::sys;

/// Files about the kernel, the user's rights, the container, the limits.
const TEXTS: [&str; 8] = [
    "/proc/sys/kernel/random/boot_id",
    "/proc/self/attr/current",
    "/proc/self/limits",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/user/max_mnt_namespaces",
    "/proc/sys/user/max_pid_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
];

/// The namespaces of this process.
const NAMESPACES: [&str; 7] = ["cgroup", "ipc", "mnt", "net", "pid", "user", "uts"];

/// Prefixes of the lines of `/proc/self/status` about rights.
const RIGHTS: [&str; 6] = ["Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp"];

impl Host {
    /// All facts in one text.
    pub(crate) fn signs(&self) -> Option<String> {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let status = read("/proc/self/status");
        let is_right = |line: &&str| RIGHTS.iter().any(|start| line.starts_with(start));
        let mut signs: Vec<String> = status.lines().filter(is_right).map(str::to_owned).collect();
        signs.extend(TEXTS.map(read));
        let namespace = |name: &str| fs::read_link(Path::new("/proc/self/ns").join(name)).ok();
        signs.extend(NAMESPACES.map(|name| format!("{:?}", namespace(name))));
        for place in [PathBuf::from("/"), env::temp_dir(), env::current_exe().ok()?] {
            let found = fs::metadata(&place).ok()?;
            let (device, inode, mode) = (found.dev(), found.ino(), found.mode());
            // The date of a directory means nothing.
            let date = found.is_file().then(|| (found.mtime(), found.mtime_nsec(), found.size()));
            signs.push(format!("{place:?} {device} {inode} {mode:o} {date:?}"));
        }
        signs.push(format!("{:?} {:?}", sys::landlock_version(), self.placement.as_ref()));
        Some(signs.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signs_stay_the_same_and_tell_rights_apart() {
        let host = Host::look().unwrap();
        let signs = host.signs().unwrap();
        assert_eq!(host.signs().unwrap(), signs);
        for said in ["CapEff:", "Uid:", "NoNewPrivs:", "mnt:[", "Max processes"] {
            assert!(signs.contains(said), "{said} in {signs}");
        }
    }
}
