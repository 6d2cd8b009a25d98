//! `juror compare`: compares an output with a judge answer, as the default output validator does.

use std::path::PathBuf;

use clap::Args;

use crate::cli::options::{OutputOptions, given_file};
use crate::cli::output::Operation;
use crate::ops::compare::{ComparisonReport, compare_files};
use crate::ops::context::Context;
use juror_core::stop::Stop;

#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The judge answer; `-` for standard input
    pub answer: PathBuf,
    /// The output; `-` for standard input
    pub output: PathBuf,
    /// Arguments of the default output validator
    ///
    /// Known arguments: case_sensitive, space_change_sensitive, float_tolerance E,
    /// float_absolute_tolerance E, float_relative_tolerance E.
    #[arg(value_name = "VALIDATOR_ARGUMENT")]
    pub validator_args: Vec<String>,
    #[command(flatten)]
    pub show: OutputOptions,
}

impl Operation for CompareArguments {
    type Result = ComparisonReport;
    const NAME: &'static str = "compare";

    fn output(&self) -> OutputOptions {
        self.show.clone()
    }

    fn run(&self, _: &Context) -> Result<ComparisonReport, Stop> {
        compare_files(given_file(&self.answer), given_file(&self.output), &self.validator_args)
    }
}
