#![doc = include_str!("../docs/architecture.md")]

pub mod build;
pub mod cache;
pub mod check;
pub mod cli;
pub mod cluster;
pub mod executor;
pub mod explain;
pub mod generate;
pub mod grade;
pub mod grammar;
pub mod judge;
pub mod language;
pub mod model;
pub mod mutate;
pub mod new;
pub mod package;
pub mod plan;
pub mod propose;
pub mod remote;
pub mod report;
pub mod sandbox;
pub mod statement;
pub mod strength;
pub mod stress;
pub mod validate;
pub mod validator;

// Unit tests share doubles with the integration tests.
#[cfg(test)]
extern crate self as juror;
