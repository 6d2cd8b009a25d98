//! The directory of a test case, and the scope of a file of settings.

use crate::model::words::words;

words! {
    /// The directories of `data/`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Part {
        Sample = "sample",
        Secret = "secret",
        InvalidInput = "invalid_input",
        InvalidAnswer = "invalid_answer",
        ValidOutput = "valid_output",
        InvalidOutput = "invalid_output",
    }
}

impl Part {
    /// Whether submissions are judged on its cases.
    pub(super) fn is_judged(self) -> bool {
        matches!(self, Self::Sample | Self::Secret)
    }
}

/// The scope of a file of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// One test case.
    Case,
    /// All test cases of a directory.
    Group,
    /// A directory whose groups have settings of their own.
    Parent,
}
