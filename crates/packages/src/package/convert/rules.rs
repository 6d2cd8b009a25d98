//! How groups of test cases are scored, as 2025-09 says it: the greatest score and the aggregation.

use juror_core::grader::{
    Dialect, GradedGroup, Grader, Graders, GroupGrading, Objective, OnReject, ScoreMode,
    VerdictMode,
};
use juror_core::language::sources;
use juror_core::language::table::Language;
use juror_core::problem::{Grading, Problem};
use juror_core::program::Program;
use juror_core::protocol::Protocol;
use juror_core::score::{Aggregation, CustomScore, GroupScoring, Score};
use juror_core::test_data::{TestCase, TestGroup};
use juror_core::tree::TreeEntry;

pub(super) struct ScoredGroup<'a> {
    /// The path below `data/`; empty for all test data.
    pub name: &'a str,
    pub aggregation: Aggregation,
    /// The greatest score; `None` if there is no bound.
    pub max_score: Option<Score>,
    pub require_pass: &'a [String],
    /// Number of test cases with the group's score; 0 if inner groups make up the score.
    pub cases: usize,
}

pub(super) const UNKNOWN_MAX_SCORE: f64 = 100.0;

/// The groups with a score, the outermost first.
pub(super) fn scored_groups(problem: &Problem) -> Vec<ScoredGroup<'_>> {
    if problem.kind.grading == Grading::PassFail {
        return Vec::new();
    }
    match &problem.graders {
        None => problem
            .test_data
            .groups
            .iter()
            .filter_map(|group| scored_by_points(problem, group))
            .collect(),
        Some(graders) => {
            let groups = graders.groups.iter();
            // The score of all follows from that of `secret`.
            let groups = groups.filter(|group| !["", "sample"].contains(&&*group.name));
            let scored = |group| {
                let GradedGroup { name, .. }: &GradedGroup = group;
                let inside = GroupContents::of(problem, name);
                let (aggregation, most) = nearest_aggregation(problem, graders, group, &inside);
                let most = most.and_then(Score::new);
                ScoredGroup {
                    name,
                    aggregation,
                    max_score: most,
                    require_pass: &[],
                    cases: inside.scored_cases(),
                }
            };
            groups.map(scored).collect()
        }
    }
}

fn scored_by_points<'a>(problem: &'a Problem, group: &'a TestGroup) -> Option<ScoredGroup<'a>> {
    let GroupScoring { max_score, aggregation, require_pass } = group.scoring.as_ref()?;
    let cases = GroupContents::of(problem, &group.name).scored_cases();
    let aggregation = match aggregation {
        // Without a part of the points, the least is all or nothing, and so is the sum of one.
        Aggregation::Min if cases > 0 && !may_give_partial_points(problem) => Aggregation::PassFail,
        Aggregation::Sum
            if cases == 1 && max_score.is_some() && !may_give_partial_points(problem) =>
        {
            Aggregation::PassFail
        }
        other => *other,
    };
    let most = match aggregation {
        Aggregation::PassFail => Some(max_score.unwrap_or_default()),
        _ => *max_score,
    };
    Some(ScoredGroup { name: &group.name, aggregation, max_score: most, require_pass, cases })
}

/// Three times a third counts as one.
pub(super) fn round_near_whole(sum: f64) -> f64 {
    let is_whole = (sum - sum.round()).abs() < 1e-9;
    if is_whole { sum.round() } else { sum }
}

fn output_programs(problem: &Problem) -> impl Iterator<Item = &Program> {
    problem.output_validators.iter().chain(&problem.interactor)
}

pub(super) fn has_output_program(problem: &Problem) -> bool {
    output_programs(problem).next().is_some()
}

/// For programs with the format's own protocol.
pub(super) fn mentions_score_file(problem: &Problem) -> bool {
    output_programs(problem).any(|program| mentions_any(program, &["score.txt"]))
}

/// Guessed from words in the source files of the output validator.
pub fn may_give_partial_points(problem: &Problem) -> bool {
    output_programs(problem).any(|program| match problem.output_protocol {
        Protocol::Standard => mentions_any(program, &["score.txt", "score_multiplier"]),
        Protocol::Plain | Protocol::Files | Protocol::Dmoj | Protocol::OpenR1 => false,
        Protocol::Cms | Protocol::Sinol => true,
        Protocol::Testlib => {
            let is_cpp = Language::of_file(&program.path).is_some_and(|found| found.code == "cpp");
            !is_cpp || mentions_any(program, &["quitp", "_points", "_pc", "_partially"])
        }
    })
}

fn mentions_any(program: &Program, words: &[&str]) -> bool {
    // What cannot be read cannot be built, either, which is reported elsewhere.
    let Ok(sources) = sources::read(program) else { return false };
    let has = |file: &TreeEntry, word: &str| {
        memchr::memmem::find(&file.prefix(), word.as_bytes()).is_some()
    };
    sources.files.iter().any(|file| words.iter().any(|word| has(file, word)))
}

struct GroupContents<'a> {
    cases: Vec<&'a TestCase>,
    has_inner_groups: bool,
    has_own_cases: bool,
}

