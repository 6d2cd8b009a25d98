//! Finds lines of public data sets that ask for something else than a program that reads standard input and has one
//! right output. The verdicts for such lines would be wrong.

use serde_json::Value;

use crate::grade::fault::{LineFault, escape_pointer};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct UnsupportedRequest {
    /// A JSON pointer to the key.
    pointer: String,
    pub(super) value: Value,
    pub(super) kind: RequestKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// A function, which a program of the data set calls.
    Function,
    Files,
    Interaction,
    /// Several outputs are right, and a program decides about them.
    Checker,
}

use RequestKind::{Checker, Files, Function, Interaction};

/// The keys with the values that make a request; empty for any value.
///
/// Sources: APPS and TACO (`fn_name`, `starter_code`), LiveCodeBench (`func_name`, `testtype`), HumanEval, MBPP (`test_list`), MBPP+ and
/// LeetCodeDataset (`entry_point`), KodCode (`function_name`, `test_entry_point`), SYNTHETIC-1 (`type`), CodeContests
/// (`input_file`, `output_file`), open-r1/codeforces (`input_mode`, `interaction_format`, `generated_checker`).
const REQUEST_KEYS: [(&str, &[&str], RequestKind); 15] = [
    ("fn_name", &[], Function),
    ("func_name", &[], Function),
    ("function_name", &[], Function),
    ("entry_point", &[], Function),
    ("test_entry_point", &[], Function),
    ("test_list", &[], Function),
    ("starter_code", &[], Function),
    ("testtype", &["functional"], Function),
    ("test_type", &["functional"], Function),
    ("type", &["function_call"], Function),
    ("input_mode", &["file"], Files),
    ("input_file", &[], Files),
    ("output_file", &[], Files),
    ("interaction_format", &[], Interaction),
    ("generated_checker", &[], Checker),
];

/// With these values, a key makes no request.
const NEUTRAL_VALUES: [&str; 6] =
    ["", "stdin", "stdout", "standard input", "standard output", "standard input/output"];

/// Objects that are nested deeper are not searched.
const MOST_NESTED: usize = 4;

impl UnsupportedRequest {
    /// Finds the first request of a line of the wanted kinds. If a map unpacks the line, nested objects, texts with such objects, and test
    /// cases count, too. The texts in test cases do not count: they are data.
    pub(super) fn find(
        line: &Value,
        is_mapped: bool,
        wanted: fn(RequestKind) -> bool,
    ) -> Option<Self> {
        let found = find_within(line, true, if is_mapped { MOST_NESTED } else { 1 }, wanted)?;
        Some(Self { pointer: format!("/{}", found.pointer), ..found })
    }

    pub(super) fn fault(&self) -> LineFault {
        let call = format!(
            r#"add "call": {{"function": "{}", "arguments": "json"}}, or "lines" if each argument has a line"#,
            function_name(&self.value).unwrap_or("NAME")
        );
        let (what, help) = match self.kind {
            Function => ("a function", &*call),
            Files => (
                "a program that reads or writes files",
                "give a `package` whose `juror.toml` says so in `[io]`, or remove the key",
            ),
            Interaction => (
                "a program that talks with another one",
                "give a `package` with that program, or leave the line out",
            ),
            Checker => ("a checker", "give its text in Python, or a checker in `compare`"),
        };
        let value = match &self.value {
            Value::String(text) => text.lines().find(|row| !row.trim().is_empty()).unwrap_or(text),
            other => &other.to_string(),
        };
        LineFault::of_line(format!("`{}` asks for {what}: `{}`", self.pointer, value.trim()), help)
    }
}

/// The name itself, or that of the first function of a text in Python.
fn function_name(value: &Value) -> Option<&str> {
    let text = value.as_str()?;
    let is_name = |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    if is_name(text) && text != "functional" && text != "function_call" {
        return Some(text);
    }
    let name = text.split_once("def ")?.1.split('(').next()?;
    Some(name).filter(|name| is_name(name))
}

fn find_within(
    value: &Value,
    opens_texts: bool,
    depth: usize,
    wanted: fn(RequestKind) -> bool,
) -> Option<UnsupportedRequest> {
    let below = depth.checked_sub(1)?;
    let inside = |found: UnsupportedRequest, part: &str| {
        let at = format!("{}/{}", escape_pointer(part), found.pointer);
        Some(UnsupportedRequest { pointer: at.trim_end_matches('/').to_owned(), ..found })
    };
    match value {
        Value::Object(object) => object.iter().find_map(|(key, value)| {
            let found = match request_kind(key, value).filter(|kind| wanted(*kind)) {
                Some(kind) => {
                    UnsupportedRequest { pointer: String::new(), value: value.clone(), kind }
                }
                None => find_within(value, opens_texts, below, wanted)?,
            };
            inside(found, key)
        }),
        Value::Array(items) => {
            let mut items = items.iter().enumerate().filter(|(_, item)| item.is_object());
            items.find_map(|(at, item)| {
                inside(find_within(item, false, below, wanted)?, &at.to_string())
            })
        }
        Value::String(text) if opens_texts && text.trim_start().starts_with(['{', '[']) => {
            let has_key = REQUEST_KEYS.iter().any(|(key, ..)| text.contains(key));
            let opened = has_key.then(|| serde_json::from_str::<Value>(text).ok()).flatten()?;
            find_within(&opened, opens_texts, depth, wanted)
        }
        _ => None,
    }
}

fn request_kind(key: &str, value: &Value) -> Option<RequestKind> {
    let (_, values, kind) = REQUEST_KEYS.iter().find(|(known, ..)| *known == key)?;
    let asks = match value {
        Value::String(text) if values.is_empty() => {
            NEUTRAL_VALUES.iter().all(|nothing| !text.trim().eq_ignore_ascii_case(nothing))
        }
        Value::String(text) => values.contains(&text.trim()),
        Value::Array(all) => values.is_empty() && !all.is_empty(),
        Value::Object(all) => values.is_empty() && !all.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    asks.then_some(*kind)
}
