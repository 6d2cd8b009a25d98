//! From outcomes to verdicts, and from verdicts to judgements.

mod answers;
mod blame;
pub mod case;
pub mod case_run;
pub mod classify;
mod default_validator;
mod evidence;
pub mod expect;
pub mod grader;
pub mod images;
mod interactive;
pub mod judged_outputs;
pub mod judging;
pub mod kept_files;
pub mod output;
pub mod proof;
pub mod ready_problem;
mod rejection_notes;
pub mod repetition;
pub mod score;
pub mod session;
pub mod single_run;
pub mod time_limit;
mod transcript;
mod validator_call;
pub mod validators;
mod visualizers;
