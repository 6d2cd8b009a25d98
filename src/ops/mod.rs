//! What commands do, without arguments and terminals.

pub mod cases;
pub mod mutants;
pub mod open_package;
pub mod stress;
pub mod submissions;
pub mod validators;
