//! The port of the generator: writes what the grammar demands, with values from a source.
//!
//! A question about what comes next is answered before that is written; the answer then restricts what may be written.
//! If nothing fits, the run is stuck, and its driver goes back to a mark.

use std::collections::VecDeque;

use num_rational::BigRational;

use crate::grammar::ast::{Expr, ExprKind, Notation};
use crate::grammar::bytes::ByteSet;
use crate::grammar::chance::Chance;
use crate::grammar::draw::{Chooser, Draw, Length};
use crate::grammar::float;
use crate::grammar::number::{Int, order, scaled_decimal};
use crate::grammar::pattern::Pattern;
use crate::grammar::port::{FloatRules, IfWanted, LoopState, Loops, Port, Stop, stuck};
use crate::grammar::program::{Grammar, Op};
use crate::grammar::read::called;
use crate::grammar::run::Interpreter;
use crate::grammar::source::Span;
use crate::grammar::span::{first_byte, pick, spans};
use crate::grammar::strings;
use crate::grammar::tuples::{Gap, Tuples};
use crate::grammar::value::Value;
use crate::grammar::vars::Vars;
use crate::grammar::work::{Over, Steps, of_drawn_float};
use crate::model::units::Bytes;

/// Upper bound on the choices that can be undone.
const MARKS_MAX: usize = 1 << 14;
/// Upper bound on an input's size, in bytes.
const BYTES_MAX: usize = 1 << 30;

/// A choice, and the state before it.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub step: usize,
    pub loops: Vec<LoopState>,
    pub vars: usize,
    length: usize,
    next: ByteSet,
    pub kind: MarkKind,
}

/// The range in which a value is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hint {
    pub min: Int,
    pub max: Int,
}

impl Hint {
    /// The range of the length of a text.
    fn of_length(pattern: &Pattern) -> Self {
        let [least, most] = strings::lengths(pattern.hir());
        let bytes = |bytes: usize| Int::from(i64::try_from(bytes).unwrap_or(i64::MAX));
        Self { min: bytes(least), max: bytes(most) }
    }

    /// A length in this range, towards the same end as those of other texts.
    fn length(&self, usual: Length, chance: &mut Chance) -> Length {
        /// How much longer than needed a text becomes by chance, or if nothing bounds it.
        const MORE_MAX: u64 = 12;
        let bytes = |bound: &Int| bound.small().map_or(u64::MAX, i64::unsigned_abs);
        let [least, most] = [&self.min, &self.max].map(bytes);
        let most = if most > BYTES_MAX as u64 { least.saturating_add(MORE_MAX) } else { most };
        let length = match usual {
            Length::Least => least,
            Length::Most => most,
            _ => least + chance.below((most - least).min(MORE_MAX) + 1),
        };
        Length::Exactly(length as usize)
    }
}

/// The kind of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MarkKind {
    /// The value of a site; its bounds if it is an integer, those of its length if it is a text.
    Value { site: usize, bounds: Option<Hint> },
    /// The answer to a question; `before` are the earlier answers in the same test.
    Answer { answer: bool, before: Vec<bool> },
}

/// An input that is being written.
pub(super) struct Writer<'a, S> {
    grammar: &'a Grammar,
    pub(super) source: S,
    pub(super) out: Vec<u8>,
    /// Upper bound on the input's size, in bytes.
    pub(super) most: usize,
    /// Whether the input would exceed that.
    pub(super) is_full: bool,
    /// The bytes that may be written next.
    next: ByteSet,
    pub(super) marks: VecDeque<Mark>,
    /// Number of choices so far, including those without a mark.
    pub(super) choices: u64,
    /// Number of choices, including those that were undone.
    pub(super) made: u64,
    /// The state before the current step.
    before: Mark,
    /// The index of the current variable, if it belongs to a UNIQUE of several variables.
    index: Option<Vec<Int>>,
    answers: Vec<bool>,
    settled: Vec<bool>,
    /// Number of values drawn next that led to a dead end.
    pub(super) retry: u32,
    /// The range for the next value, to avoid the last dead end.
    hint: Option<Hint>,
    tuples: Tuples,
}

