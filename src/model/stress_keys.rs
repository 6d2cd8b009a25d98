//! A search in a report: the keys of `docs/json.md` that differ from those of its type.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::serial::{As, Seconds, Text, View};
use crate::model::stress::{Counterexample, Search};
use crate::model::verdict::Verdict;

/// The result of a search, at the top of the report of `stress` only.
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
    stress: Search,
}

/// The input on which the submission fails. Its texts are at the top of the report.
#[derive(Serialize, JsonSchema)]
pub(super) struct CounterexampleKeys {
    lossy: bool,
    #[serde(flatten)]
    rest: Counterexample,
}

/// The input, the expected output and the actual one.
fn texts(found: &Counterexample) -> [Option<Text>; 3] {
    [Some(Text::view(&found.input)), View::view(&found.expected), View::view(&found.got)]
}

impl View<Box<Counterexample>> for CounterexampleKeys {
    fn view(found: &Box<Counterexample>) -> Self {
        let lossy = texts(found).iter().flatten().any(|text| text.lossy);
        Self { lossy, rest: Counterexample::clone(found) }
    }
}

impl View<Search> for SearchKeys {
    fn view(search: &Search) -> Self {
        let found = search.found.as_deref();
        let texts = found.map(texts).unwrap_or_default();
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
            stress: search.clone(),
        }
    }
}
