//! Segments: files of records and small blobs, each with an index.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use juror_core::blob::Digest;

/// The suffix of a segment's data.
pub(super) const DATA: &str = ".data";
pub(super) const INDEX: &str = ".index";

/// In bytes. A larger segment is full.
pub(super) const FULL: u64 = 16 << 20;

/// In bytes. More pending data is written.
const WRITE_SIZE: usize = 64 << 10;

/// The longest time that data is pending when the next entry comes.
const LONGEST_PENDING: Duration = Duration::from_secs(1);

/// Kind, key, time in milliseconds, checksum; in bytes.
const HEAD: usize = 1 + 32 + 8 + 16;

/// For reading.
pub(super) type SegmentData = Arc<File>;

/// Names a record or a blob: the first half of its key, changed by kind. The other half is compared when the entry is
/// read.
pub(super) type EntryName = [u8; 16];

/// A name is a part of a digest, so its bytes are well distributed.
pub(super) type NameMap<T> = HashMap<EntryName, T, BuildHasherDefault<FirstBytesHasher>>;

#[derive(Default)]
pub(super) struct FirstBytesHasher(u64);

impl Hasher for FirstBytesHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.first_chunk().map_or(self.0, |first| u64::from_le_bytes(*first));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Record,
    Blob,
}

impl EntryKind {
    pub(super) fn name(self, key: &Digest) -> EntryName {
        let mut name: EntryName = part(&key.0, 0);
        name[0] ^= self as u8;
        name
    }
}

/// Where an entry is in a segment, and when it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    pub(super) offset: u32,
    pub(super) length: u32,
    /// Milliseconds since 1970; later than the stamp of the entry that it replaces.
    pub(super) stamp: u64,
}

impl IndexEntry {
    /// In bytes, in an index.
    pub(super) const SIZE: usize = 32;

    pub(super) fn is_older_than(self, age: Duration) -> bool {
        self.stamp.saturating_add(millis(age)) < now()
    }

    /// Whether it fits into a file of this length, and is not newer than `latest`, which a wrong clock may have
    /// caused.
    fn is_possible(self, length: u64, latest: u64) -> bool {
        u64::from(self.offset) + u64::from(self.length) <= length
            && self.length as usize >= HEAD
            && self.stamp <= latest
    }

    pub(super) fn encoded(self, name: &EntryName) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..16].copy_from_slice(name);
        bytes[16..20].copy_from_slice(&self.offset.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.length.to_le_bytes());
        bytes[24..].copy_from_slice(&self.stamp.to_le_bytes());
        bytes
    }

    fn decoded(bytes: &[u8; Self::SIZE]) -> (EntryName, Self) {
        let offset = u32::from_le_bytes(part(bytes, 16));
        let length = u32::from_le_bytes(part(bytes, 20));
        (part(bytes, 0), Self { offset, length, stamp: u64::from_le_bytes(part(bytes, 24)) })
    }
}

fn part<const N: usize, const M: usize>(bytes: &[u8; N], from: usize) -> [u8; M] {
    let mut part = [0; M];
    part.copy_from_slice(&bytes[from..from + M]);
    part
}

/// The entries of an index for data of this length. The last entry may be incomplete.
pub(super) fn entries(index: &[u8], length: u64) -> Vec<(EntryName, IndexEntry)> {
    const DAY: Duration = Duration::from_secs(24 * 3600);
    let latest = now().saturating_add(millis(DAY));
    let (entries, _torn) = index.as_chunks();
    let is_possible = |(_, entry): &(EntryName, IndexEntry)| entry.is_possible(length, latest);
    entries.iter().map(IndexEntry::decoded).filter(is_possible).collect()
}

fn now() -> u64 {
    since_1970(SystemTime::now())
}

fn since_1970(time: SystemTime) -> u64 {
    millis(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A record as bytes of a segment.
pub(super) fn encode_record(key: &Digest, created: SystemTime, bytes: &[u8]) -> Vec<u8> {
    let created = since_1970(created);
    encode_entry(EntryKind::Record, key, created, checksum(key, created, bytes), bytes)
}

/// A blob as bytes of a segment. Its digest is its checksum.
pub(super) fn encode_blob(digest: &Digest, bytes: &[u8]) -> Vec<u8> {
    encode_entry(EntryKind::Blob, digest, 0, [0; 16], bytes)
}

fn encode_entry(
    kind: EntryKind,
    key: &Digest,
    created: u64,
    check: [u8; 16],
    bytes: &[u8],
) -> Vec<u8> {
    let created = created.to_le_bytes();
    [&[kind as u8], &key.0[..], &created[..], &check[..], bytes].concat()
}

fn checksum(key: &Digest, created: u64, bytes: &[u8]) -> [u8; 16] {
    let mut hasher = Sha256::new();
    hasher.update(key.0);
    hasher.update(created.to_le_bytes());
    hasher.update(bytes);
    part(&hasher.finalize().into(), 0)
}

/// The record, and when it was made; `None` if the bytes are not this record.
pub(super) fn decode_record<'a>(key: &Digest, raw: &'a [u8]) -> Option<(SystemTime, &'a [u8])> {
    let (head, bytes) = split_head(EntryKind::Record, key, raw)?;
    let millis = u64::from_le_bytes(part(head, 33));
    let is_whole = head[41..] == checksum(key, millis, bytes);
    let created = UNIX_EPOCH.checked_add(Duration::from_millis(millis));
    created.filter(|_| is_whole).map(|created| (created, bytes))
}

/// The bytes of the blob, not verified; `None` if they are not this blob.
pub(super) fn decode_blob<'a>(digest: &Digest, raw: &'a [u8]) -> Option<&'a [u8]> {
    split_head(EntryKind::Blob, digest, raw).map(|(_, bytes)| bytes)
}

