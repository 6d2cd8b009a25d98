//! Runs a grammar against a port: one loop over its steps.

use std::collections::HashMap;
use std::sync::Arc;

use num_traits::ToPrimitive;

use crate::grammar::arithmetic;
use crate::grammar::ast::{Decimals, Expr, ExprKind, Notation, Op, Test, TestKind, VarRef};
use crate::grammar::bytes::ByteSet;
use crate::grammar::float::Quick;
use crate::grammar::number::Int;
use crate::grammar::pattern::Pattern;
use crate::grammar::port::{At, Before, DecimalRange, FloatRules, LoopState, Port, Stop};
use crate::grammar::program::{Grammar, PatternSource, Step};
use crate::grammar::source::Span;
use crate::grammar::value::Value;
use crate::grammar::vars::Vars;

/// How many iterations of a loop may read nothing, one after the other.
const IDLE_MAX: u32 = 1_000_000;

/// The most decimals that FLOATP may allow.
const DECIMALS_MAX: u32 = 9999;

/// A grammar under way.
pub(super) struct Run<'a> {
    pub(super) grammar: &'a Grammar,
    pub(super) vars: Vars,
    pub(super) at: usize,
    pub(super) loops: Vec<LoopState>,
    /// Regular expressions that are values.
    patterns: HashMap<Vec<u8>, Arc<Pattern>>,
    /// Rules of floats whose bounds are constant, by step.
    float_rules: HashMap<usize, Arc<FloatRules>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(grammar: &'a Grammar) -> Self {
        Self {
            grammar,
            vars: Vars::new(grammar.slots.iter().map(|slot| slot.is_counted)),
            at: 0,
            loops: Vec::new(),
            patterns: HashMap::new(),
            float_rules: HashMap::new(),
        }
    }

    /// Runs to the end.
    pub(super) fn run<P: Port>(&mut self, port: &mut P) -> Result<(), Stop> {
        while self.at < self.grammar.steps.len() {
            self.step(port)?;
        }
        Ok(())
    }

    #[inline]
    fn here(&self) -> At {
        At {
            step: self.at,
            span: self.grammar.spans[self.at],
        }
    }

    fn before<P: Port>(&self, port: &mut P) {
        if P::CHOOSES {
            port.before(Before {
                step: self.at,
                loops: &self.loops,
                mark: self.vars.mark(),
                index: self.unique_index(),
            });
        }
    }

    fn unique_index(&self) -> Option<Vec<Int>> {
        let Step::Int {
            site,
            name: Some(name),
            ..
        } = &self.grammar.steps[self.at]
        else {
            return None;
        };
        match self.grammar.sites[*site].unique.as_deref() {
            Some([_, _, ..]) => self.index(name).ok(),
            _ => None,
        }
    }

    #[inline]
    fn step<P: Port>(&mut self, port: &mut P) -> Result<(), Stop> {
        let grammar = self.grammar;
        let at = self.here();
        match &grammar.steps[self.at] {
            Step::Byte(byte) => port.byte(at, *byte)?,
            Step::Literal(text) => port.literal(at, text)?,
            Step::Text(expr) => {
                let text = self.text(expr, "STRING")?;
                port.literal(at, &text)?;
            }
            Step::Eof => port.end(at)?,
            Step::Int {
                site,
                min,
                max,
                name,
            } => {
                let value = match (self.small(min), self.small(max)) {
                    (Some(min), Some(max)) => {
                        self.before(port);
                        port.small_int(at, *site, [min, max], &self.vars)?
                    }
                    _ => {
                        let (min, max) = (self.int(min)?, self.int(max)?);
                        self.before(port);
                        port.int(at, *site, [&min, &max], &self.vars)?
                    }
                };
                if let Some(name) = name {
                    self.assign(name, Value::Int(value))?;
                }
            }
            Step::Float {
                site,
                min,
                max,
                decimals,
                notation,
                name,
            } => {
                let rules = self.float_rules(min, max, decimals.as_ref(), *notation)?;
                self.before(port);
                let read = port.float(at, *site, &rules, name.is_some())?;
                if let (Some(name), Some(value)) = (name, read.value) {
                    self.assign(name, arithmetic::float(value))?;
                }
            }
            Step::Regex {
                site,
                pattern,
                name,
            } => {
                let pattern = match pattern {
                    PatternSource::Known(pattern) => Arc::clone(pattern),
                    PatternSource::Computed(expr) => self.pattern(expr)?,
                };
                self.before(port);
                let text = port.regex(at, *site, &pattern)?;
                if let Some(name) = name {
                    self.assign(name, Value::text(text))?;
                }
            }
            Step::Assert(test) => {
                if !self.asked(test, port)? {
                    let message = self.refusal(test);
                    return Err(port.refuse(at, message));
                }
            }
            Step::Set(assignments) => {
                for assignment in assignments {
                    let value = self.eval(&assignment.value)?;
                    self.assign(&assignment.name, value)?;
                }
            }
            Step::Unset(slots) => {
                for slot in slots {
                    self.vars.unset(*slot);
                }
            }
            Step::Branch { test, otherwise } => {
                if !self.asked(test, port)? {
                    self.at = *otherwise;
                    return Ok(());
                }
            }
            Step::Jump(to) => {
                self.at = *to;
                return Ok(());
            }
            Step::Enter { id, count } => {
                let count = match count {
                    Some(count) => Some(self.count(count)?),
                    None => None,
                };
                self.loops.push(LoopState {
                    id: *id,
                    index: 0,
                    count,
                    offset: port.offset(),
                    idle: 0,
                });
                port.enter(*id, count);
            }
            Step::Next {
                id,
                test,
                counter,
                body,
                exit,
            } => {
                let Some(state) = self.loops.last() else {
                    return Err(Stop::fault(
                        at.span,
                        "a loop goes on that never began",
                        "this is a fault of juror",
                    ));
                };
                let (index, count) = (state.index, state.count);
                if let Some(counter) = counter {
                    let index = i64::try_from(index).unwrap_or(i64::MAX);
                    self.assign(counter, Value::from(index))?;
                }
                let goes_on = match test {
                    None => count.is_some_and(|count| index < u64::from(count)),
                    Some(test) => {
                        port.iteration(*id, index);
                        self.asked(test, port)?
                    }
                };
                if !goes_on {
                    self.loops.pop();
                    port.leave(*id);
                    self.at = *exit;
                    return Ok(());
                }
                if test.is_none() {
                    port.iteration(*id, index);
                }
                self.at = if index == 0 { *body } else { self.at + 1 };
                return Ok(());
            }
            Step::Back { to } => {
                let offset = port.offset();
                if let Some(state) = self.loops.last_mut() {
                    state.index += 1;
                    state.idle = if offset == state.offset {
                        state.idle + 1
                    } else {
                        0
                    };
                    state.offset = offset;
                    if state.idle > IDLE_MAX && state.count.is_none() {
                        let message = format!(
                            "this loop has gone round {IDLE_MAX} times without reading anything"
                        );
                        let span = grammar.loops[state.id].span;
                        return Err(Stop::fault(
                            span,
                            message,
                            "let its condition come to an end",
                        ));
                    }
                }
                self.at = *to;
                return Ok(());
            }
        }
        self.at += 1;
        Ok(())
    }

    /// A test; one that asks what comes next is a choice.
    #[inline]
    fn asked<P: Port>(&mut self, test: &Test, port: &mut P) -> Result<bool, Stop> {
        if P::CHOOSES && test.asks() {
            self.before(port);
        }
        self.test(test, port)
    }

    fn count(&self, expr: &Expr) -> Result<u32, Stop> {
        if let Some(count) = self.small(expr)
            && let Ok(count) = u32::try_from(count)
        {
            return Ok(count);
        }
        let value = self.int(expr)?;
        let fits = value.small().and_then(|value| u32::try_from(value).ok());
        fits.ok_or_else(|| {
            let message = format!("{value} is no number of iterations");
            Stop::fault(expr.span, message, "it must be from 0 to 4294967295")
        })
    }

    fn pattern(&mut self, expr: &Expr) -> Result<Arc<Pattern>, Stop> {
        let text = self.text(expr, "REGEX")?;
        if let Some(pattern) = self.patterns.get(text.as_slice()) {
            return Ok(Arc::clone(pattern));
        }
        let pattern = Pattern::new(&text).map_err(|reason| {
            let message = format!(
                "{} is no regular expression: {reason}",
                Value::text(text.to_vec())
            );
            Stop::fault(
                expr.span,
                message,
                "it is a POSIX extended regular expression",
            )
        })?;
        let pattern = Arc::new(pattern);
        self.patterns.insert(text.to_vec(), Arc::clone(&pattern));
        Ok(pattern)
    }

    fn float_rules(
        &mut self,
        min: &Expr,
        max: &Expr,
        decimals: Option<&Decimals>,
        notation: Notation,
    ) -> Result<Arc<FloatRules>, Stop> {
        if let Some(rules) = self.float_rules.get(&self.at) {
            return Ok(Arc::clone(rules));
        }
        let bound = |expr: &Expr| {
            let value = self.eval(expr)?;
            value
                .ratio()
                .ok_or_else(|| wrong_type(expr.span, "a number", &value))
        };
        let decimal = |expr: &Expr| {
            let value = self.int(expr)?;
            let fits = value.small().and_then(|value| u32::try_from(value).ok());
            fits.filter(|value| *value <= DECIMALS_MAX).ok_or_else(|| {
                let message = format!("{value} is no number of decimals");
                Stop::fault(expr.span, message, "it must be from 0 to 9999")
            })
        };
        let (low, high) = (bound(min)?, bound(max)?);
        let rules = Arc::new(FloatRules {
            quick: Quick::new(&low, &high),
            min: low,
            max: high,
            decimals: match decimals {
                None => None,
                Some(decimals) => Some(DecimalRange {
                    min: decimal(&decimals.min)?,
                    max: decimal(&decimals.max)?,
                }),
            },
            notation,
        });
        let is_constant = |expr: &Expr| expr.constant().is_some();
        let fixed = decimals
            .is_none_or(|decimals| is_constant(&decimals.min) && is_constant(&decimals.max));
        if fixed && is_constant(min) && is_constant(max) {
            self.float_rules.insert(self.at, Arc::clone(&rules));
        }
        Ok(rules)
    }

    /// The value of an expression of small integers; `None` where it has none, or is more.
    #[inline]
    fn small(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Const(Value::Int(Int::Small(value))) => Some(*value),
            ExprKind::Var(name) => match self.look(name)? {
                Value::Int(Int::Small(value)) => Some(*value),
                _ => None,
            },
            ExprKind::Neg(inner) => self.small(inner)?.checked_neg(),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.small(left)?, self.small(right)?);
                match op {
                    Op::Add => left.checked_add(right),
                    Op::Sub => left.checked_sub(right),
                    Op::Mul => left.checked_mul(right),
                    Op::Div => left.checked_div(right),
                    Op::Rem => left.checked_rem(right),
                    Op::Pow => None,
                }
            }
            _ => None,
        }
    }

    /// A variable with small indices, if it has a value.
    #[inline]
    fn look(&self, name: &VarRef) -> Option<&Value> {
        match &name.indices[..] {
            [] => self.vars.scalar(name.slot),
            [index] => self.vars.at(name.slot, self.small(index)?),
            indices => {
                let indices: Option<Vec<Int>> = indices
                    .iter()
                    .map(|index| self.small(index).map(Int::Small))
                    .collect();
                self.vars.get(name.slot, &indices?)
            }
        }
    }

    /// The value of an expression.
    pub(super) fn eval(&self, expr: &Expr) -> Result<Value, Stop> {
        if let Some(value) = self.small(expr) {
            return Ok(Value::from(value));
        }
        let wrong = |message: String| {
            Stop::fault(
                expr.span,
                message,
                "correct the expression, or ASSERT before it what it needs",
            )
        };
        match &expr.kind {
            ExprKind::Const(value) => Ok(value.clone()),
            ExprKind::Var(name) => self.variable(name),
            ExprKind::Neg(inner) => arithmetic::negated(&self.eval(inner)?).map_err(wrong),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                arithmetic::binary(*op, &left, &right).map_err(wrong)
            }
            ExprKind::Strlen(inner) => {
                let text = self.text(inner, "STRLEN")?;
                Ok(Value::from(text.len().to_i64().unwrap_or(i64::MAX)))
            }
        }
    }

    fn variable(&self, name: &VarRef) -> Result<Value, Stop> {
        let index = self.index(name)?;
        match self.vars.get(name.slot, &index) {
            Some(value) => Ok(value.clone()),
            None => {
                let shown: Vec<String> = index.iter().map(Int::to_string).collect();
                let shown = match shown.is_empty() {
                    true => String::new(),
                    false => format!("[{}]", shown.join(",")),
                };
                let message = format!(
                    "the variable `{}{shown}` has no value here",
                    self.grammar.slots[name.slot].name
                );
                Err(Stop::fault(
                    name.span,
                    message,
                    "read or SET it before it is used",
                ))
            }
        }
    }

    fn index(&self, name: &VarRef) -> Result<Vec<Int>, Stop> {
        name.indices.iter().map(|index| self.int(index)).collect()
    }

    fn int(&self, expr: &Expr) -> Result<Int, Stop> {
        if let Some(value) = self.small(expr) {
            return Ok(Int::Small(value));
        }
        match self.eval(expr)? {
            Value::Int(value) => Ok(value),
            other => Err(wrong_type(expr.span, "an integer", &other)),
        }
    }

    fn text(&self, expr: &Expr, user: &str) -> Result<Arc<Vec<u8>>, Stop> {
        match self.eval(expr)? {
            Value::Text(text) => Ok(text),
            other => Err(wrong_type(
                expr.span,
                &format!("a string for {user}"),
                &other,
            )),
        }
    }

    fn assign(&mut self, name: &VarRef, value: Value) -> Result<(), Stop> {
        match &name.indices[..] {
            [] => self.vars.set_scalar(name.slot, value),
            [index] => match self.small(index) {
                Some(index) => self.vars.set_at(name.slot, index, value),
                None => {
                    let index = self.int(index)?;
                    self.vars.set(name.slot, &[index], value);
                }
            },
            _ => {
                let index = self.index(name)?;
                self.vars.set(name.slot, &index, value);
            }
        }
        Ok(())
    }

    /// Whether a test holds.
    fn test<P: Port>(&mut self, test: &Test, port: &mut P) -> Result<bool, Stop> {
        Ok(match &test.kind {
            TestKind::Not(inner) => !self.test(inner, port)?,
            TestKind::And(left, right) => self.test(left, port)? && self.test(right, port)?,
            TestKind::Or(left, right) => self.test(left, port)? || self.test(right, port)?,
            TestKind::Compare { op, left, right } => {
                if let (Some(left), Some(right)) = (self.small(left), self.small(right)) {
                    return Ok(op.holds(left.cmp(&right)));
                }
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                match left.compare(&right) {
                    Some(ordering) => op.holds(ordering),
                    None => {
                        let message = format!(
                            "{left} is {}, {right} is {}: they cannot be compared",
                            left.kind(),
                            right.kind()
                        );
                        return Err(Stop::fault(
                            test.span,
                            message,
                            "compare numbers with numbers and strings with strings",
                        ));
                    }
                }
            }
            TestKind::Match { set, question } => {
                let text = self.text(set, "MATCH")?;
                port.question(self.here(), *question, &ByteSet::of(&text))?
            }
            TestKind::IsEof { question } => port.question(self.here(), *question, &ByteSet::END)?,
            TestKind::Unique(slots) => self.unique(slots),
            TestKind::InArray { value, slot } => {
                let value = self.eval(value)?;
                self.vars.occurs(*slot, &value)
            }
        })
    }

    /// Whether all tuples of values of these variables differ, and all have the same indices.
    fn unique(&self, slots: &[usize]) -> bool {
        if let [slot] = slots {
            return self.vars.all_differ(*slot);
        }
        let mut tuples: HashMap<Vec<Int>, Vec<crate::grammar::value::Key>> = HashMap::new();
        for (place, slot) in slots.iter().enumerate() {
            self.vars.each(*slot, &mut |index, value| {
                let tuple = tuples.entry(index.to_vec()).or_default();
                // A gap shows as a tuple that is too short.
                if tuple.len() == place {
                    tuple.push(value.key());
                }
            });
        }
        let mut seen = std::collections::HashSet::new();
        tuples
            .values()
            .all(|tuple| tuple.len() == slots.len() && seen.insert(tuple))
    }

    /// Why an assertion does not hold: its text, and the values in it.
    fn refusal(&self, test: &Test) -> String {
        const SHOWN_MAX: usize = 6;
        let mut shown: Vec<String> = Vec::new();
        let mut see = |text: String| {
            if !shown.contains(&text) {
                shown.push(text);
            }
        };
        test.expressions(&mut |expr| {
            expr.variables(&mut |name| {
                if let Ok(value) = self.variable(name) {
                    see(format!(
                        "{} = {value}",
                        self.grammar.source.excerpt(name.span)
                    ));
                }
            });
        });
        test.tests(&mut |test| {
            if let TestKind::Unique(slots) = &test.kind {
                for slot in slots {
                    let (name, count) = (&self.grammar.slots[*slot].name, self.vars.len(*slot));
                    see(format!(
                        "`{name}` has {}{}",
                        crate::model::text::count(count, "value"),
                        self.repeated(slots)
                    ));
                }
            }
        });
        shown.truncate(SHOWN_MAX);
        let text = self.grammar.source.excerpt(test.span);
        match shown.is_empty() {
            true => format!("`{text}` does not hold"),
            false => format!("`{text}` does not hold: {}", shown.join(", ")),
        }
    }

    /// A value that a single variable has twice, in words.
    fn repeated(&self, slots: &[usize]) -> String {
        let [slot] = slots else {
            return String::new();
        };
        let mut counts: HashMap<crate::grammar::value::Key, u32> = HashMap::new();
        let mut twice: Option<Value> = None;
        self.vars.each(*slot, &mut |_, value| {
            let count = counts.entry(value.key()).or_default();
            *count += 1;
            if *count == 2
                && twice
                    .as_ref()
                    .is_none_or(|old| value.compare(old).is_some_and(std::cmp::Ordering::is_lt))
            {
                twice = Some(value.clone());
            }
        });
        twice.map_or_else(String::new, |value| format!(", {value} more than once"))
    }
}

fn wrong_type(span: Span, wanted: &str, value: &Value) -> Stop {
    let message = format!(
        "{wanted} is needed here, and this is {}: {value}",
        value.kind()
    );
    Stop::fault(
        span,
        message,
        "the language converts nothing but integers to floats",
    )
}
