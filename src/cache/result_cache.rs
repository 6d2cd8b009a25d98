//! The results of earlier commands, around an executor.

use std::path::Path;
use std::sync::Arc;

use crate::cache::cached::Cached;
use crate::cache::knowledge::Knowledge;
use crate::cache::notes::Notes;
use crate::cache::store::{CAP, Store};
use crate::executor::{Executor, Notebook};
use crate::model::diagnostic::Diagnostic;

/// What is known from earlier commands, and kept for later ones; or nothing.
#[derive(Clone, Default)]
pub struct ResultCache(Option<StoredResults>);

#[derive(Clone)]
struct StoredResults {
    store: Arc<Store>,
    is_fresh: bool,
    knowledge: Arc<Knowledge>,
}

impl ResultCache {
    /// The cache in this directory. If it is fresh, nothing is recalled, and new results are kept.
    ///
    /// # Errors
    /// If the directory cannot be used.
    pub fn open(dir: &Path, is_fresh: bool) -> Result<Self, Box<Diagnostic>> {
        let store = Arc::new(Store::open(dir, CAP)?);
        let knowledge = Arc::new(Knowledge::new(Arc::clone(&store), is_fresh));
        Ok(Self(Some(StoredResults { store, is_fresh, knowledge })))
    }

    /// What was recalled, and where from; `None` without a cache.
    pub fn recalled(&self) -> Option<(Arc<Knowledge>, Arc<Store>)> {
        self.0.as_ref().map(|it| (Arc::clone(&it.knowledge), Arc::clone(&it.store)))
    }

    /// The executor with a cache. All such executors share their knowledge.
    pub fn around(&self, executor: Arc<dyn Executor>) -> Arc<dyn Executor> {
        match &self.0 {
            Some(kept) => Arc::new(Cached::new(executor, Arc::clone(&kept.knowledge))),
            None => executor,
        }
    }

    /// Notes about the machine.
    pub fn notebook(&self) -> Arc<dyn Notebook> {
        match &self.0 {
            Some(StoredResults { store, is_fresh, .. }) => {
                Arc::new(Notes::new(Arc::clone(store), *is_fresh))
            }
            None => Arc::new(()),
        }
    }
}
