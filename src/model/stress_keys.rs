//! A search as the report has it: the keys of `docs/json.md` and where each comes from.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::serial::{As, Exchange, OriginKeys, Seconds, Text, View};
use crate::model::stress::{Counterexample, Origin, Search, SearchEnd};
use crate::model::verdict::Verdict;

/// What a search came to, at the top of the report and only in that of `stress`.
#[derive(Serialize, JsonSchema)]
pub(super) struct SearchKeys {
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
    stress: SearchDetails,
}

/// The rest of what is known of a search.
#[derive(Serialize, JsonSchema)]
struct SearchDetails {
    submission: String,
    reference: String,
    reference_chosen: String,
    sources: Vec<String>,
    end: SearchEnd,
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

impl View<Search> for SearchKeys {
    fn view(search: &Search) -> Self {
        let found = search.found.as_deref();
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
            seed: search.plan.seed,
            runs: search.runs,
            seconds: search.elapsed,
            repeat: search.repeat.clone(),
            stress: SearchDetails {
                submission: search.plan.submission.clone(),
                reference: search.plan.reference.clone(),
                reference_chosen: search.plan.chosen.clone(),
                sources: search.plan.sources.clone(),
                end: search.end,
                hunting_seconds: search.searching,
                left_out: search.left_out,
                batched: search.batched,
                small_level: search.level,
                shrinking_runs: search.shrinking_runs,
                time_seconds: search.plan.time,
                shrink_time_seconds: search.plan.shrink_time,
                shrinking_cut: search.shrinking_cut,
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
