//! The port of the generator: writes what the grammar demands, with values from a chooser.
//!
//! A question about what comes next is answered before the next bytes are written. The answer then restricts them. If
//! nothing fits, the run is stuck, and its driver goes back to a mark.

use std::collections::VecDeque;

use num_rational::BigRational;

use crate::ast::{Expr, ExprKind, Notation};
use crate::bytes::ByteSet;
use crate::chance::Chance;
use crate::draw::{Chooser, DrawRequest};
use crate::float::{self, FloatRules};
use crate::number::{Int, compare_ratios, scaled_decimal};
use crate::pattern::Pattern;
use crate::port::{LoopObserver, LoopState, OptionalValue, Port, RunStop};
use crate::program::{Grammar, Instruction};
use crate::ranges::{NumberRange, first_byte, pick_range, ranges_by_first_byte};
use crate::read::describe_text;
use crate::run::Interpreter;
use crate::source::Span;
use crate::strings::{self, Length};
use crate::tuples::{Gap, Tuples};
use crate::value::Value;
use crate::variable_values::VariableValues;
use crate::work::drawn_float_steps;
use juror_core::units::Bytes;

const MARKS_MAX: usize = 1 << 14;
/// Upper bound on the bytes of an input.
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

impl NumberRange {
    fn of_length(pattern: &Pattern) -> Self {
        let [least, most] = strings::lengths(pattern.hir());
        let bytes = |bytes: usize| Int::from(i64::try_from(bytes).unwrap_or(i64::MAX));
        Self { min: bytes(least), max: bytes(most) }
    }

    /// A length in this range, towards the same end as those of other texts.
    fn length(&self, usual: Length, chance: &mut Chance) -> Length {
        /// How much longer than needed a text becomes by chance, or if nothing bounds it.
        const MORE_MAX: u64 = 12;
        let bytes = |bound: &Int| bound.to_small().map_or(u64::MAX, i64::unsigned_abs);
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MarkKind {
    /// The bounds are those of an integer, or of the length of a text.
    Value { site: usize, bounds: Option<NumberRange> },
    /// `before` are the earlier answers in the same test.
    Answer { answer: bool, before: Vec<bool> },
}

pub(super) struct InputWriter<'a, S> {
    grammar: &'a Grammar,
    pub(super) chooser: S,
    pub(super) out: Vec<u8>,
    /// Upper bound on the bytes of the input.
    pub(super) size_limit: usize,
    pub(super) is_full: bool,
    /// The bytes that may come next.
    next: ByteSet,
    pub(super) marks: VecDeque<Mark>,
    /// Number of choices so far, including those without a mark.
    pub(super) choices: u64,
    /// Number of choices, including those that were undone.
    pub(super) all_choices: u64,
    /// The state before the current instruction.
    state_before: Mark,
    /// Set if the current variable belongs to a UNIQUE of several variables.
    index: Option<Vec<Int>>,
    answers: Vec<bool>,
    settled_answers: Vec<bool>,
    /// Number of values drawn here that led to a dead end.
    pub(super) retry: u32,
    /// The range that avoids the last dead end.
    hint: Option<NumberRange>,
    tuples: Tuples,
}

fn digits() -> ByteSet {
    ByteSet::of(b"0123456789")
}

/// Begins the message about digits after a number.
pub(super) const NUMBERS_TOUCH: &str = "two numbers touch";

impl<'a, S: Chooser> InputWriter<'a, S> {
    pub(super) fn new(grammar: &'a Grammar, source: S) -> Self {
        Self {
            grammar,
            chooser: source,
            out: Vec::new(),
            size_limit: BYTES_MAX,
            is_full: false,
            next: ByteSet::ALL,
            marks: VecDeque::new(),
            choices: 0,
            all_choices: 0,
            state_before: Mark {
                step: 0,
                loops: Vec::new(),
                vars: 0,
                length: 0,
                next: ByteSet::ALL,
                kind: MarkKind::Value { site: 0, bounds: None },
            },
            index: None,
            answers: Vec::new(),
            settled_answers: Vec::new(),
            retry: 0,
            hint: None,
            tuples: Tuples::default(),
        }
    }

