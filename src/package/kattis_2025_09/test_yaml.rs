//! `test_group.yaml` and the `.yaml` files of test cases.
//!
//! Source: problem package format 2025-09, "Test data configuration", "Test case configuration".

use crate::check::options::Options;
use crate::model::diagnostic::Diagnostic;
use crate::model::program::Constant;
use crate::model::test_data::ValidatorArgs;
use crate::package::files::Tree;
use crate::package::kattis_2025_09::constants;
use crate::package::kattis_2025_09::problem_type::ProblemType;
use crate::package::kattis_2025_09::scoring::{self, ScoringKeys, Whose};
use crate::package::kattis_2025_09::static_validation::{self, StaticKeys};
use crate::package::keys::{self, Keys, Replaced};
use crate::package::text::{Remarks, TextFile, shown};
use crate::package::yaml::{self, Node, Parsed, Value};

/// What such a file sets.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub args: Option<Vec<String>>,
    pub input_validator_args: Option<ValidatorArgs>,
    pub output_validator_args: Option<Vec<String>>,
    pub full_feedback: Option<bool>,
    pub hint: Option<String>,
    pub description: Option<String>,
    pub scoring: ScoringKeys,
    pub static_validation: StaticKeys,
}

/// What a file is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// All cases of `data/sample/`.
    Sample,
    /// All cases of `data/secret/` or of a group in it.
    Group,
    /// All cases of `data/secret/`, where groups have their own settings.
    SecretWithGroups,
    /// One case.
    Case,
    /// Cases that are not judged, as a directory or one by one.
    Check,
}

/// Which output validator a package has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputValidator {
    /// The standard's own, whose arguments are known.
    Default,
    /// Its own, which takes what it likes.
    Custom,
}

impl OutputValidator {
    /// That of the package.
    pub(super) fn of(tree: &Tree) -> Self {
        match tree.directory("output_validator") {
            None => Self::Default,
            Some(_) => Self::Custom,
        }
    }
}

/// What is known when such a file is read.
pub(super) struct Surroundings<'a> {
    pub subject: Subject,
    pub problem_type: &'a ProblemType,
    pub output_validator: OutputValidator,
    /// The names of the input validators.
    pub validators: &'a [String],
}

const REPLACED: &[Replaced] = &[
    Replaced {
        old: "input_validator_flags",
        help: "in format 2025-09: `input_validator_args: [...]`, a sequence",
    },
    Replaced {
        old: "output_validator_flags",
        help: "in format 2025-09: `output_validator_args: [...]`, a sequence",
    },
    Replaced {
        old: "grading",
        help: "in format 2025-09 its keys stand in the file itself; pass-fail problems have none",
    },
    Replaced { old: "on_reject", help: "there is no such key in format 2025-09" },
];

/// Reads a case's own file, in which constants are not replaced.
pub(super) fn read(around: &Surroundings<'_>, remarks: &mut Remarks<'_>) -> Settings {
    let subject = around.subject;
    let root = match yaml::parse(remarks) {
        Parsed::Document(root) if !keys::is_null(&root) => root,
        _ => return Settings::default(),
    };
    let Some(keys) = Keys::open("", &root, remarks) else {
        return Settings::default();
    };
    let mut keys = keys.replaced(REPLACED);
    let is_group_file = remarks.file.path.file_name().is_some_and(|name| name == "test_group.yaml");
    let mut settings = Settings {
        args: texts(&mut keys, "args", remarks),
        input_validator_args: keys
            .take("input_validator_args")
            .and_then(|node| input_validator_args(node, around.validators, remarks)),
        output_validator_args: keys
            .take("output_validator_args")
            .and_then(|node| output_validator_args(node, around.output_validator, remarks)),
        full_feedback: keys.boolean("full_feedback", remarks),
        hint: if is_group_file { None } else { keys.text("hint", remarks) },
        description: if is_group_file && subject != Subject::Check {
            None
        } else {
            keys.text("description", remarks)
        },
        scoring: ScoringKeys::default(),
        static_validation: StaticKeys::default(),
    };
    texts(&mut keys, "input_visualizer_args", remarks);
    texts(&mut keys, "output_visualizer_args", remarks);
    if is_group_file {
        let whose = match subject {
            Subject::Sample => Whose::Sample,
            Subject::Group | Subject::SecretWithGroups => Whose::Secret,
            Subject::Case | Subject::Check => Whose::Checks,
        };
        settings.scoring = scoring::read(&mut keys, around.problem_type, whose, remarks);
        settings.static_validation = static_validation::read(&mut keys, whose, remarks);
    }
    if subject == Subject::SecretWithGroups {
        warn_about_lost_settings(&mut keys, remarks);
    }
    keys.finish(remarks);
    settings
}

fn texts(keys: &mut Keys<'_>, key: &'static str, remarks: &mut Remarks<'_>) -> Option<Vec<String>> {
    let node = keys.take(key)?;
    keys::texts(key, node, remarks)
}

fn input_validator_args(
    node: &Node,
    validators: &[String],
    remarks: &mut Remarks<'_>,
) -> Option<ValidatorArgs> {
    let what = "input_validator_args";
    let Value::Map(entries) = &node.value else {
        return keys::texts(what, node, remarks).map(ValidatorArgs::All);
    };
    let mut by_name = Vec::new();
    for entry in entries {
        if !validators.contains(&entry.key) {
            let known: Vec<&str> = validators.iter().map(String::as_str).collect();
            let message = format!("there is no input validator `{}`", shown(&entry.key));
            keys::unknown_word(&message, &entry.key, &known, entry.key_range, remarks);
        }
        let args = keys::texts(&format!("{what}.{}", entry.key), &entry.value, remarks);
        by_name.push((entry.key.clone(), args.unwrap_or_default()));
    }
    Some(ValidatorArgs::ByName(by_name))
}

/// The arguments, held against what the default output validator takes.
fn output_validator_args(
    node: &Node,
    validator: OutputValidator,
    remarks: &mut Remarks<'_>,
) -> Option<Vec<String>> {
    let args = keys::texts("output_validator_args", node, remarks)?;
    if validator == OutputValidator::Default
        && let Err(error) = Options::parse(&args)
    {
        remarks.error(node.range, error.to_string(), None);
        return None;
    }
    Some(args)
}

/// A group's settings are those of its own file: nothing is inherited from `secret`.
fn warn_about_lost_settings(keys: &mut Keys<'_>, remarks: &mut Remarks<'_>) {
    for key in ["args", "input_validator_args", "output_validator_args", "full_feedback"] {
        if let Some(entry) = keys.entry(key) {
            let message = format!(
                "`{key}` holds for no test case: the groups in data/secret have settings of their own"
            );
            let help = format!("write `{key}` into the test_group.yaml of each group");
            remarks.warning(entry.key_range, message, Some(&help));
        }
    }
}

/// Reads a `test_group.yaml` after putting the constants in their places.
pub(super) fn read_group(
    file: TextFile,
    constants: &[Constant],
    around: &Surroundings<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Settings {
    let file = match file.text.contains("{{") {
        true => TextFile::new(&file.path, constants::substitute(&file.text, constants)),
        false => file,
    };
    read(around, &mut Remarks::new(&file, diagnostics))
}
