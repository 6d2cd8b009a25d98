//! The scoring of `secret` and its groups, and whether their keys fit together.
//!
//! Source: problem package format 2025-09, "Test data configuration", "Scoring problems".

use std::collections::BTreeMap;

use crate::package::kattis::PackageReader;
use crate::package::kattis::data_directory::DataDirectory;
use crate::package::kattis::v2025_09::test_yaml::{PlacedValue, ScoringKeys, TestDataSettings};
use crate::package::suggest::{comma_list, did_you_mean, did_you_mean_or};
use crate::package::text::excerpt;
use juror_core::diagnostic::SourcePlace;
use juror_core::score::{Aggregation, GroupScoring, Score};
use juror_core::test_data::{TestData, TestGroup};

struct GroupWithKeys<'a> {
    name: &'a str,
    keys: ScoringKeys,
    /// The points for its static validation, if it has one with points.
    static_score: Option<Score>,
    /// Its `test_group.yaml`, or the place for it.
    file: SourcePlace,
    scoring: &'a GroupScoring,
}

/// The default maximal score of `secret`.
const SECRET_MAX_SCORE: f64 = 100.0;

/// Fills in the scoring of `secret` and its groups, and checks that their keys fit together.
pub(super) fn fill_in_scoring(
    pack: &PackageReader<'_>,
    data: &mut TestData,
    settings: &BTreeMap<String, TestDataSettings>,
) {
    let settings = |name: &str| settings.get(name).cloned().unwrap_or_default();
    for group in
        data.groups.iter_mut().filter(|group| group.name.starts_with(DataDirectory::Secret.name()))
    {
        group.scoring = Some(with_defaults(&group.name, &settings(&group.name).scoring));
    }
    let groups = data.groups.iter().filter_map(|TestGroup { name, scoring }| {
        let settings = settings(name);
        Some(GroupWithKeys {
            name,
            keys: settings.scoring,
            static_score: settings.static_validation.score.and_then(|score| score.value),
            // Its directory, if it has no settings.
            file: {
                let [directory, file] =
                    ["", "/test_group.yaml"].map(|end| format!("data/{name}{end}"));
                pack.tree
                    .path(if pack.tree.file(&file).is_some() { &file } else { &directory })
                    .into()
            },
            scoring: scoring.as_ref()?,
        })
    });
    check_scores(pack, &groups.collect::<Vec<_>>(), data);
}

fn with_defaults(name: &str, keys: &ScoringKeys) -> GroupScoring {
    let (max_score, aggregation) = if name == DataDirectory::Secret.name() {
        (Score::new(SECRET_MAX_SCORE), Aggregation::Sum)
    } else {
        (None, Aggregation::PassFail)
    };
    GroupScoring {
        max_score: keys.max_score.as_ref().map_or(max_score, |key| key.value),
        aggregation: keys.aggregation.as_ref().map_or(aggregation, |key| key.value),
        require_pass: keys.require_pass.iter().map(|key| key.value.clone()).collect(),
    }
}

/// Checks the scores. The first group is `secret`, the others are its groups in order.
fn check_scores(pack: &PackageReader<'_>, groups: &[GroupWithKeys<'_>], data: &TestData) {
    let [secret, inner @ ..] = groups else { return };
    let before = pack.faults.remark_count();
    check_bound(pack, secret);
    for group in inner {
        check_group(pack, group, secret);
    }
    for index in 0..groups.len() {
        check_required(pack, index, groups, data);
    }
    if pack.faults.has_error_since(before) || groups.iter().any(|group| group.keys.is_broken) {
        return;
    }
    if !pack.has_output_validator() {
        // Without groups, the cases belong to `secret` itself.
        check_default_validator(pack, if inner.is_empty() { groups } else { inner });
    }
    if !inner.is_empty() {
        check_sum(pack, secret, inner);
    }
}

impl GroupWithKeys<'_> {
    fn is_unbounded(&self) -> bool {
        self.scoring.max_score.is_none() && !self.keys.is_broken
    }

    fn max_score_place(&self) -> &SourcePlace {
        self.keys.max_score.as_ref().map_or(&self.file, |key| &key.place)
    }
}

fn check_bound(pack: &PackageReader<'_>, group: &GroupWithKeys<'_>) {
    if group.is_unbounded() && group.scoring.aggregation == Aggregation::PassFail {
        let message =
            format!("{} has pass-fail aggregation, but no bound on its score", group.name);
        let help = "set `max_score` to what the group is worth";
        pack.faults.error(group.max_score_place(), message, help);
    }
}

