//! `juror judge`: submissions on a problem's test cases.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::amounts::parse_span;
use crate::cli::given::GivenOptions;
use crate::cli::options::{
    BuildArguments, ListingOptions, OutputOptions, RUNS, ReportOptions, RunArguments, one_of,
};
use crate::cli::output::Operation;
use crate::door::comparison::ComparisonMode;
use crate::ops::context::Context;
use crate::ops::judge::{JudgeOptions, judge};
use crate::ops::options::RunOptions;
use juror_core::event::CommandTask;
use juror_core::stop::Stop;
use juror_judging::judge::score::points::Points;

#[derive(Debug, Args)]
pub struct JudgeArguments {
    #[command(flatten)]
    pub given: GivenOptions<Self>,
    /// The problem package: a directory, an archive such as .zip or .tar.gz, or tests in a .prob or .json file
    ///
    /// A submission that is named alone is judged on the tests beside it: those in its directory, in a directory such as
    /// tests/ below it, or in the .prob file of CPH.
    pub package: PathBuf,
    /// Source files, directories or archives of sources, executables, or the folder of a class
    ///
    /// The folder of a class has an entry for each student, and no sources of its own. docs/judge.md has more.
    #[arg(value_name = "SUBMISSION")]
    pub submissions: Vec<PathBuf>,
    /// After `--`: a program that is ready to run, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Read each SUBMISSION as the folder of a class, even if it has sources
    #[arg(long, help_heading = RUNS)]
    pub class: bool,
    /// Start this file of each student's directory, such as sum.py
    #[arg(long, value_name = "NAME", help_heading = RUNS)]
    pub start: Option<String>,
    /// Run on all cases instead of stopping at the first rejection
    ///
    /// On bare tests, juror runs all cases if there are at most 50, but stops at the third that is too slow.
    #[arg(long, help_heading = RUNS)]
    pub all: bool,
    /// Explain why submissions fail: what the failing inputs have in common
    ///
    /// Needs a grammar of the input and an accepted submission. TIME is for each rejected submission.
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "20s", value_parser = parse_span, help_heading = RUNS)]
    pub explain: Option<Duration>,
    /// How to compare outputs: words, lines, tokens, exact, float=E, none, another name or CHECKER [default: as the
    /// package says, else words]
    ///
    /// `juror help comparisons` lists the names, with those of testlib and DMOJ. `none` shows outputs and compares
    /// nothing. CHECKER is an output validator: a source file, a directory or an executable, called as `CHECKER INPUT
    /// ANSWER FEEDBACK_DIR/ < OUTPUT`; it exits with 42 or 43. If it includes testlib.h, it is called as testlib demands.
    #[arg(long, value_name = "HOW", value_parser = ComparisonMode::parse, help_heading = RUNS)]
    pub compare: Option<ComparisonMode>,
    /// Give points for cases or groups [default: as the package says]
    ///
    /// `cases` gives one point for each accepted test case, and runs all of them. `groups` gives one for each directory
    /// of test cases that are all accepted, if the package itself gives no points.
    #[arg(long, value_name = "WHAT", value_parser = one_of(Points::ALL, Points::name), hide_possible_values = true, help_heading = RUNS)]
    pub points: Option<Points>,
    /// Repeat runs near the time limit, even without a package
    ///
    /// With a package, juror always does that. On bare tests, such verdicts are marked `sensitive`; `juror help time`
    /// explains how.
    #[arg(long, help_heading = RUNS)]
    pub repeat: bool,
    #[command(flatten)]
    pub build: BuildArguments,
    #[command(flatten)]
    pub runs: RunArguments,
    #[command(flatten)]
    pub listing: ListingOptions,
    #[command(flatten)]
    pub reports: ReportOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for JudgeArguments {
    type Result = ();
    const NAME: &'static str = "judge";
    const TASK: CommandTask = CommandTask::Judge;

    fn output(&self) -> OutputOptions {
        OutputOptions { listing: self.listing.into(), ..self.output.clone() }
    }

    fn reports(&self) -> ReportOptions {
        self.reports.clone()
    }

    fn run(&self, context: &Context) -> Result<(), Stop> {
        judge(&self.options(), &mut Vec::new(), context)
    }
}

impl JudgeArguments {
    pub(super) fn options(&self) -> JudgeOptions {
        JudgeOptions {
            package: self.package.clone(),
            tests_beside: None,
            submissions: self.submissions.clone(),
            class: self.class,
            start: self.start.clone(),
            program: self.program.clone(),
            all: self.all,
            explain: self.explain,
            compare: self.compare.clone(),
            points: self.points,
            repeat: self.repeat,
            runs: RunOptions { variant: self.build.variant(), ..self.runs.options() },
            html: self.reports.html.clone(),
            given: self.given.words.clone(),
        }
    }
}
