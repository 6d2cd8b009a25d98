//! Bare tests: a directory with pairs of inputs and answers, and nothing else about the problem.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::package::Format;
use crate::package::draft::Draft;
use crate::package::files::{PackageFiles, join_name};
use crate::package::juror_toml;
use juror_core::check::options::comparison_arguments;
use juror_core::model::layout::Layout;
use juror_core::model::limits::{OUTPUT_WITHOUT_LIMIT, ProblemLimits, TIME_WITHOUT_PACKAGE};
use juror_core::model::problem::Problem;
use juror_core::model::root::FilePath;
use juror_core::model::test_data::TestCase;

pub(super) struct Bare;

const DOMJUDGE_INI: &str = "domjudge-problem.ini";

/// Directories of inputs, each with the directory of their answers.
const DIRECTORIES: [[&str; 2]; 7] = [
    ["", ""],
    ["tests", "tests"],
    ["in", "out"],
    ["in", "ans"],
    ["input", "output"],
    ["inputs", "outputs"],
    ["inputs", "answers"],
];

/// Prefix and suffix around the part that an input and its answer share. The first answer that exists is taken.
const PAIR_NAMES: [[[&str; 2]; 2]; 6] = [
    [["", ".in"], ["", ".ans"]],
    [["", ".in"], ["", ".out"]],
    [["", ".in"], ["", ".a"]],
    [["input", ".txt"], ["output", ".txt"]],
    // Names of Polygon: only digits.
    [["", ""], ["", ".a"]],
    // Only if the two directories differ.
    [["", ""], ["", ""]],
];

struct InputName {
    case: String,
    /// Possible names of its answer, below the package.
    answers: Vec<String>,
}

impl InputName {
    /// `None` if the name is not that of an input.
    fn parse(name: &str) -> Option<Self> {
        let (dir, file) = name.rsplit_once('/').unwrap_or(("", name));
        let lower = file.to_ascii_lowercase();
        let mut answers = Vec::new();
        let mut case = None;
        for [_, answers_in] in DIRECTORIES.iter().filter(|[inputs, _]| *inputs == dir) {
            for [[start, end], [answer_start, answer_end]] in PAIR_NAMES {
                let rest = lower.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
                let Some(rest) = rest else { continue };
                let same = &file[start.len()..start.len() + rest.len()];
                let is_apart = *answers_in != dir;
                let fits = match (end, answer_end) {
                    ("", "") => is_apart,
                    ("", _) => same.bytes().all(|byte| byte.is_ascii_digit()),
                    _ => true,
                };
                if fits {
                    // `input.txt` has nothing else for a name.
                    let own = if same.is_empty() { start } else { same };
                    case.get_or_insert_with(|| join_name(dir, own));
                    answers
                        .push(join_name(answers_in, &format!("{answer_start}{same}{answer_end}")));
                }
            }
        }
        Some(Self { case: case?, answers })
    }

    /// Whether a file of this name must be an input, even without an answer.
    fn is_certain(name: &str) -> bool {
        name.to_ascii_lowercase().ends_with(".in")
    }
}

/// Finds names in any case: Windows does not tell `1.IN` from `1.in`.
struct FileNames<'a> {
    all: BTreeSet<&'a str>,
    by_lower: BTreeMap<String, &'a str>,
}

impl<'a> FileNames<'a> {
    fn of(all: &'a [String]) -> Self {
        let by_lower = all.iter().map(|it| (it.to_ascii_lowercase(), it.as_str())).collect();
        Self { all: all.iter().map(String::as_str).collect(), by_lower }
    }

    fn find(&self, name: &str) -> Option<&'a str> {
        let in_another_case = || self.by_lower.get(&name.to_ascii_lowercase());
        self.all.get(name).or_else(in_another_case).copied()
    }
}

fn directories() -> BTreeSet<&'static str> {
    DIRECTORIES.into_iter().flatten().collect()
}

/// Whether a file without a partner looks like part of a pair.
fn is_left_over(name: &str, used: &BTreeSet<String>) -> bool {
    let (dir, file) = name.rsplit_once('/').unwrap_or(("", name));
    let file = &*file.to_ascii_lowercase();
    let is_part = |start: &str, end: &str| {
        let same = file.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        same.is_some_and(|same| !same.is_empty())
    };
    // `a.out` is the output of a compiler.
    let is_test =
        file != "a.out" && ["in", "ans", "out"].iter().any(|end| is_part("", &format!(".{end}")));
    let has_pairs =
        used.iter().any(|it| it.strip_prefix(dir).is_some_and(|it| it.starts_with('/')));
    let is_apart = DIRECTORIES.iter().any(|pair| pair[0] != pair[1] && pair.contains(&dir));
    is_test || is_part("input", ".txt") || is_part("output", ".txt") || is_apart && has_pairs
}

