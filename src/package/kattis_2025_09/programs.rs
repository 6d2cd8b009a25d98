//! Input validators, included files, and other programs of a package.
//!
//! Source: problem package format 2025-09, "Programs", "Input validators", "Included files".

use crate::model::diagnostic::Diagnostic;
use crate::model::problem::InputGrammar;
use crate::model::program::{Constant, IncludedFile, Program, ProgramKind};
use crate::package::files::{Item, Tree};
use crate::package::languages;
use crate::package::suggest::nearest;

/// Endings of files that are no programs, wherever programs are expected.
const NO_PROGRAM_ENDINGS: [&str; 12] =
    ["md", "txt", "h", "hpp", "o", "class", "pyc", "exe", "in", "ans", "pdf", "log"];

/// Whether a file is one that a C or C++ source may include.
pub(super) fn is_header(item: &Item) -> bool {
    item.is_file() && matches!(ending_of(item), "h" | "hpp")
}

/// Whether a file or directory among programs is plainly none.
pub(super) fn is_no_program(item: &Item) -> bool {
    let name = item.base_name();
    match item.is_directory() {
        true => name == "__pycache__",
        false => {
            let ending = name.rsplit_once('.').map(|(_, ending)| ending);
            name.starts_with("README")
                || ending.is_some_and(|ending| NO_PROGRAM_ENDINGS.contains(&ending))
        }
    }
}

/// A program without anything around it.
pub(super) fn program(item: &Item, kind: ProgramKind, constants: &[Constant]) -> Program {
    Program {
        name: item.base_name().to_owned(),
        path: item.path.clone(),
        kind,
        language: None,
        entry_point: None,
        include: Vec::new(),
        constants: constants.to_vec(),
    }
}

/// The input validators that juror can run, and the names of all.
pub(super) struct InputValidators {
    pub programs: Vec<Program>,
    pub grammars: Vec<InputGrammar>,
    pub names: Vec<String>,
}

/// Reads `input_validators/`.
pub(super) fn input_validators(
    tree: &Tree,
    constants: &[Constant],
    diagnostics: &mut Vec<Diagnostic>,
) -> InputValidators {
    let mut validators =
        InputValidators { programs: Vec::new(), grammars: Vec::new(), names: Vec::new() };
    let has_portable = tree
        .children("input_validators")
        .any(|item| item.is_file() && languages::is_of_validator(ending_of(item)));
    for item in tree.children("input_validators") {
        let name = item.base_name();
        let ending = ending_of(item);
        if item.is_file() && ending == "ctd" {
            validators.names.push(name.to_owned());
            validators
                .grammars
                .push(InputGrammar { name: name.to_owned(), path: item.path.clone() });
        } else if item.is_file() && ending == "viva" {
            let message = "is a VIVA file, which juror cannot run yet: it checks nothing";
            let help = "write it as a checktestdata file (.ctd), which juror runs";
            diagnostics.push(Diagnostic::warning(&item.path, message).help(help));
            validators.names.push(name.to_owned());
        } else if is_no_program(item) {
            if !name.starts_with("README") && ending != "md" && ending != "txt" {
                let message = "is ignored: it is no program";
                let help = "a validator of several files stands in a directory of its own";
                diagnostics.push(Diagnostic::warning(&item.path, message).help(help));
            }
        } else {
            // A Rust file is our addition; beside one that every tool can run it harms nobody.
            if !(ending == "rs" && has_portable) {
                check_validator(tree, item, diagnostics);
            }
            validators.names.push(name.to_owned());
            validators.programs.push(program(item, ProgramKind::InputValidator, constants));
        }
    }
    if validators.names.is_empty() {
        let message = match tree.directory("input_validators") {
            Some(_) => "has no input validator",
            None => "is missing: a package needs an input validator",
        };
        let help = "add a grammar of the input (.ctd), or a program that reads it and exits with 42 if it is valid";
        diagnostics.push(Diagnostic::error(tree.path("input_validators"), message).help(help));
    }
    validators
}

