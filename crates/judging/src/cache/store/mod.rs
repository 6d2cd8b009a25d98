//! Keeps records by key and blobs by digest from one command to the next. Does not know their meaning.
//!
//! # Theory of operation
//!
//! | in the directory | what it is |
//! |---|---|
//! | `facts/version` | the version of the directory's contents |
//! | `facts/NAME.data` | records and small blobs, one after the other: a segment |
//! | `facts/NAME.index` | where each of them begins and ends |
//! | `facts/blobs/DIGEST` | a large blob |
//! | `facts/NAME.new`, `facts/blobs/NAME.new` | a file that is being written; it gets its name when it is complete |
//!
//! Each process appends to a segment that it has locked (`flock`); another process may have begun it. So writers do
//! not wait for each other, and readers need no lock. Data is written before its entry in the index. Each record and
//! blob has a digest. It is checked when the entry is read, and shows damage by a killed process or a broken disk.
//!
//! Entries that are used more than a day after they were written are appended again. So the oldest segments have what
//! was unused for longest. Pruning removes whole files; other processes that have them open can still read them.

mod directory;
mod segment;
#[cfg(test)]
mod tests;
mod upkeep;

use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;

use crate::cache::store::directory::Directory;
use crate::cache::store::segment::{Appender, EntryKind, EntryName, NameMap};
use juror_core::blob::{Blob, Digest};
use juror_core::diagnostic::Diagnostic;
use juror_core::units::Bytes;

pub use directory::{CacheWarning, FACTS, default_directory, is_private};
pub use upkeep::{CacheStatistics, PruneResult, VerifyResult};

/// Records and blobs in a directory.
///
/// It never fails: what cannot be kept is missing the next time, and [`warnings`](Self::warnings) says why, once.
pub struct Store {
    directory: Directory,
    cap: Bytes,
    state: Mutex<StoreState>,
    #[cfg(test)]
    scratch: Option<tempfile::TempDir>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// To the millisecond.
    pub created: SystemTime,
    pub bytes: Vec<u8>,
}

#[derive(Default)]
struct StoreState {
    index: NameMap<EntryPosition>,
    segments: Vec<segment::SegmentData>,
    writer: Option<Appender>,
    /// Whether something was written, so that the store may be too large now.
    has_grown: bool,
    is_closed: bool,
    warnings: Vec<Diagnostic>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct EntryPosition {
    segment: usize,
    entry: segment::IndexEntry,
}

/// Where a record or a small blob can be read.
enum EntryLocation {
    Pending(Vec<u8>),
    /// In this file, if that still exists.
    File(Option<segment::SegmentData>),
}

impl EntryLocation {
    fn read(self, position: EntryPosition) -> Option<Vec<u8>> {
        match self {
            Self::Pending(raw) => Some(raw),
            Self::File(data) => {
                let mut raw = vec![0; position.entry.length as usize];
                data?.read_exact_at(&mut raw, position.entry.offset.into()).ok()?;
                Some(raw)
            }
        }
    }
}

/// A used entry of this age is written again.
const STALE: Duration = Duration::from_secs(24 * 3600);

pub const CAP: Bytes = Bytes::mib(2048);

/// Smaller blobs are in segments.
const SMALL: u64 = 64 << 10;

impl Store {
    /// Opens or makes the store in a directory.
    ///
    /// It grows to about the size `cap`. Fails if the directory is not safe.
    pub fn open(dir: &Path, cap: Bytes) -> Result<Self, CacheWarning> {
        let directory = Directory::open(dir)?;
        let segments = directory.segments().map_err(|error| directory.refused(&error))?;
        let (segments, lists): (Vec<_>, Vec<_>) =
            segments.into_iter().map(|segment| (segment.data, segment.entries)).unzip();
        let mut index = NameMap::default();
        index.reserve(lists.iter().map(Vec::len).sum());
        for (segment, entries) in lists.iter().enumerate() {
            for &(name, entry) in entries {
                let position = EntryPosition { segment, entry };
                let known = index.entry(name).or_insert(position);
                if known.entry.stamp <= entry.stamp {
                    *known = position;
                }
            }
        }
        let state = Mutex::new(StoreState { index, segments, ..StoreState::default() });
        Ok(Self {
            directory,
            cap,
            state,
            #[cfg(test)]
            scratch: None,
        })
    }

    pub fn get(&self, key: &Digest) -> Option<Record> {
        self.read(EntryKind::Record, key, |raw| {
            let (created, bytes) = segment::decode_record(key, raw)?;
            Some(Record { created, bytes: bytes.to_vec() })
        })
    }

    /// Replaces an earlier record with this key. More than 16 MiB are not kept.
    pub fn put(&self, key: &Digest, bytes: &[u8]) {
        if bytes.len() <= segment::FULL as usize {
            self.append(
                EntryKind::Record.name(key),
                &segment::encode_record(key, SystemTime::now(), bytes),
            );
        }
    }

