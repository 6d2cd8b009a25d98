//! Test data: recipes, validity, fresh inputs, mutants, search, strength, explanations.

#![forbid(unsafe_code)]

pub mod explain;
pub mod generate;
pub mod inputs;
pub mod mutate;
pub mod propose;
pub mod search;
pub mod strength;
pub mod validate;
pub mod validity;
