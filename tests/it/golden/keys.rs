//! The keys of the JSON document, held against the pages that tell them.

use std::collections::{BTreeMap, BTreeSet};

use juror::model::report::Session;
use serde_json::Value;

use super::file::root;

/// Objects that come in several places: the end of the path of each, and the name that the page gives it.
const SHARED: [(&str, &str); 39] = [
    ("compare.difference.", "submissions[].test_cases[].difference."),
    ("compare.evidence.", "submissions[].test_cases[].evidence."),
    ("stress.counterexample.difference.", "submissions[].test_cases[].difference."),
    ("stress.counterexample.input.", "text."),
    ("stress.counterexample.expected.", "text."),
    ("stress.counterexample.got.", "text."),
    ("strength.input_validators.", "strictness."),
    ("strength.grammar_changes.", "strictness."),
    ("strength.output_validator.", "strictness."),
    ("strength.probes.submissions[].largest.", "point."),
    (".variables[].points[].", "point."),
    (".variables[].time.", "growth."),
    (".variables[].memory.", "growth."),
    ("stress.explanations[].", "explanations[]."),
    ("run.outcome.", "submissions[].test_cases[]."),
    ("submissions[].error.", "judge_errors[]."),
    ("submissions[].compiler.outcome.", "submissions[].test_cases[]."),
    (".difference.answer.", "side."),
    (".difference.output.", "side."),
    ("side.token.", "excerpt."),
    ("side.window.", "excerpt."),
    (".transcript.", "transcript."),
    ("transcript.first[].", "line."),
    ("transcript.last[].", "line."),
    ("line.line.", "text."),
    (".files[].contents.", "text."),
    ("file.contents.", "text."),
    ("run.stdout.", "text."),
    ("run.stderr.", "text."),
    (".messages.", "text."),
    (".evidence.input.", "text."),
    (".evidence.answer.", "text."),
    (".evidence.output.", "text."),
    (".evidence.stdout.", "text."),
    (".missed.input.", "text."),
    (".stderr.", "text."),
    (".validator_stderr.", "text."),
    ("grammar bounds.bounds[].min.", "bound."),
    ("grammar bounds.bounds[].max.", "bound."),
];

/// The types of each key, by its path, such as `submissions[].test_cases[].cpu_seconds`.
pub(super) type Keys = BTreeMap<String, BTreeSet<String>>;

/// The keys of a document. It has none twice: a reader loses one of these.
pub(super) fn of_document(text: &str) -> BTreeSet<String> {
    let document: Value = serde_json::from_str(text).expect("a document is JSON");
    let read = serde_json::to_string_pretty(&document).expect("JSON");
    assert_eq!(read.lines().count(), text.lines().count(), "a key stands twice in {text}");
    document.as_object().expect("an object").keys().cloned().collect()
}

/// Adds the keys of a document. Those that only this command has get its name before them.
pub(super) fn find_written(text: &str, found: &mut Keys) {
    let document: Value = serde_json::from_str(text).expect("a document is JSON");
    let command = match document.get("server") {
        Some(_) => "cluster",
        None => document["command"].as_str().expect("a command"),
    };
    let judges = ["judge", "verify", "generate"].contains(&command);
    let of_all = serde_json::to_value(Session::default()).expect("JSON");
    for (key, value) in document.as_object().expect("an object") {
        let is_own = of_all.get(key).is_none() && !judges;
        let path = if is_own { format!("{command}.{key}") } else { key.clone() };
        find_keys(value, &path, found);
    }
}

/// Adds the keys of a value, with their types.
fn find_keys(value: &Value, path: &str, found: &mut Keys) {
    if !path.is_empty() && !path.ends_with(']') {
        let mut path = path.to_owned();
        for (place, name) in SHARED {
            if let Some((_, rest)) = path.split_once(place) {
                path = format!("{name}{rest}");
            }
        }
        found.entry(path).or_default().insert(kind(value).to_owned());
    }
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let dot = if path.is_empty() { "" } else { "." };
                find_keys(value, &format!("{path}{dot}{key}"), found);
            }
        }
        Value::Array(values) => {
            for value in values {
                find_keys(value, &format!("{path}[]"), found);
            }
        }
        _ => {}
    }
}

/// The type of a value as the document calls it.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// The keys that a page tells, with their types. A heading that ends with the name of an object, such as
/// ``## Package: `packages[]` ``, says whose keys follow.
fn told_keys(page: &str) -> Keys {
    let document = std::fs::read_to_string(root().join(page)).expect(page);
    let mut told = Keys::new();
    let mut object = String::new();
    for line in document.lines() {
        if line.starts_with("## ") || line.starts_with("### ") {
            let name = line.strip_suffix('`').and_then(|line| line.rsplit_once('`'));
            object = name.map(|(_, name)| format!("{name}.")).unwrap_or_default();
        }
        let row = line.strip_prefix("| `").and_then(|row| row.split_once("` | "));
        let Some((key, (types, _))) =
            row.and_then(|(key, rest)| Some((key, rest.split_once(" | ")?)))
        else {
            continue;
        };
        let types = types.split(" or ").map(str::to_owned).collect();
        let twice = told.insert(format!("{object}{key}"), types);
        assert!(twice.is_none(), "{page} tells `{object}{key}` twice");
    }
    told
}

#[test]
fn pages_tell_each_json_key_and_no_other() {
    let mut written = Keys::new();
    for entry in std::fs::read_dir(root().join("tests/snapshots")).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.to_string_lossy().ends_with(".json.snap") {
            let snapshot = std::fs::read_to_string(&path).expect("a snapshot");
            let (_, document) = snapshot.split_once("\n---\n").expect("a header");
            find_written(document, &mut written);
        }
    }
    check_keys(&own_keys(&written, "doctor"), "docs/doctor.md");
    written.retain(|key, _| !key.starts_with("doctor.") && !key.starts_with("cluster."));
    check_keys(&written, "docs/json.md");
}

/// The keys that only this command has.
pub(super) fn own_keys(written: &Keys, command: &str) -> Keys {
    let own = written.iter().filter_map(|(key, types)| {
        let key = key.strip_prefix(command)?.strip_prefix('.')?;
        Some((key.to_owned(), types.clone()))
    });
    own.collect()
}

/// Whether a page tells exactly these keys.
pub(super) fn check_keys(written: &Keys, page: &str) {
    let told = told_keys(page);
    for (key, types) in written {
        let told = told.get(key);
        let told = told.unwrap_or_else(|| panic!("{page} does not tell `{key}`"));
        assert!(types.is_subset(told), "`{key}` is {types:?}, {page} tells {told:?}");
    }
    for key in told.keys() {
        assert!(written.contains_key(key), "{page} tells `{key}`, which no report has");
    }
}

#[test]
fn the_version_of_the_document_is_the_one_that_is_told() {
    let document = std::fs::read_to_string(root().join("docs/json.md")).expect("docs/json.md");
    let version = format!("`\"version\": {}`", juror::model::report::VERSION);
    assert!(document.contains(&version), "docs/json.md lacks {version}");
}
