//! Converts lines of another form: a map has the positions of their values.
//!
//! A map is an object like a line, with a JSON pointer (RFC 6901) in place of each value, a list of pointers whose
//! values are joined, or a constant. A pointer also leads into a text that is itself JSON, perhaps packed. Test cases
//! are a list of objects, or parallel lists, or several of these.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;
use serde_json::{Map as Object, Value};

use crate::grade::fault::{LineFault, parse_json};
use crate::grade::line::LINE_SCHEMA;
use crate::grade::source::suggestion;
use crate::grade::unpack::{is_packed, unpack};

#[derive(Clone, Debug, PartialEq)]
pub struct LineMap(Object<String, Value>);

const CASES_KEY: &str = "cases";
/// The key for the list of test cases, if each is an object.
const EACH_KEY: &str = "each";
/// The form of arguments that are values, not texts with JSON.
pub(super) const VALUES: &str = "values";
/// How pointers to the test cases of the statement begin.
const PUBLIC: [&str; 3] = ["/public", "/sample", "/example"];

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

    /// The same with other keys in place of its own.
    #[must_use]
    pub fn replaced_by(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// # Errors
    /// If a value is not as the map says.
    pub fn apply(&self, from: &Value) -> Result<MappedLine, LineFault> {
        let mut line = Object::new();
        for (key, map) in self.0.iter().filter(|(key, _)| *key != CASES_KEY) {
            line.extend(map_value(map, from)?.map(|value| (key.clone(), value)));
        }
        let has_values = line.get("call").is_some_and(|call| call["arguments"] == VALUES);
        let mut cases = MappedCases { as_json: has_values, ..MappedCases::default() };
        if let Some(maps) = self.0.get(CASES_KEY) {
            maps_of_cases(maps).iter().try_for_each(|map| cases.add(map, from))?;
        }
        if has_values {
            line["call"]["arguments"] = "json".into();
        }
        let is_public_only =
            cases.public > 0 && cases.all.as_ref().map(Vec::len) == Some(cases.public);
        line.extend(cases.all.map(|all| (CASES_KEY.to_owned(), all.into())));
        Ok(MappedLine { line: line.into(), is_public_only })
    }

    /// The value of one key, also for a line that cannot be converted.
    pub fn value(&self, key: &str, from: &Value) -> Option<Value> {
        map_value(self.0.get(key)?, from).ok()?
    }

    /// The key of the outermost object that this key is mapped to, if it is one.
    pub fn outer_key(&self, key: &str) -> Option<String> {
        let key = self.0.get(key)?.as_str()?.strip_prefix('/')?;
        (!key.contains('/')).then(|| unescaped(key))
    }

    pub fn has_function(&self) -> bool {
        ["call", "asserts"].iter().any(|key| self.0.contains_key(*key))
    }

    /// The pointer of a key.
    pub fn pointer(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct MappedLine {
    pub line: Value,
    /// Whether there are test cases, and all are public ones.
    pub is_public_only: bool,
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
        if key == CASES_KEY {
            maps_of_cases(map).iter().try_for_each(|map| check_cases(map, &at))?;
            continue;
        }
        match map {
            Value::Object(parts) if properties(schema).is_some() => {
                if !has_pointer(map) {
                    let message = format!("`{at}` has no JSON pointer");
                    return Err(LineFault::of_line(message, "constants alone are defaults"));
                }
                check_object(parts, schema, &at)?;
            }
            map => check_pointer(map, &at)?,
        }
    }
    Ok(())
}

/// One map or several.
fn maps_of_cases(map: &Value) -> &[Value] {
    map.as_array().map_or(std::slice::from_ref(map), Vec::as_slice)
}

fn check_cases(map: &Value, at: &str) -> Result<(), LineFault> {
    let Value::Object(map) = map else { return check_pointer(map, at) };
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
        Value::String(text) if text.is_empty() || text.starts_with(['/', '=']) => Ok(()),
        Value::Bool(_) | Value::Number(_) => Ok(()),
        Value::Array(all) if !all.is_empty() => {
            all.iter().try_for_each(|map| check_pointer(map, at))
        }
        _ => {
            let help =
                "a JSON pointer is a text such as \"/tests/0/input\"; a constant begins with `=`";
            Err(LineFault::of_line(format!("`{at}` is not a JSON pointer"), help))
        }
    }
}

