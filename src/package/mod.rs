//! Reads a problem package from disk and says everything that is wrong with it.
//!
//! The format is the Kattis problem package format, version 2025-09. Nothing is ever written, and
//! no link is followed out of the package. Each file here reads one part of a package.

mod case_files;
mod consistency;
mod constants;
mod credits;
mod data;
mod files;
mod juror_toml;
mod keys;
mod languages;
mod limits;
mod output_validator;
mod problem_type;
mod problem_yaml;
mod programs;
pub mod recipe;
mod statement;
mod submissions;
mod submissions_yaml;
mod suggest;
mod test_yaml;
mod text;
mod top;
mod yaml;
mod yaml_text;

#[cfg(test)]
mod tests;

use std::path::Path;

use crate::model::diagnostic::Diagnostic;
use crate::model::problem::Problem;
use crate::package::files::Tree;
use crate::package::juror_toml::FileWriting;
use crate::package::problem_type::ProblemType;
use crate::package::problem_yaml::{ProblemYaml, Read};

/// What reading a package came to.
#[derive(Debug)]
pub struct Reading {
    /// The problem, as far as it could be understood; `None` if there is no package in this format
    /// or its `problem.yaml` is no YAML. With errors among the diagnostics, parts may be missing.
    pub problem: Option<Problem>,
    /// Everything that is wrong, by path and line.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the package in a directory.
pub fn read(dir: &Path) -> Reading {
    let mut diagnostics = Vec::new();
    let problem = match top::check(dir) {
        Ok(()) => read_package(dir, &mut diagnostics),
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            None
        }
    };
    diagnostics.sort_by_key(order);
    Reading {
        problem,
        diagnostics,
    }
}

/// Path, line, column, and errors before warnings.
fn order(diagnostic: &Diagnostic) -> impl Ord + use<> {
    let spot = diagnostic.place.spot.as_ref();
    let spot = spot.map(|spot| [spot.line, spot.column]);
    (diagnostic.place.path.clone(), spot)
}

fn read_package(dir: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<Problem> {
    let tree = Tree::read(dir, diagnostics);
    let statements = statement::languages(&tree, diagnostics);
    let yaml = match problem_yaml::read(&tree, &statements, diagnostics) {
        Read::OtherVersion => {
            diagnostics.retain(|diagnostic| diagnostic.place.path == tree.path("problem.yaml"));
            return None;
        }
        Read::Broken => None,
        Read::Problem(yaml) => Some(*yaml),
    };
    let problem = read_rest(&tree, yaml, diagnostics);
    top::check_entries(&tree, diagnostics);
    problem
}

fn read_rest(
    tree: &Tree,
    yaml: Option<ProblemYaml>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Problem> {
    let constants = yaml.as_ref().map_or(&[][..], |yaml| &yaml.constants);
    let languages = yaml.as_ref().and_then(|yaml| yaml.languages.as_deref());
    let writing = yaml
        .as_ref()
        .map_or(FileWriting::Unknown, |yaml| yaml.file_writing);
    let problem_type = yaml
        .as_ref()
        .map_or(&ProblemType::Unknown, |yaml| &yaml.problem_type);
    let io = juror_toml::read(tree, writing, diagnostics);
    let validators = programs::input_validators(tree, constants, diagnostics);
    let output_validator = output_validator::read(tree, problem_type, constants, diagnostics);
    let answer_validators = programs::answer_validators(tree, constants, diagnostics);
    let include = programs::included(tree, languages, diagnostics);
    let recipe = tree
        .file("generators/generators.yaml")
        .map(|item| item.path.clone());
    let around = data::Surroundings {
        tree,
        problem_type,
        constants,
        validators: &validators.names,
        has_recipe: recipe.is_some(),
    };
    let test_data = data::read(&around, diagnostics);
    programs::check_collisions(tree, &validators, &test_data.cases, diagnostics);
    let around = submissions::Surroundings {
        tree,
        problem_type,
        constants,
        include: &include,
        test_data: &test_data,
    };
    let submissions = submissions::read(&around, diagnostics);
    consistency::check(tree, &submissions, &test_data, diagnostics);
    statement::check_solutions(tree, diagnostics);
    statement::check_attachments(tree, diagnostics);
    let yaml = yaml?;
    Some(Problem {
        dir: tree.root.clone(),
        short_name: top::short_name(&tree.root),
        kind: yaml.problem_type.kind(&yaml.limits),
        metadata: yaml.metadata,
        limits: yaml.limits,
        languages: yaml.languages,
        allow_file_writing: yaml.file_writing == FileWriting::Allowed,
        constants: yaml.constants,
        io,
        test_data,
        include,
        input_validators: validators.programs,
        output_validator,
        answer_validators,
        submissions,
        recipe,
    })
}
