//! Bounds the pipes of a run if programs have the judge's own user. The kernel counts the pages of all pipes of a user
//! together. Above a limit ([`PAGES_OF_A_USER`]), new pipes get only two pages, so that other programs would wait
//! forever. So runs are checked again and again, and ended if they have too many pipes. Descriptors in flight through
//! sockets do not show. All runs of a user together have at most as many of them as one process may have open files,
//! plus [`AT_ONCE`].
//!
//! A program may make a pipe without asking first. A signal can interrupt a call that waits for an answer, and
//! programs do not expect that of this call.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::sandbox::linux::keeper::procfs;
use crate::sandbox::linux::keeper::resources::OPEN_FILES_OF_THE_USER;
use crate::sandbox::linux::sys;

/// Of all processes of a run together.
const PIPES_MAX: usize = 128;

/// This many simultaneous runs of a user stay below its pages, whatever they have.
const SIMULTANEOUS_RUNS: usize = 4;

/// Pages of a user's pipes above which new pipes become small (`pipe-user-pages-soft`).
const PAGES_OF_A_USER: usize = 16_384;

/// Upper bound on the descriptors in one message.
const AT_ONCE: usize = 253;

const _: () = {
    const PAGES_OF_A_PIPE: usize = 16;
    let pipes = SIMULTANEOUS_RUNS * PIPES_MAX + OPEN_FILES_OF_THE_USER as usize + AT_ONCE;
    assert!(pipes * PAGES_OF_A_PIPE <= PAGES_OF_A_USER);
};

/// Ends the run of this PID 1 if it has too many pipes, by SIGKILL to the program. Returns whether it did.
pub(super) fn end_run_with_too_many(pid1: i32) -> bool {
    let is_beyond = are_too_many(pid1);
    if is_beyond {
        for process in procfs::children(pid1) {
            let _ = sys::kill(process, libc::SIGKILL);
        }
    }
    is_beyond
}

fn are_too_many(pid1: i32) -> bool {
    let open = |process: i32| fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten();
    // Nearly all runs have fewer descriptors than this.
    if procfs::descendants(pid1).flat_map(open).nth(PIPES_MAX).is_none() {
        return false;
    }
    let mut pipes: BTreeSet<PathBuf> = BTreeSet::new();
    for entry in procfs::descendants(pid1).flat_map(open).flatten() {
        let name = fs::read_link(entry.path()).unwrap_or_default();
        if name.as_os_str().as_encoded_bytes().starts_with(b"pipe:") {
            pipes.insert(name);
        }
        if pipes.len() > PIPES_MAX {
            return true;
        }
    }
    false
}
