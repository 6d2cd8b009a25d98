//! Bare tests: a directory of inputs and answers in pairs, and nothing that says more about the problem.

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::model::layout::Layout;
use crate::model::limits::{ProblemLimits, TIME_WITHOUT_PACKAGE};
use crate::model::problem::Problem;
use crate::model::test_data::TestCase;
use crate::package::Format;
use crate::package::draft::{Draft, FileWriting};
use crate::package::files::Files;
use crate::package::juror_toml;

/// The format.
pub(super) struct Bare;

/// Where tests stand: in the directory itself, or in one below it.
const DIRECTORIES: [&str; 2] = ["", "tests"];

/// What the names of answers end in; the first that is there is taken.
const ANSWERS: [&str; 2] = ["ans", "out"];

impl Format for Bare {
    fn sign(&self) -> &'static str {
        "tests such as 1.in and 1.ans"
    }

    fn detect(&self, dir: &Path) -> Option<String> {
        let answer_of = |input: &Path| {
            let mut answers = ANSWERS.iter().map(|ending| input.with_extension(ending));
            answers.find(|answer| answer.is_file())
        };
        let directories = DIRECTORIES.iter().map(|below| dir.join(below));
        let files = directories.flat_map(|dir| std::fs::read_dir(dir).into_iter().flatten());
        let mut inputs: Vec<_> = files
            .flatten()
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|it| it == "in") && path.is_file())
            .collect();
        inputs.sort();
        let name = |path: &Path| path.strip_prefix(dir).unwrap_or(path).display().to_string();
        let mut pairs = inputs.iter().filter_map(|it| Some((name(it), name(&answer_of(it)?))));
        let (input, answer) = pairs.next()?;
        Some(format!("there are {input} and {answer}, and no settings of a problem"))
    }

    fn wants(&self, name: &str) -> bool {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_test = ending == "in" || ANSWERS.contains(&ending);
        let (dir, _) = name.rsplit_once('/').unwrap_or(("", name));
        DIRECTORIES.contains(&name)
            || name == juror_toml::NAME
            || is_test && DIRECTORIES.contains(&dir)
    }

    /// No format has a say here.
    fn allows(&self, base_name: &str) -> bool {
        !base_name.is_empty() && !base_name.starts_with('.')
    }

    fn layout(&self) -> Layout {
        Layout {
            format: "bare tests",
            time_limit: "the default for bare tests",
            ..Layout::default()
        }
    }

    fn read(&self, tree: &Files) -> Option<Draft> {
        let mut problem = Problem {
            layout: self.layout(),
            limits: ProblemLimits {
                time_limit: Some(TIME_WITHOUT_PACKAGE),
                ..ProblemLimits::default()
            },
            ..Problem::default()
        };
        for item in DIRECTORIES.iter().flat_map(|dir| tree.children(dir)) {
            let Some((name, ending)) = item.name.rsplit_once('.') else { continue };
            let file = |ending: &str| tree.file(&format!("{name}.{ending}"));
            let answer = ANSWERS.into_iter().find_map(file);
            match (ending, file("in"), answer) {
                ("in", Some(input), Some(answer)) => problem.test_data.cases.push(TestCase {
                    name: name.to_owned(),
                    input: input.path.clone(),
                    answer: Some(answer.path.clone()),
                    ..TestCase::default()
                }),
                ("in", Some(input), None) => {
                    let message = "has no answer beside it";
                    let help = format!("add {name}.ans or {name}.out");
                    tree.faults.error(input, message, help);
                }
                ("ans", None, Some(answer)) => {
                    let message = "has no input beside it, so it is not looked at";
                    let help = format!("add {name}.in");
                    tree.faults.warning(answer, message, help);
                }
                _ => {}
            }
        }
        if let Some(reason) = self.detect(&tree.root) {
            let message = format!("is read as bare tests: {reason}");
            let help = "limits are juror's own, and outputs are compared token by token";
            tree.faults.warning(&tree.root, message, help);
        }
        Some(Draft { problem, has_settings: true, file_writing: FileWriting::Allowed })
    }
}
