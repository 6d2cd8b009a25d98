//! `.interaction` files: an exchange as people are shown it.
//!
//! Source: problem package format 2025-09, "Samples for interactive and multi-pass problems".

use std::fs;
use std::path::Path;

use crate::model::diagnostic::{Diagnostic, Spot};
use crate::model::text::visible;

/// What is wrong with one.
pub(super) fn check(path: &Path) -> Option<Diagnostic> {
    let help = "each line is `<` and a line of the judge, `>` and a line of the submission, or `---` between passes";
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) => return Some(Diagnostic::error(path, format!("cannot be read: {error}"))),
    };
    if text.trim_ascii().is_empty() {
        return Some(Diagnostic::error(path, "is empty").help(help));
    }
    let text = text.strip_suffix(b"\n").unwrap_or(&text);
    let is_known = |line: &[u8]| line.starts_with(b"<") || line.starts_with(b">") || line == b"---";
    let lines = text.split(|byte| *byte == b'\n').zip(1_u32..);
    let unknown = lines.into_iter().find(|(line, _)| !is_known(line));
    unknown.map(|(line, number)| {
        let spot = Spot { line: number, column: 1, text: visible(line).to_string(), width: 1 };
        let message = "starts with neither `<` nor `>`";
        Diagnostic::error(path, message).at(spot).help(help)
    })
}
