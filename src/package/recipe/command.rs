//! The command lines of a recipe, and the programs that they start.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::model::placeholder::{self, Piece};
use crate::model::recipe::GeneratorProgram;
use crate::package::files::is_valid_name;
use crate::package::keys;
use crate::package::recipe::is_below;
use crate::package::suggest::nearest;
use crate::package::text::{Range, Remarks, shown};
use crate::package::yaml::{Node, Value};

/// The directory of generators, and those that the recipe puts together of several files.
#[derive(Debug)]
pub(super) struct Programs {
    dir: PathBuf,
    listed: BTreeMap<String, GeneratorProgram>,
}

/// A command line, understood; its cases may still differ in `{count}` and `{name}`.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub program: GeneratorProgram,
    pub args: Vec<String>,
    /// As it stands in the recipe, without blanks around it.
    pub text: String,
    pub range: Range,
}

impl Line {
    /// Whether two cases of this line can differ.
    pub(super) fn varies(&self) -> bool {
        [Piece::Seed, Piece::Count, Piece::Name]
            .into_iter()
            .any(|piece| placeholder::occurrences(&self.args, piece) > 0)
    }

    pub(super) fn has_seed(&self) -> bool {
        placeholder::occurrences(&self.args, Piece::Seed) > 0
    }
}

impl Programs {
    /// Those in this directory.
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir, listed: BTreeMap::new() }
    }

    /// Adds those under the key `generators`.
    pub(super) fn list(&mut self, node: &Node, remarks: &mut Remarks<'_>) {
        let Value::Map(entries) = &node.value else {
            let wanted = "a map of names to sequences of files";
            return keys::wrong_type("`generators`", wanted, node, remarks);
        };
        for entry in entries {
            let what = format!("generators.{}", entry.key);
            if !is_valid_name(&entry.key) {
                let message = format!("`{}` cannot be the name of a generator", shown(&entry.key));
                remarks.error(entry.key_range, message, Some(super::NAME_HELP));
                continue;
            }
            let wanted = "a sequence of files below generators/, the one that starts first";
            let Some(items) = keys::sequence(&what, wanted, &entry.value, remarks) else {
                continue;
            };
            let Some(files) = self.files(&what, items, remarks) else {
                continue;
            };
            let mut files = files.into_iter();
            let Some(path) = files.next() else {
                let help = "name the files that it is made of, the one that starts first";
                remarks.error(entry.value.range, format!("`{what}` is empty"), Some(help));
                continue;
            };
            let program =
                GeneratorProgram { name: entry.key.clone(), path, beside: files.collect() };
            self.listed.insert(entry.key.clone(), program);
        }
    }

    /// Files that will lie beside each other.
    fn files(&self, what: &str, items: &[Node], remarks: &mut Remarks<'_>) -> Option<Vec<PathBuf>> {
        let mut files = Vec::new();
        let mut names = BTreeSet::new();
        for item in items {
            let text = keys::filled_text(what, item, remarks)?;
            let path = self.find(&text, item.range, remarks)?;
            if !path.is_file() {
                let message = format!("`{}` is no file", shown(&text));
                let help = "name each file; a directory is a generator by itself";
                remarks.error(item.range, message, Some(help));
                return None;
            }
            if !names.insert(path.file_name().map(ToOwned::to_owned)) {
                let message = format!("`{what}` has two files of the same name");
                let help = "they are copied into one directory; rename one";
                remarks.error(item.range, message, Some(help));
                return None;
            }
            files.push(path);
        }
        Some(files)
    }

    /// A file or directory below `generators/`.
    fn find(&self, name: &str, range: Range, remarks: &mut Remarks<'_>) -> Option<PathBuf> {
        let path = self.dir.join(name);
        if !is_below(name) {
            let message = format!("a generator is below generators/, not `{}`", shown(name));
            remarks.error(range, message, Some("write its path from there, without `..`"));
            return None;
        }
        if path.exists() {
            return Some(path);
        }
        let message = format!("there is no generator `{}`", shown(name));
        let known = self.names(Path::new(name).parent());
        let known = known.iter().map(String::as_str).chain(self.listed.keys().map(String::as_str));
        let help = match nearest(name, known) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("add {}, or name it under `generators:`", path.display()),
        };
        remarks.error(range, message, Some(&help));
        None
    }

    /// What stands in a directory of generators, as a command would name it.
    fn names(&self, below: Option<&Path>) -> Vec<String> {
        let below = below.unwrap_or(Path::new(""));
        let Ok(entries) = std::fs::read_dir(self.dir.join(below)) else {
            return Vec::new();
        };
        let name = |entry: std::fs::DirEntry| below.join(entry.file_name()).display().to_string();
        let mut names: Vec<String> = entries.flatten().map(name).collect();
        names.retain(|name| name != "generators.yaml");
        names.sort();
        names
    }

    /// A command line such as `gen.py --n 5 {seed}`.
    pub(super) fn line(&self, node: &Node, remarks: &mut Remarks<'_>) -> Option<Line> {
        let text = keys::filled_text("generate", node, remarks)?;
        let mut words = text.split_whitespace();
        let name = words.next()?;
        let args: Vec<String> = words.map(str::to_owned).collect();
        for word in &args {
            if let Err(unknown) = placeholder::pieces(word) {
                let message = format!("`{}` is no placeholder", shown(unknown.text));
                let help = "known: {seed}, {seed:1}, {seed:2} and so on, {name}, {count}";
                remarks.error(node.range, message, Some(help));
                return None;
            }
        }
        if placeholder::occurrences(&args, Piece::Seed) > 1 {
            let help = "one seed is enough: the generator can make more of it";
            remarks.error(node.range, "`{seed}` is there more than once", Some(help));
            return None;
        }
        let program = match self.listed.get(name) {
            Some(program) => program.clone(),
            None => GeneratorProgram {
                name: name.to_owned(),
                path: self.find(name, node.range, remarks)?,
                beside: Vec::new(),
            },
        };
        Some(Line { program, args, text: text.trim().to_owned(), range: node.range })
    }
}
