//! Gives a point to each test case or group, whatever the package says.

use std::collections::BTreeSet;

use juror_core::problem::{Grading, Problem};
use juror_core::score::{Aggregation, GroupScoring, Score};
use juror_core::test_data::{TestGroup, is_inside};
use juror_core::words::words;

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Points {
        Cases = "cases",
        /// What the package says. If it has no points, each group of which all test cases are accepted.
        Groups = "groups",
    }
}

const SAMPLE: &str = "sample";
const SECRET: &str = "secret";

/// Samples get no points, unless there is nothing else.
pub fn set_points(problem: &mut Problem, points: Points) {
    let is_scoring = problem.kind.grading == Grading::Scoring || problem.graders.is_some();
    if points == Points::Groups && is_scoring {
        return;
    }
    problem.kind.grading = Grading::Scoring;
    problem.graders = None;
    let names: Vec<String> = problem.test_data.cases.iter().map(|case| case.name.clone()).collect();
    let is_below = |root: &str| names.iter().any(|name| is_inside(name, root));
    let root = if is_below(SECRET) { SECRET } else { "" };
    let mut counted: Vec<&String> = names.iter().filter(|name| is_inside(name, root)).collect();
    let others: Vec<&String> =
        counted.iter().copied().filter(|name| !is_inside(name, SAMPLE)).collect();
    let groups = directories(&others, root);
    let has_samples_only = others.is_empty();
    if !has_samples_only {
        counted = others;
    }
    let number = |group: &str| counted.iter().filter(|name| is_inside(name, group)).count();
    let scoring = |aggregation, most: usize| {
        let max_score = Score::new(most as f64);
        Some(GroupScoring { max_score, aggregation, require_pass: Vec::new() })
    };
    let of_root = match (points, groups.len()) {
        (Points::Cases, _) => scoring(Aggregation::Sum, number(root)),
        (Points::Groups, 0) => scoring(Aggregation::PassFail, 1),
        (Points::Groups, groups) => scoring(Aggregation::Sum, groups),
    };
    let of_group = |group: &str| match points {
        Points::Cases => scoring(Aggregation::Sum, number(group)),
        Points::Groups => scoring(Aggregation::PassFail, 1),
    };
    let samples = TestGroup { name: SAMPLE.to_owned(), scoring: None };
    let mut all: Vec<TestGroup> = (!has_samples_only).then_some(samples).into_iter().collect();
    all.push(TestGroup { name: root.to_owned(), scoring: of_root });
    let groups = groups.into_iter();
    all.extend(groups.map(|name| TestGroup { scoring: of_group(&name), name }));
    problem.test_data.groups = all;
    for case in &mut problem.test_data.cases {
        let is_of_case = points == Points::Cases;
        case.validator_points = is_of_case.then(|| case.points.unwrap_or(Score::ONE));
        case.points = is_of_case.then_some(Score::ONE);
    }
}

/// The directories of these test cases; none unless each case is in one, and there are several.
fn directories(names: &[&String], root: &str) -> BTreeSet<String> {
    let below = if root.is_empty() { 0 } else { root.len() + 1 };
    let directory = |name: &&String| {
        let end = name[below..].find('/')?;
        Some(name[..below + end].to_owned())
    };
    let directories: Option<BTreeSet<String>> = names.iter().map(directory).collect();
    directories.filter(|names| names.len() > 1).unwrap_or_default()
}
