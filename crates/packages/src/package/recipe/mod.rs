//! `generators/generators.yaml`: how the test data is made.
//!
//! Source: the generators documentation of BAPCtools. Features that juror lacks are reported.
//!
//! Entries are flattened to one list of test cases with their commands while they are read: settings of a directory
//! hold for all below it, and faults can name the line of the entry.

mod case_entry;
mod command;
mod contents;
mod include;
#[cfg(feature = "writers")]
pub mod insert;
mod names;
mod python_regex;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;

use crate::package::faults::Faults;
use crate::package::files::{is_valid_name, join_name};
use crate::package::node::{Map, Node, ParseResult, RenamedKeys, SettingsFile};
use crate::package::recipe::command::GeneratorPrograms;
use crate::package::recipe::include::{EntryCases, RecipeDirectory};
use crate::package::recipe::names::ListNumbers;
use crate::package::suggest::{comma_list, did_you_mean, nearest, path_meant};
use crate::package::text::excerpt;
use crate::package::values::{at_most, nonempty_text, positive, text};
use crate::package::yaml::{self, RawValue, Value};
use crate::package::yaml_text;
use juror_core::diagnostic::Diagnostic;
use juror_core::problem::Problem;
use juror_core::program::Constant;
use juror_core::recipe::{CASE_EXTENSIONS, GROUP_FILES, Recipe, RecipeFile};
use juror_core::root::FilePath;

pub const DIRECTORY: &str = "generators";

pub const NAME: &str = "generators.yaml";

pub const PATH: &str = "generators/generators.yaml";

#[derive(Debug)]
pub struct RecipeReading {
    pub recipe: Option<Recipe>,
    pub diagnostics: Vec<Diagnostic>,
}

pub fn read_for_problem(path: &FilePath, problem: &Problem) -> RecipeReading {
    read(path, &problem.dir, &problem.constants, problem.layout.is_before_2025_09)
}

/// Reads the recipe of the package in `dir`, whose problem has these constants. `is_old`: the package is in a version
/// before 2025-09.
pub fn read(
    path: &FilePath,
    dir: &FilePath,
    constants: &[Constant],
    is_old: bool,
) -> RecipeReading {
    let faults = Faults::default();
    let document = SettingsFile::read(path, &faults, yaml::parse_with_unique_keys);
    let root = document.as_ref().and_then(|document| document.root().non_null());
    let recipe = root.map(|root| {
        let cases = root.raw.get("data").map_or(0, names::numbered_cases);
        let mut reader = RecipeReader {
            dir,
            is_old,
            programs: GeneratorPrograms::new(dir.join(DIRECTORY), constants),
            numbers: ListNumbers::up_to(cases),
            directories: Vec::new(),
            has_entries: false,
            is_reported_full: false,
            lines_by_name: HashMap::new(),
            lines_by_folded_name: HashMap::new(),
            lines_by_command: HashMap::new(),
            recipe: Recipe {
                path: path.to_owned(),
                cases: Vec::new(),
                links: Vec::new(),
                files: Vec::new(),
            },
        };
        reader.read_root(&root);
        let mut recipe = reader.recipe;
        recipe.cases.sort_by(|a, b| a.name.cmp(&b.name));
        recipe.links.sort_by(|a, b| a.name.cmp(&b.name));
        recipe
    });
    if document.is_some() && recipe.is_none() {
        faults.error(path, "is empty", "describe the test data under `data:`");
    }
    RecipeReading { recipe, diagnostics: faults.into_sorted() }
}

/// The directories of `data/` that a recipe can fill. `fuzz` holds inputs that the fuzzer of BAPCtools found.
const TOP_DIRECTORIES: [&str; 7] = [
    "sample",
    "secret",
    "invalid_input",
    "invalid_answer",
    "invalid_output",
    "valid_output",
    "fuzz",
];

/// Directories that a recipe can fill as well, in packages before format 2025-09. Judges overlook them.
const OLD_TOP_DIRECTORIES: [&str; 4] =
    ["invalid_inputs", "invalid_answers", "invalid_outputs", "bad"];

/// Upper bound on the cases of a recipe, including links; it stops mistakes in a `count` or `include`.
const MAX_CASES: usize = 50_000;

const MAX_TRIES: u32 = 1000;

const NAME_HELP: &str = "letters, digits, `_`, `-` and `.`, with a letter, digit or `_` first";

const INPUT_KEYS: [&str; 3] = ["generate", "copy", "in"];

