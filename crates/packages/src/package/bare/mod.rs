//! Bare tests: a directory with pairs of inputs and answers, and nothing else about the problem.

mod pairs;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use crate::package::bare::pairs::FOLDERS;

use crate::package::bare::pairs::{
    Pair, candidates, find_pairs, find_scratch, find_unanswered, is_folder, is_left_over, is_test,
};
use crate::package::draft::{Draft, short_name};
use crate::package::files::{PackageFiles, join_name};
use crate::package::{Format, juror_toml};
use juror_core::check::options::comparison_arguments;
use juror_core::layout::Layout;
use juror_core::limits::ProblemLimits;
use juror_core::problem::Problem;
use juror_core::root::{FilePath, is_outside_error};
use juror_core::test_data::TestCase;
use juror_core::text::{composed, count, count_if_any, path_text, short_list};

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
        format_reason(&pairs)
    );
}

/// How tests can be called, in lines.
pub const NAMES_TABLE: &str = "  input              answer
  1.in               1.out, 1.ans, 1.sol or 1.a
  1.dat              1.ans
  in1.txt            out1.txt or ans1.txt
  tests/1/input.txt  tests/1/output.txt
  01                 01.a";

/// The files in a directory, shortened. `None` if it has none.
pub fn list_files(dir: &FilePath) -> Option<String> {
    let names = dir.names().unwrap_or_default();
    let names = names.iter().filter_map(|name| name.to_str());
    let mut files: Vec<&str> =
        names.filter(|name| !name.starts_with('.') && dir.join(name).is_file()).collect();
    files.sort_unstable();
    (!files.is_empty()).then(|| short_list(&files, SHOWN))
}

/// Links in a directory, or in one for tests, that would be tests if they did not lead out of it, with their targets.
pub fn outside_links(dir: &FilePath) -> Vec<(String, PathBuf)> {
    let mut names = Vec::new();
    list_names(dir, "", &mut names);
    let folders = dir.names().unwrap_or_default().into_iter();
    let folders = folders.filter_map(|name| name.into_string().ok()).filter(|name| is_folder(name));
    let links = folders.chain(names).filter_map(|name| {
        let path = dir.join(&name);
        path.metadata().is_err_and(|error| is_outside_error(&error)).then_some(())?;
        Some((name, path.link_target().ok()?))
    });
    links.collect()
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

fn format_reason(pairs: &[String]) -> String {
    match pairs {
        [only] => format!("1 pair of files: {only}"),
        [first, .., last] => {
            format!("{} pairs of files, from {first} to {last}", pairs.len())
        }
        [] => "no pair of files".to_owned(),
    }
}

/// Empty without names.
fn further_names(what: &str, names: &[&str]) -> String {
    match names {
        [] => String::new(),
        names => format!("; {what}: {}", short_list(names, SHOWN)),
    }
}

/// The tests by their names: which belong together, which inputs have no answers, and which do not count.
struct NamedTests<'a> {
    pairs: Vec<Pair<'a>>,
    unanswered: Vec<(&'a str, String)>,
    scratch: Vec<&'a str>,
}

impl<'a> NamedTests<'a> {
    fn find(names: &[&'a str]) -> Self {
        let mut pairs = find_pairs(names.iter().copied());
        let mut unanswered = find_unanswered(names, &pairs);
        let mut inputs: Vec<&str> = pairs.iter().map(|pair| pair.input).collect();
        inputs.sort_unstable();
        inputs.extend(unanswered.iter().map(|(name, _)| name));
        let scratch = find_scratch(&inputs);
        pairs.retain(|pair| !scratch.contains(&pair.input));
        unanswered.retain(|(name, _)| !scratch.contains(name));
        Self { pairs, unanswered, scratch }
    }
}

/// A problem without tests, for inputs of one's own. Nothing in the directory is read.
pub fn problem_without_tests(dir: &Path) -> Problem {
    Problem {
        dir: FilePath::root(dir),
        short_name: short_name(dir),
        format_reason: "no tests of its own".to_owned(),
        allow_file_writing: true,
        ..bare_problem()
    }
}

fn bare_problem() -> Problem {
    Problem { layout: Bare.layout(), limits: ProblemLimits::of_bare_tests(), ..Problem::default() }
}

/// Whether a directory has inputs without answers, and no pairs of tests.
pub fn has_inputs_alone(dir: &FilePath) -> bool {
    let mut names = Vec::new();
    list_names(dir, "", &mut names);
    names.retain(|name| dir.join(name).is_file());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let NamedTests { pairs, unanswered, .. } = NamedTests::find(&names);
    pairs.is_empty() && !unanswered.is_empty()
}

/// The answer to an input, if it has one: the file beside it that has the best of the names that it could have.
pub fn answer_of(input: &Path) -> Option<PathBuf> {
    let name = input.file_name()?.to_str()?;
    let directory = input.parent()?;
    // A pair may be in two directories, such as `in` and `out`.
    let below = directory.file_name().and_then(|name| name.to_str());
    let (root, name) = match (directory.parent(), below) {
        (Some(root), Some(below)) => (root, join_name(below, name)),
        _ => (directory, name.to_owned()),
    };
    let mut all = candidates(&name);
    all.sort();
    let mut all = all.into_iter().map(|candidate| root.join(candidate.name));
    all.find(|path| path.is_file() && path != input)
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
        let found = pairs.iter().find(|pair| is_file(pair.input) && is_file(pair.answer));
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
        let NamedTests { pairs, unanswered, scratch } = NamedTests::find(&names);
        let words = comparison_arguments("words").unwrap_or_default();
        let test_case = |name: &str, input: &str, answer: Option<&str>| TestCase {
            name: name.to_owned(),
            input: tree.path(input),
            answer: answer.map(|answer| tree.path(answer)),
            needs_no_answer: answer.is_none(),
            output_validator_args: words.clone(),
            ..TestCase::default()
        };
        let of_pair = |pair: &Pair<'_>| test_case(&pair.case, pair.input, Some(pair.answer));
        problem.test_data.cases.extend(pairs.iter().map(of_pair));
        let alone = unanswered.iter().map(|(input, case)| test_case(case, input, None));
        problem.test_data.unanswered.extend(alone);
        let used: BTreeSet<&str> =
            pairs.iter().flat_map(|pair| [pair.input, pair.answer]).collect();
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
        let directories: BTreeSet<&str> =
            used.iter().filter_map(|name| Some(name.rsplit_once('/')?.0)).collect();
        let alone: Vec<&str> = unanswered.iter().map(|(name, _)| *name).collect();
        let inputs: BTreeSet<&str> = alone.iter().copied().collect();
        lonely.retain(|name| is_left_over(name, &directories) && !inputs.contains(name));
        let named: Vec<String> =
            pairs.iter().map(|pair| format!("{} and {}", pair.input, pair.answer)).collect();
        let without = match &named[..] {
            [] => {
                count_if_any(alone.len(), "input").map(|inputs| format!("{inputs} without answers"))
            }
            _ => None,
        };
        problem.format_reason = [
            without.unwrap_or_else(|| format_reason(&named)),
            further_names("without an answer", &alone),
            further_names("left over", &lonely),
            further_names("left out", &scratch),
        ]
        .concat();
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
