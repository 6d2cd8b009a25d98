//! Holds an input against a grammar.

use std::io::{self, Read};
use std::path::Path;

use crate::grammar::port::{GrammarFault, Mismatch, Reason};
use crate::grammar::program::Grammar;
use crate::grammar::read::{Blind, Reader, Witness};
use crate::grammar::run::Interpreter;
use crate::model::diagnostic::Diagnostic;

/// Why an input is not accepted.
#[derive(Debug)]
pub enum Rejection {
    /// It is not what the grammar says: where, what was expected, what came.
    Invalid(Diagnostic),
    /// The grammar cannot be applied to it: a variable without value, a division by zero.
    Grammar(Diagnostic),
    /// It cannot be read.
    Io(io::Error),
}

/// Holds an input against a grammar. `path` is the input's name in messages.
///
/// The input is read as it comes: memory does not grow with its size, except for what the grammar keeps in
/// arrays, and where it has a REGEX.
///
/// # Errors
/// Why it is not accepted.
pub fn validate(grammar: &Grammar, input: impl Read, path: &Path) -> Result<(), Rejection> {
    witnessed(grammar, input, path, Blind).map(|Blind| ())
}

/// Whether the grammar accepts an input.
pub fn accepts(grammar: &Grammar, input: &[u8]) -> bool {
    let mut reader = Reader::new(grammar, input, Blind);
    Interpreter::new(grammar).run(&mut reader).is_ok()
}

/// Holds an input against a grammar while somebody looks on.
pub(super) fn witnessed<W: Witness>(
    grammar: &Grammar,
    input: impl Read,
    path: &Path,
    witness: W,
) -> Result<W, Rejection> {
    let mut reader = Reader::new(grammar, input, witness);
    let mut run = Interpreter::new(grammar);
    match run.run(&mut reader) {
        Ok(()) => Ok(reader.witness),
        Err(stop) => Err(match *stop.0 {
            Reason::Io(error) => Rejection::Io(error),
            Reason::Invalid(mismatch) => {
                Rejection::Invalid(invalid(grammar, &mut reader, path, &mismatch))
            }
            Reason::Fault(fault) => Rejection::Grammar(broken(grammar, &mut reader, path, fault)),
            Reason::Stuck(stuck) => Rejection::Invalid(Diagnostic::error(path, stuck.message)),
        }),
    }
}

fn invalid<W: Witness>(
    grammar: &Grammar,
    reader: &mut Reader<'_, W>,
    path: &Path,
    mismatch: &Mismatch,
) -> Diagnostic {
    let spot = reader.window.spot(mismatch.offset, mismatch.length);
    let source = grammar.source();
    let help = match mismatch.span.start == source.text.len() {
        true => format!("{} ends here", source.path.display()),
        false => {
            format!("{} says {}", source.address(mismatch.span), source.excerpt(mismatch.span))
        }
    };
    match spot.text.is_empty() && spot.column > 1 {
        // The line is too long to be shown.
        true => {
            let message =
                format!("line {}, column {}: {}", spot.line, spot.column, mismatch.message);
            Diagnostic::error(path, message).help(help)
        }
        false => Diagnostic::error(path, &mismatch.message).at(spot).help(help),
    }
}

fn broken<W: Witness>(
    grammar: &Grammar,
    reader: &mut Reader<'_, W>,
    path: &Path,
    fault: GrammarFault,
) -> Diagnostic {
    let offset = crate::grammar::port::Port::offset(reader);
    let spot = reader.window.spot(offset, 1);
    let help =
        format!("{}; it was at {}:{}:{}", fault.help, path.display(), spot.line, spot.column);
    grammar.source().error(fault.span, fault.message).help(help)
}
