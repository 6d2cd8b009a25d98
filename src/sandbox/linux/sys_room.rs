//! Raw system calls for a room that is kept: what PID 1 waits on, looks at and sets back. As those of
//! [`super::sys`], they allocate nothing.

use std::ffi::CStr;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::ptr;

use crate::sandbox::linux::sys::{Result, call, pass};

/// What the kernel tells about a file, as it lies in memory.
pub(super) type Status = [u64; 32];

/// All about a file but when it was made, which programs are not told either. Source: `statx(2)`.
pub(super) fn status(path: &CStr) -> Result<Status> {
    const BASIC: usize = 0x7ff;
    let mut status = [0; 32];
    let flags = libc::AT_SYMLINK_NOFOLLOW as usize;
    let place = status.as_mut_ptr() as usize;
    let arguments = [here(), path.as_ptr() as usize, flags, BASIC, place, 0];
    // SAFETY: the path ends with a zero; the place has the 256 bytes of the kernel's layout.
    unsafe { call(libc::SYS_statx, arguments) }?;
    Ok(status)
}

/// Forgets of a directory what changes when a file in it comes or goes: size, blocks, and all times.
pub(super) fn forget_times_and_size(status: &mut Status) {
    for place in [5, 6, 8, 9, 12, 13, 14, 15] {
        status[place] = 0;
    }
}

/// Sets the times of a file, or of a link itself, to the present.
pub(super) fn set_times_to_now(path: &CStr) -> Result<usize> {
    let flags = libc::AT_SYMLINK_NOFOLLOW as usize;
    let arguments = [here(), path.as_ptr() as usize, 0, flags, 0, 0];
    // SAFETY: the path ends with a zero; no times mean now.
    unsafe { call(libc::SYS_utimensat, arguments) }
}

/// Reads the names of a file's extended attributes into a buffer; returns their length.
pub(super) fn attributes(path: &CStr, buffer: &mut [u8]) -> Result<usize> {
    let place = buffer.as_mut_ptr() as usize;
    let arguments = [path.as_ptr() as usize, place, buffer.len(), 0, 0, 0];
    // SAFETY: the path ends with a zero; the buffer is ours, its length is given.
    unsafe { call(libc::SYS_llistxattr, arguments) }
}

/// How the kernel schedules this process, as it lies in memory. Source: `sched_setattr(2)`.
pub(super) fn schedule() -> Result<[u64; 7]> {
    let mut attributes = [0u64; 7];
    let place = attributes.as_mut_ptr() as usize;
    let arguments = [0, place, size_of_val(&attributes), 0, 0, 0];
    // SAFETY: the place has as many bytes as are said.
    unsafe { call(libc::SYS_sched_getattr, arguments) }?;
    Ok(attributes)
}

/// The priority of this process for disks. Source: `ioprio_set(2)`.
pub(super) fn disk_priority() -> Result<usize> {
    const PROCESS: usize = 1;
    // SAFETY: takes no pointer.
    unsafe { call(libc::SYS_ioprio_get, [PROCESS, 0, 0, 0, 0, 0]) }
}

/// The signals that wait for this process, as a set of bits.
pub(super) fn pending_signals() -> Result<u64> {
    let mut set = 0u64;
    let place = ptr::from_mut(&mut set) as usize;
    // SAFETY: the set is as long as the kernel's, 8 bytes.
    unsafe { call(libc::SYS_rt_sigpending, [place, 8, 0, 0, 0, 0]) }?;
    Ok(set)
}

/// Makes a list of events of files, to be read without waiting.
pub(super) fn watch_list() -> Result<OwnedFd> {
    let flags = (libc::IN_NONBLOCK | libc::IN_CLOEXEC) as usize;
    // SAFETY: takes no pointer.
    let fd = unsafe { call(libc::SYS_inotify_init1, [flags, 0, 0, 0, 0, pass()]) }?;
    // SAFETY: the kernel gave this descriptor to us a moment ago; nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Has these events at or in a directory put on a list.
pub(super) fn watch(list: RawFd, directory: &CStr, events: u32) -> Result<usize> {
    let mask = (events | libc::IN_ONLYDIR) as usize;
    let arguments = [list as usize, directory.as_ptr() as usize, mask, 0, 0, 0];
    // SAFETY: the path ends with a zero.
    unsafe { call(libc::SYS_inotify_add_watch, arguments) }
}

/// Lets go of what bears this number on a list.
pub(super) fn unwatch(list: RawFd, number: u32) -> Result<usize> {
    let arguments = [list as usize, number as usize, 0, 0, 0, 0];
    // SAFETY: takes no pointer.
    unsafe { call(libc::SYS_inotify_rm_watch, arguments) }
}

/// Reads what there is into a buffer; returns how much.
pub(super) fn read(fd: RawFd, buffer: &mut [u8]) -> Result<usize> {
    let arguments = [
        fd as usize,
        buffer.as_mut_ptr() as usize,
        buffer.len(),
        0,
        0,
        0,
    ];
    // SAFETY: the buffer is ours, its length is given.
    unsafe { call(libc::SYS_read, arguments) }
}

/// Closes a descriptor, if it is open.
pub(super) fn close(fd: RawFd) {
    // SAFETY: takes no pointer. Who calls this owns the number, as nobody's `OwnedFd`.
    let _ = unsafe { call(libc::SYS_close, [fd as usize, 0, 0, 0, 0, 0]) };
}

fn here() -> usize {
    libc::AT_FDCWD as usize
}
