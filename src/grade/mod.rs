//! A stream of submissions, a JSON line for each: what a line may say, what its result says, and which lines are done.
//!
//! Nothing here grows with the length of the stream: lines are read when there is work for them, results leave when
//! they are there, and of lines that an earlier start has done a number for a thousand of them is kept.

pub mod done;
pub mod graded;
pub mod journal;
pub mod line;
pub mod map;
pub mod reader;
pub mod shape;
pub mod stream;
