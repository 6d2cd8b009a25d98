//! Systems other than Linux, for which juror has no isolation method.

use std::env;
use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::thread;

use rustix::process::Resource;

use crate::sandbox::capture::OutputFile;
use crate::sandbox::disk::temporary_facts;
use crate::sandbox::pace::calibrate;
use crate::sandbox::plain;
use crate::sandbox::rlimits::hard_limit;
use crate::sandbox::slot::{Backend, CoreId, Slot};
use crate::sandbox::trial::try_host;
use crate::sandbox::watch::ProgramState;
use juror_core::host::{CgroupFacts, HostFacts, NamespaceSettings, Processors, TriedIsolation};
use juror_core::isolation::{Isolation, RequiredIsolation};
use juror_core::judgement::JudgeError;
use juror_core::outcome::Mechanism;
use juror_core::units::Bytes;

/// A new file for an output. It loses its name before the program starts.
pub(super) fn output_file() -> io::Result<OutputFile> {
    let file = tempfile::NamedTempFile::new()?;
    let program_end = File::options().write(true).open(file.path())?.into();
    Ok(OutputFile { judge_file: file.into_file(), program_end })
}

#[derive(Clone, Debug)]
pub struct Host(());

impl Host {
    /// This machine, if it meets the demand.
    ///
    /// # Errors
    /// If programs must be isolated, or cannot be run at all.
    pub fn find(demand: RequiredIsolation) -> Result<Self, JudgeError> {
        Self::examine()?.first_slot(demand, None).map(|(host, _)| host)
    }

    pub(crate) fn examine() -> Result<Self, JudgeError> {
        Ok(Self(()))
    }

    /// Also returns the slot in which the demand was tried.
    pub(crate) fn first_slot(
        &self,
        demand: RequiredIsolation,
        core: Option<CoreId>,
    ) -> Result<(Self, Slot), JudgeError> {
        match demand {
            RequiredIsolation::Full => Err(isolation_fault()
                .help("run juror on Linux; --isolation=plain isolates nothing: programs can do whatever you can")),
            RequiredIsolation::Any | RequiredIsolation::Plain => Ok((self.clone(), try_host(self, core)?)),
        }
    }

    /// This machine with this isolation method.
    ///
    /// # Errors
    /// If it does not work here.
    pub fn try_isolation(isolation: Isolation) -> Result<Self, JudgeError> {
        if isolation != Isolation::Plain {
            return Err(isolation_fault());
        }
        let host = Self(());
        try_host(&host, None)?;
        Ok(host)
    }

    /// Takes some hundreds of milliseconds.
    ///
    /// # Errors
    /// None here.
    pub fn facts() -> Result<HostFacts, JudgeError> {
        let system = rustix::system::uname();
        let processors = processors();
        let stack = rustix::process::getrlimit(rustix::process::Resource::Stack);
        Ok(HostFacts {
            system: system.sysname().to_string_lossy().into_owned(),
            kernel: system.release().to_string_lossy().into_owned(),
            user: rustix::process::geteuid().as_raw(),
            administrator: false,
            modes: vec![TriedIsolation {
                isolation: Isolation::Plain,
                fault: Self::try_isolation(Isolation::Plain).err(),
            }],
            gaps: plain::gaps(),
            landlock: None,
            settings: NamespaceSettings::default(),
            cgroups: CgroupFacts::default(),
            cpu_meter: plain::MECHANISM.cpu,
            memory_meter: plain::MECHANISM.memory,
            container: None,
            systemd: false,
            stack_limit: stack.maximum.map(Bytes),
            memory_limit: None,
            process_limit: None,
            processors: Processors { logical: processors, physical: processors, load: None },
            calibration: calibrate(),
            temporary: temporary_facts(env::temp_dir()),
        })
    }

    pub fn mechanism(&self) -> Mechanism {
        plain::MECHANISM
    }

    pub fn isolation(&self) -> Isolation {
        Isolation::Plain
    }

    pub fn refused(&self) -> &[TriedIsolation] {
        &[]
    }

    pub fn gaps(&self) -> Vec<String> {
        plain::gaps()
    }

    pub fn physical_cores(&self) -> Vec<CoreId> {
        (0..processors()).map(CoreId).collect()
    }

    pub fn max_simultaneous_runs(&self) -> Option<usize> {
        None
    }
}

/// Without control groups, nothing tells how often the machine was short of something.
#[derive(Debug)]
pub(super) struct EnclosingGroups;

impl EnclosingGroups {
    pub(super) fn find() -> Self {
        Self
    }

    pub(super) fn killed_for_memory(&self) -> u64 {
        0
    }

    pub(super) fn refused_processes(&self) -> u64 {
        0
    }

    pub(super) fn processes_left(&self) -> Option<u64> {
        None
    }
}

/// These systems do not show what a program waits for.
#[derive(Debug)]
pub(super) struct ProgramPipes;

impl ProgramPipes {
    pub(super) fn of(_: BorrowedFd<'_>, _: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) fn observe(&self, _: i32) -> ProgramState {
        ProgramState::Unknown
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn isolation_fault() -> JudgeError {
    JudgeError::new("isolate programs", format!("juror cannot do that on {}", env::consts::OS))
}

/// Programs cannot be pinned to a core.
pub(super) fn start(_: &Host, _: Option<CoreId>) -> Result<Box<dyn Backend>, JudgeError> {
    plain::start()
}

/// Nothing tells who writes to a file.
pub fn dates_show_changes(_: &File) -> bool {
    true
}

/// Programs see all of the machine.
pub fn shown_settings() -> Vec<PathBuf> {
    Vec::new()
}

pub fn inherited_limits() -> Vec<u64> {
    [Resource::Cpu, Resource::Data, Resource::Stack, Resource::As].map(hard_limit).to_vec()
}

pub(super) fn is_small_pipe(_: &std::os::fd::OwnedFd) -> bool {
    false
}

pub(super) fn pin_to_core_of(_: i32) -> Option<()> {
    None
}
