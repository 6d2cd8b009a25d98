//! Whether what is expected of a submission can be met at all.
//!
//! Source: problem package format 2025-09, "Example submissions".

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::model::pattern::Pattern;
use crate::model::problem::Problem;
use crate::model::submission::{Expectation, Submission, UseForTimeLimit};
use crate::model::test_data::TestCase;
use crate::model::verdict::Verdict::{
    self, Accepted, RunTimeError, TimeLimitExceeded, WrongAnswer,
};
use crate::package::faults::Faults;

/// Reports expectations that contradict each other on some test case, each pair of rules once.
pub(super) fn check(problem: &Problem, faults: &Faults) {
    let cases = &problem.test_data.cases;
    if cases.is_empty() {
        return;
    }
    let mut checker = Checker { cases, known: HashMap::new(), reported: HashSet::new(), faults };
    for submission in &problem.submissions {
        checker.submission(submission);
    }
}

/// An expectation, and what it says of each case. A set of verdicts has one bit each.
struct Rule<'a> {
    expectation: &'a Expectation,
    /// Whether it is about a case, by the position of the case.
    cases: Rc<Vec<bool>>,
    permitted: u8,
    required: Vec<u8>,
}

struct Checker<'a> {
    cases: &'a [TestCase],
    /// Which cases a pattern matches, worked out once for each pattern.
    known: HashMap<Option<&'a str>, Rc<Vec<bool>>>,
    reported: HashSet<(Option<u32>, String)>,
    faults: &'a Faults,
}

fn set(verdicts: &[Verdict]) -> u8 {
    verdicts.iter().fold(0, |set, verdict| set | 1 << *verdict as u8)
}

impl<'a> Checker<'a> {
    fn rule(&mut self, expectation: &'a Expectation) -> Rule<'a> {
        let pattern = expectation.cases.as_deref();
        let of_pattern = || {
            let parsed = pattern.and_then(|pattern| Pattern::parse(pattern).ok());
            let matches = |case: &TestCase| parsed.as_ref().is_none_or(|it| it.matches(&case.name));
            Rc::new(self.cases.iter().map(matches).collect())
        };
        let cases = Rc::clone(self.known.entry(pattern).or_insert_with(of_pattern));
        let mut permitted = expectation.permitted.as_deref().map_or(u8::MAX, set);
        let mut required: Vec<u8> = expectation.required.as_deref().map(set).into_iter().collect();
        match expectation.use_for_time_limit {
            UseForTimeLimit::Lower => permitted &= set(&[Accepted, WrongAnswer, RunTimeError]),
            UseForTimeLimit::Upper => required.push(set(&[TimeLimitExceeded])),
            UseForTimeLimit::AsExpected | UseForTimeLimit::Never => {}
        }
        Rule { expectation, cases, permitted, required }
    }

    fn submission(&mut self, submission: &'a Submission) {
        let rules: Vec<Rule<'_>> = submission.expectations.iter().map(|it| self.rule(it)).collect();
        // What is left on each case by the rules so far.
        let mut left = vec![u8::MAX; self.cases.len()];
        let mut is_disjoint = false;
        for (at, rule) in rules.iter().enumerate() {
            for (case, left) in left.iter_mut().enumerate().filter(|(case, _)| rule.cases[*case]) {
                *left &= rule.permitted;
                let is_apart =
                    |it: &&Rule<'_>| it.cases[case] && it.permitted & rule.permitted == 0;
                let other = rules[..at].iter().find(is_apart).filter(|_| *left == 0);
                let Some(other) = other.map(|it| it.expectation) else { continue };
                is_disjoint = true;
                let [rule, other] = match rule.expectation.place {
                    Some(_) => [rule.expectation, other],
                    None => [other, rule.expectation],
                };
                let (name, case, other) = (&submission.name, &self.cases[case].name, named(other));
                let message = format!(
                    "no verdict of {name} on {case} can meet this rule and that of {other}"
                );
                let help = "let their `permitted` have a verdict in common";
                self.report(submission, Some(rule), other, message, help);
            }
        }
        for rule in rules.iter().filter(|_| !is_disjoint) {
            let of_rule = || left.iter().zip(rule.cases.iter()).filter(|(_, is_of)| **is_of);
            let can_be = |wanted: u8| of_rule().any(|(left, _)| left & wanted > 0);
            if of_rule().next().is_none() || rule.required.iter().all(|wanted| can_be(*wanted)) {
                continue;
            }
            let place = submission.expectations.iter().rev().find(|it| it.place.is_some());
            let at = Some(rule.expectation).filter(|it| it.place.is_some()).or(place);
            let (name, rule) = (&submission.name, named(rule.expectation));
            let message = format!(
                "{name} cannot meet what is required by {rule}: no test case is permitted such a verdict"
            );
            let help = "let `required` and `permitted` have a verdict in common";
            self.report(submission, at, rule, message, help);
        }
    }

    /// Reports a contradiction with a rule, once for all submissions.
    fn report(
        &mut self,
        submission: &Submission,
        at: Option<&Expectation>,
        rule: String,
        message: String,
        help: &str,
    ) {
        let place = at.and_then(|it| it.place.clone());
        let place = place.unwrap_or_else(|| submission.program.path.as_path().into());
        if self.reported.insert((place.spot.as_ref().map(|spot| spot.line), rule)) {
            self.faults.error(place, message, help);
        }
    }
}

/// How a rule is called in messages.
fn named(expectation: &Expectation) -> String {
    let cases = expectation.cases.as_ref().map(|cases| format!(", {cases}")).unwrap_or_default();
    let place = match expectation.place.as_ref().and_then(|place| place.spot.as_ref()) {
        Some(spot) => format!(" (line {})", spot.line),
        None => " (the format's default)".to_owned(),
    };
    format!("`{}{cases}`{place}", expectation.pattern)
}
