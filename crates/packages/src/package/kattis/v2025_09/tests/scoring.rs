//! Keys about scores, and groups that do not go together.

use super::{Package, check};
use crate::package::read;
use juror_core::score::{Aggregation, GroupScoring, Score};

/// A scoring problem with the groups `a` and `b`; `secret` has this text.
fn scoring_problem(secret: &str, a: &str, b: &str) -> String {
    format!(
        "\
--- problem.yaml
problem_format_version: 2025-09
name: Small
uuid: 123e4567-e89b-42d3-a456-426614174000
type: scoring
--- data/secret/1.in removed
--- data/secret/1.ans removed
--- data/sample/1.in
1 2
--- data/sample/1.ans
3
--- data/secret/test_group.yaml
{secret}
--- data/secret/a/test_group.yaml
{a}
--- data/secret/a/1.in
1 2
--- data/secret/a/1.ans
3
--- data/secret/b/test_group.yaml
{b}
--- data/secret/b/1.in
1 2
--- data/secret/b/1.ans
3
"
    )
}

#[test]
fn defaults_are_those_of_the_format() {
    let scoring = |package: &Package| -> Vec<Option<GroupScoring>> {
        let problem = read(&package.dir).problem.expect("a problem");
        let groups = problem.test_data.groups.iter();
        groups.map(|group| group.scoring.clone()).collect()
    };
    let whole = |points: f64, aggregation| GroupScoring {
        max_score: Score::new(points),
        aggregation,
        require_pass: Vec::new(),
    };
    let package = Package::new(&scoring_problem(
        "",
        "max_score: 40",
        "max_score: 60\nscore_aggregation: min\nrequire_pass: [sample, secret/a]",
    ));
    assert_eq!(package.remarks(), [""; 0]);
    let expected = [
        None,
        Some(whole(100.0, Aggregation::Sum)),
        Some(whole(40.0, Aggregation::PassFail)),
        Some(GroupScoring {
            require_pass: vec!["sample".to_owned(), "secret/a".to_owned()],
            ..whole(60.0, Aggregation::Min)
        }),
    ];
    assert_eq!(scoring(&package), expected);
    let package = Package::new("");
    assert_eq!(scoring(&package), [None]);
}

#[test]
fn invalid_values_are_reported() {
    check(
        &scoring_problem(
            "max_score: -1\nscore_aggregation: max",
            "max_score: 1.5\nrequire_pass: 3",
            "max_score: all\nscore_aggregation: [sum]\nrequire_pass: {a: b}",
        ),
        &[
            "error data/secret/a/test_group.yaml:1:12: `max_score` must be an integer of at least 0, or `unbounded`, not 1.5",
            "warning data/secret/a/test_group.yaml:2:15: `require_pass` must be a text, but YAML sees the integer `3`; put it in quotes: \"3\"",
            "error data/secret/a/test_group.yaml:2:15: there is no test data group `3`; there are: secret/a, secret/b, sample",
            "error data/secret/b/test_group.yaml:1:12: `max_score` must be an integer of at least 0, or `unbounded`, not the text `all`",
            "error data/secret/b/test_group.yaml:2:20: `score_aggregation` must be a text, not a sequence",
            "error data/secret/b/test_group.yaml:3:15: `require_pass` must be a text, not a map",
            "error data/secret/test_group.yaml:1:12: `max_score` must be an integer of at least 0, or `unbounded`, not -1",
            "error data/secret/test_group.yaml:2:20: `max` is not a way to aggregate scores; known: pass-fail, sum, min",
        ],
    );
}

