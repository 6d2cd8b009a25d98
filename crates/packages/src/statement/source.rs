//! Reads a statement's text and the files in its directory: only inside of the package, with bounded size.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::ops::Range;

use crate::package::statements::{Statement, StatementForm};
use crate::package::text::{TextFile, TextRange};
use juror_core::diagnostic::{Diagnostic, TextPosition};
use juror_core::language::constants::{GROWTH_HELP, find_constants, replace_constants};
use juror_core::problem::Problem;
use juror_core::program::Constant;
use juror_core::root::{FilePath, is_outside_error};
use juror_core::units::Bytes;

/// Real statements have a few kilobytes.
const LARGEST_STATEMENT: Bytes = Bytes::mib(1);
/// With more remarks, the statement is probably in another markup language.
const MOST_REMARKS: usize = 50;

pub(super) struct StatementText {
    path: FilePath,
    pub text: String,
    source: TextFile,
    /// The ranges of values in the text, and those of their names in the source.
    values: Vec<[Range<usize>; 2]>,
    messages: RefCell<HashSet<String>>,
}

impl StatementText {
    pub(super) fn read(problem: &Problem, statement: &Statement) -> Result<Self, Diagnostic> {
        let path = statement.path.clone();
        let bytes = read_file(&path, LARGEST_STATEMENT).map_err(|error| {
            let help = "a statement is a text file of the package, of 1 MiB at most";
            Diagnostic::warning(&path, format!("cannot be shown: {error}")).help(help)
        })?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let message = "cannot be shown: it is not UTF-8";
            Diagnostic::warning(&path, message).help("save the file as UTF-8")
        })?;
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        if matches!(statement.form, StatementForm::Latex | StatementForm::Sections) {
            return Ok(Self::with_values(path, text, &[]));
        }
        replace_constants(text.as_bytes(), &problem.constants).map_err(|fault| {
            let message = format!("cannot be shown: {fault}");
            Diagnostic::warning(&path, message).help(GROWTH_HELP)
        })?;
        Ok(Self::with_values(path, text, &problem.constants))
    }

    pub(super) fn with_values(path: FilePath, written: String, constants: &[Constant]) -> Self {
        let (mut text, mut values, mut end) = (String::new(), Vec::new(), 0);
        for (name, value) in find_constants(written.as_bytes(), constants) {
            text.push_str(&written[end..name.start]);
            values.push([text.len()..text.len() + value.len(), name.clone()]);
            text.push_str(value);
            end = name.end;
        }
        text.push_str(&written[end..]);
        let source = TextFile::new(&path, written);
        Self { path, text, source, values, messages: RefCell::default() }
    }

    pub(super) fn neighbour(&self, name: &str) -> FilePath {
        self.path.with_file_name(name)
    }

    /// `None` if the remark repeats an earlier one, or if there are too many.
    pub(super) fn new_remark(
        &self,
        at: Range<usize>,
        message: String,
        help: &str,
    ) -> Option<Diagnostic> {
        let mut messages = self.messages.borrow_mut();
        if messages.len() >= MOST_REMARKS || !messages.insert(message.clone()) {
            return None;
        }
        let remark = Diagnostic::warning(&self.path, message).at_position(self.source_spot(at));
        Some(remark.help(help))
    }

    /// Converts a range of the text to one of the source; a part of a value becomes its name.
    fn source_range(&self, at: Range<usize>) -> Range<usize> {
        let mut found = at.clone();
        for [value, name] in &self.values {
            if value.contains(&at.start) {
                found.start = name.start;
            } else if value.end <= at.start {
                found.start = name.end + (at.start - value.end);
            }
            if value.start < at.end {
                found.end = name.end + at.end.saturating_sub(value.end);
            }
        }
        found
    }

    fn source_spot(&self, at: Range<usize>) -> TextPosition {
        let TextRange { line, column, width } = self.source.range(self.source_range(at));
        TextPosition { line, column, width, text: self.source.shown_line(line).to_owned() }
    }
}

/// A link out of the package is refused, so that a page reveals nothing about the machine.
pub(super) fn read_file(path: &FilePath, most: Bytes) -> io::Result<Vec<u8>> {
    let bytes = path.read_prefix(most.0 + 1).map_err(|error| {
        if is_outside_error(&error) {
            io::Error::other("it is outside of the package")
        } else {
            error
        }
    })?;
    if bytes.len() as u64 > most.0 {
        Err(io::Error::other(format!("it has more than {most}")))
    } else {
        Ok(bytes)
    }
}
