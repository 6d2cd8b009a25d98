//! Checks inputs against a grammar.

use std::io::{self, Read};
use std::path::Path;

use crate::grammar::input::{WINDOW, Window};
use crate::grammar::port::ReasonKind;
use crate::grammar::program::Grammar;
use crate::grammar::read::{Blind, Reader, Witness};
use crate::grammar::run::Interpreter;
use crate::grammar::source;
use crate::model::blob::Blob;
use crate::model::diagnostic::{Diagnostic, LINE_MAX};

/// Why an input is not accepted.
#[derive(Debug)]
pub enum Rejection {
    /// It does not match the grammar: where, what was expected, and what was there instead.
    Invalid(Diagnostic),
    /// The grammar cannot be applied to it: a variable without value, or a division by zero.
    Grammar(Diagnostic),
}

/// Checks an input against a grammar. `path` is the input's name in messages.
///
/// # Errors
/// If it is not accepted, with the reason.
pub fn validate(grammar: &Grammar, input: &[u8], path: &Path) -> Result<(), Rejection> {
    witnessed(grammar, input, path, Blind).map(|Blind| ())
}

/// Checks an input, which may be a file, against a grammar. `path` is the input's name in messages.
///
/// # Errors
/// What the system reports about the file.
pub fn validate_blob(
    grammar: &Grammar,
    input: &Blob,
    path: &Path,
) -> io::Result<Result<(), Rejection>> {
    if let Some(bytes) = input.bytes() {
        return Ok(validate(grammar, bytes, path));
    }
    if accepts_file(grammar, input.open()?, WINDOW) {
        return Ok(Ok(()));
    }
    // A message shows what is around a fault.
    Ok(validate(grammar, &input.start(u64::MAX)?, path))
}

/// Whether the grammar accepts a file, of which windows of some size are in memory.
pub(super) fn accepts_file(grammar: &Grammar, file: impl Read, window: usize) -> bool {
    let mut reader = Reader::new(grammar, Window::new(file, window), Blind);
    Interpreter::new(grammar).run(&mut reader).is_ok() && reader.input.error.is_none()
}

/// Whether the grammar accepts an input.
pub fn accepts(grammar: &Grammar, input: &[u8]) -> bool {
    let mut reader = Reader::new(grammar, input, Blind);
    Interpreter::new(grammar).run(&mut reader).is_ok()
}

/// Checks an input against a grammar; `witness` observes what is read.
pub(super) fn witnessed<W: Witness>(
    grammar: &Grammar,
    input: &[u8],
    path: &Path,
    witness: W,
) -> Result<W, Rejection> {
    let mut reader = Reader::new(grammar, input, witness);
    let Err(stop) = Interpreter::new(grammar).run(&mut reader) else { return Ok(reader.witness) };
    let (reason, source) = (*stop.0, &grammar.source);
    let spot = |offset: usize, length: usize| {
        let mut spot = source::spot(input, offset, offset + length);
        if spot.text.len() > LINE_MAX {
            spot.text.clear();
        }
        spot
    };
    Err(match reason.kind {
        ReasonKind::Invalid { offset, length } => {
            let spot = spot(offset, length);
            let help = match reason.span.start == source.text.len() {
                true => format!("{} ends here", source.path.display()),
                false => {
                    format!("{} has {}", source.address(reason.span), source.excerpt(reason.span))
                }
            };
            // A line that is too long is not shown.
            let diagnostic = match spot.text.is_empty() && spot.column > 1 {
                true => {
                    let place = format!("line {}, column {}", spot.line, spot.column);
                    Diagnostic::error(path, format!("{place}: {}", reason.message))
                }
                false => Diagnostic::error(path, reason.message).at(spot),
            };
            Rejection::Invalid(diagnostic.help(help))
        }
        ReasonKind::Fault { help } => {
            let spot = spot(reader.at, 1);
            let path = path.display();
            let help = format!("{help}; it was at {path}:{}:{}", spot.line, spot.column);
            Rejection::Grammar(source.error(reason.span, reason.message).help(help))
        }
        ReasonKind::Stuck { .. } => Rejection::Invalid(Diagnostic::error(path, reason.message)),
    })
}
