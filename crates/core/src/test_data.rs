//! Test cases and their groups.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::Serialize;
use serde_with::serde_as;

use crate::root::FilePath;
use crate::score::{Aggregation, GroupScoring, Score};
use crate::serial::Location;

/// Source: problem package format 2025-09, "Test cases".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TestCase {
    /// The path below `data/` without extension, such as `secret/edges/01-two`.
    pub name: String,
    pub input: FilePath,
    /// The `.ans` file; `None` for invalid inputs, and for [`TestData::unanswered`].
    pub answer: Option<FilePath>,
    /// Whether it may be without an answer: then the program runs, and its output is only shown, or an interactor judges.
    /// Otherwise a missing answer is a fault of the judge.
    #[serde(skip)]
    pub needs_no_answer: bool,
    /// Whether the answer is shown to people as a right output.
    #[serde(skip)]
    pub is_answer_shown: bool,
    /// The `.out` file of `valid_output` and `invalid_output`, and of samples that have one.
    pub output: Option<FilePath>,
    /// The `.interaction` file: an example exchange for people.
    pub interaction: Option<FilePath>,
    /// The files of the `.files` directory, by their paths in it.
    pub files: Vec<CaseFile>,
    pub args: Vec<String>,
    pub input_validator_args: ValidatorArgs,
    pub output_validator_args: Vec<String>,
    pub input_visualizer_args: Vec<String>,
    pub output_visualizer_args: Vec<String>,
    /// The maximum score, unless its group decides it.
    #[serde(skip)]
    pub points: Option<Score>,
    /// How many points the output validator gives at most, if not `points`.
    #[serde(skip)]
    pub validator_points: Option<Score>,
}

/// A file for the working directory of a program.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaseFile {
    /// Its path in the working directory.
    #[serde_as(as = "Location")]
    pub name: PathBuf,
    pub path: FilePath,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum ValidatorArgs {
    All(Vec<String>),
    /// By validator name; other validators get none.
    ByName(Vec<(String, Vec<String>)>),
}

impl Default for ValidatorArgs {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl ValidatorArgs {
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

/// A directory with its own settings, or `sample`, or `secret`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestGroup {
    /// The path below `data/`, such as `secret/group1`.
    pub name: String,
    /// How it is scored; `None` for `sample`, and in problems without scores.
    pub scoring: Option<GroupScoring>,
}

impl TestGroup {
    pub fn scored(
        name: impl Into<String>,
        max_score: Option<Score>,
        aggregation: Aggregation,
        require_pass: Vec<String>,
    ) -> Self {
        let scoring = Some(GroupScoring { max_score, aggregation, require_pass });
        Self { name: name.into(), scoring }
    }
}

/// A case for which the static validator checks a submission, and nothing runs.
///
/// Source: problem package format 2025-09, "Static validation test cases".
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StaticCase {
    /// Its group; `sample`, or `secret` without groups.
    pub group: String,
    /// The greatest score; `None` if it is only passed or failed.
    pub max_score: Option<Score>,
    pub args: Vec<String>,
    /// Stands for it in lists of test cases; it has no files.
    #[serde(skip)]
    pub test_case: TestCase,
}

/// A test case by which submissions are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedCase<'a> {
    Run(&'a TestCase),
    Static(&'a StaticCase),
}

impl<'a> JudgedCase<'a> {
    /// The test case, or its stand-in.
    pub fn test_case(self) -> &'a TestCase {
        match self {
            Self::Run(test_case) => test_case,
            Self::Static(case) => &case.test_case,
        }
    }
}

impl TestData {
    /// Test cases for the validators: right outputs, and inputs, answers and outputs to refuse.
    pub fn examples(&self) -> impl Iterator<Item = &TestCase> {
        let Self { invalid_inputs, invalid_answers, valid_outputs, invalid_outputs, .. } = self;
        [invalid_inputs, invalid_answers, valid_outputs, invalid_outputs].into_iter().flatten()
    }

