//! Builds programs, plans runs, judges, scores, caches results.

#![forbid(unsafe_code)]

pub mod build;
pub mod cache;
pub mod judge;
pub mod output_validator;
pub mod plan;
