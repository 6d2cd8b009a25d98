//! Builds and tests the package's validators before they judge.

use std::slice::from_ref;

use crate::build::bench::Bench;
use crate::judge::case::Validators;
use crate::judge::grader::PackageGrader;
use crate::judge::images::ImageUse;
use crate::judge::visualizers::Visualizers;
use crate::output_validator::{OutputValidator, trial};
use juror_core::stop::Stop;

/// Builds the package's validators, and tests the output validator. Reports inputs on which it breaks down.
///
/// # Errors
/// If a validator does not build, or verdicts of the output validator would mean nothing.
pub fn build_validators(bench: &Bench<'_>, images: ImageUse) -> Result<Validators, Stop> {
    build_and_test(bench, images, |fault| fault.is_fatal)
}

/// Like `build_validators`, but refuses an output validator with any fault.
pub fn build_faultless_validators(bench: &Bench<'_>) -> Result<Validators, Stop> {
    build_and_test(bench, ImageUse::Never, |_| true)
}

fn build_and_test(
    bench: &Bench<'_>,
    images: ImageUse,
    stops: impl Fn(&trial::TrialFault) -> bool,
) -> Result<Validators, Stop> {
    let mut validators = Validators {
        output: OutputValidator::build(bench)?,
        interactor: OutputValidator::build_interactor(bench)?,
        visualizers: Visualizers::build(bench, images)?,
        static_validator: OutputValidator::build_static_validator(bench)?,
        grader: PackageGrader::build(bench)?,
        doubt: None,
    };
    let mut doubt = None;
    // An output validator next to an interactor judges the interactor's output, so it cannot be tested alone.
    let tried = match &validators.interactor {
        Some(interactor) => from_ref(interactor),
        None => &validators.output,
    };
    // One of the command line whose protocol is unknown is tried when it is found.
    for validator in tried.iter().filter(|validator| validator.has_protocol()) {
        let faults = trial::find_faults(bench, validator)?;
        let is_over = faults.iter().any(|fault| fault.diagnostic.is_error() && stops(fault));
        let fatal = faults.iter().find(|fault| fault.is_fatal);
        doubt = doubt.or_else(|| fatal.map(|fault| fault.diagnostic.message.clone()));
        let diagnostics = faults.into_iter().map(|fault| fault.diagnostic);
        if is_over {
            return Err(Stop::Diagnosed(diagnostics.collect()));
        }
        bench.send_diagnostics(diagnostics);
    }
    validators.doubt = doubt;
    Ok(validators)
}
