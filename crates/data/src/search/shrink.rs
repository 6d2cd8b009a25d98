//! Shrinks a failing input, as long as it fails in the same way.
//!
//! First, the numbers of a generator's command are lowered, or a generator of the command line is called with small
//! sizes and other seeds. Then edits follow, on the tree of the grammar or else on
//! lines and words. Last, small inputs are tried that are smaller than the best so far: random ones, random changes of
//! the best, and the list of all small ones. An input that no edit makes smaller may be far from the smallest.
//!
//! Numbers of tries end this, not the clock, which is only an upper bound. So the same failure becomes the same input.
//! Batches may say that an input does not fail; single runs decide that one does.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::inputs::by_generator;
use crate::inputs::by_recipe::lower_numbers;
use crate::inputs::word_lines::{self, ExtremeNumbers, WordLines};
use crate::recipe::built_generators::GeneratorCall;
use crate::recipe::seeded_generator::{SeededCall, SeededGenerator, SeededProgram};
use crate::search::arena::{Arena, SearchInput};
use crate::search::batch::{Batches, RemainingSearch};
use crate::search::cross_check::{CrossCheck, CrossCheckResult};
use crate::search::result::GeneratedInput;
use crate::search::run::Failure;
use juror_core::judgement::CaseJudgement;
use juror_core::progress::SearchProgress;
use juror_core::stop::Stop;
use juror_core::verdict::Verdict;
use juror_grammar::chance::Chance;
use juror_grammar::enumerate::SmallInputs;
use juror_grammar::generate::generate;
use juror_grammar::program::Grammar;
use juror_grammar::shape;
use juror_grammar::shrink::{self as tree, is_smaller};
use juror_grammar::tree::parse;
use juror_grammar::vary::vary;
use juror_judging::judge::case::TimeLimitMode;
use juror_sandbox::executor::parallel;

pub struct ShrinkParameters<'a> {
    pub cross_check: &'a CrossCheck<'a>,
    /// If `None`, each run has a fresh process.
    pub batches: Option<&'a Batches>,
    /// Number of random inputs, or of calls of a generator, that are tried in vain before this ends.
    pub vain_tries_max: u64,
    /// The number of earlier cross-checks, and the start of the first one.
    pub before: (u64, Instant),
    /// When time runs out.
    pub end: Instant,
    pub progress: &'a (dyn Fn(SearchProgress) + Sync),
}

pub struct ShrunkInput {
    pub input: Arc<[u8]>,
    pub judgement: CaseJudgement,
    /// Number of cross-checks for that.
    pub runs: u64,
    /// Number of inputs that were made or printed, with those that are not smaller.
    pub tries: u64,
    /// The steps that made it smaller, in order.
    pub path: Vec<String>,
    /// The smallest failing input that the generator of the command line prints.
    pub generated: Option<GeneratedInput>,
    pub interrupted: bool,
    /// Whether the time ran out before everything was tried.
    pub ran_out: bool,
    /// Whether every smaller input was tried.
    pub is_smallest: bool,
}

/// An input to try instead of a larger one.
struct SmallerInput {
    input: Arc<[u8]>,
    /// The call of the generator of the command line that printed it.
    call: Option<SeededCall>,
}

/// From the list of small inputs, this many times as many are tried as random ones.
const SMALL_PER_TRY: u64 = 5;
/// Number of these inputs that are tried before anything else.
const FIRST_SMALL: usize = 60;
/// Number of random inputs of few small values that are tried before edits: a small input is near a smallest one.
const FIRST_TINY: u64 = 60;
const TINY: &str = "tiny";
/// Number of inputs that edits make.
const EDITS_MAX: u64 = 5000;
/// Number of inputs that are tried for each lowered number of a generator.
const SEEDS_PER_NUMBER: u64 = 6;
/// Number of seeds that are tried for a size of a generator of the command line, before the next size has its turn.
const SEEDS_AT_ONCE: u32 = 40;
/// Number of random changes of an input that are tried before those of the next best one.
const CHANGES_AT_ONCE: u64 = 64;
/// A longer input has too many values for random changes.
const CHANGED_BYTES_MAX: usize = 1 << 10;
/// Upper bound on the inputs that a batch gets.
const BATCH_MAX: usize = 64;

