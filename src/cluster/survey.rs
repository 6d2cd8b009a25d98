//! Asks a server about itself, its streams and its workers.

use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::cluster::calls::HOW_STORED;
use crate::cluster::findings::findings;
use crate::model::cluster::{
    ClusterRole, ClusterSurvey, QueueSeen, ServerSeen, StreamSeen, WHO_AM_I, WorkerSeen,
};
use crate::model::judgement::JudgeError;
use crate::model::moment::Moment;
use crate::model::units::Bytes;
use crate::remote::nats::address::Address;
use crate::remote::nats::layout::{self, JOBS, WORKERS, ask};
use crate::remote::nats::link::{Link, NoReply, header, status};
use crate::remote::nats::presence;
use crate::remote::nats::rights;

/// How often the server is asked, to measure the round trip.
const ROUNDS: usize = 21;

/// How long finished units are counted, to learn the rate per second.
const WATCHED: Duration = Duration::from_secs(1);

/// How long to wait for an unreachable server.
const PATIENCE: Duration = Duration::from_secs(10);

/// Surveys the server at this address.
///
/// # Errors
/// If it cannot be reached, rejects this key, is too old, or stops answering.
pub fn survey(address: &Address) -> Result<ClusterSurvey, JudgeError> {
    let link = Link::open(address, Some(PATIENCE))?;
    let seen = look(&link, address);
    seen.map_err(|silence| {
        JudgeError::new(format!("ask {}", address.name), silence)
            .help("check that the server runs, and that JetStream is on in its configuration")
    })
}

fn look(link: &Link, address: &Address) -> Result<ClusterSurvey, NoReply> {
    let me = who_am_i(link);
    let mut server = ServerSeen {
        address: address.name.clone(),
        version: link.version(),
        name: me.told["server"]["name"].as_str().map(str::to_owned),
        user: address.key.as_ref().map(|key| key.user.clone()),
        role: match rights::is_of_worker(&me.told["data"]) {
            true => ClusterRole::Worker,
            false => ClusterRole::Submitter,
        },
        latency_seconds: me.latency.as_secs_f64(),
        clock_ahead_seconds: me.ahead,
        stored_bytes: None,
        most_stored_bytes: None,
        syncs_always: None,
    };
    let mut survey = ClusterSurvey {
        server: server.clone(),
        findings: Vec::new(),
        streams: Vec::new(),
        queues: Vec::new(),
        workers: Vec::new(),
    };
    if server.role == ClusterRole::Submitter {
        if let Some(told) = once(link, HOW_STORED) {
            let config = &told["data"]["config"];
            server.stored_bytes = told["data"]["storage"].as_u64().map(Bytes);
            server.most_stored_bytes = config["max_storage"].as_u64().map(Bytes);
            let is_always = config["sync_always"].as_bool();
            server.syncs_always = config.is_object().then(|| is_always.unwrap_or_default());
        }
        survey.streams = streams(link)?;
        survey.queues = queues(link)?;
        survey.workers = workers(link)?;
    }
    survey.server = server;
    survey.findings = findings(&survey);
    Ok(survey)
}

/// What the server says about the user that asks.
struct Me {
    told: Value,
    latency: Duration,
    ahead: Option<f64>,
}

fn who_am_i(link: &Link) -> Me {
    let mut times = Vec::new();
    let mut me = Me { told: Value::Null, latency: Duration::ZERO, ahead: None };
    for _ in 0..ROUNDS {
        let (begun, wall) = (Instant::now(), SystemTime::now());
        let Some(told) = once(link, WHO_AM_I) else { break };
        let took = begun.elapsed();
        let here = wall.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default() + took / 2;
        let there = told["server"]["time"].as_str().and_then(seconds_of);
        me.ahead = there.map(|there| there - here.as_secs_f64());
        me.told = told;
        times.push(took);
    }
    times.sort();
    me.latency = times.get(times.len() / 2).copied().unwrap_or_default();
    me
}

/// Sends a request that the server may leave unanswered, and parses the answer as JSON.
fn once(link: &Link, subject: &str) -> Option<Value> {
    serde_json::from_slice(&link.ask_once(subject, b"")?.payload).ok()
}

fn streams(link: &Link) -> Result<Vec<StreamSeen>, NoReply> {
    let mut seen = Vec::new();
    for wanted in layout::streams() {
        let name = wanted["name"].as_str().unwrap_or_default().to_owned();
        let found = ask(link, &format!("STREAM.INFO.{name}"), &Value::Null)?;
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        seen.push(match found {
            Ok(found) => StreamSeen {
                present: true,
                messages: number(&found["state"]["messages"]),
                bytes: Bytes(number(&found["state"]["bytes"])),
                replicas: number(&found["config"]["num_replicas"]),
                fault: layout::differs(&wanted, &found["config"]),
                name,
            },
            Err(_) => StreamSeen {
                name,
                present: false,
                messages: 0,
                bytes: Bytes(0),
                replicas: 0,
                fault: None,
            },
        });
    }
    Ok(seen)
}

