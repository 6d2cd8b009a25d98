//! Why work ended before it was done.

use serde::{Deserialize, Serialize};

use crate::model::judgement::JudgeError;

/// Why there is no result. Whoever meets one hands it on; only the command shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// Somebody wanted it to end: Ctrl-C, or a request to terminate.
    Interrupted,
    /// The judge failed.
    Fault(JudgeError),
}

impl From<JudgeError> for Stop {
    fn from(error: JudgeError) -> Self {
        Self::Fault(error)
    }
}
