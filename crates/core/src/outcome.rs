//! What a run did: facts, without a judgement.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::{IfIsHumanReadable, serde_as};

use crate::isolation::Isolation;
use crate::moment::Moment;
use crate::serial::{NullIfZero, Seconds};
use crate::units::{Bytes, seconds};
use crate::words::words;
use crate::worker::WorkerId;

/// How the program's first process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Ending {
    /// It ended by itself, with this exit code (0..=255).
    #[serde(rename = "exit_code")]
    Exited(i32),
    /// It was ended by this signal.
    #[serde(rename = "signal")]
    Signalled(Signal),
}

/// A signal by its number on Linux, on every system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct Signal(pub i32);

impl Signal {
    /// Added to the numbers of signals that Linux does not have.
    pub const FOREIGN_OFFSET: i32 = 1000;

    /// What usually causes it in a program in C or C++.
    pub const fn usual_cause(self) -> Option<&'static str> {
        match self.0 {
            6 => Some("an exception that nothing caught, a failed `assert`, or a damaged heap"),
            8 => Some("an integer division by zero, also by `%`"),
            11 => Some("an index outside of its array, a bad pointer, or too deep a recursion"),
            _ => None,
        }
    }
}

impl fmt::Display for Signal {
    /// The name, such as `SIGSEGV`, or `signal 42` for one without.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The greater numbers are signals of macOS and the BSDs.
        const NAMES: [&str; 32] = [
            "", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
            "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN",
            "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
        ];
        match (self.0, usize::try_from(self.0).ok().and_then(|number| NAMES.get(number))) {
            (1007, _) => f.write_str("SIGEMT"),
            (1029, _) => f.write_str("SIGINFO"),
            (1.., Some(name)) => write!(f, "SIG{name}"),
            (other, _) => write!(f, "signal {other}"),
        }
    }
}

/// Why the sandbox ended the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The process tree used more CPU time than allowed.
    CpuTime,
    /// The wall clock ran out.
    WallTime,
    /// The kernel refused more memory: at least one process was killed for it.
    Memory,
    /// More was written than allowed.
    Output,
    /// It and the program that it talked with waited for each other.
    Deadlock,
    /// The program that it talked with had ended in a way that decides the verdict, whatever this one did later.
    Dismissed,
}

/// The facts of one run.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outcome {
    /// How the first process ended; if the sandbox stopped it, the signal is the sandbox's.
    pub ending: Ending,
    /// Why the sandbox stopped it, if it did.
    pub stopped_by: Option<StopReason>,
    /// User plus system time of the whole process tree.
    #[serde_as(as = "IfIsHumanReadable<Seconds>")]
    #[serde(rename = "cpu_seconds")]
    pub cpu_time: Duration,
    /// From just before the program started to its end, by a monotonic clock.
    #[serde_as(as = "IfIsHumanReadable<Seconds>")]
    #[serde(rename = "wall_seconds")]
    pub wall_time: Duration,
    /// How long it waited for a processor that others used; measured only if its wall time ran out.
    #[serde_as(as = "IfIsHumanReadable<Seconds>")]
    #[serde(rename = "queued_seconds")]
    pub queued: Duration,
    /// The most memory that the process tree held at once.
    #[serde_as(as = "IfIsHumanReadable<NullIfZero>")]
    #[serde(rename = "memory_bytes")]
    pub peak_memory: Bytes,
    /// The size of standard output, including what was not kept.
    pub stdout_bytes: Bytes,
    /// The size of standard error, including what was not kept.
    pub stderr_bytes: Bytes,
    /// The size of the files that the program left in its box.
    pub file_bytes: Bytes,
    pub refused_processes: u32,
    /// Its processes may have sent SIGKILL themselves. Known only where it ran, and if a filter of calls sees it.
    #[serde(skip)]
    pub has_killed: bool,
    /// The stack of the program when memory was running out; 0 if nobody looked. Known only on this machine.
    #[serde(skip)]
    pub stack: Bytes,
    /// What measured and enforced these facts.
    pub mechanism: Mechanism,
    /// When it ran, if it is recalled from an earlier run.
    pub ran_at: Option<Moment>,
    /// The worker that ran it, if it did not run on this machine.
    pub worker: Option<String>,
    /// The same for code, until it is written anywhere.
    #[serde(skip)]
    pub worker_id: Option<WorkerId>,
}

