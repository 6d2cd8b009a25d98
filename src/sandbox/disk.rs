//! Boxes that are directories of the disk: made, measured and removed, whatever programs put into them.
//!
//! Nothing here follows a link, and nothing is so deep that it cannot be removed.

use std::ffi::{CStr, CString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use crate::sandbox::bare::make_directory;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::init::{Change, Identity};
use crate::sandbox::mounts::give;

/// A slot's directory, in which each run has one.
pub(super) struct Ground {
    pub(super) path: PathBuf,
    identity: Identity,
}

/// The directories of a run, open.
pub(super) struct Directories {
    pub(super) main: OwnedFd,
    pub(super) temporary: OwnedFd,
}

/// The name of a run's directory.
const RUN: &str = "run";

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl Ground {
    /// Makes the slot's directory, with a name that nobody can foresee.
    pub(super) fn make(parent: &Path, name: &str, identity: Identity) -> Result<Self, Fault> {
        let parent = std::fs::canonicalize(parent).step_on("find", parent.display())?;
        let mut random = [0u8; 8];
        crate::sandbox::sys::random(&mut random).step("choose a random name")?;
        let path = parent.join(format!("{name}-{:016x}", u64::from_ne_bytes(random)));
        // Another user must get through, and need not see what is in it.
        let mode = match identity.change {
            Change::Switch => 0o711,
            Change::Already => 0o700,
        };
        make_directory(&path, mode)?;
        Ok(Self { path, identity })
    }

    /// The run's own, made anew for each.
    fn run_path(&self) -> PathBuf {
        self.path.join(RUN)
    }

    pub(super) fn box_path(&self) -> PathBuf {
        self.run_path().join("box")
    }

    pub(super) fn temporary_path(&self) -> PathBuf {
        self.run_path().join("tmp")
    }

    /// Makes the directories of a run, in place of the last one's.
    pub(super) fn prepare(&self) -> Result<Directories, Fault> {
        self.remove_run();
        make_directory(&self.run_path(), 0o755)?;
        let make = |path: PathBuf, mode: u32| {
            make_directory(&path, mode)?;
            let directory = rustix::fs::open(&path, DIRECTORY, Mode::empty())
                .step_on("open the directory", path.display())?;
            give(&directory, self.identity, &path)?;
            Ok(directory)
        };
        Ok(Directories {
            main: make(self.box_path(), 0o755)?,
            temporary: make(self.temporary_path(), 0o700)?,
        })
    }

    /// Removes the directories of the last run, if there are any.
    pub(super) fn remove_run(&self) {
        if let Ok(ground) = rustix::fs::open(&self.path, DIRECTORY, Mode::empty()) {
            remove_tree(&ground, &CString::new(RUN).unwrap_or_default());
        }
    }

    /// Removes everything.
    pub(super) fn remove(&self) {
        self.remove_run();
        // Not empty only where something of a run could not be removed.
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// How much all below a directory holds on the disk, in bytes, seen as far as can be; so much that it is
/// beyond any limit where there is too much to look at.
pub(super) fn used(top: &OwnedFd) -> u64 {
    const MOST_OPEN: usize = 500;
    const MOST: usize = 100_000;
    const BLOCK: u64 = 512;
    let Ok(first) = rustix::fs::openat(top, c".", DIRECTORY, Mode::empty()) else {
        return 0;
    };
    let mut stack = vec![first];
    let mut bytes = 0u64;
    let mut seen = 0;
    while let Some(directory) = stack.pop() {
        let Ok(list) = Dir::read_from(&directory) else {
            continue;
        };
        for entry in list.flatten() {
            let name = entry.file_name();
            if is_dots(name) {
                continue;
            }
            seen += 1;
            let Ok(stat) = rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            bytes = bytes.saturating_add((stat.st_blocks.max(0) as u64).saturating_mul(BLOCK));
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                if stack.len() > MOST_OPEN {
                    return u64::MAX;
                }
                if let Ok(below) = rustix::fs::openat(&directory, name, DIRECTORY, Mode::empty()) {
                    stack.push(below);
                }
            }
        }
        if seen > MOST {
            return u64::MAX;
        }
    }
    bytes
}

fn is_dots(name: &CStr) -> bool {
    name == c"." || name == c".."
}

/// Removes what has this name, and all below it. However deep it is, two directories are open at a
/// time: what lies two levels down is brought up one level first.
fn remove_tree(parent: &OwnedFd, name: &CStr) {
    if rustix::fs::unlinkat(parent, name, AtFlags::empty()).is_ok() {
        return;
    }
    let Some(top) = open_for_removal(parent, name) else {
        return;
    };
    let mut brought_up = 0u64;
    // Each turn removes at least one directory, or nothing can be done.
    loop {
        let mut progress = false;
        for child in names(&top) {
            if rustix::fs::unlinkat(&top, &child, AtFlags::empty()).is_ok() {
                progress = true;
                continue;
            }
            let Some(below) = open_for_removal(&top, &child) else {
                continue;
            };
            for grandchild in names(&below) {
                if rustix::fs::unlinkat(&below, &grandchild, AtFlags::empty()).is_ok()
                    || rustix::fs::unlinkat(&below, &grandchild, AtFlags::REMOVEDIR).is_ok()
                {
                    continue;
                }
                // A directory can be moved only where it can be written itself.
                let _ = open_for_removal(&below, &grandchild);
                brought_up += 1;
                let new = format!("juror-removes-{brought_up}");
                let _ = rustix::fs::renameat(&below, &grandchild, &top, new.as_str());
            }
            progress |= rustix::fs::unlinkat(&top, &child, AtFlags::REMOVEDIR).is_ok();
        }
        if !progress {
            break;
        }
    }
    let _ = rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR);
}

/// Opens a directory, whatever rights it was left with.
fn open_for_removal(parent: &OwnedFd, name: &CStr) -> Option<OwnedFd> {
    let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return None;
    }
    // Nobody runs any more who could put a link in its place.
    let _ = rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::empty());
    rustix::fs::openat(parent, name, DIRECTORY, Mode::empty()).ok()
}

