//! Converts lines of another form: a map has the positions of their values.
//!
//! A map is an object like a line, with a JSON pointer (RFC 6901) in place of each value. A pointer also leads into a
//! text that is itself JSON. Test cases are a list of objects, or parallel lists, or several of these.

use serde_json::{Map as Object, Value};

use crate::grade::fault::{LineFault, parse_json};
use crate::grade::line::LINE_SCHEMA;
use crate::grade::source::suggestion;

#[derive(Clone, Debug, PartialEq)]
pub struct LineMap(Object<String, Value>);

const CASES_KEY: &str = "cases";
/// The key for the list of test cases, if each is an object.
const EACH_KEY: &str = "each";

impl LineMap {
    /// # Errors
    /// The first fault.
    pub fn parse(text: &str) -> Result<Self, LineFault> {
        match parse_json(text.as_bytes())? {
            Value::Object(map) => {
                check_object(&map, &LINE_SCHEMA, "")?;
                Ok(Self(map))
            }
            _ => {
                let help = r#"such as {"source": "/solution", "cases": "/test_cases"}"#;
                Err(LineFault::of_line("a map must be an object", help))
            }
        }
    }

    /// # Errors
    /// If the test cases are not as the map says.
    pub fn apply(&self, from: &Value) -> Result<Value, LineFault> {
        let mut line = Object::new();
        for (key, map) in &self.0 {
            let value = match key.as_str() {
                CASES_KEY => map_cases(map, from)?,
                _ => map_value(map, from),
            };
            line.extend(value.map(|value| (key.clone(), value)));
        }
        Ok(Value::Object(line))
    }

    /// The value of one key, also for a line that cannot be converted.
    pub fn value(&self, key: &str, from: &Value) -> Option<Value> {
        map_value(self.0.get(key)?, from)
    }

    /// The key that `id` is mapped to, if it is one of the outermost object.
    pub fn id_key(&self) -> Option<String> {
        let key = self.0.get("id")?.as_str()?.strip_prefix('/')?;
        (!key.contains('/')).then(|| key.replace("~1", "/").replace("~0", "~"))
    }
}

fn properties(schema: &Value) -> Option<&Object<String, Value>> {
    let alternatives = || schema.get("anyOf")?.as_array()?.iter().find_map(properties);
    schema.get("properties").and_then(Value::as_object).or_else(alternatives)
}

fn check_object(map: &Object<String, Value>, schema: &Value, at: &str) -> Result<(), LineFault> {
    let none = Object::new();
    let known = properties(schema).unwrap_or(&none);
    for (key, map) in map {
        let at = format!("{at}/{key}");
        let Some(schema) = known.get(key) else {
            let known: Vec<&str> = known.keys().map(String::as_str).collect();
            return Err(LineFault::of_line(
                format!("there is no key `{at}`"),
                suggestion(key, &known),
            ));
        };
        match map {
            Value::Object(map) if key == CASES_KEY => check_cases(map, &at)?,
            Value::Array(maps) if key == CASES_KEY => {
                for map in maps {
                    match map {
                        Value::Object(map) => check_cases(map, &at)?,
                        map => check_pointer(map, &at)?,
                    }
                }
            }
            Value::Object(map) if properties(schema).is_some() => check_object(map, schema, &at)?,
            map => check_pointer(map, &at)?,
        }
    }
    Ok(())
}

fn check_cases(map: &Object<String, Value>, at: &str) -> Result<(), LineFault> {
    for (key, pointer) in map {
        if ![EACH_KEY, "input", "answer"].contains(&key.as_str()) {
            let help = suggestion(key, &[EACH_KEY, "input", "answer"]);
            return Err(LineFault::of_line(format!("there is no key `{at}/{key}`"), help));
        }
        check_pointer(pointer, &format!("{at}/{key}"))?;
    }
    if map.contains_key("input") && map.contains_key("answer") {
        Ok(())
    } else {
        let help = "give the pointers to `input` and `answer` of a test case";
        Err(LineFault::of_line(format!("`{at}` lacks a key"), help))
    }
}

fn check_pointer(map: &Value, at: &str) -> Result<(), LineFault> {
    match map {
        Value::String(pointer) if pointer.is_empty() || pointer.starts_with('/') => Ok(()),
        _ => {
            let help = "a JSON pointer is a text such as \"/tests/0/input\"";
            Err(LineFault::of_line(format!("`{at}` is not a JSON pointer"), help))
        }
    }
}

