//! The box, a directory in memory: made and filled before a run, searched after it. The run's temporary directory is
//! beside it in the same small file system, and both share its size.
//!
//! After a run, everything in it may be the work of a hostile program: links to anywhere, fifos that block whoever
//! opens them, directories a thousand deep, sparse files of a terabyte. So the kernel resolves names strictly below
//! the box and never through a link, opening never blocks, and only files that are regular after they were opened
//! count.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use crate::model::blob::Blob;
use crate::model::job::Collected;
use crate::model::tree::{Node, TreeEntry};
use crate::sandbox::disk;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::linux::run::child::Identity;
use crate::sandbox::linux::run::pid1::{BOX, TMP};
use crate::sandbox::linux::sys::mount::{self, ATTR_NODEV, ATTR_NOSUID, Tmpfs};
use crate::sandbox::linux::sys::{self, Errno};
use crate::sandbox::linux::view::disk_boxes::Directories;
use crate::sandbox::linux::view::landlock::right;
use crate::sandbox::linux::view::mounts::{BEHIND_LINKS, Bind, c_path, give, parent_of};
use crate::sandbox::search::{self, Placements, Sum};
use crate::sandbox::shortage::check_linked;
use crate::sandbox::translate::Translation;

/// A box, and the temporary directory beside it.
pub(crate) struct Boxes {
    pub(crate) main: OwnedFd,
    pub(crate) temporary: OwnedFd,
    place: Place,
    /// The files placed in it, in their original state.
    placed: Placements,
}

/// The place of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// In memory, with only the temporary directory beside it.
    Memory,
    Disk,
}

/// The file system in memory for a box and the temporary directory, before they are made.
pub(crate) struct Memory {
    tmpfs: Tmpfs,
    size: Size,
}

/// The capacity of box and temporary directory together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size {
    bytes: u64,
    files: u64,
}

impl Size {
    /// The size for a box of `bytes` bytes with `placed` placed files.
    pub(crate) fn new(bytes: u64, placed: usize) -> Self {
        /// The root of the file system, the box, the temporary directory.
        const OWN: u64 = 3;
        Self {
            // At least a page: zero means "no limit" to the kernel.
            bytes: bytes.max(4096),
            files: (bytes / 4096).clamp(256, 65_536) + placed as u64 + OWN,
        }
    }

    fn set<T>(self, set: impl FnOnce(&[(&CStr, &CStr)]) -> sys::Result<T>) -> sys::Result<T> {
        let text = |number: u64| CString::new(number.to_string()).map_err(io::Error::from);
        let (bytes, files) = (text(self.bytes)?, text(self.files)?);
        set(&[(c"size", &bytes), (c"nr_inodes", &files)])
    }
}

impl Memory {
    pub(crate) fn make(size: Size) -> Result<Self, Fault> {
        let tmpfs = size.set(|options| mount::tmpfs(options, ATTR_NOSUID | ATTR_NODEV));
        let tmpfs = tmpfs.step("make the box")?;
        Ok(Self { tmpfs, size })
    }

    /// Resizes the file system.
    pub(crate) fn resize(&mut self, size: Size) -> Result<(), Fault> {
        if self.size != size {
            let changed = size.set(|options| self.tmpfs.change(options));
            changed.step("set the size of the box")?;
            self.size = size;
        }
        Ok(())
    }

    /// The mount, for PID 1 to attach.
    pub(crate) fn mount(&self) -> RawFd {
        self.tmpfs.mount.as_raw_fd()
    }
}

impl Boxes {
    /// Makes links in the temporary directory to the places that are shown behind links.
    pub(crate) fn link(&self, shown: &[Bind], owner: Identity) -> Result<(), Fault> {
        for Bind { inside, .. } in shown {
            let Ok(below) = inside.strip_prefix(BEHIND_LINKS) else { continue };
            let is_within =
                |other: &Bind| other.inside != *inside && inside.starts_with(&other.inside);
            if shown.iter().any(is_within) {
                continue;
            }
            let (above, last) = parent_of(&self.temporary, below, owner)?;
            let directory = above.as_ref().unwrap_or(&self.temporary);
            rustix::fs::symlinkat(&c_path(inside)?, directory, &last)
                .step_on("link in the temporary directory:", below.display())?;
        }
        Ok(())
    }

