//! How much of what they should refuse the programs of a package do refuse.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How strict a validator is, measured by faults that it was given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Strictness {
    /// Kinds of faults that were tried.
    pub faults: u64,
    /// Those that are always refused.
    pub refused: u64,
    /// Those that are not, each with one input or output.
    pub let_through: Vec<LetThrough>,
    /// How faults are known to be faults, in words.
    pub oracle: String,
    /// Right outputs beside the judge answers that were tried.
    pub alternatives: u64,
    /// Those of them that are refused all the same, each with its submission and test case.
    pub refused_alternatives: Vec<String>,
    /// Why nothing was tried, or what is missing for more.
    pub missing: Option<String>,
}

/// A fault that is not refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LetThrough {
    /// What is wrong, such as `a tab between words`.
    pub fault: String,
    /// The test case that it was made of.
    pub on: String,
    /// The input or output with the fault, cut if it is long.
    pub text: String,
    /// All of it.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

impl LetThrough {
    /// A fault with its text.
    pub fn new(fault: impl Into<String>, on: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { fault: fault.into(), on: on.into(), text: start(&bytes), bytes }
    }
}

/// The start of a text.
pub fn start(bytes: &[u8]) -> String {
    const LONGEST: usize = 400;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    let more = if bytes.len() > LONGEST { "…" } else { "" };
    format!("{text}{more}")
}

impl Strictness {
    /// Nothing was tried, for this reason.
    pub fn untried(missing: &str) -> Self {
        Self { missing: Some(missing.to_owned()), ..Self::default() }
    }

    /// Counts a fault, and adds it if it was let through.
    pub fn add(&mut self, let_through: Option<LetThrough>) {
        self.faults += 1;
        match let_through {
            None => self.refused += 1,
            Some(it) => self.let_through.push(it),
        }
    }
}
