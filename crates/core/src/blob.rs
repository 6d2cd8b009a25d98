//! Byte sequences, wherever they are: what a program reads, consists of, or wrote.

use std::any::Any;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use base64::DecodeError;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::root::{FilePath, READ_MAX, read_whole};
use crate::serial::Base64Text;

/// Immutable bytes: in memory, in a file, or on another machine.
///
/// A clone is the same blob. Serialization writes the length, and the digest if it is known; the bytes travel
/// separately.
#[derive(Clone)]
pub struct Blob(Arc<BlobData>);

struct BlobData {
    source: BlobSource,
    length: OnceLock<u64>,
    digest: OnceLock<Digest>,
}

enum BlobSource {
    Memory(Box<dyn AsRef<[u8]> + Send + Sync>),
    /// A file, with the guard that keeps it from being deleted.
    File {
        path: FilePath,
        _tree_directory: Option<Arc<TreeDirectory>>,
        /// Its bytes, once they were read and if they are few: a judge answer is read for each submission.
        small_contents: OnceLock<Box<[u8]>>,
    },
    /// A file that may have no name.
    OpenFile(File),
    /// On another machine, or on their way. Once they are here, they are in the inner blob.
    Remote {
        arrived: OnceLock<Blob>,
        fetch: Option<Box<FetchBlob>>,
    },
}

/// A directory of this machine with a tree.
#[derive(Debug)]
pub struct TreeDirectory {
    path: PathBuf,
    /// Deletes the directory when the last owner is gone.
    _guard: Box<dyn Any + Send + Sync>,
}

/// A file of at most this many bytes is read only once.
const SMALL_FILE_BYTES: usize = 512;

/// Returns `None` if the bytes are lost.
type FetchBlob = dyn Fn() -> Option<Blob> + Send + Sync;

/// The SHA-256 of bytes. It identifies them everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest(pub [u8; 32]);

impl Blob {
    /// The contents of this file, which must not change.
    pub fn file(path: &FilePath) -> Self {
        Self::from_path(path.clone(), None)
    }

    pub fn in_tree(directory: &Arc<TreeDirectory>, path: FilePath) -> Self {
        Self::from_path(path, Some(Arc::clone(directory)))
    }

    fn from_path(path: FilePath, directory: Option<Arc<TreeDirectory>>) -> Self {
        Self::new(BlobSource::File {
            path,
            _tree_directory: directory,
            small_contents: OnceLock::new(),
        })
    }

    pub fn open_file(file: File) -> Self {
        Self::new(BlobSource::OpenFile(file))
    }

    pub fn remote(length: u64, digest: Option<Digest>) -> Self {
        Self::new_remote(length, digest, None)
    }

    /// Bytes of this length that are fetched when somebody reads them.
    pub fn fetched_on_demand(
        length: u64,
        digest: Digest,
        fetch: impl Fn() -> Option<Self> + Send + Sync + 'static,
    ) -> Self {
        Self::new_remote(length, Some(digest), Some(Box::new(fetch)))
    }

    fn new_remote(length: u64, digest: Option<Digest>, fetch: Option<Box<FetchBlob>>) -> Self {
        let source = BlobSource::Remote { arrived: OnceLock::new(), fetch };
        let digest = digest.map_or_else(OnceLock::new, OnceLock::from);
        Self(Arc::new(BlobData { source, length: OnceLock::from(length), digest }))
    }

    /// Sets the bytes of a remote blob, for it and all its clones.
    pub fn receive(&self, bytes: Self) {
        if let BlobSource::Remote { arrived, .. } = &self.0.source {
            // If bytes arrive twice, both are equal.
            let _ = arrived.set(bytes);
        }
    }

    /// Whether its bytes can be read here; fetches them if possible.
    pub fn is_available(&self) -> bool {
        self.available().is_ok()
    }

    fn available(&self) -> io::Result<&Self> {
        let BlobSource::Remote { arrived, fetch } = &self.0.source else { return Ok(self) };
        if let Some(bytes) = arrived.get() {
            return Ok(bytes);
        }
        let bytes = fetch.as_ref().and_then(|fetch| fetch()).ok_or_else(missing_bytes)?;
        Ok(arrived.get_or_init(|| bytes))
    }

