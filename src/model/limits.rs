//! What programs may use: the limits that a package sets, juror's defaults for all others, and which of them a run passed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::outcome::{Ending, Outcome, Signal, StoppedBy};
use crate::model::units::{Bytes, seconds};

/// CPU time of a compiler, a validator or a generator, if nothing sets another.
///
/// Source of the defaults: problem package format 2025-09, "Submission limits" and "Resource guarantees", typical system
/// defaults, as far as it has them.
pub const TIME: Duration = Duration::from_secs(60);
/// Memory of any program if nothing sets another.
pub const MEMORY: Bytes = Bytes::mib(2048);
/// Source code of a submission if the package sets no limit: eight times what contests allow, and an end for what only wastes
/// the compiler's time.
pub const CODE: Bytes = Bytes::mib(1);
/// Output of a submission or an output validator if the package sets none.
pub const OUTPUT: Bytes = Bytes::mib(8);
/// What a compiler, a generator or a solution that makes answers may write, by-products included; and a submission if
/// the format limits no output, so that one that never ends is stopped.
pub const LARGE_OUTPUT: Bytes = Bytes::mib(1024);
/// What an input or answer validator may write.
pub const REMARKS: Bytes = Bytes::mib(64);
/// Processes and threads at once. The format has no limit for them; enough for every language's run time, too few to
/// trouble the machine.
pub const PROCESSES: u32 = 128;
/// Room in a box for what lies there before the program starts.
pub const ROOM: Bytes = Bytes::mib(64);
/// CPU time of a submission if nothing could set a time limit: without a package, and for bare tests.
pub const TIME_WITHOUT_PACKAGE: Duration = Duration::from_secs(2);
/// Output of a submission in formats that do not limit it: more than tests need, and an end for what never ends.
pub const OUTPUT_WITHOUT_LIMIT: Bytes = Bytes::mib(64);
/// CPU time of a submission that is to show how long the time limit must be.
pub const TIME_TO_FIND_LIMIT: Duration = Duration::from_secs(60);

/// What one run may use. `None` means no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// User plus system time of the whole process tree.
    pub cpu_time: Option<Duration>,
    /// Time on the wall clock, from the start of the program to its end, but for what it had to wait for a processor.
    pub wall_time: Option<Duration>,
    /// Peak memory of the whole process tree.
    pub memory: Option<Bytes>,
    /// Standard output plus standard error plus the files left in the box.
    pub output: Option<Bytes>,
    /// Processes and threads that exist at the same time.
    pub processes: Option<u32>,
}

impl Limits {
    fn new(cpu_time: Duration, memory: Bytes, output: Bytes) -> Self {
        Self {
            cpu_time: Some(cpu_time),
            wall_time: Some(wall_time(cpu_time)),
            memory: Some(memory),
            output: Some(output),
            processes: Some(PROCESSES),
        }
    }

    /// What a submission may use with this time limit.
    pub fn of_submission(limits: &ProblemLimits, time_limit: Duration) -> Self {
        let memory = limits.memory.unwrap_or(MEMORY);
        let output = match limits.unlimited_talk {
            true => LARGE_OUTPUT,
            false => limits.output.unwrap_or(OUTPUT),
        };
        Self::new(time_limit, memory, output)
    }

    /// What a compiler of a submission may use.
    pub fn of_compiler(limits: &ProblemLimits) -> Self {
        let time = limits.compilation_time.unwrap_or(TIME);
        let memory = limits.compilation_memory.unwrap_or(MEMORY);
        Self::new(time, memory, LARGE_OUTPUT)
    }

    /// What an output validator may use.
    pub fn of_output_validator(limits: &ProblemLimits) -> Self {
        let time = limits.validation_time.unwrap_or(TIME);
        let memory = limits.validation_memory.unwrap_or(MEMORY);
        Self::new(time, memory, limits.validation_output.unwrap_or(OUTPUT))
    }

    /// What an input or answer validator, and the compiler that makes it, may use. The format sets no limits for
    /// them; these stop one that hangs.
    pub fn of_validator() -> Self {
        Self::new(TIME, MEMORY, REMARKS)
    }

