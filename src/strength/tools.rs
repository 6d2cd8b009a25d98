//! The parts of a package's strength that are not about wrong answers: whether test cases separate slow submissions, and
//! the strictness of its validators.

use std::time::{Duration, Instant};

use crate::build::bench::Bench;
use crate::judge::case::Rules;
use crate::model::stop::Stop;
use crate::model::strength::Strength;
use crate::strength::checkers::rejected_outputs;
use crate::strength::speed::SpeedProbe;
use crate::strength::submissions::timed;
use crate::strength::validators::refused_inputs;

/// `time` limits the runs of slow submissions.
pub fn measure(bench: Bench<'_>, rules: &Rules<'_>, time: Duration) -> Result<Strength, Stop> {
    let input_validators = Some(refused_inputs(bench)?);
    let [accepted, slow] = timed(bench, rules)?;
    let output_validator = Some(rejected_outputs(bench, rules, &accepted)?);
    let (accepted, slow, end) = (&accepted, &slow, Instant::now() + time);
    let probes = Some(SpeedProbe { bench, rules, accepted, slow, end }.probes()?);
    Ok(Strength { probes, input_validators, output_validator, ..Strength::default() })
}
