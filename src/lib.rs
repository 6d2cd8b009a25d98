//! ```
//! let judge = juror::Judge::local()?;
//! let problem = juror::Problem::open("problems/game1")?;
//! let file = juror::Submission::file("problems/game1/submissions/wrong_answer/greedy_opponent.rs");
//! assert_eq!(judge.run(&problem, &file)?.verdict, juror::Verdict::WrongAnswer);
//! # Ok::<(), juror::Stop>(())
//! ```
//!
#![doc = include_str!("../docs/architecture.md")]

mod door;

pub use door::{Judge, JudgeBuilder, Problem, Submission};
pub use model::event::Event;
pub use model::isolation::Demand;
pub use model::judgement::{CaseJudgement, Judgement};
pub use model::stop::Stop;
pub use model::verdict::Verdict;

pub mod build;
pub mod cache;
pub mod check;
pub mod class;
pub mod cli;
pub mod cluster;
pub mod doctor;
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
pub mod ops;
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
