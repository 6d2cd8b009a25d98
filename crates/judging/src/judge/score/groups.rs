//! Scores by test data groups: each group, and `secret`, takes the sum or the least score, or asks for all cases.
//!
//! Source: problem package format 2025-09, "Scoring problems".

use std::collections::{HashMap, HashSet};

use crate::judge::score::{CaseResult, RunPolicy};
use crate::plan::schedule::{EndCondition, Schedule, Section, SectionPart, SectionResult};
use juror_core::score::{
    Aggregation, CaseScoring, GroupScore, GroupScoring, Score, Standing, TotalScore,
};
use juror_core::test_data::{StaticCase, TestCase, TestData, enclosing_groups, is_inside};
use juror_core::verdict::Verdict;

const SAMPLE: &str = "sample";
const SECRET: &str = "secret";

/// Root, samples and `secret` come before it.
const FIRST_GROUP: usize = 3;

const REJECTED: CaseResult = CaseResult { verdict: Verdict::WrongAnswer, score: Some(Score::ZERO) };

/// Combines the test cases of a scoring problem into a score.
pub struct GroupScheme<'a> {
    /// The parent of all groups but the samples: `secret`, or the first group of a format without it.
    root: &'a str,
    secret: &'a GroupScoring,
    /// The groups of `secret`; without groups `secret` itself.
    groups: Vec<ScoredGroup<'a>>,
    /// The index of the first group that has this case.
    group_of_case: HashMap<&'a str, usize>,
    has_groups: bool,
    static_cases: &'a [StaticCase],
    samples: Vec<&'a str>,
    /// Whether rejected test cases may be worth something. It depends on the format.
    pub(super) has_parts: bool,
}

/// A test data group, or the static validation of `secret`, which counts like one.
struct ScoredGroup<'a> {
    name: &'a str,
    scoring: GroupScoring,
    cases: Vec<&'a str>,
}

/// The static validation of `secret` counts like a group.
fn static_case_group(case: &StaticCase) -> ScoredGroup<'_> {
    let (name, max_score) = (&case.test_case.name, case.max_score);
    // With points, a sum of the one case would be the same.
    let aggregation = max_score.map_or(Aggregation::PassFail, |_| Aggregation::Min);
    let scoring = GroupScoring { max_score, aggregation, require_pass: Vec::new() };
    ScoredGroup { name, scoring, cases: vec![name] }
}

impl<'a> GroupScheme<'a> {
    /// `None` if `secret` has no score.
    pub fn from_test_data(data: &'a TestData) -> Option<Self> {
        let has_group = |name: &str| data.groups.iter().any(|group| group.name == name);
        let is_root = |name: &str| name == SECRET || !has_group(SECRET);
        let mut scored = data.groups.iter().filter(|group| group.scoring.is_some());
        let root = scored.find(|group| is_root(&group.name))?;
        let (root, secret) = (root.name.as_str(), root.scoring.as_ref()?);
        // In a root without a name, a case may be in the group of samples, too: no case is in two groups.
        let has_samples = has_group(SAMPLE) || !root.is_empty();
        let mut by_group: HashMap<&str, Vec<&'a str>> = HashMap::new();
        for case in data.judged_cases() {
            let name = case.test_case().name.as_str();
            let is_sample = has_samples && is_inside(name, SAMPLE);
            for group in enclosing_groups(name).filter(|name| is_sample == (*name == SAMPLE)) {
                by_group.entry(group).or_default().push(name);
            }
        }
        let inside = |group: &str| by_group.get(group).cloned().unwrap_or_default();
        let named = data.groups.iter().filter(|group| is_inside(&group.name, root));
        let mut groups: Vec<ScoredGroup<'a>> = named
            .filter_map(|group| {
                let (name, scoring) = (group.name.as_str(), group.scoring.clone()?);
                Some(ScoredGroup { name, scoring, cases: inside(name) })
            })
            .collect();
        let has_groups = !groups.is_empty();
        if has_groups {
            let of_secret = data.static_cases.iter().filter(|case| case.group == SECRET);
            // First, as in judging order.
            groups.splice(..0, of_secret.map(static_case_group));
        } else {
            groups.push(ScoredGroup { name: root, scoring: secret.clone(), cases: inside(root) });
        }
        let mut group_of_case = HashMap::new();
        for (index, group) in groups.iter().enumerate() {
            for name in &group.cases {
                group_of_case.entry(*name).or_insert(index);
            }
        }
        let mut loose = inside(root);
        loose.retain(|name| !group_of_case.contains_key(name));
        if !loose.is_empty() {
            let is_loose = |case: &&TestCase| {
                is_inside(&case.name, root) && !group_of_case.contains_key(&*case.name)
            };
            let own = data.cases.iter().filter(is_loose);
            let most = own.map(|case| case.points.unwrap_or_default().points()).sum();
            let (max_score, aggregation) = (Score::new(most), Aggregation::Sum);
            let scoring = GroupScoring { max_score, aggregation, require_pass: Vec::new() };
            group_of_case.extend(loose.iter().map(|name| (*name, groups.len())));
            groups.push(ScoredGroup { name: root, scoring, cases: loose });
        }
        Some(Self {
            root,
            secret,
            groups,
            group_of_case,
            has_groups,
            static_cases: &data.static_cases,
            samples: inside(SAMPLE),
            has_parts: false,
        })
    }

