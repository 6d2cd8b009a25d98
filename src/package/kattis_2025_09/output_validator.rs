//! `output_validator/` and `static_validator/`: each has one program.
//!
//! Source: problem package format 2025-09, "Programs", "Output validator", "Static validator".

use crate::model::program::{Program, ProgramKind};
use crate::package::files::Item;
use crate::package::kattis_2025_09::{Pack, programs};

/// Reads the program; `None` where the format's default output validator is meant, or where there
/// is a fault.
pub(super) fn read(pack: &Pack<'_>) -> Option<Program> {
    let types = ["interactive", "multi-pass"];
    if !pack.has_output_validator()
        && let Some(word) = types.iter().find(|word| pack.yaml.problem_type.includes(word))
    {
        let message = format!("is missing: problems of the type {word} need one of their own");
        let help = "add the program that takes part, as output_validator/validate.cpp or so";
        pack.faults.error(pack.tree.path("output_validator"), message, help);
    }
    let place = ProgramPlace {
        directory: "output_validator",
        what: "the output validator",
        without: "then the format's default output validator decides",
        kind: ProgramKind::OutputValidator,
    };
    place.read(pack)
}

/// Reads the program in `static_validator/`, if there is one.
pub(super) fn read_static(pack: &Pack<'_>) -> Option<Program> {
    let place = ProgramPlace {
        directory: "static_validator",
        what: "the static validator",
        without: "then nothing looks at a submission's files",
        kind: ProgramKind::StaticValidator,
    };
    place.read(pack)
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
    fn read(&self, pack: &Pack<'_>) -> Option<Program> {
        let directory = pack.tree.directory(self.directory)?;
        let item = self.find(pack, directory)?;
        programs::check_validator(pack, item);
        Some(programs::program(pack, item, self.kind))
    }

    /// The file or directory that is the program.
    fn find<'t>(&self, pack: &Pack<'t>, directory: &'t Item) -> Option<&'t Item> {
        let inside = || pack.tree.children(self.directory);
        let children: Vec<&Item> = inside().filter(|item| !programs::is_no_program(item)).collect();
        let has_file = children.iter().any(|item| item.is_file());
        let has_header = inside().any(programs::is_header);
        match &children[..] {
            [] => {
                let help = format!("add {}, or remove the directory: {}", self.what, self.without);
                pack.faults.error(directory, "has no program in it", help);
                None
            }
            [one] if one.is_directory() || !(has_header || is_script(one)) => Some(one),
            _ if !has_file => {
                let message = format!("has {} programs in it", children.len());
                let help = format!("{} is exactly one program; keep one directory", self.what);
                pack.faults.error(directory, message, help);
                None
            }
            // One program of several files.
            _ => Some(directory),
        }
    }
}

/// Whether a file makes the directory that it is in a program.
fn is_script(item: &Item) -> bool {
    matches!(item.base_name(), "build" | "run")
}
