//! The bounds of the values that a grammar reads, and which of them inputs reach.

use std::cmp::Ordering;
use std::path::Path;

use crate::arithmetic;
use crate::ast::Expr;
use crate::float::{self, FloatRules, ScannedFloat};
use crate::number::show_ratio;
use crate::port::LoopObserver;
use crate::program::{Grammar, Instruction};
use crate::read::{IntNode, Witness};
use crate::validate::{Error, validate_with};
use crate::value::Value;
use crate::value_bounds::{BoundSide, ReachedValues, ValueBound, ValueBounds};

/// The bounds that inputs have reached so far.
#[derive(Clone, Debug)]
pub struct Coverage {
    sites: Vec<SiteCoverage>,
}

#[derive(Clone, Debug, Default)]
struct SiteCoverage {
    values: u64,
    least: Option<Value>,
    greatest: Option<Value>,
    reaches_min: bool,
    reaches_max: bool,
}

impl Coverage {
    pub fn new(grammar: &Grammar) -> Self {
        Self { sites: vec![SiteCoverage::default(); grammar.sites.len()] }
    }

    /// Adds an input, which must be valid: another adds nothing. `path` is its name in messages.
    pub fn add(&mut self, grammar: &Grammar, input: &[u8], path: &Path) -> Result<(), Error> {
        *self = validate_with(grammar, input, path, self.clone())?;
        Ok(())
    }
}

impl SiteCoverage {
    /// Notes a value, and whether it is the least and the greatest that is allowed.
    fn add_value(&mut self, value: Value, [is_min, is_max]: [bool; 2]) {
        self.values += 1;
        self.reaches_min |= is_min;
        self.reaches_max |= is_max;
        let passes = |old: &Option<Value>, order: Ordering| {
            old.as_ref().is_none_or(|old| value.compare(old) == Some(order))
        };
        if passes(&self.greatest, Ordering::Greater) {
            self.greatest = Some(value.clone());
        }
        if passes(&self.least, Ordering::Less) {
            self.least = Some(value);
        }
    }
}

impl LoopObserver for Coverage {}

impl Witness for Coverage {
    fn int(&mut self, int: IntNode) {
        let (is_min, is_max) = (int.value == int.min, int.value == int.max);
        self.sites[int.site].add_value(Value::Int(int.value), [is_min, is_max]);
    }

    fn float(&mut self, site: usize, rules: &FloatRules, text: &[u8], scanned: &ScannedFloat) {
        if let Some(value) = float::value(text, scanned) {
            let (is_min, is_max) = (value == rules.min, value == rules.max);
            self.sites[site].add_value(arithmetic::float_value(value), [is_min, is_max]);
        }
    }

    fn regex(&mut self, site: usize, _text: &[u8]) {
        self.sites[site].values += 1;
    }
}

impl Coverage {
    /// Whether a value of a site, by its index in [`Grammar::sites`], was at this bound.
    pub fn reaches(&self, site: usize, end: BoundSide) -> bool {
        match end {
            BoundSide::Least => self.sites[site].reaches_min,
            BoundSide::Most => self.sites[site].reaches_max,
        }
    }

    /// The fraction of the bounds of all numbers that inputs reach; `None` if there are no numbers.
    pub fn share(&self, grammar: &Grammar) -> Option<f64> {
        let all = bounds(grammar, Some(self));
        let reached = all.iter().filter_map(|bounds| bounds.reached.as_ref());
        let hits: usize = reached.map(|hit| usize::from(hit.min) + usize::from(hit.max)).sum();
        (!all.is_empty()).then(|| hits as f64 / (2 * all.len()) as f64)
    }
}

pub fn bounds(grammar: &Grammar, coverage: Option<&Coverage>) -> Vec<ValueBounds> {
    bounds_by_site(grammar, coverage).map(|(_, bounds)| bounds).collect()
}

/// Like [`bounds`], with the index of each site.
pub fn bounds_by_site(
    grammar: &Grammar,
    coverage: Option<&Coverage>,
) -> impl Iterator<Item = (usize, ValueBounds)> {
    let source = &grammar.source;
    grammar.sites.iter().enumerate().filter_map(move |(index, site)| {
        let (min, max) = match &grammar.instructions[site.instruction] {
            Instruction::Int { min, max, .. } | Instruction::Float { min, max, .. } => (min, max),
            _ => return None,
        };
        let spot = source.spot(site.span);
        let bound = |expr: &Expr| ValueBound {
            written: source.excerpt(expr.span),
            value: expr.constant().map(format_value),
        };
        let bounds = ValueBounds {
            name: site.label.clone(),
            command: source.excerpt(site.span),
            line: spot.line,
            column: spot.column,
            min: bound(min),
            max: bound(max),
            reached: coverage.map(|coverage| reached(&coverage.sites[index])),
        };
        Some((index, bounds))
    })
}

fn reached(coverage: &SiteCoverage) -> ReachedValues {
    ReachedValues {
        values: coverage.values,
        least: coverage.least.as_ref().map(format_value),
        greatest: coverage.greatest.as_ref().map(format_value),
        min: coverage.reaches_min,
        max: coverage.reaches_max,
    }
}

fn format_value(value: &Value) -> String {
    match value.to_ratio() {
        Some(ratio) if !matches!(value, Value::Int(_)) => show_ratio(&ratio),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::parse_grammar;

    fn grammar(text: &str) -> Grammar {
        parse_grammar(Path::new("g.ctd"), text.as_bytes()).grammar.expect("a grammar")
    }

    /// Each line is `name: min..max`, with `?` for an unknown bound.
    fn check(text: &str, lines: &[&str]) {
        let line = |bounds: &ValueBounds| {
            let value = |bound: &ValueBound| bound.value.clone().unwrap_or("?".to_owned());
            format!("{}: {}..{}", bounds.name, value(&bounds.min), value(&bounds.max))
        };
        let found: Vec<String> = bounds(&grammar(text), None).iter().map(line).collect();
        assert_eq!(found, lines, "{text}");
    }

    #[test]
    fn bounds_that_depend_on_nothing_are_known() {
        check("INT(2,100,n) INT(1,n,k)", &["n: 2..100", "k: 1..?"]);
        check("INT(2,10^20)", &["INT(2,10^20): 2..100000000000000000000"]);
        check("FLOAT(0.5,2*5,x)", &["x: 0.5..10"]);
        check("SET(m=10) INT(0,m-1,a)", &["a: 0..?"]);
    }

    #[test]
    fn coverage_counts_all_inputs_together() {
        let grammar = grammar("INT(2,100,n) NEWLINE REPI(i,n,SPACE) INT(1,n,a[i]) END NEWLINE");
        let mut coverage = Coverage::new(&grammar);
        let mut add = |text: &str| coverage.add(&grammar, text.as_bytes(), Path::new("1.in"));
        add("2\n1 2\n").unwrap();
        add("3\n1 1 1\n").unwrap();
        add("1\n1\n").unwrap_err();
        let bounds = bounds(&grammar, Some(&coverage));
        assert_eq!(bounds[0].missed_bounds().as_deref(), Some("never 100"));
        assert_eq!(bounds[1].missed_bounds(), None, "2 is the most where n is 2");
        let reached = bounds[1].reached.clone().expect("inputs were given");
        assert_eq!(
            (reached.values, reached.least.as_deref(), reached.greatest.as_deref()),
            (5, Some("1"), Some("2"))
        );
    }
}
