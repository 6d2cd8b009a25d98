//! Where a package format puts its files, and how it names settings.

/// Places and names in a package format, for messages and for code that writes into packages.
///
/// Only this tells the rest of juror how a format differs. Paths are below the package's directory. A reader may
/// change some of them, if a place depends on the package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub format: &'static str,
    /// Whether files never name their format. Then juror always shows which format it read.
    pub is_guessed: bool,
    /// The file with the problem's settings, for messages.
    pub settings: &'static str,
    /// The directory that test case names are relative to.
    pub data: &'static str,
    /// The directory of test cases that contestants do not see.
    pub secret: &'static str,
    /// The directory of judge answers that must be refused.
    pub invalid_answers: &'static str,
    pub statements: &'static str,
    /// The directory that submission names are relative to.
    pub submissions: &'static str,
    pub accepted: &'static str,
    pub input_validators: &'static str,
    pub answer_validators: &'static str,
    /// Whether it is the Kattis format before 2025-09, which has hints, descriptions and the settings of groups in
    /// other files.
    pub is_before_2025_09: bool,
    /// Files that need not exist before the test data is made.
    pub made_later: &'static [&'static str],
    /// Whether test cases can be added, as files or in a recipe.
    pub takes_cases: bool,
    /// Where the time limit is or would be set.
    pub time_limit: &'static str,
    /// A clause for messages, which says why there is no time limit.
    pub no_time_limit: &'static str,
    /// What to do if measured times contradict the time limit.
    pub change_time_limit: &'static str,
    pub allow_file_writing: &'static str,
}

impl Layout {
    /// For a format with one settings file, which contains the time limit.
    pub fn with_settings(
        format: &'static str,
        settings: &'static str,
        submissions: &'static str,
        change_time_limit: &'static str,
    ) -> Self {
        let time_limit = settings;
        Self { format, settings, submissions, time_limit, change_time_limit, ..Self::default() }
    }
}
