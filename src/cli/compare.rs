//! `juror compare`: an output with a judge answer, as the default output validator does.

use std::fs::File;
use std::path::Path;

use crate::check::compare::compare;
use crate::check::diff::diff;
use crate::check::options::Options;
use crate::cli::arguments::CompareArguments;
use crate::cli::exit_code::ExitCode;
use crate::cli::output::{Output, command};
use crate::model::event::Event;
use crate::model::judgement::{Evidence, JudgeError};
use crate::model::report::ComparisonReport;
use crate::model::stop::Stop;

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
