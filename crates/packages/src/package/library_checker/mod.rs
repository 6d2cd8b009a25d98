//! Problems of library-checker: an `info.toml`, generators in `gen/`, and programs with testlib.
//!
//! Sources: the documents in `docs/` of `yosupo06/library-checker-problems`.

mod programs;
#[cfg(test)]
mod tests;

use crate::package::Format;
use crate::package::draft::Draft;
use crate::package::files::PackageFiles;
use crate::package::node::{Map, Node, ParseResult, SettingsFile};
use crate::package::text::{excerpt, settings_contain};
use crate::package::toml;
use crate::package::values::{at_most, boolean, nonempty_text, positive, seconds};
use juror_core::layout::Layout;
use juror_core::limits::ProblemLimits;
use juror_core::problem::Problem;
use juror_core::program::{IncludedFile, ProgramKind};
use juror_core::protocol::Protocol;
use juror_core::recipe::{AnswerSource, GeneratorCommand, InputSource, Recipe, RecipeCase};
use juror_core::root::FilePath;
use juror_core::submission::{Expectation, Submission};
use juror_core::test_data::TestCase;
use juror_core::verdict::Verdict::{self, Accepted, RunTimeError, TimeLimitExceeded, WrongAnswer};

pub(super) struct LibraryChecker;

const SETTINGS: &str = "info.toml";

const MODEL_SOLUTION: &str = "sol/correct.cpp";

const MAX_CASES_OF_GENERATOR: usize = 1000;

impl Format for LibraryChecker {
    fn marker_text(&self) -> &'static str {
        "an info.toml of library-checker"
    }

    fn detect(&self, dir: &FilePath) -> Option<String> {
        settings_contain(&dir.join(SETTINGS), &["timelimit", "[[tests]]"])
            .then(|| format!("{SETTINGS} has a `timelimit` and `[[tests]]`"))
    }

    /// Files that its own tools made are made again, because they may be outdated.
    fn includes(&self, name: &str) -> bool {
        !["in", "out"].contains(&name.split('/').next().unwrap_or_default())
    }

    fn layout(&self) -> Layout {
        Layout::with_settings("library-checker", SETTINGS, "sol", "change `timelimit` in info.toml")
    }

    fn read(&self, tree: &PackageFiles) -> Option<Draft> {
        let document = SettingsFile::read(&tree.file(SETTINGS)?.path, &tree.faults, toml::parse)?;
        let mut map = document.root().map().ok()?;
        let mut problem = Problem {
            layout: self.layout(),
            output_protocol: Protocol::Testlib,
            input_protocol: Protocol::Testlib,
            ..Problem::default()
        };
        problem.names.extend(map.get("title", nonempty_text).map(|name| ("en".to_owned(), name)));
        map.node("forum");
        problem.limits = ProblemLimits::stated(map.get("timelimit", seconds), None);
        let params = map.get("params", programs::read_params).unwrap_or_default();
        let reader = LibraryCheckerReader::new(tree, params);
        let mut program = |key: &'static str, kind| {
            let path = map.get(key, nonempty_text).unwrap_or_else(|| format!("{key}.cpp"));
            reader.required_program(&path, kind)
        };
        problem.output_validators.extend(program("checker", ProgramKind::OutputValidator));
        problem.input_validators.extend(program("verifier", ProgramKind::InputValidator));
        problem.submissions = reader.read_submissions(&mut map);
        reader.read_tests(&mut map, &mut problem);
        map.warn_of_rest();
        Some(Draft::of(problem))
    }
}

struct LibraryCheckerReader<'a> {
    tree: &'a PackageFiles,
    /// Files at the same place for each program.
    shared: Vec<IncludedFile>,
}

