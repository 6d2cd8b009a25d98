//! A package as a command needs it: read, its faults shown, its cases selected and ready.

use std::path::Path;

use crate::build::Builder;
use crate::check::options::Options;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::output::{Output, Stop};
use crate::executor::RunError;
use crate::judge::case::ReadyCase;
use crate::judge::limits;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::pattern::Pattern;
use crate::model::problem::{Dialogue, Grading, Problem, ProblemKind};
use crate::model::test_data::TestCase;
use crate::package;
use crate::validate::trial;
use crate::validator::{OutputValidator, Unusable};

/// Which remarks about a package are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remarks {
    /// All: the package is what the user works on.
    All,
    /// Errors: the user works on a submission.
    Errors,
}

/// Reads a package and shows what is wrong with it.
///
/// # Errors
/// When it cannot be used; the reason has been shown.
pub fn read(dir: &Path, remarks: Remarks, output: &Output) -> Result<Problem, Stop> {
    let reading = package::read(dir);
    let usable = !reading.diagnostics.iter().any(Diagnostic::is_error);
    for diagnostic in reading.diagnostics {
        if diagnostic.is_error() || remarks == Remarks::All {
            output.event(Event::Diagnosed(diagnostic));
        }
    }
    match reading.problem {
        Some(problem) if usable => Ok(problem),
        _ => {
            output.event(Event::PackageRefused);
            Err(Stop::Shown(ExitCode::InvalidPackage))
        }
    }
}

/// The cases that `--case` selects, all where it is not given; ready to be judged.
///
/// # Errors
/// When nothing can be run; the reason has been shown.
pub fn select<'a>(
    problem: &'a Problem,
    globs: &[String],
    output: &Output,
) -> Result<Vec<ReadyCase<'a>>, Stop> {
    let mut patterns = Vec::new();
    for glob in globs {
        match Pattern::parse(glob) {
            Ok(pattern) => patterns.push(pattern),
            Err(error) => {
                let help = error.help();
                output.complain(&format!("--case '{glob}': {error}; {help}"));
                return Err(Stop::Shown(ExitCode::Usage));
            }
        }
    }
    let selected = |case: &&TestCase| {
        patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(&case.name))
    };
    let cases: Vec<&TestCase> = problem.test_data.cases.iter().filter(selected).collect();
    if cases.is_empty() {
        output.complain(&format!(
            "--case selects none of the {} test cases of {}; names look like {}",
            problem.test_data.cases.len(),
            problem.short_name,
            examples(&problem.test_data.cases)
        ));
        return Err(Stop::Shown(ExitCode::NothingSelected));
    }
    ready(problem, cases, output)
}

/// Holds that juror can judge problems of this type.
///
/// # Errors
/// When it cannot; the reason has been shown.
pub fn judgeable(problem: &Problem, output: &Output) -> Result<(), Stop> {
    let unknown = match problem.kind {
        ProblemKind {
            dialogue: Dialogue::Interactive,
            ..
        } => "interactive",
        ProblemKind {
            grading: Grading::Scoring,
            ..
        } => "scoring",
        _ => return Ok(()),
    };
    let message = format!("problems of the type {unknown} cannot be judged yet");
    let diagnostic = Diagnostic::error(problem.dir.join("problem.yaml"), message);
    output.event(Event::Diagnosed(diagnostic));
    output.event(Event::PackageRefused);
    Err(Stop::Shown(ExitCode::InvalidPackage))
}

/// Builds the package's own output validator, if it has one, and tries it before anybody is judged by it.
///
/// # Errors
/// When it does not build or does not work, or the judge failed; the reason has been shown.
pub fn output_validator(
    problem: &Problem,
    host: &Host,
    builder: &Builder<'_>,
    output: &Output,
) -> Result<Option<OutputValidator>, Stop> {
    let events = |event| output.event(event);
    let build_limits = limits::of_compiler(&problem.limits);
    let refused = Stop::Shown(ExitCode::InvalidPackage);
    let validator = match OutputValidator::build(problem, builder, &build_limits, &events) {
        Ok(Some(validator)) => validator,
        Ok(None) => return Ok(None),
        Err(Unusable::Fault(error)) => return Err(error.into()),
        Err(Unusable::Interrupted) => return Err(interrupted(output)),
        Err(Unusable::Diagnosed(diagnostic)) => {
            output.event(Event::Diagnosed(diagnostic));
            return Err(refused);
        }
    };
    let found = match trial::faults(problem, &validator, &*host.executor) {
        Ok(found) => found,
        Err(RunError::Interrupted) => return Err(interrupted(output)),
        Err(RunError::Fault(error)) => return Err(error.into()),
    };
    let is_usable = !found.iter().any(Diagnostic::is_error);
    for diagnostic in found {
        output.event(Event::Diagnosed(diagnostic));
    }
    match is_usable {
        true => Ok(Some(validator)),
        false => Err(refused),
    }
}

/// Tells that it was cut short, and ends the command.
pub fn interrupted(output: &Output) -> Stop {
    output.event(Event::Interrupted);
    Stop::Shown(ExitCode::Interrupted)
}

fn examples(cases: &[TestCase]) -> String {
    let shown = [cases.first(), cases.last()];
    let names: Vec<String> = shown
        .into_iter()
        .flatten()
        .map(|case| format!("`{}`", case.name))
        .collect();
    names.join(" and ")
}

fn ready<'a>(
    problem: &Problem,
    cases: Vec<&'a TestCase>,
    output: &Output,
) -> Result<Vec<ReadyCase<'a>>, Stop> {
    let mut ready = Vec::new();
    let mut wrong = false;
    for test_case in cases {
        let options = match problem.output_validator {
            // It alone knows what its arguments mean.
            Some(_) => Ok(Options::default()),
            None => Options::parse(&test_case.output_validator_args),
        };
        match options {
            Ok(options) => ready.push(ReadyCase {
                test_case,
                options,
                texts: None,
            }),
            Err(error) => {
                wrong = true;
                let config = test_case.input.with_extension("yaml");
                output.event(Event::Diagnosed(Diagnostic::error(
                    config,
                    format!("output_validator_args of {}: {error}", test_case.name),
                )));
            }
        }
    }
    match wrong {
        true => Err(Stop::Shown(ExitCode::InvalidPackage)),
        false => Ok(ready),
    }
}

/// The event that says which package is at work on.
pub fn package_read(problem: &Problem, submissions: usize, test_cases: usize) -> Event {
    let names = &problem.metadata.names;
    let name = names
        .iter()
        .find(|(language, _)| language == "en")
        .or_else(|| names.first());
    Event::PackageRead {
        package: problem.short_name.clone(),
        path: problem.dir.clone(),
        title: name.map_or_else(String::new, |(_, name)| name.clone()),
        submissions,
        test_cases,
    }
}
