//! Standard output and standard error of this process, as logs of a CI system.

use std::fs::File;
use std::io::{self, Stderr, Stdout, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::report::log::{Log, LogFormat, obeys_log};

/// Whether `--github` is given.
static IS_LOG: AtomicBool = AtomicBool::new(false);

/// From now on, output is for a CI system that runs commands in its log.
pub(super) fn set_log() {
    IS_LOG.store(true, Ordering::Relaxed);
}

pub(super) fn out(form: LogFormat) -> Log<Stdout> {
    let out = io::stdout();
    let is_obeyed = may_be_log(out.as_fd());
    Log::new(out, form, is_obeyed)
}

pub(super) fn err() -> Log<Stderr> {
    let err = io::stderr();
    let is_obeyed = may_be_log(err.as_fd());
    Log::new(err, LogFormat::Text, is_obeyed)
}

/// Ignores errors: nobody reads a closed standard error.
pub(super) fn print_remark(line: &str) {
    let _ = writeln!(err(), "{line}");
}

/// A regular file belongs to the user; a pipe may lead to a log.
fn may_be_log(stream: BorrowedFd<'_>) -> bool {
    let is_file = || {
        let file = stream.try_clone_to_owned().map(File::from).and_then(|file| file.metadata());
        file.is_ok_and(|found| found.is_file())
    };
    (IS_LOG.load(Ordering::Relaxed) || obeys_log()) && !is_file()
}
