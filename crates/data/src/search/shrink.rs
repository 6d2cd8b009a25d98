//! Shrinks a failing input, as long as it fails in the same way.
//!
//! First, the numbers of a generator's command are lowered, or a generator of the command line is called with smaller
//! sizes and other seeds. Then edits follow, on the tree of the grammar or else on
//! lines and words. Last, small inputs are tried that are smaller than the best so far: random ones, and the list of
//! all small ones. An input that no edit makes smaller may be far from the smallest.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::inputs::by_generator;
use crate::inputs::by_recipe::lower_numbers;
use crate::inputs::word_lines;
use crate::recipe::built_generators::GeneratorCall;
use crate::recipe::seeded_generator::{SeededCall, SeededGenerator, SeededProgram};
use crate::search::arena::{Arena, SearchInput};
use crate::search::cross_check::{CrossCheck, CrossCheckResult};
use crate::search::result::{CounterexampleOrigin, GeneratedInput};
use crate::search::run::Failure;
use juror_core::judgement::CaseJudgement;
use juror_core::progress::SearchProgress;
use juror_core::stop::Stop;
use juror_core::verdict::Verdict;
use juror_grammar::enumerate::SmallInputs;
use juror_grammar::generate::generate;
use juror_grammar::program::Grammar;
use juror_grammar::shape;
use juror_grammar::shrink::{self as tree, is_smaller};
use juror_judging::judge::case::TimeLimitMode;
use juror_sandbox::executor::parallel;

pub struct ShrunkInput {
    pub input: Arc<[u8]>,
    pub judgement: CaseJudgement,
    /// Number of cross-checks for that.
    pub runs: u64,
    /// The steps that made it smaller, in order.
    pub path: Vec<String>,
    /// The smallest failing input that the generator of the command line prints.
    pub generated: Option<GeneratedInput>,
    pub interrupted: bool,
    /// Whether the time ran out before everything was tried.
    pub ran_out: bool,
}

/// Number of inputs that are tried from the list of small ones.
const SMALL_MAX: usize = 2000;
/// Number of these inputs that are tried before anything else.
const FIRST_SMALL: usize = 60;
/// Number of random inputs with few small values.
const TINY_MAX: u64 = 400;
/// Number of these inputs that are tried before edits: a small input is near a smallest one.
const FIRST_TINY: u64 = 60;
const TINY: &str = "tiny";
/// Number of inputs that edits make.
const EDITS_MAX: u64 = 5000;
/// Number of inputs that are tried for each lowered number of a generator.
const SEEDS_PER_NUMBER: u64 = 6;
/// The seeds that are tried for each smaller size of a generator of the command line, in two rounds.
const SEEDS_PER_SIZE: [Range<u32>; 2] = [0..10, 10..50];
/// Number of seeds that are tried for its smallest failing size. After so many at once that make nothing smaller, the
/// others are not tried.
const SEEDS_MAX: u32 = 200;
const SEEDS_AT_ONCE: u32 = 40;

/// `before` is the number of earlier cross-checks, and the start of the first one.
pub fn shrink(
    cross_check: &CrossCheck<'_>,
    failure: &Failure,
    before: (u64, Instant),
    progress: &(dyn Fn(SearchProgress) + Sync),
) -> Result<ShrunkInput, Stop> {
    let arena = cross_check.arena;
    let mut shrinker = InputShrinker {
        cross_check,
        before,
        progress,
        wanted: (failure.judgement.verdict, failure.judgement.is_deadlocked()),
        needs_margin: false,
        best: ShrunkInput {
            input: Arc::clone(&failure.fresh.input),
            judgement: failure.judgement.clone(),
            runs: 0,
            path: Vec::new(),
            generated: generated_input(arena, &failure.fresh),
            interrupted: false,
            ran_out: false,
        },
        last_report: Instant::now(),
        hasher: RandomState::new(),
        tried: HashSet::new(),
    };
    match shrinker.run(failure) {
        Ok(()) => {}
        Err(Stop::Interrupted) => shrinker.best.interrupted = !arena.scheduler.has_run_out(),
        Err(stop) => return Err(stop),
    }
    shrinker.best.ran_out = arena.scheduler.is_past_deadline();
    Ok(shrinker.best)
}

