//! A problem, as its package describes it.

use serde::Serialize;

use crate::grader::Graders;
use crate::layout::Layout;
use crate::limits::ProblemLimits;
use crate::program::{Constant, IncludedFile, Program};
use crate::protocol::Protocol;
use crate::recipe::Recipe;
use crate::root::FilePath;
use crate::submission::Submission;
use crate::test_data::TestData;

/// A problem package.
///
/// Serialized, it is what the package says, whatever its format.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Problem {
    #[serde(skip)]
    pub dir: FilePath,
    /// Where the package's format puts things, and how it names them.
    #[serde(skip)]
    pub layout: Layout,
    /// Why juror reads the package in that format, in one line.
    #[serde(skip)]
    pub format_reason: String,
    #[serde(skip)]
    pub short_name: String,
    pub names: Vec<(String, String)>,
    pub kind: ProblemKind,
    pub limits: ProblemLimits,
    /// The language codes that submissions may use; `None` for all.
    pub languages: Option<Vec<String>>,
    /// Languages for which the package has settings that juror does not apply.
    pub unjudged: Vec<String>,
    /// Whether submissions may write files in their working directory.
    pub allow_file_writing: bool,
    /// Named values for templates, one entry per variant.
    pub constants: Vec<Constant>,
    pub io: ProgramIo,
    pub test_data: TestData,
    /// Set in formats with graders.
    pub graders: Option<Graders>,
    pub include: Vec<IncludedFile>,
    /// Names to define in all submissions in C or C++.
    pub defines: Vec<String>,
    pub input_validators: Vec<Program>,
    pub input_protocol: Protocol,
    /// The programs that check whether a judge answer is well formed.
    pub answer_validators: Vec<Program>,
    /// All of them must accept an output. Empty if the format's default one decides.
    pub output_validators: Vec<Program>,
    pub output_protocol: Protocol,
    /// Set in formats in which it is no output validator. The output validators check its output.
    pub interactor: Option<Program>,
    pub static_validator: Option<Program>,
    pub input_visualizer: Option<Program>,
    pub output_visualizer: Option<Program>,
    pub input_grammars: Vec<InputGrammar>,
    pub submissions: Vec<Submission>,
    pub recipe: Option<FilePath>,
    /// The `testlib.h` for generators that use it.
    pub generator_header: Option<FilePath>,
    /// Mutants that the author declares right, each with the reason.
    pub equivalents: Vec<EquivalentMutant>,
    /// How to make files of test cases that the package describes but does not contain. Until then, their paths do not
    /// exist.
    #[serde(skip)]
    pub pending_recipe: Option<Recipe>,
}

impl Problem {
    /// In this language, otherwise in the first one.
    pub fn name(&self, language: &str) -> Option<&str> {
        let own = self.names.iter().find(|(code, _)| code == language);
        own.or_else(|| self.names.first()).map(|(_, name)| name.as_str())
    }
}

/// A changed copy of a right submission that is right, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EquivalentMutant {
    /// Its name in the report of `strength`.
    pub subject: String,
    pub reason: String,
}

/// How submissions are run and graded.
///
/// Source: problem package format 2025-09, "Type".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ProblemKind {
    pub grading: Grading,
    pub submitted: SubmittedContent,
    pub interaction: Interaction,
    /// The most passes of a submission on a test case: 1, or more for multi-pass problems.
    pub passes: u32,
}

impl Default for ProblemKind {
    fn default() -> Self {
        Self {
            grading: Grading::PassFail,
            submitted: SubmittedContent::Program,
            interaction: Interaction::None,
            passes: 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grading {
    /// A submission is accepted or not.
    PassFail,
    Scoring,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubmittedContent {
    /// A program, which is run on each test case.
    Program,
    /// A function in a source: a program calls it, and writes what it returns as one line.
    Function,
    /// Files with the answers to the test cases: nothing is run.
    Answers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interaction {
    /// It reads a file and writes one.
    None,
    Interactive,
}

/// An input validator that is a grammar, in the language checktestdata.
///
/// Source: problem package format 2025-09, "Input validators".
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputGrammar {
    /// The file's name, which ends in `.ctd`.
    #[serde(skip)]
    pub name: String,
    pub path: FilePath,
}

/// Where a submission reads its input and writes its output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramIo {
    #[default]
    Standard,
    /// Files in its working directory, named in `juror.toml`.
    Files {
        /// The input file, such as `game1.in`.
        input: String,
        /// The output file, such as `game1.out`.
        output: String,
    },
}
