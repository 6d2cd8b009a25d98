//! Runs input validators on every input. All must accept a valid input; at least one must refuse an invalid one.
//!
//! Source: problem package format 2025-09, "Input validators" and "Invalid input".

use crate::validity::programs::refusal_help;
use crate::validity::test_data::DataCheck;
use crate::validity::{Objection, Validity};
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::protocol::Protocol;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;

struct InputCheck<'a> {
    is_valid: bool,
    test_case: &'a TestCase,
}

pub(super) fn check_inputs(
    check: &DataCheck<'_>,
    validity: &Validity<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(), Stop> {
    let valid = check.valid_cases().map(|test_case| InputCheck { is_valid: true, test_case });
    let invalid = check.invalid_cases().map(|test_case| InputCheck { is_valid: false, test_case });
    let tasks: Vec<InputCheck<'_>> = valid.chain(invalid).collect();
    if validity.count() == 0 || tasks.is_empty() {
        return Ok(());
    }
    let objections = check.bench.map("input validators", &tasks, |task| {
        let path = &task.test_case.input;
        validity.objections(task.test_case, &Blob::file(path), path).collect::<Result<Vec<_>, _>>()
    })?;
    let protocol = check.bench.problem.input_protocol;
    let tasks = tasks.iter().zip(&objections);
    diagnostics
        .extend(tasks.flat_map(|(task, objections)| input_diagnostics(protocol, task, objections)));
    Ok(())
}

fn input_diagnostics(
    protocol: Protocol,
    task: &InputCheck<'_>,
    objections: &[Objection],
) -> Vec<Diagnostic> {
    let path = &task.test_case.input;
    if task.is_valid {
        let error = |objection: &Objection| objection.to_diagnostic(path, "input", protocol);
        return objections.iter().map(error).collect();
    }
    let broken =
        objections.iter().filter_map(|Objection { validator, ending, message, .. }| {
            let ending = ending.as_ref()?;
            let message = format!(
                "input validator `{validator}` ends with {ending} on this invalid input{message}"
            );
            Some(Diagnostic::warning(path, message).help(refusal_help(protocol)))
        });
    let mut diagnostics: Vec<Diagnostic> = broken.collect();
    if objections.is_empty() {
        let help = "make a validator stricter, or move the case out of the invalid inputs";
        let message = "no input validator refuses this invalid input";
        diagnostics.push(Diagnostic::error(path, message).help(help));
    }
    diagnostics
}
