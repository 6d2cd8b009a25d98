//! Parts of a command's work that are done separately.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One of several parts of a command's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shard {
    /// Which one, from 1.
    pub index: u32,
    pub count: u32,
}

impl Shard {
    /// Whether the shard includes the unit of work with this index.
    pub const fn contains(self, unit: usize) -> bool {
        unit % self.count as usize == self.index as usize - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}
