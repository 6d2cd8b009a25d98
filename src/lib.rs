//! juror judges programs.

pub mod model;
