//! `juror generate`: test data from its recipe.

use std::path::Path;

use crate::build::Builder;
use crate::cli::arguments::GenerateArguments;
use crate::cli::exit_code::ExitCode;
use crate::cli::from_grammar;
use crate::cli::host::Host;
use crate::cli::output::{Output, Stop, command};
use crate::cli::problem::{interrupted, package_read};
use crate::generate::{Generating, Mode, generate};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::problem::Problem;
use crate::model::recipe::Recipe;
use crate::package;

/// Makes test data, or checks it.
pub fn run(arguments: &GenerateArguments) -> ExitCode {
    command(&arguments.output, "generate", |output| {
        let arguments = settled(arguments, output)?;
        let host = Host::start(arguments.jobs, arguments.isolation, output)?;
        let builder = Builder::new(&*host.executor);
        for dir in &arguments.packages {
            let done = match arguments.from_grammar {
                Some(_) => from_grammar::package(&arguments, dir, &host, &builder, output),
                None => package(&arguments, dir, &host, &builder, output),
            };
            match done {
                // The other packages can still be made.
                Err(stop @ Stop::Shown(_)) => output.stopped(stop),
                done => done?,
            }
            if output.is_interrupted() {
                break;
            }
        }
        Ok(())
    })
}

/// The arguments with what stands where it was not meant: in `--from-grammar DIRECTORY` the directory is the
/// package.
fn settled(arguments: &GenerateArguments, output: &Output) -> Result<GenerateArguments, Stop> {
    let mut arguments = arguments.clone();
    if arguments.packages.is_empty() {
        match arguments.from_grammar.take() {
            Some(Some(package)) if package.is_dir() => {
                arguments.packages = vec![package];
                arguments.from_grammar = Some(None);
            }
            _ => {
                output.complain("name a package: juror generate PACKAGE --from-grammar [GRAMMAR]");
                return Err(Stop::Shown(ExitCode::Usage));
            }
        }
    }
    Ok(arguments)
}

fn package(
    arguments: &GenerateArguments,
    dir: &Path,
    host: &Host,
    builder: &Builder<'_>,
    output: &Output,
) -> Result<(), Stop> {
    let problem = problem(dir, output)?;
    output.event(package_read(&problem, 0, problem.test_data.cases.len()));
    let Some(path) = &problem.recipe else {
        output.event(Event::Diagnosed(
            Diagnostic::error(dir.join("generators"), "there is no generators.yaml")
                .help(
                    "it says how the test data is made; see docs/generate.md. With a grammar of the input \
                     in input_validators, --from-grammar writes a first one",
                ),
        ));
        return Err(Stop::Shown(ExitCode::InvalidPackage));
    };
    let recipe = recipe(path, &problem, output)?;
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
        return Err(interrupted(output));
    }
    match show(output, generated.diagnostics) {
        true => Err(Stop::Shown(ExitCode::InvalidPackage)),
        false => Ok(()),
    }
}

/// Reads a recipe and shows what is wrong with it.
pub(super) fn recipe(path: &Path, problem: &Problem, output: &Output) -> Result<Recipe, Stop> {
    let reading = package::recipe::read(path, &problem.dir);
    let broken = show(output, reading.diagnostics);
    let recipe = reading.recipe.filter(|_| !broken);
    recipe.ok_or(Stop::Shown(ExitCode::InvalidPackage))
}

/// Reads a package whose test data and statement may still be missing.
pub(super) fn problem(dir: &Path, output: &Output) -> Result<Problem, Stop> {
    output.enter(dir);
    let reading = package::read(dir);
    // The one is made here, and the other is not needed for it; `verify` looks at both.
    let others = ["data", "statement"].map(|part| dir.join(part));
    let elsewhere = reading
        .diagnostics
        .into_iter()
        .filter(|diagnostic| {
            let path = &diagnostic.place.path;
            others.iter().all(|other| !path.starts_with(other))
        })
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
pub(super) fn show(output: &Output, diagnostics: Vec<Diagnostic>) -> bool {
    let broken = diagnostics.iter().any(Diagnostic::is_error);
    for diagnostic in diagnostics {
        output.event(Event::Diagnosed(diagnostic));
    }
    broken
}
