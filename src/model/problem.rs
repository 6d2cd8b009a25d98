//! A problem: what a package says once it has been read and understood.

use std::path::PathBuf;

use crate::model::grader::Graders;
use crate::model::layout::Layout;
use crate::model::limits::ProblemLimits;
use crate::model::program::{Constant, IncludedFile, Program};
use crate::model::protocol::Protocol;
use crate::model::recipe::Recipe;
use crate::model::submission::Submission;
use crate::model::test_data::TestData;

/// A problem package, understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// The package's directory.
    pub dir: PathBuf,
    /// Where the package's format puts things, and what it calls them.
    pub layout: Layout,
    /// Why it was taken for a package in that format, in a line.
    pub format_reason: String,
    /// The directory's name.
    pub short_name: String,
    /// The name by language code.
    pub names: Vec<(String, String)>,
    /// How submissions are run and graded.
    pub kind: ProblemKind,
    /// What its programs may use.
    pub limits: ProblemLimits,
    /// The language codes that submissions may be in; `None` for all.
    pub languages: Option<Vec<String>>,
    /// Whether submissions may write files in their working directory.
    pub allow_file_writing: bool,
    /// Named values for templates, one entry a variant.
    pub constants: Vec<Constant>,
    /// Where a program reads its input and writes its output.
    pub io: ProgramIo,
    /// Its test cases.
    pub test_data: TestData,
    /// How its groups are graded, in formats with graders.
    pub graders: Option<Graders>,
    /// Files laid over every submission.
    pub include: Vec<IncludedFile>,
    /// Names that are defined for every submission in C or C++.
    pub defines: Vec<String>,
    /// The programs that say whether an input is valid.
    pub input_validators: Vec<Program>,
    /// How they are called.
    pub input_protocol: Protocol,
    /// The programs that say whether a judge answer is well formed.
    pub answer_validators: Vec<Program>,
    /// The programs that say whether an output is right: all must accept it. Empty for the format's default one.
    pub output_validators: Vec<Program>,
    /// How they are called.
    pub output_protocol: Protocol,
    /// The program that submissions talk with, in formats where that is not an output validator: what it writes is the
    /// output that those look at.
    pub interactor: Option<Program>,
    /// The program that looks at a submission's files.
    pub static_validator: Option<Program>,
    /// The program that makes images of inputs.
    pub input_visualizer: Option<Program>,
    /// The program that makes images of outputs.
    pub output_visualizer: Option<Program>,
    /// The grammars that say whether an input is valid.
    pub input_grammars: Vec<InputGrammar>,
    /// Its example submissions, by name.
    pub submissions: Vec<Submission>,
    /// The recipe for its test data, if there is one.
    pub recipe: Option<PathBuf>,
    /// The `testlib.h` that is laid beside generators, if they are written with it.
    pub generator_header: Option<PathBuf>,
    /// Changed copies of right submissions of which the author says that they are right, too: each with the reason.
    pub equivalents: Vec<Equivalent>,
    /// How the files of test cases are made that the package describes and does not have. Until they are made, the paths
    /// of those files lead to nothing.
    pub unmade: Option<Recipe>,
}

/// A changed copy of a right submission that is right as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalent {
    /// Its name in the report of `strength`.
    pub subject: String,
    /// Why it is right.
    pub reason: String,
}

/// How submissions are run and graded.
///
/// Source: problem package format 2025-09, "Type".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProblemKind {
    /// What a submission earns.
    pub grading: Grading,
    /// What is submitted.
    pub submitted: Submitted,
    /// With whom it talks.
    pub interaction: Interaction,
    /// How often a submission is run on a test case at most: 1, and more for multi-pass problems.
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

/// What a submission earns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grading {
    /// It is accepted or not.
    PassFail,
    /// A score.
    Scoring,
}

/// What is submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// A program, which is run on each test case.
    Program,
    /// The answers to the test cases, as files: nothing is run.
    Answers,
}

/// With whom a submission talks while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interaction {
    /// With no program: it reads a file and writes one.
    None,
    /// With the output validator.
    Interactive,
}

/// An input validator that is a grammar, in the language checktestdata.
///
/// Source: problem package format 2025-09, "Input validators".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputGrammar {
    /// The file's name, which ends in `.ctd`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// Where a program reads its input and writes its output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProgramIo {
    /// Standard input and standard output.
    #[default]
    Standard,
    /// Files in its working directory, as `juror.toml` names them.
    Files {
        /// Such as `game1.in`.
        input: String,
        /// Such as `game1.out`.
        output: String,
    },
}
