//! What a worker's key allows and what it forbids: every call that a worker makes, and calls that it must not make.

use std::time::Instant;

use async_nats::ConnectOptions;

use crate::cluster::{Cluster, Session, TIMEOUT};
use crate::process::server_program;

/// The streams and their configurations, as submitters make them.
const STREAMS: [(&str, &str); 4] = [
    (
        "JOBS",
        r#"{"name":"JOBS","subjects":["job.>"],"retention":"workqueue","storage":"file","discard":"new","allow_direct":true}"#,
    ),
    (
        "RESULTS",
        r#"{"name":"RESULTS","subjects":["res.>"],"storage":"file","max_msgs_per_subject":1,"discard":"new","discard_new_per_subject":true,"allow_direct":true}"#,
    ),
    (
        "OBJ_CAS",
        r#"{"name":"OBJ_CAS","subjects":["$O.CAS.C.>","$O.CAS.M.>"],"storage":"file","discard":"new","allow_rollup_hdrs":true,"allow_direct":true}"#,
    ),
    (
        "WORKERS",
        r#"{"name":"WORKERS","subjects":["worker.>"],"storage":"memory","max_msgs_per_subject":1,"allow_direct":true}"#,
    ),
];

const CONSUMER: &str = r#"{"stream_name":"JOBS","config":{"durable_name":"live-c","name":"live-c","filter_subject":"job.live.c.>","ack_policy":"explicit","ack_wait":3000000000,"max_deliver":20}}"#;

const NEXT_SUBJECT: &str = "$JS.API.CONSUMER.MSG.NEXT.JOBS.live-c";
const ONE_MESSAGE: &str = r#"{"batch":1,"expires":10000000000}"#;

/// Makes the streams and three jobs, a blob, and a result of somebody else.
pub(super) fn fill_server(submitter: &Session) {
    for (name, settings) in STREAMS {
        let reply = submitter.request(&format!("$JS.API.STREAM.CREATE.{name}"), &[], settings);
        assert!(!reply.contains("\"error\""), "{reply}");
    }
    let reply =
        submitter.request("$JS.API.CONSUMER.CREATE.JOBS.live-c.job.live.c.>", &[], CONSUMER);
    assert!(!reply.contains("\"error\""), "{reply}");
    for (subject, body) in [
        ("job.live.c.b.u1", "a job"),
        ("job.live.c.b.u2", "a job"),
        ("job.live.c.b.u3", "a job"),
        ("$O.CAS.M.name", "{\"nuid\":\"n\"}"),
        ("$O.CAS.C.n", "a blob"),
        ("res.b.other", "of another"),
    ] {
        let stored = submitter.request(subject, &[], body);
        assert!(stored.contains("\"seq\""), "{subject}: {stored}");
    }
}

fn message_counts(submitter: &Session) -> [u64; 4] {
    STREAMS.map(|(name, _)| {
        let reply = submitter.request(&format!("$JS.API.STREAM.INFO.{name}"), &[], "");
        let info: serde_json::Value = serde_json::from_str(reply.trim()).expect("JSON");
        info["state"]["messages"].as_u64().unwrap_or_else(|| panic!("{name}: {info}"))
    })
}

/// The answer must contain `piece`.
fn check_allowed(
    worker: &Session,
    subject: &str,
    headers: &[(&str, &str)],
    body: &str,
    piece: &str,
) {
    let answer = worker.request(subject, headers, body);
    assert!(answer.contains(piece), "{subject}: {answer}");
}

/// The server must refuse the message.
fn check_forbidden(worker: &Session, subject: &str) {
    worker.publish(subject, &[], "{}", &format!("_INBOX.{}.x.y", worker.key));
    let refused = worker.next_refusal();
    let about = format!("Publish to \"{subject}\"").to_lowercase();
    assert!(refused.to_lowercase().contains(&about), "{subject}: {refused}");
}

