//! `data/`: test cases, groups, and the cases that only test the validators.
//!
//! Source: problem package format 2025-09, "Test data".

use std::collections::{BTreeMap, BTreeSet};

use crate::model::diagnostic::{Diagnostic, Place};
use crate::model::program::Constant;
use crate::model::test_data::{CaseFile, TestCase, TestData, TestGroup};
use crate::package::files::{Item, Tree};
use crate::package::kattis_2025_09::case_files::{self, CaseFiles, Extension};
use crate::package::kattis_2025_09::problem_type::ProblemType;
use crate::package::kattis_2025_09::scoring::{self, GroupKeys};
use crate::package::kattis_2025_09::static_validation::{self, Asked};
use crate::package::kattis_2025_09::test_yaml::{self, OutputValidator, Settings, Subject};
use crate::package::suggest::nearest;
use crate::package::text::{Remarks, TextFile};

/// The directories of `data/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Sample,
    Secret,
    InvalidInput,
    InvalidAnswer,
    ValidOutput,
    InvalidOutput,
}

impl Part {
    const ALL: [Self; 6] = [
        Self::Sample,
        Self::Secret,
        Self::InvalidInput,
        Self::InvalidAnswer,
        Self::ValidOutput,
        Self::InvalidOutput,
    ];

    /// The directory below `data/`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::Secret => "secret",
            Self::InvalidInput => "invalid_input",
            Self::InvalidAnswer => "invalid_answer",
            Self::ValidOutput => "valid_output",
            Self::InvalidOutput => "invalid_output",
        }
    }

    /// Whether submissions are judged on its cases.
    fn is_judged(self) -> bool {
        matches!(self, Self::Sample | Self::Secret)
    }
}

/// What is known of the package when its data is read.
pub(super) struct Surroundings<'a> {
    pub tree: &'a Tree,
    pub problem_type: &'a ProblemType,
    pub constants: &'a [Constant],
    /// The names of the input validators.
    pub validators: &'a [String],
    /// Whether `generators/generators.yaml` is there.
    pub has_recipe: bool,
}

/// Reads all test data.
pub(super) fn read(around: &Surroundings<'_>, diagnostics: &mut Vec<Diagnostic>) -> TestData {
    check_top(around.tree, diagnostics);
    let mut data = TestData::default();
    let mut group_settings = BTreeMap::new();
    for part in Part::ALL {
        let mut reader = Reader { around, part, groups: groups_of(around.tree, part), diagnostics };
        if reader.directory().is_none() {
            continue;
        }
        if part.is_judged() {
            let names = [part.name().to_owned()].into_iter().chain(reader.groups.clone());
            data.groups.extend(names.map(|name| TestGroup { name, scoring: None }));
        }
        let (cases, settings) = reader.cases();
        if part.is_judged() {
            group_settings.extend(settings);
        }
        match part {
            Part::Sample | Part::Secret => data.cases.extend(cases),
            Part::InvalidInput => data.invalid_inputs = cases,
            Part::InvalidAnswer => data.invalid_answers = cases,
            Part::ValidOutput => data.valid_outputs = cases,
            Part::InvalidOutput => data.invalid_outputs = cases,
        }
    }
    check_secret(around, &data, diagnostics);
    if around.problem_type.includes("scoring") {
        settle_scoring(around, &mut data, &group_settings, diagnostics);
    }
    settle_static_validation(around, &mut data, &group_settings, diagnostics);
    data
}

/// Finds out where submissions are looked at by the static validator.
fn settle_static_validation(
    around: &Surroundings<'_>,
    data: &mut TestData,
    settings: &BTreeMap<String, Settings>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let asked: Vec<Asked<'_>> = data
        .groups
        .iter()
        .filter_map(|group| {
            Some(Asked { group: &group.name, keys: &settings.get(&group.name)?.static_validation })
        })
        .collect();
    let validator = around.tree.directory("static_validator");
    let around = static_validation::Around {
        data,
        problem_type: around.problem_type,
        validator: validator.map(|item| item.path.clone()),
    };
    let cases = static_validation::settle(&asked, &around, diagnostics);
    data.static_cases = cases;
}

