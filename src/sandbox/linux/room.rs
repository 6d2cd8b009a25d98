//! A room: all that a run has to itself. With namespaces, these are PID 1 with its process and mount namespaces,
//! `/proc`, the box and the temporary directory. A room is kept for the next run if it is proved
//! (see [`super::trace`]) that the last one left no trace in it; any doubt, and the next run gets a new one.

use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::pipe::PipeFlags;

use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::linux::bare_init;
use crate::sandbox::linux::boxes::{BEHIND_LINKS, Boxes, PROBE};
use crate::sandbox::linux::cgroup::read_first_number;
use crate::sandbox::linux::first::{self, Attach, Order};
use crate::sandbox::linux::init::{Identity, Plan};
use crate::sandbox::linux::mounts::Shown;
use crate::sandbox::linux::prepare::{Ready, Tables};
use crate::sandbox::linux::supervise::Running;
use crate::sandbox::linux::sys::{self, CloneArguments};
use crate::sandbox::linux::trace::Senses;
use crate::sandbox::linux::watches::Lists;
use crate::sandbox::linux::wire::{self, Facts, Found, Placed, PlacedWhat, RunRequest};

/// What a run has to itself.
pub(super) struct Room {
    /// Which of the slot's rooms it is.
    pub(super) number: usize,
    pub(super) boxes: Boxes,
    /// Landlock's rules, where there is landlock.
    pub(super) rules: Option<OwnedFd>,
    kind: Kind,
    /// PID 1, once there is one.
    first: Option<First>,
    /// The slot's own CPU time when the run started, in nanoseconds.
    slot_cpu: u64,
    /// Takes a byte for each run.
    ask: OwnedFd,
    /// Becomes readable when a run is over that left no trace.
    untouched: OwnedFd,
    /// What is to be told to PID 1, at a place that stays.
    order: Box<Order>,
    /// Files of the box that come and go.
    named: Vec<CString>,
    /// Of these, how many the program makes.
    made: u64,
    /// Where there are such, the number of the newest file in the box before the run.
    newest: u64,
    /// Whether the last run is over, and PID 1 has not said yet that it rests.
    is_busy: bool,
    /// What PID 1 uses: ends of pipes.
    _of_first: [OwnedFd; 2],
    /// And a list of events, which the next room may have.
    watch: Option<OwnedFd>,
    lists: Lists,
}

/// A run's first process.
struct First {
    pid: i32,
    pidfd: OwnedFd,
}

/// For which runs a room is.
enum Kind {
    /// For one.
    Once,
    /// For all like this.
    Like {
        size: u64,
        writable: bool,
        visible: Vec<Shown>,
        /// What is placed in the box, but how long files are.
        files: Vec<Placed>,
        collect: Vec<Vec<u8>>,
    },
}

impl Room {
    /// A room with this box. PID 1 comes with the first run.
    pub(super) fn new(
        number: usize,
        boxes: Boxes,
        rules: Option<OwnedFd>,
        request: &RunRequest,
        ready: &Ready,
    ) -> Result<Self, Fault> {
        let mut senses = None;
        let mut watch = None;
        let mut named = Vec::new();
        let (mut made, mut newest) = (0, 0);
        let mut kind = Kind::Once;
        let tables = ready.tables.as_ref().filter(|_| ready.may_keep);
        if let (Some(tables), Some(content)) = (tables, plain_content(request)) {
            // A user may have no more of them; then nothing is kept.
            watch = ready.lists.take();
            named = content.named.clone();
            made = content.made;
            if !named.is_empty() {
                newest = boxes.newest()?;
            }
            senses = watch.as_ref().map(|watch| Senses {
                watch: watch.as_raw_fd(),
                watched: [AtomicU32::new(0), AtomicU32::new(0)],
                numbers: tables.numbers.as_raw_fd(),
                sockets: tables.sockets.as_raw_fd(),
                read_only: match request.writable {
                    true => -1,
                    false => boxes.main.as_raw_fd(),
                },
                named: content.named,
                dated: content.dated,
            });
            kind = Kind::Like {
                size: request.box_size,
                writable: request.writable,
                visible: request.visible.clone(),
                files: without_lengths(&request.files),
                collect: request.collect.clone(),
            };
        }
        let pipe = || rustix::pipe::pipe_with(PipeFlags::CLOEXEC).step("make a pipe for the run");
        let (asked, ask) = pipe()?;
        let (untouched, tell) = pipe()?;
        let attach = |mount: &OwnedFd, target: &std::ffi::CStr| Attach {
            mount: mount.as_raw_fd(),
            target: target.to_owned(),
        };
        let order = Order {
            mounts: vec![
                attach(&boxes.main, c"/box"),
                attach(&boxes.temporary, c"/tmp"),
            ],
            senses,
            plan: AtomicPtr::new(ptr::null_mut()),
            asked: asked.as_raw_fd(),
            untouched: tell.as_raw_fd(),
            shows_age: AtomicU32::new(0),
        };
        Ok(Self {
            number,
            boxes,
            rules,
            kind,
            first: None,
            slot_cpu: 0,
            ask,
            untouched,
            order: Box::new(order),
            named,
            made,
            newest,
            is_busy: false,
            _of_first: [asked, tell],
            watch,
            lists: ready.lists.clone(),
        })
    }

