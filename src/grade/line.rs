//! A line of the stream: its keys, and what must hold between them.

use std::fmt;
use std::marker::PhantomData;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map as Object, Value};

use crate::door::comparison::ComparisonMode;
use crate::grade::call::{ArgumentForm, LineAsserts, LineCall};
use crate::grade::checker::LineChecker;
use crate::grade::extract::Extraction;
use crate::grade::fault::LineFault;
use crate::grade::text::{optional_text, text, text_schema};
use juror_core::language::table::Language;

pub(super) const SCHEMA_HELP: &str = "`juror schema grade` prints the form of a line";

/// A submission and what it is judged by.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamLine {
    /// A text or a number that comes back in the result.
    #[serde(default)]
    #[schemars(schema_with = "id_schema")]
    pub id: Option<Value>,
    /// Which problem it is for; rates are computed for each. By default, the package.
    #[serde(default)]
    #[schemars(schema_with = "id_schema")]
    pub problem: Option<Value>,
    /// Which of the samples for that problem it is. Comes back in the result.
    #[serde(default)]
    #[schemars(schema_with = "id_schema")]
    pub sample: Option<Value>,
    /// The problem package: a directory or an archive.
    pub package: Option<PathBuf>,
    /// In place of a package, the test cases. They are called `1`, `2` and so on.
    #[serde(default, deserialize_with = "objects")]
    pub cases: Option<Vec<InlineCase>>,
    /// Limits in place of those of the package, or of the defaults.
    #[serde(default, deserialize_with = "object")]
    pub limits: Option<LineLimits>,
    /// How outputs are compared: as `juror judge --compare` takes it, or by a checker in the line.
    pub compare: Option<LineComparison>,
    /// The function that is called, in place of a program that reads the input.
    #[serde(default, deserialize_with = "object")]
    pub call: Option<LineCall>,
    /// In place of test cases, a test in Python with asserts.
    #[serde(default, deserialize_with = "object")]
    pub asserts: Option<LineAsserts>,
    /// Whether the program could accept itself: a test runs in its interpreter.
    #[serde(skip)]
    pub is_forgeable: bool,
    /// What is judged; a text is the source itself.
    pub source: LineSource,
    /// What of a source text is judged, if a language model wrote it.
    pub extract: Option<Extraction>,
    /// Whether to run it on all test cases, instead of stopping at the first rejection.
    pub all: Option<bool>,
    /// What the result has in addition to the verdict.
    #[serde(rename = "return")]
    pub detail: Option<ResultDetail>,
}

/// What comes back in the result of a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LineEcho {
    pub id: Option<Value>,
    pub problem: Option<Value>,
    pub sample: Option<Value>,
    pub copied: Option<Object<String, Value>>,
}

/// A test case that is not in a file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InlineCase {
    /// What the submission reads.
    #[serde(deserialize_with = "text")]
    #[schemars(schema_with = "text_schema")]
    pub input: String,
    /// The judge answer; none if `return` is `run`.
    #[serde(default, deserialize_with = "optional_text")]
    #[schemars(schema_with = "text_schema")]
    pub answer: Option<String>,
}

/// Limits of a run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineLimits {
    /// CPU time in seconds.
    pub time: Option<f64>,
    /// CPU time in milliseconds, instead of seconds.
    pub time_ms: Option<f64>,
    /// Memory in MiB.
    pub memory: Option<f64>,
    /// Memory in bytes, instead of MiB.
    pub memory_bytes: Option<f64>,
    /// Output in MiB.
    pub output: Option<f64>,
}

impl LineLimits {
    /// CPU time.
    pub fn seconds(&self) -> Option<f64> {
        self.time.or(self.time_ms.map(|time| time / 1000.0))
    }
}

/// A text, or an object that says more.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(untagged)]
pub enum TextOr<T> {
    Text(String),
    Parts(T),
}

/// What is judged: the source, or the source or a file with more about it.
pub type LineSource = TextOr<SourceParts>;
/// How outputs are compared: a name or the path of a checker, or a checker whose text is in the line.
pub type LineComparison = TextOr<ComparisonParts>;

/// How outputs are compared, if not by a name.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComparisonParts {
    /// A program that decides about outputs.
    #[serde(deserialize_with = "required_object")]
    pub checker: LineChecker,
}

/// What is judged, in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceParts {
    /// The source.
    #[serde(default, deserialize_with = "optional_text")]
    #[schemars(schema_with = "text_schema")]
    pub text: Option<String>,
    /// What is before the text: a program that a language model continued. It is also before a block of code.
    #[serde(default, deserialize_with = "optional_text")]
    #[schemars(schema_with = "text_schema")]
    pub prompt: Option<String>,
    /// In place of a text, the path of a source file, a directory of sources or an executable.
    pub file: Option<String>,
    /// The code or name of its language; by default, the file's ending decides.
    pub language: Option<String>,
    /// The file name under which a text is built.
    pub name: Option<String>,
}

