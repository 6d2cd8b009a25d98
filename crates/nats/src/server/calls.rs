//! The calls that a worker may make. For each, the workers' account imports a service from the submitters' account.

use serde_json::Value;

use crate::link::Link;
use crate::server::model::{WHO_AM_I, WORKERS_ACCOUNT};

/// A call that a worker may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerCall {
    /// Its subject; `{key}` stands for the worker's public key.
    pub subject: &'static str,
    pub what: &'static str,
}

/// All calls.
pub const CALLS: [WorkerCall; 7] = [
    call("$JS.API.CONSUMER.MSG.NEXT.JOBS.>", "to take a unit"),
    call("$JS.ACK.JOBS.>", "to report that a unit is running or done"),
    call("res.>", "to write a result, which is written once"),
    call("$JS.API.DIRECT.GET.OBJ_CAS.$O.CAS.M.>", "to read how large a blob is"),
    call("$JS.API.DIRECT.GET.OBJ_CAS", "to read a blob"),
    call("worker.*.{key}.*", "to announce itself"),
    call("$JS.API.DIRECT.GET.WORKERS", "to see whether the other workers are like it"),
];

const fn call(subject: &'static str, what: &'static str) -> WorkerCall {
    WorkerCall { subject, what }
}

/// Asks the system account how the streams are stored. Submitters may ask this.
pub const HOW_STORED: &str = "$SYS.REQ.SERVER.PING.JSZ";

impl WorkerCall {
    /// The subject that the worker with this key publishes on.
    pub fn of(&self, key: &str) -> String {
        self.subject.replace("{key}", key)
    }

    /// The subject that both accounts share.
    pub fn of_all(&self) -> String {
        self.of("*")
    }
}

/// The prefix of the subjects on which a user receives answers.
pub fn inbox(key: &str) -> String {
    format!("_INBOX.{key}")
}

/// Whether the link has a worker's key. A server never answers what a key has no right to ask, so this is asked first.
/// False if the server does not say.
pub async fn is_workers_link(link: &Link) -> bool {
    link.ask_once(WHO_AM_I).await.is_some_and(|info| is_worker(&info["data"]))
}

/// Whether these rights are a worker's: it may not publish everywhere.
pub fn is_worker(me: &Value) -> bool {
    me["account"] == WORKERS_ACCOUNT || me["permissions"]["publish"]["allow"].is_array()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn workers_are_known_by_their_rights() {
        let check = |me: Value, expected| assert_eq!(is_worker(&me), expected, "{me}");
        check(json!({ "account": "JUROR" }), false);
        check(Value::Null, false);
        check(json!({ "account": "WORKERS" }), true);
        check(
            json!({ "account": "OTHER", "permissions": { "publish": { "allow": ["res.>"] } } }),
            true,
        );
    }
}
