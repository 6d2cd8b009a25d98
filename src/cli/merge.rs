//! `juror merge`: combines what several machines judged.

use std::path::PathBuf;

use clap::Args;

use crate::cli::options::{OutputOptions, ReportOptions};
use crate::cli::output::Operation;
use crate::ops::context::Context;
use crate::ops::merge::merge;
use juror_core::event::CommandTask;
use juror_core::stop::Stop;

#[derive(Args, Debug)]
pub struct MergeArguments {
    /// Files that `judge`, `verify` or `generate` wrote with --events
    #[arg(required = true, value_name = "FILE")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub files: ReportOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Operation for MergeArguments {
    type Result = ();
    const NAME: &'static str = "merge";
    const TASK: CommandTask = CommandTask::Judge;

    fn output(&self) -> OutputOptions {
        self.output.clone()
    }

    fn reports(&self) -> ReportOptions {
        self.files.clone()
    }

    fn run(&self, context: &Context) -> Result<(), Stop> {
        merge(&self.paths, context)
    }
}
