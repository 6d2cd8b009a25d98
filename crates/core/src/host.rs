//! What a machine offers: facts found by looking and trying, without conclusions.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::isolation::Isolation;
use crate::judgement::JudgeError;
use crate::outcome::Meter;
use crate::serial::Location;
use crate::units::Bytes;

/// The results of `juror doctor`, written as a document with its own keys (`docs/doctor.md`).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnosis {
    /// What is known about this machine.
    #[serde(rename = "host")]
    pub facts: HostFacts,
    pub tools: Vec<ToolFact>,
    /// The isolation that will be used.
    #[serde(rename = "best_isolation")]
    pub chosen: Option<Isolation>,
    /// The conclusions, the most important first.
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostFacts {
    /// The system's own name, such as `Linux` or `FreeBSD`.
    pub system: String,
    /// The kernel's release, such as `6.12.30-amd64`.
    pub kernel: String,
    /// The effective user number of this process.
    pub user: u32,
    /// Whether this process may make mounts and namespaces and change its user.
    pub administrator: bool,
    /// Each isolation method as it was tried, the strongest first.
    #[serde(rename = "ways")]
    pub modes: Vec<TriedIsolation>,
    /// What is not enforced, one line each, if the system cannot isolate programs.
    pub gaps: Vec<String>,
    /// The version of landlock's interface, if the kernel has it.
    pub landlock: Option<u32>,
    /// The kind of container, such as `docker`, if it can be recognized.
    pub container: Option<String>,
    /// Whether the machine was started by systemd.
    pub systemd: bool,
    /// The settings of the kernel that decide about namespaces, as far as it has them.
    #[serde(flatten)]
    pub settings: NamespaceSettings,
    #[serde(flatten)]
    pub cgroups: CgroupFacts,
    /// What will measure CPU time.
    pub cpu_meter: Meter,
    /// What will measure memory.
    pub memory_meter: Meter,
    #[serde(flatten)]
    pub processors: Processors,
    /// How even times are.
    #[serde(flatten)]
    pub calibration: Calibration,
    #[serde(rename = "stack_limit_bytes")]
    pub stack_limit: Option<Bytes>,
    /// The least memory limit of the control groups that juror itself is in, if there is one.
    #[serde(rename = "memory_limit_bytes")]
    pub memory_limit: Option<Bytes>,
    /// The most processes that juror may start, by the control groups that it is in and its own limit.
    pub process_limit: Option<u64>,
    /// Where programs are built and data is made.
    #[serde(flatten)]
    pub temporary: TemporaryDirectory,
}

/// An isolation method, and the result of trying it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TriedIsolation {
    #[serde(rename = "by")]
    pub isolation: Isolation,
    /// Why it does not work; `None` if a program ran in it.
    pub fault: Option<JudgeError>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamespaceSettings {
    /// `kernel.unprivileged_userns_clone`, of Debian's kernels: 0 forbids user namespaces to users.
    #[serde(rename = "unprivileged_userns_clone")]
    pub unprivileged_clone: Option<u64>,
    /// `user.max_user_namespaces`.
    #[serde(rename = "max_user_namespaces")]
    pub most: Option<u64>,
    /// `kernel.apparmor_restrict_unprivileged_userns`, of Ubuntu's kernels: 1 takes all rights away
    /// within user namespaces.
    #[serde(rename = "apparmor_restrict_unprivileged_userns")]
    pub apparmor_restricts: Option<u64>,
}

/// What is known about control groups.
#[serde_as]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CgroupFacts {
    /// Where version 2 is mounted.
    #[serde_as(as = "Option<Location>")]
    #[serde(rename = "cgroup2")]
    pub version2: Option<PathBuf>,
    /// The controllers of version 2 that the machine hands to its first group.
    #[serde(rename = "cgroup2_controllers")]
    pub controllers2: Vec<String>,
    /// The group of version 2 in which juror makes groups, if it can.
    #[serde_as(as = "Option<Location>")]
    #[serde(rename = "cgroup2_usable")]
    pub usable2: Option<PathBuf>,
    /// The controllers of version 1 that are mounted.
    #[serde(rename = "cgroup1_controllers")]
    pub controllers1: Vec<String>,
    /// Those of version 1 in which juror makes groups.
    #[serde(rename = "cgroup1_usable")]
    pub usable1: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Processors {
    /// How many this process may use, threads of one core counted apart.
    #[serde(rename = "logical_processors")]
    pub logical: usize,
    /// How many cores those are.
    #[serde(rename = "physical_cores")]
    pub physical: usize,
    /// How many processes wanted to run during the last minute; `None` if it is not known.
    pub load: Option<f64>,
}

/// How much times vary, measured with a fixed piece of work.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Calibration {
    /// By which part nine of ten times exceed the least, at most.
    pub pace_noise: f64,
    /// The governor of the processors' frequency, such as `powersave`; `None` if the system does not tell.
    pub frequency_governor: Option<String>,
}

/// Where programs are built and data is made.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TemporaryDirectory {
    #[serde_as(as = "Location")]
    #[serde(rename = "temporary_directory")]
    pub path: PathBuf,
    /// Room for files of this user; `None` if it cannot be used.
    #[serde(rename = "temporary_free_bytes")]
    pub free: Option<Bytes>,
    /// Why it cannot be used.
    #[serde(rename = "temporary_fault")]
    pub fault: Option<String>,
    /// Whether it is mounted so that no program can be started there.
    #[serde(rename = "temporary_noexec")]
    pub is_noexec: bool,
}

/// A tool for a language, and whether it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolFact {
    /// Its usual name, such as `g++`.
    pub name: String,
    /// The tool, if it was found.
    pub found: Option<InstalledTool>,
    /// What to do if it was not found.
    pub help: Option<String>,
}

#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstalledTool {
    /// Its path, behind all wrappers.
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    pub version: String,
}

/// A conclusion from facts about a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// What it is about, such as `isolation`.
    pub subject: &'static str,
    pub grade: FindingRating,
    pub text: String,
    pub advice: Option<String>,
    pub command: Option<String>,
}

/// What to do, and the command for it, if there is one.
pub type Advice = (String, Option<String>);

impl Finding {
    #[must_use]
    pub fn with_advice(self, advice: Option<Advice>) -> Self {
        let (advice, command) = advice.unzip();
        Self { advice, command: command.flatten(), ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FindingRating {
    Good,
    /// It works, but less well than it could.
    Weak,
    Missing,
}