    /// Restores the state before a choice. A question gets the other answer; a value is drawn anew.
    pub(super) fn go_back(&mut self, mark: &Mark, retry: u32, hint: Option<NumberRange>) {
        self.out.truncate(mark.length);
        self.next = mark.next;
        self.settled_answers.clear();
        self.retry = 0;
        self.hint = None;
        match &mark.kind {
            MarkKind::Value { .. } => {
                // First the hint alone, so that the shape stays.
                self.retry = if hint.is_some() && retry <= 6 { 0 } else { retry };
                self.hint = hint;
            }
            MarkKind::Answer { answer, before } => {
                self.settled_answers.clone_from(before);
                self.settled_answers.push(!answer);
            }
        }
    }

    fn mark(&mut self, kind: MarkKind) {
        self.choices += 1;
        self.all_choices += 1;
        if self.marks.len() >= MARKS_MAX {
            self.marks.pop_front();
        }
        self.marks.push_back(Mark { kind, ..self.state_before.clone() });
    }

    /// `None` unless the site completes a tuple of UNIQUE.
    fn gap(&self, site: usize, vars: &VariableValues) -> Option<Gap> {
        let site = &self.grammar.sites[site];
        let (index, group) = (self.index.as_ref()?, site.unique.as_ref()?);
        (group.len() > 1).then(|| Gap::of(site.variable?, group, index, vars))?
    }

    /// The greatest value or length that a limit on a sum leaves.
    fn sum_room(&self, site: usize, run: &Interpreter<'_>) -> Option<i64> {
        let room = self.grammar.sites[site].sum_limit.as_ref()?.room(run)?;
        Some(if self.chooser.spreads_sums() { room.even } else { room.most })
    }

    /// The length that the chooser wants, as far as a limit on the sum of lengths allows it.
    fn usual_length(&mut self, site: usize, pattern: &Pattern, run: &Interpreter<'_>) -> Length {
        let length = self.chooser.length(site);
        let [least, most] = strings::lengths(pattern.hir());
        let room = self.sum_room(site, run).and_then(|room| usize::try_from(room).ok());
        match (length, room.filter(|room| (least..most).contains(room))) {
            (Length::Most, Some(room)) => Length::Exactly(room),
            (Length::Exactly(bytes), Some(room)) => Length::Exactly(bytes.min(room)),
            (Length::Random, Some(room)) => {
                let more = self.chooser.chance().below((room - least) as u64 + 1);
                Length::Exactly(least + more as usize)
            }
            _ => length,
        }
    }

    /// Fails if the first byte may not come next.
    fn append(&mut self, text: &[u8], what: &str) -> Result<(), RunStop> {
        let Some(first) = text.first() else { return Ok(()) };
        if !self.next.contains(*first) {
            let contradicts = || format!("{what} contradicts an earlier answer of MATCH or ISEOF");
            return Err(RunStop::stuck(self.touch(what).unwrap_or_else(contradicts), true));
        }
        if self.out.len() + text.len() > self.size_limit {
            self.is_full = true;
            let most = Bytes(self.size_limit as u64);
            return Err(RunStop::stuck(format!("the input would be larger than {most}"), false));
        }
        self.out.extend_from_slice(text);
        self.next = ByteSet::ALL;
        Ok(())
    }

    /// A digit cannot follow a number: it would be read as part of it.
    fn forbid_digit_next(&mut self, text: &[u8]) {
        if text != b"0" {
            self.next = digits().not();
        }
    }

    /// What is wrong with digits after a number, if one was written just now.
    fn touch(&self, what: &str) -> Option<String> {
        let is_after_number = self.out.last().is_some_and(u8::is_ascii_digit);
        (is_after_number && self.next.and(&digits()).is_empty())
            .then(|| format!("{NUMBERS_TOUCH}: {what} would be read as part of the one before it"))
    }

