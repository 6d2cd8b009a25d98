//! A turn of a worker: it takes inputs, runs both programs on them, and notes those that fail.
//!
//! Workers take inputs by number under the lock, and run programs without it. The failing input with the lowest number
//! counts, so what a seed finds does not depend on which worker is faster.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::inputs::candidates::{Candidate, CandidateContent, CandidateSource, DrawnInput, SLOW};
use crate::recipe::seeded_generator::SeededCall;
use crate::search::arena::{SearchInput, UnmadeInput};
use crate::search::batch::{Batches, RemainingSearch};
use crate::search::cross_check::{CrossCheckResult, ProgramTimes, UnusableReason};
use crate::search::problem_inputs::quote_input;
use crate::search::result::{CounterexampleOrigin, REPEATS, SearchEnd, SlowestInput};
use crate::search::run::{Failure, PackageFault, SharedSearch};
use crate::validity::{DisputedInput, Objection};
use juror_core::judgement::{CaseJudgement, JudgeError};
use juror_core::stop::Stop;
use juror_judging::judge::case::TimeLimitMode;

/// After this many inputs that are all the same, the generator of the command line has no others.
const SAME_INPUTS_MAX: u64 = 200;

/// After this many failing inputs that turn out invalid, validators check each input before the programs run.
const INVALID_FAILURES_MAX: u64 = 3;

/// Why an input is left out.
const NOT_VALID: &str = "not valid";
const TOO_SLOW: &str = "not solved by the reference in time";
const UNSOLVED: &str = "not solved by the reference, and perhaps not valid";

/// In bytes. The time of a shorter input is about that of starting a program, and tells nothing.
const TIMED_MIN: usize = 1 << 10;

/// How much slower the submission is. Both times have an error, which counts for short ones.
fn slowness(submission: Duration, reference: Duration) -> f64 {
    const ERROR: Duration = Duration::from_millis(20);
    submission.as_secs_f64() / (reference + ERROR).as_secs_f64()
}

struct TakenInput {
    number: u64,
    candidate: Candidate,
    is_validated_first: bool,
}

struct ReadyInput {
    fresh: SearchInput,
    account: usize,
    /// How it was drawn, if the grammar wrote it.
    drawn: Option<Box<DrawnInput>>,
    /// Time to write it.
    written_in: Duration,
    /// Whether it runs alone if it is long, since its source learns from its time.
    is_timed: bool,
    /// Whether the validators in the sandbox have accepted it.
    is_allowed: bool,
}

