//! How lines are read: by a map, with defaults.

use serde_json::{Map as Object, Value, json};
use serde_path_to_error::Segment;

use crate::grade::fault::{LineFault, escape_pointer, find_top_value, parse_json};
use crate::grade::line::{FromObject, HostPaths, LINE_SCHEMA, LineEcho, SCHEMA_HELP, StreamLine};
use crate::grade::map::LineMap;
use crate::grade::request::{RequestKind, UnsupportedRequest};
use crate::grade::results::digest;
use juror_packages::package::suggest::nearest;

/// The data set open-r1/codeforces has its checkers there.
const CHECKER_KEY: &str = "generated_checker";

#[derive(Clone, Debug, Default)]
pub struct LineSettings {
    /// For lines of another form.
    pub map: Option<LineMap>,
    pub defaults: Object<String, Value>,
    /// The keys of lines that come back in results.
    pub copied_keys: Vec<String>,
    /// Whether lines are needed later.
    pub keeps_requests: bool,
    pub host_paths: HostPaths,
}

#[derive(Clone, Debug)]
pub struct ParsedLine {
    pub echo: LineEcho,
    /// The line without its source, if that is needed later.
    pub request: Value,
    /// With a digest of what decides the result.
    pub line: Result<(StreamLine, u64), LineFault>,
}

impl LineSettings {
    /// # Errors
    /// The first fault.
    pub fn parse_defaults(text: &str) -> Result<Object<String, Value>, LineFault> {
        let Value::Object(mut defaults) = parse_json(text.as_bytes())? else {
            let help = "write the defaults of a line, without a source";
            return Err(LineFault::of_line("expected an object", help));
        };
        drop_missing(&mut defaults);
        let mut line = defaults.clone();
        line.entry("source").or_insert_with(|| String::new().into());
        parse_stream_line(line.into())?;
        Ok(defaults)
    }

    pub fn parse_line(&self, text: &[u8]) -> ParsedLine {
        let (mut echo, mut request) = (LineEcho::default(), Value::Null);
        let line =
            parse_json(text).and_then(|value| self.parse_value(value, &mut echo, &mut request));
        if line.is_err() && echo.id.is_none() {
            echo.id = self.find_id(text);
        }
        ParsedLine { echo, request, line }
    }

    /// The `id` of a line that is no JSON, if it is before the fault.
    pub fn find_id(&self, text: &[u8]) -> Option<Value> {
        let key = self.map.as_ref().map_or(Some("id".to_owned()), LineMap::id_key)?;
        let id = find_top_value(text, &key);
        id.filter(|id| id.is_string() || id.is_i64() || id.is_u64())
    }

    fn parse_value(
        &self,
        mut value: Value,
        echo: &mut LineEcho,
        kept_request: &mut Value,
    ) -> Result<(StreamLine, u64), LineFault> {
        let part = |key: &str| {
            let part = match &self.map {
                Some(map) => map.value(key, &value),
                None => value.get(key).cloned(),
            };
            let part = part.filter(|part| !part.is_null());
            if let Some(other) = part.as_ref().filter(|part| !part.is_string() && !part.is_number())
            {
                let what = format!("`/{key}`: expected a text or a number, not `{other}`");
                return Err(LineFault::of_line(what, SCHEMA_HELP));
            }
            if part.as_ref().is_some_and(Value::is_f64) {
                let what = format!(
                    "`/{key}`: a number with a fraction, or of more than 64 bits, would lose digits"
                );
                return Err(LineFault::of_line(what, "write it as a text"));
            }
            Ok(part)
        };
        echo.id = part("id")?;
        echo.problem = part("problem")?;
        echo.sample = part("sample")?;
        let copied = self.copied_keys.iter();
        let copied = copied.filter_map(|key| Some((key.clone(), value.get(key)?.clone())));
        echo.copied = Some(copied.collect()).filter(|all: &Object<String, Value>| !all.is_empty());
        let find = |wanted| UnsupportedRequest::find(&value, self.map.is_some(), wanted);
        let request = find(|kind| kind != RequestKind::Checker);
        let checker = find(|kind| kind == RequestKind::Checker);
        let mapped = match &self.map {
            Some(map) => map.apply(&value),
            None => {
                if let Value::Object(line) = &mut value {
                    let is_known = |key: &str| !LINE_SCHEMA["properties"][key].is_null();
                    line.retain(|key, _| is_known(key) || !self.copied_keys.contains(key));
                    line.remove(CHECKER_KEY);
                }
                Ok(value)
            }
        };
        let mut value = match (mapped, &request) {
            (Ok(value), _) => value,
            (Err(_), Some(request)) => return Err(request.fault()),
            (Err(fault), None) => return Err(fault),
        };
        if let Value::Object(line) = &mut value {
            drop_missing(line);
            add_defaults(line, &self.defaults);
            if echo.problem.is_none() {
                let default = ["problem", "package"].iter().find_map(|key| line.get(*key));
                echo.problem = default.filter(|name| name.is_string()).cloned();
            }
        }
        // A package has its own settings for this.
        let is_met = |request: &UnsupportedRequest| match request.kind {
            _ if value.get("package").is_some() => true,
            RequestKind::Function => ["call", "asserts"].iter().any(|key| value.get(key).is_some()),
            _ => false,
        };
        if let Some(request) = request.filter(|request| !is_met(request)) {
            return Err(request.fault());
        }
        if let Value::Object(line) = &mut value {
            let is_compared = ["package", "compare"].iter().any(|key| line.contains_key(*key));
            if let Some(checker) = checker.filter(|_| !is_compared) {
                let UnsupportedRequest { value: text @ Value::String(_), .. } = checker else {
                    return Err(checker.fault());
                };
                let all = json!({ "text": text, "language": "python3", "protocol": "open-r1" });
                line.insert("compare".to_owned(), json!({ "checker": all }));
            }
            line.retain(|key, _| !["id", "problem", "sample"].contains(&&**key));
        }
        let content = digest("", value.to_string().as_bytes());
        if self.keeps_requests {
            kept_request.clone_from(&value);
            kept_request["source"] = "".into();
        }
        let line = parse_stream_line(value)?;
        Ok((line.check_consistency()?.restrict_paths(&self.host_paths)?, content))
    }
}

