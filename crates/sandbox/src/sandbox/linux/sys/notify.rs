//! Calls of programs that wait for the slot's permission, and a word that judge and slot share.

use std::ops::Deref;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::ptr;
use std::sync::atomic::AtomicU32;

use crate::sandbox::linux::sys::{Errno, Result, call, into_owned_fd};

/// Shared by processes that are forked after it was made.
#[derive(Debug)]
pub(crate) struct SharedWord(*const AtomicU32);

// SAFETY: all threads may read and write its target at the same time, and the target lives as long as it.
unsafe impl Send for SharedWord {}
// SAFETY: as above.
unsafe impl Sync for SharedWord {}

impl SharedWord {
    /// Its value is 0.
    pub(crate) fn make() -> Result<Self> {
        let (rights, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        let arguments = [0, size_of::<AtomicU32>(), rights as usize, kind as usize, usize::MAX, 0];
        // SAFETY: asks for fresh memory anywhere.
        let address = unsafe { call(libc::SYS_mmap, arguments) }?;
        Ok(Self(ptr::with_exposed_provenance(address)))
    }
}

impl Deref for SharedWord {
    type Target = AtomicU32;

    fn deref(&self) -> &AtomicU32 {
        // SAFETY: a page of zeros, in which the word is; it goes only when this is dropped.
        unsafe { &*self.0 }
    }
}

impl Drop for SharedWord {
    fn drop(&mut self) {
        let arguments = [self.0.expose_provenance(), size_of::<AtomicU32>(), 0, 0, 0, 0];
        // SAFETY: the page is this word's alone, and no reference to it is left.
        let _ = unsafe { call(libc::SYS_munmap, arguments) };
    }
}

/// Installs a system call filter; returns the descriptor that announces the calls that ask.
pub(crate) fn seccomp(filter: &[libc::sock_filter]) -> Result<OwnedFd> {
    const SET_MODE_FILTER: usize = 1;
    const NEW_LISTENER: usize = 1 << 3;
    /// While the slot answers, only SIGKILL interrupts the call. Since Linux 5.19.
    const WAIT_KILLABLE: usize = 1 << 5;
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    let program = ptr::from_ref(&program) as usize;
    let install = |flags: usize| {
        let arguments = [SET_MODE_FILTER, flags, program, 0, 0, 0];
        // SAFETY: program and filter live until the call returns; the kernel copies them.
        unsafe { call(libc::SYS_seccomp, arguments) }
    };
    let installed = match install(NEW_LISTENER | WAIT_KILLABLE) {
        Err(Errno(libc::EINVAL)) => install(NEW_LISTENER),
        installed => installed,
    };
    installed.map(into_owned_fd)
}

/// A waiting call. Source: the kernel's `linux/seccomp.h`, `struct seccomp_notif`.
#[repr(C)]
#[derive(Default, Debug)]
pub(crate) struct AskedCall {
    id: u64,
    pid: u32,
    flags: u32,
    pub(crate) number: i32,
    architecture: u32,
    instruction: u64,
    pub(crate) arguments: [u64; 6],
}

/// Fails if no call waits, or if its caller is gone.
pub(crate) fn receive_call(listener: BorrowedFd<'_>) -> Result<AskedCall> {
    const RECEIVE: usize = 0xc050_2100;
    let mut question = AskedCall::default();
    let address = ptr::from_mut(&mut question) as usize;
    // SAFETY: the value has the kernel's layout, is empty, and lives until the call returns.
    unsafe { call(libc::SYS_ioctl, [listener.as_raw_fd() as usize, RECEIVE, address, 0, 0, 0]) }?;
    Ok(question)
}

/// Lets a call happen, or fail.
pub(crate) fn answer_call(
    listener: BorrowedFd<'_>,
    question: &AskedCall,
    answer: std::result::Result<(), Errno>,
) {
    const SEND: usize = 0xc018_2101;
    const GO_ON: u32 = 1;
    /// `struct seccomp_notif_resp`.
    #[repr(C)]
    struct Answer {
        id: u64,
        value: i64,
        error: i32,
        flags: u32,
    }
    let (error, flags) = match answer {
        Ok(()) => (0, GO_ON),
        Err(errno) => (-errno.0, 0),
    };
    let answer = Answer { id: question.id, value: 0, error, flags };
    let address = ptr::from_ref(&answer) as usize;
    // SAFETY: the answer has the kernel's layout and lives until the call returns. The caller may be gone.
    let _ =
        unsafe { call(libc::SYS_ioctl, [listener.as_raw_fd() as usize, SEND, address, 0, 0, 0]) };
}