impl<'a, S: Chooser> Writer<'a, S> {
    pub(super) fn new(grammar: &'a Grammar, source: S) -> Self {
        Self {
            grammar,
            source,
            out: Vec::new(),
            most: BYTES_MAX,
            is_full: false,
            next: ByteSet::ALL,
            marks: VecDeque::new(),
            choices: 0,
            made: 0,
            before: Mark {
                step: 0,
                loops: Vec::new(),
                vars: 0,
                length: 0,
                next: ByteSet::ALL,
                kind: MarkKind::Value { site: 0, bounds: None },
            },
            index: None,
            answers: Vec::new(),
            settled: Vec::new(),
            retry: 0,
            hint: None,
            tuples: Tuples::default(),
        }
    }

    /// Goes back to before a choice. A question gets the other answer; a value is drawn anew.
    pub(super) fn go_back(&mut self, mark: &Mark, retry: u32, hint: Option<Hint>) {
        self.out.truncate(mark.length);
        self.next = mark.next;
        self.settled.clear();
        self.retry = 0;
        self.hint = None;
        match &mark.kind {
            MarkKind::Value { .. } => {
                // At first the hint is enough, so that the shape is kept.
                self.retry = if hint.is_some() && retry <= 6 { 0 } else { retry };
                self.hint = hint;
            }
            MarkKind::Answer { answer, before } => {
                self.settled.clone_from(before);
                self.settled.push(!answer);
            }
        }
    }

    fn mark(&mut self, kind: MarkKind) {
        self.choices += 1;
        self.made += 1;
        if self.marks.len() >= MARKS_MAX {
            self.marks.pop_front();
        }
        self.marks.push_back(Mark { kind, ..self.before.clone() });
    }

    /// The place in a tuple of UNIQUE that a site fills, if it is the last of its tuple.
    fn gap(&self, site: usize, vars: &Vars) -> Option<Gap> {
        let site = &self.grammar.sites[site];
        let (index, group) = (self.index.as_ref()?, site.unique.as_ref()?);
        (group.len() > 1).then(|| Gap::of(site.slot?, group, index, vars))?
    }

    /// Appends a text, if its first byte may come next.
    fn append(&mut self, text: &[u8], what: &str) -> Result<(), Stop> {
        let Some(first) = text.first() else { return Ok(()) };
        if !self.next.contains(*first) {
            return stuck(format!("{what} contradicts an earlier answer of MATCH or ISEOF"), true);
        }
        if self.out.len() + text.len() > self.most {
            self.is_full = true;
            let most = Bytes(self.most as u64);
            return stuck(format!("the input would have more than {most}"), false);
        }
        self.out.extend_from_slice(text);
        self.next = ByteSet::ALL;
        Ok(())
    }

    /// A digit cannot follow a number: it would be read as part of it.
    fn after_number(&mut self, text: &[u8]) {
        if text != b"0" {
            self.next = ByteSet::of(b"0123456789").not();
        }
    }

    /// A number from `min` to `max` that may come next and that `is_free`.
    fn number(
        &mut self,
        site: usize,
        bounds: [&Int; 2],
        unit: u32,
        work: &Steps,
        is_free: &dyn Fn(&Int) -> bool,
    ) -> Result<Int, Stop> {
        let [min, max] = bounds;
        if min > max {
            let what = format!("no value is from {} to {}", min.shown(), max.shown());
            return stuck(what, false);
        }
        let draw = Draw { site, min, max, unit, loops: &self.before.loops, retry: self.retry };
        let drawn = self.source.number(&draw).within(min, max);
        self.retry = 0;
        let next = self.next;
        let fits = |value: &Int| unit > 0 || next.contains(first_byte(value));
        if fits(&drawn) && is_free(&drawn) {
            return Ok(drawn);
        }
        if !fits(&drawn) {
            let spans = spans(min, max, &next);
            let Some(span) = pick(&spans, self.source.chance()) else {
                let (min, max) = (min.shown(), max.shown());
                let what = format!("no value from {min} to {max} fits the earlier answer of MATCH");
                return stuck(what, true);
            };
            let drawn = self.source.chance().between(&span.min, &span.max);
            if is_free(&drawn) {
                return Ok(drawn);
            }
        }
        let fits = |value: &Int| fits(value) && is_free(value);
        let found = free_number(bounds, &drawn, self.source.chance(), work, &fits);
        found
            .map_err(|over| Stop::over(self.place(site), over))?
            .map_or_else(|| none_is_free(bounds), Ok)
    }

