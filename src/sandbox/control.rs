//! Ends a run from any thread: because its result is no longer needed, or because of another program.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::model::judgement::{FaultKind, JudgeError};
use crate::model::outcome::StoppedBy;

/// Why a run is ended before its program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Cause {
    /// For this; the outcome says so.
    Limit(StoppedBy),
    /// Nobody wants its result any more.
    Interrupt,
}

/// How whoever watches a slot's runs is told to end one.
pub(super) trait EndRun: fmt::Debug + Send + Sync {
    /// Asks for the end of a run; nothing, if another one goes on or none.
    fn end(&self, run: u64, cause: Cause);
}

/// What a slot shares with those who may end its runs.
#[derive(Debug)]
pub(super) struct Control {
    line: Box<dyn EndRun>,
    /// How many runs there were.
    last: AtomicU64,
    /// The number of the run that goes on, or 0.
    current: AtomicU64,
    /// The last run that was to be stopped.
    stopped: AtomicU64,
    /// The run that another program's end or the like ends, if any, and why.
    unwanted: Mutex<Option<Unwanted>>,
    /// No run is wanted any more.
    closed: AtomicBool,
}

/// A run that is to end, perhaps before it has begun.
#[derive(Clone, Copy, Debug)]
struct Unwanted {
    run: u64,
    cause: Cause,
}

impl Control {
    /// Of a slot that is told along this line.
    pub(super) fn new(line: impl EndRun + 'static) -> Arc<Self> {
        Arc::new(Self {
            line: Box::new(line),
            last: AtomicU64::new(0),
            current: AtomicU64::new(0),
            stopped: AtomicU64::new(0),
            unwanted: Mutex::new(None),
            closed: AtomicBool::new(false),
        })
    }

    /// A run begins; its number.
    pub(super) fn begin(&self) -> u64 {
        let run = self.last.fetch_add(1, Ordering::SeqCst) + 1;
        self.current.store(run, Ordering::SeqCst);
        run
    }

    /// The run is over.
    pub(super) fn is_over(&self) {
        self.current.store(0, Ordering::SeqCst);
    }

    /// Whether this run is not wanted any more.
    pub(super) fn is_stopped(&self, run: u64) -> bool {
        self.closed.load(Ordering::SeqCst) || self.stopped.load(Ordering::SeqCst) == run
    }

    /// Says once more along the line what was said about this run before the other end knew of it.
    pub(super) fn repeat(&self, run: u64) {
        if self.is_stopped(run) {
            self.line.end(run, Cause::Interrupt);
        }
        let unwanted = *self.unwanted();
        if let Some(unwanted) = unwanted.filter(|unwanted| unwanted.run == run) {
            self.line.end(run, unwanted.cause);
        }
    }

    /// Asks for the end of a run that has begun.
    pub(super) fn end(&self, run: u64, cause: Cause) {
        self.line.end(run, cause);
    }

    /// What ends the next run, whether it has begun or not.
    pub(super) fn ender_of_next(self: &Arc<Self>) -> StopHandle {
        StopHandle { control: Arc::clone(self), run: self.last.load(Ordering::SeqCst) + 1 }
    }

    fn unwanted(&self) -> MutexGuard<'_, Option<Unwanted>> {
        self.unwanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends one run of a slot, from any thread, also one that has not begun yet.
#[derive(Clone, Debug)]
pub(super) struct StopHandle {
    control: Arc<Control>,
    run: u64,
}

impl StopHandle {
    /// Ends the run; what it did until then is told.
    pub(super) fn end(&self, cause: Cause) {
        let run = self.run;
        *self.control.unwanted() = Some(Unwanted { run, cause });
        // If it has not begun, this is nothing to the slot, and the run itself looks once it has.
        self.control.end(run, cause);
    }
}

/// Ends the current run of a slot, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper(pub(super) Arc<Control>);

impl Stopper {
    /// Ends the run that goes on, if any, at once: [`Slot::run`](super::Slot::run) then gives an error for
    /// which [`is_interrupted`] holds. A run that has not yet begun is not touched.
    pub fn stop(&self) {
        let run = self.0.current.load(Ordering::SeqCst);
        if run != 0 {
            // Its request may be on its way only now; then it is for the run itself to look here.
            self.0.stopped.store(run, Ordering::SeqCst);
            self.0.end(run, Cause::Interrupt);
        }
    }

    /// As [`stop`](Self::stop), and the slot refuses every run from now on in the same way.
    pub fn close(&self) {
        self.0.closed.store(true, Ordering::SeqCst);
        self.stop();
    }
}

/// The step that a run is to those who asked for it.
pub(super) const RUN: &str = "run";

/// What a run gives that a [`Stopper`] ended.
pub(super) fn interrupted() -> JudgeError {
    JudgeError { kind: FaultKind::Interrupted, ..JudgeError::new(RUN, "interrupted") }
}

/// Whether an error of [`Slot::run`](super::Slot::run) says that a [`Stopper`] ended the run.
pub fn is_interrupted(error: &JudgeError) -> bool {
    error.kind == FaultKind::Interrupted
}
