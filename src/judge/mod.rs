//! From outcomes to verdicts, and from verdicts to judgements.

mod ask;
pub mod case;
pub mod classify;
pub mod expect;
pub mod limits;
pub mod output;
pub mod session;
pub mod time_limit;
