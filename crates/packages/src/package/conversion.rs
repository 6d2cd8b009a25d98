//! What a conversion of a package lost.

use schemars::JsonSchema;
use serde::Serialize;

/// One thing that had no equivalent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Loss {
    /// Where it is in the new package, or was in the old one.
    pub place: String,
    /// The number of other places with the same loss.
    pub more: usize,
    pub what: String,
    /// What it became; `None` if it is left out.
    pub became: Option<String>,
}
