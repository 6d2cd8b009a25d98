//! `test_group.yaml` and the `.yaml` files of test cases.
//!
//! Source: problem package format 2025-09, "Test data configuration", "Test case configuration".

use crate::check::options::Options;
use crate::language::constants::{TOO_LONG_HELP, replace_constants};
use crate::model::test_data::ValidatorArgs;
use crate::package::files::Item;
use crate::package::kattis::Pack;
use crate::package::kattis::part::{Part, Role};
use crate::package::kattis::v2025_09::scoring::{self, ScoringKeys};
use crate::package::kattis::v2025_09::static_validation::{self, StaticKeys};
use crate::package::node::{Map, Node, Parse, Renamed, SettingsFile};
use crate::package::text::TextFile;
use crate::package::values::{boolean, text, texts};
use crate::package::yaml;

#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub args: Option<Vec<String>>,
    pub input_validator_args: Option<ValidatorArgs>,
    pub output_validator_args: Option<Vec<String>>,
    pub input_visualizer_args: Option<Vec<String>>,
    pub output_visualizer_args: Option<Vec<String>>,
    pub scoring: ScoringKeys,
    pub static_validation: StaticKeys,
}

const RENAMED: Renamed = &[
    ("input_validator_flags", "in format 2025-09: `input_validator_args: [...]`, a sequence"),
    ("output_validator_flags", "in format 2025-09: `output_validator_args: [...]`, a sequence"),
    ("grading", "in format 2025-09: its keys at the top of the file; pass-fail problems have none"),
    ("on_reject", "format 2025-09 has no such key"),
];

/// Constants are replaced only in files of groups.
pub(super) fn read(pack: &Pack<'_>, part: Part, role: Role, item: &Item) -> Option<Settings> {
    let mut file = item.read(pack.faults)?;
    if role != Role::Case {
        let text = match replace_constants(file.text.as_bytes(), &pack.yaml.constants) {
            Ok(replaced) => String::from_utf8_lossy(&replaced).into_owned(),
            Err(fault) => {
                pack.faults.error(&*item.path, fault.to_string(), TOO_LONG_HELP);
                return None;
            }
        };
        file = TextFile::bounded(&item.path, text, pack.faults)?;
    }
    let document = SettingsFile::of(file, pack.faults, yaml::parse);
    let map = document.as_ref().and_then(|it| it.root().filled()?.map().ok());
    Some(map.map(|map| settings(pack, part, role, map)).unwrap_or_default())
}

fn settings(pack: &Pack<'_>, part: Part, role: Role, map: Map<'_>) -> Settings {
    let mut map = map.renamed(RENAMED);
    let mut it = Settings::default();
    map.set("args", &mut it.args, texts);
    map.set("input_validator_args", &mut it.input_validator_args, |node| {
        pack.input_validator_args(node, texts)
    });
    map.set("output_validator_args", &mut it.output_validator_args, |node| {
        output_validator_args(pack, node)
    });
    map.get("full_feedback", boolean);
    if role == Role::Case {
        map.get("hint", text);
    }
    if role == Role::Case || !part.is_judged() {
        map.get("description", text);
    }
    map.set("input_visualizer_args", &mut it.input_visualizer_args, texts);
    map.set("output_visualizer_args", &mut it.output_visualizer_args, texts);
    if role != Role::Case {
        it.scoring = scoring::read(pack, part, &mut map);
        it.static_validation = static_validation::read(part, &mut map);
    }
    if role == Role::Parent {
        warn_about_lost_settings(&mut map);
    }
    it
}

/// The arguments, checked against those of the default output validator.
fn output_validator_args(pack: &Pack<'_>, node: &Node<'_>) -> Parse<Vec<String>> {
    let args = texts(node)?;
    match Options::parse(&args) {
        Err(error) if !pack.has_output_validator() => Err(node.error(error.to_string(), "")),
        _ => Ok(args),
    }
}

/// Warns of settings in `secret` that its groups do not inherit: each group has only those of its own file.
fn warn_about_lost_settings(map: &mut Map<'_>) {
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