#[test]
fn a_worker_can_call_only_what_its_work_needs() {
    let Some(program) = server_program() else { return };
    let cluster = Cluster::start(&program, |text| text);
    let submitter = cluster.connect("submitter");
    fill_server(&submitter);
    let [a, b] = ["workers/a", "workers/b"].map(|name| cluster.connect(name));

    // Calls that a worker needs.
    let unit = a.request_unit(NEXT_SUBJECT, ONE_MESSAGE);
    assert!(unit.ends_with("a job") && unit.contains("$JS.ACK.JOBS.live-c."), "{unit}");
    let ack = unit.split_whitespace().find(|word| word.starts_with("$JS.ACK")).expect("an address");
    check_allowed(&a, ack, &[], "+WPI", "");
    let asks = [("Nats-Expected-Last-Subject-Sequence", "18446744073709551615")];
    check_allowed(&a, "res.b.u1", &asks, "", "wrong last sequence: 0");
    check_allowed(&a, "res.b.u1", &[], "a result", "\"seq\":2");
    check_allowed(&a, "res.b.u1", &asks, "", "wrong last sequence: 2");
    check_allowed(&a, ack, &[], "+ACK", "");
    check_allowed(&a, "$JS.API.DIRECT.GET.OBJ_CAS.$O.CAS.M.name", &[], "", "nuid");
    let piece = r#"{"seq":1,"next_by_subj":"$O.CAS.C.n"}"#;
    check_allowed(&a, "$JS.API.DIRECT.GET.OBJ_CAS", &[], piece, "a blob");
    check_allowed(&a, &format!("worker.c.{}.1", a.key), &[], "here", "\"stream\":\"WORKERS\"");
    let others = r#"{"seq":1,"next_by_subj":"worker.>"}"#;
    check_allowed(&a, "$JS.API.DIRECT.GET.WORKERS", &[], others, "here");
    check_allowed(&a, "$SYS.REQ.USER.INFO", &[], "", "\"account\":\"WORKERS\"");
    let before = message_counts(&submitter);
    assert_eq!(before, [2, 2, 2, 1]);

    // No header can replace a stored message.
    check_allowed(&b, "res.b.u1", &[], "another", "\"err_code\":10077");
    check_allowed(&b, "res.b.u1", &[("Nats-Rollup", "sub")], "another", "rollup not permitted");
    check_allowed(&b, "res.b.u1", &[("Nats-Rollup", "all")], "another", "rollup not permitted");
    check_allowed(&b, "res.b.u1", &[("Nats-TTL", "1s")], "another", "TTL is disabled");
    let at =
        [("Nats-Schedule", "@at 2020-01-01T00:00:00Z"), ("Nats-Schedule-Target", "job.live.c.b.x")];
    check_allowed(&b, "res.b.u9", &at, "a job", "schedules is disabled");
    let result = submitter.request("$JS.API.DIRECT.GET.RESULTS.res.b.u1", &[], "");
    assert!(result.ends_with("a result"), "{result}");

    // Calls that a worker must not make.
    for subject in [
        "job.live.c.b.evil",
        "job.batch.c.b.evil",
        "$O.CAS.C.evil",
        "$O.CAS.M.evil",
        "$JS.API.INFO",
        "$JS.API.STREAM.NAMES",
        "$JS.API.STREAM.LIST",
        "$JS.API.STREAM.INFO.JOBS",
        "$JS.API.STREAM.CREATE.EVIL",
        "$JS.API.STREAM.UPDATE.RESULTS",
        "$JS.API.STREAM.PURGE.JOBS",
        "$JS.API.STREAM.PURGE.RESULTS",
        "$JS.API.STREAM.DELETE.JOBS",
        "$JS.API.STREAM.MSG.DELETE.RESULTS",
        "$JS.API.STREAM.MSG.GET.RESULTS",
        "$JS.API.STREAM.SNAPSHOT.RESULTS",
        "$JS.API.STREAM.RESTORE.RESULTS",
        "$JS.API.STREAM.LEADER.STEPDOWN.JOBS",
        "$JS.API.CONSUMER.CREATE.JOBS",
        "$JS.API.CONSUMER.CREATE.JOBS.evil.job.>",
        "$JS.API.CONSUMER.DURABLE.CREATE.JOBS.evil",
        "$JS.API.CONSUMER.DELETE.JOBS.live-c",
        "$JS.API.CONSUMER.PAUSE.JOBS.live-c",
        "$JS.API.CONSUMER.LIST.JOBS",
        "$JS.API.CONSUMER.INFO.JOBS.live-c",
        "$JS.API.CONSUMER.MSG.NEXT.RESULTS.any",
        "$JS.API.DIRECT.GET.RESULTS",
        "$JS.API.DIRECT.GET.RESULTS.res.b.other",
        "$JS.API.DIRECT.GET.RESULTS.res.>",
        "$JS.API.DIRECT.GET.JOBS",
        "$JS.API.DIRECT.GET.JOBS.job.live.c.b.u2",
        "$JS.API.DIRECT.GET.WORKERS.worker.>",
        "$JS.API.ACCOUNT.PURGE.JUROR",
        "$JS.ACK.RESULTS.any.1.1.1.0.0",
        "$SYS.REQ.SERVER.PING",
        "$SYS.REQ.SERVER.PING.JSZ",
        "$SYS.REQ.ACCOUNT.PING.CONNZ",
        "$SYS.REQ.ACCOUNT.JUROR.CONNZ",
        "$SYS.ACCOUNT.JUROR.CONNECT",
        &format!("worker.c.{}.1", b.key),
        &format!("_INBOX.{}.1", b.key),
        "_R_.any",
    ] {
        check_forbidden(&a, subject);
    }
    for subject in [
        ">",
        "_INBOX.>",
        &format!("_INBOX.{}.>", b.key),
        &format!("_INBOX.{}.>", submitter.key),
        "_R_.>",
        "job.>",
        "res.>",
        "worker.>",
        "$JS.>",
        "$O.>",
        "$SYS.>",
    ] {
        a.subscribe(subject);
        let refused = a.next_refusal();
        assert!(refused.to_lowercase().contains("for subscription to"), "{subject}: {refused}");
    }

    // The reply to a call must not reach a subject that the caller may not publish on.
    check_reply_subjects(&a);
    check_allowed(&a, "$JS.API.DIRECT.GET.OBJ_CAS.$O.CAS.M.name", &[], "", "nuid");
    let after = message_counts(&submitter);
    assert_eq!([after[0], after[2], after[3]], [before[0], before[2], before[3]]);
    let reply = submitter.request("$JS.API.DIRECT.GET.RESULTS.res.b.victim", &[], "");
    assert!(reply.starts_with("404"), "{reply}");
    // A subject with wildcards is a separate subject that no one uses.
    check_allowed(&a, "res.b.*", &[], "any", "\"seq\"");
    let reply = submitter.request("$JS.API.DIRECT.GET.RESULTS.res.b.victim", &[], "");
    assert!(reply.starts_with("404"), "{reply}");
}

