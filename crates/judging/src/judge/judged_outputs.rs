//! Remembers which outputs say something about judge answers: those that equal an answer, and those that differ.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};

use juror_core::blob::{Blob, Digest};

/// Of submissions that were judged with the rules that have it.
#[derive(Default)]
pub struct JudgedOutputs(Mutex<OutputsByCase>);

#[derive(Clone, Default)]
pub struct OutputsByCase {
    /// The test cases on which the output validators accepted an output that is the judge answer.
    pub accepted_answers: BTreeSet<String>,
    /// Outputs that the comparison rejected, by test case and submission.
    pub rejected: BTreeMap<String, BTreeMap<String, Digest>>,
}

impl JudgedOutputs {
    /// What cannot be read is left out: its judge reports that.
    pub(super) fn add_accepted(&self, test_case: &str, answer: &Blob, output: &Blob) {
        let is_same_size = answer.len().ok() == output.len().ok();
        let is_answer = || matches!((answer.digest(), output.digest()), (Ok(a), Ok(b)) if a == b);
        if is_same_size && is_answer() {
            self.0.lock().accepted_answers.insert(test_case.to_owned());
        }
    }

    pub(super) fn add_rejected(&self, test_case: &str, submission: &str, output: &Blob) {
        let Ok(digest) = output.digest() else { return };
        let mut outputs = self.0.lock();
        let of_case = outputs.rejected.entry(test_case.to_owned()).or_default();
        of_case.insert(submission.to_owned(), digest);
    }

    pub fn by_case(&self) -> OutputsByCase {
        self.0.lock().clone()
    }
}
