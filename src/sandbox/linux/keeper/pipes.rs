//! How many pipes a run has, if programs are of the judge's own user: the kernel counts the pages of all pipes of a user together, and
//! gives to one beyond a limit ([`PAGES_OF_A_USER`]) pipes of two pages, by which other programs would wait for ever. So a run
//! is looked at again and again, and ended if it has too many. Descriptors on their way through sockets do not show: all runs
//! of a user together have no more of them than one process may have open files, and [`AT_ONCE`].
//!
//! Nothing asks before a pipe is made: while a call waits for an answer a signal can interrupt it, which programs do
//! not expect of that one.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::sandbox::linux::keeper::procfs;
use crate::sandbox::linux::keeper::resources::OPEN_FILES_OF_THE_USER;
use crate::sandbox::linux::sys;

/// How many pipes the processes of a run may have open together.
const MOST: usize = 128;

/// So many runs of a user at once stay below its pages, whatever they have.
const RUNS: usize = 4;

/// How many pages a user's pipes may have before new ones become small (`pipe-user-pages-soft`).
const PAGES_OF_A_USER: usize = 16_384;

/// How many descriptors one message can carry.
const AT_ONCE: usize = 253;

const _: () = {
    const PAGES_OF_A_PIPE: usize = 16;
    let pipes = RUNS * MOST + OPEN_FILES_OF_THE_USER as usize + AT_ONCE;
    assert!(pipes * PAGES_OF_A_PIPE <= PAGES_OF_A_USER);
};

/// Ends the run of this PID 1 if it has too many, by a signal to the program.
pub(super) fn look(pid1: i32) {
    if are_too_many(pid1) {
        for process in procfs::children(pid1) {
            let _ = sys::kill(process, libc::SIGKILL);
        }
    }
}

fn are_too_many(pid1: i32) -> bool {
    let open = |process: i32| fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten();
    // Nearly all runs have fewer descriptors than that.
    if procfs::below(pid1).flat_map(open).nth(MOST).is_none() {
        return false;
    }
    let mut pipes: BTreeSet<PathBuf> = BTreeSet::new();
    for entry in procfs::below(pid1).flat_map(open).flatten() {
        let name = fs::read_link(entry.path()).unwrap_or_default();
        if name.as_os_str().as_encoded_bytes().starts_with(b"pipe:") {
            pipes.insert(name);
        }
        if pipes.len() > MOST {
            return true;
        }
    }
    false
}
