//! Sizes, numbers of connections, and how the server ends.

use std::io::Write;
use std::thread;

use serde_json::{Value, json};

use crate::process::{JSON, Reply, Server};

/// Runs a program in Python as SandboxFusion does.
fn run(server: &Server, code: &str, run_timeout: f64) -> Reply {
    let body = json!({ "code": code, "language": "python", "run_timeout": run_timeout });
    server.post("/run_code", &body)
}

#[test]
fn what_is_too_large_or_cut_is_refused() {
    let server = Server::start(&[]);
    let head = |length: &str| {
        format!(
            "POST /run_code HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {JSON}\r\n{length}\r\n\r\n"
        )
    };
    let large = server.send(head("Content-Length: 67108865").as_bytes());
    assert_eq!(large.status, 413, "{}", large.body);
    let mut cut = server.connect();
    cut.write_all((head("Content-Length: 100") + "{").as_bytes()).expect("it is taken");
    drop(cut);
    let many =
        server.send(format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(20_000)).as_bytes());
    assert_eq!(many.status, 431);
    assert_eq!(server.send(b"\x16\x03\x01 what\r\n\r\n").status, 400);
    assert_eq!(run(&server, "print(1)", 5.0).status, 200);
}

#[test]
fn endless_output_and_forks_end_and_the_server_stays_small() {
    let server = Server::start(&[]);
    let reply = run(&server, "while True: print('x' * 1000000)", 60.0).json();
    assert_eq!(reply["status"], "Failed");
    assert_eq!(reply["run_result"]["stdout"].as_str().expect("a text").len(), 1 << 20);
    let reply =
        run(&server, "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", 1.0);
    assert_eq!(reply.json()["run_result"]["status"], "TimeLimitExceeded");
    let memory =
        json!({ "code": "x = bytearray(1 << 29)", "language": "python", "memory_limit_MB": 64 });
    let reply = server.post("/run_code", &memory).json();
    assert_eq!(
        (&reply["status"], &reply["run_result"]["status"]),
        (&json!("Failed"), &json!("Finished"))
    );
    assert_eq!(run(&server, "print(1)", 5.0).json()["run_result"]["stdout"], "1\n");
    assert!(server.peak_kib() < 200 << 10, "{} KiB", server.peak_kib());
}

#[test]
fn many_connections_are_answered() {
    let server = Server::start(&["--connections", "600"]);
    let mut idle: Vec<_> = (0..500).map(|_| server.connect()).collect();
    assert_eq!(server.get("/health").status, 200);
    let request = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    idle.iter_mut().for_each(|stream| stream.write_all(request).expect("it is taken"));
    assert!(idle.into_iter().map(Reply::read).all(|reply| reply.status == 200));
    for _ in 0..2000 {
        assert_eq!(server.get("/health").status, 200);
    }
    // One beyond the bound waits, and is answered when another one leaves.
    let few = Server::start(&["--connections", "1"]);
    let first = few.connect();
    thread::scope(|scope| {
        let second = scope.spawn(|| few.get("/health").status);
        drop(first);
        assert_eq!(second.join().expect("an answer"), 200);
    });
}

#[test]
fn a_full_queue_refuses_and_equal_requests_share_a_place() {
    let server = Server::start(&["--queue", "2", "--jobs", "1"]);
    let line = |number: usize| {
        json!({ "source": { "language": "python3", "text": format!("import time\ntime.sleep(2)\nprint({number})") },
            "limits": { "time": 5 }, "cases": [{ "input": "", "answer": number.to_string() }] })
    };
    let ask = |number: usize| {
        let reply = server.post("/grade", &line(number));
        (reply.status, reply.head.contains("retry-after"), reply.json()["verdict"].clone())
    };
    // Four times the same, and six others: two places hold at most two of them.
    let answers: Vec<(u16, bool, Value)> = thread::scope(|scope| {
        let numbers = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6];
        let all = numbers.map(|number| scope.spawn(move || ask(number)));
        all.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    let accepted = answers.iter().filter(|(status, ..)| *status == 200);
    assert!(accepted.clone().all(|(.., verdict)| verdict == "AC"), "{answers:?}");
    assert!(accepted.count() > 0, "{answers:?}");
    let refused = answers.iter().filter(|(status, ..)| *status != 200);
    assert!(refused.clone().all(|(status, retry, _)| *status == 429 && *retry), "{answers:?}");
    assert!(refused.count() > 0, "{answers:?}");
}

#[test]
fn sigterm_finishes_what_runs_and_refuses_what_waits() {
    let server = Server::start(&["--jobs", "1"]);
    let ask = |number: usize| {
        run(&server, &format!("import time\ntime.sleep(6)\nprint({number})"), 20.0).status
    };
    let statuses: Vec<u16> = thread::scope(|scope| {
        let all = [0, 1, 2].map(|number| scope.spawn(move || ask(number)));
        let is_there =
            |text: String| text.contains("juror_running 1") && text.contains("juror_queue 2");
        while !is_there(server.get("/metrics").body) {}
        server.signal(libc::SIGTERM);
        all.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    let mut sorted = statuses.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [200, 504, 504]);
    assert_eq!(server.wait(), Some(0));
}

#[test]
fn a_run_ends_when_its_clients_have_left() {
    let server = Server::start(&["--jobs", "1"]);
    let body = json!({ "code": "while True: pass", "language": "python", "run_timeout": 3000 });
    let body = body.to_string();
    let mut clients: Vec<_> = (0..2).map(|_| server.connect()).collect();
    for client in &mut clients {
        let length = body.len();
        let head =
            format!("POST /run_code HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\n");
        write!(client, "{head}Content-Length: {length}\r\n\r\n{body}").expect("it is taken");
    }
    let runs =
        |number: u8| server.get("/metrics").body.contains(&format!("juror_running {number}"));
    while !runs(1) {}
    drop(clients.pop());
    assert!(runs(1), "one client still waits");
    drop(clients);
    // The only slot is free long before the program's own limit.
    assert_eq!(run(&server, "print(1)", 5.0).json()["run_result"]["stdout"], "1\n");
    assert!(runs(0));
}
