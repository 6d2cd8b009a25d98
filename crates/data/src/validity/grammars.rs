//! Input validators that are grammars: `.ctd` files, run in this process.
//!
//! Source: problem package format 2025-09, "Input validators".

use std::io;
use std::path::Path;

use crate::validity::Objection;
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::language::constants::{GROWTH_HELP, replace_constants};
use juror_core::problem::Problem;
use juror_core::root::FilePath;
use juror_core::stop::{Remark, Stop};
use juror_core::text::joined;
use juror_grammar::compile::{ParsedGrammar, UNKNOWN_CONSTANT, parse_grammar};
use juror_grammar::program::Grammar;
use juror_grammar::validate::{Error, validate_blob};
use juror_packages::package::suggest::nearest;

/// Reads the grammars of a problem's inputs, with its constants filled in: first `extra`, then the problem's
/// own. Fails if a file cannot be read.
pub fn read_grammars(extra: Option<&Path>, problem: &Problem) -> Result<Vec<ParsedGrammar>, Stop> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = problem.input_grammars.iter().map(|grammar| grammar.path.clone());
    let own = own.filter(|path| Some(real(path)) != extra.map(real));
    let read = |path: FilePath| {
        let text = path.read().map_err(|error| match extra {
            Some(extra) if *extra == *path => unreadable_grammar(&path, &error),
            _ => JudgeError::on_file("read", &path)(error).into(),
        })?;
        Ok(read_with_constants(&path, &text, problem))
    };
    extra.map(FilePath::root).into_iter().chain(own).map(read).collect()
}

/// For a grammar that is named on the command line.
pub fn unreadable_grammar(path: &Path, error: &io::Error) -> Stop {
    let what = format!("cannot read the grammar {}: {error}", path.display());
    Stop::usage(Remark::with_help(what, "give a file in the language checktestdata (`.ctd`)"))
}

/// First `extra`, then the problem's own. Warnings about the problem's own are returned only if `warns` is
/// set. Fails if a grammar has errors.
pub fn problem_grammars(
    extra: Option<&Path>,
    problem: &Problem,
    warns: bool,
) -> Result<(Vec<Grammar>, Vec<Diagnostic>), Stop> {
    let mut grammars = Vec::new();
    let mut diagnostics = Vec::new();
    let mut is_whole = true;
    for reading in read_grammars(extra, problem)? {
        let is_shown = |remark: &Diagnostic| {
            warns || extra == Some(remark.place.path.as_path()) || remark.is_error()
        };
        diagnostics.extend(reading.diagnostics.into_iter().filter(is_shown));
        is_whole &= reading.grammar.is_some();
        grammars.extend(reading.grammar);
    }
    if is_whole { Ok((grammars, diagnostics)) } else { Err(Stop::Diagnosed(diagnostics)) }
}

/// Also sets the problem's constants and limits.
fn read_with_constants(path: &FilePath, text: &[u8], problem: &Problem) -> ParsedGrammar {
    match replace_constants(text, &problem.constants) {
        Ok(filled) => {
            let mut reading = parse_grammar(path, &filled);
            reading.diagnostics.iter_mut().for_each(|fault| suggest_constant(fault, problem));
            let limited = |grammar: Grammar| grammar.with_limits(&problem.limits);
            ParsedGrammar { grammar: reading.grammar.map(limited), ..reading }
        }
        Err(fault) => {
            let fault = Diagnostic::error(path, fault.to_string()).help(GROWTH_HELP);
            ParsedGrammar { grammar: None, diagnostics: vec![fault] }
        }
    }
}

fn suggest_constant(fault: &mut Diagnostic, problem: &Problem) {
    let message = fault.message.strip_suffix(UNKNOWN_CONSTANT);
    let name = message.and_then(|message| message.split(['{', '}']).nth(2));
    let known = problem.constants.iter().map(|constant| &*constant.key);
    if let Some(near) = name.and_then(|name| nearest(name, known)) {
        fault.help = Some(format!("did you mean `{{{{{near}}}}}`?"));
    }
}

/// `path` is the input's name in messages.
pub(super) fn grammar_objection(
    grammar: &Grammar,
    input: &Blob,
    path: &Path,
) -> Result<Option<Objection>, Stop> {
    let checked = validate_blob(grammar, input, path);
    let (ending, spot, message) = match checked.map_err(JudgeError::on_file("read", path))? {
        Ok(()) => return Ok(None),
        Err(Error::Input(invalid)) => {
            let spot = invalid.place.spot.map(|spot| (spot.line, spot.column));
            (None, spot, format!(": {}", invalid.message))
        }
        Err(Error::Grammar(faults)) => {
            (Some("a fault".to_owned()), None, format!(": {}", joined(faults, "; ")))
        }
        Err(Error::Interrupted) => return Err(Stop::Interrupted),
    };
    let path = grammar.source.path.clone();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Some(Objection { validator: name, path, ending, spot, message }))
}
