//! Directories that tools make beside sources: environments, installed packages, results of builds.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::language::table::Language;
use crate::model::root::FilePath;

/// Names that only tools give.
const NAMES: [&str; 9] = [
    "node_modules",
    "bower_components",
    "__pycache__",
    "__MACOSX",
    "site-packages",
    "dist-packages",
    "venv",
    "virtualenv",
    "CMakeFiles",
];

/// What is in a directory that a tool made, whatever its name is.
///
/// Sources: PEP 405; conda; the Cache Directory Tagging Specification (Cargo, pytest and others); CMake; NuGet.
const MARKS: [&str; 5] =
    ["pyvenv.cfg", "conda-meta", "CACHEDIR.TAG", "CMakeCache.txt", "project.assets.json"];

/// Names for results of builds, which people also give.
const RESULTS: [&str; 5] = ["build", "target", "dist", "out", "obj"];

/// What is in a directory of such a name if it has results of a build.
///
/// Sources: setuptools, Maven, Gradle, Cargo, .NET, IntelliJ IDEA.
const PARTS: [&str; 11] = [
    "lib",
    "classes",
    "generated",
    "generated-sources",
    "maven-status",
    "debug",
    "release",
    "Debug",
    "Release",
    "production",
    "intermediates",
];

/// Whether a directory of a submission has files of tools, which nobody wrote.
pub fn is_of_tools(directory: &FilePath) -> bool {
    let name = directory.file_name().unwrap_or_default();
    let is_one = |of: &[&str], name: &OsStr| of.iter().any(|it| name == *it);
    if is_one(&NAMES, name) {
        return true;
    }
    let is_result = is_one(&RESULTS, name);
    // What cannot be listed is told by who reads it.
    let inside = directory.names().unwrap_or_default();
    let is_marked = |name: &OsString| is_one(&MARKS, name) || is_result && is_one(&PARTS, name);
    // Some make an environment where their sources are.
    let is_source = |name: &OsString| Language::of_file(Path::new(name)).is_some();
    inside.iter().any(is_marked) && !inside.iter().any(is_source)
}
