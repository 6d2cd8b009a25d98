//! Why a submission fails: the simplest hypothesis that describes the inputs on which it fails.
//!
//! # Theory of operation
//!
//! [`features`] measures each test case of an input, by the names of its grammar and by its answer. [`hypothesis`]
//! combines tests of these figures. [`find`] lists the hypotheses that agree with all inputs judged so far, the
//! simplest first. [`study`] tests the first of them. For this, [`fresh`] makes inputs with and without the property,
//! near its threshold, and inputs on which rival hypotheses differ; the submission is run on them. The first
//! hypothesis that survives is reported with its figures. If none survives, nothing is reported.

pub mod features;
pub mod find;
pub mod fresh;
pub mod hypothesis;
pub mod rejected;
pub mod study;
pub mod subject;

#[cfg(test)]
mod tests;
