//! Both outputs of a run, read together.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::sandbox::capture::Stream;
use crate::sandbox::fault::{Fault, Step};

/// Both outputs of a run.
pub(super) struct Streams {
    pub(super) output: Stream,
    pub(super) error: Stream,
    /// The program's ends of our own pipes; open until the end, since each hang-up would wake the judge once more just
    /// before the answer.
    #[expect(dead_code, reason = "only to be kept open")]
    pub(super) open: [Option<OwnedFd>; 2],
}

/// The outputs that can be read.
#[derive(Default)]
pub(super) struct ReadyToRead {
    pub(super) output: bool,
    pub(super) error: bool,
    /// Whether the other descriptor is ready.
    pub(super) other: bool,
}

impl Streams {
    pub(super) fn total(&self) -> u64 {
        self.output.total.saturating_add(self.error.total)
    }

    /// Waits until the outputs or `other` can be read, or until the time is up.
    pub(super) fn wait(
        &self,
        other: BorrowedFd<'_>,
        timeout: Option<&Timespec>,
    ) -> rustix::io::Result<ReadyToRead> {
        let mut fds = vec![PollFd::from_borrowed_fd(other, PollFlags::IN)];
        let streams = [&self.output, &self.error];
        for stream in streams {
            if let Some(pipe) = &stream.pipe {
                fds.push(PollFd::new(pipe, PollFlags::IN));
            }
        }
        match poll(&mut fds, timeout) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(ReadyToRead::default()),
            Err(errno) => return Err(errno),
        }
        let mut events = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = |is_polled: bool| is_polled && events.next().unwrap_or(false);
        Ok(ReadyToRead {
            other: next(true),
            output: next(self.output.pipe.is_some()),
            error: next(self.error.pipe.is_some()),
        })
    }

    /// Reads the rest, at most `most` times from each output: a process may go on writing forever.
    pub(super) fn drain(&mut self, buffer: &mut [u8], most: usize) -> io::Result<()> {
        for stream in [&mut self.output, &mut self.error] {
            let mut left = most;
            while left > 0 && stream.read(buffer)? {
                left -= 1;
            }
        }
        Ok(())
    }
}

/// A pipe whose reading end, ours, does not block.
pub(super) fn pipe() -> Result<(Option<OwnedFd>, OwnedFd), Fault> {
    let (read, write) = io::pipe().step("make a pipe")?;
    rustix::io::ioctl_fionbio(&read, true).step("make a pipe")?;
    Ok((Some(read.into()), write.into()))
}
