//! A package as a command needs it: read, its faults shown, its cases selected and ready.

use std::path::Path;

use crate::build::Builder;
use crate::check::options::Options;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::output::{Output, Stop};
use crate::judge::case::ReadyCase;
use crate::judge::score::Scheme;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::limits::Limits;
use crate::model::pattern::Pattern;
use crate::model::problem::Problem;
use crate::model::score::CaseScoring;
use crate::model::stop;
use crate::model::test_data::{JudgedCase, TestCase};
use crate::package;
use crate::validate::trial;
use crate::validator::look::StaticValidator;
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
    output.enter(dir);
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
    let selected = |case: &JudgedCase<'_>| {
        let name = &case.test_case().name;
        patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(name))
    };
    let judged = problem.test_data.judged().into_iter();
    let cases: Vec<JudgedCase<'_>> = judged.filter(selected).collect();
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

/// What a package's submissions are judged by, beside the default output validator.
#[derive(Default)]
pub struct Validators {
    /// Its own output validator.
    pub output: Option<OutputValidator>,
    /// Its static validator.
    pub looks: Option<StaticValidator>,
}

/// What can be used of a validator.
fn usable<T>(built: Result<Option<T>, Unusable>, output: &Output) -> Result<Option<T>, Stop> {
    match built {
        Ok(validator) => Ok(validator),
        Err(Unusable::Fault(error)) => Err(error.into()),
        Err(Unusable::Interrupted) => Err(interrupted(output)),
        Err(Unusable::Diagnosed(diagnostic)) => {
            output.event(Event::Diagnosed(diagnostic));
            Err(Stop::Shown(ExitCode::InvalidPackage))
        }
    }
}

/// Builds the package's own validators, if it has some, and tries the output validator before anybody is judged
/// by it.
///
/// # Errors
/// When it does not build or does not work, or the judge failed; the reason has been shown.
pub fn validators(
    problem: &Problem,
    host: &Host,
    builder: &Builder<'_>,
    output: &Output,
) -> Result<Validators, Stop> {
    let events = |event| output.event(event);
    let build_limits = Limits::of_compiler(&problem.limits);
    let refused = Stop::Shown(ExitCode::InvalidPackage);
    let built = OutputValidator::build(problem, builder, &build_limits, &events);
    let looks = StaticValidator::build(problem, builder, &build_limits, &events);
    let validators = Validators {
        output: usable(built, output)?,
        looks: usable(looks, output)?,
    };
    let Some(validator) = &validators.output else {
        return Ok(validators);
    };
    let found = match trial::faults(problem, validator, &*host.executor) {
        Ok(found) => found,
        Err(stop::Stop::Interrupted) => return Err(interrupted(output)),
        Err(stop::Stop::Fault(error)) => return Err(error.into()),
    };
    let is_usable = !found.iter().any(Diagnostic::is_error);
    for diagnostic in found {
        output.event(Event::Diagnosed(diagnostic));
    }
    match is_usable {
        true => Ok(validators),
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
    cases: Vec<JudgedCase<'a>>,
    output: &Output,
) -> Result<Vec<ReadyCase<'a>>, Stop> {
    let mut ready = Vec::new();
    let mut wrong = false;
    let scheme = Scheme::of(problem);
    for case in cases {
        let test_case = case.test_case();
        let options = match problem.output_validator {
            // It alone knows what its arguments mean.
            Some(_) => Ok(Options::default()),
            None => Options::parse(&test_case.output_validator_args),
        };
        match options {
            Ok(options) => ready.push(ReadyCase {
                test_case,
                static_args: match case {
                    JudgedCase::Run(_) => None,
                    JudgedCase::Static(case) => Some(&case.args),
                },
                scoring: scheme
                    .as_ref()
                    .map_or(CaseScoring::Ignored, |scheme| scheme.case(test_case)),
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
