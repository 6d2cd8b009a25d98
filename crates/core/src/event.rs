//! Events, sent as they happen. Reporters show them; nothing flows back.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::cache_use::CacheUse;
use crate::class::Class;
use crate::diagnostic::Diagnostic;
use crate::duplicates::Duplicates;
use crate::exit_code::ExitCode;
use crate::explanation::ExplanationResult;
use crate::isolation::Isolation;
use crate::judgement::{JudgeError, Judgement};
use crate::problem::Problem;
use crate::progress::{
    LimitsReport, NextStep, PackageReport, ProgressStep, SearchPlan, SearchProgress,
};
use crate::proposal::Proposal;
use crate::serial::{Location, Seconds};
use crate::shard::Shard;
use crate::verdict::Verdict;
use crate::words::words;
use crate::worker::WorkerReport;

/// Changes when what was written before cannot be read any more.
pub const EVENTS_VERSION: u32 = 2;

/// An event with what the event sink adds.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StampedEvent {
    /// When it happened, since the command began, by a monotonic clock.
    #[serde_as(as = "Seconds")]
    #[serde(rename = "at_seconds")]
    pub at: Duration,
    /// The short name of the current package.
    pub package: Option<Arc<str>>,
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happens while a command works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", content = "about", rename_all = "snake_case")]
pub enum Event {
    /// A command began.
    Started {
        /// The version of the events: [`EVENTS_VERSION`].
        version: u32,
        /// The version of the program.
        juror: String,
        command: String,
        /// The command line that repeats it.
        command_line: String,
        task: CommandTask,
    },
    /// Only a part of the work is done.
    ShardChosen(Shard),
    /// The machine can run programs.
    HostReady {
        isolation: Isolation,
        /// What is missing for full isolation.
        shortfall: Option<Shortfall>,
        /// How many runs are possible at once, if that is limited.
        most_at_once: Option<usize>,
    },
    /// A package was read and can be used.
    ///
    /// All later events are about it, until the next such event. Diagnostics from reading come before, because a
    /// package that cannot be used has no such event.
    PackageRead(Box<PackageReport>),
    /// A package cannot be used; earlier diagnostics say why.
    PackageRefused,
    /// Something is wrong with a user's file.
    Diagnosed(Diagnostic),
    /// Something is wrong with the user's request: with the command line, but not with the content of a file.
    Complained {
        /// The problem, and if there is no help, also its solution.
        message: String,
        help: Option<String>,
    },
    /// The limits are known.
    LimitsSet {
        limits: LimitsReport,
        /// What measures and enforces them.
        mechanism: String,
    },
    /// Progress of work that has no event of its own.
    Progress(WorkProgress),
    /// A submission starts to run on this many test cases.
    SubmissionStarted { submission: String, test_cases: usize },
    /// A test case was judged.
    CaseJudged { submission: String, test_case: String, verdict: Verdict },
    /// A submission was judged.
    SubmissionJudged(Box<Judgement>),
    /// The judge failed: with a submission, or independently of any.
    Failed { submission: Option<String>, error: JudgeError },
    /// A test case was generated, was up to date, or differs.
    CaseGenerated { test_case: String, state: GeneratedState },
    /// Something else that a report tells.
    Noted(Note),
    /// A search for a counterexample began.
    SearchStarted(SearchPlan),
    /// The command ended.
    Finished {
        /// Why it ended early, unless that is success.
        ended: ExitCode,
        /// How much was recalled from earlier commands, if something could be.
        recalled: Option<CacheUse>,
        /// The work of workers on other machines.
        workers: Vec<WorkerReport>,
    },
}

/// The kind of command, as far as its report depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandTask {
    /// Verdicts for submissions.
    Judge,
    /// Whether a package is as its author expects.
    Verify,
    /// Test data.
    Generate,
    /// Something else, which is in the command's own result.
    #[default]
    Other,
}

/// What a report shows besides verdicts.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// The directory of the working directories that are kept.
    Kept(#[serde_as(as = "Location")] PathBuf),
    /// The folder of a class was read.
    Class(Class),
    /// Submissions that are the same program.
    Duplicates(Vec<Duplicates>),
    /// Why a submission fails.
    Explanation(Box<ExplanationResult>),
    /// Test cases were added from the grammar of the input, or all are there already. Their data is not made yet.
    Proposal(Box<Proposal>),
    /// How a checker or an interactor of the command line is called.
    Call { kind: String, call: String },
    /// What the command makes of its arguments.
    Remark(String),
    /// The next steps for the author of a package, in order.
    NextSteps(Vec<NextStep>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkProgress {
    /// A step of checking or making data.
    Step(ProgressStep),
    /// This program is being built.
    Build(String),
    /// A run of a submission is repeated alone.
    Repetition {
        submission: String,
        test_case: String,
        /// Why, such as `near the limit`.
        reason: String,
    },
    Search(SearchProgress),
    /// Lines of a stream are judged.
    Lines(StreamProgress),
    /// The work goes on. Only the library sends it, so that its user can end the work at any time.
    Waiting,
}

impl Event {
    /// The event that names the current package.
    pub fn package_read(problem: &Problem, submissions: usize, test_cases: usize) -> Self {
        Self::PackageRead(Box::new(PackageReport {
            name: problem.short_name.clone(),
            path: (&problem.dir).into(),
            title: problem.name("en").unwrap_or_default().to_owned(),
            format: problem.layout.format.to_owned(),
            format_reason: problem.format_reason.clone(),
            format_is_guessed: problem.layout.is_guessed,
            submissions,
            test_cases,
            all_test_cases: problem.test_data.judged_cases().len(),
            limits: None,
            digests: BTreeMap::new(),
        }))
    }
}

/// The progress of `juror grade`.
#[serde_as]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamProgress {
    /// Lines that are done.
    pub lines: u64,
    /// Those with the verdict AC.
    pub accepted: u64,
    /// Those with an error in place of a verdict.
    pub errors: u64,
    /// How many lines this command did per second.
    pub per_second: f64,
    /// The estimated time for the other lines, if their number is known.
    #[serde_as(as = "Option<Seconds>")]
    #[serde(rename = "left_seconds")]
    pub left: Option<Duration>,
}

/// How the machine falls short of full isolation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shortfall {
    /// What is missing, in one line.
    pub message: String,
    /// Why stronger methods failed. If nothing isolates programs: what is not enforced.
    pub reasons: Vec<String>,
    /// What to do about it.
    pub help: String,
}

words! {
    /// What happened to a test case, as a word before its name.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum GeneratedState {
        /// It did not exist.
        Created = "created",
        /// It existed with other bytes.
        Changed = "changed",
        /// It existed with the same bytes.
        Unchanged = "unchanged",
        /// It does not exist, and nothing was to be written.
        Missing = "missing",
        /// It exists with other bytes, and nothing was to be written.
        Differs = "differs",
        /// It exists, but the recipe does not make it.
        Unknown = "unknown",
        /// It existed, the recipe does not make it, and it was removed as asked for.
        Removed = "removed",
    }
}