impl<'a> GroupContents<'a> {
    fn of(problem: &'a Problem, group: &str) -> Self {
        let start = format!("{group}/");
        let cases = problem.test_data.cases.iter().filter(|case| case.name.starts_with(&start));
        let cases: Vec<&TestCase> = cases.collect();
        let groups = &problem.test_data.groups;
        Self {
            has_inner_groups: groups.iter().any(|group| group.name.starts_with(&start)),
            has_own_cases: cases.iter().any(|case| !case.name[start.len()..].contains('/')),
            cases,
        }
    }

    fn scored_cases(&self) -> usize {
        if self.has_inner_groups { 0 } else { self.cases.len() }
    }
}

/// Whether a group gets its points once, not for each test case.
fn scores_once(graders: &Graders, inside: &GroupContents<'_>) -> bool {
    graders.dialect == Dialect::DomJudge
        && !inside.has_inner_groups
        && graders.custom_score == CustomScore::Never
}

/// The end of the group's range, or else the greatest score of its parts. `None` if a program decides.
fn group_max_score(problem: &Problem, graders: &Graders, group: &GradedGroup) -> Option<Score> {
    let GroupGrading { grader, accept_score, reject_score, range, .. } = &group.grading;
    if range.to.is_some() {
        return range.to;
    }
    let Grader::Default(modes) = grader else { return None };
    let is_part = |name: &str| {
        let rest = name.strip_prefix(&group.name).and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|rest| !rest.contains('/'))
    };
    let inside = GroupContents::of(problem, &group.name);
    let has_points =
        !validator_gives_scores(problem, graders) && graders.objective == Objective::Max;
    let of_case = if accept_score.exceeds(*reject_score) { accept_score } else { reject_score };
    let cases = inside.cases.iter().filter(|case| is_part(&case.name));
    let cases = cases.map(|_| Some(*of_case).filter(|_| has_points));
    let groups = graders.groups.iter().filter(|inner| is_part(&inner.name));
    let groups = groups.filter(|inner| !GroupContents::of(problem, &inner.name).cases.is_empty());
    let parts = groups.map(|inner| group_max_score(problem, graders, inner)).chain(cases);
    let points: Option<Vec<f64>> = parts.map(|part| part.map(|score| score.points())).collect();
    let points = points.filter(|points| !points.is_empty())?.into_iter();
    let count = points.len() as f64;
    Score::new(match modes.score {
        _ if scores_once(graders, &inside) => of_case.points(),
        ScoreMode::Sum => points.sum(),
        ScoreMode::Average => points.sum::<f64>() / count,
        ScoreMode::Min => points.fold(f64::INFINITY, f64::min),
        ScoreMode::Max => points.fold(f64::NEG_INFINITY, f64::max),
    })
}

/// The aggregation and greatest score that come nearest to what the group's grader does.
fn nearest_aggregation(
    problem: &Problem,
    graders: &Graders,
    group: &GradedGroup,
    inside: &GroupContents<'_>,
) -> (Aggregation, Option<f64>) {
    let GroupGrading { grader, accept_score, reject_score, range, on_reject } = &group.grading;
    let greatest = group_max_score(problem, graders, group).map(Score::points);
    let nearest = (Aggregation::Sum, Some(greatest.unwrap_or(UNKNOWN_MAX_SCORE)));
    let Grader::Default(modes) = grader else { return nearest };
    let accept = accept_score.points();
    let all_or_nothing = (Aggregation::PassFail, Some(accept));
    let is_leaf = !inside.has_inner_groups;
    if scores_once(graders, inside) {
        let must_all = modes.verdict != VerdictMode::AlwaysAccept && !modes.accept_if_any_accepted;
        let is_best = graders.objective == Objective::Max;
        let is_exact = must_all && is_best && *reject_score == Score::ZERO;
        return if is_exact { all_or_nothing } else { (Aggregation::Sum, Some(accept)) };
    }
    let says = validator_gives_scores(problem, graders);
    let is_standard = problem.output_protocol == Protocol::Standard;
    let may_say = says && is_standard && graders.custom_score == CustomScore::Allowed;
    if graders.objective == Objective::Min
        || is_leaf && (may_say || *reject_score != Score::ZERO)
        || inside.has_inner_groups && inside.has_own_cases
    {
        return nearest;
    }
    let stops = *on_reject == OnReject::Break && inside.cases.len() > 1;
    match modes.score {
        ScoreMode::Sum if stops => nearest,
        ScoreMode::Sum if !is_leaf => (Aggregation::Sum, greatest),
        ScoreMode::Min if !is_leaf => (Aggregation::Min, greatest),
        ScoreMode::Min if says => (Aggregation::Min, range.to.map(Score::points)),
        ScoreMode::Sum if says && (is_standard || range.to.is_none()) => (Aggregation::Sum, None),
        ScoreMode::Sum if says || inside.cases.len() != 1 => {
            (Aggregation::Sum, Some(round_near_whole(accept * inside.cases.len() as f64)))
        }
        ScoreMode::Sum | ScoreMode::Min => all_or_nothing,
        ScoreMode::Average | ScoreMode::Max => nearest,
    }
}

fn validator_gives_scores(problem: &Problem, graders: &Graders) -> bool {
    match graders.custom_score {
        _ if problem.output_protocol != Protocol::Standard => may_give_partial_points(problem),
        CustomScore::Never => false,
        CustomScore::Allowed => !problem.output_validators.is_empty(),
        CustomScore::Required => true,
    }
}
