//! What follows from a survey of a server: how good the server is for workers, and what would make it better.

use crate::server::model::{ClusterRole, ClusterSurvey, StreamStatus};
use juror_core::host::{Finding, FindingRating};
use juror_core::text::{count, printable};
use juror_core::units::Bytes;

/// The largest difference between clocks, in seconds, before ages mislead.
const CLOCK: f64 = 1.0;

/// The longest round trip, in seconds, before units of short runs are slow.
const LATENCY: f64 = 0.010;

/// The part of the disk in use above which little is left.
const FULL: f64 = 0.9;

/// All findings, the most important first.
pub fn findings(survey: &ClusterSurvey) -> Vec<Finding> {
    let server = &survey.server;
    let version = format!("nats-server {}", printable(&server.version));
    let mut findings = vec![finding("server", version, None), rights(survey)];
    findings.push(latency(server.latency_seconds));
    findings.extend(server.clock_ahead_seconds.map(clock));
    if server.role == ClusterRole::Worker {
        return findings;
    }
    match (server.stored_bytes, server.most_stored_bytes) {
        // What else it says of its storage means nothing then.
        (_, Some(Bytes(0))) => {
            let advice = "its log says why; its disk may be full";
            let found = finding("storage", "JetStream is off on this server", Some(advice));
            findings.push(Finding { grade: FindingRating::Missing, ..found });
        }
        (used, most) => {
            findings.push(syncing(server.syncs_always));
            findings.extend(used.zip(most).map(|(used, most)| disk(used, most)));
        }
    }
    findings.push(streams(&survey.streams));
    findings.push(workers(survey));
    findings
}

/// A finding that is good, or weak if there is advice.
fn finding(subject: &'static str, text: impl Into<String>, advice: Option<&str>) -> Finding {
    let grade = if advice.is_some() { FindingRating::Weak } else { FindingRating::Good };
    let advice = advice.map(str::to_owned);
    Finding { subject, grade, text: text.into(), advice, command: None }
}

fn rights(survey: &ClusterSurvey) -> Finding {
    let (text, advice) = match (survey.server.role, &survey.server.user) {
        (ClusterRole::Worker, _) => ("those of a worker", None),
        (ClusterRole::Submitter, Some(_)) => ("those of a submitter", None),
        (ClusterRole::Submitter, None) => (
            "those of a submitter, without a key: anyone who reaches the server has them",
            Some("`juror-nats init` writes a configuration with keys"),
        ),
    };
    finding("rights", text, advice)
}

fn latency(seconds: f64) -> Finding {
    const ADVICE: &str =
        "units of short runs wait for it: use a server that is nearer to the workers";
    let text = format!("a round trip takes {:.1} ms", seconds * 1000.0);
    finding("latency", text, (seconds > LATENCY).then_some(ADVICE))
}

fn clock(ahead: f64) -> Finding {
    let amount = ahead.abs();
    if amount <= CLOCK {
        return finding("clock", "it agrees with this machine's", None);
    }
    let side = if ahead > 0.0 { "ahead of" } else { "behind" };
    let text = format!("it is {amount:.1} s {side} this machine's");
    finding("clock", text, Some("set both by NTP"))
}

fn syncing(always: Option<bool>) -> Finding {
    const ADVICE: &str = "set `sync_interval: always` in `jetstream` of its configuration";
    let text = match always {
        Some(true) => "what is confirmed is on the disk",
        Some(false) => "what is confirmed may be lost if the machine stops; it is run again then",
        None => "the server does not report whether what it confirms is on the disk",
    };
    finding("storage", text, (always != Some(true)).then_some(ADVICE))
}

fn disk(used: Bytes, most: Bytes) -> Finding {
    const ADVICE: &str =
        "raise `max_file_store` in its configuration, or wait: files are removed after some days";
    let is_full = used.0 as f64 > FULL * most.0 as f64;
    finding("storage", format!("{used} of {most} are used"), is_full.then_some(ADVICE))
}

fn streams(streams: &[StreamStatus]) -> Finding {
    if let Some(stream) = streams.iter().find(|stream| stream.fault.is_some()) {
        let fault = stream.fault.as_deref().unwrap_or_default();
        let text = format!("{} is another juror's: {}", stream.name, printable(fault));
        let advice = "use the same juror everywhere, or another server";
        return Finding { grade: FindingRating::Missing, ..finding("streams", text, Some(advice)) };
    }
    let text = match streams.iter().filter(|stream| stream.present).count() {
        0 => "none yet; the first command that needs them creates them".to_owned(),
        present if present == streams.len() => "all there".to_owned(),
        present => {
            format!("{present} of {} exist; the next command creates the others", streams.len())
        }
    };
    finding("streams", text, None)
}

