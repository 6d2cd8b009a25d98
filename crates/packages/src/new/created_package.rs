//! A package that was made from a template.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use juror_core::progress::NextStep;
use juror_core::serial::Location;

/// A package that was made from a template, without its test data.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CreatedPackage {
    pub name: String,
    /// What kind of problem it is, as the command line names it.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The language of its programs, as the command line names it.
    pub language: &'static str,
    /// Its directory, as the user gave it.
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    /// Its files, in reading order.
    pub files: Vec<CreatedFile>,
    /// How many test cases were made.
    pub test_cases: usize,
    /// What to do next, in order.
    pub next: Vec<NextStep>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CreatedFile {
    /// Its path in the package.
    pub path: String,
    pub purpose: &'static str,
}
