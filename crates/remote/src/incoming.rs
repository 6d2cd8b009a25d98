//! Blobs that arrive in pieces, and the blobs and trees that a worker stores.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::frame::ProtocolError;
use juror_core::blob::{Blob, Digest, TreeDirectory};
use juror_core::root::FilePath;
use juror_core::tree::Tree;
use juror_sandbox::executor::scratch::{self, ScratchDirectory, ScratchPurpose};

/// In bytes: larger blobs are stored in a file.
const IN_MEMORY_BYTES: usize = 64 << 10;

#[derive(Default)]
pub(super) struct LargeBlobs {
    directory: Option<Arc<ScratchDirectory>>,
}

impl LargeBlobs {
    fn file(&mut self) -> io::Result<(NamedTempFile, Arc<ScratchDirectory>)> {
        let home = match &self.directory {
            Some(home) => home,
            None => {
                let directory =
                    scratch::make_scratch(ScratchPurpose::Programs).map_err(io::Error::other)?;
                self.directory.insert(Arc::new(directory))
            }
        };
        Ok((NamedTempFile::new_in(home.path().as_path())?, Arc::clone(home)))
    }
}

/// A blob of which a part has arrived.
#[derive(Default)]
pub(super) struct IncomingBlob {
    pub(super) length: u64,
    hasher: Sha256,
    memory: Vec<u8>,
    file: Option<(NamedTempFile, Arc<ScratchDirectory>)>,
    /// Why it cannot be stored. Later pieces are dropped.
    fault: Option<String>,
}

impl IncomingBlob {
    pub(super) fn push(&mut self, bytes: &[u8], large: &mut LargeBlobs) {
        self.length += bytes.len() as u64;
        if self.fault.is_none()
            && let Err(error) = self.store(bytes, large)
        {
            self.fault = Some(error.to_string());
        }
    }

    fn store(&mut self, bytes: &[u8], large: &mut LargeBlobs) -> io::Result<()> {
        self.hasher.update(bytes);
        if self.file.is_none() && self.memory.len() + bytes.len() <= IN_MEMORY_BYTES {
            self.memory.extend(bytes);
            return Ok(());
        }
        let (file, _) = match &mut self.file {
            Some(file) => file,
            none => {
                let mut file = large.file()?;
                file.0.write_all(&self.memory)?;
                self.memory = Vec::new();
                none.insert(file)
            }
        };
        file.write_all(bytes)
    }

    pub(super) fn finish(self) -> Result<Blob, String> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let digest = Digest(self.hasher.finalize().into());
        let bytes = match self.file {
            None => self.memory.into(),
            Some((file, home)) => {
                let path = file.path().to_path_buf();
                Blob::in_tree(
                    &TreeDirectory::new(path.clone(), (file.into_temp_path(), home)),
                    FilePath::root(path),
                )
            }
        };
        let blob = Blob::remote(self.length, Some(digest));
        blob.receive(bytes);
        Ok(blob)
    }
}

/// What a worker stores: recently used blobs, so that each is sent once, and trees, so that each is written to disk
/// once.
pub(super) struct WorkerStore {
    blobs: LruCache<Digest, Blob>,
    trees: LruCache<Vec<u8>, Arc<Tree>>,
    bytes: u64,
    most: u64,
}

pub(super) const STORED_BYTES_MAX: u64 = 1 << 30;
const STORED_BLOBS_MAX: usize = 4_000;
const STORED_TREES_MAX: NonZeroUsize = NonZeroUsize::new(100).expect("it is not zero");

impl WorkerStore {
    pub(super) fn new(most: u64) -> Self {
        let (blobs, trees) = (LruCache::unbounded(), LruCache::new(STORED_TREES_MAX));
        Self { blobs, trees, bytes: 0, most }
    }

    pub(super) fn blob(&mut self, digest: &Digest) -> Option<Blob> {
        self.blobs.get(digest).cloned()
    }

