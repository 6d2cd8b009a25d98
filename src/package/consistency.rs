//! Whether what is expected of a submission can be met at all.
//!
//! Source: problem package format 2025-09, "Example submissions".

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::model::diagnostic::Place;
use crate::model::pattern::Pattern;
use crate::model::problem::Problem;
use crate::model::submission::{Expectation, Submission, UseForTimeLimit};
use crate::model::test_data::TestData;
use crate::model::verdict::Verdict;
use crate::package::faults::Faults;

/// A set of verdicts, one bit each.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Verdicts(u8);

impl Verdicts {
    const ALL: Self = Self(u8::MAX);

    fn of(verdicts: &[Verdict]) -> Self {
        Self(verdicts.iter().fold(0, |set, verdict| set | 1 << *verdict as u8))
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// One thing that an expectation asks of some cases.
struct Demand<'a> {
    expectation: &'a Expectation,
    /// By the position of the case.
    cases: Rc<Vec<bool>>,
    verdicts: Verdicts,
}

/// Which cases a pattern matches, worked out once for each pattern.
struct CaseSets<'a> {
    data: &'a TestData,
    known: HashMap<Option<String>, Rc<Vec<bool>>>,
}

impl CaseSets<'_> {
    fn of(&mut self, pattern: Option<&String>) -> Rc<Vec<bool>> {
        if let Some(set) = self.known.get(&pattern.cloned()) {
            return Rc::clone(set);
        }
        let parsed = pattern.and_then(|pattern| Pattern::parse(pattern).ok());
        let matches = |name: &str| parsed.as_ref().is_none_or(|pattern| pattern.matches(name));
        let set: Rc<Vec<bool>> =
            Rc::new(self.data.cases.iter().map(|case| matches(&case.name)).collect());
        self.known.insert(pattern.cloned(), Rc::clone(&set));
        set
    }
}

/// Reports expectations that contradict each other on some test case.
pub(super) fn check(problem: &Problem, sink: &Faults) {
    if problem.test_data.cases.is_empty() {
        return;
    }
    let mut sets = CaseSets { data: &problem.test_data, known: HashMap::new() };
    let mut reported = HashSet::new();
    for submission in &problem.submissions {
        for fault in faults(submission, &mut sets) {
            let place = fault.place.unwrap_or_else(|| submission.program.path.as_path().into());
            let line = place.spot.as_ref().map(|spot| spot.line);
            if reported.insert((line, fault.other)) {
                sink.error(place, fault.message, fault.help);
            }
        }
    }
}

struct Fault {
    place: Option<Place>,
    /// The rule that is contradicted; a pair of rules is reported once.
    other: String,
    message: String,
    help: &'static str,
}

fn faults(submission: &Submission, sets: &mut CaseSets<'_>) -> Vec<Fault> {
    let mut permitted = Vec::new();
    let mut required = Vec::new();
    for expectation in &submission.expectations {
        let cases = sets.of(expectation.cases.as_ref());
        let demand = |verdicts: &[Verdict]| Demand {
            expectation,
            cases: Rc::clone(&cases),
            verdicts: Verdicts::of(verdicts),
        };
        permitted.extend(expectation.permitted.as_deref().map(demand));
        required.extend(expectation.required.as_deref().map(demand));
        match expectation.use_for_time_limit {
            UseForTimeLimit::Lower => permitted.push(demand(&[
                Verdict::Accepted,
                Verdict::WrongAnswer,
                Verdict::RunTimeError,
            ])),
            UseForTimeLimit::Upper => required.push(demand(&[Verdict::TimeLimitExceeded])),
            UseForTimeLimit::AsExpected | UseForTimeLimit::Never => {}
        }
    }
    let disjoint: Vec<Fault> = disjoint_pairs(submission, &permitted, sets.data).collect();
    if !disjoint.is_empty() {
        return disjoint;
    }
    let unmet = required.iter().filter(|demand| !can_be_met(demand, &permitted));
    unmet.map(|demand| unmet_fault(submission, demand)).collect()
}

/// Two rules for the same case that permit nothing in common.
fn disjoint_pairs<'a>(
    submission: &'a Submission,
    permitted: &'a [Demand<'a>],
    data: &'a TestData,
) -> impl Iterator<Item = Fault> {
    let pairs = permitted
        .iter()
        .enumerate()
        .flat_map(|(at, b)| permitted[..at].iter().map(move |a| [a, b]));
    pairs.filter_map(move |[a, b]| {
        if !a.verdicts.and(b.verdicts).is_empty() {
            return None;
        }
        let case = (0..data.cases.len()).find(|&at| a.cases[at] && b.cases[at])?;
        let [a, b] = if b.expectation.place.is_some() { [a, b] } else { [b, a] };
        Some(Fault {
            place: b.expectation.place.clone(),
            other: described(a.expectation),
            message: format!(
                "no verdict of {} on {} can meet this rule and that of {}",
                submission.name,
                data.cases[case].name,
                described(a.expectation)
            ),
            help: "let their `permitted` have a verdict in common",
        })
    })
}

/// Whether some case may get a required verdict.
fn can_be_met(required: &Demand<'_>, permitted: &[Demand<'_>]) -> bool {
    let mut cases = (0..required.cases.len()).filter(|&at| required.cases[at]).peekable();
    if cases.peek().is_none() {
        return true;
    }
    cases.any(|at| {
        let holding = permitted.iter().filter(|demand| demand.cases[at]);
        let allowed = holding.fold(Verdicts::ALL, |allowed, demand| allowed.and(demand.verdicts));
        !allowed.and(required.verdicts).is_empty()
    })
}

fn unmet_fault(submission: &Submission, required: &Demand<'_>) -> Fault {
    let expectations = submission.expectations.iter().rev();
    let last_place = expectations.filter_map(|expectation| expectation.place.clone()).next();
    Fault {
        place: required.expectation.place.clone().or(last_place),
        other: described(required.expectation),
        message: format!(
            "{} cannot meet what is required by {}: no test case is permitted such a verdict",
            submission.name,
            described(required.expectation)
        ),
        help: "let `required` and `permitted` have a verdict in common",
    }
}

/// How a rule is named in messages.
fn described(expectation: &Expectation) -> String {
    let cases = expectation.cases.as_ref().map(|cases| format!(", {cases}"));
    let place = match expectation.place.as_ref().and_then(|place| place.spot.as_ref()) {
        Some(spot) => format!(" (line {})", spot.line),
        None => " (the format's default)".to_owned(),
    };
    format!("`{}{}`{place}", expectation.pattern, cases.unwrap_or_default())
}
