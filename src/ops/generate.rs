//! `juror generate`: test data from its recipe.

use crate::build::Builder;
use crate::generate::{Generating, Mode, generate};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::problem::Problem;
use crate::model::recipe::Recipe;
use crate::model::root::FilePath;
use crate::model::stop::{Mend, Stop};
use crate::ops::context::Context;
use crate::ops::host::Host;
use crate::ops::options::HostOptions;
use crate::ops::problem::usable;
use crate::package;
use crate::propose::from_grammar::FromGrammar;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default)]
pub struct GenerateOptions {
    pub packages: Vec<PathBuf>,
    /// Whether to report differences and write nothing.
    pub check: bool,
    pub from_grammar: bool,
    /// Instead of the package's first grammar.
    pub grammar: Option<PathBuf>,
    /// The directory for these test cases, below `data/secret`.
    pub into: Option<String>,
    pub seed: u64,
    /// Whether to remove test cases that the recipe does not make.
    pub prune: bool,
    pub host: HostOptions,
}

pub fn generate_all(options: &GenerateOptions, context: &Context) -> Result<(), Stop> {
    // Cached results cannot show that a program answers differently each time.
    let fresh = options.host.fresh || options.check;
    let host = Host::start(&HostOptions { fresh, ..options.host.clone() }, context)?;
    let builder = host.builder();
    for dir in &context.packages(&options.packages) {
        let done = if options.from_grammar {
            from_grammar(options, dir, &host, &builder, context)
        } else {
            package(options, dir, &host, &builder, context)
        };
        context.part(done)?;
    }
    Ok(())
}

fn package(
    options: &GenerateOptions,
    dir: &Path,
    host: &Host,
    builder: &Builder<'_>,
    context: &Context,
) -> Result<(), Stop> {
    let problem = problem(dir, context)?;
    if !options.check {
        context.writable()?;
    }
    context.event(Event::package_read(&problem, 0, problem.test_data.cases.len()));
    make(options, &problem, host, builder, context).map(drop)
}

/// Generates or checks the test data; returns the number of test cases in the recipe.
pub fn make(
    options: &GenerateOptions,
    problem: &Problem,
    host: &Host,
    builder: &Builder<'_>,
    context: &Context,
) -> Result<usize, Stop> {
    let Some(path) = &problem.recipe else { return Err(no_recipe(problem).into()) };
    let recipe = recipe(path, problem, context)?;
    let has_secret = problem.test_data.cases.iter().any(|case| case.name.starts_with("secret/"));
    if !recipe.makes_secret() && !has_secret && !recipe.cases.is_empty() {
        let message = "makes no secret test case, and the package has none";
        let help = "add some under `secret`: the format requires one";
        context.remarked(vec![Diagnostic::warning(path, message).help(help)])?;
    }
    let events = context.sink();
    let generated = generate(&Generating {
        bench: host.bench(problem, builder, &events),
        recipe: &recipe,
        mode: if options.check { Mode::Check } else { Mode::Write },
        fresh: options.host.fresh,
        prune: options.prune,
        kept: host.kept.clone(),
    })?;
    context.remarked(generated.diagnostics)?;
    match (options.check, generated.differing) {
        // Events have reported the differences.
        (true, 1..) => Err(Stop::Refused(Mend::Submission, Vec::new())),
        _ => Ok(recipe.cases.len()),
    }
}

fn from_grammar(
    options: &GenerateOptions,
    dir: &Path,
    host: &Host,
    builder: &Builder<'_>,
    context: &Context,
) -> Result<(), Stop> {
    let problem = problem(dir, context)?;
    context.writable()?;
    context.event(Event::package_read(&problem, 0, problem.test_data.cases.len()));
    if !problem.layout.takes_cases {
        return Err(no_recipe(&problem).into());
    }
    let recipe = match &problem.recipe {
        Some(path) => Some(recipe(path, &problem, context)?),
        None => None,
    };
    let events = context.sink();
    let proposed = FromGrammar {
        bench: host.bench(&problem, builder, &events),
        recipe: recipe.as_ref(),
        grammar: options.grammar.as_deref(),
        into: options.into.as_deref(),
        seed: options.seed,
        is_stopped: &|| host.is_stopped(),
    };
    context.remarked(proposed.add()?)
}

fn no_recipe(problem: &Problem) -> Diagnostic {
    let layout = &problem.layout;
    if !layout.takes_cases {
        let message =
            format!("is in the format {}, which has no recipe for test data", layout.format);
        return Diagnostic::error(&problem.dir, message)
            .help("convert the package to 2025-09, or change its test data by hand");
    }
    let dir = problem.dir.join(package::recipe::DIRECTORY);
    let message = format!("{} not found", package::recipe::NAME);
    Diagnostic::error(dir, message).help(format!(
        "it describes how the test data is made; see docs/generate.md. With a grammar of the input in {}, \
         --from-grammar writes a first one",
        layout.input_validators
    ))
}

pub fn recipe(path: &FilePath, problem: &Problem, context: &Context) -> Result<Recipe, Stop> {
    let mut reading = package::recipe::of_problem(path, problem);
    // Errors that do not prevent judging are left to `verify`, as for packages.
    reading.diagnostics.retain(|it| !it.is_error() || it.prevents_judging());
    match reading.recipe {
        None => Err(Stop::Diagnosed(reading.diagnostics)),
        Some(recipe) => context.remarked(reading.diagnostics).map(|()| recipe),
    }
}

/// Test data and statement may still be missing.
pub fn problem(dir: &Path, context: &Context) -> Result<Problem, Stop> {
    let dir = context.enter(dir)?;
    let mut reading = package::read(&dir);
    // The test data is generated now, and the statement is not needed; `verify` checks both.
    let later = reading.layout.map_or(&[][..], |layout| layout.made_later);
    reading.diagnostics.retain(|diagnostic| {
        let is_lack = diagnostic.is_error() && !diagnostic.prevents_judging();
        let path = &diagnostic.place.path;
        !is_lack && later.iter().all(|part| !path.starts_with(dir.join(part)))
    });
    usable(reading, context)
}
