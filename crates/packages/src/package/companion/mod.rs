//! Requests of the browser extension Competitive Companion → problems → the files of bare tests. Opens no file.
//!
//! Source: the extension's own description of its JSON.

#[cfg(feature = "writers")]
pub mod folder;
#[cfg(feature = "writers")]
pub mod name;
#[cfg(feature = "writers")]
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
    pub(super) time_limit: Option<f64>,
    /// In MiB, whatever the extension calls it; 0 means that it is unknown.
    pub(super) memory_limit: Option<f64>,
    #[serde(default)]
    pub tests: Vec<CompanionTest>,
    pub(super) input: Option<CompanionStream>,
    pub(super) output: Option<CompanionStream>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct CompanionTest {
    pub input: String,
    pub output: String,
}

/// Where a program reads or writes.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompanionStream {
    #[serde(rename = "type")]
    kind: String,
    file_name: Option<String>,
}

/// The length of a document. A problem with the largest tests of a statement has much less.
pub const LARGEST_BODY: usize = 16 << 20;

/// More than any problem shows.
pub(super) const MOST_TESTS: usize = 1000;

/// More than any name or address has, in bytes. Both become settings, which are read only if they are small.
const LONGEST_TEXT: usize = 10_000;

/// What the limits of a problem may be at most, in milliseconds and MiB. A judge that says more has another unit.
const MOST_OF_LIMITS: [(&str, f64); 2] =
    [("timeLimit", 86_400_000.0), ("memoryLimit", 1_048_576.0)];

/// The bounds of a problem from a browser or a file.
///
/// # Errors
/// If it is above them, as a message for the sender.
pub(super) fn check_bounds(tests: usize, limits: [Option<f64>; 2]) -> Result<(), String> {
    if tests > MOST_TESTS {
        return Err(format!("{tests} tests are too many: at most {MOST_TESTS} are read"));
    }
    for ((key, most), limit) in MOST_OF_LIMITS.into_iter().zip(limits) {
        if limit.is_some_and(|limit| limit > most) {
            return Err(format!("`{key}` is too large: at most {most} is possible"));
        }
    }
    Ok(())
}

impl CompanionProblem {
    /// # Errors
    /// If the text is no problem, as a message for the sender.
    pub fn parse(json: &[u8]) -> Result<Self, String> {
        let problem: Self =
            serde_json::from_slice(json).map_err(|error| match error.classify() {
                Category::Data => format!("this is no problem of Competitive Companion: {error}"),
                _ => format!("this is not JSON: {error}"),
            })?;
        check_bounds(problem.tests.len(), [problem.time_limit, problem.memory_limit])?;
        for (key, text) in [("name", &problem.name), ("url", &problem.url)] {
            if text.len() > LONGEST_TEXT {
                return Err(format!("`{key}` is too long: at most {LONGEST_TEXT} bytes are read"));
            }
        }
        Ok(problem)
    }

    /// In seconds, if it is known.
    pub fn seconds(&self) -> Option<f64> {
        let known = self.time_limit.filter(|milliseconds| *milliseconds > 0.0);
        // Less than a millisecond is no limit that a program could keep.
        known.map(|milliseconds| milliseconds.max(1.0) / 1000.0)
    }

    /// If it is known. A part of a MiB counts as one.
    pub fn mebibytes(&self) -> Option<u64> {
        self.memory_limit.filter(|limit| *limit > 0.0).map(|limit| limit.ceil() as u64)
    }
}
