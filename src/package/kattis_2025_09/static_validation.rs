//! `static_validation_score` and `static_validator_args`: test cases that look at a submission's sources.
//!
//! Source: problem package format 2025-09, "Static validation test cases".

use std::path::PathBuf;

use crate::model::diagnostic::{Diagnostic, Place};
use crate::model::score::{Aggregation, GroupScoring, Score};
use crate::model::test_data::{StaticCase, TestCase, TestData};
use crate::package::kattis_2025_09::problem_type::ProblemType;
use crate::package::kattis_2025_09::scoring::{Placed, Whose, placed};
use crate::package::keys::{self, Keys};
use crate::package::text::Remarks;
use crate::package::yaml::{Node, Value};

/// The keys, as far as a file has them.
#[derive(Clone, Debug, Default)]
pub(super) struct StaticKeys {
    /// `None` inside for `pass-fail`.
    pub score: Option<Placed<Option<Score>>>,
    pub args: Vec<String>,
}

/// Takes the keys out of a `test_group.yaml`.
pub(super) fn read(keys: &mut Keys<'_>, whose: Whose, remarks: &mut Remarks<'_>) -> StaticKeys {
    let [score, args] =
        ["static_validation_score", "static_validator_args"].map(|key| keys.entry(key));
    if whose == Whose::Checks {
        for entry in [score, args].into_iter().flatten() {
            let message =
                format!("`{}` has no meaning here: nobody is judged by this data", entry.key);
            remarks.error(entry.key_range, message, Some("remove it"));
        }
        return StaticKeys::default();
    }
    if let (None, Some(args)) = (score, args) {
        let message = "`static_validator_args` without `static_validation_score`: there is no static validation";
        let help = "add `static_validation_score`, or remove the arguments";
        remarks.error(args.key_range, message, Some(help));
    }
    StaticKeys {
        score: score.and_then(|entry| static_score(&entry.value, remarks)),
        args: args
            .and_then(|entry| keys::texts("static_validator_args", &entry.value, remarks))
            .unwrap_or_default(),
    }
}

fn static_score(node: &Node, remarks: &mut Remarks<'_>) -> Option<Placed<Option<Score>>> {
    let value = match &node.value {
        Value::Scalar(scalar) if scalar.text == "pass-fail" => None,
        _ => {
            let wanted = "an integer of at least 0, or `pass-fail`";
            let points = keys::natural("static_validation_score", wanted, node, remarks)?;
            Score::new(f64::from(points))
        }
    };
    Some(placed(value, node, remarks))
}

/// A group, and what its file says.
pub(super) struct Asked<'a> {
    pub group: &'a str,
    pub keys: &'a StaticKeys,
}

/// What the package has.
pub(super) struct Around<'a> {
    pub data: &'a TestData,
    pub problem_type: &'a ProblemType,
    /// The `static_validator` directory, if there is one.
    pub validator: Option<PathBuf>,
}

/// The static validation test cases, of those groups where all is well.
pub(super) fn settle(
    asked: &[Asked<'_>],
    around: &Around<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<StaticCase> {
    let mut cases = Vec::new();
    for Asked { group, keys } in asked {
        let Some(score) = &keys.score else { continue };
        match fault(group, score.value, around) {
            Some(Fault { message, help }) => {
                let mut diagnostic = Diagnostic::error(&score.place.path, message).help(help);
                diagnostic.place = Place::clone(&score.place);
                diagnostics.push(diagnostic);
            }
            None => cases.push(StaticCase {
                group: (*group).to_owned(),
                max_score: score.value,
                args: keys.args.clone(),
                test_case: test_case(group),
            }),
        }
    }
    let is_asked = asked.iter().any(|asked| asked.keys.score.is_some());
    if let Some(path) = around.validator.as_ref().filter(|_| !is_asked) {
        let message = "is never run: no test_group.yaml has a `static_validation_score`";
        let help = "add `static_validation_score: pass-fail` or a number to that of a group";
        diagnostics.push(Diagnostic::warning(path, message).help(help));
    }
    cases
}

struct Fault {
    message: String,
    help: &'static str,
}

fn fault(group: &str, score: Option<Score>, around: &Around<'_>) -> Option<Fault> {
    let fault = |message: String, help: &'static str| Some(Fault { message, help });
    if around.validator.is_none() {
        return fault(
            "there is no static validator for this static validation".to_owned(),
            "add the program as static_validator/validate.py or so, or remove the line",
        );
    }
    let groups = &around.data.groups;
    let found = groups.iter().find(|other| other.name == group);
    let scoring = found.and_then(|group| group.scoring.as_ref());
    match (scoring, score) {
        (None, None) => None,
        (None, Some(_)) if around.problem_type.includes("scoring") => fault(
            format!("{group} has no score, so neither has its static validation"),
            "write `static_validation_score: pass-fail`",
        ),
        (None, Some(_)) => fault(
            "a static validation has a score only in scoring problems".to_owned(),
            "write `static_validation_score: pass-fail`",
        ),
        (Some(scoring), score) => in_scoring(group, scoring, score),
    }
}

fn in_scoring(group: &str, scoring: &GroupScoring, score: Option<Score>) -> Option<Fault> {
    let (message, help) = match (scoring.aggregation, score) {
        (Aggregation::PassFail, Some(_)) => (
            format!("{group} has pass-fail aggregation, so its static validation has no score"),
            "write `static_validation_score: pass-fail`, or change `score_aggregation`",
        ),
        (Aggregation::Sum | Aggregation::Min, None) => (
            format!("{group} adds up scores, so its static validation must have one"),
            "write the greatest score of the static validation, or `score_aggregation: pass-fail`",
        ),
        (_, Some(score)) if scoring.max_score.is_some_and(|max| score.exceeds(max)) => (
            format!("the static validation is worth {score}, more than the whole of {group}"),
            "lower it, or raise `max_score`",
        ),
        _ => return None,
    };
    Some(Fault { message, help })
}

/// What stands for a static validation where test cases are listed. No file can have this name.
fn test_case(group: &str) -> TestCase {
    TestCase { name: format!("{group}/static validation"), ..TestCase::default() }
}
