//! What a run may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::units::Bytes;

/// What one run may use. `None` means no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// User plus system time of the whole process tree.
    pub cpu_time: Option<Duration>,
    /// Time on the wall clock, from the start of the program to its end.
    pub wall_time: Option<Duration>,
    /// Peak memory of the whole process tree.
    pub memory: Option<Bytes>,
    /// Standard output plus standard error plus the files left in the box.
    pub output: Option<Bytes>,
    /// Processes and threads that exist at the same time.
    pub processes: Option<u32>,
}