    /// A number within the bounds that may come next and for which `is_free` holds.
    fn number(
        &mut self,
        site: usize,
        bounds: [&Int; 2],
        unit: u32,
        run: &Interpreter<'_>,
        is_free: &dyn Fn(&Int) -> bool,
    ) -> Result<Int, RunStop> {
        let [min, max] = bounds;
        if min > max {
            let what = format!("no value is from {} to {}", min.short_text(), max.short_text());
            return Err(RunStop::stuck(what, false));
        }
        let draw = DrawRequest {
            site,
            min,
            max,
            unit,
            loops: &self.state_before.loops,
            retry: self.retry,
        };
        let value = self.chooser.number(&draw).clamped(min, max);
        self.retry = 0;
        let next = self.next;
        let fits = |value: &Int| unit > 0 || next.contains(first_byte(value));
        if fits(&value) && is_free(&value) {
            return Ok(value);
        }
        if !fits(&value) {
            let spans = ranges_by_first_byte(min, max, &next);
            let Some(span) = pick_range(&spans, self.chooser.chance()) else {
                let range = format!("from {} to {}", min.short_text(), max.short_text());
                let misfits = || format!("no value {range} fits the earlier answer of MATCH");
                let touch = self.touch(&format!("a value {range}"));
                return Err(RunStop::stuck(touch.unwrap_or_else(misfits), true));
            };
            let value = self.chooser.chance().between(&span.min, &span.max);
            if is_free(&value) {
                return Ok(value);
            }
        }
        let fits = |value: &Int| fits(value) && is_free(value);
        let found = free_number(bounds, &value, self.chooser.chance(), run, &fits)?;
        found.ok_or_else(|| {
            let (min, max) = (min.short_text(), max.short_text());
            let what = format!("every value from {min} to {max} is used, but UNIQUE needs another");
            RunStop::stuck(what, false)
        })
    }

    fn float_text(
        &mut self,
        site: usize,
        rules: &FloatRules,
        run: &Interpreter<'_>,
    ) -> Result<String, RunStop> {
        let range = |more: u32| {
            let range = rules.decimals.as_ref()?;
            Some((*range.start(), *range.end().min(&range.start().saturating_add(more))))
        };
        let (least, most) = range(12).unwrap_or((1, 6));
        if least > most || compare_ratios(&rules.min, &rules.max).is_gt() {
            return Err(no_float(rules));
        }
        let decimals = self.chooser.decimals(site, least, most);
        let limit = range(60).map_or(60, |(_, most)| most);
        if rules.notation == Notation::Scientific {
            return self.scientific(site, rules, decimals, run);
        }
        // If no value has so few decimals, tries more.
        for decimals in (decimals..=limit.max(decimals)).chain(least..decimals) {
            run.spend_operation(drawn_float_steps(&rules.min, &rules.max, decimals))?;
            let (low, high) = float::multiples_within(rules, decimals);
            if low <= high {
                let (low, high) = (Int::from(low), Int::from(high));
                let mantissa = self.number(site, [&low, &high], decimals, run, &|_| true)?;
                return Ok(scaled_decimal(&mantissa.to_big(), decimals as usize));
            }
        }
        Err(no_float(rules))
    }

    fn scientific(
        &mut self,
        site: usize,
        rules: &FloatRules,
        decimals: u32,
        run: &Interpreter<'_>,
    ) -> Result<String, RunStop> {
        const TRIES: usize = 50;
        let unit = decimals + 12;
        let steps = drawn_float_steps(&rules.min, &rules.max, unit);
        run.spend_operation(steps)?;
        let (low, high) = float::multiples_within(rules, unit);
        let (low, high) = (Int::from(low), Int::from(high));
        for _ in 0..TRIES {
            run.spend_operation(steps)?;
            let value = self.number(site, [&low, &high], unit, run, &|_| true)?.to_big();
            for text in float::scientific_texts(&value, unit, decimals) {
                let Some(scanned) = float::scan(text.as_bytes()) else { continue };
                if float::is_within(text.as_bytes(), &scanned, rules)
                    && float::form_fault(text.as_bytes(), &scanned, rules).is_none()
                {
                    return Ok(text);
                }
            }
            self.retry = 1;
        }
        Err(no_float(rules))
    }

