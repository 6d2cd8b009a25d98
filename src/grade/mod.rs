//! A stream of submissions, one JSON line each: the keys of a line and its result, and which lines are done.
//!
//! Memory does not grow with the length of the stream, except by one number for a thousand lines that an earlier start
//! has done. Lines are read when there is work for them, and results leave as soon as they are there.

pub mod done;
pub mod graded;
pub mod journal;
pub mod line;
pub mod map;
pub mod reader;
pub mod shape;
pub mod stream;
