//! How strong test data is: programs that should be wrong are run on it.
//!
//! # Theory of operation
//!
//! A suspect is a program that should be wrong: a submission of the package, or a changed right program. [`test_bed`]
//! runs it on test cases and other inputs. Many small inputs share a start if its language allows it
//! ([`crate::search::batch`]); what such a start does not accept is run alone. If no test case rejects a suspect,
//! [`kill_search`] tries fresh inputs; one that rejects it is made small, and shows what the data lacks. [`pool`]
//! makes the fresh inputs that measure how hard each suspect is to catch, [`suspect_runs`] builds and runs, [`features`]
//! finds the features of test cases, [`score`] counts. [`tools`] measures the rest: [`speed`] of slow submissions, and
//! what [`validators`] and [`checkers`] let pass. The seed makes everything repeatable; the time limit only cuts off.

pub mod bundles;
pub mod checkers;
pub mod equivalents;
pub mod features;
pub mod gates;
pub mod history;
pub mod kill_search;
pub mod matrix;
pub mod measure;
pub mod measured_subject;
pub mod mutants;
pub mod pool;
pub mod promote;
pub mod result;
pub mod score;
pub mod separation;
pub mod speed;
pub mod strictness;
pub mod submissions;
pub mod suspect_runs;
pub mod test_bed;
#[cfg(test)]
mod tests;
pub mod tools;
pub mod validators;
pub mod wrapping_executor;