    /// The place of a site in the grammar.
    fn place(&self, site: usize) -> Span {
        self.grammar.sites[site].span
    }

    fn float_text(
        &mut self,
        site: usize,
        rules: &FloatRules,
        work: &Steps,
    ) -> Result<String, Stop> {
        let range = |more: u32| {
            let range = rules.decimals.as_ref()?;
            Some((*range.start(), *range.end().min(&range.start().saturating_add(more))))
        };
        let (least, most) = range(12).unwrap_or((1, 6));
        if least > most || order(&rules.min, &rules.max).is_gt() {
            return no_float(rules);
        }
        let decimals = self.source.decimals(site, least, most);
        let limit = range(60).map_or(60, |(_, most)| most);
        if rules.notation == Notation::Scientific {
            return self.scientific(site, rules, decimals, work);
        }
        // Tries more decimals if there is no value with that few.
        for decimals in (decimals..=limit.max(decimals)).chain(least..decimals) {
            self.count_float(site, rules, decimals, work)?;
            let (low, high) = float::grid(rules, decimals);
            if low <= high {
                let (low, high) = (Int::from(low), Int::from(high));
                let mantissa = self.number(site, [&low, &high], decimals, work, &|_| true)?;
                return Ok(scaled_decimal(&mantissa.big(), decimals as usize));
            }
        }
        no_float(rules)
    }

    /// Counts the steps of drawing and writing a float before it is done.
    fn count_float(
        &self,
        site: usize,
        rules: &FloatRules,
        decimals: u32,
        work: &Steps,
    ) -> Result<(), Stop> {
        let steps = of_drawn_float(&rules.min, &rules.max, decimals);
        work.operation(steps).map_err(|over| Stop::over(self.place(site), over))
    }

    fn scientific(
        &mut self,
        site: usize,
        rules: &FloatRules,
        decimals: u32,
        work: &Steps,
    ) -> Result<String, Stop> {
        const TRIES: usize = 50;
        let unit = decimals + 12;
        self.count_float(site, rules, unit, work)?;
        let (low, high) = float::grid(rules, unit);
        let (low, high) = (Int::from(low), Int::from(high));
        for _ in 0..TRIES {
            self.count_float(site, rules, unit, work)?;
            let drawn = self.number(site, [&low, &high], unit, work, &|_| true)?.big();
            for text in float::scientific_texts(&drawn, unit, decimals) {
                let Some(scanned) = float::scan(text.as_bytes()) else { continue };
                let value = float::value(text.as_bytes(), &scanned);
                let inside = |value: &BigRational| {
                    order(&rules.min, value).is_le() && order(value, &rules.max).is_le()
                };
                if value.as_ref().is_some_and(inside)
                    && float::form_fault(text.as_bytes(), &scanned, rules).is_none()
                {
                    return Ok(text);
                }
            }
            self.retry = 1;
        }
        no_float(rules)
    }

    /// The bytes that may follow an answer at the current step, if its whole test is that question.
    fn may_follow(&self, test: &Expr, answer: bool) -> ByteSet {
        let first = |step: usize| self.grammar.first_at(step);
        let step = self.before.step;
        let both = |yes: ByteSet, no: ByteSet| match simple(test) {
            Some(is_positive) if answer == is_positive => yes,
            Some(_) => no,
            None => yes.or(&no),
        };
        match &self.grammar.steps[step] {
            Op::Branch { otherwise, .. } => both(first(step + 1), first(*otherwise)),
            Op::Next { body, exit, .. } => both(first(step + 1).or(&first(*body)), first(*exit)),
            Op::Assert(_) => both(first(step + 1), ByteSet::NONE),
            _ => ByteSet::ALL,
        }
    }
}

