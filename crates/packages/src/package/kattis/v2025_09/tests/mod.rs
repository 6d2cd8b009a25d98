//! Small packages, each with one fault, and the remarks about it.
//!
//! A package is described as a text: the smallest valid package, changed by what the text says.
//! `--- PATH` starts the contents of a file, `--- PATH -> TARGET` makes a link, `--- PATH removed`
//! takes a file or directory away, `--- PATH/` makes an empty directory.

mod data;
mod files;
mod hostile;
mod metadata;
mod scoring;
mod settings;
mod submissions;
mod valid;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::package::{PackageReading, read};
use juror_core::diagnostic::Diagnostic;

/// The smallest package without a fault.
const SMALLEST: &str = "
--- problem.yaml
problem_format_version: 2025-09
name: Small
uuid: 123e4567-e89b-42d3-a456-426614174000
--- statement/problem.en.md
Add.
--- data/secret/1.in
1 2
--- data/secret/1.ans
3
--- submissions/accepted/add.py
print(sum(map(int, input().split())))
--- input_validators/validate.py
exit(42)
";

const HEAD: &str =
    "problem_format_version: 2025-09\nname: Small\nuuid: 123e4567-e89b-42d3-a456-426614174000";

pub(in crate::package::kattis) struct Package {
    _keep: TempDir,
    pub dir: PathBuf,
}

impl Package {
    /// The smallest package with these changes.
    pub(in crate::package::kattis) fn new(changes: &str) -> Self {
        let keep = TempDir::new().expect("a temporary directory");
        let dir = keep.path().join("small");
        fs::create_dir(&dir).expect("a directory for the package");
        let package = Self { _keep: keep, dir };
        package.change(SMALLEST);
        package.change(changes);
        package
    }

    fn change(&self, changes: &str) {
        for change in changes.trim_start_matches('\n').split("--- ").skip(1) {
            let (head, content) = change.split_once('\n').unwrap_or((change, ""));
            if let Some((link, target)) = head.split_once(" -> ") {
                self.link(link, target);
            } else if let Some(name) = head.strip_suffix(" removed") {
                let path = self.dir.join(name);
                let is_dir = path.is_dir();
                let removed = if is_dir { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                removed.expect("something to remove");
            } else if let Some(name) = head.strip_suffix('/') {
                fs::create_dir_all(self.dir.join(name)).expect("a new directory");
            } else {
                self.write(head, content.as_bytes());
            }
        }
    }

    /// Writes a file and the directories that it is in.
    pub(in crate::package::kattis) fn write(&self, name: &str, content: &[u8]) {
        let path = self.dir.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, content).expect("a new file");
    }

    fn link(&self, name: &str, target: &str) {
        let path = self.dir.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::os::unix::fs::symlink(target, path).expect("a new link");
    }

    /// The diagnostics, one line each.
    pub(in crate::package::kattis) fn remarks(&self) -> Vec<String> {
        let PackageReading { diagnostics, .. } = read(&self.dir);
        diagnostics.iter().map(|diagnostic| diagnostic_line(diagnostic, &self.dir)).collect()
    }
}

/// `error PATH:LINE:COLUMN: MESSAGE; HELP`
fn diagnostic_line(diagnostic: &Diagnostic, dir: &Path) -> String {
    let severity = diagnostic.severity;
    let text = diagnostic.to_string();
    let prefix = format!("{}/", dir.display());
    let text = text.strip_prefix(&prefix).unwrap_or(&text);
    let text = text.replace(&dir.display().to_string(), "PACKAGE");
    let help = diagnostic.help.as_ref().map(|help| format!("; {help}"));
    format!("{severity} {text}{}", help.unwrap_or_default())
}

/// Checks the remarks about the smallest package with these changes.
pub(super) fn check(changes: &str, expected: &[&str]) {
    let remarks = Package::new(changes).remarks();
    assert_eq!(remarks, expected, "\n{changes}\nsaid:\n{}\n", remarks.join("\n"));
}

/// Checks the remarks about keys added to the three lines of `problem.yaml`.
pub(super) fn check_problem_yaml(added: &str, expected: &[&str]) {
    check(&format!("--- problem.yaml\n{HEAD}\n{added}\n"), expected);
}

/// Checks the remark about each of these lines of `problem.yaml`: none, or an error `COLUMN: MESSAGE; HELP`, or
/// the same as a warning.
pub(super) fn check_each(table: &[(&str, &str)]) {
    for (line, expected) in table {
        let (severity, rest) = match expected.strip_prefix("warning ") {
            Some(rest) => ("warning", rest),
            None => ("error", *expected),
        };
        let expected = format!("{severity} problem.yaml:4:{rest}");
        check_problem_yaml(line, &[expected.as_str()][usize::from(rest.is_empty())..]);
    }
}
