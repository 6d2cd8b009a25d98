//! The limits of programs: the package's, juror's defaults, and which limit a run exceeded.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, IfIsHumanReadable, serde_as};

use crate::outcome::{Outcome, StopReason};
use crate::root::READ_MAX;
use crate::serial::Seconds;
use crate::units::{Bytes, seconds};

/// The default for the CPU time of a compiler, a validator or a generator.
///
/// Source of the defaults: problem package format 2025-09, "Submission limits" and "Resource guarantees", typical
/// system defaults, as far as they exist.
pub const PROGRAM_TIME: Duration = Duration::from_secs(60);
pub const PROGRAM_MEMORY: Bytes = Bytes::mib(2048);
/// Source code of a submission: eight times what contests allow, but little enough for the compiler.
pub const SUBMISSION_CODE: Bytes = Bytes::mib(1);
pub const SUBMISSION_OUTPUT: Bytes = Bytes::mib(8);
/// Output of a compiler, a generator or a solution that makes answers, files included. Also of a submission without an
/// output limit, so that endless output stops.
pub const LARGE_OUTPUT: Bytes = READ_MAX;
/// Output of an input or answer validator.
pub const VALIDATOR_OUTPUT: Bytes = Bytes::mib(64);
/// Processes and threads at the same time. The format sets no limit. This is enough for the runtime of every language,
/// and too little to overload the machine.
pub const MOST_PROCESSES: u32 = 128;
/// The room in a box for its files at the start.
pub const BOX_ROOM: Bytes = Bytes::mib(64);
/// CPU time of a submission if nothing can set a time limit: without a package, and for bare tests.
pub const TIME_WITHOUT_PACKAGE: Duration = Duration::from_secs(2);
/// Memory of a submission on bare tests, as on Codeforces.
pub const MEMORY_OF_BARE_TESTS: Bytes = Bytes::mib(256);
/// Output of a submission in formats without an output limit: more than any test needs.
pub const OUTPUT_WITHOUT_LIMIT: Bytes = Bytes::mib(64);
/// How much more time a program gets that is built to find its faults. Its checks make it some two to four times slower.
pub const DEBUG_TIME_FACTOR: u32 = 5;
/// CPU time of a submission that is run to find the time limit.
pub const TIME_TO_FIND_LIMIT: Duration = Duration::from_secs(60);

/// The limits of a run. `None` means no limit.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// User plus system time of the whole process tree.
    #[serde_as(as = "IfIsHumanReadable<Option<Seconds>>")]
    #[serde(rename = "cpu_seconds")]
    pub cpu_time: Option<Duration>,
    /// From the start of the program to its end, without the time that it waited for a processor.
    #[serde_as(as = "IfIsHumanReadable<Option<Seconds>>")]
    #[serde(rename = "wall_seconds")]
    pub wall_time: Option<Duration>,
    /// From the start of the program until it is ended in any case, even if it waited for a processor: nobody needs
    /// the result any more.
    #[serde_as(as = "IfIsHumanReadable<Option<Seconds>>")]
    #[serde(rename = "deadline_seconds")]
    pub deadline: Option<Duration>,
    /// Peak memory of the whole process tree.
    #[serde(rename = "memory_bytes")]
    pub memory: Option<Bytes>,
    /// Standard output plus standard error plus the files left in the box.
    #[serde(rename = "output_bytes")]
    pub output: Option<Bytes>,
    /// Processes and threads that exist at the same time.
    pub processes: Option<u32>,
}

impl Limits {
    fn new(cpu_time: Duration, memory: Bytes, output: Bytes) -> Self {
        Self {
            cpu_time: Some(cpu_time),
            wall_time: Some(wall_time(cpu_time)),
            deadline: None,
            memory: Some(memory),
            output: Some(output),
            processes: Some(MOST_PROCESSES),
        }
    }

    /// The limits of a submission with this time limit.
    pub fn of_submission(limits: &ProblemLimits, time_limit: Duration) -> Self {
        let output = if limits.unlimited_talk {
            LARGE_OUTPUT
        } else {
            limits.output.unwrap_or(SUBMISSION_OUTPUT)
        };
        if limits.debug {
            return Self {
                memory: None,
                ..Self::new(time_limit * DEBUG_TIME_FACTOR, PROGRAM_MEMORY, output)
            };
        }
        Self::new(time_limit, limits.memory.unwrap_or(PROGRAM_MEMORY), output)
    }

    pub fn of_compiler(limits: &ProblemLimits) -> Self {
        let time = limits.compilation_time.unwrap_or(PROGRAM_TIME);
        let memory = limits.compilation_memory.unwrap_or(PROGRAM_MEMORY);
        Self::new(time, memory, LARGE_OUTPUT)
    }

