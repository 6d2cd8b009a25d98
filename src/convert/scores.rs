//! Verdicts and scores of both problems for the same results of test cases.
//!
//! Rules of scoring look different in each format, so what they give is compared instead: if all is right, all is wrong,
//! and if a single test case or group differs from the others.

use std::collections::{BTreeSet, HashMap};

use crate::convert::FactMap;
use juror_core::grader::Grader;
use juror_core::problem::Problem;
use juror_core::protocol::Protocol;
use juror_core::score::{CaseScoring, Score};
use juror_core::stop::Stop;
use juror_core::test_data::{TestCase, is_inside};
use juror_core::verdict::Verdict;
use juror_judging::judge::score::{
    CaseResult, ScoringScheme, score_by_rules, score_by_validator, score_by_worth,
};
use juror_judging::output_validator::feedback::Feedback;
use juror_judging::output_validator::response::Worth;
use juror_packages::package::convert::cases::NameMap;
use juror_packages::package::convert::rules::may_give_partial_points;

/// A fact that is the same in all situations.
const GREATEST_SCORE: &str = "greatest score";
const VERDICT: &str = "verdict";

#[derive(Clone, Copy, PartialEq)]
enum OutputQuality {
    Right,
    Wrong,
    Crashed,
    /// The output validator gives half of the points.
    Half,
}

/// Adds the verdicts and scores that both problems give in the same situations.
pub(super) fn add_score_facts(
    problems: [&Problem; 2],
    names: &NameMap<'_>,
    mut found: [&mut FactMap; 2],
) {
    let flags = problems.map(custom_grader_flags);
    if flags.iter().any(Option::is_some) {
        for (found, flags) in found.into_iter().zip(flags) {
            let flags = flags.map(|flags| format!("what the grader gives ({})", flags.join(" ")));
            let key = ("data".to_owned(), "verdicts and scores".to_owned());
            found.extend(flags.map(|flags| (key, Some(flags))));
        }
        return;
    }
    let old = &problems[0].test_data.cases;
    let new: Vec<String> = old.iter().map(|case| names.case(&case.name)).collect();
    let schemes = problems.map(ScoringScheme::of);
    let sides = [
        ScoredProblem::of(problems[0], &schemes[0], old.iter().map(|case| &case.name)),
        ScoredProblem::of(problems[1], &schemes[1], new.iter()),
    ];
    let full: Vec<Score> = old.iter().map(|case| sides[0].full_score(case)).collect();
    let mut tell = |part: &str, situation: &str, output: &dyn Fn(usize) -> OutputQuality| {
        for (side, found) in sides.iter().zip(&mut found) {
            let none = |reason| vec![("score", format!("none: {reason}"))];
            for (what, value) in side.total(&full, output).unwrap_or_else(none) {
                let key = match what {
                    GREATEST_SCORE => ("data".to_owned(), what.to_owned()),
                    VERDICT => (format!("data{part}"), format!("a submission, if {situation}")),
                    _ => (format!("data{part}"), format!("{what} if {situation}")),
                };
                found.insert(key, Some(value));
            }
        }
    };
    tell("", "all is right", &|_| OutputQuality::Right);
    tell("", "all is wrong", &|_| OutputQuality::Wrong);
    tell("", "the first test case is wrong and the last one crashes", &|index| match index {
        0 => OutputQuality::Wrong,
        index if index + 1 == old.len() => OutputQuality::Crashed,
        _ => OutputQuality::Right,
    });
    for part in compared_parts(old, &new) {
        let is_in = |index: usize| new[index] == part || is_inside(&new[index], &part);
        let group_path = format!("/{part}");
        let only = |output| move |index| if is_in(index) { output } else { OutputQuality::Right };
        tell(&group_path, "only this is wrong", &only(OutputQuality::Wrong));
        if may_give_partial_points(problems[0]) {
            tell(&group_path, "only this gets half of the points", &only(OutputQuality::Half));
        }
        let right = |index| if is_in(index) { OutputQuality::Right } else { OutputQuality::Wrong };
        tell(&group_path, "only this is right", &right);
    }
}

fn custom_grader_flags(problem: &Problem) -> Option<&Vec<String>> {
    let mut groups = problem.graders.iter().flat_map(|grader| &grader.groups);
    groups.find_map(|group| match &group.grading.grader {
        Grader::Custom(flags) => Some(flags),
        Grader::Default(_) => None,
    })
}

/// All groups, and the first and last test case of each. The others count like these, unless their points differ.
fn compared_parts(old: &[TestCase], new: &[String]) -> BTreeSet<String> {
    let mut parts = BTreeSet::new();
    let key = |index: usize| Some((new.get(index)?.rsplit_once('/')?.0, old[index].points));
    for (index, name) in new.iter().enumerate() {
        parts.extend(name.match_indices('/').map(|(end, _)| name[..end].to_owned()));
        if index == 0 || key(index - 1) != key(index) || key(index + 1) != key(index) {
            parts.insert(name.clone());
        }
    }
    parts
}

fn describe_verdict(verdict: Verdict) -> String {
    let word = if verdict == Verdict::Accepted { "is accepted" } else { "is rejected" };
    format!("{word} ({verdict})")
}

