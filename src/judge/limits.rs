//! The limits that a submission runs under: what the package says, and our defaults for the rest.

use std::time::Duration;

use crate::model::limits::Limits;
use crate::model::problem::ProblemLimits;
use crate::model::units::Bytes;

/// Memory of a submission where the package names none.
///
/// Source of this and the other defaults: problem package format 2025-09, "Submission limits" and
/// "Resource guarantees", typical system defaults.
pub const MEMORY: Bytes = Bytes::mib(2048);
/// Output of a submission where the package names none.
pub const OUTPUT: Bytes = Bytes::mib(8);
/// CPU time of a compiler where the package names none.
pub const COMPILATION_TIME: Duration = Duration::from_secs(60);
/// Memory of a compiler where the package names none.
pub const COMPILATION_MEMORY: Bytes = Bytes::mib(2048);
/// Processes and threads at once. The format has no limit for them; enough for every language's
/// run time, too few to trouble the machine.
pub const PROCESSES: u32 = 128;
/// What compilers may write, by-products included.
const COMPILATION_OUTPUT: Bytes = Bytes::mib(1024);

/// What a submission may use with this time limit.
pub fn of_submission(limits: &ProblemLimits, time_limit: Duration) -> Limits {
    Limits {
        cpu_time: Some(time_limit),
        wall_time: Some(wall_time(time_limit)),
        memory: Some(limits.memory.unwrap_or(MEMORY)),
        output: Some(limits.output.unwrap_or(OUTPUT)),
        processes: Some(PROCESSES),
    }
}

/// What a compiler may use.
pub fn of_compiler(limits: &ProblemLimits) -> Limits {
    let time = limits.compilation_time.unwrap_or(COMPILATION_TIME);
    Limits {
        cpu_time: Some(time),
        wall_time: Some(wall_time(time)),
        memory: Some(limits.compilation_memory.unwrap_or(COMPILATION_MEMORY)),
        output: Some(COMPILATION_OUTPUT),
        processes: Some(PROCESSES),
    }
}

/// The second limit, which stops those that sleep: twice the CPU time and a second, so that a busy
/// machine does not stop a program that works.
pub fn wall_time(cpu_time: Duration) -> Duration {
    cpu_time * 2 + Duration::from_secs(1)
}