/// A number that differs from those taken, if there is one: a random one, else the next free one.
fn free_number(
    [min, max]: [&Int; 2],
    near: &Int,
    chance: &mut Chance,
    work: &Steps,
    fits: &dyn Fn(&Int) -> bool,
) -> Result<Option<Int>, Over> {
    const TRIES: usize = 16;
    const STEPS: usize = 1 << 22;
    for _ in 0..TRIES {
        let drawn = chance.between(min, max);
        if fits(&drawn) {
            return Ok(Some(drawn));
        }
    }
    let mut value = near.clone();
    for _ in 0..STEPS {
        work.add(1)?;
        value = if value >= *max { min.clone() } else { value.plus(&Int::ONE) };
        if fits(&value) {
            return Ok(Some(value));
        }
        if value == *near {
            break;
        }
    }
    Ok(None)
}

fn none_is_free<T>([min, max]: [&Int; 2]) -> Result<T, Stop> {
    let (min, max) = (min.shown(), max.shown());
    stuck(format!("every value from {min} to {max} is used, but UNIQUE needs another"), false)
}

fn no_float<T>(rules: &FloatRules) -> Result<T, Stop> {
    stuck(format!("no text was found for {}", float::wanted(rules)), false)
}

/// Whether a test holds if the answer is yes, provided that the test is only a question.
fn simple(test: &Expr) -> Option<bool> {
    match &test.kind {
        ExprKind::Match { .. } | ExprKind::IsEof { .. } => Some(true),
        ExprKind::Not(inner) => simple(inner).map(|is_positive| !is_positive),
        _ => None,
    }
}

