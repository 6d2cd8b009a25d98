//! `juror compare`: compares an output with a judge answer, as the default output validator does.

use std::fs::File;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::check::compare::compare;
use crate::check::diff::diff;
use crate::check::options::Options;
use crate::cli::exit_code::ExitCode;
use crate::cli::options::OutputOptions;
use crate::cli::output::{Output, command};
use crate::model::event::Event;
use crate::model::judgement::{Evidence, JudgeError};
use crate::model::report::ComparisonReport;
use crate::model::stop::Stop;

/// Arguments of `juror compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The judge answer
    pub answer: PathBuf,
    /// The output
    pub output: PathBuf,
    /// Arguments of the default output validator
    ///
    /// Known arguments: case_sensitive, space_change_sensitive, float_tolerance E,
    /// float_absolute_tolerance E, float_relative_tolerance E.
    #[arg(value_name = "VALIDATOR_ARGUMENT")]
    pub validator_args: Vec<String>,
    /// Options about output.
    #[command(flatten)]
    pub show: OutputOptions,
}

/// Compares.
pub fn run(arguments: &CompareArguments) -> ExitCode {
    command(&arguments.show, "compare", |output| run_on(arguments, output))
}

fn run_on(arguments: &CompareArguments, output: &Output) -> Result<(), Stop> {
    let options = Options::parse(&arguments.validator_args);
    let options = options.map_err(|error| Stop::usage(error.to_string()))?;
    let fault = JudgeError::on("compare", &arguments.output);
    let answer = open(&arguments.answer)?;
    let contestant = open(&arguments.output)?;
    let difference = compare(answer, contestant, &options).map_err(fault)?;
    let evidence = match &difference {
        None => None,
        Some(difference) => {
            let mut answer = open(&arguments.answer)?;
            let mut contestant = open(&arguments.output)?;
            let diff = diff(&mut answer, &mut contestant, difference, &options).map_err(fault)?;
            Some(Evidence {
                diff: diff.lines,
                diff_lines_left_out: diff.left_out,
                ..Evidence::default()
            })
        }
    };
    output.event(Event::Compared(Box::new(ComparisonReport {
        output: arguments.output.display().to_string(),
        equal: difference.is_none(),
        difference: difference.map(Box::new),
        evidence: evidence.map(Box::new),
    })));
    Ok(())
}

fn open(path: &Path) -> Result<File, Stop> {
    File::open(path)
        .map_err(|error| Stop::usage(format!("cannot open {}: {error}", path.display())))
}
