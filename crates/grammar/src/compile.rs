//! Compiles the text of a grammar, and checks it before it runs.

use std::path::Path;

use crate::first;
use crate::parse::parse;
use crate::program::Grammar;
use crate::source::Source;
pub use crate::token::UNKNOWN_CONSTANT;
use juror_core::diagnostic::Diagnostic;

/// A grammar with all that is wrong or doubtful in its text.
#[derive(Debug)]
pub struct ParsedGrammar {
    /// `None` if one of the diagnostics is an error.
    pub grammar: Option<Grammar>,
    /// In the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a grammar; `path` is for messages only. [`Grammar::parse`] leaves warnings out.
pub fn parse_grammar(path: &Path, text: &[u8]) -> ParsedGrammar {
    let (mut grammar, mut diagnostics) = parse(Source::new(path, text)).finish();
    diagnostics.sort_by_key(|diagnostic| {
        diagnostic.place.spot.as_ref().map(|spot| (spot.line, spot.column))
    });
    let is_unknown = |fault: &Diagnostic| fault.message.ends_with(UNKNOWN_CONSTANT);
    if diagnostics.iter().any(is_unknown) {
        diagnostics.retain(is_unknown);
    }
    let broken = diagnostics.iter().any(Diagnostic::is_error);
    ParsedGrammar {
        grammar: (!broken).then(|| {
            grammar.first_bytes = first::first_bytes_by_instruction(&grammar);
            grammar
        }),
        diagnostics,
    }
}
