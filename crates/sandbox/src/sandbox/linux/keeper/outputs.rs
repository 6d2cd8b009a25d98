//! Measures the files that are a run's standard output and error.

use std::cell::Cell;
use std::os::fd::OwnedFd;

use rustix::fs::{FileType, Stat};

use crate::sandbox::fault::{Fault, FaultContext};

/// Without outputs that go to another program.
pub(crate) struct OutputFiles {
    files: Vec<OwnedFd>,
    /// The largest length that was seen.
    most: Cell<u64>,
}

/// Of all outputs together, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OutputSize {
    /// The most so far: the program may have cut them since.
    pub(crate) length: u64,
    /// The memory that holds them, which is charged to the group of the run.
    pub(crate) memory: u64,
}

impl OutputFiles {
    /// The files among the standard streams, as copies of the descriptors: PID 1 closes those that the run has.
    pub(crate) fn of(stdio: &[OwnedFd]) -> Result<Self, Fault> {
        let mut files = Vec::new();
        for fd in stdio.iter().skip(1) {
            let stat = rustix::fs::fstat(fd).step("inspect the program's output")?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
                files.push(fd.try_clone().step("keep the program's output")?);
            }
        }
        Ok(Self { files, most: Cell::new(0) })
    }

    pub(crate) fn size(&self) -> OutputSize {
        /// The unit of `st_blocks`. Source: the manual page `inode(7)`.
        const BLOCK: u64 = 512;
        let add = |sum: OutputSize, stat: Stat| OutputSize {
            length: sum.length.saturating_add(stat.st_size.unsigned_abs()),
            memory: sum.memory.saturating_add(stat.st_blocks.unsigned_abs().saturating_mul(BLOCK)),
        };
        let now = self.files.iter().flat_map(rustix::fs::fstat).fold(OutputSize::default(), add);
        self.most.set(self.most.get().max(now.length));
        OutputSize { length: self.most.get(), ..now }
    }
}
