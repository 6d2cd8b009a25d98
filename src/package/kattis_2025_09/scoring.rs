//! The keys of `test_group.yaml` that say how scores are made up, and whether they go together.
//!
//! Source: problem package format 2025-09, "Test data configuration", "Scoring problems".

use crate::model::diagnostic::{Diagnostic, Place};
use crate::model::score::{Aggregation, GroupScoring, Score};
use crate::model::test_data::TestData;
use crate::package::kattis_2025_09::problem_type::ProblemType;
use crate::package::keys::{self, Keys};
use crate::package::suggest::nearest;
use crate::package::text::{Remarks, shown};
use crate::package::yaml::{Node, Value};

/// The keys, as far as a file has them.
#[derive(Clone, Debug, Default)]
pub(super) struct ScoringKeys {
    /// `None` inside for `unbounded`.
    pub max_score: Option<Placed<Option<Score>>>,
    pub aggregation: Option<Placed<Aggregation>>,
    pub require_pass: Vec<Placed<String>>,
    /// Whether a key was there whose value is not understood: then nothing is missing.
    pub is_broken: bool,
}

/// A value, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Placed<T> {
    pub value: T,
    pub place: Place,
}

/// Whose keys they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Of `data/sample`, which has no score.
    Sample,
    /// Of `data/secret` or a group in it.
    Secret,
    /// Of data that nobody is judged by.
    Checks,
}

const KEYS: [&str; 3] = ["max_score", "score_aggregation", "require_pass"];

/// Takes the keys out of a `test_group.yaml`.
pub(super) fn read(
    keys: &mut Keys<'_>,
    problem_type: &ProblemType,
    whose: Whose,
    remarks: &mut Remarks<'_>,
) -> ScoringKeys {
    let entries = KEYS.map(|key| keys.entry(key));
    let refused = match whose {
        _ if problem_type.excludes("scoring") => {
            Some("is only for scoring problems; this one is pass-fail")
        }
        Whose::Sample => Some("is not permitted in data/sample: samples have no score"),
        Whose::Checks => Some("has no meaning here: nobody is judged by this data"),
        Whose::Secret => None,
    };
    if let Some(why) = refused {
        for (key, entry) in KEYS.iter().zip(entries) {
            if let Some(entry) = entry {
                let message = format!("`{key}` {why}");
                remarks.error(entry.key_range, message, Some("remove it"));
            }
        }
        return ScoringKeys::default();
    }
    let [max_score, aggregation, require_pass] = entries;
    let read_max = max_score.map(|entry| self::max_score(&entry.value, remarks));
    let read_aggregation = aggregation.map(|entry| self::aggregation(&entry.value, remarks));
    ScoringKeys {
        is_broken: matches!(read_max, Some(None)) || matches!(read_aggregation, Some(None)),
        max_score: read_max.flatten(),
        aggregation: read_aggregation.flatten(),
        require_pass: require_pass.map(|entry| names(&entry.value, remarks)).unwrap_or_default(),
    }
}

fn max_score(node: &Node, remarks: &mut Remarks<'_>) -> Option<Placed<Option<Score>>> {
    let wanted = "an integer of at least 0, or `unbounded`";
    let value = match &node.value {
        Value::Scalar(scalar) if scalar.text == "unbounded" => None,
        _ => Some(keys::natural("max_score", wanted, node, remarks)?),
    };
    let value = match value {
        None => None,
        Some(points) => Score::new(f64::from(points)),
    };
    Some(placed(value, node, remarks))
}

fn aggregation(node: &Node, remarks: &mut Remarks<'_>) -> Option<Placed<Aggregation>> {
    let word = keys::text("score_aggregation", node, remarks)?;
    let value = match word.as_str() {
        "pass-fail" => Aggregation::PassFail,
        "sum" => Aggregation::Sum,
        "min" => Aggregation::Min,
        _ => {
            let message = format!("`{}` is no way to aggregate scores", shown(&word));
            let known = ["pass-fail", "sum", "min"];
            keys::unknown_word(&message, &word, &known, node.range, remarks);
            return None;
        }
    };
    Some(placed(value, node, remarks))
}

