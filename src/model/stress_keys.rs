//! A hunt as the report has it: the keys of `docs/json.md` and where each comes from.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::serial::{As, Exchange, OriginKeys, Seconds, Text, View};
use crate::model::stress::{Counterexample, Hunt, HuntEnd, Origin};
use crate::model::verdict::Verdict;

/// What a hunt came to, at the top of the report and only in that of `stress`.
#[derive(Serialize, JsonSchema)]
pub(super) struct HuntKeys {
    found: bool,
    verdict: Option<Verdict>,
    input: Option<String>,
    expected: Option<String>,
    got: Option<String>,
    seed: u64,
    runs: u64,
    #[serde(with = "As::<Seconds>")]
    seconds: Duration,
    repeat: String,
    stress: HuntDetails,
}

/// The rest of what is known of a hunt.
#[derive(Serialize, JsonSchema)]
struct HuntDetails {
    submission: String,
    reference: String,
    reference_chosen: String,
    sources: Vec<String>,
    end: HuntEnd,
    #[serde(with = "As::<Seconds>")]
    hunting_seconds: Duration,
    left_out: u64,
    batched: u64,
    small_level: Option<u64>,
    shrinking_runs: u64,
    #[serde(with = "As::<Seconds>")]
    time_seconds: Duration,
    #[serde(with = "As::<Seconds>")]
    shrink_time_seconds: Duration,
    shrinking_cut: bool,
    counterexample: Option<CounterexampleKeys>,
}

/// The input on which the submission fails.
#[derive(Serialize, JsonSchema)]
struct CounterexampleKeys {
    cause: String,
    lossy: bool,
    transcript: Option<Exchange>,
    stderr: Text,
    validator_stderr: Text,
    #[serde(with = "As::<OriginKeys>")]
    origin: Origin,
    first_bytes: usize,
    path: Vec<String>,
    failing: u32,
    repeats: u32,
    promoted: Option<String>,
    saved: Option<String>,
}

impl View<Hunt> for HuntKeys {
    fn view(hunt: &Hunt) -> Self {
        let found = hunt.found.as_deref();
        let texts = [
            found.map(|found| Text::view(&found.input)),
            found.and_then(|found| View::view(&found.expected)),
            found.and_then(|found| View::view(&found.got)),
        ];
        let is_lossy = |text: &Option<Text>| text.as_ref().is_some_and(|text| text.lossy);
        let lossy = texts.iter().any(is_lossy);
        let [input, expected, got] = texts.map(|text| text.map(|text| text.text));
        Self {
            found: found.is_some(),
            verdict: found.map(|found| found.verdict),
            input,
            expected,
            got,
            seed: hunt.plan.seed,
            runs: hunt.runs,
            seconds: hunt.elapsed,
            repeat: hunt.repeat.clone(),
            stress: HuntDetails {
                submission: hunt.plan.submission.clone(),
                reference: hunt.plan.reference.clone(),
                reference_chosen: hunt.plan.chosen.clone(),
                sources: hunt.plan.sources.clone(),
                end: hunt.end,
                hunting_seconds: hunt.hunting,
                left_out: hunt.left_out,
                batched: hunt.batched,
                small_level: hunt.level,
                shrinking_runs: hunt.shrinking_runs,
                time_seconds: hunt.plan.time,
                shrink_time_seconds: hunt.plan.shrink_time,
                shrinking_cut: hunt.shrinking_cut,
                counterexample: found.map(|found: &Counterexample| CounterexampleKeys {
                    cause: found.cause.clone(),
                    lossy,
                    transcript: View::view(&found.transcript),
                    stderr: View::view(&found.stderr),
                    validator_stderr: View::view(&found.validator_stderr),
                    origin: found.origin.clone(),
                    first_bytes: found.first_size,
                    path: found.path.clone(),
                    failing: found.failing,
                    repeats: found.repeats,
                    promoted: found.promoted.clone(),
                    saved: found.saved.clone(),
                }),
            },
        }
    }
}
