//! What a hunt came to, on the wire: the keys of `juror stress`.

use serde::Serialize;

use crate::model::stress::{Hunt, HuntEnd, Origin, REPEATS};
use crate::report::exchange::WireTranscript;
use crate::report::json::difference::WireText;

/// At the top of the document, and only in that of `juror stress`.
#[derive(Serialize)]
pub(super) struct WireHunt {
    found: bool,
    verdict: Option<&'static str>,
    input: Option<String>,
    expected: Option<String>,
    got: Option<String>,
    seed: u64,
    runs: u64,
    seconds: f64,
    repeat: String,
    stress: WireDetails,
}

#[derive(Serialize)]
struct WireDetails {
    submission: String,
    reference: String,
    reference_chosen: String,
    sources: Vec<String>,
    end: &'static str,
    hunting_seconds: f64,
    left_out: u64,
    batched: u64,
    small_level: Option<u64>,
    shrinking_runs: u64,
    counterexample: Option<WireCounterexample>,
}

#[derive(Serialize)]
struct WireCounterexample {
    cause: String,
    lossy: bool,
    transcript: Option<WireTranscript>,
    stderr: WireText,
    validator_stderr: WireText,
    origin: WireOrigin,
    first_bytes: usize,
    path: Vec<String>,
    failing: u32,
    repeats: u32,
    promoted: Option<String>,
}

#[derive(Serialize)]
struct WireOrigin {
    kind: &'static str,
    shape: Option<&'static str>,
    option: Option<String>,
    seed: Option<u64>,
    level: Option<u64>,
    command_line: Option<String>,
}

impl From<&Hunt> for WireHunt {
    fn from(hunt: &Hunt) -> Self {
        let found = hunt.found.as_deref();
        let [input, expected, got] = [
            found.map(|found| WireText::new(&found.input)),
            found.and_then(|found| found.expected.as_deref().map(WireText::new)),
            found.and_then(|found| found.got.as_deref().map(WireText::new)),
        ];
        let lossy = [&input, &expected, &got]
            .iter()
            .any(|text| text.as_ref().is_some_and(|it| it.lossy));
        let text = |text: Option<WireText>| text.map(|text| text.text);
        Self {
            found: found.is_some(),
            verdict: found.map(|found| found.verdict.short()),
            input: text(input),
            expected: text(expected),
            got: text(got),
            seed: hunt.plan.seed,
            runs: hunt.runs,
            seconds: hunt.elapsed.as_secs_f64(),
            repeat: hunt.repeat.clone(),
            stress: WireDetails {
                submission: hunt.plan.submission.clone(),
                reference: hunt.plan.reference.clone(),
                reference_chosen: hunt.plan.chosen.clone(),
                sources: hunt.plan.sources.clone(),
                end: match hunt.end {
                    HuntEnd::Found => "found",
                    HuntEnd::Time => "time",
                    HuntEnd::Runs => "runs",
                    HuntEnd::Exhausted => "exhausted",
                    HuntEnd::Interrupted => "interrupted",
                },
                hunting_seconds: hunt.hunting.as_secs_f64(),
                left_out: hunt.left_out,
                batched: hunt.batched,
                small_level: hunt.level,
                shrinking_runs: hunt.shrinking_runs,
                counterexample: found.map(|found| WireCounterexample {
                    cause: found.cause.clone(),
                    lossy,
                    transcript: found.transcript.as_ref().map(WireTranscript::from),
                    stderr: WireText::new(&found.stderr),
                    validator_stderr: WireText::new(&found.validator_stderr),
                    origin: (&found.origin).into(),
                    first_bytes: found.first_size,
                    path: found.path.clone(),
                    failing: found.failing,
                    repeats: REPEATS,
                    promoted: found.promoted.clone(),
                }),
            },
        }
    }
}

impl From<&Origin> for WireOrigin {
    fn from(origin: &Origin) -> Self {
        let nothing = Self {
            kind: "small",
            shape: None,
            option: None,
            seed: None,
            level: None,
            command_line: None,
        };
        match origin {
            Origin::Small { level } => Self {
                level: Some(*level),
                ..nothing
            },
            Origin::Shape { name, seed } => Self {
                kind: "shape",
                shape: Some(name),
                seed: Some(*seed),
                ..nothing
            },
            Origin::Bound { option, seed } => Self {
                kind: "bound",
                option: Some(option.clone()),
                seed: Some(*seed),
                ..nothing
            },
            Origin::Generator { line } => Self {
                kind: "generator",
                command_line: Some(line.clone()),
                ..nothing
            },
        }
    }
}