    pub fn case_scoring(&self, test_case: &TestCase) -> CaseScoring {
        let name = test_case.name.as_str();
        let Some(&index) = self.group_of_case.get(name) else { return CaseScoring::Ignored };
        let group = &self.groups[index];
        let static_case = self.static_cases.iter().find(|case| case.group == group.name);
        if let Some(case) = static_case.filter(|case| case.test_case.name == name) {
            return case.max_score.map_or(CaseScoring::Forbidden, CaseScoring::UpTo);
        }
        match (group.scoring.aggregation, group.scoring.max_score, test_case.points) {
            (Aggregation::PassFail, _, _) => CaseScoring::Forbidden,
            (_, None, _) => CaseScoring::Unbounded,
            (Aggregation::Min, Some(max), _) => CaseScoring::UpTo(max),
            (Aggregation::Sum, Some(_), Some(points)) => CaseScoring::UpTo(points),
            (Aggregation::Sum, Some(max), None) => {
                let looked_at = static_case.and_then(|case| case.max_score).unwrap_or_default();
                let number = group.cases.len() - usize::from(static_case.is_some());
                let share = (max.points() - looked_at.points()) / number.max(1) as f64;
                CaseScoring::UpTo(Score::new(share).unwrap_or(max))
            }
        }
    }

    /// Which of these cases run, depending on earlier results. A group never runs if its requirements are not met.
    pub fn schedule(&self, cases: &[&str], policy: RunPolicy) -> Schedule {
        let selected: HashSet<&str> = cases.iter().copied().collect();
        let cases_of = |names: &[&str]| {
            let count = names.iter().filter(|name| selected.contains(*name)).count();
            vec![SectionPart::Cases(count)]
        };
        // For `secret`, too: a group counts in it as accepted or rejected, so any of its rejections is a worthless one.
        let ends_on = |aggregation| match (policy, aggregation) {
            (RunPolicy::AllAllowed | RunPolicy::Proving, _) | (_, Aggregation::Sum) => {
                EndCondition::Never
            }
            (RunPolicy::Counting | RunPolicy::AllButSlow, Aggregation::Min) => {
                EndCondition::WorthlessRejection
            }
            (RunPolicy::Counting | RunPolicy::AllButSlow, Aggregation::PassFail) => {
                EndCondition::Rejection
            }
        };
        let group_section = |group| {
            let requires = self.required_groups(group).filter_map(|name| match name {
                SAMPLE => Some(FIRST_GROUP - 2),
                name => {
                    let index = self.groups.iter().position(|group| group.name == name)?;
                    Some(FIRST_GROUP + index)
                }
            });
            let ends_on = ends_on(group.scoring.aggregation);
            independent_section(cases_of(&group.cases), requires.collect(), ends_on)
        };
        let groups = self.groups.iter().map(group_section).collect();
        let samples = cases_of(&self.samples);
        let samples = independent_section(samples, Vec::new(), EndCondition::Never);
        let secret = independent_section(groups, Vec::new(), ends_on(self.secret.aggregation));
        Schedule::new(vec![samples, secret], EndCondition::Never)
    }

