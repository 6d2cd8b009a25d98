//! Makes test data from a package's recipe, and verifies that it matches its recipe.
//!
//! All files are first made in a separate directory. The package changes only after all of them exist. Each file is
//! written next to its target, then renamed.

pub mod built_generators;
mod changes;
pub mod comparison;
pub mod files;
mod memory;
mod patterns;
pub mod propose;
mod reproducible;
pub mod seeded_generator;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;

use crate::recipe::files::PreparedFile;
use crate::recipe::memory::{FileOrigin, Memory};
use juror_core::diagnostic::Diagnostic;
use juror_core::event::{Event, GeneratedState};
use juror_core::judgement::JudgeError;
use juror_core::recipe::{Recipe, RecipeCase};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_judging::build::bench::Bench;
use juror_judging::recipe::keys::{CaseKeys, CaseParts};
use juror_judging::recipe::make_files;
use juror_judging::recipe::stage::{Stage, file_name};

pub struct Generation<'a> {
    /// The problem, whose test data may be missing, and where generators and solutions run.
    pub bench: Bench<'a>,
    pub recipe: &'a Recipe,
    pub mode: GenerateMode,
    /// Whether everything is made, even files that exist from an earlier run.
    pub ignores_memory: bool,
    /// Whether the files of cases and groups that the recipe does not make are removed.
    pub removes_leftovers: bool,
    /// Whether the validators check new and changed cases before anything is replaced.
    pub validates: bool,
    /// Whether files are replaced that were changed since juror made them.
    pub overwrites_edits: bool,
    /// The directory of the memory of earlier runs.
    pub memory_dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateMode {
    Write,
    /// Write nothing. Report what differs, and generators that are not reproducible.
    Check,
}

#[derive(Debug, Default)]
pub struct GenerationResult {
    /// If one is an error, nothing was written.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of test cases that differ from the recipe.
    pub differing: usize,
}

impl GenerationResult {
    fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Fails if a generator does not build or the judge fails: a missing compiler, a full disk.
pub fn generate(generation: &Generation<'_>) -> Result<GenerationResult, Stop> {
    let mut generated = GenerationResult::default();
    let diagnostics = &mut generated.diagnostics;
    let stage = Stage::new()?;
    let memory = Memory::open(generation);
    let (keys, missing) = generation.recall_cases(&memory, &stage)?;
    let results = make_files(&generation.bench, &stage, &missing, diagnostics)?;
    if generated.has_errors() {
        return Ok(generated);
    }
    generation.add_links(&stage)?;
    let diagnostics = &mut generated.diagnostics;
    diagnostics.extend(patterns::find_missing_patterns(generation.recipe, &stage)?);
    diagnostics.extend(reproducible::find_ignored_seeds(generation.recipe, &stage)?);
    if generated.has_errors() {
        return Ok(generated);
    }
    if generation.mode == GenerateMode::Check {
        // Differences in the package are still reported: nothing is written in this mode.
        let diagnostics = &mut generated.diagnostics;
        reproducible::check_reproducible(generation, &stage, &results, diagnostics)?;
    }
    generation.place_all(&stage, &memory, &keys, &mut generated)?;
    Ok(generated)
}

/// Makes these cases of the recipe, whose inputs need no generator. Other cases and the memory do not change.
pub fn add_cases(generation: &Generation<'_>, names: &[String]) -> Result<GenerationResult, Stop> {
    let mut generated = GenerationResult::default();
    let stage = Stage::new()?;
    let cases = generation.recipe.cases.iter();
    let cases: Vec<&RecipeCase> = cases.filter(|case| names.contains(&case.name)).collect();
    make_files(&generation.bench, &stage, &cases, &mut generated.diagnostics)?;
    if !generated.has_errors() {
        let names = || cases.iter().map(|case| &*case.name);
        let files = stage.files(names()).collect();
        if let Some(prepared) = generation.prepare(&stage, names(), &files, &mut generated)? {
            generation.place_prepared(prepared, &mut generated)?;
        }
    }
    Ok(generated)
}

/// Files that are complete but not in place yet. So the package does not change if the disk is full.
#[derive(Default)]
struct PreparedFiles {
    states: Vec<(String, GeneratedState)>,
    ready: Vec<PreparedFile>,
    _claim: Option<File>,
}

impl PreparedFiles {
    fn changed_names(&self) -> BTreeSet<&str> {
        let changed = |state| matches!(state, GeneratedState::Created | GeneratedState::Changed);
        let states = self.states.iter().filter(|(_, state)| changed(*state));
        states.map(|(name, _)| &**name).collect()
    }
}

type KeyedCases<'a> = Vec<(CaseParts, &'a str)>;

impl<'a> Generation<'a> {
    /// Returns the parts of all cases, and the cases that must be made. The other cases are in the package from an
    /// earlier run, and are added to the stage.
    fn recall_cases(
        &self,
        memory: &Memory,
        stage: &Stage,
    ) -> Result<(KeyedCases<'a>, Vec<&'a RecipeCase>), JudgeError> {
        let data = self.data_dir();
        let (mut keys, mut missing) = (Vec::new(), Vec::new());
        let mut maker = CaseKeys::new(self.bench);
        for case in &self.recipe.cases {
            let key = if memory.is_enabled() { maker.parts_of(case) } else { None };
            let Some(key) = key else {
                missing.push(case);
                continue;
            };
            if !memory.recall(&key, &case.name, &data, stage)? {
                missing.push(case);
            }
            keys.push((key, case.name.as_str()));
        }
        Ok((keys, missing))
    }