    fn memory(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self::new(BlobSource::Memory(Box::new(bytes)))
    }

    fn new(source: BlobSource) -> Self {
        Self(Arc::new(BlobData { source, length: OnceLock::new(), digest: OnceLock::new() }))
    }

    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.0.source {
            BlobSource::Memory(bytes) => Some((**bytes).as_ref()),
            BlobSource::Remote { arrived, .. } => arrived.get()?.bytes(),
            _ => None,
        }
    }

    pub fn path(&self) -> Option<&FilePath> {
        match &self.0.source {
            BlobSource::File { path, .. } => Some(path),
            BlobSource::Remote { arrived, .. } => arrived.get()?.path(),
            _ => None,
        }
    }

    #[expect(clippy::len_without_is_empty, reason = "it is not needed, and could fail")]
    pub fn len(&self) -> io::Result<u64> {
        if let Some(length) = self.0.length.get() {
            return Ok(*length);
        }
        let length = match &self.0.source {
            BlobSource::Memory(bytes) => (**bytes).as_ref().len() as u64,
            BlobSource::File { path, .. } => path.metadata()?.len(),
            BlobSource::OpenFile(file) => file.metadata()?.len(),
            BlobSource::Remote { .. } => self.available()?.len()?,
        };
        Ok(*self.0.length.get_or_init(|| length))
    }

    /// Opens it for reading from the start, independently of other readers.
    pub fn open(&self) -> io::Result<BlobReader<'_>> {
        Ok(match &self.0.source {
            BlobSource::Memory(bytes) => Box::new(Cursor::new((**bytes).as_ref())),
            BlobSource::File { path, small_contents, .. } => match small_contents.get() {
                Some(bytes) => Box::new(Cursor::new(&**bytes)),
                None => open_and_keep_small(path.open()?, small_contents)?,
            },
            BlobSource::OpenFile(file) => {
                Box::new(BufReader::new(OffsetReader { file, offset: 0 }))
            }
            BlobSource::Remote { .. } => return self.available()?.open(),
        })
    }

    /// The file that holds its bytes; `None` if they are in memory. Others may read from the same position.
    pub fn opened(&self) -> io::Result<Option<File>> {
        match &self.0.source {
            BlobSource::Memory(_) => Ok(None),
            BlobSource::File { path, .. } => path.open().map(Some),
            BlobSource::OpenFile(file) => file.try_clone().map(Some),
            BlobSource::Remote { .. } => self.available()?.opened(),
        }
    }

    /// Appends its bytes to a file. Returns how many bytes it has.
    pub fn copy_to(&self, to: &mut File) -> io::Result<u64> {
        match &self.0.source {
            BlobSource::Memory(bytes) => {
                let bytes = (**bytes).as_ref();
                to.write_all(bytes)?;
                Ok(bytes.len() as u64)
            }
            // The kernel can copy between two files.
            BlobSource::File { path, .. } => io::copy(&mut path.open()?, to),
            BlobSource::Remote { .. } => self.available()?.copy_to(to),
            BlobSource::OpenFile(_) => {
                let mut from = BufReader::with_capacity(64 << 10, self.open()?);
                io::copy(&mut from, to)
            }
        }
    }

    pub fn prefix(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// All bytes. More than [`READ_MAX`] are an error.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        read_whole(self.open()?, READ_MAX)
    }

    pub fn known_digest(&self) -> Option<Digest> {
        self.0.digest.get().copied()
    }

    /// Sets a digest that was found without reading the bytes.
    pub fn set_digest(&self, digest: Digest) {
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
fn open_and_keep_small(mut file: File, small: &OnceLock<Box<[u8]>>) -> io::Result<BlobReader<'_>> {
    let mut start = Vec::with_capacity(SMALL_FILE_BYTES + 1);
    (&mut file).take(SMALL_FILE_BYTES as u64 + 1).read_to_end(&mut start)?;
    if start.len() <= SMALL_FILE_BYTES {
        return Ok(Box::new(Cursor::new(&**small.get_or_init(|| start.into()))));
    }
    file.rewind()?;
    Ok(Box::new(BufReader::new(file)))
}

