//! How groups of test cases are scored, independent of the format.

use std::fmt;

use crate::language::sources;
use crate::language::table::Language;
use crate::model::grader::{
    CustomScore, Dialect, GradedGroup, Grader, Graders, GroupGrading, Objective, OnReject,
    ScoreMode, VerdictMode,
};
use crate::model::problem::{Grading, Problem};
use crate::model::program::Program;
use crate::model::protocol::Protocol;
use crate::model::score::{Aggregation, GroupScoring, Score};
use crate::model::test_data::{TestCase, TestGroup};
use crate::model::tree::TreeEntry;

/// How the score of a group is made up.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rule {
    /// These points if all test cases are accepted, else none.
    AllOrNothing(Score),
    /// These points if no output is without points, else none: the format does not know how many points are all.
    SomePart(Score),
    /// These points for each accepted test case, and how many test cases there are.
    Each(Score, usize),
    /// Like `Each`, but the output validator may give a part of the points.
    UpTo(Score, usize),
    /// The points of each accepted test case, which differ.
    Unequal(Vec<Score>),
    /// The least score that the output validator gives a test case, up to this bound.
    LeastSaid(Option<Score>),
    /// The sum of the scores that the output validator gives.
    SumSaid,
    /// The sum of the scores of the inner groups.
    SumOfGroups,
    /// The least score of the inner groups.
    LeastOfGroups,
    /// A rule that only one format can express.
    Other(String),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllOrNothing(points) => write!(f, "{points} if all is accepted, else 0"),
            Self::SomePart(points) => write!(f, "{points} if each output has some points, else 0"),
            Self::Each(points, _) => write!(f, "{points} for each accepted test case"),
            Self::UpTo(points, _) => {
                write!(f, "up to {points} for each test case, by the output validator")
            }
            Self::Unequal(points) => {
                let points: Vec<String> = points.iter().map(Score::to_string).collect();
                write!(f, "for the accepted test cases {}", points.join(", "))
            }
            Self::LeastSaid(None) => write!(f, "the least that the output validator gives"),
            Self::LeastSaid(Some(most)) => {
                write!(f, "the least that the output validator gives, up to {most}")
            }
            Self::SumSaid => write!(f, "the sum of what the output validator gives"),
            Self::SumOfGroups => write!(f, "the sum of its groups"),
            Self::LeastOfGroups => write!(f, "the least of its groups"),
            Self::Other(text) => write!(f, "{text}"),
        }
    }
}

/// A group with its rule of scoring.
pub(super) struct Scored<'a> {
    /// The path below `data/`; empty for all test data.
    pub name: &'a str,
    pub rule: Rule,
    /// The maximal score, if the rule does not imply it.
    pub most: Option<Score>,
    /// Groups that must pass first.
    pub require_pass: &'a [String],
}

/// The groups with a score, the outermost first.
pub(super) fn scored(problem: &Problem) -> Vec<Scored<'_>> {
    if problem.kind.grading == Grading::PassFail {
        return Vec::new();
    }
    match &problem.graders {
        None => problem.test_data.groups.iter().filter_map(|it| by_points(problem, it)).collect(),
        Some(graders) => {
            let groups = graders.groups.iter();
            // The facts about the whole cover the worth of samples.
            let groups = groups.filter(|group| !["", "sample"].contains(&&*group.name));
            let scored = |group| {
                let GradedGroup { name, grading }: &GradedGroup = group;
                let rule = graded(problem, graders, name, grading);
                let inside = Inside::of(problem, name);
                let most = match (&rule, &grading.grader) {
                    (Rule::Other(_), Grader::Default(_)) if is_once(graders, &inside) => {
                        Some(grading.accept_score)
                    }
                    (Rule::Other(_), _) => greatest(problem, graders, group),
                    _ => greatest(problem, graders, group).filter(|_| inside.has_groups),
                };
                Scored { name, rule, most, require_pass: &[] }
            };
            groups.map(scored).collect()
        }
    }
}

