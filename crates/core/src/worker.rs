//! Workers on other machines: what a cache must know about them, and what they did.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
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

/// Workers whose results are the same for a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerKind {
    /// The command that connects to them: nobody else's results count as theirs.
    pub command: String,
    /// What measures and limits runs there.
    pub mechanism: String,
    pub identity: MachineIdentity,
    /// Identifies the files of each tool there, by the paths that jobs name.
    pub tools: BTreeMap<PathBuf, Digest>,
    /// Their names in results.
    pub workers: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
