//! Scores: how they are computed, and the results.
//!
//! Source: problem package format 2025-09, "Result aggregation".

use std::fmt;

use crate::words::words;
use serde::{Deserialize, Serialize};

/// Points are added as floating-point numbers. Smaller relative differences are rounding errors.
const ROUNDING: f64 = 1e-9;

/// A finite number of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct Score(f64);

impl Eq for Score {}

impl Score {
    pub const ZERO: Self = Self(0.0);
    pub const ONE: Self = Self(1.0);

    /// `None` if the number is not finite. Only formats with graders have negative scores.
    pub fn new(points: f64) -> Option<Self> {
        // Adding zero turns -0.0 into 0.
        points.is_finite().then_some(Self(points + 0.0))
    }

    pub const fn points(self) -> f64 {
        self.0
    }

    /// Whether it is greater by more than a rounding error.
    pub fn exceeds(self, other: Self) -> bool {
        self.0 > other.0 + ROUNDING * other.0.abs().max(1.0)
    }
}

impl fmt::Display for Score {
    /// With at most six decimals: `40`, `33.333333`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.6}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.pad(if text == "-0" { "0" } else { text })
    }
}

words! {
    /// How scores are combined into the score of a group. Words: `score_aggregation` of format 2025-09.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Aggregation {
        /// All points if everything is accepted, otherwise none.
        PassFail = "pass-fail",
        Sum = "sum",
        Min = "min",
    }
}

/// How a test data group, or all of `secret`, is scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupScoring {
    /// The greatest possible score; `None` for no bound.
    pub max_score: Option<Score>,
    pub aggregation: Aggregation,
    /// The groups, or `sample`, of which all test cases must be accepted before this group runs.
    pub require_pass: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CustomScore {
    #[default]
    Never,
    Allowed,
    Required,
}

/// Which scores an output validator may give to a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseScoring {
    /// The test case has no score, and the validator's one is ignored.
    Ignored,
    /// None: the test case is accepted or not.
    Forbidden,
    /// At most this, which is the default.
    UpTo(Score),
    Unbounded,
    Graded {
        accept: Score,
        reject: Score,
        /// Whether the validator decides the score of an accepted case.
        custom: CustomScore,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaseScore {
    #[serde(rename = "points")]
    pub score: Score,
    pub origin: ScoreOrigin,
}

/// What decided the score of a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ScoreOrigin {
    /// The rules of the group.
    Rules,
    /// The output validator, in `score.txt`.
    Score,
    /// The output validator, in `score_multiplier.txt`.
    Multiplier,
}

/// What a submission earned in all.
#[derive(Default, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TotalScore {
    /// Its points; `None` if cases that could change them were not run.
    #[serde(rename = "points")]
    pub score: Option<Score>,
    /// The most points that are possible, if there is a bound.
    #[serde(rename = "max_points")]
    pub max_score: Option<Score>,
    /// By test data group, in order; empty if `secret` has no groups.
    pub groups: Vec<GroupScore>,
    /// Whether no better score exists, according to the package.
    #[serde(rename = "best")]
    pub is_best: bool,
}

/// What a submission earned in a test data group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupScore {
    /// The group, such as `secret/group1`.
    pub name: String,
    /// Whether it has these points only if the groups that it requires are passed; these were not run.
    #[serde(rename = "conditional")]
    pub is_conditional: bool,
    /// Its points; `None` if cases that could change them were not run.
    #[serde(rename = "points")]
    pub score: Option<Score>,
    /// The most points that are possible, if there is a bound.
    #[serde(rename = "max_points")]
    pub max_score: Option<Score>,
    /// How far it was run.
    #[serde(rename = "run")]
    pub standing: Standing,
}

/// How much of a group was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// All test cases.
    #[serde(rename = "all")]
    Complete,
    /// Some test cases or none: the others were not selected, or could change nothing.
    #[serde(rename = "part")]
    Partial,
    /// None, because a group that it requires was not passed.
    #[serde(rename = "barred_by")]
    Barred(
        /// The name of the group that was not passed.
        String,
    ),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_shown_with_the_decimals_they_need() {
        let check = |points: f64, shown: &str| {
            assert_eq!(Score::new(points).map(|score| score.to_string()), Some(shown.to_owned()));
        };
        check(0.0, "0");
        check(-0.0, "0");
        check(40.0, "40");
        check(100.0 / 3.0, "33.333333");
        check(0.5, "0.5");
        check(-2.5, "-2.5");
        check(1e9, "1000000000");
        for nearly_zero in [-1e-7, -4.9e-7, -1e-300, 1e-7, -f64::MIN_POSITIVE] {
            check(nearly_zero, "0");
        }
        check(-6e-7, "-0.000001");
    }

    #[test]
    fn nan_and_infinity_are_no_scores() {
        for points in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
            assert_eq!(Score::new(points), None, "{points}");
        }
    }

    #[test]
    fn rounding_errors_exceed_nothing() {
        let score = |points| Score::new(points).unwrap();
        let third = 100.0 / 3.0;
        assert!(!score(third + third + third + 1e-12).exceeds(score(100.0)));
        assert!(score(100.001).exceeds(score(100.0)));
        assert!(!score(100.0).exceeds(score(100.0)));
        assert!(score(0.001).exceeds(Score::ZERO));
    }
}
