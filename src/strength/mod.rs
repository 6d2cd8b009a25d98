//! How strong test data is: what its validators, its test cases and its limits tell apart.

pub mod checkers;
pub mod probe;
pub mod validators;
