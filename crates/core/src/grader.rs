//! Graders of legacy packages: they combine the results in a test data group into one.
//!
//! Source: problem package format legacy, "Test data groups", "Graders".

use serde::Serialize;

use crate::program::Program;
use crate::score::{CustomScore, Score};
use crate::words::words;

/// How the test cases of a problem are graded, in formats with graders.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Graders {
    /// The root of the test data, with an empty name, and every group below it; in any order.
    #[serde(skip)]
    pub groups: Vec<GradedGroup>,
    /// The package's own grader, for the groups with `grading: custom`.
    pub custom: Option<Program>,
    pub objective: Objective,
    #[serde(skip)]
    pub custom_score: CustomScore,
    /// Which rules apply if judges differ.
    #[serde(skip)]
    pub dialect: Dialect,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradedGroup {
    /// The path below `data/`, such as `secret/group1`; empty for the root.
    pub name: String,
    pub grading: GroupGrading,
}

/// How a test data group is graded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupGrading {
    /// Whether the other cases are skipped after a rejection.
    pub on_reject: OnReject,
    pub grader: Grader,
    pub accept_score: Score,
    pub reject_score: Score,
    /// The possible scores, according to the package.
    pub range: PossibleScores,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnReject {
    #[default]
    Break,
    Continue,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grader {
    Default(GraderModes),
    Custom(Vec<String>),
}

/// The modes of the default grader, from its flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraderModes {
    pub verdict: VerdictMode,
    pub score: ScoreMode,
    /// Whether only the last of at most two results counts.
    pub ignore_sample: bool,
    /// Whether a single accepted result suffices.
    pub accept_if_any_accepted: bool,
}

words! {
    /// Which verdict the default grader returns.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum VerdictMode {
        #[default]
        WorstError = "worst_error",
        /// The first verdict that is not accepted.
        FirstError = "first_error",
        AlwaysAccept = "always_accept",
    }
}

words! {
    /// Which score the default grader returns.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum ScoreMode {
        #[default]
        Sum = "sum",
        Average = "avg",
        Min = "min",
        Max = "max",
    }
}

impl GraderModes {
    /// The last of several conflicting flags counts. Unknown flags are ignored.
    pub fn from_flags(flags: &[String]) -> Self {
        let mut modes = Self::default();
        for flag in flags {
            match flag.as_str() {
                "no_errors" => modes.verdict = VerdictMode::WorstError,
                "ignore_sample" => modes.ignore_sample = true,
                "accept_if_any_accepted" => modes.accept_if_any_accepted = true,
                _ => {}
            }
            let verdict = VerdictMode::ALL.into_iter().find(|mode| mode.name() == flag);
            modes.verdict = verdict.unwrap_or(modes.verdict);
            let score = ScoreMode::ALL.into_iter().find(|mode| mode.name() == flag);
            modes.score = score.unwrap_or(modes.score);
        }
        modes
    }
}

/// The bounds are inclusive; `None` means unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PossibleScores {
    pub from: Option<Score>,
    pub to: Option<Score>,
}

impl PossibleScores {
    pub fn contains(&self, score: Score) -> bool {
        self.from.is_none_or(|from| !from.exceeds(score))
            && self.to.is_none_or(|to| !score.exceeds(to))
    }

    pub fn best(&self, objective: Objective) -> Option<Score> {
        match objective {
            Objective::Max => self.to,
            Objective::Min => self.from,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    #[default]
    Max,
    Min,
}

words! {
    /// Whose rules apply if judges interpret the same package differently.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Dialect {
        /// Kattis: each accepted test case has the `accept_score`.
        #[default]
        Kattis = "kattis",
        /// DOMjudge: a group that contains only test cases has the `accept_score` once.
        DomJudge = "domjudge",
    }
}

/// The grading keys of a `testdata.yaml`. `None` if a key is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GradingKeys {
    pub on_reject: Option<OnReject>,
    /// `grading`: whether it is `custom`.
    pub is_custom: Option<bool>,
    pub grader_flags: Option<Vec<String>>,
    pub accept_score: Option<Score>,
    pub reject_score: Option<Score>,
    pub range: Option<PossibleScores>,
}

