//! Checks a JSON value against the schema of its type, to report what is wrong and where.

use serde_json::Value;

use crate::grade::graded::LineFault;
use crate::package::suggest::nearest;

/// Whether keys may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// All required keys must be present.
    Refused,
    /// Missing keys are filled in elsewhere.
    Allowed,
}

/// Checks a value against a schema without references. `at` is a JSON pointer to it.
///
/// # Errors
/// The first fault.
pub fn check(schema: &Value, value: &Value, at: &str, missing: Missing) -> Result<(), LineFault> {
    let Some(schema) = fitting(schema, value) else {
        let message =
            format!("{}expected {}, not {}", prefix(at), expected(schema), called(type_of(value)));
        return Err(LineFault::line(message, SEE));
    };
    if let Some(words) = words(schema) {
        let known = value.as_str().unwrap_or_default();
        if words.contains(&known) {
            return Ok(());
        }
        let message = format!("{}`{known}` is not one of {}", prefix(at), words.join(", "));
        return Err(LineFault::line(message, meant(known, &words)));
    }
    match value {
        Value::Object(object) => {
            let Some(properties) = properties(schema) else { return Ok(()) };
            for (key, value) in object {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                match properties.get(key) {
                    Some(schema) => check(schema, value, &at, missing)?,
                    None => {
                        let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                        let message = format!("there is no key `{at}`");
                        return Err(LineFault::line(message, meant(key, &known)));
                    }
                }
            }
            let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
            let mut required = required.iter().filter_map(Value::as_str);
            match required.find(|key| !object.contains_key(*key)) {
                Some(key) if missing == Missing::Refused => {
                    Err(LineFault::line(format!("`{at}/{key}` is missing"), SEE))
                }
                _ => Ok(()),
            }
        }
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.try_for_each(|(index, item)| {
                check(&schema["items"], item, &format!("{at}/{index}"), missing)
            })
        }
        _ => Ok(()),
    }
}

const SEE: &str = "`juror schema grade` prints the form of a line";

/// The keys of an object's schema.
pub fn properties(schema: &Value) -> Option<&serde_json::Map<String, Value>> {
    let of_objects = fitting(schema, &Value::Object(serde_json::Map::new()))?;
    of_objects.get("properties")?.as_object()
}

/// The alternative of a schema for values of this type.
fn fitting<'a>(schema: &'a Value, value: &Value) -> Option<&'a Value> {
    if let Some(all) = alternatives(schema) {
        return all.iter().find_map(|schema| fitting(schema, value));
    }
    let named = types(schema);
    (named.is_empty() || named.contains(&type_of(value))).then_some(schema)
}

/// The alternatives of a schema; None if they are just words.
fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    let all = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
    (words(schema).is_none()).then_some(all)
}

/// The words that a schema allows, if it allows only words.
fn words(schema: &Value) -> Option<Vec<&str>> {
    let of = |key: &str| schema.get(key).and_then(Value::as_array);
    match (of("enum"), of("oneOf")) {
        (Some(all), _) => all.iter().map(Value::as_str).collect(),
        (None, Some(all)) => all.iter().map(|it| it["const"].as_str()).collect(),
        (None, None) => None,
    }
}

fn types(schema: &Value) -> Vec<&str> {
    if words(schema).is_some() {
        return vec!["string"];
    }
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The expected value, in words.
fn expected(schema: &Value) -> String {
    fn all<'a>(schema: &'a Value, found: &mut Vec<&'a str>) {
        match alternatives(schema) {
            Some(schemas) => schemas.iter().for_each(|it| all(it, found)),
            None => found.extend(types(schema)),
        }
    }
    let mut found = Vec::new();
    all(schema, &mut found);
    let words = found.into_iter().filter(|name| *name != "null").map(called);
    words.collect::<Vec<&str>>().join(" or ")
}

/// The name of a value's type in schemas.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A value of this type, in words.
fn called(name: &str) -> &'static str {
    match name {
        "null" => "null",
        "string" => "a text",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        _ => "an object",
    }
}

fn prefix(at: &str) -> String {
    if at.is_empty() { String::new() } else { format!("`{at}`: ") }
}

/// The word that was probably meant, otherwise the list of known words.
pub fn meant(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(", ")),
    }
}
