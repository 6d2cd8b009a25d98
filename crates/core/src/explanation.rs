//! Why a submission fails: a statement about inputs, and the figures that support it.

use serde::{Deserialize, Serialize};

/// Why a submission fails, if that was found out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplanationResult {
    pub package: Option<String>,
    pub submission: String,
    /// The explanation; `None` if no simple one was found.
    pub explanation: Option<Explanation>,
    /// How many inputs were compared for it.
    pub runs: u64,
    /// Whether the time was up.
    pub cut: bool,
}

/// A statement that separates the inputs on which a submission fails from the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// How exact it is.
    pub kind: ExplanationKind,
    /// The statement, in words that follow `if`.
    pub statement: String,
    /// What the other inputs have in common, in words that follow `if`.
    pub otherwise: Option<String>,
    /// Fresh inputs for which the statement holds.
    pub with: FailureCount,
    /// Fresh inputs for which it does not.
    pub without: FailureCount,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExplanationKind {
    /// Exactly the inputs for which it holds fail.
    Exactly,
    /// Only inputs for which it holds fail.
    OnlyIf,
}

/// How many fresh inputs fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailureCount {
    /// How many of them fail.
    pub failing: u64,
    /// How many there were.
    pub inputs: u64,
}

impl Explanation {
    /// The statement with its figures, as a sentence without subject.
    pub fn sentence(&self) -> String {
        let Self { kind, statement, otherwise, with, without } = self;
        let with = format!("{} of {} inputs", with.failing, with.inputs);
        let without = format!("{} of {}", without.failing, without.inputs);
        match (kind, otherwise) {
            (ExplanationKind::Exactly, Some(otherwise)) => {
                format!("fails on {with} if {statement}, on {without} if {otherwise}")
            }
            (ExplanationKind::Exactly, None) => {
                format!("fails on {with} if {statement}, on {without} others")
            }
            (ExplanationKind::OnlyIf, _) => {
                format!("fails only if {statement}: on {with}, and on {without} others")
            }
        }
    }
}
