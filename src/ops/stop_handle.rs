//! Stops the runs of a command from another thread.

use parking_lot::Mutex;
use std::sync::Arc;

use juror_core::stop::StopFlag;
use juror_sandbox::executor::Executor;

/// Stops the runs of a host from another thread, even if the host starts later.
#[derive(Clone, Default)]
pub struct StopHandle(Arc<Mutex<StopState>>);

#[derive(Default)]
struct StopState {
    executor: Option<Arc<dyn Executor>>,
    flag: StopFlag,
}

impl StopHandle {
    /// Stops all current and later runs.
    pub fn stop(&self) {
        let ending = self.0.lock();
        ending.flag.set();
        ending.executor.iter().for_each(|executor| executor.stop());
    }

    pub fn is_stopped(&self) -> bool {
        self.flag().is_set()
    }

    /// For work that runs no programs.
    pub fn flag(&self) -> StopFlag {
        self.0.lock().flag.clone()
    }

    pub(super) fn set_executor(&self, executor: Option<Arc<dyn Executor>>) {
        let mut ending = self.0.lock();
        if ending.flag.is_set() {
            executor.iter().for_each(|executor| executor.stop());
        }
        ending.executor = executor;
    }
}
