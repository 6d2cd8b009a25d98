//! Makes the files of test cases as a package's recipe describes them: inputs by generators, answers by solutions.
//!
//! All files are first made on a [`stage`](stage::Stage), a directory apart.

pub mod answers;
pub mod complete;
pub mod inputs;
pub mod keys;
pub mod programs;
pub mod run;
pub mod seed;
pub mod solution;
pub mod stage;

use std::time::Instant;

use crate::build::bench::Bench;
use crate::recipe::inputs::{Digests, Generators};
use crate::recipe::stage::Stage;
use juror_core::diagnostic::Diagnostic;
use juror_core::recipe::RecipeCase;
use juror_core::stop::Stop;

/// The results of generators. `ended_at` is the time when the last one ended.
pub struct GeneratorResults<'a> {
    pub generators: Generators<'a>,
    pub digests: Digests,
    pub ended_at: Instant,
}

/// Makes inputs, further files and answers of these cases on the stage. Adds reasons for failures to `diagnostics`.
pub fn make_files<'a>(
    bench: &Bench<'_>,
    stage: &Stage,
    cases: &[&'a RecipeCase],
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<GeneratorResults<'a>, Stop> {
    let generators = inputs::build_generators(bench, cases)?;
    let digests = inputs::make_inputs(bench, stage, &generators, cases, diagnostics)?;
    let at = Instant::now();
    // The faults of all cases are reported at once.
    let with_input = cases.iter().copied().filter(|case| digests.contains_key(&case.name));
    answers::make_answers(bench, stage, &with_input.collect::<Vec<_>>(), diagnostics)?;
    Ok(GeneratorResults { generators, digests, ended_at: at })
}
