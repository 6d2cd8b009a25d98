//! Detects the format of a directory, and says what is missing if it has none.

use std::path::{Path, PathBuf};

use crate::package::bare::list_files;
use crate::package::suggest::paths_near;
use crate::package::{FORMATS, Format};
use juror_core::diagnostic::Diagnostic;
use juror_core::language::table::Language;
use juror_core::root::FilePath;

/// Returns the format and the reason. `asked` is the format that the user names.
pub(super) fn format(
    dir: &FilePath,
    requested: Option<&'static dyn Format>,
) -> Result<(&'static dyn Format, String), Diagnostic> {
    check_directory(dir)?;
    if let Some(format) = requested {
        return Ok((format, "--format asks for it".to_owned()));
    }
    for (index, format) in FORMATS.into_iter().enumerate() {
        // A directory inside a package belongs to that package, whatever it looks like.
        if let Some(reason) = format.detect(dir)
            && enclosing_package(dir, &FORMATS[..index]).is_none()
        {
            return Ok((format, reason));
        }
    }
    Err(no_package_error(dir))
}

/// Whether it is neither a package nor in one, except in a directory of bare tests.
pub(super) fn is_no_package(dir: &FilePath) -> bool {
    !is_package(dir, &FORMATS) && enclosing_package(dir, certain_formats()).is_none()
}

/// All but bare tests.
fn certain_formats() -> &'static [&'static dyn Format] {
    let certain = FORMATS.iter().position(|format| format.layout().is_guessed);
    &FORMATS[..certain.unwrap_or_default()]
}

const PACKAGE_HELP: &str = "give the directory of a problem package, an archive of one (.zip, .kpp, .tar.gz or .tgz), or tests in a .prob or \
     .json file";

fn check_directory(dir: &FilePath) -> Result<(), Diagnostic> {
    let metadata = match dir.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Diagnostic::error(dir, format!("{}: no such directory", dir.display()))
                .help(help_for_missing(dir)));
        }
        Err(error) => return Err(Diagnostic::error(dir, format!("cannot be read: {error}"))),
    };
    if metadata.is_dir() {
        return Ok(());
    }
    let name = dir.display();
    let message = format!("{name} is neither a directory nor an archive");
    let help = match Language::of_file(dir) {
        Some(_) => {
            format!(
                "name the package first, and {name} after it; `.` is the tests in this directory"
            )
        }
        None => PACKAGE_HELP.to_owned(),
    };
    Err(Diagnostic::error(dir, message).help(help))
}

/// Suggests packages with a similar name, or else says what a package is.
fn help_for_missing(dir: &Path) -> String {
    let parent = dir.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let packages = packages_in(&FilePath::root(parent));
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = packages.iter().map(|path| name(path)).collect();
    let near = paths_near(&name(dir), names.iter().map(String::as_str));
    near.unwrap_or_else(|| PACKAGE_HELP.to_owned())
}

/// Directories of packages in all versions of the Kattis format.
const PACKAGE_PARTS: [&str; 4] = ["data", "submissions", "input_validators", "generators"];

/// Whether a directory without settings has the parts of a package.
pub(super) fn lacks_settings(dir: &FilePath) -> bool {
    PACKAGE_PARTS.iter().filter(|part| dir.join(part).is_dir()).count() > 1
}

const UNSUPPORTED_FORMATS: [(&str, &str); 3] =
    [("problem.rbx.yml", "rbx"), ("init.yml", "DMOJ"), ("problem.properties", "ejudge")];

fn unsupported_format(dir: &FilePath) -> Option<Diagnostic> {
    let (file, format) = UNSUPPORTED_FORMATS.iter().find(|(file, _)| dir.join(file).is_file())?;
    let message =
        format!("is in the format of {format}, because there is {file}; juror does not read it");
    let help = "export it as a Kattis or Polygon package; `juror convert PACKAGE --to 2025-09 OUT` \
                writes that in the current format";
    Some(Diagnostic::error(dir, message).help(help))
}

const MAX_SUGGESTIONS: usize = 5;

fn no_package_error(dir: &FilePath) -> Diagnostic {
    if let Some(unread) = unsupported_format(dir) {
        return unread;
    }
    let settings = FORMATS[0].layout().settings;
    if lacks_settings(dir) {
        let help = "write it; `juror new NAME` makes a package with one";
        return Diagnostic::error(
            dir.join(settings),
            "is missing: it makes this directory a package",
        )
        .help(help);
    }
    let message = format!("no {settings} in {}; is this a problem package?", dir.display());
    let packages = packages_near(dir);
    let help = match &packages[..] {
        [] => {
            let mut signs = FORMATS.map(Format::marker_text).to_vec();
            signs.dedup();
            let tests = list_files(dir).map(|files| format!("; files there: {files}"));
            let signs = signs.join(", or with ");
            format!("a package is a directory with {signs}{}", tests.unwrap_or_default())
        }
        [package] => format!("did you mean {}?", package.display()),
        some => {
            let names: Vec<String> = some
                .iter()
                .take(MAX_SUGGESTIONS)
                .map(|package| package.display().to_string())
                .collect();
            let more = if some.len() > MAX_SUGGESTIONS { ", …" } else { "" };
            format!("packages in it: {}{more}", names.join(", "))
        }
    };
    Diagnostic::error(dir, message).help(help)
}

/// The package that `dir` is in, or else those in it.
fn packages_near(dir: &FilePath) -> Vec<PathBuf> {
    let enclosing = enclosing_package(dir, certain_formats());
    enclosing.map_or_else(|| packages_in(dir), |package| vec![package])
}

fn packages_in(dir: &FilePath) -> Vec<PathBuf> {
    let names = dir.names().unwrap_or_default().into_iter();
    let inside = names.map(|name| dir.join(name));
    inside.filter(|path| is_package(path, &FORMATS)).map(PathBuf::from).collect()
}

fn enclosing_package(dir: &FilePath, formats: &[&dyn Format]) -> Option<PathBuf> {
    let real = dir.canonicalize().unwrap_or_else(|_| dir.into());
    let mut ancestors = real.ancestors().skip(1).map(FilePath::root);
    ancestors.find(|path| is_package(path, formats)).map(PathBuf::from)
}

fn is_package(path: &FilePath, formats: &[&dyn Format]) -> bool {
    formats.iter().any(|format| format.detect(path).is_some())
}
