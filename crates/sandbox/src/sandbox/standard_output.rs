//! Finds out whether standard output was open when the process started. Rust's run-time library opens `/dev/null` for
//! closed standard streams before `main`, and output there is lost without an error.
//!
//! Also makes the system report the ends of child processes. The parent of this process may ignore SIGCHLD, which is
//! inherited, and then nobody learns how a process ended.

use std::sync::atomic::{AtomicBool, Ordering};

static OUTPUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Nothing can be reported then.
pub fn output_was_closed() -> bool {
    OUTPUT_WAS_CLOSED.load(Ordering::Relaxed)
}

extern "C" fn note_standard_output() {
    // SAFETY: it asks for a flag of a descriptor, and touches no memory.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    OUTPUT_WAS_CLOSED.store(flags == -1, Ordering::Relaxed);
    // SAFETY: sets no handler.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

// SAFETY: systems call the functions in this section once, before `main`; it relies on nothing that is initialized
// later.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = note_standard_output;
