//! How values are written as data if that differs from their types, such as seconds and texts.
//!
//! A field with `#[serde(with = "As::<Seconds>")]` is written, read, and described in the schema as that type.

use std::borrow::Cow;
use std::ffi::OsString;
use std::marker::PhantomData;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::diagnostic::{Place, Spot};
use crate::model::isolation::Isolation;
use crate::model::joint::{Line, Said, Transcript, lines};
use crate::model::judgement::{FaultyProgram, JudgeError};
use crate::model::moment::Moment;
use crate::model::outcome::{Ending, Mechanism, Meter, Outcome, Signal, StoppedBy};
use crate::model::score::{CaseScore, Score, ScoreOrigin, Standing, TotalScore};
use crate::model::stress::Origin;
use crate::model::units::Bytes;

/// A type that values of another type are written as.
pub trait View<V>: Serialize {
    /// The value in this shape.
    fn view(value: &V) -> Self;
}

impl<V, T: View<V>> View<Vec<V>> for Vec<T> {
    fn view(values: &Vec<V>) -> Self {
        values.iter().map(T::view).collect()
    }
}

impl<V, T: View<V>> View<Option<V>> for Option<T> {
    fn view(value: &Option<V>) -> Self {
        value.as_ref().map(T::view)
    }
}

/// A type that values of another type are read as. Reading a written value and writing it again gives the same text.
pub trait Restore<V> {
    /// The value of this shape.
    fn restore(self) -> V;
}

impl<V, T: Restore<V>> Restore<Vec<V>> for Vec<T> {
    fn restore(self) -> Vec<V> {
        self.into_iter().map(T::restore).collect()
    }
}

impl<V, T: Restore<V>> Restore<Option<V>> for Option<T> {
    fn restore(self) -> Option<V> {
        self.map(T::restore)
    }
}

/// A field that is written as a `T`.
pub struct As<T>(PhantomData<T>);

impl<T> As<T> {
    /// Writes the value.
    ///
    /// # Errors
    /// Errors of the serializer.
    pub fn serialize<V, S: Serializer>(value: &V, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: View<V>,
    {
        T::view(value).serialize(serializer)
    }

    /// Reads a value.
    ///
    /// # Errors
    /// Errors of the deserializer.
    pub fn deserialize<'de, V, D: Deserializer<'de>>(deserializer: D) -> Result<V, D::Error>
    where
        T: Restore<V> + Deserialize<'de>,
    {
        T::deserialize(deserializer).map(T::restore)
    }
}

impl<T: JsonSchema> JsonSchema for As<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A time in seconds.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Seconds(f64);

impl View<Duration> for Seconds {
    fn view(value: &Duration) -> Self {
        Self(value.as_secs_f64())
    }
}

/// A number that is not a duration, such as a negative one, is read as zero.
impl Restore<Duration> for Seconds {
    fn restore(self) -> Duration {
        Duration::try_from_secs_f64(self.0).unwrap_or_default()
    }
}

/// A path as text, lossily if it is not UTF-8.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Location(String);

impl View<PathBuf> for Location {
    fn view(value: &PathBuf) -> Self {
        Self(value.to_string_lossy().into_owned())
    }
}

impl Restore<PathBuf> for Location {
    fn restore(self) -> PathBuf {
        self.0.into()
    }
}

/// A path as its bytes, which need not be text.
#[derive(Serialize, Deserialize)]
pub struct PathBytes(Vec<u8>);

impl View<PathBuf> for PathBytes {
    fn view(value: &PathBuf) -> Self {
        Self(value.as_os_str().as_bytes().to_vec())
    }
}

impl Restore<PathBuf> for PathBytes {
    fn restore(self) -> PathBuf {
        OsString::from_vec(self.0).into()
    }
}

/// Bytes as text. `lossy` says that some were not UTF-8 and are replaced by U+FFFD.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Whether bytes were replaced.
    pub lossy: bool,
}

impl View<Vec<u8>> for Text {
    fn view(value: &Vec<u8>) -> Self {
        let text = String::from_utf8_lossy(value);
        Self { lossy: matches!(text, Cow::Owned(_)), text: text.into_owned() }
    }
}

/// Each replaced byte is read as some byte that is not UTF-8.
impl Restore<Vec<u8>> for Text {
    fn restore(self) -> Vec<u8> {
        if !self.lossy {
            return self.text.into_bytes();
        }
        let pieces: Vec<&[u8]> = self.text.split('\u{fffd}').map(str::as_bytes).collect();
        pieces.join(&0xff)
    }
}

/// A missing score is written as an empty one.
impl View<Option<TotalScore>> for TotalScore {
    fn view(value: &Option<TotalScore>) -> Self {
        value.clone().unwrap_or_default()
    }
}

