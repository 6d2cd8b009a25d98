//! Verdicts.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a submission did. A fault of the judge is never a verdict: it is an error.
///
/// The order is not a ranking. Source of the names: problem package format 2025-09, "Example submissions". MLE, OLE
/// and CE are juror's own, see [`Verdict::standard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Verdict {
    /// AC: the output is right.
    #[serde(rename = "AC")]
    Accepted,
    /// WA: the output is wrong.
    #[serde(rename = "WA")]
    WrongAnswer,
    /// TLE: more CPU or wall time than allowed.
    #[serde(rename = "TLE")]
    TimeLimitExceeded,
    /// MLE: more memory than allowed.
    #[serde(rename = "MLE")]
    MemoryLimitExceeded,
    /// OLE: more output than allowed.
    #[serde(rename = "OLE")]
    OutputLimitExceeded,
    /// RTE: a crash, or an exit code other than 0.
    #[serde(rename = "RTE")]
    RunTimeError,
    /// CE: it does not build.
    #[serde(rename = "CE")]
    CompileError,
}

impl Verdict {
    pub const ALL: [Self; 7] = [
        Self::Accepted,
        Self::WrongAnswer,
        Self::TimeLimitExceeded,
        Self::MemoryLimitExceeded,
        Self::OutputLimitExceeded,
        Self::RunTimeError,
        Self::CompileError,
    ];

    /// The abbreviation that contests use, such as `AC`.
    pub const fn short(self) -> &'static str {
        self.words().0
    }

    /// The name in words, such as `wrong answer`.
    pub const fn name(self) -> &'static str {
        self.words().1
    }

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Accepted => ("AC", "accepted"),
            Self::WrongAnswer => ("WA", "wrong answer"),
            Self::TimeLimitExceeded => ("TLE", "time limit exceeded"),
            Self::MemoryLimitExceeded => ("MLE", "memory limit exceeded"),
            Self::OutputLimitExceeded => ("OLE", "output limit exceeded"),
            Self::RunTimeError => ("RTE", "run-time error"),
            Self::CompileError => ("CE", "compile error"),
        }
    }

    /// The verdict in the format's vocabulary, which has only AC, WA, TLE and RTE.
    ///
    /// Expectations use that vocabulary: MLE, OLE and CE count as RTE.
    #[must_use]
    pub const fn standard(self) -> Self {
        match self {
            Self::MemoryLimitExceeded | Self::OutputLimitExceeded | Self::CompileError => {
                Self::RunTimeError
            }
            other => other,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.short())
    }
}
