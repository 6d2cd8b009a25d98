//! Searches for an input on which a submission fails, and shrinks it.
//!
//! # Theory of operation
//!
//! An [`arena`] has what every search needs, also those of other modules.
//! [`candidates`] gives inputs in turns: from the grammar ([`by_grammar`]), from the package's own generators
//! ([`by_recipe`]), and without a grammar also changed copies of test cases ([`by_test_cases`]). [`search`] has one
//! worker for each slot. A worker takes the next input, runs the reference and then the submission on it
//! ([`comparison`]), and compares in process: no file is written, nothing crosses threads. If both programs are in a
//! language that allows it, many inputs share a start of both ([`batch`]). A failing input is checked by the
//! validators ([`validity`](crate::validity)) and repeated. [`shrink`] makes it small, and [`promote`] adds it to the package.

pub mod arena;
pub mod batch;
pub mod by_grammar;
pub mod by_recipe;
pub mod by_test_cases;
pub mod candidates;
pub mod comparison;
pub mod counterexample;
pub mod problem_inputs;
pub mod programs;
pub mod promote;
pub mod reference;
pub mod search;
pub mod shrink;
pub mod word_lines;
