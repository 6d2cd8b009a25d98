//! Records by key and blobs by digest, kept from one command to the next. Knows nothing of what they mean.
//!
//! # Theory of operation
//!
//! | in the directory | what it is |
//! |---|---|
//! | `facts/version` | the version of all that is beside it |
//! | `facts/NAME.data` | records and small blobs, one after the other: a segment |
//! | `facts/NAME.index` | where each of them begins and ends |
//! | `facts/blobs/DIGEST` | a large blob |
//! | `facts/NAME.new`, `facts/blobs/NAME.new` | a file that is being written; it gets its name when it is whole |
//!
//! Each process appends to a segment of its own, which it locks (`flock`) and which may have begun in another process. So writers
//! do not wait for each other, and who reads needs no lock. Data is written before its entry in the index, and each record and
//! blob is checked by a digest when it is read: what a killed process or a broken disk leaves behind is found there.
//!
//! What is used, but was last written more than a day ago, is appended again. So the oldest segments hold what was not used for
//! longest, and pruning means to remove whole files: another process has them open and reads on.

mod directory;
mod segment;
#[cfg(test)]
mod tests;
mod upkeep;

use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::cache::store::directory::Directory;
use crate::cache::store::segment::{Appender, Index, Kind, Name};
use crate::model::blob::{Blob, Digest};
use crate::model::diagnostic::Diagnostic;
use crate::model::units::Bytes;

pub use directory::{Refused, default_place, is_private};
pub use upkeep::{Pruned, Stat, Verified};

/// Records and blobs, in a directory or only in memory.
///
/// It never fails whoever uses it: what cannot be kept is not there the next time, and
/// [`warnings`](Self::warnings) says why, once.
pub struct Store {
    directory: Option<Directory>,
    cap: Bytes,
    state: Mutex<State>,
}

/// What is known under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// When it was put here, to the millisecond.
    pub made: SystemTime,
    /// What was put here.
    pub bytes: Vec<u8>,
}

struct State {
    index: Index<Spot>,
    segments: Vec<segment::Shared>,
    writer: Option<Appender>,
    /// Whether something was written here, so that there may be too much.
    has_grown: bool,
    /// Whether writing has failed once.
    is_closed: bool,
    warnings: Vec<Diagnostic>,
}

/// Where a record or a small blob lies.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Spot {
    /// Which of the segments.
    segment: usize,
    entry: segment::Listed,
}

/// Where a record or a small blob can be read.
enum Lies {
    /// It waits to be written.
    Waiting(Vec<u8>),
    /// In this file, if that is still there.
    File(Option<segment::Shared>),
}

impl Lies {
    /// Reads it, if it can be.
    fn read(self, spot: Spot) -> Option<Vec<u8>> {
        match self {
            Self::Waiting(raw) => Some(raw),
            Self::File(data) => {
                let mut raw = vec![0; spot.entry.length as usize];
                data?.read_exact_at(&mut raw, spot.entry.offset.into()).ok()?;
                Some(raw)
            }
        }
    }
}

/// What was last written longer ago than this is written again when it is used.
const STALE: Duration = Duration::from_secs(24 * 3600);

/// How large a store grows, unless it is said.
pub const CAP: Bytes = Bytes::mib(2048);

/// Blobs up to this size lie in segments.
const SMALL: u64 = 64 << 10;

impl Store {
    /// What is kept in this directory, which is made if it is not there. It grows to about this size.
    ///
    /// # Errors
    /// If the directory cannot be used, or not safely.
    pub fn open(dir: &Path, cap: Bytes) -> Result<Self, Refused> {
        let directory = Directory::open(dir)?;
        let segments = directory.segments().map_err(|error| directory.refused(&error))?;
        let (segments, lists): (Vec<_>, Vec<_>) =
            segments.into_iter().map(|segment| (segment.data, segment.entries)).unzip();
        let mut index = Index::default();
        index.reserve(lists.iter().map(Vec::len).sum());
        for (segment, entries) in lists.iter().enumerate() {
            for &(name, entry) in entries {
                let spot = Spot { segment, entry };
                let known = index.entry(name).or_insert(spot);
                if known.entry.stamp <= entry.stamp {
                    *known = spot;
                }
            }
        }
        Ok(Self::with(Some(directory), cap, index, segments))
    }

    /// One that keeps nothing when it is gone.
    pub fn in_memory() -> Self {
        Self::with(None, Bytes(u64::MAX), Index::default(), Vec::new())
    }

    fn with(
        directory: Option<Directory>,
        cap: Bytes,
        index: Index<Spot>,
        segments: Vec<segment::Shared>,
    ) -> Self {
        let state = State {
            index,
            segments,
            writer: None,
            has_grown: false,
            is_closed: false,
            warnings: Vec::new(),
        };
        Self { directory, cap, state: Mutex::new(state) }
    }

    /// What is known under this key.
    pub fn get(&self, key: &Digest) -> Option<Record> {
        self.read(Kind::Record, key, |raw| {
            let (made, bytes) = segment::record(key, raw)?;
            Some(Record { made, bytes: bytes.to_vec() })
        })
    }

