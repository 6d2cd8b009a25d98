//! How lines are read: by a map, with defaults, and with their problems from another file.

use std::sync::Arc;

use serde_json::{Map as Object, Value, json};
use serde_path_to_error::Segment;

use crate::grade::data_sets::{COMMON, DataSet};
use crate::grade::fault::{LineFault, escape_pointer, find_top_value, parse_json};
use crate::grade::line::{FromObject, HostPaths, LINE_SCHEMA, LineEcho, SCHEMA_HELP, StreamLine};
use crate::grade::map::{LineMap, MappedLine, VALUES, json_text};
use crate::grade::request::{RequestKind, UnsupportedRequest};
use crate::grade::results::digest;
use juror_packages::package::suggest::nearest;

/// The data set open-r1/codeforces has its checkers there.
const CHECKER_KEY: &str = "generated_checker";
const PROBLEM: &str = "problem";

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
    pub line: Result<ReadLine, LineFault>,
}

#[derive(Clone, Debug)]
pub struct ReadLine {
    pub line: StreamLine,
    /// A digest of what decides the result.
    pub digest: u64,
    /// Whether all its test cases are public ones.
    pub is_public_only: bool,
}

/// A problem that lines name, or a line with its problem: what the map makes of it.
#[derive(Clone, Debug)]
pub struct ReadProblem {
    mapped: MappedLine,
    request: Option<UnsupportedRequest>,
    checker: Option<UnsupportedRequest>,
    digest: u64,
}

/// Which problem a line names, and that problem.
pub type NamedProblem = (Value, Arc<ReadProblem>);

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

    /// Adds what the user has not set.
    ///
    /// # Errors
    /// Never, for the sets that are known.
    pub fn with_data_set(mut self, set: &DataSet) -> Result<Self, LineFault> {
        let own = LineMap::parse(COMMON)?.replaced_by(LineMap::parse(set.map)?);
        self.map = Some(match self.map {
            Some(map) => own.replaced_by(map),
            None => own,
        });
        add_defaults(&mut self.defaults, &Self::parse_defaults(set.defaults)?);
        Ok(self)
    }

    /// `find` returns the problem of the line, if problems are in another file.
    pub fn parse_line(
        &self,
        text: &[u8],
        find: impl FnOnce(&Value) -> Result<Option<NamedProblem>, LineFault>,
    ) -> ParsedLine {
        let (mut echo, mut request) = (LineEcho::default(), Value::Null);
        let line = parse_json(text)
            .and_then(|value| self.parse_value(value, &mut echo, &mut request, find));
        if line.is_err() && echo.id.is_none() {
            echo.id = self.find_id(text);
        }
        ParsedLine { echo, request, line }
    }

    /// # Errors
    /// If the map cannot convert it.
    pub fn parse_problem(&self, text: &[u8], digest: u64) -> Result<ReadProblem, LineFault> {
        let value = parse_json(text)?;
        let mut problem = self.map(value, digest)?;
        if let Value::Object(line) = &mut problem.mapped.line {
            line.retain(|key, _| !["id", "problem", "sample"].contains(&&**key));
            // Only lines have programs.
            match line.get_mut("source") {
                Some(Value::Object(parts)) => parts.retain(|key, _| key == "prompt"),
                _ => _ = line.remove("source"),
            }
        }
        Ok(problem)
    }

    /// The `id` of a line that is no JSON, if it is before the fault.
    pub fn find_id(&self, text: &[u8]) -> Option<Value> {
        let key = self.map.as_ref().map_or(Some("id".to_owned()), |map| map.outer_key("id"))?;
        let id = find_top_value(text, &key);
        id.filter(|id| id.is_string() || id.is_i64() || id.is_u64())
    }

    /// Where a problem has its name.
    pub fn problem_pointer(&self) -> &str {
        self.map.as_ref().and_then(|map| map.pointer(PROBLEM)).unwrap_or("/problem")
    }

    /// # Errors
    /// If the text is not JSON.
    pub fn name_of_problem(&self, text: &[u8]) -> Result<Option<Value>, LineFault> {
        Ok(parse_json(text)?.pointer(self.problem_pointer()).cloned())
    }

    /// The name of the problem that a line is for: in `problem`, or where problems have it.
    pub fn name_of_line<'v>(&self, line: &'v Value) -> Option<&'v Value> {
        let own = line.get(PROBLEM).filter(|name| !name.is_null());
        own.or_else(|| line.pointer(self.problem_pointer()))
    }

    fn parse_value(
        &self,
        value: Value,
        echo: &mut LineEcho,
        kept_request: &mut Value,
        find: impl FnOnce(&Value) -> Result<Option<NamedProblem>, LineFault>,
    ) -> Result<ReadLine, LineFault> {
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
        let named = find(&value)?;
        let ReadProblem { mut mapped, mut request, mut checker, .. } = self.map(value, 0)?;
        if let Value::Object(line) = &mut mapped.line {
            if echo.problem.is_none() {
                let names =
                    ["problem", "package"].map(|key| line.get(key).or(self.defaults.get(key)));
                echo.problem = names.into_iter().flatten().find(|name| name.is_string()).cloned();
            }
            line.retain(|key, _| !["id", "problem", "sample"].contains(&&**key));
        }
        let own_checker = checker.as_ref().map(|checker| &checker.value);
        let mut content = format!("{}{}", mapped.line, json!(own_checker));
        if let Some((name, problem)) = named {
            content.push_str(&format!("{:016x}", problem.digest));
            echo.problem = Some(name);
            mapped = problem.mapped.clone().of_sample(mapped.line);
            request = problem.request.clone().or(request);
            checker = problem.checker.clone().or(checker);
        }
        let MappedLine { line: mut value, is_public_only } = mapped;
        if let Value::Object(line) = &mut value {
            add_defaults(line, &self.defaults);
            write_values(line)?;
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
        }
        if self.keeps_requests {
            kept_request.clone_from(&value);
            kept_request["source"] = "".into();
        }
        let line =
            parse_stream_line(value)?.check_consistency()?.restrict_paths(&self.host_paths)?;
        Ok(ReadLine { line, digest: digest("", content.as_bytes()), is_public_only })
    }

    fn map(&self, mut value: Value, digest: u64) -> Result<ReadProblem, LineFault> {
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
                Ok(MappedLine { line: value, is_public_only: false })
            }
        };
        let mut mapped = match (mapped, &request) {
            (Ok(mapped), _) => mapped,
            (Err(_), Some(request)) if !self.map.as_ref().is_some_and(LineMap::has_function) => {
                return Err(request.fault());
            }
            (Err(fault), _) => return Err(fault),
        };
        if let Value::Object(line) = &mut mapped.line {
            drop_missing(line);
        }
        Ok(ReadProblem { mapped, request, checker, digest })
    }
}