struct InputShrinker<'a> {
    cross_check: &'a CrossCheck<'a>,
    before: (u64, Instant),
    progress: &'a (dyn Fn(SearchProgress) + Sync),
    /// The verdict, and whether the submission waits forever, instead of working for too long.
    wanted: (Verdict, bool),
    /// Whether the input must stay too slow by a margin.
    needs_margin: bool,
    best: ShrunkInput,
    last_report: Instant,
    hasher: RandomState,
    tried: HashSet<u64>,
}

impl InputShrinker<'_> {
    fn run(&mut self, failure: &Failure) -> Result<(), Stop> {
        if self.wanted.0 == Verdict::TimeLimitExceeded {
            self.needs_margin = self.judge(&Arc::clone(&self.best.input), true)?.is_some();
        }
        if let Some(call) = failure.fresh.seeded {
            self.lower_size(call)?;
        }
        if let Some(call) = &failure.fresh.call
            && self.cross_check.arena.grammar().is_none()
        {
            self.lower_parameters(call)?;
        }
        if self.cross_check.arena.grammar().is_none()
            && self.cross_check.arena.validity.has_programs()
        {
            self.shrink_word_lines()?;
        }
        if let Some(grammar) = self.cross_check.arena.grammar() {
            // Most faults show on a tiny input, which this finds at once.
            self.try_small(grammar, FIRST_SMALL)?;
            self.try_tiny(grammar, 0..FIRST_TINY)?;
            self.shrink_tree(grammar)?;
            if self.try_tiny(grammar, FIRST_TINY..TINY_MAX)? {
                self.shrink_tree(grammar)?;
            }
            if !matches!(failure.fresh.origin, CounterexampleOrigin::Small { .. })
                || SmallInputs::new(grammar, 2).is_packed()
            {
                self.try_small(grammar, SMALL_MAX)?;
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.cross_check.arena.scheduler.is_past_deadline()
    }

    /// Returns whether an input fails in the same way. If so, it becomes the best so far.
    fn accept_if_failing(&mut self, input: &Arc<[u8]>) -> Result<bool, Stop> {
        if !self.is_worth_it(input) {
            return Ok(false);
        }
        let judgement = self.judge(input, self.needs_margin)?;
        judgement.map_or(Ok(false), |judgement| self.confirm(input, judgement))
    }

    /// Whether an input is smaller than the best, accepted by the grammars, and new.
    fn is_worth_it(&mut self, input: &Arc<[u8]>) -> bool {
        let is_new = !self.is_over()
            && is_smaller(input, &self.best.input)
            && self.tried.insert(self.hasher.hash_one(input));
        self.report_progress();
        is_new && self.cross_check.arena.validity.grammars_accept(input)
    }

    /// Returns whether a failing input is valid and fails again. If so, it becomes the best so far.
    fn confirm(&mut self, input: &Arc<[u8]>, judgement: CaseJudgement) -> Result<bool, Stop> {
        if self.cross_check.arena.validity.program_objection(input)?.is_some() {
            return Ok(false);
        }
        // An input that fails only sometimes would mislead the search.
        if self.wanted.0 != Verdict::TimeLimitExceeded && self.judge(input, false)?.is_none() {
            return Ok(false);
        }
        self.best.input = Arc::clone(input);
        self.best.judgement = judgement;
        Ok(true)
    }

    /// `None` unless the judgement has the wanted verdict. With `with_margin`, a slow submission must be clearly too
    /// slow.
    fn judge(
        &mut self,
        input: &Arc<[u8]>,
        with_margin: bool,
    ) -> Result<Option<CaseJudgement>, Stop> {
        self.best.runs += 1;
        judge_wanted(self.cross_check, input, self.wanted, with_margin)
    }

    fn report_progress(&mut self) {
        const OFTEN: Duration = Duration::from_millis(100);
        if self.last_report.elapsed() < OFTEN {
            return;
        }
        self.last_report = Instant::now();
        let (runs, started) = self.before;
        (self.progress)(SearchProgress {
            doing: "making it smaller".to_owned(),
            runs: runs + self.best.runs,
            elapsed: started.elapsed(),
            smallest: Some(self.best.input.len()),
        });
    }

    /// Notes which step made the input smaller, if one did.
    fn note_step(&mut self, before: &Arc<[u8]>, step: impl FnOnce() -> String) {
        if !Arc::ptr_eq(before, &self.best.input) {
            let step = step();
            self.best.path.push(step);
        }
    }

    /// Tries each lowered number with several seeds.
    fn lower_parameters(&mut self, call: &GeneratorCall) -> Result<(), Stop> {
        let Some(generators) = &self.cross_check.arena.generators else { return Ok(()) };
        let before = Arc::clone(&self.best.input);
        let mut call = call.clone();
        'again: loop {
            for command in lower_numbers(&call.command) {
                for step in 0..SEEDS_PER_NUMBER {
                    if self.is_over() {
                        break 'again;
                    }
                    let seed = call.seed.wrapping_add(step) & 0x7fff_ffff;
                    let lower = GeneratorCall { command: command.clone(), seed };
                    let Ok(input) = generators.make(&lower)? else { break };
                    if self.accept_if_failing(&input)? {
                        call = lower;
                        continue 'again;
                    }
                }
            }
            break;
        }
        self.note_step(&before, || format!("lower numbers: `{}`", call.line()));
        Ok(())
    }

    /// Tries other seeds of the generator of the command line: first some for each smaller size, until one fails, then
    /// more for the smallest failing size.
    fn lower_size(&mut self, call: SeededCall) -> Result<(), Stop> {
        let Some(generator) = &self.cross_check.arena.seeded else { return Ok(()) };
        let before = Arc::clone(&self.best.input);
        let mut least = call.size;
        for seeds in SEEDS_PER_SIZE {
            let sizes = by_generator::sizes(least.unwrap_or(1));
            for size in sizes.into_iter().filter(|size| least.is_some_and(|least| *size < least)) {
                if self.try_seeds(generator, Some(size), seeds.clone())? {
                    least = Some(size);
                    break;
                }
            }
        }
        let mut first = 0;
        while first < SEEDS_MAX && self.try_seeds(generator, least, first..first + SEEDS_AT_ONCE)? {
            first += SEEDS_AT_ONCE;
        }
        let line = self.best.generated.as_ref().map(|generated| generated.command_line.clone());
        let line = line.unwrap_or_default();
        self.note_step(&before, || format!("other calls of the generator: `{line}`"));
        Ok(())
    }

    /// Returns whether the generator prints a smaller input with one of these seeds.
    fn try_seeds(
        &mut self,
        generator: &SeededGenerator<'_>,
        size: Option<u32>,
        seeds: Range<u32>,
    ) -> Result<bool, Stop> {
        let arena = self.cross_check.arena;
        let calls: Vec<SeededCall> = seeds.map(|seed| SeededCall { size, seed }).collect();
        // A call that fails proves nothing about the submission.
        let texts = parallel::map(arena.bench.executor, &calls, |call| {
            if arena.is_over() { Ok(None) } else { Ok(generator.make(*call)?.ok()) }
        })?;
        let before = Arc::clone(&self.best.input);
        let mut inputs = texts.iter().flatten().cloned();
        self.try_each(&mut inputs)?;
        let best = &self.best.input;
        let is_best = |texts: &Option<Arc<[u8]>>| texts.as_ref().is_some_and(|input| input == best);
        let is_smaller = !Arc::ptr_eq(&before, best);
        if let Some(index) = texts.iter().position(is_best).filter(|_| is_smaller) {
            self.best.generated = Some(printed(generator.given, calls[index], best));
        }
        Ok(is_smaller)
    }

    /// Drops, lowers and equalizes values on the tree of the grammar.
    fn shrink_tree(&mut self, grammar: &Grammar) -> Result<(), Stop> {
        let arena = self.cross_check.arena;
        let is_over = || arena.is_over();
        self.shrink_by_edits(
            "dropping and lowering on the tree of the grammar",
            |accepts, before| {
                // An input that the grammar does not accept does not change.
                let _ = tree::shrink(grammar, before, |input| accepts(input), EDITS_MAX, is_over);
            },
        )
    }

    /// Drops lines and words, and lowers numbers, as far as validators accept the result.
    fn shrink_word_lines(&mut self) -> Result<(), Stop> {
        self.shrink_by_edits("dropping lines and words, and lowering numbers", |accepts, before| {
            word_lines::shrink(before, accepts, EDITS_MAX);
        })
    }

    fn shrink_by_edits(
        &mut self,
        step: &str,
        edits: impl FnOnce(&mut dyn FnMut(&[u8]) -> bool, &[u8]),
    ) -> Result<(), Stop> {
        let before = Arc::clone(&self.best.input);
        let mut stop = None;
        let mut is_interesting = |input: &[u8]| {
            let accepted = match stop {
                None => self.accept_edited(&Arc::from(input)),
                Some(_) => return false,
            };
            accepted.unwrap_or_else(|error| {
                stop = Some(error);
                false
            })
        };
        edits(&mut is_interesting, &before);
        self.note_step(&before, || step.to_owned());
        stop.map_or(Ok(()), Err)
    }

    /// Without a grammar, most edits are invalid, so validators run first.
    fn accept_edited(&mut self, input: &Arc<[u8]>) -> Result<bool, Stop> {
        if self.cross_check.arena.grammar().is_none()
            && (self.is_over()
                || !is_smaller(input, &self.best.input)
                || self.cross_check.arena.validity.program_objection(input)?.is_some())
        {
            return Ok(false);
        }
        self.accept_if_failing(input)
    }

    fn try_small(&mut self, grammar: &Grammar, most: usize) -> Result<(), Stop> {
        let list = SmallInputs::new(grammar, 1).take(most);
        let mut list = list.map(|small| Arc::from(small.text));
        self.try_all(&mut list, "all small inputs in turn").map(drop)
    }

    /// Tries random inputs of few small values: an input that no edit makes smaller may be far from the smallest.
    /// Returns whether one fails.
    fn try_tiny(&mut self, grammar: &Grammar, seeds: Range<u64>) -> Result<bool, Stop> {
        let mut tiny = shape::applicable(grammar);
        tiny.retain(|shape| shape.name == TINY);
        let inputs = seeds.filter_map(|seed| generate(grammar, tiny.first()?, seed).ok());
        self.try_all(&mut inputs.map(Arc::from), "small inputs at random")
    }

    /// Tries the inputs that are smaller than the best. Returns whether one fails in the same way.
    fn try_all(
        &mut self,
        inputs: &mut dyn Iterator<Item = Arc<[u8]>>,
        step: &str,
    ) -> Result<bool, Stop> {
        let before = Arc::clone(&self.best.input);
        self.try_each(inputs)?;
        self.note_step(&before, || step.to_owned());
        Ok(!Arc::ptr_eq(&before, &self.best.input))
    }

    fn try_each(&mut self, candidates: &mut dyn Iterator<Item = Arc<[u8]>>) -> Result<(), Stop> {
        let cross_check = self.cross_check;
        let (wanted, by_margin) = (self.wanted, self.needs_margin);
        let at_once = 4 * cross_check.arena.bench.executor.slots();
        while !self.is_over() {
            let mut inputs: Vec<Arc<[u8]>> = Vec::new();
            while inputs.len() < at_once
                && let Some(input) = candidates.next()
            {
                if self.is_worth_it(&input) {
                    inputs.push(input);
                }
            }
            if inputs.is_empty() {
                break;
            }
            self.best.runs += inputs.len() as u64;
            let judgements = parallel::map(cross_check.arena.bench.executor, &inputs, |input| {
                judge_wanted(cross_check, input, wanted, by_margin)
            })?;
            for (input, judgement) in inputs.iter().zip(judgements) {
                if let Some(judgement) = judgement
                    && is_smaller(input, &self.best.input)
                {
                    self.confirm(input, judgement)?;
                }
            }
        }
        Ok(())
    }
}

