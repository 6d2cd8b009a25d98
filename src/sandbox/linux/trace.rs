//! The proof that a run left no trace, so that the next may have its room.
//!
//! PID 1 makes the room look as new, looks at all that a program could change in it, and looks again when
//! the program has ended. Only where nothing differs the room is kept. The page about the sandbox
//! (`docs/sandbox.md`) says for each thing why looking at it is enough. Nothing here allocates: see [`super::init`].

use std::ffi::{CStr, CString};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::sandbox::linux::cgroup::{first_number, read_first_number};
use crate::sandbox::linux::first::{PROC_FLAGS, PROC_OPTIONS};
use crate::sandbox::linux::sys::{self, Errno};
use crate::sandbox::linux::sys_mount::{self, ATTR_RDONLY, Reach};
use crate::sandbox::linux::sys_room::{self, Status};

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

/// What happens to files of a box in which files of known names come and go: what lies behind such a name is
/// thrown away after the run, so only that nothing else was touched needs to be heard.
const EVENTS_BY_NAME: u32 = libc::IN_OPEN
    | libc::IN_CREATE
    | libc::IN_DELETE
    | libc::IN_DELETE_SELF
    | libc::IN_MOVE
    | libc::IN_MOVE_SELF;

/// What PID 1 looks with.
pub(super) struct Senses {
    /// A list of events.
    pub(super) watch: RawFd,
    /// The numbers on the list of the directories that a program may write to; 0 before there are any.
    pub(super) watched: [AtomicU32; 2],
    /// `/proc/loadavg`, whose last number is that of the newest process in the namespace of whoever reads.
    pub(super) numbers: RawFd,
    /// `/proc/net/sockstat` of the slot's network namespace, whose first number is that of sockets in it.
    pub(super) sockets: RawFd,
    /// The mount of the box, if that is read-only; else -1.
    pub(super) read_only: RawFd,
    /// Files of the box that come and go with each run.
    pub(super) named: Vec<CString>,
    /// What else the judge put into the box, and what stays: its times would tell how old the room is.
    pub(super) dated: Vec<CString>,
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
    pub(super) fn listen(&self) -> Result<Rest, Errno> {
        let [of_box, temporary] = WRITABLE;
        let events = match self.named.is_empty() {
            true => EVENTS | libc::IN_ONESHOT,
            false => EVENTS_BY_NAME,
        };
        let both = [(of_box, events), (temporary, EVENTS | libc::IN_ONESHOT)];
        for ((directory, events), number) in both.into_iter().zip(&self.watched) {
            let watched = sys_room::watch(self.watch, directory, events)?;
            number.store(watched as u32, Ordering::Release);
        }
        // The kernel dates more exactly what somebody looked at, as at the end of every run.
        Look::take(&self.named).map(|look| look.rest)
    }

    /// Makes the room look as new, and looks; `None` if it cannot be made so. An error is a box that was to be
    /// read-only and is not.
    pub(super) fn before(&self, rest: Rest) -> Result<Option<Look>, Errno> {
        let is_read_only = self.read_only >= 0;
        if is_read_only {
            sys_mount::mount_setattr(self.read_only, Reach::One, 0, ATTR_RDONLY)?;
        }
        let are_set_back = set_back_times(&self.dated);
        if is_read_only {
            sys_mount::mount_setattr(self.read_only, Reach::One, ATTR_RDONLY, 0)?;
        }
        let statuses = are_set_back.and_then(|()| statuses(&self.named));
        if !self.named.is_empty() {
            // The slot has put other files there.
            self.hear(&mut |_| true);
        }
        Ok(statuses.map(|statuses| Look { statuses, rest }).ok())
    }

    /// Whether nobody but one process was in the room since it looked like this, and that one left nothing. What it
    /// had open is closed, but what it sent through sockets that nobody has any more: the kernel collects those later.
    pub(super) fn is_untouched(&self, before: &Look) -> bool {
        self.heard_nothing()
            && last_number(self.numbers) == Ok(LAST_NUMBER)
            && read_first_number(self.sockets) == Ok(0)
            && Look::take(&self.named).is_ok_and(|now| now == *before)
    }

    /// Whether nothing happened, but to the files that may come and go.
    fn heard_nothing(&self) -> bool {
        let of_box = self.watched[0].load(Ordering::Acquire);
        self.hear(&mut |event| event.is_of_a_file(of_box, &self.named))
    }

