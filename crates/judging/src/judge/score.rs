//! Combines results of test cases into the result of a submission. Pure.

mod default_grader;
mod groups;
pub mod points;
mod tree;
mod worth;

use crate::judge::score::groups::GroupScheme;
use crate::judge::score::tree::GroupTree;
use crate::output_validator::feedback::{Feedback, SCORE, SCORE_MULTIPLIER};
use crate::plan::schedule::{CaseEnd, EndCondition, Schedule};
use juror_core::check::float;
use juror_core::grader::{Dialect, Graders};
use juror_core::judgement::{CaseJudgement, JudgeError};
use juror_core::problem::{Grading, Problem};
use juror_core::protocol::Protocol;
use juror_core::score::{CaseScore, CaseScoring, CustomScore, Score, ScoreOrigin, TotalScore};
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_core::text::short_quote;
use juror_core::verdict::Verdict;

pub use crate::judge::score::tree::CustomGrader;
pub use crate::judge::score::worth::{CaseWorth, score_by_worth};

pub enum ScoringScheme<'a> {
    Groups(GroupScheme<'a>),
    Tree(GroupTree<'a>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubmissionTotal<'a> {
    /// Set if a grader decides it. Otherwise the first verdict that is not accepted counts.
    pub verdict: Option<Verdict>,
    /// `None` if the problem has no scores.
    pub score: Option<TotalScore>,
    /// The cases that count; `None` if all do.
    pub counted: Option<Vec<&'a str>>,
    /// What the package says is impossible, a sentence for each result.
    pub impossible: Vec<String>,
}

impl<'a> ScoringScheme<'a> {
    /// `None` if only the first rejection counts.
    pub fn of(problem: &'a Problem) -> Option<Self> {
        let is_scoring = problem.kind.grading == Grading::Scoring;
        match &problem.graders {
            Some(graders) => {
                Some(Self::Tree(GroupTree::new(&problem.test_data, graders, is_scoring)))
            }
            None if is_scoring => {
                let mut scheme = GroupScheme::from_test_data(&problem.test_data)?;
                scheme.has_parts = problem.output_protocol != Protocol::Standard;
                Some(Self::Groups(scheme))
            }
            None => None,
        }
    }

    pub fn case_scoring(&self, test_case: &TestCase) -> CaseScoring {
        match self {
            Self::Groups(groups) => groups.case_scoring(test_case),
            Self::Tree(tree) => tree.case_scoring(test_case),
        }
    }

    /// The groups that are worth nothing after a rejection; `None` if other rules may decide what runs, or what a
    /// group is worth.
    pub fn all_or_nothing_groups(&self) -> Option<Vec<&'a str>> {
        match self {
            Self::Groups(groups) => groups.all_or_nothing_groups(),
            Self::Tree(_) => None,
        }
    }

    /// For a submission that runs on no case.
    pub fn zero_score(&self) -> Option<TotalScore> {
        match self {
            Self::Groups(groups) => Some(groups.zero_score()),
            Self::Tree(tree) => tree.zero_score(),
        }
    }

    /// `result` is `None` for a case that did not run.
    ///
    /// Fails if the package is at fault: a score is impossible, or a grader gives no result.
    pub fn total(
        &self,
        result: &dyn Fn(&str) -> Option<CaseResult>,
        custom: CustomGrader<'_>,
    ) -> Result<SubmissionTotal<'a>, Stop> {
        match self {
            Self::Groups(groups) => {
                let score = groups.total(result).map_err(score_error)?;
                Ok(SubmissionTotal { score: Some(score), ..SubmissionTotal::default() })
            }
            Self::Tree(tree) => tree.total(result, custom),
        }
    }
}

