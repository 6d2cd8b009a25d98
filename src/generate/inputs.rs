//! Inputs: literal, copied, or printed by a generator in the sandbox.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::build::{BuildError, PrepareError, Runnable, first_line, unbuildable};
use crate::executor::{RunError, parallel};
use crate::generate::files::Stage;
use crate::generate::seed::{seed, substituted};
use crate::generate::{Generated, Generating, ending};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::job::{Collected, Input, Job};
use crate::model::judgement::JudgeError;
use crate::model::limits::Limits;
use crate::model::program::{Program, ProgramKind};
use crate::model::recipe::{GeneratorCommand, InputSource, RecipeCase};
use crate::model::units::Bytes;

/// What a generator, and the compiler that makes it, may use: enough for any test data, and an end
/// for one that hangs.
pub(super) fn limits() -> Limits {
    Limits {
        cpu_time: Some(Duration::from_secs(60)),
        wall_time: Some(Duration::from_secs(120)),
        memory: Some(Bytes::mib(2048)),
        output: Some(Bytes::mib(1024)),
        processes: Some(128),
    }
}

/// A generator may write its input here instead of printing it.
const OWN_FILE: &str = "testcase.in";

/// Makes the inputs and the literal files of all cases on the stage.
pub(super) fn make(generating: &Generating<'_>, stage: &Stage) -> Result<Generated, JudgeError> {
    let mut generated = Generated::default();
    let generators = match build(generating)? {
        Built::All(generators) => generators,
        Built::Not(generated) => return Ok(generated),
    };
    let cases = &generating.recipe.cases;
    let progress = |done| {
        (generating.events)(Event::Progress {
            what: "inputs".to_owned(),
            done,
            total: cases.len(),
        });
    };
    progress(0);
    let done = AtomicUsize::new(0);
    let made = parallel::map(generating.executor, cases, |case| {
        let fault = match &case.input {
            InputSource::Literal(contents) => {
                stage.add(&case.name, "in", &mut contents.as_bytes())?;
                None
            }
            InputSource::Copy(base) => copy(stage, case, base)?,
            InputSource::Command(command) => {
                let generator = &generators[&*command.program];
                run(generating, stage, case, command, generator)?
            }
        };
        for file in &case.files {
            stage.add(&case.name, &file.extension, &mut file.contents.as_bytes())?;
        }
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(fault)
    });
    match made {
        Ok(faults) => generated.diagnostics.extend(faults.into_iter().flatten()),
        Err(RunError::Interrupted) => generated.interrupted = true,
        Err(RunError::Fault(error)) => return Err(error),
    }
    Ok(generated)
}

enum Built<'a> {
    /// Each generator that is called, by its path.
    All(BTreeMap<&'a Path, Runnable>),
    /// Some could not be built.
    Not(Generated),
}

fn build<'a>(generating: &Generating<'a>) -> Result<Built<'a>, JudgeError> {
    let mut paths: Vec<&Path> = generating
        .recipe
        .cases
        .iter()
        .filter_map(|case| match &case.input {
            InputSource::Command(command) => Some(command.program.as_path()),
            _ => None,
        })
        .collect();
    paths.sort();
    paths.dedup();
    let mut generators = BTreeMap::new();
    let mut failed = Generated::default();
    for path in paths {
        match build_program(generating, path, ProgramKind::Generator)? {
            Ok(generator) => {
                generators.insert(path, generator);
            }
            Err(not) => {
                failed.interrupted |= not.interrupted;
                failed.diagnostics.extend(not.diagnostics);
            }
        }
    }
    Ok(if failed.interrupted || !failed.diagnostics.is_empty() {
        Built::Not(failed)
    } else {
        Built::All(generators)
    })
}