    /// Keeps this under the key, in place of what was known there. A record of more than 16 MiB is not kept.
    pub fn put(&self, key: &Digest, bytes: &[u8]) {
        if bytes.len() <= segment::FULL as usize {
            self.append(Kind::Record.name(key), &segment::of_record(key, SystemTime::now(), bytes));
        }
    }

    /// The blob with this digest, if its bytes are here and have it.
    pub fn blob(&self, digest: &Digest) -> Option<Blob> {
        let small = self.read(Kind::Blob, digest, |raw| {
            let blob = Blob::from(segment::blob(digest, raw)?);
            (blob.digest().ok()? == *digest).then_some(blob)
        });
        small.or_else(|| self.directory.as_ref()?.blob(digest))
    }

    /// Keeps a blob. Whether it is here now.
    pub fn keep(&self, blob: &Blob) -> bool {
        let Ok(digest) = blob.digest() else { return false };
        let name = Kind::Blob.name(&digest);
        if self.lock().index.contains_key(&name) {
            return true;
        }
        let Ok(length) = blob.len() else { return false };
        match &self.directory {
            Some(directory) if length > SMALL => self.keep_large(directory, &digest, blob),
            _ => {
                let Ok(bytes) = blob.start(length) else { return false };
                self.append(name, &segment::of_blob(&digest, &bytes))
            }
        }
    }

    fn keep_large(&self, directory: &Directory, digest: &Digest, blob: &Blob) -> bool {
        if directory.has_blob(digest) {
            return true;
        }
        if self.lock().is_closed {
            return false;
        }
        let result = directory.keep(digest, blob);
        let mut state = self.lock();
        match result {
            Ok(()) => state.has_grown = true,
            Err(error) => state.close(directory, &error),
        }
        !state.is_closed
    }

    /// What must be said about it, each once. Writes what waits, to find out.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut state = self.lock();
        if let Some(writer) = &mut state.writer
            && let Err(error) = writer.flush()
            && let Some(directory) = &self.directory
        {
            state.close(directory, &error);
        }
        std::mem::take(&mut state.warnings)
    }

    /// Finds what lies under a key, as `decode` reads it. What it cannot read is forgotten.
    fn read<T>(
        &self,
        kind: Kind,
        key: &Digest,
        decode: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Option<T> {
        let name = kind.name(key);
        let (spot, lies) = self.lock().find(&name)?;
        // Who reads a file keeps nobody waiting.
        let raw = lies.read(spot);
        let found = raw.as_deref().and_then(decode);
        match (&found, raw) {
            (Some(_), Some(raw)) if spot.entry.is_older_than(STALE) => {
                self.append(name, &raw);
            }
            (Some(_), _) => {}
            (None, _) => {
                let mut state = self.lock();
                if state.index.get(&name) == Some(&spot) {
                    state.index.remove(&name);
                }
            }
        }
        found
    }

    /// Appends a record or a blob as it lies in a segment. Whether it is there now.
    fn append(&self, name: Name, raw: &[u8]) -> bool {
        let mut state = self.lock();
        if state.is_closed {
            return false;
        }
        match state.append(self.directory.as_ref(), name, raw) {
            Ok(()) => true,
            Err(error) => {
                if let Some(directory) = &self.directory {
                    state.close(directory, &error);
                }
                false
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Where lies what has this name.
    fn find(&self, name: &Name) -> Option<(Spot, Lies)> {
        let spot = *self.index.get(name)?;
        let Spot { segment, entry } = spot;
        let writer = self.writer.as_ref().filter(|writer| writer.segment == segment);
        let lies = match writer.and_then(|writer| writer.waiting(entry)) {
            Some(waiting) => Lies::Waiting(waiting.to_vec()),
            None => Lies::File(self.segments.get(segment).cloned()),
        };
        Some((spot, lies))
    }

    fn append(&mut self, directory: Option<&Directory>, name: Name, raw: &[u8]) -> io::Result<()> {
        if self.writer.as_ref().is_some_and(Appender::is_full) {
            // Dropped before another is opened, so that it is not its own successor.
            self.writer = None;
        }
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => self.writer.insert(Appender::open(directory, &mut self.segments)?),
        };
        let before = self.index.get(&name).map_or(0, |known| known.entry.stamp);
        let entry = writer.append(name, raw, before);
        self.index.insert(name, Spot { segment: writer.segment, entry });
        self.has_grown = true;
        writer.flush_if_due()
    }

    /// From now on only reads.
    fn close(&mut self, directory: &Directory, error: &io::Error) {
        if !self.is_closed {
            self.is_closed = true;
            self.warnings.push(directory.cannot_write(error));
        }
    }
}

impl Drop for Store {
    /// Writes what waits, and makes room if there is too much.
    fn drop(&mut self) {
        let (has_grown, writer) = {
            let mut state = self.lock();
            (state.has_grown, state.writer.take())
        };
        drop(writer);
        if has_grown && let Some(directory) = &self.directory {
            let _ = directory.make_room(self.cap);
        }
    }
}
