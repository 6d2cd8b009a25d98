//! Removes control groups without members: of slot processes that were killed, and of judges that were killed with
//! their slots.
//!
//! A group with members cannot be removed, so this harms no run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::sandbox::linux::cgroup::Placement;

/// The prefix of all group names. The judge's process namespace, its process number there, and the slot's number
/// follow.
const NAME_PREFIX: &str = "juror-";

/// Unique on this machine.
pub(crate) fn group_name(slot: u32) -> String {
    format!("{NAME_PREFIX}{}-{}-{slot}", namespace(), std::process::id())
}

/// The process namespace of this judge. Process numbers of judges in others mean nothing here.
fn namespace() -> u64 {
    rustix::fs::stat("/proc/self/ns/pid").map_or(0, |found| found.st_ino)
}

/// The name of the group that replaces the one with this name.
pub(crate) fn alternate_name(name: &str) -> String {
    format!("{name}-other")
}

/// Removes the groups of a slot whose process is gone. Its children die with it, and leave the groups a moment later.
pub(crate) fn remove_groups(placement: &Placement, name: &str) {
    let names = [name.to_owned(), alternate_name(name)];
    let places = placement.directories();
    for group in places.flat_map(|parent| names.each_ref().map(|name| parent.join(name))) {
        for _ in 0..1000 {
            match fs::remove_dir(&group) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    sleep(Duration::from_millis(1));
                }
                _ => break,
            }
        }
    }
}

pub(crate) fn remove_stale_groups(placement: &Placement) {
    let namespace = namespace();
    placement
        .directories()
        .filter_map(|parent| fs::read_dir(parent).ok())
        .flat_map(|entries| entries.flatten())
        .filter(|entry| {
            entry.file_name().to_str().is_some_and(|name| belongs_to_dead_judge(name, namespace))
        })
        .for_each(|entry| {
            let _ = fs::remove_dir(entry.path());
        });
}

/// The judge of the group was in this process namespace, and is gone.
fn belongs_to_dead_judge(name: &str, namespace: u64) -> bool {
    let judge = name
        .strip_prefix(NAME_PREFIX)
        .and_then(|rest| {
            rest.strip_prefix(&namespace.to_string())?.strip_prefix('-')?.split_once('-')
        })
        .and_then(|(judge, _)| judge.parse::<u32>().ok());
    judge.is_some_and(|judge| !Path::new("/proc").join(judge.to_string()).exists())
}

impl Placement {
    fn directories(&self) -> impl Iterator<Item = &PathBuf> {
        let list = match self {
            Self::V2(directory) => [Some(directory), None, None],
            Self::V1(controllers) => [
                controllers.memory.as_ref(),
                controllers.cpuacct.as_ref(),
                controllers.pids.as_ref(),
            ],
        };
        list.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_of_judges_that_are_gone_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let living = group_name(0);
        // No process has a number that large.
        let dead = living.replace(&format!("-{}-", std::process::id()), "-4000000000-");
        let names = [
            &dead,
            &alternate_name(&dead),
            &living,
            "juror-1-4000000000-0",
            "juror-x-1",
            "other-4000000000-1",
        ];
        for name in names {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        remove_stale_groups(&Placement::V2(directory.path().to_path_buf()));
        let exist = names.map(|name| directory.path().join(name).exists());
        assert_eq!(exist, [false, false, true, true, true, true]);
        remove_groups(&Placement::V2(directory.path().to_path_buf()), &living);
        assert!(!directory.path().join(living).exists());
    }
}
