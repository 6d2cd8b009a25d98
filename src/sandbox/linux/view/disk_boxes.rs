//! Boxes as directories on disk, for runs without namespaces.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::CWD;

use crate::sandbox::disk::{self, SLOTS, lock, make_directory, remove_directory};
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::linux::run::child::{Change, Identity};
use crate::sandbox::linux::view::mounts::give;
use crate::sandbox::shortage::check_exec;

/// A slot's directory, in which each run has one.
pub(crate) struct DiskBoxes {
    pub(crate) path: PathBuf,
    identity: Identity,
    /// The rights of its directory.
    mode: u32,
    /// As long as this process or one of its runs lives, no other judge removes the directory.
    _lock: Option<OwnedFd>,
}

/// The open directories of a run.
pub(crate) struct Directories {
    pub(crate) main: OwnedFd,
    pub(crate) temporary: OwnedFd,
}

/// The name of a run's directory.
const RUN: &str = "run";

impl DiskBoxes {
    /// Makes the slot's directory, with a random name.
    pub(crate) fn make(parent: &Path, identity: Identity) -> Result<Self, Fault> {
        let parent = std::fs::canonicalize(parent).step_on("find", parent.display())?;
        let mut random = [0u8; 8];
        crate::sandbox::linux::sys::random(&mut random).step("choose a random name")?;
        let [prefix, _] = SLOTS;
        let path = parent.join(format!("{prefix}{:016x}", u64::from_ne_bytes(random)));
        // Another user must be able to pass through, but need not see the contents.
        let mode = match identity.change {
            Change::Switch => 0o711,
            Change::Already => 0o700,
        };
        check_exec(&parent)?;
        make_directory(&path, mode)?;
        let _lock = lock(&path);
        Ok(Self { path, identity, mode, _lock })
    }

    /// The path of the run's own directory, which is made anew for each run.
    fn run_path(&self) -> PathBuf {
        self.path.join(RUN)
    }

    pub(crate) fn box_path(&self) -> PathBuf {
        self.run_path().join("box")
    }

    pub(crate) fn temporary_path(&self) -> PathBuf {
        self.run_path().join("tmp")
    }

    /// Makes the directories of a run, which replace those of the last run.
    pub(crate) fn prepare(&self) -> Result<Directories, Fault> {
        self.remove_run();
        if !self.path.exists() {
            // Somebody cleans the temporary directory.
            make_directory(&self.path, self.mode)?;
        }
        make_directory(&self.run_path(), 0o755)?;
        let make = |path: PathBuf, mode: u32| {
            make_directory(&path, mode)?;
            let directory = disk::open(CWD, &path).step_on("open the directory", path.display())?;
            give(&directory, self.identity, &path)?;
            Ok(directory)
        };
        Ok(Directories {
            main: make(self.box_path(), 0o755)?,
            temporary: make(self.temporary_path(), 0o700)?,
        })
    }

    /// Removes the directories of the last run, if there are any.
    pub(crate) fn remove_run(&self) {
        remove_directory(&self.path.join(RUN));
    }

    /// Removes everything.
    pub(crate) fn remove(&self) {
        self.remove_run();
        // Fails only if something of a run could not be removed.
        let _ = std::fs::remove_dir(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::disk::used;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn disk() -> (tempfile::TempDir, DiskBoxes) {
        let directory = tempfile::tempdir().unwrap();
        let identity = Identity { uid: 0, gid: 0, change: Change::Already };
        let disk = DiskBoxes::make(directory.path(), identity).unwrap();
        (directory, disk)
    }

    #[test]
    fn the_directory_is_locked_while_its_slot_lives() {
        let (_directory, disk) = disk();
        assert!(lock(&disk.path).is_none());
        disk.remove();
    }

    #[test]
    fn whatever_a_run_leaves_is_removed_and_nothing_else() {
        let (directory, disk) = disk();
        let canary = directory.path().join("canary");
        fs::create_dir(&canary).unwrap();
        fs::write(canary.join("file"), "x").unwrap();
        disk.prepare().unwrap();
        let inside = disk.box_path();
        symlink(&canary, inside.join("link")).unwrap();
        fs::create_dir_all(inside.join("a/b/c/d/e")).unwrap();
        fs::write(inside.join("a/b/c/file"), "x").unwrap();
        symlink(&canary, inside.join("a/b/link")).unwrap();
        for locked in ["a/b/c/d", "a/b", "a"] {
            let rights = fs::Permissions::from_mode(0o0);
            fs::set_permissions(inside.join(locked), rights).unwrap();
        }
        disk.remove();
        assert!(!disk.path.exists());
        assert_eq!(fs::read_to_string(canary.join("file")).unwrap(), "x");
    }

    #[test]
    fn a_slot_whose_directory_was_removed_makes_it_again() {
        let (_directory, disk) = disk();
        disk.prepare().unwrap();
        let mode = || fs::metadata(&disk.path).unwrap().permissions().mode() & 0o777;
        let before = mode();
        fs::remove_dir_all(&disk.path).unwrap();
        disk.prepare().unwrap();
        assert_eq!(mode(), before);
        assert!(disk.box_path().is_dir());
    }

    #[test]
    fn a_tree_deeper_than_any_path_is_removed() {
        let (_directory, disk) = disk();
        let boxes = disk.prepare().unwrap();
        let mut at = boxes.main;
        for _ in 0..3000 {
            rustix::fs::mkdirat(&at, "deeper", rustix::fs::Mode::RWXU).unwrap();
            at = disk::open(&at, "deeper").unwrap();
        }
        disk.remove();
        assert!(!disk.path.exists());
    }

    #[test]
    fn what_is_held_is_counted_in_blocks_not_in_promises() {
        let (_directory, disk) = disk();
        let boxes = disk.prepare().unwrap();
        let empty = used(&boxes.main);
        let holes = fs::File::create(disk.box_path().join("holes")).unwrap();
        holes.set_len(1 << 40).unwrap();
        assert!(used(&boxes.main) < empty + (1 << 20));
        fs::create_dir(disk.box_path().join("below")).unwrap();
        fs::write(disk.box_path().join("below/file"), vec![1; 3 << 20]).unwrap();
        let held = used(&boxes.main);
        assert!((3 << 20..8 << 20).contains(&held), "{held}");
        disk.remove();
    }
}
