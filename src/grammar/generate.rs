//! Writes inputs by a grammar, and goes back if a choice leads nowhere.
//!
//! An ASSERT that does not hold, or bounds between which nothing lies, send the run back to a value that
//! they depend on, at first the latest, then further and further; an answer to MATCH or ISEOF that
//! nothing fits is given the other way. After that everything begins anew, with those values drawn
//! towards their bounds.

use std::collections::{BTreeMap, BTreeSet};

use crate::grammar::ast::{Compare, Expr, ExprKind, VarRef};
use crate::grammar::chance::Chance;
use crate::grammar::draw::{BoundBias, Chooser, Shaped};
use crate::grammar::number::Int;
use crate::grammar::port::{LoopState, ReasonKind, Stop};
use crate::grammar::program::{Grammar, Op};
use crate::grammar::read::{Blind, Reader};
use crate::grammar::run::Interpreter;
use crate::grammar::shape::Shape;
use crate::grammar::value::Value;
use crate::grammar::write::{Hint, Mark, MarkKind, Writer};
use crate::model::diagnostic::Diagnostic;
use crate::model::text::count;

/// How values are drawn that led nowhere before, one attempt after the other.
const ATTEMPTS: [BoundBias; 13] = [
    BoundBias::Shape,
    BoundBias::Level,
    BoundBias::Low(4),
    BoundBias::High(4),
    BoundBias::Low(16),
    BoundBias::High(16),
    BoundBias::Low(64),
    BoundBias::High(64),
    BoundBias::Low(400),
    BoundBias::High(400),
    BoundBias::Low(10_000),
    BoundBias::Level,
    BoundBias::Level,
];

/// How often one attempt may get stuck.
const STUCK_MAX: u32 = 3000;
/// How often one command may stop an attempt.
const STUCK_AT_MAX: u32 = 100;
/// How many choices one attempt may make beyond three times those that it needs.
const SPARE_CHOICES: u64 = 10_000;

/// Writes an input of a shape; the same seed gives the same bytes, on every machine.
///
/// # Errors
/// Which command of the grammar could not be satisfied, and why.
pub fn generate(grammar: &Grammar, shape: &Shape, seed: u64) -> Result<Vec<u8>, Diagnostic> {
    generate_at(grammar, shape, &[], seed)
}

/// A value that is to be at its bound, or as near to a number as its bounds let it, wherever it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The command, by its place in [`Grammar::sites`].
    pub site: usize,
    /// Which bound, or number.
    pub end: End,
}

/// One of two bounds, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The least value.
    Least,
    /// The greatest value.
    Most,
    /// This value, or the bound next to it.
    Near(i64),
}

/// The same with some values at their bounds, as far as that can be.
///
/// # Errors
/// Which command of the grammar could not be satisfied, and why.
pub fn generate_at(
    grammar: &Grammar,
    shape: &Shape,
    pins: &[Pin],
    seed: u64,
) -> Result<Vec<u8>, Diagnostic> {
    generate_within(grammar, shape, pins, seed, None).map_err(|unwritten| match unwritten {
        Unwritten::Unsatisfied(diagnostic) => diagnostic,
        Unwritten::TooLarge => Diagnostic::error(&grammar.source().path, "the input is too large"),
    })
}

/// Why no input was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// Which command of the grammar could not be satisfied, and why.
    Unsatisfied(Diagnostic),
    /// It would have more bytes than were wanted.
    TooLarge,
}

/// The same with at most `most` bytes, if that is given; a larger input is given up at once.
///
/// # Errors
/// Which command of the grammar could not be satisfied, and why; or that the input is larger.
pub fn generate_within(
    grammar: &Grammar,
    shape: &Shape,
    pins: &[Pin],
    seed: u64,
    most: Option<usize>,
) -> Result<Vec<u8>, Unwritten> {
    let dependents = dependents(grammar);
    let mut failures = Failures::default();
    for (number, bias) in ATTEMPTS.into_iter().enumerate() {
        let mut tilts = vec![BoundBias::Shape; grammar.sites.len()];
        for pin in pins {
            tilts[pin.site] = match pin.end {
                End::Least => BoundBias::Least,
                End::Most => BoundBias::Most,
                End::Near(value) => BoundBias::Near(value),
            };
        }
        for step in failures.by_step.keys() {
            for site in &dependents[*step] {
                if matches!(tilts[*site], BoundBias::Shape) || number > ATTEMPTS.len() / 2 {
                    tilts[*site] = bias;
                }
            }
        }
        let chance = Chance::new(seed, &format!("{} {number}", shape.name));
        let source = Shaped::new(grammar, shape, chance, tilts);
        let mut writer = Writer::new(grammar, source);
        writer.most = most.unwrap_or(writer.most);
        if attempt(grammar, &mut writer, &dependents, &mut failures) {
            match confirmed(grammar, &writer.out) {
                None => return Ok(writer.out),
                Some(reason) => failures.misread = Some(reason),
            }
        }
        if most.is_some() && writer.is_full {
            return Err(Unwritten::TooLarge);
        }
    }
    Err(Unwritten::Unsatisfied(failures.report(grammar)))
}

