//! `testdata.yaml`: settings for the test cases in and below a directory.
//!
//! Source: problem package format legacy, "Test data groups".

use crate::package::files::PackageEntry;
use crate::package::kattis::PackageReader;
use crate::package::kattis::legacy::{flags, words};
use crate::package::node::{Map, Node, ParseResult, SettingsFile};
use crate::package::text::excerpt;
use crate::package::values::{boolean, text};
use crate::package::yaml;
use juror_core::grader::{GradingKeys, OnReject, PossibleScores};
use juror_core::score::Score;
use juror_core::test_data::ValidatorArgs;

#[derive(Clone, Debug, Default)]
pub(super) struct GroupKeys {
    pub grading: GradingKeys,
    pub input_flags: ValidatorArgs,
    pub output_flags: Vec<String>,
    /// Arguments of the submission; only drafts have them.
    pub args: Vec<String>,
}

const LATER_KEYS: [&str; 4] = ["max_score", "score_aggregation", "require_pass", "scoring"];

/// Reads such a file of a group, or the `.yaml` file of a test case, which only drafts have. Keys that it lacks are those
/// of the group around it.
pub(super) fn read(
    pack: &PackageReader<'_>,
    item: &PackageEntry,
    is_draft: bool,
    group: &str,
    outer: &GroupKeys,
) -> GroupKeys {
    let mut keys = outer.clone();
    let document = SettingsFile::read(&item.path, pack.faults, yaml::parse);
    let map = document.as_ref().and_then(|document| document.root().non_null()?.map().ok());
    let Some(mut map) = map.map(Map::without_nulls) else { return keys };
    map.set("input_validator_flags", &mut keys.input_flags, |node| input_flags(pack, node));
    map.set("output_validator_flags", &mut keys.output_flags, |node| output_flags(pack, node));
    if is_draft {
        map.set("input_validator_args", &mut keys.input_flags, |node| input_flags(pack, node));
        map.set("output_validator_args", &mut keys.output_flags, |node| output_flags(pack, node));
        map.set("args", &mut keys.args, words);
        map.get("full_feedback", boolean);
        map.ignore("hint description input_visualizer_args output_visualizer_args");
        for node in LATER_KEYS.into_iter().filter_map(|key| map.node(key)) {
            let message = format!("`{}` is not supported in format 2023-07", node.key);
            let help = "write `problem_format_version: 2025-09` if the package is in it";
            node.at_key().error(message, help);
        }
    }
    keys.grading = checked_grading_keys(pack, &mut map).with_missing_from(&outer.grading);
    if let (Some(flags), false) = (map.node("grader_flags"), group == "data")
        && words(&flags).is_ok_and(|flags| flags.iter().any(|flag| flag == "ignore_sample"))
    {
        flags.publishing_error("`ignore_sample` is only for data/testdata.yaml", "remove it here");
    }
    map.warn_of_rest();
    keys
}

/// The keys about grading, of `testdata.yaml` and of `grading` in `problem.yaml`.
pub(super) fn checked_grading_keys(pack: &PackageReader<'_>, map: &mut Map<'_>) -> GradingKeys {
    let mut keys = grading_keys(map);
    let scores = ["accept_score", "reject_score", "range"].map(|key| map.node(key));
    if pack.yaml.problem_type.excludes("scoring") {
        for node in scores.into_iter().flatten() {
            let message = format!("`{}` is only for scoring problems", node.key);
            node.publishing_error(message, "remove it, or write `type: scoring` into problem.yaml");
        }
        (keys.accept_score, keys.reject_score, keys.range) = (None, None, None);
        if keys.is_custom == Some(true) {
            let node = map.node("grading").unwrap_or(map.node.clone());
            let help = "remove it, or write `type: scoring` into problem.yaml";
            node.publishing_error("`grading: custom` is only for scoring problems", help);
            keys.is_custom = None;
        }
    }
    if keys.is_custom == Some(true) && pack.tree.directory("graders").is_none() {
        let node = map.node("grading").unwrap_or(map.node.clone());
        node.error("`grading: custom` without a grader", "add it to graders/");
    }
    keys
}

