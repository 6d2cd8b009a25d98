//! Finds what a package loses in another format.
//!
//! Both problems are written as data, and scored for the same verdicts. Every difference is a loss.

pub mod losses;
mod scores;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

/// Facts by place and name, with their values. A program, a file or a test case that is there has none.
type FactMap = BTreeMap<(String, String), Option<String>>;
