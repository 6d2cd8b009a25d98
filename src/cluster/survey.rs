//! Asks a server about itself, its streams and its workers.

use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::cluster::calls::HOW_STORED;
use crate::cluster::findings::findings;
use juror_core::cluster::{
    AnnouncedWorker, ClusterRole, ClusterSurvey, QueueStatus, ServerStatus, StreamStatus, WHO_AM_I,
};
use juror_core::judgement::JudgeError;
use juror_core::units::Bytes;
use juror_remote::nats::address::NatsAddress;
use juror_remote::nats::layout::{self, JOBS, WORKERS, ask};
use juror_remote::nats::link::{NatsLink, NoReply, header, seconds_of, status};
use juror_remote::nats::presence;
use juror_remote::nats::rights;

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
pub fn survey(address: &NatsAddress) -> Result<ClusterSurvey, JudgeError> {
    let link = NatsLink::open(address, Some(PATIENCE))?;
    let seen = look(&link, address);
    seen.map_err(|silence| {
        JudgeError::new(format!("ask {}", address.name), silence)
            .help("check that the server runs, and that JetStream is on in its configuration")
    })
}

fn look(link: &NatsLink, address: &NatsAddress) -> Result<ClusterSurvey, NoReply> {
    let me = who_am_i(link);
    let server = ServerStatus {
        address: address.name.clone(),
        version: link.version(),
        name: me.told["server"]["name"].as_str().map(str::to_owned),
        user: address.key.as_ref().map(|key| key.user.clone()),
        role: if rights::is_of_worker(&me.told["data"]) {
            ClusterRole::Worker
        } else {
            ClusterRole::Submitter
        },
        latency_seconds: me.latency.as_secs_f64(),
        clock_ahead_seconds: me.ahead,
        stored_bytes: None,
        most_stored_bytes: None,
        syncs_always: None,
    };
    let mut survey = ClusterSurvey {
        server,
        findings: Vec::new(),
        streams: Vec::new(),
        queues: Vec::new(),
        workers: Vec::new(),
    };
    if survey.server.role == ClusterRole::Submitter {
        if let Some(told) = once(link, HOW_STORED) {
            let config = &told["data"]["config"];
            let server = &mut survey.server;
            server.stored_bytes = told["data"]["storage"].as_u64().map(Bytes);
            server.most_stored_bytes = config["max_storage"].as_u64().map(Bytes);
            let is_always = config["sync_always"].as_bool();
            server.syncs_always = config.is_object().then(|| is_always.unwrap_or_default());
        }
        survey.streams = streams(link)?;
        survey.queues = queues(link)?;
        survey.workers = workers(link)?;
    }
    survey.findings = findings(&survey);
    Ok(survey)
}

/// What the server says about the user that asks.
struct OwnUser {
    told: Value,
    latency: Duration,
    ahead: Option<f64>,
}

fn who_am_i(link: &NatsLink) -> OwnUser {
    let mut times = Vec::new();
    let mut me = OwnUser { told: Value::Null, latency: Duration::ZERO, ahead: None };
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
fn once(link: &NatsLink, subject: &str) -> Option<Value> {
    serde_json::from_slice(&link.ask_once(subject, b"")?.payload).ok()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn streams(link: &NatsLink) -> Result<Vec<StreamStatus>, NoReply> {
    let mut seen = Vec::new();
    for wanted in layout::streams() {
        let name = wanted["name"].as_str().unwrap_or_default().to_owned();
        let found = ask(link, &format!("STREAM.INFO.{name}"), &Value::Null)?.ok();
        let info = found.as_ref().unwrap_or(&Value::Null);
        seen.push(StreamStatus {
            present: found.is_some(),
            messages: number(&info["state"]["messages"]),
            bytes: Bytes(number(&info["state"]["bytes"])),
            replicas: number(&info["config"]["num_replicas"]),
            fault: found.as_ref().and_then(|it| layout::differs(&wanted, &it["config"])),
            name,
        });
    }
    Ok(seen)
}

/// The waiting units, from two counts.
fn queues(link: &NatsLink) -> Result<Vec<QueueStatus>, NoReply> {
    let before = consumers(link)?;
    if before.is_empty() {
        return Ok(Vec::new());
    }
    let begun = Instant::now();
    thread::sleep(WATCHED);
    let after = consumers(link)?;
    let seconds = begun.elapsed().as_secs_f64();
    let finished = |it: &Value| {
        number(&it["delivered"]["consumer_seq"]).saturating_sub(number(&it["num_ack_pending"]))
    };
    let seen = after.iter().filter_map(|it| {
        let (lane, class) = it["name"].as_str()?.split_once('-')?;
        let first = before.iter().find(|other| other["name"] == it["name"]);
        let done = finished(it).saturating_sub(first.map_or(0, finished));
        Some(QueueStatus {
            lane: lane.to_owned(),
            class: class.to_owned(),
            waiting: number(&it["num_pending"]),
            running: number(&it["num_ack_pending"]),
            given_again: number(&it["num_redelivered"]),
            per_second: done as f64 / seconds,
        })
    });
    let mut seen: Vec<QueueStatus> = seen.collect();
    seen.sort_by(|a, b| (&b.lane, &a.class).cmp(&(&a.lane, &b.class)));
    Ok(seen)
}

/// The consumers of jobs, as the server lists them: page by page.
fn consumers(link: &NatsLink) -> Result<Vec<Value>, NoReply> {
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
fn workers(link: &NatsLink) -> Result<Vec<AnnouncedWorker>, NoReply> {
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
        seen.push(AnnouncedWorker {
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
