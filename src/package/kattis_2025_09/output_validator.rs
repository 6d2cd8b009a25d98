//! `output_validator/` and `static_validator/`: each has one program.
//!
//! Source: problem package format 2025-09, "Programs", "Output validator", "Static validator".

use crate::model::diagnostic::Diagnostic;
use crate::model::program::{Constant, Program, ProgramKind};
use crate::package::files::{Item, Tree};
use crate::package::kattis_2025_09::problem_type::ProblemType;
use crate::package::kattis_2025_09::programs;

/// Reads the program; `None` where the format's default output validator is meant, or where there
/// is a fault.
pub(super) fn read(
    tree: &Tree,
    problem_type: &ProblemType,
    constants: &[Constant],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let name = "output_validator";
    let types = ["interactive", "multi-pass"];
    if tree.directory(name).is_none()
        && let Some(word) = types.iter().find(|word| problem_type.includes(word))
    {
        let message = format!("is missing: problems of the type {word} need one of their own");
        let help = "add the program that takes part, as output_validator/validate.cpp or so";
        diagnostics.push(Diagnostic::error(tree.path(name), message).help(help));
    }
    let place = ProgramPlace {
        directory: name,
        what: "the output validator",
        without: "then the format's default output validator decides",
        kind: ProgramKind::OutputValidator,
    };
    place.read(tree, constants, diagnostics)
}

/// Reads the program in `static_validator/`, if there is one.
pub(super) fn read_static(
    tree: &Tree,
    constants: &[Constant],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let place = ProgramPlace {
        directory: "static_validator",
        what: "the static validator",
        without: "then nothing looks at a submission's files",
        kind: ProgramKind::StaticValidator,
    };
    place.read(tree, constants, diagnostics)
}

/// A directory for one program.
struct ProgramPlace {
    directory: &'static str,
    what: &'static str,
    /// What is so without the directory.
    without: &'static str,
    kind: ProgramKind,
}

impl ProgramPlace {
    fn read(
        &self,
        tree: &Tree,
        constants: &[Constant],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Program> {
        let directory = tree.directory(self.directory)?;
        let item = match self.find(tree, directory) {
            Ok(item) => item,
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                return None;
            }
        };
        programs::check_validator(tree, item, diagnostics);
        Some(programs::program(item, self.kind, constants))
    }

    /// The file or directory that is the program.
    fn find<'t>(&self, tree: &'t Tree, directory: &'t Item) -> Result<&'t Item, Diagnostic> {
        let inside = || tree.children(self.directory);
        let children: Vec<&Item> = inside().filter(|item| !programs::is_no_program(item)).collect();
        let has_file = children.iter().any(|item| item.is_file());
        let has_header = inside().any(programs::is_header);
        match &children[..] {
            [] => {
                let help = format!("add {}, or remove the directory: {}", self.what, self.without);
                Err(Diagnostic::error(&directory.path, "has no program in it").help(help))
            }
            [one] if one.is_directory() || !(has_header || is_script(one)) => Ok(one),
            _ if !has_file => {
                let message = format!("has {} programs in it", children.len());
                let help = format!("{} is exactly one program; keep one directory", self.what);
                Err(Diagnostic::error(&directory.path, message).help(help))
            }
            // One program of several files.
            _ => Ok(directory),
        }
    }
}

/// Whether a file makes the directory that it is in a program.
fn is_script(item: &Item) -> bool {
    matches!(item.base_name(), "build" | "run")
}
