//! The calls that a worker may make, each a service that its account imports from that of the submitters.

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its subject; `{key}` stands for the worker's public key.
    pub subject: &'static str,
    /// What it is for.
    pub what: &'static str,
    /// Whether the one who answers looks again whether somebody still waits.
    pub is_stream: bool,
}

/// All of them.
pub const CALLS: [Call; 6] = [
    Call { subject: "$JS.API.CONSUMER.MSG.NEXT.JOBS.>", what: "to take a unit", is_stream: true },
    call("$JS.ACK.JOBS.>", "to say that a unit is being run, or was"),
    call("res.>", "to write a result, which is written once"),
    call("$JS.API.DIRECT.GET.OBJ_CAS.$O.CAS.M.>", "to read how large a blob is"),
    call("$JS.API.DIRECT.GET.OBJ_CAS", "to read a blob"),
    call("worker.*.{key}.*", "to say what it is and has"),
];

/// A call with one answer.
const fn call(subject: &'static str, what: &'static str) -> Call {
    Call { subject, what, is_stream: false }
}

/// What every user may ask: who it is, and what it may do.
pub const WHO_AM_I: &str = "$SYS.REQ.USER.INFO";

/// What submitters may ask the system's account: how the streams are stored.
pub const HOW_STORED: &str = "$SYS.REQ.SERVER.PING.JSZ";

impl Call {
    /// The subject that a worker with this key publishes on.
    pub fn of(&self, key: &str) -> String {
        self.subject.replace("{key}", key)
    }

    /// The subject that the accounts share.
    pub fn of_all(&self) -> String {
        self.of("*")
    }
}

/// What the subjects begin with on which a user hears answers.
pub fn inbox(key: &str) -> String {
    format!("_INBOX.{key}")
}
