//! How many programs did not start, because their results were known.

use serde::{Deserialize, Serialize};

use crate::moment::Moment;

/// The work that a cache saved a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheUse {
    /// Programs that were started: compilers, submissions, validators and all others.
    pub started: usize,
    /// Programs that were not started, because earlier results are still valid.
    pub recalled: usize,
    /// When the first of the recalled ones ran.
    pub oldest: Option<Moment>,
}

impl CacheUse {
    pub fn plus(self, other: Self) -> Self {
        Self {
            started: self.started + other.started,
            recalled: self.recalled + other.recalled,
            oldest: [self.oldest, other.oldest].into_iter().flatten().min(),
        }
    }
}
