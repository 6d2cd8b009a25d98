//! Mutants to show: a list, or one in full.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `mutants` shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MutantListing {
    /// The mutants, by submission and line.
    pub list: Vec<ListedMutant>,
    /// Whether they are shown with their lines.
    pub in_full: bool,
    /// Where one was written, if that was asked for.
    pub saved: Option<String>,
}

/// A mutant of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedMutant {
    /// The submission.
    pub submission: String,
    /// Its name in the submission.
    pub id: String,
    /// The name of its operator.
    pub operator: String,
    /// What that does.
    pub mistake: String,
    /// The file of the submission.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What stood there.
    pub before: String,
    /// What stands there instead.
    pub after: String,
    /// The changed lines as they were.
    pub lines_before: Vec<String>,
    /// The same lines as they are.
    pub lines_after: Vec<String>,
    /// Whether its operator is held out.
    pub held_out: bool,
}
