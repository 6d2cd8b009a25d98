//! Compares a submission's judgement with the author's expectations.
//!
//! A run on some of the test cases, or one that ended early, must not blame the author. So a rule about all cases is
//! broken by any of them, and a rule that asks for one case only if all of its cases ran.

use crate::judge::time_limit::case_filter;
use juror_core::judgement::{BrokenExpectation, CaseJudgement, Judgement};
use juror_core::pattern::Pattern;
use juror_core::score::Standing;
use juror_core::submission::{Expectation, UseForTimeLimit};
use juror_core::test_data::is_inside;
use juror_core::text::count;
use juror_core::verdict::Verdict;

/// The expectations that a judgement breaks.
///
/// `all_cases` names all test cases of the problem. A rule that asks for at least one case applies only if all of its
/// cases ran: a run on some of them (`--case`) cannot show that it is broken. A rule about no case never applies.
///
/// Source: problem package format 2025-09, "Example submissions".
pub fn broken_expectations(
    expectations: &[Expectation],
    judgement: &Judgement,
    all_cases: &[&str],
) -> Vec<BrokenExpectation> {
    let is_meant = |expectation: &Expectation| {
        let overall = expectation.overall.as_ref();
        overall.is_some_and(|overall| overall.verdicts.contains(&Verdict::CompileError))
    };
    if judgement.verdict == Verdict::CompileError && !expectations.is_empty() {
        if expectations.iter().any(is_meant) {
            return Vec::new();
        }
        return vec![BrokenExpectation {
            rule: "builds".to_owned(),
            reason: "compile error".to_owned(),
            test_case: None,
        }];
    }
    expectations
        .iter()
        .flat_map(|expectation| broken_rules(expectation, judgement, all_cases))
        .collect()
}

fn broken_rules(
    expectation: &Expectation,
    judgement: &Judgement,
    all_cases: &[&str],
) -> Vec<BrokenExpectation> {
    let about = case_filter(expectation);
    let cases: Vec<&CaseJudgement> =
        judgement.cases.iter().filter(|case| about(&case.test_case)).collect();
    let barred: Vec<BarredCase<'_>> =
        barred_cases(judgement, all_cases).filter(|barred| about(barred.test_case)).collect();
    let all = all_cases.iter().filter(|name| about(name)).count();
    let complete = cases.len() + barred.len() == all;
    let rule = CheckedRule {
        expectation,
        name: match &expectation.cases {
            None => expectation.pattern.clone(),
            Some(about) => format!("{}, {about}", expectation.pattern),
        },
        cases,
        barred,
        complete,
    };
    let required =
        required_sets(expectation).into_iter().filter_map(|required| rule.required(required));
    let permitted = rule.permitted().into_iter();
    let scores = rule.scores(judgement);
    let overall = rule.overall(judgement, all_cases.len());
    let others = overall.into_iter().chain(permitted).chain(required).chain(rule.message());
    others.chain(scores).collect()
}

/// A test case that did not run because another group was not passed.
///
/// It counts as not accepted.
///
/// Source: problem package format 2025-09, "Group dependencies".
struct BarredCase<'a> {
    test_case: &'a str,
    by: &'a str,
}

fn barred_cases<'a>(
    judgement: &'a Judgement,
    all_cases: &'a [&'a str],
) -> impl Iterator<Item = BarredCase<'a>> {
    let groups = judgement.score.iter().flat_map(|score| &score.groups);
    groups.flat_map(move |group| {
        let by = match &group.standing {
            Standing::Barred(by) => Some(by.as_str()),
            Standing::Complete | Standing::Partial => None,
        };
        let cases = all_cases.iter().copied().filter(|name| is_inside(name, &group.name));
        cases.filter_map(move |test_case| Some(BarredCase { test_case, by: by? }))
    })
}

