//! Ends a run from any thread: because its result is no longer needed, or because another program ended.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use serde::{Deserialize, Serialize};

use parking_lot::Mutex;

use crate::model::judgement::{FaultKind, JudgeError};
use crate::model::outcome::StoppedBy;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Cause {
    Limit(StoppedBy),
    Interrupt,
}

pub(super) trait EndRun: fmt::Debug + Send + Sync {
    /// Has no effect if that run is not the current one.
    fn end(&self, run: u64, cause: Cause);
}

/// State that a slot shares with the handles that can end its runs.
#[derive(Debug)]
pub(super) struct Control {
    line: Box<dyn EndRun>,
    last: AtomicU64,
    /// The number of the current run, or 0.
    current: AtomicU64,
    stopped: AtomicU64,
    /// A run to be ended for another reason, such as the end of another program.
    unwanted: Mutex<Option<Unwanted>>,
    closed: AtomicBool,
}

/// It may not have begun.
#[derive(Clone, Copy, Debug)]
struct Unwanted {
    run: u64,
    cause: Cause,
}

impl Control {
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

    pub(super) fn begin(&self) -> u64 {
        let run = self.last.fetch_add(1, Ordering::SeqCst) + 1;
        self.current.store(run, Ordering::SeqCst);
        run
    }

    pub(super) fn is_over(&self) {
        self.current.store(0, Ordering::SeqCst);
    }

    pub(super) fn is_stopped(&self, run: u64) -> bool {
        self.closed.load(Ordering::SeqCst) || self.stopped.load(Ordering::SeqCst) == run
    }

    /// Repeats requests that arrived before the supervisor knew of this run.
    pub(super) fn repeat(&self, run: u64) {
        if self.is_stopped(run) {
            self.line.end(run, Cause::Interrupt);
        }
        let unwanted = *self.unwanted.lock();
        if let Some(unwanted) = unwanted.filter(|unwanted| unwanted.run == run) {
            self.line.end(run, unwanted.cause);
        }
    }

    pub(super) fn end(&self, run: u64, cause: Cause) {
        self.line.end(run, cause);
    }

    /// A handle that ends the next run, even before it begins.
    pub(super) fn ender_of_next(self: &Arc<Self>) -> StopHandle {
        StopHandle { control: Arc::clone(self), run: self.last.load(Ordering::SeqCst) + 1 }
    }
}

#[derive(Clone, Debug)]
pub(super) struct StopHandle {
    control: Arc<Control>,
    run: u64,
}

impl StopHandle {
    pub(super) fn end(&self, cause: Cause) {
        let run = self.run;
        *self.control.unwanted.lock() = Some(Unwanted { run, cause });
        // If the run has not begun, the slot ignores this. The run checks `unwanted` after it begins.
        self.control.end(run, cause);
    }
}

#[derive(Clone, Debug)]
pub struct Stopper(pub(super) Weak<Control>);

impl Stopper {
    /// Ends the current run at once, if there is one: [`Slot::run`](super::Slot::run) then returns an error for which
    /// [`is_interrupted`] holds. A run that has not yet begun is not affected.
    pub fn stop(&self) {
        let Some(control) = self.0.upgrade() else { return };
        let run = control.current.load(Ordering::SeqCst);
        if run != 0 {
            // The run may not have been sent yet; then it checks this flag itself.
            control.stopped.store(run, Ordering::SeqCst);
            control.end(run, Cause::Interrupt);
        }
    }

    /// Like [`stop`](Self::stop); the slot also refuses all further runs in the same way.
    pub fn close(&self) {
        if let Some(control) = self.0.upgrade() {
            control.closed.store(true, Ordering::SeqCst);
        }
        self.stop();
    }

    pub fn has_slot(&self) -> bool {
        self.0.strong_count() > 0
    }
}

pub(super) const RUN: &str = "run";

pub(super) fn interrupted() -> JudgeError {
    JudgeError { kind: FaultKind::Interrupted, ..JudgeError::new(RUN, "interrupted") }
}

/// Whether an error of [`Slot::run`](super::Slot::run) means that a [`Stopper`] ended the run.
pub fn is_interrupted(error: &JudgeError) -> bool {
    error.kind == FaultKind::Interrupted
}
