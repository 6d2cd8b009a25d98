//! Sizes, numbers of connections, and how the server ends.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::process::{JSON, Reply, Server, kill, read_until};

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

/// Heads and bodies that never end hold nobody up, and are closed.
#[test]
fn who_sends_slowly_is_closed() {
    let server = Server::start(&["--connections", "5"]);
    let head = b"POST /run_code HTTP/1.1\r\nHost: localhost\r\n";
    let body = format!("Content-Type: {JSON}\r\nContent-Length: 9\r\n\r\n{{");
    let mut slow: Vec<_> = (0..4).map(|_| server.connect()).collect();
    for (number, stream) in slow.iter_mut().enumerate() {
        stream.write_all(head).expect("it is taken");
        if number % 2 == 1 {
            stream.write_all(body.as_bytes()).expect("it is taken");
        }
    }
    assert_eq!(run(&server, "print(1)", 5.0).status, 200);
    let statuses: Vec<u16> = slow.into_iter().map(|stream| Reply::read(stream).status).collect();
    assert_eq!(statuses, [0, 408, 0, 408], "without a head, there is nothing to answer");
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
    let runs =
        |number: u8| server.get("/metrics").body.contains(&format!("juror_running {number}"));
    let body = json!({ "code": "while True: pass", "language": "python", "run_timeout": 3000 });
    let mut clients: Vec<_> =
        (0..2).map(|_| server.start_post("/run_code", JSON, &body.to_string())).collect();
    while !runs(1) {}
    drop(clients.pop());
    assert!(runs(1), "one client still waits");
    drop(clients);
    while !runs(0) {}
    // The same of a stream of lines, the first of which is done.
    let line = |text: &str| {
        json!({ "source": { "language": "python3", "text": text }, "limits": { "time": 3000 },
            "cases": [{ "input": "", "answer": "1" }] })
    };
    let lines = [line("print(1)"), line("while True: pass"), line("while True: 1")];
    let lines = lines.map(|line| line.to_string() + "\n").concat();
    let mut client = server.start_post("/grade", "application/x-ndjson", &lines);
    assert!(read_until(&mut client, "AC"));
    while !runs(1) {}
    drop(client);
    // The only slot is free long before the program's own limit.
    assert_eq!(run(&server, "print(1)", 5.0).json()["run_result"]["stdout"], "1\n");
    assert!(runs(0));
}

/// Both workers are killed while all programs wait or run.
#[test]
fn a_worker_that_dies_costs_no_answer() {
    let juror = Path::new(env!("CARGO_BIN_EXE_juror-serve")).with_file_name("juror");
    if !juror.is_file() {
        _ = writeln!(std::io::stderr(), "SKIPPED: no juror here: build it first, for its workers");
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let workers = ["a", "b"].map(|name| {
        let text = format!(
            "echo $$ >> '{}'\nexec '{}' worker --stdio --jobs 1\n",
            path("ids"),
            juror.display()
        );
        fs::write(path(name), text).expect("a file");
        format!("sh {}", path(name))
    });
    let server = Server::start(&["--executor", &workers[0], "--executor", &workers[1]]);
    let outputs: Vec<Value> = thread::scope(|scope| {
        let server = &server;
        let ask = |number: usize| {
            let code = format!("import time\ntime.sleep(1)\nprint({number})");
            run(server, &code, 20.0).json()["run_result"]["stdout"].clone()
        };
        let all: Vec<_> = (0..12).map(|number| scope.spawn(move || ask(number))).collect();
        while !server.get("/metrics").body.contains("juror_running 2") {}
        for id in fs::read_to_string(path("ids")).expect("their numbers").lines() {
            kill(id.parse().expect("a number"), libc::SIGKILL);
        }
        all.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    let expected: Vec<_> = (0..12).map(|number| json!(format!("{number}\n"))).collect();
    assert_eq!(outputs, expected);
    let started = fs::read_to_string(path("ids")).expect("their numbers").lines().count();
    assert!(started > 2, "{started} workers started");
}