    /// Links the cases that share the files of another case.
    fn add_links(&self, stage: &Stage) -> Result<(), JudgeError> {
        for link in &self.recipe.links {
            for extension in stage.extensions(&link.target) {
                stage.link(&link.name, &extension, &file_name(&link.target, &extension))?;
            }
        }
        Ok(())
    }

    /// Writes everything into the package and remembers it, or reports how the package differs.
    fn place_all(
        &self,
        stage: &Stage,
        memory: &Memory,
        keys: &[(CaseParts, &str)],
        generated: &mut GenerationResult,
    ) -> Result<(), Stop> {
        let recipe = self.recipe;
        let names = recipe.cases.iter().map(|case| &*case.name);
        let names = names.chain(recipe.links.iter().map(|link| &*link.name));
        let files = recipe.files.iter().map(|file| file.name.clone());
        let recipe_files = stage.files(names.clone()).chain(files).collect();
        let Some(mut prepared) = self.prepare(stage, names, &recipe_files, generated)? else {
            return Ok(());
        };
        let data = self.data_dir();
        for file in &recipe.files {
            let (target, contents) = (data.join(&file.name), file.contents.as_bytes());
            let (state, ready) = files::prepare_file(&target, contents, self.mode)?;
            prepared.states.push((file.name.clone(), state));
            prepared.ready.extend(ready);
        }
        if self.mode == GenerateMode::Write {
            let diagnostics = &mut generated.diagnostics;
            let replaced =
                changes::replaced_files(self, memory, &data, &prepared.ready, diagnostics);
            if self.validates {
                let changed = prepared.changed_names();
                changes::check_changed(self, stage, &changed, diagnostics)?;
            }
            if generated.has_errors() {
                return Ok(());
            }
            generated.diagnostics.extend(changes::keep_replaced(memory, &data, &replaced));
        }
        self.place_prepared(prepared, generated)?;
        let mut unlisted = files::unlisted_files(&data, &recipe_files)?;
        let leftover = files::leftover_files(&unlisted, &recipe_files);
        if !(self.removes_leftovers && self.mode == GenerateMode::Write) {
            generated.diagnostics.extend(changes::leftover_warning(&data, leftover));
        } else {
            let is_gone = |name: &String| {
                leftover.contains(name) || memory.origin(name, &data) == FileOrigin::Juror
            };
            let removed: Vec<String> = unlisted.extract_if(.., |name| is_gone(name)).collect();
            files::remove_files(&data, &removed)?;
            for name in files::display_names(removed) {
                self.announce(generated, &name, GeneratedState::Removed);
            }
        }
        for name in files::display_names(unlisted) {
            self.announce(generated, &name, GeneratedState::Unknown);
        }
        // What `--check` found may not be what the recipe makes.
        if self.mode == GenerateMode::Write || generated.differing == 0 && !generated.has_errors() {
            memory.remember(keys, stage, &data, &recipe_files);
        }
        Ok(())
    }

    /// Prepares these cases for the package, or finds how they differ. `None` if something is in the way. `recipe_files`
    /// are all files that the recipe makes.
    fn prepare<'n>(
        &self,
        stage: &Stage,
        names: impl Iterator<Item = &'n str>,
        recipe_files: &BTreeSet<String>,
        generated: &mut GenerationResult,
    ) -> Result<Option<PreparedFiles>, JudgeError> {
        let data = self.data_dir();
        let obstacles = files::obstacles(&data, recipe_files);
        if !obstacles.is_empty() {
            generated.diagnostics.extend(obstacles);
            return Ok(None);
        }
        let _claim = match self.mode {
            GenerateMode::Write => files::lock_package(&self.bench.problem.dir, &data),
            GenerateMode::Check => None,
        };
        let mut prepared = PreparedFiles { _claim, ..PreparedFiles::default() };
        for name in names {
            let state = files::prepare_case(stage, &data, name, self.mode, &mut prepared.ready)?;
            prepared.states.push((name.to_owned(), state));
        }
        Ok(Some(prepared))
    }

    fn place_prepared(
        &self,
        prepared: PreparedFiles,
        generated: &mut GenerationResult,
    ) -> Result<(), JudgeError> {
        prepared.ready.into_iter().try_for_each(PreparedFile::place)?;
        for (name, state) in prepared.states {
            self.announce(generated, &name, state);
        }
        Ok(())
    }

    fn data_dir(&self) -> FilePath {
        let problem = self.bench.problem;
        problem.dir.join(problem.layout.data)
    }

    fn announce(&self, generated: &mut GenerationResult, name: &str, state: GeneratedState) {
        use GeneratedState::{Changed, Created, Removed, Unchanged};
        let settled = matches!(state, Created | Changed | Unchanged | Removed);
        generated.differing += usize::from(!settled);
        (self.bench.events)(Event::CaseGenerated { test_case: name.to_owned(), state });
    }
}
