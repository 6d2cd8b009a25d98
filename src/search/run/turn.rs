//! A turn of a worker: it takes inputs, compares both programs on them, and notes those that fail.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::inputs::candidates::Candidate;
use crate::judge::case::TimeLimitMode;
use crate::model::judgement::CaseJudgement;
use crate::model::stop::Stop;
use crate::model::stress::{Origin, REPEATS, SearchEnd};
use crate::search::arena::Fresh;
use crate::search::batch::{Batches, Left};
use crate::search::comparison::{Compared, Unusable};
use crate::search::run::{Failure, Fault, Shared};
use crate::validity::Refusal;

/// After this many failing inputs that turn out invalid, validators check each input before the programs run.
const DOUBTS: u64 = 3;

struct Taken {
    number: u64,
    candidate: Candidate,
    is_asked_first: bool,
}

struct Ready {
    fresh: Fresh,
    /// Whether the validators in the sandbox have accepted it.
    is_allowed: bool,
}

impl Shared<'_, '_> {
    pub(super) fn work(&self) {
        loop {
            match self.turn() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    let mut state = self.state.lock();
                    state.outcome.error.get_or_insert(error);
                    self.is_over.store(true, Ordering::Relaxed);
                }
            }
        }
        let mut state = self.state.lock();
        state.working -= 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Returns whether there was work.
    fn turn(&self) -> Result<bool, Stop> {
        if let Some(batches) = self.searching.batches
            && !self.is_over.load(Ordering::Relaxed)
            && batches.build(self.searching.comparison, self.left())?
        {
            return Ok(true);
        }
        let taken = self.take(self.searching.batches.map_or(1, Batches::size))?;
        if taken.is_empty() {
            return Ok(false);
        }
        let mut ready = Vec::with_capacity(taken.len());
        for taken in taken {
            ready.extend(self.ready(taken)?);
        }
        self.compare(ready)?;
        Ok(true)
    }

    fn left(&self) -> Left {
        let tried = self.state.lock().taken;
        Left {
            tried,
            inputs: self.searching.most.map(|most| most.saturating_sub(tried)),
            time: self.searching.time.saturating_sub(self.started.elapsed()),
        }
    }

    /// Empty if the search is over.
    fn take(&self, most: usize) -> Result<Vec<Taken>, Stop> {
        let mut all = Vec::new();
        if self.is_over.load(Ordering::Relaxed) {
            return Ok(all);
        }
        let is_late = || self.started.elapsed() >= self.searching.time;
        // Writing an input may take long.
        let is_over =
            || is_late() || self.is_over.load(Ordering::Relaxed) || (self.searching.is_stopped)();
        let mut state = self.state.lock();
        while all.len() < most {
            let end = if is_late() {
                Some(SearchEnd::Time)
            } else if self.searching.most.is_some_and(|most| state.taken >= most) {
                Some(SearchEnd::Runs)
            } else {
                None
            };
            let candidate = match end {
                Some(_) => None,
                None => state.candidates.next(&is_over)?,
            };
            let Some(candidate) = candidate else {
                if (self.searching.is_stopped)() {
                    return Err(Stop::Interrupted);
                }
                // Inputs that were already taken are still tried.
                let otherwise = if is_late() { SearchEnd::Time } else { SearchEnd::Exhausted };
                state.outcome.end.get_or_insert(end.unwrap_or(otherwise));
                break;
            };
            let number = state.taken;
            state.taken += 1;
            if let Origin::Small { level } = candidate.origin {
                state.outcome.result.level = Some(level);
            }
            let is_asked_first = state.outcome.doubts >= DOUBTS;
            all.push(Taken { number, candidate, is_asked_first });
        }
        Ok(all)
    }

    /// `None` if the input is not to be compared.
    fn ready(&self, taken: Taken) -> Result<Option<Ready>, Stop> {
        if self.is_settled(taken.number) {
            return Ok(None);
        }
        let fresh = match self.searching.arena.make(taken.number, taken.candidate)? {
            Ok(fresh) => fresh,
            Err(broken) => {
                let result = &mut self.state.lock().outcome.result;
                result.left_out += 1;
                result.broken_generator.get_or_insert(broken);
                return Ok(None);
            }
        };
        let is_new = {
            let mut seen = self.seen.lock();
            seen.insert(self.hasher.hash_one(&fresh.input))
        };
        if !is_new {
            return Ok(None);
        }
        // A grammar accepts its own inputs; other grammars of the package may not.
        let is_one = self.searching.arena.validity.grammars.len() < 2 && fresh.call.is_none();
        if !is_one && !self.searching.arena.validity.by_grammar(&fresh.input) {
            self.state.lock().outcome.result.left_out += 1;
            return Ok(None);
        }
        if taken.is_asked_first && !self.is_allowed(&fresh.input)? {
            return Ok(None);
        }
        Ok(Some(Ready { fresh, is_allowed: taken.is_asked_first }))
    }

    /// Whether an input no longer matters: an earlier one fails, or there is a fault.
    fn is_settled(&self, number: u64) -> bool {
        if !self.is_over.load(Ordering::Relaxed) {
            return false;
        }
        let outcome = &self.state.lock().outcome;
        let is_late = |first: u64| first < number;
        let found = outcome.result.found.as_ref().map(|found| found.fresh.number);
        let fault = outcome.result.fault.as_ref().map(|fault| fault.number);
        found.is_some_and(is_late) || fault.is_some_and(is_late) || outcome.error.is_some()
    }

    /// Compares in a batch where possible. Compares all inputs that it does not accept one by one.
    fn compare(&self, ready: Vec<Ready>) -> Result<(), Stop> {
        let mut is_accepted = vec![false; ready.len()];
        if let Some(batches) = self.searching.batches {
            let places =
                (0..ready.len()).filter(|place| Batches::takes(&ready[*place].fresh.input));
            let places: Vec<usize> = places.collect();
            // A single input has nothing to share a start with.
            if places.len() > 1 {
                let inputs = places.iter().map(|place| Arc::clone(&ready[*place].fresh.input));
                let inputs: Vec<Arc<[u8]>> = inputs.collect();
                let started = Instant::now();
                let accepted = batches.accepted(self.searching.comparison, &inputs)?;
                let count = accepted.iter().filter(|accepted| **accepted).count();
                batches.learn(inputs.len(), count, started.elapsed());
                let result = &mut self.state.lock().outcome.result;
                result.runs += count as u64;
                result.batched += count as u64;
                for (place, accepted) in places.into_iter().zip(accepted) {
                    is_accepted[place] = accepted;
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
            self.compare_one(ready)?;
            if let Some(batches) = self.searching.batches.filter(|_| alone) {
                batches.learn(1, 1, started.elapsed());
            }
        }
        Ok(())
    }

    fn compare_one(&self, ready: Ready) -> Result<(), Stop> {
        match self.searching.comparison.compare(&ready.fresh.input, TimeLimitMode::Any)? {
            Compared::Same => self.state.lock().outcome.result.runs += 1,
            Compared::Differs(judged) => {
                self.state.lock().outcome.result.runs += 1;
                if ready.is_allowed || self.is_allowed(&ready.fresh.input)? {
                    self.confirm(ready, *judged)?;
                }
            }
            Compared::NoAnswer(why) if why == Unusable::TooSlow || self.is_guess(&ready) => {
                self.state.lock().outcome.result.left_out += 1;
            }
            Compared::NoAnswer(Unusable::Validator(error)) => return Err(Stop::Fault(*error)),
            Compared::NoAnswer(why) => {
                if ready.is_allowed || self.is_allowed(&ready.fresh.input)? {
                    self.keep_fault(Fault {
                        number: ready.fresh.number,
                        input: ready.fresh.input,
                        why,
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether only input validators accept an input: if they are lax, right programs may fail on it.
    fn is_guess(&self, ready: &Ready) -> bool {
        let no_grammar = self.searching.arena.validity.grammars.is_empty();
        no_grammar && matches!(ready.fresh.origin, Origin::TestCase { .. })
    }

    /// Only the first fault counts.
    fn keep_fault(&self, fault: Fault) {
        let mut state = self.state.lock();
        let known = &mut state.outcome.result.fault;
        if known.as_ref().is_none_or(|it| fault.number < it.number) {
            *known = Some(fault);
        }
        // Other workers finish inputs that they have already taken, which may come before.
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn is_allowed(&self, input: &Arc<[u8]>) -> Result<bool, Stop> {
        let Some(by) = self.searching.arena.validity.refusal(input)? else { return Ok(true) };
        let mut state = self.state.lock();
        let outcome = &mut state.outcome;
        outcome.doubts += 1;
        outcome.result.left_out += 1;
        outcome.result.refused.get_or_insert_with(|| Refusal { input: Arc::clone(input), by });
        Ok(false)
    }

    /// Runs both programs again on a failing input, and notes it.
    fn confirm(&self, ready: Ready, judged: CaseJudgement) -> Result<(), Stop> {
        let arena = self.searching.arena;
        arena.scheduler.extend_deadline(Instant::now() + self.searching.shrink_time);
        let (mut failing, mut repeats) = (1, 1);
        while repeats < REPEATS {
            let compared =
                self.searching.comparison.compare(&ready.fresh.input, TimeLimitMode::Any);
            // Completed runs count.
            let Some(compared) = arena.in_time(compared)? else { break };
            repeats += 1;
            if let Compared::Differs(again) = compared
                && again.verdict == judged.verdict
            {
                failing += 1;
            }
        }
        let failure = Failure { fresh: ready.fresh, judged, failing, repeats };
        let mut state = self.state.lock();
        let outcome = &mut state.outcome;
        let place = if failing == repeats { &mut outcome.result.found } else { &mut outcome.flaky };
        let is_first = place.as_ref().is_none_or(|known| failure.fresh.number < known.fresh.number);
        if is_first {
            *place = Some(failure);
        }
        if failing == repeats {
            // Other workers finish inputs that they have already taken, which may come before.
            self.is_over.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
