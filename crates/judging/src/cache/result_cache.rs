//! Wraps executors with a cache of earlier results.

use std::path::Path;
use std::sync::Arc;

use crate::cache::cached::CachedExecutor;
use crate::cache::knowledge::KnownResults;
use crate::cache::store::{CAP, Store};
use crate::cache::surroundings::digest_of;
use juror_core::blob::Digest;
use juror_core::diagnostic::Diagnostic;
use juror_sandbox::executor::Executor;

/// The results of earlier commands; none if the cache is off.
#[derive(Clone, Default)]
pub struct ResultCache(Option<Arc<KnownResults>>);

impl ResultCache {
    /// The cache in this directory.
    ///
    /// A fresh one recalls nothing, but keeps new results.
    pub fn open(dir: &Path, is_fresh: bool) -> Result<Self, Box<Diagnostic>> {
        let store = Arc::new(Store::open(dir, CAP)?);
        Ok(Self(Some(Arc::new(KnownResults::new(store, is_fresh)))))
    }

    /// `None` without a cache.
    pub fn recalled(&self) -> Option<&Arc<KnownResults>> {
        self.0.as_ref()
    }

    /// The wrapped executors share their knowledge.
    pub fn wrap(&self, executor: Arc<dyn Executor>) -> Arc<dyn Executor> {
        match &self.0 {
            Some(known) => Arc::new(CachedExecutor::new(executor, Arc::clone(known))),
            None => executor,
        }
    }

    pub fn read_note(&self, name: &str) -> Option<Vec<u8>> {
        let known = self.0.as_ref().filter(|known| !known.is_fresh)?;
        known.store.get(&note_key(name)?).map(|record| record.bytes)
    }

    /// Replaces an earlier note with this name.
    pub fn write_note(&self, name: &str, text: &[u8]) {
        if let (Some(known), Some(key)) = (&self.0, note_key(name)) {
            known.store.put(&key, text);
        }
    }
}

fn note_key(name: &str) -> Option<Digest> {
    digest_of(&("note 1", name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_note_is_recalled_by_later_commands_but_not_by_fresh_ones() {
        let dir = tempfile::tempdir().unwrap();
        let open = |is_fresh| {
            ResultCache::open(dir.path(), is_fresh).unwrap_or_else(|_| panic!("a cache"))
        };
        let first = open(false);
        first.write_note("score", b"70");
        first.write_note("other", b"thing");
        assert_eq!(first.read_note("score").unwrap(), b"70");
        first.write_note("score", b"");
        drop(first);
        assert_eq!(open(false).read_note("score").unwrap(), b"");
        assert_eq!(open(false).read_note("other").unwrap(), b"thing");
        assert_eq!(open(false).read_note("third"), None);
        assert_eq!(open(true).read_note("other"), None);
        let none = ResultCache::default();
        none.write_note("score", b"70");
        assert_eq!(none.read_note("score"), None);
    }
}