impl<S: Chooser> Port for Writer<'_, S> {
    const CHOOSES: bool = true;

    fn before(&mut self, run: &Interpreter<'_>) {
        self.before.step = run.at;
        self.before.loops.clone_from(&run.loops);
        self.before.vars = run.vars.mark();
        self.before.length = self.out.len();
        self.before.next = self.next;
        self.answers.clear();
        self.index = run.unique_index();
    }

    fn literal(&mut self, _at: Span, text: &[u8]) -> Result<(), Stop> {
        self.append(text, &called(text))
    }

    fn end(&mut self, _at: Span) -> Result<(), Stop> {
        if !self.next.contains_end() {
            return stuck("the end contradicts an earlier answer of MATCH or ISEOF", true);
        }
        self.next = ByteSet::END;
        Ok(())
    }

    fn int(&mut self, site: usize, bounds: [&Int; 2], run: &Interpreter<'_>) -> Result<Int, Stop> {
        let vars = &run.vars;
        let unique = match self.grammar.sites[site].unique.as_deref() {
            Some([slot]) => Some(*slot),
            _ => None,
        };
        let gap = self.gap(site, vars);
        let mut tuples = std::mem::take(&mut self.tuples);
        let taken = match (&gap, &self.grammar.sites[site].unique, &self.index) {
            (Some(gap), Some(group), Some(index)) => tuples.taken(gap, group, index, vars),
            _ => None,
        };
        let is_free = |value: &Int| {
            unique.is_none_or(|slot| !vars.occurs(slot, &value.clone().into()))
                && taken.is_none_or(|it| !it.contains(&Value::from(value.clone()).key()))
        };
        let hint = self.hint.take().filter(|hint| hint.min <= hint.max);
        let narrowed = hint.as_ref().map_or(bounds, |hint| [&hint.min, &hint.max]);
        let value = self.number(site, narrowed, 0, &run.work, &is_free);
        self.tuples = tuples;
        let value = value?;
        if let Some(gap) = gap {
            self.tuples.add(gap, Value::from(value.clone()).key());
        }
        let [min, max] = bounds.map(Int::clone);
        self.mark(MarkKind::Value { site, bounds: Some(Hint { min, max }) });
        let text = value.to_string();
        self.append(text.as_bytes(), &text)?;
        self.after_number(text.as_bytes());
        Ok(value)
    }

    fn float(
        &mut self,
        site: usize,
        rules: &FloatRules,
        _wanted: bool,
        run: &Interpreter<'_>,
    ) -> IfWanted<BigRational> {
        const TRIES: usize = 20;
        let mut text = self.float_text(site, rules, &run.work)?;
        for _ in 0..TRIES {
            if self.next.contains(text.as_bytes()[0]) {
                break;
            }
            self.retry = 1;
            text = self.float_text(site, rules, &run.work)?;
        }
        self.mark(MarkKind::Value { site, bounds: None });
        self.append(text.as_bytes(), &text)?;
        self.after_number(text.as_bytes());
        let scanned = float::scan(text.as_bytes());
        Ok(scanned.and_then(|scanned| float::value(text.as_bytes(), &scanned)))
    }

    fn regex(
        &mut self,
        site: usize,
        pattern: &Pattern,
        wanted: bool,
        run: &Interpreter<'_>,
    ) -> IfWanted<Vec<u8>> {
        const TRIES: usize = 60;
        let hint = self.hint.take().filter(|hint| hint.min <= hint.max);
        let length = match hint {
            Some(hint) => hint.length(self.source.length(), self.source.chance()),
            None => self.source.length(),
        };
        let next = self.next;
        let fits = |text: &[u8]| {
            let begins = text.first().is_none_or(|byte| next.contains(*byte));
            Ok(begins && run.longest(pattern, text)? == Some(text.len()))
        };
        let mut drawn = self.source.text(site);
        let mut found = None;
        for _ in 0..=TRIES {
            if let Some(text) = drawn.take()
                && fits(&text).map_err(|over| Stop::over(self.place(site), over))?
            {
                found = Some(text);
                break;
            }
            drawn = Some(strings::draw(pattern.hir(), length, self.source.chance()));
        }
        let Some(text) = found else {
            let what = format!("no text that matches \"{}\" was found", pattern.text());
            return stuck(what, true);
        };
        self.retry = 0;
        self.mark(MarkKind::Value { site, bounds: Some(Hint::of_length(pattern)) });
        self.append(&text, "the text")?;
        Ok(wanted.then_some(text))
    }

    fn question(&mut self, number: usize, set: &ByteSet) -> Result<bool, Stop> {
        let Some(test) = self.grammar.steps[self.before.step].test() else {
            return stuck("a question outside a test", false);
        };
        let narrowed = |answer: bool| self.next.and(&if answer { *set } else { set.not() });
        let can_be =
            |answer: bool| !narrowed(answer).and(&self.may_follow(test, answer)).is_empty();
        let settled = self.settled.get(self.answers.len()).copied();
        let answer = match (settled, can_be(true), can_be(false)) {
            (Some(answer), _, _) if !narrowed(answer).is_empty() => answer,
            (Some(_), _, _) | (None, false, false) => {
                return stuck("no answer to MATCH or ISEOF leads further", true);
            }
            (None, yes, no) if yes != no => {
                self.source.forced(number);
                yes
            }
            _ => {
                let answer = self.source.answer(number, &self.before.loops);
                let before = self.answers.clone();
                self.mark(MarkKind::Answer { answer, before });
                answer
            }
        };
        self.next = self.next.and(&if answer { *set } else { set.not() });
        self.answers.push(answer);
        if self.answers.len() >= self.settled.len() {
            self.settled.clear();
        }
        Ok(answer)
    }

    fn refuse(&mut self, _at: Span, message: String) -> Stop {
        Stop::stuck(message, false)
    }

    fn offset(&self) -> usize {
        self.out.len()
    }

    fn loops(&mut self) -> &mut impl Loops {
        &mut self.source
    }
}
