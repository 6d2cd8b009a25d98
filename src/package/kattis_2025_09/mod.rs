//! The Kattis problem package format, version 2025-09. Each file reads one part of a package.

mod case_files;
mod constants;
mod credits;
mod data;
mod limits;
mod output_validator;
mod part;
mod problem_type;
mod problem_yaml;
mod programs;
mod scoring;
mod statement;
mod static_validation;
mod submissions;
mod submissions_yaml;
mod test_yaml;
#[cfg(test)]
mod tests;
mod top;

use std::path::Path;

use crate::model::layout::Layout;
use crate::model::problem::Problem;
use crate::package::Format;
use crate::package::draft::Draft;
use crate::package::faults::Faults;
use crate::package::files::Files;
use crate::package::kattis_2025_09::problem_type::ProblemType;
use crate::package::kattis_2025_09::problem_yaml::{ProblemYaml, Read};
use crate::package::recipe;
use crate::package::text::shown;

/// The format.
pub(super) struct Kattis202509;

const SETTINGS: &str = "problem.yaml";

impl Format for Kattis202509 {
    fn sign(&self) -> &'static str {
        "a file problem.yaml"
    }

    fn detect(&self, dir: &Path) -> Option<String> {
        let path = dir.join(SETTINGS);
        if !path.is_file() {
            return None;
        }
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut lines = text.lines();
        let version = lines.find_map(|line| line.strip_prefix("problem_format_version:"));
        Some(match version {
            Some(version) => {
                format!("{SETTINGS} says `problem_format_version: {}`", shown(version.trim()))
            }
            None => format!("there is a {SETTINGS}"),
        })
    }

    fn layout(&self) -> Layout {
        Layout {
            format: "2025-09",
            settings: SETTINGS,
            data: "data",
            secret: "data/secret",
            invalid_answers: "data/invalid_answer",
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

    fn read(&self, tree: &Files) -> Option<Draft> {
        let statements = statement::languages(tree);
        let yaml = match problem_yaml::read(tree, &statements) {
            Read::OtherVersion => {
                tree.faults.retain(&tree.path(SETTINGS));
                return None;
            }
            Read::Broken => None,
            Read::Problem(yaml) => Some(*yaml),
        };
        let draft = draft(tree, self.layout(), yaml);
        top::check_entries(tree);
        Some(draft)
    }
}

/// A package while it is read: what is there, what its settings say, and where its faults go.
struct Pack<'a> {
    tree: &'a Files,
    faults: &'a Faults,
    yaml: &'a ProblemYaml,
}

impl Pack<'_> {
    /// Whether it has an output validator of its own, which takes the arguments that it likes.
    fn has_output_validator(&self) -> bool {
        self.tree.directory("output_validator").is_some()
    }
}

fn draft(tree: &Files, layout: Layout, yaml: Option<ProblemYaml>) -> Draft {
    let has_settings = yaml.is_some();
    let yaml = yaml
        .unwrap_or(ProblemYaml { problem_type: ProblemType::Unknown, ..ProblemYaml::default() });
    let pack = Pack { tree, faults: &tree.faults, yaml: &yaml };
    let validators = programs::input_validators(&pack);
    let include = programs::included(&pack);
    let test_data = data::read(&pack);
    let problem = Problem {
        layout,
        kind: yaml.problem_type.kind(&yaml.limits),
        submissions: submissions::read(&pack, &include, &test_data),
        test_data,
        include,
        input_validators: validators.programs,
        input_grammars: validators.grammars,
        answer_validators: programs::answer_validators(&pack),
        output_validators: output_validator::read(&pack).into_iter().collect(),
        static_validator: output_validator::read_static(&pack),
        recipe: tree.file(recipe::PATH).map(|item| item.path.clone()),
        names: yaml.names,
        limits: yaml.limits,
        languages: yaml.languages,
        constants: yaml.constants,
        ..Problem::default()
    };
    statement::check_solutions(tree);
    statement::check_attachments(tree);
    Draft { has_settings, file_writing: yaml.file_writing, problem }
}
