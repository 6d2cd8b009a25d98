//! Ends a run from any thread: because its result is no longer needed, or because another program ended.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// The newest run to be ended: at a request, or because of the end of another program.
    unwanted_run: Mutex<Option<UnwantedRun>>,
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
            unwanted_run: Mutex::new(None),
        })
    }

    pub(super) fn begin_run(&self) -> u64 {
        self.last_run.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Repeats a request that arrived before the supervisor knew of this run.
    pub(super) fn repeat_stop_request(&self, run: u64) {
        let unwanted = *self.unwanted_run.lock();
        if let Some(unwanted) = unwanted.filter(|unwanted| unwanted.run == run) {
            self.run_ender.end_run(run, unwanted.cause);
        }
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
        let mut unwanted = self.control.unwanted_run.lock();
        // A late request must not replace one for a newer run.
        if unwanted.is_none_or(|known| known.run <= run) {
            *unwanted = Some(UnwantedRun { run, cause });
        }
        drop(unwanted);
        // If the run has not begun, the slot ignores this. The run checks `unwanted` after it begins.
        self.control.run_ender.end_run(run, cause);
    }
}

pub(super) const RUN_STEP: &str = "run";

pub(super) fn interrupted() -> JudgeError {
    JudgeError { kind: FaultKind::Interrupted, ..JudgeError::new(RUN_STEP, "interrupted") }
}

/// Whether an error of [`Slot::run`](super::Slot::run) means that a stop of the current work ended the run.
pub fn is_interrupted(error: &JudgeError) -> bool {
    error.kind == FaultKind::Interrupted
}