struct CheckedRule<'a> {
    expectation: &'a Expectation,
    name: String,
    cases: Vec<&'a CaseJudgement>,
    /// Its cases that did not run, because of requirements of their group.
    barred: Vec<BarredCase<'a>>,
    /// Whether these are all of its cases.
    complete: bool,
}

impl CheckedRule<'_> {
    fn broken_with(&self, reason: String) -> BrokenExpectation {
        BrokenExpectation { rule: self.name.clone(), reason, test_case: None }
    }

    /// Checks the verdict of the submission. Needs all cases.
    fn overall(&self, judgement: &Judgement, all_cases: usize) -> Option<BrokenExpectation> {
        let overall = self.expectation.overall.as_ref()?;
        if judgement.cases.len() + judgement.skipped < all_cases {
            return None;
        }
        let got = judgement.verdict;
        let total = judgement.score.as_ref();
        // Other judges of such formats do not stop a run for its output. They see endless output reach the time limit.
        let is_endless = got == Verdict::OutputLimitExceeded
            && overall.verdicts.contains(&Verdict::TimeLimitExceeded);
        let is_met = is_endless || overall.verdicts.contains(&got.standard());
        let (reason, test_case) = if !is_met {
            let first = judgement.cases.iter().find(|case| case.verdict == got);
            let rejected = first.filter(|_| got != Verdict::Accepted);
            let on = rejected.map(|case| case.test_case.clone());
            let on_case = on.as_ref().map_or(String::new(), |case| format!(" on {case}"));
            (format!("expected {}; got {got}{on_case}", verdict_list(&overall.verdicts)), on)
        } else if overall.is_partial {
            let score = total.filter(|total| total.is_best)?.score?;
            (format!("expected less than the best score; got {score}"), None)
        } else {
            return None;
        };
        Some(BrokenExpectation { test_case, ..self.broken_with(reason) })
    }

    fn permitted(&self) -> Option<BrokenExpectation> {
        let permitted = effective_permitted(self.expectation)?;
        let outside: Vec<_> = self
            .cases
            .iter()
            .filter(|case| !permitted.contains(&case.verdict.standard()))
            .collect();
        let Some(first) = outside.first() else { return self.permitted_of_barred(&permitted) };
        let more = match outside.len() - 1 {
            0 => String::new(),
            more => format!(" and on {}", count(more, "more case")),
        };
        let (got, on) = (first.verdict, &first.test_case);
        let reason = format!("permitted {}; got {got} on {on}{more}", verdict_list(&permitted));
        Some(BrokenExpectation { test_case: Some(on.clone()), ..self.broken_with(reason) })
    }

    /// A case that did not run is not accepted. Its exact verdict is unknown.
    fn permitted_of_barred(&self, permitted: &[Verdict]) -> Option<BrokenExpectation> {
        let first = self.barred.first()?;
        if permitted.iter().any(|verdict| *verdict != Verdict::Accepted) {
            return None;
        }
        Some(self.broken_with(format!(
            "permitted {}; {} was not run because {} was not passed; it counts as not accepted",
            verdict_list(permitted),
            first.test_case,
            first.by
        )))
    }

    fn required(&self, required: &[Verdict]) -> Option<BrokenExpectation> {
        let rejections = [Verdict::WrongAnswer, Verdict::TimeLimitExceeded, Verdict::RunTimeError];
        let any_rejection = rejections.iter().all(|verdict| required.contains(verdict));
        let met = self.cases.iter().any(|case| required.contains(&case.verdict.standard()))
            || (any_rejection && !self.barred.is_empty());
        if met || !self.complete || (self.cases.is_empty() && self.barred.is_empty()) {
            return None;
        }
        let not_run = match self.barred.first() {
            None => String::new(),
            Some(first) => format!(
                "; {} not run, because {} was not passed",
                count(self.barred.len(), "case"),
                first.by
            ),
        };
        let got = match self.cases.len() {
            0 => "got none".to_owned(),
            number => format!("got only {} on {}", self.verdicts_seen(), count(number, "case")),
        };
        let required = verdict_list(required);
        Some(self.broken_with(format!("required {required} on at least one case; {got}{not_run}")))
    }

    fn message(&self) -> Option<BrokenExpectation> {
        let message = self.expectation.message.as_deref()?;
        let met =
            message.is_empty() || self.cases.iter().any(|case| case.message.contains(message));
        if met || !self.complete || self.cases.is_empty() {
            return None;
        }
        let cases = count(self.cases.len(), "case");
        Some(self.broken_with(format!(
            "the judge's message should contain `{message}` on at least one case; it does on none of {cases}"
        )))
    }

    /// Checks the score of the submission, or of each group that the rule names. An unknown score, because not all
    /// cases were selected, breaks nothing.
    fn scores(&self, judgement: &Judgement) -> Vec<BrokenExpectation> {
        let (Some(expected), Some(total)) = (self.expectation.score, &judgement.score) else {
            return Vec::new();
        };
        let pattern = self.expectation.cases.as_deref().map(Pattern::parse);
        let is_named = |name: &str| match &pattern {
            None => name == "secret",
            Some(Ok(pattern)) => pattern.matches_itself(name),
            Some(Err(_)) => false,
        };
        let whole = [("secret", total.score)].into_iter();
        let groups = total.groups.iter().filter(|group| !group.is_conditional);
        let scores = whole.chain(groups.map(|group| (group.name.as_str(), group.score)));
        scores
            .filter(|(name, _)| is_named(name))
            .filter_map(|(name, score)| {
                let score = score.filter(|score| !expected.contains(*score))?;
                let of = match &pattern {
                    None => String::new(),
                    Some(_) => format!(" of {name}"),
                };
                Some(self.broken_with(format!("expected a score{of} of {expected}; got {score}")))
            })
            .collect()
    }

    /// In the order of the verdicts.
    fn verdicts_seen(&self) -> String {
        let mut seen: Vec<Verdict> = self.cases.iter().map(|case| case.verdict).collect();
        seen.sort();
        seen.dedup();
        verdict_list(&seen)
    }
}

