//! Options that several operations have.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use juror_core::grader::Dialect;
use juror_core::isolation::RequiredIsolation;
use juror_core::limits::ProblemLimits;
use juror_core::shard::Shard;
use juror_core::units::Bytes;

pub const STANDARD_INPUT: &str = "/dev/stdin";

#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// `None` for one per physical core.
    pub slots: Option<usize>,
    pub isolation: RequiredIsolation,
    /// If empty, programs run on this machine.
    pub executors: Vec<WorkerCommand>,
    /// `None` caches nothing.
    pub cache: Option<PathBuf>,
    /// Whether the user named the cache directory.
    pub is_cache_named: bool,
    /// Whether to ignore earlier results.
    pub fresh: bool,
}

/// `local`, an address, or the command that starts the worker.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    pub text: String,
    pub words: Vec<String>,
}

impl HostOptions {
    /// The options that repeat a run with the same isolation on the same machine.
    pub fn repeat_arguments(&self) -> Vec<OsString> {
        let name = self.isolation.name();
        let isolation =
            (self.isolation != RequiredIsolation::default()).then(|| format!("--isolation={name}"));
        let executors = self.executors.iter().map(|worker| format!("--executor={}", worker.text));
        isolation.into_iter().chain(executors).map(OsString::from).collect()
    }
}

#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Globs of test cases; all are run if empty.
    pub case: Vec<String>,
    pub host: HostOptions,
    /// CPU time; instead of the package's limit.
    pub time_limit: Option<Duration>,
    /// Instead of the package's limit.
    pub memory_limit: Option<Bytes>,
    pub dialect: Option<Dialect>,
    pub keep: KeepOption,
    /// The format of the package; `None` if it is to be detected.
    pub format: Option<String>,
    pub shard: Option<Shard>,
}

/// Whether and where to save working directories of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeepOption {
    #[default]
    Never,
    NewDirectory,
    /// The directory is new or empty.
    Directory(PathBuf),
}

impl RunOptions {
    /// The options that repeat a run.
    pub fn repeat_arguments(&self) -> Vec<OsString> {
        let memory = self.memory_limit.map(|it| match it.0.trailing_zeros() {
            20.. => format!("{}M", it.0 >> 20).into(),
            _ => format!("{}B", it.0).into(),
        });
        let own = option_words([
            ("--time-limit", self.time_limit.map(|it| format!("{}s", it.as_secs_f64()).into())),
            ("--memory-limit", memory),
            ("--format", self.format.as_ref().map(OsString::from)),
        ]);
        own.chain(self.host.repeat_arguments()).collect()
    }

    /// Applies the memory limit. The time limit is handled where it is measured.
    pub fn apply_limits(&self, limits: &mut ProblemLimits) {
        limits.memory = self.memory_limit.or(limits.memory);
    }
}

/// Leaves out options without a value.
pub fn option_words<const N: usize>(
    options: [(&str, Option<OsString>); N],
) -> impl Iterator<Item = OsString> {
    options.into_iter().filter_map(|(name, value)| Some([name.into(), value?])).flatten()
}
