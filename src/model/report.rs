//! The results of a command, gathered from its events: the source of every summary, exit code and report.
//!
//! `docs/json.md` describes each key. Keys may be added; any other change also changes [`VERSION`]. Values are data,
//! not sentences composed for a reader.

mod gather;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_with::serde_as;

use crate::model::created::NextStep;
use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::duplicates::Duplicates;
use crate::model::event::{
    CommandTask, Event, GeneratedState, Note, Shortfall, Stamped, WorkProgress,
};
use crate::model::exit_code::ExitCode;
use crate::model::explanation::Explained;
use crate::model::isolation::Isolation;
use crate::model::judgement::{BrokenExpectation, CaseJudgement, JudgeError, Judgement};
use crate::model::limits::Limits;
use crate::model::moment::Moment;
use crate::model::proposal::Proposal;
use crate::model::recalled::Recalled;
use crate::model::score::TotalScore;
use crate::model::serial::{EveryKey, Location, Seconds};
use crate::model::shard::Shard;
use crate::model::units::Bytes;
use crate::model::verdict::Verdict;
use crate::model::worker::WorkerReport;

/// The name of the format.
pub const FORMAT: &str = "juror-report";

/// The version of the format; raised when a key is removed or changes its meaning.
pub const VERSION: u32 = 1;

/// What every command tells.
#[serde_as]
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Session {
    #[serde(flatten)]
    header: Header,
    /// The subcommand, such as `judge`.
    pub command: String,
    /// The command line that repeats it.
    pub command_line: String,
    #[serde(skip)]
    pub task: CommandTask,
    /// Wall time of the whole command.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "elapsed_seconds")]
    pub elapsed: Duration,
    /// Each package that could be read.
    pub packages: Vec<PackageReport>,
    /// What isolates and measures the runs.
    pub mechanism: Option<String>,
    /// What keeps programs apart from the machine.
    pub isolation: Option<IsolationReport>,
    /// What is wrong with packages, also with those that juror could not read.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong with the command line.
    pub complaints: Vec<String>,
    /// Each fault of the judge, those of submissions included.
    pub judge_errors: Vec<FaultReport>,
    /// What was known from earlier commands, if there is a cache.
    pub cache: Option<Recalled>,
    /// The workers on which programs ran, if they did not run on this machine.
    pub workers: Vec<WorkerReport>,
    /// The exit code of work that was refused or ended early.
    pub ended_with: Option<u8>,
    /// Whether it was cut short by Ctrl-C.
    pub interrupted: bool,
}

/// The complete result of judging: what every command tells, and verdicts or test data.
#[serde_as]
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(title = "juror-report")]
pub struct Report {
    #[serde(flatten)]
    pub session: Session,
    /// Which part of the work was done, if not all.
    pub shard: Option<Shard>,
    /// The directory with the working directories that are kept.
    #[serde_as(as = "Option<Location>")]
    #[serde(rename = "boxes")]
    pub kept: Option<PathBuf>,
    /// Each submission that was judged, or could not be.
    pub submissions: Vec<SubmissionReport>,
    /// Submissions that are the same.
    pub duplicates: Vec<Duplicates>,
    /// Why submissions fail.
    pub explanations: Vec<Explained>,
    /// What to do next.
    pub next: Vec<NextReport>,
    /// The result of making each test case.
    pub generated: Vec<GeneratedReport>,
    /// What a grammar added to packages.
    pub proposals: Vec<ProposalReport>,
    /// The summary in numbers.
    pub summary: Summary,
    /// How many packages cannot be used.
    #[serde(skip)]
    pub refused: usize,
    /// What is under way.
    #[serde(skip)]
    pub work: Work,
}