    /// Makes box and temporary directory in memory, and places the files.
    pub(crate) fn in_memory(
        memory: &Memory,
        owner: Identity,
        files: &[TreeEntry],
        contents: Option<OwnedFd>,
    ) -> Result<Self, Fault> {
        /// Permissions from which the umask removes nothing.
        const BY_MASK: Mode = Mode::from_raw_mode(0o755);
        let make = |name: &CStr, mode: u32| {
            let (root, mode) = (&memory.tmpfs.mount, Mode::from_raw_mode(mode));
            rustix::fs::mkdirat(root, name, mode).step("make the box")?;
            let made = disk::open(root, name).step("make the box")?;
            if mode != BY_MASK {
                rustix::fs::fchmod(&made, mode).step("make the box")?;
            }
            give(&made, owner, Path::new("."))?;
            Ok(made)
        };
        Self {
            main: make(BOX, 0o755)?,
            temporary: make(TMP, 0o1777)?,
            place: Place::Memory,
            placed: Placements::default(),
        }
        .filled(owner, files, contents, &Translation::default())
    }

    /// Uses directories on disk, and places the files. Nothing limits their size or prevents writes.
    pub(crate) fn on_disk(
        directories: Directories,
        owner: Identity,
        files: &[TreeEntry],
        contents: Option<OwnedFd>,
        names: &Translation,
    ) -> Result<Self, Fault> {
        Self {
            main: directories.main,
            temporary: directories.temporary,
            place: Place::Disk,
            placed: Placements::default(),
        }
        .filled(owner, files, contents, names)
    }

    fn filled(
        mut self,
        owner: Identity,
        files: &[TreeEntry],
        contents: Option<OwnedFd>,
        names: &Translation,
    ) -> Result<Self, Fault> {
        for TreeEntry { name, node } in files {
            let (above, last) = parent_of(&self.main, name, owner)?;
            let directory = above.as_ref().unwrap_or(&self.main);
            match node {
                Node::Link(target) => {
                    let target = names.text(target.as_os_str().as_bytes());
                    let target = c_path(Path::new(OsStr::from_bytes(&target)))?;
                    rustix::fs::symlinkat(&target, directory, &last)
                        .step_on("link in the box:", name.display())?;
                }
                Node::Directory => {
                    let step = "make in the box:";
                    let mode = Mode::from_raw_mode(0o755);
                    rustix::fs::mkdirat(directory, &last, mode).step_on(step, name.display())?;
                    let made = disk::open(directory, &last).step_on(step, name.display())?;
                    give(&made, owner, name)?;
                }
                Node::File { blob, mode } => {
                    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                    let mode = Mode::from_raw_mode(mode.rights());
                    let file = rustix::fs::openat(directory, &last, flags, mode)
                        .step_on("make in the box:", name.display())?;
                    if let Some(contents) = &contents {
                        let length = blob.len().step("unpack the files of the box")?;
                        copy(contents, &file, length)
                            .step_on("write in the box:", name.display())?;
                    }
                    give(&file, owner, name)?;
                    let stat =
                        rustix::fs::fstat(&file).step_on("inspect in the box:", name.display())?;
                    self.placed.add(&stat);
                }
            }
        }
        Ok(self)
    }

