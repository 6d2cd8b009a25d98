//! Runs one command, or two joined by pipes, under limits, and says what happened.

pub mod executor;
pub mod sandbox;
