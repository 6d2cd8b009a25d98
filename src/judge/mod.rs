//! From outcomes to verdicts, and from verdicts to judgements.

pub mod case;
pub mod classify;
pub mod expect;
pub mod limits;
pub mod session;
pub mod time_limit;
