//! Compares a package's test data with its recipe, without starting a program.
//!
//! What an earlier run made is compared by the digests that it left. What stands in the recipe is compared with it:
//! names, inputs, answers and copies.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::recipe::changes::{NAMES_MAX, leftover_warning};
use crate::recipe::files::has_contents;
use crate::recipe::memory::{FileOrigin, KnownCase, Memory};
use juror_core::blob::Blob;
use juror_core::diagnostic::{Diagnostic, SourcePlace};
use juror_core::judgement::JudgeError;
use juror_core::recipe::{
    AnswerSource, CASE_EXTENSIONS, GivenContents, InputSource, LEGACY_CASE_EXTENSIONS, Recipe,
    RecipeCase,
};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::text::short_list;
use juror_judging::build::bench::Bench;
use juror_judging::recipe::inputs::generator_command;
use juror_judging::recipe::keys::{CaseKeys, CaseParts};
use juror_judging::recipe::stage::file_name;

#[derive(Debug, Default)]
pub struct ComparisonResult {
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of test cases with files that only a generator or a solution can show to be right.
    pub uncompared: usize,
}

/// `memory_dir` is the directory of the memory of earlier runs.
pub fn compare_with_recipe(
    bench: Bench<'_>,
    recipe: &Recipe,
    memory_dir: Option<&Path>,
) -> Result<ComparisonResult, Stop> {
    let problem = bench.problem;
    let data = problem.dir.join(problem.layout.data);
    let memory = Memory::read(memory_dir, &problem.dir);
    let mut comparison = Comparison { data, memory, ..Comparison::default() };
    let mut keys = CaseKeys::new(bench);
    let mut uncompared = 0;
    for case in &recipe.cases {
        if comparison.data.join(file_name(&case.name, "in")).is_missing() {
            comparison.missing.push(case.name.clone());
        } else if !comparison.compare_with_memory(case, &mut keys) {
            let is_whole = comparison.compare_with_text(case, problem.layout.is_before_2025_09)?;
            uncompared += usize::from(!is_whole);
        }
    }
    for link in &recipe.links {
        if comparison.data.join(file_name(&link.name, "in")).is_missing() {
            comparison.missing.push(link.name.clone());
        }
    }
    for file in &recipe.files {
        comparison.compare_file(&file.name, file.contents.as_bytes())?;
    }
    let leftover = comparison.find_leftover(&bench, recipe);
    Ok(ComparisonResult { diagnostics: comparison.to_diagnostics(leftover), uncompared })
}

#[derive(Default)]
struct Comparison {
    data: FilePath,
    memory: Memory,
    missing: Vec<String>,
    edited: Vec<String>,
    /// By what changed since the data was made: where it is, and the names of the cases.
    stale: BTreeMap<(ChangedPart, PathBuf), (SourcePlace, Vec<String>)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ChangedPart {
    Recipe,
    Generator,
    Solution,
}

/// The first part that differs, and its place.
fn changed_part(
    case: &RecipeCase,
    before: &CaseParts,
    now: &CaseParts,
) -> (ChangedPart, SourcePlace) {
    match (generator_command(case), &case.answer) {
        (Some(command), _) if before.recipe == now.recipe && before.generator != now.generator => {
            (ChangedPart::Generator, (&command.program.path).into())
        }
        (_, AnswerSource::Solution(path)) if before.recipe == now.recipe => {
            (ChangedPart::Solution, path.into())
        }
        _ => (ChangedPart::Recipe, case.place.clone()),
    }
}

impl Comparison {
    /// Returns whether an earlier run made the case, so that all is known about it.
    fn compare_with_memory(&mut self, case: &RecipeCase, keys: &mut CaseKeys<'_>) -> bool {
        let Some(named) = self.memory.known_case(&case.name) else { return false };
        let Some(parts) = keys.parts_of(case) else { return false };
        let is_same = |known: &&KnownCase| known.parts.are_of_same_sources(&parts);
        if is_same(&named) {
            let edited: Vec<String> = named.changed_files(&case.name, &self.data).collect();
            self.edited.extend(edited);
            return true;
        }
        // In a list, a case may have got the number of another one.
        let mut others = self.memory.known_cases().filter(is_same);
        if others.any(|known| known.changed_files(&case.name, &self.data).next().is_none()) {
            return true;
        }
        // Somebody else may have made the data again.
        if named.changed_files(&case.name, &self.data).next().is_some() {
            return false;
        }
        let (part, place) = changed_part(case, &named.parts, &parts);
        let key = (part, place.path.clone());
        self.stale.entry(key).or_insert((place, Vec::new())).1.push(case.name.clone());
        true
    }

