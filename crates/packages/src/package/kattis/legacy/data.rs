//! `data/`: test cases in groups of any depth.
//!
//! Source: problem package format legacy, "Test data".

use std::collections::BTreeMap;

use crate::package::files::PackageEntry;
use crate::package::kattis::case_files::{self, CaseFiles};
use crate::package::kattis::data_directory::DataDirectory;
use crate::package::kattis::legacy::group_yaml::{self, GroupKeys};
use crate::package::kattis::legacy::{LegacyYaml, flags};
use crate::package::kattis::{PackageReader, programs};
use juror_core::grader::{GradedGroup, GradingKeys};
use juror_core::problem::Problem;
use juror_core::program::Program;
use juror_core::test_data::{TestCase, TestData, TestGroup};
use juror_core::text::count;

pub(super) fn read(
    pack: &PackageReader<'_>,
    yaml: &LegacyYaml,
    output_validators: &[Program],
    is_draft: bool,
) -> (TestData, Vec<GradedGroup>) {
    let mut reader = LegacyDataReader {
        pack,
        yaml,
        output_validators,
        is_draft,
        data: TestData::default(),
        groups: Vec::new(),
        unlisted: BTreeMap::new(),
    };
    let root = reader.directory_keys("data", &GroupKeys::default());
    reader.add_group("", &root);
    for part in DataDirectory::ALL.into_iter().filter(|part| is_draft || part.is_judged()) {
        reader.read_directory(part, &format!("data/{}", part.name()), &root);
    }
    for (ending, items) in &reader.unlisted {
        let more = match items.len() {
            1 => String::new(),
            n => format!(", like {}", count(n - 1, &format!("other .{ending} file"))),
        };
        let message = format!("is ignored: it belongs to no test case{more}");
        pack.faults.warning(items[0], message, "remove or move it");
    }
    check_case_directories(pack);
    let LegacyDataReader { data, groups, .. } = reader;
    pack.check_secret_cases(&data);
    (data, groups)
}

/// Warns of test cases and groups that judges overlook.
///
/// Source: legacy problem package format, "Test Data": only `sample` and `secret` have test cases.
fn check_case_directories(pack: &PackageReader<'_>) {
    let is_case = |item: &PackageEntry| item.is_file() && item.name.ends_with(".in");
    let has_cases = |group: &PackageEntry| pack.tree.below(&group.name).iter().any(is_case);
    for item in pack.tree.children("data") {
        let is_part = DataDirectory::ALL.iter().any(|part| part.name() == item.base_name());
        if is_case(item) || item.is_directory() && !is_part && has_cases(item) {
            let message = "is ignored: test cases belong in data/sample and data/secret";
            pack.faults.warning(item, message, "move it there, or remove it");
        }
    }
    for group in pack.tree.below("data/secret").iter().filter(|item| item.is_directory()) {
        if !has_cases(group) && !group.base_name().ends_with(".files") {
            let message = "is a test group without test cases";
            pack.faults.warning(group, message, "add a test case, or remove it");
        }
    }
}

/// Whether a group has other scores than in pass-fail problems.
pub(super) fn has_scores(problem: &Problem) -> bool {
    let default = GradingKeys::default().with_defaults();
    let groups = problem.graders.iter().flat_map(|graders| &graders.groups);
    groups.map(|group| &group.grading).any(|grading| {
        (grading.accept_score, grading.reject_score, grading.range)
            != (default.accept_score, default.reject_score, default.range)
    })
}

struct LegacyDataReader<'a> {
    pack: &'a PackageReader<'a>,
    yaml: &'a LegacyYaml,
    output_validators: &'a [Program],
    is_draft: bool,
    data: TestData,
    groups: Vec<GradedGroup>,
    unlisted: BTreeMap<&'a str, Vec<&'a PackageEntry>>,
}

enum DataEntry<'a> {
    Group(&'a PackageEntry),
    Case(&'a str, CaseFiles<'a>),
}

