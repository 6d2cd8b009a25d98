//! Tasks of CMS in the Italian format: a `task.yaml`, inputs and outputs by number, and `gen/GEN`.
//!
//! Sources: the documents of `cms-dev/cms`, "External contest formats", "Score types" and "Task types".

mod gen_file;
mod solutions;
#[cfg(test)]
mod tests;

use crate::package::Format;
use crate::package::draft::Draft;
use crate::package::faults::Faults;
use crate::package::files::{PackageEntry, PackageFiles, is_inside, is_valid_name};
use crate::package::italian::gen_file::{MissingInput, Subtask};
use crate::package::languages::natural_language;
use crate::package::named_programs::{self, line_sensitive_args};
use crate::package::node::{Map, Node, ParseResult, SettingsFile};
use crate::package::statements::Statement;
use crate::package::text::excerpt;
use crate::package::values::{NumberBound, at_most, integer, number, positive, seconds, text};
use crate::package::yaml;
use juror_core::layout::Layout;
use juror_core::limits::ProblemLimits;
use juror_core::problem::{Grading, Problem, ProblemKind, ProgramIo};
use juror_core::program::ProgramKind;
use juror_core::protocol::Protocol;
use juror_core::recipe::{AnswerSource, GeneratorCommand, InputSource, Recipe, RecipeCase};
use juror_core::root::FilePath;
use juror_core::score::{Aggregation, Score};
use juror_core::test_data::{TestCase, TestGroup};
use juror_core::units::Bytes;

pub(super) struct Italian;

const SETTINGS: &str = "task.yaml";

const MAX_TESTS: usize = 10_000;

const CONTEST_KEYS: &str = "\
    token_mode token_max_number token_min_interval token_gen_initial token_gen_number token_gen_interval \
    token_gen_max token_initial token_gen_time token_total token_max public_testcases risultati score_mode \
    feedback_level max_submission_number max_user_test_number min_submission_interval min_user_test_interval \
    version score_precision";

const UNSUPPORTED_KEYS: [&str; 6] = [
    "output_only",
    "score_type",
    "score_type_parameters",
    "output_only_testcases",
    "output_optional_testcases",
    "num_processes",
];

impl Format for Italian {
    fn marker_text(&self) -> &'static str {
        "a task.yaml of CMS and input/input0.txt or gen/GEN"
    }

    fn detect(&self, dir: &FilePath) -> Option<String> {
        let marker =
            ["input/input0.txt", "gen/GEN"].into_iter().find(|name| dir.join(name).is_file())?;
        dir.join(SETTINGS).is_file().then(|| format!("there are {SETTINGS} and {marker}"))
    }

    /// Judging needs tests, checkers, graders and settings. Inputs are seldom generated; statements do not matter.
    fn affects_verdicts(&self, name: &str) -> bool {
        let of_graders = |file: &str| file.starts_with("grader.") || file.ends_with(".h");
        let dirs = ["input", "output", "check", "cor"];
        dirs.iter().any(|dir| name == *dir || is_inside(name, dir))
            || [SETTINGS, "gen", "gen/GEN", "sol"].contains(&name)
            || name.strip_prefix("sol/").is_some_and(of_graders)
    }

    fn layout(&self) -> Layout {
        Layout::with_settings("Italian", SETTINGS, "sol", "change `time_limit` in task.yaml")
    }

    fn statements(&self, tree: &PackageFiles) -> Vec<Statement> {
        // Faults are reported where the settings are read.
        let faults = Faults::default();
        let file = tree.file(SETTINGS);
        let document = file.and_then(|item| SettingsFile::read(&item.path, &faults, yaml::parse));
        let map = document.as_ref().and_then(|document| document.root().map().ok());
        let primary =
            map.map_or_else(|| DEFAULT_LANGUAGE.to_owned(), |mut map| primary_language(&mut map));
        named_programs::find_statements(tree, &["statement", "testo"], |name| match name {
            "statement" | "testo" => Some(primary.clone()),
            name => Some(natural_language(name).to_owned()),
        })
    }

    fn read(&self, tree: &PackageFiles) -> Option<Draft> {
        let document = SettingsFile::read(&tree.file(SETTINGS)?.path, &tree.faults, yaml::parse)?;
        let mut map = document.root().non_null()?.map().ok()?;
        let mut problem = Problem { layout: self.layout(), ..Problem::default() };
        read_settings(&mut map, &mut problem);
        report_unsupported(tree, &mut map);
        read_checker(tree, &mut problem);
        solutions::read(tree, &mut problem);
        read_test_data(tree, &mut map, &mut problem);
        map.warn_of_rest();
        Some(Draft::of(problem))
    }
}

