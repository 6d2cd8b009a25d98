//! Scores by a tree of test data groups: in each group, a grader combines all results into one.
//!
//! Source: problem package format legacy, "Test data groups", "Graders".

use std::collections::HashSet;

use crate::judge::score::default_grader::grade;
use crate::judge::score::{CaseResult, SubmissionTotal, score_error};
use crate::plan::schedule::{EndCondition, Schedule, Section, SectionPart, SectionResult};
use juror_core::grader::{
    Dialect, Grader, GraderModes, Graders, GradingKeys, GroupGrading, Objective, OnReject,
    VerdictMode,
};
use juror_core::score::{CaseScoring, CustomScore, GroupScore, Score, Standing, TotalScore};
use juror_core::stop::Stop;
use juror_core::test_data::{TestCase, TestData, is_inside};
use juror_core::verdict::Verdict;

/// The package's own grader combines the results into one. The first argument has its flags.
pub type CustomGrader<'a> = &'a dyn Fn(&[String], &[CaseResult]) -> Result<CaseResult, Stop>;

pub struct GroupTree<'a> {
    graders: &'a Graders,
    is_scoring: bool,
    root: TreeGroup<'a>,
}

/// A test data group with a case in it or below it.
struct TreeGroup<'a> {
    /// Empty for the root.
    name: &'a str,
    grading: GroupGrading,
    /// In judging order.
    parts: Vec<TreePart<'a>>,
}

enum TreePart<'a> {
    Case(&'a str),
    Group(TreeGroup<'a>),
}

impl<'a> TreeGroup<'a> {
    fn new(name: &'a str, graders: &Graders, parent: Option<&TreeGroup<'_>>) -> Self {
        let own = graders.groups.iter().find(|group| group.name == name);
        let grading = match (own, parent) {
            (Some(own), _) => own.grading.clone(),
            (None, Some(parent)) => parent.grading.clone(),
            (None, None) => GradingKeys::default().with_defaults(),
        };
        Self { name, grading, parts: Vec::new() }
    }

    /// Adds a case to this group or, if it is deeper, to a group below.
    fn insert(&mut self, case: &'a str, graders: &Graders) {
        let start = if self.name.is_empty() { 0 } else { self.name.len() + 1 };
        let Some(end) = case[start..].find('/') else {
            return self.parts.push(TreePart::Case(case));
        };
        let name = &case[..start + end];
        let is_group =
            |part: &TreePart<'_>| matches!(part, TreePart::Group(group) if group.name == name);
        let index = self.parts.iter().rposition(is_group).unwrap_or_else(|| {
            let group = TreeGroup::new(name, graders, Some(self));
            self.parts.push(TreePart::Group(group));
            self.parts.len() - 1
        });
        if let TreePart::Group(group) = &mut self.parts[index] {
            group.insert(case, graders);
        }
    }

    /// The group that contains the case directly.
    fn innermost_group(&self, case: &str) -> &Self {
        let inner = self.parts.iter().find_map(|part| match part {
            TreePart::Group(group) if is_inside(case, group.name) => {
                Some(group.innermost_group(case))
            }
            _ => None,
        });
        inner.unwrap_or(self)
    }

    fn section(&self, selected: &HashSet<&str>) -> Section {
        let parts = self.parts.iter().filter_map(|part| match part {
            TreePart::Case(name) => selected.contains(name).then_some(SectionPart::Cases(1)),
            TreePart::Group(group) => {
                let section = group.section(selected);
                (!section.parts.is_empty()).then_some(SectionPart::Section(section))
            }
        });
        Section {
            parts: parts.collect(),
            requires: Vec::new(),
            ends_on: match self.grading.on_reject {
                OnReject::Break => EndCondition::Rejection,
                OnReject::Continue => EndCondition::Never,
            },
            result: match &self.grading.grader {
                // Only a run of its grader gives its result.
                Grader::Custom(_) => SectionResult::Acceptance,
                Grader::Default(modes) => section_result(*modes),
            },
        }
    }
}

fn section_result(modes: GraderModes) -> SectionResult {
    match modes.verdict {
        VerdictMode::AlwaysAccept => SectionResult::Acceptance,
        _ if modes.ignore_sample => SectionResult::Last,
        _ if modes.accept_if_any_accepted => SectionResult::Any,
        VerdictMode::WorstError | VerdictMode::FirstError => SectionResult::All,
    }
}

impl<'a> GroupTree<'a> {
    pub fn new(data: &'a TestData, graders: &'a Graders, is_scoring: bool) -> Self {
        let mut root = TreeGroup::new("", graders, None);
        for case in data.judged_cases() {
            root.insert(&case.test_case().name, graders);
        }
        Self { graders, is_scoring, root }
    }

    pub fn case_scoring(&self, test_case: &TestCase) -> CaseScoring {
        let grading = &self.root.innermost_group(&test_case.name).grading;
        if self.is_scoring {
            CaseScoring::Graded {
                accept: grading.accept_score,
                reject: grading.reject_score,
                custom: self.graders.custom_score,
            }
        } else {
            CaseScoring::Forbidden
        }
    }

    /// Which of these cases run, depending on earlier results.
    pub fn schedule(&self, cases: &[&str]) -> Schedule {
        let cases: HashSet<&str> = cases.iter().copied().collect();
        Schedule { root: self.root.section(&cases) }
    }

    /// `result` is `None` for a case that was not selected.
    ///
    /// Fails if a grader gives no result.
    pub fn total(
        &self,
        result: &dyn Fn(&str) -> Option<CaseResult>,
        custom: CustomGrader<'_>,
    ) -> Result<SubmissionTotal<'a>, Stop> {
        let mut grading = TreeGrading {
            tree: self,
            result,
            custom,
            groups: Vec::new(),
            counted: Vec::new(),
            impossible: Vec::new(),
        };
        let root = grading.group(&self.root)?;
        let TreeGrading { mut groups, counted, impossible, .. } = grading;
        // The root is the whole submission.
        groups.retain(|group| !group.name.is_empty());
        let is_known = root.as_ref().is_some_and(|root| root.is_known);
        let graded = root.map(|root| root.result);
        let verdict = graded.map_or(Verdict::Accepted, |graded| graded.verdict);
        let is_accepted = verdict == Verdict::Accepted;
        let range = self.root.grading.range;
        let score = graded.and_then(|graded| graded.score).filter(|_| is_known);
        let is_best = match (score, range.best(self.graders.objective)) {
            (Some(score), Some(best)) => !score.exceeds(best) && !best.exceeds(score),
            _ => false,
        };
        let score = match (is_accepted, self.graders.objective) {
            (true, _) => Some(score),
            // The score of a rejected submission is ignored.
            (false, Objective::Max) => Some(is_known.then_some(Score::ZERO)),
            (false, Objective::Min) => None,
        };
        let total = |score| TotalScore {
            score,
            max_score: self.greatest_score(&self.root),
            groups,
            is_best: is_accepted && is_best,
        };
        Ok(SubmissionTotal {
            verdict: Some(verdict),
            score: score.filter(|_| self.is_scoring).map(total),
            counted: Some(counted),
            impossible,
        })
    }

    /// Set if the greatest score is the best one, and there is a bound.
    fn greatest_score(&self, group: &TreeGroup<'_>) -> Option<Score> {
        group.grading.range.to.filter(|_| self.graders.objective == Objective::Max)
    }

    /// For a submission that runs on no case.
    pub fn zero_score(&self) -> Option<TotalScore> {
        self.is_scoring.then(|| TotalScore {
            score: Some(Score::ZERO),
            max_score: self.greatest_score(&self.root),
            ..TotalScore::default()
        })
    }
}

