//! `juror compare`: an output with a judge answer, as the default output validator does.

use std::fs::File;
use std::path::Path;

use anyhow::Context;

use crate::check::compare::compare;
use crate::check::diff::diff;
use crate::check::options::Options;
use crate::cli::arguments::CompareArguments;
use crate::cli::exit_code::ExitCode;
use crate::cli::output::{Output, Stop, command};
use crate::model::event::Event;
use crate::model::judgement::Evidence;

/// Compares.
pub fn run(arguments: &CompareArguments) -> ExitCode {
    command(&arguments.show, "compare", |output| {
        run_on(arguments, output)
    })
}

fn run_on(arguments: &CompareArguments, output: &Output) -> Result<(), Stop> {
    let options = match Options::parse(&arguments.validator_args) {
        Ok(options) => options,
        Err(error) => {
            output.complain(&error.to_string());
            return Err(Stop::Shown(ExitCode::Usage));
        }
    };
    let answer = open(&arguments.answer, output)?;
    let contestant = open(&arguments.output, output)?;
    let difference = compare(answer, contestant, &options).context("cannot compare")?;
    let evidence = match &difference {
        None => None,
        Some(difference) => {
            let mut answer = open(&arguments.answer, output)?;
            let mut contestant = open(&arguments.output, output)?;
            let diff =
                diff(&mut answer, &mut contestant, difference, &options).context("cannot diff")?;
            Some(Evidence {
                diff: diff.lines,
                diff_lines_left_out: diff.left_out,
                ..Evidence::default()
            })
        }
    };
    output.event(Event::Compared {
        output: arguments.output.display().to_string(),
        difference: difference.map(Box::new),
        evidence: evidence.map(Box::new),
    });
    Ok(())
}

fn open(path: &Path, output: &Output) -> Result<File, Stop> {
    File::open(path).map_err(|error| {
        output.complain(&format!("cannot open {}: {error}", path.display()));
        Stop::Shown(ExitCode::Usage)
    })
}
