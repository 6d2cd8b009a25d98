//! Where a test case stands, and what a file of settings is about.

/// The directories of `data/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Sample,
    Secret,
    InvalidInput,
    InvalidAnswer,
    ValidOutput,
    InvalidOutput,
}

impl Part {
    pub(super) const ALL: [Self; 6] = [
        Self::Sample,
        Self::Secret,
        Self::InvalidInput,
        Self::InvalidAnswer,
        Self::ValidOutput,
        Self::InvalidOutput,
    ];

    /// The directory below `data/`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::Secret => "secret",
            Self::InvalidInput => "invalid_input",
            Self::InvalidAnswer => "invalid_answer",
            Self::ValidOutput => "valid_output",
            Self::InvalidOutput => "invalid_output",
        }
    }

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