fn format_reason(pairs: &[String], left_over: &[&str]) -> String {
    const SHOWN: usize = 5;
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

impl Format for Bare {
    fn marker_text(&self) -> &'static str {
        "tests in pairs, such as 1.in and 1.ans, input1.txt and output1.txt, or 01 and 01.a"
    }

    fn detect(&self, dir: &FilePath) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        for directory in directories() {
            for name in dir.join(directory).names().unwrap_or_default() {
                // Hidden files are not read either.
                if let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) {
                    names.push(join_name(directory, name));
                }
            }
        }
        names.sort();
        let known = FileNames::of(&names);
        names.iter().filter(|name| dir.join(name).is_file()).find_map(|name| {
            let answers = InputName::parse(name)?.answers;
            let mut answers = answers.iter().filter_map(|it| known.find(it));
            let answer = answers.find(|answer| dir.join(answer).is_file())?;
            Some(format!("there are {name} and {answer}, and no settings of a problem"))
        })
    }

    fn includes(&self, name: &str) -> bool {
        let (dir, file) = name.rsplit_once('/').unwrap_or(("", name));
        let file = file.to_ascii_lowercase();
        let is_answer = PAIR_NAMES.iter().any(|[_, [start, end]]| {
            file.starts_with(start) && file.ends_with(end) && !end.is_empty()
        });
        let is_apart =
            DIRECTORIES.iter().any(|[inputs, answers]| inputs != answers && *answers == dir);
        let is_test = InputName::parse(name).is_some() || is_answer || is_apart;
        directories().contains(name)
            || name == juror_toml::NAME
            || is_test && directories().contains(dir)
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
        let mut problem = Problem {
            layout: self.layout(),
            limits: ProblemLimits {
                time_limit: Some(TIME_WITHOUT_PACKAGE),
                output: Some(OUTPUT_WITHOUT_LIMIT),
                ..ProblemLimits::default()
            },
            ..Problem::default()
        };
        let words = comparison_arguments("words").unwrap_or_default();
        let mut used = BTreeSet::new();
        let mut cases = BTreeSet::new();
        let mut pairs = Vec::new();
        let names = directories()
            .into_iter()
            .flat_map(|dir| tree.children(dir).map(|item| item.name.clone()));
        let names: Vec<String> = names.collect();
        let known = FileNames::of(&names);
        for name in &names {
            let (Some(input), Some(file)) = (InputName::parse(name), tree.file(name)) else {
                continue;
            };
            let answers = input.answers.iter().filter_map(|it| known.find(it));
            let answer = answers.filter(|it| *it != name).find_map(|it| Some((it, tree.file(it)?)));
            if let Some((answer_name, answer)) = answer {
                used.insert(name.clone());
                used.insert(answer_name.to_owned());
                pairs.push(format!("{name} and {answer_name}"));
                // `7.in` and `input7.txt` are two test cases.
                let is_new = cases.insert(input.case.clone());
                problem.test_data.cases.push(TestCase {
                    name: if is_new { input.case } else { name.clone() },
                    input: file.path.clone(),
                    answer: Some(answer.path.clone()),
                    output_validator_args: words.clone(),
                    ..TestCase::default()
                });
            } else if InputName::is_certain(name) {
                let help = format!("add {}", input.answers[..2].join(" or "));
                tree.faults.publishing_error(file, "has no answer file", help);
            }
        }
        let is_answer = |name: &str| name.to_ascii_lowercase().ends_with(".ans");
        let lonely = names.iter().filter(|name| is_answer(name) && !used.contains(*name));
        for (name, answer) in lonely.filter_map(|name| Some((name, tree.file(name)?))) {
            let message = "has no input file, so it is ignored";
            let help = format!("add {}.in", &name[..name.len() - ".ans".len()]);
            tree.faults.warning(answer, message, help);
        }
        let left_over =
            names.iter().filter(|name| !used.contains(*name) && tree.file(name).is_some());
        let left_over: Vec<&str> =
            left_over.map(String::as_str).filter(|name| is_left_over(name, &used)).collect();
        problem.format_reason = format_reason(&pairs, &left_over);
        let message = format!("is read as bare tests: {}", problem.format_reason);
        let help = "limits are juror's own, and outputs are compared word by word; \
                    --time-limit, --memory-limit and --compare set others";
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