    /// Whether a run may have this room, which was left without a trace.
    pub(super) fn fits(&self, request: &RunRequest) -> bool {
        match &self.kind {
            Kind::Once => false,
            Kind::Like {
                size,
                writable,
                visible,
                files,
                collect,
            } => {
                !request.keep
                    && *size == request.box_size
                    && *writable == request.writable
                    && *visible == request.visible
                    && *collect == request.collect
                    && *files == without_lengths(&request.files)
            }
        }
    }

    /// Whether no room of this slot can be made to look as new.
    pub(super) fn shows_age(&self) -> bool {
        matches!(self.kind, Kind::Like { .. }) && self.order.shows_age.load(Ordering::Acquire) != 0
    }

    /// Starts a run. The plan must stay until the run is over, and the room's PID 1 closes its streams.
    pub(super) fn start(&mut self, plan: &Plan, ready: &Ready) -> Result<(), Fault> {
        let place = ptr::from_ref(plan).cast_mut();
        self.order.plan.store(place, Ordering::Release);
        if self.first.is_none() {
            self.first = Some(self.start_first(plan, ready)?);
        }
        sys::write(self.ask.as_raw_fd(), b"r").step("ask for the run")?;
        self.slot_cpu = sys::clock(libc::CLOCK_PROCESS_CPUTIME_ID);
        Ok(())
    }

    /// The run that was started.
    pub(super) fn running(&self) -> Result<Running<'_>, Fault> {
        let missing = || Fault::new("run the program", "its first process is missing");
        let first = self.first.as_ref().ok_or_else(missing)?;
        Ok(Running {
            pid: first.pid,
            pidfd: first.pidfd.as_fd(),
            untouched: self.untouched.as_fd(),
            slot_cpu: self.slot_cpu,
        })
    }

    fn start_first(&self, plan: &Plan, ready: &Ready) -> Result<First, Fault> {
        let mut pidfd: RawFd = -1;
        let stack = &ready.first_stacks[self.number];
        let mut arguments = CloneArguments {
            flags: (libc::CLONE_VM | libc::CLONE_PIDFD) as u64,
            pidfd: ptr::from_mut(&mut pidfd) as u64,
            exit_signal: libc::SIGCHLD as u64,
            stack: stack.bottom,
            stack_size: stack.length,
            ..CloneArguments::default()
        };
        // SAFETY: the stack is PID 1's alone. It shares our memory, and keeps to the plan or the order, which
        // outlive it.
        let started = unsafe {
            if plan.bare.is_some() {
                sys::clone3(&arguments, bare_init::first, plan)
            } else {
                let own = libc::CLONE_FILES | libc::CLONE_NEWPID | libc::CLONE_NEWNS;
                arguments.flags |= own as u64;
                sys::clone3(&arguments, first::first, ptr::from_ref(&*self.order))
            }
        };
        let pid = started.step("start the run's first process")?;
        // SAFETY: the kernel has just made this descriptor for us.
        let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
        Ok(First { pid, pidfd })
    }

    /// Puts the files of the next run in the place of those of the last.
    pub(super) fn renew(
        &mut self,
        owner: Identity,
        request: &RunRequest,
        contents: Option<OwnedFd>,
    ) -> Result<(), Fault> {
        if self.named.is_empty() {
            return Ok(());
        }
        self.boxes
            .renew(owner, &self.named, &request.files, contents)?;
        self.newest = self.boxes.newest()?;
        Ok(())
    }

    /// The bytes in files of the box that are new or changed. Where PID 1 saw no trace, only those that come and go
    /// can be.
    pub(super) fn new_bytes(&self, is_untouched: bool) -> Result<u64, Fault> {
        match is_untouched {
            true => Ok(self.boxes.new_bytes_of(&self.named)),
            false => self.boxes.new_bytes(),
        }
    }

    /// Whether the room may stay, in which PID 1 saw no trace: the files that the program was to leave are all there, and small,
    /// and the kernel gave a number to nothing else, so that whatever comes after them bears the same ones.
    pub(super) fn may_stay(&self, facts: &Facts, writable: bool) -> bool {
        let is_there = |found: &Found| *found == Found::File;
        facts.files <= SMALL
            && (!writable || facts.found.iter().all(is_there))
            && self.is_numbered()
    }

    /// Whether the kernel gave as many numbers to files of the box as there are files. What it refuses late has one, and
    /// nobody hears of that: a long link where there is no room for its text.
    fn is_numbered(&self) -> bool {
        let expected = self.newest + self.made + 1;
        self.named.is_empty() || self.boxes.next_number().is_ok_and(|next| next == expected)
    }

    /// The last run left no trace; PID 1 does its last for it.
    pub(super) fn was_left(&mut self) {
        self.is_busy = true;
    }

    /// Waits until PID 1 rests. Returns whether there is one.
    pub(super) fn rests(&mut self) -> bool {
        let Some(first) = &self.first else {
            return false;
        };
        if self.is_busy {
            let mut fds = [
                PollFd::new(&self.untouched, PollFlags::IN),
                PollFd::new(&first.pidfd, PollFlags::IN),
            ];
            while poll(&mut fds, None) == Err(rustix::io::Errno::INTR) {}
            let is_said = !fds[0].revents().is_empty();
            self.is_busy = !(is_said && rustix::io::read(&self.untouched, &mut [0; 1]) == Ok(1));
        }
        !self.is_busy
    }

    /// PID 1 is gone, and was waited for.
    pub(super) fn is_over(&mut self) {
        self.first = None;
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(first) = self.first.take() {
            let _ = sys::pidfd_kill(first.pidfd.as_fd(), libc::SIGKILL);
            let _ = sys::wait(first.pid);
        }
        if let (Some(list), Some(senses)) = (self.watch.take(), &self.order.senses) {
            self.lists.give_back(list, &senses.watched);
        }
    }
}

