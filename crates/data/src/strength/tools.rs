//! The parts of a package's strength that are not about wrong answers: whether test cases separate slow submissions, and
//! the strictness of its validators.

use std::time::{Duration, Instant};

use crate::strength::checkers::output_strictness;
use crate::strength::result::Strength;
use crate::strength::speed::SpeedProbe;
use crate::strength::submissions::build_timed;
use crate::strength::validators::input_strictness;
use juror_core::stop::Stop;
use juror_judging::build::bench::Bench;
use juror_judging::judge::case::Rules;

/// `time` limits the runs of slow submissions.
pub fn measure_tools(
    bench: Bench<'_>,
    rules: &Rules<'_>,
    time: Duration,
) -> Result<Strength, Stop> {
    let input_validators = Some(input_strictness(bench)?);
    let [accepted, slow] = build_timed(bench, rules)?;
    let output_validator = Some(output_strictness(bench, rules, &accepted)?);
    let (accepted, slow, end) = (&accepted, &slow, Instant::now() + time);
    let probes = Some(SpeedProbe { bench, rules, accepted, slow, end }.measure()?);
    Ok(Strength { probes, input_validators, output_validator, ..Strength::default() })
}