fn by_points<'a>(problem: &'a Problem, group: &'a TestGroup) -> Option<Scored<'a>> {
    let GroupScoring { max_score, aggregation, require_pass } = group.scoring.as_ref()?;
    let inside = Inside::of(problem, &group.name);
    let says = gives_parts(problem);
    let rule = match (aggregation, max_score) {
        (Aggregation::PassFail, most) if inside.points().is_none() => {
            all(problem, most.unwrap_or_default())
        }
        (Aggregation::PassFail, most) => Rule::AllOrNothing(most.unwrap_or_default()),
        (Aggregation::Sum, _) if inside.has_groups => Rule::SumOfGroups,
        (Aggregation::Min, _) if inside.has_groups => Rule::LeastOfGroups,
        (Aggregation::Sum, None) => Rule::SumSaid,
        (Aggregation::Min, most) if says => Rule::LeastSaid(*most),
        (Aggregation::Min, most) => Rule::AllOrNothing(most.unwrap_or_default()),
        (Aggregation::Sum, Some(most)) => match inside.points() {
            Some(points) if points.windows(2).any(|it| it[0] != it[1]) => Rule::Unequal(points),
            _ if says => Rule::UpTo(share(*most, inside.cases.len()), inside.cases.len()),
            _ => each(share(*most, inside.cases.len()), inside.cases.len()),
        },
    };
    let most = max_score.filter(|_| inside.has_groups);
    Some(Scored { name: &group.name, rule, most, require_pass })
}

/// An equal part of the points for each test case.
pub(super) fn share(most: Score, cases: usize) -> Score {
    Score::new(most.points() / cases.max(1) as f64).unwrap_or_default()
}

fn each(points: Score, cases: usize) -> Rule {
    if cases == 1 { Rule::AllOrNothing(points) } else { Rule::Each(points, cases) }
}

/// The rule that asks for each test case.
fn all(problem: &Problem, points: Score) -> Rule {
    if problem.output_protocol == Protocol::Testlib && gives_parts(problem) {
        Rule::SomePart(points)
    } else {
        Rule::AllOrNothing(points)
    }
}

/// The programs that decide about outputs.
fn programs(problem: &Problem) -> impl Iterator<Item = &Program> {
    problem.output_validators.iter().chain(&problem.interactor)
}

/// Whether there is such a program.
pub(super) fn has_program(problem: &Problem) -> bool {
    programs(problem).next().is_some()
}

/// Whether a program with the format's own protocol mentions the file with a score.
pub(super) fn mention_scores(problem: &Problem) -> bool {
    programs(problem).any(|program| mentions(program, &["score.txt"]))
}

/// Whether a program may give a part of the points: its files mention what says so.
fn gives_parts(problem: &Problem) -> bool {
    programs(problem).any(|program| match problem.output_protocol {
        Protocol::Standard => mentions(program, &["score.txt", "score_multiplier"]),
        Protocol::Cms | Protocol::Sinol => true,
        Protocol::Testlib => {
            let is_cpp = Language::of_file(&program.path).is_some_and(|it| it.code == "cpp");
            !is_cpp || mentions(program, &["quitp", "_points", "_pc", "_partially"])
        }
    })
}

/// Whether one of the program's own files has one of these words.
fn mentions(program: &Program, words: &[&str]) -> bool {
    // What cannot be read cannot be built, either, which is reported elsewhere.
    let Ok(sources) = sources::read(program) else { return false };
    let has = |file: &TreeEntry, word: &str| {
        memchr::memmem::find(&file.head(), word.as_bytes()).is_some()
    };
    sources.files.iter().any(|file| words.iter().any(|word| has(file, word)))
}

/// The contents of a group.
struct Inside<'a> {
    cases: Vec<&'a TestCase>,
    /// Whether it has inner groups.
    has_groups: bool,
    /// Whether it has test cases of its own.
    has_cases: bool,
}

impl<'a> Inside<'a> {
    fn of(problem: &'a Problem, group: &str) -> Self {
        let start = format!("{group}/");
        let cases = problem.test_data.cases.iter().filter(|case| case.name.starts_with(&start));
        let cases: Vec<&TestCase> = cases.collect();
        let groups = &problem.test_data.groups;
        Self {
            has_groups: groups.iter().any(|it| it.name.starts_with(&start)),
            has_cases: cases.iter().any(|case| !case.name[start.len()..].contains('/')),
            cases,
        }
    }

    fn points(&self) -> Option<Vec<Score>> {
        self.cases.iter().map(|case| case.points).collect()
    }
}

/// Whether a group has its points once, not for each test case.
fn is_once(graders: &Graders, inside: &Inside<'_>) -> bool {
    graders.dialect == Dialect::DomJudge
        && !inside.has_groups
        && graders.custom_score == CustomScore::Never
}

