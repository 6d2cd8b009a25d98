//! Submissions and what their authors expect of them.

use std::fmt;

use serde::Serialize;
use serde_with::{DisplayFromStr, serde_as};

use crate::diagnostic::SourcePlace;
use crate::program::Program;
use crate::score::Score;
use crate::verdict::Verdict;

/// A submission: a program to be judged, and what is expected of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Submission {
    /// The path below `submissions/`, such as `wrong_answer/greedy.cpp`; otherwise as the user wrote it.
    #[serde(skip)]
    pub name: String,
    #[serde(flatten)]
    pub program: Program,
    /// Its rules, in the order in which they are defined.
    pub expectations: Vec<Expectation>,
}

/// A rule about the result of a submission.
///
/// Source: problem package format 2025-09, "Example submissions".
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Expectation {
    /// The pattern of submissions that the rule is about, such as `wrong_answer` or `accepted/*.py`.
    #[serde(skip)]
    pub pattern: String,
    /// The [pattern](crate::pattern::Pattern) of test cases and groups that it is about; `None` for all.
    #[serde(rename = "for")]
    pub cases: Option<String>,
    /// All these cases must have one of these verdicts, of AC, WA, TLE and RTE.
    pub permitted: Option<Vec<Verdict>>,
    /// At least one of these cases must have one of these verdicts.
    pub required: Option<Vec<Verdict>>,
    /// The score of the submission, or of each group that the pattern names, must be in this range.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub score: Option<ScoreRange>,
    /// The required result of the submission as a whole.
    pub overall: Option<OverallExpectation>,
    /// A text that the judge's message must contain on at least one of these cases.
    pub message: Option<String>,
    /// Whether its run times bound the time limit.
    pub use_for_time_limit: UseForTimeLimit,
    /// Where it is defined; `None` for the format's defaults.
    #[serde(skip)]
    pub place: Option<SourcePlace>,
}

impl Expectation {
    /// Whether it bounds the time limit from below: its submissions must not be too slow.
    pub fn is_lower_bound(&self) -> bool {
        match self.use_for_time_limit {
            UseForTimeLimit::Never | UseForTimeLimit::Upper => false,
            UseForTimeLimit::Lower => true,
            UseForTimeLimit::AsExpected => {
                let is_never_slow =
                    |permitted: &Vec<Verdict>| !permitted.contains(&Verdict::TimeLimitExceeded);
                let is_right = |overall: &OverallExpectation| {
                    overall.verdicts == [Verdict::Accepted] && !overall.is_partial
                };
                self.permitted.as_ref().is_some_and(is_never_slow)
                    || self.overall.as_ref().is_some_and(is_right)
            }
        }
    }
}

/// The required result of the whole submission, in legacy packages.
///
/// It may hold at the time limit, or at the time limit times its margin.
///
/// Source: problem package format legacy, "Example submissions".
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OverallExpectation {
    /// Its verdict must be one of these, of AC, WA, TLE and RTE.
    pub verdicts: Vec<Verdict>,
    /// Whether its score must be less than the best one.
    pub is_partial: bool,
}

/// A range of scores, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreRange {
    pub from: Score,
    pub to: Score,
}

impl ScoreRange {
    /// How far a score may be off: authors write rounded scores.
    const ROUNDED: f64 = 1e-6;

    /// Whether a score is in the range.
    pub fn contains(&self, score: Score) -> bool {
        let points = score.points();
        points >= self.from.points() - Self::ROUNDED && points <= self.to.points() + Self::ROUNDED
    }
}

impl fmt::Display for ScoreRange {
    /// In the form `40`, or `40 to 60`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from == self.to {
            write!(f, "{}", self.from)
        } else {
            write!(f, "{} to {}", self.from, self.to)
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UseForTimeLimit {
    /// As `permitted` and `required` imply.
    #[default]
    AsExpected,
    /// They do not.
    Never,
    /// The limit must leave time for it.
    Lower,
    /// The limit must stop it.
    Upper,
}
