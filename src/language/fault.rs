//! Why a program's language or start could not be told, in words that name the files and the way out.

use std::path::{Path, PathBuf};

use crate::language::cargo::CargoError;
use crate::language::executable::ExecutableError;
use crate::language::table::LANGUAGES;
use crate::model::diagnostic::Diagnostic;

/// A program whose language or start could not be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub struct DetectError {
    /// The program.
    pub path: PathBuf,
    /// Why.
    pub fault: DetectFault,
}

/// Why a program's language or start could not be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DetectFault {
    /// A directory without files, or an empty file.
    #[error("is empty; put a source in it")]
    Empty,
    /// No file's ending says a language.
    #[error(
        "no known source among {}; endings that are known: {}",
        list(files),
        endings()
    )]
    NoSource {
        /// Its files.
        files: Vec<PathBuf>,
    },
    /// Only headers.
    #[error("only headers: {}; add the file that includes them", list(files))]
    OnlyHeaders {
        /// These.
        files: Vec<PathBuf>,
    },
    /// Sources in several languages.
    #[error(
        "in several languages: {}; name one with `language:` in `submissions.yaml`, or keep one",
        list_languages(files)
    )]
    Mixed {
        /// Each source with its language.
        files: Vec<FileLanguage>,
    },
    /// The standard has the language, juror does not build it.
    #[error("juror does not build {name} ({}); it builds {}", because(file.as_deref()), languages())]
    NotBuilt {
        /// The language.
        name: &'static str,
        /// The file whose ending says so; `None` where the package names the language.
        file: Option<PathBuf>,
    },
    /// The package names a language that the standard does not have.
    #[error("there is no language `{code}`; the codes are {}", codes())]
    UnknownLanguage {
        /// The code.
        code: String,
    },
    /// The package names a language, but no file is in it.
    #[error(
        "no {language} source among {}; mend `language:` or the endings",
        list(files)
    )]
    NoSourceOf {
        /// The language.
        language: &'static str,
        /// The files.
        files: Vec<PathBuf>,
    },
    /// The entry point that the package names is not there.
    #[error(
        "no entry point `{wanted}` among {}; mend `entrypoint:` in `submissions.yaml`",
        list(files)
    )]
    NoSuchEntry {
        /// The name.
        wanted: String,
        /// The sources.
        files: Vec<PathBuf>,
    },
    /// No file starts.
    #[error(
        "nothing says which of {} starts; name it {usual}, or give `entrypoint:` in `submissions.yaml`",
        list(files)
    )]
    NoEntry {
        /// The sources.
        files: Vec<PathBuf>,
        /// The usual name.
        usual: String,
    },
    /// Several could.
    #[error(
        "{} could each be what starts; name one {usual}, or give `entrypoint:` in `submissions.yaml`",
        list(files)
    )]
    SeveralEntries {
        /// These.
        files: Vec<PathBuf>,
        /// The usual name.
        usual: String,
    },
    /// The Cargo project has no program that could be chosen.
    #[error("{0}; a name in `default-run` or `entrypoint:` decides")]
    Cargo(CargoError),
    /// A ready program or a script cannot be started.
    #[error("`{}` {fault}", file.display())]
    Executable {
        /// The file.
        file: PathBuf,
        /// Why.
        fault: ExecutableError,
    },
}

/// A source and what its ending says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLanguage {
    /// The file.
    pub file: PathBuf,
    /// The language's name.
    pub language: &'static str,
}

impl DetectError {
    /// The same for a person: what is wrong, and the way out.
    pub fn diagnostic(&self) -> Diagnostic {
        let said = self.fault.to_string();
        match said.split_once("; ") {
            Some((message, help)) => Diagnostic::error(&self.path, message).help(help),
            None => Diagnostic::error(&self.path, said),
        }
    }
}

/// Names in quotes; of many, the first ones.
fn list(files: &[PathBuf]) -> String {
    let shown: Vec<String> = files
        .iter()
        .take(8)
        .map(|it| format!("`{}`", it.display()))
        .collect();
    match files.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn list_languages(files: &[FileLanguage]) -> String {
    let shown = files
        .iter()
        .take(8)
        .map(|it| format!("`{}` is {}", it.file.display(), it.language));
    let shown: Vec<String> = shown.collect();
    match files.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn because(file: Option<&Path>) -> String {
    match file {
        Some(file) => format!("the ending of `{}` says that it is", file.display()),
        None => "the package says that it is".to_owned(),
    }
}

fn endings() -> String {
    let endings: Vec<&str> = LANGUAGES
        .iter()
        .flat_map(|it| it.extensions)
        .copied()
        .collect();
    endings.join(" ")
}

fn languages() -> String {
    let names: Vec<&str> = LANGUAGES.iter().map(|it| it.name).collect();
    names.join(", ")
}

fn codes() -> String {
    let codes: Vec<&str> = LANGUAGES.iter().map(|it| it.code).collect();
    codes.join(", ")
}
