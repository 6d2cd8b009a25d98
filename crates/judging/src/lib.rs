//! Judges submissions: builds programs, decides which runs come next, turns outcomes into verdicts and scores, and
//! remembers results.
//!
//! | module | content |
//! |---|---|
//! | [`build`] | sources to a program, by jobs in an executor |
//! | [`plan`] | which run comes next, and which is not needed any more |
//! | [`output_validator`] | builds, tests and runs output validators |
//! | [`recipe`] | makes the test cases that a package describes but lacks |
//! | [`judge`] | outcomes to verdicts, scores and judgements; time limits; expectations |
//! | [`cache`] | results of earlier runs, on disk |
//!
//! ```
//! use juror_judging::plan::schedule::{CaseEnd, EndCondition, Schedule};
//! use juror_judging::plan::{Plan, Step};
//!
//! // Three cases, until the first that is not accepted.
//! let mut plan = Plan::new(Schedule::single(3, EndCondition::Rejection), 1);
//! assert_eq!(plan.next_step(), Some(Step::Build { submission: 0 }));
//! plan.build_succeeded(0);
//! assert_eq!(plan.next_step(), Some(Step::Run { submission: 0, case: 0 }));
//! plan.case_done(0, 0, CaseEnd::Rejected);
//! assert!(plan.next_step().is_none() && plan.is_finished());
//! ```
//!
//! It reads no packages and prints nothing. To judge from a program of your own, use the few types of `juror`: items
//! here follow its needs, and change with it.

#![forbid(unsafe_code)]

pub mod build;
pub mod cache;
pub mod judge;
pub mod output_validator;
pub mod plan;
pub mod recipe;
