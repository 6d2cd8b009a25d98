//! Reads a problem package from disk and reports all its faults.
//!
//! Each format has a folder, and a `Format` that tells whether a directory is in it and makes a `Draft` of its files.
//! Rules that all formats share are checked on drafts. A package is never written, and no link is followed out of
//! it.

pub mod archive;
pub mod bare;
#[cfg(feature = "writers")]
pub mod case_texts;
pub mod command_words;
pub mod companion;
#[cfg(feature = "writers")]
pub mod contents;
#[cfg(feature = "writers")]
pub mod conversion;
#[cfg(feature = "writers")]
pub mod convert;
mod detect;
mod draft;
mod faults;
mod files;
pub mod gradescope;
#[cfg(feature = "writers")]
pub(crate) mod headings;
mod interaction;
mod italian;
mod juror_toml;
mod kattis;
mod languages;
pub(crate) mod latex;
mod library_checker;
#[cfg(feature = "writers")]
pub mod listing;
mod named_programs;
mod node;
mod polygon;
pub mod recipe;
mod sinol;
pub mod statements;
pub mod suggest;
pub mod testlib;
pub mod tests_file;
pub(crate) mod text;
mod toml;
pub mod tree;
mod values;
mod yaml;
mod yaml_text;

use std::path::Path;

use crate::package::bare::Bare;
use crate::package::draft::Draft;
use crate::package::files::{PackageFiles, is_inside};
use crate::package::italian::Italian;
use crate::package::kattis::{Kattis202509, LEGACY, LEGACY_ICPC, V2023_07};
use crate::package::library_checker::LibraryChecker;
use crate::package::polygon::Polygon;
use crate::package::sinol::Sinol;
use crate::package::statements::Statement;
use juror_core::diagnostic::Diagnostic;
use juror_core::layout::Layout;
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::stop::Stop;

/// The formats in the order of detection: one that another could mistake for its own comes first.
const FORMATS: [&dyn Format; 9] = [
    &Kattis202509,
    &LEGACY,
    &LEGACY_ICPC,
    &V2023_07,
    &Polygon,
    &LibraryChecker,
    &Italian,
    &Sinol,
    &Bare,
];

trait Format: Sync {
    /// The mark of a directory in this format, such as `a file problem.yaml`.
    fn marker_text(&self) -> &'static str;

    /// Why a directory counts as one of this format, in a line; `None` if it does not.
    fn detect(&self, dir: &FilePath) -> Option<String>;

    /// Whether this name below the package's directory belongs to the package; other files are not checked.
    fn includes(&self, _name: &str) -> bool {
        true
    }

    /// Whether a file or directory of this name changes verdicts: without it, nothing is judged.
    fn affects_verdicts(&self, name: &str) -> bool {
        let layout = self.layout();
        let judges = [layout.data, "output_validator", "output_validators", "graders", "include"];
        // Without a directory for data, all that the format wants is data.
        layout.data.is_empty() || judges.iter().any(|dir| name == *dir || is_inside(name, dir))
    }

    /// Whether a file or directory may have this name. Those with other names are ignored.
    fn allows_name(&self, base_name: &str) -> bool {
        !base_name.is_empty() && !base_name.starts_with('.')
    }

    fn layout(&self) -> Layout;

    /// The statements of a package, also several in a language. They need not exist.
    fn statements(&self, _tree: &PackageFiles) -> Vec<Statement> {
        Vec::new()
    }

    /// Reads the package; `None` if its faults leave nothing else to report.
    fn read(&self, tree: &PackageFiles) -> Option<Draft>;
}

#[derive(Debug)]
pub struct PackageReading {
    /// Where the format puts files; `None` if there is no package.
    pub layout: Option<Layout>,
    /// The problem, as far as it is valid; `None` if there is no package in a readable format, or if its settings are
    /// unreadable. If the diagnostics have errors, parts may be missing.
    pub problem: Option<Problem>,
    /// All faults, by path and line.
    pub diagnostics: Vec<Diagnostic>,
}

