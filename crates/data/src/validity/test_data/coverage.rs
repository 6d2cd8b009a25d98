//! Bounds of the input's grammar that no test case reaches.
//!
//! A limit that no input reaches is not tested: an array that is one too short goes unnoticed.

use std::cell::Cell;

use crate::validity::test_data::DataCheck;
use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::problem::Problem;
use juror_grammar::bounds::{Coverage, bounds_by_site};
use juror_grammar::generate::{GenerationFailure, generate_until};
use juror_grammar::program::Grammar;
use juror_grammar::shape::RANDOM;
use juror_grammar::value_bounds::{BoundSide, Pin};
use juror_grammar::wanted_bounds::unreached;

/// Warns of each number that never reaches its lower or upper bound in the judged cases.
pub(super) fn find_missed_bounds(
    check: &DataCheck<'_>,
    grammars: &[Grammar],
) -> Result<Vec<Diagnostic>, JudgeError> {
    let problem = check.bench.problem;
    if check.selected.is_some() || problem.test_data.cases.is_empty() {
        return Ok(Vec::new());
    }
    let mut warnings = Vec::new();
    for grammar in grammars {
        // The validators report invalid inputs.
        if let Some(coverage) = test_case_coverage(grammar, problem)? {
            warnings.extend(missed_bounds(grammar, &coverage));
        }
    }
    Ok(warnings)
}

/// `None` if the grammar refuses an input.
pub fn test_case_coverage(
    grammar: &Grammar,
    problem: &Problem,
) -> Result<Option<Coverage>, JudgeError> {
    let mut coverage = Coverage::new(grammar);
    for case in &problem.test_data.cases {
        let input = case.input.read().map_err(JudgeError::on_file("read", &case.input))?;
        if coverage.add(grammar, &input, &case.input).is_err() {
            return Ok(None);
        }
    }
    Ok(Some(coverage))
}

fn missed_bounds(grammar: &Grammar, coverage: &Coverage) -> Vec<Diagnostic> {
    let numbers = bounds_by_site(grammar, Some(coverage));
    let missed = numbers.filter_map(|(site, mut number)| {
        if let Some(reached) = &mut number.reached {
            reached.min = reached.min || is_ruled_out(grammar, site, BoundSide::Least);
            reached.max = reached.max || is_ruled_out(grammar, site, BoundSide::Most);
        }
        let missed = number.missed_bounds()?;
        let message = format!("no test case reaches a bound: {} is {missed}", number.name);
        let warning = grammar.source.warning(grammar.sites[site].span, message);
        Some(warning.help("add a test case at the bound: mistakes hide there"))
    });
    missed.collect()
}

/// Tries to write an input with a value at its bound. If another value results, an ASSERT rules the bound out.
fn is_ruled_out(grammar: &Grammar, site: usize, side: BoundSide) -> bool {
    /// Upper bound on the bytes of the input.
    const LARGEST: usize = 256 << 10;
    const STOPS: u32 = 2000;
    let stops = Cell::new(0);
    let is_over = || stops.replace(stops.get() + 1) >= STOPS;
    let pins = [Pin { site, side }];
    match generate_until(grammar, &RANDOM, &pins, 1, Some(LARGEST), &is_over) {
        Ok(input) => !unreached(grammar, &RANDOM, &pins, &input).is_empty(),
        Err(failure) => matches!(failure, GenerationFailure::Unsatisfied(_)),
    }
}