impl MappedLine {
    /// A problem with a sample. What both have is that of the problem.
    fn of_sample(mut self, mut sample: Value) -> Self {
        if let Some(source @ Value::String(_)) = sample.get_mut("source") {
            *source = json!({ "text": source.take() });
        }
        if let (Value::Object(line), Value::Object(sample)) = (&mut self.line, &sample) {
            add_defaults(line, sample);
        }
        self
    }
}

/// Arguments and answers that are values become texts with JSON.
fn write_values(line: &mut Object<String, Value>) -> Result<(), LineFault> {
    if line.get("call").is_none_or(|call| call["arguments"] != VALUES) {
        return Ok(());
    }
    for case in line.get_mut("cases").and_then(Value::as_array_mut).into_iter().flatten() {
        for key in ["input", "answer"] {
            if let Some(value) = case.get_mut(key) {
                *value = json_text(value)?.into();
            }
        }
    }
    line["call"]["arguments"] = "json".into();
    Ok(())
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
        let others: &[&str] = match key.as_str() {
            "package" => &["cases", "asserts"],
            "cases" => &["package", "asserts"],
            "asserts" => &["package", "cases"],
            "compare" => &["call", "asserts"],
            "text" => &["file"],
            "file" => &["text"],
            "memory" => &["memory_bytes"],
            "memory_bytes" => &["memory"],
            "time" => &["time_ms"],
            "time_ms" => &["time"],
            _ => &[],
        };
        if others.iter().any(|other| line.get(*other).is_some_and(|value| !value.is_null())) {
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
