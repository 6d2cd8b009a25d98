//! Bare tests: a directory with pairs of inputs and answers, and nothing else about the problem.

mod pairs;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use crate::package::bare::pairs::FOLDERS;

use crate::package::bare::pairs::{Pair, candidates, find_pairs, is_folder, is_left_over, is_test};
use crate::package::draft::{Draft, short_name};
use crate::package::files::{PackageFiles, join_name};
use crate::package::{Format, juror_toml};
use juror_core::check::options::comparison_arguments;
use juror_core::layout::Layout;
use juror_core::limits::ProblemLimits;
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::test_data::TestCase;
use juror_core::text::{composed, count, path_text};

pub(super) struct Bare;

const DOMJUDGE_INI: &str = "domjudge-problem.ini";

/// How many names a message lists.
const SHOWN: usize = 5;

/// Keeps only the tests whose names begin with the stem of the source, if there are some.
pub fn select_tests_of(stem: &str, problem: &mut Problem) {
    let dir = problem.dir.clone();
    let stem = &composed(stem);
    let name = |path: &FilePath| path_text(path.strip_prefix(&*dir).unwrap_or(path));
    let cases = &mut problem.test_data.cases;
    let is_own = |case: &TestCase| pairs::begins_with_stem(&name(&case.input), stem);
    let own = cases.iter().filter(|case| is_own(case)).count();
    let others = cases.len() - own;
    if own == 0 || others == 0 {
        return;
    }
    cases.retain(is_own);
    let pairs = cases.iter().filter_map(|case| {
        Some(format!("{} and {}", name(&case.input), name(case.answer.as_ref()?)))
    });
    let pairs: Vec<String> = pairs.collect();
    let are = if others == 1 { "is" } else { "are" };
    let others = count(others, "pair");
    problem.format_reason = format!(
        "{}; names that begin with `{stem}` go first, so {others} without it {are} left out",
        format_reason(&pairs, &[])
    );
}

/// What is in a directory without tests, and which names juror knows. `None` if the directory has no files.
pub fn explain_missing_tests(dir: &FilePath) -> Option<String> {
    let names = dir.names().unwrap_or_default();
    let names = names.iter().filter_map(|name| name.to_str());
    let mut files: Vec<&str> =
        names.filter(|name| !name.starts_with('.') && dir.join(name).is_file()).collect();
    files.sort_unstable();
    let shown = files[..files.len().min(SHOWN)].join(", ");
    let more = match files.len().checked_sub(SHOWN) {
        None | Some(0) if files.is_empty() => return None,
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more"),
    };
    Some(format!(
        "files there: {shown}{more}; the names of an input and its answer differ in one word ({})",
        pairs::known_words()
    ))
}

/// The names of all files that may be tests, in this directory and in those for tests.
fn list_names(dir: &FilePath, directory: &str, names: &mut Vec<String>) {
    for name in dir.join(directory).names().unwrap_or_default() {
        // Hidden files are not read either.
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        let name = join_name(directory, name);
        if is_folder(&name) && dir.join(&name).is_dir() {
            list_names(dir, &name, names);
        } else if is_test(&name) {
            names.push(name);
        }
    }
}

fn format_reason(pairs: &[String], left_over: &[&str]) -> String {
    let paired = match pairs {
        [only] => format!("1 pair of files: {only}"),
        [first, .., last] => {
            format!("{} pairs of files, from {first} to {last}", pairs.len())
        }
        [] => "no pair of files".to_owned(),
    };
    let names = left_over[..left_over.len().min(SHOWN)].join(", ");
    match left_over.len().saturating_sub(SHOWN) {
        _ if left_over.is_empty() => paired,
        0 => format!("{paired}; left over: {names}"),
        more => format!("{paired}; left over: {names} and {more} more"),
    }
}

/// Bare tests, but none yet.
pub fn problem_without_tests(dir: &FilePath) -> Problem {
    Problem { short_name: short_name(dir), dir: dir.clone(), ..bare_problem() }
}

