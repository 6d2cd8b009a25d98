//! The default output validator of the standard format, and comparisons by name: is an output right, and if not, where does it differ?
//!
//! [`compare`](compare::compare) reads the judge answer and the output through windows that hold most of them whole,
//! and returns the first [`Difference`](crate::difference::Difference), if any. [`diff`](diff::diff) then reads
//! the lines around it again, for people; [`show`] describes it in words. [`named`] has the comparisons that a user
//! chooses by name.
//!
//! Source: problem package format 2025-09, "Default output validator specification".

mod bytes;
pub mod compare;
pub mod diff;
mod excerpt;
pub mod float;
pub mod integers;
mod lines;
pub mod named;
pub mod options;
pub mod show;
mod text;
mod token;
mod windows;

#[cfg(test)]
mod tests;
