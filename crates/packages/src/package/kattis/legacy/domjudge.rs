//! DOMjudge's additions to legacy packages: time limits and names.
//!
//! Source: DOMjudge's manual, "Problem package format".

use std::time::Duration;

use crate::package::files::PackageFiles;
use crate::package::kattis::problem_yaml::ProblemYaml;
use crate::package::text::excerpt;
use juror_core::grader::Dialect;
use juror_core::root::FilePath;

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
        && ["pdf", "html", "txt"].iter().any(|it| tree.file(&format!("problem.{it}")).is_some())
}

/// Reads the time limit and the name; those of the `.ini` file take precedence.
pub(super) fn read(tree: &PackageFiles, yaml: &mut ProblemYaml) {
    let text = |name| tree.file(name)?.read(&tree.faults);
    let ini = text(INI);
    let pairs = ini.iter().flat_map(|ini| ini.text.lines()).filter_map(|line| line.split_once('='));
    let mut time_limit = None;
    for (key, value) in pairs {
        let value = ini_value(value);
        match key.trim() {
            "timelimit" => time_limit = Some((INI, value.to_owned())),
            "name" if yaml.names.is_empty() && !value.is_empty() => {
                yaml.names.push(("en".to_owned(), value.to_owned()));
            }
            _ => {}
        }
    }
    let alone = || Some((TIME_LIMIT, text(TIME_LIMIT)?.text.trim().to_owned()));
    let Some((name, value)) = time_limit.or_else(alone) else { return };
    let seconds = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match seconds.filter(|it| !it.is_zero() && it.as_secs() < 1_000_000) {
        Some(limit) => yaml.limits.time_limit = Some(limit),
        None => {
            let message = format!("`{}` is not a time limit", excerpt(&value));
            tree.faults.error(tree.path(name), message, "write a number of seconds above 0");
        }
    }
}

/// A value without quotes and comment, as PHP's `parse_ini_string` reads it.
fn ini_value(value: &str) -> &str {
    let value = value.trim();
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value.split(';').next().unwrap_or_default().trim(),
    }
}