/// `None` for an input that the generator of the command line did not print.
pub fn generated_input(arena: &Arena<'_>, fresh: &SearchInput) -> Option<GeneratedInput> {
    Some(printed(arena.seeded.as_ref()?.given, fresh.seeded?, &fresh.input))
}

fn printed(given: &SeededProgram, call: SeededCall, input: &[u8]) -> GeneratedInput {
    let SeededCall { size, seed } = call;
    GeneratedInput { command_line: given.line(call), seed, size, input: input.to_vec() }
}

/// `None` unless the submission gets the wanted verdict.
fn judge_wanted(
    cross_check: &CrossCheck<'_>,
    input: &Arc<[u8]>,
    wanted: (Verdict, bool),
    with_margin: bool,
) -> Result<Option<CaseJudgement>, Stop> {
    let time_limit_mode = if with_margin { TimeLimitMode::TooSlow } else { TimeLimitMode::Any };
    let CrossCheckResult::Differs(judgement) = cross_check.check(input, time_limit_mode)? else {
        return Ok(None);
    };
    let is_stopped = judgement.outcome.as_ref().is_some_and(|outcome| outcome.stopped_by.is_some());
    let is_wanted =
        (judgement.verdict, judgement.is_deadlocked()) == wanted && (!with_margin || is_stopped);
    Ok(is_wanted.then_some(*judgement))
}
