//! A package in another format: its files, and losses that the two problems do not show.
//!
//! Files whose meaning does not depend on the format are copied; settings are written anew from the problem.

pub mod cases;
mod data;
pub(super) mod old_settings;
mod people;
mod places;
mod recipe;
pub mod rules;
pub mod settings;
mod statements;
pub mod submissions;
pub mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::package::conversion::Loss;
use crate::package::files::PackageFiles;
use crate::package::statements::Statement;
use crate::package::text::{FILE_START, excerpt};
use crate::package::yaml::{MapEntry, RawValue, Scalar, Value};
use crate::package::{FORMATS, format_of};
use juror_core::diagnostic::Diagnostic;
use juror_core::file_name::{duplicate_name, name_fault};
use juror_core::language::table::LIBRARY_CHECKER_CODE;
use juror_core::problem::Problem;
use juror_core::program::{Constant, Program};
use juror_core::recipe::Recipe;
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::words::words;

words! {
    /// Formats that a package can be converted to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TargetFormat {
        /// The problem package format 2025-09.
        V2025_09 = "2025-09",
        /// The Kattis format before 2025-09.
        Legacy = "legacy",
        /// The legacy format in a zip archive, with the additions of DOMjudge.
        DomjudgeZip = "domjudge-zip",
    }
}

impl TargetFormat {
    const fn is_2025_09(self) -> bool {
        matches!(self, Self::V2025_09)
    }

    /// The format under which juror reads such a package.
    const fn format_name(self) -> &'static str {
        if self.is_2025_09() { "2025-09" } else { "legacy" }
    }
}

#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// Path below the package; [`plan`] gives none that leads out of it.
    pub name: String,
    pub contents: PlannedContents,
}

#[derive(Clone, Debug)]
pub enum PlannedContents {
    /// A copy, with the values of these constants filled in.
    File(FilePath, Vec<Constant>),
    Text(String),
}

#[derive(Debug)]
pub struct PlannedPackage {
    pub files: Vec<PlannedFile>,
    /// Losses that facts about a problem do not show.
    pub losses: Losses,
    /// New names of the old files, and of programs that got a directory.
    pub names: BTreeMap<PathBuf, String>,
    pub cases: cases::CaseNames,
    /// What is wrong with the statement.
    pub remarks: Vec<Diagnostic>,
}

/// Losses, grouped over places: keyed by what is lost and what it became.
#[derive(Debug, Default)]
pub struct Losses(BTreeMap<(String, Option<String>), Vec<String>>);

impl Losses {
    pub fn add(
        &mut self,
        place: impl Into<String>,
        what: impl Into<String>,
        became: Option<String>,
    ) {
        self.0.entry((what.into(), became)).or_default().push(place.into());
    }

