//! How strong test data is: programs that should be wrong are held against it.
//!
//! # Theory of operation
//!
//! A suspect is a program that should be wrong: a submission of the package, or a right program that is changed.
//! [`test_bed`] holds it against test cases and other inputs: many small inputs share a start if its language allows it
//! ([`crate::stress::batch`]), and what such a start does not accept is run by itself. What no test case rejects is
//! searched on fresh inputs ([`kill_search`]): an input that rejects it is made small, and shows what the data lacks.
//! [`pool`] makes the fresh inputs that tell how hard each one is to catch, [`holding`] builds and runs, [`reach`]
//! looks what test cases are like, [`score`] counts. [`probe`] measures speed, [`validators`] and [`checkers`] what
//! validators let pass. All of it is repeatable from the seed; the time only cuts off.

pub mod bundles;
pub mod checkers;
pub mod holding;
pub mod kill_search;
pub mod matrix;
pub mod measure;
pub mod mutants;
pub mod pool;
pub mod probe;
pub mod promote;
pub mod reach;
pub mod score;
pub mod test_bed;
#[cfg(test)]
mod tests;
pub mod validators;
pub mod wrapped;
