//! Plain values of judging: units, limits, verdicts, jobs, problems; languages; the default output validator.

#![forbid(unsafe_code)]

pub mod check;
pub mod language;
pub mod model;
