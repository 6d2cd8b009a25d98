//! `juror generate`: test data from its recipe.

use std::path::Path;

use crate::build::Builder;
use crate::cli::arguments::GenerateArguments;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::output::{Output, Stop, command};
use crate::cli::problem::package_read;
use crate::generate::{Generating, Mode, generate};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::problem::Problem;
use crate::package::{self, recipe};

/// Makes test data, or checks it.
pub fn run(arguments: &GenerateArguments) -> ExitCode {
    command(&arguments.output, "generate", |output| {
        let host = Host::start(arguments.jobs, arguments.isolation, output)?;
        let builder = Builder::new(&*host.executor)?;
        let mut code = ExitCode::Success;
        for dir in &arguments.packages {
            match package(arguments, dir, &host, &builder, output) {
                Ok(done) | Err(Stop::Shown(done)) => code = code.and(done),
                Err(stop) => return Err(stop),
            }
            if output.summary().interrupted {
                break;
            }
        }
        Ok(code)
    })
}

fn package(
    arguments: &GenerateArguments,
    dir: &Path,
    host: &Host,
    builder: &Builder<'_>,
    output: &Output,
) -> Result<ExitCode, Stop> {
    let problem = problem(dir, output)?;
    output.event(package_read(&problem, 0, problem.test_data.cases.len()));
    let Some(path) = &problem.recipe else {
        output.event(Event::Diagnosed(
            Diagnostic::error(dir.join("generators"), "there is no generators.yaml")
                .help("it says how the test data is made; see docs/generate.md"),
        ));
        return Err(Stop::Shown(ExitCode::InvalidPackage));
    };
    let reading = recipe::read(path, &problem.dir);
    let broken = show(output, reading.diagnostics);
    let recipe = match reading.recipe {
        Some(recipe) if !broken => recipe,
        _ => return Err(Stop::Shown(ExitCode::InvalidPackage)),
    };
    let generated = generate(&Generating {
        problem: &problem,
        recipe: &recipe,
        mode: match arguments.check {
            true => Mode::Check,
            false => Mode::Write,
        },
        fresh: arguments.fresh,
        prune: arguments.prune,
        executor: &*host.executor,
        builder,
        events: &|event| output.event(event),
    })?;
    if generated.interrupted {
        output.event(Event::Interrupted);
        return Ok(ExitCode::Interrupted);
    }
    if show(output, generated.diagnostics) {
        return Ok(ExitCode::InvalidPackage);
    }
    Ok(match (arguments.check, generated.differing) {
        (true, 1..) => ExitCode::Rejected,
        _ => ExitCode::Success,
    })
}

/// Reads a package whose test data may still be missing.
fn problem(dir: &Path, output: &Output) -> Result<Problem, Stop> {
    let reading = package::read(dir);
    let data = dir.join("data");
    let elsewhere = reading
        .diagnostics
        .into_iter()
        .filter(|diagnostic| !diagnostic.place.path.starts_with(&data))
        .collect();
    let broken = show(output, elsewhere);
    match reading.problem {
        Some(problem) if !broken => Ok(problem),
        _ => {
            output.event(Event::PackageRefused);
            Err(Stop::Shown(ExitCode::InvalidPackage))
        }
    }
}

/// Shows diagnostics; whether one of them is an error.
fn show(output: &Output, diagnostics: Vec<Diagnostic>) -> bool {
    let broken = diagnostics.iter().any(Diagnostic::is_error);
    for diagnostic in diagnostics {
        output.event(Event::Diagnosed(diagnostic));
    }
    broken
}
