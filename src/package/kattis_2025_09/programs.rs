//! Input validators, included files, and other programs of a package.
//!
//! Source: problem package format 2025-09, "Programs", "Input validators", "Included files".

use crate::model::problem::InputGrammar;
use crate::model::program::{IncludedFile, Program, ProgramKind};
use crate::package::files::{Files, Item};
use crate::package::kattis_2025_09::Pack;
use crate::package::languages;
use crate::package::suggest::meant_or;

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
pub(super) fn program(pack: &Pack<'_>, item: &Item, kind: ProgramKind) -> Program {
    Program {
        name: item.base_name().to_owned(),
        path: item.path.clone(),
        kind,
        language: None,
        entry_point: None,
        include: Vec::new(),
        constants: pack.yaml.constants.clone(),
    }
}

/// The input validators that juror can run.
#[derive(Default)]
pub(super) struct InputValidators {
    pub programs: Vec<Program>,
    pub grammars: Vec<InputGrammar>,
}

/// The names of all input validators.
pub(super) fn input_validator_names(tree: &Files) -> Vec<&str> {
    let validators = tree.children("input_validators").filter(|item| !is_no_program(item));
    validators.map(Item::base_name).collect()
}

/// Reads `input_validators/`.
pub(super) fn input_validators(pack: &Pack<'_>) -> InputValidators {
    let Pack { tree, faults, .. } = *pack;
    let mut validators = InputValidators::default();
    let has_portable = tree
        .children("input_validators")
        .any(|item| item.is_file() && languages::is_of_validator(ending_of(item)));
    for item in tree.children("input_validators") {
        let name = item.base_name();
        let ending = ending_of(item);
        if item.is_file() && ending == "ctd" {
            let grammar = InputGrammar { name: name.to_owned(), path: item.path.clone() };
            validators.grammars.push(grammar);
        } else if item.is_file() && ending == "viva" {
            let message = "is a VIVA file, which juror cannot run yet: it checks nothing";
            let help = "write it as a checktestdata file (.ctd), which juror runs";
            faults.warning(item, message, help);
        } else if is_no_program(item) {
            if !name.starts_with("README") && ending != "md" && ending != "txt" {
                let help = "a validator of several files stands in a directory of its own";
                faults.warning(item, "is ignored: it is no program", help);
            }
        } else {
            // A Rust file is our addition; beside one that every tool can run it harms nobody.
            if !(ending == "rs" && has_portable) {
                check_validator(pack, item);
            }
            validators.programs.push(program(pack, item, ProgramKind::InputValidator));
        }
    }
    if input_validator_names(tree).is_empty() {
        let message = match tree.directory("input_validators") {
            Some(_) => "has no input validator",
            None => "is missing: a package needs an input validator",
        };
        let help = "add a grammar of the input (.ctd), or a program that reads it and exits with 42 if it is valid";
        faults.lack(tree.path("input_validators"), message, help);
    }
    validators
}

/// Reads `answer_validators/`, which the format does not have; other tools do.
pub(super) fn answer_validators(pack: &Pack<'_>) -> Vec<Program> {
    let mut programs = Vec::new();
    for item in pack.tree.children("answer_validators").filter(|item| !is_no_program(item)) {
        if matches!(ending_of(item), "ctd" | "viva") {
            pack.faults.warning(item, "is no program: it checks nothing", "");
            continue;
        }
        check_validator(pack, item);
        programs.push(program(pack, item, ProgramKind::AnswerValidator));
    }
    programs
}

fn ending_of(item: &Item) -> &str {
    let name = item.base_name();
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Doubts validators that other judges would not run.
pub(super) fn check_validator(pack: &Pack<'_>, item: &Item) {
    let Pack { tree, faults, .. } = *pack;
    let is_allowed = |item: &Item| languages::is_of_validator(ending_of(item));
    if item.is_file() {
        if !is_allowed(item) {
            let message = "is neither Python 3 nor C nor C++: the format allows no other language for validators";
            let help = "put it into a directory with a `build` script that makes `run`";
            faults.warning(item, message, help);
        }
        return;
    }
    let children: Vec<&Item> = tree.children(&item.name).filter(|item| item.is_file()).collect();
    let has_script = children.iter().any(|item| matches!(item.base_name(), "build" | "run"));
    if children.is_empty() {
        faults.error(item, "is a validator without files", "fill it or remove it");
    } else if !has_script && !children.iter().any(|item| is_allowed(item)) {
        let message = "has neither `build` nor `run`, and no Python 3, C or C++ file";
        faults.warning(item, message, "add a `build` script that makes `run`");
    }
}

/// Reads `include/`.
pub(super) fn included(pack: &Pack<'_>) -> Vec<IncludedFile> {
    let Pack { tree, faults, .. } = *pack;
    let mut included = Vec::new();
    for directory in tree.children("include") {
        let name = directory.base_name();
        if directory.is_file() {
            if !name.starts_with("README") {
                let message = "is ignored: included files stand in include/default or in a language's directory";
                faults.warning(directory, message, "move it to include/default");
            }
            continue;
        }
        let language = (name != "default").then(|| name.to_owned());
        if let Some(language) = &language {
            check_language(pack, directory, language);
        }
        let files = tree.below(&directory.name).iter().filter(|item| item.is_file());
        let before = included.len();
        included.extend(files.map(|item| IncludedFile {
            language: language.clone(),
            name: item.name[directory.name.len() + 1..].into(),
            path: item.path.clone(),
        }));
        if included.len() == before {
            faults.error(directory, "is empty", "fill it or remove it");
        }
    }
    included
}

fn check_language(pack: &Pack<'_>, directory: &Item, language: &str) {
    let allowed = pack.yaml.languages.as_ref();
    if !languages::is_programming_language(language) {
        let help = meant_or(language, ["default"], languages::help_for(language));
        pack.faults.error(directory, format!("`{language}` is no language code"), help);
    } else if allowed.is_some_and(|allowed| !allowed.iter().any(|it| it == language)) {
        let message = format!(
            "submissions may not be in `{language}`: `languages` of problem.yaml does not list it"
        );
        pack.faults.error(directory, message, "add it to `languages`, or remove the directory");
    }
}