const RENAMED_DIRECTORY_KEYS: RenamedKeys = &[
    ("type", "a directory is what has `data`; remove the line"),
    ("test_group.yaml", "in packages before format 2025-09: `testdata.yaml`"),
    ("testdata.yaml", "in format 2025-09: `test_group.yaml`"),
    ("count", "`count` belongs to a test case, next to its `generate`"),
    ("include", "write it in the directory for the cases"),
];

struct RecipeReader<'a> {
    dir: &'a FilePath,
    /// Whether the package is in a version before 2025-09, in which hints and settings of groups have other files.
    is_old: bool,
    programs: GeneratorPrograms,
    numbers: ListNumbers,
    directories: Vec<RecipeDirectory<'a>>,
    /// Whether there is any entry for cases, valid or not.
    has_entries: bool,
    is_reported_full: bool,
    /// The line of each name below `data/`.
    lines_by_name: HashMap<String, u32>,
    /// The same, with the last part of the name in lower case.
    lines_by_folded_name: HashMap<String, u32>,
    /// The line of each command, keyed by the text that its seed is computed from.
    lines_by_command: HashMap<String, u32>,
    recipe: Recipe,
}

/// Settings of a directory that its contents inherit.
#[derive(Clone, Default)]
struct Scope {
    /// The path below `data/`; empty at the root.
    name: String,
    /// The same path as written in the recipe, without numbers.
    key_path: String,
    solution: Option<FilePath>,
    random_salt: String,
    tries: u32,
    output_validator_args: Option<Vec<String>>,
}

impl Scope {
    fn is_root(&self) -> bool {
        self.key_path.is_empty()
    }

    fn inner(&self, key: &str, name: &str) -> Self {
        Self {
            name: join_name(&self.name, name),
            key_path: join_name(&self.key_path, if key.is_empty() { name } else { key }),
            ..self.clone()
        }
    }
}

impl<'a> RecipeReader<'a> {
    fn read_root(&mut self, root: &Node<'a>) {
        // Its fault is already reported.
        let _reported = self.read_directory(root, Scope { tries: 1, ..Scope::default() });
        for (link, node) in include::resolve_includes(&self.directories) {
            if self.report_if_full(&node) {
                break;
            }
            if self.claim_name(&link.name, &node) {
                self.recipe.links.push(link);
            }
        }
        if !self.has_entries {
            root.at_file().warning("describes no test case", "add cases under `data:`");
        }
    }

    fn read_directory(&mut self, node: &Node<'a>, mut scope: Scope) -> ParseResult<()> {
        let has = |key: &str| node.raw.get(key).is_some();
        let is_case = !["data", "include"].into_iter().chain(GROUP_FILES).any(has);
        if is_case && scope.name.contains('/') && !node.raw.entries().is_empty() {
            let message = format!("`{}` has no input and no `data`", excerpt(node.key));
            let help =
                "give a test case one of `generate`, `copy` and `in`; give a directory `data`";
            return Err(node.at_key().error(message, help));
        }
        let mut map =
            node.named_map("", &scope.key_path)?.with_renamed_keys(RENAMED_DIRECTORY_KEYS);
        self.read_settings(node.raw, &mut map, &mut scope);
        if self.is_old {
            map.node("type");
        }
        let settings = GROUP_FILES[usize::from(self.is_old)];
        if let Some(Node { raw, .. }) = map.node(settings) {
            scope.output_validator_args = contents::read_output_validator_args(raw);
            let contents = match &raw.value {
                Value::Map(entries) if entries.is_empty() => String::new(),
                _ => yaml_text::write(raw),
            };
            let name = join_name(&scope.name, settings);
            self.recipe.files.push(RecipeFile { name, contents });
        }
        let mut includes = Vec::new();
        if scope.is_root() {
            map.get("generators", |node| self.programs.add_listed(node));
            map.get("version", text);
        } else {
            map.set("include", &mut includes, read_includes);
        }
        let data = map.node("data");
        let cases = data.map(|data| self.read_data(&data, &scope)).unwrap_or_default();
        report_unknown_keys(&mut map, &scope);
        let Scope { name, key_path: keys, .. } = scope;
        self.directories.push(RecipeDirectory { name, key_path: keys, includes, cases });
        Ok(())
    }