fn workers(survey: &ClusterSurvey) -> Finding {
    let workers = &survey.workers;
    if workers.is_empty() {
        if !survey.knows_workers() {
            let advice = "run a command with `juror-nats submit`: it creates the stream in which workers announce themselves";
            return finding("workers", "unknown", Some(advice));
        }
        let advice = "start `juror-nats work` somewhere; units wait until there is one";
        return finding("workers", "none", Some(advice));
    }
    let slots: usize = workers.iter().map(|worker| worker.slots).sum();
    let text = format!("{} with {}", count(workers.len(), "worker"), count(slots, "slot"));
    match workers.iter().filter(|worker| !worker.isolation.is_full()).count() {
        0 => finding("workers", text, None),
        plain => {
            let text = format!("{text}; {plain} without full isolation");
            finding("workers", text, Some("`juror doctor` there shows what is missing"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::model::{AnnouncedWorker, ServerStatus, WORKERS_STREAM};
    use juror_core::isolation::Isolation;

    fn survey() -> ClusterSurvey {
        ClusterSurvey {
            server: ServerStatus {
                address: "nats://a".to_owned(),
                version: "2.15.1".to_owned(),
                name: None,
                user: Some("U".to_owned()),
                role: ClusterRole::Submitter,
                latency_seconds: 0.001,
                clock_ahead_seconds: Some(0.1),
                stored_bytes: Some(Bytes(10)),
                most_stored_bytes: Some(Bytes(100)),
                syncs_always: Some(true),
            },
            findings: Vec::new(),
            streams: vec![stream(true, None), stream(true, None)],
            queues: Vec::new(),
            workers: vec![AnnouncedWorker {
                name: "a".to_owned(),
                user: "U".to_owned(),
                class: "c".to_owned(),
                slots: 2,
                isolation: Isolation::Namespaces,
                seen_seconds: Some(0.5),
            }],
        }
    }

    fn stream(present: bool, fault: Option<&str>) -> StreamStatus {
        StreamStatus {
            name: "JOBS".to_owned(),
            present,
            messages: 0,
            bytes: Bytes(0),
            replicas: 1,
            fault: fault.map(str::to_owned),
        }
    }

    /// Checks what is not good after a change.
    fn check(change: impl Fn(&mut ClusterSurvey), expected: &[&str]) {
        let mut survey = survey();
        change(&mut survey);
        let found = findings(&survey);
        let bad = found.iter().filter(|finding| finding.grade != FindingRating::Good);
        let bad: Vec<String> =
            bad.map(|finding| format!("{}: {}", finding.subject, finding.text)).collect();
        assert_eq!(bad, expected);
        assert!(
            found
                .iter()
                .all(|finding| (finding.grade == FindingRating::Good) == finding.advice.is_none())
        );
    }

    #[test]
    fn what_is_not_good_is_told_with_what_to_do() {
        check(|_| {}, &[]);
        check(
            |survey| survey.server.user = None,
            &[
                "rights: those of a submitter, without a key: anyone who reaches the server has them",
            ],
        );
        check(
            |survey| survey.server.latency_seconds = 0.02,
            &["latency: a round trip takes 20.0 ms"],
        );
        check(
            |survey| survey.server.clock_ahead_seconds = Some(-2.0),
            &["clock: it is 2.0 s behind this machine's"],
        );
        check(
            |survey| survey.server.clock_ahead_seconds = Some(1.5),
            &["clock: it is 1.5 s ahead of this machine's"],
        );
        check(
            |survey| survey.server.syncs_always = Some(false),
            &["storage: what is confirmed may be lost if the machine stops; it is run again then"],
        );
        check(
            |survey| survey.server.syncs_always = None,
            &["storage: the server does not report whether what it confirms is on the disk"],
        );
        check(
            |survey| survey.server.stored_bytes = Some(Bytes(95)),
            &["storage: 95 B of 100 B are used"],
        );
        check(
            |survey| survey.server.most_stored_bytes = Some(Bytes(0)),
            &["storage: JetStream is off on this server"],
        );
        check(
            |survey| survey.streams = vec![stream(true, Some("the version is null"))],
            &["streams: JOBS is another juror's: the version is null"],
        );
        check(|survey| survey.streams = vec![stream(true, None), stream(false, None)], &[]);
        let unseen = StreamStatus { name: WORKERS_STREAM.to_owned(), ..stream(false, None) };
        let unseen = |survey: &mut ClusterSurvey| {
            survey.streams = vec![unseen.clone()];
            survey.workers.clear();
        };
        check(unseen, &["workers: unknown"]);
        check(|survey| survey.workers.clear(), &["workers: none"]);
        check(
            |survey| survey.workers[0].isolation = Isolation::Plain,
            &["workers: 1 worker with 2 slots; 1 without full isolation"],
        );
        // A worker cannot see more.
        let blind = |survey: &mut ClusterSurvey| {
            survey.server.role = ClusterRole::Worker;
            survey.server.syncs_always = None;
            survey.workers.clear();
        };
        check(blind, &[]);
    }
}
