//! Remembers which outputs say something about judge answers: those that equal an answer, and those that differ.

use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};

use juror_core::blob::{Blob, Digest};

/// Of submissions that were judged with the rules that have it.
pub type JudgedOutputs = Mutex<OutputsByCase>;

#[derive(Clone, Default)]
pub struct OutputsByCase {
    /// The test cases on which the output validators accepted an output that is the judge answer.
    pub accepted_answers: BTreeSet<String>,
    /// The test cases on which an output validator breaks down on the judge answer, too. That was reported.
    pub broken_answers: BTreeSet<String>,
    /// Outputs that the comparison rejected, by test case and submission.
    pub rejected: BTreeMap<String, BTreeMap<String, Digest>>,
}

/// What cannot be read does not count: its judge reports that.
pub(super) fn is_judge_answer(answer: &Blob, output: &Blob) -> bool {
    let is_same_size = answer.len().ok() == output.len().ok();
    is_same_size && matches!((answer.digest(), output.digest()), (Ok(a), Ok(b)) if a == b)
}
