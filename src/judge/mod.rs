//! From outcomes to verdicts, and from verdicts to judgements.

mod answers;
mod ask;
mod blame;
pub mod case;
pub mod classify;
pub mod draw;
pub mod expect;
pub mod grader;
mod keep;
pub mod once;
pub mod output;
mod said;
pub mod score;
pub mod session;
mod talk;
pub mod time_limit;