    /// Compares what stands in the recipe. Returns whether that is all of the case.
    fn compare_with_text(&mut self, case: &RecipeCase, is_old: bool) -> Result<bool, JudgeError> {
        let mut given: BTreeMap<&str, Blob> = BTreeMap::new();
        if let InputSource::Literal(text) = &case.input {
            given.insert("in", text.as_bytes().into());
        }
        // Copies come after generated files, and texts after copies.
        if let Some(base) = &case.copy {
            let old = LEGACY_CASE_EXTENSIONS.into_iter().filter(|_| is_old);
            for extension in CASE_EXTENSIONS.into_iter().chain(old) {
                let path = base.with_added_extension(extension);
                if path.is_file() {
                    given.insert(extension, Blob::file(&path));
                }
            }
        }
        for file in &case.files {
            match &file.contents {
                GivenContents::Text(text) => given.insert(&file.extension, text.as_bytes().into()),
                GivenContents::Link(_) => given.remove(&*file.extension),
            };
        }
        for (extension, contents) in &given {
            let contents = contents
                .open()
                .map_err(|error| JudgeError::new(format!("read {contents}"), error))?;
            self.compare_file(&file_name(&case.name, extension), contents)?;
        }
        let is_made = matches!(case.answer, AnswerSource::Solution(_));
        Ok(given.contains_key("in") && (given.contains_key("ans") || !is_made))
    }

    fn compare_file(&mut self, name: &str, contents: impl Read) -> Result<(), JudgeError> {
        let path = self.data.join(name);
        let same = has_contents(contents, &path).map_err(JudgeError::on_file("compare", &path))?;
        if same != Some(true) {
            self.edited.push(name.to_owned());
        }
        Ok(())
    }

    /// The inputs that the recipe does not make, in directories that it fills, or that it filled earlier.
    fn find_leftover(&self, bench: &Bench<'_>, recipe: &Recipe) -> BTreeSet<String> {
        let above = |name: &str| name.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
        let made = recipe.cases.iter().map(|case| &case.name);
        let made: HashSet<&String> =
            made.chain(recipe.links.iter().map(|link| &link.name)).collect();
        let filled: HashSet<String> = made.iter().map(|name| above(name)).collect();
        let there = &bench.problem.test_data;
        let there = there.cases.iter().chain(there.examples()).map(|case| &case.name);
        let others = there.filter(|name| !made.contains(name));
        let files = others.map(|name| (name, file_name(name, "in")));
        let is_left = |(name, file): &(&String, String)| {
            filled.contains(&above(name))
                || self.memory.origin(file, &self.data) == FileOrigin::Juror
        };
        files.filter(is_left).map(|(_, file)| file).collect()
    }

    fn to_diagnostics(&self, leftover: BTreeSet<String>) -> Vec<Diagnostic> {
        let list = |names: &[String]| short_list(names, NAMES_MAX);
        let mut found = Vec::new();
        if !self.missing.is_empty() {
            let message = format!("lacks what the recipe makes: {}", list(&self.missing));
            let help = "`juror generate` makes it";
            found.push(Diagnostic::warning(&self.data, message).help(help));
        }
        for ((part, _), (place, names)) in &self.stale {
            let what = match part {
                ChangedPart::Recipe => {
                    "the recipe, or a file that it copies, was changed since it made"
                }
                ChangedPart::Generator => "was changed since it made the inputs of",
                ChangedPart::Solution => "was changed since it made the answers of",
            };
            let warning = Diagnostic::warning(place, format!("{what} {}", list(names)));
            found.push(warning.help("`juror generate` makes the data again"));
        }
        if let Some(first) = self.edited.first() {
            let (place, differs, it) = match self.edited.len() {
                1 => (self.data.join(first), "differs", "it"),
                _ => (self.data.clone(), "differ", "them"),
            };
            let message = format!("{differs} from what the recipe makes: {}", list(&self.edited));
            let help = format!(
                "move the change into the recipe, or let `juror generate --force` replace {it}"
            );
            found.push(Diagnostic::warning(place, message).help(help));
        }
        found.extend(leftover_warning(&self.data, leftover));
        found
    }
}
