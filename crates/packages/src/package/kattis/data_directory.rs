//! The directory of a test case, and the scope of a file of settings.

use juror_core::test_data::{TestCase, TestData};
use juror_core::words::words;

words! {
    /// The directories of `data/`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum DataDirectory {
        Sample = "sample",
        Secret = "secret",
        InvalidInput = "invalid_input",
        InvalidAnswer = "invalid_answer",
        ValidOutput = "valid_output",
        InvalidOutput = "invalid_output",
    }
}

impl DataDirectory {
    /// Whether submissions are judged on its cases.
    pub(super) fn is_judged(self) -> bool {
        matches!(self, Self::Sample | Self::Secret)
    }

    pub(super) fn cases_mut(self, data: &mut TestData) -> &mut Vec<TestCase> {
        match self {
            Self::Sample | Self::Secret => &mut data.cases,
            Self::InvalidInput => &mut data.invalid_inputs,
            Self::InvalidAnswer => &mut data.invalid_answers,
            Self::ValidOutput => &mut data.valid_outputs,
            Self::InvalidOutput => &mut data.invalid_outputs,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettingsScope {
    Case,
    /// All test cases of a directory.
    Group,
    /// A directory whose groups have settings of their own.
    Parent,
}
