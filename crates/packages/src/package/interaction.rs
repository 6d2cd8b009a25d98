//! `.interaction` files: an exchange to show to people.
//!
//! Source: problem package format 2025-09, "Samples for interactive and multi-pass problems".

use crate::package::faults::Faults;
use crate::package::text::{MAX_SIZE, UntidyText};
use juror_core::diagnostic::{SourcePlace, TextPosition};
use juror_core::root::FilePath;
use juror_core::text::visible;

pub(super) fn check(path: &FilePath, faults: &Faults) {
    let help = "each line is `<` and a line of the judge, `>` and a line of the submission, or `---` between passes";
    let Some(text) = faults.ok_or_report(path, path.read_prefix(MAX_SIZE)) else { return };
    if text.trim_ascii().is_empty() {
        faults.error(path, "is empty", help);
        return;
    }
    let text = text.strip_suffix(b"\n").unwrap_or(&text);
    if memchr::memmem::find(text, b"\r\n").is_some() {
        UntidyText::WindowsLineEnds.report(path, faults);
    }
    let mut lines = text.split(|byte| *byte == b'\n').zip(1_u32..);
    if let Some((line, number)) = lines.find(|(line, _)| !is_line(line)) {
        let spot =
            TextPosition { line: number, column: 1, text: visible(line).to_string(), width: 1 };
        let place = SourcePlace { path: path.into(), spot: Some(spot) };
        faults.error(place, "starts with neither `<` nor `>`", help);
    }
}

/// Whether a line is one of such a file.
pub(super) fn is_line(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.starts_with(b"<") || line.starts_with(b">") || line == b"---"
}