/// `None` if no pointer leads to a value; constants do not count.
fn map_value(map: &Value, from: &Value) -> Result<Option<Value>, LineFault> {
    match map {
        Value::Object(maps) => {
            let (mut parts, mut is_found) = (Object::new(), false);
            for (key, map) in maps {
                let Some(value) = map_value(map, from)? else { continue };
                is_found |= has_pointer(map);
                parts.insert(key.clone(), value);
            }
            Ok(is_found.then_some(Value::Object(parts)))
        }
        Value::Array(maps) => {
            let mut joined = Vec::new();
            for map in maps {
                match map_value(map, from)? {
                    Some(Value::Array(all)) => joined.extend(all),
                    other => joined.extend(other),
                }
            }
            Ok((!joined.is_empty()).then_some(Value::Array(joined)))
        }
        Value::String(pointer) => match pointer.strip_prefix('=') {
            Some(constant) => Ok(Some(constant.into())),
            None => {
                let value = find(from, pointer)?.map(Found::into_value).transpose()?;
                Ok(value.filter(|value| !value.is_null()).map(duration_in_seconds))
            }
        },
        constant => Ok(Some(constant.clone())),
    }
}

/// Whether it is more than constants.
fn has_pointer(map: &Value) -> bool {
    match map {
        Value::String(text) => !text.starts_with('='),
        Value::Object(parts) => parts.values().any(has_pointer),
        map => map.is_array(),
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

#[derive(Default)]
struct MappedCases {
    all: Option<Vec<Value>>,
    /// How many of them are public.
    public: usize,
    /// Whether inputs and answers are values that become JSON.
    as_json: bool,
}

impl MappedCases {
    fn add(&mut self, map: &Value, from: &Value) -> Result<(), LineFault> {
        let list = |pointer: &str, as_json: bool| match find(from, pointer)? {
            Some(found) => found.into_items(as_json).map_err(|fault| {
                fault.unwrap_or_else(|| {
                    let help =
                        "point the map to a list of test cases, or of their inputs and answers";
                    LineFault::of_line(format!("{pointer:?} is not a list"), help)
                })
            }),
            None => Ok(None),
        };
        let pointer = |key: &str| map.get(key).and_then(Value::as_str);
        let outer = map.as_str().or(pointer(EACH_KEY));
        let cases = match (outer, map.get("input"), map.get("answer")) {
            (Some(outer), Some(input), Some(answer)) => list(outer, false)?.map(|items| {
                let case = |item: &Value| {
                    let mut case = Object::new();
                    for (key, map) in [("input", input), ("answer", answer)] {
                        let value = map_value(map, item)?.map(|value| self.written(value));
                        case.extend(value.transpose()?.map(|value| (key.to_owned(), value)));
                    }
                    Ok(case.into())
                };
                items.iter().map(case).collect::<Result<Vec<Value>, LineFault>>()
            }),
            (Some(outer), ..) => list(outer, false)?.map(Ok),
            _ => {
                let [input, answer] =
                    ["input", "answer"].map(|key| pointer(key).unwrap_or_default());
                match (list(input, self.as_json)?, list(answer, self.as_json)?) {
                    (None, None) => None,
                    (inputs, answers) => Some(side_by_side([input, answer], inputs, answers)),
                }
            }
        };
        let Some(cases) = cases.transpose()? else { return Ok(()) };
        let first = outer.or(pointer("input")).unwrap_or_default();
        if PUBLIC.iter().any(|start| first.starts_with(start)) {
            self.public += cases.len();
        }
        self.all.get_or_insert_default().extend(cases);
        Ok(())
    }

    fn written(&self, value: Value) -> Result<Value, LineFault> {
        if self.as_json { Ok(json_text(&value)?.into()) } else { Ok(value) }
    }
}

fn side_by_side(
    pointers: [&str; 2],
    inputs: Option<Vec<Value>>,
    answers: Option<Vec<Value>>,
) -> Result<Vec<Value>, LineFault> {
    let [inputs, answers] = [inputs, answers].map(Option::unwrap_or_default);
    if inputs.len() != answers.len() {
        let (input, answer) = (inputs.len(), answers.len());
        let [at, other] = pointers;
        let message = format!("{input} inputs are at {at:?}, and {answer} answers at {other:?}");
        return Err(LineFault::of_line(message, "there must be an answer for each input"));
    }
    let pairs = inputs.into_iter().zip(answers);
    let case = |(input, answer)| serde_json::json!({ "input": input, "answer": answer });
    Ok(pairs.map(case).collect())
}

/// A value as JSON, unless a number in it lost digits when it was read.
pub(super) fn json_text(value: &Value) -> Result<String, LineFault> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    fn is_exact(value: &Value) -> bool {
        match value {
            Value::Array(all) => all.iter().all(is_exact),
            Value::Object(all) => all.values().all(is_exact),
            Value::Number(number) => {
                !number.is_f64() || number.as_f64().is_some_and(|number| number.abs() < EXACT)
            }
            _ => true,
        }
    }
    if is_exact(value) {
        return Ok(value.to_string());
    }
    let help =
        "write arguments and answers as texts with JSON, where integers are exact at any size";
    Err(LineFault::of_line("a number of more than 64 bits would lose digits", help))
}

/// What a pointer leads to. In a text that is JSON, numbers keep their digits.
enum Found<'v> {
    Value(&'v Value),
    Raw(Box<RawValue>),
}

impl Found<'_> {
    fn into_value(self) -> Result<Value, LineFault> {
        match self {
            Self::Value(value) => Ok(value.clone()),
            Self::Raw(raw) => parse_text(raw.get()),
        }
    }

    /// The items of a list, also if it is in a text; `None` if it is null. The fault is `None` if it is no list.
    fn into_items(self, as_json: bool) -> Result<Option<Vec<Value>>, Option<LineFault>> {
        let item = |raw: &RawValue| {
            if as_json { Ok(raw.get().into()) } else { parse_text(raw.get()) }
        };
        match self {
            Self::Value(Value::Null) => Ok(None),
            Self::Value(Value::Array(all)) if as_json => {
                let texts = all.iter().map(|item| json_text(item).map(Value::from));
                Ok(Some(texts.collect::<Result<_, _>>()?))
            }
            Self::Value(Value::Array(all)) => Ok(Some(all.clone())),
            Self::Value(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Self::Value(Value::String(text)) => {
                Self::Raw(parse_text(&plain(text)?)?).into_items(as_json)
            }
            Self::Value(_) => Err(None),
            Self::Raw(raw) => match raw.get().as_bytes().first() {
                Some(b'[') => {
                    let items: Vec<&RawValue> = parse_text(raw.get())?;
                    Ok(Some(items.into_iter().map(item).collect::<Result<_, _>>()?))
                }
                _ => Found::Value(&parse_text(raw.get())?).into_items(as_json),
            },
        }
    }
}

fn find<'v>(from: &'v Value, pointer: &str) -> Result<Option<Found<'v>>, LineFault> {
    let Some((token, rest)) = split_pointer(pointer) else { return Ok(Some(Found::Value(from))) };
    let next = match from {
        Value::String(text) => return Ok(find_in_text(text, pointer)?.map(Found::Raw)),
        Value::Object(all) => all.get(&token),
        Value::Array(all) => token.parse().ok().and_then(|index: usize| all.get(index)),
        _ => None,
    };
    next.map_or(Ok(None), |next| find(next, rest))
}

