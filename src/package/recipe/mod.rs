//! `generators/generators.yaml`: how the test data is made.
//!
//! Source: the generators documentation of BAPCtools. What juror leaves out is named when it is found.

mod command;
mod contents;
mod entry;
mod include;
pub mod insert;
mod names;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::model::diagnostic::Diagnostic;
use crate::model::recipe::{CASE_EXTENSIONS, Recipe, RecipeFile};
use crate::package::files::is_valid_name;
use crate::package::keys::{self, Keys, Replaced};
use crate::package::recipe::command::Programs;
use crate::package::recipe::include::{Directory, Include};
use crate::package::recipe::names::Numbers;
use crate::package::suggest::{list, nearest};
use crate::package::text::{Range, Remarks, TextFile, shown};
use crate::package::yaml::{self, Entry, Node, Parsed, Value};
use crate::package::yaml_text;

/// The directory of generators.
pub const DIRECTORY: &str = "generators";

/// The recipe's name in it.
pub const NAME: &str = "generators.yaml";

/// Where a recipe stands in a package.
pub const PATH: &str = "generators/generators.yaml";

/// What reading a recipe came to.
#[derive(Debug)]
pub struct RecipeReading {
    /// The recipe, as far as it could be understood.
    pub recipe: Option<Recipe>,
    /// Everything that is wrong, by line.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the recipe of the package in `dir`.
pub fn read(path: &Path, dir: &Path) -> RecipeReading {
    let mut diagnostics = Vec::new();
    let recipe = TextFile::read(path, &mut diagnostics).and_then(|file| {
        let mut remarks = Remarks::new(&file, &mut diagnostics);
        match yaml::parse(&mut remarks) {
            Parsed::Document(root) => Some(read_root(path, dir, &root, &mut remarks)),
            Parsed::Empty => {
                remarks.error_in_file("is empty", Some("describe the test data under `data:`"));
                None
            }
            Parsed::Unreadable => None,
        }
    });
    diagnostics.sort_by_key(|diagnostic| {
        let spot = diagnostic.place.spot.as_ref();
        spot.map_or([0, 0], |spot| [spot.line, spot.column])
    });
    RecipeReading { recipe, diagnostics }
}

fn read_root(path: &Path, dir: &Path, root: &Node, remarks: &mut Remarks<'_>) -> Recipe {
    let data = match &root.value {
        Value::Map(entries) => entries.iter().find(|entry| entry.key == "data"),
        _ => None,
    };
    let numbered = data.map_or(0, |data| names::numbered_cases(&data.value));
    let mut reader = Reader {
        dir,
        programs: Programs::new(dir.join(DIRECTORY)),
        numbers: Numbers::up_to(numbered),
        directories: Vec::new(),
        has_entries: false,
        is_reported_full: false,
        taken: HashMap::new(),
        seeded: HashMap::new(),
        recipe: Recipe {
            path: path.to_owned(),
            cases: Vec::new(),
            links: Vec::new(),
            files: Vec::new(),
        },
    };
    reader.root(root, remarks);
    let mut recipe = reader.recipe;
    recipe.cases.sort_by(|a, b| a.name.cmp(&b.name));
    recipe.links.sort_by(|a, b| a.name.cmp(&b.name));
    recipe
}

/// The directories of `data/` that a recipe can fill. `fuzz` holds what the fuzzer of BAPCtools found.
const TOP: [&str; 7] = [
    "sample",
    "secret",
    "invalid_input",
    "invalid_answer",
    "invalid_output",
    "valid_output",
    "fuzz",
];

/// So many cases a recipe may make, links among them; a slip in a `count` or `include` ends here.
const MOST_CASES: usize = 50_000;

/// What a name may be.
const NAME_HELP: &str = "letters, digits, `_`, `-` and `.`, with a letter, digit or `_` first";

const INPUT_KEYS: [&str; 3] = ["generate", "copy", "in"];

const DIRECTORY_OTHER: &[Replaced] = &[
    Replaced { old: "type", help: "a directory is what has `data`; remove the line" },
    Replaced { old: "testdata.yaml", help: "in format 2025-09: `test_group.yaml`" },
    Replaced { old: "count", help: "`count` belongs to a test case, beside its `generate`" },
    Replaced {
        old: "visualizer",
        help: "juror draws no pictures; in format 2025-09 visualizers have directories of their own",
    },
];

struct Reader<'a> {
    dir: &'a Path,
    programs: Programs,
    numbers: Numbers,
    directories: Vec<Directory>,
    /// Whether there is any entry for cases, right or wrong.
    has_entries: bool,
    is_reported_full: bool,
    /// The line of each name below `data/`.
    taken: HashMap<String, u32>,
    /// The line of each command that has a seed, with what else the seed is made of.
    seeded: HashMap<(String, String, i64), u32>,
    recipe: Recipe,
}

