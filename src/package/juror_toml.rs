//! `juror.toml`: what the format cannot say, such as the names of input and output files.

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::model::diagnostic::Diagnostic;
use crate::model::problem::{Dialogue, ProgramIo};
use crate::package::draft::{Draft, FileWriting};
use crate::package::files::{Tree, is_valid_name};
use crate::package::suggest::{list, nearest};
use crate::package::text::{Remarks, TextFile, shown};

/// The file.
pub(super) const NAME: &str = "juror.toml";

const TABLES: [&str; 1] = ["io"];
const IO_KEYS: [&str; 2] = ["input", "output"];

/// Reads `juror.toml` if it is there.
pub(super) fn read(tree: &Tree, draft: &Draft, diagnostics: &mut Vec<Diagnostic>) -> ProgramIo {
    let io = read_file(tree, draft, diagnostics);
    if draft.problem.kind.dialogue == Dialogue::Interactive && io != ProgramIo::Standard {
        diagnostics.push(talks(tree));
    }
    io
}

fn read_file(tree: &Tree, draft: &Draft, diagnostics: &mut Vec<Diagnostic>) -> ProgramIo {
    let Some(item) = tree.file(NAME) else {
        return ProgramIo::Standard;
    };
    let Some(file) = TextFile::read(&item.path, diagnostics) else {
        return ProgramIo::Standard;
    };
    let mut remarks = Remarks::new(&file, diagnostics);
    let (table, errors) = DeTable::parse_recoverable(&file.text);
    for error in &errors {
        let range = file.range(error.span().unwrap_or(0..0));
        let message = format!("is no valid TOML: {}", error.message());
        remarks.error(range, message, None);
    }
    if !errors.is_empty() {
        return ProgramIo::Standard;
    }
    let mut io = ProgramIo::Standard;
    for (key, value) in table.get_ref() {
        if key.get_ref() != "io" {
            unknown_key(key, "", &TABLES, &mut remarks);
        } else if let DeValue::Table(table) = value.get_ref() {
            io = read_io(key, table, draft, &mut remarks);
        } else {
            let range = file.range(value.span());
            remarks.error(range, "`io` must be a table", Some("write `[io]` on a line of its own"));
        }
    }
    io
}

fn read_io(
    io: &Spanned<DeString<'_>>,
    table: &DeTable<'_>,
    draft: &Draft,
    remarks: &mut Remarks<'_>,
) -> ProgramIo {
    for (key, _) in table {
        if !IO_KEYS.contains(&key.get_ref().as_ref()) {
            unknown_key(key, " in `[io]`", &IO_KEYS, remarks);
        }
    }
    let given = IO_KEYS.map(|key| table.get(key));
    let [input, output] = given.map(|value| value.and_then(|value| file_name(value, remarks)));
    match given {
        [Some(_), Some(_)] => {}
        [None, None] => {
            let help = "add `input = \"...\"` and `output = \"...\"`, or remove `[io]`";
            remarks.error(remarks.file.range(io.span()), "`[io]` names no files", Some(help));
        }
        [Some(only), None] | [None, Some(only)] => {
            let missing = if given[0].is_some() { "output" } else { "input" };
            let message = format!("`[io]` has no `{missing}`");
            let help = "name both files, or neither for standard input and output";
            remarks.error(remarks.file.range(only.span()), message, Some(help));
        }
    }
    let (Some(input), Some(output)) = (input, output) else {
        return ProgramIo::Standard;
    };
    if let Some(node) = given[1] {
        let range = remarks.file.range(node.span());
        if input == output {
            remarks.error(
                range,
                "input and output are the same file",
                Some("name two different files"),
            );
        }
        if draft.file_writing == FileWriting::Forbidden {
            let layout = &draft.problem.layout;
            let message = format!(
                "programs may not write `{output}`: {} does not allow file writing",
                layout.settings
            );
            remarks.error(range, message, Some(layout.allow_file_writing));
        }
    }
    ProgramIo::Files { input, output }
}

/// Files have no meaning where the submission talks with the output validator.
fn talks(tree: &Tree) -> Diagnostic {
    let message =
        "names files, but submissions of an interactive problem talk with the output validator";
    Diagnostic::error(tree.path(NAME), message)
        .help("remove `[io]`: standard input and output are what the two say")
}

fn unknown_key(
    key: &Spanned<DeString<'_>>,
    place: &str,
    known: &[&str],
    remarks: &mut Remarks<'_>,
) {
    let help = match nearest(key.get_ref(), known.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("known keys: {}", list(known.iter().copied())),
    };
    let message = format!("unknown key `{}`{place}", shown(key.get_ref()));
    remarks.error(remarks.file.range(key.span()), message, Some(&help));
}

fn file_name(value: &Spanned<DeValue<'_>>, remarks: &mut Remarks<'_>) -> Option<String> {
    let range = remarks.file.range(value.span());
    let Some(name) = value.get_ref().as_str() else {
        let message =
            format!("a file name must be a text, not of type {}", value.get_ref().type_str());
        remarks.error(range, message, Some("put it in quotes"));
        return None;
    };
    if !is_valid_name(name) {
        let message = format!("`{}` is no plain file name", shown(name));
        let help = "letters, digits, `_`, `.` and `-`, without a directory, such as \"game1.in\"";
        remarks.error(range, message, Some(help));
        return None;
    }
    Some(name.to_owned())
}