/// The line of a request, which was a line.
///
/// # Errors
/// The first fault.
pub fn parse_request(request: Value) -> Result<StreamLine, LineFault> {
    parse_stream_line(request)?.check_consistency()
}

/// Data sets write `null` and limits of 0 for what they do not know.
fn drop_missing(line: &mut Object<String, Value>) {
    line.retain(|_, value| !value.is_null());
    if let Some(Value::Object(limits)) = line.get_mut("limits") {
        limits.retain(|_, limit| limit.as_f64() != Some(0.0));
    }
}

/// A fault names the position by a JSON pointer.
fn parse_stream_line(value: Value) -> Result<StreamLine, LineFault> {
    let line: Result<FromObject<StreamLine>, _> = serde_path_to_error::deserialize(value);
    line.map(|line| line.0).map_err(|error| {
        let at: String = error.path().iter().map(pointer_part).collect();
        let prefix = if at.is_empty() { at } else { format!("`{at}`: ") };
        let what = error.into_inner().to_string().replace("expected f64", "expected a number");
        LineFault::of_line(prefix + &what, unknown_key_help(&what))
    })
}

/// For a message of serde such as: unknown field `sorce`, expected one of `id`, `source`.
fn unknown_key_help(message: &str) -> String {
    const OTHER_NAMES: [(&str, &str); 4] =
        [("output", "answer"), ("completion", "source"), ("code", "source"), ("tests", "cases")];
    let mut words = message.split('`').skip(1).step_by(2);
    let word = words.next().filter(|_| message.starts_with("unknown "));
    let known: Vec<&str> = words.collect();
    let near = word.and_then(|word| {
        let other = OTHER_NAMES.iter().find(|(other, name)| *other == word && known.contains(name));
        other.map(|(_, name)| *name).or_else(|| nearest(word, known.iter().copied()))
    });
    near.map_or(SCHEMA_HELP.to_owned(), |near| format!("did you mean `{near}`?"))
}

/// Source: RFC 6901.
fn pointer_part(step: &Segment) -> String {
    match step {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{}", escape_pointer(key)),
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    }
}

fn add_defaults(line: &mut Object<String, Value>, defaults: &Object<String, Value>) {
    for (key, default) in defaults {
        let other = match key.as_str() {
            "package" => "cases",
            "cases" => "package",
            "text" => "file",
            "file" => "text",
            "memory" => "memory_bytes",
            "memory_bytes" => "memory",
            _ => "",
        };
        if line.get(other).is_some_and(|value| !value.is_null()) {
            continue;
        }
        // What all checkers have in common is no checker.
        let is_partial = default["checker"].is_object() && default["checker"]["text"].is_null();
        if is_partial && line.get(key).is_none_or(Value::is_null) {
            continue;
        }
        let value = line.entry(key).or_insert(Value::Null);
        if let (Value::String(text), "source", Value::Object(_)) = (&*value, &**key, default) {
            *value = json!({ "text": text });
        }
        match (&mut *value, default) {
            (Value::Null, _) => *value = default.clone(),
            (Value::Object(value), Value::Object(default)) => add_defaults(value, default),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