/// Fills in how `secret` and its groups are scored.
fn settle_scoring(
    around: &Surroundings<'_>,
    data: &mut TestData,
    settings: &BTreeMap<String, Settings>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let is_secret = |group: &&TestGroup| group.name.starts_with(Part::Secret.name());
    let groups: Vec<GroupKeys<'_>> = data
        .groups
        .iter()
        .filter(is_secret)
        .map(|group| GroupKeys {
            name: &group.name,
            keys: settings
                .get(&group.name)
                .map(|settings| settings.scoring.clone())
                .unwrap_or_default(),
            static_score: settings
                .get(&group.name)
                .and_then(|settings| settings.static_validation.score.as_ref()?.value),
            file: Place {
                path: around.tree.path(&format!("data/{}/test_group.yaml", group.name)),
                spot: None,
            },
        })
        .collect();
    let has_own_validator = OutputValidator::of(around.tree) == OutputValidator::Custom;
    let settled = scoring::settle(&groups, data, has_own_validator, diagnostics);
    let secret = data.groups.iter_mut().filter(|group| group.name.starts_with(Part::Secret.name()));
    for (group, scoring) in secret.zip(settled) {
        group.scoring = Some(scoring);
    }
}

/// The names of the groups: the directories directly in `secret` with a `test_group.yaml`.
fn groups_of(tree: &Tree, part: Part) -> BTreeSet<String> {
    if part != Part::Secret {
        return BTreeSet::new();
    }
    let directories = tree.children("data/secret").filter(|item| item.is_directory());
    directories
        .filter(|item| tree.file(&format!("{}/test_group.yaml", item.name)).is_some())
        .map(|item| below_data(&item.name).to_owned())
        .collect()
}

/// The name that a test case or group has: its path below `data/`.
fn below_data(name: &str) -> &str {
    name.strip_prefix("data/").unwrap_or(name)
}

fn check_top(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    let known = Part::ALL.map(Part::name);
    for item in tree.children("data") {
        let name = item.base_name();
        if known.contains(&name) && item.is_directory() || name.starts_with("README") {
            continue;
        }
        let help = match (name, nearest(name, known)) {
            ("testdata.yaml", _) => {
                "in format 2025-09: `test_group.yaml` in data/sample, data/secret and its groups"
                    .to_owned()
            }
            (_, Some(known)) => format!("did you mean `{known}`?"),
            _ => "test cases stand in data/sample and data/secret".to_owned(),
        };
        diagnostics.push(
            Diagnostic::warning(&item.path, "is ignored: it is no part of the test data")
                .help(help),
        );
    }
}

fn check_secret(around: &Surroundings<'_>, data: &TestData, diagnostics: &mut Vec<Diagnostic>) {
    if data.cases.iter().any(|case| case.name.starts_with("secret/")) {
        return;
    }
    let help = if around.has_recipe {
        "run `juror generate` to make the test cases of generators/generators.yaml"
    } else {
        "add at least one test case, such as 1.in and 1.ans"
    };
    let message = match around.tree.directory("data/secret") {
        Some(_) => "has no test case",
        None => "is missing: a package needs secret test cases",
    };
    diagnostics.push(Diagnostic::error(around.tree.path("data/secret"), message).help(help));
}