/// The waiting units, from two counts.
fn queues(link: &Link) -> Result<Vec<QueueSeen>, NoReply> {
    let before = consumers(link)?;
    if before.is_empty() {
        return Ok(Vec::new());
    }
    let begun = Instant::now();
    thread::sleep(WATCHED);
    let after = consumers(link)?;
    let seconds = begun.elapsed().as_secs_f64();
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let finished = |it: &Value| {
        number(&it["delivered"]["consumer_seq"]).saturating_sub(number(&it["num_ack_pending"]))
    };
    let seen = after.iter().filter_map(|it| {
        let (lane, class) = it["name"].as_str()?.split_once('-')?;
        let first = before.iter().find(|other| other["name"] == it["name"]);
        let done = finished(it).saturating_sub(first.map_or(0, finished));
        Some(QueueSeen {
            lane: lane.to_owned(),
            class: class.to_owned(),
            waiting: number(&it["num_pending"]),
            running: number(&it["num_ack_pending"]),
            given_again: number(&it["num_redelivered"]),
            per_second: done as f64 / seconds,
        })
    });
    let mut seen: Vec<QueueSeen> = seen.collect();
    seen.sort_by(|a, b| (&b.lane, &a.class).cmp(&(&a.lane, &b.class)));
    Ok(seen)
}

/// The consumers of jobs, as the server lists them: page by page.
fn consumers(link: &Link) -> Result<Vec<Value>, NoReply> {
    let mut all = Vec::new();
    loop {
        let listed = ask(link, &format!("CONSUMER.LIST.{JOBS}"), &json!({ "offset": all.len() }))?;
        // Without the stream there are no consumers.
        let Ok(Value::Object(mut listed)) = listed else { return Ok(all) };
        let total = listed["total"].as_u64().unwrap_or_default();
        let Some(Value::Array(some)) = listed.remove("consumers") else { return Ok(all) };
        if some.is_empty() {
            return Ok(all);
        }
        all.extend(some);
        if all.len() as u64 >= total {
            return Ok(all);
        }
    }
}

/// The workers that have announced themselves. Of another version of juror only the subject is readable: such workers
/// are left out.
fn workers(link: &Link) -> Result<Vec<WorkerSeen>, NoReply> {
    let now = once(link, WHO_AM_I);
    let now = now.and_then(|it| seconds_of(it["server"]["time"].as_str()?));
    let mut seen = Vec::new();
    let mut next = 1;
    loop {
        let body = json!({ "seq": next, "next_by_subj": "worker.>" }).to_string();
        let subject = format!("$JS.API.DIRECT.GET.{WORKERS}");
        // Without the stream there is no answer.
        let Some(message) = link.ask_once(&subject, body.as_bytes()) else { break };
        let sequence = header(&message, "Nats-Sequence").and_then(|it| it.parse::<u64>().ok());
        let Some(sequence) = sequence.filter(|it| status(&message).is_none() && *it >= next) else {
            break;
        };
        next = sequence + 1;
        let subject = header(&message, "Nats-Subject").unwrap_or_default();
        let Some(present) = presence::read(subject, &message.payload) else { continue };
        let at = header(&message, "Nats-Time-Stamp").and_then(seconds_of);
        seen.push(WorkerSeen {
            user: subject.split('.').nth(2).unwrap_or_default().to_owned(),
            class: present.class,
            slots: present.said.facts.slots,
            isolation: present.said.facts.isolation,
            name: present.said.facts.name,
            seen_seconds: now.zip(at).map(|(now, at)| (now - at).max(0.0)),
        });
    }
    seen.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(seen)
}

/// The seconds since the beginning of 1970 of a time as servers write it.
fn seconds_of(text: &str) -> Option<f64> {
    let text = text.strip_suffix('Z')?;
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let whole = Moment::try_from(format!("{whole}Z")).ok()?;
    let part: f64 = format!("0.{part}").parse().ok()?;
    Some(whole.seconds() as f64 + part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_servers_are_read() {
        let check = |text: &str, expected: Option<f64>| assert_eq!(seconds_of(text), expected);
        check("1970-01-02T00:00:01.5Z", Some(86_401.5));
        check("1970-01-01T00:00:00Z", Some(0.0));
        check("1970-01-01T00:00:00+01:00", None);
        check("1970-01-01T00:00:00.xZ", None);
        check("", None);
    }
}
