//! What events tell of packages, limits, searches and steps.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::limits::Limits;
use crate::serial::{Location, Seconds};

/// A package that could be read.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackageReport {
    pub name: String,
    /// Its directory, as the user gave it.
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    /// Its name in English, or in its first language.
    pub title: String,
    /// The format that it is read as.
    pub format: String,
    pub format_reason: String,
    /// Whether juror always shows the reason.
    pub format_is_guessed: bool,
    /// How many submissions are to be judged.
    pub submissions: usize,
    /// How many test cases are selected.
    pub test_cases: usize,
    /// How many test cases there are.
    pub all_test_cases: usize,
    /// What a run may use.
    pub limits: Option<LimitsReport>,
    /// If a class is judged: what decides verdicts, such as `limits` or `test case 1`, and its digest.
    /// Only events have it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub digests: BTreeMap<String, String>,
}

/// The limits of a package's runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitsReport {
    #[serde(flatten)]
    pub run: Limits,
    /// Where the time limit comes from.
    pub cpu_origin: String,
}

impl LimitsReport {
    pub fn cpu_time(&self) -> Duration {
        self.run.cpu_time.unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgressStep {
    /// Its name, such as `input validators`.
    pub what: String,
    pub done: usize,
    pub total: usize,
}

/// What a search compares.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchPlan {
    pub submission: String,
    /// The program whose output counts as right.
    pub reference: String,
    /// Why it was chosen: `--reference`, `the only one to choose from`, `it makes the judge answers`.
    #[serde(rename = "reference_chosen")]
    pub chosen: String,
    /// Where inputs come from: `the grammar game1.ctd`, `3 generator lines`.
    pub sources: Vec<String>,
    pub seed: u64,
    /// How long the search tries inputs.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "time_seconds")]
    pub time: Duration,
    /// The minimum time for shrinking a counterexample.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "shrink_time_seconds")]
    pub shrink_time: Duration,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchProgress {
    /// What it does now, such as `searching` or `making it smaller`.
    pub doing: String,
    pub runs: u64,
    /// Since the first run.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "elapsed_seconds")]
    pub elapsed: Duration,
    /// The size of the smallest counterexample so far, in bytes.
    pub smallest: Option<usize>,
}

/// The next step for the author of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NextStep {
    /// The step, in a few words.
    pub what: String,
    /// The command that does it, if one does.
    pub command: Option<String>,
}
