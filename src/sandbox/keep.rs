//! Keeps a box: copies what a run left behind into a directory, without following where it leads.
//!
//! By descriptors on both sides: in the box lies what somebody hostile put there, and the path of what is
//! copied may be longer than the system takes in one piece.

use std::ffi::CStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};

use crate::sandbox::fault::{Fault, Step};

/// How deep directories are followed.
const DEEPEST: usize = 32;

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// How a file is opened that was seen to be regular, by a name without a slash in it.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Which copies can be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rights {
    /// Those of files that could.
    AsLeft,
    /// All.
    ToStart,
}

/// Copies regular files, directories and links, links as links, up to so many bytes in all. What is
/// nothing of these, or cannot be read, is left out.
pub(super) fn copy_box(from: OwnedFd, to: &Path, most: u64, rights: Rights) -> Result<(), Fault> {
    let step = "make the directory";
    fs::create_dir(to).step_on(step, to.display())?;
    let target = rustix::fs::openat(CWD, to, DIRECTORY, Mode::empty());
    let target = target.step_on(step, to.display())?;
    open_to_all(&target).step_on(step, to.display())?;
    let mut copy = Copy { left: most, rights };
    copy.directory(&from, &target, DEEPEST)
        .step_on("keep the box in", to.display())
}

/// A copy that goes on.
struct Copy {
    /// How many bytes may still be copied.
    left: u64,
    rights: Rights,
}

impl Copy {
    fn directory(&mut self, from: &OwnedFd, to: &OwnedFd, depth: usize) -> io::Result<()> {
        for entry in Dir::read_from(from)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let Ok(stat) = rustix::fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => {
                    self.file(from, name, to, Mode::from_raw_mode(stat.st_mode))?
                }
                FileType::Symlink => link(from, name, to)?,
                FileType::Directory if depth > 0 => {
                    let target = make_directory(to, name)?;
                    if let Ok(below) = rustix::fs::openat(from, name, DIRECTORY, Mode::empty()) {
                        self.directory(&below, &target, depth - 1)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn file(&mut self, from: &OwnedFd, name: &CStr, to: &OwnedFd, mode: Mode) -> io::Result<()> {
        let Ok(file) = rustix::fs::openat(from, name, FILE, Mode::empty()) else {
            return Ok(());
        };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut to = File::from(rustix::fs::openat(to, name, flags, Mode::RUSR)?);
        self.left -= io::copy(&mut File::from(file).take(self.left), &mut to)?;
        // A program that was built is started by another user than the one who keeps it.
        let may_start = self.rights == Rights::ToStart || mode.contains(Mode::XUSR);
        let rights = if may_start { 0o755 } else { 0o644 };
        to.set_permissions(Permissions::from_mode(rights))
    }
}

/// A directory in another.
fn make_directory(parent: &OwnedFd, name: &CStr) -> io::Result<OwnedFd> {
    rustix::fs::mkdirat(parent, name, Mode::RWXU)?;
    let directory = rustix::fs::openat(parent, name, DIRECTORY, Mode::empty())?;
    open_to_all(&directory)?;
    Ok(directory)
}

/// Lets everybody enter a directory, whatever the process's umask.
fn open_to_all(directory: &OwnedFd) -> io::Result<()> {
    Ok(rustix::fs::fchmod(directory, Mode::from_raw_mode(0o755))?)
}

fn link(from: &OwnedFd, name: &CStr, to: &OwnedFd) -> io::Result<()> {
    let Ok(leads_to) = rustix::fs::readlinkat(from, name, Vec::new()) else {
        return Ok(());
    };
    Ok(rustix::fs::symlinkat(leads_to, to, name)?)
}
