//! Makes the files of test cases that a package describes but lacks. They are stored in the user's cache directory,
//! under names that digest what they are made from. If that cannot be written, a temporary directory is used. The
//! package does not change.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::build::Builder;
use crate::build::bench::Bench;
use crate::recipe;
use crate::recipe::keys::CaseKeys;
use crate::recipe::stage::{Stage, file_name};
use juror_core::diagnostic::Diagnostic;
use juror_core::event::Event;
use juror_core::judgement::JudgeError;
use juror_core::problem::Problem;
use juror_core::recipe::{AnswerSource, Recipe, RecipeCase};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::scratch::{self, ScratchDirectory, ScratchPurpose};

/// The files exist as long as this value lives.
#[derive(Debug)]
pub struct CompletedFiles {
    files: BTreeMap<String, CaseFiles>,
    _store: FileStore,
}

#[derive(Clone, Debug)]
struct CaseFiles {
    input: FilePath,
    answer: Option<FilePath>,
}

/// Makes the files of the `wanted` test cases that the package only describes, and adds them to the problem. They
/// exist as long as the returned value.
pub fn complete(
    problem: &mut Problem,
    executor: &dyn Executor,
    builder: &Builder<'_>,
    events: &(dyn Fn(Event) + Sync),
    is_selected: &dyn Fn(&str) -> bool,
    directory: Option<&Path>,
) -> Result<Option<CompletedFiles>, Stop> {
    let Some(recipe) = problem.pending_recipe.take() else { return Ok(None) };
    let test_cases = make_missing(
        &Bench { problem, executor, builder, events },
        &recipe,
        is_selected,
        directory,
    )?;
    test_cases.set_files(problem);
    Ok(Some(test_cases))
}

/// Makes the files of the `wanted` test cases of this recipe, unless they exist from an earlier run. They stay for the
/// next run if possible.
pub fn make_missing(
    bench: &Bench<'_>,
    recipe: &Recipe,
    is_selected: &dyn Fn(&str) -> bool,
    directory: Option<&Path>,
) -> Result<CompletedFiles, Stop> {
    let store = FileStore::open(directory)?;
    let mut keys = CaseKeys::new(*bench);
    let mut files = BTreeMap::new();
    let mut missing: Vec<(String, &RecipeCase)> = Vec::new();
    let mut lost = Vec::new();
    for case in recipe.cases.iter().filter(|case| is_selected(&case.name)) {
        match keys.key_of(case) {
            None => lost.push(case),
            Some(key) => match store.find(&key, case) {
                Some(found) => drop(files.insert(case.name.clone(), found)),
                None => missing.push((key, case)),
            },
        }
    }
    let stage = Stage::new()?;
    // A case without a key cannot be made. The attempt shows why.
    let cases: Vec<&RecipeCase> =
        missing.iter().map(|(_, case)| *case).chain(lost.clone()).collect();
    let mut diagnostics = Vec::new();
    recipe::make_files(bench, &stage, &cases, &mut diagnostics)?;
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(Stop::Diagnosed(diagnostics));
    }
    if let Some(case) = lost.first() {
        let what = "its sources cannot be read";
        return Err(JudgeError::new(format!("make {}", case.name), what).into());
    }
    for (key, case) in missing {
        files.insert(case.name.clone(), store.add(&key, case, &stage)?);
    }
    Ok(CompletedFiles { files, _store: store })
}

impl CompletedFiles {
    pub fn set_files(&self, problem: &mut Problem) {
        let data = &mut problem.test_data;
        let all = [&mut data.cases, &mut data.valid_inputs, &mut data.invalid_inputs];
        for case in all.into_iter().flatten() {
            let Some(files) = self.files.get(&case.name) else { continue };
            let TestCase { input, answer, .. } = case;
            input.clone_from(&files.input);
            if files.answer.is_some() {
                answer.clone_from(&files.answer);
            }
        }
    }
}

/// Number of digits of a digest in the name of a directory.
const DIGITS: usize = 32;

#[derive(Debug)]
struct FileStore {
    dir: PathBuf,
    /// A temporary directory if the files do not stay for the next run.
    _scratch: Option<ScratchDirectory>,
}

impl FileStore {
    fn open(directory: Option<&Path>) -> Result<Self, JudgeError> {
        let directory = directory.map(|dir| dir.join("tests"));
        let is_writable =
            |dir: &PathBuf| fs::create_dir_all(dir).is_ok() && NamedTempFile::new_in(dir).is_ok();
        match directory.filter(is_writable) {
            Some(dir) => Ok(Self { dir, _scratch: None }),
            None => {
                let scratch = scratch::make_scratch(ScratchPurpose::Data)?;
                Ok(Self { dir: scratch.path().into(), _scratch: Some(scratch) })
            }
        }
    }

    fn paths(&self, key: &str, case: &RecipeCase) -> CaseFiles {
        // The name helps people who see it in messages.
        let name = case.name.rsplit('/').next().unwrap_or_default();
        let dir = FilePath::root(&self.dir).join(&key[..DIGITS]);
        let file = |extension| dir.join(file_name(name, extension));
        let has_answer = case.answer != AnswerSource::None;
        CaseFiles { input: file("in"), answer: has_answer.then(|| file("ans")) }
    }

    /// `None` unless all files of the case exist from an earlier run.
    fn find(&self, key: &str, case: &RecipeCase) -> Option<CaseFiles> {
        let files = self.paths(key, case);
        let are_there =
            files.input.is_file() && files.answer.as_ref().is_none_or(|path| path.is_file());
        are_there.then_some(files)
    }

    fn add(&self, key: &str, case: &RecipeCase, stage: &Stage) -> Result<CaseFiles, JudgeError> {
        let files = self.paths(key, case);
        let all = [("in", Some(&files.input)), ("ans", files.answer.as_ref())];
        for (extension, path) in all {
            let Some(path) = path else { continue };
            let keep = || {
                let dir = path.parent().unwrap_or(&self.dir);
                fs::create_dir_all(dir)?;
                let mut temporary = NamedTempFile::new_in(dir)?;
                io::copy(&mut stage.path(&case.name, extension).open()?, &mut temporary)?;
                // Programs that run as another user read the file.
                fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o644))?;
                temporary.persist(path.as_path())?;
                Ok::<(), io::Error>(())
            };
            keep().map_err(|error| {
                scratch::scratch_fault(format!("write {}", path.display()), error)
            })?;
        }
        Ok(files)
    }
}