/// 2025-09, "Scoring problems": a group without a bound in a bounded `secret`, or another
/// aggregation in a pass-fail `secret`, is an error
/// 2025-09, "Scoring test data groups": pass-fail aggregation without a bound is an error
#[test]
fn groups_have_bounds_where_they_must() {
    check(
        &scoring_problem("", "max_score: 100", ""),
        &[
            "error data/secret/b/test_group.yaml: secret/b has no bound on its score, but secret has a max_score of 100; set `max_score` to what the group is worth, or `max_score: unbounded` for secret",
        ],
    );
    check(
        &scoring_problem(
            "max_score: unbounded",
            "max_score: unbounded\nscore_aggregation: sum",
            "max_score: 5",
        ),
        &[
            "error data/secret/a/test_group.yaml:1:12: secret/a has no bound on its score, so an output validator must score each output; set `max_score`, or add an output_validator/ that writes score.txt",
        ],
    );
    let validator = "--- output_validator/validate.py\nexit(42)\n";
    let with_validator = |secret: &str, a: &str, b: &str| scoring_problem(secret, a, b) + validator;
    check(
        &with_validator("max_score: unbounded", "max_score: unbounded", "max_score: 5"),
        &[
            "error data/secret/a/test_group.yaml:1:12: secret/a has pass-fail aggregation, but no bound on its score; set `max_score` to what the group is worth",
        ],
    );
    check(
        &with_validator(
            "max_score: unbounded",
            "max_score: unbounded\nscore_aggregation: sum",
            "score_aggregation: min",
        ),
        &[],
    );
    check(
        &with_validator(
            "max_score: unbounded\nscore_aggregation: pass-fail",
            "max_score: 5",
            "max_score: 5\nscore_aggregation: sum",
        ),
        &[
            "error data/secret/b/test_group.yaml:2:20: secret/b must have pass-fail aggregation, because secret has it; change `score_aggregation` here or in data/secret/test_group.yaml",
            "error data/secret/test_group.yaml:1:12: secret has pass-fail aggregation, but no bound on its score; set `max_score` to what the group is worth",
        ],
    );
}

#[test]
fn the_points_of_the_groups_add_up() {
    check(&scoring_problem("", "max_score: 40", "max_score: 60"), &[]);
    check(
        &scoring_problem("", "max_score: 40", "max_score: 61"),
        &[
            "warning data/secret/test_group.yaml: the groups of secret give at most 101, more than its max_score of 100; a submission that earns more than max_score is a judge error; change max_score in data/secret/test_group.yaml, or of a group",
        ],
    );
    check(
        &scoring_problem("max_score: 50\nscore_aggregation: min", "max_score: 40", "max_score: 60"),
        &[
            "warning data/secret/test_group.yaml:1:12: the groups of secret give at most 40, less than its max_score of 50; no submission can earn max_score; change that in data/secret/test_group.yaml, or of a group",
        ],
    );
    check(&scoring_problem("max_score: unbounded", "max_score: 1", "max_score: 2"), &[]);
}

#[test]
fn only_earlier_groups_that_can_be_passed_are_required() {
    let required = |secret: &str, a: &str, b: &str| {
        scoring_problem(
            &format!("max_score: 100\n{secret}"),
            &format!("max_score: 40\n{a}"),
            &format!("max_score: 60\n{b}"),
        )
    };
    check(
        &required("require_pass: sample", "require_pass: sample", "require_pass: [secret/a]"),
        &[],
    );
    check(
        &required("require_pass: secret/a", "require_pass: secret/b", "require_pass: secret/b"),
        &[
            "error data/secret/a/test_group.yaml:2:15: `secret/b` comes after secret/a; only earlier groups can be required; rename one of the groups: they are in the order of their names",
            "error data/secret/b/test_group.yaml:2:15: `secret/b` requires itself; choose an earlier group",
            "error data/secret/test_group.yaml:2:15: secret requires `secret/a`, but it may only require `sample`; write it into the test_group.yaml of the groups concerned",
        ],
    );
    check(
        &required("", "score_aggregation: sum", "require_pass: [a, samples, secret/a]"),
        &[
            "error data/secret/b/test_group.yaml:2:16: there is no test data group `a`; did you mean `secret/a`?",
            "error data/secret/b/test_group.yaml:2:19: there is no test data group `samples`; did you mean `sample`?",
            "error data/secret/b/test_group.yaml:2:28: `secret/a` cannot be required: it has no pass-fail aggregation; set `score_aggregation: pass-fail` in data/secret/a/test_group.yaml",
        ],
    );
    check(
        &(required("", "require_pass: sample", "") + "--- data/sample removed\n"),
        &[
            "warning data/secret/a/test_group.yaml:2:15: `require_pass: sample` has no effect: there are no samples; add samples, or remove it",
        ],
    );
}