/// The language of the title and of a statement without one in its name.
const DEFAULT_LANGUAGE: &str = "it";

fn primary_language(map: &mut Map<'_>) -> String {
    let code = map.get("primary_language", text);
    code.map_or_else(|| DEFAULT_LANGUAGE.to_owned(), |code| natural_language(&code).to_owned())
}

/// The value of a key that also has an Italian name.
fn get_either<'a, T>(
    map: &mut Map<'a>,
    [english, italian]: [&'static str; 2],
    parse: impl Fn(&Node<'a>) -> ParseResult<T>,
) -> Option<T> {
    let italian = map.get(italian, &parse);
    map.get(english, parse).or(italian)
}

fn read_settings(map: &mut Map<'_>, problem: &mut Problem) {
    map.ignore(CONTEST_KEYS);
    get_either(map, ["name", "nome_breve"], text);
    let title = get_either(map, ["title", "nome"], text);
    let language = primary_language(map);
    problem.names.extend(title.map(|title| (language, title)));
    let mebibytes = |node: &Node<'_>| Ok(Bytes::mib(positive::<u32>(node, "MiB")?.into()));
    let time = get_either(map, ["time_limit", "timeout"], seconds);
    let memory = get_either(map, ["memory_limit", "memlimit"], mebibytes);
    problem.limits = ProblemLimits::stated(time, memory);
    if problem.limits.time_limit.is_none() {
        let help = "add `time_limit`, in seconds: without it a submission never ends";
        map.node.at_file().error("has no time limit", help);
    }
    let mut name = |key, usual: &str| {
        let name = map.get(key, |node| if node.is_null() { Ok(String::new()) } else { text(node) });
        name.unwrap_or_else(|| usual.to_owned())
    };
    let names = [name("infile", "input.txt"), name("outfile", "output.txt")];
    problem.io = match names {
        [input, output] if input.is_empty() && output.is_empty() => ProgramIo::Standard,
        [input, output] if is_valid_name(&input) && is_valid_name(&output) && input != output => {
            ProgramIo::Files { input, output }
        }
        [input, output] => {
            let message = format!(
                "`infile` is `{}` and `outfile` is `{}`: juror knows two file names, or none",
                excerpt(&input),
                excerpt(&output)
            );
            let help = "name both, or leave both empty for standard input and output";
            map.node.at_file().error(&message, help);
            ProgramIo::Standard
        }
    };
}

fn report_unsupported(tree: &PackageFiles, map: &mut Map<'_>) {
    for key in UNSUPPORTED_KEYS {
        let Some(node) = map.node(key) else { continue };
        let is_default = matches!(node.word().to_lowercase().as_str(), "false" | "1" | "")
            && node.raw.scalar().is_some();
        if !is_default {
            let message =
                format!("`{key}` changes how submissions are judged, and juror does not know it");
            node.at_key().error(message, "judge this task with CMS");
        }
    }
    for dir in ["check", "cor"] {
        if let Some(item) = tree.children(dir).find(|item| is_called(item, "manager")) {
            let message =
                "is a manager of CMS: it talks with submissions in a way that juror does not know";
            tree.faults.error(item, message, "judge this task with CMS");
        }
    }
}

/// Whether a file has this name, or is called like `manager.cpp` or `manager_it.cpp`.
fn is_called(item: &PackageEntry, name: &str) -> bool {
    let rest = item.base_name().strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_']))
}

/// CMS takes the executable in `check/`, else the one in `cor/`. juror builds its source if that exists.
fn read_checker(tree: &PackageFiles, problem: &mut Problem) {
    for (dir, name) in [("check", "checker"), ("cor", "correttore")] {
        let executable = || tree.file(&format!("{dir}/{name}"));
        if let Some(item) = named_programs::find_source(tree, dir, &[name]).or_else(executable) {
            let kind = ProgramKind::OutputValidator;
            let program =
                named_programs::new_program(item, kind, named_programs::header_files(tree, dir));
            problem.output_validators = vec![program];
            problem.output_protocol = Protocol::Cms;
            return;
        }
        if let Some(item) = tree.children(dir).find(|item| is_called(item, name)) {
            let message = format!("may be the checker, but there is no {dir}/{name}");
            let help = format!("name its source {dir}/{name}.cpp, or build {dir}/{name}");
            tree.faults.error(item, message, help);
            return;
        }
    }
}

fn read_test_data(tree: &PackageFiles, map: &mut Map<'_>, problem: &mut Problem) {
    let listed = gen_file::read(tree);
    let count =
        map.get("n_input", |node| at_most(MAX_TESTS, integer(node, 0, "a number of tests")?, node));
    let total = map.get("total_value", |node| number(node, NumberBound::AtLeast(0.0)));
    let whole = || vec![Subtask::whole_task(count.unwrap_or_else(|| count_inputs(tree)))];
    let subtasks = listed.unwrap_or_else(whole);
    let tests: usize = subtasks.iter().map(|group| group.cases.len()).sum();
    if let Some(count) = count.filter(|count| *count != tests) {
        let message = format!("`n_input` is {count}, and gen/GEN has {tests} tests");
        map.node.at_file().error(&message, "correct one of them");
    }
    let generator = gen_file::find_generator(tree);
    let scored = |name: &str, points: f64, aggregation| {
        TestGroup::scored(name, Score::new(points), aggregation, Vec::new())
    };
    let points: Vec<f64> = subtasks.iter().filter_map(|group| group.points).collect();
    let sum = if points.is_empty() { total.unwrap_or(100.0) } else { points.iter().sum() };
    let compared = line_sensitive_args(problem);
    let groups = &mut problem.test_data.groups;
    groups.push(scored("tests", sum, Aggregation::Sum));
    let mut cases = Vec::new();
    let mut number = 0;
    for (index, group) in (1..).zip(&subtasks) {
        let dir = match group.points {
            None => "tests".to_owned(),
            Some(points) => {
                let name = format!("tests/{index}");
                groups.push(scored(&name, points, Aggregation::Min));
                name
            }
        };
        for (place, source) in &group.cases {
            let files = [format!("input/input{number}.txt"), format!("output/output{number}.txt")];
            let [input, answer] =
                files.each_ref().map(|name| tree.file(name).map(|item| item.path.clone()));
            let case = TestCase {
                name: format!("{dir}/{number:03}"),
                input: tree.path(&files[0]),
                answer: Some(tree.path(&files[1])),
                output_validator_args: compared.clone(),
                ..TestCase::default()
            };
            number += 1;
            if input.is_none() || answer.is_none() {
                let input = match (input, source) {
                    (Some(path), _) => Ok(InputSource::File(path)),
                    (None, MissingInput::Copy(name)) => match tree.file(name) {
                        Some(item) => Ok(InputSource::File(item.path.clone())),
                        None => Err(format!("there is no `{}` to be copied", excerpt(name))),
                    },
                    (None, MissingInput::Args(args)) => match &generator {
                        Some(generator) => Ok(InputSource::Command(GeneratorCommand::new(
                            generator.clone(),
                            args.clone(),
                            args.join(" "),
                        ))),
                        None => Err(format!("there is no {}, and no generator in gen/", files[0])),
                    },
                    (None, MissingInput::Unknown) => Err(format!("there is no {}", files[0])),
                };
                let official = solutions::official_solution(tree);
                let official = official.map(|item| AnswerSource::Solution(item.path.clone()));
                let (message, help) = match (input, answer.map(AnswerSource::File).or(official)) {
                    (Ok(input), Some(answer)) => {
                        let (name, place) = (case.name.clone(), place.clone());
                        cases.push(RecipeCase::new(name, place, input, answer));
                        problem.test_data.cases.push(case);
                        continue;
                    }
                    (Ok(_), None) => {
                        let message =
                            format!("there is no {}, and no sol/solution.* to make it", files[1]);
                        (message, "add the file, or the solution")
                    }
                    (Err(message), _) => (message, "add the file, or correct gen/GEN"),
                };
                tree.faults.error(place.clone(), message, help);
                continue;
            }
            problem.test_data.cases.push(case);
        }
    }
    problem.kind = ProblemKind { grading: Grading::Scoring, ..ProblemKind::default() };
    problem.pending_recipe = Recipe::of_cases(tree.path(SETTINGS), cases);
}

fn count_inputs(tree: &PackageFiles) -> usize {
    (0..).take_while(|number| tree.file(&format!("input/input{number}.txt")).is_some()).count()
}
