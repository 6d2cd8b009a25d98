//! Jobs on other machines: a worker reads them from a pipe and writes back their results.
//!
//! Any command that connects to a machine makes the pipe, such as `ssh host juror worker --stdio`. Both sides begin with
//! a line that names the protocol, the version of juror and the rules by which programs are run. Frames follow.
//!
//! | part | what it does |
//! |---|---|
//! | `frame` | bytes ⇄ frames: a length, a head, and bytes behind it |
//! | `message` | what both sides say |
//! | `packing` | jobs and replies, with blobs beside them |
//! | `incoming` | bytes that come in pieces, and what a worker keeps of them |
//! | `worker_side` | a worker's view of the pipe: bytes in, work and answers out |
//! | `serve` | a worker's threads |
//! | `judge_side` | the other view: bytes in, results out |
//! | `link` | one worker: its command and its threads |
//! | `state` | several workers: what each was asked for, whether it is still there |
//! | `group` | several workers behind one address, as the others see them |
//! | `request`, `tools` | what is asked of them: jobs, and tools |
//! | `workers` | all of them as one executor |
//! | `nats` | the same jobs and results through a server that keeps them (with the feature `nats`) |
//!
//! No path that is opened comes through the pipe: a job shows trees, which the worker puts where it likes, and tools,
//! which the worker has found itself.

mod frame;
pub mod group;
mod incoming;
mod judge_side;
pub mod link;
pub mod message;
#[cfg(feature = "nats")]
pub mod nats;
pub mod packing;
mod request;
pub mod serve;
mod state;
#[cfg(test)]
mod tests;
mod tools;
mod worker_side;
pub mod workers;
