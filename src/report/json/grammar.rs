//! What is said of a grammar.

use serde::Serialize;

use crate::model::grammar::{Bound, ValueBounds};

#[derive(Default, Serialize)]
pub(super) struct WireGrammar {
    pub(super) inputs: Vec<WireInput>,
    pub(super) bounds: Vec<WireBounds>,
}

#[derive(Serialize)]
pub(super) struct WireInput {
    pub(super) path: String,
    pub(super) valid: bool,
}

#[derive(Serialize)]
pub(super) struct WireBounds {
    name: String,
    command: String,
    line: u32,
    column: u32,
    min: WireBound,
    max: WireBound,
    reached: Option<WireReached>,
}

#[derive(Serialize)]
struct WireBound {
    written: String,
    value: Option<String>,
}

#[derive(Serialize)]
struct WireReached {
    values: u64,
    least: Option<String>,
    greatest: Option<String>,
    min: bool,
    max: bool,
}

impl From<&ValueBounds> for WireBounds {
    fn from(bounds: &ValueBounds) -> Self {
        let bound = |bound: &Bound| WireBound {
            written: bound.written.clone(),
            value: bound.value.clone(),
        };
        Self {
            name: bounds.name.clone(),
            command: bounds.command.clone(),
            line: bounds.line,
            column: bounds.column,
            min: bound(&bounds.min),
            max: bound(&bounds.max),
            reached: bounds.reached.as_ref().map(|reached| WireReached {
                values: reached.values,
                least: reached.least.clone(),
                greatest: reached.greatest.clone(),
                min: reached.min,
                max: reached.max,
            }),
        }
    }
}
