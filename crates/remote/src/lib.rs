//! Jobs on other machines: a worker reads them from a pipe and writes back their results.
//!
//! Any command that connects to a machine makes the pipe, such as `ssh host juror worker --stdio`. Both sides begin
//! with a line that names the protocol, the version of juror and the rules by which programs are run. Frames follow.
//!
//! ```
//! use std::time::Duration;
//! use std::{io, thread};
//!
//! use juror_core::language::toolchain::Toolchains;
//! use juror_core::isolation::Isolation;
//! use juror_core::job::Job;
//! use juror_core::outcome::Ending;
//! use juror_remote::link::{WorkerPipes, WorkerProcess};
//! use juror_remote::message::WorkerFacts;
//! use juror_remote::{serve::serve, workers::Workers};
//! use juror_sandbox::executor::{Executor, local::LocalExecutor};
//! use juror_sandbox::sandbox::Machine;
//!
//! // The worker. Usually it is `juror worker --stdio` on another machine.
//! let executor = LocalExecutor::start(Some(1), Default::default())?;
//! let facts = WorkerFacts {
//!     name: "near".to_owned(),
//!     boot: "1".to_owned(),
//!     isolation: Isolation::Namespaces,
//!     shortfall: None,
//!     mechanism: executor.mechanism(),
//!     slots: 1,
//!     queue: 1,
//!     pace: Duration::from_millis(1),
//!     identity: None,
//! };
//! let ((input, to_worker), (output, from_worker)) = (io::pipe()?, io::pipe()?);
//! thread::spawn(move || {
//!     let tools = Toolchains::new(Box::new(Machine));
//!     serve(facts, &executor, &tools, &|_| None, input, from_worker, &|| ())
//! });
//!
//! // The judge: an executor like any other.
//! let process = WorkerProcess::default();
//! let pipes = WorkerPipes { output: Box::new(output), input: to_worker.into(), process, again: None };
//! let workers = Workers::connect(vec![("near".to_owned(), pipes)], None, |_| Ok(()))?;
//! let mut job = Job::default();
//! job.command.argv = ["/bin/sh", "-c", "exit 7"].map(str::to_owned).to_vec();
//! let outcome = workers.run_job(&job)?.outcome;
//! assert_eq!((outcome.ending, outcome.worker.as_deref()), (Ending::Exited(7), Some("near")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! It makes no connections and protects none: that is for the command that makes the pipe. Items follow the needs of
//! juror, and change with it.
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
