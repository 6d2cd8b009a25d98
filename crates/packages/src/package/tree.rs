//! Packages in a tree of directories, such as the repository of a contest. Bare tests are none here.

use std::path::{Path, PathBuf};

use crate::package::detect::lacks_settings;
use crate::package::{detected_layout, is_no_package};
use juror_core::diagnostic::Diagnostic;
use juror_core::root::{FilePath, WalkBounds};

/// Whether it is a package, or lacks only its settings.
fn is_package(dir: &Path) -> bool {
    let is_certain = detected_layout(dir).is_some_and(|layout| !layout.is_guessed);
    is_certain || (is_no_package(dir) && lacks_settings(&FilePath::root(dir)))
}

/// The packages below a directory, in the order of their paths. Hidden directories and links are left out.
///
/// # Errors
/// If there are too many files and directories, or a directory cannot be read.
pub fn packages_below(dir: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut packages = Vec::new();
    let mut walk = FilePath::root(dir).walk(WalkBounds::PACKAGE);
    while let Some(next) = walk.next() {
        let entered = next.and_then(|entry| {
            let is_hidden = entry.name().as_encoded_bytes().starts_with(b".");
            if is_hidden || entry.is_link || !entry.path.is_dir() {
                return Ok(());
            }
            if is_package(&entry.path) {
                packages.push(entry.path.into());
                return Ok(());
            }
            walk.enter(&entry)
        });
        entered.map_err(|unreached| {
            Diagnostic::error(unreached.path, unreached.reason.to_string())
                .help("name the packages instead of the directory that they are in")
        })?;
    }
    Ok(packages)
}

/// The package that a file belongs to, by the file's path. The file need not exist.
pub fn package_of_file(file: &Path) -> Option<PathBuf> {
    let above = file
        .ancestors()
        .skip(1)
        .map(|dir| if dir.as_os_str().is_empty() { Path::new(".") } else { dir });
    above.into_iter().find(|dir| dir.is_dir() && is_package(dir)).map(Path::to_owned)
}
