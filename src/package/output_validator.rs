//! `output_validator/`: the one program that says whether an output is right.
//!
//! Source: problem package format 2025-09, "Programs", "Output validator".

use crate::model::diagnostic::Diagnostic;
use crate::model::program::{Constant, Program, ProgramKind};
use crate::package::files::{Item, Tree};
use crate::package::problem_type::ProblemType;
use crate::package::programs;

const DIRECTORY: &str = "output_validator";

/// Reads the program; `None` where the format's default output validator is meant, or where there
/// is a fault.
pub(super) fn read(
    tree: &Tree,
    problem_type: &ProblemType,
    constants: &[Constant],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let Some(directory) = tree.directory(DIRECTORY) else {
        let types = ["interactive", "multi-pass"];
        if let Some(word) = types.iter().find(|word| problem_type.includes(word)) {
            let message = format!("is missing: problems of the type {word} need one of their own");
            let help = "add the program that takes part, as output_validator/validate.cpp or so";
            diagnostics.push(Diagnostic::error(tree.path(DIRECTORY), message).help(help));
        }
        return None;
    };
    let children: Vec<&Item> = tree
        .children(DIRECTORY)
        .filter(|item| !programs::is_no_program(item))
        .collect();
    let has_file = children.iter().any(|item| item.is_file());
    let has_header = tree.children(DIRECTORY).any(programs::is_header);
    let item = match &children[..] {
        [] => {
            let message = "has no program in it";
            let help = "add the output validator, or remove the directory: \
                        then the format's default output validator decides";
            diagnostics.push(Diagnostic::error(&directory.path, message).help(help));
            return None;
        }
        [one] if one.is_directory() || !(has_header || is_script(one)) => one,
        _ if !has_file => {
            let message = format!("has {} programs in it", children.len());
            let help = "there is exactly one output validator; keep one directory";
            diagnostics.push(Diagnostic::error(&directory.path, message).help(help));
            return None;
        }
        // One program of several files.
        _ => directory,
    };
    programs::check_validator(tree, item, diagnostics);
    Some(programs::program(
        item,
        ProgramKind::OutputValidator,
        constants,
    ))
}

/// Whether a file makes the directory that it is in a program.
fn is_script(item: &Item) -> bool {
    matches!(item.base_name(), "build" | "run")
}
