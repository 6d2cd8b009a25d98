//! A process that cleans up after a judge that was killed.
//!
//! It reads numbers from a pipe: that of the process group that begins to run, 0 after the run, and -1 when the guard
//! is no longer needed. If the pipe ends, the judge is dead.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};

use crate::sandbox::disk::remove_directory;
use crate::sandbox::plain::sys;

const NOBODY: i32 = 0;
const END_OF_RUN: i32 = -1;

#[derive(Debug)]
pub(super) struct Guard {
    line: PipeWriter,
    process: Pid,
}

impl Guard {
    pub(super) fn start(directory: &Path) -> io::Result<Self> {
        let (hears, line) = io::pipe()?;
        let directory = directory.to_path_buf();
        // SAFETY: it takes no lock of this library or of the judge; it allocates, which the systems' allocators permit
        // after a fork, and only when the judge is dead.
        let process = unsafe {
            sys::fork(hears.as_raw_fd(), || {
                watch(hears, || remove_directory(&directory));
            })
        }?;
        Ok(Self { line, process })
    }

    /// A program reports the number of its group here before it starts.
    pub(super) fn line(&self) -> RawFd {
        self.line.as_raw_fd()
    }

    /// Reports that the group is gone. Call it before its number can belong to another group.
    pub(super) fn forget(&self) {
        self.say(NOBODY);
    }

    #[cfg(test)]
    pub(super) fn kill(&self) {
        let options =
            rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        rustix::process::kill_process(self.process, Signal::KILL).unwrap();
        rustix::process::waitid(rustix::process::WaitId::Pid(self.process), options).unwrap();
    }

    fn say(&self, number: i32) {
        // A slot also works without its guard.
        let _ = (&self.line).write_all(&number.to_ne_bytes());
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.say(END_OF_RUN);
        let _ = waitpid(Some(self.process), WaitOptions::empty());
    }
}

fn watch(mut hears: PipeReader, clean_up: impl FnOnce()) {
    let mut group = NOBODY;
    let mut number = [0; 4];
    while hears.read_exact(&mut number).is_ok() {
        group = i32::from_ne_bytes(number);
        if group == END_OF_RUN {
            return;
        }
    }
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    clean_up();
}
