//! `juror-nats check` and `juror-nats status` on real servers.

use std::net::TcpListener;
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::attacks::fill_server;
use crate::cluster::{Cluster, TIMEOUT, low_port};
use crate::jobs::{check_echo, connect, prepare, try_connect};
use crate::process::{Worker, juror_nats, server_program};

fn run_json(words: &[&str]) -> (Option<i32>, Value) {
    let output = juror_nats(words).arg("--json").output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout);
    (output.status.code(), serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}")))
}

fn bad_findings(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().expect("findings").iter();
    let bad = findings.filter(|finding| finding["grade"] != "good");
    bad.filter_map(|finding| finding["subject"].as_str())
        .filter(|subject| *subject != "latency")
        .collect()
}

#[test]
fn a_new_cluster_judges_and_reports_its_state() {
    let Some(program) = server_program() else { return };
    let cluster = Cluster::start(&program, |text| text);
    let (submitter, key) = (cluster.url("submitter"), cluster.url("workers/a"));

    let (code, found) = run_json(&["check", &submitter]);
    assert_eq!((code, bad_findings(&found)), (Some(0), vec!["workers"]), "{found}");
    assert_eq!(found["server"]["role"], "submitter");
    assert_eq!(found["server"]["syncs_always"], true);
    assert!(
        found["server"]["clock_ahead_seconds"].as_f64().is_some_and(|seconds| seconds.abs() < 60.0)
    );
    assert!(found["server"]["latency_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    let streams = found["streams"].as_array().expect("streams");
    assert!(
        streams.len() == 4 && streams.iter().all(|stream| stream["present"] == false),
        "{found}"
    );
    let (code, found) = run_json(&["check", &key]);
    assert_eq!((code, bad_findings(&found)), (Some(0), vec![]), "{found}");
    assert_eq!(found["server"]["role"], "worker");

    prepare(&submitter);
    let (_worker, mut lines) = Worker::with_stderr(&key);
    assert!(lines.next().is_some_and(|line| line.contains("takes jobs from")));
    check_echo(&connect(&submitter), 300_000);
    let refused = try_connect(&key).map(|_| ()).expect_err("it is a worker's key").to_string();
    assert!(refused.contains("this is a worker's key, and workers cannot send jobs"), "{refused}");

    let end = Instant::now() + TIMEOUT;
    let status = loop {
        let (code, found) = run_json(&["status", &submitter]);
        let is_there =
            found["announced_workers"].as_array().is_some_and(|workers| workers.len() == 1);
        if is_there || Instant::now() > end {
            // The isolation depends on this machine.
            assert!(
                code == Some(0) && bad_findings(&found).iter().all(|subject| *subject == "workers"),
                "{found}"
            );
            break found;
        }
    };
    let worker = &status["announced_workers"][0];
    assert_eq!(worker["user"], cluster.connect("workers/a").key, "{status}");
    assert_eq!(worker["slots"], 1);
    let streams = status["streams"].as_array().expect("streams");
    assert!(
        streams.iter().all(|stream| stream["present"] == true && stream["fault"].is_null()),
        "{status}"
    );
    let queues = status["queues"].as_array().expect("queues").iter();
    let queues: Vec<_> =
        queues.map(|queue| (queue["lane"].as_str(), queue["waiting"].as_u64())).collect();
    assert_eq!(queues, [(Some("live"), Some(0)), (Some("batch"), Some(0))], "{status}");
}

#[test]
fn server_faults_are_reported_with_the_reason() {
    let Some(program) = server_program() else { return };
    let refused = |url: &str, piece: &str| {
        let output = juror_nats(&["check", url]).output().expect("juror runs");
        let output_text = [output.stdout, output.stderr].concat();
        let output_text =
            String::from_utf8_lossy(&output_text).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            output.status.code() == Some(4) && output_text.contains(piece),
            "{url}: {output_text}"
        );
    };
    let nobody = format!("nats://localhost:{}", low_port());
    refused(&nobody, "refused");

    let cluster = Cluster::start(&program, |text| text);
    let other = Cluster::start(&program, |text| text);
    let [key, ca] = [("nats.key", &other), ("ca.crt", &cluster)]
        .map(|(file, of)| of.path("submitter").join(file).display().to_string());
    let place = format!("nats://localhost:{}", cluster.port);
    refused(&format!("{place}?key={key}&ca={ca}"), "it does not let us in");
    fill_server(&cluster.connect("submitter"));
    refused(&cluster.url("submitter"), "JOBS is another juror's: the version is null");

    // A server that reports an older version.
    let old = TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = old.local_addr().expect("its number");
    thread::spawn(move || {
        use std::io::{Read, Write};
        for mut client in old.incoming().map_while(Result::ok) {
            let info = r#"{"server_id":"S","server_name":"s","version":"2.9.10","go":"1","host":"h","port":1,"headers":true,"max_payload":1048576,"proto":1,"jetstream":true}"#;
            let _ = client.write_all(format!("INFO {info}\r\n").as_bytes());
            let mut buffer = [0; 4096];
            while client.read(&mut buffer).is_ok_and(|length| length > 0) {
                let _ = client.write_all(b"PONG\r\n");
            }
        }
    });
    refused(&format!("nats://{place}"), "its version is 2.9.10; 2.12 or newer is needed");
}
