//! The packages that a command line means: those below a directory that is none, and only those that changed.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::ops::context::Context;
use crate::ops::options::given_file;
use juror_core::event::{Event, Note};
use juror_core::limits::LARGE_OUTPUT;
use juror_core::root::read_whole;
use juror_core::stop::Stop;
use juror_core::text::{count, path_text, short_list};
use juror_packages::package::tests_file::TestsFile;
use juror_packages::package::tree::{package_of_file, packages_below};
use juror_packages::package::{archive, is_no_package};

/// Takes the packages below each directory that is none, and leaves out what holds no package. If `changed` names a
/// file with names of files, takes only the packages that hold one of these: all such packages if `paths` is empty.
pub fn choose_packages(
    paths: &[PathBuf],
    changed: Option<&Path>,
    context: &Context,
) -> Result<Vec<PathBuf>, Stop> {
    let remark = |text: String| context.send_event(Event::Noted(Note::Remark(text)));
    let (given, left_out) = expand(paths)?;
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().map(|path| path_text(path)).collect();
        remark(format!("no package, left out: {}", short_list(&names, 5)));
    }
    let Some(list) = changed else { return Ok(given) };
    let files = read_names(list)?;
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let given_paths: Vec<PathBuf> = given.iter().map(|path| real(path)).collect();
    let mut packages: Vec<PathBuf> = Vec::new();
    let mut outside = 0;
    for file in &files {
        let package =
            if archive::is_archive(file) { Some(file.clone()) } else { package_of_file(file) };
        let package = package.filter(|dir| paths.is_empty() || given_paths.contains(&real(dir)));
        match package {
            Some(package) if packages.contains(&package) => {}
            Some(package) => packages.push(package),
            None => outside += 1,
        }
    }
    if outside > 0 {
        let all = count(files.len(), "changed file");
        remark(format!("{outside} of {all} in none of the packages here"));
    }
    Ok(packages)
}

/// Returns the packages, and what is left out. If there are no packages, reading shows why.
fn expand(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Stop> {
    let (mut packages, mut left_out) = (Vec::new(), Vec::new());
    for path in paths {
        let is_other_file =
            path.is_file() && !archive::is_archive(path) && !TestsFile::is_one(path);
        let below = match path.is_dir() && is_no_package(path) {
            true => packages_below(path)?,
            false if is_other_file => Vec::new(),
            false => vec![path.clone()],
        };
        left_out.extend(below.is_empty().then(|| path.clone()));
        packages.extend(below);
    }
    if packages.is_empty() { Ok((left_out, packages)) } else { Ok((packages, left_out)) }
}

/// The names in a list, one a line, or ended by zero bytes.
fn read_names(list: &Path) -> Result<Vec<PathBuf>, Stop> {
    let read =
        File::open(given_file(list)).and_then(|mut file| read_whole(&mut file, LARGE_OUTPUT));
    let text = read.map_err(|error| {
        Stop::usage(format!("--changed: cannot read {}: {error}", list.display()))
    })?;
    let end = if text.contains(&0) { 0 } else { b'\n' };
    let names = text.split(|byte| *byte == end).filter(|name| !name.is_empty());
    let names: Vec<&OsStr> = names.map(OsStr::from_bytes).collect();
    if let Some(name) = names.iter().find(|name| name.as_bytes().starts_with(b"\"")) {
        let what = format!(
            "--changed: {} is a quoted name; let git write names as they are: `git diff --name-only -z`",
            name.to_string_lossy()
        );
        return Err(Stop::usage(what));
    }
    Ok(names.into_iter().map(PathBuf::from).collect())
}
