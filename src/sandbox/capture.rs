//! The judge's side of a program's outputs: read as they come, counted, and kept within bounds.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use tempfile::{SpooledData, SpooledTempFile, spooled_tempfile};

use crate::model::blob::Blob;

/// Upper bound in bytes on the part of standard output in memory; the rest goes to an unnamed file.
const IN_MEMORY: usize = 1 << 20;

/// Upper bound in bytes on what is kept of each end of standard error.
const EACH_END: usize = 32 << 10;

/// One of the program's outputs.
pub(super) struct Stream {
    /// The reading end, until the writing end is closed.
    pub(super) pipe: Option<OwnedFd>,
    /// Number of bytes that came, kept or not.
    pub(super) total: u64,
    kept: Kept,
}

/// The part of a stream that is kept.
enum Kept {
    /// Everything, as long as `left` bytes remain.
    All { store: SpooledTempFile, left: u64 },
    /// The beginning and the end.
    Ends { first: Vec<u8>, last: VecDeque<u8> },
}

impl Stream {
    /// Standard output; at most `most` bytes are kept.
    pub(super) fn output(pipe: Option<OwnedFd>, most: Option<u64>) -> Self {
        let store = spooled_tempfile(IN_MEMORY);
        Self { pipe, total: 0, kept: Kept::All { store, left: most.unwrap_or(u64::MAX) } }
    }

    /// Standard error; both ends are kept.
    pub(super) fn error(pipe: Option<OwnedFd>) -> Self {
        Self { pipe, total: 0, kept: Kept::Ends { first: Vec::new(), last: VecDeque::new() } }
    }

    /// Reads available bytes once, and returns whether there were any. Closes the pipe at its end. The pipe must not
    /// block.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<bool> {
        let Some(pipe) = &self.pipe else { return Ok(false) };
        match rustix::io::read(pipe.as_fd(), &mut *buffer) {
            Ok(0) => {
                self.pipe = None;
                Ok(false)
            }
            Ok(length) => {
                self.total += length as u64;
                self.kept.add(&buffer[..length])?;
                Ok(true)
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    /// The kept bytes.
    pub(super) fn finish(self) -> Blob {
        match self.kept {
            Kept::All { store, .. } => blob(store),
            Kept::Ends { mut first, last } => {
                let left_out = self.total - first.len() as u64 - last.len() as u64;
                if left_out > 0 {
                    let note = format!("\n[{left_out} bytes left out]\n");
                    first.extend(note.as_bytes());
                }
                first.extend(last);
                first.into()
            }
        }
    }
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::All { store, left } => {
                let room = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                *left -= room as u64;
                store.write_all(&bytes[..room])
            }
            Self::Ends { first, last } => {
                let room = (EACH_END - first.len()).min(bytes.len());
                first.extend(&bytes[..room]);
                last.extend(&bytes[room..]);
                let surplus = last.len().saturating_sub(EACH_END);
                last.drain(..surplus);
                Ok(())
            }
        }
    }
}

/// The stored bytes: in memory if they are few, else in a file.
fn blob(store: SpooledTempFile) -> Blob {
    match store.into_inner() {
        SpooledData::InMemory(bytes) => bytes.into_inner().into(),
        SpooledData::OnDisk(file) => Blob::open_file(file),
    }
}

/// Copies a file of the box, at most `most` bytes.
pub(super) fn copy_file(file: OwnedFd, most: u64) -> io::Result<Blob> {
    let mut store = spooled_tempfile(IN_MEMORY);
    let mut from = BufReader::with_capacity(64 << 10, File::from(file).take(most));
    io::copy(&mut from, &mut store)?;
    Ok(blob(store))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kept part of these bytes on standard error, written in pieces of this length.
    fn ends(bytes: &[u8], piece: usize) -> Vec<u8> {
        let mut stream = Stream {
            pipe: None,
            total: 0,
            kept: Kept::Ends { first: Vec::new(), last: VecDeque::new() },
        };
        for piece in bytes.chunks(piece) {
            stream.total += piece.len() as u64;
            stream.kept.add(piece).unwrap();
        }
        let blob = stream.finish();
        blob.bytes().expect("both ends stay in memory").to_vec()
    }

    #[test]
    fn both_ends_of_standard_error_are_kept() {
        let short: Vec<u8> = (0..2 * EACH_END).map(|n| n as u8).collect();
        assert_eq!(ends(&short, 1000), short);
        let long: Vec<u8> = (0..3 * EACH_END + 5).map(|n| (n / 7) as u8).collect();
        for piece in [1000, 4096, long.len()] {
            let mut expected = long[..EACH_END].to_vec();
            expected.extend(format!("\n[{} bytes left out]\n", EACH_END + 5).as_bytes());
            expected.extend(&long[2 * EACH_END + 5..]);
            assert_eq!(ends(&long, piece), expected, "pieces of {piece}");
        }
    }

    #[test]
    fn much_output_goes_to_a_file_and_is_all_there() {
        let mut stream = Stream::output(None, None);
        let piece = vec![b'x'; 700_000];
        for piece in [&piece[..], &piece, b"end"] {
            stream.kept.add(piece).unwrap();
        }
        let blob = stream.finish();
        assert_eq!(blob.bytes(), None, "so much does not stay in memory");
        let all = blob.start(u64::MAX).unwrap();
        assert_eq!(all.len(), 1_400_003);
        assert!(all.ends_with(b"xend"));
    }

    #[test]
    fn no_more_output_is_kept_than_asked_for() {
        let mut stream = Stream::output(None, Some(5));
        for piece in [&b"abc"[..], b"defg", b"h"] {
            stream.kept.add(piece).unwrap();
        }
        assert_eq!(stream.finish().bytes(), Some(&b"abcde"[..]));
    }
}
