//! Input validators that are grammars: `.ctd` files, run in this process.
//!
//! Source: problem package format 2025-09, "Input validators".

use std::fs::{self, File};

use crate::grammar::compile::read;
use crate::grammar::program::Grammar;
use crate::grammar::validate::{Refusal, validate};
use crate::language::constants::replace_constants;
use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::model::problem::{InputGrammar, Problem};
use crate::model::test_data::TestCase;
use crate::validate::inputs::Opinion;

/// A grammar that was read.
pub(super) struct Ready<'a> {
    pub(super) name: &'a str,
    grammar: Grammar,
}

/// Reads the grammars of a problem, its constants put in; those that have a fault are left out.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn read_all<'a>(
    problem: &'a Problem,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<Ready<'a>>, JudgeError> {
    let mut ready = Vec::new();
    for InputGrammar { name, path } in &problem.input_grammars {
        let text = fs::read(path)
            .map_err(|error| JudgeError::new(format!("read {}", path.display()), error))?;
        let reading = read(path, &replace_constants(&text, &problem.constants));
        diagnostics.extend(reading.diagnostics);
        ready.extend(reading.grammar.map(|grammar| Ready { name, grammar }));
    }
    Ok(ready)
}

impl Ready<'_> {
    /// What the grammar says about an input.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub(super) fn opinion(&self, test_case: &TestCase) -> Result<Opinion, JudgeError> {
        let path = &test_case.input;
        let fault = |error| JudgeError::new(format!("read {}", path.display()), error);
        let input = File::open(path).map_err(fault)?;
        match validate(&self.grammar, input, path) {
            Ok(()) => Ok(Opinion::Valid),
            Err(Refusal::Invalid(diagnostic)) => {
                Ok(Opinion::Refused(format!(": {}", placed(&diagnostic))))
            }
            Err(Refusal::Grammar(diagnostic)) => Ok(Opinion::Broken {
                ending: "a fault".to_owned(),
                said: format!(": {diagnostic}"),
            }),
            Err(Refusal::Io(error)) => Err(fault(error)),
        }
    }
}

/// The message with its place in the input.
fn placed(diagnostic: &Diagnostic) -> String {
    match &diagnostic.place.spot {
        Some(spot) => format!(
            "line {}, column {}: {}",
            spot.line, spot.column, diagnostic.message
        ),
        None => diagnostic.message.clone(),
    }
}