/// The same keys as written, without checks against the rest of the package.
pub(super) fn grading_keys(map: &mut Map<'_>) -> GradingKeys {
    let mut keys = GradingKeys::default();
    map.set("on_reject", &mut keys.on_reject, |node| match node.word() {
        "break" | "first_error" => Ok(Some(OnReject::Break)),
        "continue" | "grade" => Ok(Some(OnReject::Continue)),
        "worst_error" => Ok(None),
        _ => Err(node.must_be("`break` or `continue`")),
    });
    map.set("grading", &mut keys.is_custom, |node| match node.word() {
        "default" => Ok(false),
        "custom" => Ok(true),
        _ => Err(node.must_be("`default` or `custom`")),
    });
    map.set("grader_flags", &mut keys.grader_flags, words);
    map.set("accept_score", &mut keys.accept_score, score);
    map.set("reject_score", &mut keys.reject_score, score);
    map.set("range", &mut keys.range, range);
    keys
}

fn score(node: &Node<'_>) -> ParseResult<Score> {
    let score = node.word().trim().parse().ok().and_then(Score::new);
    score.ok_or_else(|| node.must_be("a number of points"))
}

/// A range of scores, such as `0 100` or `-inf +inf`.
fn range(node: &Node<'_>) -> ParseResult<PossibleScores> {
    let end = |word: &str| word.parse::<f64>().ok().filter(|end| !end.is_nan());
    let ends: Option<Vec<f64>> = node.word().split_whitespace().map(end).collect();
    match ends.as_deref() {
        Some(&[from, to]) if from <= to => {
            Ok(PossibleScores { from: Score::new(from), to: Score::new(to) })
        }
        _ => Err(node.must_be("the least and the greatest score, such as `0 100`")),
    }
}

/// One list of flags for all validators, or a map by their names; also the name of one, and its flags.
fn input_flags(pack: &PackageReader<'_>, node: &Node<'_>) -> ParseResult<ValidatorArgs> {
    let named = if node.is_map() { named_flags(node)? } else { None };
    let Some((name, flags)) = named else { return pack.input_validator_args(node, words) };
    let known = pack.input_validator_names();
    let is_named = |known: &&&str| **known == name || known.split('.').next() == Some(&name);
    let Some(name) = known.iter().find(is_named) else {
        let message = format!("there is no input validator `{}`", excerpt(&name));
        return Err(node.error(message, "write the name of one"));
    };
    Ok(ValidatorArgs::ByName(vec![((*name).to_owned(), flags)]))
}

/// The name and the flags in a map with these two keys.
///
/// Source: legacy problem package format, "Test Data Groups", `input_validator_flags`.
fn named_flags(node: &Node<'_>) -> ParseResult<Option<(String, Vec<String>)>> {
    let entries: Vec<_> = node.entries("a map with the keys `name` and `flags`")?.collect();
    let find = |key: &str| entries.iter().find(|entry| entry.key == key);
    match (find("name"), find("flags"), entries.len()) {
        (Some(name), Some(flags), 2) => Ok(Some((text(name)?, words(flags)?))),
        _ => Ok(None),
    }
}

fn output_flags(pack: &PackageReader<'_>, node: &Node<'_>) -> ParseResult<Vec<String>> {
    let is_only_one = pack.tree.children(pack.version.output_validator).count() == 1;
    if node.is_map() {
        if let Some((_, flags)) = named_flags(node)?.filter(|_| is_only_one) {
            return Ok(flags);
        }
        let message = "flags for single output validators are not supported";
        return Err(node.error(message, "write the same flags for all of them"));
    }
    if pack.has_output_validator() { words(node) } else { flags::default_validator_flags(node) }
}