    /// Stores a blob and drops older ones. Users of a dropped blob keep their reference to it.
    pub(super) fn store_blob(&mut self, blob: &Blob) {
        let (Some(digest), Ok(length)) = (blob.known_digest(), blob.len()) else { return };
        if length > self.most || self.blobs.contains(&digest) {
            return;
        }
        self.bytes += length;
        self.blobs.put(digest, blob.clone());
        while self.bytes > self.most || self.blobs.len() > STORED_BLOBS_MAX {
            let Some((_, gone)) = self.blobs.pop_lru() else { return };
            self.bytes -= gone.len().unwrap_or_default();
        }
    }

    /// Returns the same tree if it arrived before, since it may already be on disk.
    pub(super) fn known_tree(&mut self, tree: Arc<Tree>) -> Result<Arc<Tree>, ProtocolError> {
        for blob in tree.entries.iter().filter_map(|entry| entry.blob()) {
            blob.digest().map_err(ProtocolError::new)?;
        }
        let name = postcard::to_allocvec(&*tree).map_err(ProtocolError::new)?;
        Ok(Arc::clone(self.trees.get_or_insert(name, || tree)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::tree::{Node, TreeEntry};

    fn incoming_blob(bytes: &[u8], large: &mut LargeBlobs) -> Blob {
        let mut incoming = IncomingBlob::default();
        bytes.chunks(100_000).for_each(|piece| incoming.push(piece, large));
        assert_eq!(incoming.length, bytes.len() as u64);
        incoming.finish().unwrap()
    }

    #[test]
    fn blobs_in_pieces_are_joined_and_their_files_removed() {
        let mut large = LargeBlobs::default();
        for length in [0, 1, IN_MEMORY_BYTES, IN_MEMORY_BYTES + 1, 3_000_000] {
            let bytes: Vec<u8> = (0..length).map(|index| index as u8).collect();
            let blob = incoming_blob(&bytes, &mut large);
            assert_eq!(blob.prefix(u64::MAX).unwrap(), bytes);
            assert_eq!(blob.len().unwrap(), length as u64);
            assert_eq!(blob.known_digest(), Some(Blob::from(bytes).digest().unwrap()));
            let path = blob.path().map(std::path::PathBuf::from);
            assert_eq!(path.is_some(), length > IN_MEMORY_BYTES);
            drop(blob);
            assert!(path.is_none_or(|path| !path.exists()));
        }
    }

    #[test]
    fn the_least_recently_used_blobs_are_dropped() {
        let mut large = LargeBlobs::default();
        let mut store = WorkerStore::new(10);
        let blobs = ["aaaa", "bbbb", "cccc", "much too long"];
        let blobs = blobs.map(|text| incoming_blob(text.as_bytes(), &mut large));
        let digests = blobs.each_ref().map(|blob| blob.known_digest().unwrap());
        store.store_blob(&blobs[0]);
        store.store_blob(&blobs[1]);
        assert!(store.blob(&digests[0]).is_some());
        store.store_blob(&blobs[2]);
        store.store_blob(&blobs[3]);
        let found = digests.map(|digest| store.blob(&digest).is_some());
        assert_eq!(found, [true, false, true, false]);
        assert_eq!(store.bytes, 8);
    }

    #[test]
    fn equal_trees_are_stored_once() {
        let mut store = WorkerStore::new(10);
        let tree = |name: &str, text: &str| {
            let entry = TreeEntry::new(name, Node::plain(text.as_bytes()));
            Arc::new(Tree::from(vec![entry]))
        };
        let first = store.known_tree(tree("a", "x")).unwrap();
        let mut is_first = |tree| Arc::ptr_eq(&first, &store.known_tree(tree).unwrap());
        assert!(is_first(tree("a", "x")));
        assert!(!is_first(tree("b", "x")));
        assert!(!is_first(tree("a", "y")));
        (0..STORED_TREES_MAX.get())
            .for_each(|number| assert!(!is_first(tree(&number.to_string(), ""))));
        assert!(!is_first(tree("a", "x")), "it was forgotten");
        assert_eq!(store.trees.len(), STORED_TREES_MAX.get());
    }
}
