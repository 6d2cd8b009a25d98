//! Test cases that were added to a package from the grammar of its input.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;

use crate::model::serial::Location;
use crate::model::units::Bytes;

/// The result.
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// The grammar.
    #[serde_as(as = "Location")]
    pub grammar: PathBuf,
    /// The random seed.
    pub seed: u64,
    /// The cases that are new, from small to large.
    pub cases: Vec<ProposedCase>,
    /// Inputs that already exist.
    pub equal: Vec<EqualInput>,
    /// Inputs that were left out for their size: the options of `juror grammar generate` that print them.
    pub too_large: Vec<String>,
    /// How many existing cases were added to the recipe.
    #[serde(rename = "adopted")]
    pub imported: usize,
}

/// A new case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedCase {
    /// The path below `data/`, without extension.
    #[serde(rename = "test_case")]
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Of the input.
    #[serde(rename = "bytes")]
    pub size: Bytes,
}

/// An input that is not new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EqualInput {
    /// The name it would have had.
    pub name: String,
    /// The case that has it.
    pub same_as: String,
}
