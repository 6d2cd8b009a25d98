//! The search: one worker for each slot takes the next inputs and runs both programs on them.
//!
//! Inputs are numbered as they are taken. The failing input with the lowest number wins. So the same seed finds the
//! same input, whatever the number of workers and of the inputs that each takes at once.

mod turn;

use parking_lot::{Condvar, Mutex};
use std::collections::HashSet;
use std::hash::RandomState;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use crate::inputs::by_coverage::CoverageInputs;
use crate::inputs::candidates::{SourceMix, SourceShare};
use crate::recipe::seeded_generator::SeededCall;
use crate::search::arena::SearchInput;
use crate::search::batch::Batches;
use crate::search::cross_check::{CrossCheck, UnusableReason};
use crate::search::result::{LeftOutInputs, SearchEnd, SearchedSource, SlowestInput};
use crate::validity::DisputedInput;
use juror_core::judgement::CaseJudgement;
use juror_core::progress::SearchProgress;
use juror_core::stop::{Stop, with_same_stop_flags};

/// The share of changed inputs that reached new edges of a program.
const COVERAGE_SHARE: SourceShare = SourceShare::same(8);

pub struct SearchParameters<'a> {
    pub cross_check: &'a CrossCheck<'a>,
    /// If `None`, each run has a fresh process.
    pub batches: Option<&'a Batches>,
    pub time: Duration,
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
    /// Time after the first failing input to confirm it and make it smaller.
    pub shrink_time: Duration,
    pub runs_max: Option<u64>,
    /// That of the sources.
    pub seed: u64,
    pub progress: &'a (dyn Fn(SearchProgress) + Sync),
}

#[derive(Default)]
pub struct SearchResult {
    /// The first input on which the submission fails.
    pub found: Option<Failure>,
    pub runs: u64,
    /// Number of these runs that were in batches.
    pub batched: u64,
    pub elapsed: Duration,
    pub end: SearchEnd,
    /// The inputs without a cross-check.
    pub left_out: Vec<LeftOutInputs>,
    /// Number of inputs that were taken, and how many of them are different.
    pub taken: u64,
    pub distinct: u64,
    /// Number of inputs that the validators in the sandbox accepted. They are asked only about some.
    pub allowed: u64,
    /// The level reached in the list of small inputs.
    pub level: Option<u64>,
    /// The first input that the grammars accept and another validator refuses.
    pub disputed: Option<DisputedInput>,
    /// A fault of the package that shows before a failure of the submission.
    pub fault: Option<PackageFault>,
    /// What each source of inputs has tried.
    pub tried: Vec<SearchedSource>,
    pub slowest: Option<SlowestInput>,
    /// The first generator that failed, and why.
    pub broken_generator: Option<String>,
}

impl SearchResult {
    /// Number of inputs without a cross-check.
    pub fn left_out_count(&self) -> u64 {
        self.left_out.iter().map(|left_out| left_out.inputs).sum()
    }

