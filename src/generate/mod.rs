//! Makes test data from a package's recipe, and verifies that it matches its recipe.
//!
//! All files are first made in a separate directory. The package changes only after all of them exist. Each file is
//! written next to its target, then renamed.

mod answers;
pub mod files;
pub mod fresh;
mod inputs;
mod memory;
pub mod missing;
mod patterns;
mod programs;
mod repeat;
mod run;
pub mod seed;
pub mod solution;
pub mod stage;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

use crate::build::bench::Bench;
use crate::generate::files::Ready;
use crate::generate::inputs::{Digests, Generators};
use crate::generate::memory::{Keys, Memory};
use crate::generate::stage::{Stage, file_name};
use crate::model::diagnostic::Diagnostic;
use crate::model::event::{Event, GeneratedState};
use crate::model::judgement::JudgeError;
use crate::model::recipe::{Recipe, RecipeCase};
use crate::model::root::FilePath;
use crate::model::stop::Stop;

pub struct Generating<'a> {
    /// The problem, whose test data may be missing, and where generators and solutions run.
    pub bench: Bench<'a>,
    pub recipe: &'a Recipe,
    pub mode: Mode,
    /// Whether everything is made, even files that exist from an earlier run.
    pub fresh: bool,
    /// Whether the files of cases and groups that the recipe does not make are removed.
    pub prune: bool,
    /// The directory of the memory of earlier runs.
    pub kept: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Write,
    /// Write nothing. Report what differs, and generators that are not reproducible.
    Check,
}

#[derive(Debug, Default)]
pub struct Generated {
    /// If one is an error, nothing was written.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of test cases that differ from the recipe.
    pub differing: usize,
}

impl Generated {
    fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Fails if a generator does not build or the judge fails: a missing compiler, a full disk.
pub fn generate(generating: &Generating<'_>) -> Result<Generated, Stop> {
    let mut generated = Generated::default();
    let found = &mut generated.diagnostics;
    let stage = Stage::new()?;
    let memory = Memory::open(generating);
    let (keys, left) = generating.remembered(&memory, &stage)?;
    let made = make(&generating.bench, &stage, &left, found)?;
    if generated.has_errors() {
        return Ok(generated);
    }
    generating.link(&stage)?;
    let found = &mut generated.diagnostics;
    found.extend(patterns::search(generating.recipe, &stage)?);
    if generated.has_errors() {
        return Ok(generated);
    }
    if generating.mode == Mode::Check {
        // Differences in the package are still reported: nothing is written in this mode.
        let found = &mut generated.diagnostics;
        repeat::prove(generating, &stage, &made, found)?;
    }
    generating.place_all(&stage, &memory, &keys, &mut generated)?;
    Ok(generated)
}

/// Makes these cases of the recipe, whose inputs need no generator. Other cases and the memory do not change.
pub fn add(generating: &Generating<'_>, names: &[String]) -> Result<Generated, Stop> {
    let mut generated = Generated::default();
    let stage = Stage::new()?;
    let cases = generating.recipe.cases.iter();
    let cases: Vec<&RecipeCase> = cases.filter(|case| names.contains(&case.name)).collect();
    make(&generating.bench, &stage, &cases, &mut generated.diagnostics)?;
    if !generated.has_errors() {
        let names = || cases.iter().map(|case| &*case.name);
        let named = stage.files(names()).collect();
        if let Some(placing) = generating.prepare(&stage, names(), &named, &mut generated)? {
            generating.finish(placing, &mut generated)?;
        }
    }
    Ok(generated)
}

/// The results of generators. `ended_at` is the time when the last one ended.
struct Made<'a> {
    generators: Generators<'a>,
    digests: Digests,
    at: Instant,
}

/// Makes inputs, further files and answers of these cases on the stage. Adds the reasons for failures to `found`.
fn make<'a>(
    bench: &Bench<'_>,
    stage: &Stage,
    cases: &[&'a RecipeCase],
    found: &mut Vec<Diagnostic>,
) -> Result<Made<'a>, Stop> {
    let generators = inputs::generators(bench, cases)?;
    let digests = inputs::make(bench, stage, &generators, cases, found)?;
    let at = Instant::now();
    // The faults of all cases are reported at once.
    let made = cases.iter().copied().filter(|case| digests.contains_key(&case.name));
    answers::make(bench, stage, &made.collect::<Vec<_>>(), found)?;
    Ok(Made { generators, digests, at })
}

