//! Tests of the comparison as a whole.

mod laws;
mod rules;
