//! A user number for a slot, unique on this machine while the slot lives.
//!
//! The kernel counts what a program pins for its user (pages of pipes, descriptors in flight, locked memory,
//! processes), so two runs of one user could make each other fail. A number is reserved by its use: a process of that
//! user sleeps while the slot and its runs live. It first becomes that user, and then lets the kernel count: if there
//! is a second process of the same user, anywhere, the limit of processes refuses a third. So if two judges want the
//! same number at the same time, at most one gets it. They need not see each other's files, processes or network. A
//! killed judge gives its numbers back. Only a process that may become that user can keep it from us.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::Duration;

use rustix::process::Resource;

use crate::sandbox::fault::{Fault, FaultContext};

use crate::sandbox::linux::keeper::prepare;
use crate::sandbox::linux::sys::{self, Capabilities, Errno};
use crate::sandbox::linux::wire;

/// The first user number of contestants under root; systemd leaves 60578 to 61183 unused.
pub(crate) const FIRST_USER: u32 = 60_578;

const USER_COUNT: u32 = 600;

/// Random tries before giving up: a free number is missed once in a thousand times.
const TRIES: u32 = 4200;

const STEP: &str = "reserve a user for programs";

/// Reserved until all copies of the descriptor are closed.
#[derive(Debug)]
pub(crate) struct UserReservation {
    pub(crate) user: u32,
    holder: i32,
}

impl UserReservation {
    /// The number is free again when all copies of the descriptor are closed. `None` if there is no answer in time.
    pub(crate) fn reserve(patience: Duration) -> Result<Option<(Self, OwnedFd)>, Fault> {
        let (ours, theirs) = wire::socket_pair().step(STEP)?;
        // SAFETY: as for the slot's process.
        let holder = unsafe { sys::fork(|| hold_user(theirs)) }.step(STEP)?;
        if !wire::is_answered_or_killed(&ours, holder, patience).step(STEP)? {
            let _ = sys::wait(holder);
            return Ok(None);
        }
        let mut message = [[0; 4]; 2];
        let read = rustix::io::read(&ours, message.as_flattened_mut());
        let [user, errno] = message.map(u32::from_ne_bytes);
        let reserved = Self { user, holder };
        match (read, errno.cast_signed()) {
            (Err(errno), _) => Err(errno).step(STEP),
            (Ok(8), 0) => Ok(Some((reserved, ours))),
            (Ok(8), libc::EAGAIN) => {
                let last = FIRST_USER + USER_COUNT - 1;
                let reason = format!(
                    "all users from {FIRST_USER} to {last} have processes, or no more can be started"
                );
                Err(Fault::new(STEP, reason))
            }
            (Ok(8), errno) => Err(Fault::from_errno(STEP, Errno(errno))),
            _ => Err(Fault::new(STEP, "the process that holds it ended unexpectedly")),
        }
    }
}

impl Drop for UserReservation {
    fn drop(&mut self) {
        let _ = sys::wait(self.holder);
    }
}

/// Finds a number, reports it, and sleeps until the other end is closed.
fn hold_user(line: OwnedFd) -> ! {
    let [line, _] = prepare::close_other_descriptors([Some(line.as_raw_fd()), None]);
    let reserved = find_user();
    let message = match reserved {
        Ok(user) => [user, 0],
        Err(errno) => [0, errno.0.cast_unsigned()],
    };
    let message = message.map(u32::to_ne_bytes);
    if let (Some(line), Ok(_)) = (&line, sys::set_capabilities(Capabilities::NONE)) {
        let _ = sys::write(line.as_raw_fd(), message.as_flattened());
        if reserved.is_ok() {
            // Nothing is ever sent; this waits for the hang-up.
            let _ = rustix::io::retry_on_intr(|| rustix::io::read(line.as_fd(), &mut [0; 1]));
        }
    }
    sys::exit(0)
}

/// Its real user number becomes that of a user without other processes.
fn find_user() -> Result<u32, Errno> {
    /// This process and one child.
    const TWO: u64 = 2;
    // Other processes of that user cannot touch it, and it is killed last if memory is short.
    let _ = std::fs::write("/proc/self/oom_score_adj", "-1000");
    sys::prctl(libc::PR_SET_DUMPABLE, 0, 0)?;
    let _ = sys::prctl(libc::PR_SET_NAME, c"juror-user".as_ptr() as usize, 0);
    sys::set_limit(Resource::Nproc, TWO, TWO)?;
    // With more capabilities, the limit would not apply to it.
    sys::set_capabilities(Capabilities::SET_USER)?;
    for _ in 0..TRIES {
        let mut number = [0; 4];
        sys::random(&mut number)?;
        let user = FIRST_USER + u32::from_ne_bytes(number) % USER_COUNT;
        const SAME: u32 = u32::MAX;
        sys::setresuid(user, SAME, SAME)?;
        match sys::fork_single_thread(|| {}) {
            Ok(child) => return sys::wait(child).map(|_| user),
            Err(Errno(libc::EAGAIN)) => {}
            Err(errno) => return Err(errno),
        }
    }
    Err(Errno(libc::EAGAIN))
}
