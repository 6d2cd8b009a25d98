//! Bounds of the input's grammar that no test case reaches.
//!
//! A limit that no input reaches is not tested: an array that is one too short goes unnoticed.

use std::cell::Cell;

use crate::grammar::bounds::{Coverage, bounds};
use crate::grammar::generate::{End, Pin, Unwritten, generate_until};
use crate::grammar::program::Grammar;
use crate::grammar::shape::RANDOM;
use crate::grammar::wanted::unreached;
use crate::model::diagnostic::{Diagnostic, Spot};
use crate::model::judgement::JudgeError;
use crate::model::problem::Problem;
use crate::validate::{Extent, Proving};

/// Warns of each number that never reaches its lower or upper bound in the judged cases.
pub(super) fn find(
    proving: &Proving<'_>,
    grammars: &[Grammar],
) -> Result<Vec<Diagnostic>, JudgeError> {
    let problem = proving.bench.problem;
    if proving.extent != Extent::Everything || problem.test_data.cases.is_empty() {
        return Ok(Vec::new());
    }
    let mut doubts = Vec::new();
    for grammar in grammars {
        // The validators report invalid inputs.
        if let Some(coverage) = of_test_cases(grammar, problem)? {
            doubts.extend(missed(grammar, &coverage));
        }
    }
    Ok(doubts)
}

/// `None` if the grammar refuses an input.
pub fn of_test_cases(grammar: &Grammar, problem: &Problem) -> Result<Option<Coverage>, JudgeError> {
    let mut coverage = Coverage::new(grammar);
    for case in &problem.test_data.cases {
        let input = case.input.read().map_err(JudgeError::on("read", &case.input))?;
        if coverage.add(grammar, &input, &case.input).is_err() {
            return Ok(None);
        }
    }
    Ok(Some(coverage))
}

fn missed(grammar: &Grammar, coverage: &Coverage) -> Vec<Diagnostic> {
    let source = &grammar.source;
    let spots = grammar.sites.iter();
    let spots: Vec<Spot> = spots.map(|site| source.spot(site.span)).collect();
    let numbers = bounds(grammar, Some(coverage)).into_iter();
    let missed = numbers.filter_map(|mut number| {
        let place = (number.line, number.column);
        let site = spots.iter().position(|spot| (spot.line, spot.column) == place);
        if let (Some(reached), Some(site)) = (&mut number.reached, site) {
            reached.min = reached.min || is_ruled_out(grammar, site, End::Least);
            reached.max = reached.max || is_ruled_out(grammar, site, End::Most);
        }
        let missed = number.missed()?;
        let message = format!("no test case reaches a bound: {} is {missed}", number.name);
        let remark = Diagnostic::warning(&source.path, message)
            .help("add a test case at the bound: mistakes hide there");
        Some(match site {
            Some(site) => remark.at(spots[site].clone()),
            None => remark,
        })
    });
    missed.collect()
}

/// Tries to write an input with a value at its bound. If another value results, an ASSERT rules the bound out.
fn is_ruled_out(grammar: &Grammar, site: usize, end: End) -> bool {
    /// Upper bound on the bytes of the input.
    const LARGEST: usize = 256 << 10;
    const STOPS: u32 = 2000;
    let stops = Cell::new(0);
    let is_over = || stops.replace(stops.get() + 1) >= STOPS;
    let pins = [Pin { site, end }];
    match generate_until(grammar, &RANDOM, &pins, 1, Some(LARGEST), &is_over) {
        Ok(input) => !unreached(grammar, &RANDOM, &pins, &input).is_empty(),
        Err(unwritten) => matches!(unwritten, Unwritten::Unsatisfied(_)),
    }
}