    /// Takes all events from the list. Returns whether each was as wanted.
    fn hear(&self, is_wanted: &mut dyn FnMut(Event<'_>) -> bool) -> bool {
        let mut buffer = [0; 4096];
        let mut are_wanted = true;
        loop {
            match sys_room::read(self.watch, &mut buffer) {
                Ok(length) => {
                    let mut rest = buffer.get(..length).unwrap_or(&[]);
                    while let Some((event, others)) = Event::first_of(rest) {
                        are_wanted &= is_wanted(event);
                        rest = others;
                    }
                    are_wanted &= rest.is_empty() && length > 0;
                }
                Err(errno) => return are_wanted && errno == Errno(libc::EAGAIN),
            }
        }
    }
}

/// Something that happened to a file. Source: `inotify(7)`.
#[derive(Clone, Copy)]
struct Event<'a> {
    directory: u32,
    mask: u32,
    name: &'a [u8],
}

impl<'a> Event<'a> {
    /// The first of several, and the others.
    fn first_of(list: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (head, rest) = list.split_first_chunk::<16>()?;
        let [d0, d1, d2, d3, m0, m1, m2, m3, _, _, _, _, l0, l1, l2, l3] = *head;
        let length = u32::from_ne_bytes([l0, l1, l2, l3]);
        let (name, others) = rest.split_at_checked(length as usize)?;
        let event = Self {
            directory: u32::from_ne_bytes([d0, d1, d2, d3]),
            mask: u32::from_ne_bytes([m0, m1, m2, m3]),
            name: name.split(|byte| *byte == 0).next().unwrap_or(&[]),
        };
        Some((event, others))
    }

    /// Whether a file of the box with one of these names was opened, or made; nothing else.
    fn is_of_a_file(self, of_box: u32, named: &[CString]) -> bool {
        let is_only = |mask: u32| self.mask & mask == self.mask;
        self.directory == of_box
            && is_only(libc::IN_OPEN | libc::IN_CREATE)
            && !self.name.is_empty()
            && named.iter().any(|name| name.as_bytes() == self.name)
    }
}

impl Look {
    fn take(named: &[CString]) -> Result<Self, Errno> {
        let [first, second] = WRITABLE;
        Ok(Self {
            statuses: statuses(named)?,
            rest: Rest {
                attributes: [attributes(first)?, attributes(second)?],
                schedule: sys_room::schedule()?,
                disk_priority: sys_room::disk_priority()?,
                pending_signals: sys_room::pending_signals()?,
            },
        })
    }
}

fn statuses(named: &[CString]) -> Result<[Status; 2], Errno> {
    let [first, second] = WRITABLE;
    let mut of_box = sys_room::status(first)?;
    if !named.is_empty() {
        sys_room::forget_times_and_size(&mut of_box);
    }
    Ok([of_box, sys_room::status(second)?])
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
    sys_mount::mount(c"proc", c"/proc", c"proc", flags, PROC_OPTIONS)
}

fn set_back_times(further: &[CString]) -> Result<(), Errno> {
    for place in DATED.into_iter().chain(further.iter().map(|path| &**path)) {
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
    fn events_are_told_apart() {
        let event_of = |directory: u32, mask: u32, name: &str| {
            let length = if name.is_empty() { 0 } else { 16 };
            let mut bytes = Vec::new();
            for number in [directory, mask, 0, length as u32] {
                bytes.extend(number.to_ne_bytes());
            }
            bytes.extend(name.as_bytes());
            bytes.resize(16 + length, 0);
            bytes
        };
        let event = |mask, name| event_of(7, mask, name);
        let named = [c"a.in".to_owned(), c"a.out".to_owned()];
        let check = |events: &[Vec<u8>], expected: &[bool]| {
            let list = events.concat();
            let mut rest = list.as_slice();
            let mut found = Vec::new();
            while let Some((event, others)) = Event::first_of(rest) {
                found.push(event.is_of_a_file(7, &named));
                rest = others;
            }
            assert_eq!(found, expected);
            assert!(rest.is_empty());
        };
        use libc::{IN_CREATE, IN_DELETE, IN_ISDIR, IN_MOVED_TO, IN_OPEN, IN_Q_OVERFLOW};
        check(&[], &[]);
        check(
            &[event(IN_OPEN, "a.in"), event(IN_CREATE, "a.out")],
            &[true, true],
        );
        check(&[event(IN_OPEN, "a.i"), event(IN_OPEN, "b")], &[false; 2]);
        check(&[event_of(8, IN_OPEN, "a.in")], &[false]);
        check(&[event(IN_DELETE, "a.in")], &[false]);
        check(&[event(IN_MOVED_TO, "a.out")], &[false]);
        check(&[event(IN_CREATE | IN_ISDIR, "a.out")], &[false]);
        check(&[event(IN_OPEN | IN_ISDIR, "")], &[false]);
        check(&[event(IN_Q_OVERFLOW, "")], &[false]);
    }

    #[test]
    fn the_last_number_of_a_line_is_read() {
        assert_eq!(last_of(b"14.59 12.45 8.71 13/186 1\n"), 1);
        assert_eq!(last_of(b"0.00 0.00 0.00 1/1 4194303\n"), 4_194_303);
        assert_eq!(last_of(b""), 0);
    }
}