/// Builds a generator or a solution; what keeps it from being built is for the user to see.
pub(super) fn build_program(
    generating: &Generating<'_>,
    path: &Path,
    kind: ProgramKind,
) -> Result<Result<Runnable, Generated>, JudgeError> {
    let submission = generating
        .problem
        .submissions
        .iter()
        .find(|submission| submission.program.path == path);
    let program = match submission {
        Some(submission) => submission.program.clone(),
        None => Program {
            name: path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            path: path.to_owned(),
            kind,
            language: None,
            entry_point: None,
            include: Vec::new(),
            constants: Vec::new(),
        },
    };
    let mut generated = Generated::default();
    let prepared = match generating.builder.prepare(&program) {
        Ok(prepared) => prepared,
        Err(PrepareError::Fault(error)) => return Err(error),
        Err(PrepareError::Program(diagnostic)) => {
            generated.diagnostics.push(diagnostic);
            return Ok(Err(generated));
        }
    };
    (generating.events)(Event::BuildStarted {
        program: program.name.clone(),
    });
    let built = generating.builder.build(&prepared, &limits(), &limits());
    (generating.events)(Event::BuildFinished {
        program: program.name.clone(),
    });
    match built {
        Ok(runnable) => return Ok(Ok(runnable)),
        Err(BuildError::Fault(error)) => return Err(error),
        Err(BuildError::Interrupted) => generated.interrupted = true,
        Err(BuildError::Rejected(report)) => {
            let what = match kind {
                ProgramKind::Generator => "the generator",
                _ => "the solution",
            };
            generated.diagnostics.push(unbuildable(what, path, &report));
        }
    }
    Ok(Err(generated))
}

/// Copies every file that begins with `base` and a dot.
fn copy(stage: &Stage, case: &RecipeCase, base: &Path) -> Result<Option<Diagnostic>, JudgeError> {
    let fault = |error| JudgeError::new(format!("copy {}", base.display()), error);
    let prefix = format!(
        "{}.",
        base.file_name().unwrap_or_default().to_string_lossy()
    );
    let dir = base.parent().unwrap_or(Path::new("."));
    let mut has_input = false;
    if dir.is_dir() {
        for entry in fs::read_dir(dir).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(extension) = name.strip_prefix(&prefix)
                && entry.path().is_file()
            {
                has_input |= extension == "in";
                let mut file = File::open(entry.path()).map_err(fault)?;
                stage.add(&case.name, extension, &mut file)?;
            }
        }
    }
    Ok((!has_input).then(|| {
        diagnostic(case, format!("there is no {}.in to copy", base.display()))
            .help("`copy` names files below generators/, without their extension")
    }))
}

fn run(
    generating: &Generating<'_>,
    stage: &Stage,
    case: &RecipeCase,
    command: &GeneratorCommand,
    generator: &Runnable,
) -> Result<Option<Diagnostic>, RunError> {
    let seed = seed(&command.random_salt, &command.line);
    let mut start = generator.command.clone();
    start
        .argv
        .extend(substituted(&command.args, seed, &case.name));
    let limits = limits();
    let mut reply = generating.executor.run(&Job {
        command: start,
        stdin: Input::Empty,
        files: generator.files.clone(),
        writable: true,
        box_size: limits.output.unwrap_or_default(),
        limits,
        collect: vec![OWN_FILE.to_owned()],
        keep: None,
    })?;
    if let Some(ending) = ending(&reply.outcome) {
        let said = first_line(&mut reply.stderr);
        let message = format!("`{}` {ending}{said}", command.line);
        return Ok(Some(
            diagnostic(case, message).help("a generator must end with exit code 0"),
        ));
    }
    match reply.collected.first_mut() {
        Some(Collected::File(own)) => stage.add_captured(&case.name, "in", own)?,
        Some(Collected::NotAFile(what)) => {
            let message = format!("`{}` leaves {what} as `{OWN_FILE}`", command.line);
            return Ok(Some(diagnostic(case, message).help(
                "a generator prints its input, or writes it to a regular file of that name",
            )));
        }
        Some(Collected::Missing) | None => {
            stage.add_captured(&case.name, "in", &mut reply.stdout)?;
        }
    }
    Ok(None)
}

/// A remark about a case, at its place in the recipe.
pub(super) fn diagnostic(case: &RecipeCase, message: String) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(&case.place.path, format!("{}: {message}", case.name));
    diagnostic.place = case.place.clone();
    diagnostic
}