    /// Everything that judges a submission, in order. In each group, static validation comes first.
    pub fn judged_cases(&self) -> Vec<JudgedCase<'_>> {
        let mut judged = Vec::with_capacity(self.cases.len() + self.static_cases.len());
        let mut cases = self.cases.iter().peekable();
        let groups = self.groups.iter().enumerate();
        let groups: HashMap<&str, usize> =
            groups.map(|(index, group)| (group.name.as_str(), index)).collect();
        for (index, group) in self.groups.iter().enumerate() {
            let of_group = self.static_cases.iter().filter(|case| case.group == group.name);
            judged.extend(of_group.map(JudgedCase::Static));
            // The cases are in the order of their groups.
            let is_here = |case: &&TestCase| {
                enclosing_groups(&case.name).find_map(|name| groups.get(name)) == Some(&index)
            };
            while let Some(case) = cases.next_if(is_here) {
                judged.push(JudgedCase::Run(case));
            }
        }
        judged.extend(cases.map(JudgedCase::Run));
        judged
    }

    pub fn group_of(&self, name: &str) -> Option<&TestGroup> {
        let groups = self.groups.iter().filter(|group| is_inside(name, &group.name));
        groups.max_by_key(|group| group.name.len())
    }
}

/// The groups that a test case can be in by its name, from the inside out.
pub fn enclosing_groups(name: &str) -> impl Iterator<Item = &str> {
    name.rmatch_indices('/').map(|(end, _)| &name[..end]).chain([""])
}

/// Whether a test case or group is anywhere below this group. The group without a name includes all.
pub fn is_inside(name: &str, group: &str) -> bool {
    if group.is_empty() {
        return !name.is_empty();
    }
    name.strip_prefix(group).is_some_and(|rest| rest.starts_with('/'))
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TestData {
    /// `sample`, `secret`, and the groups in it, by name.
    #[serde(skip)]
    pub groups: Vec<TestGroup>,
    /// The cases of `sample` and `secret`, in judging order: samples first, then by name.
    pub cases: Vec<TestCase>,
    /// Inputs without answers beside bare tests: a program can run on them, and nothing judges its output.
    pub unanswered: Vec<TestCase>,
    /// Cases for the static validator, in the order of the groups.
    pub static_cases: Vec<StaticCase>,
    /// Every input validator must accept each. Submissions do not run on them.
    pub valid_inputs: Vec<TestCase>,
    /// `invalid_input`: an input validator must refuse each.
    pub invalid_inputs: Vec<TestCase>,
    /// `invalid_answer`: an answer validator or the output validator must refuse each `.ans`.
    pub invalid_answers: Vec<TestCase>,
    /// `valid_output`: the output validator must accept each `.out`.
    pub valid_outputs: Vec<TestCase>,
    /// `invalid_output`: the output validator must refuse each `.out`.
    pub invalid_outputs: Vec<TestCase>,
    /// Outputs for the output validator, with inputs that need not be valid.
    pub output_trials: Vec<OutputTrial>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutputTrial {
    #[serde(flatten)]
    pub test_case: TestCase,
    pub claim: OutputClaim,
}

/// What the output validator must decide about an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputClaim {
    Right,
    Wrong,
    Fault,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_case(name: &str) -> TestCase {
        TestCase { name: name.to_owned(), ..TestCase::default() }
    }

    #[test]
    fn static_validation_comes_first_in_its_group() {
        let check = |groups: &[&str], cases: &[&str], static_groups: &[&str], expected: &str| {
            let data = TestData {
                groups: groups
                    .iter()
                    .map(|name| TestGroup { name: (*name).to_owned(), scoring: None })
                    .collect(),
                cases: cases.iter().map(|name| test_case(name)).collect(),
                static_cases: static_groups
                    .iter()
                    .map(|group| StaticCase {
                        group: (*group).to_owned(),
                        max_score: None,
                        args: Vec::new(),
                        test_case: test_case(&format!("{group}/!")),
                    })
                    .collect(),
                ..TestData::default()
            };
            let judged = data.judged_cases();
            let names: Vec<&str> =
                judged.iter().map(|case| case.test_case().name.as_str()).collect();
            assert_eq!(names.join(" "), expected);
        };
        check(&["sample", "secret"], &["sample/1", "secret/1"], &[], "sample/1 secret/1");
        check(
            &["sample", "secret"],
            &["sample/1", "secret/1"],
            &["sample", "secret"],
            "sample/! sample/1 secret/! secret/1",
        );
        check(
            &["secret", "secret/1", "secret/1-large", "secret/2"],
            &["secret/1/x", "secret/1-large/x", "secret/1-large/y"],
            &["secret/1-large", "secret/2"],
            "secret/1/x secret/1-large/! secret/1-large/x secret/1-large/y secret/2/!",
        );
    }
}