impl PackageReading {
    /// The problem, and remarks about it. Missing parts are among the remarks, and the others can be used.
    /// Fails if nothing can be judged.
    pub fn into_problem(self) -> Result<(Problem, Vec<Diagnostic>), Stop> {
        let Self { problem, diagnostics, .. } = self;
        let Some(problem) = problem else { return Err(Stop::Diagnosed(diagnostics)) };
        let is_empty = problem.test_data.judged_cases().is_empty();
        let prevents = |one: &Diagnostic| one.prevents_judging() || (one.is_error() && is_empty);
        if diagnostics.iter().any(prevents) {
            return Err(Stop::Diagnosed(diagnostics));
        }
        Ok((problem, diagnostics))
    }
}

pub fn format_names() -> [&'static str; FORMATS.len()] {
    FORMATS.map(format_name)
}

fn format_of(problem: &Problem) -> Option<&'static dyn Format> {
    FORMATS.into_iter().find(|format| format.layout().format == problem.layout.format)
}

/// The first word of the format's name, for the command line.
fn format_name(format: &dyn Format) -> &'static str {
    format.layout().format.split(' ').next().unwrap_or_default()
}

/// The layout of the format that a directory is in, without its faults; `None` if it is no package.
pub fn detected_layout(dir: &Path) -> Option<Layout> {
    detect::format(&FilePath::root(dir), None).ok().map(|(format, _)| format.layout())
}

/// Whether it is neither a package nor in one, except in a directory of bare tests.
pub fn is_no_package(dir: &Path) -> bool {
    detect::is_no_package(&FilePath::root(dir))
}

/// The name of the format for a directory that no format detects, but that has inputs without answers.
pub fn format_of_inputs_alone(dir: &Path) -> Option<&'static str> {
    let dir = &FilePath::root(dir);
    (detect::is_no_package(dir) && bare::has_inputs_alone(dir)).then(|| format_name(&Bare))
}

/// Reads the package in a directory, in the format that is detected.
pub fn read(dir: &Path) -> PackageReading {
    read_as(dir, None)
}

/// Reads the package in a directory; with a name, in the format of that name.
pub fn read_as(dir: &Path, format: Option<&str>) -> PackageReading {
    let named = FORMATS.into_iter().find(|reader| format == Some(format_name(*reader)));
    let dir = &FilePath::root(dir);
    let (format, reason) = match detect::format(dir, named) {
        Ok(found) => found,
        Err(diagnostic) => {
            return PackageReading { layout: None, problem: None, diagnostics: vec![diagnostic] };
        }
    };
    let layout = format.layout();
    let tree = PackageFiles::read(dir, format);
    let draft = tree.is_complete.then(|| format.read(&tree)).flatten();
    let mut problem = draft.and_then(|draft| draft.finish(&tree));
    if let Some(problem) = problem.as_mut().filter(|problem| problem.format_reason.is_empty()) {
        problem.format_reason = reason;
    }
    let mut diagnostics = tree.faults.into_sorted();
    if problem.is_none() && diagnostics.is_empty() {
        diagnostics.push(
            Diagnostic::error(dir.join(layout.settings), "is missing or empty")
                .help("fill it, or choose another format with --format"),
        );
    }
    PackageReading { layout: Some(layout), problem, diagnostics }
}

/// The problem as it would be with these test data: files of `data` stand for those of the same name. `None` if too
/// little of the package can be read.
pub fn read_with_data(problem: &Problem, data: &FilePath) -> Option<Problem> {
    let format = format_of(problem)?;
    let tree = PackageFiles::read_with_data(&problem.dir, format, Some(data));
    let draft = tree.is_complete.then(|| format.read(&tree)).flatten();
    draft.and_then(|draft| draft.finish(&tree))
}

#[cfg(test)]
mod tests;
