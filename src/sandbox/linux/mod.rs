//! Runs programs on Linux: apart from everything else, in namespaces or by landlock.
//!
//! # Theory of operation
//!
//! | process | rights | lives | ends by |
//! |---|---|---|---|
//! | the judge | those of whoever started it | | |
//! | a slot's process, a fork of the judge | root's, or all within a user namespace of its own; no exec | as long as its [`Slot`](super::Slot) | hang-up of the socket |
//! | PID 1 of a run, shares the slot's memory and descriptors | the slot's | one run, and the wait for it | SIGKILL by the slot, the slot's death |
//! | PID 2 of a run, the program | none: another user, no capabilities, no new privileges, filtered calls | one run | itself, or PID 1's end |
//! | what the program starts | the same none | one run | PID 1's end |
//!
//! The judge and a slot's process are joined by one socket. A request carries the job and
//! descriptors for the three standard streams; the answer carries facts, and descriptors of files
//! that were asked for. Nothing else is shared: the slot closes all it inherited. When the judge dies,
//! whatever way, the socket hangs up; the slot kills its run, removes its control groups, and ends.
//!
//! Once a slot, because it is dear: namespaces for mounts, network, messages and host name, and a view of
//! the file system (see `mounts`). To itself each run has an environment (see `environment`): process and mount namespaces,
//! `/proc`, the box, `/tmp`. It is always a new one. The judge is answered first; then the slot takes the old one away and makes
//! what it can of the next, in which PID 1 waits.
//! PID 1 and 2 run on stacks of their own in the slot's memory, so that starting them
//! costs the same however large the judge is; they allocate nothing (see `init`).
//!
//! The program is never PID 1, which the kernel treats unlike others: signals would not end it.
//!
//! A run is over when PID 2 ends. PID 1 notes the time, kills everything else in its process namespace, waits for all of it, and
//! says so. So when the slot counts, nobody is left to
//! run, to write or to change a file. CPU time and memory come from the control group, which counts the
//! whole tree: a program cannot hide a child by not waiting for it. Then the slot ends PID 1, and waits for its end before the next
//! run begins.
//!
//! # What an attacker would try
//!
//! - Reach the judge: other processes are not in its namespace; `/proc` shows only its own; PID 1 has another
//!   user or more capabilities, and ignores its signals; calls that reach into processes are refused.
//! - Keep something for the next run: files, shared memory, sockets, keys and processes are gone with
//!   the run, or cannot be made.
//! - Read the tests or the network: the view has nothing of the machine but the system's directories
//!   and what the job shows, read-only; the network namespace is empty, and only local sockets can be made.
//! - Have the judge follow a link or block on a fifo after the run: see `boxes`.
//! - Exhaust the machine: memory, processes, output, box and files in it are limited; the time limits end
//!   the rest.
//! - Write to its own input or another's: standard input is a sealed copy; all else is mounted read-only.
//!
//! - Leave its core, flush the machine's disks, use up what is counted for a user: refused, or limited so that
//!   the judge and other runs keep their part.
//!
//! Not prevented: two programs that run at the same time and want to talk can, by how they load the
//! processor, or by waiting on a page of a library that both have mapped. Each knows only its own input.

mod bare;
mod bare_filter;
mod bare_init;
mod beside;
mod boxes;
mod cgroup;
mod cgroup1;
mod cgroup2;
mod environment;
mod facts;
mod first;
mod ground;
mod host;
mod init;
mod ladder;
mod leftover;
mod mounts;
mod pack;
mod prepare;
mod resources;
mod seccomp;
mod server;
mod slot;
mod supervise;
mod sys;
mod sys_mount;
mod tree;
mod waiting;
mod wire;

use crate::model::isolation::Isolation;
use crate::model::judgement::JudgeError;
use crate::sandbox::plain;
use crate::sandbox::slot::{Place, SlotOptions};

pub(super) use beside::Beside;
pub use host::Host;

/// Makes a slot that keeps programs apart as the host says.
pub(super) fn start(host: &Host, options: &SlotOptions) -> Result<Box<dyn Place>, JudgeError> {
    match host.isolation() {
        Isolation::Plain => plain::start(),
        Isolation::Namespaces | Isolation::UserNamespaces | Isolation::Landlock => {
            Ok(Box::new(slot::Seat::start(host, options)?))
        }
    }
}

/// Takes this thread to where the programs of a slot's process run, until dropped.
pub(super) fn beside(process: i32) -> Option<Beside> {
    Beside::programs_of(process)
}