fn find_in_text(text: &str, pointer: &str) -> Result<Option<Box<RawValue>>, LineFault> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let text = plain(text)?;
    let raw: &RawValue = parse_text(&text)?;
    let Some((token, rest)) = split_pointer(pointer) else { return Ok(Some(raw.to_owned())) };
    let next = match raw.get().as_bytes().first() {
        Some(b'"') => return find_in_text(&parse_text::<String>(raw.get())?, pointer),
        Some(b'{') => parse_text::<HashMap<String, &RawValue>>(raw.get())?.remove(&token),
        Some(b'[') => {
            let all: Vec<&RawValue> = parse_text(raw.get())?;
            token.parse().ok().and_then(|index: usize| all.get(index).copied())
        }
        _ => None,
    };
    next.map_or(Ok(None), |next| find_in_text(next.get(), rest))
}

/// The first key or index, and the rest.
fn split_pointer(pointer: &str) -> Option<(String, &str)> {
    let pointer = pointer.strip_prefix('/')?;
    let (token, rest) = pointer.split_at(pointer.find('/').unwrap_or(pointer.len()));
    Some((unescaped(token), rest))
}

fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

fn plain(text: &str) -> Result<Cow<'_, str>, LineFault> {
    if is_packed(text) { unpack(text).map(Cow::from) } else { Ok(text.into()) }
}

fn parse_text<'t, T: serde::Deserialize<'t>>(text: &'t str) -> Result<T, LineFault> {
    serde_json::from_str(text).map_err(|error| {
        let start: String = text.trim().chars().take(40).collect();
        let what = format!("a text that the map leads into is not JSON: {error}: `{start}`");
        LineFault::of_line(what, "write JSON there, or point the map to the text itself")
    })
}
