//! Workers and servers that are killed, stopped, or full.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use juror::executor::Executor;
use juror::executor::parallel::on_threads;
use juror::model::job::{Job, Reply};
use juror::model::outcome::Ending;
use juror::model::stop::Stop;
use juror::remote::nats::link::{Link, Outgoing};
use juror::remote::nats::presence::present_workers;
use juror::remote::workers::Workers;
use serde_json::Value;

use crate::nats::server::{Cut, Server, SmallDisk, Worker, free_port, program};
use crate::nats::{
    Thread, brief_server, bytes, check_echo, connect, connect_to, counted, echo, job, kept,
};
use crate::scripted::Scripted;

/// Runs `jobs` programs with different exit codes, and calls `disturb` with the number of finished ones. Each must
/// finish once, with its own exit code.
fn check_all_end(client: &Workers, jobs: usize, disturb: impl Fn(usize) + Sync) {
    let (next, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let codes = Mutex::new(Vec::new());
    on_threads(client.slots().min(jobs), || {
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            if number >= jobs {
                return;
            }
            let code = number % 200;
            let reply = client.run_job(&job(&["/bin/sh", "-c", &format!("exit {code}")], b""));
            let reply = reply.unwrap_or_else(|stop| panic!("{number}: {stop:?}"));
            assert_eq!(reply.outcome.ending, Ending::Exited(code as i32), "{number}");
            codes.lock().unwrap_or_else(PoisonError::into_inner).push(code);
            disturb(ended.fetch_add(1, Ordering::SeqCst) + 1);
        }
    });
    let codes = counted(codes.into_inner().unwrap());
    let expected = counted((0..jobs).map(|number| number % 200));
    assert_eq!(codes, expected);
    let programs: usize = client.report().iter().map(|worker| worker.programs).sum();
    assert_eq!(programs, jobs);
}

/// A server, two workers with one slot each, and a client.
fn started() -> Option<(Server, [Worker; 2], Workers)> {
    let server = Server::start()?;
    let url = server.url();
    let workers = [Worker::start(&url, &["--jobs", "1"]), Worker::start(&url, &["--jobs", "1"])];
    let client = connect_to(&url, 2);
    Some((server, workers, client))
}

#[test]
fn units_of_a_worker_that_is_killed_or_stopped_go_to_another() {
    for signal in ["KILL", "STOP"] {
        let Some((_server, workers, client)) = started() else { return };
        check_all_end(&client, 60, |ended| {
            if ended == 20 {
                workers[0].send(signal);
            }
        });
    }
}

#[test]
fn a_worker_waits_for_its_server_and_ends_without_it() {
    if program().is_none() {
        return;
    }
    let started = |port: u16, piece: &str| {
        let url = format!("nats://127.0.0.1:{port}");
        let (worker, mut said) = Worker::heard(&url, &[]);
        let line = said.next().expect("it says something");
        assert!(line.contains(&url) && line.contains(piece), "{line}");
        (worker, said, url)
    };
    let (worker, _said, _) = started(free_port(), "tries until it can");
    assert!(worker.ends(), "one that waits");
    let (worker, _said, _) = started(brief_server("2.12.0", 1), "takes jobs from");
    assert!(worker.ends(), "one that lost its server at once");
    let port = free_port();
    let (worker, mut said, url) = started(port, "tries until it can");
    let server = Server::at(port, |store| format!("jetstream {{ store_dir: '{store}' }}\n"));
    assert!(said.next().is_some_and(|line| line.contains("takes jobs from")));
    check_echo(&connect_to(&url, 1), 10);
    server.unwrap().end("KILL");
    assert!(worker.ends(), "one whose server has gone");
}

#[test]
fn work_goes_on_when_the_server_is_back() {
    for signal in ["KILL", "TERM"] {
        let Some((server, _workers, client)) = started() else { return };
        check_all_end(&client, 60, |ended| {
            if ended == 20 {
                server.end(signal);
                server.again();
            }
        });
    }
}

