//! Runs answer validators on every judge answer. All must accept the answers of valid cases; at least one must refuse
//! each invalid answer.
//!
//! Source: the validation documentation of BAPCtools; the format itself has no answer validators.

use crate::validity::Objection;
use crate::validity::programs::{ProgramValidator, ValidatorInput, build_validators};
use crate::validity::test_data::DataCheck;
use juror_core::blob::Blob;
use juror_core::diagnostic::Diagnostic;
use juror_core::language::BOX;
use juror_core::problem::Interaction;
use juror_core::protocol::Protocol;
use juror_core::stop::Stop;
use juror_core::test_data::TestCase;
use juror_core::tree::{Node, TreeEntry};
use juror_judging::output_validator::trial;
use juror_judging::output_validator::{OutputValidator, response};
use juror_sandbox::executor::parallel;

/// Path of the case's input in the validator's box.
const INPUT: &str = "juror/testcase.in";

pub(super) fn check_answers(
    check: &DataCheck<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(), Stop> {
    let bench = &check.bench;
    let programs = &check.bench.problem.answer_validators;
    let invalid = match check.selected {
        None => &check.bench.problem.test_data.invalid_answers[..],
        Some(_) => &[],
    };
    let is_interactive = check.bench.problem.kind.interaction == Interaction::Interactive;
    let checkers = if is_interactive { &[] } else { check.validators };
    if programs.is_empty() && checkers.is_empty() {
        diagnostics.extend(missing_validator(check, invalid));
        return Ok(());
    }
    let validators = build_validators(*bench, "the answer validator", programs, diagnostics)?;
    if validators.len() < programs.len() {
        return Ok(());
    }
    let valid: Vec<&TestCase> = check
        .valid_cases()
        .filter(|case| !invalid.iter().any(|other| other.name == case.name))
        .collect();
    let remarks = parallel::map(bench.executor, &valid, |case| {
        let answer = case.answer.as_ref().unwrap_or(&case.input);
        let error =
            |objection: Objection| objection.to_diagnostic(answer, "answer", Protocol::Standard);
        let objections = objections(&validators, case)?;
        Ok(objections.into_iter().map(error).collect::<Vec<Diagnostic>>())
    })?;
    diagnostics.extend(remarks.into_iter().flatten());
    let remarks = parallel::map(bench.executor, invalid, |case| {
        let refused =
            !objections(&validators, case)?.is_empty() || is_rejected(check, checkers, case)?;
        Ok((!refused).then(|| {
            let answer = case.answer.as_ref().unwrap_or(&case.input);
            let message = if checkers.is_empty() {
                "no answer validator refuses this invalid answer"
            } else {
                "neither an answer validator nor the output validator refuses this invalid answer"
            };
            Diagnostic::error(answer, message)
                .help("make a validator stricter, or move the case out of the invalid answers")
        }))
    })?;
    diagnostics.extend(remarks.into_iter().flatten());
    Ok(())
}

/// Whether an output validator of the package rejects a case's answer as an output.
fn is_rejected(
    check: &DataCheck<'_>,
    checkers: &[OutputValidator],
    case: &TestCase,
) -> Result<bool, Stop> {
    let Some(answer) = &case.answer else { return Ok(false) };
    for validator in checkers {
        let response = trial::ask_validator(validator, &check.bench, case, Blob::file(answer))?;
        if response.opinion == response::Opinion::Rejected {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reports invalid answers if no validator can refuse them.
fn missing_validator(check: &DataCheck<'_>, invalid: &[TestCase]) -> Option<Diagnostic> {
    (!invalid.is_empty()).then(|| {
        let problem = check.bench.problem;
        let data = problem.dir.join(problem.layout.invalid_answers);
        Diagnostic::error(data, "the package has no answer validator to refuse these answers").help(
            format!("add a program to {}/, or remove the cases", problem.layout.answer_validators),
        )
    })
}

fn objections(
    validators: &[ProgramValidator<'_>],
    case: &TestCase,
) -> Result<Vec<Objection>, Stop> {
    let Some(answer) = &case.answer else { return Ok(Vec::new()) };
    let objection = |validator: &ProgramValidator<'_>| {
        validator.run(ValidatorInput {
            stdin: Blob::file(answer),
            args: [vec![format!("{BOX}/{INPUT}")], case.output_validator_args.clone()].concat(),
            files: vec![TreeEntry::new(INPUT, Node::plain(Blob::file(&case.input)))],
        })
    };
    validators.iter().filter_map(|validator| objection(validator).transpose()).collect()
}
