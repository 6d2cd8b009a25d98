//! From outcomes to verdicts, and from verdicts to judgements.

mod answers;
mod ask;
mod blame;
pub mod case;
pub mod classify;
mod compared;
pub mod draw;
mod evidence;
pub mod expect;
pub mod grader;
pub mod judging;
pub mod keep;
pub mod once;
pub mod output;
pub mod proof;
mod said;
pub mod score;
pub mod session;
pub mod settle;
mod talk;
pub mod time_limit;