/// Files that are complete but not in place yet. So the package does not change if the disk is full.
#[derive(Default)]
struct Placing {
    states: Vec<(String, GeneratedState)>,
    ready: Vec<Ready>,
    _claim: Option<File>,
}

type Keyed<'a> = Vec<(String, &'a str)>;

impl<'a> Generating<'a> {
    /// Returns the keys of all cases, and the cases that must be made. The other cases are in the package from an
    /// earlier run, and are added to the stage.
    fn remembered(
        &self,
        memory: &Memory,
        stage: &Stage,
    ) -> Result<(Keyed<'a>, Vec<&'a RecipeCase>), JudgeError> {
        let data = self.data_dir();
        let (mut keys, mut left) = (Vec::new(), Vec::new());
        let mut maker = Keys::new(self.bench);
        for case in &self.recipe.cases {
            let key = if memory.is_on() { maker.of(case) } else { None };
            let Some(key) = key else {
                left.push(case);
                continue;
            };
            if !memory.recall(&key, &case.name, &data, stage)? {
                left.push(case);
            }
            keys.push((key, case.name.as_str()));
        }
        Ok((keys, left))
    }

    /// Links the cases that share the files of another case.
    fn link(&self, stage: &Stage) -> Result<(), JudgeError> {
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
        keys: &[(String, &str)],
        generated: &mut Generated,
    ) -> Result<(), JudgeError> {
        let recipe = self.recipe;
        let names = recipe.cases.iter().map(|case| &*case.name);
        let names = names.chain(recipe.links.iter().map(|link| &*link.name));
        let files = recipe.files.iter().map(|file| file.name.clone());
        let named = stage.files(names.clone()).chain(files).collect();
        let Some(mut placing) = self.prepare(stage, names, &named, generated)? else {
            return Ok(());
        };
        let data = self.data_dir();
        for file in &recipe.files {
            let (target, contents) = (data.join(&file.name), file.contents.as_bytes());
            let (state, ready) = files::prepare_file(&target, contents, self.mode)?;
            placing.states.push((file.name.clone(), state));
            placing.ready.extend(ready);
        }
        self.finish(placing, generated)?;
        let mut unlisted = files::unlisted(&data, &named)?;
        if self.prune && self.mode == Mode::Write {
            let left = files::left_over(&unlisted, &named);
            let goes = |name: &String| left.contains(name) || memory.has_made(name, &data);
            let gone: Vec<String> = unlisted.extract_if(.., |name| goes(name)).collect();
            files::remove(&data, &gone)?;
            for name in files::told(gone) {
                self.announce(generated, &name, GeneratedState::Removed);
            }
        }
        for name in files::told(unlisted) {
            self.announce(generated, &name, GeneratedState::Unknown);
        }
        memory.keep(keys, stage, &data, &named);
        Ok(())
    }

    /// Prepares these cases for the package, or finds how they differ. `None` if something is in the way. `named` are
    /// all files that the recipe makes.
    fn prepare<'n>(
        &self,
        stage: &Stage,
        names: impl Iterator<Item = &'n str>,
        named: &BTreeSet<String>,
        generated: &mut Generated,
    ) -> Result<Option<Placing>, JudgeError> {
        let data = self.data_dir();
        let obstacles = files::obstacles(&data, named);
        if !obstacles.is_empty() {
            generated.diagnostics.extend(obstacles);
            return Ok(None);
        }
        let _claim = match self.mode {
            Mode::Write => files::claim(&self.bench.problem.dir, &data),
            Mode::Check => None,
        };
        let mut placing = Placing { _claim, ..Placing::default() };
        for name in names {
            let state = files::prepare(stage, &data, name, self.mode, &mut placing.ready)?;
            placing.states.push((name.to_owned(), state));
        }
        Ok(Some(placing))
    }

    fn finish(&self, placing: Placing, generated: &mut Generated) -> Result<(), JudgeError> {
        placing.ready.into_iter().try_for_each(Ready::place)?;
        for (name, state) in placing.states {
            self.announce(generated, &name, state);
        }
        Ok(())
    }

    fn data_dir(&self) -> FilePath {
        let problem = self.bench.problem;
        problem.dir.join(problem.layout.data)
    }

    fn announce(&self, generated: &mut Generated, name: &str, state: GeneratedState) {
        use GeneratedState::{Changed, Created, Removed, Unchanged};
        let settled = matches!(state, Created | Changed | Unchanged | Removed);
        generated.differing += usize::from(!settled);
        (self.bench.events)(Event::CaseGenerated { test_case: name.to_owned(), state });
    }
}
