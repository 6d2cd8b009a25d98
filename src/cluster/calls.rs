//! The calls that a worker may make. For each, the workers' account imports a service from the submitters' account.

/// A call that a worker may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerCall {
    /// Its subject; `{key}` stands for the worker's public key.
    pub subject: &'static str,
    pub what: &'static str,
}

/// All calls.
pub const CALLS: [WorkerCall; 6] = [
    call("$JS.API.CONSUMER.MSG.NEXT.JOBS.>", "to take a unit"),
    call("$JS.ACK.JOBS.>", "to report that a unit is running or done"),
    call("res.>", "to write a result, which is written once"),
    call("$JS.API.DIRECT.GET.OBJ_CAS.$O.CAS.M.>", "to read how large a blob is"),
    call("$JS.API.DIRECT.GET.OBJ_CAS", "to read a blob"),
    call("worker.*.{key}.*", "to announce itself"),
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