/// Reads `answer_validators/`, which the format does not have; other tools do.
pub(super) fn answer_validators(
    tree: &Tree,
    constants: &[Constant],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Program> {
    let mut programs = Vec::new();
    for item in tree.children("answer_validators") {
        if is_no_program(item) {
            continue;
        }
        if matches!(ending_of(item), "ctd" | "viva") {
            let message = "is no program: it checks nothing";
            diagnostics.push(Diagnostic::warning(&item.path, message));
            continue;
        }
        check_validator(tree, item, diagnostics);
        programs.push(program(item, ProgramKind::AnswerValidator, constants));
    }
    programs
}

fn ending_of(item: &Item) -> &str {
    let name = item.base_name();
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Doubts validators that other judges would not run.
pub(super) fn check_validator(tree: &Tree, item: &Item, diagnostics: &mut Vec<Diagnostic>) {
    let is_allowed = |item: &Item| languages::is_of_validator(ending_of(item));
    if item.is_file() {
        if !is_allowed(item) {
            let message = "is neither Python 3 nor C nor C++: the format allows no other language for validators";
            let help = "put it into a directory with a `build` script that makes `run`";
            diagnostics.push(Diagnostic::warning(&item.path, message).help(help));
        }
        return;
    }
    let mut children = tree.children(&item.name).filter(|item| item.is_file()).peekable();
    if children.peek().is_none() {
        diagnostics.push(
            Diagnostic::error(&item.path, "is a validator without files")
                .help("fill it or remove it"),
        );
        return;
    }
    let children: Vec<&Item> = children.collect();
    let has_script = children.iter().any(|item| matches!(item.base_name(), "build" | "run"));
    if !has_script && !children.iter().any(|item| is_allowed(item)) {
        let message = "has neither `build` nor `run`, and no Python 3, C or C++ file";
        let help = "add a `build` script that makes `run`";
        diagnostics.push(Diagnostic::warning(&item.path, message).help(help));
    }
}

/// Reads `include/`.
pub(super) fn included(
    tree: &Tree,
    languages: Option<&[String]>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<IncludedFile> {
    let mut included = Vec::new();
    for directory in tree.children("include") {
        let name = directory.base_name();
        if directory.is_file() {
            if !name.starts_with("README") {
                let message = "is ignored: included files stand in include/default or in a language's directory";
                diagnostics.push(
                    Diagnostic::warning(&directory.path, message)
                        .help("move it to include/default"),
                );
            }
            continue;
        }
        let language = (name != "default").then(|| name.to_owned());
        if let Some(language) = &language {
            diagnostics.extend(check_language(directory, language, languages));
        }
        let files = tree.below(&directory.name).iter().filter(|item| item.is_file());
        let before = included.len();
        included.extend(files.map(|item| IncludedFile {
            language: language.clone(),
            name: item.name[directory.name.len() + 1..].into(),
            path: item.path.clone(),
        }));
        if included.len() == before {
            diagnostics
                .push(Diagnostic::error(&directory.path, "is empty").help("fill it or remove it"));
        }
    }
    included
}

fn check_language(
    directory: &Item,
    language: &str,
    allowed: Option<&[String]>,
) -> Option<Diagnostic> {
    if !languages::is_programming_language(language) {
        let message = format!("`{language}` is no language code");
        let help = match nearest(language, ["default"]) {
            Some(known) => format!("did you mean `{known}`?"),
            None => languages::help_for(language),
        };
        return Some(Diagnostic::error(&directory.path, message).help(help));
    }
    let allowed = allowed?;
    if allowed.iter().any(|allowed| allowed == language) {
        return None;
    }
    let message = format!(
        "submissions may not be in `{language}`: `languages` of problem.yaml does not list it"
    );
    Some(
        Diagnostic::error(&directory.path, message)
            .help("add it to `languages`, or remove the directory"),
    )
}
