//! The grammar of an input, in the language checktestdata: reads it, checks inputs with it, writes inputs from it,
//! lists their bounds, and shrinks inputs.
//!
//! One text serves for all of this, because one interpreter ([`run`](self)) does all of it through a port: an input
//! that is read, or one that is written. So every written input is also accepted.
//!
//! Source: the language's specification, which is in the public domain. `docs/grammar.md` lists juror's decisions on
//! open points.

#![forbid(unsafe_code)]

mod arithmetic;
pub mod ast;
pub mod bounds;
pub mod bytes;
pub mod chance;
pub mod compile;
mod dependents;
mod draw;
pub mod enumerate;
mod eval;
mod first;
mod float;
pub mod generate;
mod input;
pub mod misread;
pub mod number;
mod parse;
pub mod pattern;
mod port;
pub mod program;
mod ranges;
mod read;
pub mod reduce;
mod run;
pub mod shape;
pub mod shrink;
pub mod source;
mod strings;
mod token;
pub mod tree;
mod tuples;
pub mod validate;
pub mod value;
pub mod value_bounds;
mod variable_values;
pub mod variables;
pub mod vary;
pub mod wanted_bounds;
pub mod work;
mod write;

#[cfg(test)]
mod tests;
