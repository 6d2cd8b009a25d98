//! The test cases that check the sources of a submission.
//!
//! Source: problem package format 2025-09, "Static validation test cases".

use std::collections::BTreeMap;

use crate::package::kattis::PackageReader;
use crate::package::kattis::v2025_09::test_yaml::{StaticKeys, TestDataSettings};
use juror_core::score::Aggregation;
use juror_core::test_data::{StaticCase, TestCase, TestData};

/// The static validation test cases of the groups without faults.
pub(super) fn static_cases(
    pack: &PackageReader<'_>,
    data: &TestData,
    settings: &BTreeMap<String, TestDataSettings>,
) -> Vec<StaticCase> {
    let validator = pack.tree.directory("static_validator");
    let mut cases = Vec::new();
    let mut is_asked = false;
    for group in &data.groups {
        let Some(StaticKeys { score: Some(score), args }) =
            settings.get(&group.name).map(|settings| &settings.static_validation)
        else {
            continue;
        };
        is_asked = true;
        let name = &group.name;
        let rules = group.scoring.as_ref().map(|scoring| (scoring.aggregation, scoring.max_score));
        let without = "write `static_validation_score: pass-fail`";
        let (message, help) = match (rules, score.value) {
            _ if validator.is_none() => (
                "there is no static validator for this static validation".to_owned(),
                "add the program, such as static_validator/validate.py, or remove the line",
            ),
            (None, Some(_)) if pack.yaml.problem_type.includes("scoring") => {
                (format!("{name} has no score, so neither has its static validation"), without)
            }
            (None, Some(_)) => {
                let message = "a static validation has a score only in scoring problems";
                (message.to_owned(), without)
            }
            (Some((Aggregation::PassFail, _)), Some(_)) => (
                format!("{name} has pass-fail aggregation, so its static validation has no score"),
                "write `static_validation_score: pass-fail`, or change `score_aggregation`",
            ),
            (Some((Aggregation::Sum | Aggregation::Min, _)), None) => (
                format!("{name} adds up scores, so its static validation must have one"),
                "write the greatest score of the static validation, or `score_aggregation: pass-fail`",
            ),
            (Some((_, Some(max))), Some(score)) if score.exceeds(max) => (
                format!("the static validation is worth {score}, more than the whole of {name}"),
                "lower it, or raise `max_score`",
            ),
            _ => {
                // No file can have this name.
                let name = format!("{name}/static validation");
                cases.push(StaticCase {
                    group: group.name.clone(),
                    max_score: score.value,
                    args: args.clone(),
                    test_case: TestCase { name, ..TestCase::default() },
                });
                continue;
            }
        };
        pack.faults.error(&score.place, message, help);
    }
    if let (Some(validator), false) = (validator, is_asked) {
        let message = "is never run: no test_group.yaml has a `static_validation_score`";
        let help = "add `static_validation_score: pass-fail` or a number to that of a group";
        pack.faults.warning(validator, message, help);
    }
    cases
}
