//! ```
//! let judge = juror::Judge::local()?;
//! let problem = juror::Problem::open("problems/game1")?;
//! let file = juror::Submission::file("problems/game1/submissions/wrong_answer/greedy_opponent.rs");
//! assert_eq!(judge.run(&problem, &file)?.verdict, juror::Verdict::WrongAnswer);
//! # Ok::<(), juror::Stop>(())
//! ```
//!
#![doc = include_str!("../docs/architecture.md")]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod door;

#[doc(hidden)]
pub use juror_core::{check, language, model};
#[doc(hidden)]
pub use juror_data::{
    explain, generate, inputs, mutate, propose, search, strength, validate, validity,
};
#[doc(hidden)]
pub use juror_grammar as grammar;
#[doc(hidden)]
pub use juror_judging::{build, cache, judge, output_validator, plan};
#[doc(hidden)]
pub use juror_packages::{new, package, statement};
#[doc(hidden)]
pub use juror_remote as remote;
#[doc(hidden)]
pub use juror_sandbox::{executor, sandbox};

pub use door::{Judge, JudgeBuilder, Problem, Submission};
pub use model::event::{CommandTask, Event, Note, WorkProgress};
pub use model::exit_code::ExitCode;
pub use model::isolation::RequiredIsolation;
pub use model::judgement::{CaseJudgement, Judgement};
pub use model::stop::Stop;
pub use model::verdict::Verdict;

#[doc(hidden)]
pub mod class;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
#[doc(hidden)]
pub mod convert;
#[doc(hidden)]
pub mod doctor;
#[doc(hidden)]
pub mod grade;
#[doc(hidden)]
pub mod ops;
#[doc(hidden)]
pub mod report;
