//! Ends a run from any thread: because its result is no longer needed, or because another program ended.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use serde::{Deserialize, Serialize};

use parking_lot::Mutex;

use juror_core::judgement::{FaultKind, JudgeError};
use juror_core::outcome::StopReason;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum StopCause {
    Limit(StopReason),
    Interrupt,
}

pub(super) trait RunEnder: fmt::Debug + Send + Sync {
    /// Has no effect if that run is not the current one.
    fn end_run(&self, run: u64, cause: StopCause);
}

/// State that a slot shares with the handles that can end its runs.
#[derive(Debug)]
pub(super) struct Control {
    run_ender: Box<dyn RunEnder>,
    last_run: AtomicU64,
    /// The number of the current run, or 0.
    current_run: AtomicU64,
    stopped_run: AtomicU64,
    /// A run to be ended for another reason, such as the end of another program.
    unwanted_run: Mutex<Option<UnwantedRun>>,
    is_closed: AtomicBool,
}

/// It may not have begun.
#[derive(Clone, Copy, Debug)]
struct UnwantedRun {
    run: u64,
    cause: StopCause,
}

impl Control {
    pub(super) fn new(line: impl RunEnder + 'static) -> Arc<Self> {
        Arc::new(Self {
            run_ender: Box::new(line),
            last_run: AtomicU64::new(0),
            current_run: AtomicU64::new(0),
            stopped_run: AtomicU64::new(0),
            unwanted_run: Mutex::new(None),
            is_closed: AtomicBool::new(false),
        })
    }

    pub(super) fn begin_run(&self) -> u64 {
        let run = self.last_run.fetch_add(1, Ordering::SeqCst) + 1;
        self.current_run.store(run, Ordering::SeqCst);
        run
    }

    pub(super) fn finish_run(&self) {
        self.current_run.store(0, Ordering::SeqCst);
    }

    pub(super) fn is_stopped(&self, run: u64) -> bool {
        self.is_closed.load(Ordering::SeqCst) || self.stopped_run.load(Ordering::SeqCst) == run
    }

    /// Repeats requests that arrived before the supervisor knew of this run.
    pub(super) fn repeat_stop_request(&self, run: u64) {
        if self.is_stopped(run) {
            self.run_ender.end_run(run, StopCause::Interrupt);
        }
        let unwanted = *self.unwanted_run.lock();
        if let Some(unwanted) = unwanted.filter(|unwanted| unwanted.run == run) {
            self.run_ender.end_run(run, unwanted.cause);
        }
    }

    pub(super) fn end_run(&self, run: u64, cause: StopCause) {
        self.run_ender.end_run(run, cause);
    }

    /// A handle that ends the next run, even before it begins.
    pub(super) fn next_stop_handle(self: &Arc<Self>) -> StopHandle {
        StopHandle { control: Arc::clone(self), run: self.last_run.load(Ordering::SeqCst) + 1 }
    }
}

#[derive(Clone, Debug)]
pub(super) struct StopHandle {
    control: Arc<Control>,
    run: u64,
}

impl StopHandle {
    pub(super) fn end(&self, cause: StopCause) {
        let run = self.run;
        *self.control.unwanted_run.lock() = Some(UnwantedRun { run, cause });
        // If the run has not begun, the slot ignores this. The run checks `unwanted` after it begins.
        self.control.end_run(run, cause);
    }
}

#[derive(Clone, Debug)]
pub struct Stopper(pub(super) Weak<Control>);

impl Stopper {
    /// Ends the current run at once, if there is one: [`Slot::run`](super::Slot::run) then returns an error for which
    /// [`is_interrupted`] holds. A run that has not yet begun is not affected.
    pub fn stop(&self) {
        let Some(control) = self.0.upgrade() else { return };
        let run = control.current_run.load(Ordering::SeqCst);
        if run != 0 {
            // The run may not have been sent yet; then it checks this flag itself.
            control.stopped_run.store(run, Ordering::SeqCst);
            control.end_run(run, StopCause::Interrupt);
        }
    }

    /// Like [`stop`](Self::stop); the slot also refuses all further runs in the same way.
    pub fn close(&self) {
        if let Some(control) = self.0.upgrade() {
            control.is_closed.store(true, Ordering::SeqCst);
        }
        self.stop();
    }

    pub fn has_slot(&self) -> bool {
        self.0.strong_count() > 0
    }
}

pub(super) const RUN_STEP: &str = "run";

pub(super) fn interrupted() -> JudgeError {
    JudgeError { kind: FaultKind::Interrupted, ..JudgeError::new(RUN_STEP, "interrupted") }
}

/// Whether an error of [`Slot::run`](super::Slot::run) means that a [`Stopper`] ended the run.
pub fn is_interrupted(error: &JudgeError) -> bool {
    error.kind == FaultKind::Interrupted
}
