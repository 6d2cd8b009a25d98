//! `data/`: test cases, groups, and test cases only for the validators.
//!
//! Source: problem package format 2025-09, "Test data".

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::package::files::{PackageEntry, PackageFiles, is_inside};
use crate::package::kattis::PackageReader;
use crate::package::kattis::case_files::{self, CaseFiles};
use crate::package::kattis::data_directory::{DataDirectory, SettingsScope};
use crate::package::kattis::v2025_09::test_yaml::{self, TestDataSettings};
use crate::package::kattis::v2025_09::{scoring, static_validation};
use crate::package::suggest::did_you_mean_or;
use juror_core::test_data::{TestCase, TestData, TestGroup};
use juror_core::text::count;

pub(super) fn read(pack: &PackageReader<'_>) -> TestData {
    check_top_entries(pack);
    let mut data = TestData::default();
    let mut group_settings = BTreeMap::new();
    for part in DataDirectory::ALL {
        let reader = DirectoryReader { pack, part, groups: group_names(pack.tree, part) };
        if pack.tree.directory(&format!("data/{}", part.name())).is_none() {
            continue;
        }
        if part.is_judged() {
            let names = [part.name().to_owned()].into_iter().chain(reader.groups.clone());
            data.groups.extend(names.map(|name| TestGroup { name, scoring: None }));
        }
        let (cases, settings) = reader.read_cases();
        if part.is_judged() {
            group_settings.extend(settings);
        }
        part.cases_mut(&mut data).extend(cases);
    }
    pack.check_secret_cases(&data);
    if pack.yaml.problem_type.includes("scoring") {
        scoring::fill_in_scoring(pack, &mut data, &group_settings);
    }
    data.static_cases = static_validation::static_cases(pack, &data, &group_settings);
    data
}

/// The names of the groups: the directories directly in `secret` with a `test_group.yaml`.
fn group_names(tree: &PackageFiles, part: DataDirectory) -> BTreeSet<String> {
    if part != DataDirectory::Secret {
        return BTreeSet::new();
    }
    let directories = tree.children("data/secret").filter(|item| item.is_directory());
    directories
        .filter(|item| tree.file(&format!("{}/test_group.yaml", item.name)).is_some())
        .map(|item| below_data(&item.name).to_owned())
        .collect()
}

/// Number of samples that people see, judged or not.
pub(super) fn count_samples(tree: &PackageFiles) -> usize {
    let below = tree.below("data/sample").iter();
    let splits = below.filter_map(case_files::split_case_file);
    let shown = splits.filter(|split| matches!(split.ending, "in" | "interaction"));
    shown.map(|split| split.base).collect::<BTreeSet<_>>().len()
}

/// The name of a test case or group: its path below `data/`.
fn below_data(name: &str) -> &str {
    name.strip_prefix("data/").unwrap_or(name)
}

fn check_top_entries(pack: &PackageReader<'_>) {
    let known = DataDirectory::ALL.map(DataDirectory::name);
    for item in pack.tree.children("data") {
        let name = item.base_name();
        if known.contains(&name) && item.is_directory() || name.starts_with("README") {
            continue;
        }
        let help = match name {
            "testdata.yaml" => {
                "in format 2025-09: `test_group.yaml` in data/sample, data/secret and its groups"
                    .to_owned()
            }
            _ => did_you_mean_or(name, known, "test cases belong in data/sample and data/secret"),
        };
        pack.faults.warning(item, "is ignored: it is not a part of the test data", help);
    }
}

struct DirectoryReader<'a> {
    pack: &'a PackageReader<'a>,
    part: DataDirectory,
    groups: BTreeSet<String>,
}

impl<'a> DirectoryReader<'a> {
    /// The test cases, and the settings of directories by name.
    fn read_cases(&self) -> (Vec<TestCase>, BTreeMap<String, TestDataSettings>) {
        let tree = self.pack.tree;
        let mut cases: BTreeMap<&str, CaseFiles<'_>> = BTreeMap::new();
        let mut settings = BTreeMap::new();
        let mut directories = Vec::new();
        for item in tree.below(&format!("data/{}", self.part.name())) {
            if case_files::is_in_files_directory(&item.name) {
                continue;
            }
            let is_legacy = item.base_name() == "testdata.yaml"
                && tree.get(&item.name.replace(".yaml", ".in")).is_none();
            if item.is_file() && item.base_name() == "test_group.yaml" {
                settings.extend(self.read_group_settings(item));
            } else if let Some(split) = case_files::split_case_file(item).filter(|_| !is_legacy) {
                cases.entry(below_data(split.base)).or_default().add(split.ending, item);
            } else if item.is_directory() {
                directories.push(item);
            } else {
                case_files::report_unrelated_file(self.pack, item);
            }
        }
        self.check_groups(&directories, &cases, &settings);
        for item in directories {
            if cases.contains_key(below_data(&item.name)) {
                let message = "has the same name as a test case next to it";
                self.pack.faults.error(item, message, "rename the directory or the test case");
            }
        }
        let mut listed = Vec::new();
        for (name, files) in &cases {
            listed.extend(self.read_case(name, files, &settings));
        }
        // Groups come in the order of their names: `1` before `1-large`, although `-` comes before the `/` of the
        // cases in `1`. The sort is stable, so cases stay in order.
        listed.sort_by_cached_key(|case| self.group_of(&case.name).cloned());
        (listed, settings)
    }

