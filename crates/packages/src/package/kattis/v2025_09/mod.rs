//! The Kattis problem package format, version 2025-09. Each file reads one part of a package.

mod data;
mod scoring;
mod static_validation;
mod test_yaml;
mod top_entries;

use crate::package::Format;
use crate::package::draft::Draft;
use crate::package::files::{self, PackageFiles};
use crate::package::kattis::legacy::domjudge;
use crate::package::kattis::problem_type::{self, ProblemType};
use crate::package::kattis::problem_yaml::{self, ProblemYaml};
use crate::package::kattis::statement::{self, LocalizedTexts, SOLUTIONS};
use crate::package::kattis::submissions::{SubmissionFolder, folder};
use crate::package::kattis::version::{self, VersionName};
use crate::package::kattis::{PackageReader, SETTINGS, VersionRules, constants, credits, limits};
use crate::package::node::{Map, RenamedKeys};
use crate::package::statements::Statement;
use crate::package::text::excerpt;
use crate::package::values::{boolean, text, texts};
use juror_core::layout::Layout;
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::verdict::Verdict::{
    Accepted as AC, RunTimeError as RTE, TimeLimitExceeded as TLE, WrongAnswer as WA,
};

pub(in crate::package) struct Kattis202509;

pub(in crate::package) const FOLDERS: [SubmissionFolder; 6] = [
    folder("accepted", Some(&[AC]), None),
    folder("rejected", None, Some(&[RTE, TLE, WA])),
    folder("wrong_answer", Some(&[AC, WA]), Some(&[WA])),
    folder("time_limit_exceeded", Some(&[AC, TLE]), Some(&[TLE])),
    folder("run_time_error", Some(&[AC, RTE]), Some(&[RTE])),
    folder("brute_force", Some(&[AC, RTE, TLE]), Some(&[RTE, TLE])),
];

const RULES: VersionRules = VersionRules {
    input_validators: &["input_validators"],
    output_validator: "output_validator",
    has_submissions_yaml: true,
    is_strict: true,
    submissions: &FOLDERS,
};

const STATEMENTS: LocalizedTexts =
    LocalizedTexts { directory: "statement", stem: "problem", noun: "statement", default: None };

const RENAMED: RenamedKeys = &[
    ("author", "in format 2025-09: `credits:` with `authors:` in it"),
    ("source_url", "in format 2025-09: `source:` with `name:` and `url:` in it"),
    ("validation", "in format 2025-09: `type: interactive`, or a program in `output_validator/`"),
    (
        "validator_flags",
        "in format 2025-09: `output_validator_args: [...]` in data/secret/test_group.yaml and data/sample/test_group.yaml",
    ),
    ("grading", "in format 2025-09: keys of data/secret/test_group.yaml"),
    ("judgement_type", "in format 2025-09: `type:`"),
    ("submission_type", "in format 2025-09: `type:`"),
];

impl Format for Kattis202509 {
    fn marker_text(&self) -> &'static str {
        "a file problem.yaml"
    }

    fn detect(&self, dir: &FilePath) -> Option<String> {
        let (name, reason) = version::detect(dir)?;
        (name == VersionName::V2025_09).then_some(reason)
    }

    fn allows_name(&self, base_name: &str) -> bool {
        files::is_valid_name(base_name)
    }

    fn layout(&self) -> Layout {
        Layout {
            is_before_2025_09: false,
            format: "2025-09",
            is_guessed: false,
            settings: SETTINGS,
            data: "data",
            secret: "data/secret",
            invalid_answers: "data/invalid_answer",
            statements: "statement",
            submissions: "submissions",
            accepted: "submissions/accepted",
            input_validators: "input_validators",
            answer_validators: "answer_validators",
            made_later: &["data", "statement"],
            takes_cases: true,
            time_limit: SETTINGS,
            no_time_limit: "problem.yaml has no limits.time_limit",
            change_time_limit: "change limits.time_limit or limits.time_multipliers, \
                 or set use_for_time_limit: false in submissions.yaml",
            allow_file_writing: "add `allow_file_writing: true` to problem.yaml",
        }
    }

    fn statements(&self, tree: &PackageFiles) -> Vec<Statement> {
        STATEMENTS.files(tree)
    }

    fn read(&self, tree: &PackageFiles) -> Option<Draft> {
        let statements = STATEMENTS.check_languages(tree, true);
        let yaml = problem_yaml::read(tree, RENAMED, |map| read_keys(map, &statements));
        let has_settings = yaml.is_some();
        let unknown = || ProblemYaml { problem_type: ProblemType::Unknown, ..Default::default() };
        let yaml = yaml.unwrap_or_else(unknown);
        let pack = PackageReader::new(tree, &yaml, &RULES);
        let problem = Problem {
            output_validators: pack.read_output_validator().into_iter().collect(),
            static_validator: pack.read_static_validator(),
            input_visualizer: pack.read_visualizer("input_visualizer", "the input visualizer"),
            output_visualizer: pack.read_visualizer("output_visualizer", "the output visualizer"),
            ..pack.build_problem(self.layout(), data::read(&pack))
        };
        SOLUTIONS.check_languages(tree, false);
        statement::check_samples(tree, data::count_samples(tree));
        statement::check_attachments(tree);
        top_entries::check_entries(tree);
        domjudge::check_time_limit(tree, yaml.limits.time_limit);
        Some(Draft { has_settings, file_writing: yaml.file_writing, problem })
    }
}

/// Renamed keys that only inform people.
const FOR_PEOPLE: [&str; 2] = ["author", "source_url"];

fn read_keys(map: Map<'_>, statements: &[String]) -> ProblemYaml {
    let mut map = map.with_keys_for_people(&FOR_PEOPLE);
    let mut yaml = ProblemYaml::default();
    check_version(&mut map);
    map.set("type", &mut yaml.problem_type, problem_type::read);
    yaml.names = problem_yaml::read_names(&mut map, statements);
    problem_yaml::check_uuid(&mut map);
    map.get("version", text);
    credits::check(&mut map);
    map.get("embargo_until", problem_yaml::check_moment);
    map.get("keywords", texts);
    map.set("limits", &mut yaml.limits, |node| limits::read(node, &yaml.problem_type));
    map.set("languages", &mut yaml.languages, problem_yaml::read_languages);
    let file_writing = map.try_get("allow_file_writing", boolean);
    yaml.file_writing = file_writing.ok().map(Option::unwrap_or_default);
    map.set("constants", &mut yaml.constants, constants::read);
    yaml
}

fn check_version(map: &mut Map<'_>) {
    let help = "write `problem_format_version: 2025-09`";
    let Some(node) = map.node("problem_format_version") else {
        map.node.at_file().error("has no `problem_format_version`", help);
        return;
    };
    if let Ok(version) = text(&node)
        && !["2025-09", "2025-09-draft"].contains(&&*version)
    {
        let message = format!("`{}` is not a version of the format", excerpt(&version));
        node.error(message, "versions are 2025-09, 2023-07, legacy and legacy-icpc");
    }
}

#[cfg(test)]
pub(super) mod tests;
