#![doc = include_str!("../docs/architecture.md")]

pub mod build;
pub mod check;
pub mod cli;
pub mod executor;
pub mod generate;
pub mod grammar;
pub mod judge;
pub mod language;
pub mod model;
pub mod package;
pub mod plan;
pub mod report;
pub mod sandbox;
pub mod stress;
pub mod validate;
pub mod validator;
