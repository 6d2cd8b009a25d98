//! The Kattis problem package format, version 2025-09. Each file reads one part of a package.

mod data;
mod scoring;
mod static_validation;
mod test_yaml;
mod top;

use std::path::Path;

use crate::model::layout::Layout;
use crate::model::verdict::Verdict::{
    Accepted as AC, RunTimeError as RTE, TimeLimitExceeded as TLE, WrongAnswer as WA,
};
use crate::package::Format;
use crate::package::draft::Draft;
use crate::package::files::Files;
use crate::package::kattis::problem_type::ProblemType;
use crate::package::kattis::problem_yaml::{self, ProblemYaml, Read};
use crate::package::kattis::submissions::{Folder, folder};
use crate::package::kattis::{Pack, SETTINGS, Version, statement};
use crate::package::text::shown;

/// The format.
pub(in crate::package) struct Kattis202509;

const VERSION: Version = Version {
    input_validators: &["input_validators"],
    output_validator: "output_validator",
    any_validator_language: false,
    submissions: &FOLDERS,
};

const FOLDERS: [Folder; 6] = [
    folder("accepted", Some(&[AC]), None),
    folder("rejected", None, Some(&[RTE, TLE, WA])),
    folder("wrong_answer", Some(&[AC, WA]), Some(&[WA])),
    folder("time_limit_exceeded", Some(&[AC, TLE]), Some(&[TLE])),
    folder("run_time_error", Some(&[AC, RTE]), Some(&[RTE])),
    folder("brute_force", Some(&[AC, RTE, TLE]), Some(&[RTE, TLE])),
];

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
        let has_settings = yaml.is_some();
        let unknown = ProblemYaml { problem_type: ProblemType::Unknown, ..ProblemYaml::default() };
        let yaml = yaml.unwrap_or(unknown);
        let pack = Pack::new(tree, &yaml, &VERSION);
        let problem = pack.problem(self.layout(), data::read(&pack));
        statement::check_solutions(tree);
        statement::check_attachments(tree);
        top::check_entries(tree);
        Some(Draft { has_settings, file_writing: yaml.file_writing, problem })
    }
}

#[cfg(test)]
mod tests;
