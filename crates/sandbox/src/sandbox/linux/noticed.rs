//! What a cache must know of a machine: whether the dates of a file show its changes, and the settings that programs see.

use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::Resource;

use crate::sandbox::linux::keeper::resources::INHERITED;
use crate::sandbox::linux::sys::{self, Errno};
use crate::sandbox::linux::view::etc;
use crate::sandbox::rlimits::hard_limit;

/// ext2 to ext4, XFS, Btrfs and F2FS: they date each write, also the first one through a mapping. Files in memory have
/// no such dates (tmpfs); others leave them to a server (NFS, FUSE), do not store the date of a change (FAT), or hide
/// mappings (overlayfs).
///
/// Source: `page_mkwrite` in these parts of Linux.
const DATING_FILE_SYSTEMS: [u32; 4] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010];

/// Whether the dates of an open file will show each later change. A file that is open for writing may be mapped: then
/// only the first of several writes is dated. The kernel tells that by a lease, also if only the mapping is left.
pub fn dates_show_changes(file: &File) -> bool {
    is_dated(file)
        && match sys::try_read_lease(file.as_raw_fd()) {
            Ok(()) => true,
            // Only its owner may ask. Files of root are the system's.
            Err(Errno(libc::EACCES)) => {
                file.metadata().is_ok_and(|stat| stat.uid() == 0 && stat.mode() & 0o022 == 0)
            }
            Err(_) => false,
        }
}

fn is_dated(file: &File) -> bool {
    let stat = rustix::fs::fstatfs(file);
    stat.is_ok_and(|stat| DATING_FILE_SYSTEMS.contains(&(stat.f_type as u32)))
}

/// Files and directories of `/etc` that programs see.
pub fn shown_settings() -> Vec<PathBuf> {
    let all = fs::read_dir("/etc").into_iter().flatten().flatten();
    let shown = all.map(|entry| entry.file_name()).filter(|name| etc::is_needed(name));
    let mut shown: Vec<PathBuf> = shown.map(|name| Path::new("/etc").join(name)).collect();
    shown.sort();
    shown
}

/// The limits that programs inherit from juror, and can ask for.
pub fn inherited_limits() -> Vec<u64> {
    let all = INHERITED.iter().map(|(resource, _)| *resource);
    all.filter(|resource| *resource != Resource::Nofile).map(hard_limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other file systems are never trusted.
    #[test]
    fn the_dates_of_a_file_that_somebody_can_write_to_do_not_show_changes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "x").unwrap();
        let reader = File::open(&path).unwrap();
        let check = |expected: bool, who: &str| {
            let file = File::open(&path).unwrap();
            assert_eq!(dates_show_changes(&file), expected && is_dated(&file), "{who}");
        };
        let map = |file: &File, protection, kind| {
            // SAFETY: the mapping is new, and nothing refers to it.
            let address = unsafe {
                libc::mmap(std::ptr::null_mut(), 1, protection, kind, file.as_raw_fd(), 0)
            };
            assert_ne!(address, libc::MAP_FAILED);
            address
        };
        // SAFETY: nothing refers to the mapping.
        let unmap = |address| assert_eq!(unsafe { libc::munmap(address, 1) }, 0);
        let both = libc::PROT_READ | libc::PROT_WRITE;
        check(true, "a reader");
        let writer = File::options().read(true).write(true).open(&path).unwrap();
        check(false, "a writer");
        let address = map(&writer, both, libc::MAP_SHARED);
        drop(writer);
        check(false, "only its mapping is left");
        unmap(address);
        check(true, "nobody any more");
        let appending = File::options().append(true).open(&path).unwrap();
        check(false, "somebody who appends");
        drop(appending);
        let address = map(&reader, both, libc::MAP_PRIVATE);
        check(true, "a private mapping");
        unmap(address);
        let in_memory = rustix::fs::memfd_create("x", rustix::fs::MemfdFlags::empty()).unwrap();
        assert!(!dates_show_changes(&File::from(in_memory)));
    }
}
