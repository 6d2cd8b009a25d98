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

#[doc(hidden)]
pub mod door;

pub use door::{Judge, JudgeBuilder, Problem, Submission};
pub use juror_core::event::{CommandTask, Event, Note, WorkProgress};
pub use juror_core::exit_code::ExitCode;
pub use juror_core::isolation::RequiredIsolation;
pub use juror_core::judgement::{CaseJudgement, Judgement};
pub use juror_core::stop::Stop;
pub use juror_core::verdict::Verdict;

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
