//! Exit codes.

use crate::model::cluster::ClusterSurvey;
use crate::model::isolation::Isolation;
use crate::model::report::Report;
use crate::model::words::words;

words! {
    /// Why juror ended, in the words of the README and `--help`. The numbers are stable; the README lists them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ExitCode {
        /// All as asked: every submission accepted, every expectation met.
        Success = "success: accepted; all expectations met",
        /// A submission was rejected, an expectation is broken, or data is not what the recipe gives.
        Rejected = "a submission was rejected, an expectation is broken, or data differs",
        /// The command line is wrong.
        Usage = "wrong usage",
        /// The package is invalid; nothing was judged.
        InvalidPackage = "the package is invalid",
        /// The judge failed, or this machine cannot do what was asked.
        JudgeError = "judge error, or unusable host",
        /// Nothing was selected, so nothing was run.
        NothingSelected = "nothing was selected, so nothing was run",
        /// Ctrl-C, or a request to terminate.
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

    /// The exit code for a report. Work that ended before there was anything to report has its own code.
    ///
    /// For `verify`, faults of the package count; for commands about a submission they are only reported.
    pub fn of(report: &Report) -> Self {
        let summary = &report.summary;
        let package_is_invalid = report.command == "verify" && summary.errors > 0;
        let machine = report.diagnosis.as_ref().map(|found| found.chosen);
        let host_is_unusable = machine.is_some_and(|it| !it.is_some_and(Isolation::is_full));
        // If a submission was named, its verdict is required; `verify` judges the submissions that can be built here.
        let faults = report.submissions.iter().filter_map(|it| it.error.as_ref());
        let is_lacking = faults.filter(|it| it.is_skip()).any(|it| !it.error.is_no_program())
            && (report.command != "verify" || summary.accepted + summary.rejected == 0);
        let server_is_unusable = report.cluster.as_ref().is_some_and(ClusterSurvey::is_unusable);
        let judge_failed =
            summary.judge_errors > 0 || is_lacking || host_is_unusable || server_is_unusable;
        let told = [
            (report.interrupted, Self::Interrupted),
            (judge_failed, Self::JudgeError),
            (package_is_invalid, Self::InvalidPackage),
            (report.is_rejected(), Self::Rejected),
        ];
        let told = told.into_iter().filter(|(is_so, _)| *is_so);
        told.fold(Self::Success, |gravest, (_, code)| gravest.and(code))
    }

    /// The graver of two exit codes, for a command that does several things.
    ///
    /// An interruption hides everything else, then a failure of the judge, then a fault of the package. After each of
    /// them, results that come later in this order may be incomplete.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
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
        let readme = include_str!("../../README.md");
        for code in ExitCode::ALL {
            let row = format!("| {} | {} |", code.number(), code.name());
            assert!(readme.contains(&row), "the README lacks the row: {row}");
        }
    }

    #[test]
    fn the_graver_exit_code_wins() {
        let check = |a: ExitCode, b: ExitCode, gravest: ExitCode| {
            assert_eq!(a.and(b), gravest);
            assert_eq!(b.and(a), gravest);
        };
        check(ExitCode::Success, ExitCode::Success, ExitCode::Success);
        check(ExitCode::Success, ExitCode::Rejected, ExitCode::Rejected);
        check(ExitCode::Rejected, ExitCode::JudgeError, ExitCode::JudgeError);
        check(ExitCode::JudgeError, ExitCode::Interrupted, ExitCode::Interrupted);
        check(ExitCode::NothingSelected, ExitCode::InvalidPackage, ExitCode::InvalidPackage);
    }
}
