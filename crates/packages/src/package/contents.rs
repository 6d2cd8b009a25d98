//! A package's contents: limits, groups, test cases, submissions; or one test case with its files.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use juror_core::serial::{Location, Seconds, Text};
use juror_core::units::Bytes;

/// The result of `juror show`.
#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PackageListing {
    /// The kind of problem, in words of the format.
    #[serde(rename = "type")]
    pub kind: String,
    /// The time limit; `None` if it is measured.
    #[serde_as(as = "Option<Seconds>")]
    #[serde(rename = "cpu_seconds")]
    pub time_limit: Option<Duration>,
    /// How much memory a run may use.
    pub memory_bytes: Option<Bytes>,
    /// How much it may write.
    pub output_bytes: Option<Bytes>,
    /// Directories of test cases.
    pub groups: Vec<ListedGroup>,
    pub submissions: Vec<ListedSubmission>,
    /// Validators and what else belongs to the package.
    pub programs: Vec<ListedProgram>,
    /// One test case with its files, if one is asked for.
    pub case: Option<CaseFiles>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedGroup {
    pub name: String,
    /// The greatest score in it, if it has one.
    pub max_score: Option<String>,
    pub cases: Vec<ListedCase>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedCase {
    /// The path below `data/`.
    pub name: String,
    /// The size of its input; `None` if that is not there.
    pub input_bytes: Option<Bytes>,
    /// The size of its judge answer.
    pub answer_bytes: Option<Bytes>,
    pub description: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedSubmission {
    pub name: String,
    /// Its expectations, a line for each rule.
    pub expected: Vec<String>,
}

#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedProgram {
    /// What it is, such as `input validator`.
    pub what: &'static str,
    #[serde_as(as = "Location")]
    pub path: PathBuf,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CaseFiles {
    /// The path below `data/`.
    pub name: String,
    pub description: Option<String>,
    /// What it tells contestants who fail it.
    pub hint: Option<String>,
    /// Arguments for the submission.
    pub args: Vec<String>,
    pub files: Vec<ListedFile>,
}

#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListedFile {
    /// What it is, such as `input`.
    pub what: &'static str,
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    pub bytes: Bytes,
    /// Its contents, or their beginning.
    #[serde_as(as = "Text")]
    pub contents: Vec<u8>,
    /// How much is left out.
    pub left_out_bytes: Bytes,
}