fn split_head<'a>(
    kind: EntryKind,
    key: &Digest,
    raw: &'a [u8],
) -> Option<(&'a [u8; HEAD], &'a [u8])> {
    let (head, bytes) = raw.split_first_chunk()?;
    (head[0] == kind as u8 && head[1..33] == key.0).then_some((head, bytes))
}

/// Whether these bytes are an undamaged record or blob with this name.
pub(super) fn is_whole(name: &EntryName, raw: &[u8]) -> bool {
    let Some(head) = raw.first_chunk::<HEAD>() else { return false };
    let key = Digest(part(head, 1));
    let is_blob = || decode_blob(&key, raw).is_some_and(|bytes| Sha256::digest(bytes)[..] == key.0);
    match *name {
        name if name == EntryKind::Record.name(&key) => decode_record(&key, raw).is_some(),
        name if name == EntryKind::Blob.name(&key) => is_blob(),
        _ => false,
    }
}

/// The segment to which this process appends.
pub(super) struct Appender {
    pub(super) segment: usize,
    /// `None` after a write failed.
    files: Option<SegmentFiles>,
    /// The length of the data that is written.
    length: u64,
    /// Data that follows when it is written.
    pending: Vec<u8>,
    entries: Vec<u8>,
    flushed: Instant,
}

/// The data is locked while this exists.
pub(super) struct SegmentFiles {
    pub(super) data: SegmentData,
    pub(super) index: File,
}

impl Appender {
    pub(super) fn new(segment: usize, files: SegmentFiles) -> io::Result<Self> {
        Ok(Self {
            segment,
            length: files.data.metadata()?.len(),
            files: Some(files),
            pending: Vec::new(),
            entries: Vec::new(),
            flushed: Instant::now(),
        })
    }

    pub(super) fn is_full(&self) -> bool {
        self.length + self.pending.len() as u64 >= FULL
    }

    /// Returns the position of the new entry. Its stamp is later than `before`, that of the entry it replaces.
    pub(super) fn append(&mut self, name: EntryName, raw: &[u8], before: u64) -> IndexEntry {
        let offset = self.length + self.pending.len() as u64;
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let stamp = now().max(before.saturating_add(1));
        let entry = IndexEntry { offset: number(offset), length: number(raw.len() as u64), stamp };
        self.pending.extend_from_slice(raw);
        self.entries.extend_from_slice(&entry.encoded(&name));
        entry
    }

    /// `None` if the entry is written.
    pub(super) fn pending(&self, entry: IndexEntry) -> Option<&[u8]> {
        let start = u64::from(entry.offset).checked_sub(self.length)?;
        let start = usize::try_from(start).ok()?;
        self.pending.get(start..start + entry.length as usize)
    }

    pub(super) fn flush_if_due(&mut self) -> io::Result<()> {
        let is_due = self.pending.len() >= WRITE_SIZE || self.flushed.elapsed() >= LONGEST_PENDING;
        if is_due { self.flush() } else { Ok(()) }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        let Some(SegmentFiles { data, index }) = &mut self.files else { return Ok(()) };
        let written = data.write_all_at(&self.pending, self.length);
        if let Err(error) = written.and_then(|()| index.write_all(&self.entries)) {
            // A failed write is not tried again. Pending data can be read as long as this exists.
            self.release();
            return Err(error);
        }
        self.length += self.pending.len() as u64;
        self.pending.clear();
        self.entries.clear();
        self.flushed = Instant::now();
        Ok(())
    }

    fn release(&mut self) {
        if let Some(files) = self.files.take() {
            // Slots are forks of this process, and have the file open, too.
            let _ = files.data.unlock();
        }
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        let _ = self.flush();
        self.release();
    }
}

/// Locks a segment for writing. Returns whether it is locked and not deleted.
pub(super) fn lock_segment(data: &File) -> bool {
    data.try_lock().is_ok() && data.metadata().is_ok_and(|metadata| metadata.nlink() > 0)
}

pub(super) fn file_names(name: &str) -> [String; 2] {
    [format!("{name}{DATA}"), format!("{name}{INDEX}")]
}