impl GradingKeys {
    /// Takes missing keys from `other`. For a group, that is its parent. The `grading` of `problem.yaml` overrides all
    /// groups, so for it `other` is the group.
    #[must_use]
    pub fn with_missing_from(&self, other: &Self) -> Self {
        Self {
            on_reject: self.on_reject.or(other.on_reject),
            is_custom: self.is_custom.or(other.is_custom),
            grader_flags: self.grader_flags.as_ref().or(other.grader_flags.as_ref()).cloned(),
            accept_score: self.accept_score.or(other.accept_score),
            reject_score: self.reject_score.or(other.reject_score),
            range: self.range.or(other.range),
        }
    }

    /// Missing keys have the format's defaults.
    pub fn with_defaults(&self) -> GroupGrading {
        let flags = self.grader_flags.as_deref().unwrap_or_default();
        GroupGrading {
            on_reject: self.on_reject.unwrap_or_default(),
            grader: match self.is_custom {
                Some(true) => Grader::Custom(flags.to_vec()),
                _ => Grader::Default(GraderModes::from_flags(flags)),
            },
            accept_score: self.accept_score.unwrap_or(Score::ONE),
            reject_score: self.reject_score.unwrap_or(Score::ZERO),
            range: self.range.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// The expected values are those of `support/default_grader` in problemtools.
    #[test]
    fn the_last_of_several_conflicting_flags_counts() {
        let check = |flags: &str,
                     verdict: VerdictMode,
                     score: ScoreMode,
                     ignore: bool,
                     any: bool| {
            let expected =
                GraderModes { verdict, score, ignore_sample: ignore, accept_if_any_accepted: any };
            assert_eq!(GraderModes::from_flags(&words(flags)), expected, "{flags}");
        };
        use ScoreMode::{Average, Max, Min, Sum};
        use VerdictMode::{AlwaysAccept, FirstError, WorstError};
        check("", WorstError, Sum, false, false);
        check("no_errors", WorstError, Sum, false, false);
        check("first_error avg", FirstError, Average, false, false);
        check("first_error always_accept", AlwaysAccept, Sum, false, false);
        check("min sum max", WorstError, Max, false, false);
        check("ignore_sample min", WorstError, Min, true, false);
        check("unheard_of accept_if_any_accepted", WorstError, Sum, false, true);
    }

    #[test]
    fn keys_come_from_the_nearest_group_and_the_problem_overrides_all() {
        let score = Score::new;
        let root = GradingKeys {
            on_reject: Some(OnReject::Continue),
            grader_flags: Some(words("min")),
            accept_score: score(10.0),
            ..GradingKeys::default()
        };
        let secret = GradingKeys {
            accept_score: score(20.0),
            reject_score: score(-1.0),
            ..GradingKeys::default()
        };
        let group = GradingKeys { grader_flags: Some(Vec::new()), ..GradingKeys::default() };
        let problem = GradingKeys { accept_score: score(5.0), ..GradingKeys::default() };
        let check =
            |keys: GradingKeys, on_reject: OnReject, flags: &str, accept: f64, reject: f64| {
                let settled = keys.with_defaults();
                assert_eq!(settled.on_reject, on_reject);
                assert_eq!(settled.grader, Grader::Default(GraderModes::from_flags(&words(flags))));
                assert_eq!(Some(settled.accept_score), score(accept));
                assert_eq!(Some(settled.reject_score), score(reject));
            };
        use OnReject::{Break, Continue};
        check(GradingKeys::default(), Break, "", 1.0, 0.0);
        check(root.clone(), Continue, "min", 10.0, 0.0);
        check(secret.with_missing_from(&root), Continue, "min", 20.0, -1.0);
        check(group.with_missing_from(&secret.with_missing_from(&root)), Continue, "", 20.0, -1.0);
        check(
            problem.with_missing_from(&secret.with_missing_from(&root)),
            Continue,
            "min",
            5.0,
            -1.0,
        );
        check(problem, Break, "", 5.0, 0.0);
    }

    #[test]
    fn the_best_score_is_the_end_of_the_range_that_the_objective_names() {
        let check =
            |from: Option<f64>, to: Option<f64>, objective: Objective, best: Option<f64>| {
                let score = |points: Option<f64>| points.and_then(Score::new);
                let range = PossibleScores { from: score(from), to: score(to) };
                assert_eq!(range.best(objective), score(best));
            };
        check(Some(0.0), Some(100.0), Objective::Max, Some(100.0));
        check(Some(0.0), Some(100.0), Objective::Min, Some(0.0));
        check(Some(-5.0), None, Objective::Min, Some(-5.0));
        check(Some(-5.0), None, Objective::Max, None);
    }
}
