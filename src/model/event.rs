//! Events, sent as they happen. Reporters show them; nothing flows back.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::cluster::ClusterSurvey;
use crate::model::conversion::Conversion;
use crate::model::created::{Created, NextStep};
use crate::model::diagnostic::Diagnostic;
use crate::model::duplicates::Duplicates;
use crate::model::explanation::Explained;
use crate::model::grammar::ValueBounds;
use crate::model::host::Diagnosis;
use crate::model::isolation::Isolation;
use crate::model::judgement::{JudgeError, Judgement};
use crate::model::listing::PackageListing;
use crate::model::merge::Shard;
use crate::model::mutants::MutantListing;
use crate::model::once::RunOnce;
use crate::model::problem::Problem;
use crate::model::proposal::Proposal;
use crate::model::recalled::Recalled;
use crate::model::report::{
    ComparisonReport, InputReport, LimitsReport, PackageReport, ProgressStep,
};
use crate::model::strength::Strength;
use crate::model::stress::{Search, SearchPlan, SearchProgress};
use crate::model::verdict::Verdict;
use crate::model::words::words;
use crate::model::worker::WorkerReport;

/// An event with the additions of the event sink.
#[derive(Clone, Debug)]
pub struct Stamped {
    /// When it happened, since the command began, by a monotonic clock.
    pub at: Duration,
    /// The short name of the current package.
    pub package: Option<Arc<str>>,
    /// The event.
    pub event: Event,
}

/// An event.
#[derive(Clone, Debug)]
pub enum Event {
    /// A command began.
    Started {
        /// The command: `judge`, `verify`, `generate` or `compare`.
        command: &'static str,
        /// The command line that repeats it.
        command_line: String,
    },
    /// Only one part of the work will be done.
    ShardChosen(Shard),
    /// The machine can run programs.
    HostReady {
        /// The isolation of programs.
        isolation: Isolation,
        /// What is missing for full isolation.
        shortfall: Option<Shortfall>,
        /// How many runs are possible at once, if that is limited.
        most_at_once: Option<usize>,
    },
    /// The machine was examined because the user asked for it.
    HostExamined(Box<Diagnosis>),
    /// A server for workers was surveyed.
    ClusterSurveyed(Box<ClusterSurvey>),
    /// A package was read and can be used. All following events are about it, up to the next such event.
    ///
    /// Diagnostics from reading come before this event, since a package that cannot be used has no such event.
    PackageRead(Box<PackageReport>),
    /// A package cannot be used; earlier diagnostics say why.
    PackageRefused,
    /// Something is wrong with a user's file.
    Diagnosed(Diagnostic),
    /// Work was refused, or ended early.
    EndedEarly {
        /// The exit code for that.
        exit_code: u32,
    },
    /// Something is wrong with the user's request: with the command line, but not with the content of a file.
    Complained {
        /// The problem, and if there is no help, also its solution.
        message: String,
        /// What to do.
        help: Option<String>,
    },
    /// The limits are known.
    LimitsSet {
        /// The limits of a run.
        limits: LimitsReport,
        /// What measures and enforces them.
        mechanism: String,
    },
    /// The boxes of programs are kept.
    BoxesKept {
        /// The directory of the boxes.
        dir: PathBuf,
    },
    /// Some submissions are the same.
    DuplicatesFound(Vec<Duplicates>),
    /// A submission is being built.
    BuildStarted {
        /// The program's name.
        program: String,
    },
    /// A submission starts to run.
    SubmissionStarted {
        /// Its name.
        submission: String,
        /// On how many test cases it will run.
        test_cases: usize,
    },
    /// A run of a submission is repeated alone.
    RunRepeated {
        /// The submission's name.
        submission: String,
        /// The test case's name.
        test_case: String,
        /// Why, such as `near the limit`.
        reason: &'static str,
    },
    /// A test case was judged.
    CaseJudged {
        /// The submission's name.
        submission: String,
        /// The test case's name.
        test_case: String,
        /// The verdict.
        verdict: Verdict,
    },
    /// A submission was judged.
    SubmissionJudged(Box<Judgement>),
    /// A submission could not be judged.
    SubmissionFailed {
        /// Its name.
        submission: String,
        /// The fault.
        error: JudgeError,
    },
    /// The explanation why a submission fails.
    Explained(Box<Explained>),
    /// The judge failed, independently of any submission.
    Failed(JudgeError),
    /// A step of checking or making data is under way or done.
    Progress(ProgressStep),
    /// A test case was generated, was up to date, or differs.
    CaseGenerated {
        /// Its name.
        test_case: String,
        /// The result.
        state: GeneratedState,
    },
    /// Test cases were added from the grammar of the input, or all are there already. Their data is not made yet.
    Proposed(Box<Proposal>),
    /// A package was made from a template.
    Created(Box<Created>),
    /// A submission was run once, or a person used an interactor.
    RanOnce(Box<RunOnce>),
    /// A package was listed.
    Listed(Box<PackageListing>),
    /// The next steps for the author of a package, in order.
    Next(Vec<NextStep>),
    /// A package was converted to another format.
    Converted(Box<Conversion>),
    /// An output was compared with a judge answer, outside of any problem.
    Compared(Box<ComparisonReport>),
    /// A search for a counterexample began.
    SearchStarted(SearchPlan),
    /// A search is under way.
    Searching(SearchProgress),
    /// A search ended.
    Searched(Box<Search>),
    /// Lines of a stream are judged.
    Grading(GradingProgress),
    /// Mutants were listed.
    MutantsListed(Box<MutantListing>),
    /// The strength of test data was measured.
    StrengthMeasured(Box<Strength>),
    /// An input was checked against a grammar. If it is not valid, an event before says why.
    InputChecked(InputReport),
    /// The bounds of everything that a grammar reads.
    BoundsListed(Vec<ValueBounds>),
    /// The user pressed Ctrl-C.
    Interrupted,
    /// How many runs in merged reports belong to submissions without a judgement.
    RunsRetold(usize),
    /// How much was recalled from earlier commands.
    Recalled(Recalled),
    /// The work of workers on other machines.
    WorkersUsed(Vec<WorkerReport>),
    /// The command ended.
    Finished,
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
            all_test_cases: problem.test_data.judged().len(),
            limits: None,
        }))
    }
}

/// The progress of a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradingProgress {
    /// Lines that are done.
    pub lines: u64,
    /// How many lines this command did per second.
    pub per_second: f64,
    /// The estimated time for the other lines, if their number is known.
    pub left: Option<Duration>,
}

/// How the machine falls short of full isolation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shortfall {
    /// What is so, in one line.
    pub message: String,
    /// Why each stronger way cannot be had; if programs run plainly, what nothing holds.
    pub reasons: Vec<String>,
    /// What to do.
    pub help: String,
}

words! {
    /// The result of making a test case, as a word before its name.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum GeneratedState {
        /// It did not exist.
        Created = "created",
        /// It existed with other bytes.
        Changed = "changed",
        /// It existed with the same bytes.
        Unchanged = "unchanged",
        /// It exists, but the recipe does not make it.
        Unknown = "unknown",
        /// It existed, the recipe does not make it, and it was removed as asked for.
        Removed = "removed",
        /// It does not exist, and nothing was to be written.
        Missing = "missing",
        /// It exists with other bytes, and nothing was to be written.
        Differs = "differs",
    }
}
