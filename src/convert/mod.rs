//! Finds what a package loses in another format.
//!
//! Both problems are written as data, and scored for the same verdicts. Every difference is a loss.

pub mod losses;
mod scores;
#[cfg(test)]
mod tests;