/// Why the validator does not read what was written as it was meant, if so.
fn confirmed(grammar: &Grammar, text: &[u8]) -> Option<Diagnostic> {
    let mut reader = Reader::new(grammar, text, Blind);
    let stop = Interpreter::new(grammar).run(&mut reader).err()?;
    let source = grammar.source();
    let message = format!("what is written is not read as it was meant: {}", stop.0.message);
    let help = "let what stands before it end where this begins: a REGEX takes as much as it can";
    Some(source.error(stop.0.span, message).help(help))
}

/// Runs to the end, and goes back if it must; whether it got there.
fn attempt<S: Chooser>(
    grammar: &Grammar,
    writer: &mut Writer<'_, S>,
    dependents: &[BTreeSet<usize>],
    failures: &mut Failures,
) -> bool {
    let mut run = Interpreter::new(grammar);
    run.vars = run.vars.with_trail();
    let mut stuck_at: BTreeMap<usize, u32> = BTreeMap::new();
    let mut farthest = 0;
    for _ in 0..STUCK_MAX {
        let Err(stop) = run.run(writer) else { return true };
        // What is new was worth the trouble: patience begins anew.
        if writer.choices > farthest {
            farthest = writer.choices;
            stuck_at.clear();
        }
        let step = run.at;
        let by_question = failures.note(step, stop);
        if writer.is_full {
            return false;
        }
        let times = stuck_at.entry(step).or_default();
        *times += 1;
        if *times > STUCK_AT_MAX || writer.made > 3 * farthest + SPARE_CHOICES {
            return false;
        }
        let back = if by_question { last_answer(writer) } else { None };
        let hint = |mark: &Mark| hint(&run, step, mark);
        let back = back.or_else(|| earlier_value(writer, &dependents[step], *times, &hint));
        let Some(back) = back else { return false };
        let mark = writer.marks[back].clone();
        let hint = hint(&mark);
        writer.choices -= (writer.marks.len() - back) as u64;
        writer.marks.truncate(back);
        run.vars.undo(mark.vars);
        run.at = mark.step;
        run.loops.clone_from(&mark.loops);
        writer.go_back(&mark, *times, hint);
    }
    false
}

/// The latest question whose other answer was not tried. Answers given the other way leave no mark.
fn last_answer<S: Chooser>(writer: &Writer<'_, S>) -> Option<usize> {
    writer.marks.iter().rposition(|mark| matches!(mark.kind, MarkKind::Answer { .. }))
}

/// The mark of a value that the step depends on: the more often it was stuck, the earlier.
fn earlier_value<S: Chooser>(
    writer: &Writer<'_, S>,
    sites: &BTreeSet<usize>,
    times: u32,
    hint: &dyn Fn(&Mark) -> Option<Hint>,
) -> Option<usize> {
    let mut wanted = 1_usize << ((times - 1) / 8).min(20);
    let mut found = None;
    let mut count = 0;
    for (index, mark) in writer.marks.iter().enumerate().rev() {
        let MarkKind::Value { site, .. } = &mark.kind else { continue };
        if !(sites.is_empty() || sites.contains(site)) {
            continue;
        }
        found = Some(index);
        count += 1;
        // Where no value of the latest can do, one before it has to change.
        if count == 1 && hint(mark).is_some_and(|hint| hint.is_empty()) {
            wanted = wanted.max(2);
        }
        if count == wanted {
            break;
        }
    }
    found
}

/// What an ASSERT that does not hold asks of the value drawn last, if it says so plainly: `x < y + 1`.
fn hint(run: &Interpreter<'_>, step: usize, mark: &Mark) -> Option<Hint> {
    let (Op::Assert(test), MarkKind::Value { site, bounds: Some(bounds) }) =
        (&run.grammar.steps[step], &mark.kind)
    else {
        return None;
    };
    let mut hint = Hint { min: bounds.min.clone(), max: bounds.max.clone() };
    // Another iteration's value has the same name and is another.
    let is_same = |a: &LoopState, b: &LoopState| (a.id, a.index) == (b.id, b.index);
    let is_around = mark.loops.len() <= run.loops.len();
    if !is_around || !mark.loops.iter().zip(&run.loops).all(|(a, b)| is_same(a, b)) {
        return None;
    }
    let before = hint.clone();
    narrow(run, test, &run.grammar.sites[*site].label, &mut hint);
    (hint != before).then_some(hint)
}