    /// The first input of a reason is its example.
    fn note_left_out(&mut self, reason: &'static str, example: impl FnOnce() -> String) {
        match self.left_out.iter_mut().find(|left_out| left_out.reason == reason) {
            Some(left_out) => left_out.inputs += 1,
            None => self.left_out.push(LeftOutInputs { reason, inputs: 1, example: example() }),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Failure {
    pub fresh: SearchInput,
    pub judgement: CaseJudgement,
    /// Number of runs that fail in this way.
    pub failing: u32,
    /// Number of runs: [`REPEATS`](crate::search::result::REPEATS), or fewer if the time ran out first.
    pub repeats: u32,
}

/// The reference, or the solution that makes judge answers, fails on a valid input.
#[derive(Clone, Debug)]
pub struct PackageFault {
    pub number: u64,
    pub input: Arc<[u8]>,
    /// The call of the generator of the command line that printed the input.
    pub call: Option<SeededCall>,
    pub reason: UnusableReason,
}

/// Searches until a failure is found, or time or inputs are used up. An interruption is a normal end, not an error.
pub fn search<'a>(
    parameters: &SearchParameters<'a>,
    mut candidates: SourceMix<'a>,
) -> Result<SearchResult, Stop> {
    // With a number of inputs, a search can be repeated exactly.
    if parameters.runs_max.is_none() {
        candidates.share_time();
        let arena = parameters.cross_check.arena;
        if let Some(grammar) = arena.grammar()
            && parameters.batches.is_some_and(Batches::has_coverage)
        {
            let source = CoverageInputs::new(grammar, &arena.numbers, parameters.seed);
            candidates.add("new code", COVERAGE_SHARE, source);
        }
    }
    let shared = SharedSearch {
        parameters,
        state: Mutex::new(SearchState {
            candidates,
            taken: 0,
            active_workers: 0,
            findings: SearchFindings::default(),
        }),
        changed: Condvar::new(),
        is_over: AtomicBool::new(false),
        started: Instant::now(),
        hasher: RandomState::new(),
        seen: Mutex::new(HashSet::new()),
    };
    let workers = parameters.cross_check.arena.bench.executor.slots().max(1);
    shared.state.lock().active_workers = workers;
    thread::scope(|scope| {
        let started = (0..workers).filter(|_| {
            let work = with_same_stop_flags(|| shared.work());
            thread::Builder::new().spawn_scoped(scope, work).is_ok()
        });
        // If the machine starts fewer threads, these do the work. If it starts none, this thread does.
        let missing = workers - started.count();
        shared.state.lock().active_workers -= missing.min(workers - 1);
        if missing == workers {
            shared.work();
        }
        shared.report_progress();
    });
    shared.into_result()
}

struct SharedSearch<'a, 'c> {
    parameters: &'a SearchParameters<'a>,
    state: Mutex<SearchState<'c>>,
    changed: Condvar,
    is_over: AtomicBool,
    started: Instant,
    hasher: RandomState,
    seen: Mutex<HashSet<u64>>,
}

struct SearchState<'c> {
    candidates: SourceMix<'c>,
    taken: u64,
    active_workers: usize,
    findings: SearchFindings,
}

#[derive(Default)]
struct SearchFindings {
    result: SearchResult,
    /// The first input that fails only sometimes.
    flaky: Option<Failure>,
    error: Option<Stop>,
    /// Why no more inputs are taken.
    end: Option<SearchEnd>,
    /// Number of inputs that the grammar accepts and a validator refused.
    invalid_failures: u64,
}

impl<'c> SharedSearch<'_, 'c> {
    fn report_progress(&self) {
        const OFTEN: Duration = Duration::from_millis(100);
        let mut state = self.state.lock();
        while state.active_workers > 0 {
            let result = &state.findings.result;
            let (runs, smallest) =
                (result.runs, result.found.as_ref().map(|failure| failure.fresh.input.len()));
            drop(state);
            (self.parameters.progress)(SearchProgress {
                doing: "searching".to_owned(),
                runs,
                elapsed: self.started.elapsed(),
                smallest,
            });
            state = self.state.lock();
            if state.active_workers > 0 {
                self.changed.wait_for(&mut state, OFTEN);
            }
        }
    }

    fn into_result(self) -> Result<SearchResult, Stop> {
        let state = self.state.into_inner();
        let distinct = self.seen.into_inner().len() as u64;
        let SearchFindings { mut result, flaky, error, end, .. } = state.findings;
        match (&result.found, &result.fault) {
            (Some(found), Some(fault)) if found.fresh.number < fault.number => result.fault = None,
            (Some(_), Some(_)) => result.found = None,
            _ => {}
        }
        let is_over = self.parameters.cross_check.arena.scheduler.has_run_out();
        let is_interrupted = match error {
            None => false,
            Some(Stop::Interrupted) => !is_over,
            Some(stop) => return Err(stop),
        };
        result.tried = state.candidates.searched();
        result.found = result.found.or(flaky);
        result.end = match (&result.found, is_interrupted) {
            (_, true) => SearchEnd::Interrupted,
            (Some(_), false) => SearchEnd::Found,
            (None, false) if is_over => SearchEnd::Time,
            (None, false) => end.unwrap_or(SearchEnd::Found),
        };
        result.elapsed = self.started.elapsed();
        (result.taken, result.distinct) = (state.taken, distinct);
        Ok(result)
    }
}
