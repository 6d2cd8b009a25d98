//! Points of tests, and their groups.

use crate::package::polygon::xml::Element;
use crate::package::text::excerpt;
use juror_core::score::{Aggregation, Score};
use juror_core::test_data::{TestCase, TestData, TestGroup};

pub(super) struct PolygonTest<'a> {
    pub element: Element<'a>,
    pub case: TestCase,
    /// Empty if the test is in no group.
    pub group: &'a str,
    pub points: Option<f64>,
}

/// Puts the tests into their groups; returns whether they have points.
pub(super) fn add_groups(
    testset: Element<'_>,
    set: &str,
    mut tests: Vec<PolygonTest<'_>>,
    data: &mut TestData,
) -> bool {
    let described: Vec<Element<'_>> = testset.nested("groups", "group").collect();
    for group in &described {
        group.warn_unless_known("dependencies", "name points points-policy feedback-policy");
    }
    let mut names: Vec<&str> = Vec::new();
    for test in &tests {
        if !names.contains(&test.group) {
            names.push(test.group);
        }
    }
    // The tests of a group come together, whatever their numbers are.
    tests.sort_by_key(|test| names.iter().position(|name| *name == test.group));
    let of_tests = tests.iter().any(|test| test.points.is_some_and(|points| points != 0.0));
    let of_groups = || described.iter().any(|group| group_points(*group) > Some(Score::ZERO));
    let has_points = of_tests || of_groups();
    if has_points {
        for test in &mut tests {
            let points = test.points.unwrap_or_default();
            match Score::new(points).filter(|_| points >= 0.0) {
                Some(points) => test.case.points = Some(points),
                None => drop(test.element.error("`points` must be a number of at least 0", "")),
            }
        }
        add_scored_groups(set, &names, &described, &tests, data);
    }
    data.cases.extend(tests.into_iter().map(|test| test.case));
    has_points
}

fn add_scored_groups(
    set: &str,
    names: &[&str],
    described: &[Element<'_>],
    tests: &[PolygonTest<'_>],
    data: &mut TestData,
) {
    let sum = |group: Option<&str>| {
        let of_group = tests.iter().filter(|test| group.is_none_or(|name| test.group == name));
        Score::new(of_group.filter_map(|test| test.case.points).map(Score::points).sum())
    };
    data.groups.push(TestGroup::scored(set, sum(None), Aggregation::Sum, Vec::new()));
    if names == [""] {
        return;
    }
    if let Some(test) = tests.iter().find(|test| test.group.is_empty()) {
        test.element
            .error("the test is in no group, but others are", "put it into a group on Polygon");
        return;
    }
    for (index, name) in names.iter().enumerate() {
        let group = described.iter().find(|group| group.attribute("name") == Some(name));
        let aggregation = match group.and_then(|group| group.attribute("points-policy")) {
            None | Some("each-test") => Aggregation::Sum,
            Some("complete-group") => Aggregation::PassFail,
            Some(other) => {
                let message = format!("`{}` is not a known points policy", excerpt(other));
                if let Some(group) = group {
                    group.error(message, "known: each-test, complete-group");
                }
                continue;
            }
        };
        let max_score = match (group.and_then(|group| group_points(*group)), sum(Some(name))) {
            (None, sum) => sum,
            (Some(own), Some(sum)) if own.exceeds(sum) || sum.exceeds(own) => {
                if aggregation == Aggregation::Sum
                    && let Some(group) = group
                {
                    let message =
                        format!("group {name} has {own} points, and its tests have {sum}");
                    let help = "make the points of the tests add up to those of the group";
                    group.error(message, help);
                }
                Some(own)
            }
            (own, _) => own,
        };
        let mut require_pass = Vec::new();
        for needed in group.iter().flat_map(|group| group.nested("dependencies", "dependency")) {
            let dependency = needed.attribute("group").unwrap_or_default();
            if names[..index].contains(&dependency) {
                require_pass.push(format!("{set}/{dependency}"))
            } else {
                let message = format!(
                    "group {name} depends on the group `{}`, which does not come before it",
                    excerpt(dependency)
                );
                let help = "a group can depend only on groups with tests before its own";
                needed.error(message, help);
            }
        }
        let name = format!("{set}/{name}");
        data.groups.push(TestGroup::scored(name, max_score, aggregation, require_pass));
    }
    // If groups have points of their own, their sum replaces that of the tests.
    let most = data.groups[1..].iter().filter_map(|group| group.scoring.as_ref()?.max_score);
    let most = Score::new(most.map(Score::points).sum());
    if let Some(whole) = data.groups[0].scoring.as_mut() {
        whole.max_score = most;
    }
}

fn group_points(group: Element<'_>) -> Option<Score> {
    let text = group.attribute("points")?;
    let points: f64 = group.parse_text(text, "a number of points").ok()?;
    Score::new(points).filter(|_| points >= 0.0)
}
