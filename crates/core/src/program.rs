//! Programs of a package or a command line, before they are built.

use crate::protocol::Protocol;
use std::ffi::OsString;
use std::path::PathBuf;

use serde::Serialize;
use serde_with::serde_as;

use crate::root::FilePath;
use crate::serial::Location;

/// A program: a submission, a validator or a generator.
///
/// Source: problem package format 2025-09, "Programs".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Program {
    /// The name of its file or directory.
    #[serde(skip)]
    pub name: String,
    pub path: FilePath,
    /// Decides in which forms the program may be given.
    #[serde(skip)]
    pub kind: ProgramKind,
    /// Its text, if no file has it. Then its path is only a file name.
    #[serde(skip)]
    pub text: Option<String>,
    /// The language code, if the package names one.
    pub language: Option<String>,
    /// The file or class to start, if the package names one.
    pub entry_point: Option<String>,
    /// Files from `include/` that are added before it is built.
    pub include: Vec<IncludedFile>,
    /// Replacements for `{{name}}` and `{{name.variant}}` in its own files, before it is built.
    #[serde(skip)]
    pub constants: Vec<Constant>,
    /// Names to define if it is in C or C++.
    pub defines: Vec<String>,
    #[serde(skip)]
    pub variant: BuildVariant,
    /// Files of its directory that belong to other programs.
    pub without: Vec<PathBuf>,
    /// How it is called, if not as the problem says.
    #[serde(skip)]
    pub protocol: Option<Protocol>,
    /// Whether it judges and the command line names it: then trials find a protocol that is not known.
    #[serde(skip)]
    pub is_given: bool,
    /// The first words that it gets, before those of a run.
    #[serde(skip)]
    pub arguments: Vec<String>,
    /// How to start it, if it is not built from its path.
    #[serde(skip)]
    pub command: Option<TypedCommand>,
    /// The package of a submission. Links may lead to other files of the package, but not to test data.
    #[serde(skip)]
    pub package: Option<FilePath>,
}

/// How a user wants a program to be built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildVariant {
    /// The code of its language, instead of what its package and its files say.
    pub language: Option<&'static str>,
    /// Whether it is built and run with the checks of its language, to find its faults.
    pub debug: bool,
    /// Words for the command line of the build.
    pub flags: Vec<String>,
}

/// With testlib.h, the exit code for an output that is partly right, with the value 0. Unless it is defined, that is
/// the exit code for a right output.
pub const PARTLY_RIGHT_EXIT_CODE: i32 = 50;

impl Program {
    pub fn set_variant(&mut self, variant: &BuildVariant) {
        self.variant = variant.clone();
        self.language = variant.language.map(str::to_owned).or(self.language.take());
    }

    /// The names to define if it is in C or C++. Every program but a submission may include testlib.h, in any way.
    pub fn definitions(&self) -> Vec<String> {
        let mut all = self.defines.clone();
        if self.kind != ProgramKind::Submission {
            all.push(format!("PC_BASE_EXIT_CODE={PARTLY_RIGHT_EXIT_CODE}"));
        }
        all
    }
}

/// A command line as a person typed it, such as `./a.out --fast` or `python3 sol.py`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedCommand {
    pub words: Vec<OsString>,
    /// The absolute path of the directory in which it was typed.
    pub directory: PathBuf,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramKind {
    #[default]
    Submission,
    /// A submission that consists of answers to the test cases.
    Answers,
    /// Decides whether an input is valid.
    InputValidator,
    /// Decides whether a judge answer is well formed.
    AnswerValidator,
    /// Decides whether an output is right.
    OutputValidator,
    StaticValidator,
    /// Makes images of inputs or outputs.
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
    /// Replacements for `{{name}}` and `{{name.variant}}` in it, for all programs.
    #[serde(skip)]
    pub constants: Vec<Constant>,
    /// Its text, unless a file contains it.
    #[serde(skip)]
    pub text: Option<String>,
    /// Whether a source includes it by name. Then it is no source of its own, whatever its ending.
    #[serde(skip)]
    pub is_header: bool,
}

impl IncludedFile {
    /// For programs in all languages, under its own name.
    pub fn for_all_languages(path: FilePath) -> Self {
        Self { name: path.file_name().unwrap_or_default().into(), path, ..Self::default() }
    }

    #[must_use]
    pub fn for_language(self, code: &str) -> Self {
        Self { language: Some(code.to_owned()), ..self }
    }
}

/// A value of `problem.yaml` with a name; one for each variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Constant {
    /// The text between the braces: `name` or `name.variant`.
    pub key: String,
    #[serde(skip)]
    pub value: String,
}
