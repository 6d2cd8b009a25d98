//! Checks inputs against a grammar.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;

use crate::input::{WINDOW, Window};
use crate::port::{RunStop, RunStopKind, RunStopReason, TOO_MUCH_HELP};
use crate::program::Grammar;
use crate::read::{InputReader, NoWitness, Witness};
use crate::run::Interpreter;
use crate::source::{self, Span};
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::lines::LineIndex;

/// What is wrong with a grammar or an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The grammar cannot be read, or no input for it was found, or it cannot be applied to an input: a variable
    /// without value, a division by zero, or too much work.
    Grammar(Vec<Diagnostic>),
    /// The input does not match the grammar: where, what was expected, and what was there instead.
    Input(Diagnostic),
    /// The process is about to end.
    Interrupted,
}

impl fmt::Display for Error {
    /// A line for each fault, and one for its help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = match self {
            Self::Grammar(faults) => &faults[..],
            Self::Input(fault) => std::slice::from_ref(fault),
            Self::Interrupted => return f.write_str("interrupted"),
        };
        for (index, fault) in faults.iter().enumerate() {
            let line_end = if index > 0 { "\n" } else { "" };
            write!(f, "{line_end}{fault}")?;
            fault.help.as_ref().map_or(Ok(()), |help| write!(f, "\n{help}"))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// `path` is the input's name in messages.
pub fn validate(grammar: &Grammar, input: &[u8], path: &Path) -> Result<(), Error> {
    validate_with(grammar, input, path, NoWitness).map(|NoWitness| ())
}

/// Like [`validate`], for an input that may be a file. Fails if the file cannot be read.
pub fn validate_blob(
    grammar: &Grammar,
    input: &Blob,
    path: &Path,
) -> io::Result<Result<(), Error>> {
    if let Some(bytes) = input.bytes() {
        return Ok(validate(grammar, bytes, path));
    }
    match accepts_file(grammar, input.open()?, WINDOW) {
        Ok(true) => Ok(Ok(())),
        // Only all bytes show what is around a fault.
        Ok(false) => Ok(validate(grammar, &input.read()?, path)),
        Err(stop) => Ok(Err(unfinished_error(grammar, *stop.0, path))),
    }
}

/// Whether the grammar accepts a file, of which only a window is in memory. An error says that another attempt would
/// end likewise: too much work, or an interruption.
pub(super) fn accepts_file(
    grammar: &Grammar,
    file: impl Read,
    window: usize,
) -> Result<bool, RunStop> {
    let mut reader = InputReader::new(grammar, Window::new(file, window), NoWitness);
    match Interpreter::new(grammar).run(&mut reader) {
        Ok(()) => Ok(reader.input.error.is_none()),
        Err(stop) => match stop.0.kind {
            RunStopKind::TooMuchWork | RunStopKind::Interrupted => Err(stop),
            _ => Ok(false),
        },
    }
}

/// For a run that ended before it knew more about the input.
fn unfinished_error(grammar: &Grammar, reason: RunStopReason, path: &Path) -> Error {
    match reason.kind {
        RunStopKind::TooMuchWork => {
            let message = format!("{} on {}", reason.message, path.display());
            let fault = grammar.source.error(reason.span, message);
            Error::Grammar(vec![fault.help(TOO_MUCH_HELP)])
        }
        RunStopKind::Interrupted => Error::Interrupted,
        _ => Error::Input(Diagnostic::error(path, reason.message)),
    }
}

pub fn accepts(grammar: &Grammar, input: &[u8]) -> bool {
    let mut reader = InputReader::new(grammar, input, NoWitness);
    Interpreter::new(grammar).run(&mut reader).is_ok()
}

/// `witness` observes what is read.
pub(super) fn validate_with<W: Witness>(
    grammar: &Grammar,
    input: &[u8],
    path: &Path,
    witness: W,
) -> Result<W, Error> {
    let mut reader = InputReader::new(grammar, input, witness);
    let Err(stop) = Interpreter::new(grammar).run(&mut reader) else { return Ok(reader.witness) };
    let (reason, source) = (*stop.0, &grammar.source);
    let spot = |offset: usize, length: usize| {
        let span = Span { start: offset, end: offset + length };
        source::spot(input, &LineIndex::new(input), span)
    };
    Err(match reason.kind {
        RunStopKind::Invalid { offset, length } => {
            let spot = spot(offset, length);
            let help = if reason.span.start == source.text.len() {
                format!("{} ends here", source.path.display())
            } else {
                format!("{} has {}", source.address(reason.span), source.excerpt(reason.span))
            };
            // A line that is too long is not shown.
            let diagnostic = if spot.text.is_empty() && spot.column > 1 {
                let position = format!("line {}, column {}", spot.line, spot.column);
                Diagnostic::error(path, format!("{position}: {}", reason.message))
            } else {
                Diagnostic::error(path, reason.message).at_position(spot)
            };
            Error::Input(diagnostic.help(help))
        }
        RunStopKind::Fault { help } => {
            let spot = spot(reader.at, 1);
            let path = path.display();
            let help = format!("{help}; it was at {path}:{}:{}", spot.line, spot.column);
            Error::Grammar(vec![source.error(reason.span, reason.message).help(help)])
        }
        RunStopKind::TooMuchWork | RunStopKind::Interrupted | RunStopKind::Stuck { .. } => {
            unfinished_error(grammar, reason, path)
        }
    })
}
