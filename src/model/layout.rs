//! Where a package's format puts things, and what it calls what an author may want to change.

/// Places and words of a package's format, for those who write into packages, and for messages.
///
/// What only one format knows reaches the rest of juror through this. Paths are below the package's directory.
/// A reader may change some for a package, if a place depends on what is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The format's name and version.
    pub format: &'static str,
    /// Whether nothing in a package says that it is in this format: then it is always shown what was read.
    pub is_guessed: bool,
    /// The file of the problem's settings, for messages.
    pub settings: &'static str,
    /// The directory that names of test cases are below.
    pub data: &'static str,
    /// The directory of the test cases that contestants are not shown.
    pub secret: &'static str,
    /// The directory of judge answers that must be refused.
    pub invalid_answers: &'static str,
    /// The directory that names of submissions are below.
    pub submissions: &'static str,
    /// The directory of the submissions that are right.
    pub accepted: &'static str,
    /// The directory of the input validators.
    pub input_validators: &'static str,
    /// The directory of the answer validators.
    pub answer_validators: &'static str,
    /// What may be missing until the test data is made.
    pub made_later: &'static [&'static str],
    /// Whether test cases can be added: with a recipe, or as files.
    pub takes_cases: bool,
    /// Where the time limit stands, or would.
    pub time_limit: &'static str,
    /// That there is no time limit: a clause.
    pub no_time_limit: &'static str,
    /// What to do if times contradict the time limit.
    pub change_time_limit: &'static str,
    /// How a submission is allowed to write files.
    pub allow_file_writing: &'static str,
}

impl Layout {
    /// That of a format with one file of settings, in which the time limit stands.
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