    /// `solution`, `random_salt`, `retries` and `visualizer`, which directories and cases may set.
    fn read_settings(&self, raw: &RawValue, map: &mut Map<'a>, scope: &mut Scope) {
        // Only where it is written: it is not listed among the known keys.
        let visualizer = raw.get("visualizer").and_then(|_| map.node("visualizer"));
        if let Some(node) = visualizer.filter(|node| !node.is_null()) {
            let help = "remove it: juror draws no pictures from recipes; in format 2025-09 visualizers have directories";
            node.at_key().warning("`visualizer` is ignored", help);
        }
        if let Some(node) = map.node("solution") {
            scope.solution = self.read_solution(&node).ok().flatten();
        }
        if let Some(node) = map.node("random_salt") {
            scope.random_salt =
                if node.is_null() { None } else { text(&node).ok() }.unwrap_or_default();
        }
        map.set("retries", &mut scope.tries, |node| {
            at_most(MAX_TRIES, positive::<u32>(node, "starts of a generator")?, node)
        });
    }

    /// A path from the package's directory, such as `/submissions/accepted/a.rs`; may be empty.
    fn read_solution(&self, node: &Node<'_>) -> ParseResult<Option<FilePath>> {
        if node.is_null() {
            return Ok(None);
        }
        let text = text(node)?;
        match text.strip_prefix('/') {
            Some(below) => self.existing_path(below, node).map(Some),
            None if text.is_empty() => Ok(None),
            None => {
                let message = format!("`solution` must start with `/`, not `{}`", excerpt(&text));
                Err(node.error(message, format!("the package is the root: /{}", excerpt(&text))))
            }
        }
    }

    /// A path below the package's directory that exists and does not leave it.
    fn existing_path(&self, below: &str, node: &Node<'_>) -> ParseResult<FilePath> {
        let path = self.dir.join(below);
        if !is_normal_path(below) {
            let message = format!("`{}` leads out of the package: `{}`", node.key, excerpt(below));
            return Err(node.error(message, "give a file in the package"));
        }
        if !path.exists() {
            let meant = path_meant(below, self.dir).map(|path| did_you_mean(&format!("/{path}")));
            let help = meant.unwrap_or_else(|| format!("{} does not exist", path.display()));
            return Err(node.error(format!("there is no `{}`", excerpt(below)), help));
        }
        Ok(path)
    }

    /// Reads the contents of a directory; returns the entries for cases directly in it.
    fn read_data(&mut self, data: &Node<'a>, scope: &Scope) -> Vec<EntryCases> {
        let mut cases = Vec::new();
        match &data.raw.value {
            Value::Sequence(items) if !scope.is_root() => {
                let mut groups = Some(ListNumbers::up_to(names::numbered_groups(items)));
                for item in data.items("a list of names to cases").into_iter().flatten() {
                    match &item.raw.value {
                        Value::Map(entries) if entries.len() == 1 => {
                            for entry in item.entries("a map").into_iter().flatten() {
                                self.read_child(&entry, scope, &mut groups, &mut cases);
                            }
                        }
                        Value::Broken => {}
                        _ => {
                            self.has_entries = true;
                            let message = "an item of a list must have one name: `- NAME: COMMAND`";
                            let help = "each item gets a number; write an item for each case";
                            item.error(message, help);
                        }
                    }
                }
            }
            _ => {
                let expected = if scope.is_root() {
                    "a map of directories such as `sample` and `secret`"
                } else {
                    "a map of names to cases, or a list of such for numbers"
                };
                // A map has no order, so the order of names decides the numbers of the cases in it.
                let mut entries: Vec<Node<'_>> =
                    data.entries(expected).into_iter().flatten().collect();
                entries.sort_by_key(|entry| entry.key);
                for entry in &entries {
                    self.read_child(entry, scope, &mut None, &mut cases);
                }
            }
        }
        cases
    }

    /// Reads a directory or a case. In a list, directories are numbered; the numbers of cases run through the whole
    /// recipe.
    fn read_child(
        &mut self,
        node: &Node<'a>,
        scope: &Scope,
        groups: &mut Option<ListNumbers>,
        cases: &mut Vec<EntryCases>,
    ) {
        let numbered = groups.is_some();
        let older: &[&str] = if self.is_old { &OLD_TOP_DIRECTORIES } else { &[] };
        if check_name(node, scope, numbered, older).is_err() {
            return;
        }
        if !is_directory(node.raw) {
            self.read_cases(node, scope, numbered, cases);
            return;
        }
        let name = match groups {
            Some(groups) => groups.next_name(node.key),
            None => node.key.to_owned(),
        };
        let inner = scope.inner(node.key, &name);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        if ending == "files" || CASE_EXTENSIONS.contains(&ending) {
            let message = format!("`{}` cannot be the name of a directory", excerpt(&name));
            node.at_key()
                .error(message, format!("rename it: files of test cases end in .{ending}"));
        } else if self.claim_name(&inner.name, node) {
            // Its fault is already reported.
            let _reported = self.read_directory(node, inner);
        }
    }

