//! Directories on disk in which programs write: makes, measures and removes them, whatever they contain.
//!
//! No link is followed, and directories of any depth can be removed.

use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::shortage::is_noexec;
use juror_core::host::TemporaryDirectory;
use juror_core::units::Bytes;

/// A program may have put the directory there.
const DIRECTORY_FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Prefixes of the names of slots' directories. Each is locked (`flock`) as long as its slot or its guard lives.
pub const SLOT_PREFIXES: [&str; 2] = ["juror-slot-", "juror-plain-"];

/// Locks a directory until the result and all its copies in other processes are closed. `None` if another judge has
/// locked it, or locks do not work.
pub(crate) fn lock_directory(path: &Path) -> Option<File> {
    lock_with(path, FlockOperation::NonBlockingLockExclusive)
}

pub(crate) fn lock_with(path: &Path, operation: FlockOperation) -> Option<File> {
    let directory = File::from(open_directory(rustix::fs::CWD, path).ok()?);
    rustix::fs::flock(&directory, operation).ok()?;
    Some(directory)
}

/// Removes a directory with everything in it, whatever a program put there. What cannot be removed stays, and so does
/// the rest once it `is_over`.
pub fn remove_directory(path: &Path, is_over: &dyn Fn() -> bool) {
    let name = path.file_name().and_then(|name| CString::new(name.as_bytes()).ok());
    // The system's temporary directory may be a link.
    let flags = DIRECTORY_FLAGS.difference(OFlags::NOFOLLOW);
    let parent = path.parent().and_then(|dir| rustix::fs::open(dir, flags, Mode::empty()).ok());
    if let (Some(parent), Some(name)) = (parent, name) {
        remove_tree(&parent, &name, is_over);
    }
}

/// Never follows a link.
pub(super) fn open_directory(
    parent: impl AsFd,
    name: impl rustix::path::Arg,
) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(parent, name, DIRECTORY_FLAGS, Mode::empty())
}

/// Opens a file that was found to be regular, by a name without slashes.
pub(super) fn open_file(
    parent: &OwnedFd,
    name: impl rustix::path::Arg,
) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(parent, name, flags, Mode::empty())
}

/// Entries that vanish meanwhile are left out.
pub(super) fn entries(
    directory: &OwnedFd,
) -> rustix::io::Result<impl Iterator<Item = (CString, Stat)>> {
    let names = Dir::read_from(directory)?.flatten().map(|entry| entry.file_name().to_owned());
    let names = names.filter(|name| ![c".", c".."].contains(&name.as_c_str()));
    Ok(names.filter_map(move |name| {
        let stat = rustix::fs::statat(directory, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some((name, stat))
    }))
}

/// Sets this mode whatever the umask, so that the program's user can enter.
pub(super) fn make_directory(path: &Path, mode: u32) -> Result<(), Fault> {
    fs::DirBuilder::new().mode(mode).create(path).step_on("make the directory", path.display())
}

/// Disk usage of everything below a directory, in bytes, as far as it can be seen. With too many entries, the result
/// is above any limit.
pub(super) fn disk_usage(top: &OwnedFd) -> u64 {
    const MOST_OPEN: usize = 500;
    const MOST: usize = 100_000;
    const BLOCK: u64 = 512;
    let Ok(first) = open_directory(top, c".") else { return 0 };
    let mut stack = vec![first];
    let mut bytes = 0u64;
    let mut checked = 0;
    while let Some(directory) = stack.pop() {
        for (name, stat) in entries(&directory).into_iter().flatten() {
            checked += 1;
            bytes = bytes.saturating_add((stat.st_blocks.max(0) as u64).saturating_mul(BLOCK));
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                if stack.len() > MOST_OPEN {
                    return u64::MAX;
                }
                stack.extend(open_directory(&directory, &name));
            }
        }
        if checked > MOST {
            return u64::MAX;
        }
    }
    bytes
}

/// At any depth, only two directories are open at a time: entries two levels down are first moved one level up.
fn remove_tree(parent: &OwnedFd, name: &CStr, is_over: &dyn Fn() -> bool) {
    if rustix::fs::unlinkat(parent, name, AtFlags::empty()).is_ok() {
        return;
    }
    let Some(top) = open_for_removal(parent, name) else { return };
    let mut brought_up = 0u64;
    // Each turn removes at least one directory, or nothing can be done.
    loop {
        let mut progress = false;
        for child in entry_names(&top, is_over) {
            if is_over() {
                return;
            }
            if rustix::fs::unlinkat(&top, &child, AtFlags::empty()).is_ok() {
                progress = true;
                continue;
            }
            let Some(below) = open_for_removal(&top, &child) else { continue };
            for grandchild in entry_names(&below, is_over) {
                if is_over() {
                    return;
                }
                if rustix::fs::unlinkat(&below, &grandchild, AtFlags::empty()).is_ok()
                    || rustix::fs::unlinkat(&below, &grandchild, AtFlags::REMOVEDIR).is_ok()
                {
                    continue;
                }
                // A directory can be moved only if it is writable itself.
                let _ = open_for_removal(&below, &grandchild);
                loop {
                    brought_up += 1;
                    let new = format!("juror-removes-{brought_up}");
                    match rustix::fs::renameat(&below, &grandchild, &top, new.as_str()) {
                        // A program may have taken the name.
                        Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                        _ => break,
                    }
                }
            }
            progress |= rustix::fs::unlinkat(&top, &child, AtFlags::REMOVEDIR).is_ok();
        }
        if !progress {
            break;
        }
    }
    let _ = rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR);
}

fn open_for_removal(parent: &OwnedFd, name: &CStr) -> Option<OwnedFd> {
    let opened = open_directory(parent, name).or_else(|_| {
        let stat = rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            return Err(Errno::NOTDIR);
        }
        // Only a program without rights takes them from a directory, and none is left that could replace it by a link.
        rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::empty())?;
        open_directory(parent, name)
    });
    let opened = opened.ok()?;
    let _ = rustix::fs::fchmod(&opened, Mode::RWXU);
    Some(opened)
}

fn entry_names(directory: &OwnedFd, is_over: &dyn Fn() -> bool) -> Vec<CString> {
    let names = entries(directory).into_iter().flatten().map(|(name, _)| name);
    names.take_while(|_| !is_over()).collect()
}

pub(super) fn temporary_facts(path: PathBuf) -> TemporaryDirectory {
    let free = tempfile::tempfile_in(&path)
        .and_then(|_| Ok(rustix::fs::statvfs(&path)?))
        .map(|found| Bytes(found.f_bavail.saturating_mul(found.f_frsize)))
        .map_err(|error| error.to_string());
    let is_noexec = is_noexec(&path);
    TemporaryDirectory { path, free: free.as_ref().ok().copied(), fault: free.err(), is_noexec }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_removed_whatever_its_names_are() {
        let dir = tempfile::tempdir().unwrap();
        for number in 1..=40 {
            let deep = dir.path().join(format!("tree/juror-removes-{number}/deep/deeper"));
            std::fs::create_dir_all(&deep).unwrap();
            std::fs::write(deep.join("file"), "").unwrap();
        }
        remove_tree(
            &rustix::fs::open(dir.path(), DIRECTORY_FLAGS, Mode::empty()).unwrap(),
            c"tree",
            &|| false,
        );
        assert!(!dir.path().join("tree").exists());
    }

    #[test]
    fn an_unusable_temporary_directory_has_a_reason() {
        assert!(temporary_facts(std::env::temp_dir()).free.is_some());
        assert!(temporary_facts("/nowhere".into()).fault.is_some());
    }
}