impl SharedSearch<'_, '_> {
    pub(super) fn work(&self) {
        loop {
            match self.take_turn() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    let mut state = self.state.lock();
                    state.findings.error.get_or_insert(error);
                    self.is_over.store(true, Ordering::Relaxed);
                }
            }
        }
        let mut state = self.state.lock();
        state.active_workers -= 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Returns whether there was work.
    fn take_turn(&self) -> Result<bool, Stop> {
        if let Some(batches) = self.parameters.batches
            && !self.is_over.load(Ordering::Relaxed)
            && batches.build(self.parameters.cross_check, self.remaining())?
        {
            return Ok(true);
        }
        let taken = self.take_inputs(self.parameters.batches.map_or(1, Batches::size))?;
        if taken.is_empty() {
            return Ok(false);
        }
        let mut ready = Vec::with_capacity(taken.len());
        let printed = self.print_inputs(&taken)?;
        for (taken, printed) in taken.into_iter().zip(printed) {
            ready.extend(self.prepare_input(taken, printed)?);
        }
        self.check_all(ready)?;
        Ok(true)
    }

    fn remaining(&self) -> RemainingSearch {
        let tried = self.state.lock().taken;
        RemainingSearch {
            tried,
            inputs: self.parameters.runs_max.map(|most| most.saturating_sub(tried)),
            time: self.parameters.time.saturating_sub(self.started.elapsed()),
        }
    }

    /// Empty if the search is over.
    fn take_inputs(&self, most: usize) -> Result<Vec<TakenInput>, Stop> {
        let mut all = Vec::new();
        if self.is_over.load(Ordering::Relaxed) {
            return Ok(all);
        }
        let is_late = || self.started.elapsed() >= self.parameters.time;
        // Writing an input may take long.
        let is_over = || self.is_late();
        let mut state = self.state.lock();
        while all.len() < most {
            let end = if is_late() {
                Some(SearchEnd::Time)
            } else if self.parameters.runs_max.is_some_and(|most| state.taken >= most) {
                Some(SearchEnd::Runs)
            } else {
                None
            };
            let candidate = match end {
                Some(_) => None,
                None => state.candidates.next(&is_over)?,
            };
            let Some(candidate) = candidate else {
                if (self.parameters.is_stopped)() {
                    return Err(Stop::Interrupted);
                }
                // Inputs that were already taken are still tried.
                let otherwise = if is_late() { SearchEnd::Time } else { SearchEnd::Exhausted };
                state.findings.end.get_or_insert(end.unwrap_or(otherwise));
                break;
            };
            let number = state.taken;
            state.taken += 1;
            if let CounterexampleOrigin::Small { level } = candidate.origin {
                state.findings.result.level = Some(level);
            }
            let is_validated_first = state.findings.invalid_failures >= INVALID_FAILURES_MAX;
            all.push(TakenInput { number, candidate, is_validated_first });
        }
        Ok(all)
    }

    /// Whether no more inputs are written.
    fn is_late(&self) -> bool {
        self.started.elapsed() >= self.parameters.time
            || self.is_over.load(Ordering::Relaxed)
            || (self.parameters.is_stopped)()
    }

    /// The inputs that a batch of the generator of the command line prints; `None` for all others.
    fn print_inputs(&self, taken: &[TakenInput]) -> Result<Vec<Option<Arc<[u8]>>>, Stop> {
        let call = |taken: &TakenInput| match taken.candidate.content {
            CandidateContent::Seeded(call) => Some(call),
            _ => None,
        };
        let calls: Option<Vec<SeededCall>> = taken.iter().map(call).collect();
        match (self.parameters.batches, calls) {
            (Some(batches), Some(calls)) if calls.len() > 1 => {
                batches.print_inputs(self.parameters.cross_check.arena, &calls)
            }
            _ => Ok(vec![None; taken.len()]),
        }
    }

    /// `None` if the input needs no cross-check. `printed` is the input, if it is already made.
    fn prepare_input(
        &self,
        taken: TakenInput,
        printed: Option<Arc<[u8]>>,
    ) -> Result<Option<ReadyInput>, Stop> {
        let TakenInput { number, candidate, is_validated_first } = taken;
        if self.is_settled(number) {
            return Ok(None);
        }
        let started = Instant::now();
        let arena = self.parameters.cross_check.arena;
        let (account, is_timed) = (candidate.account, candidate.is_timed);
        let drawn = match &candidate.content {
            CandidateContent::Drawn(drawn) => Some(drawn.clone()),
            _ => None,
        };
        let Some(candidate) = candidate.written(arena.grammar(), &|| self.is_late()) else {
            self.state.lock().candidates.settle_unwritten(account, started.elapsed());
            return Ok(None);
        };
        let input = match (printed, &candidate.content) {
            (Some(input), CandidateContent::Seeded(call)) => {
                let (seeded, origin) = (Some(*call), candidate.origin);
                Ok(SearchInput { number, input, origin, call: None, seeded })
            }
            _ => arena.make_input(number, candidate)?,
        };
        let fresh = match input {
            Ok(fresh) => fresh,
            Err(UnmadeInput::LeftOut(broken)) => {
                let result = &mut self.state.lock().findings.result;
                result.note_left_out("not made", || broken.clone());
                result.broken_generator.get_or_insert(broken);
                return Ok(None);
            }
            Err(UnmadeInput::Fault(fault)) => {
                let reason = UnusableReason::Generator(fault);
                self.note_fault(PackageFault { number, input: Arc::from([]), call: None, reason });
                return Ok(None);
            }
        };
        let is_new = {
            let mut seen = self.seen.lock();
            let is_new = seen.insert(self.hasher.hash_one(&fresh.input));
            if fresh.seeded.is_some() && seen.len() == 1 && number >= SAME_INPUTS_MAX {
                self.state.lock().findings.end.get_or_insert(SearchEnd::Exhausted);
                self.is_over.store(true, Ordering::Relaxed);
            }
            is_new
        };
        let written_in = started.elapsed();
        if !is_new {
            self.state.lock().candidates.settle(account, written_in);
            return Ok(None);
        }
        // A grammar accepts its own inputs; other grammars of the package may not.
        let is_printed = fresh.call.is_some() || fresh.seeded.is_some();
        let is_one = arena.validity.grammars.len() < 2 && !is_printed;
        if !is_one && !arena.validity.grammars_accept(&fresh.input) {
            if fresh.seeded.is_some() {
                self.note_objection(&fresh.input, arena.validity.objection(&fresh.input)?);
            } else {
                let result = &mut self.state.lock().findings.result;
                result.note_left_out(NOT_VALID, || quote_input(&fresh.input));
            }
            return Ok(None);
        }
        if is_validated_first && !self.is_allowed(&fresh.input)? {
            return Ok(None);
        }
        let is_allowed = is_validated_first;
        Ok(Some(ReadyInput { fresh, account, drawn, written_in, is_timed, is_allowed }))
    }

    /// Whether an input no longer matters: an earlier one fails, or there is a fault.
    fn is_settled(&self, number: u64) -> bool {
        if !self.is_over.load(Ordering::Relaxed) {
            return false;
        }
        let findings = &self.state.lock().findings;
        let is_earlier = |other: u64| other < number;
        let failing = findings.result.found.as_ref().map(|failing| failing.fresh.number);
        let fault = findings.result.fault.as_ref().map(|fault| fault.number);
        failing.is_some_and(is_earlier) || fault.is_some_and(is_earlier) || findings.error.is_some()
    }

    /// Cross-checks in a batch where possible. Inputs that it does not accept are cross-checked one by one.
    fn check_all(&self, ready: Vec<ReadyInput>) -> Result<(), Stop> {
        let mut is_accepted = vec![false; ready.len()];
        if let Some(batches) = self.parameters.batches {
            let indexes = (0..ready.len()).filter(|index| {
                let ready = &ready[*index];
                let is_alone = ready.is_timed && ready.fresh.input.len() > TIMED_MIN;
                !is_alone && Batches::fits(&ready.fresh.input)
            });
            let indexes: Vec<usize> = indexes.collect();
            // A single input has nothing to share a start with.
            if indexes.len() > 1 {
                let inputs = indexes.iter().map(|index| Arc::clone(&ready[*index].fresh.input));
                let inputs: Vec<Arc<[u8]>> = inputs.collect();
                let started = Instant::now();
                let accepted = batches.accepts_each(self.parameters.cross_check, &inputs)?;
                let count = accepted.iter().filter(|batched| batched.is_accepted).count();
                batches.adjust_size(inputs.len(), count, started.elapsed());
                let time = started.elapsed() / inputs.len() as u32;
                let state = &mut *self.state.lock();
                let result = &mut state.findings.result;
                result.runs += count as u64;
                result.batched += count as u64;
                for (index, batched) in indexes.into_iter().zip(accepted) {
                    is_accepted[index] = batched.is_accepted;
                    let ready = &ready[index];
                    if batched.is_new && self.parameters.runs_max.is_none() {
                        state.candidates.note_new(ready.account, &ready.fresh.input);
                    }
                    if batched.is_accepted {
                        state.candidates.settle(ready.account, ready.written_in + time);
                    }
                }
            }
        }
        let alone = ready.len() == 1;
        for (ready, is_accepted) in ready.into_iter().zip(is_accepted) {
            if is_accepted {
                continue;
            }
            if self.is_settled(ready.fresh.number) {
                break;
            }
            let started = Instant::now();
            let (account, written_in) = (ready.account, ready.written_in);
            self.check_one(ready)?;
            self.state.lock().candidates.settle(account, written_in + started.elapsed());
            if let Some(batches) = self.parameters.batches.filter(|_| alone) {
                batches.adjust_size(1, 1, started.elapsed());
            }
        }
        Ok(())
    }

    fn check_one(&self, ready: ReadyInput) -> Result<(), Stop> {
        match self.parameters.cross_check.check(&ready.fresh.input, TimeLimitMode::Any)? {
            CrossCheckResult::Same(times) => self.note_times(&ready, times),
            CrossCheckResult::Differs(judgement) => {
                self.state.lock().findings.result.runs += 1;
                if ready.is_allowed || self.is_allowed(&ready.fresh.input)? {
                    self.confirm(ready, *judgement)?;
                }
            }
            CrossCheckResult::NoAnswer(reason)
                if reason == UnusableReason::TooSlow || self.is_guess(&ready) =>
            {
                let input = quote_input(&ready.fresh.input);
                let (what, example) = match reason {
                    UnusableReason::TooSlow => (TOO_SLOW, input),
                    reason => (UNSOLVED, format!("{input}: {reason}")),
                };
                self.state.lock().findings.result.note_left_out(what, || example);
            }
            CrossCheckResult::NoAnswer(UnusableReason::Validator(error)) => {
                return Err(Stop::Fault(self.with_call(*error, ready.fresh.seeded)));
            }
            CrossCheckResult::NoAnswer(reason) => {
                if ready.is_allowed || self.is_allowed(&ready.fresh.input)? {
                    self.note_fault(PackageFault {
                        number: ready.fresh.number,
                        input: ready.fresh.input,
                        call: ready.fresh.seeded,
                        reason,
                    });
                }
            }
        }
        Ok(())
    }

    fn note_times(&self, ready: &ReadyInput, times: ProgramTimes) {
        let state = &mut *self.state.lock();
        state.findings.result.runs += 1;
        let Some(reference) = times.reference else { return };
        let slowness = slowness(times.submission, reference);
        state.candidates.note(ready.account, ready.drawn.as_deref(), times.submission, slowness);
        let slowest = &mut state.findings.result.slowest;
        let is_slowest =
            |known: &SlowestInput| self::slowness(known.submission, known.reference) < slowness;
        if times.submission >= SLOW && slowest.as_ref().is_none_or(is_slowest) {
            *slowest = Some(SlowestInput {
                input: ready.fresh.input.to_vec(),
                size: ready.fresh.input.len(),
                submission: times.submission,
                reference,
                origin: ready.fresh.origin.clone(),
                saved: None,
            });
        }
    }

    /// Names the call of the generator that printed the input.
    fn with_call(&self, mut error: JudgeError, call: Option<SeededCall>) -> JudgeError {
        let seeded = &self.parameters.cross_check.arena.inputs.seeded;
        if let (Some(call), Some(seeded)) = (call, seeded) {
            error.reason = format!("{}, from `{}`", error.reason, seeded.line(call));
        }
        error
    }

    /// Whether only input validators accept an input: if they are lax, right programs may fail on it.
    fn is_guess(&self, ready: &ReadyInput) -> bool {
        let no_grammar = self.parameters.cross_check.arena.validity.grammars.is_empty();
        no_grammar && matches!(ready.fresh.origin, CounterexampleOrigin::TestCase { .. })
    }

    /// Only the first fault counts.
    fn note_fault(&self, fault: PackageFault) {
        let mut state = self.state.lock();
        let known = &mut state.findings.result.fault;
        if known.as_ref().is_none_or(|known| fault.number < known.number) {
            *known = Some(fault);
        }
        // Other workers finish inputs that they have already taken, which may come before.
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn is_allowed(&self, input: &Arc<[u8]>) -> Result<bool, Stop> {
        let objection = self.parameters.cross_check.arena.validity.program_objection(input)?;
        let is_allowed = objection.is_none();
        self.state.lock().findings.result.allowed += u64::from(is_allowed);
        self.note_objection(input, objection);
        Ok(is_allowed)
    }

    fn note_objection(&self, input: &Arc<[u8]>, objection: Option<Objection>) {
        let Some(objection) = objection else { return };
        let mut state = self.state.lock();
        let findings = &mut state.findings;
        findings.invalid_failures += 1;
        findings.result.note_left_out(NOT_VALID, || {
            format!("{}: {}", quote_input(input), objection.description())
        });
        findings
            .result
            .disputed
            .get_or_insert_with(|| DisputedInput { input: Arc::clone(input), objection });
    }

    /// Runs both programs again on a failing input, and notes it.
    fn confirm(&self, ready: ReadyInput, judgement: CaseJudgement) -> Result<(), Stop> {
        let arena = self.parameters.cross_check.arena;
        arena.scheduler.extend_deadline(Instant::now() + self.parameters.shrink_time);
        let (mut failing, mut repeats) = (1, 1);
        while repeats < REPEATS {
            let repeat = self.parameters.cross_check.check(&ready.fresh.input, TimeLimitMode::Any);
            // Completed runs count.
            let Some(repeat) = arena.in_time(repeat)? else { break };
            repeats += 1;
            if let CrossCheckResult::Differs(again) = repeat
                && again.verdict == judgement.verdict
            {
                failing += 1;
            }
        }
        let failure = Failure { fresh: ready.fresh, judgement, failing, repeats };
        let mut state = self.state.lock();
        let findings = &mut state.findings;
        let first =
            if failing == repeats { &mut findings.result.found } else { &mut findings.flaky };
        let is_first = first.as_ref().is_none_or(|known| failure.fresh.number < known.fresh.number);
        if is_first {
            *first = Some(failure);
        }
        if failing == repeats {
            // Other workers finish inputs that they have already taken, which may come before.
            self.is_over.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