#[test]
fn keys_about_scores_are_only_for_secret() {
    let keys = "max_score: 1\nscore_aggregation: sum\nrequire_pass: sample\n";
    let sample = scoring_problem("", "max_score: 40", "max_score: 60")
        + "--- data/sample/test_group.yaml\n"
        + keys
        + "--- data/invalid_input/test_group.yaml\nmax_score: 1\n--- data/invalid_input/1.in\n1\n";
    let why = "is not permitted in data/sample: samples have no score; remove it";
    check(
        &sample,
        &[
            "error data/invalid_input/test_group.yaml:1:1: `max_score` has no meaning here: submissions are not judged on this data; remove it",
            &format!("error data/sample/test_group.yaml:1:1: `max_score` {why}"),
            &format!("error data/sample/test_group.yaml:2:1: `score_aggregation` {why}"),
            &format!("error data/sample/test_group.yaml:3:1: `require_pass` {why}"),
        ],
    );
}

#[test]
fn expected_scores_are_numbers_or_ranges_of_groups() {
    for (rule, expected) in [
        ("score: 100", ""),
        ("score: [30, 50.5]\n  secret: {score: 30}", ""),
        ("secret/*: {score: [0, 60]}", ""),
        ("score: [50, 30]", "10: no score is from 50 to 30; write the smaller one first"),
        (
            "score: [50]",
            "10: `score` has 1 numbers; write one score, or the least and the greatest: [30, 50]",
        ),
        ("score: -1", "10: `score` must be a number of at least 0, not -1"),
    ] {
        let package = scoring_problem("", "max_score: 40", "max_score: 60")
            + "--- submissions/submissions.yaml\naccepted/add.py:\n  "
            + rule
            + "\n";
        let message = format!("error submissions/submissions.yaml:2:{expected}");
        check(&package, &[message.as_str()][usize::from(expected.is_empty())..]);
    }
}

/// 2025-09, "Static validation test cases": a score in a pass-fail group, `pass-fail` in another, and arguments without a score are errors
#[test]
fn static_validation_fits_the_scores_of_its_group() {
    let asked = |a: &str, b: &str| {
        scoring_problem(
            "",
            &format!("max_score: 40\n{a}"),
            &format!("max_score: 60\nscore_aggregation: sum\n{b}"),
        ) + "--- static_validator/look.py\nexit(42)\n"
    };
    check(
        &asked(
            "static_validation_score: pass-fail\nstatic_validator_args: [x]",
            "static_validation_score: 10",
        ),
        &[],
    );
    check(
        &asked("static_validation_score: 5", "static_validation_score: pass-fail"),
        &[
            "error data/secret/a/test_group.yaml:2:26: secret/a has pass-fail aggregation, so its static validation has no score; write `static_validation_score: pass-fail`, or change `score_aggregation`",
            "error data/secret/b/test_group.yaml:3:26: secret/b adds up scores, so its static validation must have one; write the greatest score of the static validation, or `score_aggregation: pass-fail`",
        ],
    );
    check(
        &asked("static_validator_args: [x]", "static_validation_score: 61"),
        &[
            "error data/secret/a/test_group.yaml:2:1: `static_validator_args` without `static_validation_score`: there is no static validation; add `static_validation_score`, or remove the arguments",
            "error data/secret/b/test_group.yaml:3:26: the static validation is worth 61, more than the whole of secret/b; lower it, or raise `max_score`",
        ],
    );
    let others = asked("static_validation_score: max", "static_validation_score: 1")
        + "--- data/sample/test_group.yaml\nstatic_validation_score: 1\n\
           --- data/secret/test_group.yaml\nstatic_validation_score: 1\n\
           --- data/valid_output/test_group.yaml\nstatic_validation_score: 1\n";
    check(
        &others,
        &[
            "error data/sample/test_group.yaml:1:26: sample has no score, so neither has its static validation; write `static_validation_score: pass-fail`",
            "error data/secret/a/test_group.yaml:2:26: `static_validation_score` must be an integer of at least 0, or `pass-fail`, not the text `max`",
            "warning data/secret/test_group.yaml: the groups of secret and its static validation give at most 101, more than its max_score of 100; a submission that earns more than max_score is a judge error; change max_score in data/secret/test_group.yaml, or of a group",
            "error data/valid_output/test_group.yaml:1:1: `static_validation_score` has no meaning here: submissions are not judged on this data; remove it",
        ],
    );
}

#[test]
fn a_group_may_have_nothing_but_static_validation() {
    let changes =
        scoring_problem("", "max_score: 40\nstatic_validation_score: pass-fail", "max_score: 60")
            + "--- static_validator/look.py\nexit(42)\n\
           --- data/secret/a/1.in removed\n--- data/secret/a/1.ans removed\n";
    check(&changes, &[]);
}