/// `use_for_time_limit: lower` means `permitted: [AC, WA, RTE]`.
pub(super) fn effective_permitted(expectation: &Expectation) -> Option<Vec<Verdict>> {
    let lower = (expectation.use_for_time_limit == UseForTimeLimit::Lower)
        .then(|| vec![Verdict::Accepted, Verdict::WrongAnswer, Verdict::RunTimeError]);
    match (&expectation.permitted, lower) {
        (Some(permitted), Some(lower)) => {
            Some(permitted.iter().copied().filter(|verdict| lower.contains(verdict)).collect())
        }
        (permitted, lower) => permitted.clone().or(lower),
    }
}

/// Sets of verdicts: one of each set must occur. `use_for_time_limit: upper` adds the set `[TLE]`.
pub(super) fn required_sets(expectation: &Expectation) -> Vec<&[Verdict]> {
    const UPPER: &[Verdict] = &[Verdict::TimeLimitExceeded];
    let required = expectation.required.as_deref();
    match expectation.use_for_time_limit {
        UseForTimeLimit::Upper => {
            let other = required.filter(|required| !required.contains(&UPPER[0]));
            other.into_iter().chain([UPPER]).collect()
        }
        _ => required.into_iter().collect(),
    }
}

fn verdict_list(verdicts: &[Verdict]) -> String {
    let names: Vec<&str> = verdicts.iter().map(|verdict| verdict.short()).collect();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [head @ .., last] => format!("{} or {last}", head.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::outcome::quiet_outcome;
    use juror_core::submission::OverallExpectation;

    const CASES: [&str; 4] = ["sample/1", "secret/easy/1", "secret/easy/2", "secret/hard/1"];

    fn verdict(short: &str) -> Verdict {
        Verdict::ALL.into_iter().find(|verdict| verdict.short() == short).unwrap()
    }

    fn verdicts(text: &str) -> Option<Vec<Verdict>> {
        (text != "-").then(|| text.split(' ').map(verdict).collect())
    }

    fn rule(cases: &str, permitted: &str, required: &str) -> Expectation {
        Expectation {
            pattern: "p".to_owned(),
            cases: (cases != "-").then(|| cases.to_owned()),
            permitted: verdicts(permitted),
            required: verdicts(required),
            message: None,
            overall: None,
            score: None,
            use_for_time_limit: UseForTimeLimit::AsExpected,
            place: None,
        }
    }

    fn judged(got: &str) -> Judgement {
        let cases: Vec<CaseJudgement> = got
            .split(' ')
            .zip(CASES)
            .map(|(short, name)| CaseJudgement {
                message: format!("said {short}"),
                outcome: Some(quiet_outcome()),
                ..CaseJudgement::new(name, verdict(short))
            })
            .collect();
        let mut verdicts = cases.iter().map(|case| case.verdict);
        let verdict = verdicts.find(|verdict| *verdict != Verdict::Accepted);
        Judgement {
            submission: "s".to_owned(),
            path: "s".into(),
            verdict: verdict.unwrap_or(Verdict::Accepted),
            score: None,
            cases: cases.into(),
            skipped: 0,
            spared: 0,
            compiler: None,
            warnings: Vec::new(),
            broken: Vec::new(),
        }
    }

    fn check(expectation: &Expectation, got: &str, expected: &[&str]) {
        let broken = broken_expectations(std::slice::from_ref(expectation), &judged(got), &CASES);
        let shown: Vec<String> =
            broken.iter().map(|broken| format!("{}: {}", broken.rule, broken.reason)).collect();
        assert_eq!(shown, expected, "{expectation:?} on {got}");
    }

    #[test]
    fn every_case_must_have_a_permitted_verdict() {
        check(&rule("-", "AC", "-"), "AC AC AC AC", &[]);
        check(
            &rule("-", "AC WA", "-"),
            "AC TLE WA RTE",
            &["p: permitted AC or WA; got TLE on secret/easy/1 and on 1 more case"],
        );
    }

    #[test]
    fn one_case_must_have_a_required_verdict() {
        check(&rule("-", "-", "WA"), "AC AC AC WA", &[]);
        check(
            &rule("-", "-", "WA TLE"),
            "AC AC RTE AC",
            &["p: required WA or TLE on at least one case; got only AC or RTE on 4 cases"],
        );
    }

    #[test]
    fn the_verdict_of_the_whole_is_one_of_those_expected() {
        let check = |verdicts: &str, got: &str, expected: &[&str]| {
            let overall = OverallExpectation {
                verdicts: verdicts.split(' ').map(verdict).collect(),
                is_partial: false,
            };
            let expectation = Expectation { overall: Some(overall), ..rule("-", "-", "-") };
            check(&expectation, got, expected);
        };
        check("AC", "AC AC AC AC", &[]);
        check("AC", "AC WA AC AC", &["p: expected AC; got WA on secret/easy/1"]);
        check("WA", "AC WA TLE RTE", &[]);
        check("WA", "AC TLE WA AC", &["p: expected WA; got TLE on secret/easy/1"]);
        check("WA", "AC AC AC AC", &["p: expected WA; got AC"]);
        check("RTE", "AC MLE AC AC", &[]);
        check("TLE RTE", "AC AC AC OLE", &[]);
        check("TLE", "AC AC AC OLE", &[]);
        check("TLE", "AC AC AC MLE", &["p: expected TLE; got MLE on secret/hard/1"]);
        check("CE AC", "CE", &[]);
        check("CE", "RTE AC AC AC", &["p: expected CE; got RTE on sample/1"]);
        check("RTE", "CE", &["builds: compile error"]);
        // Not all cases were selected.
        check("WA", "AC AC AC", &[]);
    }

    /// 2025-09, "Example submissions": rules that no verdict meets are broken, also those that
    /// contradict `use_for_time_limit`
    #[test]
    fn rules_that_no_verdict_meets_are_broken_by_every_judgement() {
        let upper =
            Expectation { use_for_time_limit: UseForTimeLimit::Upper, ..rule("-", "AC", "-") };
        let lower =
            Expectation { use_for_time_limit: UseForTimeLimit::Lower, ..rule("-", "-", "TLE") };
        let apart = vec![rule("-", "AC", "-"), rule("secret", "-", "WA")];
        for rules in [apart, vec![rule("-", "AC TLE", "WA")], vec![upper], vec![lower]] {
            for short in ["AC", "WA", "TLE", "RTE"] {
                for rest in ["AC AC AC", "TLE TLE TLE", "WA WA WA"] {
                    let got = format!("{short} {rest}");
                    let broken = broken_expectations(&rules, &judged(&got), &CASES);
                    assert!(!broken.is_empty(), "{rules:?} on {got}");
                }
            }
        }
    }

    #[test]
    fn a_rule_about_a_group_looks_at_its_cases_only() {
        check(&rule("secret/easy", "AC", "-"), "WA AC AC WA", &[]);
        check(
            &rule("secret/*/1", "AC", "-"),
            "WA AC WA WA",
            &["p, secret/*/1: permitted AC; got WA on secret/hard/1"],
        );
        check(
            &rule("secret/hard", "-", "WA"),
            "WA WA WA AC",
            &["p, secret/hard: required WA on at least one case; got only AC on 1 case"],
        );
    }

    #[test]
    fn memory_and_output_excess_count_as_run_time_errors() {
        check(&rule("-", "AC RTE", "RTE"), "AC MLE OLE AC", &[]);
        check(
            &rule("-", "AC", "-"),
            "AC MLE AC AC",
            &["p: permitted AC; got MLE on secret/easy/1"],
        );
    }

    #[test]
    fn a_run_on_some_cases_breaks_no_rule_that_needs_all_of_them() {
        check(&rule("-", "-", "WA"), "AC AC AC", &[]);
        check(
            &rule("secret/easy", "-", "WA"),
            "AC AC AC",
            &["p, secret/easy: required WA on at least one case; got only AC on 2 cases"],
        );
    }

    #[test]
    fn the_message_must_appear_once() {
        let mut expectation = rule("-", "-", "-");
        expectation.message = Some("said WA".to_owned());
        check(&expectation, "AC AC WA AC", &[]);
        check(
            &expectation,
            "AC AC AC AC",
            &[
                "p: the judge's message should contain `said WA` on at least one case; it does on none of 4 cases",
            ],
        );
    }

    #[test]
    fn time_limit_bounds_are_expectations_too() {
        let mut expectation = rule("-", "-", "-");
        expectation.use_for_time_limit = UseForTimeLimit::Lower;
        check(
            &expectation,
            "AC TLE WA RTE",
            &["p: permitted AC, WA or RTE; got TLE on secret/easy/1"],
        );
        expectation.use_for_time_limit = UseForTimeLimit::Upper;
        check(
            &expectation,
            "AC AC WA RTE",
            &["p: required TLE on at least one case; got only AC, WA or RTE on 4 cases"],
        );
        expectation.required = verdicts("WA");
        check(&expectation, "AC TLE WA AC", &[]);
        check(
            &expectation,
            "AC TLE AC AC",
            &["p: required WA on at least one case; got only AC or TLE on 4 cases"],
        );
        check(
            &expectation,
            "AC WA AC AC",
            &["p: required TLE on at least one case; got only AC or WA on 4 cases"],
        );
        expectation.required = verdicts("TLE");
        check(
            &expectation,
            "AC AC AC AC",
            &["p: required TLE on at least one case; got only AC on 4 cases"],
        );
    }
}