    /// The bytes that may follow an answer at the current step, if its whole test is that question.
    fn may_follow(&self, test: &Expr, answer: bool) -> ByteSet {
        let first = |step: usize| self.grammar.first_bytes_at(step);
        let step = self.state_before.step;
        let both = |yes: ByteSet, no: ByteSet| match question_polarity(test) {
            Some(is_positive) if answer == is_positive => yes,
            Some(_) => no,
            None => yes.or(&no),
        };
        match &self.grammar.instructions[step] {
            Instruction::Branch { otherwise, .. } => both(first(step + 1), first(*otherwise)),
            Instruction::NextIteration { body, exit, .. } => {
                both(first(step + 1).or(&first(*body)), first(*exit))
            }
            Instruction::Assert(_) => both(first(step + 1), ByteSet::NONE),
            _ => ByteSet::ALL,
        }
    }
}

/// First random numbers, then the next one that fits.
fn free_number(
    [min, max]: [&Int; 2],
    near: &Int,
    chance: &mut Chance,
    run: &Interpreter<'_>,
    fits: &dyn Fn(&Int) -> bool,
) -> Result<Option<Int>, RunStop> {
    const TRIES: usize = 16;
    const STEPS: usize = 1 << 22;
    for _ in 0..TRIES {
        let value = chance.between(min, max);
        if fits(&value) {
            return Ok(Some(value));
        }
    }
    let mut value = near.clone();
    for _ in 0..STEPS {
        run.spend(1)?;
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

fn no_float(rules: &FloatRules) -> RunStop {
    RunStop::stuck(format!("no text was found for {}", float::describe_rules(rules)), false)
}

/// Whether the test holds if the answer is yes; `None` if the test is more than a question.
fn question_polarity(test: &Expr) -> Option<bool> {
    match &test.kind {
        ExprKind::Match { .. } | ExprKind::IsEof { .. } => Some(true),
        ExprKind::Not(inner) => question_polarity(inner).map(|is_positive| !is_positive),
        _ => None,
    }
}

impl<S: Chooser> Port for InputWriter<'_, S> {
    const CHOOSES: bool = true;

    fn before_choice(&mut self, run: &Interpreter<'_>) {
        self.state_before.step = run.at;
        self.state_before.loops.clone_from(&run.loops);
        self.state_before.vars = run.vars.mark();
        self.state_before.length = self.out.len();
        self.state_before.next = self.next;
        self.answers.clear();
        self.index = run.unique_index();
    }

    fn literal(&mut self, _at: Span, text: &[u8]) -> Result<(), RunStop> {
        self.append(text, &describe_text(text))
    }

    fn end(&mut self, _at: Span) -> Result<(), RunStop> {
        if !self.next.contains_end() {
            return Err(RunStop::stuck(
                "the end contradicts an earlier answer of MATCH or ISEOF",
                true,
            ));
        }
        self.next = ByteSet::END;
        Ok(())
    }

    fn int(
        &mut self,
        site: usize,
        bounds: [&Int; 2],
        run: &Interpreter<'_>,
    ) -> Result<Int, RunStop> {
        let vars = &run.vars;
        let unique = match self.grammar.sites[site].unique.as_deref() {
            Some([slot]) => Some(*slot),
            _ => None,
        };
        let gap = self.gap(site, vars);
        let mut tuples = std::mem::take(&mut self.tuples);
        let taken = match (&gap, &self.grammar.sites[site].unique, &self.index) {
            (Some(gap), Some(group), Some(index)) => tuples.used_values(gap, group, index, vars),
            _ => None,
        };
        let is_free = |value: &Int| {
            unique.is_none_or(|slot| !vars.occurs(slot, &value.clone().into()))
                && taken.is_none_or(|taken| !taken.contains(&Value::from(value.clone()).key()))
        };
        let hint = self.hint.take().filter(|hint| hint.min <= hint.max);
        let room = self.sum_room(site, run).map(Int::Small).filter(|most| bounds[0] <= most);
        let most = room.as_ref().map_or(bounds[1], |most| most.min(bounds[1]));
        let narrowed = hint.as_ref().map_or([bounds[0], most], |hint| [&hint.min, &hint.max]);
        let value = self.number(site, narrowed, 0, run, &is_free);
        self.tuples = tuples;
        let value = value?;
        if let Some(gap) = gap {
            self.tuples.add(gap, Value::from(value.clone()).key());
        }
        let [min, max] = bounds.map(Int::clone);
        self.mark(MarkKind::Value { site, bounds: Some(NumberRange { min, max }) });
        let text = value.to_string();
        self.append(text.as_bytes(), &text)?;
        self.forbid_digit_next(text.as_bytes());
        Ok(value)
    }

    fn float(
        &mut self,
        site: usize,
        rules: &FloatRules,
        _wanted: bool,
        run: &Interpreter<'_>,
    ) -> OptionalValue<BigRational> {
        const TRIES: usize = 20;
        let mut text = self.float_text(site, rules, run)?;
        for _ in 0..TRIES {
            if self.next.contains(text.as_bytes()[0]) {
                break;
            }
            self.retry = 1;
            text = self.float_text(site, rules, run)?;
        }
        self.mark(MarkKind::Value { site, bounds: None });
        self.append(text.as_bytes(), &text)?;
        self.forbid_digit_next(text.as_bytes());
        let scanned = float::scan(text.as_bytes());
        Ok(scanned.and_then(|scanned| float::value(text.as_bytes(), &scanned)))
    }

    fn regex(
        &mut self,
        site: usize,
        pattern: &Pattern,
        is_wanted: bool,
        run: &Interpreter<'_>,
    ) -> OptionalValue<Vec<u8>> {
        const TRIES: usize = 60;
        let hint = self.hint.take().filter(|hint| hint.min <= hint.max);
        let length = match hint {
            Some(hint) => hint.length(self.chooser.length(site), self.chooser.chance()),
            None => self.usual_length(site, pattern, run),
        };
        let next = self.next;
        let fits = |text: &[u8]| -> Result<bool, RunStop> {
            let begins = text.first().is_none_or(|byte| next.contains(*byte));
            Ok(begins && run.longest_match(pattern, text)? == Some(text.len()))
        };
        let mut proposal = self.chooser.text(site);
        let mut found = None;
        for _ in 0..=TRIES {
            if let Some(text) = proposal.take()
                && fits(&text)?
            {
                let reshaped = self.chooser.reshape(site, &text, &self.state_before.loops);
                found = match reshaped {
                    Some(reshaped) if fits(&reshaped)? => Some(reshaped),
                    _ => Some(text),
                };
                break;
            }
            proposal = Some(strings::draw_text(pattern.hir(), length, self.chooser.chance()));
        }
        let Some(text) = found else {
            let what = format!("text that matches \"{}\"", pattern.text());
            let touch = self.touch(&format!("a {what}"));
            return Err(RunStop::stuck(
                touch.unwrap_or_else(|| format!("no {what} was found")),
                true,
            ));
        };
        self.retry = 0;
        self.mark(MarkKind::Value { site, bounds: Some(NumberRange::of_length(pattern)) });
        self.append(&text, "the text")?;
        Ok(is_wanted.then_some(text))
    }

    fn question(&mut self, number: usize, set: &ByteSet) -> Result<bool, RunStop> {
        let Some(test) = self.grammar.instructions[self.state_before.step].test() else {
            return Err(RunStop::stuck("a question outside a test", false));
        };
        let narrowed = |answer: bool| self.next.and(&if answer { *set } else { set.not() });
        let can_be =
            |answer: bool| !narrowed(answer).and(&self.may_follow(test, answer)).is_empty();
        let settled = self.settled_answers.get(self.answers.len()).copied();
        let answer = match (settled, can_be(true), can_be(false)) {
            (Some(answer), _, _) if !narrowed(answer).is_empty() => answer,
            (Some(_), _, _) | (None, false, false) => {
                return Err(RunStop::stuck("no answer to MATCH or ISEOF leads further", true));
            }
            (None, yes, no) if yes != no => {
                self.chooser.note_forced(number);
                yes
            }
            _ => {
                let answer = self.chooser.answer(number, &self.state_before.loops);
                let before = self.answers.clone();
                self.mark(MarkKind::Answer { answer, before });
                answer
            }
        };
        self.next = self.next.and(&if answer { *set } else { set.not() });
        self.answers.push(answer);
        if self.answers.len() >= self.settled_answers.len() {
            self.settled_answers.clear();
        }
        Ok(answer)
    }

    fn assertion_fault(&mut self, _at: Span, message: String) -> RunStop {
        RunStop::stuck(message, false)
    }

    fn offset(&self) -> usize {
        self.out.len()
    }

    fn loops(&mut self) -> &mut impl LoopObserver {
        &mut self.chooser
    }
}
