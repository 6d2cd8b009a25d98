//! Statistics, verification and pruning of a store.

use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, OFlags};
use serde::Serialize;

use crate::cache::store::directory::{Directory, FoundSegment, NEW, blob_name, names};
use crate::cache::store::segment::{self, DATA, INDEX, IndexEntry};
use crate::cache::store::{CAP, Store};
use juror_core::blob::Blob;
use juror_core::units::Bytes;

/// The most records and small blobs in a store: more take too long to find at each start.
const MOST: usize = 500_000;

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheStatistics {
    pub results: usize,
    pub large_files: usize,
    #[serde(rename = "bytes")]
    pub size: Bytes,
    /// Above this, the least recently used results go.
    #[serde(rename = "most_bytes")]
    pub limit: Bytes,
    /// Whole days since the oldest result was used.
    pub oldest_use_days: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PruneResult {
    #[serde(rename = "removed_bytes")]
    pub removed: Bytes,
    #[serde(rename = "left_bytes")]
    pub left: Bytes,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyResult {
    pub whole: usize,
    pub damaged: usize,
}

impl Store {
    /// # Errors
    /// What the system reports about the directory.
    pub fn stat(&self) -> io::Result<CacheStatistics> {
        let parts = self.directory.parts()?;
        let age = |part: &RemovablePart| SystemTime::now().duration_since(part.used);
        let ages = parts.iter().map(|part| age(part).unwrap_or_default());
        Ok(CacheStatistics {
            results: parts.iter().map(|part| part.entries).sum(),
            large_files: parts.iter().filter(|part| part.kind == PartKind::Blob).count(),
            size: total(&parts),
            limit: CAP,
            oldest_use_days: ages.max().map(|oldest| oldest.as_secs() / (24 * 3600)),
        })
    }

    /// Removes what was unused for longest, until this size is left, or only files that other processes write.
    pub fn prune(&self, to: Bytes) -> io::Result<PruneResult> {
        self.directory.prune(to, MOST)
    }

    /// Reads everything, and removes what is damaged.
    pub fn verify(&self) -> io::Result<VerifyResult> {
        let directory = &self.directory;
        let mut verified = VerifyResult::default();
        for found in directory.segments()? {
            directory.verify_segment(&found, &mut verified)?;
        }
        for part in directory.parts()?.iter().filter(|part| part.kind == PartKind::Blob) {
            let name = part.files.concat();
            let file = directory.open_file(directory.blobs.as_fd(), &name, OFlags::RDONLY);
            let Ok(file) = file else { continue };
            match Blob::open_file(file).digest() {
                Ok(digest) if blob_name(&digest) == name => verified.whole += 1,
                _ => {
                    verified.damaged += 1;
                    directory.remove(part)?;
                }
            }
        }
        Ok(verified)
    }
}

struct RemovablePart {
    kind: PartKind,
    is_in_blobs: bool,
    /// A writer locks the last one.
    files: Vec<String>,
    entries: usize,
    bytes: u64,
    used: SystemTime,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Leftover,
    Segment,
    Blob,
}

fn total(parts: &[RemovablePart]) -> Bytes {
    Bytes(parts.iter().map(|part| part.bytes).sum())
}

impl Directory {
    /// Prunes to well below the cap, if the store is larger.
    pub(super) fn make_room(&self, cap: Bytes) -> io::Result<()> {
        let parts = self.parts()?;
        let entries: usize = parts.iter().map(|part| part.entries).sum();
        if total(&parts) > cap || entries > MOST {
            // Leaves room, so that not every later command prunes.
            self.prune(Bytes(cap.0 / 4 * 3), MOST / 4 * 3)?;
        }
        Ok(())
    }

    fn prune(&self, to: Bytes, most: usize) -> io::Result<PruneResult> {
        let mut parts = self.parts()?;
        let before = total(&parts);
        let mut remaining = before;
        let mut entries: usize = parts.iter().map(|part| part.entries).sum();
        parts.sort_by_key(|part| (part.kind != PartKind::Leftover, part.used));
        for part in &parts {
            let is_enough = remaining <= to && entries <= most;
            if (part.kind == PartKind::Leftover || !is_enough) && self.remove(part)? {
                remaining = remaining.saturating_sub(Bytes(part.bytes));
                entries -= part.entries;
            }
        }
        Ok(PruneResult { removed: before.saturating_sub(remaining), left: remaining })
    }

    fn parts(&self) -> io::Result<Vec<RemovablePart>> {
        let mut parts = Vec::new();
        for is_in_blobs in [false, true] {
            let dir = self.dir(is_in_blobs);
            for name in names(dir)? {
                let (kind, files) = match name.strip_suffix(DATA) {
                    _ if name.ends_with(NEW) => (PartKind::Leftover, vec![name]),
                    _ if is_in_blobs => (PartKind::Blob, vec![name]),
                    Some(name) => {
                        let [data, index] = segment::file_names(name);
                        (PartKind::Segment, vec![index, data])
                    }
                    None => continue,
                };
                let mut part = RemovablePart {
                    kind,
                    is_in_blobs,
                    files,
                    entries: 0,
                    bytes: 0,
                    used: UNIX_EPOCH,
                };
                for name in &part.files {
                    // The file may have disappeared.
                    let Ok(file) = self.open_file(dir, name, OFlags::RDONLY) else { continue };
                    let metadata = file.metadata()?;
                    if name.ends_with(INDEX) {
                        part.entries = metadata.len() as usize / IndexEntry::SIZE;
                    }
                    part.bytes += metadata.blocks() * 512;
                    part.used = part.used.max(metadata.modified()?);
                }
                parts.push(part);
            }
        }
        Ok(parts)
    }

    /// Returns false if another process writes the part.
    fn remove(&self, part: &RemovablePart) -> io::Result<bool> {
        let dir = self.dir(part.is_in_blobs);
        let lock = part.files.last().filter(|_| part.kind != PartKind::Blob);
        let lock = lock.and_then(|name| self.open_file(dir, name, OFlags::RDONLY).ok());
        if lock.as_ref().is_some_and(|file| !segment::lock_segment(file)) {
            return Ok(false);
        }
        for name in &part.files {
            match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
                Ok(()) | Err(rustix::io::Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    fn dir(&self, is_in_blobs: bool) -> BorrowedFd<'_> {
        if is_in_blobs { self.blobs.as_fd() } else { self.facts.as_fd() }
    }

    fn verify_segment(&self, found: &FoundSegment, verified: &mut VerifyResult) -> io::Result<()> {
        let mut raw = Vec::new();
        let mut index = Vec::new();
        for (name, entry) in &found.entries {
            raw.resize(entry.length as usize, 0);
            let is_read = found.data.read_exact_at(&mut raw, entry.offset.into()).is_ok();
            if is_read && segment::is_whole(name, &raw) {
                index.extend_from_slice(&entry.encoded(name));
            }
        }
        let whole = index.len() / IndexEntry::SIZE;
        verified.whole += whole;
        verified.damaged += found.listed - whole;
        // A segment that another process writes is cleaned another time.
        if whole < found.listed && segment::lock_segment(&found.data) {
            let [_, name] = segment::file_names(&found.name);
            self.write(self.facts.as_fd(), &name, |file| file.write_all(&index))?;
        }
        Ok(())
    }
}
