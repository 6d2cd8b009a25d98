//! Integration tests, one binary.

mod archives;
mod builds;
mod causes;
mod cli;
mod fallback;
mod fixture;
mod fold;
mod from_grammar;
mod golden;
mod grammar;
mod grammars;
mod live;
mod measured;
mod messages;
mod plain;
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
mod wire;
