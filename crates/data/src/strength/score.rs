//! The score: the share of the faults that the data catches, weighted by hardness, and the other parts.

use std::collections::HashSet;

use crate::faults::operator::Operator;
use crate::strength::matrix;
use crate::strength::result::{
    Kill, PartName, ScorePart, Strength, StrengthRating, Subject, SubjectKind, SubjectStatus,
};
use juror_core::verdict::Verdict;

/// A subject that every input catches still counts a little.
const LEAST_HARDNESS: f64 = 0.05;

/// In bits: `-log2` of the chance that an input catches the subject, if `rejected` inputs of the pool do.
pub fn hardness(rejected: usize, pool: usize) -> f64 {
    if pool == 0 {
        return 1.0;
    }
    let all = pool as f64;
    let chance = (rejected as f64 / all).max(1.0 / all);
    (-chance.log2()).max(LEAST_HARDNESS)
}

/// The share of the subjects that the data catches, weighted by hardness up to one bit; `None` if there are none.
/// `waits` tells which submissions wait for ever instead of being slow.
pub fn kill_share(subjects: &[Subject], waits: &dyn Fn(&Subject) -> bool) -> Option<f64> {
    let counts = |one: &&Subject| one.status.counts() && (!is_slow(one) || waits(one));
    let weight = |subject: &Subject| subject.hardness.min(1.0);
    let all: f64 = subjects.iter().filter(counts).map(weight).sum();
    let is_caught = |subject: &&Subject| subject.status == SubjectStatus::Caught;
    let caught = subjects.iter().filter(counts).filter(is_caught);
    (all > 0.0).then(|| caught.map(weight).sum::<f64>() / all)
}

/// Whether a submission is known to fail only by being too slow: then the speed part counts it.
fn is_slow(subject: &Subject) -> bool {
    let by_inputs = subject.missed.iter().map(|missed| missed.verdict);
    let mut verdicts = subject.killers.iter().map(|kill| kill.verdict).chain(by_inputs).peekable();
    subject.kind == SubjectKind::Submission
        && verdicts.peek().is_some()
        && verdicts.all(|verdict| verdict == Verdict::TimeLimitExceeded)
}

/// The share of the mutants and wrappers that two test cases catch. Submissions are judged only up to the first, and so
/// are programs that are too slow there.
pub fn twice_share(subjects: &[Subject]) -> Option<f64> {
    let is_slow = |kill: &Kill| kill.verdict == Verdict::TimeLimitExceeded;
    let is_counted = |subject: &&Subject| {
        let is_slow = subject.killers.first().is_some_and(is_slow);
        subject.status.counts() && subject.kind != SubjectKind::Submission && !is_slow
    };
    let counted: Vec<&Subject> = subjects.iter().filter(is_counted).collect();
    let twice = counted.iter().filter(|subject| subject.killers.len() >= 2).count();
    (!counted.is_empty()).then(|| twice as f64 / counted.len() as f64)
}

pub fn weighted_parts(value: impl Fn(PartName) -> Option<f64>) -> Vec<ScorePart> {
    let part = |(name, weight)| ScorePart { name, value: value(name), weight };
    PartName::WEIGHTS.into_iter().map(part).collect()
}

/// The score from 0 to 100: the weighted mean of the measured parts. `None` without kills.
pub fn score(parts: &[ScorePart]) -> Option<f64> {
    let measured = || parts.iter().filter_map(|part| Some((part, part.value?)));
    measured().find(|(part, _)| part.name == PartName::Kills)?;
    let weights: f64 = measured().map(|(part, _)| part.weight).sum();
    let sum: f64 = measured().map(|(part, value)| part.weight * value).sum();
    Some(100.0 * sum / weights)
}

/// The best grade is for data that catches nearly everything that can be caught, reaches all
/// bounds and separates all that can be separated. Parts that could not be measured do not prevent it.
pub fn rating(parts: &[ScorePart], score: f64) -> StrengthRating {
    let at_least = |name: PartName, least: f64| {
        let value = parts.iter().find(|part| part.name == name).and_then(|part| part.value);
        value.is_none_or(|value| value >= least)
    };
    let is_best = at_least(PartName::Kills, 0.98)
        && at_least(PartName::Bounds, 1.0)
        && at_least(PartName::Speed, 1.0);
    match score {
        _ if score >= 95.0 && is_best => StrengthRating::A,
        _ if score >= 85.0 => StrengthRating::B,
        _ if score >= 70.0 => StrengthRating::C,
        _ if score >= 50.0 => StrengthRating::D,
        _ => StrengthRating::E,
    }
}

/// Computes what each test case catches, the parts, score and grade, and what each missing test case would gain.
/// `names` are those of the test cases, `bounds` is the share of the bounds that they reach.
pub fn add_score(report: &mut Strength, names: &[&str], bounds: Option<f64>) {
    report.cases = matrix::case_kills(names, &report.subjects, report.matrix);
    report.minimal = matrix::minimal_cases(names, &report.subjects);
    let held_out = Operator::held_out(report.seed);
    let operators = held_out.iter().map(|operator| operator.name().to_owned()).collect();
    report.hold_out = report.hold_out_result(operators);
    let features = report.feature_share();
    let probes = report.probes.clone().unwrap_or_default();
    let by_tools = report.tool_part_values();
    let parts = |subjects: &[Subject]| {
        weighted_parts(|name| match name {
            PartName::Kills => kill_share(subjects, &|subject| probes.waits_for_ever(&subject.id)),
            PartName::Twice => twice_share(subjects),
            PartName::Bounds => bounds,
            PartName::Features => features,
            other => by_tools.iter().find(|part| part.0 == other).and_then(|part| part.1),
        })
    };
    report.parts = parts(&report.subjects);
    report.score = score(&report.parts);
    let rated = report.score.filter(|_| report.count_open() * 10 <= report.subjects.len());
    report.grade = rated.map(|score| rating(&report.parts, score));
    let Some(before) = report.score else { return };
    for index in 0..report.subjects.len() {
        let Some(missed) = &report.subjects[index].missed else { continue };
        let caught: HashSet<&String> =
            missed.also.iter().chain([&report.subjects[index].id]).collect();
        let mut with = report.subjects.clone();
        for subject in with.iter_mut().filter(|subject| caught.contains(&subject.id)) {
            subject.status = SubjectStatus::Caught;
        }
        let gain = score(&parts(&with)).unwrap_or(before) - before;
        if let Some(missed) = &mut report.subjects[index].missed {
            missed.gain = gain.max(0.0);
        }
    }
}
