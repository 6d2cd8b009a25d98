//! Names of test cases and groups in the new package: those that the format allows, in the order of the old ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::package::convert::{TargetFormat, is_kattis};
use crate::package::files::is_valid_name;
use juror_core::problem::{Grading, Problem};
use juror_core::test_data::TestData;

pub struct NameMap<'a> {
    pub root: &'a Path,
    /// New names of files and test cases; `None` for the new package itself.
    pub new_names: Option<(&'a BTreeMap<PathBuf, String>, &'a CaseNames)>,
}

impl NameMap<'_> {
    /// The name of a file, or of a directory with files in it; `None` if it is left out.
    pub fn path(&self, path: &Path) -> Option<String> {
        let Some((files, _)) = self.new_names else {
            return Some(path.strip_prefix(self.root).ok()?.to_str()?.to_owned());
        };
        let (inside, name) = files.range(path.to_owned()..).next()?;
        let deeper = inside.strip_prefix(path).ok()?.components().count();
        let mut parts: Vec<&str> = name.split('/').collect();
        parts.truncate(parts.len().saturating_sub(deeper));
        Some(parts.join("/"))
    }

    /// Like `path`, but with the old name for a file that is left out.
    pub fn place(&self, path: &Path) -> String {
        let old = || path.strip_prefix(self.root).unwrap_or(path).to_string_lossy().into_owned();
        self.path(path).unwrap_or_else(old)
    }

    /// The name of a test case or a group, below `data/`.
    pub fn case(&self, name: &str) -> String {
        self.new_names.map_or_else(|| name.to_owned(), |(_, cases)| cases.new_name(name))
    }

    pub fn pattern(&self, pattern: &str) -> String {
        self.new_names.map_or_else(|| pattern.to_owned(), |(_, cases)| cases.new_pattern(pattern))
    }
}

/// Names of test cases and groups in the new package, below `data/`.
#[derive(Debug)]
pub struct CaseNames {
    /// Names that do not follow from the old ones.
    special: BTreeMap<String, String>,
    is_2025_09: bool,
}

impl CaseNames {
    pub(super) fn of(problem: &Problem, to: TargetFormat) -> Self {
        let mut cases = Self { special: BTreeMap::new(), is_2025_09: to.is_2025_09() };
        if !is_kattis(problem) {
            cases.name_all(problem);
        } else if cases.is_2025_09 {
            cases.fix_invalid_names(&problem.test_data);
        }
        cases
    }

    /// Renames test cases whose names the format does not allow. Numbers make the new names unique.
    fn fix_invalid_names(&mut self, data: &TestData) {
        let names = || data.cases.iter().chain(data.examples()).map(|case| case.name.as_str());
        let mut taken: BTreeSet<String> = names()
            .filter(|name| nearest_valid_name(name, true) == *name)
            .map(str::to_owned)
            .collect();
        for name in names() {
            let valid_name = nearest_valid_name(name, true);
            if valid_name != name && directory(&valid_name) == directory(name) {
                let new = first_free(valid_name, |name| taken.insert(name.to_owned()));
                self.special.insert(name.to_owned(), new);
            }
        }
    }

