//! What a command remembers of earlier ones: the store, and what stands around the executor for it.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cache::cached::Cached;
use crate::cache::store::Store;
use crate::cache::tools::Asked;
use crate::cli::output::Output;
use crate::executor::Executor;
use crate::language::probe::{Machine, Probe};
use crate::model::isolation::Isolation;
use crate::model::units::Bytes;

/// The memory of a command, if it has one.
#[derive(Clone)]
pub struct Memory(Option<(Arc<Store>, bool)>);

/// How large the store grows.
const CAP: Bytes = Bytes::mib(2048);

impl Memory {
    /// Opens the store. What is not isolated could write there, so then there is one only if it is asked for.
    pub fn open(isolation: Isolation, output: &Output) -> Self {
        let given = env::var_os("JUROR_CACHE").filter(|it| !it.is_empty());
        let is_safe = isolation != Isolation::Plain || given.is_some();
        let dir = given.map(PathBuf::from).filter(|dir| is_safe && dir != "off");
        Self(dir.and_then(|dir| match Store::open(&dir, CAP) {
            Ok(store) => Some((Arc::new(store), false)),
            Err(refused) => {
                output.diagnosed([*refused]);
                None
            }
        }))
    }

    /// The executor with what remembers around it.
    pub fn around(&self, executor: Arc<dyn Executor>, output: &Output) -> Arc<dyn Executor> {
        let Some((store, is_fresh)) = &self.0 else { return executor };
        let cached = Arc::new(Cached::new(executor, Arc::clone(store), *is_fresh));
        output.remembers(Arc::clone(&cached), Arc::clone(store));
        cached
    }

    /// The door to the machine's tools.
    pub fn probe(&self) -> Box<dyn Probe> {
        match &self.0 {
            Some((store, is_fresh)) => Box::new(Asked::new(Arc::clone(store), *is_fresh)),
            None => Box::new(Machine),
        }
    }
}
