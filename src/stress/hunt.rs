//! The hunt: one worker a slot, each of which takes the next input, has it compared, and goes on.
//!
//! Inputs are numbered as they are taken. What counts is the failing input with the lowest number, so
//! that the same seed finds the same input, however many workers there are.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::build::start;
use crate::executor::RunError;
use crate::generate::fresh::FreshInputs;
use crate::judge::case::Pace;
use crate::model::judgement::{CaseJudgement, JudgeError};
use crate::model::stress::{HuntEnd, HuntProgress, Origin, REPEATS};
use crate::stress::by_recipe::{Call, NAME};
use crate::stress::candidates::{Candidates, Content};
use crate::stress::duel::{Duel, Fought, Unusable};
use crate::stress::validity::Validity;
use crate::validate::single::Refused;

/// What is hunted, and with what.
pub struct Hunting<'a> {
    /// The comparison.
    pub duel: &'a Duel<'a>,
    /// Which inputs count.
    pub validity: &'a Validity<'a>,
    /// The package's generators, where it has some.
    pub generators: Option<&'a FreshInputs<'a>>,
    /// How long.
    pub time: Duration,
    /// How many inputs at most.
    pub most: Option<u64>,
    /// Takes how far it is.
    pub progress: &'a (dyn Fn(HuntProgress) + Sync),
}

/// What came of a hunt.
pub struct Hunted {
    /// The first input on which the submission fails.
    pub found: Option<Failure>,
    /// How many inputs were compared.
    pub runs: u64,
    /// Wall time.
    pub elapsed: Duration,
    /// Why it ended.
    pub end: HuntEnd,
    /// How many inputs were not compared.
    pub left_out: u64,
    /// How far the list of small inputs was gone through.
    pub level: Option<u64>,
    /// The first input that the grammars accept and another validator does not.
    pub refused: Option<Refusal>,
    /// What is wrong with the package, where that ended the hunt.
    pub fault: Option<Fault>,
    /// The first generator that did not work, and why.
    pub broken_generator: Option<String>,
}

/// An input on which the submission fails.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which of the inputs tried.
    pub number: u64,
    /// The input.
    pub input: Arc<[u8]>,
    /// How it came about.
    pub origin: Origin,
    /// The start of the generator that printed it.
    pub call: Option<Call>,
    /// What the submission earns on it.
    pub judged: CaseJudgement,
    /// So many of [`REPEATS`] runs fail in this way.
    pub failing: u32,
}

/// An input that validators see differently.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The input.
    pub input: Arc<[u8]>,
    /// Who refuses it, and why.
    pub by: Refused,
}

/// The reference, or the solution that makes judge answers, fails on a valid input.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The input.
    pub input: Arc<[u8]>,
    /// Which of them fails, and how.
    pub why: Unusable,
}

/// How many failing inputs may turn out not to be valid before each is asked about first.
const DOUBTS: u64 = 3;

/// Hunts until something is found, time or inputs are used up, or it is interrupted.
///
/// # Errors
/// When the judge failed; an interruption is an end like others.
pub fn hunt<'c>(
    hunting: &Hunting<'_>,
    candidates: &'c mut (dyn Candidates + 'c),
) -> Result<Hunted, JudgeError> {
    let shared = Shared {
        hunting,
        state: Mutex::new(State {
            candidates,
            taken: 0,
            working: 0,
            outcome: Outcome::default(),
        }),
        changed: Condvar::new(),
        runs: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
        started: Instant::now(),
        hasher: RandomState::new(),
        seen: Mutex::new(HashSet::new()),
    };
    let workers = hunting.duel.executor.slots().max(1);
    shared.lock().working = workers;
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| shared.work());
        }
        shared.watch();
    });
    shared.finish()
}

struct Shared<'a, 'c> {
    hunting: &'a Hunting<'a>,
    state: Mutex<State<'c>>,
    changed: Condvar,
    runs: AtomicU64,
    is_over: AtomicBool,
    started: Instant,
    hasher: RandomState,
    /// The inputs tried, in short.
    seen: Mutex<HashSet<u64>>,
}

struct State<'c> {
    candidates: &'c mut (dyn Candidates + 'c),
    taken: u64,
    working: usize,
    outcome: Outcome,
}

#[derive(Default)]
struct Outcome {
    found: Option<Failure>,
    /// One that did not come back each time, for want of a better one.
    flaky: Option<Failure>,
    error: Option<RunError>,
    end: Option<HuntEnd>,
    left_out: u64,
    level: Option<u64>,
    doubts: u64,
    refused: Option<Refusal>,
    fault: Option<Fault>,
    broken_generator: Option<String>,
}

/// An input that a worker has taken.
struct Taken {
    number: u64,
    content: Content,
    origin: Origin,
    is_asked_first: bool,
}