/// Kills workers and the server `kills` times while `jobs` units run.
fn check_chaos(jobs: usize, kills: usize) {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    let start = || Worker::start(&url, &["--jobs", "1"]);
    let workers = [start(), start()].map(Mutex::new);
    let client = connect_to(&url, 2);
    check_all_end(&client, jobs, |ended| {
        // At different but fixed times.
        let every = jobs / (kills + 1);
        let (number, is_now) = (ended / every, (ended + ended / every * 7).is_multiple_of(every));
        if !is_now || number == 0 || number > kills {
            return;
        }
        match number % 3 {
            0 => {
                server.end("KILL");
                server.again();
            }
            worker => {
                let mut worker = workers[worker - 1].lock().unwrap();
                *worker = start();
            }
        }
    });
}

#[test]
fn each_unit_ends_once_whoever_is_killed() {
    check_chaos(200, 4);
}

mod quiet {
    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    fn each_of_ten_thousand_units_ends_once_whoever_is_killed() {
        super::check_chaos(10_000, 10);
    }
}

#[test]
fn a_unit_with_which_all_workers_are_lost_is_given_up() {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    // Returns every unit, like a worker that ends.
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let executor = Scripted::new(1, move |_: &Job| {
        count.fetch_add(1, Ordering::SeqCst);
        Err(Stop::Interrupted)
    });
    let _worker = Thread::start(&url, "a", executor);
    let client = connect(&url);
    let Err(Stop::Fault(error)) = client.run_job(&job(&["/x"], b"")) else { panic!("a fault") };
    assert!(
        error.reason.contains("it failed 5 times; the last time: it was asked to end"),
        "{error}"
    );
    assert_eq!(asked.load(Ordering::SeqCst), 5);
    assert!(!client.last_remarks().is_empty());
}

#[test]
fn a_connection_that_is_cut_within_a_blob_loses_nothing() {
    let Some(server) = Server::start() else { return };
    let (near, far) = (Cut::before(&server), Cut::before(&server));
    let url = |cut: &Cut| format!("nats://127.0.0.1:{}", cut.port);
    let _worker = Thread::start(&url(&far), "a", Scripted::new(1, echo));
    let client = connect(&url(&near));
    check_echo(&client, 10);
    for length in [1_000_000, 1_500_000] {
        near.after(length / 2);
        check_echo(&client, length);
        assert!(near.is_cut());
    }
    for length in [1_700_000, 1_900_000] {
        // Results travel in the other direction.
        far.after(length / 2);
        check_echo(&client, length);
        assert!(far.is_cut());
    }
}

/// A server with room for three megabytes.
fn small_server() -> Option<Server> {
    Server::with(|store| {
        let room = "max_file_store: 3000000, sync_interval: always";
        format!("jetstream {{ store_dir: '{store}', {room} }}\n")
    })
}

#[test]
fn a_server_without_room_is_told_and_the_next_one_works() {
    let Some(server) = small_server() else { return };
    let _worker = Thread::start(&server.url(), "a", Scripted::new(1, echo));
    let client = connect(&server.url());
    check_echo(&client, 100_000);
    check_full(&client);
    check_echo(&client, 10);
}

#[test]
fn a_full_disk_is_told_and_with_more_room_work_goes_on() {
    let Some(server) = Server::start() else { return };
    server.end("TERM");
    let Some(disk) = SmallDisk::at(&server.store(), "8m") else { return };
    server.again();
    let _worker = Thread::start(&server.url(), "a", Scripted::new(1, echo));
    let full = connect(&server.url());
    check_echo(&full, 100_000);
    check_full(&full);
    drop(full);
    // The server stays unusable until it has room and is restarted.
    server.end("KILL");
    disk.resize("64m");
    server.again();
    check_echo(&connect(&server.url()), 20_000_000);
}

/// A blob without room makes the run fail, with the reason.
fn check_full(client: &Workers) {
    let Err(Stop::Fault(error)) = client.run_job(&job(&["/bin/cat"], &bytes(20_000_000))) else {
        panic!("a fault")
    };
    assert_eq!(error.step, "send a job to the server", "{error}");
}

