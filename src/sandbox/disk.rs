//! Directories of the disk that programs write in: made, measured and removed, whatever is in them.
//!
//! Nothing here follows a link, and nothing is so deep that it cannot be removed.

use std::ffi::{CStr, CString};
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

use crate::model::host::Temporary;
use crate::model::units::Bytes;
use crate::sandbox::fault::{Fault, Step};

/// How a directory is opened that may have been put there by a program.
pub(super) const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Makes a directory that the program's user can get through, with this mode whatever the mask.
pub(super) fn make_directory(path: &Path, mode: u32) -> Result<(), Fault> {
    fs::DirBuilder::new().mode(mode).create(path).step_on("make the directory", path.display())
}

/// How much all below a directory holds on the disk, in bytes, seen as far as can be; so much that it is
/// beyond any limit if there is too much to look at.
pub(super) fn used(top: &OwnedFd) -> u64 {
    const MOST_OPEN: usize = 500;
    const MOST: usize = 100_000;
    const BLOCK: u64 = 512;
    let Ok(first) = rustix::fs::openat(top, c".", DIRECTORY, Mode::empty()) else { return 0 };
    let mut stack = vec![first];
    let mut bytes = 0u64;
    let mut seen = 0;
    while let Some(directory) = stack.pop() {
        let Ok(list) = Dir::read_from(&directory) else { continue };
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
pub(super) fn remove_tree(parent: &OwnedFd, name: &CStr) {
    if rustix::fs::unlinkat(parent, name, AtFlags::empty()).is_ok() {
        return;
    }
    let Some(top) = open_for_removal(parent, name) else { return };
    let mut brought_up = 0u64;
    // Each turn removes at least one directory, or nothing can be done.
    loop {
        let mut progress = false;
        for child in names(&top) {
            if rustix::fs::unlinkat(&top, &child, AtFlags::empty()).is_ok() {
                progress = true;
                continue;
            }
            let Some(below) = open_for_removal(&top, &child) else { continue };
            for grandchild in names(&below) {
                if rustix::fs::unlinkat(&below, &grandchild, AtFlags::empty()).is_ok()
                    || rustix::fs::unlinkat(&below, &grandchild, AtFlags::REMOVEDIR).is_ok()
                {
                    continue;
                }
                // A directory can be moved only if it can be written itself.
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
    let Ok(list) = Dir::read_from(directory) else { return Vec::new() };
    list.flatten().map(|entry| entry.file_name().to_owned()).filter(|name| !is_dots(name)).collect()
}

/// Room for files of this user in a directory.
pub(super) fn temporary(path: PathBuf) -> Temporary {
    let free = tempfile::tempfile_in(&path)
        .and_then(|_| Ok(rustix::fs::statvfs(&path)?))
        .map(|found| Bytes(found.f_bavail.saturating_mul(found.f_frsize)))
        .map_err(|error| error.to_string());
    Temporary { path, free }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_directory_that_cannot_be_used_says_why() {
        assert!(temporary(std::env::temp_dir()).free.is_ok());
        assert!(temporary("/nowhere".into()).free.is_err());
    }
}
