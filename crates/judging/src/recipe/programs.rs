//! Generators and solutions: their builds, and how their runs ended.

use crate::build::Runnable;
use crate::build::bench::Bench;
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::limits::Limits;
use juror_core::messages::program_error_line;
use juror_core::outcome::{Ending, Outcome};
use juror_core::problem::Problem;
use juror_core::program::{IncludedFile, Program, ProgramKind};
use juror_core::recipe::{GeneratorProgram, RecipeCase};
use juror_core::root::FilePath;
use juror_core::stop::Stop;

/// A generator as a program to build. Its further files are put into the same directory. All files get the problem's
/// constants.
pub fn generator_program(problem: &Problem, generator: &GeneratorProgram) -> Program {
    let header = problem.generator_header.as_ref();
    let header = header.map(|path| IncludedFile::for_all_languages(path.clone()));
    let is_named = !generator.included.is_empty() || generator.language.is_some();
    let first = generator.path.file_stem().unwrap_or_default();
    let filled =
        |file: &IncludedFile| IncludedFile { constants: problem.constants.clone(), ..file.clone() };
    let included = generator.included.iter().map(filled);
    Program {
        name: generator.name.clone(),
        path: generator.path.clone(),
        kind: ProgramKind::Generator,
        language: generator.language.clone(),
        entry_point: is_named.then(|| first.to_string_lossy().into_owned()),
        include: included.chain(header).collect(),
        constants: problem.constants.clone(),
        ..Program::default()
    }
}

/// A solution is a submission of the package, or the program at its path.
pub fn solution_program(problem: &Problem, path: &FilePath) -> Program {
    let submission = problem.submissions.iter().find(|submission| submission.program.path == *path);
    let name = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let other = || Program {
        name: name(),
        path: path.clone(),
        constants: problem.constants.clone(),
        ..Program::default()
    };
    submission.map_or_else(other, |submission| submission.program.clone())
}

pub fn build(bench: &Bench<'_>, program: &Program) -> Result<Runnable, Stop> {
    let what = match program.kind {
        ProgramKind::Generator => "the generator",
        _ => "the solution",
    };
    if program.kind == ProgramKind::Answers {
        let help = "write the answers yourself, or give a program as `solution`";
        let message = "is not a program: submissions are answers";
        return Err(Diagnostic::error(&program.path, message).help(help).into());
    }
    let limits = Limits::of_generator();
    bench.build_package_program(what, program, &limits, &limits)
}

/// Why a program made nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFailure {
    /// For example `the solution ends with exit code 1`.
    pub message: String,
    pub help: &'static str,
}

/// `None` if a program ended with exit code 0.
pub fn failed_ending(outcome: &Outcome, limits: &Limits) -> Option<String> {
    match (outcome.stopped_by, outcome.ending) {
        (Some(stop), _) => {
            Some(format!("exceeds a limit: {}", limits.describe_exceeded(stop, outcome)))
        }
        (None, Ending::Exited(0)) => None,
        (None, Ending::Exited(code)) => Some(format!("ends with exit code {code}")),
        (None, Ending::Signalled(signal)) => Some(format!("is killed by {signal}")),
    }
}

/// The line of a failed program's messages that gives the reason, after a colon. Empty if there is none.
pub fn failure_reason(messages: &Blob) -> String {
    const LOOKED_AT: u64 = 16 << 10;
    let messages = messages.prefix(LOOKED_AT).unwrap_or_default();
    program_error_line(&messages).map_or_else(String::new, |line| format!(": {line}"))
}

/// The place is that of the case in the recipe.
pub fn case_diagnostic(case: &RecipeCase, message: impl AsRef<str>) -> Diagnostic {
    let message = format!("{}: {}", case.name, message.as_ref());
    Diagnostic::error(&case.place, message)
}
