//! Tests by name, and groups with their points.

use std::collections::BTreeMap;

use crate::package::files::{PackageEntry, PackageFiles};
use crate::package::named_programs::{find_source, line_sensitive_args};
use crate::package::node::{Map, Node, ParseResult};
use crate::package::sinol::{SETTINGS, SINOL_MAKE_HELP};
use crate::package::text::excerpt;
use crate::package::values::{NumberBound, integer, number};
use juror_core::problem::{Grading, Problem};
use juror_core::recipe::{AnswerSource, InputSource, Recipe, RecipeCase};
use juror_core::score::{Aggregation, Score};
use juror_core::test_data::{TestCase, TestGroup, ValidatorArgs};

pub(super) struct SinolTest {
    /// The part after the task's name, such as `1a`.
    pub id: String,
    /// The group: 0 for examples, and for names that end in `ocen`; it gives no points.
    pub group: u32,
    input: PackageEntry,
}

const ALL_GROUPS: &str = "tests";

pub(super) fn group_name(group: u32) -> String {
    format!("{ALL_GROUPS}/{group}")
}

pub(super) fn read_tests(tree: &PackageFiles, id: &str) -> Vec<SinolTest> {
    let mut tests = Vec::new();
    for (dir, ending) in [("in", ".in"), ("out", ".out")] {
        for item in tree.children(dir).filter(|item| item.is_file()) {
            let Some(stem) = item.base_name().strip_suffix(ending) else { continue };
            match stem.strip_prefix(id).and_then(|test| Some((test, parse_group(test)?))) {
                None => {
                    let message = format!(
                        "is not a test of `{}`: tests are called `{0}1{ending}`, `{0}2a{ending}`, …",
                        excerpt(id)
                    );
                    let help = "rename it, or correct `sinol_task_id` in config.yml";
                    tree.faults.error(item, message, help);
                }
                Some((test, group)) if dir == "in" => {
                    tests.push(SinolTest { id: test.to_owned(), group, input: item.clone() });
                }
                Some(_) if tree.file(&format!("in/{stem}.in")).is_none() => {
                    let help = "make the inputs first: `sinol-make gen`";
                    tree.faults.error(item, format!("has no input in/{stem}.in"), help);
                }
                Some(_) => {}
            }
        }
    }
    if tests.is_empty() {
        let help = "make them first: `sinol-make gen`";
        tree.faults.error(tree.path("in"), "has no tests", help);
    }
    tests.sort_by_key(|test| test.group);
    tests
}

/// The group of a test: digits, then letters and digits.
fn parse_group(test: &str) -> Option<u32> {
    let digits = test.len() - test.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = test.split_at(digits);
    let is_name = rest.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
    let number = number.parse().ok().filter(|_| is_name)?;
    Some(if rest.ends_with("ocen") { 0 } else { number })
}

pub(super) fn add_groups(
    tree: &PackageFiles,
    tests: &[SinolTest],
    map: &mut Map<'_>,
    problem: &mut Problem,
) {
    let points = |node: &Node<'_>| number(node, NumberBound::AtLeast(0.0));
    let scores = map.get("scores", |node| parse_by_group(node, points));
    let needed = map.get("subtask_dependencies", |node| {
        parse_by_group(node, |list| {
            list.items("a sequence of groups")?
                .map(|item| integer(&item, 0, "the number of a group"))
                .collect()
        })
    });
    let needed: BTreeMap<u32, Vec<u32>> = needed.unwrap_or_default();
    if tests.is_empty() {
        return;
    }
    let mut numbers: Vec<u32> = tests.iter().map(|test| test.group).collect();
    numbers.dedup();
    let scoring = problem.kind.grading == Grading::Scoring;
    let scored: Vec<u32> = numbers.iter().copied().filter(|number| *number != 0).collect();
    let points = match scores {
        Some(scores) => scores,
        None if scoring => equal_parts(tree, &scored),
        None => BTreeMap::new(),
    };
    let error = |message: String, help: &str| {
        tree.faults.error(&*tree.path(SETTINGS), message, help);
    };
    if scoring {
        for group in points.keys().filter(|group| **group != 0 && !scored.contains(group)) {
            let help = "make the inputs first: `sinol-make gen`; or correct `scores`";
            error(format!("group {group} has points, but no test in in/"), help);
        }
        for group in scored.iter().filter(|group| !points.contains_key(group)) {
            error(format!("group {group} has tests but no points"), "add it to `scores`");
        }
    }
    if let Some(validator) = problem.output_validators.first().filter(|_| !needed.is_empty()) {
        let message = format!(
            "groups depend on others, and the checker {} may give partial points: juror does not compute the \
             points of such groups",
            validator.name
        );
        error(message, SINOL_MAKE_HELP);
    }
    for (group, before) in &needed {
        for one in before {
            if one >= group || !scored.contains(one) {
                let message = format!(
                    "group {group} depends on {one}, which is not an earlier group with points"
                );
                error(message, "correct `subtask_dependencies`");
            }
            let mut indirect = needed.get(one).into_iter().flatten();
            if let Some(other) = indirect.find(|group| !before.contains(group)) {
                let message = format!(
                    "group {group} depends on {one}, which depends on {other}, but {group} does not; juror would \
                     make it depend on {other}"
                );
                error(message, SINOL_MAKE_HELP);
            }
        }
    }
    let sum = Score::new(points.iter().filter(|(group, _)| **group != 0).map(|(_, one)| one).sum());
    let groups = &mut problem.test_data.groups;
    groups.push(TestGroup::scored(ALL_GROUPS, sum, Aggregation::Sum, Vec::new()));
    groups.extend(numbers.iter().map(|group| {
        let points = points.get(group).filter(|_| *group != 0).copied().unwrap_or_default();
        let before = needed.get(group).into_iter().flatten();
        let before = before.map(|group| group_name(*group)).collect();
        TestGroup::scored(group_name(*group), Score::new(points), Aggregation::Min, before)
    }));
    if !scoring {
        groups.iter_mut().for_each(|group| group.scoring = None);
    }
}

