//! Servers as `juror doctor --nats` and `juror cluster status` show them.

use juror::cluster::findings::findings;
use juror_core::cluster::{
    AnnouncedWorker, ClusterRole, ClusterSurvey, QueueStatus, ServerDiagnosis, ServerStatus,
    StreamStatus,
};
use juror_core::isolation::Isolation;
use juror_core::units::Bytes;

use super::record::{Recording, started_event, with_end};

/// With secure settings.
pub(super) fn busy_server() -> ClusterSurvey {
    let stream = |name: &str, messages, bytes| StreamStatus {
        name: name.to_owned(),
        present: true,
        messages,
        bytes: Bytes(bytes),
        replicas: 3,
        fault: None,
    };
    let queue = |lane: &str, class: &str, waiting, running| QueueStatus {
        lane: lane.to_owned(),
        class: class.to_owned(),
        waiting,
        running,
        given_again: u64::from(waiting > 100),
        per_second: running as f64 * 3.25,
    };
    let worker = |name: &str, user: &str, slots, isolation| AnnouncedWorker {
        name: name.to_owned(),
        user: user.to_owned(),
        class: "59ce1bd5fbe6b0dd".to_owned(),
        slots,
        isolation,
        seen_seconds: Some(slots as f64 / 10.0),
    };
    ClusterSurvey {
        server: ServerStatus {
            address: "nats://n1:4222,n2:4222,n3:4222".to_owned(),
            version: "2.15.1".to_owned(),
            name: Some("n2".to_owned()),
            user: Some("UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4".to_owned()),
            role: ClusterRole::Submitter,
            latency_seconds: 0.0014,
            clock_ahead_seconds: Some(-0.004),
            stored_bytes: Some(Bytes::mib(700)),
            most_stored_bytes: Some(Bytes::mib(10240)),
            syncs_always: Some(true),
        },
        findings: Vec::new(),
        streams: vec![
            stream("JOBS", 1224, 900_000),
            stream("RESULTS", 40_000, 90_000_000),
            stream("OBJ_CAS", 9000, 500_000_000),
            stream("WORKERS", 2, 6000),
        ],
        queues: vec![
            queue("live", "59ce1bd5fbe6b0dd", 0, 4),
            queue("batch", "59ce1bd5fbe6b0dd", 1200, 20),
        ],
        workers: vec![
            worker(
                "a",
                "UBZIYPLKCPCHD4Y5Z5CNQHDTOPSRH6ZCWKKYE6L7U3TPDS7EE2IYDHMZ",
                16,
                Isolation::Namespaces,
            ),
            worker("b\u{1b}", "-", 4, Isolation::Landlock),
        ],
    }
}

/// Without keys, with another version of juror and a slow connection.
pub(super) fn insecure_server() -> ClusterSurvey {
    let busy = busy_server();
    let mut streams = busy.streams;
    streams[0].fault = Some("the version is \"2\", not \"1\"".to_owned());
    streams[3].present = false;
    ClusterSurvey {
        server: ServerStatus {
            name: None,
            user: None,
            latency_seconds: 0.03,
            clock_ahead_seconds: None,
            stored_bytes: None,
            most_stored_bytes: None,
            syncs_always: None,
            ..busy.server
        },
        streams,
        queues: Vec::new(),
        workers: vec![AnnouncedWorker { seen_seconds: None, ..busy.workers[1].clone() }],
        ..busy
    }
}

pub(super) fn workers_view() -> ClusterSurvey {
    let busy = busy_server();
    ClusterSurvey {
        server: ServerStatus { role: ClusterRole::Worker, ..busy.server },
        streams: Vec::new(),
        queues: Vec::new(),
        workers: Vec::new(),
        ..busy
    }
}

/// `doctor` shows the findings, `cluster` the rest.
pub(super) fn record_survey(mut survey: ClusterSurvey) -> Recording<ClusterSurvey> {
    survey.findings = findings(&survey);
    Recording { events: with_end(vec![started_event("cluster", "")], 1), result: survey }
}

pub(super) fn record_diagnosis(seen: ClusterSurvey) -> Recording<ServerDiagnosis> {
    let result = ServerDiagnosis(record_survey(seen).result);
    Recording { events: with_end(vec![started_event("doctor", "")], 1), result }
}
