//! Searches for an input on which a submission fails, and shrinks it.
//!
//! # Theory of operation
//!
//! An [`arena`] has the parts that every search needs, also in other modules. [`run`] has one worker for each slot. A
//! worker takes the next of the [`inputs`](crate::inputs), and runs the reference and then the submission on it
//! ([`cross_check`]). This happens in process: no file is written, nothing crosses threads. If the languages of both
//! programs allow it, many inputs share a start of both ([`batch`]). Validators check a failing input
//! ([`validity`](crate::validity)), and it is repeated. [`shrink`] makes it small, and [`promote`] adds it to the
//! package.

pub mod arena;
pub mod batch;
pub mod counterexample;
pub mod cross_check;
mod known_answers;
pub mod output_batches;
pub mod problem_inputs;
pub mod programs;
pub mod promote;
pub mod reference;
pub mod result;
pub mod run;
pub mod shrink;
