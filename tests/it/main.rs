//! Integration tests, one binary.

mod builds;
mod cli;
mod fixture;
mod fold;
mod from_grammar;
mod golden;
mod grammar;
mod grammars;
mod ladder;
mod live;
mod measured;
mod plain;
mod problems;
mod proofs;
mod recipes;
mod sandbox;
mod scoring;
mod stress;
mod stress_batches;
mod stress_live;
mod tidy;
mod usage;
mod validators;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits for its turn: tests that load the whole machine do so one after the other, so that none of
/// them looks slow because of another.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
