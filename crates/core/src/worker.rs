//! The work of a worker on another machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::isolation::Isolation;

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
