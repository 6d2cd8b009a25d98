//! Requests of the browser extension Competitive Companion → problems → the files of bare tests. Opens no file.
//!
//! Source: the extension's own description of its JSON.

pub mod folder;
pub mod name;
pub mod request;

#[cfg(test)]
mod tests;

use serde::Deserialize;
use serde_json::error::Category;

/// A problem, as it comes from the extension. Keys that juror does not need are ignored.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompanionProblem {
    pub name: String,
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub interactive: bool,
    /// In milliseconds; 0 means that it is unknown.
    #[serde(default)]
    time_limit: Option<f64>,
    /// In MiB, whatever the extension calls it; 0 means that it is unknown.
    #[serde(default)]
    memory_limit: Option<f64>,
    #[serde(default)]
    pub tests: Vec<CompanionTest>,
    #[serde(default)]
    input: Option<CompanionStream>,
    #[serde(default)]
    output: Option<CompanionStream>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct CompanionTest {
    pub input: String,
    pub output: String,
}

/// Where a program reads or writes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompanionStream {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    file_name: Option<String>,
}

/// More than any problem shows.
pub const MOST_TESTS: usize = 1000;

/// What the limits of a problem may be at most. A judge that says more has another unit.
const MOST_MILLISECONDS: f64 = 86_400_000.0;
const MOST_MEBIBYTES: f64 = 1_048_576.0;

impl CompanionProblem {
    /// # Errors
    /// If the text is no problem, as a message for the sender.
    pub fn parse(json: &[u8]) -> Result<Self, String> {
        let problem: Self =
            serde_json::from_slice(json).map_err(|error| match error.classify() {
                Category::Data => format!("this is no problem of Competitive Companion: {error}"),
                _ => format!("this is not JSON: {error}"),
            })?;
        if problem.tests.len() > MOST_TESTS {
            let count = problem.tests.len();
            return Err(format!("{count} tests are too many: at most {MOST_TESTS} are received"));
        }
        for (key, limit, most) in [
            ("timeLimit", problem.time_limit, MOST_MILLISECONDS),
            ("memoryLimit", problem.memory_limit, MOST_MEBIBYTES),
        ] {
            if limit.is_some_and(|limit| limit > most) {
                return Err(format!("`{key}` is too large: at most {most} is possible"));
            }
        }
        Ok(problem)
    }

    /// In seconds, if it is known.
    pub fn seconds(&self) -> Option<f64> {
        let known = self.time_limit.filter(|it| *it > 0.0);
        // Less than a millisecond is no limit that a program could keep.
        known.map(|milliseconds| milliseconds.max(1.0) / 1000.0)
    }

    /// If it is known. A part of a MiB counts as one.
    pub fn mebibytes(&self) -> Option<u64> {
        self.memory_limit.filter(|it| *it > 0.0).map(|it| it.ceil() as u64)
    }
}