    pub fn contains(&self, place: &str, what: &str) -> bool {
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
pub fn plan(problem: &Problem, to: TargetFormat) -> Result<PlannedPackage, Stop> {
    let format = format_of(problem).unwrap_or(FORMATS[0]);
    let tree = PackageFiles::read(&problem.dir, format);
    let planner = Planner {
        problem,
        tree: &tree,
        to,
        cases: cases::CaseNames::of(problem, to),
        files: Vec::new(),
        program_directories: BTreeMap::new(),
        used_files: problem
            .pending_recipe
            .iter()
            .flat_map(Recipe::files_of_package)
            .cloned()
            .collect(),
        losses: Losses::default(),
    };
    planner.plan(&format.statements(&tree))
}

/// Whether the package is in a version of the Kattis format; these share most names.
fn is_kattis(problem: &Problem) -> bool {
    ["2025-09", "2023-07", "legacy", "legacy-icpc"].contains(&problem.layout.format)
}

fn is_of_library_checker(program: &Program) -> bool {
    program.language.as_deref() == Some(LIBRARY_CHECKER_CODE)
}

struct Planner<'a> {
    problem: &'a Problem,
    tree: &'a PackageFiles,
    to: TargetFormat,
    cases: cases::CaseNames,
    files: Vec<PlannedFile>,
    /// New directories of programs that were a file with other files next to it.
    program_directories: BTreeMap<PathBuf, String>,
    used_files: BTreeSet<FilePath>,
    losses: Losses,
}

impl Planner<'_> {
    fn plan(mut self, statements: &[Statement]) -> Result<PlannedPackage, Stop> {
        if self.problem.layout.format == self.to.format_name() {
            self.copy_all();
        } else {
            if is_kattis(self.problem) {
                self.place_kattis_files()
            } else {
                self.place_statements(statements);
                self.place_files();
            }
            self.write_settings();
            self.write_groups();
            self.write_submissions();
        }
        let mut remarks = Vec::new();
        if self.to == TargetFormat::DomjudgeZip {
            self.add_for_domjudge();
            remarks = self.add_shown_statement(statements)?;
        }
        self.files.sort_by(|a, b| a.name.cmp(&b.name));
        let names = self.new_names();
        let Self { files, losses: lost, cases, problem, .. } = self;
        for file in &files {
            if let Some(reason) = name_fault(&file.name) {
                let message =
                    format!("a new file would be called `{}`, which {reason}", excerpt(&file.name));
                let help = "rename what it is made from";
                return Err(Diagnostic::error(&problem.dir, message).help(help).into());
            }
        }
        if let Some(name) = duplicate_name(files.iter().map(|file| file.name.as_str())) {
            let message = format!("two of its files would be called {name}");
            let help = "rename one of the two";
            return Err(Diagnostic::error(&problem.dir, message).help(help).into());
        }
        Ok(PlannedPackage { files, losses: lost, names, cases, remarks })
    }

    fn new_names(&self) -> BTreeMap<PathBuf, String> {
        // A copy to download is not the file itself.
        let files = self.files.iter().filter(|file| !file.name.ends_with(".download"));
        let named = files.filter_map(|file| Some((file.source()?.into(), file.name.clone())));
        named.chain(self.program_directories.clone()).collect()
    }

    fn copy_all(&mut self) {
        for item in self.tree.below("").iter().filter(|item| item.is_file()) {
            self.copy_file(&item.path, item.name.clone());
        }
        // In some formats, the tree leaves it out, because its name begins with a dot.
        let time_limit = self.tree.path(settings::TIME_LIMIT);
        if time_limit.is_file() && self.tree.file(settings::TIME_LIMIT).is_none() {
            self.copy_file(&time_limit, settings::TIME_LIMIT.to_owned());
        }
    }

    fn copy_file(&mut self, path: &FilePath, name: String) {
        let contents = PlannedContents::File(path.clone(), Vec::new());
        self.files.push(PlannedFile { name, contents });
    }

    fn write_text(&mut self, name: impl Into<String>, text: String) {
        self.files.push(PlannedFile { name: name.into(), contents: PlannedContents::Text(text) });
    }

    fn leave_out(&mut self, place: impl Into<String>, what: impl Into<String>) {
        self.losses.add(place, what, None);
    }
}

impl PlannedFile {
    fn source(&self) -> Option<&FilePath> {
        match &self.contents {
            PlannedContents::File(path, _) => Some(path),
            PlannedContents::Text(_) => None,
        }
    }
}

fn raw(value: Value) -> RawValue {
    RawValue { value, range: FILE_START }
}

/// A YAML text.
fn text(text: impl Into<String>) -> RawValue {
    raw(Value::Scalar(Scalar { text: text.into(), quoted: true }))
}

/// A YAML number or truth value.
fn plain(text: impl ToString) -> RawValue {
    raw(Value::Scalar(Scalar { text: text.to_string(), quoted: false }))
}

fn texts(items: impl IntoIterator<Item = impl Into<String>>) -> RawValue {
    raw(Value::Sequence(items.into_iter().map(text).collect()))
}

fn map(entries: impl IntoIterator<Item = (impl Into<String>, RawValue)>) -> RawValue {
    let entry = |(key, value): (_, RawValue)| MapEntry {
        key: Into::into(key),
        key_range: FILE_START,
        value,
    };
    raw(Value::Map(entries.into_iter().map(entry).collect()))
}
