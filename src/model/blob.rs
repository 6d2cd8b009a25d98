//! Byte sequences, wherever they are: what a program reads, consists of, or wrote.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::model::root::FilePath;
use crate::model::tree::Place;

/// Immutable bytes: in memory, in a file, or on another machine.
///
/// A clone is the same blob. Serialization writes the length, and the digest if it is known; the bytes travel
/// separately.
#[derive(Clone)]
pub struct Blob(Arc<Inner>);

struct Inner {
    source: Source,
    length: OnceLock<u64>,
    digest: OnceLock<Digest>,
}

enum Source {
    Memory(Box<dyn AsRef<[u8]> + Send + Sync>),
    /// A file, with the guard that keeps it from being deleted.
    Named {
        path: FilePath,
        _held: Option<Arc<Place>>,
        /// Its bytes, once they were read and if they are few: a judge answer is read for each submission.
        few: OnceLock<Box<[u8]>>,
    },
    /// A file that may have no name.
    Open(File),
    /// On another machine, or on their way. Once they are here, they are in the inner blob.
    Elsewhere {
        arrived: OnceLock<Blob>,
        fetch: Option<Box<Fetch>>,
    },
}

/// A file of at most this many bytes is read only once.
const FEW: usize = 512;

/// Returns `None` if the bytes are lost.
type Fetch = dyn Fn() -> Option<Blob> + Send + Sync;

/// The SHA-256 of bytes. It identifies them everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest(pub [u8; 32]);

impl Blob {
    /// The contents of this file, which must not change.
    pub fn file(path: &FilePath) -> Self {
        Self::named(path.clone(), None)
    }

    pub fn within(place: &Arc<Place>, path: FilePath) -> Self {
        Self::named(path, Some(Arc::clone(place)))
    }

    fn named(path: FilePath, held: Option<Arc<Place>>) -> Self {
        Self::new(Source::Named { path, _held: held, few: OnceLock::new() })
    }

    pub fn open_file(file: File) -> Self {
        Self::new(Source::Open(file))
    }

    pub fn elsewhere(length: u64, digest: Option<Digest>) -> Self {
        Self::away(length, digest, None)
    }

    /// Bytes of this length that are fetched when somebody reads them.
    pub fn fetched(
        length: u64,
        digest: Digest,
        fetch: impl Fn() -> Option<Self> + Send + Sync + 'static,
    ) -> Self {
        Self::away(length, Some(digest), Some(Box::new(fetch)))
    }

    fn away(length: u64, digest: Option<Digest>, fetch: Option<Box<Fetch>>) -> Self {
        let blob = Self::new(Source::Elsewhere { arrived: OnceLock::new(), fetch });
        let _ = blob.0.length.set(length);
        if let Some(digest) = digest {
            let _ = blob.0.digest.set(digest);
        }
        blob
    }

    /// Sets the bytes of a remote blob, for it and all its clones.
    pub fn arrive(&self, bytes: Self) {
        if let Source::Elsewhere { arrived, .. } = &self.0.source {
            // If bytes arrive twice, both are equal.
            let _ = arrived.set(bytes);
        }
    }

    /// Whether its bytes can be read here; fetches them if possible.
    pub fn is_here(&self) -> bool {
        self.here().is_ok()
    }

    fn here(&self) -> io::Result<&Self> {
        let Source::Elsewhere { arrived, fetch } = &self.0.source else { return Ok(self) };
        if let Some(bytes) = arrived.get() {
            return Ok(bytes);
        }
        let bytes = fetch.as_ref().and_then(|fetch| fetch()).ok_or_else(not_here)?;
        Ok(arrived.get_or_init(|| bytes))
    }

    fn memory(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self::new(Source::Memory(Box::new(bytes)))
    }

