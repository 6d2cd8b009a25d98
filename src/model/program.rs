//! Programs as they stand in a package or on a command line, before anything is built.

use std::path::PathBuf;

/// A program: a submission, a validator or a generator.
///
/// Source: problem package format 2025-09, "Programs".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The file name or directory name by which it is referred to.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What it is for; decides in which forms it may be given.
    pub kind: ProgramKind,
    /// The language code, if the package names one.
    pub language: Option<String>,
    /// The file or class to start, if the package names one.
    pub entry_point: Option<String>,
    /// Files laid over the program's own before it is built, from `include/`.
    pub include: Vec<IncludedFile>,
    /// `{{name}}` and `{{name.variant}}` in its own files are replaced by these before it is built.
    pub constants: Vec<Constant>,
    /// Names that are defined when it is built, if it is in C or C++.
    pub defines: Vec<String>,
}

/// What a program is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramKind {
    /// A solution that is judged.
    #[default]
    Submission,
    /// In place of a solution, its answers to the test cases.
    Answers,
    /// Says whether an input is valid.
    InputValidator,
    /// Says whether a judge answer is well formed.
    AnswerValidator,
    /// Says whether an output is right.
    OutputValidator,
    /// Says whether a submission's files are right.
    StaticValidator,
    /// Makes images of an input, or of an output.
    Visualizer,
    /// Makes one result of those in a test data group.
    Grader,
    /// Makes test cases.
    Generator,
}

/// A file that is laid over a submission.
///
/// Source: problem package format 2025-09, "Included files".
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct IncludedFile {
    /// The language code whose directory it came from; `None` for `include/default/`.
    pub language: Option<String>,
    /// Its path inside the submission's directory.
    pub name: PathBuf,
    /// Where it is, or which file its text follows from.
    pub path: PathBuf,
    /// `{{name}}` and `{{name.variant}}` in it are replaced by these, whatever it is laid over.
    pub constants: Vec<Constant>,
    /// Its text, if no file has it.
    pub text: Option<String>,
}

impl IncludedFile {
    /// A file for programs in all languages, under its own name.
    pub fn beside(path: PathBuf) -> Self {
        Self { name: path.file_name().unwrap_or_default().into(), path, ..Self::default() }
    }
}

/// A named value of `problem.yaml`, with one entry a variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Constant {
    /// What stands between the braces: `name` or `name.variant`.
    pub key: String,
    /// What replaces it.
    pub value: String,
}