/// 100 points in equal parts. The rest goes to the last group, or to the last groups: the tools agree if it is a
/// single point.
fn equal_parts(tree: &PackageFiles, groups: &[u32]) -> BTreeMap<u32, f64> {
    let count = groups.len().max(1);
    let (part, rest) = (100 / count, 100 % count);
    if rest > 1 {
        let message = format!(
            "has no `scores`, and sinol-make and OIOIOI share 100 points among {count} groups in different ways"
        );
        tree.faults.error(&*tree.path(SETTINGS), message, "add `scores`");
    }
    let with_rest = |index| if index + 1 == count { part + rest } else { part };
    groups.iter().enumerate().map(|(index, group)| (*group, with_rest(index) as f64)).collect()
}

pub(super) fn parse_by_group<'a, T>(
    node: &Node<'a>,
    parse: impl Fn(&Node<'a>) -> ParseResult<T>,
) -> ParseResult<BTreeMap<u32, T>> {
    let mut all = BTreeMap::new();
    for node in node.entries("a map by the numbers of groups")? {
        match node.key.parse() {
            Ok(group) => all.extend(parse(&node).ok().map(|value| (group, value))),
            Err(_) => {
                let message = format!("`{}` is not a group number", excerpt(node.key));
                node.at_key().error(message, "write one such as 1");
            }
        }
    }
    Ok(all)
}

/// The test cases; the model solution makes missing answers.
pub(super) fn add_cases(
    tree: &PackageFiles,
    id: &str,
    tests: Vec<SinolTest>,
    problem: &mut Problem,
) {
    let mut recipe_cases = Vec::new();
    for test in tests {
        let answer = format!("out/{id}{}.out", test.id);
        let case = TestCase {
            name: format!("{}/{id}{}", group_name(test.group), test.id),
            input: test.input.path.clone(),
            answer: Some(tree.path(&answer)),
            is_answer_shown: test.group == 0,
            input_validator_args: ValidatorArgs::All(if problem.input_validators.is_empty() {
                Vec::new()
            } else {
                vec![test.input.base_name().to_owned()]
            }),
            output_validator_args: line_sensitive_args(problem),
            ..TestCase::default()
        };
        if tree.file(&answer).is_none() {
            let Some(model) = find_source(tree, "prog", &[id]) else {
                let message =
                    format!("has no answer {answer}, and there is no prog/{id}.* to make it");
                tree.faults.error(&test.input, message, "add the file, or the model solution");
                continue;
            };
            recipe_cases.push(RecipeCase::new(
                case.name.clone(),
                (&test.input).into(),
                InputSource::File(test.input.path),
                AnswerSource::Solution(model.path.clone()),
            ));
        }
        problem.test_data.cases.push(case);
    }
    problem.pending_recipe = Recipe::of_cases(tree.path(SETTINGS), recipe_cases);
}
