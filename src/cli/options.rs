//! Options that several commands have.

use std::path::PathBuf;

use clap::{Args, ColorChoice};

use crate::ops::options::{one_of, parse_pattern};
use crate::report::feedback::Hidden;
use crate::report::style::{Order, SubmissionFilter, TableListing};
use juror_core::pattern::Pattern;

const REPORTS: &str = "Reports";
const OUTPUT: &str = "Output";

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = OUTPUT)]
pub struct OutputOptions {
    /// Write one JSON document to standard output instead of text
    ///
    /// docs/json.md describes it. It is complete however the command ends, unless its arguments
    /// are wrong.
    #[arg(long)]
    pub json: bool,
    /// Print less: a word for each submission, errors only
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more: each failure in full, a line for each test case
    #[arg(short, long)]
    pub verbose: bool,
    /// When to use colour: auto, always or never
    ///
    /// `auto` means on a terminal, unless NO_COLOR is set or TERM is `dumb`.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, hide_possible_values = true)]
    pub color: ColorChoice,
    /// Whether text goes to standard error, because standard output has other content.
    #[arg(skip)]
    pub uses_stderr: bool,
}

#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = OUTPUT)]
pub struct ListingOptions {
    /// Sort the table by surprise, given, name, verdict, passed, score, time or memory [default: surprise]
    ///
    /// `surprise` puts unexpected results first, `given` keeps the order of the command line or of the package.
    #[arg(long, value_name = "KEY", value_parser = one_of(Order::ALL, Order::name), hide_possible_values = true)]
    pub sort: Option<Order>,
    /// Show only some submissions: failed or unexpected
    ///
    /// `failed` means not accepted; `unexpected`, not as the author expects. Reports in files list all submissions.
    #[arg(long, value_name = "WHICH", value_parser = one_of(SubmissionFilter::ALL, SubmissionFilter::name), hide_possible_values = true)]
    pub only: Option<SubmissionFilter>,
}

/// The output options of a command whose results are lines.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = OUTPUT)]
pub struct LogOptions {
    /// Print only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
    /// When to use colour: auto, always or never
    ///
    /// `auto` means on a terminal, unless NO_COLOR is set or TERM is `dumb`.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, hide_possible_values = true)]
    pub color: ColorChoice,
}

impl From<LogOptions> for OutputOptions {
    fn from(LogOptions { quiet, color }: LogOptions) -> Self {
        Self { quiet, color, uses_stderr: true, ..Self::default() }
    }
}

impl From<ListingOptions> for TableListing {
    fn from(options: ListingOptions) -> Self {
        Self { order: options.sort.unwrap_or_default(), only: options.only }
    }
}

#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = REPORTS)]
pub struct ReportOptions {
    /// Write an HTML page: why each submission failed, times, memory
    ///
    /// With --keep, it also shows the images of visualizers.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write a table with a row for each submission
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Separate columns of --csv by a semicolon or `tab`, and mark the file as UTF-8, as some spreadsheets need
    #[arg(long, value_name = "SIGN", requires = "csv", value_parser = [",", ";", "tab"], hide_possible_values = true)]
    pub csv_separator: Option<String>,
    /// Fill in the grades of a class in a copy of FILE, which Moodle or Canvas exported: FILE-graded.csv
    #[arg(long, value_name = "FILE")]
    pub gradebook: Option<PathBuf>,
    /// The column of grades, if FILE has several that fit
    #[arg(long, value_name = "NAME", requires = "gradebook")]
    pub gradebook_column: Option<String>,
    /// Write test suites as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write what happens as JSON lines, for `juror merge`
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Write a page for each student of a class, without what is hidden: into a directory, or a .zip for Moodle
    ///
    /// A page names no other student. Of hidden test cases it has only name, verdict and points, and the type and line
    /// of an exception. docs/judge.md has more.
    #[arg(long, value_name = "DIR")]
    pub feedback: Option<PathBuf>,
    /// Hide these test cases in feedback, such as 'secret' [default: all outside `sample`]
    #[arg(long, value_name = "GLOB", requires = "feedback", value_parser = parse_pattern)]
    pub hidden: Vec<Pattern>,
    /// Hide no test case in feedback
    #[arg(long, requires = "feedback", conflicts_with = "hidden")]
    pub show_hidden: bool,
    /// Annotate files and lines, and add a summary to the job, in GitHub Actions
    #[arg(long)]
    pub github: bool,
}

impl ReportOptions {
    pub fn hidden(&self) -> Hidden {
        match &self.hidden[..] {
            _ if self.show_hidden => Hidden::Nothing,
            [] => Hidden::OutsideSamples,
            patterns => Hidden::Matching(patterns.to_vec()),
        }
    }
}

/// The reports of a command that judges submissions.
#[derive(Args, Clone, Debug, Default)]
pub struct TableReports {
    #[command(flatten)]
    pub listing: ListingOptions,
    #[command(flatten)]
    pub files: ReportOptions,
}

impl From<ReportOptions> for TableReports {
    fn from(files: ReportOptions) -> Self {
        Self { files, ..Self::default() }
    }
}

impl From<()> for TableReports {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<()> for OutputOptions {
    fn from((): ()) -> Self {
        Self::default()
    }
}
