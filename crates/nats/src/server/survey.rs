//! Asks a server about itself, its streams and its workers.

use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::address::NatsAddress;
use crate::layout::{self, JOBS, ask};
use crate::link::{Link, NoReply, parse_time};
use crate::presence;
use crate::server::calls::{HOW_STORED, is_worker};
use crate::server::findings::findings;
use crate::server::model::{
    AnnouncedWorker, ClusterRole, ClusterSurvey, QueueStatus, ServerStatus, StreamStatus, WHO_AM_I,
};
use juror_core::judgement::JudgeError;
use juror_core::units::Bytes;

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
pub async fn survey(address: &NatsAddress) -> Result<ClusterSurvey, JudgeError> {
    let link = Link::open(address, Some(PATIENCE)).await?;
    let seen = look(&link, address).await;
    seen.map_err(|silence| {
        JudgeError::new(format!("ask {}", address.name), silence)
            .help("check that the server runs, and that JetStream is on in its configuration")
    })
}

async fn look(link: &Link, address: &NatsAddress) -> Result<ClusterSurvey, NoReply> {
    let me = who_am_i(link).await;
    let server = ServerStatus {
        address: address.name.clone(),
        version: link.version(),
        name: me.told["server"]["name"].as_str().map(str::to_owned),
        user: address.key.as_ref().map(|key| key.user.clone()),
        role: if is_worker(&me.told["data"]) {
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
        if let Some(told) = link.ask_once(HOW_STORED).await {
            let config = &told["data"]["config"];
            let server = &mut survey.server;
            server.stored_bytes = told["data"]["storage"].as_u64().map(Bytes);
            server.most_stored_bytes = config["max_storage"].as_u64().map(Bytes);
            let is_always = config["sync_always"].as_bool();
            server.syncs_always = config.is_object().then(|| is_always.unwrap_or_default());
        }
        survey.streams = streams(link).await?;
        survey.queues = queues(link).await?;
        if survey.knows_workers() {
            survey.workers = workers(link).await?;
        }
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

async fn who_am_i(link: &Link) -> OwnUser {
    let mut times = Vec::new();
    let mut me = OwnUser { told: Value::Null, latency: Duration::ZERO, ahead: None };
    for _ in 0..ROUNDS {
        let (begun, wall) = (Instant::now(), SystemTime::now());
        let Some(told) = link.ask_once(WHO_AM_I).await else { break };
        let took = begun.elapsed();
        let here = wall.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default() + took / 2;
        let there = told["server"]["time"].as_str().and_then(parse_time);
        me.ahead = there.map(|there| there - here.as_secs_f64());
        me.told = told;
        times.push(took);
    }
    times.sort();
    me.latency = times.get(times.len() / 2).copied().unwrap_or_default();
    me
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

async fn streams(link: &Link) -> Result<Vec<StreamStatus>, NoReply> {
    let mut seen = Vec::new();
    for wanted in layout::streams() {
        let name = wanted["name"].as_str().unwrap_or_default().to_owned();
        let found = ask(link, &format!("STREAM.INFO.{name}"), &Value::Null).await?.ok();
        let info = found.as_ref().unwrap_or(&Value::Null);
        seen.push(StreamStatus {
            present: found.is_some(),
            messages: number(&info["state"]["messages"]),
            bytes: Bytes(number(&info["state"]["bytes"])),
            replicas: number(&info["config"]["num_replicas"]),
            fault: found.as_ref().and_then(|info| layout::differs(&wanted, &info["config"])),
            name,
        });
    }
    Ok(seen)
}

/// The waiting units, from two counts.
async fn queues(link: &Link) -> Result<Vec<QueueStatus>, NoReply> {
    let before = consumers(link).await?;
    if before.is_empty() {
        return Ok(Vec::new());
    }
    let begun = Instant::now();
    sleep(WATCHED).await;
    let after = consumers(link).await?;
    let seconds = begun.elapsed().as_secs_f64();
    let finished = |info: &Value| {
        number(&info["delivered"]["consumer_seq"]).saturating_sub(number(&info["num_ack_pending"]))
    };
    let seen = after.iter().filter_map(|consumer| {
        let (lane, class) = consumer["name"].as_str()?.split_once('-')?;
        let first = before.iter().find(|other| other["name"] == consumer["name"]);
        let done = finished(consumer).saturating_sub(first.map_or(0, finished));
        Some(QueueStatus {
            lane: lane.to_owned(),
            class: class.to_owned(),
            waiting: number(&consumer["num_pending"]),
            running: number(&consumer["num_ack_pending"]),
            given_again: number(&consumer["num_redelivered"]),
            per_second: done as f64 / seconds,
        })
    });
    let mut seen: Vec<QueueStatus> = seen.collect();
    seen.sort_by(|a, b| (&b.lane, &a.class).cmp(&(&a.lane, &b.class)));
    Ok(seen)
}

/// The consumers of jobs, as the server lists them: page by page.
async fn consumers(link: &Link) -> Result<Vec<Value>, NoReply> {
    let mut all = Vec::new();
    loop {
        let listed =
            ask(link, &format!("CONSUMER.LIST.{JOBS}"), &json!({ "offset": all.len() })).await?;
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

/// The workers that have announced themselves. Those of another version of juror are left out.
async fn workers(link: &Link) -> Result<Vec<AnnouncedWorker>, NoReply> {
    let now = link.ask_once(WHO_AM_I).await;
    let now = now.and_then(|info| parse_time(info["server"]["time"].as_str()?));
    let present = presence::present_workers(link).await?.into_iter();
    let seen = present.filter_map(|present| {
        let facts = present.announcement?.facts;
        Some(AnnouncedWorker {
            user: present.user,
            class: present.class,
            slots: facts.slots,
            isolation: facts.isolation,
            name: facts.name,
            seen_seconds: now.zip(present.announced).map(|(now, at)| (now - at).max(0.0)),
        })
    });
    Ok(seen.collect())
}
