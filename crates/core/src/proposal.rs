//! Test cases that the grammar of the input added to a package.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::serial::Location;
use crate::units::Bytes;

/// The result of `juror generate --from-grammar`.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proposal {
    #[serde_as(as = "Location")]
    pub grammar: PathBuf,
    pub seed: u64,
    /// The cases that are new, from small to large.
    pub cases: Vec<ProposedCase>,
    /// Inputs that already exist.
    pub equal: Vec<EqualInput>,
    /// Inputs that were left out because they are too large: the options of `juror grammar generate` that print them.
    pub too_large: Vec<String>,
    /// How many existing cases were added to the recipe.
    #[serde(rename = "adopted")]
    pub imported: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProposedCase {
    /// The path below `data/`, without extension.
    #[serde(rename = "test_case")]
    pub name: String,
    /// What it is for.
    pub description: String,
    #[serde(rename = "bytes")]
    pub size: Bytes,
}

/// An input that is not new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EqualInput {
    /// The name that it would have.
    pub name: String,
    /// The case that has it.
    pub same_as: String,
}
