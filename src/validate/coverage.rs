//! Bounds of the input's grammar that no test case reaches.
//!
//! A limit that no input reaches is not tested: an array that is one too short goes unnoticed.

use std::fs;

use crate::grammar::bounds::{Coverage, bounds};
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
        let input = fs::read(&case.input).map_err(JudgeError::on("read", &case.input))?;
        // The validators report faults of inputs.
        if coverage.add(&grammar.grammar, &input, &case.input).is_err() {
            return Ok(Vec::new());
        }
    }
    let source = grammar.grammar.source();
    let spots = grammar.grammar.sites().iter();
    let spots: Vec<Spot> = spots.map(|site| source.spot(site.span)).collect();
    let numbers = bounds(&grammar.grammar, Some(&coverage)).into_iter();
    let missed = numbers.filter_map(|number| {
        let missed = number.missed()?;
        let message = format!("no test case reaches a bound: {} is {missed}", number.name);
        let remark = Diagnostic::warning(grammar.path, message)
            .help("add a test case at the bound: mistakes hide there");
        let place = (number.line, number.column);
        let spot = spots.iter().find(|spot| (spot.line, spot.column) == place);
        Some(match spot {
            Some(spot) => remark.at(spot.clone()),
            None => remark,
        })
    });
    Ok(missed.collect())
}
