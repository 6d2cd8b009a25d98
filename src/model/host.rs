//! What a machine offers: facts found out by looking and trying. What follows from them comes later.

use std::path::PathBuf;

use crate::model::isolation::Isolation;
use crate::model::judgement::JudgeError;
use crate::model::outcome::Meter;
use crate::model::units::Bytes;

/// What a machine offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFacts {
    /// The system's own name, such as `Linux` or `FreeBSD`.
    pub system: String,
    /// The kernel's release, such as `6.12.30-amd64`.
    pub kernel: String,
    /// The effective user number of this process.
    pub user: u32,
    /// Whether this process may make mounts and namespaces and change its user.
    pub administrator: bool,
    /// Each way to keep programs apart, as it was tried out, the strongest first.
    pub rungs: Vec<Rung>,
    /// What nothing holds, one line each, where the system has no way to keep programs apart.
    pub gaps: Vec<String>,
    /// The version of landlock's interface, where the kernel has it.
    pub landlock: Option<u32>,
    /// The settings of the kernel that decide about namespaces, as far as it has them.
    pub settings: NamespaceSettings,
    /// Control groups.
    pub cgroups: CgroupFacts,
    /// What will measure.
    pub meters: Meters,
    /// The container that this is, such as `docker`, where it says so.
    pub container: Option<String>,
    /// Whether the machine was started by systemd.
    pub systemd: bool,
    /// The hard limit of the stack, where there is one.
    pub stack_limit: Option<Bytes>,
    /// Processors.
    pub processors: Processors,
    /// Where programs are built and data is made.
    pub temporary: Temporary,
}

/// A way to keep programs apart, and what came of trying it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rung {
    /// Which.
    pub isolation: Isolation,
    /// Why it cannot be used; `None` where a program was run in it.
    pub fault: Option<JudgeError>,
}

/// The kernel's settings about namespaces; `None` where it has no such setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamespaceSettings {
    /// `kernel.unprivileged_userns_clone`, of Debian's kernels: 0 forbids user namespaces to users.
    pub unprivileged_clone: Option<u64>,
    /// `user.max_user_namespaces`.
    pub most: Option<u64>,
    /// `kernel.apparmor_restrict_unprivileged_userns`, of Ubuntu's kernels: 1 takes all rights away
    /// within user namespaces.
    pub apparmor_restricts: Option<u64>,
}

/// What is known about control groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CgroupFacts {
    /// Where version 2 is mounted.
    pub version2: Option<PathBuf>,
    /// The controllers of version 2 that the machine hands to its first group.
    pub controllers2: Vec<String>,
    /// The group of version 2 in which juror makes groups, if it can.
    pub usable2: Option<PathBuf>,
    /// The controllers of version 1 that are mounted.
    pub controllers1: Vec<String>,
    /// Those of version 1 in which juror makes groups.
    pub usable1: Vec<String>,
}

/// What will measure runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meters {
    /// CPU time.
    pub cpu: Meter,
    /// Memory.
    pub memory: Meter,
}

/// Processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processors {
    /// How many this process may use, threads of one core counted apart.
    pub logical: usize,
    /// How many cores those are.
    pub physical: usize,
    /// How many processes wanted to run during the last minute, in hundredths; `None` where it is
    /// not known.
    pub load_hundredths: Option<u32>,
}

/// Where programs are built and data is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Temporary {
    /// The directory.
    pub path: PathBuf,
    /// Room for files of this user; the fault in words where it cannot be used.
    pub free: Result<Bytes, String>,
}

/// A tool for a language, as it was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFact {
    /// Its usual name, such as `g++`.
    pub name: String,
    /// What was found; what to do, where nothing was.
    pub found: Result<ToolFound, String>,
}

/// A tool that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFound {
    /// Where it is, behind all wrappers.
    pub path: PathBuf,
    /// Its own word for its version.
    pub version: String,
}

/// What follows from facts about a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How good it is.
    pub grade: Grade,
    /// What it is about, such as `isolation`.
    pub subject: &'static str,
    /// What is so, in one line.
    pub text: String,
    /// What to do, and the command for it, where something can be done.
    pub advice: Option<Advice>,
}

/// How good something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// As it should be.
    Good,
    /// It works, but less well than it could.
    Weak,
    /// It does not work.
    Missing,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// In words: what it gives, and at what price.
    pub text: String,
    /// The command to type, where there is one.
    pub command: Option<String>,
}
