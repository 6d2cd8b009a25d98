//! Why a submission fails: the simplest statement about inputs that describes when it fails.
//!
//! # Theory of operation
//!
//! [`features`] measures each test case of an input, by the names of its grammar and by its answer. [`statement`]
//! combines tests of these figures. [`find`] lists the statements that agree with all inputs judged so far, the
//! simplest first. [`study`] tests the first of them. For this, [`fresh`] makes inputs with and without the property,
//! near its threshold, and inputs on which rival statements differ; the submission is run on them. A statement that
//! survives is told with its figures. Otherwise the next is tested; if none survives, nothing is told.

pub mod compared;
pub mod features;
pub mod find;
pub mod fresh;
pub mod rejected;
pub mod statement;
pub mod study;
pub mod subject;

#[cfg(test)]
mod tests;
