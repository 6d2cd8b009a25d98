//! A problem, as read from a package.

use serde::Serialize;

use crate::model::grader::Graders;
use crate::model::layout::Layout;
use crate::model::limits::ProblemLimits;
use crate::model::program::{Constant, IncludedFile, Program};
use crate::model::protocol::Protocol;
use crate::model::recipe::Recipe;
use crate::model::root::FilePath;
use crate::model::submission::Submission;
use crate::model::test_data::TestData;

/// A problem package that was read.
///
/// Written as data, it is what the package says in any format: what only says how its format puts it is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Problem {
    #[serde(skip)]
    pub dir: FilePath,
    /// Where the package's format puts things, and how it names them.
    #[serde(skip)]
    pub layout: Layout,
    /// Why the package is read in that format, in one line.
    #[serde(skip)]
    pub format_reason: String,
    #[serde(skip)]
    pub short_name: String,
    pub names: Vec<(String, String)>,
    pub kind: ProblemKind,
    pub limits: ProblemLimits,
    /// The language codes that submissions may use; `None` for all.
    pub languages: Option<Vec<String>>,
    /// Codes of languages for which the package has settings that juror does not apply.
    pub unjudged: Vec<String>,
    /// Whether submissions may write files in their working directory.
    pub allow_file_writing: bool,
    /// Named values for templates, one entry per variant.
    pub constants: Vec<Constant>,
    pub io: ProgramIo,
    pub test_data: TestData,
    /// How its groups are graded, in formats with graders.
    pub graders: Option<Graders>,
    pub include: Vec<IncludedFile>,
    /// Names to define for every submission in C or C++.
    pub defines: Vec<String>,
    pub input_validators: Vec<Program>,
    pub input_protocol: Protocol,
    /// The programs that check whether a judge answer is well formed.
    pub answer_validators: Vec<Program>,
    /// The output validators, all of which must accept an output. Empty for the format's default one.
    pub output_validators: Vec<Program>,
    pub output_protocol: Protocol,
    /// The interactor, in formats in which it is not an output validator: its output is what the output validators
    /// check.
    pub interactor: Option<Program>,
    pub static_validator: Option<Program>,
    pub input_visualizer: Option<Program>,
    pub output_visualizer: Option<Program>,
    pub input_grammars: Vec<InputGrammar>,
    pub submissions: Vec<Submission>,
    /// The recipe for its test data, if there is one.
    pub recipe: Option<FilePath>,
    /// The `testlib.h` to put beside generators that use it.
    pub generator_header: Option<FilePath>,
    /// Changed copies of right submissions that the author declares to be right, too, each with the reason.
    pub equivalents: Vec<Equivalent>,
    /// How to make the files of test cases that the package describes but does not contain. Until they are made, their
    /// paths do not exist.
    #[serde(skip)]
    pub unmade: Option<Recipe>,
}

impl Problem {
    /// Its name in this language, otherwise in its first one; `None` if it has no name.
    pub fn name(&self, language: &str) -> Option<&str> {
        let own = self.names.iter().find(|(code, _)| code == language);
        own.or_else(|| self.names.first()).map(|(_, name)| name.as_str())
    }
}

/// A changed copy of a right submission that is right as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Equivalent {
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
    pub submitted: Submitted,
    pub interaction: Interaction,
    /// How many passes a submission has on a test case at most: 1, or more for multi-pass problems.
    pub passes: u32,
}

impl Default for ProblemKind {
    fn default() -> Self {
        Self {
            grading: Grading::PassFail,
            submitted: Submitted::Program,
            interaction: Interaction::None,
            passes: 1,
        }
    }
}

/// The kind of result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grading {
    /// A submission is accepted or not.
    PassFail,
    Scoring,
}

/// What contestants submit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Submitted {
    /// A program, which is run on each test case.
    Program,
    /// The answers to the test cases, as files: nothing is run.
    Answers,
}

/// The program that a submission talks with while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interaction {
    /// None: it reads a file and writes one.
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

/// Where a submission reads input and writes output.
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