/// A score without points, maximum and groups is read as none.
impl Restore<Option<TotalScore>> for TotalScore {
    fn restore(self) -> Option<TotalScore> {
        (self != Self::default()).then_some(self)
    }
}

impl View<CaseScore> for Score {
    fn view(value: &CaseScore) -> Self {
        value.score
    }
}

/// The origin of the points is not written.
impl Restore<CaseScore> for Score {
    fn restore(self) -> CaseScore {
        CaseScore { score: self, origin: ScoreOrigin::Rules }
    }
}

/// A missing text is written as an empty one.
impl View<Option<String>> for String {
    fn view(value: &Option<String>) -> Self {
        value.clone().unwrap_or_default()
    }
}

impl Restore<Option<String>> for String {
    fn restore(self) -> Option<String> {
        (!self.is_empty()).then_some(self)
    }
}

/// The facts of a run.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
pub struct RunKeys {
    exit_code: Option<i32>,
    signal: Option<i32>,
    stopped_by: Option<StoppedBy>,
    #[serde(with = "As::<Seconds>")]
    cpu_seconds: Duration,
    #[serde(with = "As::<Seconds>")]
    wall_seconds: Duration,
    memory_bytes: Option<Bytes>,
    stdout_bytes: u64,
    stderr_bytes: u64,
    file_bytes: u64,
    refused_processes: u32,
    cpu_meter: String,
    memory_meter: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ran_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worker: Option<String>,
}

impl View<Outcome> for RunKeys {
    fn view(outcome: &Outcome) -> Self {
        let (exit_code, signal) = match outcome.ending {
            Ending::Exited(code) => (Some(code), None),
            Ending::Signalled(signal) => (None, Some(signal.0)),
        };
        Self {
            exit_code,
            signal,
            stopped_by: outcome.stopped_by,
            cpu_seconds: outcome.cpu_time,
            wall_seconds: outcome.wall_time,
            memory_bytes: outcome.memory(),
            stdout_bytes: outcome.stdout_bytes.0,
            stderr_bytes: outcome.stderr_bytes.0,
            file_bytes: outcome.file_bytes.0,
            refused_processes: outcome.refused_processes,
            cpu_meter: outcome.mechanism.cpu.to_string(),
            memory_meter: outcome.mechanism.memory.to_string(),
            ran_at: outcome.ran_at,
            worker: outcome.worker.clone(),
        }
    }
}

/// The isolation is written once for all runs.
impl Restore<Outcome> for RunKeys {
    fn restore(self) -> Outcome {
        let meter = |name: &str| Meter::ALL.into_iter().find(|it| it.to_string() == name);
        let meter = |name: &str| meter(name).unwrap_or(Meter::Rusage);
        Outcome {
            ending: match (self.exit_code, self.signal) {
                (None, Some(signal)) => Ending::Signalled(Signal(signal)),
                (code, _) => Ending::Exited(code.unwrap_or_default()),
            },
            stopped_by: self.stopped_by,
            cpu_time: self.cpu_seconds,
            wall_time: self.wall_seconds,
            queued: Duration::ZERO,
            peak_memory: self.memory_bytes.unwrap_or_default(),
            stdout_bytes: Bytes(self.stdout_bytes),
            stderr_bytes: Bytes(self.stderr_bytes),
            file_bytes: Bytes(self.file_bytes),
            refused_processes: self.refused_processes,
            mechanism: Mechanism {
                cpu: meter(&self.cpu_meter),
                memory: meter(&self.memory_meter),
                isolation: Isolation::Namespaces,
            },
            ran_at: self.ran_at,
            worker: self.worker,
        }
    }
}

impl Restore<Option<Outcome>> for RunKeys {
    fn restore(self) -> Option<Outcome> {
        (!self.cpu_meter.is_empty()).then(|| self.restore())
    }
}

/// If nothing ran, all values are zero.
impl View<Option<Outcome>> for RunKeys {
    fn view(outcome: &Option<Outcome>) -> Self {
        outcome.as_ref().map(Self::view).unwrap_or_default()
    }
}

/// What two programs wrote to each other: the beginning, how much was left out, the end.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Exchange {
    first: Vec<Line>,
    left_out_bytes: Bytes,
    last: Vec<Line>,
}

impl View<Transcript> for Exchange {
    fn view(Transcript { first, left_out, last }: &Transcript) -> Self {
        Self { first: lines(first), left_out_bytes: *left_out, last: lines(last) }
    }
}

