//! `juror compare`: compares an output with a judge answer, as the default output validator does.

use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::check::compare::compare;
use crate::check::diff::diff;
use crate::check::options::Options;
use crate::cli::exit_code::ExitCode;
use crate::cli::options::{OutputOptions, STANDARD_INPUT, given_file};
use crate::cli::output::{Output, command};
use crate::model::event::Event;
use crate::model::judgement::{Evidence, JudgeError};
use crate::model::report::ComparisonReport;
use crate::model::stop::Stop;

/// Arguments of `juror compare`.
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
    let [answer, contestant] = [&arguments.answer, &arguments.output].map(|it| given_file(it));
    if answer == contestant && answer == Path::new(STANDARD_INPUT) {
        return Err(Stop::usage(
            "only one of the two files can be standard input; give a name for the other",
        ));
    }
    let fault = JudgeError::on("compare", contestant);
    let (mut answer, mut output_file) = (open(answer)?, open(contestant)?);
    let difference = compare(&answer, &output_file, &options).map_err(fault)?;
    let evidence = match &difference {
        None => None,
        Some(difference) => {
            answer.rewind().and_then(|()| output_file.rewind()).map_err(fault)?;
            let diff = diff(&mut answer, &mut output_file, difference, &options).map_err(fault)?;
            Some(Evidence {
                diff: diff.lines,
                diff_lines_left_out: diff.left_out,
                ..Evidence::default()
            })
        }
    };
    output.event(Event::Compared(Box::new(ComparisonReport {
        output: contestant.display().to_string(),
        equal: difference.is_none(),
        difference: difference.map(Box::new),
        evidence: evidence.map(Box::new),
    })));
    Ok(())
}

/// Opens a file for reading it twice: a pipe is copied, since it can be read only once.
fn open(path: &Path) -> Result<File, Stop> {
    let opened = || {
        let mut file = File::open(path)?;
        if file.metadata()?.is_file() {
            return Ok(file);
        }
        let mut copy = tempfile::tempfile()?;
        io::copy(&mut file, &mut copy)?;
        copy.rewind()?;
        Ok(copy)
    };
    opened()
        .map_err(|error: io::Error| Stop::usage(format!("cannot open {}: {error}", path.display())))
}
