//! The Kattis problem package format. The files here read the parts that its versions share, with a table of the
//! differences for each version; a folder holds the parts of one version.

mod case_files;
mod constants;
mod credits;
mod data_directory;
mod language_detection;
mod legacy;
mod limits;
mod problem_type;
mod problem_yaml;
mod programs;
mod statement;
mod submissions;
mod submissions_yaml;
mod tags;
mod v2025_09;
mod version;

use crate::package::faults::Faults;
use crate::package::files::PackageFiles;
use crate::package::kattis::problem_yaml::ProblemYaml;
use crate::package::recipe;
use juror_core::layout::Layout;
use juror_core::problem::Problem;
use juror_core::test_data::TestData;

#[cfg(feature = "writers")]
pub(super) use credits::LICENSES;
pub(super) use legacy::{LEGACY, LEGACY_ICPC, V2023_07};
pub(super) use submissions::SubmissionFolder;
#[cfg(feature = "writers")]
pub(super) use v2025_09::FOLDERS;
pub(super) use v2025_09::Kattis202509;

const SETTINGS: &str = "problem.yaml";

/// Differences in names and defaults between versions of the format.
struct VersionRules {
    /// The directories of input validators; messages name the first one.
    input_validators: &'static [&'static str],
    output_validator: &'static str,
    /// Whether `submissions.yaml` has expectations.
    has_submissions_yaml: bool,
    /// Whether rules hold that only 2025-09 has: languages of validators, names of submissions.
    is_strict: bool,
    submissions: &'static [SubmissionFolder],
}

/// Reads a package: its files and settings, and where to report its faults.
struct PackageReader<'a> {
    tree: &'a PackageFiles,
    faults: &'a Faults,
    yaml: &'a ProblemYaml,
    version: &'static VersionRules,
}

impl<'a> PackageReader<'a> {
    fn new(tree: &'a PackageFiles, yaml: &'a ProblemYaml, version: &'static VersionRules) -> Self {
        Self { tree, faults: &tree.faults, yaml, version }
    }

    /// Whether it has an output validator of its own, which may take any arguments.
    fn has_output_validator(&self) -> bool {
        self.tree.directory(self.version.output_validator).is_some()
    }

    /// Reports a missing secret test case. The help names the one step that makes some.
    fn check_secret_cases(&self, data: &TestData) {
        if data.cases.iter().any(|case| case.name.starts_with("secret/")) {
            return;
        }
        let file = self.tree.file(recipe::PATH);
        let reading = file.map(|item| {
            let is_old = !self.version.is_strict;
            recipe::read(&item.path, &self.tree.root, &self.yaml.constants, is_old)
        });
        let help = match reading.as_ref().map(|reading| reading.recipe.as_ref()) {
            None => "add at least one test case, such as 1.in and 1.ans",
            Some(Some(recipe)) if !recipe.makes_secret() => {
                "add test cases under `secret` in generators/generators.yaml, and run `juror generate`"
            }
            Some(_) => "run `juror generate` to make the test cases of generators/generators.yaml",
        };
        let message = match self.tree.directory("data/secret") {
            Some(_) => "has no test case",
            None => "is missing: a package needs secret test cases",
        };
        self.faults.publishing_error(self.tree.path("data/secret"), message, help);
    }

    /// The problem, with the parts that all versions read in the same way.
    fn build_problem(&self, layout: Layout, test_data: TestData) -> Problem {
        let Self { tree, yaml, .. } = *self;
        let (input_validators, input_grammars) = self.read_input_validators();
        let include = self.read_include();
        Problem {
            layout,
            kind: yaml.problem_type.kind(&yaml.limits),
            submissions: submissions::read(self, &include, &test_data),
            test_data,
            include,
            input_validators,
            input_grammars,
            answer_validators: self.read_answer_validators(),
            recipe: tree.file(recipe::PATH).map(|item| item.path.clone()),
            names: yaml.names.clone(),
            limits: yaml.limits.clone(),
            languages: yaml.languages.clone(),
            constants: yaml.constants.clone(),
            ..Problem::default()
        }
    }
}
