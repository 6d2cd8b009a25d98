//! Jobs on other machines: a worker reads them from a pipe and writes back their results.
//!
//! Any command that connects to a machine makes the pipe, such as `ssh host juror worker --stdio`. Both sides begin with
//! a line that names the protocol, the version of juror and the rules by which programs are run. Frames follow.
//!
//! | part | what it does |
//! |---|---|
//! | `frame` | bytes ⇄ frames: a length, a head, and bytes behind it |
//! | `message` | what both sides say |
//! | `parcel` | jobs and replies, with blobs beside them |
//! | `arrival` | bytes that come in pieces, and what a worker keeps of them |
//! | `desk` | a worker's view of the pipe: bytes in, work and answers out |
//! | `serve` | a worker's threads |
//! | `line` | the other view: bytes in, results out |
//! | `link` | one worker: its command and its threads |
//! | `seats` | several workers: what each was asked for, whether it is still there |
//! | `station` | several workers behind one address, as the others see them |
//! | `request`, `elsewhere` | what is asked of them: jobs, and tools |
//! | `crew` | all of them as one executor |
//! | `nats` | the same jobs and results through a server that keeps them (with the feature `nats`) |
//!
//! No path that is opened comes through the pipe: a job shows trees, which the worker puts where it likes, and tools,
//! which the worker has found itself.

mod arrival;
pub mod crew;
mod desk;
mod elsewhere;
mod frame;
mod line;
pub mod link;
pub mod message;
#[cfg(feature = "nats")]
pub mod nats;
pub mod parcel;
mod request;
mod seats;
pub mod serve;
pub mod station;
#[cfg(test)]
mod tests;