fn names(directory: &OwnedFd) -> Vec<CString> {
    let Ok(list) = Dir::read_from(directory) else {
        return Vec::new();
    };
    list.flatten()
        .map(|entry| entry.file_name().to_owned())
        .filter(|name| !is_dots(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn ground() -> (tempfile::TempDir, Ground) {
        let directory = tempfile::tempdir().unwrap();
        let identity = Identity {
            uid: 0,
            gid: 0,
            change: Change::Already,
        };
        let ground = Ground::make(directory.path(), "slot", identity).unwrap();
        (directory, ground)
    }

    #[test]
    fn whatever_a_run_leaves_is_removed_and_nothing_else() {
        let (directory, ground) = ground();
        let canary = directory.path().join("canary");
        fs::create_dir(&canary).unwrap();
        fs::write(canary.join("file"), "x").unwrap();
        ground.prepare().unwrap();
        let inside = ground.box_path();
        symlink(&canary, inside.join("link")).unwrap();
        fs::create_dir_all(inside.join("a/b/c/d/e")).unwrap();
        fs::write(inside.join("a/b/c/file"), "x").unwrap();
        symlink(&canary, inside.join("a/b/link")).unwrap();
        for locked in ["a/b/c/d", "a/b", "a"] {
            let rights = fs::Permissions::from_mode(0o0);
            fs::set_permissions(inside.join(locked), rights).unwrap();
        }
        ground.remove();
        assert!(!ground.path.exists());
        assert_eq!(fs::read_to_string(canary.join("file")).unwrap(), "x");
    }

    #[test]
    fn a_tree_deeper_than_any_path_is_removed() {
        let (_directory, ground) = ground();
        let boxes = ground.prepare().unwrap();
        let mut at = boxes.main;
        for _ in 0..3000 {
            rustix::fs::mkdirat(&at, "deeper", Mode::RWXU).unwrap();
            at = rustix::fs::openat(&at, "deeper", DIRECTORY, Mode::empty()).unwrap();
        }
        ground.remove();
        assert!(!ground.path.exists());
    }

    #[test]
    fn what_is_held_is_counted_in_blocks_not_in_promises() {
        let (_directory, ground) = ground();
        let boxes = ground.prepare().unwrap();
        let empty = used(&boxes.main);
        let holes = fs::File::create(ground.box_path().join("holes")).unwrap();
        holes.set_len(1 << 40).unwrap();
        assert!(used(&boxes.main) < empty + (1 << 20));
        fs::create_dir(ground.box_path().join("below")).unwrap();
        fs::write(ground.box_path().join("below/file"), vec![1; 3 << 20]).unwrap();
        let held = used(&boxes.main);
        assert!((3 << 20..8 << 20).contains(&held), "{held}");
        ground.remove();
    }
}