impl Restore<Transcript> for Exchange {
    fn restore(self) -> Transcript {
        let said = |Line { at, by, mut text, is_whole }: Line| {
            text.extend(is_whole.then_some(b'\n'));
            Said { at, by, text }
        };
        let pieces = |lines: Vec<Line>| lines.into_iter().map(said).collect();
        let (first, last) = (pieces(self.first), pieces(self.last));
        Transcript { first, left_out: self.left_out_bytes, last }
    }
}

/// A fault of the judge.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct FaultKeys {
    step: String,
    reason: String,
    help: Option<String>,
    lacks: Option<String>,
    program: Option<Box<FaultyProgram>>,
}

impl View<JudgeError> for FaultKeys {
    fn view(error: &JudgeError) -> Self {
        Self {
            step: error.step.clone(),
            reason: error.reason.clone(),
            help: error.help.clone(),
            lacks: error.lacks.clone(),
            program: error.program.clone(),
        }
    }
}

impl Restore<JudgeError> for FaultKeys {
    fn restore(self) -> JudgeError {
        JudgeError {
            help: self.help,
            lacks: self.lacks,
            program: self.program,
            ..JudgeError::new(self.step, self.reason)
        }
    }
}

/// A place in a file; the numbers are `null` if it is about the whole file.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Spotted {
    #[serde(with = "As::<Location>")]
    path: PathBuf,
    line: Option<u32>,
    column: Option<u32>,
    width: Option<u32>,
}

impl View<Place> for Spotted {
    fn view(place: &Place) -> Self {
        let spot = place.spot.as_ref();
        Self {
            path: place.path.clone(),
            line: spot.map(|spot| spot.line),
            column: spot.map(|spot| spot.column),
            width: spot.map(|spot| spot.width),
        }
    }
}

/// The text of the line is not written.
impl Restore<Place> for Spotted {
    fn restore(self) -> Place {
        let spot = match (self.line, self.column, self.width) {
            (Some(line), Some(column), Some(width)) => {
                Some(Spot { line, column, width, text: String::new() })
            }
            _ => None,
        };
        Place { path: self.path, spot }
    }
}

/// How far a test data group was run.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Extent {
    run: RunOf,
    barred_by: Option<String>,
}

/// Which of its test cases were run.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RunOf {
    All,
    Part,
    Barred,
}

impl View<Standing> for Extent {
    fn view(standing: &Standing) -> Self {
        let (run, barred_by) = match standing {
            Standing::Complete => (RunOf::All, None),
            Standing::Partial => (RunOf::Part, None),
            Standing::Barred { by } => (RunOf::Barred, Some(by.clone())),
        };
        Self { run, barred_by }
    }
}

impl Restore<Standing> for Extent {
    fn restore(self) -> Standing {
        match self.run {
            RunOf::All => Standing::Complete,
            RunOf::Part => Standing::Partial,
            RunOf::Barred => Standing::Barred { by: self.barred_by.unwrap_or_default() },
        }
    }
}

/// Where an input comes from; what does not apply is `null`.
#[derive(Default, Serialize, JsonSchema)]
pub struct OriginKeys {
    kind: SourceKind,
    shape: Option<&'static str>,
    option: Option<String>,
    seed: Option<u64>,
    level: Option<u64>,
    command_line: Option<String>,
    test_case: Option<String>,
}

/// What made an input.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SourceKind {
    #[default]
    Small,
    Shape,
    Bound,
    Generator,
    TestCase,
}

impl View<Origin> for OriginKeys {
    fn view(origin: &Origin) -> Self {
        let mut source = Self::default();
        match origin {
            Origin::Small { level } => source.level = Some(*level),
            Origin::Shape { name, seed } => {
                source.kind = SourceKind::Shape;
                (source.shape, source.seed) = (Some(*name), Some(*seed));
            }
            Origin::Bound { option, seed } => {
                source.kind = SourceKind::Bound;
                (source.option, source.seed) = (Some(option.clone()), Some(*seed));
            }
            Origin::Generator { line } => {
                source.kind = SourceKind::Generator;
                source.command_line = Some(line.clone());
            }
            Origin::TestCase { name } => {
                source.kind = SourceKind::TestCase;
                source.test_case = Some(name.clone());
            }
        }
        source
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::outcome::quiet_outcome;

    #[test]
    fn memory_that_was_not_measured_is_not_zero() {
        let check = |bytes: u64, expected: &str| {
            let outcome = Outcome { peak_memory: Bytes(bytes), ..quiet_outcome() };
            let run = serde_json::to_value(RunKeys::view(&outcome)).expect("a document");
            assert_eq!(run["memory_bytes"].to_string(), expected);
        };
        check(4096, "4096");
        check(0, "null");
    }
}