    /// `None` also if the blob is damaged.
    pub fn blob(&self, digest: &Digest) -> Option<Blob> {
        let small = self.read(EntryKind::Blob, digest, |raw| {
            let blob = Blob::from(segment::decode_blob(digest, raw)?);
            (blob.digest().ok()? == *digest).then_some(blob)
        });
        small.or_else(|| self.directory.blob(digest))
    }

    /// Returns whether the store has the blob now.
    pub fn keep(&self, blob: &Blob) -> bool {
        let Ok(digest) = blob.digest() else { return false };
        let name = EntryKind::Blob.name(&digest);
        if self.state.lock().index.contains_key(&name) {
            return true;
        }
        let Ok(length) = blob.len() else { return false };
        if length > SMALL {
            return self.keep_large(&digest, blob);
        }
        let Ok(bytes) = blob.prefix(length) else { return false };
        self.append(name, &segment::encode_blob(&digest, &bytes))
    }

    fn keep_large(&self, digest: &Digest, blob: &Blob) -> bool {
        if self.directory.has_blob(digest) {
            return true;
        }
        if self.state.lock().is_closed {
            return false;
        }
        let result = self.directory.keep_blob(digest, blob);
        let mut state = self.state.lock();
        match result {
            Ok(()) => state.has_grown = true,
            Err(error) => state.close(&self.directory, &error),
        }
        !state.is_closed
    }

    /// New warnings. Writes pending data first, to find problems.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut state = self.state.lock();
        if let Some(writer) = &mut state.writer
            && let Err(error) = writer.flush()
        {
            state.close(&self.directory, &error);
        }
        std::mem::take(&mut state.warnings)
    }

    /// Finds and decodes an entry. An entry that cannot be decoded is forgotten.
    fn read<T>(
        &self,
        kind: EntryKind,
        key: &Digest,
        decode: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Option<T> {
        let name = kind.name(key);
        let (position, location) = self.state.lock().find_entry(&name)?;
        // The lock is free while a file is read.
        let bytes = location.read(position);
        let found = bytes.as_deref().and_then(decode);
        match (&found, bytes) {
            (Some(_), Some(bytes)) if position.entry.is_older_than(STALE) => {
                self.append(name, &bytes);
            }
            (Some(_), _) => {}
            (None, _) => {
                let mut state = self.state.lock();
                if state.index.get(&name) == Some(&position) {
                    state.index.remove(&name);
                }
            }
        }
        found
    }

    /// Returns whether the store has the entry now.
    fn append(&self, name: EntryName, raw: &[u8]) -> bool {
        let mut state = self.state.lock();
        if state.is_closed {
            return false;
        }
        let appended = state.append(&self.directory, name, raw);
        appended.inspect_err(|error| state.close(&self.directory, error)).is_ok()
    }
}

impl StoreState {
    fn find_entry(&self, name: &EntryName) -> Option<(EntryPosition, EntryLocation)> {
        let position = *self.index.get(name)?;
        let EntryPosition { segment, entry } = position;
        let writer = self.writer.as_ref().filter(|writer| writer.segment == segment);
        let location = match writer.and_then(|writer| writer.pending(entry)) {
            Some(bytes) => EntryLocation::Pending(bytes.to_vec()),
            None => EntryLocation::File(self.segments.get(segment).cloned()),
        };
        Some((position, location))
    }

    fn append(&mut self, directory: &Directory, name: EntryName, raw: &[u8]) -> io::Result<()> {
        if self.writer.as_ref().is_some_and(Appender::is_full) {
            // Dropped before another one is opened: otherwise the same segment may be chosen again.
            self.writer = None;
        }
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => {
                let files = directory.open_segment()?;
                self.segments.push(Arc::clone(&files.data));
                self.writer.insert(Appender::new(self.segments.len() - 1, files)?)
            }
        };
        let before = self.index.get(&name).map_or(0, |known| known.entry.stamp);
        let entry = writer.append(name, raw, before);
        self.index.insert(name, EntryPosition { segment: writer.segment, entry });
        self.has_grown = true;
        writer.flush_if_due()
    }

    /// Ends writing. The store can still be read.
    fn close(&mut self, directory: &Directory, error: &io::Error) {
        if !self.is_closed {
            self.is_closed = true;
            self.warnings.push(directory.cannot_write(error));
        }
    }
}

impl Drop for Store {
    /// Writes pending data, and prunes a store that is too large.
    fn drop(&mut self) {
        let (has_grown, writer) = {
            let mut state = self.state.lock();
            (state.has_grown, state.writer.take())
        };
        drop(writer);
        if has_grown {
            let _ = self.directory.make_room(self.cap);
        }
    }
}
