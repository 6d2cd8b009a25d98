//! Which runs prove what is expected of a submission, in which order, and when the others can prove nothing more.
//! Pure.
//!
//! A rule is either about each of its test cases, which then must run, or asks for one of them, which then suffices.
//! The omitted runs cannot change whether a rule holds, the time limit that follows from the submission, or its score.
//! All cases of a group run, unless the group is already worth nothing.

use std::time::Duration;

use crate::judge::expect::{effective_permitted, required_sets};
use crate::judge::time_limit::{case_filter, is_too_slow, is_upper_bound};
use juror_core::judgement::CaseJudgement;
use juror_core::outcome::Outcome;
use juror_core::submission::Expectation;
use juror_core::test_data::is_inside;
use juror_core::verdict::Verdict;

/// A test case on which a submission has not run yet.
#[derive(Clone, Copy, Debug)]
pub struct UnprovedCase<'a> {
    pub name: &'a str,
    pub size: u64,
}

/// What is not proved yet about a submission.
#[derive(Debug)]
pub struct Proof {
    pub(super) order: Vec<usize>,
    /// The number of first runs that are made in any case.
    pub(super) necessary: usize,
    pub(super) results: usize,
    is_rejected: bool,
    /// Whether a verdict was not permitted. Then all cases run, to count such verdicts.
    is_broken: bool,
    permissions: Vec<Permission>,
    demands: Vec<ProofDemand>,
    /// A run of this time is too slow by the margin; `None` without limit.
    slow: Option<Duration>,
}

#[derive(Debug)]
struct Permission {
    /// By test case.
    about: Vec<bool>,
    permitted: Vec<Verdict>,
}

/// Something that one of its test cases must show.
#[derive(Debug)]
struct ProofDemand {
    /// By test case.
    about: Vec<bool>,
    property: DemandedProperty,
}

#[derive(Debug)]
enum DemandedProperty {
    OneOf(Vec<Verdict>),
    Message(String),
    /// The run is too slow by the margin.
    Slow,
    /// The first rejection has one of these verdicts.
    First(Vec<Verdict>),
    /// The worth of a group is known: it is nothing as soon as one case is rejected, otherwise all cases must run. The
    /// number of cases that are left.
    Worth(usize),
}

const STANDARD: [Verdict; 4] =
    [Verdict::Accepted, Verdict::WrongAnswer, Verdict::TimeLimitExceeded, Verdict::RunTimeError];