fn names(node: &Node, remarks: &mut Remarks<'_>) -> Vec<Placed<String>> {
    let items = match &node.value {
        Value::Sequence(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let mut names = Vec::new();
    for item in items {
        if let Some(name) = keys::text("require_pass", item, remarks) {
            names.push(placed(name, item, remarks));
        }
    }
    names
}

pub(super) fn placed<T>(value: T, node: &Node, remarks: &Remarks<'_>) -> Placed<T> {
    Placed { value, place: remarks.file.place(node.range) }
}

/// A group with what its file says.
pub(super) struct GroupKeys<'a> {
    pub name: &'a str,
    pub keys: ScoringKeys,
    /// What its static validation is worth, if it has one with points.
    pub static_score: Option<Score>,
    /// Its `test_group.yaml`, or where that would be.
    pub file: Place,
}

/// The greatest score of `secret` where its file says nothing.
const SECRET_MAX: f64 = 100.0;

/// Fills in defaults and holds the settings of all groups against each other. The first is `secret`, the
/// others its groups in order.
pub(super) fn settle(
    groups: &[GroupKeys<'_>],
    data: &TestData,
    has_own_validator: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<GroupScoring> {
    let settled: Vec<GroupScoring> =
        groups.iter().enumerate().map(|(at, group)| defaults(&group.keys, at == 0)).collect();
    let Some(([secret, settled_groups @ ..], [secret_keys, group_keys @ ..])) =
        Some((settled.as_slice(), groups))
    else {
        return settled;
    };
    let before = diagnostics.len();
    check_bound(secret, secret_keys, diagnostics);
    for (scoring, group) in settled_groups.iter().zip(group_keys) {
        check_group(scoring, group, secret, diagnostics);
    }
    for at in 0..groups.len() {
        check_required(at, groups, &settled, data, diagnostics);
    }
    let is_clear = !diagnostics[before..].iter().any(Diagnostic::is_error)
        && groups.iter().all(|group| !group.keys.is_broken);
    if !is_clear {
        return settled;
    }
    if !has_own_validator {
        check_judged_by_default(&settled, groups, diagnostics);
    }
    if !settled_groups.is_empty() {
        check_sum(secret, settled_groups, secret_keys, diagnostics);
    }
    settled
}

fn defaults(keys: &ScoringKeys, is_secret: bool) -> GroupScoring {
    let (max_score, aggregation) = match is_secret {
        true => (Score::new(SECRET_MAX), Aggregation::Sum),
        false => (None, Aggregation::PassFail),
    };
    GroupScoring {
        max_score: keys.max_score.as_ref().map_or(max_score, |it| it.value),
        aggregation: keys.aggregation.as_ref().map_or(aggregation, |it| it.value),
        require_pass: keys.require_pass.iter().map(|it| it.value.clone()).collect(),
    }
}

fn check_bound(scoring: &GroupScoring, group: &GroupKeys<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let is_unbounded = scoring.max_score.is_none() && !group.keys.is_broken;
    if is_unbounded && scoring.aggregation == Aggregation::PassFail {
        let message =
            format!("{} has pass-fail aggregation, but no bound on its score", group.name);
        let help = "set `max_score` to what the group is worth";
        report(place_of_max(group), message, help, diagnostics);
    }
}

fn check_group(
    scoring: &GroupScoring,
    group: &GroupKeys<'_>,
    secret: &GroupScoring,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let is_unbounded = scoring.max_score.is_none() && !group.keys.is_broken;
    match secret.max_score {
        Some(max) if is_unbounded => {
            let message = format!(
                "{} has no bound on its score, but secret has a max_score of {max}",
                group.name
            );
            let help =
                "set `max_score` to what the group is worth, or `max_score: unbounded` for secret";
            report(place_of_max(group), message, help, diagnostics);
        }
        _ => check_bound(scoring, group, diagnostics),
    }
    if secret.aggregation == Aggregation::PassFail && scoring.aggregation != Aggregation::PassFail {
        let place = group.keys.aggregation.as_ref().map_or(&group.file, |it| &it.place);
        let message =
            format!("{} must have pass-fail aggregation, because secret has it", group.name);
        let help = "change `score_aggregation` here or in data/secret/test_group.yaml";
        report(place, message, help, diagnostics);
    }
}

/// Every required group must be there, come earlier, and be one that can be passed.
fn check_required(
    at: usize,
    groups: &[GroupKeys<'_>],
    settled: &[GroupScoring],
    data: &TestData,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let group = &groups[at];
    for required in &group.keys.require_pass {
        let name = required.value.as_str();
        if name == "sample" {
            if !data.cases.iter().any(|case| case.name.starts_with("sample/")) {
                let message = "`require_pass: sample` asks for nothing: there are no samples";
                let mut diagnostic = Diagnostic::warning(&required.place.path, message)
                    .help("add samples, or remove it");
                diagnostic.place = required.place.clone();
                diagnostics.push(diagnostic);
            }
            continue;
        }
        let found = groups.iter().skip(1).position(|other| other.name == name);
        let fault = match found.map(|position| position + 1) {
            _ if at == 0 => Some((
                format!("secret requires `{}`, but it may only require `sample`", shown(name)),
                "write it into the test_group.yaml of the groups that it is for".to_owned(),
            )),
            None => Some(unknown(name, groups)),
            Some(other) if other == at => Some((
                format!("`{name}` requires itself"),
                "name a group that comes earlier".to_owned(),
            )),
            Some(other) if other > at => Some((
                format!("`{name}` comes after {}; only earlier groups can be required", group.name),
                "rename one of the groups: they are in the order of their names".to_owned(),
            )),
            Some(other) if settled[other].aggregation != Aggregation::PassFail => Some((
                format!("`{name}` cannot be required: it has no pass-fail aggregation"),
                format!("set `score_aggregation: pass-fail` in data/{name}/test_group.yaml"),
            )),
            Some(_) => None,
        };
        if let Some((message, help)) = fault {
            report(&required.place, message, &help, diagnostics);
        }
    }
}

fn unknown(name: &str, groups: &[GroupKeys<'_>]) -> (String, String) {
    let names = || groups.iter().skip(1).map(|group| group.name).chain(["sample"]);
    let same = names().find(|known| known.rsplit('/').next() == Some(name));
    let help = match same.or_else(|| nearest(name, names())) {
        Some(known) => format!("did you mean `{known}`?"),
        None => {
            let known: Vec<&str> = names().collect();
            format!("there are: {}", known.join(", "))
        }
    };
    (format!("there is no test data group `{}`", shown(name)), help)
}

/// Where there is no bound, only an output validator of the package's own can say what an output is worth.
fn check_judged_by_default(
    settled: &[GroupScoring],
    groups: &[GroupKeys<'_>],
    diagnostics: &mut Vec<Diagnostic>,
) {
    // Without groups, the cases are those of secret itself.
    let with_cases = if groups.len() == 1 { 0 } else { 1 };
    for (scoring, group) in settled.iter().zip(groups).skip(with_cases) {
        if scoring.max_score.is_none() {
            let message = format!(
                "{} has no bound on its score, so an output validator must say what each output is worth",
                group.name
            );
            let help = "set `max_score`, or add an output_validator/ that writes score.txt";
            report(place_of_max(group), message, help, diagnostics);
        }
    }
}

/// Doubts a `secret` whose greatest score is not what its groups come to.
fn check_sum(
    secret: &GroupScoring,
    groups: &[GroupScoring],
    keys: &GroupKeys<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let points = || {
        let groups = groups.iter().filter_map(|group| group.max_score);
        groups.chain(keys.static_score).map(Score::points)
    };
    let best = match secret.aggregation {
        Aggregation::PassFail => return,
        Aggregation::Sum => Some(points().sum()),
        Aggregation::Min => points().reduce(f64::min),
    };
    let (Some(max), Some(best)) = (secret.max_score, best.and_then(Score::new)) else {
        return;
    };
    let what = if best.exceeds(max) {
        "more than"
    } else if max.exceeds(best) {
        "less than"
    } else {
        return;
    };
    let parts = match keys.static_score {
        Some(_) => "the groups of secret and its static validation",
        None => "the groups of secret",
    };
    let message = format!("{parts} come to {best} at most, {what} its max_score of {max}");
    let help = match best.exceeds(max) {
        true => {
            "a submission that earns more than max_score is a judge error; change max_score of secret or of a group"
        }
        false => "nobody can earn max_score; change that of secret or of a group",
    };
    let place = place_of_max(keys);
    let mut diagnostic = Diagnostic::warning(&place.path, message).help(help);
    diagnostic.place = place.clone();
    diagnostics.push(diagnostic);
}

fn place_of_max<'a>(group: &'a GroupKeys<'_>) -> &'a Place {
    group.keys.max_score.as_ref().map_or(&group.file, |it| &it.place)
}

fn report(place: &Place, message: String, help: &str, diagnostics: &mut Vec<Diagnostic>) {
    let mut diagnostic = Diagnostic::error(&place.path, message).help(help);
    diagnostic.place = place.clone();
    diagnostics.push(diagnostic);
}