impl Outcome {
    /// `None` if memory was not measured: every program uses some.
    pub fn memory(&self) -> Option<Bytes> {
        (self.peak_memory > Bytes(0)).then_some(self.peak_memory)
    }

    /// Its wall time without the wait for a processor: what counts towards its limit.
    pub fn own_wall_time(&self) -> Duration {
        self.wall_time.saturating_sub(self.queued)
    }

    /// In words, such as `CPU time 0.003 s, clock 0.004 s, memory 1.20 MiB, output 40 B`.
    pub fn describe_use(&self) -> String {
        let (cpu_time, wall_time) = (seconds(self.cpu_time), seconds(self.wall_time));
        let memory = self.memory().map_or("not measured".to_owned(), |memory| memory.to_string());
        let written = self.written();
        let used =
            format!("CPU time {cpu_time}, clock {wall_time}, memory {memory}, output {written}");
        used + if self.ran_at.is_some() { "; from the cache" } else { "" }
    }

    /// For a run that wanted too much memory; `None` unless the stack was a large part of it.
    pub fn describe_stack(&self) -> Option<String> {
        let stack = self.stack;
        (stack > Bytes(self.peak_memory.0 / 4)).then(|| {
            format!("{stack} of it was the stack: the recursion is too deep, or it never ends")
        })
    }

    /// Also the day on which it ran, if that is not now.
    pub fn describe_use_and_age(&self) -> String {
        let used = self.describe_use();
        self.ran_at.map_or(used.clone(), |then| format!("{used}, of {}", then.day()))
    }

    /// Whether time stopped it, so that its full time is unknown.
    pub fn is_stopped_for_time(&self) -> bool {
        matches!(self.stopped_by, Some(StopReason::CpuTime | StopReason::WallTime))
    }

    pub fn unmeasured(mechanism: Mechanism) -> Self {
        Self {
            ending: Ending::Exited(0),
            stopped_by: None,
            cpu_time: Duration::ZERO,
            wall_time: Duration::ZERO,
            queued: Duration::ZERO,
            peak_memory: Bytes(0),
            stdout_bytes: Bytes(0),
            stderr_bytes: Bytes(0),
            file_bytes: Bytes(0),
            refused_processes: 0,
            has_killed: false,
            stack: Bytes(0),
            mechanism,
            ran_at: None,
            worker: None,
            worker_id: None,
        }
    }

    /// Standard output, standard error and files.
    pub fn written(&self) -> Bytes {
        self.stdout_bytes.saturating_add(self.stderr_bytes).saturating_add(self.file_bytes)
    }
}

words! {
    /// The method that measured CPU time and memory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Meter {
        /// Control group, version 2: the whole tree, exactly.
        #[serde(rename = "cgroup v2")]
        Cgroup2 = "cgroup v2",
        /// Control group, version 1: the whole tree, exactly.
        #[serde(rename = "cgroup v1")]
        Cgroup1 = "cgroup v1",
        /// `wait4` and, if programs are isolated, `/proc`. Sees only processes that were waited for; a program can
        /// hide some of its use.
        #[serde(rename = "rusage")]
        Rusage = "rusage",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mechanism {
    /// The method that measured CPU time.
    #[serde(rename = "cpu_meter")]
    pub cpu: Meter,
    /// The method that measured and limited memory.
    #[serde(rename = "memory_meter")]
    pub memory: Meter,
    /// The isolation of the program.
    pub isolation: Isolation,
}

impl fmt::Display for Mechanism {
    /// In words, such as `namespaces, CPU time by cgroup v1, memory by cgroup v1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, memory, isolation } = self;
        write!(f, "{isolation}, CPU time by {cpu}, memory by {memory}")
    }
}

/// For tests: the outcome of a program that exits with 0 after 12 ms, 10 ms of them CPU time, with 3 MiB.
pub fn quiet_outcome() -> Outcome {
    let cgroup = Meter::Cgroup2;
    let mechanism = Mechanism { cpu: cgroup, memory: cgroup, isolation: Isolation::Namespaces };
    Outcome {
        cpu_time: Duration::from_millis(10),
        wall_time: Duration::from_millis(12),
        peak_memory: Bytes::mib(3),
        ..Outcome::unmeasured(mechanism)
    }
}