impl Proof {
    /// What these rules need for a submission on all test cases of a problem, in judging order. In scoring problems,
    /// `brittle` has the groups that are worth nothing after a rejection. `None` if every test case must run.
    pub fn of(
        rules: &[Expectation],
        cases: &[UnprovedCase<'_>],
        brittle: Option<&[&str]>,
        slow: Option<Duration>,
    ) -> Option<Self> {
        // Every test case outside of those groups may count.
        let is_brittle =
            |name: &str| brittle.is_none_or(|all| all.iter().any(|group| is_inside(name, group)));
        let mut is_necessary: Vec<bool> = cases.iter().map(|case| !is_brittle(case.name)).collect();
        let (mut permissions, mut demands) = (Vec::new(), Vec::new());
        for rule in rules {
            let means = case_filter(rule);
            let about: Vec<bool> = cases.iter().map(|case| means(case.name)).collect();
            let permitted = effective_permitted(rule);
            let permitted = permitted.filter(|set| !STANDARD.iter().all(|one| set.contains(one)));
            // The slowest run that must not be too slow bounds the time limit.
            if permitted.is_some() || rule.is_lower_bound() {
                is_necessary.iter_mut().zip(&about).for_each(|(is, about)| *is |= about);
            }
            if let Some(permitted) = permitted {
                permissions.push(Permission { about: about.clone(), permitted });
            }
            if let Some(overall) = &rule.overall {
                let about = vec![true; cases.len()];
                demands.push(ProofDemand {
                    about,
                    property: DemandedProperty::First(overall.verdicts.clone()),
                });
            }
            if !about.contains(&true) {
                continue;
            }
            let one_of =
                required_sets(rule).into_iter().map(|set| DemandedProperty::OneOf(set.to_vec()));
            let message = rule.message.iter().filter(|message| !message.is_empty());
            let message = message.map(|message| DemandedProperty::Message(message.clone()));
            let slow = is_upper_bound(rule).then_some(DemandedProperty::Slow);
            let whats = one_of.chain(message).chain(slow);
            demands.extend(whats.map(|what| ProofDemand { about: about.clone(), property: what }));
        }
        let is_scored = brittle.is_some() && rules.iter().any(|rule| rule.score.is_some());
        if (demands.is_empty() && !is_scored) || !is_necessary.contains(&false) {
            return None;
        }
        for group in brittle.into_iter().flatten() {
            let about: Vec<bool> = cases.iter().map(|case| is_inside(case.name, group)).collect();
            let number = about.iter().filter(|about| **about).count();
            demands.push(ProofDemand { about, property: DemandedProperty::Worth(number) });
        }
        let (order, necessary) = order_runs(cases, &is_necessary, &demands);
        Some(Self {
            order,
            necessary,
            results: 0,
            is_rejected: false,
            is_broken: false,
            permissions,
            demands,
            slow,
        })
    }

    /// Adds the result of the next run, on the case with this index. Returns whether the other runs can prove nothing
    /// more.
    pub fn add_result(&mut self, index: usize, case: &CaseJudgement) -> bool {
        self.results += 1;
        let verdict = case.verdict.standard();
        let is_first = !self.is_rejected && verdict != Verdict::Accepted;
        self.is_rejected |= is_first;
        let mut permissions = self.permissions.iter().filter(|permission| permission.about[index]);
        self.is_broken |= permissions.any(|permission| !permission.permitted.contains(&verdict));
        let slow = self.slow;
        // A result that may differ in another run proves nothing. But a run that was stopped would be stopped again.
        let is_stopped = case.outcome.as_ref().is_some_and(Outcome::is_stopped_for_time);
        let is_firm = is_stopped || !case.is_sensitive();
        self.demands.retain_mut(|ProofDemand { about, property: what }| {
            if let DemandedProperty::Worth(left) = what {
                *left -= usize::from(about[index]);
                // With the margin it may be accepted.
                let is_nothing = verdict != Verdict::Accepted && case.with_margin.is_none();
                return !(about[index] && is_firm && is_nothing) && *left > 0;
            }
            let is_met = match what {
                DemandedProperty::OneOf(verdicts) => verdicts.contains(&verdict),
                DemandedProperty::Message(message) => case.message.contains(message.as_str()),
                DemandedProperty::Slow => is_too_slow(case, slow),
                DemandedProperty::First(verdicts) => is_first && verdicts.contains(&verdict),
                DemandedProperty::Worth(_) => false,
            };
            !(is_met && is_firm && about[index])
        });
        // A submission that fails later must not be reported as accepted.
        let is_proved = self.demands.is_empty() && !self.is_broken;
        is_proved && self.is_rejected && self.results >= self.necessary
    }
}

/// The order of the runs, and how many first ones are necessary.
fn order_runs(
    cases: &[UnprovedCase<'_>],
    is_necessary: &[bool],
    demands: &[ProofDemand],
) -> (Vec<usize>, usize) {
    let all = 0..cases.len();
    if demands.iter().any(|demand| matches!(demand.property, DemandedProperty::First(_))) {
        let last = all.clone().rfind(|case| is_necessary[*case]);
        return (all.collect(), last.map_or(0, |last| last + 1));
    }
    let (mut order, mut others): (Vec<usize>, Vec<usize>) =
        all.partition(|case| is_necessary[*case]);
    let necessary = order.len();
    let is_slow = |demand: &ProofDemand| match &demand.property {
        DemandedProperty::Slow => true,
        DemandedProperty::OneOf(verdicts) => *verdicts == [Verdict::TimeLimitExceeded],
        DemandedProperty::Message(_) | DemandedProperty::First(_) | DemandedProperty::Worth(_) => {
            false
        }
    };
    let mut slow: Vec<&ProofDemand> = demands.iter().filter(|demand| is_slow(demand)).collect();
    if slow.is_empty() {
        order.extend(others);
        return (order, necessary);
    }
    others.sort_by_key(|case| {
        let is_asked = slow.iter().any(|demand| demand.about[*case]);
        (!is_asked, std::cmp::Reverse(cases[*case].size))
    });
    // First the cases that each meet a new demand, then those that would meet the same demands again.
    let meets_new_demand = |case: &usize| {
        let before = slow.len();
        slow.retain(|demand| !demand.about[*case]);
        slow.len() < before
    };
    let (first, mut again): (Vec<usize>, Vec<usize>) =
        others.into_iter().partition(meets_new_demand);
    // A case of `first` may leave its group worth nothing. Then other cases of the group need not run.
    let is_with_one = |case: usize| {
        let groups =
            demands.iter().filter(|demand| matches!(demand.property, DemandedProperty::Worth(_)));
        let mut groups = groups.map(|demand| &demand.about).filter(|about| about[case]);
        groups.any(|about| first.iter().any(|case| about[*case]))
    };
    again.sort_by_key(|case| is_with_one(*case));
    order.extend(first.into_iter().chain(again));
    (order, necessary)
}

#[cfg(test)]
mod tests;