/// Waits until the kernel has collected the sockets that the last run lost, those that lie in each other unread. They
/// are in the slot's network namespace, where the next run would see them.
pub(super) fn collect_sockets(tables: &Tables) -> Result<(), Fault> {
    /// So often in a row, a millisecond apart, it may find as many as before.
    const PATIENCE: u32 = 5000;
    let step = "collect the sockets that the last run lost";
    let (mut least, mut tries) = (u64::MAX, 0);
    while tries < PATIENCE {
        let count = read_first_number(tables.sockets.as_raw_fd()).step(step)?;
        if count == 0 {
            return Ok(());
        }
        tries += 1;
        if count < least {
            // Of those that lie in each other it collects one every tick of its clock.
            (least, tries) = (count, 0);
        }
        wire::collect_sockets();
    }
    Err(Fault::new(step, "they are still there"))
}

/// Files of all sizes together that a room is kept with, in bytes: what lies in its box is on its account.
pub(super) const SMALL: u64 = 64 << 10;

/// What lies in the box of a run whose room may be kept.
struct Content {
    /// Files that come and go.
    named: Vec<CString>,
    /// How many of them the program is to make.
    made: u64,
    /// The paths of what stays.
    dated: Vec<CString>,
}

/// What lies in a run's box, if its room may be kept: nothing of the box is wanted but files directly in it, and what
/// the judge puts there cannot change without an event of the box. Files come and go only where the box is writable:
/// the slot cannot reach into a read-only one any more once the room has it.
fn plain_content(request: &RunRequest) -> Option<Content> {
    /// Each costs the next run two system calls.
    const MOST: usize = 16;
    let links = |shown: &Shown| shown.inside.starts_with(BEHIND_LINKS);
    if request.keep || request.visible.iter().any(links) || request.files.len() > MOST {
        return None;
    }
    let mut content = Content {
        named: Vec::new(),
        made: 0,
        dated: Vec::new(),
    };
    for Placed { name, what } in &request.files {
        let path = name.as_os_str().as_bytes();
        let is_in_the_box = is_a_name(path);
        match what {
            _ if !is_in_the_box => return None,
            PlacedWhat::File { .. } => content.named.push(text(path)?),
            PlacedWhat::Directory if request.writable => return None,
            PlacedWhat::Link { .. } | PlacedWhat::Directory => {
                content.dated.push(text(&[b"/box/", path].concat())?);
            }
        }
    }
    for name in &request.collect {
        if !is_a_name(name) {
            return None;
        }
        let name = text(name)?;
        if !content.named.contains(&name) {
            content.made += 1;
            content.named.push(name);
        }
    }
    let is_of_a_link = |name: &CString| {
        let stays = |placed: &Placed| {
            !matches!(placed.what, PlacedWhat::File { .. })
                && placed.name.as_os_str().as_bytes() == name.as_bytes()
        };
        request.files.iter().any(stays)
    };
    let may_change = content.named.is_empty() || request.writable;
    (may_change && !content.named.iter().any(is_of_a_link)).then_some(content)
}

fn is_a_name(path: &[u8]) -> bool {
    let is_reserved = path == b"." || path == b".." || path == PROBE.to_bytes();
    !path.contains(&b'/') && !is_reserved && !path.is_empty()
}

fn text(bytes: &[u8]) -> Option<CString> {
    CString::new(bytes).ok()
}

fn without_lengths(files: &[Placed]) -> Vec<Placed> {
    let mut files = files.to_vec();
    for placed in &mut files {
        if let PlacedWhat::File { length, .. } = &mut placed.what {
            *length = 0;
        }
    }
    files
}
