//! Runs programs on Linux, isolated by namespaces or by landlock.
//!
//! # Processes, and what joins them
//!
//! ```text
//!  the machine's namespaces      those of the slot: mounts, network,          those of the run:
//!                                messages, host name, user (without root)     processes, mounts
//!
//!  +-----------+    socket     +------------------+    shared memory     +-------------+
//!  | the judge | -- a job ---> | a slot's process | -- begin ----------> |    PID 1    |
//!  |  judge/   | <-- facts --- |     keeper/      | <---------- over --- |    run/     |
//!  +-----------+    and files  +------------------+       an event       +-------------+
//!    |   ^   ^                   |              |                               | starts
//!    |   |   |                   | sets, reads  | makes, searches               v
//!    |   |   |                   v              v                        +-------------+
//!    |   |   |             control groups   box and /tmp, <------------- |    PID 2,   |
//!    |   |   |                cgroup/       the view: view/              | the program |
//!    |   |   +------------- file in memory: standard output ------------ |             |
//!    |   +----------------- file in memory: standard error ------------- |             |
//!    +---------- sealed copy, or the file itself: standard input ------> +-------------+
//! ```
//!
//! | process | rights | lives | ends by |
//! |---|---|---|---|
//! | the judge | those of whoever started it | | |
//! | a slot's process, a fork of the judge | root's, or all in its user namespace; no exec | with its slot | hang-up |
//! | under root, the holder of a user number, a fork of the judge | none | with its slot | the slot's hang-up |
//! | PID 1, with the slot's memory and descriptors | the slot's | a run, the wait for it | the slot's SIGKILL, death |
//! | PID 2, the program | other user, no capabilities or new privileges, filtered calls | a run | itself, PID 1 |
//! | what the program starts | none | a run | PID 1 |
//!
//! Nothing else is shared: the slot closes all inherited descriptors. When the judge dies, in whatever way, the socket
//! hangs up; the slot kills its run, removes its control groups, and ends. Without namespaces, landlock isolates the
//! same processes: see `view/landlock.rs`.
//!
//! # The life of a run
//!
//! 1. Once for each slot, because it is expensive (`keeper/prepare.rs`): namespaces, a view of the system
//!    (`view/mounts.rs`), the filter of calls (`filter/`), control groups. The isolation method was chosen before
//!    (`detect/`).
//! 2. Ahead of the run (`keeper/environment.rs`): a PID 1 in new process and mount namespaces. It waits.
//! 3. The judge sends the job, with descriptors of the three standard streams and of its files (`judge/slot.rs`,
//!    `wire.rs`).
//! 4. The slot (`keeper/server.rs`) makes the box and `/tmp`, fills the box (`view/boxes.rs`), copies the mounts that
//!    the job shows, sets the limits (`cgroup/`), and tells PID 1 to begin.
//! 5. PID 1 (`run/pid1.rs`) mounts `/proc`, the box and what is shown, and starts PID 2, which gives up all rights,
//!    reads the counters, and becomes the program (`run/child.rs`). Both run on their own stacks in the slot's memory,
//!    so that their start is equally cheap however large the judge is; they do not allocate. The program is never PID
//!    1, which the kernel treats specially: signals would not end it.
//! 6. The slot sleeps until a limit may be reached (`keeper/supervise.rs`), and looks at the size of the output now and
//!    then. At a limit, all processes are killed, including PID 1.
//! 7. The run is over when PID 2 ends. PID 1 notes the time, kills everything else in its process namespace, waits for
//!    all of it, and reports. So when the slot measures, no process is left to run, to write or to change a file. CPU
//!    time and memory come from the control group, which counts the whole tree: a program cannot hide a child by not
//!    waiting for it.
//! 8. The slot searches the box, reads the counters, and answers with facts and with descriptors of requested files.
//! 9. The judge has its answer, and reads the output. The slot kills PID 1, prepares the next run, and waits for PID
//!    1's end, so that it is charged to no group.
//!
//! # What an attacker would try
//!
//! - Reach the judge: other processes are not in its namespace; `/proc` shows only its own; PID 1 has another
//!   user or more capabilities, and ignores its signals; calls that reach into processes are refused.
//! - Keep something for the next run: files, shared memory, sockets, keys and processes are gone with the run, or
//!   cannot be made.
//! - Read the tests or the network: the view has nothing of the machine except the system's directories and what the
//!   job shows, read-only; the network namespace is empty, and only local sockets can be made.
//! - Make the judge follow a link or block on a fifo after the run: see `boxes`.
//! - Exhaust the machine: memory, processes, output, box and files in it are limited; the time limits end
//!   the rest.
//! - Write to its own input or another's: standard input is a sealed copy, or a file on a read-only mount; everything
//!   else is mounted read-only.
//! - Leave its core, flush the machine's disks, use up what is counted for a user: refused, or limited so that the
//!   judge and other runs keep their part.
//!
//! Not prevented: two programs that run at the same time can communicate by loading the processor, or by waiting for a
//! page of a library that both have mapped. Each knows only its own input.

mod cgroup;
mod detect;
mod filter;
mod judge;
mod keeper;
mod noticed;
mod run;
mod setup;
mod sys;
mod view;
mod wire;

use std::io;
use std::os::fd::AsFd;

use rustix::fs::{MemfdFlags, Mode, OFlags};

use crate::sandbox::capture::OutputFile;
use crate::sandbox::plain;
use crate::sandbox::slot::{Backend, CoreId};
use juror_core::isolation::Isolation;
use juror_core::judgement::JudgeError;

pub(super) use detect::enclosing_groups::EnclosingGroups;
pub use detect::host::Host;
pub(super) use judge::blocked::ProgramPipes;
pub(super) use judge::core_pin::CorePin;
pub use noticed::{dates_show_changes, inherited_limits, shown_settings};

pub(super) fn start(host: &Host, core: Option<CoreId>) -> Result<Box<dyn Backend>, JudgeError> {
    match host.isolation() {
        Isolation::Plain => plain::start(),
        Isolation::Namespaces | Isolation::UserNamespaces | Isolation::Landlock => {
            Ok(Box::new(judge::slot::LinuxSlot::start(host, core)?))
        }
    }
}

/// A new file in memory for an output. A program can open it again by name (`/dev/stdout`), whatever its user, but
/// only for writing. Each run has new ones, so that no run finds marks of another.
pub(super) fn output_file() -> io::Result<OutputFile> {
    let ours = wire::memory_file(MemfdFlags::empty())?;
    let theirs = wire::reopen(&ours, OFlags::WRONLY)?;
    rustix::fs::fchmod(&ours, Mode::from_raw_mode(0o222))?;
    Ok(OutputFile { judge_file: ours, program_end: theirs })
}

/// The user's programs hold very many pipes, so that the pipe is smaller than usual.
pub(super) fn is_small_pipe(pipe: impl AsFd) -> bool {
    const USUAL: usize = 64 << 10;
    rustix::pipe::fcntl_getpipe_size(pipe).is_ok_and(|size| size < USUAL)
}

/// Moves this thread to the core of the programs of a slot's process, until dropped.
pub(super) fn pin_to_core_of(process: i32) -> Option<CorePin> {
    CorePin::to_programs_of(process)
}
