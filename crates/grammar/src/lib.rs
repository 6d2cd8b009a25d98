#![doc = include_str!("../README.md")]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod arithmetic;
#[doc(hidden)]
pub mod ast;
#[doc(hidden)]
pub mod bounds;
#[doc(hidden)]
pub mod bytes;
#[doc(hidden)]
pub mod chance;
#[doc(hidden)]
pub mod compile;
mod compiler;
mod dependents;
mod door;
mod draw;
#[doc(hidden)]
pub mod enumerate;
mod eval;
mod first;
mod float;
#[doc(hidden)]
pub mod generate;
mod graph;
mod input;
#[doc(hidden)]
pub mod misread;
#[doc(hidden)]
pub mod number;
mod parse;
#[doc(hidden)]
pub mod pattern;
mod port;
#[doc(hidden)]
pub mod program;
mod ranges;
mod read;
#[doc(hidden)]
pub mod reduce;
mod run;
#[doc(hidden)]
pub mod shape;
#[doc(hidden)]
pub mod shrink;
#[doc(hidden)]
pub mod source;
mod strings;
mod sum_limit;
mod token;
#[doc(hidden)]
pub mod tree;
mod tuples;
#[doc(hidden)]
pub mod validate;
#[doc(hidden)]
pub mod value;
#[doc(hidden)]
pub mod value_bounds;
mod variable_values;
#[doc(hidden)]
pub mod variables;
#[doc(hidden)]
pub mod vary;
#[doc(hidden)]
pub mod wanted_bounds;
#[doc(hidden)]
pub mod work;
mod write;

pub use compile::{ParsedGrammar, parse_grammar};
pub use juror_core::diagnostic::{Diagnostic, Severity, SourcePlace, TextPosition};
pub use program::Grammar;
pub use shape::Shape;
pub use validate::Error;
pub use value_bounds::{ReachedValues, ValueBound, ValueBounds};

#[cfg(test)]
mod tests;
