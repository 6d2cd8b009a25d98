//! `juror generate`: test data from its recipe.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::build::Builder;
use crate::cli::exit_code::ExitCode;
use crate::cli::host::Host;
use crate::cli::options::{HostOptions, OutputOptions, ReportOptions};
use crate::cli::output::{Output, command_with};
use crate::cli::problem::usable;
use crate::generate::{Generating, Mode, generate};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::problem::Problem;
use crate::model::recipe::Recipe;
use crate::model::root::FilePath;
use crate::model::stop::{Mend, Stop};
use crate::package;
use crate::propose::from_grammar::FromGrammar;

/// Arguments of `juror generate`.
#[derive(Clone, Debug, Default, Args)]
pub struct GenerateArguments {
    /// Problem packages: directories or archives
    #[arg(required_unless_present = "from_grammar", value_name = "PACKAGE")]
    pub packages: Vec<PathBuf>,
    /// Write nothing; fail if anything differs from what the recipe makes
    ///
    /// Everything is made anew, and every generator is started twice: the second time later, in another
    /// directory, time zone and locale. One that gives another output is reported.
    #[arg(long, conflicts_with_all = ["fresh", "prune", "from_grammar"])]
    pub check: bool,
    /// Add a first set of test cases, made from the grammar of the input, to the recipe and the data
    ///
    /// The grammar is the package's first, or the one given here.
    /// Existing test cases stay as they are, and existing inputs are not added again.
    #[arg(long, value_name = "GRAMMAR", num_args = 0..=1, conflicts_with = "prune")]
    pub from_grammar: Option<Option<PathBuf>>,
    /// Directory for test cases from the grammar, below the secret ones [default: from-grammar]
    #[arg(long, value_name = "DIRECTORY", requires = "from_grammar")]
    pub into: Option<String>,
    /// Random seed of the test cases from the grammar [default: 1]
    #[arg(long, value_name = "N", requires = "from_grammar")]
    pub seed: Option<u64>,
    /// Remove the files of test cases and groups that the recipe does not make
    ///
    /// Other files stay, such as settings that you wrote for a case that it makes; but what juror made earlier, and
    /// nobody changed, goes. Without it, all are listed and left alone.
    #[arg(long)]
    pub prune: bool,
    /// Options about the machine.
    #[command(flatten)]
    pub host: HostOptions,
    /// Options about reports in files.
    #[command(flatten)]
    pub reports: ReportOptions,
    /// Options about output.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Makes test data, or checks it.
pub fn run(arguments: &GenerateArguments) -> ExitCode {
    command_with(&arguments.output, &arguments.reports, "generate", |output| {
        all(&settled(arguments)?, output)
    })
}

/// Generates the data of all packages.
///
/// # Errors
/// If the judge failed, or it was interrupted.
pub(super) fn all(arguments: &GenerateArguments, output: &Output) -> Result<(), Stop> {
    // What is recalled proves nothing about a program that answers differently each time.
    let fresh = arguments.host.fresh || arguments.check;
    let host = Host::start(&HostOptions { fresh, ..arguments.host.clone() }, output)?;
    let builder = host.builder();
    for dir in &output.packages(&arguments.packages) {
        let done = match arguments.from_grammar {
            Some(_) => from_grammar(arguments, dir, &host, &builder, output),
            None => package(arguments, dir, &host, &builder, output),
        };
        output.part(done)?;
    }
    Ok(())
}

/// The arguments with a misread value moved: in `--from-grammar DIRECTORY` the directory is the package.
fn settled(arguments: &GenerateArguments) -> Result<GenerateArguments, Stop> {
    let mut arguments = arguments.clone();
    if arguments.packages.is_empty() {
        match arguments.from_grammar.take() {
            Some(Some(package)) if package.is_dir() => {
                arguments.packages = vec![package];
                arguments.from_grammar = Some(None);
            }
            _ => {
                let what = "give a package: juror generate PACKAGE --from-grammar [GRAMMAR]";
                return Err(Stop::usage(what));
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
    if !arguments.check {
        output.writable()?;
    }
    output.event(Event::package_read(&problem, 0, problem.test_data.cases.len()));
    let Some(path) = &problem.recipe else { return Err(no_recipe(&problem).into()) };
    let recipe = recipe(path, &problem, output)?;
    let has_secret = problem.test_data.cases.iter().any(|case| case.name.starts_with("secret/"));
    if !recipe.makes_secret() && !has_secret && !recipe.cases.is_empty() {
        let message = "makes no secret test case, and the package has none";
        let help = "add some under `secret`: the format requires one";
        output.remarked(vec![Diagnostic::warning(path, message).help(help)])?;
    }
    let events = output.sink();
    let generated = generate(&Generating {
        bench: host.bench(&problem, builder, &events),
        recipe: &recipe,
        mode: if arguments.check { Mode::Check } else { Mode::Write },
        fresh: arguments.host.fresh,
        prune: arguments.prune,
        kept: host.kept.clone(),
    })?;
    output.remarked(generated.diagnostics)?;
    match (arguments.check, generated.differing) {
        // Events have reported the differences.
        (true, 1..) => Err(Stop::Refused(Mend::Submission, Vec::new())),
        _ => Ok(()),
    }
}

/// Adds test cases from the grammar to a package.
fn from_grammar(
    arguments: &GenerateArguments,
    dir: &Path,
    host: &Host,
    builder: &Builder<'_>,
    output: &Output,
) -> Result<(), Stop> {
    let problem = problem(dir, output)?;
    output.writable()?;
    output.event(Event::package_read(&problem, 0, problem.test_data.cases.len()));
    if !problem.layout.takes_cases {
        return Err(no_recipe(&problem).into());
    }
    let recipe = match &problem.recipe {
        Some(path) => Some(recipe(path, &problem, output)?),
        None => None,
    };
    let events = output.sink();
    let proposed = FromGrammar {
        bench: host.bench(&problem, builder, &events),
        recipe: recipe.as_ref(),
        grammar: arguments.from_grammar.as_ref().and_then(|it| it.as_deref()),
        into: arguments.into.as_deref(),
        seed: arguments.seed.unwrap_or(1),
        is_stopped: &|| host.is_stopped(),
    };
    output.remarked(proposed.add()?)
}

/// The error that there is no recipe.
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

/// Reads a recipe and shows its diagnostics.
fn recipe(path: &FilePath, problem: &Problem, output: &Output) -> Result<Recipe, Stop> {
    let mut reading = package::recipe::of_problem(path, problem);
    // As for the package: `verify` tells what does not hinder.
    reading.diagnostics.retain(|it| !it.is_error() || it.prevents_judging());
    match reading.recipe {
        None => Err(Stop::Diagnosed(reading.diagnostics)),
        Some(recipe) => output.remarked(reading.diagnostics).map(|()| recipe),
    }
}

/// Reads a package whose test data and statement may still be missing.
fn problem(dir: &Path, output: &Output) -> Result<Problem, Stop> {
    let dir = output.enter(dir)?;
    let mut reading = package::read(&dir);
    // Test data is made here, and the statement is not needed; `verify` checks both.
    let later = reading.layout.map_or(&[][..], |layout| layout.made_later);
    reading.diagnostics.retain(|diagnostic| {
        let is_lack = diagnostic.is_error() && !diagnostic.prevents_judging();
        let path = &diagnostic.place.path;
        !is_lack && later.iter().all(|part| !path.starts_with(dir.join(part)))
    });
    usable(reading, output)
}