    fn group_of(&self, name: &str) -> Option<&String> {
        self.groups.iter().find(|group| is_inside(name, group))
    }

    /// The name of the directory and the settings in its `test_group.yaml`.
    fn read_group_settings(&self, item: &PackageEntry) -> Option<(String, TestDataSettings)> {
        let directory = below_data(item.name.rsplit_once('/')?.0);
        let is_top = directory == self.part.name();
        if self.part.is_judged() && !is_top && !self.groups.contains(directory) {
            let help = match self.part {
                DataDirectory::Sample => "samples have no groups; remove the file",
                _ => {
                    "groups belong directly in data/secret; remove the file, or move the directory up"
                }
            };
            self.pack.faults.error(item, "is not allowed here", help);
            return None;
        }
        let role = if is_top && !self.groups.is_empty() {
            SettingsScope::Parent
        } else {
            SettingsScope::Group
        };
        let mut settings = TestDataSettings::default();
        test_yaml::read(self.pack, self.part, role, item, &mut settings)?;
        Some((directory.to_owned(), settings))
    }

    /// Checks that groups and cases do not mix, and that no group is empty.
    fn check_groups(
        &self,
        directories: &[&PackageEntry],
        cases: &BTreeMap<&str, CaseFiles<'_>>,
        settings: &BTreeMap<String, TestDataSettings>,
    ) {
        if self.groups.is_empty() {
            return;
        }
        let direct = cases.iter().filter(|(name, _)| is_direct(name));
        let inputs: Vec<&PackageEntry> = direct.filter_map(|(_, files)| files.get("in")).collect();
        if let [first, more @ ..] = &inputs[..] {
            let (also, them) = match more.len() {
                0 => (String::new(), "case"),
                n => (format!(", like {}", count(n, "other case")), "cases"),
            };
            let message = format!("is next to test data groups{also}");
            let help = format!(
                "data/secret has either groups or test cases; move the {them} into a group"
            );
            self.pack.faults.error(*first, message, help);
        }
        for item in directories {
            let name = below_data(&item.name);
            if is_direct(name) && !self.groups.contains(name) {
                let message = "is next to test data groups but has no `test_group.yaml`";
                let help = "add an empty test_group.yaml to make it a group";
                self.pack.faults.error(*item, message, help);
            }
        }
        for group in &self.groups {
            let prefix = format!("{group}/");
            let mut inside = cases.iter().filter(|(name, _)| name.starts_with(&prefix));
            let has_static = settings
                .get(group)
                .is_some_and(|settings| settings.static_validation.score.is_some());
            if !has_static && !inside.any(|(_, files)| files.get("in").is_some()) {
                let path = self.pack.tree.path(&format!("data/{group}"));
                let message = "is a test data group without a test case";
                self.pack.faults.error(path, message, "add a test case, or remove the group");
            }
        }
    }

    fn inherited_settings(
        &self,
        name: &str,
        settings: &BTreeMap<String, TestDataSettings>,
    ) -> TestDataSettings {
        let found = match self.group_of(name) {
            Some(group) => settings.get(group),
            None if self.part.is_judged() => settings.get(self.part.name()),
            None => Path::new(name).ancestors().skip(1).find_map(|dir| settings.get(dir.to_str()?)),
        };
        found.cloned().unwrap_or_default()
    }

    fn read_case(
        &self,
        name: &str,
        files: &CaseFiles<'_>,
        settings: &BTreeMap<String, TestDataSettings>,
    ) -> Option<TestCase> {
        let Self { pack, part, .. } = *self;
        case_files::check_case_files(pack, name, files, part)?;
        let mut settings = self.inherited_settings(name, settings);
        if let Some(item) = files.get("yaml") {
            test_yaml::read(pack, part, SettingsScope::Case, item, &mut settings);
        }
        Some(TestCase {
            is_answer_shown: part == DataDirectory::Sample && !files.have_other_answer(),
            args: settings.args,
            input_validator_args: settings.input_validator_args,
            output_validator_args: settings.output_validator_args,
            input_visualizer_args: settings.input_visualizer_args,
            output_visualizer_args: settings.output_visualizer_args,
            ..files.test_case(pack.tree, name)?
        })
    }
}

/// Whether an item is directly in `secret`.
fn is_direct(name: &str) -> bool {
    name.matches('/').count() == 1
}