fn missing_bytes() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "its bytes are missing")
}

impl TreeDirectory {
    /// `guard` is dropped with the last tree in the directory.
    pub fn new(path: PathBuf, guard: impl Any + Send + Sync) -> Arc<Self> {
        Arc::new(Self { path, _guard: Box::new(guard) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
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
            BlobSource::Memory(bytes) => write!(f, "Blob({} bytes)", (**bytes).as_ref().len()),
            BlobSource::File { path, .. } => write!(f, "Blob({})", path.display()),
            BlobSource::OpenFile(_) => f.write_str("Blob(a file)"),
            BlobSource::Remote { .. } => f.write_str("Blob(elsewhere)"),
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
            || (self.path().is_some() && self.path() == other.path())
            || (self.known_digest().is_some() && self.known_digest() == other.known_digest())
    }
}

impl Eq for Blob {}

#[derive(Serialize, Deserialize)]
struct SerializedBlob {
    length: u64,
    digest: Option<Digest>,
}

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let length = self.len().map_err(serde::ser::Error::custom)?;
        SerializedBlob { length, digest: self.known_digest() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = SerializedBlob::deserialize(deserializer)?;
        Ok(Self::remote(name.length, name.digest))
    }
}

impl TryFrom<&Blob> for Base64Text {
    type Error = io::Error;

    fn try_from(blob: &Blob) -> io::Result<Self> {
        Ok(Self(BASE64_STANDARD.encode(blob.read()?)))
    }
}

impl TryFrom<Base64Text> for Blob {
    type Error = DecodeError;

    fn try_from(text: Base64Text) -> Result<Self, DecodeError> {
        BASE64_STANDARD.decode(text.0).map(Self::from)
    }
}

pub type BlobReader<'a> = Box<dyn ReadSeek + Send + 'a>;

pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// A position in an open file. Other readers of the file do not move it.
struct OffsetReader<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for OffsetReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read_at(buffer, self.offset)?;
        self.offset += length as u64;
        Ok(length)
    }
}

impl Seek for OffsetReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, offset) = match to {
            SeekFrom::Start(offset) => (offset, 0),
            SeekFrom::Current(offset) => (self.offset, offset),
            SeekFrom::End(offset) => (self.file.metadata()?.len(), offset),
        };
        let offset = base.checked_add_signed(offset);
        self.offset = offset.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn read(blob: &Blob) -> Vec<u8> {
        blob.prefix(u64::MAX).unwrap()
    }

    #[test]
    fn a_blob_has_the_same_bytes_wherever_they_are() {
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
            assert_eq!(blob.prefix(3).unwrap(), b"xxx");
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
            assert_eq!(blob.prefix(u64::MAX).ok(), is_read_once.then_some(text), "{length} bytes");
        };
        check(0, true);
        check(SMALL_FILE_BYTES, true);
        check(SMALL_FILE_BYTES + 1, false);
        check(100_000, false);
    }

    #[test]
    fn a_remote_blob_has_a_length_and_cannot_be_read() {
        let blob = Blob::remote(7, None);
        assert_eq!(blob.len().unwrap(), 7);
        assert!(blob.open().is_err() && blob.digest().is_err());
        assert_ne!(blob, Blob::remote(7, None));
    }

    #[test]
    fn received_or_fetched_bytes_are_readable_in_every_clone() {
        let check = |blob: &Blob, can_be: bool| {
            assert_eq!(blob.clone().is_available(), can_be, "{blob:?}");
            assert_eq!(blob.open().is_ok(), can_be, "{blob:?}");
        };
        let text = || Blob::from(&b"bytes"[..]);
        let digest = text().digest().unwrap();
        let arriving = Blob::remote(5, None);
        let copy = arriving.clone();
        check(&copy, false);
        arriving.receive(text());
        check(&copy, true);
        assert_eq!(read(&copy), b"bytes");
        check(&Blob::fetched_on_demand(5, digest, || None), false);
        let fetched = Blob::fetched_on_demand(5, digest, move || Some(text()));
        assert_eq!(fetched.bytes(), None, "nobody has asked");
        check(&fetched, true);
        assert_eq!(fetched.bytes(), Some(&b"bytes"[..]));
    }
}
