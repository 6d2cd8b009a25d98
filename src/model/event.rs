//! What happens, as it happens. Reporters show it; nothing flows back.

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
use crate::model::proposal::Proposal;
use crate::model::recalled::Recalled;
use crate::model::report::{
    ComparisonReport, InputReport, LimitsReport, PackageReport, ProgressStep,
};
use crate::model::strength::Strength;
use crate::model::stress::{Search, SearchPlan, SearchProgress};
use crate::model::verdict::Verdict;
use crate::model::worker::WorkerReport;

/// An event with what its one sink knows of it.
#[derive(Clone, Debug)]
pub struct Stamped {
    /// When it happened, since the command began, on a clock that never goes back.
    pub at: Duration,
    /// The short name of the package at work on.
    pub package: Option<Arc<str>>,
    /// What happened.
    pub event: Event,
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A command begins.
    Started {
        /// What it is called: `judge`, `verify`, `generate` or `compare`.
        command: &'static str,
        /// The command line that repeats it.
        command_line: String,
    },
    /// Only a part of the work is done.
    ShardChosen(Shard),
    /// The machine can run programs.
    HostReady {
        /// What keeps them apart.
        isolation: Isolation,
        /// What is missing, if that is not full isolation.
        shortfall: Option<Shortfall>,
        /// How many runs there can be at once, if that is bounded.
        most_at_once: Option<usize>,
    },
    /// The machine was looked at, for its own sake.
    HostExamined(Box<Diagnosis>),
    /// A server for workers was looked at.
    ClusterSurveyed(Box<ClusterSurvey>),
    /// A package was read and can be used; all that follows is about it, up to the next one.
    ///
    /// What reading it had to remark stands before this event, since a package that cannot be used
    /// has no such event.
    PackageRead(Box<PackageReport>),
    /// A package cannot be used; the diagnostics before say why.
    PackageRefused,
    /// Something is wrong with what the user wrote.
    Diagnosed(Diagnostic),
    /// Something is wrong with what the user asked for: the command line, as far as it is not about
    /// what is in a file.
    Complained {
        /// What, and the way out.
        message: String,
    },
    /// The limits are known.
    LimitsSet {
        /// What a run may use.
        limits: LimitsReport,
        /// What measures and enforces it.
        mechanism: String,
    },
    /// What programs leave in their boxes is kept here.
    BoxesKept {
        /// The directory.
        dir: PathBuf,
    },
    /// Some submissions are the same.
    DuplicatesFound(Vec<Duplicates>),
    /// A submission is being built.
    BuildStarted {
        /// The program's name.
        program: String,
    },
    /// A submission starts on its first case.
    SubmissionStarted {
        /// Its name.
        submission: String,
        /// How many cases it is to run on.
        test_cases: usize,
    },
    /// A case has its verdict.
    CaseJudged {
        /// The submission's name.
        submission: String,
        /// The test case's name.
        test_case: String,
        /// The verdict.
        verdict: Verdict,
        /// CPU time.
        cpu_time: Duration,
    },
    /// A submission has its judgement.
    SubmissionJudged(Box<Judgement>),
    /// A submission could not be judged.
    SubmissionFailed {
        /// Its name.
        submission: String,
        /// The fault.
        error: JudgeError,
    },
    /// It was asked why a submission fails.
    Explained(Box<Explained>),
    /// The judge failed at something that belongs to no single submission.
    Failed(JudgeError),
    /// A step of checking or making the data is under way or done.
    Progress(ProgressStep),
    /// A test case was made, is as it was, or differs.
    CaseGenerated {
        /// Its name.
        test_case: String,
        /// What came of it.
        state: GeneratedState,
    },
    /// Test cases were added by the grammar of the input, or all of them are there; their data is still to
    /// be made.
    Proposed(Box<Proposal>),
    /// A package was made from a template.
    Created(Box<Created>),
    /// A submission was run once, or a person played with an interactor.
    RanOnce(Box<RunOnce>),
    /// A package was looked at.
    Listed(Box<PackageListing>),
    /// What to do next, in order: a remark to who works on a package.
    Next(Vec<NextStep>),
    /// A package was written in another format.
    Converted(Box<Conversion>),
    /// An output was compared with a judge answer, outside of any problem.
    Compared(Box<ComparisonReport>),
    /// A search for a counterexample begins.
    SearchStarted(SearchPlan),
    /// A search is under way.
    Searching(SearchProgress),
    /// A search is at its end.
    Searched(Box<Search>),
    /// Lines of a stream are judged.
    Grading(GradingProgress),
    /// Mutants were looked at.
    MutantsListed(Box<MutantListing>),
    /// The strength of test data was measured.
    StrengthMeasured(Box<Strength>),
    /// An input was checked against a grammar. If it is not valid, an event before says why.
    InputChecked(InputReport),
    /// The bounds of all that a grammar reads.
    BoundsListed(Vec<ValueBounds>),
    /// The user pressed Ctrl-C.
    Interrupted,
    /// So many runs belong to submissions without a judgement in reports that are told again.
    RunsRetold(usize),
    /// So much was known from earlier commands.
    Recalled(Recalled),
    /// Workers on other machines did this.
    WorkersUsed(Vec<WorkerReport>),
    /// The command is at its end.
    Finished,
}

/// How far a stream is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradingProgress {
    /// Lines that are done.
    pub lines: u64,
    /// How many of them were done in a second, by this command.
    pub per_second: f64,
    /// The time that the others will probably take, if it is known how many there are.
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

/// What came of making a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GeneratedState {
    /// It was not there.
    Created,
    /// It was there with other bytes.
    Changed,
    /// It was there with the same bytes.
    Unchanged,
    /// It is there, but the recipe does not make it.
    Unknown,
    /// It was there, the recipe does not make it, and such was to be removed.
    Removed,
    /// It is not there, and nothing was to be written.
    Missing,
    /// It is there with other bytes, and nothing was to be written.
    Differs,
}
