//! The memory of earlier commands: the store, and the cache around the executor.

use std::sync::Arc;

use crate::cache::cached::Cached;
use crate::cache::knowledge::Knowledge;
use crate::cache::notes::Notes;
use crate::cache::store::{CAP, Store};
use crate::cache::tools::Asked;
use crate::cli::options::HostOptions;
use crate::cli::output::Output;
use crate::executor::{Executor, Notebook};
use crate::language::probe::Probe;
use crate::model::isolation::Demand;
use crate::sandbox::Machine;

/// The memory of a command, if it has one.
#[derive(Clone)]
pub struct Remembered(Option<Memory>);

#[derive(Clone)]
struct Memory {
    store: Arc<Store>,
    is_fresh: bool,
    /// The known results of runs.
    knowledge: Arc<Knowledge>,
}

impl Remembered {
    /// No memory.
    pub fn nothing() -> Self {
        Self(None)
    }

    /// Opens the store. Programs without isolation could write there, so then it is used only if the user asks for it.
    pub fn open(options: &HostOptions, output: &Output) -> Self {
        // Other systems have no isolation.
        let is_isolated = options.isolation != Demand::Plain && cfg!(target_os = "linux");
        let is_wanted = !output.is_recorded && (is_isolated || options.cache.named().is_some());
        let dir = options.cache.place().filter(|_| is_wanted);
        Self(dir.and_then(|dir| match Store::open(&dir, CAP) {
            Ok(store) => {
                let (store, is_fresh) = (Arc::new(store), options.fresh);
                let knowledge = Arc::new(Knowledge::new(Arc::clone(&store), is_fresh));
                Some(Memory { store, is_fresh, knowledge })
            }
            Err(refused) => {
                output.diagnosed([*refused]);
                None
            }
        }))
    }

    /// Makes the output report at its end what was recalled.
    pub fn told_by(&self, output: &Output) {
        if let Some(Memory { store, knowledge, .. }) = &self.0 {
            output.remembers(Arc::clone(knowledge), Arc::clone(store));
        }
    }

    /// The executor with a cache. All such executors share their knowledge.
    pub fn around(&self, executor: Arc<dyn Executor>) -> Arc<dyn Executor> {
        match &self.0 {
            Some(memory) => Arc::new(Cached::new(executor, Arc::clone(&memory.knowledge))),
            None => executor,
        }
    }

    /// Notes about the machine.
    pub fn notebook(&self) -> Arc<dyn Notebook> {
        match &self.0 {
            Some(Memory { store, is_fresh, .. }) => {
                Arc::new(Notes::new(Arc::clone(store), *is_fresh))
            }
            None => Arc::new(()),
        }
    }

    /// The probe for the machine's tools.
    pub fn probe(&self) -> Box<dyn Probe> {
        match &self.0 {
            Some(Memory { store, is_fresh, .. }) => {
                Box::new(Asked::new(Arc::clone(store), *is_fresh))
            }
            None => Box::new(Machine),
        }
    }
}
