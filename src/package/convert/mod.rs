//! A package in another format: its files, and losses that the two problems do not show.
//!
//! Files whose meaning does not depend on the format are copied; settings are written anew from the problem.

pub mod cases;
mod data;
mod people;
mod places;
pub mod rules;
pub mod settings;
mod statements;
pub mod submissions;
pub mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::model::conversion::Loss;
use crate::model::diagnostic::Diagnostic;
use crate::model::file_name::{name_fault, name_twice};
use crate::model::problem::Problem;
use crate::model::program::Constant;
use crate::model::recipe::Recipe;
use crate::model::root::FilePath;
use crate::model::words::words;
use crate::package::files::Files;
use crate::package::statements::Statement;
use crate::package::text::{START, shown};
use crate::package::yaml::{Entry, Raw, Scalar, Value};
use crate::package::{FORMATS, format_of};

words! {
    /// Formats that a package can be converted to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Target {
        /// The problem package format 2025-09.
        V2025_09 = "2025-09",
        /// The Kattis format before 2025-09.
        Legacy = "legacy",
        /// The legacy format in a zip archive, with the additions of DOMjudge.
        DomjudgeZip = "domjudge-zip",
    }
}

impl Target {
    const fn is_new(self) -> bool {
        matches!(self, Self::V2025_09)
    }

    /// The format under which juror reads such a package.
    const fn format(self) -> &'static str {
        if self.is_new() { "2025-09" } else { "legacy" }
    }
}

#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// Path below the package; [`plan`] gives none that leads out of it.
    pub name: String,
    pub contents: Contents,
}

#[derive(Clone, Debug)]
pub enum Contents {
    Copy(FilePath),
    /// A file with the values of constants filled in.
    Filled(FilePath, Vec<Constant>),
    Text(String),
}

#[derive(Debug)]
pub struct NewPackage {
    pub files: Vec<PlannedFile>,
    /// Losses that facts about a problem do not show.
    pub lost: Lost,
    /// New names of the old files, and of programs that got a directory.
    pub names: BTreeMap<PathBuf, String>,
    pub cases: cases::Cases,
}

/// Losses, grouped over places: keyed by what is lost and what it became.
#[derive(Debug, Default)]
pub struct Lost(BTreeMap<(String, Option<String>), Vec<String>>);

impl Lost {
    pub fn add(
        &mut self,
        place: impl Into<String>,
        what: impl Into<String>,
        became: Option<String>,
    ) {
        self.0.entry((what.into(), became)).or_default().push(place.into());
    }

    pub fn names(&self, place: &str, what: &str) -> bool {
        let mut known = self.0.iter().filter(|((known, _), _)| known == what);
        known.any(|(_, places)| places.iter().any(|known| known == place))
    }

    /// Each loss, with its first place.
    pub fn into_losses(self) -> Vec<Loss> {
        let loss = |((what, became), mut places): ((String, Option<String>), Vec<String>)| {
            places.sort();
            let more = places.len() - 1;
            Loss { place: places.swap_remove(0), more, what, became }
        };
        let mut losses: Vec<Loss> = self.0.into_iter().map(loss).collect();
        losses.sort();
        losses
    }
}

/// Fails if a file would have a name that leads out of the package, or if two would have the same name.
pub fn plan(problem: &Problem, to: Target) -> Result<NewPackage, Diagnostic> {
    let format = format_of(problem).unwrap_or(FORMATS[0]);
    let tree = Files::read(&problem.dir, format);
    let planner = Planner {
        problem,
        tree: &tree,
        to,
        cases: cases::Cases::of(problem, to),
        files: Vec::new(),
        directories: BTreeMap::new(),
        used: problem.unmade.iter().flat_map(Recipe::files_of_package).cloned().collect(),
        lost: Lost::default(),
    };
    planner.plan(&format.statements(&tree))
}

/// Whether the package is in a version of the Kattis format; these share most names.
fn is_kattis(problem: &Problem) -> bool {
    ["2025-09", "2023-07", "legacy", "legacy-icpc"].contains(&problem.layout.format)
}