/// What a result has in addition to the verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultDetail {
    /// Nothing.
    #[default]
    Verdict,
    /// Each test case.
    Cases,
    /// Each test case; rejected ones with the beginning of input, judge answer, output and standard error.
    Outputs,
    /// Each run with its output; nothing is compared.
    Run,
}

/// Which paths of this machine a line may name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HostPaths {
    #[default]
    All,
    /// Only packages below this directory.
    Packages(Option<PathBuf>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for TextOr<T> {
    /// An untagged enum would not name the key at fault.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct TextOrVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for TextOrVisitor<T> {
            type Value = TextOr<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or an object")
            }

            fn visit_str<E>(self, text: &str) -> Result<TextOr<T>, E> {
                Ok(TextOr::Text(text.to_owned()))
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<TextOr<T>, M::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(TextOr::Parts)
            }
        }
        from.deserialize_any(TextOrVisitor(PhantomData))
    }
}

/// Is parsed from an object only; a derived type would also be parsed from a list.
#[derive(Debug)]
pub struct FromObject<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FromObject<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = FromObject<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<FromObject<T>, M::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(FromObject)
            }
        }
        from.deserialize_any(ObjectVisitor(PhantomData))
    }
}

fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<FromObject<T>>::deserialize(from)?.map(|object| object.0))
}

fn required_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    FromObject::deserialize(from).map(|object| object.0)
}

fn objects<'de, D, T>(from: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let all = Option::<Vec<FromObject<T>>>::deserialize(from)?;
    Ok(all.map(|all| all.into_iter().map(|object| object.0).collect()))
}

impl LineComparison {
    pub fn checker(&self) -> Option<&LineChecker> {
        match self {
            Self::Text(_) => None,
            Self::Parts(parts) => Some(&parts.checker),
        }
    }
}

impl LineSource {
    pub fn parts(self) -> SourceParts {
        match self {
            Self::Text(text) => SourceParts { text: Some(text), ..SourceParts::default() },
            Self::Parts(parts) => parts,
        }
    }
}

impl SourceParts {
    /// The same, with a text that was found in it; its language counts if the line gives none.
    pub fn with_text(self, text: String, language: Option<&Language>) -> Self {
        let file_name = |file: String| Some(Path::new(&file).file_name()?.to_str()?.to_owned());
        let name = self.name.or_else(|| self.file.and_then(file_name));
        let of_text = language.filter(|_| name.is_none()).map(|language| language.code.to_owned());
        let prompt = self.prompt.map(|prompt| format!("{}\n", prompt.trim_end_matches('\n')));
        Self { prompt, text: Some(text), file: None, language: self.language.or(of_text), name }
    }
}

pub(super) fn id_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "number", "null"] })
}

/// Without references.
pub fn line_schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|schema| schema.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<StreamLine>()
}

pub(super) static LINE_SCHEMA: LazyLock<Value> = LazyLock::new(|| line_schema().to_value());

