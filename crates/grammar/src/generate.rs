//! Writes inputs from a grammar, with backtracking.
//!
//! If an ASSERT fails, or bounds leave no value, the run goes back to a value that they depend on: first the latest
//! one, then earlier ones. If nothing fits after an answer to MATCH or ISEOF, the run tries the other answer. If that
//! fails, the next attempt starts from scratch.
//!
//! Bounds that a pin or the shape asks for stay as long as possible. First all other values are drawn in another way,
//! then the bounds give way as little as needed, and only then freely.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::ast::{Compare, Expr, ExprKind};
use crate::chance::Chance;
use crate::dependents::dependents;
use crate::draw::{BoundBias, Chooser, PARTS, ShapedChooser};
use crate::number::Int;
use crate::port::{LoopState, RunStop, RunStopKind, TOO_MUCH_HELP};
use crate::program::{Grammar, Instruction};
use crate::ranges::NumberRange;
use crate::read::{InputReader, NoWitness};
use crate::run::Interpreter;
use crate::shape::Shape;
use crate::value::Value;
use crate::value_bounds::{BoundSide, Pin};
use crate::wanted_bounds::{unreached, wanted_sides};
use crate::work::WorkCounter;
use crate::write::{InputWriter, Mark, MarkKind, NUMBERS_TOUCH};
use juror_core::diagnostic::Diagnostic;
use juror_core::text::count;

/// How to draw the values that led to dead ends, one attempt each, after all attempts that keep the wanted bounds.
const FALLBACKS: [BoundBias; 11] = [
    BoundBias::Low(4),
    BoundBias::High(4),
    BoundBias::Low(16),
    BoundBias::High(16),
    BoundBias::Low(64),
    BoundBias::High(64),
    BoundBias::Low(400),
    BoundBias::High(400),
    BoundBias::Low(10_000),
    BoundBias::WholeRange,
    BoundBias::WholeRange,
];
/// Number of attempts that look for the values nearest to wanted bounds that cannot be reached.
const HALVINGS: u32 = 5;

/// Upper bound on the dead ends of one attempt.
const STUCK_MAX: u32 = 3000;
/// Upper bound on the dead ends of one attempt at one instruction.
const STUCK_AT_MAX: u32 = 100;
/// Upper bound on the choices of one attempt, beyond three times those that it needs.
const SPARE_CHOICES: u64 = 10_000;

/// Writes an input of a shape; the same seed gives the same bytes on every machine.
pub fn generate(grammar: &Grammar, shape: &Shape, seed: u64) -> Result<Vec<u8>, Diagnostic> {
    generate_at(grammar, shape, &[], seed)
}

