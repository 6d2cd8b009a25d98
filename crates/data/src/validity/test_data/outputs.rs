//! Example outputs, valid or invalid ones, and answers that a tolerance loosens.
//!
//! Source: problem package format 2025-09, "Invalid output", "Valid output" and "Comparing
//! floating-point tokens".

use std::fs::File;
use std::path::Path;

use crate::validity::test_data::{DataCheck, exchange};
use juror_core::blob::Blob;
use juror_core::check::compare::compare;
use juror_core::check::integers::count_integers;
use juror_core::check::options::Options;
use juror_core::check::show::describe;
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::problem::Interaction;
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::test_data::{OutputClaim, TestCase};
use juror_judging::output_validator::OutputValidator;
use juror_judging::output_validator::response::{Opinion, Response};
use juror_judging::output_validator::trial;
use juror_sandbox::executor::parallel;

/// Checks example outputs against what the package declares, and answers under a tolerance.
pub(super) fn check_outputs(check: &DataCheck<'_>) -> Result<Vec<Diagnostic>, Stop> {
    let data = &check.bench.problem.test_data;
    let mut tasks: Vec<(OutputClaim, &TestCase)> =
        check.judged_cases().map(|case| (OutputClaim::Right, case)).collect();
    if check.selected.is_none() {
        tasks.extend(data.valid_outputs.iter().map(|case| (OutputClaim::Right, case)));
        tasks.extend(data.invalid_outputs.iter().map(|case| (OutputClaim::Wrong, case)));
        tasks.extend(data.output_trials.iter().map(|trial| (trial.claim, &trial.test_case)));
    }
    let mut diagnostics = Vec::new();
    for validator in check.validators {
        diagnostics.extend(check_by_validator(check, validator, &tasks)?);
        if check.selected.is_none() {
            diagnostics.extend(trial::find_weaknesses(&check.bench, validator)?);
        }
    }
    if !check.validators.is_empty() {
        return Ok(diagnostics);
    }
    for case in check.judged_cases() {
        diagnostics.extend(tolerance_warning(case)?);
    }
    for (claim, case) in tasks.into_iter().filter(|(claim, _)| *claim != OutputClaim::Fault) {
        diagnostics.extend(check_by_default(claim, case)?);
    }
    Ok(diagnostics)
}

fn check_by_validator(
    check: &DataCheck<'_>,
    validator: &OutputValidator,
    tasks: &[(OutputClaim, &TestCase)],
) -> Result<Vec<Diagnostic>, Stop> {
    let problem = check.bench.problem;
    if problem.kind.interaction == Interaction::Interactive && problem.interactor.is_none() {
        let cases: Vec<&TestCase> = tasks.iter().map(|(_, test_case)| *test_case).collect();
        return exchange::check_exchanges(check, validator, &cases);
    }
    let diagnostics = parallel::map(check.bench.executor, tasks, |(claim, test_case)| {
        let is_shown = test_case.is_answer_shown && problem.kind.passes == 1;
        let shown = test_case.answer.as_ref().filter(|_| is_shown);
        let Some(output) = test_case.output.as_ref().or(shown) else { return Ok(None) };
        let input = Blob::file(output);
        let response = trial::ask_validator(validator, &check.bench, test_case, input)?;
        Ok(output_diagnostic(*claim, output, validator, &response))
    })?;
    Ok(diagnostics.into_iter().flatten().collect())
}

fn output_diagnostic(
    claim: OutputClaim,
    output: &Path,
    validator: &OutputValidator,
    response: &Response,
) -> Option<Diagnostic> {
    use OutputClaim::{Fault, Right, Wrong};
    let reason = trial::validator_message(response);
    let name = &validator.name;
    let (message, help) = match (claim, &response.opinion) {
        (Right, Opinion::Accepted)
        | (Wrong, Opinion::Rejected | Opinion::Partial(_))
        | (Fault, Opinion::Broken(_)) => return None,
        (_, Opinion::Broken(what)) => {
            let answers = validator.protocol().response_rule();
            (
                format!("the output validator `{name}` breaks down on it: {what}{reason}"),
                format!("it must {answers}, whatever the output is"),
            )
        }
        (Right, Opinion::Rejected | Opinion::Partial(_)) => (
            format!("the output validator `{name}` rejects it{reason}"),
            "an output that is declared right must be accepted with its judge answer".to_owned(),
        ),
        (Wrong, Opinion::Accepted) => (
            format!("the output validator `{name}` accepts this invalid output"),
            "make the validator stricter, or move the case to the valid outputs".to_owned(),
        ),
        (Fault, _) => (
            format!("the output validator `{name}` finds no fault in this test case{reason}"),
            "make the validator stricter, or change what the package declares about the test"
                .to_owned(),
        ),
    };
    Some(Diagnostic::error(output, message).help(help))
}

/// Compares an example output as the default output validator does. It cannot report a faulty test case.
fn check_by_default(claim: OutputClaim, case: &TestCase) -> Result<Option<Diagnostic>, JudgeError> {
    let (Some(answer), Some(output)) = (&case.answer, &case.output) else { return Ok(None) };
    let options = match Options::parse(&case.output_validator_args) {
        Ok(options) => options,
        Err(error) => {
            let config = case.input.with_extension("yaml");
            let message = format!("arguments of the output validator for {}: {error}", case.name);
            return Ok(Some(Diagnostic::error(config, message)));
        }
    };
    let difference = compare(open(answer)?, open(output)?, &options);
    let difference = difference.map_err(JudgeError::on_file("compare", output))?;
    Ok(match (claim, difference) {
        (OutputClaim::Right, Some(difference)) => {
            let message = format!("the output validator rejects it: {}", describe(&difference));
            let help = "an `.out` file must be accepted with its judge answer";
            Some(Diagnostic::error(output, message).help(help))
        }
        (OutputClaim::Wrong, None) => {
            let message = "the output validator accepts this invalid output";
            let help =
                "make the validator's arguments stricter, or move the case to the valid outputs";
            Some(Diagnostic::error(output, message).help(help))
        }
        _ => None,
    })
}

/// Warns if a tolerance makes integers in the judge answer count as floats.
fn tolerance_warning(case: &TestCase) -> Result<Option<Diagnostic>, JudgeError> {
    let Some(answer) = &case.answer else { return Ok(None) };
    match Options::parse(&case.output_validator_args) {
        Ok(options) if options.tolerance.is_some() => {}
        _ => return Ok(None),
    }
    let integers = count_integers(open(answer)?).map_err(JudgeError::on_file("read", answer))?;
    Ok((integers > 0).then(|| {
        Diagnostic::warning(
            answer,
            format!("a tolerance is set, so its {integers} integer tokens are compared as floats too"),
        )
        .help("if integers must be exact, write them with a custom output validator; if not, write them as floats, such as `3.0`")
    }))
}

fn open(path: &FilePath) -> Result<File, JudgeError> {
    path.open().map_err(JudgeError::on_file("open", path))
}