    /// What a generator, a solution, and the compiler that makes it, may use: enough for any test data, and an end for
    /// one that hangs.
    pub fn of_generator() -> Self {
        Self::new(TIME, MEMORY, LARGE_OUTPUT)
    }

    /// What a program may use that is not there: all limits, and small. Whether the machine allows more is for a job to
    /// find out that wants more.
    pub fn of_trial() -> Self {
        let small = Self::new(Duration::from_secs(5), Bytes::mib(4), Bytes::mib(1));
        Self { processes: Some(4), ..small }
    }

    /// The same, with so many processes and threads at least.
    #[must_use]
    pub fn with_processes(&self, least: u32) -> Self {
        Self { processes: self.processes.max(Some(least)), ..self.clone() }
    }

    /// Which limit a run passed by what was measured, whatever ended it; a time or an amount at its limit is within it.
    /// The clock only stops those that do not end: who ended first, did so on a machine too busy to look in time.
    pub fn exceeded(&self, outcome: &Outcome) -> Option<StoppedBy> {
        const SIGXFSZ: i32 = 25;
        let over = |used: Duration, limit: Option<Duration>| limit.is_some_and(|it| used > it);
        let above = |used: Bytes, limit: Option<Bytes>| limit.is_some_and(|it| used > it);
        // No file becomes larger than the limit; who writes on ends by this signal.
        let is_cut = || {
            outcome.ending == Ending::Signalled(Signal(SIGXFSZ))
                && self.output.is_some_and(|limit| outcome.written() >= limit)
        };
        if over(outcome.cpu_time, self.cpu_time) {
            Some(StoppedBy::CpuTime)
        } else if above(outcome.peak_memory, self.memory) {
            Some(StoppedBy::Memory)
        } else if above(outcome.written(), self.output) || is_cut() {
            Some(StoppedBy::Output)
        } else if outcome.stopped_by == Some(StoppedBy::WallTime) {
            Some(StoppedBy::WallTime)
        } else {
            None
        }
    }

    /// What a run used of the limit that it passed, and what it may: the one place that says it.
    pub fn passed(&self, limit: StoppedBy, outcome: &Outcome) -> String {
        match limit {
            StoppedBy::CpuTime => {
                let (took, allowed) = passed_time(outcome.cpu_time, self.cpu_time);
                format!("{took} of CPU time, {allowed} allowed")
            }
            StoppedBy::WallTime => {
                let waited = outcome.wall_time.saturating_sub(outcome.queued);
                let reading = match outcome.cpu_time * 2 < waited {
                    true => ": it slept, or waited for input that never came",
                    false => "",
                };
                let (took, allowed) = passed_time(outcome.wall_time, self.wall_time);
                let cpu_time = seconds(outcome.cpu_time);
                format!(
                    "{took} on the wall clock, {allowed} allowed, with {cpu_time} of CPU time{reading}"
                )
            }
            StoppedBy::Memory => {
                let allowed = self.memory.unwrap_or_default();
                let held = outcome.peak_memory;
                format!("wanted more than the {allowed} allowed; held {held}")
            }
            StoppedBy::Output => {
                let allowed = self.output.unwrap_or_default();
                format!("wrote more than the {allowed} allowed")
            }
            StoppedBy::Deadlock => "waited for input that never came".to_owned(),
            StoppedBy::Dismissed => "was not wanted any longer".to_owned(),
        }
    }
}

/// A time and its limit; rounded, they may be the same.
fn passed_time(took: Duration, allowed: Option<Duration>) -> (String, String) {
    let (took, allowed) = (seconds(took), seconds(allowed.unwrap_or_default()));
    let took = if took == allowed { format!("over {took}") } else { took };
    (took, allowed)
}

/// The second limit, which stops those that sleep: twice the CPU time and a second, so that a busy machine does not stop a
/// program that works.
fn wall_time(cpu_time: Duration) -> Duration {
    cpu_time * 2 + Duration::from_secs(1)
}

