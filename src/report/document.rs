//! The results of a command, gathered from its events.
//!
//! Every summary, exit code and reporter uses it. `docs/json.md` describes the keys. Keys may be added; any other
//! change also changes [`VERSION`]. Values are data, not sentences.

mod gather;

use std::collections::HashSet;
use std::hash::Hash;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use juror_core::cache_use::CacheUse;
use juror_core::class::{Class, Student};
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::duplicates::Duplicates;
use juror_core::event::{
    CommandTask, Event, GeneratedState, Note, Shortfall, StampedEvent, WorkProgress,
};
use juror_core::exit_code::ExitCode;
use juror_core::explanation::ExplanationResult;
use juror_core::isolation::Isolation;
use juror_core::judgement::{BrokenExpectation, CaseJudgement, JudgeError, Judgement};
use juror_core::moment::Moment;
use juror_core::progress::{NextStep, PackageReport, ProgressStep};
use juror_core::proposal::Proposal;
use juror_core::score::{Score, TotalScore};
use juror_core::serial::{Location, Seconds};
use juror_core::shard::Shard;
use juror_core::text::composed;
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;
use juror_core::worker::WorkerReport;

pub const FORMAT: &str = "juror-report";

/// Changes when a key is removed or gets another meaning.
pub const VERSION: u32 = 2;

/// What the document of every command has.
#[serde_as]
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct CommandReport {
    #[serde(flatten)]
    header: ReportHeader,
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
    /// What is wrong with files.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong with the command line.
    pub complaints: Vec<String>,
    /// Each fault of the judge, also those of submissions.
    pub judge_errors: Vec<FaultReport>,
    /// How many results came from the cache, if there is one.
    pub cache: Option<CacheUse>,
    /// The workers on which programs ran, if they did not run on this machine.
    pub workers: Vec<WorkerReport>,
    /// The exit code of a command that refused the work or ended early.
    pub ended_with: Option<u8>,
    /// Whether Ctrl-C ended it early.
    pub interrupted: bool,
}

/// The result of judging or generating.
#[serde_as]
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(title = "juror-report")]
pub struct Report {
    #[serde(flatten)]
    pub session: CommandReport,
    /// Which part of the work was done, if not all of it.
    pub shard: Option<Shard>,
    /// The directory with the kept boxes.
    #[serde_as(as = "Option<Location>")]
    #[serde(rename = "boxes")]
    pub kept: Option<PathBuf>,
    /// Each submission that was judged, or could not be.
    #[schemars(with = "Vec<SubmissionKeys>")]
    pub submissions: Vec<SubmissionReport>,
    /// The folders of classes from which submissions came.
    pub classes: Vec<Class>,
    pub duplicates: Vec<Duplicates>,
    pub explanations: Vec<ExplanationResult>,
    pub next: Vec<NextStepReport>,
    /// The result of making each test case.
    pub generated: Vec<GeneratedReport>,
    pub proposals: Vec<ProposalReport>,
    /// The summary in numbers.
    pub summary: Summary,
    /// How many packages cannot be used.
    #[serde(skip)]
    pub refused: usize,
    #[serde(skip)]
    pub work: WorkInProgress,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct IsolationReport {
    pub by: Isolation,
    /// Whether programs see and reach nothing of the machine.
    pub full: bool,
    /// What is missing for that.
    pub warning: Option<Shortfall>,
}

/// A submission that was judged, or could not be.
#[derive(Clone, Debug, Serialize)]
#[serde(into = "SubmissionKeys")]
pub struct SubmissionReport {
    pub package: Option<String>,
    pub name: String,
    pub result: Result<Box<Judgement>, FaultReport>,
}

/// A submission, and what it earned or why it could not be judged.
#[derive(Serialize, JsonSchema)]
pub struct SubmissionKeys {
    /// The package it was judged with.
    package: Option<String>,
    name: String,
    /// What it earned, if it was judged.
    judgement: Option<Box<Judgement>>,
    /// Why it could not be judged.
    error: Option<FaultReport>,
}

impl From<SubmissionReport> for SubmissionKeys {
    fn from(SubmissionReport { package, name, result }: SubmissionReport) -> Self {
        let (judgement, error) = match result {
            Ok(judgement) => (Some(judgement), None),
            Err(error) => (None, Some(error)),
        };
        Self { package, name, judgement, error }
    }
}

impl SubmissionReport {
    pub fn judgement(&self) -> Option<&Judgement> {
        self.result.as_deref().ok()
    }

    /// Why it could not be judged.
    pub fn error(&self) -> Option<&FaultReport> {
        self.result.as_ref().err()
    }

    /// Its verdict, if it was judged.
    pub fn verdict(&self) -> Option<Verdict> {
        self.judgement().map(|judgement| judgement.verdict)
    }

    /// Whether its outputs were compared: not with the comparison `none`, and not without answers.
    pub fn is_compared(&self) -> bool {
        self.judgement().is_none_or(Judgement::is_compared)
    }

    /// Its score, in a scoring problem that it builds for.
    pub fn score(&self) -> Option<&TotalScore> {
        self.judgement()?.score.as_ref()
    }

    /// Its points, in a scoring problem: 0 if a student submitted no program; `None` if they are not known.
    pub fn points(&self) -> Option<Score> {
        match self.error() {
            Some(fault) => fault.error.is_no_program().then_some(Score::ZERO),
            None => self.score()?.score,
        }
    }

    /// Each case that was run, in order.
    pub fn cases(&self) -> &[CaseJudgement] {
        self.judgement().map_or(&[], |judgement| &judgement.cases)
    }

