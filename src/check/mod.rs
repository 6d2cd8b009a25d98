//! Is this output right? The default output validator of the standard format, and what to say of a wrong output.
//!
//! [`compare`](compare::compare) reads the judge answer and the output through windows that hold most of
//! them whole, and gives the first [`Difference`](crate::model::difference::Difference) or none.
//! [`diff`](diff::diff) then reads the lines around it again, for a person; [`show`] puts it in words.
//!
//! Source: problem package format 2025-09, "Default output validator specification".

mod bytes;
pub mod compare;
pub mod diff;
mod excerpt;
pub mod float;
pub mod integers;
mod lines;
pub mod options;
pub mod show;
mod text;
mod token;

#[cfg(test)]
mod tests;