    fn new(source: Source) -> Self {
        Self(Arc::new(Inner { source, length: OnceLock::new(), digest: OnceLock::new() }))
    }

    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.0.source {
            Source::Memory(bytes) => Some((**bytes).as_ref()),
            Source::Elsewhere { arrived, .. } => arrived.get()?.bytes(),
            _ => None,
        }
    }

    pub fn path(&self) -> Option<&FilePath> {
        match &self.0.source {
            Source::Named { path, .. } => Some(path),
            Source::Elsewhere { arrived, .. } => arrived.get()?.path(),
            _ => None,
        }
    }

    #[expect(clippy::len_without_is_empty, reason = "it is not needed, and could fail")]
    pub fn len(&self) -> io::Result<u64> {
        if let Some(length) = self.0.length.get() {
            return Ok(*length);
        }
        let length = match &self.0.source {
            Source::Memory(bytes) => (**bytes).as_ref().len() as u64,
            Source::Named { path, .. } => path.metadata()?.len(),
            Source::Open(file) => file.metadata()?.len(),
            Source::Elsewhere { .. } => self.here()?.len()?,
        };
        Ok(*self.0.length.get_or_init(|| length))
    }

    /// Opens it for reading from the start, independently of other readers.
    pub fn open(&self) -> io::Result<Reader<'_>> {
        Ok(match &self.0.source {
            Source::Memory(bytes) => Box::new(Cursor::new((**bytes).as_ref())),
            Source::Named { path, few, .. } => match few.get() {
                Some(bytes) => Box::new(Cursor::new(&**bytes)),
                None => first_read(path.open()?, few)?,
            },
            Source::Open(file) => Box::new(BufReader::new(At { file, offset: 0 })),
            Source::Elsewhere { .. } => return self.here()?.open(),
        })
    }

    /// Appends its bytes to a file. Returns how many bytes it has.
    pub fn copy_to(&self, to: &mut File) -> io::Result<u64> {
        match &self.0.source {
            Source::Memory(bytes) => {
                let bytes = (**bytes).as_ref();
                to.write_all(bytes)?;
                Ok(bytes.len() as u64)
            }
            // The kernel can copy between two files.
            Source::Named { path, .. } => io::copy(&mut path.open()?, to),
            Source::Elsewhere { .. } => self.here()?.copy_to(to),
            Source::Open(_) => {
                let mut from = BufReader::with_capacity(64 << 10, self.open()?);
                io::copy(&mut from, to)
            }
        }
    }

    pub fn start(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    pub fn known_digest(&self) -> Option<Digest> {
        self.0.digest.get().copied()
    }

    /// Sets a digest that was found without reading the bytes.
    pub fn is_known_as(&self, digest: Digest) {
        let _ = self.0.digest.set(digest);
    }

    /// The digest, which is computed at the first call.
    pub fn digest(&self) -> io::Result<Digest> {
        if let Some(digest) = self.0.digest.get() {
            return Ok(*digest);
        }
        let mut hasher = Sha256::new();
        match self.bytes() {
            Some(bytes) => hasher.update(bytes),
            None => {
                let mut reader = self.open()?;
                let mut buffer = vec![0; 64 << 10];
                loop {
                    match reader.read(&mut buffer)? {
                        0 => break,
                        length => hasher.update(&buffer[..length]),
                    }
                }
            }
        }
        let digest = Digest(hasher.finalize().into());
        Ok(*self.0.digest.get_or_init(|| digest))
    }
}

/// Reads the start of a file, and keeps it if that is the whole file.
fn first_read(mut file: File, few: &OnceLock<Box<[u8]>>) -> io::Result<Reader<'_>> {
    let mut start = Vec::with_capacity(FEW + 1);
    (&mut file).take(FEW as u64 + 1).read_to_end(&mut start)?;
    if start.len() <= FEW {
        return Ok(Box::new(Cursor::new(&**few.get_or_init(|| start.into()))));
    }
    file.rewind()?;
    Ok(Box::new(BufReader::new(file)))
}

fn not_here() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "its bytes are missing")
}

impl Default for Blob {
    fn default() -> Self {
        Self::memory([])
    }
}

impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Self {
        Self::memory(bytes)
    }
}

impl From<Arc<[u8]>> for Blob {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::memory(bytes)
    }
}

impl From<&[u8]> for Blob {
    fn from(bytes: &[u8]) -> Self {
        Self::memory(bytes.to_vec())
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.source {
            Source::Memory(bytes) => write!(f, "Blob({} bytes)", (**bytes).as_ref().len()),
            Source::Named { path, .. } => write!(f, "Blob({})", path.display()),
            Source::Open(_) => f.write_str("Blob(a file)"),
            Source::Elsewhere { .. } => f.write_str("Blob(elsewhere)"),
        }
    }
}

impl fmt::Display for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path() {
            Some(path) => write!(f, "{}", path.display()),
            None => f.write_str("what is in memory"),
        }
    }
}

