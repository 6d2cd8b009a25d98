//! Jobs on other machines: a worker reads them from a pipe and writes back their results.
//!
//! Any command that connects to a machine makes the pipe, such as `ssh host juror worker --stdio`. Both sides begin
//! with a line that names the protocol, the version of juror and the rules by which programs are run. Frames follow.
//!
//! | part | what it does |
//! |---|---|
//! | `frame` | bytes ⇄ frames: a length, a head, and further bytes |
//! | `message` | the messages of both sides |
//! | `packing` | how the blobs of jobs and replies travel |
//! | `incoming` | blobs that arrive in pieces, and what a worker stores |
//! | `worker_side` | a worker's view of the pipe: bytes in, work and answers out |
//! | `serve` | a worker's threads |
//! | `judge_side` | the judge's view: bytes in, results out |
//! | `link` | one worker: its command and its threads |
//! | `state` | several workers: the requests to each, and whether it is still there |
//! | `tools` | the tools of the workers |
//! | `workers` | all of them as one executor |
//! | `suite` | what holds for every executor, for whoever writes another one |
//! | `fuzz` | entry points for fuzz targets, with `--cfg fuzzing` |
//!
//! The pipe carries no path to open. A job shows trees, which the worker writes where it likes, and tools, which the
//! worker has found itself.

#![forbid(unsafe_code)]

pub mod frame;
#[cfg(fuzzing)]
pub mod fuzz;
mod incoming;
mod judge_side;
pub mod link;
pub mod message;
mod packing;
pub mod serve;
pub mod state;
pub mod suite;
#[cfg(test)]
mod tests;
mod tools;
mod worker_side;
pub mod workers;
