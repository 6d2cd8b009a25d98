//! Options that several operations have.

use std::path::PathBuf;
use std::time::Duration;

use juror_core::grader::Dialect;
use juror_core::isolation::RequiredIsolation;
use juror_core::limits::ProblemLimits;
use juror_core::program::BuildVariant;
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
    pub variant: BuildVariant,
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
    /// Applies the memory limit. The time limit is handled where it is measured.
    pub fn apply_limits(&self, limits: &mut ProblemLimits) {
        limits.memory = self.memory_limit.or(limits.memory);
    }
}
