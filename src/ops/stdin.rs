//! Standard input that lets a command or a thread end while nothing arrives.

use std::fs::File;
use std::io::{self, PipeReader, Read, stdin};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::ops::stop_handle::StopHandle;

pub struct InterruptibleStdin {
    file: File,
    stop_handle: StopHandle,
}

const POLL_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

const INTERRUPTED: &str = "interrupted";

pub fn is_interruption(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionAborted && error.to_string() == INTERRUPTED
}

pub fn interruption() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, INTERRUPTED)
}

/// `Stdin` has a buffer, whose content `poll` does not see.
fn unbuffered() -> io::Result<File> {
    Ok(File::from(stdin().as_fd().try_clone_to_owned()?))
}

impl InterruptibleStdin {
    /// Fails when the handle stops all runs.
    pub fn open(stop_handle: StopHandle) -> io::Result<Self> {
        Ok(Self { file: unbuffered()?, stop_handle })
    }

    /// `None` if it is not a regular file.
    pub fn size(&self) -> Option<u64> {
        let found = self.file.metadata().ok()?;
        found.is_file().then_some(found.len())
    }
}

impl Read for InterruptibleStdin {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.stop_handle.is_stopped() {
                return Err(interruption());
            }
            let mut asked = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut asked, Some(&POLL_INTERVAL)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // If polling fails, reading reports why.
                Ok(_) | Err(_) => return self.file.read(to),
            }
        }
    }
}

/// Also ends when a byte arrives in the pipe, or its last writer is closed.
pub struct StoppableStdin {
    file: File,
    stop_pipe: PipeReader,
}

impl StoppableStdin {
    pub fn open(bell: PipeReader) -> io::Result<Self> {
        Ok(Self { file: unbuffered()?, stop_pipe: bell })
    }
}

impl Read for StoppableStdin {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let mut asked = [self.file.as_fd(), self.stop_pipe.as_fd()]
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        poll(&mut asked, None)?;
        if asked[1].revents().is_empty() { self.file.read(to) } else { Ok(0) }
    }
}
