//! Why a submission fails: the simplest statement about inputs that separates those on which it fails.
//!
//! # Theory of operation
//!
//! [`features`] measures each test case of an input, by the names of its grammar and by its answer. [`statement`]
//! joins tests of these figures. [`find`] lists the statements that agree with all inputs judged so far, the simplest
//! first. [`study`] doubts the first of them: it has [`fresh`] make inputs with it and without it, beside its
//! threshold, and such on which it and the others disagree, and asks the subject about them. What holds is told with
//! its figures. What does not gives way to the next, and in the end to silence.

pub mod compared;
pub mod features;
pub mod find;
pub mod fresh;
pub mod statement;
pub mod study;
pub mod subject;

#[cfg(test)]
mod tests;