pub fn shrink(parameters: &ShrinkParameters<'_>, failure: &Failure) -> Result<ShrunkInput, Stop> {
    let arena = parameters.cross_check.arena;
    let mut shrinker = InputShrinker {
        parameters,
        cross_check: parameters.cross_check,
        wanted: (failure.judgement.verdict, failure.judgement.is_deadlocked()),
        needs_margin: false,
        prints_alone: false,
        best: ShrunkInput {
            input: Arc::clone(&failure.fresh.input),
            judgement: failure.judgement.clone(),
            runs: 0,
            tries: 0,
            path: Vec::new(),
            generated: generated_input(arena, &failure.fresh),
            interrupted: false,
            ran_out: false,
            is_smallest: false,
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
    parameters: &'a ShrinkParameters<'a>,
    cross_check: &'a CrossCheck<'a>,
    /// The verdict, and whether the submission waits forever, instead of working for too long.
    wanted: (Verdict, bool),
    /// Whether the input must stay too slow by a margin.
    needs_margin: bool,
    /// Whether the generator prints something else in a batch.
    prints_alone: bool,
    best: ShrunkInput,
    last_report: Instant,
    hasher: RandomState,
    tried: HashSet<u64>,
}

impl<'a> InputShrinker<'a> {
    fn run(&mut self, failure: &Failure) -> Result<(), Stop> {
        if self.wanted.0 == Verdict::TimeLimitExceeded {
            self.needs_margin = self.judge(&Arc::clone(&self.best.input), true)?.is_some();
        }
        if let Some(call) = failure.fresh.seeded {
            self.in_step("other calls of the generator", |own| own.try_calls(call))?;
        }
        if let Some(call) = &failure.fresh.call
            && self.cross_check.arena.grammar().is_none()
        {
            self.lower_parameters(call)?;
        }
        if self.has_only_validators() {
            self.shrink_word_lines()?;
            while self.try_random_changes(None)? {
                self.shrink_word_lines()?;
            }
        }
        if let Some(grammar) = self.cross_check.arena.grammar() {
            // Most faults show on a tiny input, which this finds at once.
            self.try_small(grammar, FIRST_SMALL)?;
            self.try_tiny(grammar, 0..FIRST_TINY)?;
            self.shrink_tree(grammar)?;
            let mut first = FIRST_TINY;
            loop {
                let seeds = first..first + self.parameters.vain_tries_max;
                first = seeds.end;
                if !self.try_tiny(grammar, seeds)? && !self.try_random_changes(Some(grammar))? {
                    break;
                }
                self.shrink_tree(grammar)?;
            }
            let most = self.parameters.vain_tries_max * SMALL_PER_TRY;
            self.try_small(grammar, most as usize)?;
        }
        Ok(())
    }

    /// Whether only programs say which texts are valid.
    fn has_only_validators(&self) -> bool {
        let arena = self.cross_check.arena;
        arena.grammar().is_none() && arena.validity.has_programs()
    }

    fn is_over(&self) -> bool {
        self.cross_check.arena.scheduler.is_past_deadline()
    }

    /// Returns whether an action made the input smaller. Then the step is noted, also if the time ran out in it.
    fn in_step(
        &mut self,
        step: &str,
        action: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        let before = Arc::clone(&self.best.input);
        let result = action(self);
        let is_smaller = !Arc::ptr_eq(&before, &self.best.input);
        if is_smaller && self.best.path.last().is_none_or(|last| last != step) {
            self.best.path.push(step.to_owned());
        }
        result.map(|()| is_smaller)
    }

    /// Returns whether an input fails in the same way. If so, it becomes the best so far.
    fn accept_if_failing(&mut self, input: &Arc<[u8]>) -> Result<bool, Stop> {
        if !self.is_worth_it(input) {
            return Ok(false);
        }
        let judgement = self.judge(input, self.needs_margin)?;
        let smaller = SmallerInput { input: Arc::clone(input), call: None };
        judgement.map_or(Ok(false), |judgement| self.confirm(&smaller, judgement))
    }

    /// Whether an input is smaller than the best, accepted by the grammars, and new.
    fn is_worth_it(&mut self, input: &Arc<[u8]>) -> bool {
        self.best.tries += 1;
        let is_new = !self.is_over()
            && is_smaller(input, &self.best.input)
            && self.tried.insert(self.hasher.hash_one(input));
        self.report_progress();
        is_new && self.cross_check.arena.validity.grammars_accept(input)
    }

    /// Returns whether a failing input is valid and fails again. If so, it becomes the best so far.
    fn confirm(&mut self, smaller: &SmallerInput, judgement: CaseJudgement) -> Result<bool, Stop> {
        let SmallerInput { input, call } = smaller;
        let arena = self.cross_check.arena;
        if arena.validity.program_objection(input)?.is_some() {
            return Ok(false);
        }
        let printed = call.zip(arena.seeded.as_ref());
        // A batch may print something else.
        if let Some((call, generator)) = printed
            && generator.make(call)?.ok().as_ref() != Some(input)
        {
            self.prints_alone = true;
            return Ok(false);
        }
        // An input that fails only sometimes would mislead the search.
        if self.wanted.0 != Verdict::TimeLimitExceeded && self.judge(input, false)?.is_none() {
            return Ok(false);
        }
        if let Some((call, generator)) = printed {
            self.best.generated = Some(generated_by(generator.given, call, input));
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
        let (runs, started) = self.parameters.before;
        (self.parameters.progress)(SearchProgress {
            doing: "making it smaller".to_owned(),
            runs: runs + self.best.runs,
            elapsed: started.elapsed(),
            smallest: Some(self.best.input.len()),
        });
    }

    /// Tries each lowered number with several seeds.
    fn lower_parameters(&mut self, call: &GeneratorCall) -> Result<(), Stop> {
        let Some(generators) = &self.cross_check.arena.generators else { return Ok(()) };
        let mut call = call.clone();
        let lowered = self.in_step("lower numbers", |own| {
            'again: loop {
                for command in lower_numbers(&call.command) {
                    for step in 0..SEEDS_PER_NUMBER {
                        if own.is_over() {
                            break 'again;
                        }
                        let seed = call.seed.wrapping_add(step) & 0x7fff_ffff;
                        let lower = GeneratorCall { command: command.clone(), seed };
                        let Ok(input) = generators.make(&lower)? else { break };
                        if own.accept_if_failing(&input)? {
                            call = lower;
                            continue 'again;
                        }
                    }
                }
                break;
            }
            Ok(())
        });
        if let Some(step) = self.best.path.last_mut() {
            *step = format!("{step}: `{}`", call.line());
        }
        lowered.map(drop)
    }

    /// Calls the generator of the command line again: all sizes up to the least failing one take turns, each time with
    /// the next seeds.
    fn try_calls(&mut self, call: SeededCall) -> Result<(), Stop> {
        let Some(generator) = &self.cross_check.arena.seeded else { return Ok(()) };
        let mut least = call.size;
        let mut vain_tries = 0;
        for first in (0..1 << 31).step_by(SEEDS_AT_ONCE as usize) {
            let all_sizes = |most| by_generator::sizes(most).into_iter().map(Some).collect();
            let sizes: Vec<Option<u32>> = least.map_or_else(|| vec![None], all_sizes);
            for size in sizes {
                if self.is_over() || vain_tries >= self.parameters.vain_tries_max {
                    return Ok(());
                }
                if size > least {
                    break;
                }
                let seeds = first..first + SEEDS_AT_ONCE;
                let calls: Vec<SeededCall> = seeds.map(|seed| SeededCall { size, seed }).collect();
                let before = Arc::clone(&self.best.input);
                let mut inputs = self.print(generator, &calls)?.into_iter();
                self.try_each(&mut inputs)?;
                vain_tries += u64::from(SEEDS_AT_ONCE);
                if !Arc::ptr_eq(&before, &self.best.input) {
                    (least, vain_tries) = (size, 0);
                }
            }
        }
        Ok(())
    }

    /// What the calls print. A call that fails proves nothing about the submission.
    fn print(
        &mut self,
        generator: &SeededGenerator<'_>,
        calls: &[SeededCall],
    ) -> Result<Vec<SmallerInput>, Stop> {
        let arena = self.cross_check.arena;
        let mut batched = vec![None; calls.len()];
        if let Some(batches) = self.ready_batches()?.filter(|_| !self.prints_alone) {
            let parts: Vec<&[SeededCall]> = self.slot_parts(calls, BATCH_MAX).collect();
            let printed = parallel::map(arena.bench.executor, &parts, |part| {
                batches.print_inputs(arena, part)
            })?;
            batched = printed.concat();
        }
        let calls: Vec<_> = calls.iter().copied().zip(batched).collect();
        let printed = parallel::map(arena.bench.executor, &calls, |(call, batched)| {
            let input = match batched {
                None if arena.is_over() => None,
                None => generator.make(*call)?.ok(),
                batched => batched.clone(),
            };
            Ok(input.map(|input| SmallerInput { input, call: Some(*call) }))
        })?;
        Ok(printed.into_iter().flatten().collect())
    }

    /// The batches, as soon as so much was tried that they pay off.
    fn ready_batches(&self) -> Result<Option<&'a Batches>, Stop> {
        let Some(batches) = self.parameters.batches else { return Ok(None) };
        let left = RemainingSearch {
            tried: self.parameters.before.0 + self.best.tries,
            inputs: Some(self.parameters.vain_tries_max),
            time: self.parameters.end.saturating_duration_since(Instant::now()),
        };
        while batches.build(self.cross_check, left)? {}
        Ok(Some(batches))
    }

    /// Parts for all slots, each with at most so many items.
    fn slot_parts<'t, T>(&self, all: &'t [T], most: usize) -> impl Iterator<Item = &'t [T]> {
        let slots = self.cross_check.arena.bench.executor.slots().max(1);
        all.chunks(all.len().div_ceil(slots).clamp(1, most))
    }

    /// Drops, lowers and equalizes values on the tree of the grammar.
    fn shrink_tree(&mut self, grammar: &Grammar) -> Result<bool, Stop> {
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
    fn shrink_word_lines(&mut self) -> Result<bool, Stop> {
        self.shrink_by_edits("dropping lines and words, and lowering numbers", |accepts, before| {
            word_lines::shrink(before, accepts, EDITS_MAX);
        })
    }

    fn shrink_by_edits(
        &mut self,
        step: &str,
        edits: impl FnOnce(&mut dyn FnMut(&[u8]) -> bool, &[u8]),
    ) -> Result<bool, Stop> {
        self.in_step(step, |own| {
            let before = Arc::clone(&own.best.input);
            let mut stop = None;
            let mut is_interesting = |input: &[u8]| {
                let accepted = match stop {
                    None => own.accept_edited(&Arc::from(input)),
                    Some(_) => return false,
                };
                accepted.unwrap_or_else(|error| {
                    stop = Some(error);
                    false
                })
            };
            edits(&mut is_interesting, &before);
            stop.map_or(Ok(()), Err)
        })
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
        let mut list = SmallInputs::new(grammar, 1);
        let inputs = list.by_ref().take(most).map(|small| small.text);
        self.try_all("all small inputs in turn", inputs)?;
        self.best.is_smallest = list.has_listed_all() && !self.is_over();
        Ok(())
    }

    /// Tries random inputs of few small values: an input that no edit makes smaller may be far from the smallest.
    /// Returns whether one fails.
    fn try_tiny(&mut self, grammar: &Grammar, seeds: Range<u64>) -> Result<bool, Stop> {
        let mut tiny = shape::applicable(grammar);
        tiny.retain(|shape| shape.name == TINY);
        let inputs = seeds.filter_map(|seed| generate(grammar, tiny.first()?, seed).ok());
        self.try_all("small inputs at random", inputs)
    }

    /// Makes random changes, often several at once: a condition on a parity or on two values needs that. Returns
    /// whether one makes the input smaller.
    fn try_random_changes(&mut self, grammar: Option<&Grammar>) -> Result<bool, Stop> {
        let mut chance = Chance::new(0, "shrink");
        let (mut left, mut is_smaller) = (self.parameters.vain_tries_max, false);
        while left > 0 && self.best.input.len() <= CHANGED_BYTES_MAX && !self.is_over() {
            let best = &self.best.input;
            let tree = grammar.and_then(|grammar| parse(grammar, best, Path::new("input")).ok());
            let lines = WordLines::read(best);
            let numbers = ExtremeNumbers::of([&lines].into_iter());
            let changes = (0..CHANGES_AT_ONCE.min(left)).filter_map(|_| match grammar {
                Some(grammar) => vary(grammar, tree.as_ref()?, &mut chance),
                None => Some(lines.varied(&numbers, &mut chance).text()),
            });
            let changed: Vec<Vec<u8>> = changes.collect();
            left = left.saturating_sub(CHANGES_AT_ONCE);
            if self.try_all("several changes at once", changed.into_iter())? {
                (left, is_smaller) = (self.parameters.vain_tries_max, true);
            }
        }
        Ok(is_smaller)
    }

    /// Tries the inputs that are smaller than the best. Returns whether one fails in the same way.
    fn try_all(&mut self, step: &str, inputs: impl Iterator<Item = Vec<u8>>) -> Result<bool, Stop> {
        let mut inputs = inputs.map(|input| SmallerInput { input: input.into(), call: None });
        self.in_step(step, |own| own.try_each(&mut inputs))
    }

    fn try_each(&mut self, candidates: &mut dyn Iterator<Item = SmallerInput>) -> Result<(), Stop> {
        let cross_check = self.cross_check;
        let executor = cross_check.arena.bench.executor;
        let (wanted, by_margin) = (self.wanted, self.needs_margin);
        loop {
            let batches = self.ready_batches()?.filter(|batches| batches.size() > 1);
            let at_once = if batches.is_some() { BATCH_MAX } else { 4 } * executor.slots();
            let mut inputs: Vec<SmallerInput> = Vec::new();
            while inputs.len() < at_once
                && !self.is_over()
                && let Some(smaller) = candidates.next()
            {
                if self.is_worth_it(&smaller.input) {
                    inputs.push(smaller);
                }
            }
            if inputs.is_empty() {
                return Ok(());
            }
            if self.has_only_validators() {
                let validity = &cross_check.arena.validity;
                let valid = validity.accepts_each(&texts(&inputs))?;
                retain_each(&mut inputs, valid);
            }
            self.best.runs += inputs.len() as u64;
            if let Some(batches) = batches {
                let differs = self.may_differ(batches, &texts(&inputs))?;
                retain_each(&mut inputs, differs);
            }
            let judgements = parallel::map(executor, &inputs, |smaller| {
                judge_wanted(cross_check, &smaller.input, wanted, by_margin)
            })?;
            for (smaller, judgement) in inputs.iter().zip(judgements) {
                if let Some(judgement) = judgement
                    && is_smaller(&smaller.input, &self.best.input)
                {
                    self.confirm(smaller, judgement)?;
                }
            }
        }
    }

    /// Whether a batch does not accept each of these inputs, so that a single run decides.
    fn may_differ(&self, batches: &Batches, inputs: &[Arc<[u8]>]) -> Result<Vec<bool>, Stop> {
        let parts: Vec<&[Arc<[u8]>]> = self.slot_parts(inputs, batches.size()).collect();
        let differs = parallel::map(self.cross_check.arena.bench.executor, &parts, |part| {
            if part.len() < 2 || !part.iter().all(|input| Batches::fits(input)) {
                return Ok(vec![true; part.len()]);
            }
            let started = Instant::now();
            let batched = batches.accepts_each(self.cross_check, part)?;
            let differs: Vec<bool> = batched.iter().map(|batched| !batched.is_accepted).collect();
            let accepted = differs.iter().filter(|differs| !**differs).count();
            batches.adjust_size(part.len(), accepted, started.elapsed());
            Ok(differs)
        });
        Ok(differs?.concat())
    }
}

fn texts(inputs: &[SmallerInput]) -> Vec<Arc<[u8]>> {
    inputs.iter().map(|smaller| Arc::clone(&smaller.input)).collect()
}

/// Keeps the items whose flag is set.
fn retain_each<T>(items: &mut Vec<T>, flags: Vec<bool>) {
    let mut flags = flags.into_iter();
    items.retain(|_| flags.next().unwrap_or(true));
}

/// `None` for an input that the generator of the command line did not print.
pub fn generated_input(arena: &Arena<'_>, fresh: &SearchInput) -> Option<GeneratedInput> {
    Some(generated_by(arena.seeded.as_ref()?.given, fresh.seeded?, &fresh.input))
}

fn generated_by(given: &SeededProgram, call: SeededCall, input: &[u8]) -> GeneratedInput {
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
