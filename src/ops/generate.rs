//! `juror generate`: test data from its recipe.

use clap::Args;

use crate::ops::assembly::Assembly;
use crate::ops::context::Context;
use crate::ops::host::Host;
use crate::ops::operation::Operation;
use crate::ops::options::HostOptions;
use crate::ops::problem::require_usable;
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{CommandTask, Event};
use juror_core::problem::Problem;
use juror_core::recipe::Recipe;
use juror_core::root::FilePath;
use juror_core::stop::{RefusalSubject, Stop};
use juror_data::recipe::propose::from_grammar::GrammarProposal;
use juror_data::recipe::{GenerateMode, Generation, generate};
use juror_packages::package;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, Args)]
pub struct GenerateOptions {
    /// Problem packages: directories or archives
    #[arg(required_unless_present = "from_grammar", value_name = "PACKAGE")]
    pub packages: Vec<PathBuf>,
    /// Write nothing; fail if anything differs from what the recipe makes
    ///
    /// Makes everything again, and starts every generator twice, a second apart. A generator whose outputs differ is
    /// reported.
    #[arg(long, conflicts_with_all = ["fresh", "prune", "force", "no_validate", "from_grammar"])]
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
    /// Other files stay, such as your settings for a test case of the recipe. Unchanged files that juror made earlier
    /// are removed, too. Without --prune, such files are only listed.
    #[arg(long)]
    pub prune: bool,
    /// Replace files that were changed since juror made them, for example by hand
    #[arg(long, conflicts_with = "from_grammar")]
    pub force: bool,
    /// Write new and changed test cases without asking the validators
    ///
    /// Otherwise, if one of them is not valid, nothing is written.
    #[arg(long, conflicts_with = "from_grammar")]
    pub no_validate: bool,
    #[command(flatten)]
    pub host: HostOptions,
}

impl Operation for GenerateOptions {
    type Result = ();
    const NAME: &'static str = "generate";
    const TASK: CommandTask = CommandTask::Generate;

    fn run(&self, context: &Context) -> Result<(), Stop> {
        // Cached results cannot show that a program answers differently each time.
        let fresh = self.host.fresh || self.check;
        let (packages, grammar) = self.packages_and_grammar()?;
        let host = Host::start(&HostOptions { fresh, ..self.host.clone() }, context)?;
        let assembly = Assembly::new(&host, context);
        for dir in &context.name_packages(&packages) {
            context.contain_failure(self.run_on(dir, grammar.as_deref(), &assembly))?;
        }
        Ok(())
    }
}

impl GenerateOptions {
    /// The packages, and the grammar that is not theirs. In `--from-grammar DIRECTORY`, the directory is the package.
    fn packages_and_grammar(&self) -> Result<(Vec<PathBuf>, Option<PathBuf>), Stop> {
        let grammar = self.from_grammar.clone().flatten();
        match grammar {
            grammar if !self.packages.is_empty() => Ok((self.packages.clone(), grammar)),
            Some(package) if package.is_dir() => Ok((vec![package], None)),
            _ => {
                let what = "give a package: juror generate PACKAGE --from-grammar [GRAMMAR]";
                Err(Stop::usage(what))
            }
        }
    }

    fn run_on(
        &self,
        dir: &Path,
        grammar: Option<&Path>,
        assembly: &Assembly<'_>,
    ) -> Result<(), Stop> {
        let context = assembly.context;
        let problem = read_unfinished_problem(dir, context)?;
        if !self.check {
            context.check_writable()?;
        }
        context.send_event(Event::package_read(&problem, 0, problem.test_data.cases.len()));
        match self.from_grammar {
            Some(_) => add_cases_from_grammar(self, grammar, &problem, assembly),
            None => generate_data(self, &problem, assembly).map(drop),
        }
    }
}

/// Generates or checks the test data; returns the number of test cases in the recipe.
pub fn generate_data(
    options: &GenerateOptions,
    problem: &Problem,
    assembly: &Assembly<'_>,
) -> Result<usize, Stop> {
    let Assembly { host, context, .. } = assembly;
    let Some(path) = &problem.recipe else { return Err(missing_recipe_error(problem).into()) };
    let recipe = read_recipe(path, problem, context)?;
    let has_secret = problem.test_data.cases.iter().any(|case| case.name.starts_with("secret/"));
    if !recipe.makes_secret() && !has_secret && !recipe.cases.is_empty() {
        let message = "makes no secret test case, and the package has none";
        let help = "add some under `secret`: the format requires one";
        context.refuse_errors(vec![Diagnostic::warning(path, message).help(help)])?;
    }
    let generated = generate(&Generation {
        bench: assembly.bench(problem),
        recipe: &recipe,
        mode: if options.check { GenerateMode::Check } else { GenerateMode::Write },
        ignores_memory: options.host.fresh,
        removes_leftovers: options.prune,
        validates: !options.no_validate,
        overwrites_edits: options.force,
        memory_dir: host.generated_data.clone(),
    })?;
    context.refuse_errors(generated.diagnostics)?;
    match (options.check, generated.differing) {
        // Events have reported the differences.
        (true, 1..) => Err(Stop::Refused(RefusalSubject::Submission, Vec::new())),
        _ => Ok(recipe.cases.len()),
    }
}

fn add_cases_from_grammar(
    options: &GenerateOptions,
    grammar: Option<&Path>,
    problem: &Problem,
    assembly: &Assembly<'_>,
) -> Result<(), Stop> {
    let context = assembly.context;
    if !problem.layout.takes_cases {
        return Err(missing_recipe_error(problem).into());
    }
    let recipe = problem.recipe.as_ref().map(|path| read_recipe(path, problem, context));
    let recipe = recipe.transpose()?;
    let proposed = GrammarProposal {
        bench: assembly.bench(problem),
        recipe: recipe.as_ref(),
        grammar,
        directory: options.into.as_deref(),
        seed: options.seed.unwrap_or(1),
        is_stopped: &|| assembly.host.is_stopped(),
    };
    context.refuse_errors(proposed.add()?)
}

fn missing_recipe_error(problem: &Problem) -> Diagnostic {
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

pub fn read_recipe(path: &FilePath, problem: &Problem, context: &Context) -> Result<Recipe, Stop> {
    let mut reading = package::recipe::read_for_problem(path, problem);
    // Errors that do not prevent judging are left to `verify`, as for packages.
    reading.diagnostics.retain(|fault| !fault.is_error() || fault.prevents_judging());
    match reading.recipe {
        None => Err(Stop::Diagnosed(reading.diagnostics)),
        Some(recipe) => context.refuse_errors(reading.diagnostics).map(|()| recipe),
    }
}

/// Test data and statement may still be missing.
pub fn read_unfinished_problem(dir: &Path, context: &Context) -> Result<Problem, Stop> {
    let dir = context.enter_package(dir)?;
    let mut reading = package::read(&dir);
    // The test data is generated now, and the statement is not needed; `verify` checks both.
    let later = reading.layout.map_or(&[][..], |layout| layout.made_later);
    reading.diagnostics.retain(|diagnostic| {
        let is_lack = diagnostic.is_error() && !diagnostic.prevents_judging();
        let path = &diagnostic.place.path;
        !is_lack && later.iter().all(|part| !path.starts_with(dir.join(part)))
    });
    require_usable(reading, context)
}
