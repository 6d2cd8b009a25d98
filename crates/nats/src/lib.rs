//! Workers of juror behind a NATS server with JetStream. The program `juror-nats` speaks the pipe of `juror worker
//! --stdio` on one side, and stores jobs and results on the server on the other side.
//!
//! | part | what it does |
//! |---|---|
//! | [`address`] | how the user names the server |
//! | [`link`] | the connection: requests that outlive a lost connection |
//! | [`layout`] | names and settings of everything on the server |
//! | [`bucket`] | blobs by digest |
//! | [`presence`] | what workers announce about themselves, and which may work together |
//! | [`mod@unit`] | jobs and results as messages |
//! | [`queue`] | the jobs that wait, and which of them share a unit |
//! | [`pipe`] | threads that read and write the pipe |
//! | [`submit`] | the judge's side: takes jobs from the pipe, and brings their results |
//! | [`work`] | the worker's side: takes jobs from the server, and hands them to a worker |
//! | [`server`] | the files of a server, and its state |
//!
//! A unit is one job or several. It waits on the server until a worker takes it, and stays there until that worker has
//! written its result. If the worker is silent for some seconds, another one gets the unit. A result can be written
//! once. Its subject contains a name that only the worker with the unit can know.
//!
//! Nothing here knows what is in a job: it reads the heads of frames, and passes the rest on.

#![forbid(unsafe_code)]

pub mod address;
pub mod bucket;
pub mod layout;
pub mod link;
pub mod pipe;
pub mod presence;
pub mod queue;
pub mod server;
pub mod submit;
pub mod unit;
pub mod work;

use juror_core::judgement::JudgeError;
use juror_core::text::hex;
use juror_remote::workers::random_bytes;

/// 32 digits that nobody can guess.
fn random() -> Result<String, JudgeError> {
    Ok(hex(&random_bytes()?))
}

/// Runs asynchronous work on this thread.
///
/// # Errors
/// If the system lacks what it needs, or the work fails.
pub fn block_on<T>(work: impl Future<Output = Result<T, JudgeError>>) -> Result<T, JudgeError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| JudgeError::new("start the NATS client", error))?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    result
}
