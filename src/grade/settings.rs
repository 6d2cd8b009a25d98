//! How lines are read: by a map, with defaults.

use serde_json::{Map as Object, Value};
use serde_path_to_error::Segment;

use crate::grade::fault::{LineFault, escape_pointer, parse_json};
use crate::grade::line::{FromObject, StreamLine};
use crate::grade::map::LineMap;
use crate::grade::request::{RequestKind, UnsupportedRequest};

const SCHEMA_HELP: &str = "`juror schema grade` prints the form of a line";

#[derive(Clone, Debug, Default)]
pub struct LineSettings {
    /// For lines of another form.
    pub map: Option<LineMap>,
    pub defaults: Object<String, Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BrokenLine {
    pub id: Option<Value>,
    pub fault: LineFault,
}

impl LineSettings {
    /// # Errors
    /// The first fault.
    pub fn parse_defaults(text: &str) -> Result<Object<String, Value>, LineFault> {
        let Value::Object(defaults) = parse_json(text.as_bytes())? else {
            let help = "write the defaults of a line, without a source";
            return Err(LineFault::of_line("expected an object", help));
        };
        let mut line = defaults.clone();
        line.entry("source").or_insert_with(|| String::new().into());
        parse_stream_line(line.into())?;
        Ok(defaults)
    }

    /// # Errors
    /// The first fault.
    pub fn parse_line(&self, text: &[u8]) -> Result<StreamLine, BrokenLine> {
        let value = parse_json(text).map_err(|fault| BrokenLine { id: None, fault })?;
        let id = match &self.map {
            Some(map) => map.id(&value),
            None => value.get("id").cloned(),
        };
        let id = id.filter(|id| !id.is_null());
        if let Some(other) = id.as_ref().filter(|id| !id.is_string() && !id.is_number()) {
            let what = format!("`/id`: expected a text or a number, not `{other}`");
            return Err(BrokenLine { id: None, fault: LineFault::of_line(what, SCHEMA_HELP) });
        }
        if id.as_ref().is_some_and(Value::is_f64) {
            let what =
                "`/id`: a number with a fraction, or of more than 64 bits, would lose digits";
            let fault = LineFault::of_line(what, "write it as a text");
            return Err(BrokenLine { id: None, fault });
        }
        let broken = |fault| BrokenLine { id: id.clone(), fault };
        let request = UnsupportedRequest::find(&value, self.map.is_some());
        let mapped = match &self.map {
            Some(map) => map.apply(&value),
            None => Ok(value),
        };
        let mut value = match (mapped, &request) {
            (Ok(value), _) => value,
            (Err(_), Some(request)) => return Err(broken(request.fault())),
            (Err(fault), None) => return Err(broken(fault)),
        };
        if let Value::Object(line) = &mut value {
            line.retain(|_, value| !value.is_null());
            add_defaults(line, &self.defaults);
        }
        // A package has its own settings for this.
        let is_met = |request: &UnsupportedRequest| match request.kind {
            _ if value.get("package").is_some() => true,
            RequestKind::Function => ["call", "asserts"].iter().any(|key| value.get(key).is_some()),
            RequestKind::Checker => value.get("compare").is_some(),
            _ => false,
        };
        if let Some(request) = request.filter(|request| !is_met(request)) {
            return Err(broken(request.fault()));
        }
        let line = parse_stream_line(value).map_err(broken)?;
        line.check_consistency().map_err(broken)
    }
}

/// A fault names the position by a JSON pointer.
fn parse_stream_line(value: Value) -> Result<StreamLine, LineFault> {
    let line: Result<FromObject<StreamLine>, _> = serde_path_to_error::deserialize(value);
    line.map(|line| line.0).map_err(|error| {
        let at: String = error.path().iter().map(pointer_part).collect();
        let prefix = if at.is_empty() { at } else { format!("`{at}`: ") };
        let what = error.into_inner().to_string().replace("expected f64", "expected a number");
        LineFault::of_line(prefix + &what, SCHEMA_HELP)
    })
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
        let value = line.entry(key).or_insert(Value::Null);
        if let (Value::String(text), "source", Value::Object(_)) = (&*value, &**key, default) {
            *value = serde_json::json!({ "text": text });
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
