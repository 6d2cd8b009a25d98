//! Standard input that lets a command or a thread end while nothing arrives.

use std::fs::File;
use std::io::{self, PipeReader, Read, stdin};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::ops::host::StopHandle;

pub struct Patient {
    from: File,
    stop_handle: StopHandle,
}

const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

const ENDED: &str = "interrupted";

pub fn is_end(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionAborted && error.to_string() == ENDED
}

/// `Stdin` has a buffer, whose content `poll` does not see.
fn unbuffered() -> io::Result<File> {
    Ok(File::from(stdin().as_fd().try_clone_to_owned()?))
}

impl Patient {
    /// Fails when the handle stops all runs.
    pub fn stdin(stop_handle: StopHandle) -> io::Result<Self> {
        Ok(Self { from: unbuffered()?, stop_handle })
    }

    /// `None` if it is not a regular file.
    pub fn size(&self) -> Option<u64> {
        let found = self.from.metadata().ok()?;
        found.is_file().then_some(found.len())
    }
}

impl Read for Patient {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.stop_handle.is_asked() {
                return Err(io::Error::new(io::ErrorKind::ConnectionAborted, ENDED));
            }
            let mut asked = [PollFd::new(&self.from, PollFlags::IN)];
            match poll(&mut asked, Some(&LOOK)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // If polling fails, reading reports why.
                Ok(_) | Err(_) => return self.from.read(to),
            }
        }
    }
}

/// Also ends when a byte arrives in the pipe, or its last writer is closed.
pub struct UntilBell {
    from: File,
    bell: PipeReader,
}

impl UntilBell {
    pub fn stdin(bell: PipeReader) -> io::Result<Self> {
        Ok(Self { from: unbuffered()?, bell })
    }
}

impl Read for UntilBell {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let mut asked = [self.from.as_fd(), self.bell.as_fd()]
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        poll(&mut asked, None)?;
        if asked[1].revents().is_empty() { self.from.read(to) } else { Ok(0) }
    }
}