impl StreamLine {
    pub(super) fn check_consistency(mut self) -> Result<Self, LineFault> {
        let alone = |one: bool, other: bool, [first, second]: [&str; 2]| match (one, other) {
            (true, true) => {
                let message = format!("has both `{first}` and `{second}`");
                Err(LineFault::of_line(message, "leave out one of them"))
            }
            _ => Ok(one || other),
        };
        let has_asserts = self.asserts.is_some();
        alone(has_asserts, self.cases.is_some(), ["/asserts", "/cases"])?;
        alone(has_asserts, self.call.is_some(), ["/asserts", "/call"])?;
        alone(has_asserts, self.package.is_some(), ["/asserts", "/package"])?;
        if let Some(asserts) = &self.asserts {
            if !asserts.test.contains("assert") {
                let help = "give a test that could fail";
                return Err(LineFault::of_line("`/asserts/test` has no assert", help));
            }
            let (call, cases) = asserts.to_call();
            self.is_forgeable = call.arguments == ArgumentForm::Test;
            self.call = Some(call);
            let case = |(input, answer)| InlineCase { input, answer: Some(answer) };
            self.cases = Some(cases.into_iter().map(case).collect());
        }
        let limits = self.limits.clone().unwrap_or_default();
        let (text, file) = match &self.source {
            LineSource::Text(_) => (true, false),
            LineSource::Parts(parts) => (parts.text.is_some(), parts.file.is_some()),
        };
        let checker = self.compare.as_ref().and_then(LineComparison::checker);
        checker.map_or(Ok(()), LineChecker::check)?;
        let (package, cases) = (self.package.is_some(), self.cases.is_some());
        if !alone(package, cases, ["/package", "/cases"])? {
            let help = "give a package, a list of objects with `input` and `answer`, or the file of `--problems`";
            return Err(LineFault::of_line("has neither `/package` nor `/cases`", help));
        }
        if self.package.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
            return Err(LineFault::of_line("`/package` is empty", "give the path of a package"));
        }
        if self.cases.as_ref().is_some_and(Vec::is_empty) {
            return Err(LineFault::of_line("`/cases` is empty", "give at least one test case"));
        }
        let is_run = self.detail == Some(ResultDetail::Run);
        for (is_given, key) in [
            (package, "/package"),
            (self.call.is_some(), "/call"),
            (self.compare.is_some(), "/compare"),
            (self.extract.is_some(), "/extract"),
        ] {
            alone(is_run, is_given, ["/return` of `run", key])?;
        }
        let cases = self.cases.iter().flatten();
        if let Some(at) = cases.clone().position(|case| case.answer.is_some() == is_run) {
            return Err(if is_run {
                let what = format!("`/cases/{at}/answer`: nothing is compared for `run`");
                LineFault::of_line(what, "leave it out")
            } else {
                LineFault::of_line(format!("`/cases/{at}`: missing field `answer`"), SCHEMA_HELP)
            });
        }
        if let Some(call) = &self.call {
            alone(true, package, ["/call", "/package"])?;
            alone(true, self.compare.is_some(), ["/call", "/compare"])?;
            alone(true, file, ["/call", "/source/file"])?;
            call.check(
                cases.map(|case| (&*case.input, case.answer.as_deref().unwrap_or_default())),
            )?;
        }
        let has_prompt = matches!(&self.source, LineSource::Parts(parts) if parts.prompt.is_some());
        alone(has_prompt, file, ["/source/prompt", "/source/file"])?;
        if !alone(text, file, ["/source/text", "/source/file"])? {
            let help = "give the source itself, or its file";
            return Err(LineFault::of_line("has neither `/source/text` nor `/source/file`", help));
        }
        let memory = ["/limits/memory", "/limits/memory_bytes"];
        alone(limits.memory.is_some(), limits.memory_bytes.is_some(), memory)?;
        let times = ["/limits/time", "/limits/time_ms"];
        alone(limits.time.is_some(), limits.time_ms.is_some(), times)?;
        let time = times[usize::from(limits.time_ms.is_some())];
        let memory = memory[usize::from(limits.memory_bytes.is_some())];
        let checker_time = checker.and_then(|checker| checker.time);
        let bytes = limits.memory_bytes.map(|bytes| bytes / f64::from(1 << 20));
        for (key, limit, unit, least, most) in [
            (time, limits.seconds(), "seconds", 0.001, 86_400.0),
            ("/compare/checker/time", checker_time, "seconds", 0.001, 86_400.0),
            (memory, limits.memory.or(bytes), "MiB", 1.0, f64::from(1 << 20)),
            ("/limits/output", limits.output, "MiB", 0.0, f64::from(1 << 20)),
        ] {
            if limit.is_some_and(|limit| !(least..=most).contains(&limit)) {
                let message = format!("`{key}`: out of range");
                let help = format!("it must be from {least} to {most} {unit}");
                return Err(LineFault::of_line(message, help));
            }
        }
        Ok(self)
    }

    /// For a line of somebody who may not read this machine.
    pub(super) fn restrict_paths(mut self, paths: &HostPaths) -> Result<Self, LineFault> {
        let HostPaths::Packages(directory) = paths else { return Ok(self) };
        let how = match &self.compare {
            Some(LineComparison::Text(name)) => Some(ComparisonMode::parse(name)),
            _ => None,
        };
        let is_name = |part: Component<'_>| matches!(part, Component::Normal(name) if !name.as_encoded_bytes().starts_with(b"."));
        let key = match (&self.source, how, self.package.clone()) {
            (LineSource::Parts(SourceParts { file: Some(_), .. }), ..) => "source/file",
            (_, Some(Ok(ComparisonMode::Checker(_))), _) => "compare",
            (_, _, Some(name)) => {
                let directory = directory.as_ref().filter(|_| name.components().all(is_name));
                self.package = directory.map(|directory| directory.join(name));
                if self.package.is_some() {
                    return Ok(self);
                }
                "package"
            }
            _ => return Ok(self),
        };
        let help = "give `/source/text`, a comparison by name, and `/cases` or a package of the server by name";
        Err(LineFault::of_line(format!("`/{key}` names a file of the judging machine"), help))
    }
}