/// The most points for Kattis and for DOMjudge, if they differ and the package does not name its judge.
pub fn points_by_dialect(problem: &Problem) -> Option<[Score; 2]> {
    let graders = problem.graders.as_ref()?;
    let points = |dialect| {
        let graders = Graders { dialect, ..graders.clone() };
        let is_scoring = problem.kind.grading == Grading::Scoring;
        let tree = GroupTree::new(&problem.test_data, &graders, is_scoring);
        let result = |name: &str| {
            let cases = &problem.test_data.cases;
            let case = cases.iter().find(|case| case.name == name)?;
            let score = score_by_rules(tree.case_scoring(case), Verdict::Accepted)?.score;
            Some(CaseResult { verdict: Verdict::Accepted, score: Some(score) })
        };
        let custom = |_: &[String], results: &[CaseResult]| Ok(results[0]);
        tree.total(&result, &custom).ok()?.score?.score
    };
    let points = [points(Dialect::Kattis)?, points(Dialect::DomJudge)?];
    (graders.dialect == Dialect::Kattis && points[0] != points[1]).then_some(points)
}

pub fn score_error(what: String) -> JudgeError {
    JudgeError::new("add up the score", what)
        .help("fix the package: its output validator, or the settings of its groups")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseResult {
    pub verdict: Verdict,
    /// Its points, if it has some.
    pub score: Option<Score>,
}

impl CaseResult {
    pub fn from_judgement(case: &CaseJudgement) -> Self {
        Self { verdict: case.verdict, score: case.score.map(|score| score.score) }
    }

    pub fn is_accepted(&self) -> bool {
        self.verdict == Verdict::Accepted
    }
}

/// On which of these cases a submission runs, depending on earlier results.
pub fn schedule(scheme: Option<&ScoringScheme<'_>>, cases: &[&str], policy: RunPolicy) -> Schedule {
    match (scheme, policy) {
        (Some(ScoringScheme::Groups(groups)), _) => groups.schedule(cases, policy),
        // The package says what happens after a rejection.
        (Some(ScoringScheme::Tree(tree)), _) => tree.schedule(cases),
        (None, RunPolicy::AllAllowed | RunPolicy::Proving) => {
            Schedule::single(cases.len(), EndCondition::Never)
        }
        (None, RunPolicy::Counting) => Schedule::single(cases.len(), EndCondition::Rejection),
        (None, RunPolicy::AllButSlow) => Schedule::single(cases.len(), EndCondition::ThirdTimeout),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPolicy {
    AllAllowed,
    /// Those that can change whether a submission is as expected.
    Proving,
    /// Those that can change the verdict or, in scoring problems, the score.
    Counting,
    /// Without scores: all until three are too slow. With scores, as `Counting`.
    AllButSlow,
}

/// How a case ended, for the plan.
pub fn case_end(case: &CaseJudgement) -> CaseEnd {
    // A case that is accepted with the margin may make later cases needed.
    let (verdict, score) = match &case.with_margin {
        Some(extended) => (extended.verdict, extended.score),
        None => (case.verdict, case.score),
    };
    match verdict {
        Verdict::Accepted => CaseEnd::Accepted,
        _ if score.is_some_and(|score| score.score != Score::ZERO) => CaseEnd::Partial,
        Verdict::TimeLimitExceeded => CaseEnd::TooSlow,
        _ => CaseEnd::Rejected,
    }
}

/// For a case whose validator does not decide the score.
pub fn score_by_rules(scoring: CaseScoring, verdict: Verdict) -> Option<CaseScore> {
    let score = match (scoring, verdict) {
        (CaseScoring::Ignored | CaseScoring::Forbidden, _) => return None,
        (CaseScoring::UpTo(max), Verdict::Accepted) => max,
        (CaseScoring::UpTo(_) | CaseScoring::Unbounded, _) => Score::ZERO,
        (CaseScoring::Graded { accept, .. }, Verdict::Accepted) => accept,
        (CaseScoring::Graded { reject, .. }, _) => reject,
    };
    Some(CaseScore { score, origin: ScoreOrigin::Rules })
}

/// The score by the output validator's feedback.
///
/// The error is what the validator did wrong.
pub fn score_by_validator(
    scoring: CaseScoring,
    verdict: Verdict,
    feedback: &Feedback,
) -> Result<Option<CaseScore>, String> {
    let multiplier = match scoring {
        CaseScoring::Ignored => return Ok(None),
        // Graders do not use this file.
        CaseScoring::Graded { .. } => &None,
        _ => &feedback.score_multiplier,
    };
    let score_file = match (&feedback.score, multiplier) {
        (None, None) => None,
        (Some(_), Some(_)) => {
            return Err(format!("it wrote both {SCORE} and {SCORE_MULTIPLIER}"));
        }
        (Some(text), None) => Some((SCORE, text)),
        (None, Some(text)) => Some((SCORE_MULTIPLIER, text)),
    };
    let Some((file, text)) = score_file else {
        let why = match (verdict, scoring) {
            (Verdict::Accepted, CaseScoring::Unbounded) => "the group has no greatest score",
            (Verdict::Accepted, CaseScoring::Graded { custom: CustomScore::Required, .. }) => {
                "`validation` requires it to give the score"
            }
            _ => return Ok(score_by_rules(scoring, verdict)),
        };
        return Err(format!("it wrote no {SCORE} for an output that it accepts, and {why}"));
    };
    if verdict != Verdict::Accepted {
        return Err(format!("it wrote {file} for an output that it rejects"));
    }
    let max = match scoring {
        CaseScoring::Forbidden => {
            return Err(format!("it wrote {file} for a test case that has no points"));
        }
        CaseScoring::Graded { custom: CustomScore::Never, .. } => {
            return Err(format!("it wrote {file}, but `validation` is not `custom score`"));
        }
        CaseScoring::UpTo(max) => Some(max),
        CaseScoring::Ignored | CaseScoring::Unbounded | CaseScoring::Graded { .. } => None,
    };
    let least = match scoring {
        CaseScoring::Graded { .. } => f64::NEG_INFINITY,
        _ => 0.0,
    };
    let number = parse_points(file, text, least)?;
    // A rounded number could look right.
    let written = short_quote(text.trim_ascii());
    let (score, origin) = match (file, max) {
        (SCORE_MULTIPLIER, None) => {
            return Err(format!(
                "it wrote {SCORE_MULTIPLIER} for a test case in a group without a greatest score"
            ));
        }
        (SCORE_MULTIPLIER, Some(_)) if number.exceeds(Score::ONE) => {
            return Err(format!("its {SCORE_MULTIPLIER} is {written}, more than 1"));
        }
        (SCORE_MULTIPLIER, Some(max)) => {
            (Score::new(number.points() * max.points()), ScoreOrigin::Multiplier)
        }
        (_, Some(max)) if number.exceeds(max) => {
            return Err(format!("its {SCORE} is {written}, more than the {max} of the test case"));
        }
        _ => (Some(number), ScoreOrigin::Score),
    };
    let score = score.ok_or_else(|| format!("the number in its {file} is not finite"))?;
    Ok(Some(CaseScore { score, origin }))
}

fn parse_points(file: &str, text: &[u8], least: f64) -> Result<Score, String> {
    let points = float::parse_number(text.trim_ascii()).filter(|points| *points >= least);
    points.and_then(Score::new).ok_or_else(|| {
        let shown = short_quote(text);
        let bound = if least == 0.0 { " of at least 0" } else { "" };
        format!("its {file} is \"{shown}\", not a single number{bound}")
    })
}

/// A validator must make only one of the two kinds of files in all of its runs.
///
/// The error names the cases.
pub fn check_one_kind_of_file(cases: &[CaseJudgement]) -> Result<(), String> {
    let first = |origin: ScoreOrigin| {
        let mut cases = cases.iter();
        cases.find(|case| case.score.as_ref().is_some_and(|score| score.origin == origin))
    };
    match (first(ScoreOrigin::Score), first(ScoreOrigin::Multiplier)) {
        (Some(score), Some(multiplier)) => Err(format!(
            "it wrote {SCORE} on {} and {SCORE_MULTIPLIER} on {}; it must write only one of them",
            score.test_case, multiplier.test_case
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