    /// The groups that are worth nothing after a rejection; `None` if groups have requirements.
    pub fn all_or_nothing_groups(&self) -> Option<Vec<&'a str>> {
        if self.groups.iter().any(|group| self.required_groups(group).next().is_some()) {
            return None;
        }
        let groups = self.groups.iter().filter(|group| match group.scoring.aggregation {
            Aggregation::PassFail => true,
            Aggregation::Min => !self.has_parts,
            Aggregation::Sum => false,
        });
        Some(groups.map(|group| group.name).collect())
    }

    /// The groups that must be passed before a group runs.
    fn required_groups<'s>(&'s self, group: &'s ScoredGroup<'a>) -> impl Iterator<Item = &'s str> {
        // Without groups, `group` is `secret` itself and has these requirements.
        let whole: &[String] = if self.has_groups { &self.secret.require_pass } else { &[] };
        whole.iter().chain(&group.scoring.require_pass).map(String::as_str)
    }

    /// For a submission that runs on no case.
    pub fn zero_score(&self) -> TotalScore {
        let (score, max_score) = (Some(Score::ZERO), self.secret.max_score);
        TotalScore { score, max_score, ..TotalScore::default() }
    }

    /// `result` is `None` for a case that did not run.
    ///
    /// The error names a group whose score is too high: a fault of the package.
    pub fn total(&self, result: impl Fn(&str) -> Option<CaseResult>) -> Result<TotalScore, String> {
        let mut groups: Vec<GroupScore> = Vec::new();
        let mut all = Vec::new();
        let mut passed = HashMap::from([(SAMPLE, is_passed(&self.samples, &result))]);
        for group in &self.groups {
            let state = |name: &&str| passed.get(name).copied().unwrap_or(Some(false));
            let barred = self.required_groups(group).find(|name| state(name) == Some(false));
            let is_open = self.required_groups(group).all(|name| state(&name) == Some(true));
            let mut results: Vec<Option<CaseResult>> = vec![Some(REJECTED); group.cases.len()];
            // A barred group counts as not accepted.
            let (mut is_passed, mut score) = (Some(false), Some(Score::ZERO));
            if barred.is_none() {
                results = group.cases.iter().map(|name| result(name)).collect();
                let all = self::is_passed(&group.cases, &result);
                is_passed = all.filter(|is_passed| is_open || !is_passed);
                score = aggregate(&group.scoring, &results);
            }
            passed.insert(group.name, is_passed);
            check_bound(group.name, score, group.scoring.max_score)?;
            let standing = match barred {
                Some(by) => Standing::Barred(by.to_owned()),
                None if results.iter().all(Option::is_some) => Standing::Complete,
                None => Standing::Partial,
            };
            groups.push(GroupScore {
                is_conditional: barred.is_none() && !is_open,
                name: group.name.to_owned(),
                score,
                max_score: group.scoring.max_score,
                standing,
            });
            all.extend(results);
        }
        let score = match (self.has_groups, self.secret.aggregation) {
            (false, _) => groups.first().and_then(|group| group.score),
            (true, Aggregation::PassFail) => aggregate(self.secret, &all),
            (true, Aggregation::Sum | Aggregation::Min) => {
                let worth = |group: &GroupScore| {
                    let score = Some(group.score?);
                    Some(CaseResult { verdict: Verdict::Accepted, score })
                };
                let worths: Vec<Option<CaseResult>> = groups.iter().map(worth).collect();
                aggregate(self.secret, &worths)
            }
        };
        check_bound(self.root, score, self.secret.max_score)?;
        // Test cases of the root in no group count, but have no name together.
        groups.retain(|group| self.has_groups && group.name != self.root);
        Ok(TotalScore { score, groups, ..self.zero_score() })
    }
}

fn independent_section(
    parts: Vec<SectionPart>,
    requires: Vec<usize>,
    ends_on: EndCondition,
) -> SectionPart {
    let result = SectionResult::UnlessCut;
    SectionPart::Section(Section { parts, requires, ends_on, result })
}

/// `None` if all cases that ran are accepted, and some did not run.
fn is_passed(cases: &[&str], result: impl Fn(&str) -> Option<CaseResult>) -> Option<bool> {
    let mut results = cases.iter().map(|name| Some(result(name)?.is_accepted()));
    if results.clone().any(|result| result == Some(false)) {
        Some(false)
    } else {
        results.all(|result| result.is_some()).then_some(true)
    }
}

/// `None` if parts that did not run could change the score.
fn aggregate(scoring: &GroupScoring, results: &[Option<CaseResult>]) -> Option<Score> {
    let max_score = scoring.max_score;
    let known = || results.iter().flatten();
    let points = || known().map(|result| result.score.unwrap_or_default().points());
    let is_known = results.iter().all(Option::is_some);
    let points = match scoring.aggregation {
        Aggregation::PassFail if known().any(|result| !result.is_accepted()) => Some(0.0),
        Aggregation::Min if points().any(|points| points == 0.0) => Some(0.0),
        _ if !is_known => None,
        Aggregation::PassFail => max_score.map(Score::points),
        Aggregation::Min => points().reduce(f64::min),
        Aggregation::Sum => Some(points().sum()),
    };
    let score = Score::new(points?)?;
    // Equal shares of a whole have rounding errors.
    match max_score {
        Some(max) if !score.exceeds(max) && !max.exceeds(score) => Some(max),
        _ => Some(score),
    }
}

fn check_bound(name: &str, score: Option<Score>, max: Option<Score>) -> Result<(), String> {
    match (score, max) {
        (Some(score), Some(max)) if score.exceeds(max) => {
            Err(format!("the score of {name} is {score}, more than its greatest score of {max}"))
        }
        _ => Ok(()),
    }
}
