//! Where a test case stands, and what a file of settings is about.

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

/// What a file of settings is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// One case.
    Case,
    /// All cases of a directory.
    Group,
    /// A directory whose groups have settings of their own.
    Parent,
}
