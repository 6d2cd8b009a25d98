//! Input validators that are grammars: `.ctd` files, run in this process.
//!
//! Source: problem package format 2025-09, "Input validators".

use std::path::Path;

use crate::grammar::compile::{Reading, read};
use crate::grammar::program;
use crate::grammar::validate::{Rejection, validate_blob};
use crate::language::constants::{TOO_LONG_HELP, replace_constants};
use crate::model::blob::Blob;
use crate::model::diagnostic::Diagnostic;
use crate::model::judgement::JudgeError;
use crate::model::problem::{InputGrammar, Problem};
use crate::model::root::FilePath;
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
        let reading = read_filled(path, &text, problem);
        diagnostics.extend(reading.diagnostics);
        ready.extend(reading.grammar.map(|grammar| Grammar { name, path, grammar }));
    }
    Ok(ready)
}

/// The grammars of a problem's inputs: the given one first, then the problem's own. Warnings about its own are among the
/// diagnostics only on request.
///
/// # Errors
/// If one has errors.
pub fn of_problem(
    given: Option<&Path>,
    problem: &Problem,
    warns: bool,
) -> Result<(Vec<program::Grammar>, Vec<Diagnostic>), Stop> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = problem.input_grammars.iter().map(|it| it.path.clone());
    let own = own.filter(|path| Some(real(path)) != given.map(real));
    let mut grammars = Vec::new();
    let mut remarks = Vec::new();
    let mut is_whole = true;
    for path in given.map(FilePath::root).into_iter().chain(own) {
        let text = path.read().map_err(|error| {
            Stop::usage(format!("cannot read the grammar {}: {error}", path.display()))
        })?;
        let reading = read_filled(&path, &text, problem);
        let is_shown =
            |remark: &Diagnostic| warns || given == Some(path.as_path()) || remark.is_error();
        remarks.extend(reading.diagnostics.into_iter().filter(is_shown));
        is_whole &= reading.grammar.is_some();
        grammars.extend(reading.grammar);
    }
    if is_whole { Ok((grammars, remarks)) } else { Err(Stop::Diagnosed(remarks)) }
}

/// Reads a grammar with the problem's constants and limits.
fn read_filled(path: &FilePath, text: &[u8], problem: &Problem) -> Reading {
    match replace_constants(text, &problem.constants) {
        Ok(filled) => {
            let reading = read(path, &filled);
            let limited = |grammar: program::Grammar| grammar.limited(&problem.limits);
            Reading { grammar: reading.grammar.map(limited), ..reading }
        }
        Err(fault) => {
            let fault = Diagnostic::error(path, fault.to_string()).help(TOO_LONG_HELP);
            Reading { grammar: None, diagnostics: vec![fault] }
        }
    }
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
