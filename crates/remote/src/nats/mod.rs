//! Jobs through NATS JetStream: nobody has to start a connection to each worker, and a server keeps what waits.
//!
//! | part | what it does |
//! |---|---|
//! | `address` | how the user names the server |
//! | `link` | the connection: blocking calls, and the only asynchronous code |
//! | `layout` | names and settings of everything on the server |
//! | `rights` | whose key it is |
//! | `bucket` | blobs by digest |
//! | `presence` | what workers announce about themselves |
//! | `unit` | jobs and results as messages |
//! | `submitter`, `delivery` | the sender of units: what waits, what is under way, what came back |
//! | `unit_worker`, `outcome` | the worker: takes units, runs their programs, writes results |
//!
//! A unit is one job or several. It waits on the server until a worker of its class takes it, and stays there until
//! that worker has written its result. If the worker is silent for some seconds, another one gets the unit. A result
//! can be written once. Its subject contains a name that only the worker with the unit can know.

pub mod address;
pub mod bucket;
mod class;
mod delivery;
pub mod layout;
pub mod link;
mod outcome;
pub mod presence;
pub mod rights;
pub mod submitter;
pub mod unit;
pub mod unit_worker;

use std::fs::File;
use std::io::Read as _;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use juror_core::text::hex;

/// 32 digits that nobody can guess.
pub(crate) fn random() -> String {
    let mut bytes = [0; 32];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    if read.is_err() {
        // Unique, if not secret.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let text = format!("{now:?} {}", std::process::id());
        bytes = Sha256::digest(text.as_bytes()).into();
    }
    hex(&bytes[..16])
}
