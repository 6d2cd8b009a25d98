//! Programs as they are in a package or on a command line, before they are built.

use std::path::PathBuf;

use serde::Serialize;
use serde_with::serde_as;

use crate::model::root::FilePath;
use crate::model::serial::Location;

/// A program: a submission, a validator or a generator.
///
/// Source: problem package format 2025-09, "Programs".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Program {
    /// The file name or directory name by which it is referred to.
    #[serde(skip)]
    pub name: String,
    pub path: FilePath,
    /// Its purpose, which decides in which forms it may be given.
    #[serde(skip)]
    pub kind: ProgramKind,
    /// The language code, if the package names one.
    pub language: Option<String>,
    /// The file or class to start, if the package names one.
    pub entry_point: Option<String>,
    /// Files from `include/` that are added to the program's own before it is built.
    pub include: Vec<IncludedFile>,
    /// Replacements for `{{name}}` and `{{name.variant}}` in its own files before it is built.
    #[serde(skip)]
    pub constants: Vec<Constant>,
    /// Names to define when it is built, if it is in C or C++.
    pub defines: Vec<String>,
    /// Its files that are parts of other programs in its directory.
    pub without: Vec<PathBuf>,
    /// The package of a submission: its links may lead to the package's other files, but not to test data.
    #[serde(skip)]
    pub package: Option<FilePath>,
}

/// With testlib.h, the exit code for an output that is partly right, with the value 0. Unless it is defined, this is
/// the exit code for a right output.
pub const PARTLY_RIGHT: i32 = 50;

impl Program {
    /// All names to define when it is built, if it is in C or C++. Any program of the judge may include testlib.h, by
    /// any way; submissions do not.
    pub fn definitions(&self) -> Vec<String> {
        let mut all = self.defines.clone();
        if self.kind != ProgramKind::Submission {
            all.push(format!("PC_BASE_EXIT_CODE={PARTLY_RIGHT}"));
        }
        all
    }
}

/// The purpose of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramKind {
    #[default]
    Submission,
    /// A submission that consists of answers to the test cases.
    Answers,
    /// Checks whether an input is valid.
    InputValidator,
    /// Checks whether a judge answer is well formed.
    AnswerValidator,
    /// Checks whether an output is right.
    OutputValidator,
    StaticValidator,
    /// Makes images of an input, or of an output.
    Visualizer,
    /// Combines the results in a test data group into one.
    Grader,
    Generator,
}

/// A file that is added to a submission.
///
/// Source: problem package format 2025-09, "Included files".
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct IncludedFile {
    /// The language code of its directory; `None` for `include/default/`.
    pub language: Option<String>,
    /// Its path inside the submission's directory.
    #[serde_as(as = "Location")]
    pub name: PathBuf,
    /// Its path, or the file from which its text is derived.
    pub path: FilePath,
    /// Replacements for `{{name}}` and `{{name.variant}}` in it, whatever program it is added to.
    #[serde(skip)]
    pub constants: Vec<Constant>,
    /// Its text, if it is not the content of a file.
    #[serde(skip)]
    pub text: Option<String>,
}

impl IncludedFile {
    /// A file for programs in all languages, under its own name.
    pub fn beside(path: FilePath) -> Self {
        Self { name: path.file_name().unwrap_or_default().into(), path, ..Self::default() }
    }

    /// The same file for programs in the language of this code.
    #[must_use]
    pub fn for_language(self, code: &str) -> Self {
        Self { language: Some(code.to_owned()), ..self }
    }
}

/// A named value of `problem.yaml`, with one entry per variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Constant {
    /// The text between the braces: `name` or `name.variant`.
    pub key: String,
    #[serde(skip)]
    pub value: String,
}
