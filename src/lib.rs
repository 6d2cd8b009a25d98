//! juror judges programs.

pub mod check;
pub mod model;
pub mod package;