/// A package that could be read.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackageReport {
    /// Its short name.
    pub name: String,
    /// Its directory, as the user gave it.
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    /// Its name in English, or in its first language.
    pub title: String,
    /// The format that it is read as.
    pub format: String,
    /// Why juror reads it in this format.
    pub format_reason: String,
    /// Whether that is a guess.
    pub format_is_guessed: bool,
    /// How many submissions are to be judged.
    pub submissions: usize,
    /// How many test cases are selected.
    pub test_cases: usize,
    /// How many test cases there are.
    pub all_test_cases: usize,
    /// What a run may use.
    pub limits: Option<LimitsReport>,
}

/// The limits of a package's runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitsReport {
    /// What a run may use.
    #[serde(flatten)]
    pub run: Limits,
    /// Where the time limit comes from.
    pub cpu_origin: String,
}

impl LimitsReport {
    /// The time limit.
    pub fn cpu_time(&self) -> Duration {
        self.run.cpu_time.unwrap_or_default()
    }
}

/// What keeps programs apart from the machine.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct IsolationReport {
    /// The isolation method.
    pub by: Isolation,
    /// Whether namespaces isolate the runs.
    pub full: bool,
    /// What is missing, if it is not.
    pub warning: Option<Shortfall>,
}

/// A submission that was judged, or could not be.
#[derive(Clone, Debug)]
pub struct SubmissionReport {
    /// The package it was judged with.
    pub package: Option<String>,
    /// Its name.
    pub name: String,
    /// What it earned, or why it could not be judged.
    pub result: Result<Box<Judgement>, FaultReport>,
}

/// The keys of a submission: all of them, whether it was judged or not.
#[serde_as]
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SubmissionReport")]
struct SubmissionKeys<'a> {
    /// The package it was judged with.
    package: Option<&'a str>,
    #[serde_as(as = "EveryKey<Judgement>")]
    #[serde(flatten)]
    judgement: Option<&'a Judgement>,
    /// Why it could not be judged.
    error: Option<&'a FaultReport>,
}

impl Serialize for SubmissionReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (package, judgement) = (self.package.as_deref(), self.judgement());
        let keys = SubmissionKeys { package, error: self.error(), judgement };
        if judgement.is_some() {
            return keys.serialize(serializer);
        }
        let mut keys = serde_json::to_value(keys).map_err(S::Error::custom)?;
        keys["name"] = Value::from(self.name.as_str());
        keys.serialize(serializer)
    }
}

impl JsonSchema for SubmissionReport {
    fn schema_name() -> Cow<'static, str> {
        SubmissionKeys::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        SubmissionKeys::json_schema(generator)
    }
}

impl SubmissionReport {
    /// What it earned, if it was judged.
    pub fn judgement(&self) -> Option<&Judgement> {
        self.result.as_deref().ok()
    }

    /// Why it could not be judged.
    pub fn error(&self) -> Option<&FaultReport> {
        self.result.as_ref().err()
    }

    /// Its verdict, if it was judged.
    pub fn verdict(&self) -> Option<Verdict> {
        self.judgement().map(|it| it.verdict)
    }

    /// Its score, in a scoring problem that it builds for.
    pub fn score(&self) -> Option<&TotalScore> {
        self.judgement()?.score.as_ref()
    }

    /// Each case that was run, in order.
    pub fn cases(&self) -> &[CaseJudgement] {
        self.judgement().map_or(&[], |it| &it.cases)
    }

    /// How many cases were run or skipped.
    pub fn selected(&self) -> usize {
        self.judgement().map_or(0, |it| it.cases.len() + it.skipped)
    }

    /// Expectations that do not hold.
    pub fn broken(&self) -> &[BrokenExpectation] {
        self.judgement().map_or(&[], |it| &it.broken)
    }

    /// How many test cases it passes.
    pub fn passed(&self) -> usize {
        self.judgement().map_or(0, Judgement::passed)
    }

    /// The CPU time of its slowest run.
    pub fn slowest(&self) -> Option<Duration> {
        self.judgement()?.slowest()
    }

    /// The most memory that one of its runs used, if measured.
    pub fn memory(&self) -> Option<Bytes> {
        self.judgement()?.memory()
    }

