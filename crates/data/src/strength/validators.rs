//! How strict input validators are.

use crate::strength::strictness::Strictness;
use crate::validity::test_data::try_faulty_inputs;
use juror_core::stop::Stop;
use juror_judging::build::bench::Bench;

/// Counts which kinds of faulty inputs the input validators refuse.
///
/// # Errors
/// If it was interrupted, or the judge failed.
pub fn input_strictness(bench: Bench<'_>) -> Result<Strictness, Stop> {
    let Some(mut tried) = try_faulty_inputs(bench)? else {
        return Ok(Strictness::untried("no input validator, or one that does not build"));
    };
    tried.sort_by_key(|tried| tried.fault);
    let oracle = "a valid input with one fault, which every problem forbids";
    Ok(Strictness::of_faults(oracle, &tried))
}
