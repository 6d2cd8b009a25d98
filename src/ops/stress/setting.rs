//! What is searched: the package, or the programs of the command line in its place.

use std::ffi::OsStr;
use std::path::Path;

use crate::door::comparison::ComparisonMode;
use crate::door::given_program::GivenProgram;
use crate::door::submissions::{command_submission, current_directory, local_submission};
use crate::ops::context::Context;
use crate::ops::problem::{self, ShownDiagnostics};
use crate::ops::stress::StressOptions;
use juror_core::check::options::{Options, comparison_arguments};
use juror_core::event::Event;
use juror_core::limits::ProblemLimits;
use juror_core::problem::Problem;
use juror_core::program::{BuildVariant, Program, ProgramKind, TypedCommand};
use juror_core::protocol::Protocol;
use juror_core::root::FilePath;
use juror_core::stop::{Remark, Stop};
use juror_core::submission::Submission;
use juror_data::recipe::seeded_generator::SeededProgram;
use juror_data::search::problem_inputs::ProblemInputs;
use juror_data::search::programs::SearchSubject;

/// The default for the largest `{n}`.
const DEFAULT_SIZE_MAX: u32 = 1000;

pub(super) fn read_setting(
    options: &StressOptions,
    context: &Context,
) -> Result<SearchSubject, Stop> {
    let mut problem = match options.package() {
        Some(dir) => {
            let problem = problem::read_problem(dir, None, ShownDiagnostics::Errors, context)?;
            if options.promote.is_some() {
                context.check_writable()?;
            }
            problem
        }
        None => Problem {
            dir: FilePath::root("."),
            limits: ProblemLimits::of_bare_tests(),
            ..Problem::default()
        },
    };
    problem::require_programs(&problem, "not programs; use `juror judge`")?;
    let variant = options.build.variant();
    let submission = match options.targets.last() {
        Some(path) if options.program.is_empty() => {
            local_submission("submission", path, &problem, &variant).map_err(Stop::usage)?
        }
        _ => {
            let words = options.program.clone();
            let mut submission = command_submission(&words, &variant);
            let directory = current_directory()?;
            submission.program.command = Some(TypedCommand { words, directory });
            submission
        }
    };
    problem::set_variant(&mut problem, &variant, None)?;
    let reference = options.reference.as_ref();
    let reference = reference.map(|text| reference_at(text, &problem)).transpose()?;
    let seeded = read_generator(options)?;
    let comparison = set_judges(options, &mut problem)?;
    let grammar = options.input_grammar.as_deref();
    let mut inputs = ProblemInputs::read(problem, grammar, &context.event_sender())?;
    inputs.seeded = seeded;
    inputs.has_given_checker =
        matches!(options.checker.comparison(), Some(ComparisonMode::Checker(_)));
    inputs.has_reference =
        reference.is_some() || options.package().is_some() || options.checker.interactor.is_none();
    if let Some(args) = comparison {
        // There may be no test case that has them.
        inputs.options = Options::parse(&args).map_err(|error| Stop::usage(error.to_string()))?;
        inputs.test_case.output_validator_args = args;
    }
    if options.package().is_some() {
        context.send_event(Event::package_read(&inputs.problem, 1, 0));
    }
    let promotes = options.promote.is_some();
    Ok(SearchSubject { inputs, submission, reference, promotes })
}

/// Accepts a file, the name of one of the package's submissions, or a command line.
fn reference_at(text: &OsStr, problem: &Problem) -> Result<Submission, Stop> {
    let (path, name) = (Path::new(text), text.to_string_lossy());
    let own = problem.submissions.iter().find(|submission| submission.name == name);
    match own {
        Some(own) if !path.exists() => return Ok(own.clone()),
        _ if path.exists() || !name.trim().contains(char::is_whitespace) => {
            return local_reference(path, problem);
        }
        _ => {}
    }
    let given = GivenProgram::read("--reference", text, ProgramKind::Submission)?;
    let mut program = given.program;
    if program.command.is_none() {
        let path = Path::new(&given.shown[0]);
        program = local_reference(path, problem)?.program;
        program.arguments = given.words;
    }
    Ok(Submission { name: name.into_owned(), program, expectations: Vec::new() })
}

fn local_reference(path: &Path, problem: &Problem) -> Result<Submission, Stop> {
    let variant = BuildVariant::default();
    local_submission("reference", path, problem, &variant).map_err(Stop::usage)
}

fn read_generator(options: &StressOptions) -> Result<Option<SeededProgram>, Stop> {
    let Some(text) = &options.generator else {
        let has_no_use = options.n_max.is_some();
        return if has_no_use { Err(Stop::usage("--n-max needs a generator")) } else { Ok(None) };
    };
    let given = GivenProgram::read("--generator", text, ProgramKind::Generator)?;
    let GivenProgram { program, words, shown } = given.with_testlib_header();
    let generator = SeededProgram::new(program, words, shown);
    if let Some(name) = generator.unknown_placeholder() {
        let what =
            format!("--generator: `{{{name}}}` is unknown; `{{seed}}` and `{{n}}` are known");
        let help = format!("`{{ {name} }}` would reach the program as it is");
        return Err(Stop::usage(Remark::with_help(what, help)));
    }
    if options.n_max.is_some() && !generator.has_size() {
        let what =
            "--n-max: the generator gets no `{n}`; write it in --generator, such as 'gen.py {n}'";
        return Err(Stop::usage(what));
    }
    Ok(Some(SeededProgram { size_max: options.n_max.unwrap_or(DEFAULT_SIZE_MAX), ..generator }))
}

/// Puts the programs of the command line in the place of the package's. Returns the arguments of the default output
/// validator, if these are given.
fn set_judges(options: &StressOptions, problem: &mut Problem) -> Result<Option<Vec<String>>, Stop> {
    if let Some(text) = &options.validator {
        let given = GivenProgram::read("--validator", text, ProgramKind::InputValidator)?;
        let validator = given.judging(None);
        let protocol = validator.protocol.or(Some(Protocol::Plain));
        problem.input_validators = vec![Program { protocol, ..validator }];
    }
    options.checker.apply(problem)?;
    let is_bare = options.package().is_none() && options.checker.interactor.is_none();
    Ok(match options.checker.comparison() {
        // It was checked when it was set.
        Some(ComparisonMode::Named(text)) => comparison_arguments(text).ok(),
        None if is_bare => comparison_arguments("words").ok(),
        _ => None,
    })
}
