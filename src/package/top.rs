//! The package as a whole: whether there is one, and what stands at its top.
//!
//! Source: problem package format 2025-09, "Problem package structure overview".

use std::path::{Path, PathBuf};

use crate::model::diagnostic::Diagnostic;
use crate::package::files::Tree;
use crate::package::statement;
use crate::package::suggest::nearest;

const KNOWN: [&str; 17] = [
    "problem.yaml",
    "juror.toml",
    "statement",
    "attachments",
    "solution",
    "data",
    "generators",
    "include",
    "submissions",
    "input_validators",
    "answer_validators",
    "static_validator",
    "output_validator",
    "input_visualizer",
    "output_visualizer",
    "README.md",
    "LICENSE",
];

/// A name of another format, and what stands for it here.
struct Renamed {
    old: &'static str,
    help: &'static str,
}

const RENAMED: [Renamed; 7] = [
    Renamed {
        old: "problem_statement",
        help: "in format 2025-09: `statement`",
    },
    Renamed {
        old: "output_validators",
        help: "in format 2025-09: `output_validator`, exactly one",
    },
    Renamed {
        old: "input_format_validators",
        help: "in format 2025-09: `input_validators`",
    },
    Renamed {
        old: "graders",
        help: "in format 2025-09 there are no graders",
    },
    Renamed {
        old: "domjudge-problem.ini",
        help: "in format 2025-09: `limits` of problem.yaml",
    },
    Renamed {
        old: "problem.yml",
        help: "in format 2025-09: `problem.yaml`",
    },
    Renamed {
        old: "submissions.yaml",
        help: "it belongs into `submissions/`",
    },
];

/// Whether there is a package in `dir`.
pub(super) fn check(dir: &Path) -> Result<(), Diagnostic> {
    let metadata = match std::fs::metadata(dir) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Diagnostic::error(dir, "no such directory")
                .help("give the directory of a problem package"));
        }
        Err(error) => return Err(Diagnostic::error(dir, format!("cannot be read: {error}"))),
    };
    if !metadata.is_dir() {
        let is_archive = dir
            .extension()
            .is_some_and(|extension| extension == "zip" || extension == "kpp");
        let help = match is_archive {
            true => "juror reads directories; unpack the archive first",
            false => "give the directory of a problem package",
        };
        return Err(Diagnostic::error(dir, "is not a directory").help(help));
    }
    if dir.join("problem.yaml").is_file() {
        return Ok(());
    }
    let message = format!(
        "no problem.yaml in {}; is this a problem package?",
        dir.display()
    );
    let packages = packages_near(dir);
    let help = match &packages[..] {
        [] => "a package is a directory with a file problem.yaml".to_owned(),
        [package] => format!("did you mean {}?", package.display()),
        [first, .., last] if packages.len() > 5 => {
            format!(
                "there are {} packages in it, from {} to {}",
                packages.len(),
                first.display(),
                last.display()
            )
        }
        some => {
            let names: Vec<String> = some
                .iter()
                .map(|package| package.display().to_string())
                .collect();
            format!("packages in it: {}", names.join(", "))
        }
    };
    Err(Diagnostic::error(dir, message).help(help))
}

/// Directories in `dir` that are packages, or the one that `dir` is in.
fn packages_near(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let inside = entries.map(|entry| entry.path());
    let mut packages: Vec<PathBuf> = inside.filter(|path| is_package(path)).collect();
    packages.sort();
    if packages.is_empty() {
        let real = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        packages.extend(
            real.ancestors()
                .skip(1)
                .find(|path| is_package(path))
                .map(Path::to_owned),
        );
    }
    packages
}

fn is_package(path: &Path) -> bool {
    path.join("problem.yaml").is_file()
}

/// The name of the directory, also where it is given as `.`.
pub(super) fn short_name(dir: &Path) -> String {
    let real = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let name = real
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_default()
}

/// Doubts the directory's name and misspelt entries; refuses what juror cannot judge.
pub(super) fn check_entries(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    let name = short_name(&tree.root);
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    {
        let message =
            format!("the directory's name `{name}` has more than lower-case letters and digits");
        diagnostics.push(Diagnostic::warning(&tree.root, message).help("rename the directory"));
    }
    if tree
        .directory("static_validator")
        .is_some_and(|item| tree.children(&item.name).next().is_some())
    {
        let message = "a static validator is not supported yet: nothing would check it";
        let help = "judge without it by moving the directory out of the package";
        diagnostics.push(Diagnostic::error(tree.path("static_validator"), message).help(help));
    }
    for item in tree.children("") {
        let name = item.base_name();
        if KNOWN.contains(&name) || name == "problem_statement" && statement::is_renamed(tree) {
            continue;
        }
        let renamed = RENAMED.iter().find(|renamed| renamed.old == name);
        let help = match (renamed, nearest(name, KNOWN)) {
            (Some(renamed), _) => renamed.help.to_owned(),
            (None, Some(known)) => format!("did you mean `{known}`?"),
            (None, None) => continue,
        };
        let message = "is ignored: the format does not know it";
        diagnostics.push(Diagnostic::warning(&item.path, message).help(help));
    }
}
