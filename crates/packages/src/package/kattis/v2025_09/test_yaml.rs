//! `test_group.yaml` and the `.yaml` files of test cases.
//!
//! Source: problem package format 2025-09, "Test data configuration", "Test case configuration".

use crate::package::files::PackageEntry;
use crate::package::kattis::PackageReader;
use crate::package::kattis::data_directory::{DataDirectory, SettingsScope};
use crate::package::kattis::v2025_09::scoring::{self, ScoringKeys};
use crate::package::kattis::v2025_09::static_validation::{self, StaticKeys};
use crate::package::node::{Map, Node, ParseResult, RenamedKeys, SettingsFile};
use crate::package::text::TextFile;
use crate::package::values::{boolean, text, texts};
use crate::package::yaml;
use juror_core::check::options::Options;
use juror_core::language::constants::{GROWTH_HELP, replace_constants};
use juror_core::test_data::ValidatorArgs;

#[derive(Clone, Debug, Default)]
pub(super) struct TestDataSettings {
    pub args: Option<Vec<String>>,
    pub input_validator_args: Option<ValidatorArgs>,
    pub output_validator_args: Option<Vec<String>>,
    pub input_visualizer_args: Option<Vec<String>>,
    pub output_visualizer_args: Option<Vec<String>>,
    pub scoring: ScoringKeys,
    pub static_validation: StaticKeys,
}

const RENAMED: RenamedKeys = &[
    ("input_validator_flags", "in format 2025-09: `input_validator_args: [...]`, a sequence"),
    ("output_validator_flags", "in format 2025-09: `output_validator_args: [...]`, a sequence"),
    ("grading", "in format 2025-09: its keys at the top of the file; pass-fail problems have none"),
    ("on_reject", "format 2025-09 has no such key"),
];

/// Constants are replaced only in files of groups.
pub(super) fn read(
    pack: &PackageReader<'_>,
    part: DataDirectory,
    role: SettingsScope,
    item: &PackageEntry,
) -> Option<TestDataSettings> {
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
    let map = document.as_ref().and_then(|document| document.root().non_null()?.map().ok());
    Some(map.map(|map| read_settings(pack, part, role, map)).unwrap_or_default())
}

fn read_settings(
    pack: &PackageReader<'_>,
    part: DataDirectory,
    role: SettingsScope,
    map: Map<'_>,
) -> TestDataSettings {
    let mut map = map.with_renamed_keys(RENAMED);
    let mut it = TestDataSettings::default();
    map.set("args", &mut it.args, texts);
    map.set("input_validator_args", &mut it.input_validator_args, |node| {
        pack.input_validator_args(node, texts)
    });
    map.set("output_validator_args", &mut it.output_validator_args, |node| {
        read_output_validator_args(pack, node)
    });
    map.get("full_feedback", boolean);
    if role == SettingsScope::Case {
        map.get("hint", text);
    }
    if role == SettingsScope::Case || !part.is_judged() {
        map.get("description", text);
    }
    map.set("input_visualizer_args", &mut it.input_visualizer_args, texts);
    map.set("output_visualizer_args", &mut it.output_visualizer_args, texts);
    if role != SettingsScope::Case {
        it.scoring = scoring::read(pack, part, &mut map);
        it.static_validation = static_validation::read(part, &mut map);
    }
    if role == SettingsScope::Parent {
        warn_of_uninherited_settings(&mut map);
    }
    it
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
