//! Raw system calls for mounts. Like those of [`crate::sandbox::linux::sys`], they do not allocate.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use crate::sandbox::linux::sys::{Result, call, into_owned_fd, pass};

/// Mounts or remounts by the old call `mount(2)`.
pub(crate) fn mount(
    source: &CStr,
    target: &CStr,
    kind: &CStr,
    flags: u64,
    data: &CStr,
) -> Result<usize> {
    let arguments = [
        source.as_ptr() as usize,
        target.as_ptr() as usize,
        kind.as_ptr() as usize,
        flags as usize,
        data.as_ptr() as usize,
        pass(),
    ];
    // SAFETY: all strings end with a zero and live until the call returns.
    unsafe { call(libc::SYS_mount, arguments) }
}

pub(crate) fn bind(from: &CStr, to: &CStr) -> Result<usize> {
    mount(from, to, c"none", libc::MS_BIND, c"")
}

/// Makes a mount of the box read-only; the file system behind it stays writable.
pub(crate) fn make_read_only(target: &CStr) -> Result<usize> {
    let flags =
        libc::MS_REMOUNT | libc::MS_BIND | libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV;
    mount(c"none", target, c"none", flags, c"")
}

pub(crate) fn umount(target: &CStr, flags: i32) -> Result<usize> {
    let target = target.as_ptr() as usize;
    // SAFETY: the path ends with a zero and lives until the call returns.
    unsafe { call(libc::SYS_umount2, [target, flags as usize, 0, 0, 0, pass()]) }
}

/// Makes the working directory the root and puts the old root on top of it.
pub(crate) fn pivot_root_here() -> Result<usize> {
    let here = c".".as_ptr() as usize;
    // SAFETY: the path ends with a zero and lives for ever.
    unsafe { call(libc::SYS_pivot_root, [here, here, 0, 0, 0, 0]) }
}

/// Copies the mounts at and below a path; the copy is not attached yet.
pub(crate) fn open_tree(path: &CStr) -> Result<OwnedFd> {
    const CLONE: usize = 1;
    let flags = CLONE | libc::O_CLOEXEC as usize | libc::AT_RECURSIVE as usize;
    let arguments = [libc::AT_FDCWD as usize, path.as_ptr() as usize, flags, 0, 0, pass()];
    // SAFETY: the path ends with a zero and lives until the call returns.
    unsafe { call(libc::SYS_open_tree, arguments) }.map(into_owned_fd)
}

pub(crate) fn move_mount(from: RawFd, to: &CStr) -> Result<usize> {
    const FROM_EMPTY_PATH: usize = 0x04;
    let arguments = [
        from as usize,
        c"".as_ptr() as usize,
        libc::AT_FDCWD as usize,
        to.as_ptr() as usize,
        FROM_EMPTY_PATH,
        pass(),
    ];
    // SAFETY: both paths end with a zero and live until the call returns.
    unsafe { call(libc::SYS_move_mount, arguments) }
}

pub(crate) const ATTR_RDONLY: u64 = 0x01;
pub(crate) const ATTR_NOSUID: u64 = 0x02;
pub(crate) const ATTR_NODEV: u64 = 0x04;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MountScope {
    One,
    Tree,
}

/// Keeps the other flags of the mount.
pub(crate) fn mount_setattr(fd: RawFd, scope: MountScope, set: u64, clear: u64) -> Result<usize> {
    let attributes = [set, clear, 0, 0];
    let recursive = match scope {
        MountScope::One => 0,
        MountScope::Tree => libc::AT_RECURSIVE,
    };
    let arguments = [
        fd as usize,
        c"".as_ptr() as usize,
        (libc::AT_EMPTY_PATH | recursive) as usize,
        attributes.as_ptr() as usize,
        size_of_val(&attributes),
        pass(),
    ];
    // SAFETY: path and attributes live until the call returns; sizes are given.
    unsafe { call(libc::SYS_mount_setattr, arguments) }
}

/// The mount is not attached yet.
pub(crate) fn tmpfs(options: &[(&CStr, &CStr)], attributes: u64) -> Result<OwnedFd> {
    const FSOPEN_CLOEXEC: usize = 1;
    const SET_STRING: usize = 1;
    const CREATE: usize = 6;
    const FSMOUNT_CLOEXEC: usize = 1;
    let name = c"tmpfs".as_ptr() as usize;
    // SAFETY: the name ends with a zero.
    let context =
        into_owned_fd(unsafe { call(libc::SYS_fsopen, [name, FSOPEN_CLOEXEC, 0, 0, 0, pass()]) }?);
    let fd = context.as_raw_fd() as usize;
    for (key, value) in options {
        let (key, value) = (key.as_ptr() as usize, value.as_ptr() as usize);
        // SAFETY: key and value end with a zero and live until the call returns.
        unsafe { call(libc::SYS_fsconfig, [fd, SET_STRING, key, value, 0, pass()]) }?;
    }
    // SAFETY: takes no pointer.
    unsafe { call(libc::SYS_fsconfig, [fd, CREATE, 0, 0, 0, pass()]) }?;
    let arguments = [fd, FSMOUNT_CLOEXEC, attributes as usize, 0, 0, pass()];
    // SAFETY: takes no pointer.
    unsafe { call(libc::SYS_fsmount, arguments) }.map(into_owned_fd)
}
