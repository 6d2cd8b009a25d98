//! Facts about a grammar: the bounds of what it reads, and which of them inputs reach.

use serde::Serialize;

/// The bounds of a value that a grammar reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ValueBounds {
    /// The variable as written, such as `a[i]`; without one the command.
    pub name: String,
    /// The command that reads it, as written.
    pub command: String,
    /// Where it stands, from 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// The least value that is allowed.
    pub min: ValueBound,
    /// The greatest value that is allowed.
    pub max: ValueBound,
    /// What inputs have there, if there were inputs.
    pub reached: Option<ReachedValues>,
}

/// One bound of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ValueBound {
    /// The expression in the grammar.
    pub written: String,
    /// Its outermost value; `None` if that is unknown.
    pub value: Option<String>,
}

/// Fixes a value at its bound, wherever it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// An index in `Grammar::sites`.
    pub site: usize,
    pub side: BoundSide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundSide {
    Least,
    Most,
}

/// The values that inputs have at a place of the grammar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReachedValues {
    /// How many values were read.
    pub values: u64,
    /// The least of them.
    pub least: Option<String>,
    /// The greatest of them.
    pub greatest: Option<String>,
    /// Whether one was as small as allowed where it stood.
    pub min: bool,
    /// Whether one was as large as allowed where it stood.
    pub max: bool,
}

impl ValueBounds {
    /// The bounds that no input reaches, in words: `never 100`; `None` if all are reached or no input was read.
    pub fn missed_bounds(&self) -> Option<String> {
        let reached = self.reached.as_ref()?;
        let shown =
            |bound: &ValueBound| bound.value.clone().unwrap_or_else(|| bound.written.clone());
        match (reached.min, reached.max) {
            _ if reached.values == 0 => Some("never read".to_owned()),
            (true, true) => None,
            (false, true) => Some(format!("never {}", shown(&self.min))),
            (true, false) => Some(format!("never {}", shown(&self.max))),
            (false, false) => {
                Some(format!("never {}, never {}", shown(&self.min), shown(&self.max)))
            }
        }
    }
}
