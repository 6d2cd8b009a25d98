//! `juror verify`: checks packages, their data, and all their submissions against the expectations.

use std::path::PathBuf;

use clap::Args;

use crate::cli::given::GivenOptions;
use crate::cli::options::{ListingOptions, OutputOptions, RUNS, ReportOptions, RunArguments};
use crate::cli::output::Operation;
use crate::ops::context::Context;
use crate::ops::verify::{VerifyOptions, verify};
use juror_core::event::CommandTask;
use juror_core::stop::Stop;

#[derive(Debug, Args)]
pub struct VerifyArguments {
    #[command(flatten)]
    pub given: GivenOptions<Self>,
    /// Problem packages: directories or archives
    #[arg(required = true, value_name = "PACKAGE")]
    pub packages: Vec<PathBuf>,
    #[command(flatten)]
    pub runs: RunArguments,
    /// Run every submission on every test case, even if that can prove nothing more
    ///
    /// Otherwise, a submission runs until no further run could change whether it is as expected. --verbose runs all,
    /// too, to show which test cases no submission fails on.
    #[arg(long, help_heading = RUNS)]
    pub all: bool,
    #[command(flatten)]
    pub listing: ListingOptions,
    #[command(flatten)]
    pub reports: ReportOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for VerifyArguments {
    type Result = ();
    const NAME: &'static str = "verify";
    const TASK: CommandTask = CommandTask::Verify;

    fn output(&self) -> OutputOptions {
        OutputOptions { listing: self.listing.into(), ..self.output.clone() }
    }

    fn reports(&self) -> ReportOptions {
        self.reports.clone()
    }

    fn run(&self, context: &Context) -> Result<(), Stop> {
        let options = VerifyOptions {
            packages: self.packages.clone(),
            runs: self.runs.options(),
            // `verbose` lists test cases that no submission fails on, which needs all runs.
            all: self.all || self.output.verbose,
            verbose: self.output.verbose,
            html: self.reports.html.clone(),
            given: self.given.words.clone(),
        };
        verify(&options, context)
    }
}
