//! Submissions that are the same program.

use serde::{Deserialize, Serialize};

use crate::words::words;

/// Submissions that are the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Duplicates {
    /// How much they have in common.
    pub likeness: Likeness,
    /// Their names, in the order of judging.
    pub submissions: Vec<String>,
}

words! {
    /// What submissions have in common.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum Likeness {
        /// The whole text.
        Text = "the same text",
        /// The text without spaces and comments.
        Code = "the same but for spaces and comments",
    }
}
