//! A first set of test cases for a package, made with the grammar of its input.
//!
//! A table of shapes lists the inputs to make. They are compared with existing ones, checked by the other input
//! validators, and limited to reasonable sizes. Then they are added to the recipe: small inputs as text, large ones as
//! files next to it, so that no other tool needs the grammar.

pub mod directories;
pub mod from_grammar;
pub mod ideas;
pub mod import;
pub mod inputs;
mod moves;
pub mod write;