/// The inputs in a directory that have no answer.
pub fn inputs_alone(dir: &FilePath) -> Vec<TestCase> {
    let mut names = Vec::new();
    list_names(dir, "", &mut names);
    let pairs = find_pairs(names.iter().map(String::as_str));
    let is_paired =
        |name: &String| pairs.iter().any(|pair| [&pair.input, &pair.answer].contains(&name));
    names.retain(|name| dir.join(name).is_file() && !is_paired(name));
    names.sort();
    let inputs = names.iter().filter_map(|name| {
        let case = candidates(name).into_iter().min()?.case;
        Some(TestCase { name: case, input: dir.join(name), ..TestCase::default() })
    });
    inputs.collect()
}

fn bare_problem() -> Problem {
    Problem {
        layout: Bare.layout(),
        limits: ProblemLimits::of_bare_tests(),
        ..Problem::default()
    }
}

impl Format for Bare {
    fn marker_text(&self) -> &'static str {
        "tests in pairs, such as 1.in and 1.ans, in1.txt and out1.txt, or 01 and 01.a"
    }

    fn detect(&self, dir: &FilePath) -> Option<String> {
        let mut names = Vec::new();
        list_names(dir, "", &mut names);
        let pairs = find_pairs(names.iter().map(String::as_str));
        let is_file = |name: &str| dir.join(name).is_file();
        let found = pairs.iter().find(|pair| is_file(&pair.input) && is_file(&pair.answer));
        let Pair { input, answer, .. } = found?;
        Some(format!("there are {input} and {answer}, and no settings of a problem"))
    }

    fn includes(&self, name: &str) -> bool {
        name == juror_toml::NAME || is_folder(name) || is_test(name)
    }

    fn layout(&self) -> Layout {
        Layout {
            format: "bare tests",
            time_limit: "the default for bare tests",
            is_guessed: true,
            ..Layout::default()
        }
    }

    fn read(&self, tree: &PackageFiles) -> Option<Draft> {
        let mut problem = bare_problem();
        let files = tree.below("").iter().filter(|item| item.is_file() && is_test(&item.name));
        let names: Vec<&str> = files.map(|item| item.name.as_str()).collect();
        let pairs = find_pairs(names.iter().copied());
        let words = comparison_arguments("words").unwrap_or_default();
        for Pair { input, answer, case } in &pairs {
            problem.test_data.cases.push(TestCase {
                name: case.clone(),
                input: tree.path(input),
                answer: Some(tree.path(answer)),
                output_validator_args: words.clone(),
                ..TestCase::default()
            });
        }
        let used: BTreeSet<&str> =
            pairs.iter().flat_map(|pair| [pair.input.as_str(), pair.answer.as_str()]).collect();
        let mut lonely: Vec<&str> = names.into_iter().filter(|name| !used.contains(name)).collect();
        lonely.sort_by_key(|name| (name.rsplit_once('/').map(|(directory, _)| directory), *name));
        for name in &lonely {
            let lower = name.to_ascii_lowercase();
            if lower.ends_with(".in") {
                let stem = &name[..name.len() - ".in".len()];
                let help = format!("add {stem}.ans or {stem}.out");
                tree.faults.publishing_error(tree.path(name), "has no answer file", help);
            } else if lower.ends_with(".ans") {
                let message = "has no input file, so it is ignored";
                let help = format!("add {}.in", &name[..name.len() - ".ans".len()]);
                tree.faults.warning(tree.path(name), message, help);
            }
        }
        let directories = pairs.iter().flat_map(|pair| [&pair.input, &pair.answer]);
        let directories: BTreeSet<&str> =
            directories.filter_map(|name| Some(name.rsplit_once('/')?.0)).collect();
        lonely.retain(|name| is_left_over(name, &directories));
        let named: Vec<String> =
            pairs.iter().map(|pair| format!("{} and {}", pair.input, pair.answer)).collect();
        problem.format_reason = format_reason(&named, &lonely);
        let message = format!("is read as bare tests: {}", problem.format_reason);
        let help = "limits are juror's own, and outputs are compared word by word; \
                    `[limits]` in juror.toml and `juror judge --compare HOW` set others";
        tree.faults.warning(&tree.root, message, help);
        let settings = tree.path(DOMJUDGE_INI);
        if settings.is_file() {
            let message = "is ignored: bare tests have no settings";
            let help = "move the tests to data/secret; then the directory is a package of DOMjudge";
            tree.faults.warning(settings, message, help);
        }
        Some(Draft::of(problem))
    }
}