    fn name_all(&mut self, problem: &Problem) {
        let data = &problem.test_data;
        let set = data.groups.first().map_or("tests", |set| set.name.as_str());
        let groups = self.new_group_names(data);
        let renamed = |name: &str| {
            let (group, rest) = name.split_at(name.find('/').unwrap_or(name.len()));
            groups.get(group).map_or_else(|| name.to_owned(), |group| format!("{group}{rest}"))
        };
        let numbers =
            data.cases.iter().map(|case| last_part(&case.name)).filter(|name| is_number(name));
        let width = numbers.map(str::len).max().unwrap_or_default();
        // Samples are judged first. Where points count, they are for secret test cases.
        let are_samples = problem.kind.grading == Grading::PassFail;
        let mut taken = BTreeSet::new();
        let mut samples =
            data.cases.iter().take_while(|case| are_samples && case.is_answer_shown).count();
        if samples == data.cases.len() {
            samples = 0;
        }
        for (index, case) in data.cases.iter().enumerate() {
            let name = without_top(&case.name);
            let name = if name.contains('/') { renamed(name) } else { name.to_owned() };
            let (dir, base) = name.split_at(name.rfind('/').map_or(0, |index| index + 1));
            let zeros = if is_number(base) { width - base.len() } else { 0 };
            let (top, dir) = if index < samples { ("sample", "") } else { ("secret", dir) };
            let valid_name = nearest_valid_name(
                &format!("{top}/{dir}{}{base}", "0".repeat(zeros)),
                self.is_2025_09,
            );
            let is_free =
                |name: &str| !is_group_settings(last_part(name)) && taken.insert(name.to_owned());
            self.special.insert(case.name.clone(), first_free(valid_name, is_free));
        }
        for group in data.groups.iter().skip(1) {
            let name = format!("secret/{}", renamed(without_top(&group.name)));
            self.special.insert(group.name.clone(), name);
        }
        self.special.insert(set.to_owned(), "secret".to_owned());
        for case in &data.invalid_inputs {
            let name = format!("invalid_input/{}", last_part(&case.name));
            self.special.insert(case.name.clone(), name);
        }
    }

    /// New names of the groups, which sort in judging order: numbers get equally many digits. If that is not enough,
    /// each name gets a number in front.
    fn new_group_names<'a>(&self, data: &'a TestData) -> BTreeMap<&'a str, String> {
        let of_cases = data.cases.iter().filter_map(|case| without_top(&case.name).split_once('/'));
        let of_cases = of_cases.map(|(group, _)| group);
        let named = data.groups.iter().skip(1).map(|group| without_top(&group.name));
        let named = named.map(|name| name.split('/').next().unwrap_or(name));
        let mut known = BTreeSet::new();
        let old: Vec<&str> = of_cases.chain(named).filter(|group| known.insert(*group)).collect();
        let numbers = old.iter().filter(|name| is_number(name));
        let digits = numbers.map(|name| name.len()).max().unwrap_or_default();
        let even = |name: &&str| {
            if is_number(name) {
                format!("{name:0>digits$}")
            } else {
                nearest_valid_name(name, self.is_2025_09)
            }
        };
        let even: Vec<String> = old.iter().map(even).collect();
        let is_sorted = even.windows(2).all(|pair| pair[0] < pair[1]);
        let digits = old.len().to_string().len();
        let new = even.into_iter().enumerate().map(|(index, name)| {
            if is_sorted { name } else { format!("{:0digits$}-{name}", index + 1) }
        });
        old.into_iter().zip(new).collect()
    }

    /// The new name of a file of a test case whose name changes, below `data/`.
    pub(super) fn case_file_name(&self, name: &str) -> Option<String> {
        let mut ends = name.match_indices('.');
        let new =
            |index: usize| Some(format!("{}{}", self.special.get(&name[..index])?, &name[index..]));
        ends.find_map(|(index, _)| new(index))
    }

    pub(super) fn new_name(&self, name: &str) -> String {
        let special = self.special.get(name).cloned();
        nearest_valid_name(special.as_deref().unwrap_or(name), self.is_2025_09)
    }

    /// A pattern of such names; where many names change, there are no patterns.
    pub(super) fn new_pattern(&self, pattern: &str) -> String {
        self.special.get(pattern).map_or_else(|| pattern.to_owned(), Clone::clone)
    }
}

/// A name without the test set.
fn without_top(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, rest)| rest)
}

pub(super) fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

pub(super) fn directory(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Whether the settings of a test case of this name would be those of its group.
fn is_group_settings(name: &str) -> bool {
    ["test_group", "testdata"].contains(&name)
}

/// The name, with a number after it if it is not free.
pub(super) fn first_free(name: String, mut is_free: impl FnMut(&str) -> bool) -> String {
    let others = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.clone()).chain(others);
    names.find(|name| is_free(name)).unwrap_or(name)
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn nearest_valid_name(name: &str, is_new: bool) -> String {
    if !is_new || name.split('/').all(is_valid_name) {
        return name.to_owned();
    }
    let part = |part: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        let mut part: String = part.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
        if part.starts_with(['.', '-']) {
            part.replace_range(..1, "_");
        }
        part
    };
    name.split('/').map(part).collect::<Vec<_>>().join("/")
}
