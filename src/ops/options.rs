//! Options that several operations have.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::model::grader::Dialect;
use crate::model::isolation::Demand;
use crate::model::limits::ProblemLimits;
use crate::model::shard::Shard;
use crate::model::units::Bytes;

/// The file that `-` names where files are read.
pub const STANDARD_INPUT: &str = "/dev/stdin";

/// Where and how programs run.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// How many programs run at the same time; `None` for one per physical core.
    pub slots: Option<usize>,
    pub isolation: Demand,
    /// The workers that run programs; without any, this machine does.
    pub executors: Vec<WorkerCommand>,
    /// The directory for results of earlier commands; `None` keeps nothing.
    pub cache: Option<PathBuf>,
    /// Whether the user named that directory.
    pub is_cache_named: bool,
    /// Whether earlier results are ignored.
    pub fresh: bool,
}

/// How to reach a worker: `local`, an address, or the command that starts it.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    pub text: String,
    pub words: Vec<String>,
}

impl HostOptions {
    /// The options of the command line that repeats a run: the same isolation and the same place.
    pub fn again(&self) -> Vec<OsString> {
        let name = self.isolation.name();
        let isolation =
            (self.isolation != Demand::default()).then(|| format!("--isolation={name}"));
        let executors = self.executors.iter().map(|worker| format!("--executor={}", worker.text));
        isolation.into_iter().chain(executors).map(OsString::from).collect()
    }
}

/// What to run, and how.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Globs of test cases; without any, all are run.
    pub case: Vec<String>,
    pub host: HostOptions,
    /// CPU time, instead of the package's limit.
    pub time_limit: Option<Duration>,
    /// Instead of the package's limit.
    pub memory_limit: Option<Bytes>,
    pub dialect: Option<Dialect>,
    pub keep: Keep,
    /// The format of the package; `None` if it is to be detected.
    pub format: Option<String>,
    pub shard: Option<Shard>,
}

/// Whether working directories of runs are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    #[default]
    No,
    Anywhere,
    /// In this directory, which is new or empty.
    In(PathBuf),
}

impl RunOptions {
    /// The options of the command line that repeats a run.
    pub fn again(&self) -> Vec<OsString> {
        let memory = self.memory_limit.map(|it| (it.0 >> 20).to_string().into());
        let own = typed([
            ("--time-limit", self.time_limit.map(|it| it.as_secs_f64().to_string().into())),
            ("--memory-limit", memory),
            ("--format", self.format.as_ref().map(OsString::from)),
        ]);
        own.chain(self.host.again()).collect()
    }

    /// Applies the given limits to those of a package. The time limit is handled where it is measured.
    pub fn limit(&self, limits: &mut ProblemLimits) {
        limits.memory = self.memory_limit.or(limits.memory);
    }
}

/// The words of these options, as far as they have a value.
pub fn typed<const N: usize>(
    options: [(&str, Option<OsString>); N],
) -> impl Iterator<Item = OsString> {
    options.into_iter().filter_map(|(name, value)| Some([name.into(), value?])).flatten()
}