    pub fn of_output_validator(limits: &ProblemLimits) -> Self {
        let time = limits.validation_time.unwrap_or(PROGRAM_TIME);
        let memory = limits.validation_memory.unwrap_or(PROGRAM_MEMORY);
        Self::new(time, memory, limits.validation_output.unwrap_or(SUBMISSION_OUTPUT))
    }

    /// For an input or answer validator and its compiler. The format sets no limits; these stop programs that hang.
    pub fn of_validator() -> Self {
        Self::new(PROGRAM_TIME, PROGRAM_MEMORY, VALIDATOR_OUTPUT)
    }

    /// For a generator, a solution, and their compilers. Enough for any test data; programs that hang are stopped.
    pub fn of_generator() -> Self {
        Self::new(PROGRAM_TIME, PROGRAM_MEMORY, LARGE_OUTPUT)
    }

    /// Limits of every kind, all small, to check the machine. Whether it allows more, a job finds out itself.
    pub fn of_machine_check() -> Self {
        let small = Self::new(Duration::from_secs(5), Bytes::mib(4), Bytes::mib(1));
        Self { processes: Some(4), ..small }
    }

    /// The size in bytes that no file may exceed: one byte beyond the limit, so that a file shows that the program
    /// wanted more.
    pub fn file_size(&self) -> Option<u64> {
        self.output.map(|limit| limit.0.saturating_add(1))
    }

    /// Allows at least this many processes and threads.
    #[must_use]
    pub fn with_processes(&self, least: u32) -> Self {
        Self { processes: self.processes.max(Some(least)), ..self.clone() }
    }

    /// The limit that a run exceeded by its measurements, whatever ended it. A value equal to its limit is within it.
    /// Wall time counts only if it stopped the run: a run that ended by itself was late only because the machine was
    /// busy.
    pub fn exceeded(&self, outcome: &Outcome) -> Option<StopReason> {
        let over = |used: Duration, most: Option<Duration>| most.is_some_and(|most| used > most);
        let above = |used: Bytes, most: Option<Bytes>| most.is_some_and(|most| used > most);
        if over(outcome.cpu_time, self.cpu_time) {
            Some(StopReason::CpuTime)
        } else if above(outcome.peak_memory, self.memory) {
            Some(StopReason::Memory)
        } else if above(outcome.written(), self.output) {
            Some(StopReason::Output)
        } else if outcome.stopped_by == Some(StopReason::WallTime) {
            Some(StopReason::WallTime)
        } else {
            None
        }
    }

    /// The limit that a run exceeded first, also if the sandbox did not stop it. A run may continue beyond its CPU time;
    /// what it exceeds then came later.
    pub fn first_exceeded(&self, outcome: &Outcome) -> Option<StopReason> {
        let is_slow = self.cpu_time.is_some_and(|limit| outcome.cpu_time > limit);
        match outcome.stopped_by {
            Some(StopReason::Memory | StopReason::Output | StopReason::WallTime) if is_slow => {
                Some(StopReason::CpuTime)
            }
            stopped => stopped.or_else(|| self.exceeded(outcome)),
        }
    }

    /// How a run exceeded a limit, in words. All code uses these words.
    pub fn describe_exceeded(&self, limit: StopReason, outcome: &Outcome) -> String {
        match limit {
            StopReason::CpuTime => {
                let (took, allowed) = describe_exceeded_time(outcome.cpu_time, self.cpu_time);
                format!("{took} of CPU time, {allowed} allowed")
            }
            StopReason::WallTime => {
                let reading = if outcome.cpu_time * 2 < outcome.own_wall_time() {
                    ": it slept, or waited for input that never came"
                } else {
                    ""
                };
                let (took, allowed) = describe_exceeded_time(outcome.wall_time, self.wall_time);
                let cpu_time = seconds(outcome.cpu_time);
                format!(
                    "{took} on the wall clock, {allowed} allowed, with {cpu_time} of CPU time{reading}"
                )
            }
            StopReason::Memory => {
                let allowed = self.memory.unwrap_or_default();
                let peak = outcome.peak_memory;
                format!("wanted more than the {allowed} allowed; held {peak}")
            }
            StopReason::Output => {
                let allowed = self.output.unwrap_or_default();
                let is_mostly_stderr = outcome.stderr_bytes.0 > outcome.written().0 / 2;
                let place = if is_mostly_stderr { ", most of it on standard error" } else { "" };
                format!("wrote more than the {allowed} allowed{place}")
            }
            StopReason::Deadlock => "waited for input that never came".to_owned(),
            StopReason::Dismissed => "was no longer needed".to_owned(),
        }
    }
}

/// The time and its limit. Rounded, they may be equal.
fn describe_exceeded_time(took: Duration, allowed: Option<Duration>) -> (String, String) {
    let (took, allowed) = (seconds(took), seconds(allowed.unwrap_or_default()));
    let took = if took == allowed { format!("over {took}") } else { took };
    (took, allowed)
}