/// `None` if no value exists.
fn map_value(map: &Value, from: &Value) -> Option<Value> {
    match map {
        Value::Object(map) => {
            let parts =
                map.iter().filter_map(|(key, map)| Some((key.clone(), map_value(map, from)?)));
            let parts: Object<String, Value> = parts.collect();
            (!parts.is_empty()).then_some(Value::Object(parts))
        }
        map => follow_pointer(from, map.as_str()?)
            .filter(|value| !value.is_null())
            .map(duration_in_seconds),
    }
}

/// Converts a time in two parts to a number of seconds; any other value stays.
///
/// Source: the message `Duration` of Protocol Buffers.
fn duration_in_seconds(value: Value) -> Value {
    let parts = value.as_object().filter(|parts| {
        parts.contains_key("seconds") && parts.keys().all(|key| key == "seconds" || key == "nanos")
    });
    let number = |key: &str| parts.and_then(|parts| parts.get(key)).and_then(Value::as_f64);
    match (number("seconds"), number("nanos")) {
        (Some(seconds), nanos) => (seconds + nanos.unwrap_or_default() / 1e9).into(),
        (None, _) => value,
    }
}

fn map_cases(map: &Value, from: &Value) -> Result<Option<Value>, LineFault> {
    let Value::Array(maps) = map else { return map_case_list(map, from) };
    let mut all: Option<Vec<Value>> = None;
    for map in maps {
        match map_case_list(map, from)? {
            Some(Value::Array(cases)) => all.get_or_insert_default().extend(cases),
            None => {}
            Some(_) => return Err(not_a_list(map)),
        }
    }
    Ok(all.map(Value::Array))
}

fn map_case_list(map: &Value, from: &Value) -> Result<Option<Value>, LineFault> {
    let Value::Object(map) = map else {
        let pointer = map.as_str().unwrap_or_default();
        // The value there may be a text that contains the list as JSON.
        return Ok(follow_pointer(from, pointer)
            .map(parse_nested_json)
            .filter(|value| !value.is_null()));
    };
    let list = |key: &str| {
        let pointer = &map[key];
        match follow_pointer(from, pointer.as_str().unwrap_or_default()).map(parse_nested_json) {
            Some(Value::Array(list)) => Ok(Some(list)),
            None | Some(Value::Null) => Ok(None),
            Some(_) => Err(not_a_list(pointer)),
        }
    };
    if map.contains_key(EACH_KEY) {
        let part = |key: &str, item: &Value| Some((key.to_owned(), map_value(&map[key], item)?));
        let case = |item: Value| {
            let parts = ["input", "answer"].into_iter().filter_map(|key| part(key, &item));
            Value::Object(parts.collect())
        };
        return Ok(list(EACH_KEY)?.map(|list| list.into_iter().map(case).collect()));
    }
    let (inputs, answers) = match (list("input")?, list("answer")?) {
        (None, None) => return Ok(None),
        (inputs, answers) => (inputs.unwrap_or_default(), answers.unwrap_or_default()),
    };
    if inputs.len() != answers.len() {
        let message = format!(
            "{} inputs are at {}, and {} answers at {}",
            inputs.len(),
            map["input"],
            answers.len(),
            map["answer"]
        );
        return Err(LineFault::of_line(message, "there must be an answer for each input"));
    }
    let pairs = inputs.into_iter().zip(answers);
    let case = |(input, answer)| serde_json::json!({ "input": input, "answer": answer });
    Ok(Some(pairs.map(case).collect()))
}

fn not_a_list(pointer: &Value) -> LineFault {
    let help = "point the map to a list of test cases, or of their inputs and answers";
    LineFault::of_line(format!("{pointer} is not a list"), help)
}

fn parse_nested_json(value: Value) -> Value {
    let inner = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    inner.unwrap_or(value)
}

fn follow_pointer(from: &Value, pointer: &str) -> Option<Value> {
    let Some(rest) = pointer.strip_prefix('/') else { return Some(from.clone()) };
    if let Value::String(text) = from {
        return follow_pointer(&serde_json::from_str(text).ok()?, pointer);
    }
    let (_, after) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let first = &pointer[..pointer.len() - after.len()];
    follow_pointer(from.pointer(first)?, after)
}