impl PartialEq for Blob {
    /// Whether they are known to be equal without reading a file.
    fn eq(&self, other: &Self) -> bool {
        let same = |a: Option<&[u8]>, b| a.is_some() && a == b;
        Arc::ptr_eq(&self.0, &other.0)
            || same(self.bytes(), other.bytes())
            || self.path().is_some() && self.path() == other.path()
            || self.0.digest.get().is_some() && self.0.digest.get() == other.0.digest.get()
    }
}

impl Eq for Blob {}

#[derive(Serialize, Deserialize)]
struct Name {
    length: u64,
    digest: Option<Digest>,
}

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let length = self.len().map_err(serde::ser::Error::custom)?;
        let digest = self.0.digest.get().copied();
        Name { length, digest }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Name::deserialize(deserializer)?;
        Ok(Self::elsewhere(name.length, name.digest))
    }
}

pub type Reader<'a> = Box<dyn ReadSeek + Send + 'a>;

pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// A position in an open file. Other readers of the file do not move it.
struct At<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read_at(buffer, self.offset)?;
        self.offset += length as u64;
        Ok(length)
    }
}

impl Seek for At<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, offset) = match to {
            SeekFrom::Start(offset) => (offset, 0),
            SeekFrom::Current(offset) => (self.offset, offset),
            SeekFrom::End(offset) => (self.file.metadata()?.len(), offset),
        };
        let place = base.checked_add_signed(offset);
        self.offset = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn read(blob: &Blob) -> Vec<u8> {
        blob.start(u64::MAX).unwrap()
    }

    #[test]
    fn it_is_the_same_wherever_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let text = vec![b'x'; 100_000];
        let path = dir.path().join("file");
        fs::write(&path, &text).unwrap();
        let mut open = tempfile::tempfile().unwrap();
        open.write_all(&text).unwrap();
        let all =
            [Blob::from(text.clone()), Blob::file(&FilePath::root(&path)), Blob::open_file(open)];
        for blob in &all {
            assert_eq!(blob.len().unwrap(), 100_000, "{blob:?}");
            assert_eq!(read(blob), text, "{blob:?}");
            assert_eq!(read(blob), text, "once more: {blob:?}");
            assert_eq!(blob.start(3).unwrap(), b"xxx");
            assert_eq!(blob.digest().unwrap(), all[0].digest().unwrap());
            let mut reader = blob.open().unwrap();
            assert_eq!(reader.seek(SeekFrom::End(-1)).unwrap(), 99_999);
            assert_eq!(io::copy(&mut reader, &mut io::sink()).unwrap(), 1);
        }
        assert!(all.iter().all(|blob| *blob == all[0]));
    }

    #[test]
    fn a_small_file_is_read_once() {
        let dir = tempfile::tempdir().unwrap();
        let check = |length: usize, is_read_once: bool| {
            let text = vec![b'x'; length];
            let path = dir.path().join(length.to_string());
            fs::write(&path, &text).unwrap();
            let blob = Blob::file(&FilePath::root(&path));
            assert_eq!(read(&blob), text);
            fs::remove_file(&path).unwrap();
            assert_eq!(blob.start(u64::MAX).ok(), is_read_once.then_some(text), "{length} bytes");
        };
        check(0, true);
        check(FEW, true);
        check(FEW + 1, false);
        check(100_000, false);
    }

    #[test]
    fn one_that_is_elsewhere_has_a_length_and_cannot_be_read() {
        let blob = Blob::elsewhere(7, None);
        assert_eq!(blob.len().unwrap(), 7);
        assert!(blob.open().is_err() && blob.digest().is_err());
        assert_ne!(blob, Blob::elsewhere(7, None));
    }

    #[test]
    fn bytes_that_arrive_or_are_fetched_can_be_read_in_every_copy() {
        let check = |blob: &Blob, can_be: bool| {
            assert_eq!(blob.clone().is_here(), can_be, "{blob:?}");
            assert_eq!(blob.open().is_ok(), can_be, "{blob:?}");
        };
        let text = || Blob::from(&b"bytes"[..]);
        let digest = text().digest().unwrap();
        let arriving = Blob::elsewhere(5, None);
        let copy = arriving.clone();
        check(&copy, false);
        arriving.arrive(text());
        check(&copy, true);
        assert_eq!(read(&copy), b"bytes");
        check(&Blob::fetched(5, digest, || None), false);
        let fetched = Blob::fetched(5, digest, move || Some(text()));
        assert_eq!(fetched.bytes(), None, "nobody has asked");
        check(&fetched, true);
        assert_eq!(fetched.bytes(), Some(&b"bytes"[..]));
    }
}
