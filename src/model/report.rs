//! The results of a command, gathered from its events: the source of every summary, exit code and report.
//!
//! `docs/json.md` describes each key. Keys may be added; any other change also changes [`VERSION`]. Values are data,
//! not sentences composed for a reader.

mod gather;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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
use crate::model::judgement::{
    BrokenExpectation, CaseJudgement, CompilerReport, JudgeError, Judgement,
};
use crate::model::limits::Limits;
use crate::model::messages::told_by_compiler;
use crate::model::moment::Moment;
use crate::model::outcome::Outcome;
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
    /// What is wrong with what the user wrote.
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
    /// Why, in a line.
    pub format_reason: String,
    /// Whether the reason is always shown.
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
    /// The way.
    pub by: Isolation,
    /// Whether it is a full one.
    pub full: bool,
    /// What is missing, if it is not.
    pub warning: Option<Shortfall>,
}

/// A submission that was judged, or could not be.
#[serde_as]
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SubmissionReport {
    /// The package it was judged with.
    pub package: Option<String>,
    /// Its name.
    pub name: String,
    /// Its file or directory, as the user or the package names it; empty if the judge failed.
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    /// What it earned; `None` if the judge failed.
    pub verdict: Option<Verdict>,
    /// Its score, in a scoring problem that it builds for.
    #[serde_as(as = "EveryKey<TotalScore>")]
    #[serde(flatten)]
    pub score: Option<TotalScore>,
    /// Why it could not be judged.
    pub error: Option<FaultReport>,
    /// Each case that was run, in order.
    pub test_cases: Arc<Vec<CaseJudgement>>,
    /// How many selected cases were not run.
    pub skipped: usize,
    /// How many of these could prove nothing more about expectations.
    pub spared: usize,
    /// The result of building it.
    pub compiler: Option<CompilerReport>,
    /// Expectations that do not hold.
    pub broken_expectations: Vec<BrokenExpectation>,
}

impl SubmissionReport {
    /// A submission with its verdict.
    pub fn new(package: Option<String>, judgement: Judgement) -> Self {
        Self {
            package,
            name: judgement.submission,
            path: judgement.path,
            verdict: Some(judgement.verdict),
            score: judgement.score,
            error: None,
            test_cases: judgement.cases,
            skipped: judgement.skipped,
            spared: judgement.spared,
            compiler: judgement.compiler,
            broken_expectations: judgement.broken,
        }
    }

    /// How many test cases it passes.
    pub fn passed(&self) -> usize {
        self.test_cases.iter().filter(|case| case.verdict == Verdict::Accepted).count()
    }

    /// The CPU time of its slowest run.
    pub fn slowest(&self) -> Option<Duration> {
        self.outcomes().map(|it| it.cpu_time).max()
    }

    /// The most memory that one of its runs used, if measured.
    pub fn memory(&self) -> Option<Bytes> {
        self.outcomes().filter_map(Outcome::memory).max()
    }

    /// The case that decides the verdict, if it is rejected for one.
    pub fn first_rejected(&self) -> Option<&CaseJudgement> {
        self.test_cases.iter().find(|case| case.verdict != Verdict::Accepted)
    }

    /// The first test case that it fails, or `build`, with the cause.
    pub fn failure(&self) -> (Option<&str>, Option<&str>) {
        let refusal = self.compiler.as_ref().and_then(|it| it.refusal.as_deref());
        match (self.first_rejected(), refusal) {
            (Some(case), _) => (Some(&case.test_case), Some(&case.cause)),
            (None, Some(refusal)) => (Some("build"), Some(refusal)),
            (None, None) => (None, self.error.as_ref().map(|it| it.error.reason.as_str())),
        }
    }

    /// Like [`failure`](Self::failure), with what the program or the compiler said about it, in one line.
    pub fn told_failure(&self) -> (Option<&str>, Option<String>) {
        let (place, cause) = self.failure();
        let told = match self.first_rejected() {
            Some(case) => Some(case.told_cause()),
            // A compiler may also warn about a program that it accepts.
            None => {
                let refused = self.compiler.as_ref().filter(|it| it.refusal.is_some());
                refused.and_then(|it| told_by_compiler(&it.messages))
            }
        };
        (place, told.or_else(|| cause.map(str::to_owned)))
    }

    fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.test_cases.iter().filter_map(|case| case.outcome.as_ref())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_is_quoted_only_if_it_refuses() {
        let check = |refusal: Option<&str>, expected: (Option<&str>, Option<&str>)| {
            let messages = b"a.cpp:1:1: error: x\n".to_vec();
            let refusal = refusal.map(str::to_owned);
            let compiler = Some(CompilerReport { messages, refusal, outcome: None });
            let report = SubmissionReport { compiler, ..SubmissionReport::default() };
            let (place, cause) = report.told_failure();
            assert_eq!((place, cause.as_deref()), expected);
        };
        check(None, (None, None));
        check(Some("exit code 1"), (Some("build"), Some("a.cpp:1:1: error: x")));
    }
}