    /// The number of cases that were run or skipped, without those that nothing judges beside others.
    pub fn selected_cases(&self) -> usize {
        self.judgement().map_or(0, |judgement| {
            judgement.cases.len() + judgement.skipped - judgement.unjudged_cases()
        })
    }

    /// Expectations that do not hold.
    pub fn broken_expectations(&self) -> &[BrokenExpectation] {
        self.judgement().map_or(&[], |judgement| &judgement.broken)
    }

    /// How many test cases it passes.
    pub fn passed_cases(&self) -> usize {
        self.judgement().map_or(0, Judgement::passed_cases)
    }

    /// The CPU time of its slowest run.
    pub fn slowest_cpu_time(&self) -> Option<Duration> {
        self.judgement()?.slowest_cpu_time()
    }

    /// The most memory that one of its runs used, if measured.
    pub fn peak_memory(&self) -> Option<Bytes> {
        self.judgement()?.peak_memory()
    }

    /// The first test case that it fails, or `build`, and the cause, with the program's or the compiler's own words in
    /// one line. If it was not judged, only the cause.
    pub fn explained_failure(&self) -> (Option<&str>, Option<String>) {
        let judgement = match &self.result {
            Ok(judgement) => judgement,
            Err(fault) => return (None, Some(fault.error.reason.clone())),
        };
        let (path, cause) = judgement.failure();
        (path, judgement.explained_cause().or_else(|| cause.map(str::to_owned)))
    }
}

impl Report {
    /// The most points; `None` without scores.
    pub fn max_points(&self) -> Option<Score> {
        self.submissions.iter().find_map(|row| row.score()?.max_score)
    }

    /// Each case that was run, of all submissions.
    pub fn cases(&self) -> impl Iterator<Item = &CaseJudgement> {
        self.submissions.iter().flat_map(SubmissionReport::cases)
    }

    /// The students of all classes.
    pub fn students(&self) -> impl Iterator<Item = &Student> {
        self.classes.iter().flat_map(|class| &class.students)
    }

    /// The student who handed in this submission, if it is from a class.
    pub fn student(&self, submission: &str) -> Option<&Student> {
        let is_own = |student: &&Student| student.submissions.iter().any(|name| name == submission);
        self.students().find(is_own)
    }

    /// The name of the student whose only submission this is, unless another has it; otherwise the submission's,
    /// without this directory.
    pub fn shown_name(&self, submission: &str, directory: &str) -> String {
        let own = self.student(submission).filter(|own| own.submissions.len() == 1);
        match own {
            Some(own) if self.students().filter(|other| other.name == own.name).count() == 1 => {
                composed(&own.name)
            }
            _ => submission.strip_prefix(directory).unwrap_or(submission).to_owned(),
        }
    }
}

/// The directory, with its slash, that all names begin with; empty if there is none, or for a single name.
pub fn shared_directory<'a>(rows: &[&'a SubmissionReport]) -> &'a str {
    let [first, others @ ..] = rows else { return "" };
    let ends = first.name.rmatch_indices('/').map(|(index, _)| &first.name[..=index]);
    let mut shared = ends.filter(|start| others.iter().all(|row| row.name.starts_with(start)));
    shared.next().filter(|_| !others.is_empty()).unwrap_or_default()
}

/// In the order of their first occurrences.
pub fn each_once<T: Copy + Eq + Hash>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = HashSet::new();
    all.filter(|item| known.insert(*item)).collect()
}

/// A fault of the judge.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FaultReport {
    /// The package that was being judged.
    pub package: Option<String>,
    /// The submission that has no verdict because of it.
    pub submission: Option<String>,
    #[serde(flatten)]
    pub error: JudgeError,
}

impl FaultReport {
    /// Whether a submission is skipped because this machine cannot build it.
    pub fn is_skipped_submission(&self) -> bool {
        self.submission.is_some() && self.error.lacks.is_some()
    }
}

/// What a grammar added to a package.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProposalReport {
    pub package: Option<String>,
    #[serde(flatten)]
    pub proposal: Proposal,
}

/// What to do next with a package.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NextStepReport {
    pub package: Option<String>,
    #[serde(flatten)]
    pub step: NextStep,
}

/// The result of making a test case.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GeneratedReport {
    pub package: Option<String>,
    pub test_case: String,
    pub state: GeneratedState,
}

#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Runs of submissions on test cases.
    pub runs: usize,
    /// Runs left out because they could prove nothing more about the expectations.
    pub spared_runs: usize,
    pub accepted: usize,
    pub rejected: usize,
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

/// What is in progress for the last package.
#[derive(Clone, Debug, Default)]
pub struct WorkInProgress {
    /// Submissions that were done for earlier packages.
    pub submissions_before: usize,
    /// Runs that were made for earlier packages.
    pub runs_before: usize,
    /// Submissions that began and are not done.
    pub submissions: Vec<RunningSubmission>,
    /// The current step of checking or making data.
    pub step: Option<ProgressStep>,
}

/// A submission that began and is not done.
#[derive(Clone, Debug)]
pub struct RunningSubmission {
    pub submission: String,
    /// The number of test cases that it runs on.
    pub test_cases: usize,
    pub judged: usize,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ReportHeader {
    /// Always `juror-report`.
    #[schemars(extend("const" = FORMAT))]
    format: &'static str,
    #[schemars(extend("const" = VERSION))]
    version: u32,
    juror: &'static str,
}

impl Default for ReportHeader {
    fn default() -> Self {
        Self { format: FORMAT, version: VERSION, juror: env!("CARGO_PKG_VERSION") }
    }
}
