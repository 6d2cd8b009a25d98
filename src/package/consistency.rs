//! Whether what is expected of a submission can be met at all.
//!
//! Source: problem package format 2025-09, "Example submissions".

use std::collections::HashSet;

use crate::model::pattern::Pattern;
use crate::model::problem::Problem;
use crate::model::submission::{Expectation, Submission, UseForTimeLimit};
use crate::model::test_data::TestCase;
use crate::model::verdict::Verdict::{
    self, Accepted, RunTimeError, TimeLimitExceeded, WrongAnswer,
};
use crate::package::faults::Faults;

/// Reports rules that no submission can meet together, each rule once.
pub(super) fn check(problem: &Problem, faults: &Faults) {
    let mut reported = HashSet::new();
    let cases = &problem.test_data.cases;
    for submission in problem.submissions.iter().filter(|_| !cases.is_empty()) {
        let Some((at, message)) = contradiction(submission, cases) else { continue };
        if reported.insert(at.and_then(|it| it.place.as_ref()?.spot.as_ref()).map(|spot| spot.line))
        {
            let place = at.and_then(|it| it.place.clone());
            let place = place.unwrap_or_else(|| submission.program.path.as_path().into());
            faults.error(place, message, "let its rules have a verdict in common");
        }
    }
}

/// Verdicts as a set: one bit each.
fn set(verdicts: &[Verdict]) -> u8 {
    verdicts.iter().fold(0, |set, verdict| set | 1 << *verdict as u8)
}

/// A rule that cannot be met beside the others, and why.
fn contradiction<'a>(
    submission: &'a Submission,
    cases: &[TestCase],
) -> Option<(Option<&'a Expectation>, String)> {
    let name = &submission.name;
    let placed = |it: &&Expectation| it.place.is_some();
    let last = submission.expectations.iter().rev().find(placed);
    // The cases of each rule, and what all rules together permit on each case.
    let mut left = vec![u8::MAX; cases.len()];
    let mut rules = Vec::new();
    for rule in &submission.expectations {
        let pattern = rule.cases.as_deref().and_then(|pattern| Pattern::parse(pattern).ok());
        let is_about = |at: &usize| pattern.as_ref().is_none_or(|it| it.matches(&cases[*at].name));
        let about: Vec<usize> = (0..cases.len()).filter(is_about).collect();
        let mut permitted = rule.permitted.as_deref().map_or(u8::MAX, set);
        let mut required: Vec<u8> = rule.required.as_deref().map(set).into_iter().collect();
        match rule.use_for_time_limit {
            UseForTimeLimit::Lower => permitted &= set(&[Accepted, WrongAnswer, RunTimeError]),
            UseForTimeLimit::Upper => required.push(set(&[TimeLimitExceeded])),
            UseForTimeLimit::AsExpected | UseForTimeLimit::Never => {}
        }
        for at in &about {
            left[*at] &= permitted;
            if left[*at] == 0 {
                let message =
                    format!("no verdict of {name} on {} meets all rules", cases[*at].name);
                return Some((Some(rule).filter(placed).or(last), message));
            }
        }
        rules.push((rule, about, required));
    }
    let (rule, ..) = rules.iter().find(|(_, about, required)| {
        let can_be = |wanted: &u8| about.iter().any(|at| left[*at] & wanted > 0);
        !about.is_empty() && !required.iter().all(can_be)
    })?;
    let pattern = &rule.pattern;
    let message =
        format!("{name} cannot get a verdict that `{pattern}` requires: no test case permits one");
    Some((Some(*rule).filter(placed).or(last), message))
}
