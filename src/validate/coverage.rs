//! Bounds of the input's grammar that no test case reaches.
//!
//! A limit that no input reaches is not tested: an array that is one too short goes unnoticed.

use std::cell::Cell;

use crate::grammar;
use crate::grammar::bounds::{Coverage, bounds};
use crate::grammar::generate::{End, Pin, Unwritten, generate_until};
use crate::grammar::shape::RANDOM;
use crate::grammar::wanted::unreached;
use crate::model::diagnostic::{Diagnostic, Spot};
use crate::model::judgement::JudgeError;
use crate::validate::grammars::Grammar;
use crate::validate::inputs::InputValidator;
use crate::validate::{Extent, Proving};

/// Warns of each number in a grammar that never reaches its lower or upper bound in the judged cases.
pub(super) fn find(
    proving: &Proving<'_>,
    validators: &[InputValidator<'_>],
) -> Result<Vec<Diagnostic>, JudgeError> {
    if proving.extent != Extent::Everything || proving.bench.problem.test_data.cases.is_empty() {
        return Ok(Vec::new());
    }
    let mut doubts = Vec::new();
    for validator in validators {
        if let InputValidator::Grammar(grammar) = validator {
            doubts.extend(of_grammar(proving, grammar)?);
        }
    }
    Ok(doubts)
}

fn of_grammar(proving: &Proving<'_>, grammar: &Grammar<'_>) -> Result<Vec<Diagnostic>, JudgeError> {
    let mut coverage = Coverage::new(&grammar.grammar);
    for case in &proving.bench.problem.test_data.cases {
        let input = case.input.read().map_err(JudgeError::on("read", &case.input))?;
        // The validators report faults of inputs.
        if coverage.add(&grammar.grammar, &input, &case.input).is_err() {
            return Ok(Vec::new());
        }
    }
    let source = &grammar.grammar.source;
    let spots = grammar.grammar.sites.iter();
    let spots: Vec<Spot> = spots.map(|site| source.spot(site.span)).collect();
    let numbers = bounds(&grammar.grammar, Some(&coverage)).into_iter();
    let missed = numbers.filter_map(|mut number| {
        let place = (number.line, number.column);
        let site = spots.iter().position(|spot| (spot.line, spot.column) == place);
        if let (Some(reached), Some(site)) = (&mut number.reached, site) {
            reached.min = reached.min || is_ruled_out(&grammar.grammar, site, End::Least);
            reached.max = reached.max || is_ruled_out(&grammar.grammar, site, End::Most);
        }
        let missed = number.missed()?;
        let message = format!("no test case reaches a bound: {} is {missed}", number.name);
        let remark = Diagnostic::warning(grammar.path, message)
            .help("add a test case at the bound: mistakes hide there");
        Some(match site {
            Some(site) => remark.at(spots[site].clone()),
            None => remark,
        })
    });
    Ok(missed.collect())
}

/// Whether an attempt to write an input with a value at its bound ends with another value: an ASSERT rules it out.
fn is_ruled_out(grammar: &grammar::program::Grammar, site: usize, end: End) -> bool {
    /// Upper bound on the size of the input, in bytes.
    const LARGEST: usize = 256 << 10;
    /// Upper bound on the dead ends.
    const STOPS: u32 = 2000;
    let stops = Cell::new(0);
    let is_over = || stops.replace(stops.get() + 1) >= STOPS;
    let pins = [Pin { site, end }];
    match generate_until(grammar, &RANDOM, &pins, 1, Some(LARGEST), &is_over) {
        Ok(input) => !unreached(grammar, &RANDOM, &pins, &input).is_empty(),
        Err(unwritten) => matches!(unwritten, Unwritten::Unsatisfied(_)),
    }
}
