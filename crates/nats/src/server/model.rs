//! What a NATS server for workers reports about itself, its streams and its workers.

use serde::Serialize;

use juror_core::host::{Finding, FindingRating};
use juror_core::isolation::Isolation;
use juror_core::units::Bytes;

/// Asks who the user is and what it may do. Every user may ask this.
pub const WHO_AM_I: &str = "$SYS.REQ.USER.INFO";

pub const WORKERS_ACCOUNT: &str = "WORKERS";

pub const WORKERS_STREAM: &str = "WORKERS";

/// The state of a server. `docs/cluster.md` describes the keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClusterSurvey {
    /// The server, and what it lets the user do.
    pub server: ServerStatus,
    /// The conclusions, for `juror-nats check`.
    pub findings: Vec<Finding>,
    /// What it keeps. Empty for a worker's key.
    pub streams: Vec<StreamStatus>,
    /// What waits, by lane and class.
    pub queues: Vec<QueueStatus>,
    /// Who has announced itself during the last ten seconds.
    #[serde(rename = "announced_workers")]
    pub workers: Vec<AnnouncedWorker>,
}

impl ClusterSurvey {
    /// Whether the server can know of workers. If it restarts, it forgets the stream in which they announce
    /// themselves.
    pub fn knows_workers(&self) -> bool {
        !self.streams.iter().any(|stream| stream.name == WORKERS_STREAM && !stream.present)
    }
}

/// The observed state of a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServerStatus {
    /// Its address, without options.
    pub address: String,
    pub version: String,
    /// Its own name, if it reports one.
    pub name: Option<String>,
    /// The public key of the user; `None` if there was no key.
    pub user: Option<String>,
    /// What that user may do.
    pub role: ClusterRole,
    /// The median time of a round trip.
    pub latency_seconds: f64,
    /// How much its clock is ahead of this machine's, if it reports its time.
    pub clock_ahead_seconds: Option<f64>,
    /// How much the streams take on its disk, if it reports this.
    pub stored_bytes: Option<Bytes>,
    /// How much they may take.
    pub most_stored_bytes: Option<Bytes>,
    /// Whether confirmed messages are already on the disk, if it reports this.
    pub syncs_always: Option<bool>,
}

/// What a user of a server may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterRole {
    /// Everything with the streams.
    Submitter,
    /// What a worker does.
    Worker,
}

/// A stream as it was seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamStatus {
    pub name: String,
    pub present: bool,
    /// How many messages it has.
    pub messages: u64,
    pub bytes: Bytes,
    /// The number of servers that store it.
    pub replicas: u64,
    /// Why this juror cannot use it.
    pub fault: Option<String>,
}

/// The units of a lane for workers of a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueStatus {
    /// `live` or `batch`.
    pub lane: String,
    /// The class of workers that can run these units.
    pub class: String,
    /// How many units no worker has taken.
    pub waiting: u64,
    /// How many units are on a worker.
    pub running: u64,
    /// How many of these were on another worker before, which was lost.
    pub given_again: u64,
    /// How many units were finished per second during the survey.
    pub per_second: f64,
}

/// A worker as it announced itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnnouncedWorker {
    pub name: String,
    /// The public key of its user, or `-`.
    pub user: String,
    pub class: String,
    /// How many programs run there at once.
    pub slots: usize,
    /// What keeps programs apart there.
    pub isolation: Isolation,
    /// How long ago it announced itself, by the server's clock.
    pub seen_seconds: Option<f64>,
}

impl ClusterSurvey {
    pub fn is_unusable(&self) -> bool {
        self.findings.iter().any(|finding| finding.grade == FindingRating::Missing)
    }
}