struct Planner<'a> {
    problem: &'a Problem,
    tree: &'a Files,
    to: Target,
    cases: cases::Cases,
    files: Vec<PlannedFile>,
    /// New directories of programs that were a file with other files beside it.
    directories: BTreeMap<PathBuf, String>,
    used: BTreeSet<FilePath>,
    lost: Lost,
}

impl Planner<'_> {
    fn plan(mut self, statements: &[Statement]) -> Result<NewPackage, Diagnostic> {
        if self.problem.layout.format == self.to.format() {
            self.copy_all();
        } else {
            if is_kattis(self.problem) {
                self.keep_files()
            } else {
                self.place_statements(statements);
                self.place_files();
            }
            self.write_settings();
            self.write_groups();
            self.write_submissions();
        }
        if self.to == Target::DomjudgeZip {
            self.add_for_domjudge();
        }
        self.files.sort_by(|a, b| a.name.cmp(&b.name));
        let names = self.new_names();
        let Self { files, lost, cases, problem, .. } = self;
        for file in &files {
            if let Some(reason) = name_fault(&file.name) {
                let message =
                    format!("a new file would be called `{}`, which {reason}", shown(&file.name));
                return Err(
                    Diagnostic::error(&problem.dir, message).help("rename what it is made from")
                );
            }
        }
        if let Some(name) = name_twice(files.iter().map(|file| file.name.as_str())) {
            let message = format!("two of its files would be called {name}");
            return Err(Diagnostic::error(&problem.dir, message).help("rename one of the two"));
        }
        Ok(NewPackage { files, lost, names, cases })
    }

    fn new_names(&self) -> BTreeMap<PathBuf, String> {
        let files = self.files.iter();
        let named = files.filter_map(|it| Some((it.source()?.into(), it.name.clone())));
        named.chain(self.directories.clone()).collect()
    }

    fn copy_all(&mut self) {
        for item in self.tree.below("").iter().filter(|item| item.is_file()) {
            self.copy(&item.path, item.name.clone());
        }
        // In some formats, the tree leaves it out, because its name begins with a dot.
        let time_limit = self.tree.path(settings::TIME_LIMIT);
        if time_limit.is_file() && self.tree.file(settings::TIME_LIMIT).is_none() {
            self.copy(&time_limit, settings::TIME_LIMIT.to_owned());
        }
    }

    fn copy(&mut self, path: &FilePath, name: String) {
        self.files.push(PlannedFile { name, contents: Contents::Copy(path.clone()) });
    }

    fn write(&mut self, name: impl Into<String>, text: String) {
        self.files.push(PlannedFile { name: name.into(), contents: Contents::Text(text) });
    }

    fn leave_out(&mut self, place: impl Into<String>, what: impl Into<String>) {
        self.lost.add(place, what, None);
    }
}

impl PlannedFile {
    fn source(&self) -> Option<&FilePath> {
        match &self.contents {
            Contents::Copy(path) | Contents::Filled(path, _) => Some(path),
            Contents::Text(_) => None,
        }
    }
}

fn raw(value: Value) -> Raw {
    Raw { value, range: START }
}

/// A YAML text.
fn text(text: impl Into<String>) -> Raw {
    raw(Value::Scalar(Scalar { text: text.into(), quoted: true }))
}

/// A YAML number or truth value.
fn plain(text: impl ToString) -> Raw {
    raw(Value::Scalar(Scalar { text: text.to_string(), quoted: false }))
}

fn texts(items: impl IntoIterator<Item = impl Into<String>>) -> Raw {
    raw(Value::Sequence(items.into_iter().map(text).collect()))
}

fn map(entries: impl IntoIterator<Item = (impl Into<String>, Raw)>) -> Raw {
    let entry = |(key, value): (_, Raw)| Entry { key: Into::into(key), key_range: START, value };
    raw(Value::Map(entries.into_iter().map(entry).collect()))
}
