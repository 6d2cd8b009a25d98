//! Input validators that are grammars: `.ctd` files, run in this process.
//!
//! Source: problem package format 2025-09, "Input validators".

use std::path::Path;

use crate::grammar::compile::read;
use crate::grammar::program;
use crate::grammar::validate::{Rejection, validate_blob};
use crate::language::constants::{TOO_LONG_HELP, replace_constants};
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::model::problem::{InputGrammar, Problem};
use crate::model::stop::Stop;
use crate::validate::programs::Opinion;

/// A grammar that can check inputs.
pub(super) struct Grammar<'a> {
    pub(super) name: &'a str,
    pub(super) path: &'a Path,
    pub(super) grammar: program::Grammar,
}

/// Reads the grammars of a problem, with its constants filled in; leaves out those with a fault.
///
/// # Errors
/// If a file cannot be read.
pub(super) fn read_all<'a>(
    problem: &'a Problem,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<Grammar<'a>>, JudgeError> {
    let mut ready = Vec::new();
    for InputGrammar { name, path } in &problem.input_grammars {
        let text = path.read().map_err(JudgeError::on("read", path))?;
        let filled = match replace_constants(&text, &problem.constants) {
            Ok(filled) => filled,
            Err(fault) => {
                let fault = Diagnostic::error(path, fault.to_string());
                diagnostics.push(fault.help(TOO_LONG_HELP));
                continue;
            }
        };
        let reading = read(path, &filled);
        diagnostics.extend(reading.diagnostics);
        let grammar = reading.grammar.map(|grammar| grammar.limited(&problem.limits));
        ready.extend(grammar.map(|grammar| Grammar { name, path, grammar }));
    }
    Ok(ready)
}

impl Grammar<'_> {
    /// The opinion of the grammar about an input; messages call the input `path`.
    ///
    /// # Errors
    /// If the input cannot be read, or somebody stopped juror.
    pub(super) fn opinion(&self, input: &Blob, path: &Path) -> Result<Opinion, Stop> {
        let checked = validate_blob(&self.grammar, input, path);
        match checked.map_err(JudgeError::on("read", path))? {
            Ok(()) => Ok(Opinion::Valid),
            Err(Rejection::Invalid(diagnostic)) => {
                Ok(Opinion::Refused(format!(": {}", placed(&diagnostic))))
            }
            Err(Rejection::Grammar(diagnostic)) => Ok(Opinion::Broken {
                ending: "a fault".to_owned(),
                said: format!(": {diagnostic}"),
            }),
            Err(Rejection::Interrupted) => Err(Stop::Interrupted),
        }
    }
}

/// The message with its place in the input.
fn placed(diagnostic: &Diagnostic) -> String {
    match &diagnostic.place.spot {
        Some(spot) => format!("line {}, column {}: {}", spot.line, spot.column, diagnostic.message),
        None => diagnostic.message.clone(),
    }
}
