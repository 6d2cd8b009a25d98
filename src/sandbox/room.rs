//! A room: all that a run has to itself. With namespaces, these are PID 1 with its process and mount namespaces,
//! `/proc`, the box and the temporary directory. A room is kept for the next run if it is proved
//! (see [`super::trace`]) that the last one left no trace in it; any doubt, and the next run gets a new one.

use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::pipe::PipeFlags;

use crate::sandbox::bare_init;
use crate::sandbox::boxes::{BEHIND_LINKS, Boxes};
use crate::sandbox::cgroup::read_first_number;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::first::{self, Attach, Order};
use crate::sandbox::init::Plan;
use crate::sandbox::mounts::Shown;
use crate::sandbox::prepare::{Ready, Tables};
use crate::sandbox::supervise::Running;
use crate::sandbox::sys::{self, CloneArguments};
use crate::sandbox::sys_room;
use crate::sandbox::trace::Senses;
use crate::sandbox::wire::RunRequest;

/// What a run has to itself.
pub(super) struct Room {
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
    /// What PID 1 uses: ends of pipes, and a list of events.
    _of_first: [Option<OwnedFd>; 3],
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
    },
}

impl Room {
    /// A room with this box. PID 1 comes with the first run.
    pub(super) fn new(
        boxes: Boxes,
        rules: Option<OwnedFd>,
        request: &RunRequest,
        ready: &Ready,
    ) -> Result<Self, Fault> {
        let mut senses = None;
        let mut watch = None;
        let mut kind = Kind::Once;
        let may_keep = ready.may_keep && is_plain(request);
        if let Some(tables) = ready.tables.as_ref().filter(|_| may_keep) {
            // A user may have no more of them; then nothing is kept.
            watch = sys_room::watch_list().ok();
            senses = watch.as_ref().map(|watch| Senses {
                watch: watch.as_raw_fd(),
                numbers: tables.numbers.as_raw_fd(),
                sockets: tables.sockets.as_raw_fd(),
                read_only: match request.writable {
                    true => -1,
                    false => boxes.main.as_raw_fd(),
                },
            });
            kind = Kind::Like {
                size: request.box_size,
                writable: request.writable,
                visible: request.visible.clone(),
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
            boxes,
            rules,
            kind,
            first: None,
            slot_cpu: 0,
            ask,
            untouched,
            order: Box::new(order),
            _of_first: [Some(asked), Some(tell), watch],
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
            } => {
                is_plain(request)
                    && *size == request.box_size
                    && *writable == request.writable
                    && *visible == request.visible
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
        let mut arguments = CloneArguments {
            flags: (libc::CLONE_VM | libc::CLONE_PIDFD) as u64,
            pidfd: ptr::from_mut(&mut pidfd) as u64,
            exit_signal: libc::SIGCHLD as u64,
            stack: ready.first_stack.bottom,
            stack_size: ready.first_stack.length,
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
    }
}

/// Waits until the kernel has collected the sockets that the last run lost, those that lie in each other unread. They
/// are in the slot's network namespace, where the next run would see them.
pub(super) fn collect_sockets(tables: &Tables) -> Result<(), Fault> {
    let step = "collect the sockets that the last run lost";
    for _ in 0..500 {
        if read_first_number(tables.sockets.as_raw_fd()).step(step)? == 0 {
            return Ok(());
        }
        // The kernel looks for lost ones when one is closed.
        let flags = SocketFlags::CLOEXEC;
        drop(rustix::net::socket_with(
            AddressFamily::UNIX,
            SocketType::STREAM,
            flags,
            None,
        ));
        sleep(Duration::from_millis(1));
    }
    Err(Fault::new(step, "they are still there"))
}

/// Whether a run begins with an empty box, and nothing of it is wanted but what it did.
fn is_plain(request: &RunRequest) -> bool {
    let links = |shown: &Shown| shown.inside.starts_with(BEHIND_LINKS);
    request.files.is_empty() && !request.keep && !request.visible.iter().any(links)
}