/// Each call names a forbidden subject for its reply.
fn check_reply_subjects(worker: &Session) {
    let piece = r#"{"seq":1,"next_by_subj":"$O.CAS.C.n"}"#;
    let key = &worker.key;
    for (number, reply_subject) in [
        "$JS.API.STREAM.PURGE.JOBS",
        "$JS.API.STREAM.DELETE.RESULTS",
        "job.live.c.b.evil",
        "res.b.victim",
        "worker.c.deputy.1",
        "$O.CAS.C.evil",
    ]
    .into_iter()
    .enumerate()
    {
        let more = r#"{"batch":1,"no_wait":true}"#;
        worker.publish(NEXT_SUBJECT, &[], more, reply_subject);
        // The server answers these with a status and no body, as it may answer a request to purge.
        worker.publish(NEXT_SUBJECT, &[], "no JSON", reply_subject);
        worker.publish("$JS.API.DIRECT.GET.OBJ_CAS.$O.CAS.M.none", &[], "", reply_subject);
        worker.publish(&format!("res.b.deputy{number}"), &[], "", reply_subject);
        worker.publish("$JS.API.DIRECT.GET.OBJ_CAS.$O.CAS.M.name", &[], "", reply_subject);
        worker.publish("$JS.API.DIRECT.GET.OBJ_CAS", &[], piece, reply_subject);
        worker.publish(&format!("worker.c.{key}.1"), &[], "", reply_subject);
        let others = r#"{"seq":1,"next_by_subj":"worker.>"}"#;
        worker.publish("$JS.API.DIRECT.GET.WORKERS", &[], others, reply_subject);
        worker.publish("$SYS.REQ.USER.INFO", &[], "", reply_subject);
    }
}

/// This is why workers have an account of their own, without the streams.
#[test]
fn without_a_second_account_a_worker_could_delete_results() {
    let Some(program) = server_program() else { return };
    let cluster = Cluster::start(&program, |text| {
        // The workers move to the account of the submitters.
        let (before, users) = text.split_once("      # a\n").expect("the workers");
        let (workers, _) = users.rsplit_once("    ]\n  }\n}\n").expect("their end");
        let (head, _) =
            before.split_once("    imports: [\n      { service: { account: SYS").expect("imports");
        let (head, submitter) = head.rsplit_once("    users: [\n").expect("users");
        let submitter = submitter.strip_suffix("    ]\n").expect("their end");
        format!("{head}    users: [\n{submitter}{workers}    ]\n  }}\n}}\n")
    });
    let submitter = cluster.connect("submitter");
    fill_server(&submitter);
    let worker = cluster.connect("workers/a");
    check_forbidden(&worker, "$JS.API.STREAM.PURGE.JOBS");
    assert_eq!(message_counts(&submitter)[0], 3);
    check_reply_subjects(&worker);
    let end = Instant::now() + TIMEOUT;
    let info = || submitter.request("$JS.API.STREAM.INFO.RESULTS", &[], "");
    while !info().contains("stream not found") {
        assert!(Instant::now() < end, "the server does not do what is known of it: {}", info());
    }
}

#[test]
fn a_client_without_a_key_is_refused() {
    let Some(program) = server_program() else { return };
    let cluster = Cluster::start(&program, |text| text);
    let authority = cluster.path("workers/a/ca.crt");
    let refused = |options: ConnectOptions, piece: &str| {
        let error = cluster.session(options, String::new()).err().unwrap_or_default();
        assert!(error.to_lowercase().contains(piece), "{error}");
    };
    let trusting = || ConnectOptions::new().add_root_certificates(authority.clone());
    refused(trusting(), "authorization violation");
    let other = nkeys::KeyPair::new_user().seed().expect("a seed");
    refused(trusting().nkey(other), "authorization violation");
    refused(trusting().user_and_password("a".into(), "a".into()), "authorization violation");
    // A client without the certificate authority does not talk to the server.
    refused(ConnectOptions::new(), "unknownissuer");
}