    /// The first test case that it fails, or `build`, with the cause; of one that was not judged, only the cause.
    pub fn failure(&self) -> (Option<&str>, Option<&str>) {
        match &self.result {
            Ok(judgement) => judgement.failure(),
            Err(fault) => (None, Some(&fault.error.reason)),
        }
    }

    /// Like [`failure`](Self::failure), with what the program or the compiler said about it, in one line.
    pub fn told_failure(&self) -> (Option<&str>, Option<String>) {
        let (place, cause) = self.failure();
        let told = self.judgement().and_then(Judgement::told_cause);
        (place, told.or_else(|| cause.map(str::to_owned)))
    }
}

/// The directory that the names of all of several submissions begin with, including its slash; empty if there is none.
pub fn shared_directory<'a>(rows: &[&'a SubmissionReport]) -> &'a str {
    let [first, others @ ..] = rows else { return "" };
    let ends = first.name.rmatch_indices('/').map(|(at, _)| &first.name[..=at]);
    let mut shared = ends.filter(|start| others.iter().all(|it| it.name.starts_with(start)));
    shared.next().filter(|_| !others.is_empty()).unwrap_or_default()
}

/// A fault of the judge, with its package and submission.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FaultReport {
    /// The package at work on.
    pub package: Option<String>,
    /// The submission that has no verdict for it.
    pub submission: Option<String>,
    /// The fault.
    #[serde(flatten)]
    pub error: JudgeError,
}

impl FaultReport {
    /// Whether the only problem is that this machine cannot build a submission.
    pub fn is_skip(&self) -> bool {
        self.submission.is_some() && self.error.lacks.is_some()
    }
}

/// What a grammar added to a package.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProposalReport {
    /// The package.
    pub package: Option<String>,
    /// What came of it.
    #[serde(flatten)]
    pub proposal: Proposal,
}

/// What to do next with a package.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NextReport {
    /// The package.
    pub package: Option<String>,
    /// What to do.
    #[serde(flatten)]
    pub step: NextStep,
}

/// The result of making a test case.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GeneratedReport {
    /// The package.
    pub package: Option<String>,
    /// The case's name.
    pub test_case: String,
    /// What came of it.
    pub state: GeneratedState,
}

/// The result of a command, in numbers.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Runs of submissions on test cases.
    pub runs: usize,
    /// Runs left out because they could prove nothing more about expectations.
    pub spared_runs: usize,
    /// Submissions accepted.
    pub accepted: usize,
    /// Submissions rejected.
    pub rejected: usize,
    /// Expectations that do not hold.
    #[serde(rename = "broken_expectations")]
    pub broken: usize,
    /// Submissions skipped because this machine lacks their compiler.
    pub skipped_submissions: usize,
    /// Faults of the package.
    pub errors: usize,
    /// Doubts about the package.
    pub warnings: usize,
    /// Faults of the judge.
    pub judge_errors: usize,
}

/// The work in progress on the package that was read last.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// How many submissions of earlier packages are done.
    pub submissions_before: usize,
    /// How many runs there were for earlier packages.
    pub runs_before: usize,
    /// Submissions that have begun and are not done.
    pub submissions: Vec<UnderWay>,
    /// The current step of checking or making data.
    pub step: Option<ProgressStep>,
}

/// A submission that has begun.
#[derive(Clone, Debug)]
pub struct UnderWay {
    pub submission: String,
    /// On how many test cases it will run.
    pub test_cases: usize,
    pub judged: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgressStep {
    /// Its name, such as `input validators`.
    pub what: String,
    pub done: usize,
    pub total: usize,
}

/// What kind of document it is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Header {
    /// Always `juror-report`.
    #[schemars(extend("const" = FORMAT))]
    format: &'static str,
    /// The version of the format.
    #[schemars(extend("const" = VERSION))]
    version: u32,
    /// The version of the program.
    juror: &'static str,
}

impl Default for Header {
    fn default() -> Self {
        Self { format: FORMAT, version: VERSION, juror: env!("CARGO_PKG_VERSION") }
    }
}
