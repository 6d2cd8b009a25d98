//! The box of a run with namespaces, a directory in memory. The run's temporary directory is in the same small file
//! system, and both share its size.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::sandbox::boxes::{BoxEntry, FilledBox, parent_of};
use crate::sandbox::disk;
use crate::sandbox::fault::{Fault, FaultContext};
use crate::sandbox::linux::run::pid1::{BOX, TMP};
use crate::sandbox::linux::setup::{UserChange, UserIdentity};
use crate::sandbox::linux::sys::mount::{self, ATTR_NODEV, ATTR_NOSUID};
use crate::sandbox::linux::sys::{self, right};
use crate::sandbox::linux::view::mounts::{BEHIND_LINKS, ShownMount};
use crate::sandbox::translate::PathTranslation;
use juror_core::blob::Blob;
use juror_core::job::CollectedEntry;
use juror_core::tree::{FileMode, TreeEntry};

/// The root of the file system, the box, the temporary directory.
const OWN_FILES: u64 = 3;

pub(crate) struct RunBoxes {
    pub(crate) filled: FilledBox,
    pub(crate) temporary: OwnedFd,
    /// The file system in memory that has only these two; `None` if they are on disk.
    memory_fs: Option<OwnedFd>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxSize {
    bytes: u64,
    files: u64,
}

impl BoxSize {
    pub(crate) fn new(bytes: u64, placed: usize) -> Self {
        Self {
            // At least a page: zero means "no limit" to the kernel.
            bytes: bytes.max(4096),
            files: (bytes / 4096).clamp(256, 65_536) + placed as u64 + OWN_FILES,
        }
    }

    fn make_file_system(self) -> Result<OwnedFd, Fault> {
        let text = |number: u64| CString::new(number.to_string()).map_err(io::Error::from);
        let step = "make the box";
        let (bytes, files) = (text(self.bytes).step(step)?, text(self.files).step(step)?);
        let options = [(c"size", &*bytes), (c"nr_inodes", &*files)];
        mount::tmpfs(&options, ATTR_NOSUID | ATTR_NODEV).step(step)
    }
}

impl RunBoxes {
    /// Makes links in the temporary directory to what is shown behind links.
    pub(crate) fn link_shown(
        &self,
        shown: &[ShownMount],
        owner: UserIdentity,
    ) -> Result<(), Fault> {
        for ShownMount { inside, .. } in shown {
            let Ok(below) = inside.strip_prefix(BEHIND_LINKS) else { continue };
            let is_within =
                |other: &ShownMount| other.inside != *inside && inside.starts_with(&other.inside);
            if shown.iter().any(is_within) {
                continue;
            }
            let (above, last) =
                parent_of(&self.temporary, below, &|directory| give_to_program(directory, owner))?;
            let directory = above.as_ref().unwrap_or(&self.temporary);
            rustix::fs::symlinkat(inside, directory, last)
                .step_on("link in the temporary directory:", below.display())?;
        }
        Ok(())
    }

    pub(crate) fn in_memory(
        size: BoxSize,
        owner: UserIdentity,
        files: &[TreeEntry],
        contents: Option<OwnedFd>,
    ) -> Result<Self, Fault> {
        /// Permissions from which the umask removes nothing.
        const BY_MASK: Mode = Mode::from_raw_mode(0o755);
        let memory = size.make_file_system()?;
        let make = |name: &CStr, mode: u32| {
            let mode = Mode::from_raw_mode(mode);
            rustix::fs::mkdirat(&memory, name, mode).step("make the box")?;
            let directory = disk::open_directory(&memory, name).step("make the box")?;
            if mode != BY_MASK {
                rustix::fs::fchmod(&directory, mode).step("make the box")?;
            }
            give_to_program(directory.as_fd(), owner).step("make the box")?;
            Ok(directory)
        };
        let directories = [make(BOX, 0o755)?, make(TMP, 0o1777)?];
        let boxes = Self::fill(directories, owner, files, contents, &PathTranslation::default())?;
        Ok(Self { memory_fs: Some(memory), ..boxes })
    }

