//! The boundaries of what a grammar reads, and which of them inputs reach.

use std::cmp::Ordering;
use std::path::Path;

use num_rational::BigRational;

use crate::grammar::arithmetic;
use crate::grammar::ast::{Expr, ExprKind, Operator};
use crate::grammar::float;
use crate::grammar::number::show_ratio;
use crate::grammar::port::{FloatRules, Loops};
use crate::grammar::program::{Grammar, Op};
use crate::grammar::read::Witness;
use crate::grammar::tree::IntNode;
use crate::grammar::validate::{Rejection, witnessed};
use crate::grammar::value::Value;
use crate::model::grammar::{Bound, Reached, ValueBounds};

/// What inputs have reached so far.
#[derive(Clone, Debug)]
pub struct Coverage {
    sites: Vec<Seen>,
}

#[derive(Clone, Debug, Default)]
struct Seen {
    values: u64,
    least: Option<Value>,
    greatest: Option<Value>,
    min: bool,
    max: bool,
}

impl Coverage {
    /// Of no input.
    pub fn new(grammar: &Grammar) -> Self {
        Self { sites: vec![Seen::default(); grammar.sites.len()] }
    }

    /// Adds an input, which must be valid. `path` is its name in messages.
    ///
    /// # Errors
    /// Why it is not valid; then nothing is added.
    pub fn add(&mut self, grammar: &Grammar, input: &[u8], path: &Path) -> Result<(), Rejection> {
        *self = witnessed(grammar, input, path, self.clone())?;
        Ok(())
    }
}

impl Seen {
    fn see(&mut self, value: Value, is_min: bool, is_max: bool) {
        self.values += 1;
        self.min |= is_min;
        self.max |= is_max;
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

impl Loops for Coverage {}

impl Witness for Coverage {
    fn int(&mut self, read: IntNode) {
        let (is_min, is_max) = (read.value == read.min, read.value == read.max);
        self.sites[read.site].see(Value::Int(read.value), is_min, is_max);
    }

    fn float(&mut self, site: usize, rules: &FloatRules, text: &[u8]) {
        let scanned = float::scan(text);
        if let Some(value) = scanned.and_then(|scanned| float::value(text, &scanned)) {
            let (is_min, is_max) = (value == rules.min, value == rules.max);
            self.sites[site].see(arithmetic::float(value), is_min, is_max);
        }
    }

    fn regex(&mut self, site: usize, _text: &[u8]) {
        self.sites[site].values += 1;
    }
}

/// The bounds of all numbers that the grammar reads, with what inputs reach.
pub fn bounds(grammar: &Grammar, coverage: Option<&Coverage>) -> Vec<ValueBounds> {
    let source = grammar.source();
    let ranges = Ranges { grammar };
    let sites = grammar.sites.iter().enumerate();
    sites
        .filter_map(|(index, site)| {
            let (min, max) = match &grammar.steps[site.step] {
                Op::Int { min, max, .. } | Op::Float { min, max, .. } => (min, max),
                _ => return None,
            };
            let spot = source.spot(site.span);
            let least = ranges.of(min, 0).map(|range| range.min);
            let greatest = ranges.of(max, 0).map(|range| range.max);
            let bound = |expr: &Expr, value: Option<Value>| Bound {
                written: source.excerpt(expr.span),
                value: value.map(|value| shown(&value)),
            };
            Some(ValueBounds {
                name: site.label.clone(),
                command: source.excerpt(site.span),
                line: spot.line,
                column: spot.column,
                min: bound(min, least),
                max: bound(max, greatest),
                reached: coverage.map(|coverage| reached(&coverage.sites[index])),
            })
        })
        .collect()
}

fn reached(seen: &Seen) -> Reached {
    Reached {
        values: seen.values,
        least: seen.least.as_ref().map(shown),
        greatest: seen.greatest.as_ref().map(shown),
        min: seen.min,
        max: seen.max,
    }
}

fn shown(value: &Value) -> String {
    match value.ratio() {
        Some(ratio) if !matches!(value, Value::Int(_)) => show_ratio(&ratio),
        _ => value.to_string(),
    }
}

/// The least and the greatest value of something.
#[derive(Clone, Debug)]
struct Range {
    min: Value,
    max: Value,
}

/// Computes ranges of expressions from those of the variables in them.
struct Ranges<'a> {
    grammar: &'a Grammar,
}

/// How deep variables are followed; what depends on itself has no known range.
const DEPTH_MAX: usize = 12;

impl Ranges<'_> {
    fn of(&self, expr: &Expr, depth: usize) -> Option<Range> {
        match &expr.kind {
            ExprKind::Const(value @ (Value::Int(_) | Value::Float(_))) => {
                Some(Range { min: value.clone(), max: value.clone() })
            }

            ExprKind::Var(name) => self.of_slot(name.slot, depth + 1),
            ExprKind::Neg(inner) => {
                let inner = self.of(inner, depth)?;
                Some(Range {
                    min: arithmetic::negated(&inner.max).ok()?,
                    max: arithmetic::negated(&inner.min).ok()?,
                })
            }
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.of(left, depth)?, self.of(right, depth)?);
                combined(*op, &left, &right)
            }
            _ => None,
        }
    }

    /// All that is ever assigned to a variable.
    fn of_slot(&self, slot: usize, depth: usize) -> Option<Range> {
        if depth > DEPTH_MAX {
            return None;
        }
        let mut all: Option<Range> = None;
        let mut add = |range: Range| {
            all = Some(all.as_ref().map_or(Some(range.clone()), |old| old.around(&range))?);
            Some(())
        };
        for step in &self.grammar.steps {
            match step {
                Op::Int { min, max, name: Some(name), .. }
                | Op::Float { min, max, name: Some(name), .. }
                    if name.slot == slot =>
                {
                    add(Range { min: self.of(min, depth)?.min, max: self.of(max, depth)?.max })?
                }
                Op::Regex { name: Some(name), .. } if name.slot == slot => return None,
                Op::Set(assignments) => {
                    for (name, value) in assignments {
                        if name.slot == slot {
                            add(self.of(value, depth)?)?;
                        }
                    }
                }
                Op::Next { id, counter: Some(counter), .. } if counter.slot == slot => {
                    add(Range { min: Value::from(0), max: self.count_of(*id, depth)? })?
                }
                _ => {}
            }
        }
        all
    }

    /// The greatest number of iterations of a loop.
    fn count_of(&self, id: usize, depth: usize) -> Option<Value> {
        let count = self.grammar.steps.iter().find_map(|step| match step {
            Op::Enter { id: other, count, .. } if *other == id => Some(count.as_ref()),
            _ => None,
        });
        Some(self.of(count??, depth)?.max)
    }
}

