//! How values are written as data if that differs from their types, such as seconds and texts.
//!
//! A field with `#[serde_as(as = "Seconds")]` is written, read, and described in the schema that way. A type that also
//! travels between programs has `IfIsHumanReadable<Seconds>`: there its bytes are those of the type.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::marker::PhantomData;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, TryFromFloatSecsError};

use base64::DecodeError;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};
use serde_with::schemars_1::JsonSchemaAs;
use serde_with::{DeserializeAs, FromIntoRef, SerializeAs, TryFromIntoRef};

use crate::model::blob::Blob;
use crate::model::units::Bytes;

/// A time in seconds, rounded to nanoseconds when it is read: `DurationSecondsWithFrac` cuts.
pub type Seconds = TryFromIntoRef<FloatSeconds>;
/// A path as text, lossily if it is not UTF-8.
pub type Location = FromIntoRef<LossyPath>;
/// A path as its bytes, which need not be text.
pub type PathBytes = FromIntoRef<RawPath>;
/// Bytes as text.
pub type Text = FromIntoRef<LossyText>;
/// An amount of bytes that is 0 if it was not measured.
pub type Measured = FromIntoRef<MeasuredBytes>;
/// The bytes of a blob as text.
pub type Base64 = TryFromIntoRef<Base64Text>;

/// How [`Seconds`] are written.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct FloatSeconds(f64);

impl From<&Duration> for FloatSeconds {
    fn from(time: &Duration) -> Self {
        Self(time.as_secs_f64())
    }
}

impl TryFrom<FloatSeconds> for Duration {
    type Error = TryFromFloatSecsError;

    fn try_from(seconds: FloatSeconds) -> Result<Self, Self::Error> {
        Self::try_from_secs_f64(seconds.0)
    }
}

/// How [`Location`] is written.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct LossyPath(String);

impl From<&PathBuf> for LossyPath {
    fn from(path: &PathBuf) -> Self {
        Self(path.to_string_lossy().into_owned())
    }
}

impl From<LossyPath> for PathBuf {
    fn from(path: LossyPath) -> Self {
        path.0.into()
    }
}

/// How [`PathBytes`] is written.
#[derive(Serialize, Deserialize)]
pub struct RawPath(Vec<u8>);

impl From<&PathBuf> for RawPath {
    fn from(path: &PathBuf) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<RawPath> for PathBuf {
    fn from(path: RawPath) -> Self {
        OsString::from_vec(path.0).into()
    }
}

/// How [`Text`] is written. `lossy` says that some bytes were not UTF-8 and are replaced by U+FFFD.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Text")]
pub struct LossyText {
    text: String,
    lossy: bool,
}

impl From<&Vec<u8>> for LossyText {
    fn from(bytes: &Vec<u8>) -> Self {
        let text = String::from_utf8_lossy(bytes);
        Self { lossy: matches!(text, Cow::Owned(_)), text: text.into_owned() }
    }
}

/// Each replaced byte is read as some byte that is not UTF-8.
impl From<LossyText> for Vec<u8> {
    fn from(LossyText { text, lossy }: LossyText) -> Self {
        if !lossy {
            return text.into_bytes();
        }
        let pieces: Vec<&[u8]> = text.split('\u{fffd}').map(str::as_bytes).collect();
        pieces.join(&0xff)
    }
}

/// How [`Measured`] is written.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct MeasuredBytes(Option<Bytes>);

impl From<&Bytes> for MeasuredBytes {
    fn from(bytes: &Bytes) -> Self {
        Self(Some(*bytes).filter(|bytes| bytes.0 > 0))
    }
}

impl From<MeasuredBytes> for Bytes {
    fn from(bytes: MeasuredBytes) -> Self {
        bytes.0.unwrap_or_default()
    }
}

/// How [`Base64`] is written.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Base64Text(String);

impl TryFrom<&Blob> for Base64Text {
    type Error = io::Error;