/// The second limit, which stops programs that sleep: twice the CPU time plus a second, so that a working program is
/// not stopped on a busy machine.
fn wall_time(cpu_time: Duration) -> Duration {
    cpu_time * 2 + Duration::from_secs(1)
}

/// The limits that a package sets. `None` means juror's default.
///
/// Source: problem package format 2025-09, "Limits".
#[serde_as]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProblemLimits {
    /// CPU time of a submission on one test case.
    #[serde_as(as = "Option<Seconds>")]
    pub time_limit: Option<Duration>,
    /// The least factor between the slowest accepted submission and the time limit; at least 1.
    pub ac_to_time_limit: f64,
    /// The least factor between the time limit and a too slow submission; at least 1.
    pub time_limit_to_tle: f64,
    /// The time limit is a multiple of this.
    #[serde_as(as = "Seconds")]
    pub time_resolution: Duration,
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub memory: Option<Bytes>,
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub output: Option<Bytes>,
    /// Whether the format has no output limit, as for interactive problems of legacy packages.
    pub unlimited_talk: bool,
    /// Whether submissions are built to find their faults: their checks need more time and memory.
    #[serde(skip)]
    pub debug: bool,
    /// Source code of a submission.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub code: Option<Bytes>,
    #[serde_as(as = "Option<Seconds>")]
    pub compilation_time: Option<Duration>,
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub compilation_memory: Option<Bytes>,
    /// The most passes of a multi-pass problem on a test case; at least 2.
    #[serde(skip)]
    pub validation_passes: Option<u32>,
    #[serde_as(as = "Option<Seconds>")]
    pub validation_time: Option<Duration>,
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub validation_memory: Option<Bytes>,
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub validation_output: Option<Bytes>,
}

impl ProblemLimits {
    /// Those of bare tests, and without a package.
    pub fn of_bare_tests() -> Self {
        Self {
            time_limit: Some(TIME_WITHOUT_PACKAGE),
            memory: Some(MEMORY_OF_BARE_TESTS),
            output: Some(OUTPUT_WITHOUT_LIMIT),
            ..Self::default()
        }
    }

    /// For a format in which the package states the time limit, and output is unlimited.
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
            debug: false,
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
    fn an_interactive_legacy_submission_has_no_output_limit() {
        let check = |unlimited_talk: bool, expected: Bytes| {
            let output = Some(Bytes::mib(16));
            let limits = ProblemLimits { output, unlimited_talk, ..ProblemLimits::default() };
            let limits = Limits::of_submission(&limits, Duration::from_secs(1));
            assert_eq!(limits.output, Some(expected));
        };
        check(false, Bytes::mib(16));
        check(true, Bytes::mib(1024));
    }

    #[test]
    fn checks_for_faults_need_more_time_and_memory() {
        let limits = |debug: bool| {
            let limits =
                ProblemLimits { debug, memory: Some(Bytes::mib(64)), ..ProblemLimits::default() };
            let limits = Limits::of_submission(&limits, Duration::from_secs(1));
            (
                limits.cpu_time.map(|time| time.as_secs()),
                limits.wall_time.map(|time| time.as_secs()),
                limits.memory,
            )
        };
        assert_eq!(limits(false), (Some(1), Some(3), Some(Bytes::mib(64))));
        assert_eq!(limits(true), (Some(5), Some(11), None));
    }

    /// The documents name the values of the constants.
    #[test]
    fn the_documents_name_these_defaults() {
        let time = |time: Duration| format!("{} s", time.as_secs());
        let memory = |memory: Bytes| format!("{} MiB", memory.0 >> 20);
        let (cpu, all) = (time(PROGRAM_TIME), memory(PROGRAM_MEMORY));
        let output = memory(SUBMISSION_OUTPUT);
        let check = |document: &str, expected: String| {
            let document = document.replace('\n', " ");
            assert!(document.contains(&expected), "no document says: {expected}");
        };
        let packages = include_str!("../../../docs/packages.md");
        let omitted = format!("memory {all}, output {output}, compilation {cpu} and {all}");
        check(packages, format!("| limits that a package omits | {omitted},"));
        check(packages, format!("| processes and threads | {MOST_PROCESSES} at once;"));
        let validator = format!("{cpu} of CPU time, {all}, {output} if the package sets none");
        check(packages, format!("| limits of an output validator | {validator};"));
        let generator = format!("{cpu} of CPU time, {PROGRAM_MEMORY} of memory");
        check(include_str!("../../../docs/generate.md"), generator);
        let (time, memory) = (time(TIME_WITHOUT_PACKAGE), memory(MEMORY_OF_BARE_TESTS));
        let stress = format!("those of bare tests: {time}, {memory} of memory");
        check(include_str!("../../../docs/stress.md"), stress);
    }
}