fn narrow(run: &Interpreter<'_>, test: &Expr, label: &str, hint: &mut Hint) {
    let source = run.grammar.source();
    let is_label = |expr: &Expr| source.excerpt(expr.span) == label;
    let mentions = |expr: &Expr| {
        let mut mentions = false;
        expr.variables(&mut |name| mentions |= source.excerpt(name.span) == label);
        mentions
    };
    match &test.kind {
        ExprKind::And(left, right) => {
            narrow(run, left, label, hint);
            narrow(run, right, label, hint);
        }
        ExprKind::Compare { op, left, right } => {
            let (op, other) = match (is_label(left), is_label(right)) {
                (true, false) if !mentions(right) => (*op, right),
                (false, true) if !mentions(left) => (op.turned(), left),
                _ => return,
            };
            if let Ok(Value::Int(other)) = run.eval(other) {
                hint.narrow(op, &other);
            }
        }
        _ => {}
    }
}

impl Hint {
    /// Keeps the values that compare like this with another.
    fn narrow(&mut self, op: Compare, other: &Int) {
        let (least, most) = match op {
            Compare::Greater => (Some(other.plus(&Int::ONE)), None),
            Compare::GreaterEqual => (Some(other.clone()), None),
            Compare::Less => (None, Some(other.minus(&Int::ONE))),
            Compare::LessEqual => (None, Some(other.clone())),
            Compare::Equal => (Some(other.clone()), Some(other.clone())),
            Compare::NotEqual => (None, None),
        };
        self.min = least.into_iter().fold(self.min.clone(), Int::max);
        self.max = most.into_iter().fold(self.max.clone(), Int::min);
    }

    fn is_empty(&self) -> bool {
        self.min > self.max
    }
}

/// What stopped the attempts.
#[derive(Default)]
struct Failures {
    /// How often each step stopped one, and the last message.
    by_step: BTreeMap<usize, (u64, String)>,
    /// What was written is not read as it was meant.
    misread: Option<Diagnostic>,
}

impl Failures {
    /// Notes why a run stopped; whether another answer to a question could help.
    fn note(&mut self, step: usize, stop: Stop) -> bool {
        let failure = self.by_step.entry(step).or_default();
        *failure = (failure.0 + 1, stop.0.message);
        matches!(stop.0.kind, ReasonKind::Stuck { by_question: true })
    }

    fn report(self, grammar: &Grammar) -> Diagnostic {
        let source = grammar.source();
        let worst = self.by_step.into_iter().max_by_key(|(_, (times, _))| *times);
        let Some((step, (times, last))) = worst else {
            return self
                .misread
                .unwrap_or_else(|| Diagnostic::error(&source.path, "no input could be written"));
        };
        let (what, help) = match grammar.steps[step] {
            Op::Assert(_) => (
                "this could not be satisfied",
                "random values rarely satisfy it: put what it asks for into the bounds of INT, or ASSERT it as soon as each value is read",
            ),
            _ => (
                "nothing could be written here",
                "loosen the bounds, or ASSERT before it what it needs",
            ),
        };
        let message = format!("{what}: tried {}, at last {last}", count(times, "time"));
        source.error(grammar.spans[step], message).help(help)
    }
}

/// For each step, the sites whose values decide whether it can be satisfied.
fn dependents(grammar: &Grammar) -> Vec<BTreeSet<usize>> {
    let slots = &grammar.slots;
    // Slot → the slots that its values are made of.
    let mut made_of: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); slots.len()];
    let mut add = |name: &VarRef, exprs: &[&Expr]| {
        for expr in exprs {
            expr.variables(&mut |used| {
                made_of[name.slot].insert(used.slot);
            });
        }
    };
    for step in &grammar.steps {
        match step {
            Op::Set(assignments) => {
                assignments.iter().for_each(|(name, value)| add(name, &[value]))
            }
            Op::Int { min, max, name: Some(name), .. }
            | Op::Float { min, max, name: Some(name), .. } => add(name, &[min, max]),
            _ => {}
        }
    }
    let by_step = grammar.steps.iter().map(|step| {
        let mut reached: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<usize> = used_slots(step);
        while let Some(slot) = open.pop() {
            if reached.insert(slot) {
                open.extend(&made_of[slot]);
            }
        }
        let of_slot = |slot: Option<usize>| slot.is_some_and(|slot| reached.contains(&slot));
        let sites = grammar.sites.iter().enumerate().filter(|(_, site)| of_slot(site.slot));
        sites.map(|(site, _)| site).collect()
    });
    by_step.collect()
}

/// The variables that a step looks at.
fn used_slots(step: &Op) -> Vec<usize> {
    let mut slots = Vec::new();
    step.expressions(&mut |expr| {
        expr.each(&mut |expr| match &expr.kind {
            ExprKind::Var(name) => slots.push(name.slot),
            ExprKind::Unique(unique) => slots.extend(unique),
            ExprKind::InArray { slot, .. } => slots.push(*slot),
            _ => {}
        });
    });
    slots
}
