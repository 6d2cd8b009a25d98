//! How much of what a package's programs should refuse they do refuse.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How strict a validator is, measured with faults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Strictness {
    /// Kinds of faults that were tried.
    pub faults: u64,
    /// The kinds of which every fault was refused.
    pub refused: u64,
    /// The kinds of which a fault was accepted, each with an example.
    pub let_through: Vec<AcceptedFault>,
    /// How juror knows that these are faults, in words.
    pub oracle: String,
    /// Right outputs that differ from the judge answers.
    pub alternatives: u64,
    /// The ones of these that were refused, each with its submission and test case.
    pub refused_alternatives: Vec<String>,
    /// Why nothing was tried, or what is missing to try more.
    pub missing: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptedFault {
    /// What is wrong, such as `a tab between words`.
    pub fault: String,
    /// The test case with which it was made.
    pub on: String,
    /// The input or output with the fault, cut if it is long.
    pub text: String,
    /// The whole input or output.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

impl AcceptedFault {
    pub fn new(fault: impl Into<String>, on: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { fault: fault.into(), on: on.into(), text: text_start(&bytes), bytes }
    }
}

pub fn text_start(bytes: &[u8]) -> String {
    const LONGEST: usize = 400;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    let more = if bytes.len() > LONGEST { "…" } else { "" };
    format!("{text}{more}")
}

impl Strictness {
    /// For a validator that could not be tried.
    pub fn untried(missing: &str) -> Self {
        Self { missing: Some(missing.to_owned()), ..Self::default() }
    }

    /// Counts a fault, and records it if it was accepted.
    pub fn add_fault(&mut self, let_through: Option<AcceptedFault>) {
        self.faults += 1;
        match let_through {
            None => self.refused += 1,
            Some(accepted) => self.let_through.push(accepted),
        }
    }
}
