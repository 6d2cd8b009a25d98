//! The progress and results of a search for a counterexample.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::model::difference::Difference;
use crate::model::explanation::Explained;
use crate::model::joint::Transcript;
use crate::model::serial::{EveryKey, Seconds, Text};
use crate::model::text::count;
use crate::model::verdict::Verdict;

/// With what a submission is compared, and on what.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchPlan {
    /// The submission's name.
    pub submission: String,
    /// The program whose output counts as right.
    pub reference: String,
    /// Why that one: `--reference`, `the only one to choose from`, `it makes the judge answers`.
    #[serde(rename = "reference_chosen")]
    pub chosen: String,
    /// Where inputs come from, such as `the grammar game1.ctd` and `3 generator lines`.
    pub sources: Vec<String>,
    /// The random seed.
    pub seed: u64,
    /// How long inputs are tried.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "time_seconds")]
    pub time: Duration,
    /// The minimum time for shrinking a counterexample.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "shrink_time_seconds")]
    pub shrink_time: Duration,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchProgress {
    /// The current activity, such as `searching` or `making it smaller`.
    pub doing: String,
    pub runs: u64,
    /// The time since the first of them.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "elapsed_seconds")]
    pub elapsed: Duration,
    /// The size of the smallest counterexample so far, in bytes.
    pub smallest: Option<usize>,
}

/// The result of `juror stress`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StressResult {
    #[serde(flatten)]
    pub search: Search,
    /// Why the submission fails, if that was asked for.
    pub explanations: Vec<Explained>,
}

/// The result of a search.
#[serde_as]
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Search {
    /// With what and on what.
    #[serde(flatten)]
    pub plan: SearchPlan,
    /// The counterexample, if there is one.
    #[serde(rename = "counterexample")]
    pub found: Option<Box<Counterexample>>,
    /// Comparisons: each a run of the reference and one of the submission, on an input of its own.
    pub runs: u64,
    /// Those of them that shared a start of both programs with others.
    pub batched: u64,
    /// Those of them that made the counterexample smaller.
    pub shrinking_runs: u64,
    /// Whether time for shrinking ran out before it was as small as possible.
    pub shrinking_cut: bool,
    /// Wall time of the search, without what made the counterexample smaller.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "hunting_seconds")]
    pub searching: Duration,
    /// Wall time of all of it.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "seconds")]
    pub elapsed: Duration,
    /// Why it ended.
    pub end: SearchEnd,
    /// Inputs that were not compared: not valid, or not solved by the reference in time.
    pub left_out: u64,
    /// How far the list of all small inputs was covered: the most values of any choice in turn.
    #[serde(rename = "small_level")]
    pub level: Option<u64>,
    /// The command line that repeats it.
    pub repeat: String,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Default)]
#[serde(rename_all = "snake_case")]
pub enum SearchEnd {
    /// A counterexample was found.
    #[default]
    Found,
    /// The time was up.
    Time,
    /// All requested comparisons were made.
    Runs,
    /// There was nothing more to try.
    Exhausted,
    /// Ctrl-C.
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
    /// The input.
    #[serde_as(as = "Text")]
    pub input: Vec<u8>,
    /// What the reference writes; `None` if the output validator judges a submission while it runs.
    #[serde_as(as = "Option<Text>")]
    pub expected: Option<Vec<u8>>,
    /// What the submission writes, cut if it is long; `None` as before.
    #[serde_as(as = "Option<Text>")]
    pub got: Option<Vec<u8>>,
    /// What submission and output validator wrote to each other, if they did; of several passes the last.
    pub transcript: Option<Transcript>,
    /// What the submission writes on standard error, cut.
    #[serde_as(as = "Text")]
    pub stderr: Vec<u8>,
    /// What the output validator wrote on standard error, if it judges a submission while it runs; cut.
    #[serde_as(as = "Text")]
    pub validator_stderr: Vec<u8>,
    /// The origin of the first failing input.
    #[serde_as(as = "EveryKey<Origin>")]
    pub origin: Origin,
    /// The size of that one, in bytes.
    #[serde(rename = "first_bytes")]
    pub first_size: usize,
    /// How it was shrunk, in order.
    pub path: Vec<String>,
    /// How many of the runs on it fail in this way.
    pub failing: u32,
    /// How many runs on it were made to see that.
    pub repeats: u32,
    /// Where it was added to the package, if it was.
    pub promoted: Option<String>,
    /// The file that the input was written to, if it was.
    pub saved: Option<String>,
}

/// How many runs show whether a failure is repeatable.
pub const REPEATS: u32 = 3;

/// The origin of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// From the list of all small inputs.
    Small {
        /// How many values of each choice are in the list.
        level: u64,
    },
    /// From the grammar, in one of its shapes.
    Shape {
        /// The name of the shape.
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
    /// Printed by one of the package's generators.
    Generator {
        /// The generator's command line.
        #[serde(rename = "command_line")]
        line: String,
    },
    /// A changed copy of one of the package's test cases.
    TestCase {
        /// Its name.
        #[serde(rename = "test_case")]
        name: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Small { level } => {
                write!(f, "all small inputs in turn, {} of each choice", count(*level, "value"))
            }
            Self::Shape { name, seed } => write!(f, "the grammar's shape `{name}`, seed {seed}"),
            Self::Bound { option, seed } => write!(f, "the grammar with `{option}`, seed {seed}"),
            Self::Generator { line } => write!(f, "the generator `{line}`"),
            Self::TestCase { name } => write!(f, "changes to the test case `{name}`"),
        }
    }
}
