//! The result of converting a package to another format.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_with::serde_as;

use crate::model::serial::Location;

/// A package that was written in another format.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conversion {
    /// The format that it is in.
    pub from: &'static str,
    /// The format of the new package, as the command line names it.
    pub to: &'static str,
    /// The new package.
    #[serde_as(as = "Location")]
    pub path: PathBuf,
    /// How many files it has.
    pub files: usize,
    /// What had no equivalent.
    pub losses: Vec<Loss>,
}

/// One thing that had no equivalent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Loss {
    /// Where it is in the new package, or was in the old one.
    pub place: String,
    /// The number of other places with the same loss.
    pub more: usize,
    /// What it is.
    pub what: String,
    /// What it became; `None` if it is left out.
    pub became: Option<String>,
}
