//! Searches a box after a run: how much was written into it?
//!
//! No link is followed, and directories may have any depth.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;

use rustix::fs::{FileType, Stat};

use crate::sandbox::disk;
use juror_core::job::FileKind;

/// Below this depth, files are not examined one by one.
const MAX_DEPTH: usize = 32;

/// Files by their number (inode), as they were when they were placed.
#[derive(Default)]
pub(super) struct PlacedFiles(HashMap<u64, FileState>);

/// Only the kernel can set the time of the last change.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileState {
    size: i64,
    /// Seconds and nanoseconds.
    changed: (i64, i128),
}

impl FileState {
    fn of(stat: &Stat) -> Self {
        Self {
            size: stat.st_size,
            // The type differs between systems.
            changed: (stat.st_ctime, i128::from(stat.st_ctime_nsec)),
        }
    }
}

#[derive(Default)]
pub(super) struct BoxUsage {
    pub(super) bytes: u64,
    pub(super) is_partial: bool,
    /// Files with several names are counted once.
    counted_links: HashSet<u64>,
}

impl PlacedFiles {
    pub(super) fn add(&mut self, stat: &Stat) {
        self.0.insert(stat.st_ino, FileState::of(stat));
    }

    /// Includes everything below the directory.
    pub(super) fn add_all(&self, top: &OwnedFd, sum: &mut BoxUsage) -> rustix::io::Result<()> {
        self.add_below(top, 0, sum)
    }

    pub(super) fn add_file(&self, stat: &Stat, sum: &mut BoxUsage) {
        let is_regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        let is_new = self.0.get(&stat.st_ino) != Some(&FileState::of(stat));
        let is_first = stat.st_nlink < 2 || sum.counted_links.insert(stat.st_ino);
        if is_regular && is_new && is_first {
            sum.bytes = sum.bytes.saturating_add(stat.st_size.max(0) as u64);
        }
    }

    fn add_below(
        &self,
        directory: &OwnedFd,
        depth: usize,
        sum: &mut BoxUsage,
    ) -> rustix::io::Result<()> {
        // Its owner may have forbidden everybody to read it.
        let Ok(list) = disk::open_directory(directory, c".") else {
            sum.is_partial = true;
            return Ok(());
        };
        for (name, stat) in disk::entries(&list)? {
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => self.add_file(&stat, sum),
                FileType::Directory if depth >= MAX_DEPTH => sum.is_partial = true,
                FileType::Directory => match disk::open_directory(&list, &name) {
                    Ok(below) => self.add_below(&below, depth + 1, sum)?,
                    Err(_) => sum.is_partial = true,
                },
                _ => {}
            }
        }
        Ok(())
    }
}

/// `RegularFile` here means an unreadable file.
pub(super) fn file_kind(kind: FileType) -> FileKind {
    match kind {
        FileType::Symlink => FileKind::Link,
        FileType::Directory => FileKind::Directory,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice => FileKind::CharacterDevice,
        FileType::BlockDevice => FileKind::BlockDevice,
        FileType::RegularFile => FileKind::Unreadable,
        FileType::Unknown => FileKind::Unknown,
    }
}