/// What a directory hands down to what is in it.
#[derive(Clone)]
struct Scope {
    /// The path below `data/`, empty at the root.
    name: String,
    /// The same as the recipe spells it, without numbers.
    keys: String,
    solution: Option<PathBuf>,
    random_salt: String,
    tries: u32,
    output_validator_args: Option<Vec<String>>,
}

impl Scope {
    fn is_root(&self) -> bool {
        self.keys.is_empty()
    }

    /// The same for something of this name.
    fn inner(&self, key: &str, name: &str) -> Self {
        Self {
            name: join(&self.name, name),
            keys: join(&self.keys, if key.is_empty() { name } else { key }),
            ..self.clone()
        }
    }
}

impl Reader<'_> {
    fn root(&mut self, root: &Node, remarks: &mut Remarks<'_>) {
        let scope = Scope {
            name: String::new(),
            keys: String::new(),
            solution: None,
            random_salt: String::new(),
            tries: 1,
            output_validator_args: None,
        };
        self.directory(root, scope, remarks);
        self.includes(remarks);
        if !self.has_entries {
            remarks.warning_in_file("describes no test case", Some("add cases under `data:`"));
        }
    }

    fn directory(&mut self, node: &Node, mut scope: Scope, remarks: &mut Remarks<'_>) {
        let Some(keys) = Keys::open(&scope.keys, node, remarks) else {
            return;
        };
        let mut keys = keys.replaced(DIRECTORY_OTHER);
        self.settings(&mut keys, &mut scope, remarks);
        if let Some(config) = keys.take("test_group.yaml") {
            scope.output_validator_args = contents::output_validator_args(config);
            self.recipe.files.push(RecipeFile {
                name: join(&scope.name, "test_group.yaml"),
                contents: match &config.value {
                    Value::Map(entries) if entries.is_empty() => String::new(),
                    _ => yaml_text::write(config),
                },
            });
        }
        let mut directory = Directory {
            name: scope.name.clone(),
            keys: scope.keys.clone(),
            includes: Vec::new(),
            cases: Vec::new(),
        };
        if scope.is_root() {
            if let Some(node) = keys.take("generators") {
                self.programs.list(node, remarks);
            }
            keys.text("version", remarks);
        } else if let Some(node) = keys.take("include") {
            let items = keys::sequence("include", "a sequence of directories", node, remarks);
            let include = |item: &Node, remarks: &mut Remarks<'_>| {
                Some(Include {
                    text: keys::filled_text("include", item, remarks)?,
                    range: item.range,
                })
            };
            let items = items.unwrap_or_default().iter();
            directory.includes = items.filter_map(|item| include(item, remarks)).collect();
        }
        if let Some(data) = keys.entry("data") {
            directory.cases = self.data(data, &scope, remarks);
        }
        self.directories.push(directory);
        match scope.is_root() {
            true => finish_root(&keys, remarks),
            false => keys.finish(remarks),
        }
    }

    /// `solution`, `random_salt` and `retries`, which directories and cases may set.
    fn settings(&self, keys: &mut Keys<'_>, scope: &mut Scope, remarks: &mut Remarks<'_>) {
        if let Some(node) = keys.take("solution") {
            let text = match keys::is_null(node) {
                true => None,
                false => keys::text("solution", node, remarks).filter(|text| !text.is_empty()),
            };
            scope.solution = text.and_then(|text| self.solution(&text, node.range, remarks));
        }
        if let Some(node) = keys.take("random_salt") {
            scope.random_salt = match keys::is_null(node) {
                true => String::new(),
                false => keys::text("random_salt", node, remarks).unwrap_or_default(),
            };
        }
        if let Some(node) = keys.take("retries") {
            let tries = keys::positive_integer("retries", "starts of a generator", node, remarks);
            if let Some(tries) = tries.and_then(|tries| u32::try_from(tries).ok()) {
                scope.tries = tries;
            }
        }
    }

    /// A path such as `/submissions/accepted/a.rs`, from the package's directory.
    fn solution(&self, text: &str, range: Range, remarks: &mut Remarks<'_>) -> Option<PathBuf> {
        let Some(below) = text.strip_prefix('/') else {
            let message = format!("`solution` must start with `/`, not `{}`", shown(text));
            let help = format!("the package is the root: /{}", shown(text));
            remarks.error(range, message, Some(&help));
            return None;
        };
        self.inside(self.dir, below, "solution", range, remarks)
    }

    /// A path below `base` that exists and does not leave it.
    fn inside(
        &self,
        base: &Path,
        below: &str,
        what: &str,
        range: Range,
        remarks: &mut Remarks<'_>,
    ) -> Option<PathBuf> {
        let path = base.join(below);
        if !is_below(below) {
            let message = format!("`{what}` leads out of the package: `{}`", shown(below));
            remarks.error(range, message, Some("name a file below the package"));
            None
        } else if !path.exists() {
            let message = format!("there is no `{}`", shown(below));
            let help = format!("{} is not there", path.display());
            remarks.error(range, message, Some(&help));
            None
        } else {
            Some(path)
        }
    }

    /// Reads what is in a directory; gives the names of the cases directly in it.
    fn data(&mut self, data: &Entry, scope: &Scope, remarks: &mut Remarks<'_>) -> Vec<String> {
        let mut cases = Vec::new();
        match &data.value.value {
            Value::Map(entries) => {
                // A map has no order, so that its names give one to the numbers below it.
                let mut entries: Vec<&Entry> = entries.iter().collect();
                entries.sort_by(|a, b| a.key.cmp(&b.key));
                for entry in entries {
                    self.child(entry, scope, &mut None, &mut cases, remarks);
                }
            }
            Value::Sequence(items) if !scope.is_root() => {
                let mut groups = Some(Numbers::up_to(names::numbered_groups(items)));
                for item in items {
                    match &item.value {
                        Value::Map(entries) if entries.len() == 1 => {
                            self.child(&entries[0], scope, &mut groups, &mut cases, remarks);
                        }
                        Value::Broken => {}
                        _ => {
                            self.has_entries = true;
                            let message = "an item of a list has one name: `- NAME: COMMAND`";
                            let help = "each item gets a number; write an item for each case";
                            remarks.error(item.range, message, Some(help));
                        }
                    }
                }
            }
            _ => {
                let wanted = match scope.is_root() {
                    true => "a map of directories such as `sample` and `secret`",
                    false => "a map of names to cases, or a list of such for numbers",
                };
                keys::wrong_type("`data`", wanted, &data.value, remarks);
            }
        }
        cases
    }

    /// Reads a directory or a case. In a list, there are numbers for directories; cases have theirs
    /// from the whole recipe.
    fn child(
        &mut self,
        entry: &Entry,
        scope: &Scope,
        groups: &mut Option<Numbers>,
        cases: &mut Vec<String>,
        remarks: &mut Remarks<'_>,
    ) {
        if !may_be_name(entry, scope, groups.is_some(), remarks) {
            return;
        }
        if !is_directory(&entry.value) {
            let numbered = groups.is_some();
            self.cases(entry, scope, numbered, cases, remarks);
            return;
        }
        let name = match groups {
            Some(groups) => groups.name(&entry.key),
            None => entry.key.clone(),
        };
        let inner = scope.inner(&entry.key, &name);
        if self.take(&inner.name, entry.key_range, remarks) {
            self.directory(&entry.value, inner, remarks);
        }
    }

    /// Whether nothing else has this name.
    fn take(&mut self, name: &str, range: Range, remarks: &mut Remarks<'_>) -> bool {
        match self.taken.insert(name.to_owned(), range.line) {
            None => true,
            Some(line) => {
                let message = format!("`{name}` is there twice; first on line {line}");
                remarks.error(range, message, Some("rename one of the two"));
                self.taken.insert(name.to_owned(), line);
                false
            }
        }
    }

    /// Whether no further case is taken; the first time, that is reported.
    fn is_full(&mut self, range: Range, remarks: &mut Remarks<'_>) -> bool {
        let is_full = self.recipe.cases.len() + self.recipe.links.len() >= MOST_CASES;
        if is_full && !self.is_reported_full {
            self.is_reported_full = true;
            let message =
                format!("is more than juror makes: a recipe has at most {MOST_CASES} cases");
            remarks.error(range, message, Some("make fewer, larger cases"));
        }
        is_full
    }

    /// Makes links of what is included.
    fn includes(&mut self, remarks: &mut Remarks<'_>) {
        for found in include::resolve(&self.directories, remarks) {
            if self.is_full(found.range, remarks) {
                return;
            }
            if self.take(&found.link.name, found.range, remarks) {
                self.recipe.links.push(found.link);
            }
        }
    }
}