    fn try_from(blob: &Blob) -> io::Result<Self> {
        let mut bytes = Vec::new();
        io::copy(&mut blob.open()?, &mut bytes)?;
        Ok(Self(BASE64_STANDARD.encode(bytes)))
    }
}

impl TryFrom<Base64Text> for Blob {
    type Error = DecodeError;

    fn try_from(text: Base64Text) -> Result<Self, DecodeError> {
        BASE64_STANDARD.decode(text.0).map(Self::from)
    }
}

/// All keys of a `T`, in the object that has a flattened field which is an `Option<T>`, or a `T` that has other keys for
/// each variant: keys that it lacks are written as `null`, or as an empty list.
pub struct EveryKey<T>(PhantomData<T>);

impl<T: JsonSchema + 'static, V: Serialize> SerializeAs<V> for EveryKey<T> {
    fn serialize_as<S: Serializer>(value: &V, serializer: S) -> Result<S::Ok, S::Error> {
        let mut keys = Map::clone(&absent::<T>());
        if let Value::Object(present) = serde_json::to_value(value).map_err(S::Error::custom)? {
            keys.extend(present);
        }
        keys.serialize(serializer)
    }
}

impl<'de, T: JsonSchema + 'static, V: DeserializeOwned> DeserializeAs<'de, V> for EveryKey<T> {
    fn deserialize_as<D: Deserializer<'de>>(deserializer: D) -> Result<V, D::Error> {
        let absent = absent::<T>();
        // The other keys of the object are among them.
        let mut keys = Map::deserialize(deserializer)?;
        keys.retain(|key, _| absent.contains_key(key));
        let is_absent = keys.iter().all(|(key, value)| absent.get(key) == Some(value));
        let value = if is_absent { Value::Null } else { Value::Object(keys) };
        V::deserialize(value).map_err(D::Error::custom)
    }
}

impl<T: JsonSchema, V> JsonSchemaAs<V> for EveryKey<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("EveryKeyOf{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        for (key, schemas) in schemas_of_keys::<T>(generator) {
            let mut any = schemas;
            if !any.iter().any(is_list) {
                any.push(json!({ "type": "null" }));
            }
            properties.insert(key, json!({ "anyOf": any }));
        }
        let required: Vec<&String> = properties.keys().collect();
        json_schema!({ "type": "object", "required": required, "properties": properties })
    }
}

/// The keys of a `T`, with their values if they do not apply.
fn absent<T: JsonSchema + 'static>() -> Arc<Map<String, Value>> {
    static KNOWN: Mutex<Option<HashMap<TypeId, Arc<Map<String, Value>>>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let keys = || {
        let schemas = schemas_of_keys::<T>(&mut SchemaGenerator::default()).into_iter();
        let value =
            |schemas: &[Value]| if schemas.iter().any(is_list) { json!([]) } else { Value::Null };
        Arc::new(schemas.map(|(key, schemas)| (key, value(&schemas))).collect())
    };
    Arc::clone(known.get_or_insert_default().entry(TypeId::of::<T>()).or_insert_with(keys))
}

fn is_list(schema: &Value) -> bool {
    schema["type"] == "array"
}

