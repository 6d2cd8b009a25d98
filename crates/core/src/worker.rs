//! Workers on other machines: what a cache must know about them, and what they did.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::blob::Digest;
use crate::isolation::Isolation;

/// What programs notice of a machine besides their jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineIdentity {
    /// Identifies programs and libraries of the system.
    pub system: Digest,
    /// Identifies processor and kernel.
    pub hardware: Digest,
}

/// A machine that runs jobs for this process. A worker cannot choose it, as it chooses its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerId {
    pub connection: usize,
    /// The place of the machine among those behind the connection; 0 if it is the only one.
    pub member: usize,
}

/// Workers whose results are the same for a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerKind {
    /// The command that connects to them, with the files here that it names: nobody else's results count as theirs.
    pub command: String,
    /// What measures and limits runs there.
    pub mechanism: String,
    pub identity: MachineIdentity,
    /// Identifies the files of each tool there, by the paths that jobs name.
    pub tools: BTreeMap<PathBuf, Digest>,
    pub workers: Vec<WorkerId>,
}

impl WorkerKind {
    pub fn has_same_results_as(&self, other: &Self) -> bool {
        let facts = |kind: &Self| Self { workers: Vec::new(), ..kind.clone() };
        facts(self) == facts(other)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkerReport {
    /// The machine's name; if it was never ready, the command that connects to it.
    pub name: String,
    /// What keeps programs apart there.
    pub isolation: Option<Isolation>,
    /// How many programs run there at once; 0 if it was lost before it reported this.
    pub slots: usize,
    /// How many programs it ran: compilers, submissions, validators and all others.
    pub programs: usize,
    /// Why it was given up, if it was.
    pub lost: Option<String>,
}
