//! The keys of `test_group.yaml` and of the `.yaml` files of test cases, each read alone. Whether the keys of several
//! groups fit together is known only after all files.
//!
//! Source: problem package format 2025-09, "Test data configuration", "Test case configuration".

use crate::package::files::PackageEntry;
use crate::package::kattis::PackageReader;
use crate::package::kattis::data_directory::{DataDirectory, SettingsScope};
use crate::package::node::{Map, Node, ParseResult, RenamedKeys, SettingsFile};
use crate::package::text::{TextFile, excerpt};
use crate::package::values::{boolean, integer, text, texts};
use crate::package::yaml::{self, Value};
use juror_core::check::options::Options;
use juror_core::diagnostic::SourcePlace;
use juror_core::language::constants::{GROWTH_HELP, replace_constants};
use juror_core::score::{Aggregation, Score};
use juror_core::test_data::ValidatorArgs;

#[derive(Clone, Debug, Default)]
pub(super) struct TestDataSettings {
    pub args: Vec<String>,
    pub input_validator_args: ValidatorArgs,
    pub output_validator_args: Vec<String>,
    pub input_visualizer_args: Vec<String>,
    pub output_visualizer_args: Vec<String>,
    pub scoring: ScoringKeys,
    pub static_validation: StaticKeys,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ScoringKeys {
    /// The inner `None` means `unbounded`.
    pub max_score: Option<PlacedValue<Option<Score>>>,
    pub aggregation: Option<PlacedValue<Aggregation>>,
    pub require_pass: Vec<PlacedValue<String>>,
    /// Whether a key has an invalid value. Then no key is reported as missing.
    pub is_broken: bool,
}

#[derive(Clone, Debug)]
pub(super) struct PlacedValue<T> {
    pub value: T,
    pub place: SourcePlace,
}

#[derive(Clone, Debug, Default)]
pub(super) struct StaticKeys {
    /// The inner `None` means `pass-fail`.
    pub score: Option<PlacedValue<Option<Score>>>,
    pub args: Vec<String>,
}

const RENAMED: RenamedKeys = &[
    ("input_validator_flags", "in format 2025-09: `input_validator_args: [...]`, a sequence"),
    ("output_validator_flags", "in format 2025-09: `output_validator_args: [...]`, a sequence"),
    ("grading", "in format 2025-09: its keys at the top of the file; pass-fail problems have none"),
    ("on_reject", "format 2025-09 has no such key"),
];

/// Reads a file's keys into settings, which keep what the file does not say. Constants are replaced only in files of
/// groups.
pub(super) fn read(
    pack: &PackageReader<'_>,
    part: DataDirectory,
    role: SettingsScope,
    item: &PackageEntry,
    settings: &mut TestDataSettings,
) -> Option<()> {
    let mut file = item.read(pack.faults)?;
    if role != SettingsScope::Case {
        let text = match replace_constants(file.text.as_bytes(), &pack.yaml.constants) {
            Ok(replaced) => String::from_utf8_lossy(&replaced).into_owned(),
            Err(fault) => {
                pack.faults.error(&*item.path, fault.to_string(), GROWTH_HELP);
                return None;
            }
        };
        file = TextFile::new_if_small(&item.path, text, pack.faults)?;
    }
    let document = SettingsFile::of(file, pack.faults, yaml::parse);
    if let Some(map) = document.as_ref().and_then(|document| document.root().non_null()?.map().ok())
    {
        read_settings(pack, part, role, map, settings);
    }
    Some(())
}

fn read_settings(
    pack: &PackageReader<'_>,
    part: DataDirectory,
    role: SettingsScope,
    map: Map<'_>,
    settings: &mut TestDataSettings,
) {
    let mut map = map.with_renamed_keys(RENAMED);
    map.set("args", &mut settings.args, texts);
    map.set("input_validator_args", &mut settings.input_validator_args, |node| {
        pack.input_validator_args(node, texts)
    });
    map.set("output_validator_args", &mut settings.output_validator_args, |node| {
        read_output_validator_args(pack, node)
    });
    map.get("full_feedback", boolean);
    if role == SettingsScope::Case {
        map.get("hint", text);
    }
    if role == SettingsScope::Case || !part.is_judged() {
        map.get("description", text);
    }
    map.set("input_visualizer_args", &mut settings.input_visualizer_args, texts);
    map.set("output_visualizer_args", &mut settings.output_visualizer_args, texts);
    if role != SettingsScope::Case {
        settings.scoring = read_scoring(pack, part, &mut map);
        settings.static_validation = read_static_validation(part, &mut map);
    }
    if role == SettingsScope::Parent {
        warn_of_uninherited_settings(&mut map);
    }
}

fn read_scoring(pack: &PackageReader<'_>, part: DataDirectory, map: &mut Map<'_>) -> ScoringKeys {
    let nodes = ["max_score", "score_aggregation", "require_pass"].map(|key| map.node(key));
    let refused = match part {
        _ if pack.yaml.problem_type.excludes("scoring") => {
            "is only for scoring problems; this one is pass-fail"
        }
        DataDirectory::Sample => "is not permitted in data/sample: samples have no score",
        DataDirectory::Secret => {
            let max_score = map.try_get("max_score", |node| points_or_word("unbounded", node));
            let aggregation = map.try_get("score_aggregation", read_aggregation);
            return ScoringKeys {
                is_broken: max_score.is_err() || aggregation.is_err(),
                max_score: max_score.ok().flatten(),
                aggregation: aggregation.ok().flatten(),
                require_pass: map.get("require_pass", read_names).unwrap_or_default(),
            };
        }
        _ => "has no meaning here: submissions are not judged on this data",
    };
    for node in nodes.into_iter().flatten() {
        node.at_key().error(format!("`{}` {refused}", node.key), "remove it");
    }
    ScoringKeys::default()
}

/// Points, or a word for no points.
fn points_or_word(word: &str, node: &Node<'_>) -> ParseResult<PlacedValue<Option<Score>>> {
    let value = if node.word() == word {
        None
    } else {
        let expected = format!("an integer of at least 0, or `{word}`");
        Score::new(f64::from(integer::<u32>(node, 0, &expected)?))
    };
    Ok(PlacedValue { value, place: node.place() })
}

fn read_aggregation(node: &Node<'_>) -> ParseResult<PlacedValue<Aggregation>> {
    let word = text(node)?;
    let Some(value) = Aggregation::ALL.into_iter().find(|known| known.name() == word) else {
        let message = format!("`{}` is not a way to aggregate scores", excerpt(&word));
        return Err(node.unknown_word(message, &Aggregation::ALL.map(Aggregation::name)));
    };
    Ok(PlacedValue { value, place: node.place() })
}

/// One name, or a sequence of names, which may be empty.
fn read_names(node: &Node<'_>) -> ParseResult<Vec<PlacedValue<String>>> {
    let items = match node.raw.value {
        Value::Sequence(_) => node.items("names")?.collect(),
        _ => vec![node.clone()],
    };
    let name = |node: &Node<'_>| Some(PlacedValue { value: text(node).ok()?, place: node.place() });
    Ok(items.iter().filter_map(name).collect())
}

fn read_static_validation(part: DataDirectory, map: &mut Map<'_>) -> StaticKeys {
    let nodes = ["static_validation_score", "static_validator_args"].map(|key| map.node(key));
    let mut keys = StaticKeys::default();
    if !part.is_judged() {
        for node in nodes.into_iter().flatten() {
            let key = node.key;
            let message =
                format!("`{key}` has no meaning here: submissions are not judged on this data");
            node.at_key().error(message, "remove it");
        }
        return keys;
    }
    if let [None, Some(args)] = nodes {
        let message = "`static_validator_args` without `static_validation_score`: there is no static validation";
        args.at_key().error(message, "add `static_validation_score`, or remove the arguments");
    }
    map.set("static_validation_score", &mut keys.score, |node| points_or_word("pass-fail", node));
    map.set("static_validator_args", &mut keys.args, texts);
    keys
}

/// The arguments, checked against those of the default output validator.
fn read_output_validator_args(
    pack: &PackageReader<'_>,
    node: &Node<'_>,
) -> ParseResult<Vec<String>> {
    let args = texts(node)?;
    match Options::parse(&args) {
        Err(error) if !pack.has_output_validator() => Err(node.error(error.to_string(), "")),
        _ => Ok(args),
    }
}

/// Warns of settings in `secret` that its groups do not inherit: each group has only those of its own file.
fn warn_of_uninherited_settings(map: &mut Map<'_>) {
    for key in ["args", "input_validator_args", "output_validator_args", "full_feedback"] {
        if let Some(node) = map.node(key) {
            let message = format!(
                "`{key}` applies to no test case: the groups in data/secret have their own settings"
            );
            let help = format!("write `{key}` into the test_group.yaml of each group");
            node.at_key().warning(message, help);
        }
    }
}