/// Whether an entry's name can be one.
fn may_be_name(entry: &Entry, scope: &Scope, numbered: bool, remarks: &mut Remarks<'_>) -> bool {
    if scope.is_root() && !TOP.contains(&entry.key.as_str()) {
        let message = format!("`data/{}` holds no test cases", shown(&entry.key));
        let help = format!("the directories are {}", TOP.join(", "));
        remarks.error(entry.key_range, message, Some(&help));
        return false;
    }
    if scope.is_root() && !is_directory(&entry.value) {
        let message = format!("`{}` must be a directory", shown(&entry.key));
        let help = format!("write `{}: {{ data: ... }}`", entry.key);
        remarks.error(entry.key_range, message, Some(&help));
        return false;
    }
    if !(is_valid_name(&entry.key) || entry.key.is_empty() && numbered) {
        let message = format!("`{}` cannot be the name of a file", shown(&entry.key));
        remarks.error(entry.key_range, message, Some(NAME_HELP));
        return false;
    }
    true
}

/// At the top, what other tools want to say may stand; a slip of the pen may not.
fn finish_root(keys: &Keys<'_>, remarks: &mut Remarks<'_>) {
    let known = keys.known();
    for entry in keys.rest() {
        let message = format!("unknown key `{}`", shown(&entry.key));
        match (entry.key.as_str(), nearest(&entry.key, known.iter().copied())) {
            ("include", _) => {
                let help = "write it in the directory that is to have the cases";
                remarks.error(entry.key_range, message, Some(help));
            }
            (_, Some(known)) => {
                let help = format!("did you mean `{known}`?");
                remarks.error(entry.key_range, message, Some(&help));
            }
            (_, None) => {
                let message = format!("`{}` is ignored: juror has no such key", shown(&entry.key));
                let help = format!(
                    "fine if another tool reads it; known keys: {}",
                    list(known.iter().copied())
                );
                remarks.warning(entry.key_range, message, Some(&help));
            }
        }
    }
}

/// Directories have `data` or another key of theirs, cases have not; an empty map is a directory
/// without cases.
fn is_directory(node: &Node) -> bool {
    let Value::Map(entries) = &node.value else {
        return false;
    };
    let has = |key: &str| entries.iter().any(|entry| entry.key == key);
    let mut own = ["data", "include", "test_group.yaml"].into_iter();
    own.any(has)
        || !INPUT_KEYS.into_iter().chain(CASE_EXTENSIONS).chain(["count", "match"]).any(has)
}

fn is_below(path: &str) -> bool {
    let path = Path::new(path);
    path.components().all(|component| matches!(component, std::path::Component::Normal(_)))
}

fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}