    pub(crate) fn fill(
        [main, temporary]: [OwnedFd; 2],
        owner: UserIdentity,
        files: &[TreeEntry],
        contents: Option<OwnedFd>,
        translation: &PathTranslation,
    ) -> Result<Self, Fault> {
        let give = |directory: BorrowedFd<'_>| give_to_program(directory, owner);
        let fill = |blob: &Blob, _: FileMode, make: &dyn Fn() -> io::Result<File>| {
            let file = make()?;
            if let Some(contents) = &contents {
                copy_contents(contents, &file, blob.len()?)?;
            }
            Ok(file)
        };
        let filled = FilledBox::fill(main, files, translation, &give, &fill)?;
        Ok(Self { filled, temporary, memory_fs: None })
    }

    /// The mount of the file system in memory, for PID 1 to attach; -1 if there is none.
    pub(crate) fn mount(&self) -> RawFd {
        self.memory_fs.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    pub(crate) fn new_bytes(&self) -> Result<u64, Fault> {
        if self.memory_fs.is_none() {
            return self.filled.new_bytes(u64::MAX);
        }
        let usage = rustix::fs::fstatvfs(&self.filled.directory).step("measure the box")?;
        if usage.f_files.saturating_sub(usage.f_ffree) == OWN_FILES {
            return Ok(0);
        }
        // This includes the temporary directory, so it is an upper bound on the box.
        let all = usage.f_blocks.saturating_sub(usage.f_bfree);
        self.filled.new_bytes(all.saturating_mul(usage.f_frsize))
    }

    /// A found file is for the judge to read.
    pub(crate) fn find(&self, name: &str) -> Result<(CollectedEntry, Option<OwnedFd>), Fault> {
        Ok(match self.filled.find(Path::new(name))? {
            BoxEntry::File(file) => {
                let stat = rustix::fs::fstat(&file).step("inspect a file of the box")?;
                (CollectedEntry::File(Blob::remote(stat.st_size.cast_unsigned(), None)), Some(file))
            }
            BoxEntry::Other(other) => (other, None),
        })
    }
}

/// Makes the contestant the owner.
pub(crate) fn give_to_program(file: BorrowedFd<'_>, owner: UserIdentity) -> io::Result<()> {
    if owner.change == UserChange::Unchanged {
        return Ok(());
    }
    let uid = rustix::process::Uid::from_raw(owner.uid);
    let gid = rustix::process::Gid::from_raw(owner.gid);
    Ok(rustix::fs::fchown(file, Some(uid), Some(gid))?)
}

fn copy_contents(contents: &OwnedFd, file: &File, length: u64) -> rustix::io::Result<()> {
    let mut remaining = length;
    while remaining > 0 {
        let count = usize::try_from(remaining).unwrap_or(usize::MAX);
        match rustix::fs::sendfile(file, contents, None, count) {
            Ok(0) => return Ok(()),
            Ok(written) => remaining -= written as u64,
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Landlock's rules for a run: it may change files in its box and its temporary directory, write to devices, use no
/// network, and reach no process outside.
pub(crate) fn landlock_rules(
    version: usize,
    boxes: &RunBoxes,
    devices: impl AsFd,
) -> Result<OwnedFd, Fault> {
    let truncate = if version >= 3 { right::TRUNCATE } else { 0 };
    let files = right::WRITE_FILE | right::REMOVE_AND_MAKE | right::REFER | truncate;
    let handled = [files, right::TCP, right::SCOPES];
    let known = match version {
        ..4 => 1,
        4..6 => 2,
        _ => 3,
    };
    let rules = sys::landlock_ruleset(&handled[..known]).step("make landlock rules")?;
    let allow = |descriptor: i32, rights: u64| {
        sys::landlock_allow(rules.as_raw_fd(), descriptor, rights).step("add a landlock rule")
    };
    allow(boxes.filled.directory.as_raw_fd(), files)?;
    allow(boxes.temporary.as_raw_fd(), files)?;
    allow(devices.as_fd().as_raw_fd(), right::WRITE_FILE)?;
    Ok(rules)
}

/// The first version of landlock that does not forbid to rename from one directory to another.
pub(crate) const LANDLOCK_SINCE: usize = 2;

/// Opens a directory only to refer to it.
pub(crate) fn open_path(path: &Path) -> Result<OwnedFd, Fault> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).step_on("open", path.display())
}
