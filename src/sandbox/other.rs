//! Systems that have no way to keep programs apart that juror knows: all but Linux.

use std::env;
use std::thread;

use crate::model::host::{
    BestMode, CgroupFacts, HostFacts, NamespaceSettings, Processors, TriedMode,
};
use crate::model::isolation::{Demand, Isolation};
use crate::model::judgement::JudgeError;
use crate::model::outcome::Mechanism;
use crate::model::units::Bytes;
use crate::sandbox::disk::temporary;
use crate::sandbox::pace::calibrate;
use crate::sandbox::plain;
use crate::sandbox::slot::{Backend, CoreId, Slot};
use crate::sandbox::trial::try_out;

/// What this machine offers: to run programs plainly.
#[derive(Clone, Debug)]
pub struct Host(());

impl Host {
    /// This machine, if what is demanded can be had.
    ///
    /// # Errors
    /// When programs have to be kept apart, or cannot be run at all.
    pub fn find(demand: Demand) -> Result<Self, JudgeError> {
        Self::look()?.first_slot(demand, None).map(|(host, _)| host)
    }

    /// There is nothing to look at here.
    pub(crate) fn look() -> Result<Self, JudgeError> {
        Ok(Self(()))
    }

    /// This machine, if what is demanded can be had, and the slot in which that was tried out.
    pub(crate) fn first_slot(
        &self,
        demand: Demand,
        core: Option<CoreId>,
    ) -> Result<(Self, Slot), JudgeError> {
        match demand {
            Demand::Full => Err(nothing_else()
                .help("run juror on Linux; --isolation=plain isolates nothing: programs can do whatever you can")),
            Demand::Any | Demand::Plain => Ok((self.clone(), try_out(self, core)?)),
        }
    }

    /// There is only one way, so there is nothing to remember.
    pub(crate) fn signs(&self) -> Option<String> {
        None
    }

    /// What was found out by trying.
    pub(crate) fn best(&self) -> BestMode {
        BestMode { isolation: Isolation::Plain, refused: Vec::new() }
    }

    /// The same machine.
    pub(crate) fn with_best(&self, _: BestMode) -> Self {
        self.clone()
    }

    /// A slot in which it was tried out that programs run.
    pub(crate) fn tried_slot(&self, core: Option<CoreId>) -> Result<Slot, JudgeError> {
        try_out(self, core)
    }

    /// What this machine offers, with programs kept apart in this one way.
    ///
    /// # Errors
    /// When that does not work here.
    pub fn at(isolation: Isolation) -> Result<Self, JudgeError> {
        if isolation != Isolation::Plain {
            return Err(nothing_else());
        }
        let host = Self(());
        try_out(&host, None)?;
        Ok(host)
    }

    /// Finds out what this machine offers; takes some hundreds of milliseconds.
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
            modes: vec![TriedMode {
                isolation: Isolation::Plain,
                fault: Self::at(Isolation::Plain).err(),
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
            processors: Processors { logical: processors, physical: processors, load: None },
            calibration: calibrate(processors),
            temporary: temporary(env::temp_dir()),
        })
    }

    /// What measures programs.
    pub fn mechanism(&self) -> Mechanism {
        plain::MECHANISM
    }

    /// What keeps programs apart.
    pub fn isolation(&self) -> Isolation {
        Isolation::Plain
    }

    /// The ways to keep programs apart that are stronger, and why each cannot be had: there are none here.
    pub fn refused(&self) -> &[TriedMode] {
        &[]
    }

    /// What nothing holds, one line each.
    pub fn gaps(&self) -> Vec<String> {
        plain::gaps()
    }

    /// The processors that this process may use; which of them are threads of one core is not known.
    pub fn physical_cores(&self) -> Vec<CoreId> {
        (0..processors()).map(CoreId).collect()
    }

    /// How many runs may go on at once without one being able to spoil another: that is for the processors to
    /// say.
    pub fn most_at_once(&self) -> Option<usize> {
        None
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn nothing_else() -> JudgeError {
    JudgeError::new(
        "isolate programs",
        format!("juror knows no way to do that on {}", env::consts::OS),
    )
}

/// Makes a slot. Programs cannot be kept on a core.
pub(super) fn start(_: &Host, _: Option<CoreId>) -> Result<Box<dyn Backend>, JudgeError> {
    plain::start()
}

/// Nothing is known of the sizes of pipes here.
pub(super) fn is_small(_: &std::os::fd::OwnedFd) -> bool {
    false
}

/// No slot has a process of its own here.
pub(super) fn beside(_: i32) -> Option<()> {
    None
}
