//! What a package lost when it was written in another format.
//!
//! The two problems are written as data, and as the scores that the same verdicts give; what differs is lost.

pub mod losses;
mod scores;
#[cfg(test)]
mod tests;
