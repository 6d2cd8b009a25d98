//! A first set of test cases for a package, by the grammar of its input.
//!
//! What is wanted stands in a table of shapes; the result is compared with what is there, checked by the
//! other input validators, and limited to the sizes that a package should have; then it is put into the recipe,
//! small inputs as text, large ones as files beside it, so that no other tool has to know the grammar.

pub mod ideas;
pub mod import;
pub mod inputs;
pub mod write;
