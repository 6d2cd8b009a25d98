//! Names and settings of everything that is kept on a NATS server: streams, subjects, consumers.

use std::time::Duration;

use async_nats::Message;
use serde_json::{Value, json};

use crate::address::Lane;
use crate::link::{Link, NoReply, OutgoingMessage};
use crate::server::model::WORKERS_STREAM;
use juror_core::judgement::JudgeError;

/// The version of this layout. Streams of another one are refused.
const VERSION: &str = "2";

/// Units that wait or run.
pub const JOBS: &str = "JOBS";
/// Results of units.
pub const RESULTS: &str = "RESULTS";
/// Blobs, as the object store of NATS has them: this is its bucket `CAS`.
pub const BLOBS: &str = "OBJ_CAS";
/// Announcements of workers.
pub const WORKERS: &str = WORKERS_STREAM;

const SECOND: u64 = 1_000_000_000;

/// How often a unit is handed out at most: by then this many workers were lost with it.
pub const MOST_LOST: u64 = 5;

/// How long a worker may keep a unit without a message.
const ACK_WAIT: u64 = 3 * SECOND;

/// Removes messages of a stream. What remains is removed when it expires.
pub async fn purge(link: &Link, stream: &str, filter: &str) {
    let _ = ask(link, &format!("STREAM.PURGE.{stream}"), &json!({ "filter": filter })).await;
}

/// The error code if a stream has no room, for any reason.
const NOT_STORED: u64 = 10_077;
/// The error code if a message names a wrong predecessor.
const WRONG_LAST: u64 = 10_071;

/// How often a server that refuses is asked again.
const FULL: u32 = 3;

/// How long to wait before it is asked again.
const PAUSE: Duration = Duration::from_secs(1);

/// The settings of each stream, except how many servers keep it.
pub fn streams() -> [Value; 4] {
    let day = 24 * 3600 * SECOND;
    [
        json!({
            "name": JOBS, "subjects": ["job.>"], "retention": "workqueue", "storage": "file", "discard": "new",
            "duplicate_window": 120 * SECOND, "allow_direct": true, "max_age": day,
        }),
        json!({
            "name": RESULTS, "subjects": ["res.>"], "retention": "limits", "storage": "file", "discard": "new",
            "max_msgs_per_subject": 1, "discard_new_per_subject": true, "allow_direct": true, "max_age": day,
        }),
        json!({
            "name": BLOBS, "subjects": ["$O.CAS.C.>", "$O.CAS.M.>"], "retention": "limits", "storage": "file",
            "discard": "new", "allow_rollup_hdrs": true, "allow_direct": true, "max_age": 7 * day,
        }),
        json!({
            "name": WORKERS, "subjects": ["worker.>"], "retention": "limits", "storage": "memory", "discard": "old",
            "max_msgs_per_subject": 1, "allow_direct": true, "max_age": 10 * SECOND, "duplicate_window": 10 * SECOND, "max_bytes": 16 << 20,
        }),
    ]
}

/// The subject of a unit.
pub fn job(lane: Lane, class: &str, batch: &str, unit: &str) -> String {
    format!("job.{}.{class}.{batch}.{unit}", lane.name())
}

/// The subject of a unit's result.
pub fn result(batch: &str, unit: &str) -> String {
    format!("res.{batch}.{unit}")
}

/// The consumer that hands out the units of a lane to a class.
pub fn consumer(lane: Lane, class: &str) -> String {
    format!("{}-{class}", lane.name())
}

/// An error from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerRefusal {
    pub code: u64,
    pub what: String,
}

impl ServerRefusal {
    /// Whether the stream has a message under this subject already.
    pub fn is_there_already(&self) -> bool {
        self.code == NOT_STORED && self.what.contains("maximum messages per subject")
    }

    /// The sequence number of the subject's last message, if the refused message named another.
    pub fn last(&self) -> Option<u64> {
        let words = || self.what.rsplit(' ').next()?.parse().ok();
        if self.code == WRONG_LAST { words() } else { None }
    }
}

/// The reply to a request, or why there is none.
pub type ServerReply = Result<Result<Value, ServerRefusal>, NoReply>;

/// Sends a request to the server's API.
///
/// # Errors
/// If the server does not reply.
pub async fn ask(link: &Link, what: &str, body: &Value) -> ServerReply {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    store(link, &OutgoingMessage::new(format!("$JS.API.{what}"), body)).await
}

/// Stores a message.
///
/// # Errors
/// If the server does not reply.
pub async fn store(link: &Link, call: &OutgoingMessage) -> ServerReply {
    link.request(call).await.map(|message| read(&message))
}

/// Stores a message. A server that refuses may have room later, or be there again: it is asked several times.
///
/// # Errors
/// If the server does not reply.
pub async fn store_patiently(link: &Link, call: &OutgoingMessage) -> ServerReply {
    for _ in 0..FULL {
        match store(link, call).await {
            Ok(Err(refusal)) if !refusal.is_there_already() => tokio::time::sleep(PAUSE).await,
            reply => return reply,
        }
    }
    store(link, call).await
}

