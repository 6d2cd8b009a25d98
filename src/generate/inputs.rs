//! Inputs: literal, copied, or printed by a generator in the sandbox; and the files beside them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use walkdir::WalkDir;

use crate::build::Runnable;
use crate::executor::parallel;
use crate::generate::programs::{build, diagnostic, of_generator};
use crate::generate::run::{Surroundings, run};
use crate::generate::stage::{Stage, file_name};
use crate::generate::{Generated, Generating};
use crate::model::blob::{Blob, Digest};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::Event;
use crate::model::judgement::JudgeError;
use crate::model::recipe::{
    AnswerSource, CASE_EXTENSIONS, CASE_FILES, GeneratorCommand, GeneratorProgram, GivenContents,
    InputSource, RecipeCase,
};
use crate::model::stop::Stop;

/// Each generator that is called.
pub(super) type Generators<'a> = BTreeMap<&'a GeneratorProgram, Runnable>;

/// What generators made, by case and extension.
pub(super) type Digests = BTreeMap<String, BTreeMap<&'static str, Digest>>;

/// Builds the generators of these cases; what keeps one from being built is for the user to see.
pub(super) fn generators<'a>(
    generating: &Generating<'a>,
    cases: &[&'a RecipeCase],
) -> Result<Result<Generators<'a>, Generated>, JudgeError> {
    let mut generators = BTreeMap::new();
    let mut failed = Generated::default();
    let commands = cases.iter().filter_map(|case| command(case));
    let programs: std::collections::BTreeSet<_> = commands.map(|it| &it.program).collect();
    for program in programs {
        match build(generating, &of_generator(program))? {
            Ok(generator) => {
                generators.insert(program, generator);
            }
            Err(not) => {
                failed.interrupted |= not.interrupted;
                failed.diagnostics.extend(not.diagnostics);
            }
        }
    }
    Ok(match failed.interrupted || !failed.diagnostics.is_empty() {
        true => Err(failed),
        false => Ok(generators),
    })
}

/// The command of a case that a generator makes.
pub(super) fn command(case: &RecipeCase) -> Option<&GeneratorCommand> {
    match &case.input {
        InputSource::Command(command) => Some(command),
        InputSource::Literal(_) | InputSource::Copy => None,
    }
}

/// Makes the inputs and the further files of these cases on the stage.
pub(super) fn make(
    generating: &Generating<'_>,
    stage: &Stage,
    generators: &Generators<'_>,
    cases: &[&RecipeCase],
) -> Result<(Generated, Digests), JudgeError> {
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
        let made = make_case(generating, stage, generators, case)?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(made)
    });
    let mut generated = Generated::default();
    let mut digests = Digests::new();
    match made {
        Ok(made) => {
            for (case, made) in cases.iter().zip(made) {
                match made {
                    Ok(made) => {
                        digests.insert(case.name.clone(), made);
                    }
                    Err(fault) => generated.diagnostics.push(fault),
                }
            }
        }
        Err(Stop::Interrupted) => generated.interrupted = true,
        Err(Stop::Fault(error)) => return Err(error),
    }
    Ok((generated, digests))
}

/// Generated first, then copied, then given files: each goes before those of the same name.
fn make_case(
    generating: &Generating<'_>,
    stage: &Stage,
    generators: &Generators<'_>,
    case: &RecipeCase,
) -> Result<Result<BTreeMap<&'static str, Digest>, Diagnostic>, Stop> {
    let mut digests = BTreeMap::new();
    match &case.input {
        InputSource::Literal(contents) => stage.add(&case.name, "in", &mut contents.as_bytes())?,
        InputSource::Copy => {}
        InputSource::Command(command) => {
            let generator = &generators[&command.program];
            let plain = Surroundings::default();
            match run(generating, generator, command, &case.name, plain)? {
                Ok(output) => {
                    for made in output.files {
                        digests.insert(made.extension, digest(&made.contents)?);
                        stage.add_blob(&case.name, made.extension, &made.contents)?;
                    }
                }
                Err(refusal) => {
                    return Ok(Err(diagnostic(case, refusal.message).help(refusal.help)));
                }
            }
        }
    }
    if let Some(base) = &case.copy {
        copy(stage, case, base)?;
    }
    for file in &case.files {
        match &file.contents {
            GivenContents::Text(text) => {
                stage.add(&case.name, &file.extension, &mut text.as_bytes())?;
            }
            GivenContents::Link(target) => {
                let target = file_name(&case.name, target);
                stage.link(&case.name, &file.extension, &target)?;
            }
        }
    }
    Ok(match fault(stage, case) {
        Some(fault) => Err(fault),
        None => Ok(digests),
    })
}

/// What tells the contents of what a program wrote.
pub(super) fn digest(written: &Blob) -> Result<Digest, JudgeError> {
    let digest = written.digest();
    digest.map_err(|error| JudgeError::new("read a program's output", error))
}

/// What is wrong with the input that a case got.
fn fault(stage: &Stage, case: &RecipeCase) -> Option<Diagnostic> {
    if !stage.has(&case.name, "in") {
        let message = "no input was made";
        return Some(diagnostic(case, message).help("give it one of `generate`, `copy` and `in`"));
    }
    let is_empty = fs::metadata(stage.path(&case.name, "in")).is_ok_and(|it| it.len() == 0);
    match command(case) {
        Some(command) if is_empty && case.answer != AnswerSource::None => {
            let message = format!("`{}` prints nothing", command.line);
            let help = "a generator prints its input, or writes it to `testcase.in` in its working directory";
            Some(diagnostic(case, message).help(help))
        }
        _ => None,
    }
}

/// Copies the files that begin with `base`, each to the same extension.
fn copy(stage: &Stage, case: &RecipeCase, base: &Path) -> Result<(), JudgeError> {
    let source = |extension: &str| {
        let mut name = base.file_name().unwrap_or_default().to_owned();
        name.push(".");
        name.push(extension);
        base.with_file_name(name)
    };
    for extension in CASE_EXTENSIONS {
        let path = source(extension);
        if path.is_file() {
            copy_file(stage, case, extension, &path)?;
        }
    }
    let directory = source(CASE_FILES);
    if !directory.is_dir() {
        return Ok(());
    }
    for entry in WalkDir::new(&directory)
        .follow_links(true)
        .sort_by_file_name()
    {
        let fault = |error| JudgeError::new(format!("list {}", directory.display()), error);
        let entry = entry.map_err(fault)?;
        let below = entry
            .path()
            .strip_prefix(&directory)
            .unwrap_or(entry.path());
        if entry.file_type().is_file() {
            let extension = format!("{CASE_FILES}/{}", below.display());
            copy_file(stage, case, &extension, entry.path())?;
        }
    }
    Ok(())
}

fn copy_file(
    stage: &Stage,
    case: &RecipeCase,
    extension: &str,
    path: &Path,
) -> Result<(), JudgeError> {
    let fault = |error| JudgeError::new(format!("copy {}", path.display()), error);
    stage.add(&case.name, extension, &mut File::open(path).map_err(fault)?)
}
