//! The results of a search for a counterexample.
//!
//! `juror schema` prints the comments of types and fields, so they are written for readers of the JSON.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use juror_core::difference::Difference;
use juror_core::explanation::ExplanationResult;
use juror_core::joint::Transcript;
use juror_core::progress::SearchPlan;
use juror_core::serial::{Seconds, Text};
use juror_core::text::count;
use juror_core::verdict::Verdict;

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StressResult {
    #[serde(flatten)]
    pub search: Search,
    /// Why the submission fails, if that was asked for.
    pub explanations: Vec<ExplanationResult>,
}

#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Search {
    #[serde(flatten)]
    pub plan: SearchPlan,
    /// The counterexample, if there is one.
    #[serde(rename = "counterexample")]
    pub found: Option<Box<Counterexample>>,
    /// Comparisons: each runs the reference and the submission on one input.
    pub runs: u64,
    /// Comparisons that shared one start of each program with others.
    pub batched: u64,
    /// Comparisons that made the counterexample smaller.
    pub shrinking_runs: u64,
    /// Inputs that were made to find a smaller counterexample, with those that are not smaller.
    pub shrinking_tries: u64,
    /// Whether every smaller input was tried.
    pub is_smallest: bool,
    /// Whether the time was up before the counterexample was as small as possible.
    pub shrinking_cut: bool,
    /// Wall time until a counterexample was found, without making it smaller.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "hunting_seconds")]
    pub searching: Duration,
    /// Wall time of everything.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "seconds")]
    pub elapsed: Duration,
    pub end: SearchEnd,
    /// Inputs that were not compared: not valid, or the reference took too long.
    pub left_out: u64,
    /// Why, with the number of inputs and an example of each reason.
    pub left_out_reasons: Vec<LeftOutInputs>,
    /// How far the list of all small inputs was tried: the most values of each choice.
    #[serde(rename = "small_level")]
    pub level: Option<u64>,
    /// What each source of inputs has tried.
    pub tried: Vec<SearchedSource>,
    /// The input on which the submission is slowest compared with the reference, if it takes long.
    pub slowest: Option<SlowestInput>,
    /// The command line that repeats it.
    pub repeat: String,
}

/// Inputs that were not compared, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOutInputs {
    /// Such as `not valid`, or `not solved by the reference in time`.
    pub reason: &'static str,
    pub inputs: u64,
    /// The beginning of one of them, or the command that makes none, and what is wrong with it.
    pub example: String,
}

/// What a source of inputs has tried.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SearchedSource {
    /// Such as `counts to 12` or `largest counts`.
    pub name: String,
    pub inputs: u64,
    /// Wall time of the slots that compared its inputs.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "seconds")]
    pub time: Duration,
    /// The longest CPU time of the submission outside of batches.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "slowest_seconds")]
    pub slowest: Duration,
}

/// An input on which the submission is slow, but within its limits.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SlowestInput {
    #[serde(skip)]
    pub input: Vec<u8>,
    /// Its size in bytes.
    #[serde(rename = "bytes")]
    pub size: usize,
    /// CPU time.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "submission_seconds")]
    pub submission: Duration,
    /// CPU time.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "reference_seconds")]
    pub reference: Duration,
    /// Where it comes from.
    pub origin: CounterexampleOrigin,
    /// The file that it was written to, if it was.
    pub saved: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Default)]
#[serde(rename_all = "snake_case")]
pub enum SearchEnd {
    #[default]
    Found,
    Time,
    /// All requested comparisons were made.
    Runs,
    /// There was nothing more to try.
    Exhausted,
    Interrupted,
}

/// An input on which a submission fails.
#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Counterexample {
    /// What the submission earns on it.
    pub verdict: Verdict,
    /// Why, in words.
    pub cause: String,
    /// Where its output differs, for a wrong answer by comparison.
    pub difference: Option<Box<Difference>>,
    #[serde_as(as = "Text")]
    pub input: Vec<u8>,
    /// What the reference writes; `None` if the output validator talks with submissions.
    #[serde_as(as = "Option<Text>")]
    pub expected: Option<Vec<u8>>,
    /// What the submission writes, cut; `None` if the output validator talks with submissions.
    #[serde_as(as = "Option<Text>")]
    pub got: Option<Vec<u8>>,
    /// What submission and output validator wrote to each other; of several passes the last.
    pub transcript: Option<Transcript>,
    /// What the submission writes on standard error, cut.
    #[serde_as(as = "Text")]
    pub stderr: Vec<u8>,
    /// What the output validator wrote on standard error, if it talks with submissions; cut.
    #[serde_as(as = "Text")]
    pub validator_stderr: Vec<u8>,
    /// Where the first failing input comes from.
    pub origin: CounterexampleOrigin,
    /// What the generator of the command line itself prints, if there is one: its smallest failing input.
    #[serde(rename = "printed")]
    pub generated: Option<GeneratedInput>,
    /// The size of the first failing input, in bytes.
    #[serde(rename = "first_bytes")]
    pub first_size: usize,
    /// The steps that made it smaller, in order.
    pub path: Vec<String>,
    /// How many runs on it fail in this way.
    pub failing: u32,
    /// How many runs were made to see that: [`REPEATS`], or fewer if the time was up.
    pub repeats: u32,
    /// Where it was added to the package, if it was.
    pub promoted: Option<String>,
    /// The file that the input was written to, if it was.
    pub saved: Option<String>,
}

/// A failing input as a generator of the command line prints it.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GeneratedInput {
    pub command_line: String,
    pub seed: u32,
    /// The value of `{n}`, if it has one.
    #[serde(rename = "n")]
    pub size: Option<u32>,
    #[serde_as(as = "Text")]
    pub input: Vec<u8>,
}

/// The number of runs that show whether a failure is repeatable.
pub const REPEATS: u32 = 3;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CounterexampleOrigin {
    /// From the list of all small inputs.
    Small {
        /// How many values of each choice the list has.
        level: u64,
    },
    /// From the grammar, in one of its shapes.
    Shape {
        #[serde(rename = "shape")]
        name: &'static str,
        /// The seed with which `juror grammar generate` makes the same input.
        seed: u64,
    },
    /// From the grammar, with one value at a bound.
    Bound {
        /// The value and the bound, as options of `juror grammar generate`.
        option: String,
        /// The seed for all other values.
        seed: u64,
    },
    /// A changed copy of an input that reached new parts of a program.
    Coverage {
        /// The seed of the changes.
        seed: u64,
    },
    /// Printed by one of the package's generators.
    Generator {
        #[serde(rename = "command_line")]
        line: String,
    },
    /// A changed copy of one of the package's test cases.
    TestCase {
        #[serde(rename = "test_case")]
        name: String,
    },
}

impl fmt::Display for CounterexampleOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Small { level } => {
                write!(f, "all small inputs in turn, {} of each choice", count(*level, "value"))
            }
            Self::Shape { name, seed } => write!(f, "the grammar's shape `{name}`, seed {seed}"),
            Self::Bound { option, seed } => write!(f, "the grammar with `{option}`, seed {seed}"),
            Self::Coverage { seed } => {
                write!(f, "changes to an input that reached new code, seed {seed}")
            }
            Self::Generator { line } => write!(f, "the generator `{line}`"),
            Self::TestCase { name } => write!(f, "changes to the test case `{name}`"),
        }
    }
}
