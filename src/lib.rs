//! ```
//! let judge = juror::Judge::local()?;
//! let problem = juror::Problem::open("problems/game1")?;
//! let file = juror::Submission::file("problems/game1/submissions/wrong_answer/greedy_opponent.rs");
//! assert_eq!(judge.run(&problem, &file)?.verdict, juror::Verdict::WrongAnswer);
//! # Ok::<(), juror::Stop>(())
//! ```
//!
#![doc = include_str!("../docs/architecture.md")]
#![deny(unsafe_code)]

mod door;

pub use door::{Judge, JudgeBuilder, Problem, Submission};
pub use model::event::{CommandTask, Event, Note, WorkProgress};
pub use model::exit_code::ExitCode;
pub use model::isolation::RequiredIsolation;
pub use model::judgement::{CaseJudgement, Judgement};
pub use model::stop::Stop;
pub use model::verdict::Verdict;

#[doc(hidden)]
pub mod build;
#[doc(hidden)]
pub mod cache;
#[doc(hidden)]
pub mod check;
#[doc(hidden)]
pub mod class;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod cluster;
#[doc(hidden)]
pub mod convert;
#[doc(hidden)]
pub mod doctor;
#[doc(hidden)]
pub mod executor;
#[doc(hidden)]
pub mod explain;
#[doc(hidden)]
pub mod generate;
#[doc(hidden)]
pub mod grade;
#[doc(hidden)]
pub mod grammar;
#[doc(hidden)]
pub mod inputs;
#[doc(hidden)]
pub mod judge;
#[doc(hidden)]
pub mod language;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod mutate;
#[doc(hidden)]
pub mod new;
#[doc(hidden)]
pub mod ops;
#[doc(hidden)]
pub mod output_validator;
#[doc(hidden)]
pub mod package;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod propose;
#[doc(hidden)]
pub mod remote;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
#[expect(unsafe_code, reason = "it asks the kernel for what the standard library lacks")]
pub mod sandbox;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod statement;
#[doc(hidden)]
pub mod strength;
#[doc(hidden)]
pub mod validate;
#[doc(hidden)]
pub mod validity;

// Unit tests share doubles with the integration tests.
#[cfg(test)]
extern crate self as juror;
