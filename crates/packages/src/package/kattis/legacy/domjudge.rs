//! DOMjudge's additions to legacy packages: time limits and names.
//!
//! Source: DOMjudge's manual, "Problem package format".

use std::time::Duration;

use crate::package::faults::Faults;
use crate::package::files::PackageFiles;
use crate::package::kattis::SETTINGS;
use crate::package::kattis::problem_yaml::ProblemYaml;
use crate::package::text::{TextFile, excerpt};
use juror_core::grader::Dialect;
use juror_core::root::FilePath;
use juror_core::text::exact_seconds;

const INI: &str = "domjudge-problem.ini";
pub(super) const TIME_LIMIT: &str = ".timelimit";

/// A file that only packages for DOMjudge have, if it exists.
pub(super) fn marker_file(dir: &FilePath) -> Option<&'static str> {
    [INI, TIME_LIMIT].into_iter().find(|name| dir.join(name).is_file())
}

pub(super) fn dialect(dir: &FilePath) -> Dialect {
    marker_file(dir).map_or(Dialect::Kattis, |_| Dialect::DomJudge)
}

/// DOMjudge looks for the statement at the top of the package.
pub(super) fn has_statement(tree: &PackageFiles) -> bool {
    tree.file(INI).is_some()
        && ["pdf", "html", "txt"].iter().any(|end| tree.file(&format!("problem.{end}")).is_some())
}

/// Reads the name, if `problem.yaml` has none, and the time limit. Returns the file that says the time limit.
pub(super) fn read(tree: &PackageFiles, yaml: &mut ProblemYaml) -> Option<&'static str> {
    // Its faults are reported below.
    let ini = read_ini(tree, &Faults::default());
    let name = ini.into_iter().find(|(key, name)| key == "name" && !name.is_empty());
    if let Some((_, name)) = name.filter(|_| yaml.names.is_empty()) {
        yaml.names.push(("en".to_owned(), name));
    }
    let mut first = yaml.limits.time_limit.map(|limit| (SETTINGS, limit));
    for (file, value) in other_time_limits(tree, &tree.faults) {
        match (seconds(&value), first) {
            (Some(limit), None) => first = Some((file, limit)),
            (Some(limit), Some(first)) => warn_of_contradiction(tree, first, (file, limit)),
            (None, _) => {
                let message = format!("`{}` is not a time limit", excerpt(&value));
                tree.faults.error(tree.path(file), message, "write a number of seconds above 0");
            }
        }
    }
    let (file, limit) = first?;
    yaml.limits.time_limit = Some(limit);
    Some(file)
}

/// Warns of files that only DOMjudge reads, if they contradict the time limit of `problem.yaml`.
pub(in crate::package::kattis) fn check_time_limit(tree: &PackageFiles, limit: Option<Duration>) {
    let Some(limit) = limit else { return };
    for (file, value) in other_time_limits(tree, &Faults::default()) {
        if let Some(other) = seconds(&value) {
            warn_of_contradiction(tree, (SETTINGS, limit), (file, other));
        }
    }
}

/// DOMjudge refuses such a package.
fn warn_of_contradiction(
    tree: &PackageFiles,
    (first, limit): (&str, Duration),
    (file, other): (&str, Duration),
) {
    if limit != other {
        let [limit, other] = [limit, other].map(exact_seconds);
        let message = format!("says {other}, but {first} says {limit}, which counts");
        tree.faults.warning(tree.path(file), message, "make them equal, or remove one of the two");
    }
}

/// The time limits beside `problem.yaml`, each with its file, the one that counts first.
fn other_time_limits(tree: &PackageFiles, faults: &Faults) -> Vec<(&'static str, String)> {
    let ini = read_ini(tree, faults).into_iter().rfind(|(key, _)| key == "timelimit");
    let alone = read_text(tree, TIME_LIMIT, faults);
    let ini = ini.map(|(_, value)| (INI, value));
    ini.into_iter().chain(alone.map(|text| (TIME_LIMIT, text.trim().to_owned()))).collect()
}

fn read_ini(tree: &PackageFiles, faults: &Faults) -> Vec<(String, String)> {
    let text = read_text(tree, INI, faults).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(key, value)| (key.trim().to_owned(), ini_value(value).to_owned())).collect()
}

/// In some formats, the tree leaves out names that begin with a dot.
fn read_text(tree: &PackageFiles, name: &str, faults: &Faults) -> Option<String> {
    let path = tree.path(name);
    let is_there = path.is_file();
    is_there.then(|| TextFile::read(&path, faults)).flatten().map(|file| file.text)
}

fn seconds(value: &str) -> Option<Duration> {
    let seconds = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.filter(|seconds| !seconds.is_zero() && seconds.as_secs() < 1_000_000)
}

/// A value without quotes and comment, as PHP's `parse_ini_string` reads it.
fn ini_value(value: &str) -> &str {
    let value = value.trim();
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value.split(';').next().unwrap_or_default().trim(),
    }
}
