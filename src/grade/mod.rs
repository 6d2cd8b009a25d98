//! A stream of submissions, one JSON line each: the keys of a line and its result, and the file of results.
//!
//! Memory does not grow with the length of the stream, except by two numbers for each line that an earlier start has
//! finished. Lines are read when there is work for them, and results leave as soon as they are there.

pub mod asserts;
pub mod call;
pub mod checker;
pub mod data_sets;
pub mod extract;
pub mod fault;
pub mod graded;
pub mod kept;
pub mod kept_line;
pub mod line;
pub mod map;
pub mod rates;
pub mod reader;
mod request;
pub mod results;
pub mod settings;
pub mod source;
pub mod stream;
mod text;
mod unpack;