/// The limits that a package sets. `None` means that juror's default holds.
///
/// Source: problem package format 2025-09, "Limits".
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemLimits {
    /// CPU time of a submission on one test case.
    pub time_limit: Option<Duration>,
    /// How much longer than the slowest accepted submission the time limit must be; at least 1.
    pub ac_to_time_limit: f64,
    /// How much longer than the time limit a too slow submission must take; at least 1.
    pub time_limit_to_tle: f64,
    /// The time limit is a multiple of this.
    pub time_resolution: Duration,
    /// Memory of a submission.
    pub memory: Option<Bytes>,
    /// Output of a submission.
    pub output: Option<Bytes>,
    /// Whether the format limits no output, as for interactive problems of legacy packages.
    pub unlimited_talk: bool,
    /// Source code of a submission.
    pub code: Option<Bytes>,
    /// CPU time of compiling a submission.
    pub compilation_time: Option<Duration>,
    /// Memory of compiling a submission.
    pub compilation_memory: Option<Bytes>,
    /// How often a submission of a multi-pass problem is run on a test case at most; at least 2.
    pub validation_passes: Option<u32>,
    /// CPU time of an output validator.
    pub validation_time: Option<Duration>,
    /// Memory of an output validator.
    pub validation_memory: Option<Bytes>,
    /// Output of an output validator.
    pub validation_output: Option<Bytes>,
}

impl ProblemLimits {
    /// Those of a format in which a package states the time limit itself, and none for outputs.
    pub fn stated(time_limit: Option<Duration>, memory: Option<Bytes>) -> Self {
        let (ac_to_time_limit, time_limit_to_tle) = (1.0, 1.0);
        let output = Some(OUTPUT_WITHOUT_LIMIT);
        Self { time_limit, memory, output, ac_to_time_limit, time_limit_to_tle, ..Self::default() }
    }
}

impl Default for ProblemLimits {
    fn default() -> Self {
        Self {
            time_limit: None,
            ac_to_time_limit: 2.0,
            time_limit_to_tle: 1.5,
            time_resolution: Duration::from_secs(1),
            memory: None,
            output: None,
            unlimited_talk: false,
            code: None,
            compilation_time: None,
            compilation_memory: None,
            validation_passes: None,
            validation_time: None,
            validation_memory: None,
            validation_output: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legacy_submission_may_say_as_much_as_it_likes() {
        let check = |unlimited_talk: bool, expected: Bytes| {
            let output = Some(Bytes::mib(16));
            let limits = ProblemLimits { output, unlimited_talk, ..ProblemLimits::default() };
            let limits = Limits::of_submission(&limits, Duration::from_secs(1));
            assert_eq!(limits.output, Some(expected));
        };
        check(false, Bytes::mib(16));
        check(true, Bytes::mib(1024));
    }

    /// The documents say what the constants say.
    #[test]
    fn the_documents_name_these_defaults() {
        let time = |time: Duration| format!("{} s", time.as_secs());
        let memory = |memory: Bytes| format!("{} MiB", memory.0 >> 20);
        let (cpu, all) = (time(TIME), memory(MEMORY));
        let output = memory(OUTPUT);
        let check = |document: &str, expected: String| {
            let document = document.replace('\n', " ");
            assert!(document.contains(&expected), "no document says: {expected}");
        };
        let packages = include_str!("../../docs/packages.md");
        let omitted = format!("memory {all}, output {output}, compilation {cpu} and {all}");
        check(packages, format!("| limits that a package omits | {omitted},"));
        check(packages, format!("| processes and threads | {PROCESSES} at once;"));
        let validator = format!("{cpu} of CPU time, {all}, {output} if the package sets none");
        check(packages, format!("| limits of an output validator | {validator};"));
        let generator = format!("{cpu} of CPU time, {MEMORY} of memory");
        check(include_str!("../../docs/generate.md"), generator);
        let stress = format!("and {} without a package", time(TIME_WITHOUT_PACKAGE));
        check(include_str!("../../docs/stress.md"), stress);
    }
}
