//! The field's words as plain values. No files, no processes, no clock.

pub mod diagnostic;
pub mod difference;
pub mod event;
pub mod grammar;
pub mod host;
pub mod isolation;
pub mod job;
pub mod joint;
pub mod judgement;
pub mod layout;
pub mod limits;
pub mod outcome;
pub mod pattern;
pub mod placeholder;
pub mod problem;
pub mod program;
pub mod proposal;
pub mod recipe;
pub mod score;
pub mod stop;
pub mod stress;
pub mod submission;
pub mod test_data;
pub mod text;
pub mod units;
pub mod verdict;