/// The greatest score of a group: the end of its range, or else what its groups and test cases come to. `None` if a
/// program decides.
fn greatest(problem: &Problem, graders: &Graders, group: &GradedGroup) -> Option<Score> {
    let GroupGrading { grader, accept_score, reject_score, range, .. } = &group.grading;
    if range.to.is_some() {
        return range.to;
    }
    let Grader::Default(modes) = grader else { return None };
    let is_part = |name: &str| {
        let rest = name.strip_prefix(&group.name).and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|rest| !rest.contains('/'))
    };
    let inside = Inside::of(problem, &group.name);
    let has_points = !says(problem, graders) && graders.objective == Objective::Max;
    let of_case = if accept_score.exceeds(*reject_score) { accept_score } else { reject_score };
    let cases = inside.cases.iter().filter(|case| is_part(&case.name));
    let cases = cases.map(|_| Some(*of_case).filter(|_| has_points));
    let groups = graders.groups.iter().filter(|inner| is_part(&inner.name));
    let groups = groups.filter(|inner| !Inside::of(problem, &inner.name).cases.is_empty());
    let parts = groups.map(|inner| greatest(problem, graders, inner)).chain(cases);
    let points: Option<Vec<f64>> = parts.map(|part| part.map(|it| it.points())).collect();
    let points = points.filter(|points| !points.is_empty())?.into_iter();
    let count = points.len() as f64;
    Score::new(match modes.score {
        _ if is_once(graders, &inside) => of_case.points(),
        ScoreMode::Sum => points.sum(),
        ScoreMode::Average => points.sum::<f64>() / count,
        ScoreMode::Min => points.fold(f64::INFINITY, f64::min),
        ScoreMode::Max => points.fold(f64::NEG_INFINITY, f64::max),
    })
}

fn graded(problem: &Problem, graders: &Graders, name: &str, grading: &GroupGrading) -> Rule {
    let inside = Inside::of(problem, name);
    let modes = match &grading.grader {
        Grader::Default(modes) => modes,
        Grader::Custom(flags) => {
            return Rule::Other(format!("what the grader gives ({})", flags.join(" ")));
        }
    };
    let is_leaf = !inside.has_groups;
    let says = says(problem, graders);
    let is_standard = problem.output_protocol == Protocol::Standard;
    let may_say = says && is_standard && graders.custom_score == CustomScore::Allowed;
    let (accept, reject) = (grading.accept_score, grading.reject_score);
    let stops = grading.on_reject == OnReject::Break && inside.cases.len() > 1;
    let is_once = is_once(graders, &inside);
    let accepted = match modes.verdict {
        VerdictMode::AlwaysAccept => None,
        _ if modes.accept_if_any_accepted => Some("one"),
        VerdictMode::WorstError | VerdictMode::FirstError => Some("all"),
    };
    let rule = match modes.score {
        _ if inside.has_groups && inside.has_cases => None,
        _ if is_once => Some(all(problem, accept)).filter(|_| accepted == Some("all")),
        ScoreMode::Sum if !is_leaf => Some(Rule::SumOfGroups).filter(|_| !stops),
        ScoreMode::Min if !is_leaf => Some(Rule::LeastOfGroups),
        ScoreMode::Min if says => Some(Rule::LeastSaid(grading.range.to)),
        ScoreMode::Min => Some(Rule::AllOrNothing(accept)),
        ScoreMode::Sum if stops => None,
        ScoreMode::Sum if says && (is_standard || grading.range.to.is_none()) => {
            Some(Rule::SumSaid)
        }
        ScoreMode::Sum if says => Some(Rule::UpTo(accept, inside.cases.len())),
        ScoreMode::Sum => Some(each(accept, inside.cases.len())),
        ScoreMode::Average | ScoreMode::Max => None,
    };
    let loses = is_leaf && reject != Score::ZERO;
    match rule.filter(|_| !(loses || is_leaf && may_say) && graders.objective == Objective::Max) {
        Some(rule) => rule,
        None if is_once => Rule::Other(match accepted {
            None => format!("{accept} in any case"),
            Some(accepted) => format!("{accept} if {accepted} is accepted, else {reject}"),
        }),
        None => {
            let how = match modes.score {
                ScoreMode::Sum => "the sum",
                ScoreMode::Average => "the average",
                ScoreMode::Min => "the least",
                ScoreMode::Max => "the greatest",
            };
            let of = match (is_leaf, inside.has_cases, says) {
                (false, true, _) => " of its groups and test cases".to_owned(),
                (false, false, _) => " of its groups".to_owned(),
                (true, _, true) if may_say => {
                    format!(" of {accept}, or what the output validator gives")
                }
                (true, _, true) => " of what the output validator gives".to_owned(),
                (true, _, false) => format!(" of {accept} for each accepted test case"),
            };
            let less = if loses { format!(" and {reject} for others") } else { String::new() };
            let end = if stops { ", until one is rejected" } else { "" };
            Rule::Other(format!("{how}{of}{less}{end}"))
        }
    }
}

