//! A base outcome for tests. Unit tests use it, too.

use std::time::Duration;

use juror::model::isolation::Isolation;
use juror::model::outcome::{Ending, Mechanism, Meter, Outcome};
use juror::model::units::Bytes;

/// Exit code 0 after 12 ms with 10 ms of CPU time and 3 MiB.
pub(crate) fn quiet_outcome() -> Outcome {
    Outcome {
        ending: Ending::Exited(0),
        stopped_by: None,
        cpu_time: Duration::from_millis(10),
        wall_time: Duration::from_millis(12),
        queued: Duration::ZERO,
        peak_memory: Bytes::mib(3),
        stdout_bytes: Bytes(0),
        stderr_bytes: Bytes(0),
        file_bytes: Bytes(0),
        refused_processes: 0,
        mechanism: Mechanism {
            cpu: Meter::Cgroup2,
            memory: Meter::Cgroup2,
            isolation: Isolation::Namespaces,
        },
        ran_at: None,
        worker: None,
    }
}
