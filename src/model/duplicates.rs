//! Submissions that are the same program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Submissions that are the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Duplicates {
    /// How much they have in common.
    pub likeness: Likeness,
    /// Their names, in the order of judging.
    pub submissions: Vec<String>,
}

/// What submissions have in common.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Likeness {
    /// The whole text.
    Text,
    /// The text without spaces and comments.
    Code,
}

impl Likeness {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "the same text",
            Self::Code => "the same but for spaces and comments",
        }
    }
}