    /// Total size of regular files that are new or changed.
    pub(crate) fn new_bytes(&self) -> Result<u64, Fault> {
        let usage = rustix::fs::fstatvfs(&self.main).step("measure the box")?;
        /// The root of the file system, the box, the temporary directory.
        const EMPTY: u64 = 3;
        let is_memory = self.place == Place::Memory;
        if !is_memory {
            check_linked(&self.main)?;
        }
        if is_memory && usage.f_files.saturating_sub(usage.f_ffree) == EMPTY {
            return Ok(0);
        }
        let mut sum = Sum::default();
        self.placed.add_all(&self.main, &mut sum).step("search the box")?;
        if sum.is_cut {
            let used = disk::used(&self.main);
            let all = usage.f_blocks.saturating_sub(usage.f_bfree);
            sum.bytes = sum.bytes.max(match self.place {
                // This includes the temporary directory: a box cannot hold more than that.
                Place::Memory => used.min(all.saturating_mul(usage.f_frsize)),
                Place::Disk => used,
            });
        }
        Ok(sum.bytes)
    }

    /// The box itself, for the judge to read.
    pub(crate) fn open(&self) -> Result<OwnedFd, Fault> {
        disk::open(&self.main, c".").step("open the box")
    }

    /// Searches a file by its name.
    pub(crate) fn find(&self, name: &str) -> Result<Searched, Fault> {
        let Ok(path) = CString::new(name) else { return Ok(Searched::nothing()) };
        let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOCTTY;
        let file = match sys::open_beneath(self.main.as_fd(), &path, flags) {
            Ok(file) => file,
            Err(errno) => return self.why_not_opened(&path, errno),
        };
        let stat = rustix::fs::fstat(&file).step("inspect a file of the box")?;
        Ok(match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Searched {
                found: Collected::File(Blob::elsewhere(stat.st_size.cast_unsigned(), None)),
                file: Some(file),
            },
            other => Searched::other(other),
        })
    }

    fn why_not_opened(&self, path: &CStr, errno: Errno) -> Result<Searched, Fault> {
        match errno.0 {
            libc::ENOENT | libc::ENOTDIR | libc::ENAMETOOLONG => Ok(Searched::nothing()),
            libc::ELOOP => Ok(Searched::other(FileType::Symlink)),
            libc::EXDEV => Err(Fault::new(
                format!("find {} in the box", path.to_string_lossy()),
                "not a relative path without `..`",
            )),
            _ => {
                let stat = rustix::fs::statat(&self.main, path, AtFlags::SYMLINK_NOFOLLOW);
                let kind = stat.map(|stat| FileType::from_raw_mode(stat.st_mode));
                Ok(Searched::other(kind.unwrap_or(FileType::Unknown)))
            }
        }
    }
}

/// Writes the next `length` bytes of the contents into a file.
fn copy(contents: &OwnedFd, file: &OwnedFd, length: u64) -> rustix::io::Result<()> {
    let mut left = length;
    while left > 0 {
        let count = usize::try_from(left).unwrap_or(usize::MAX);
        match rustix::fs::sendfile(file, contents, None, count) {
            Ok(0) => return Ok(()),
            Ok(written) => left -= written as u64,
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// The result of a search.
pub(crate) struct Searched {
    pub(crate) found: Collected,
    /// The file, open for reading, if it is regular.
    pub(crate) file: Option<OwnedFd>,
}

impl Searched {
    fn nothing() -> Self {
        Self { found: Collected::Missing, file: None }
    }

    fn other(kind: FileType) -> Self {
        Self { found: Collected::NotAFile(search::other_kind(kind)), file: None }
    }
}

/// Landlock's rules for a run: it may change files in its box and its temporary directory, write to
/// devices, use no network, and reach no process outside.
pub(crate) fn landlock(
    version: usize,
    boxes: &Boxes,
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
    let allow = |place: i32, rights: u64| {
        sys::landlock_allow(rules.as_raw_fd(), place, rights).step("add a landlock rule")
    };
    allow(boxes.main.as_raw_fd(), files)?;
    allow(boxes.temporary.as_raw_fd(), files)?;
    allow(devices.as_fd().as_raw_fd(), right::WRITE_FILE)?;
    Ok(rules)
}

/// The first version of landlock that does not forbid to rename from one directory to another.
pub(crate) const LANDLOCK_SINCE: usize = 2;

/// Opens a directory only to refer to it.
pub(crate) fn refer_to(path: &Path) -> Result<OwnedFd, Fault> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).step_on("open", path.display())
}
