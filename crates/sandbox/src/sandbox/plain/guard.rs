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

const NO_GROUP: i32 = 0;
const GUARD_NOT_NEEDED: i32 = -1;

#[derive(Debug)]
pub(super) struct Guard {
    pipe: PipeWriter,
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
                watch_judge(hears, || remove_directory(&directory, &|| false));
            })
        }?;
        Ok(Self { pipe: line, process })
    }

    /// A program reports the number of its group here before it starts.
    pub(super) fn pipe_fd(&self) -> RawFd {
        self.pipe.as_raw_fd()
    }

    /// Reports that the group is gone. Call it before its number can belong to another group.
    pub(super) fn report_group_gone(&self) {
        self.send_number(NO_GROUP);
    }

    #[cfg(test)]
    pub(super) fn kill(&self) {
        let options =
            rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        rustix::process::kill_process(self.process, Signal::KILL).unwrap();
        rustix::process::waitid(rustix::process::WaitId::Pid(self.process), options).unwrap();
    }

    fn send_number(&self, number: i32) {
        // A slot also works without its guard.
        let _ = (&self.pipe).write_all(&number.to_ne_bytes());
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.send_number(GUARD_NOT_NEEDED);
        let _ = waitpid(Some(self.process), WaitOptions::empty());
    }
}

fn watch_judge(mut pipe: PipeReader, clean_up: impl FnOnce()) {
    let mut group = NO_GROUP;
    let mut number = [0; 4];
    while pipe.read_exact(&mut number).is_ok() {
        group = i32::from_ne_bytes(number);
        if group == GUARD_NOT_NEEDED {
            return;
        }
    }
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    clean_up();
}
