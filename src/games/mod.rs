//! The theory of games that problems here are about. juror itself plays none of them: packages take these files into
//! their own validators, and tests and benchmarks measure others against them.

pub mod row;

#[cfg(test)]
mod tests;
