//! One run of a submission, without a verdict.

use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use crate::model::outcome::Outcome;
use crate::model::serial::Text;

/// A single run of a submission, for a person to inspect.
#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SingleRun {
    pub submission: String,
    /// What it read: a file, a test case, or `standard input`.
    pub input: String,
    pub ended: String,
    /// Whether it exceeded a limit, crashed, or had another exit code than 0.
    pub failed: bool,
    /// The interactor's final message, if a person played with it.
    pub message: String,
    pub outcome: Outcome,
    /// What it wrote to standard output.
    #[serde_as(as = "Text")]
    pub stdout: Vec<u8>,
    /// What it wrote to standard error; the middle is missing if that is long.
    #[serde_as(as = "Text")]
    pub stderr: Vec<u8>,
    /// The output file, if the problem has one.
    pub file: Option<OutputFileText>,
    /// Whether standard output is written unchanged, because no person reads it.
    #[serde(skip)]
    pub is_raw: bool,
    /// Whether standard output was shown while the program ran.
    #[serde(skip)]
    pub is_shown: bool,
}

/// The file that a submission writes its output to.
#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutputFileText {
    pub name: String,
    #[serde_as(as = "Option<Text>")]
    pub contents: Option<Vec<u8>>,
    /// Why there are none.
    pub missing: Option<String>,
}