/// The schemas that each key of a `T` has: one, or one for each variant.
fn schemas_of_keys<T: JsonSchema>(generator: &mut SchemaGenerator) -> HashMap<String, Vec<Value>> {
    let schema = Value::from(T::json_schema(generator));
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    let shapes = variants.chain([&schema]).filter_map(|shape| shape["properties"].as_object());
    let mut keys: HashMap<String, Vec<Value>> = HashMap::new();
    for (key, schema) in shapes.flatten() {
        keys.entry(key.clone()).or_default().push(schema.clone());
    }
    keys
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use proptest::prelude::*;

    use super::*;
    use crate::model::diagnostic::{Diagnostic, Hinders, Spot};
    use crate::model::difference::{
        Difference, DifferenceKind, Excerpt, NumberGap, OnlyDifference, Side,
    };
    use crate::model::duplicates::{Duplicates, Likeness};
    use crate::model::event::{GeneratedState, Shortfall};
    use crate::model::explanation::{Explained, Explanation, ExplanationKind, Tried};
    use crate::model::isolation::Isolation;
    use crate::model::joint::{self, Said, Transcript};
    use crate::model::judgement::{
        BrokenExpectation, CaseJudgement, CompilerReport, DiffLine, DiffTag, Evidence, Extended,
        FaultKind, FaultyProgram, JudgeError, Judgement, Picture,
    };
    use crate::model::limits::Limits;
    use crate::model::moment::Moment;
    use crate::model::outcome::{
        Ending, Mechanism, Meter, Outcome, Signal, StoppedBy, quiet_outcome,
    };
    use crate::model::recalled::Recalled;
    use crate::model::repeats::{Repeats, TimedRun};
    use crate::model::report::{LimitsReport, PackageReport, ProgressStep};
    use crate::model::score::{CaseScore, GroupScore, Score, ScoreOrigin, Standing, TotalScore};
    use crate::model::verdict::Verdict;
    use crate::model::worker::WorkerReport;

    /// Writes a value, and checks that it is read again, and that no key is left out.
    fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(values: &[T]) {
        let written = values.iter().map(|value| serde_json::to_value(value).expect("a document"));
        let written: Vec<Value> = written.collect();
        for (value, written) in values.iter().zip(&written) {
            let text = written.to_string();
            assert_eq!(&serde_json::from_str::<T>(&text).expect(&text), value, "{text}");
        }
        let keys = |it: &Value| it.as_object().map(|it| it.keys().cloned().collect::<Vec<_>>());
        let all: Vec<_> = written.iter().map(keys).collect();
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
    }

    fn text(text: &str) -> Vec<u8> {
        text.as_bytes().to_vec()
    }

    fn killed() -> Outcome {
        Outcome {
            ending: Ending::Signalled(Signal(9)),
            stopped_by: Some(StoppedBy::WallTime),
            cpu_time: Duration::from_nanos(1_234_567_891),
            wall_time: Duration::from_nanos(3_000_000_001),
            queued: Duration::from_nanos(12_345_678),
            peak_memory: Bytes(0),
            stdout_bytes: Bytes(1),
            stderr_bytes: Bytes(2),
            file_bytes: Bytes(3),
            refused_processes: 4,
            mechanism: Mechanism {
                cpu: Meter::Rusage,
                memory: Meter::Cgroup1,
                isolation: Isolation::UserNamespaces,
            },
            ran_at: Some(Moment::new(1_795_290_005)),
            worker: Some("far".to_owned()),
        }
    }

    fn evidence() -> Evidence {
        let said = |by, text: &str| {
            let at = Duration::from_millis(12);
            Said { at, by, text: text.as_bytes().to_vec() }
        };
        let line = |tag, answer_line, output_line| DiffLine {
            tag,
            answer_line,
            output_line,
            text: text("1 2"),
        };
        Evidence {
            diff: vec![
                line(DiffTag::Equal, Some(1), Some(1)),
                line(DiffTag::Answer, Some(2), None),
                line(DiffTag::Output, None, Some(2)),
            ],
            diff_lines_left_out: 1,
            transcript: Some(Transcript {
                first: vec![said(joint::Side::Partner, "7\n"), said(joint::Side::Program, "?\n")],
                left_out: Bytes(9),
                last: vec![said(joint::Side::Program, "!")],
            }),
            input: text("\0\u{1b}[31m"),
            input_bytes_left_out: 2,
            input_path: Some("data/secret/1.in".into()),
            answer: text("3"),
            answer_bytes_left_out: 3,
            output: text("4"),
            output_bytes_left_out: 4,
            stdout: text("5"),
            stdout_bytes_left_out: 5,
            stderr: b"a\xffb".to_vec(),
            validator_stderr: text("6"),
            images: vec!["judgeimage.svg".to_owned()],
            pictures: vec![Picture {
                of: "output".into(),
                name: "judgeimage.svg".to_owned(),
                blob: vec![0, 255, 7].into(),
            }],
            repeat: "juror run".to_owned(),
            kept: Some("box".into()),
            feedback: Some("feedback".into()),
        }
    }

    fn difference() -> Difference {
        let side = Side {
            token_number: 1,
            token: Excerpt { bytes: text("3.14"), cut_before: 1, cut_after: 2 },
            ..Side::default()
        };
        Difference {
            kind: DifferenceKind::Number,
            only: Some(OnlyDifference::LastNewline),
            differing_tokens: 2,
            gap: Some(NumberGap { absolute: 0.1, relative: f64::INFINITY }),
            answer: side.clone(),
            output: side,
        }
    }

    /// A case with everything, and one with nothing.
    fn cases() -> Vec<CaseJudgement> {
        let score = |origin| Score::new(0.1).map(|score| CaseScore { score, origin });
        let run = |outcome: &Outcome| TimedRun::new(outcome, Duration::ZERO);
        let whole = CaseJudgement {
            test_case: "secret/1".to_owned(),
            verdict: Verdict::WrongAnswer,
            cause: "token 1 differs".to_owned(),
            message: "wrong".to_owned(),
            is_told: true,
            team_message: "no".to_owned(),
            score: score(ScoreOrigin::Multiplier),
            with_margin: Some(Extended {
                verdict: Verdict::Accepted,
                score: score(ScoreOrigin::Score),
            }),
            repeats: Some(Box::new(Repeats { is_sensitive: true, runs: vec![run(&killed())] })),
            outcome: Some(killed()),
            difference: Some(Box::new(difference())),
            evidence: Some(Box::new(evidence())),
        };
        let bare = CaseJudgement {
            is_told: false,
            score: None,
            with_margin: Some(Extended { verdict: Verdict::Accepted, score: None }),
            repeats: None,
            outcome: None,
            difference: None,
            evidence: None,
            ..whole.clone()
        };
        vec![whole, bare]
    }

    fn judgements() -> Vec<Judgement> {
        let group = |standing| GroupScore {
            name: "secret/1".to_owned(),
            is_conditional: standing == Standing::Partial,
            score: None,
            max_score: Score::new(30.0),
            standing,
        };
        let barred = Standing::Barred { by: "sample".to_owned() };
        let groups = vec![group(Standing::Complete), group(Standing::Partial), group(barred)];
        check(&groups);
        let whole = Judgement {
            submission: "accepted/a.cpp".to_owned(),
            path: "submissions/accepted/a.cpp".into(),
            verdict: Verdict::WrongAnswer,
            cases: cases().into(),
            score: Some(TotalScore {
                score: Score::new(2.5),
                max_score: None,
                groups,
                is_best: true,
            }),
            skipped: 1,
            spared: 2,
            compiler: Some(CompilerReport {
                refusal: Some("exit code 1".to_owned()),
                messages: text("error"),
                outcome: Some(quiet_outcome()),
            }),
            broken: vec![BrokenExpectation {
                rule: "accepted".to_owned(),
                reason: "required AC".to_owned(),
                test_case: Some("secret/1".to_owned()),
            }],
        };
        let compiler = CompilerReport { refusal: None, messages: Vec::new(), outcome: None };
        let bare = Judgement {
            cases: Vec::new().into(),
            score: None,
            compiler: Some(compiler),
            broken: Vec::new(),
            ..whole.clone()
        };
        let unknown = Judgement { score: Some(TotalScore::default()), ..bare.clone() };
        vec![whole, bare, unknown]
    }

    #[test]
    fn judgements_are_read_as_they_were_written() {
        check(&cases());
        check(&judgements());
    }

    #[test]
    fn what_is_said_beside_judgements_is_read_as_it_was_written() {
        let spot = Spot { line: 3, column: 4, text: "\tx: 1".to_owned(), width: 5 };
        let remark = Diagnostic::warning("a", "b").help("c");
        let quoting = Diagnostic { hinders: Hinders::Publishing, ..remark.clone().at(spot) };
        check(&[remark, quoting.quote(b"a.c:1:1")]);
        let program =
            FaultyProgram { stderr: text("x"), repeat: "y".to_owned(), kept: Some("z".into()) };
        let fault = JudgeError {
            kind: FaultKind::NoWorker,
            lacks: Some("go".to_owned()),
            program: Some(Box::new(program)),
            ..JudgeError::new("a step", "a reason").transient().help("help")
        };
        check(&[fault, JudgeError::new("a step", "a reason")]);
        let run = Limits {
            cpu_time: Some(Duration::from_nanos(1_100_000_001)),
            memory: Some(Bytes::mib(256)),
            ..Limits::default()
        };
        let package = PackageReport {
            path: "problems/sum".into(),
            format_is_guessed: true,
            limits: Some(LimitsReport { run, cpu_origin: "problem.yaml".to_owned() }),
            ..PackageReport::default()
        };
        check(&[package, PackageReport::default()]);
        let (message, help) = ("weak".to_owned(), "do".to_owned());
        check(&[Shortfall { message, reasons: vec!["old".to_owned()], help }]);
        let submissions = vec!["a.c".to_owned(), "b.c".to_owned()];
        check(&[Duplicates { likeness: Likeness::Code, submissions }]);
        check(&[Explained {
            package: None,
            submission: "a.c".to_owned(),
            explanation: Some(Explanation {
                kind: ExplanationKind::OnlyIf,
                statement: "n is odd".to_owned(),
                otherwise: None,
                with: Tried { failing: 1, inputs: 2 },
                without: Tried::default(),
            }),
            runs: 3,
            cut: true,
        }]);
        check(&[Recalled { started: 1, recalled: 2, oldest: Some(Moment::new(3)) }]);
        check(&[WorkerReport {
            name: "far".to_owned(),
            isolation: Some(Isolation::Landlock),
            slots: 2,
            programs: 3,
            lost: Some("gone".to_owned()),
        }]);
        check(&[ProgressStep { what: "validators".to_owned(), done: 1, total: 2 }]);
        check(&GeneratedState::ALL);
        check(&Isolation::ALL);
        check(&Verdict::ALL);
    }

    #[test]
    fn memory_that_was_not_measured_is_not_zero() {
        let check = |bytes: u64, expected: &str| {
            let outcome = Outcome { peak_memory: Bytes(bytes), ..quiet_outcome() };
            let run = serde_json::to_value(&outcome).expect("a document");
            assert_eq!(run["memory_bytes"].to_string(), expected);
        };
        check(4096, "4096");
        check(0, "null");
    }

    #[test]
    fn a_time_that_is_none_is_refused() {
        let check = |seconds: &str, is_read: bool| {
            let text = format!(
                r#"{{"cpu_seconds":{seconds},"wall_seconds":1,"stopped_by":null,"disturbed":false}}"#
            );
            assert_eq!(serde_json::from_str::<TimedRun>(&text).is_ok(), is_read, "{seconds}");
        };
        check("0", true);
        check("1.5", true);
        check("-1", false);
        check("1e30", false);
        check("null", false);
    }

    proptest! {
        #[test]
        fn outcomes_are_read_as_they_were_written(
            // Up to eleven days.
            times: [u64; 3], code in 0..256i32, bytes: u64, killed: bool,
        ) {
            let [cpu_time, wall_time, queued] =
                times.map(|nanos| Duration::from_nanos(nanos % 1_000_000_000_000_000));
            let ending = if killed { Ending::Signalled(Signal(code)) } else { Ending::Exited(code) };
            let peak_memory = Bytes(bytes);
            let outcome =
                Outcome { ending, cpu_time, wall_time, queued, peak_memory, ..quiet_outcome() };
            check(&[outcome]);
        }

        #[test]
        fn texts_are_written_again_as_they_were_read(bytes: Vec<u8>) {
            let written = LossyText::from(&bytes);
            let (text, is_lossy) = (written.text.clone(), written.lossy);
            let read = Vec::from(written);
            prop_assert!(is_lossy || read == bytes);
            let again = LossyText::from(&read);
            prop_assert_eq!((again.text, again.lossy), (text, is_lossy));
        }
    }
}