struct Reader<'a> {
    around: &'a Surroundings<'a>,
    part: Part,
    groups: BTreeSet<String>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn directory(&self) -> Option<&'a Item> {
        self.around.tree.directory(&format!("data/{}", self.part.name()))
    }

    /// The cases, and the settings of directories by their names.
    fn cases(&mut self) -> (Vec<TestCase>, BTreeMap<String, Settings>) {
        let tree = self.around.tree;
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
                settings.extend(self.group_settings(item));
            } else if let Some(split) = case_files::split(item).filter(|_| !is_legacy) {
                cases.entry(below_data(split.base)).or_default().add(split.extension, item);
            } else if item.is_directory() {
                directories.push(item);
            } else {
                case_files::report_stranger(item, self.diagnostics);
            }
        }
        self.check_groups(&directories, &cases, &settings);
        for item in directories {
            if cases.contains_key(below_data(&item.name)) {
                let message = "has the same name as a test case beside it";
                let help = "rename the directory or the test case";
                self.diagnostics.push(Diagnostic::error(&item.path, message).help(help));
            }
        }
        let mut listed = Vec::new();
        for (name, files) in &cases {
            listed.extend(self.case(name, files, &settings));
        }
        // Groups come in the order of their names: `1` before `1-large`, although `-` comes before
        // the `/` of the cases in `1`. The sort is stable, so cases stay in order.
        listed.sort_by_cached_key(|case| self.group_of(&case.name).cloned());
        (listed, settings)
    }

    /// The group that a case is in.
    fn group_of(&self, name: &str) -> Option<&String> {
        self.groups.iter().find(|group| is_inside(name, group))
    }

    /// The name of the directory and what its `test_group.yaml` sets.
    fn group_settings(&mut self, item: &Item) -> Option<(String, Settings)> {
        let directory = below_data(item.name.rsplit_once('/')?.0);
        let is_top = directory == self.part.name();
        if self.part.is_judged() && !is_top && !self.groups.contains(directory) {
            let help = match self.part {
                Part::Sample => "samples have no groups; remove the file",
                _ => {
                    "groups stand directly in data/secret; remove the file, or move the directory up"
                }
            };
            let message = "is not allowed here";
            self.diagnostics.push(Diagnostic::error(&item.path, message).help(help));
            return None;
        }
        let file = TextFile::read(&item.path, self.diagnostics)?;
        let subject = match self.part {
            Part::Secret if is_top && !self.groups.is_empty() => Subject::SecretWithGroups,
            Part::Sample => Subject::Sample,
            Part::Secret => Subject::Group,
            _ => Subject::Check,
        };
        let around = test_yaml::Surroundings {
            output_validator: OutputValidator::of(self.around.tree),
            subject,
            problem_type: self.around.problem_type,
            validators: self.around.validators,
        };
        let read = test_yaml::read_group(file, self.around.constants, &around, self.diagnostics);
        Some((directory.to_owned(), read))
    }

    /// Groups and cases do not mix, and no group is empty.
    fn check_groups(
        &mut self,
        directories: &[&Item],
        cases: &BTreeMap<&str, CaseFiles<'_>>,
        settings: &BTreeMap<String, Settings>,
    ) {
        if self.groups.is_empty() {
            return;
        }
        let direct = cases.iter().filter(|(name, _)| is_direct(name));
        let inputs: Vec<&Item> = direct.filter_map(|(_, files)| files.get(Extension::In)).collect();
        if let [first, more @ ..] = &inputs[..] {
            let (also, them) = match more.len() {
                0 => (String::new(), "case"),
                1 => (", as 1 more case does".to_owned(), "cases"),
                n => (format!(", as {n} more cases do"), "cases"),
            };
            let message = format!("stands beside test data groups{also}");
            let help = format!(
                "data/secret has either groups or test cases; move the {them} into a group"
            );
            self.diagnostics.push(Diagnostic::error(&first.path, message).help(help));
        }
        for item in directories {
            let name = below_data(&item.name);
            if is_direct(name) && !self.groups.contains(name) {
                let message = "stands beside test data groups but has no `test_group.yaml`";
                let help = "add an empty test_group.yaml to make it a group";
                self.diagnostics.push(Diagnostic::error(&item.path, message).help(help));
            }
        }
        for group in &self.groups {
            let prefix = format!("{group}/");
            let mut inside = cases.iter().filter(|(name, _)| name.starts_with(&prefix));
            let has_static = settings
                .get(group)
                .is_some_and(|settings| settings.static_validation.score.is_some());
            if !has_static && !inside.any(|(_, files)| files.get(Extension::In).is_some()) {
                let path = self.around.tree.path(&format!("data/{group}"));
                let message = "is a test data group without a test case";
                self.diagnostics.push(
                    Diagnostic::error(path, message).help("add a test case, or remove the group"),
                );
            }
        }
    }

    /// The settings that hold for a case before its own.
    fn inherited(&self, name: &str, settings: &BTreeMap<String, Settings>) -> Settings {
        let found = match self.group_of(name) {
            Some(group) => settings.get(group),
            None if self.part.is_judged() => settings.get(self.part.name()),
            None => directories_of(name).find_map(|directory| settings.get(directory)),
        };
        found.cloned().unwrap_or_default()
    }

    fn case(
        &mut self,
        name: &str,
        files: &CaseFiles<'_>,
        settings: &BTreeMap<String, Settings>,
    ) -> Option<TestCase> {
        let tree = self.around.tree;
        let input = case_files::check(name, files, self.part, self.diagnostics)?;
        let inherited = self.inherited(name, settings);
        let own = files.get(Extension::Yaml).and_then(|item| self.own_settings(item));
        let own = own.unwrap_or_default();
        let path = |extension| files.get(extension).map(|item: &Item| item.path.clone());
        let files_below =
            files.get(Extension::Files).map(|item| CaseFilesBelow { tree, directory: item });
        Some(TestCase {
            name: name.to_owned(),
            input: input.path.clone(),
            answer: path(Extension::Ans),
            output: path(Extension::Out),
            interaction: path(Extension::Interaction),
            files: files_below.map(|below| below.list()).unwrap_or_default(),
            args: own.args.or(inherited.args).unwrap_or_default(),
            input_validator_args: own
                .input_validator_args
                .or(inherited.input_validator_args)
                .unwrap_or_default(),
            output_validator_args: own
                .output_validator_args
                .or(inherited.output_validator_args)
                .unwrap_or_default(),
            full_feedback: own
                .full_feedback
                .or(inherited.full_feedback)
                .unwrap_or(self.part == Part::Sample),
            hint: own.hint,
            description: own.description.or(inherited.description),
        })
    }

    fn own_settings(&mut self, item: &Item) -> Option<Settings> {
        let file = TextFile::read(&item.path, self.diagnostics)?;
        let subject = if self.part.is_judged() { Subject::Case } else { Subject::Check };
        let mut remarks = Remarks::new(&file, self.diagnostics);
        let around = test_yaml::Surroundings {
            output_validator: OutputValidator::of(self.around.tree),
            subject,
            problem_type: self.around.problem_type,
            validators: self.around.validators,
        };
        Some(test_yaml::read(&around, &mut remarks))
    }
}

/// The `.files` directory of a case.
struct CaseFilesBelow<'a> {
    tree: &'a Tree,
    directory: &'a Item,
}

impl CaseFilesBelow<'_> {
    fn list(&self) -> Vec<CaseFile> {
        let below = self.tree.below(&self.directory.name).iter();
        let files = below.filter(|item| item.is_file());
        files
            .map(|item| CaseFile {
                name: item.name[self.directory.name.len() + 1..].into(),
                path: item.path.clone(),
            })
            .collect()
    }
}

/// Whether something stands directly in `secret`.
fn is_direct(name: &str) -> bool {
    name.matches('/').count() == 1
}

fn is_inside(name: &str, directory: &str) -> bool {
    name.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// The directories that a name is in, the nearest first.
fn directories_of(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(parent(name), |name| parent(name))
}

fn parent(name: &str) -> Option<&str> {
    name.rsplit_once('/').map(|(parent, _)| parent)
}