impl LibraryCheckerReader<'_> {
    /// Each generator makes several numbered test cases.
    fn read_tests(&self, map: &mut Map<'_>, problem: &mut Problem) {
        let Some(Ok(tests)) = map.node("tests").map(|node| node.items("tables `[[tests]]`")) else {
            map.node.at_file().error("has no `[[tests]]`", "add one for each generator");
            return;
        };
        let mut cases = Vec::new();
        for test in tests {
            // Its fault is already reported.
            let _reported = self.read_test(&test.with_path("tests"), problem, &mut cases);
        }
        problem.pending_recipe = Recipe::of_cases(self.tree.path(SETTINGS), cases);
    }

    fn read_test(
        &self,
        node: &Node<'_>,
        problem: &mut Problem,
        cases: &mut Vec<RecipeCase>,
    ) -> ParseResult<()> {
        let mut map = node.map()?;
        let name = map.try_get("name", nonempty_text)?;
        let count = map.try_get("number", |node| {
            at_most(MAX_CASES_OF_GENERATOR, positive(node, "test cases")?, node)
        })?;
        map.warn_of_rest();
        let (Some(name), Some(count)) = (name, count) else {
            return Err(node.error("`[[tests]]` needs `name` and `number`", "add what is missing"));
        };
        let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
        let generator = match ending {
            "cpp" => {
                let path = format!("gen/{name}");
                Some(self.named_program(&path, ProgramKind::Generator, node)?)
            }
            "in" => None,
            _ => {
                let message = format!("`{}` is not a generator that juror knows", excerpt(&name));
                return Err(node.error(message, "a generator ends in .cpp, a given input in .in"));
            }
        };
        for index in 0..count {
            let case = format!("{stem}_{index:02}");
            let input_name = format!("gen/{case}.in");
            let input = match (&generator, self.tree.file(&input_name)) {
                (Some(program), _) => InputSource::Command(GeneratorCommand::new(
                    program.clone().into(),
                    vec![index.to_string()],
                    format!("{name} {index}"),
                )),
                (None, Some(item)) => InputSource::File(item.path.clone()),
                (None, None) => {
                    let message = format!("there is no `{}` in the package", excerpt(&input_name));
                    node.error(message, "add it, or correct `number`");
                    continue;
                }
            };
            let files = ["in", "out"].map(|kind| self.tree.path(&format!("{kind}/{case}.{kind}")));
            let [input_path, answer_path] = files;
            cases.push(RecipeCase::new(
                case.clone(),
                node.place(),
                input,
                AnswerSource::Solution(self.tree.path(MODEL_SOLUTION)),
            ));
            problem.test_data.cases.push(TestCase {
                name: case,
                input: input_path,
                answer: Some(answer_path),
                ..TestCase::default()
            });
        }
        Ok(())
    }

    /// The solutions: the one that makes the answers, and those in the list.
    fn read_submissions(&self, map: &mut Map<'_>) -> Vec<Submission> {
        let mut submissions = Vec::new();
        let correct = self.required_program(MODEL_SOLUTION, ProgramKind::Submission);
        submissions.extend(correct.map(|program| Submission {
            name: "correct.cpp".to_owned(),
            program,
            expectations: vec![expectation(vec![Accepted], None)],
        }));
        let listed = map.node("solutions").map(|node| node.items("tables `[[solutions]]`"));
        for node in listed.into_iter().flatten().flatten() {
            submissions.extend(self.read_solution(&node.with_path("solutions")));
        }
        submissions
    }

    fn read_solution(&self, node: &Node<'_>) -> ParseResult<Submission> {
        let mut map = node.map()?;
        let Some(name) = map.try_get("name", nonempty_text)? else {
            return Err(node.error("`[[solutions]]` needs a `name`", "give a file in sol/"));
        };
        let mut is = |key| map.get(key, boolean).unwrap_or_default();
        let with_grader = is("function");
        let mut permitted = vec![Accepted];
        let allowed = [
            ("allow_wa", WrongAnswer),
            ("allow_tle", TimeLimitExceeded),
            ("allow_re", RunTimeError),
        ];
        for (key, verdict) in allowed {
            if is(key) {
                permitted.push(verdict);
            }
        }
        let mut required = is("wrong").then_some(WrongAnswer);
        if let Some(verdict) = map.node("expect") {
            required = match verdict.word() {
                "WA" => Some(WrongAnswer),
                "TLE" => Some(TimeLimitExceeded),
                "RE" => Some(RunTimeError),
                "AC" | "" => None,
                _ => return Err(verdict.must_be("\"WA\", \"TLE\" or \"RE\"")),
            };
        }
        map.warn_of_rest();
        permitted.extend(required);
        let path = format!("sol/{name}");
        let mut program = self.named_program(&path, ProgramKind::Submission, node)?;
        if with_grader {
            self.add_grader(&mut program);
        }
        Ok(Submission { name, program, expectations: vec![expectation(permitted, required)] })
    }
}

fn expectation(permitted: Vec<Verdict>, required: Option<Verdict>) -> Expectation {
    Expectation {
        pattern: "solutions".to_owned(),
        permitted: Some(permitted),
        required: required.map(|verdict| vec![verdict]),
        ..Expectation::default()
    }
}