fn read(message: &Message) -> Result<Value, ServerRefusal> {
    let value: Result<Value, _> = serde_json::from_slice(&message.payload);
    let value = value.map_err(|error| ServerRefusal { code: 0, what: error.to_string() })?;
    match value.get("error") {
        None => Ok(value),
        Some(error) => Err(ServerRefusal {
            code: error["err_code"].as_u64().unwrap_or_default(),
            what: error["description"].as_str().unwrap_or_default().to_owned(),
        }),
    }
}

/// Creates what is missing on the server, checks the rest, and warns if something is weaker than it should be.
///
/// # Errors
/// If the server cannot keep jobs, or keeps something else under these names.
pub async fn prepare(link: &Link, copies: usize) -> Result<(), JudgeError> {
    let fault = |what: &str, reason: &dyn std::fmt::Display| {
        JudgeError::new(format!("prepare the {what} on the server"), reason)
    };
    for stream in streams() {
        let name = stream["name"].as_str().unwrap_or_default();
        let silent = |silence: NoReply| {
            fault(name, &silence).help("switch JetStream on in its configuration: jetstream { store_dir: ..., sync_interval: always }")
        };
        let found =
            ask(link, &format!("STREAM.INFO.{name}"), &Value::Null).await.map_err(silent)?;
        let found = match found {
            Ok(info) => info,
            Err(_) => {
                let mut wanted = stream.clone();
                wanted["num_replicas"] = copies.into();
                wanted["metadata"] = json!({ "juror": VERSION });
                let made =
                    ask(link, &format!("STREAM.CREATE.{name}"), &wanted).await.map_err(silent)?;
                made.map_err(|refusal| {
                    fault(name, &refusal.what)
                        .help("check the limits of JetStream in its configuration")
                })?
            }
        };
        if let Some(other) = differs(&stream, &found["config"]) {
            return Err(fault(name, &format!("there is another stream of this name, of which {other}"))
                .help("it may be of another juror: remove it with `nats stream rm` when nothing is under way, or use another server"));
        }
    }
    Ok(())
}

/// The first difference from the wanted settings.
pub fn differs(wanted: &Value, found: &Value) -> Option<String> {
    let version = &found["metadata"]["juror"];
    if version != VERSION {
        return Some(format!("the version is {version}, not \"{VERSION}\""));
    }
    let wanted = wanted.as_object()?.iter();
    let other = wanted
        .map(|(key, value)| (key, value, &found[key]))
        .find(|(_, value, found)| value != found);
    other.map(|(key, value, found)| format!("{key} is {found}, not {value}"))
}

/// Creates the consumers that hand out the units of a class.
///
/// # Errors
/// If the server refuses.
pub async fn prepare_class(link: &Link, class: &str) -> Result<(), JudgeError> {
    for lane in Lane::ALL {
        let name = consumer(lane, class);
        let filter = format!("job.{}.{class}.>", lane.name());
        let config = json!({
            "stream_name": JOBS,
            "config": {
                "durable_name": name, "name": name, "filter_subject": filter, "ack_policy": "explicit",
                "ack_wait": ACK_WAIT, "max_deliver": 4 * MOST_LOST, "max_ack_pending": -1, "max_waiting": 5000,
                "inactive_threshold": 24 * 3600 * SECOND,
            },
        });
        let fault = |reason: &dyn std::fmt::Display| {
            JudgeError::new(format!("prepare the consumer {name} on the server"), reason)
        };
        let made = ask(link, &format!("CONSUMER.CREATE.{JOBS}.{name}.{filter}"), &config).await;
        made.map_err(|silence| fault(&silence))?.map_err(|refusal| fault(&refusal.what))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_of_another_kind_is_told_from_ours() {
        let [jobs, ..] = streams();
        let mut found = jobs.clone();
        found["metadata"] = json!({ "juror": VERSION, "other": "x" });
        found["more"] = json!(1);
        assert_eq!(differs(&jobs, &found), None);
        let check = |key: &str, value: Value, expected: &str| {
            let mut found = found.clone();
            found[key] = value;
            assert_eq!(differs(&jobs, &found).as_deref(), Some(expected));
        };
        check("metadata", json!({}), "the version is null, not \"2\"");
        check("metadata", json!({ "juror": "1" }), "the version is \"1\", not \"2\"");
        check("retention", json!("limits"), "retention is \"limits\", not \"workqueue\"");
        check("allow_direct", Value::Null, "allow_direct is null, not true");
    }

    #[test]
    fn what_the_server_refuses_is_told_apart() {
        let check = |code, what: &str, expected: (bool, Option<u64>)| {
            let refusal = ServerRefusal { code, what: what.to_owned() };
            assert_eq!((refusal.is_there_already(), refusal.last()), expected, "{what}");
        };
        check(10_077, "maximum messages per subject exceeded", (true, None));
        check(10_077, "no space left on device", (false, None));
        check(10_023, "insufficient resources", (false, None));
        check(10_071, "wrong last sequence: 0", (false, Some(0)));
        check(10_071, "wrong last sequence: 17", (false, Some(17)));
    }
}