impl<'c> Shared<'_, 'c> {
    fn lock(&self) -> MutexGuard<'_, State<'c>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some(taken) = self.take() {
            if let Err(error) = self.try_one(taken) {
                let mut state = self.lock();
                state.outcome.error.get_or_insert(error);
                self.is_over.store(true, Ordering::Relaxed);
            }
        }
        let mut state = self.lock();
        state.working -= 1;
        drop(state);
        self.changed.notify_all();
    }

    /// The next input, unless the hunt is over.
    fn take(&self) -> Option<Taken> {
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        let mut state = self.lock();
        let end = if self.started.elapsed() >= self.hunting.time {
            Some(HuntEnd::Time)
        } else if self.hunting.most.is_some_and(|most| state.taken >= most) {
            Some(HuntEnd::Runs)
        } else {
            None
        };
        let candidate = match end {
            Some(_) => None,
            None => state.candidates.next(),
        };
        let Some(candidate) = candidate else {
            state
                .outcome
                .end
                .get_or_insert(end.unwrap_or(HuntEnd::Exhausted));
            return None;
        };
        let number = state.taken;
        state.taken += 1;
        if let Origin::Small { level } = candidate.origin {
            state.outcome.level = Some(level);
        }
        Some(Taken {
            number,
            content: candidate.content,
            origin: candidate.origin,
            is_asked_first: state.outcome.doubts >= DOUBTS,
        })
    }

    fn try_one(&self, taken: Taken) -> Result<(), RunError> {
        let (input, call) = match &taken.content {
            Content::Text(text) => (Arc::clone(text), None),
            Content::Call(call) => match self.generated(call)? {
                Some(input) => (input, Some(call.clone())),
                None => return Ok(()),
            },
        };
        let is_new = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.insert(self.hasher.hash_one(&input))
        };
        if !is_new {
            return Ok(());
        }
        // What a grammar wrote it accepts; others of the package may not.
        let is_one = self.hunting.validity.grammars.len() < 2 && call.is_none();
        if !is_one && !self.hunting.validity.by_grammar(&input) {
            self.lock().outcome.left_out += 1;
            return Ok(());
        }
        if taken.is_asked_first && !self.is_allowed(&input)? {
            return Ok(());
        }
        match self.hunting.duel.fight(&input, Pace::Any)? {
            Fought::Same => {
                self.runs.fetch_add(1, Ordering::Relaxed);
            }
            Fought::Differs(judged) => {
                self.runs.fetch_add(1, Ordering::Relaxed);
                if taken.is_asked_first || self.is_allowed(&input)? {
                    self.confirm(taken, input, call, *judged)?;
                }
            }
            Fought::NoAnswer(Unusable::TooSlow) => self.lock().outcome.left_out += 1,
            Fought::NoAnswer(why) => {
                if taken.is_asked_first || self.is_allowed(&input)? {
                    let mut state = self.lock();
                    state.outcome.fault.get_or_insert(Fault { input, why });
                    self.is_over.store(true, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }

    /// What a generator prints; nothing where it fails.
    fn generated(&self, call: &Call) -> Result<Option<Arc<[u8]>>, RunError> {
        let Some(generators) = self.hunting.generators else {
            return Ok(None);
        };
        let broken = match generators.make(&call.command, NAME, call.seed)? {
            Ok(mut captured) => {
                let reading = |error| JudgeError::new("read what a generator printed", error);
                let input = start(&mut captured, u64::MAX).map_err(reading)?;
                return Ok(Some(input.into()));
            }
            Err(why) => format!("{}: {why}", call.line()),
        };
        let mut state = self.lock();
        state.outcome.left_out += 1;
        state.outcome.broken_generator.get_or_insert(broken);
        Ok(None)
    }

    /// Whether the package's validators in the sandbox allow an input.
    fn is_allowed(&self, input: &Arc<[u8]>) -> Result<bool, RunError> {
        let Some(by) = self.hunting.validity.refusal(input)? else {
            return Ok(true);
        };
        let mut state = self.lock();
        let outcome = &mut state.outcome;
        outcome.doubts += 1;
        outcome.left_out += 1;
        outcome.refused.get_or_insert_with(|| Refusal {
            input: Arc::clone(input),
            by,
        });
        Ok(false)
    }

    /// Runs it again, and keeps it if it fails again.
    fn confirm(
        &self,
        taken: Taken,
        input: Arc<[u8]>,
        call: Option<Call>,
        judged: CaseJudgement,
    ) -> Result<(), RunError> {
        let mut failing = 1;
        for _ in 1..REPEATS {
            if let Fought::Differs(again) = self.hunting.duel.fight(&input, Pace::Any)?
                && again.verdict == judged.verdict
            {
                failing += 1;
            }
        }
        let failure = Failure {
            number: taken.number,
            input,
            origin: taken.origin,
            call,
            judged,
            failing,
        };
        let mut state = self.lock();
        let outcome = &mut state.outcome;
        let place = match failing == REPEATS {
            true => &mut outcome.found,
            false => &mut outcome.flaky,
        };
        let is_first = place
            .as_ref()
            .is_none_or(|known| failure.number < known.number);
        if is_first {
            *place = Some(failure);
        }
        if failing == REPEATS {
            // The others finish what they have taken, which came before.
            self.is_over.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Tells how far it is, until all workers are done.
    fn watch(&self) {
        const OFTEN: Duration = Duration::from_millis(100);
        let mut state = self.lock();
        while state.working > 0 {
            let smallest = state.outcome.found.as_ref().map(|found| found.input.len());
            drop(state);
            (self.hunting.progress)(HuntProgress {
                doing: "hunting",
                runs: self.runs.load(Ordering::Relaxed),
                elapsed: self.started.elapsed(),
                smallest,
            });
            state = self.lock();
            if state.working > 0 {
                let waited = self.changed.wait_timeout(state, OFTEN);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    fn finish(self) -> Result<Hunted, JudgeError> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let outcome = state.outcome;
        let is_interrupted = match outcome.error {
            Some(RunError::Fault(error)) => return Err(error),
            Some(RunError::Interrupted) => true,
            None => false,
        };
        let found = outcome.found.or(outcome.flaky);
        let end = match (&found, is_interrupted) {
            (_, true) => HuntEnd::Interrupted,
            (Some(_), false) => HuntEnd::Found,
            (None, false) => outcome.end.unwrap_or(HuntEnd::Found),
        };
        Ok(Hunted {
            found,
            runs: self.runs.into_inner(),
            elapsed: self.started.elapsed(),
            end,
            left_out: outcome.left_out,
            level: outcome.level,
            refused: outcome.refused,
            fault: outcome.fault,
            broken_generator: outcome.broken_generator,
        })
    }
}
