//! Searches for an input on which a submission fails, and makes it small.
//!
//! # Theory of operation
//!
//! [`candidates`] gives inputs in turns: by the grammar ([`by_grammar`]), by the package's own generators ([`by_recipe`]),
//! without a grammar also changed copies of test cases ([`by_test_cases`]). [`search`] has one worker a slot; each takes the next input, runs the reference
//! and then the submission on it ([`comparison`]), and compares in process: no file is written, nothing crosses
//! threads. If both
//! programs are in a language that allows it, many inputs share a start of both ([`batch`]). What fails is checked by
//! the validators ([`validity`]) and repeated. [`shrink`] makes it
//! small, and [`promote`] adds it to the package.

pub mod batch;
pub mod by_grammar;
pub mod by_recipe;
pub mod by_test_cases;
pub mod candidates;
pub mod comparison;
pub mod promote;
pub mod reference;
pub mod search;
pub mod shrink;
pub mod validity;
pub mod word_lines;