/// The worst verdict in a group is the group's verdict.
pub(super) const WORST: &str = "the worst of all decides";

/// Whether the output validator gives scores to accepted outputs.
fn says(problem: &Problem, graders: &Graders) -> bool {
    match graders.custom_score {
        _ if problem.output_protocol != Protocol::Standard => gives_parts(problem),
        CustomScore::Never => false,
        CustomScore::Allowed => !problem.output_validators.is_empty(),
        CustomScore::Required => true,
    }
}

/// How the verdict of a group with a grader is decided, unless all must be accepted and the first that is not decides.
pub(super) fn verdict(grading: &GroupGrading) -> Option<String> {
    let modes = match &grading.grader {
        Grader::Custom(flags) => return Some(format!("the grader decides ({})", flags.join(" "))),
        Grader::Default(modes) => modes,
    };
    let mut says = Vec::new();
    match (modes.verdict, grading.on_reject) {
        (VerdictMode::AlwaysAccept, _) => says.push("always AC"),
        (VerdictMode::WorstError, OnReject::Continue) => says.push(WORST),
        (VerdictMode::FirstError, _) | (_, OnReject::Break) => {}
    }
    if modes.accept_if_any_accepted {
        says.push("one AC is enough");
    }
    (!says.is_empty()).then(|| says.join(", "))
}

/// Whether a submission may be rejected as a whole although its groups have points, which legacy then does not give.
pub(super) fn may_lose_all(problem: &Problem, graders: &Graders) -> bool {
    problem.kind.grading == Grading::Scoring && graders.objective == Objective::Max && {
        let root = graders.groups.iter().find(|group| group.name.is_empty());
        root.is_some_and(|root| rejects_with_points(problem, graders, root))
    }
}

/// Whether a group may be rejected although test cases in it have points.
fn rejects_with_points(problem: &Problem, graders: &Graders, group: &GradedGroup) -> bool {
    let Grader::Default(modes) = &group.grading.grader else { return false };
    let start = if group.name.is_empty() { String::new() } else { format!("{}/", group.name) };
    let is_inside = |other: &str| {
        let rest = other.strip_prefix(&start).filter(|rest| !rest.is_empty());
        rest.is_some_and(|rest| !(rest.contains('/') || modes.ignore_sample && rest == "sample"))
    };
    let inner: Vec<_> = graders.groups.iter().filter(|it| is_inside(&it.name)).collect();
    let any = || inner.iter().any(|it| rejects_with_points(problem, graders, it));
    let parts = match inner.len() {
        0 => Inside::of(problem, &group.name).cases.len(),
        groups => groups,
    };
    match (modes.verdict, modes.score) {
        (VerdictMode::AlwaysAccept, _) => false,
        // Only if all inside is rejected.
        _ if modes.accept_if_any_accepted || parts <= 1 => any(),
        (_, ScoreMode::Min) => any(),
        _ => true,
    }
}

/// How samples count, unless only `secret` counts for the score and everything for the verdict.
pub(super) fn whole(problem: &Problem, graders: &Graders) -> Option<String> {
    let root = graders.groups.iter().find(|group| group.name.is_empty())?;
    let Grader::Default(modes) = &root.grading.grader else { return None };
    let has_samples = problem.test_data.cases.iter().any(|it| it.name.starts_with("sample/"));
    if !has_samples {
        return None;
    }
    let sample = graders.groups.iter().find(|group| group.name == "sample");
    let is_worthless = sample.is_some_and(|it| {
        let GroupGrading { accept_score, reject_score, .. } = it.grading;
        accept_score == Score::ZERO && reject_score == Score::ZERO
    });
    let is_scoring = problem.kind.grading == Grading::Scoring;
    let continues = root.grading.on_reject == OnReject::Continue;
    if modes.ignore_sample {
        let end = if continues { "" } else { ", unless a sample is rejected" };
        return Some(format!("do not count for the verdict{end}"));
    }
    let says = says(problem, graders);
    let is_plain = modes.score == ScoreMode::Sum && is_worthless && continues && !says;
    (is_scoring && !is_plain).then(|| "count for the score".to_owned())
}
