//! Test cases and the groups they stand in.

use std::path::{Path, PathBuf};

/// One test case.
///
/// Source: problem package format 2025-09, "Test cases".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// The path below `data/` without extension, such as `secret/edges/01-two`.
    pub name: String,
    /// The `.in` file.
    pub input: PathBuf,
    /// The `.ans` file; absent only for invalid inputs.
    pub answer: Option<PathBuf>,
    /// The `.out` file of `valid_output` and `invalid_output`, and of samples that have one.
    pub output: Option<PathBuf>,
    /// The `.files` directory's files, by their paths inside it.
    pub files: Vec<CaseFile>,
    /// Command-line arguments for the submission.
    pub args: Vec<String>,
    /// Arguments for the input validators.
    pub input_validator_args: ValidatorArgs,
    /// Arguments for the output validator.
    pub output_validator_args: Vec<String>,
    /// Whether a contestant may see the case after failing it.
    pub full_feedback: bool,
    /// Help for somebody who failed here.
    pub hint: Option<String>,
    /// What the case is for.
    pub description: Option<String>,
}

impl TestCase {
    /// The `.ans` file.
    pub fn answer_path(&self) -> Option<&Path> {
        self.answer.as_deref()
    }

    /// The `.out` file.
    pub fn output_path(&self) -> Option<&Path> {
        self.output.as_deref()
    }
}

/// A file that a program finds in its working directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseFile {
    /// Its path inside the working directory.
    pub name: PathBuf,
    /// Where it is.
    pub path: PathBuf,
}

/// Arguments for input validators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValidatorArgs {
    /// The same for each validator.
    All(Vec<String>),
    /// By validator name; the others get none.
    ByName(Vec<(String, Vec<String>)>),
}

impl Default for ValidatorArgs {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl ValidatorArgs {
    /// The arguments for the validator of this name.
    pub fn for_validator(&self, name: &str) -> &[String] {
        match self {
            Self::All(args) => args,
            Self::ByName(by_name) => by_name
                .iter()
                .find(|(validator, _)| validator == name)
                .map_or(&[], |(_, args)| args),
        }
    }
}

/// A directory with a `test_group.yaml` of its own, or `sample`, or `secret`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestGroup {
    /// The path below `data/`, such as `secret/group1`.
    pub name: String,
}

/// All test cases of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestData {
    /// `sample`, `secret`, and the groups in it, by name.
    pub groups: Vec<TestGroup>,
    /// The cases of `sample` and `secret` in judging order: samples first, then by name.
    pub cases: Vec<TestCase>,
    /// `invalid_input`: some input validator must refuse each.
    pub invalid_inputs: Vec<TestCase>,
    /// `invalid_answer`: some answer validator, or the output validator, must refuse each `.ans`.
    pub invalid_answers: Vec<TestCase>,
    /// `valid_output`: the output validator must accept each `.out`.
    pub valid_outputs: Vec<TestCase>,
    /// `invalid_output`: the output validator must refuse each `.out`.
    pub invalid_outputs: Vec<TestCase>,
}
