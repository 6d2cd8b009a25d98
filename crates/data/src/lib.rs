//! Test data: recipes, validity, fresh inputs, faults, search, strength, explanations.

#![forbid(unsafe_code)]

pub mod explain;
pub mod faults;
pub mod inputs;
pub mod recipe;
pub mod search;
pub mod strength;
pub mod validity;
