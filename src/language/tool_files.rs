//! Directories that tools make beside sources: environments, installed packages, results of builds.

use std::path::Path;

use crate::language::table::Language;
use crate::model::root::FilePath;

/// Names that tools give.
const NAMES: [&str; 7] = [
    "node_modules",
    "bower_components",
    "__pycache__",
    "__MACOSX",
    "site-packages",
    "venv",
    "target",
];

/// What is in a directory that a tool made, whatever its name is.
///
/// Sources: PEP 405; conda; the Cache Directory Tagging Specification (Cargo, pytest and others); CMake; NuGet.
const MARKS: [&str; 5] =
    ["pyvenv.cfg", "conda-meta", "CACHEDIR.TAG", "CMakeCache.txt", "project.assets.json"];

/// Whether a directory of a submission has files of tools, which nobody wrote.
pub fn is_of_tools(directory: &FilePath) -> bool {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    if NAMES.contains(&&*name) || name.starts_with("cmake-build-") {
        return true;
    }
    // What cannot be listed is told by who reads it.
    let inside = directory.names().unwrap_or_default();
    // Some make an environment where their sources are.
    let has_source = inside.iter().any(|name| Language::of_file(Path::new(name)).is_some());
    !has_source && inside.iter().any(|name| MARKS.iter().any(|mark| name == mark))
}
