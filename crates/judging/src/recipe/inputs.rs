//! Inputs: literal, copied, or printed by a generator in the sandbox; and the other files of a case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::build::Runnable;
use crate::build::bench::Bench;
use crate::recipe::programs::{ProgramFailure, build, case_diagnostic, generator_program};
use crate::recipe::run::run_generator;
use crate::recipe::stage::{Stage, file_name};
use juror_core::blob::{Blob, Digest};
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::recipe::{
    AnswerSource, CASE_EXTENSIONS, CASE_FILES, GeneratorCommand, GeneratorProgram, GivenContents,
    InputSource, LEGACY_CASE_EXTENSIONS, RecipeCase,
};
use juror_core::root::{FilePath, PathKind, UnreachedPath, WalkBounds};
use juror_core::stop::{Stop, split_diagnostics};
use juror_core::work::RunMode;
use juror_sandbox::executor::parallel;

pub type Generators<'a> = BTreeMap<&'a GeneratorProgram, Runnable>;

/// By case and extension.
pub type Digests = BTreeMap<String, BTreeMap<&'static str, Digest>>;

/// Fails if a generator does not build.
pub fn build_generators<'a>(
    bench: &Bench<'_>,
    cases: &[&'a RecipeCase],
) -> Result<Generators<'a>, Stop> {
    let mut generators = BTreeMap::new();
    let mut unbuilt = Vec::new();
    let commands = cases.iter().filter_map(|case| generator_command(case));
    let programs: BTreeSet<_> = commands.map(|command| &command.program).collect();
    let programs: Vec<&GeneratorProgram> = programs.into_iter().collect();
    let built = parallel::map(bench.executor, &programs, |program| {
        split_diagnostics(build(bench, &generator_program(bench.problem, program)))
    })?;
    for (program, (generator, diagnostics)) in programs.into_iter().zip(built) {
        generators.extend(generator.map(|generator| (program, generator)));
        unbuilt.extend(diagnostics);
    }
    if unbuilt.is_empty() { Ok(generators) } else { Err(Stop::Diagnosed(unbuilt)) }
}

pub fn generator_command(case: &RecipeCase) -> Option<&GeneratorCommand> {
    match &case.input {
        InputSource::Command(command) => Some(command),
        InputSource::Literal(_) | InputSource::Copy | InputSource::File(_) => None,
    }
}

/// Makes the inputs and the further files of these cases on the stage. Adds reasons for failures to `diagnostics`.
pub fn make_inputs(
    bench: &Bench<'_>,
    stage: &Stage,
    generators: &Generators<'_>,
    cases: &[&RecipeCase],
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Digests, Stop> {
    let results = bench.map("inputs", cases, |case| {
        split_diagnostics(make_case(bench, stage, generators, case))
    })?;
    let mut digests = Digests::new();
    for (case, (files, faults)) in cases.iter().zip(results) {
        digests.extend(files.map(|files| (case.name.clone(), files)));
        diagnostics.extend(faults);
    }
    Ok(digests)
}

/// Makes generated files first, then copied ones, then given ones. Later files replace earlier ones of the same name.
fn make_case(
    bench: &Bench<'_>,
    stage: &Stage,
    generators: &Generators<'_>,
    case: &RecipeCase,
) -> Result<BTreeMap<&'static str, Digest>, Stop> {
    let mut digests = BTreeMap::new();
    match &case.input {
        InputSource::Literal(contents) => stage.add(&case.name, "in", &mut contents.as_bytes())?,
        InputSource::Copy => {}
        InputSource::File(path) => add_text(stage, &case.name, "in", path)?,
        InputSource::Command(command) => {
            let generator = &generators[&command.program];
            let files =
                run_generator(bench.executor, generator, command, &case.name, RunMode::default())?;
            let refused =
                |failure: ProgramFailure| case_diagnostic(case, failure.message).help(failure.help);
            for file in files.map_err(refused)? {
                digests.insert(file.extension, output_digest(&file.contents)?);
                stage.add_blob(&case.name, file.extension, &file.contents)?;
            }
        }
    }
    if let Some(base) = &case.copy {
        copy_files(stage, case, base, bench.problem.layout.is_before_2025_09)?;
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
    input_fault(stage, case).map_or(Ok(digests), |fault| Err(fault.into()))
}

/// Adds a text of the package to the stage, with the line ends of this system.
pub fn add_text(
    stage: &Stage,
    case: &str,
    extension: &str,
    path: &FilePath,
) -> Result<(), JudgeError> {
    let text = path.read().map_err(JudgeError::on_file("read", path))?;
    let is_kept = |at: &usize| text[*at] != b'\r' || text.get(at + 1) != Some(&b'\n');
    let plain: Vec<u8> = (0..text.len()).filter(is_kept).map(|at| text[at]).collect();
    stage.add(case, extension, &mut plain.as_slice())
}

pub fn output_digest(written: &Blob) -> Result<Digest, JudgeError> {
    let digest = written.digest();
    digest.map_err(|error| JudgeError::new("read a program's output", error))
}

fn input_fault(stage: &Stage, case: &RecipeCase) -> Option<Diagnostic> {
    if !stage.has_file(&case.name, "in") {
        let message = "no input was made";
        return Some(
            case_diagnostic(case, message).help("give it one of `generate`, `copy` and `in`"),
        );
    }
    let is_empty = stage.path(&case.name, "in").metadata().is_ok_and(|file| file.len() == 0);
    match generator_command(case) {
        Some(command) if is_empty && case.answer != AnswerSource::None => {
            let message = format!("`{}` prints nothing", command.line);
            let help = "a generator prints its input, or writes it to `testcase.in` in its working directory";
            Some(case_diagnostic(case, message).help(help))
        }
        _ => None,
    }
}

/// Copies the files that begin with `base`, each to the same extension. If `is_old`, this includes files of old
/// packages.
fn copy_files(stage: &Stage, case: &RecipeCase, base: &FilePath, is_old: bool) -> Result<(), Stop> {
    let fault = |path: &FilePath, reason: &dyn fmt::Display| {
        let message = format!("{} cannot be copied: {reason}", path.display());
        case_diagnostic(case, message)
            .help("put a regular file there, or a link to one in the package")
    };
    let put = |extension: &str, path: &FilePath| match path.open() {
        Ok(mut file) => Ok(stage.add(&case.name, extension, &mut file)?),
        Err(error) => Err(Stop::from(fault(path, &error))),
    };
    let old = LEGACY_CASE_EXTENSIONS.into_iter().filter(|_| is_old);
    for extension in CASE_EXTENSIONS.into_iter().chain(old) {
        let path = base.with_added_extension(extension);
        if !path.is_missing() && !path.is_dir() {
            put(extension, &path)?;
        }
    }
    let directory = base.with_added_extension(CASE_FILES);
    if directory.is_missing() {
        return Ok(());
    }
    let mut walk = directory.walk(WalkBounds::PACKAGE);
    while let Some(next) = walk.next() {
        let unreached = |UnreachedPath { path, reason }| Stop::from(fault(&path, &reason));
        let entry = next.map_err(unreached)?;
        if entry.name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        match entry.kind_and_metadata() {
            Ok((PathKind::Directory, _)) => walk.enter(&entry).map_err(unreached)?,
            Ok((PathKind::File, _)) => {
                let below = entry.path.strip_prefix(&*directory).unwrap_or(&entry.path);
                put(&format!("{CASE_FILES}/{}", below.display()), &entry.path)?;
            }
            Err(reason) => return Err(fault(&entry.path, &reason).into()),
        }
    }
    Ok(())
}
