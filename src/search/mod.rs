//! Searches for an input on which a submission fails, and shrinks it.
//!
//! # Theory of operation
//!
//! An [`arena`] has what every search needs, also those of other modules. [`run`] has one worker for each slot. A
//! worker takes the next of the [`inputs`](crate::inputs), runs the reference and then the submission on it
//! ([`comparison`]), and compares in process: no file is written, nothing crosses threads. If both programs are in a
//! language that allows it, many inputs share a start of both ([`batch`]). A failing input is checked by the validators
//! ([`validity`](crate::validity)) and repeated. [`shrink`] makes it small, and [`promote`] adds it to the package.

pub mod arena;
pub mod batch;
pub mod comparison;
pub mod counterexample;
pub mod problem_inputs;
pub mod programs;
pub mod promote;
pub mod reference;
pub mod run;
pub mod shrink;