/// Like [`generate`], with some values at their bounds as far as possible.
pub fn generate_at(
    grammar: &Grammar,
    shape: &Shape,
    pins: &[Pin],
    seed: u64,
) -> Result<Vec<u8>, Diagnostic> {
    generate_until(grammar, shape, pins, seed, None, &|| false).map_err(|unwritten| match unwritten
    {
        GenerationFailure::Unsatisfied(diagnostic) => diagnostic,
        GenerationFailure::TooLarge | GenerationFailure::Stopped => {
            Diagnostic::error(&grammar.source.path, "the input is too large")
        }
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GenerationFailure {
    Unsatisfied(Diagnostic),
    /// The input would exceed the limit on its size.
    TooLarge,
    /// The time was over, or somebody stopped juror.
    Stopped,
}

/// Like [`generate_at`], but gives up as soon as the input has more than `most` bytes, or `is_over` is true: a grammar
/// that is hard to satisfy takes long.
pub fn generate_until(
    grammar: &Grammar,
    shape: &Shape,
    pins: &[Pin],
    seed: u64,
    most: Option<usize>,
    is_over: &dyn Fn() -> bool,
) -> Result<Vec<u8>, GenerationFailure> {
    let search = &mut Search {
        grammar,
        shape,
        pins,
        seed,
        size_limit: most,
        is_over,
        dependents: dependents(grammar),
        failures: Failures::default(),
        work: Rc::new(WorkCounter::new(grammar.limits.steps)),
        final_failure: None,
        attempts: 0,
        is_strict: true,
    };
    let wanted = search.wanted_biases();
    let first = search.attempt(wanted.clone())?;
    // First fewer missed bounds, then more bytes.
    let is_most = wanted.contains(&BoundBias::Part(PARTS));
    let rank = |input: &Vec<u8>| {
        let missed = unreached(grammar, shape, pins, input).len();
        (missed, Reverse(if is_most { input.len() } else { 0 }))
    };
    let is_free = search.failures.by_instruction.is_empty();
    let rank_first =
        |input: &Vec<u8>| if is_free { (0, Reverse(input.len())) } else { rank(input) };
    let first_rank = first.as_ref().map(rank_first);
    if let Some((0, _)) = first_rank {
        return first.ok_or(GenerationFailure::Stopped);
    }
    // First, the wanted bounds stay, and all else is drawn in another way.
    let level = search.level_biases(&wanted);
    let second = if level == wanted { None } else { search.attempt(level)? };
    let second = second.filter(|input| first_rank.is_none_or(|first| rank(input) < first));
    if let Some(input) = second.or(first) {
        return Ok(input);
    }
    if let Some(input) = search.attempt_nearest(&wanted)? {
        return Ok(input);
    }
    search.is_strict = false;
    for (number, bias) in FALLBACKS.into_iter().enumerate() {
        let mut tilts = wanted.clone();
        search.bias_blamed_sites(&mut tilts, bias, number >= FALLBACKS.len() / 2);
        if let Some(input) = search.attempt(tilts)? {
            return Ok(input);
        }
    }
    Err(GenerationFailure::Unsatisfied(
        std::mem::take(&mut search.failures).into_diagnostic(grammar),
    ))
}

struct Search<'a> {
    grammar: &'a Grammar,
    shape: &'a Shape,
    pins: &'a [Pin],
    seed: u64,
    size_limit: Option<usize>,
    is_over: &'a dyn Fn() -> bool,
    /// For each instruction, the sites that decide whether it can be satisfied.
    dependents: Vec<BTreeSet<usize>>,
    failures: Failures,
    /// The work of all attempts together.
    work: Rc<WorkCounter>,
    /// Why another attempt makes no sense.
    final_failure: Option<GenerationFailure>,
    attempts: u32,
    /// Whether wanted bounds stay if another value can change.
    is_strict: bool,
}

impl Search<'_> {
    /// The bias of each site: at a bound if a pin or the shape asks for it.
    fn wanted_biases(&self) -> Vec<BoundBias> {
        let ends = wanted_sides(self.grammar, self.shape, self.pins).into_iter();
        ends.map(|end| match end {
            None => BoundBias::Shape,
            Some(BoundSide::Least) => BoundBias::Part(0),
            Some(BoundSide::Most) => BoundBias::Part(PARTS),
        })
        .collect()
    }

    /// The wanted biases, with all other values that led to dead ends drawn from the whole range. A single value is
    /// large if another should be as large as allowed: it is probably the other's bound.
    fn level_biases(&self, wanted: &[BoundBias]) -> Vec<BoundBias> {
        let mut tilts = wanted.to_vec();
        self.bias_blamed_sites(&mut tilts, BoundBias::WholeRange, false);
        let blamed = self.blamed_sites();
        if blamed.iter().any(|site| wanted[*site] == BoundBias::Part(PARTS)) {
            for site in blamed {
                if tilts[site] == BoundBias::WholeRange && self.grammar.sites[site].loops.is_empty()
                {
                    tilts[site] = BoundBias::High(2);
                }
            }
        }
        tilts
    }

    /// Changes the bias of values that led to dead ends; with `all`, also of those that are wanted at a bound.
    fn bias_blamed_sites(&self, tilts: &mut [BoundBias], bias: BoundBias, all: bool) {
        for site in self.blamed_sites() {
            if all || tilts[site] == BoundBias::Shape {
                tilts[site] = bias;
            }
        }
    }

    fn blamed_sites(&self) -> BTreeSet<usize> {
        self.failures
            .by_instruction
            .keys()
            .flat_map(|step| &self.dependents[*step])
            .copied()
            .collect()
    }

    /// Relaxes wanted bounds that led to dead ends as little as possible: the one that is read last, else all of them.
    fn attempt_nearest(
        &mut self,
        wanted: &[BoundBias],
    ) -> Result<Option<Vec<u8>>, GenerationFailure> {
        let blamed = self.blamed_sites().into_iter();
        let open: Vec<usize> =
            blamed.filter(|site| matches!(wanted[*site], BoundBias::Part(_))).collect();
        let last = open.last().map(std::slice::from_ref).filter(|_| open.len() > 1);
        for sites in last.into_iter().chain([&*open]).filter(|sites| !sites.is_empty()) {
            let mut found = None;
            let (mut distance, mut step) = (0, PARTS / 2);
            for _ in 0..HALVINGS {
                let mut tilts = self.level_biases(wanted);
                for site in sites {
                    tilts[*site] = match wanted[*site] {
                        BoundBias::Part(0) => BoundBias::Part(distance + step),
                        _ => BoundBias::Part(PARTS - distance - step),
                    };
                }
                match self.attempt(tilts)? {
                    Some(input) => found = Some(input),
                    None => distance += step,
                }
                step /= 2;
            }
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// `None` if no values were found.
    fn attempt(&mut self, tilts: Vec<BoundBias>) -> Result<Option<Vec<u8>>, GenerationFailure> {
        let grammar = self.grammar;
        let chance = Chance::new(self.seed, &format!("{} {}", self.shape.name, self.attempts));
        self.attempts += 1;
        // Whether a value stays as long as a later value can be changed.
        let is_kept = |bias: &BoundBias| self.is_strict && matches!(bias, BoundBias::Part(_));
        let kept: Vec<bool> = tilts.iter().map(is_kept).collect();
        let source = ShapedChooser::new(grammar, self.shape, chance, tilts);
        let mut writer = InputWriter::new(grammar, source);
        writer.size_limit = self.size_limit.unwrap_or(writer.size_limit);
        if self.run(&mut writer, &kept) {
            match self.check_reading(&writer.out) {
                Ok(()) => return Ok(Some(writer.out)),
                Err(stop) => self.note_misread(stop),
            }
        }
        if let Some(end) = self.final_failure.take() {
            return Err(end);
        }
        if self.size_limit.is_some() && writer.is_full {
            return Err(GenerationFailure::TooLarge);
        }
        if (self.is_over)() {
            return Err(GenerationFailure::Stopped);
        }
        Ok(None)
    }

    /// Runs to the end, with backtracking; returns whether it succeeded.
    fn run(&mut self, writer: &mut InputWriter<'_, impl Chooser>, kept: &[bool]) -> bool {
        let mut run = Interpreter::with_work(self.grammar, Rc::clone(&self.work));
        run.vars = run.vars.with_trail();
        let mut stuck_at: BTreeMap<usize, u32> = BTreeMap::new();
        let mut farthest = 0;
        for _ in 0..STUCK_MAX {
            let Err(stop) = run.run(writer) else { return true };
            // The attempt got further, so the counts of dead ends start again.
            if writer.choices > farthest {
                farthest = writer.choices;
                stuck_at.clear();
            }
            let step = run.at;
            self.final_failure = self.failure_that_ends(&stop);
            if self.final_failure.is_some() {
                return false;
            }
            let by_question = self.failures.note(step, stop);
            if writer.is_full || (self.is_over)() {
                return false;
            }
            let times = stuck_at.entry(step).or_default();
            *times += 1;
            if *times > STUCK_AT_MAX || writer.all_choices > 3 * farthest + SPARE_CHOICES {
                return false;
            }
            let back = if by_question { last_answer(writer) } else { None };
            let hint = |mark: &Mark| hint(&run, step, mark);
            let back = back.or_else(|| self.earlier_value(writer, kept, step, *times, &hint));
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

    /// `Some` if the reason for a stop ends all attempts.
    fn failure_that_ends(&self, stop: &RunStop) -> Option<GenerationFailure> {
        match stop.0.kind {
            RunStopKind::TooMuchWork => {
                let fault = self.grammar.source.error(stop.0.span, stop.0.message.clone());
                Some(GenerationFailure::Unsatisfied(fault.help(TOO_MUCH_HELP)))
            }
            RunStopKind::Interrupted => Some(GenerationFailure::Stopped),
            _ => None,
        }
    }

    fn check_reading(&self, text: &[u8]) -> Result<(), RunStop> {
        let mut reader = InputReader::new(self.grammar, text, NoWitness);
        Interpreter::with_work(self.grammar, Rc::clone(&self.work)).run(&mut reader)
    }

    fn note_misread(&mut self, stop: RunStop) {
        self.final_failure = self.failure_that_ends(&stop);
        let message = format!("the generated text is not read as intended: {}", stop.0.message);
        let help =
            "make the part before it end where this begins: a REGEX matches as much as it can";
        self.failures.misread = Some(self.grammar.source.error(stop.0.span, message).help(help));
    }

    /// The index of a mark whose value the instruction depends on. The more dead ends, the earlier the value.
    fn earlier_value(
        &self,
        writer: &InputWriter<'_, impl Chooser>,
        kept: &[bool],
        step: usize,
        times: u32,
        hint: &dyn Fn(&Mark) -> Option<NumberRange>,
    ) -> Option<usize> {
        let sites = &self.dependents[step];
        let mut rank = 1_usize << ((times - 1) / 8).min(20);
        let mut is_first_kept = false;
        let mut found = None;
        let mut count = 0;
        for (index, mark) in writer.marks.iter().enumerate().rev() {
            let MarkKind::Value { site, .. } = &mark.kind else { continue };
            if !(sites.is_empty() || sites.contains(site)) {
                continue;
            }
            if kept[*site] && found.is_some() && !is_first_kept {
                break;
            }
            is_first_kept = kept[*site];
            found = Some(index);
            count += 1;
            // If no value of the latest mark fits, an earlier one must change.
            if count == 1 && hint(mark).is_some_and(|hint| hint.is_empty()) {
                rank = rank.max(2);
            }
            if count == rank {
                break;
            }
        }
        found
    }
}

/// The latest question whose other answer was not tried. An answer that was already changed has no mark.
fn last_answer<S: Chooser>(writer: &InputWriter<'_, S>) -> Option<usize> {
    writer.marks.iter().rposition(|mark| matches!(mark.kind, MarkKind::Answer { .. }))
}

/// The range that a failed ASSERT demands of the value drawn last, if its form is simple: `x < y + 1`. For a text it
/// is the range of its length: `STRLEN(s) == n`.
fn hint(run: &Interpreter<'_>, step: usize, mark: &Mark) -> Option<NumberRange> {
    let MarkKind::Value { site, bounds: Some(bounds) } = &mark.kind else { return None };
    let mut hint = NumberRange { min: bounds.min.clone(), max: bounds.max.clone() };
    // In another iteration, the same name is another value.
    let is_same = |a: &LoopState, b: &LoopState| (a.id, a.index) == (b.id, b.index);
    let is_around = mark.loops.len() <= run.loops.len();
    if !is_around || !mark.loops.iter().zip(&run.loops).all(|(a, b)| is_same(a, b)) {
        return None;
    }
    let before = hint.clone();
    for test in run.grammar.instructions[step].demands() {
        narrow(run, test, &run.grammar.sites[*site].label, &mut hint);
    }
    (hint != before).then_some(hint)
}

fn narrow(run: &Interpreter<'_>, test: &Expr, label: &str, hint: &mut NumberRange) {
    let source = &run.grammar.source;
    let is_label = |expr: &Expr| match &expr.kind {
        ExprKind::Strlen(text) => source.excerpt(text.span) == label,
        _ => source.excerpt(expr.span) == label,
    };
    let mentions = |expr: &Expr| expr.mentions(|name| source.excerpt(name.span) == label);
    let ExprKind::Compare { op, left, right } = &test.kind else { return };
    let (op, other) = match (is_label(left), is_label(right)) {
        (true, false) if !mentions(right) => (*op, right),
        (false, true) if !mentions(left) => (op.swapped(), left),
        _ => return,
    };
    if let Ok(Value::Int(other)) = run.eval(other) {
        hint.narrow(op, &other);
    }
}

impl NumberRange {
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

#[derive(Default)]
struct Failures {
    /// By instruction: how often it stopped an attempt, and the last message.
    by_instruction: BTreeMap<usize, (u64, String)>,
    misread: Option<Diagnostic>,
}

impl Failures {
    /// Notes why a run stopped; returns whether another answer to a question could help.
    fn note(&mut self, step: usize, stop: RunStop) -> bool {
        let failure = self.by_instruction.entry(step).or_default();
        *failure = (failure.0 + 1, stop.0.message);
        matches!(stop.0.kind, RunStopKind::Stuck { by_question: true })
    }

    fn into_diagnostic(self, grammar: &Grammar) -> Diagnostic {
        let source = &grammar.source;
        let worst = self.by_instruction.into_iter().max_by_key(|(_, (times, _))| *times);
        let Some((step, (times, last))) = worst else {
            return self
                .misread
                .unwrap_or_else(|| Diagnostic::error(&source.path, "no input could be written"));
        };
        let (what, help) = match grammar.instructions[step] {
            Instruction::Assert(_) => (
                "this could not be satisfied",
                "random values rarely satisfy it: express it in the bounds of INT, or ASSERT it as soon as each value is read",
            ),
            _ if last.starts_with(NUMBERS_TOUCH) => {
                ("nothing could be written here", "write SPACE or NEWLINE between them")
            }
            _ => (
                "nothing could be written here",
                "loosen the bounds, or ASSERT its requirements before it",
            ),
        };
        let message = format!("{what}: tried {}, at last {last}", count(times, "time"));
        source.error(grammar.spans[step], message).help(help)
    }
}