#[test]
fn a_result_without_room_is_told_with_the_reason() {
    let Some(server) = small_server() else { return };
    let long = Scripted::new(1, |job: &Job| {
        echo(job).map(|reply| Reply { stdout: bytes(20_000_000).into(), ..reply })
    });
    let _worker = Thread::start(&server.url(), "a", long);
    let client = connect(&server.url());
    let Err(Stop::Fault(error)) = client.run_job(&job(&["/bin/cat"], b"")) else {
        panic!("a fault")
    };
    let reason = "it failed 5 times; the last time: the server did not store it: ";
    assert!(error.reason.starts_with(reason), "{error}");
}

#[test]
fn a_worker_that_ends_is_not_counted_and_what_nobody_waits_for_is_not_kept() {
    let Some(server) = Server::start() else { return };
    let link = server.link();
    let (begun, has_begun) = channel();
    let (go, may_go) = channel::<()>();
    let (begun, may_go) = (Mutex::new(begun), Mutex::new(may_go));
    let executor = Scripted::new(2, move |job: &Job| {
        if job.command.argv[0] == "/wait" {
            begun.lock().unwrap().send(()).unwrap();
            let _ = may_go.lock().unwrap().recv();
        }
        echo(job)
    });
    let worker = Thread::start(&server.url(), "a", executor);
    let client = connect(&server.url());
    thread::scope(|scope| {
        scope.spawn(|| client.run_job(&job(&["/wait"], b"")));
        has_begun.recv().unwrap();
        client.stop();
    });
    drop(client);
    // Fills the stream of the result.
    assert_eq!((kept(&link, "JOBS"), kept(&link, "RESULTS")), (0, 1));
    let is_empty = || {
        let found = link.request(&Outgoing::new(
            "$JS.API.DIRECT.GET.RESULTS",
            br#"{"seq":1,"next_by_subj":"res.>"}"#,
        ));
        found.unwrap().payload.is_empty()
    };
    assert!(is_empty());
    go.send(()).unwrap();
    let other = connect(&server.url());
    (0..3).for_each(|_| check_echo(&other, 10));
    drop(other);
    assert!(kept(&link, "RESULTS") == 1 && is_empty());

    assert_eq!(present_workers(&link).unwrap().present.len(), 1);
    drop(worker);
    // The server stores the farewell of a worker at once, and forgets a worker without one after ten seconds.
    let end = Instant::now() + Duration::from_secs(5);
    while !present_workers(&link).unwrap().present.is_empty() {
        assert!(Instant::now() < end, "it is still counted");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(present_workers(&link).unwrap().others, 0);
}

/// Three servers that replicate all data.
fn cluster() -> Option<[Server; 3]> {
    let routes = [free_port(), free_port(), free_port()];
    let ports = [free_port(), free_port(), free_port()];
    let all = routes.map(|port| format!("nats://127.0.0.1:{port}")).join(", ");
    let server = |index: usize| {
        Server::at(ports[index], |store| {
            format!(
                "server_name: s{index}\njetstream {{ store_dir: '{store}', sync_interval: always }}\n\
                 cluster {{ name: c, listen: '127.0.0.1:{}', routes: [{all}] }}\n",
                routes[index]
            )
        })
    };
    Some([server(0)?, server(1)?, server(2)?])
}

fn leader(link: &Link, stream: &str) -> Option<usize> {
    let answer = link.request(&Outgoing::new(format!("$JS.API.STREAM.INFO.{stream}"), b"")).ok()?;
    let answer: Value = serde_json::from_slice(&answer.payload).ok()?;
    answer["cluster"]["leader"].as_str()?.strip_prefix('s')?.parse().ok()
}

#[test]
fn work_goes_on_when_the_leader_of_three_servers_is_killed() {
    let Some(servers) = cluster() else { return };
    let hosts: Vec<String> = servers.iter().map(|it| format!("127.0.0.1:{}", it.port)).collect();
    let url = format!("nats://{}", hosts.join(","));
    let _workers = [Worker::start(&url, &["--jobs", "1"]), Worker::start(&url, &["--jobs", "1"])];
    let client = connect_to(&url, 2);
    let is_killed = AtomicBool::new(false);
    check_all_end(&client, 60, |ended| {
        if ended == 20 {
            let leader = leader(&servers[0].link(), "JOBS").expect("a leader");
            servers[leader].end("KILL");
            is_killed.store(true, Ordering::SeqCst);
        }
    });
    assert!(is_killed.load(Ordering::SeqCst));
}