struct TreeGrading<'t, 'a> {
    tree: &'t GroupTree<'a>,
    result: &'t dyn Fn(&str) -> Option<CaseResult>,
    custom: CustomGrader<'t>,
    /// A group comes before the groups in it.
    groups: Vec<GroupScore>,
    counted: Vec<&'a str>,
    impossible: Vec<String>,
}

struct GroupResult {
    result: CaseResult,
    /// Whether all cases of the group were selected.
    is_known: bool,
}

impl<'a> TreeGrading<'_, 'a> {
    /// `None` if no case of the group was selected.
    fn group(&mut self, group: &TreeGroup<'a>) -> Result<Option<GroupResult>, Stop> {
        let group_index = self.groups.len();
        self.groups.push(GroupScore {
            is_conditional: false,
            name: group.name.to_owned(),
            score: None,
            max_score: self.tree.greatest_score(group),
            standing: Standing::Partial,
        });
        let mut results = Vec::new();
        let mut is_known = true;
        let mut is_complete = true;
        let mut parts = group.parts.iter();
        for part in parts.by_ref() {
            let result = match part {
                TreePart::Case(name) => {
                    let result = (self.result)(name);
                    self.counted.extend(result.map(|_| *name));
                    is_known &= result.is_some();
                    result
                }
                TreePart::Group(inner) => {
                    let inner_index = self.groups.len();
                    let graded = self.group(inner)?;
                    let standing = self.groups.get(inner_index).map(|group| &group.standing);
                    is_complete &= standing == Some(&Standing::Complete);
                    is_known &= graded.as_ref().is_some_and(|graded| graded.is_known);
                    graded.map(|graded| graded.result)
                }
            };
            let Some(result) = result else { continue };
            results.push(result);
            if !result.is_accepted() && group.grading.on_reject == OnReject::Break {
                break;
            }
        }
        if results.is_empty() {
            self.groups.truncate(group_index);
            return Ok(None);
        }
        is_complete &= is_known && parts.next().is_none();
        let result = self.grade(group, &results)?;
        let score = result.score.filter(|_| is_known && self.tree.is_scoring);
        let range = group.grading.range;
        if let Some(score) = score.filter(|score| !range.contains(*score)) {
            let name = if group.name.is_empty() { "the submission" } else { group.name };
            let bound = |bound: Option<Score>, none: &str| {
                bound.map_or(none.to_owned(), |bound| bound.to_string())
            };
            let (from, to) = (bound(range.from, "-inf"), bound(range.to, "+inf"));
            let what =
                format!("the score of {name} is {score}, outside of its range {from} to {to}");
            self.impossible.push(what);
        }
        self.groups[group_index].score = score;
        if is_complete {
            self.groups[group_index].standing = Standing::Complete;
        }
        Ok(Some(GroupResult { result, is_known }))
    }

    fn grade(&self, group: &TreeGroup<'_>, results: &[CaseResult]) -> Result<CaseResult, Stop> {
        let GroupGrading { grader, accept_score, reject_score, .. } = &group.grading;
        let modes = match grader {
            Grader::Custom(flags) => return (self.custom)(flags, results),
            Grader::Default(modes) => *modes,
        };
        let result = grade(modes, results).map_err(|what| {
            let name = if group.name.is_empty() { "data" } else { group.name };
            score_error(format!("{name}: {what}"))
        })?;
        let is_leaf = group.parts.iter().all(|part| matches!(part, TreePart::Case(_)));
        let graders = self.tree.graders;
        let is_once =
            graders.dialect == Dialect::DomJudge && graders.custom_score == CustomScore::Never;
        if !(is_leaf && is_once) {
            return Ok(result);
        }
        let score = if result.is_accepted() { *accept_score } else { *reject_score };
        Ok(CaseResult { score: Some(score), ..result })
    }
}

#[cfg(test)]
mod tests;