impl<'a> LegacyDataReader<'a> {
    /// The directory's own keys, completed with those of its parent directory.
    fn directory_keys(&self, directory: &str, outer: &GroupKeys) -> GroupKeys {
        let names: &[&str] =
            if self.is_draft { &["testdata.yaml", "test_group.yaml"] } else { &["testdata.yaml"] };
        let tree = self.pack.tree;
        let item = names.iter().find_map(|name| tree.file(&format!("{directory}/{name}")));
        let Some(item) = item else { return outer.clone() };
        group_yaml::read(self.pack, item, self.is_draft, directory, outer)
    }

    fn add_group(&mut self, name: &str, keys: &GroupKeys) {
        let grading = self.yaml.grading.with_missing_from(&keys.grading).with_defaults();
        self.groups.push(GradedGroup { name: name.to_owned(), grading });
        if !name.is_empty() {
            self.data.groups.push(TestGroup { name: name.to_owned(), scoring: None });
        }
    }

    fn read_directory(&mut self, part: DataDirectory, directory: &str, outer: &GroupKeys) {
        let tree = self.pack.tree;
        if tree.directory(directory).is_none() {
            return;
        }
        let keys = self.directory_keys(directory, outer);
        if part.is_judged() {
            self.add_group(&directory["data/".len()..], &keys);
        }
        // Sorted by file name, as other judges do: `a.ans` before `a1`.
        let mut entries: BTreeMap<String, DataEntry<'a>> = BTreeMap::new();
        for item in tree.children(directory) {
            if let Some(split) =
                case_files::split_case_file(item).filter(|file| !is_settings(item, file.base))
            {
                let entry = entries.entry(format!("{}.ans", split.base));
                let entry =
                    entry.or_insert_with(|| DataEntry::Case(split.base, CaseFiles::default()));
                if let DataEntry::Case(_, files) = entry {
                    files.add(split.ending, item);
                }
            } else if item.is_directory() {
                entries.insert(item.name.clone(), DataEntry::Group(item));
            } else if !programs::is_readme(item)
                && !is_settings(item, "")
                && !matches!(item.ending(), "hint" | "desc")
            {
                self.unlisted.entry(item.ending()).or_default().push(item);
            }
        }
        for entry in entries.values() {
            match entry {
                DataEntry::Group(item) => self.read_directory(part, &item.name, &keys),
                DataEntry::Case(base, files) => {
                    let case = self.read_case(part, base, files, &keys);
                    part.cases_mut(&mut self.data).extend(case);
                }
            }
        }
    }

    fn read_case(
        &self,
        part: DataDirectory,
        base: &str,
        files: &CaseFiles<'_>,
        group: &GroupKeys,
    ) -> Option<TestCase> {
        let pack = self.pack;
        let required: &[&str] = match part {
            DataDirectory::InvalidInput => &["in"],
            DataDirectory::Sample | DataDirectory::Secret | DataDirectory::InvalidAnswer => {
                &["in", "ans"]
            }
            DataDirectory::ValidOutput | DataDirectory::InvalidOutput => &["in", "ans", "out"],
        };
        let base_name = base.rsplit('/').next().unwrap_or_default();
        if let Some(missing) = required.iter().find(|ending| files.get(ending).is_none()) {
            // An exchange or a picture without an input is only shown.
            if let Some(item) = files.get("in").or(files.get("ans")).or(files.get("out")) {
                let message = format!("is left out: there is no `{base_name}.{missing}`");
                pack.faults.publishing_error(item, message, format!("add {base_name}.{missing}"));
            }
            return None;
        }
        let own = files.get("yaml").filter(|_| self.is_draft);
        let own = own.map(|item| group_yaml::read(pack, item, true, "", group));
        let keys = own.unwrap_or_else(|| group.clone());
        let mut output_validator_args = self.yaml.validator_flags.clone();
        output_validator_args.extend(keys.output_flags);
        if self.output_validators.is_empty() {
            output_validator_args = flags::normalize(output_validator_args);
        }
        Some(TestCase {
            args: keys.args,
            input_validator_args: keys.input_flags,
            output_validator_args,
            ..files.test_case(pack.tree, &base["data/".len()..])?
        })
    }
}

/// Whether a file has the settings of a directory, not those of a test case of that name.
fn is_settings(item: &PackageEntry, base: &str) -> bool {
    matches!(item.base_name(), "testdata.yaml" | "test_group.yaml") || base.ends_with("/testdata")
}
