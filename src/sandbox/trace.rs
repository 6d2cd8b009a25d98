//! The proof that a run left no trace, so that the next may have its room.
//!
//! PID 1 makes the room look as new, looks at all that a program could change in it, and looks again when
//! the program has ended. Only where nothing differs the room is kept. The page about the sandbox
//! (`docs/sandbox.md`) says for each thing why looking at it is enough. Nothing here allocates: see [`super::init`].

use std::ffi::CStr;
use std::os::fd::RawFd;

use crate::sandbox::cgroup::{first_number, read_first_number};
use crate::sandbox::first::{PROC_FLAGS, PROC_OPTIONS};
use crate::sandbox::sys::{self, ATTR_RDONLY, Errno, Reach};
use crate::sandbox::sys_room::{self, Status};

/// The directories that a program may write to.
const WRITABLE: [&CStr; 2] = [c"/box", c"/tmp"];

/// All whose times would tell how old the room is. What else there is below `/proc` the kernel makes when
/// it is asked for, and forgets when it is told to.
const DATED: [&CStr; 5] = [
    c"/box",
    c"/tmp",
    c"/proc",
    c"/proc/self",
    c"/proc/thread-self",
];

/// Everything that happens to a directory or what is in it, but changes of its times, mode, owner and attributes:
/// those PID 1 causes itself, and sees by looking.
const EVENTS: u32 = libc::IN_ALL_EVENTS & !libc::IN_ATTRIB;

/// The number of PID 1, the last that was given to a process as long as the kernel gave none of itself: that of
/// PID 2 is asked for by name.
const LAST_NUMBER: u64 = 1;

/// What PID 1 looks with.
#[derive(Clone, Copy)]
pub(super) struct Senses {
    /// A list of events.
    pub(super) watch: RawFd,
    /// `/proc/loadavg`, whose last number is that of the newest process in the namespace of whoever reads.
    pub(super) numbers: RawFd,
    /// `/proc/net/sockstat` of the slot's network namespace, whose first number is that of sockets in it.
    pub(super) sockets: RawFd,
    /// The mount of the box, if that is read-only; else -1.
    pub(super) read_only: RawFd,
}

/// What can be seen of a room between two runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    /// The directories that a program may write to, without opening them.
    statuses: [Status; 2],
    rest: Rest,
}

/// What is the same before all runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Rest {
    /// The names of attributes of the directories.
    attributes: [[u8; 128]; 2],
    /// PID 1 itself: a program of its user could make it slow.
    schedule: [u64; 7],
    disk_priority: usize,
    pending_signals: u64,
}

impl Senses {
    /// Begins to listen, and looks. Once a room, by PID 1.
    pub(super) fn listen(self) -> Result<Rest, Errno> {
        for place in WRITABLE {
            sys_room::watch(self.watch, place, EVENTS)?;
        }
        // The kernel dates more exactly what somebody looked at, as at the end of every run.
        Look::take().map(|look| look.rest)
    }

    /// Makes the room look as new, and looks; `None` if it cannot be made so. An error is a box that was to be
    /// read-only and is not.
    pub(super) fn before(self, rest: Rest) -> Result<Option<Look>, Errno> {
        let is_read_only = self.read_only >= 0;
        if is_read_only {
            sys::mount_setattr(self.read_only, Reach::One, 0, ATTR_RDONLY)?;
        }
        let are_set_back = set_back_times();
        if is_read_only {
            sys::mount_setattr(self.read_only, Reach::One, ATTR_RDONLY, 0)?;
        }
        let statuses = are_set_back.and_then(|()| statuses());
        Ok(statuses.map(|statuses| Look { statuses, rest }).ok())
    }

    /// Whether nobody but one process was in the room since it looked like this, and that one left nothing. What it
    /// had open is closed, but what it sent through sockets that nobody has any more: the kernel collects those later.
    pub(super) fn is_untouched(self, before: &Look) -> bool {
        self.heard_nothing()
            && last_number(self.numbers) == Ok(LAST_NUMBER)
            && read_first_number(self.sockets) == Ok(0)
            && Look::take().is_ok_and(|now| now == *before)
    }

    fn heard_nothing(self) -> bool {
        sys_room::read(self.watch, &mut [0; 512]) == Err(Errno(libc::EAGAIN))
    }
}

impl Look {
    fn take() -> Result<Self, Errno> {
        let [first, second] = WRITABLE;
        Ok(Self {
            statuses: statuses()?,
            rest: Rest {
                attributes: [attributes(first)?, attributes(second)?],
                schedule: sys_room::schedule()?,
                disk_priority: sys_room::disk_priority()?,
                pending_signals: sys_room::pending_signals()?,
            },
        })
    }
}

fn statuses() -> Result<[Status; 2], Errno> {
    let [first, second] = WRITABLE;
    Ok([sys_room::status(first)?, sys_room::status(second)?])
}

fn attributes(path: &CStr) -> Result<[u8; 128], Errno> {
    let mut attributes = [0; 128];
    match sys_room::attributes(path, &mut attributes) {
        Ok(_) | Err(Errno(libc::EOPNOTSUPP)) => Ok(attributes),
        Err(errno) => Err(errno),
    }
}

/// Has the kernel forget what it made of `/proc` because somebody asked for it: when that was, and the numbers of the
/// files, could be seen by the next. To mount it anew with its present options does that.
pub(super) fn forget_proc() -> Result<usize, Errno> {
    let flags = PROC_FLAGS | libc::MS_REMOUNT;
    sys::mount(c"proc", c"/proc", c"proc", flags, PROC_OPTIONS)
}

fn set_back_times() -> Result<(), Errno> {
    for place in DATED {
        sys_room::set_times_to_now(place)?;
    }
    Ok(())
}

/// The number of the newest process in this process's namespace.
fn last_number(numbers: RawFd) -> Result<u64, Errno> {
    let mut buffer = [0; 128];
    let length = sys::pread(numbers, &mut buffer)?;
    Ok(last_of(buffer.get(..length).unwrap_or(&[])))
}

/// The number at the end of a line.
fn last_of(line: &[u8]) -> u64 {
    let start = line.iter().rposition(|byte| *byte == b' ').unwrap_or(0);
    first_number(line.get(start..).unwrap_or(&[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_of_a_line_is_read() {
        assert_eq!(last_of(b"14.59 12.45 8.71 13/186 1\n"), 1);
        assert_eq!(last_of(b"0.00 0.00 0.00 1/1 4194303\n"), 4_194_303);
        assert_eq!(last_of(b""), 0);
    }
}