fn check_group(pack: &PackageReader<'_>, group: &GroupWithKeys<'_>, secret: &GroupWithKeys<'_>) {
    let name = group.name;
    match secret.scoring.max_score {
        Some(max) if group.is_unbounded() => {
            let message =
                format!("{name} has no bound on its score, but secret has a max_score of {max}");
            let help =
                "set `max_score` to what the group is worth, or `max_score: unbounded` for secret";
            pack.faults.error(group.max_score_place(), message, help);
        }
        _ => check_bound(pack, group),
    }
    let is_pass_fail =
        |group: &GroupWithKeys<'_>| group.scoring.aggregation == Aggregation::PassFail;
    if is_pass_fail(secret) && !is_pass_fail(group) {
        let place = group.keys.aggregation.as_ref().map_or(&group.file, |key| &key.place);
        let message = format!("{name} must have pass-fail aggregation, because secret has it");
        let help = "change `score_aggregation` here or in data/secret/test_group.yaml";
        pack.faults.error(place, message, help);
    }
}

/// Every required group must exist, come earlier, and be possible to pass.
fn check_required(
    pack: &PackageReader<'_>,
    index: usize,
    groups: &[GroupWithKeys<'_>],
    data: &TestData,
) {
    for PlacedValue { value: name, place } in &groups[index].keys.require_pass {
        if name == "sample" {
            if !data.cases.iter().any(|case| case.name.starts_with("sample/")) {
                let message = "`require_pass: sample` has no effect: there are no samples";
                pack.faults.warning(place, message, "add samples, or remove it");
            }
            continue;
        }
        let found = groups.iter().position(|other| other.name == name).filter(|other| *other > 0);
        let (message, help) = match found {
            _ if index == 0 => (
                format!("secret requires `{}`, but it may only require `sample`", excerpt(name)),
                "write it into the test_group.yaml of the groups concerned".to_owned(),
            ),
            None => (
                format!("there is no test data group `{}`", excerpt(name)),
                help_for_unknown(name, groups),
            ),
            Some(other) if other == index => {
                (format!("`{name}` requires itself"), "choose an earlier group".to_owned())
            }
            Some(other) if other > index => (
                format!(
                    "`{name}` comes after {}; only earlier groups can be required",
                    groups[index].name
                ),
                "rename one of the groups: they are in the order of their names".to_owned(),
            ),
            Some(other) if groups[other].scoring.aggregation != Aggregation::PassFail => (
                format!("`{name}` cannot be required: it has no pass-fail aggregation"),
                format!("set `score_aggregation: pass-fail` in data/{name}/test_group.yaml"),
            ),
            Some(_) => continue,
        };
        pack.faults.error(place, message, help);
    }
}

fn help_for_unknown(name: &str, groups: &[GroupWithKeys<'_>]) -> String {
    let names = || groups.iter().skip(1).map(|group| group.name).chain(["sample"]);
    let same = names().find(|known| known.rsplit('/').next() == Some(name));
    let otherwise =
        || did_you_mean_or(name, names(), format!("there are: {}", comma_list(names())));
    same.map_or_else(otherwise, did_you_mean)
}

/// Without a bound, only the package's own output validator can give points.
fn check_default_validator(pack: &PackageReader<'_>, groups: &[GroupWithKeys<'_>]) {
    for group in groups.iter().filter(|group| group.scoring.max_score.is_none()) {
        let message = format!(
            "{} has no bound on its score, so an output validator must score each output",
            group.name
        );
        let help = "set `max_score`, or add an output_validator/ that writes score.txt";
        pack.faults.error(group.max_score_place(), message, help);
    }
}

/// Warns if the maximal score of `secret` does not follow from its groups.
fn check_sum(pack: &PackageReader<'_>, secret: &GroupWithKeys<'_>, groups: &[GroupWithKeys<'_>]) {
    let points = groups.iter().filter_map(|group| group.scoring.max_score);
    let points = points.chain(secret.static_score).map(Score::points);
    let best = match secret.scoring.aggregation {
        Aggregation::PassFail => return,
        Aggregation::Sum => Some(points.sum()),
        Aggregation::Min => points.reduce(f64::min),
    };
    let (Some(max), Some(best)) = (secret.scoring.max_score, best.and_then(Score::new)) else {
        return;
    };
    let (relation, help) = if best.exceeds(max) {
        (
            "more than",
            "a submission that earns more than max_score is a judge error; change max_score in \
             data/secret/test_group.yaml, or of a group",
        )
    } else if max.exceeds(best) {
        let help = "no submission can earn max_score; change that in data/secret/test_group.yaml, or of a group";
        ("less than", help)
    } else {
        return;
    };
    let parts = match secret.static_score {
        Some(_) => "the groups of secret and its static validation",
        None => "the groups of secret",
    };
    let message = format!("{parts} give at most {best}, {relation} its max_score of {max}");
    pack.faults.warning(secret.max_score_place(), message, help);
}