    /// Reports a name that something else already has.
    fn claim_name(&mut self, name: &str, node: &Node<'_>) -> bool {
        if let Some(line) = self.lines_by_name.get(name) {
            let message = format!("`{name}` is given twice; first on line {line}");
            node.at_key().error(message, "rename one of the two");
            return false;
        }
        let (above, last) = name.rsplit_once('/').unwrap_or(("", name));
        let folded = join_name(above, &last.to_lowercase());
        if let Some(line) = self.lines_by_folded_name.insert(folded, node.key_line()) {
            let message = format!("`{name}` differs from the name on line {line} only in case");
            node.at_key().warning(message, "rename one: for macOS and Windows, they are one file");
        }
        self.lines_by_name.insert(name.to_owned(), node.key_line());
        true
    }

    /// Whether the recipe may have no more cases. Reports that once.
    fn report_if_full(&mut self, node: &Node<'_>) -> bool {
        let is_full = self.recipe.cases.len() + self.recipe.links.len() >= MAX_CASES;
        if is_full && !self.is_reported_full {
            self.is_reported_full = true;
            let message = format!("makes too many cases: a recipe has at most {MAX_CASES} cases");
            node.at_key().error(message, "make fewer, larger cases");
        }
        is_full
    }
}

fn read_includes<'a>(node: &Node<'a>) -> ParseResult<Vec<Node<'a>>> {
    let items = node.items("a sequence of directories and test cases")?;
    Ok(items.filter(|item| nonempty_text(item).is_ok()).collect())
}

/// Reports an invalid name of an entry. `older` are directories that only earlier versions have.
fn check_name(node: &Node<'_>, scope: &Scope, numbered: bool, older: &[&str]) -> ParseResult<()> {
    let key = node.key;
    if scope.is_root() && !TOP_DIRECTORIES.contains(&key) && !older.contains(&key) {
        let message = format!("`data/{}` holds no test cases", excerpt(key));
        return Err(node
            .at_key()
            .error(message, format!("the directories are {}", TOP_DIRECTORIES.join(", "))));
    }
    if scope.is_root() && !is_directory(node.raw) {
        let message = format!("`{}` must be a directory", excerpt(key));
        return Err(node.at_key().error(message, format!("write `{key}: {{ data: ... }}`")));
    }
    if !(is_valid_name(key) || key.is_empty() && numbered) {
        let message = format!("`{}` cannot be the name of a file", excerpt(key));
        return Err(node.at_key().error(message, NAME_HELP));
    }
    Ok(())
}

/// Unknown keys of directories are for other tools and only get a warning; misspelt and misplaced ones are errors.
fn report_unknown_keys(map: &mut Map<'_>, scope: &Scope) {
    for node in map.take_rest() {
        let key = node.key;
        let is_misplaced = RENAMED_DIRECTORY_KEYS.iter().any(|(other, _)| *other == key)
            || is_case_key(key)
            || key == "<<";
        if is_misplaced || nearest(key, map.known_keys().iter().copied()).is_some() {
            let in_directory =
                if scope.is_root() { String::new() } else { format!(" in `{}`", scope.key_path) };
            node.at_key().error(
                format!("unknown key `{}`{in_directory}", excerpt(key)),
                map.help_for_key(key),
            );
        } else {
            let message = format!("`{}` is ignored: juror has no such key", excerpt(key));
            let known = comma_list(map.known_keys().iter().copied());
            let help = format!("fine if another tool reads it; known keys: {known}");
            node.at_key().warning(message, help);
        }
    }
}

fn is_case_key(key: &str) -> bool {
    let mut keys = INPUT_KEYS.into_iter().chain(CASE_EXTENSIONS).chain(["input", "count", "match"]);
    keys.any(|of_cases| of_cases == key)
}

/// Directories have `data` or another key of theirs, and cases do not; an empty map is a directory without cases.
fn is_directory(raw: &RawValue) -> bool {
    let has = |key: &str| raw.get(key).is_some();
    matches!(raw.value, Value::Map(_))
        && (["data", "include"].into_iter().chain(GROUP_FILES).any(has)
            || !raw.entries().iter().any(|entry| is_case_key(&entry.key)))
}

fn is_normal_path(path: &str) -> bool {
    let path = Path::new(path);
    let is_normal = |component| matches!(component, std::path::Component::Normal(_));
    path.components().next().is_some() && path.components().all(is_normal)
}