fn lesser(a: &Value, b: &Value) -> Option<Value> {
    Some(if a.compare(b)?.is_le() { a } else { b }.clone())
}

impl Range {
    /// The least range around both.
    fn around(&self, other: &Self) -> Option<Self> {
        let is_greater = self.max.compare(&other.max)?.is_ge();
        let max = if is_greater { &self.max } else { &other.max }.clone();
        Some(Self { min: lesser(&self.min, &other.min)?, max })
    }
}

/// The extremes of a sum, a difference, a product or a quotient by a constant are those of its corners.
fn combined(op: Operator, left: &Range, right: &Range) -> Option<Range> {
    match op {
        Operator::Add | Operator::Sub | Operator::Mul => {}
        Operator::Div if is_positive(&right.min) && right.min == right.max => {}
        Operator::Rem if is_positive(&right.min) && is_positive_or_zero(&left.min) => {
            let below = arithmetic::binary(Operator::Sub, &right.max, &Value::from(1)).ok()?;
            return Some(Range { min: Value::from(0), max: lesser(&left.max, &below)? });
        }
        _ => return None,
    }
    let corner = |a: &Value, b: &Value| {
        let value = arithmetic::binary(op, a, b).ok()?;
        Some(Range { min: value.clone(), max: value })
    };
    let ends = |a: &Value| corner(a, &right.min)?.around(&corner(a, &right.max)?);
    ends(&left.min)?.around(&ends(&left.max)?)
}

fn is_positive(value: &Value) -> bool {
    value.ratio() > Some(BigRational::from_integer(0.into()))
}

fn is_positive_or_zero(value: &Value) -> bool {
    value.ratio() >= Some(BigRational::from_integer(0.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::compile::read;

    fn grammar(text: &str) -> Grammar {
        read(Path::new("g.ctd"), text.as_bytes()).grammar.expect("a grammar")
    }

    /// Each line is `name: min..max`, with `?` for what is not known.
    fn check(text: &str, lines: &[&str]) {
        let line = |bounds: &ValueBounds| {
            let value = |bound: &Bound| bound.value.clone().unwrap_or("?".to_owned());
            format!("{}: {}..{}", bounds.name, value(&bounds.min), value(&bounds.max))
        };
        let came: Vec<String> = bounds(&grammar(text), None).iter().map(line).collect();
        assert_eq!(came, lines, "{text}");
    }

    #[test]
    fn bounds_are_followed_through_variables() {
        check(
            "INT(2,100,n) INT(1,n,k) INT(-n,n*k+1,m)",
            &["n: 2..100", "k: 1..100", "m: -100..10001"],
        );
        check("INT(2,10^20)", &["INT(2,10^20): 2..100000000000000000000"]);
        check("SET(m=10) INT(0,m-1,a)", &["a: 0..9"]);
        check("SET(m=10) SET(m=m+1) INT(0,m,a)", &["a: 0..?"]);
        check("INT(1,9,n) REPI(i,n) INT(i,i+5,a[i]) END", &["n: 1..9", "a[i]: 0..14"]);
        check("FLOAT(0.5,10,x) FLOATP(-x,x,1,2)", &["x: 0.5..10", "FLOATP(-x,x,1,2): -10..10"]);
        check("INT(1,100,n) INT(n/2,n%7,m)", &["n: 1..100", "m: 0..6"]);
        check("INT(0,9,a) REGEX(\"x\",s) INT(0,STRLEN(s),b)", &["a: 0..9", "b: 0..?"]);
    }

    #[test]
    fn what_inputs_reach_is_counted_over_all_of_them() {
        let grammar = grammar("INT(2,100,n) NEWLINE REPI(i,n,SPACE) INT(1,n,a[i]) END NEWLINE");
        let mut coverage = Coverage::new(&grammar);
        let mut add = |text: &str| coverage.add(&grammar, text.as_bytes(), Path::new("1.in"));
        add("2\n1 2\n").unwrap();
        add("3\n1 1 1\n").unwrap();
        add("1\n1\n").unwrap_err();
        let bounds = bounds(&grammar, Some(&coverage));
        assert_eq!(bounds[0].missed().as_deref(), Some("never 100"));
        assert_eq!(bounds[1].missed(), None, "2 is the most where n is 2");
        let reached = bounds[1].reached.clone().expect("inputs were given");
        assert_eq!(
            (reached.values, reached.least.as_deref(), reached.greatest.as_deref()),
            (5, Some("1"), Some("2"))
        );
    }
}
