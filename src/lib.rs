//! ```
//! let judge = juror::Judge::local()?;
//! let problem = juror::Problem::open("problems/game1")?;
//! let file = juror::Submission::file("problems/game1/submissions/wrong_answer/greedy_opponent.rs");
//! assert_eq!(judge.run(&problem, &file)?.verdict, juror::Verdict::WrongAnswer);
//! # Ok::<(), juror::Stop>(())
//! ```
//!
#![cfg_attr(feature = "command", doc = include_str!("../docs/architecture.md"))]
#![cfg_attr(not(feature = "command"), doc = include_str!("../docs/library.md"))]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod door;

/// Its examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct LibraryPage;

pub use door::{Judge, JudgeBuilder, Problem, Submission};
pub use juror_core::event::{CommandTask, Event, Note, WorkProgress};
pub use juror_core::exit_code::ExitCode;
pub use juror_core::isolation::RequiredIsolation;
pub use juror_core::judgement::{CaseJudgement, Judgement};
pub use juror_core::stop::Stop;
pub use juror_core::verdict::Verdict;

#[cfg(feature = "command")]
#[doc(hidden)]
pub mod class;
#[cfg(feature = "command")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "command")]
#[doc(hidden)]
pub mod convert;
#[cfg(feature = "command")]
#[doc(hidden)]
pub mod doctor;
#[cfg(feature = "command")]
#[doc(hidden)]
pub mod grade;
#[cfg(feature = "command")]
#[doc(hidden)]
pub mod ops;
#[cfg(feature = "command")]
#[doc(hidden)]
pub mod report;
