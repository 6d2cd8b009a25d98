//! Exit codes.

use serde::{Deserialize, Serialize};

use crate::words::words;

words! {
    /// Why juror ended, in the words of the README and `--help`. The numbers are stable; the README lists them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ExitCode {
        /// Every submission was accepted, and every expectation is met.
        Success = "success: accepted; all expectations met",
        /// A submission was rejected, an expectation is broken, or data is not what the recipe gives.
        Rejected = "a submission was rejected, an expectation is broken, or data differs",
        Usage = "wrong usage",
        /// The package is invalid; nothing was judged.
        InvalidPackage = "the package is invalid",
        /// The judge failed, or this machine cannot do what was asked.
        JudgeError = "judge error, or unusable host",
        /// Nothing was selected.
        NothingSelected = "nothing was selected, so nothing was run",
        Interrupted = "interrupted",
    }
}

impl ExitCode {
    /// The number that the process ends with.
    pub const fn number(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Rejected => 1,
            Self::Usage => 2,
            Self::InvalidPackage => 3,
            Self::JudgeError => 4,
            Self::NothingSelected => 5,
            // 128 plus SIGINT, as in shells.
            Self::Interrupted => 130,
        }
    }

    /// The graver of two exit codes, for a command that does several things.
    ///
    /// An interruption comes first, then a judge error, then a fault of the package: after each of these, later
    /// results may be incomplete.
    #[must_use]
    pub fn graver_of(self, other: Self) -> Self {
        const BY_GRAVITY: [ExitCode; 7] = [
            ExitCode::Interrupted,
            ExitCode::JudgeError,
            ExitCode::Usage,
            ExitCode::InvalidPackage,
            ExitCode::Rejected,
            ExitCode::NothingSelected,
            ExitCode::Success,
        ];
        let gravest = BY_GRAVITY.into_iter().find(|code| *code == self || *code == other);
        gravest.unwrap_or(self)
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_lists_the_exit_codes() {
        let readme = include_str!("../../../README.md");
        for code in ExitCode::ALL {
            let row = format!("| {} | {} |", code.number(), code.name());
            assert!(readme.contains(&row), "the README lacks the row: {row}");
        }
    }

    #[test]
    fn the_graver_exit_code_wins() {
        let check = |a: ExitCode, b: ExitCode, gravest: ExitCode| {
            assert_eq!(a.graver_of(b), gravest);
            assert_eq!(b.graver_of(a), gravest);
        };
        check(ExitCode::Success, ExitCode::Success, ExitCode::Success);
        check(ExitCode::Success, ExitCode::Rejected, ExitCode::Rejected);
        check(ExitCode::Rejected, ExitCode::JudgeError, ExitCode::JudgeError);
        check(ExitCode::JudgeError, ExitCode::Interrupted, ExitCode::Interrupted);
        check(ExitCode::NothingSelected, ExitCode::InvalidPackage, ExitCode::InvalidPackage);
    }
}
