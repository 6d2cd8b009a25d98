//! Directories of the disk that programs write in: made, measured and removed, whatever is in them.
//!
//! Nothing here follows a link, and nothing is so deep that it cannot be removed.

use std::ffi::{CStr, CString};
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};

use crate::model::host::Temporary;
use crate::model::units::Bytes;
use crate::sandbox::fault::{Fault, Step};

/// How a directory is opened that may have been put there by a program.
const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens a directory in another, never through a link.
pub(super) fn open(parent: impl AsFd, name: impl rustix::path::Arg) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(parent, name, DIRECTORY, Mode::empty())
}

/// What lies in a directory, each with what the system says of it. What is gone meanwhile is left out.
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
    let Ok(first) = open(top, c".") else { return 0 };
    let mut stack = vec![first];
    let mut bytes = 0u64;
    let mut seen = 0;
    while let Some(directory) = stack.pop() {
        for (name, stat) in entries(&directory).into_iter().flatten() {
            seen += 1;
            bytes = bytes.saturating_add((stat.st_blocks.max(0) as u64).saturating_mul(BLOCK));
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                if stack.len() > MOST_OPEN {
                    return u64::MAX;
                }
                stack.extend(open(&directory, &name));
            }
        }
        if seen > MOST {
            return u64::MAX;
        }
    }
    bytes
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
    open(parent, name).ok()
}

fn names(directory: &OwnedFd) -> Vec<CString> {
    entries(directory).into_iter().flatten().map(|(name, _)| name).collect()
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
