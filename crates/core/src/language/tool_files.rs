//! Recognizes directories that tools make: environments, installed packages, results of builds.

use std::path::Path;

use crate::language::table::Language;
use crate::root::FilePath;

const DIRECTORY_NAMES: [&str; 7] = [
    "node_modules",
    "bower_components",
    "__pycache__",
    "__MACOSX",
    "site-packages",
    "venv",
    "target",
];

/// A directory with one of these was made by a tool, whatever its name.
///
/// Sources: PEP 405; conda; the Cache Directory Tagging Specification (Cargo, pytest and others); CMake; NuGet.
const MARKER_FILES: [&str; 5] =
    ["pyvenv.cfg", "conda-meta", "CACHEDIR.TAG", "CMakeCache.txt", "project.assets.json"];

pub fn is_tool_directory(directory: &FilePath) -> bool {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    if DIRECTORY_NAMES.contains(&&*name) || name.starts_with("cmake-build-") {
        return true;
    }
    // The reader of the directory reports that it cannot be listed.
    let names = directory.names().unwrap_or_default();
    // Some users make an environment in the directory of their sources.
    let has_source = names.iter().any(|name| Language::of_file(Path::new(name)).is_some());
    !has_source && names.iter().any(|name| MARKER_FILES.iter().any(|mark| name == mark))
}