struct ScoredProblem<'a> {
    scheme: &'a Option<ScoringScheme<'a>>,
    protocol: Protocol,
    /// Guessed from the source of the output validator.
    writes_scores: bool,
    /// Test cases with what their validator may say, by name.
    cases: HashMap<&'a str, (&'a TestCase, CaseScoring)>,
    /// Names of test cases in the order of the old problem.
    names: Vec<&'a str>,
}

impl<'a> ScoredProblem<'a> {
    fn of(
        problem: &'a Problem,
        scheme: &'a Option<ScoringScheme<'a>>,
        names: impl Iterator<Item = &'a String>,
    ) -> Self {
        let scoring =
            |case| scheme.as_ref().map_or(CaseScoring::Forbidden, |rules| rules.case_scoring(case));
        let judged = problem.test_data.judged_cases().into_iter().map(|case| case.test_case());
        Self {
            scheme,
            protocol: problem.output_protocol,
            writes_scores: problem.output_protocol == Protocol::Standard
                && may_give_partial_points(problem),
            cases: judged.map(|case| (case.name.as_str(), (case, scoring(case)))).collect(),
            names: names.map(String::as_str).collect(),
        }
    }

    /// The score of a right output if the output validator gives scores.
    fn full_score(&self, case: &TestCase) -> Score {
        match self.cases.get(case.name.as_str()) {
            Some((_, CaseScoring::UpTo(most))) => *most,
            Some((_, CaseScoring::Graded { accept, .. })) => *accept,
            _ => case.points.unwrap_or(Score::ONE),
        }
    }

    /// The verdict and the score, or the reason why there is none.
    fn total(
        &self,
        full: &[Score],
        output: &dyn Fn(usize) -> OutputQuality,
    ) -> Result<Vec<(&'static str, String)>, String> {
        let mut results: HashMap<&str, CaseResult> = HashMap::new();
        let mut first = Verdict::Accepted;
        for (index, name) in self.names.iter().enumerate() {
            let Some((case, scoring)) = self.cases.get(name) else { continue };
            let result = self.case_result(case, *scoring, output(index), full[index])?;
            first = if first == Verdict::Accepted { result.verdict } else { first };
            results.insert(name, result);
        }
        let Some(scheme) = self.scheme else { return Ok(vec![(VERDICT, describe_verdict(first))]) };
        let result = |name: &str| {
            let accepted = |(_, scoring): &(_, CaseScoring)| {
                let verdict = Verdict::Accepted;
                CaseResult { verdict, score: score_by_rules(*scoring, verdict).map(|it| it.score) }
            };
            // The static validator is assumed to accept.
            results.get(name).copied().or_else(|| self.cases.get(name).map(accepted))
        };
        let total =
            scheme.total(&result, &|_, results| Ok(results[0])).map_err(|stop| match stop {
                Stop::Fault(error) => error.reason,
                _ => String::new(),
            })?;
        let mut facts = vec![(VERDICT, describe_verdict(total.verdict.unwrap_or(first)))];
        if let Some(score) = total.score {
            facts.extend(score.score.map(|points| ("score", points.to_string())));
            facts.extend(score.max_score.map(|most| (GREATEST_SCORE, most.to_string())));
        }
        Ok(facts)
    }

    /// `full` is the score of a right output if the output validator gives scores.
    fn case_result(
        &self,
        case: &TestCase,
        scoring: CaseScoring,
        output: OutputQuality,
        full: Score,
    ) -> Result<CaseResult, String> {
        let part = Score::new(0.5).unwrap_or_default();
        let half = Score::new(full.points() / 2.0).unwrap_or_default();
        let worth = match self.protocol {
            Protocol::Testlib => Some(Worth::Points(half)),
            Protocol::Cms => Some(Worth::Fraction(part)),
            Protocol::Sinol => Some(Worth::CorrectFraction(part)),
            _ => None,
        };
        if let Some(worth) = worth.filter(|_| output == OutputQuality::Half) {
            let earned = score_by_worth(scoring, case, worth)
                .ok_or("the points of the output are not finite")?;
            let verdict = if earned.is_right { Verdict::Accepted } else { Verdict::WrongAnswer };
            return Ok(CaseResult { verdict, score: earned.score.map(|earned| earned.score) });
        }
        let (verdict, points) = match output {
            OutputQuality::Right => (Verdict::Accepted, full),
            OutputQuality::Half => (Verdict::Accepted, half),
            OutputQuality::Wrong => (Verdict::WrongAnswer, full),
            OutputQuality::Crashed => (Verdict::RunTimeError, full),
        };
        let mut feedback = Feedback::default();
        let may_say = !matches!(scoring, CaseScoring::Ignored | CaseScoring::Forbidden);
        if self.writes_scores && may_say && verdict == Verdict::Accepted {
            feedback.score = Some(points.points().to_string().into_bytes());
        }
        let score = score_by_validator(scoring, verdict, &feedback)?;
        Ok(CaseResult { verdict, score: score.map(|earned| earned.score) })
    }
}
