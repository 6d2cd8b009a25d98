//! Runs a grammar with a port, in a single loop over its instructions.
//!
//! The position is an index, and the open loops are a list, instead of functions that call each other: so the generator
//! can save a run and go back to it.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use regex_automata::hybrid::dfa::Cache;

use crate::arithmetic;
use crate::ast::{Expr, ExprKind, Notation};
use crate::bytes::ByteSet;
use crate::float::{FloatRules, QuickBounds};
use crate::number::Int;
use crate::pattern::Pattern;
use crate::port::{LoopObserver, LoopState, Port, RunStop};
use crate::program::{Grammar, Instruction, PatternSource};
use crate::source::Span;
use crate::value::{Value, ValueKey};
use crate::variable_values::VariableValues;
use crate::work::{self, WorkCounter};

/// Upper bound on the iterations in a row that read nothing.
const IDLE_MAX: u32 = 1_000_000;

/// Number of regular expressions from computed values that are kept.
const PATTERNS_MAX: usize = 64;
/// The steps of work to compile such an expression.
const PATTERN_STEPS: u64 = 1 << 20;

/// Upper bound on the decimals in FLOATP.
const DECIMALS_MAX: u32 = 9999;

pub(super) struct Interpreter<'a> {
    pub(super) grammar: &'a Grammar,
    pub(super) vars: VariableValues,
    pub(super) at: usize,
    pub(super) loops: Vec<LoopState>,
    pub(super) work: Rc<WorkCounter>,
    patterns: HashMap<Vec<u8>, Arc<Pattern>>,
    /// The working memory of regular expressions, by their address. Each run has its own, so that it always has the
    /// same number of steps.
    pattern_caches: RefCell<HashMap<usize, Cache>>,
    /// The rules of floats with constant bounds, by instruction.
    float_rules: Vec<(usize, Arc<FloatRules>)>,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(grammar: &'a Grammar) -> Self {
        Self::with_work(grammar, Rc::new(WorkCounter::new(grammar.limits.steps)))
    }

    /// A run whose steps of work are added to those of earlier runs.
    pub(super) fn with_work(grammar: &'a Grammar, work: Rc<WorkCounter>) -> Self {
        let counted = grammar.variables.iter().map(|slot| slot.is_counted);
        Self {
            grammar,
            vars: VariableValues::new(counted, grammar.limits.bytes),
            at: 0,
            loops: Vec::new(),
            work,
            patterns: HashMap::new(),
            pattern_caches: RefCell::default(),
            float_rules: Vec::new(),
        }
    }

    pub(super) fn run<P: Port>(&mut self, port: &mut P) -> Result<(), RunStop> {
        while self.at < self.grammar.instructions.len() {
            self.spend(1)?;
            self.step(port)?;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn spend(&self, steps: u64) -> Result<(), RunStop> {
        self.work.add(steps).map_err(|stop| RunStop::of_work(self.here(), stop))
    }

    #[inline]
    pub(super) fn spend_operation(&self, steps: u64) -> Result<(), RunStop> {
        match steps {
            1 => self.spend(1),
            _ => self.work.add_operation(steps).map_err(|stop| RunStop::of_work(self.here(), stop)),
        }
    }

    /// In bytes, from the start of the text.
    pub(super) fn longest_match(
        &self,
        pattern: &Pattern,
        text: &[u8],
    ) -> Result<Option<usize>, RunStop> {
        let mut memories = self.pattern_caches.borrow_mut();
        let memory = memories.entry(std::ptr::from_ref(pattern).addr());
        let memory = memory.or_insert_with(|| pattern.new_cache());
        let found = pattern.longest_match(text, memory, &self.work);
        found.map_err(|stop| RunStop::of_work(self.here(), stop))
    }

    #[inline]
    fn here(&self) -> Span {
        self.grammar.spans[self.at]
    }

    fn announce_choice<P: Port>(&self, port: &mut P) {
        if P::CHOOSES {
            port.before_choice(self);
        }
    }

    pub(super) fn unique_index(&self) -> Option<Vec<Int>> {
        let Instruction::Int { site, name: Some(name), .. } = &self.grammar.instructions[self.at]
        else {
            return None;
        };
        match self.grammar.sites[*site].unique.as_deref() {
            Some([_, _, ..]) => self.eval_indices(name).ok(),
            _ => None,
        }
    }

    #[inline]
    fn step<P: Port>(&mut self, port: &mut P) -> Result<(), RunStop> {
        let grammar = self.grammar;
        let at = self.here();
        match &grammar.instructions[self.at] {
            Instruction::Byte(byte) => port.byte(at, *byte)?,
            Instruction::Literal(text) => port.literal(at, text)?,
            Instruction::Text(expr) => {
                let text = self.eval_text(expr, "STRING")?;
                self.spend(work::byte_steps(text.len()))?;
                port.literal(at, &text)?;
            }
            Instruction::Eof => port.end(at)?,
            Instruction::Int { site, min, max, name } => {
                let value = match (self.eval_small(min), self.eval_small(max)) {
                    (Some(min), Some(max)) => {
                        self.announce_choice(port);
                        port.small_int(*site, [min, max], self)?
                    }
                    _ => {
                        let (min, max) = (self.eval_int(min)?, self.eval_int(max)?);
                        self.spend_operation(work::decimal_steps(
                            min.bits_if_big().max(max.bits_if_big()),
                        ))?;
                        self.announce_choice(port);
                        port.int(*site, [&min, &max], self)?
                    }
                };
                if let Some(name) = name {
                    self.assign(name, Value::Int(value))?;
                }
            }
            Instruction::Float { site, min, max, decimals, notation, name } => {
                let rules = self.float_rules(min, max, decimals.as_ref(), *notation)?;
                self.announce_choice(port);
                let value = port.float(*site, &rules, name.is_some(), self)?;
                if let (Some(name), Some(value)) = (name, value) {
                    self.assign(name, arithmetic::float_value(value))?;
                }
            }
            Instruction::Regex { site, pattern, name } => {
                let pattern = match pattern {
                    PatternSource::Known(pattern) => Arc::clone(pattern),
                    PatternSource::Computed(expr) => self.pattern(expr)?,
                };
                self.announce_choice(port);
                let text = port.regex(*site, &pattern, name.is_some(), self)?;
                if let (Some(name), Some(text)) = (name, text) {
                    self.assign(name, Value::text(text))?;
                }
            }
            Instruction::Assert(test) => {
                if !self.test_as_choice(test, port)? {
                    let message = self.refusal(test)?;
                    return Err(port.assertion_fault(at, message));
                }
            }
            Instruction::Set(assignments) => {
                for (name, value) in assignments {
                    let value = self.eval(value)?;
                    self.assign(name, value)?;
                }
            }
            Instruction::Unset(slots) => {
                for slot in slots {
                    self.vars.unset(*slot);
                }
            }
            Instruction::Branch { test, otherwise } => {
                if !self.test_as_choice(test, port)? {
                    self.at = *otherwise;
                    return Ok(());
                }
            }
            Instruction::Jump(to) => {
                self.at = *to;
                return Ok(());
            }
            Instruction::BeginLoop { id, count } => {
                let count = match count {
                    Some(count) => Some(self.count(count)?),
                    None => None,
                };
                self.loops.push(LoopState {
                    id: *id,
                    index: 0,
                    count,
                    offset: port.offset(),
                    idle_iterations: 0,
                });
                port.loops().enter(*id, count);
            }
            Instruction::NextIteration { id, test, counter, body, exit } => {
                // The instruction before is its `BeginLoop`.
                let (index, count) =
                    self.loops.last().map_or((0, None), |state| (state.index, state.count));
                if let Some(counter) = counter {
                    let index = i64::try_from(index).unwrap_or(i64::MAX);
                    self.assign(counter, Value::from(index))?;
                }
                let goes_on = match test {
                    None => count.is_some_and(|count| index < u64::from(count)),
                    Some(test) => {
                        port.loops().iteration(*id, index);
                        self.test_as_choice(test, port)?
                    }
                };
                if !goes_on {
                    self.loops.pop();
                    port.loops().leave(*id);
                    self.at = *exit;
                    return Ok(());
                }
                if test.is_none() {
                    port.loops().iteration(*id, index);
                }
                self.at = if index == 0 { *body } else { self.at + 1 };
                return Ok(());
            }
            Instruction::EndIteration { to } => {
                let offset = port.offset();
                if let Some(state) = self.loops.last_mut() {
                    state.index += 1;
                    state.idle_iterations =
                        if offset == state.offset { state.idle_iterations + 1 } else { 0 };
                    state.offset = offset;
                    if state.idle_iterations > IDLE_MAX && state.count.is_none() {
                        let message =
                            format!("this loop has run {IDLE_MAX} times without reading anything");
                        let span = grammar.loops[state.id].span;
                        return Err(RunStop::fault(
                            span,
                            message,
                            "make its condition become false",
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

    /// Evaluates a test; one that asks what comes next is a choice.
    #[inline]
    fn test_as_choice<P: Port>(&mut self, test: &Expr, port: &mut P) -> Result<bool, RunStop> {
        if P::CHOOSES && test.asks_about_input() {
            self.announce_choice(port);
        }
        self.test(test, port)
    }

    fn count(&self, expr: &Expr) -> Result<u32, RunStop> {
        let value = self.eval_int(expr)?;
        value.to().ok_or_else(|| {
            let message = format!("{} is not a number of iterations", value.short_text());
            RunStop::fault(expr.span, message, "it must be from 0 to 4294967295")
        })
    }

    fn pattern(&mut self, expr: &Expr) -> Result<Arc<Pattern>, RunStop> {
        let text = self.eval_text(expr, "REGEX")?;
        if let Some(pattern) = self.patterns.get(text.as_slice()) {
            return Ok(Arc::clone(pattern));
        }
        // This may take as long as the largest expression.
        self.spend_operation(PATTERN_STEPS + work::byte_steps(text.len()))?;
        if self.patterns.len() >= PATTERNS_MAX {
            self.patterns.clear();
            self.pattern_caches.borrow_mut().clear();
        }
        let pattern = Pattern::new(&text).map_err(|reason| {
            let message =
                format!("{} is not a regular expression: {reason}", Value::text(text.to_vec()));
            RunStop::fault(expr.span, message, "it is a POSIX extended regular expression")
        })?;
        let pattern = Arc::new(pattern);
        self.patterns.insert(text.to_vec(), Arc::clone(&pattern));
        Ok(pattern)
    }

    fn float_rules(
        &mut self,
        min: &Expr,
        max: &Expr,
        decimals: Option<&[Expr; 2]>,
        notation: Notation,
    ) -> Result<Arc<FloatRules>, RunStop> {
        let known = self.float_rules.binary_search_by_key(&self.at, |(at, _)| *at);
        if let Ok(index) = known {
            return Ok(Arc::clone(&self.float_rules[index].1));
        }
        let bound = |expr: &Expr| {
            let value = self.eval(expr)?;
            value.to_ratio().ok_or_else(|| RunStop::wrong_type(expr.span, "a number", &value))
        };
        let decimal = |expr: &Expr| {
            let value = self.eval_int(expr)?;
            value.to().filter(|value| *value <= DECIMALS_MAX).ok_or_else(|| {
                let message = format!("{} is not a number of decimals", value.short_text());
                RunStop::fault(expr.span, message, "it must be from 0 to 9999")
            })
        };
        let (low, high) = (bound(min)?, bound(max)?);
        let rules = Arc::new(FloatRules {
            quick: QuickBounds::new(&low, &high),
            min: low,
            max: high,
            decimals: match decimals {
                None => None,
                Some([min, max]) => Some(decimal(min)?..=decimal(max)?),
            },
            notation,
        });
        let mut all = [min, max].into_iter().chain(decimals.into_iter().flatten());
        if let Err(index) = known
            && all.all(|expr| expr.constant().is_some())
        {
            self.float_rules.insert(index, (self.at, Arc::clone(&rules)));
        }
        Ok(rules)
    }

    fn test<P: Port>(&mut self, test: &Expr, port: &mut P) -> Result<bool, RunStop> {
        Ok(match &test.kind {
            ExprKind::Not(inner) => !self.test(inner, port)?,
            ExprKind::And(left, right) => self.test(left, port)? && self.test(right, port)?,
            ExprKind::Or(left, right) => self.test(left, port)? || self.test(right, port)?,
            ExprKind::Compare { op, left, right } => {
                if let (Some(left), Some(right)) = (self.eval_small(left), self.eval_small(right)) {
                    return Ok(op.holds(left.cmp(&right)));
                }
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                self.spend_operation(work::comparison_steps(&left, &right))?;
                match left.compare(&right) {
                    Some(ordering) => op.holds(ordering),
                    None => {
                        let message = format!(
                            "{left} is {}, {right} is {}: they cannot be compared",
                            left.kind(),
                            right.kind()
                        );
                        return Err(RunStop::fault(
                            test.span,
                            message,
                            "compare numbers with numbers and strings with strings",
                        ));
                    }
                }
            }
            ExprKind::Match { set, question } => {
                let text = self.eval_text(set, "MATCH")?;
                port.question(*question, &ByteSet::of(&text))?
            }
            ExprKind::IsEof { question } => port.question(*question, &ByteSet::END)?,
            ExprKind::Unique(slots) => self.unique(slots)?,
            ExprKind::InArray { value, variable: slot } => {
                let value = self.eval(value)?;
                self.spend(work::value_steps(&value))?;
                self.vars.occurs(*slot, &value)
            }
            _ => return Err(RunStop::wrong_type(test.span, "a test", &self.eval(test)?)),
        })
    }

    fn unique(&self, slots: &[usize]) -> Result<bool, RunStop> {
        if let [slot] = slots {
            return Ok(self.vars.all_differ(*slot));
        }
        self.spend_on_values(slots)?;
        let mut tuples: HashMap<Vec<Int>, Vec<ValueKey>> = HashMap::new();
        for (position, slot) in slots.iter().enumerate() {
            self.vars.each(*slot, &mut |index, value| {
                let tuple = tuples.entry(index.to_vec()).or_default();
                // A missing value makes the tuple too short.
                if tuple.len() == position {
                    tuple.push(value.key());
                }
            });
        }
        let mut seen = HashSet::new();
        Ok(tuples.values().all(|tuple| tuple.len() == slots.len() && seen.insert(tuple)))
    }

    fn spend_on_values(&self, slots: &[usize]) -> Result<(), RunStop> {
        slots.iter().try_for_each(|slot| self.spend(10 * self.vars.len(*slot) as u64))
    }

    /// The text of the assertion, and the values in it.
    fn refusal(&self, test: &Expr) -> Result<String, RunStop> {
        const SHOWN_MAX: usize = 6;
        let mut shown: Vec<String> = Vec::new();
        let mut see = |text: String| {
            if shown.len() < SHOWN_MAX && !shown.contains(&text) {
                shown.push(text);
            }
        };
        let mut spent = Ok(());
        test.each(&mut |expr| {
            if let (ExprKind::Unique(slots), Ok(())) = (&expr.kind, &spent) {
                spent = self.spend_on_values(slots);
            }
        });
        spent?;
        test.each(&mut |expr| match &expr.kind {
            ExprKind::Var(name) => {
                if let Ok(value) = self.eval_variable(name) {
                    see(format!("{} = {value}", self.grammar.source.excerpt(name.span)));
                }
            }
            ExprKind::Unique(slots) => {
                for slot in slots {
                    let (name, count) = (&self.grammar.variables[*slot].name, self.vars.len(*slot));
                    let count = juror_core::text::count(count, "value");
                    see(format!("`{name}` has {count}{}", self.repeated_value(slots)));
                }
                self.unpaired_value(slots).into_iter().for_each(&mut see);
            }
            _ => {}
        });
        let text = self.grammar.source.excerpt(test.span);
        Ok(if shown.is_empty() {
            format!("`{text}` does not hold")
        } else {
            format!("`{text}` does not hold: {}", shown.join(", "))
        })
    }

    /// An index at which one variable has a value and another has none, in words.
    fn unpaired_value(&self, slots: &[usize]) -> Option<String> {
        let mut found: Option<(Vec<Int>, usize, usize)> = None;
        let pairs = slots.iter().flat_map(|has| slots.iter().map(move |lacks| (*has, *lacks)));
        for (has, lacks) in pairs {
            self.vars.each(has, &mut |index, _| {
                let is_first = found.as_ref().is_none_or(|(first, ..)| index < first.as_slice());
                if is_first && self.vars.get(lacks, index).is_none() {
                    found = Some((index.to_vec(), has, lacks));
                }
            });
        }
        let (index, has, lacks) = found?;
        let [has, lacks] = [has, lacks].map(|slot| self.shown_variable(slot, &index));
        Some(format!("`{has}` has a value, `{lacks}` has none"))
    }

    /// The least value that occurs twice in a single variable, in words.
    fn repeated_value(&self, slots: &[usize]) -> String {
        let [slot] = slots else { return String::new() };
        let mut counts: HashMap<ValueKey, u32> = HashMap::new();
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
