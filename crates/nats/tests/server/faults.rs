//! Workers and servers that are killed, stopped, or full.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use juror_core::job::{Job, JobReply};
use juror_core::outcome::Ending;
use juror_core::stop::Stop;
use juror_nats::link::OutgoingMessage;
use juror_remote::workers::Workers;
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::parallel::on_threads;
use juror_sandbox::executor::scripted::ScriptedExecutor;

use crate::jobs::{
    WorkerThread, check_echo, connect, connect_to_workers, count_equal, echo_job, echo_output,
    prepare, run_echo, short_lived_server,
};
use crate::process::{
    CuttableProxy, Server, SmallDisk, Worker, free_port, send_signal, server_program,
    submit_command,
};

/// Runs `jobs` programs with different exit codes, and calls `disturb` with the number of finished ones. Each must
/// finish once, with its own exit code.
fn check_all_finish(client: &Workers, jobs: usize, disturb: impl Fn(usize) + Sync) {
    let (next, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let codes = Mutex::new(Vec::new());
    on_threads(client.slots().min(jobs), || {
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            if number >= jobs {
                return;
            }
            let code = number % 200;
            let reply = client.run_job(&echo_job(&["/bin/sh", "-c", &format!("exit {code}")], b""));
            let reply = reply.unwrap_or_else(|stop| panic!("{number}: {stop:?}"));
            assert_eq!(reply.outcome.ending, Ending::Exited(code as i32), "{number}");
            codes.lock().unwrap_or_else(PoisonError::into_inner).push(code);
            disturb(ended.fetch_add(1, Ordering::SeqCst) + 1);
        }
    });
    let codes = count_equal(codes.into_inner().unwrap());
    let expected = count_equal((0..jobs).map(|number| number % 200));
    assert_eq!(codes, expected);
    let programs: usize = client.report().iter().map(|worker| worker.programs).sum();
    assert_eq!(programs, jobs);
}

/// A server, two workers with one slot each, and a client.
fn start_cluster() -> Option<(Server, [Worker; 2], Workers)> {
    let server = Server::start()?;
    let url = server.url();
    prepare(&url);
    let workers = [Worker::start(&url), Worker::start(&url)];
    let client = connect_to_workers(&server, &url, 2);
    Some((server, workers, client))
}

#[test]
fn units_of_a_killed_or_stopped_worker_go_to_another() {
    for signal in ["KILL", "STOP"] {
        let Some((_server, workers, client)) = start_cluster() else { return };
        check_all_finish(&client, 60, |ended| {
            if ended == 20 {
                workers[0].send_signal(signal);
            }
        });
    }
}

#[test]
fn a_worker_waits_for_its_server_and_ends_without_it() {
    if server_program().is_none() {
        return;
    }
    let start = |port: u16| {
        let url = format!("nats://127.0.0.1:{port}");
        let (worker, lines) = Worker::with_stderr(&url);
        (worker, lines, url)
    };
    let (worker, mut lines, url) = start(free_port());
    let line = lines.next().expect("it says something");
    assert!(line.contains(&url) && line.contains("tries until it can"), "{line}");
    assert!(worker.stop(), "one that waits");
    let (worker, _lines, _) = start(short_lived_server("2.12.0", 1));
    thread::sleep(Duration::from_millis(500));
    assert!(worker.stop(), "one that lost its server at once");
    let port = free_port();
    let (worker, mut lines, url) = start(port);
    assert!(lines.next().is_some_and(|line| line.contains("tries until it can")));
    let server = Server::start_at(port, |store| format!("jetstream {{ store_dir: '{store}' }}\n"));
    let server = server.expect("there is a program");
    prepare(&url);
    assert!(lines.next().is_some_and(|line| line.contains("takes jobs from")));
    check_echo(&connect_to_workers(&server, &url, 1), 10);
    server.stop("KILL");
    assert!(worker.stop(), "one whose server has gone");
}

/// Kills `juror-nats submit` when so many runs have ended.
fn check_killed_submitter(kills: &[usize]) -> Option<(Workers, Server, [Worker; 2])> {
    let server = Server::start()?;
    let url = server.url();
    prepare(&url);
    let workers = [Worker::start(&url), Worker::start(&url)];
    server.wait_for_workers(2);
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("pid");
    // The shell becomes the program, with its number.
    let submit = submit_command(&url).command;
    let mut command = std::process::Command::new("/bin/sh");
    command.args(["-c", "echo $$ > $0; exec \"$@\""]).arg(&file);
    command.arg(submit.get_program()).args(submit.get_args());
    let connection = juror_remote::link::WorkerConnection { name: "submit".to_owned(), command };
    let pipes = connection.open().expect("it starts");
    let client = Workers::connect(vec![("submit".to_owned(), pipes)], None, |_| Ok(()));
    let client = client.expect("it is ready");
    check_all_finish(&client, 60, |ended| {
        if kills.contains(&ended) {
            let number = std::fs::read_to_string(&file).expect("a number");
            send_signal("KILL", number.trim().parse().expect("a number"));
        }
    });
    Some((client, server, workers))
}

#[test]
fn a_killed_submitter_is_started_once_more_and_loses_nothing() {
    let Some((client, server, _workers)) = check_killed_submitter(&[20]) else { return };
    let remarks = format!("{:?}", client.all_diagnostics());
    assert!(remarks.contains("this worker was started once more: it ended with"), "{remarks}");
    drop(client);
    assert_eq!((server.message_count("RESULTS"), server.message_count("JOBS")), (0, 0));
}

#[test]
fn work_goes_on_when_the_server_is_back() {
    for signal in ["KILL", "TERM"] {
        let Some((server, _workers, client)) = start_cluster() else { return };
        check_all_finish(&client, 60, |ended| {
            if ended == 20 {
                server.stop(signal);
                server.restart();
            }
        });
    }
}

/// Kills workers and the server `kills` times while `jobs` units run.
fn check_random_kills(jobs: usize, kills: usize) {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    let start = || Worker::start(&url);
    prepare(&url);
    let workers = [start(), start()].map(Mutex::new);
    let client = connect_to_workers(&server, &url, 2);
    check_all_finish(&client, jobs, |ended| {
        // At different but fixed times.
        let every = jobs / (kills + 1);
        let (number, is_now) = (ended / every, (ended + ended / every * 7).is_multiple_of(every));
        if !is_now || number == 0 || number > kills {
            return;
        }
        match number % 3 {
            0 => {
                server.stop("KILL");
                server.restart();
            }
            worker => {
                let mut worker = workers[worker - 1].lock().unwrap();
                *worker = start();
            }
        }
    });
}

#[test]
fn each_unit_finishes_once_despite_kills() {
    check_random_kills(200, 4);
}

mod quiet {
    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    fn each_of_ten_thousand_units_finishes_once_despite_kills() {
        super::check_random_kills(10_000, 10);
    }
}

#[test]
fn a_unit_that_loses_every_worker_is_given_up() {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    // Returns every unit, like a worker that ends.
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let executor = ScriptedExecutor::new(1, move |_: &Job| {
        count.fetch_add(1, Ordering::SeqCst);
        Err(Stop::Interrupted)
    });
    let _worker = WorkerThread::start(&url, "a", executor);
    let client = connect(&url);
    let Err(Stop::Fault(error)) = client.run_job(&echo_job(&["/x"], b"")) else {
        panic!("a fault")
    };
    assert!(
        error.reason.contains("it failed 5 times; the last time: it was asked to end"),
        "{error}"
    );
    assert_eq!(asked.load(Ordering::SeqCst), 5);
    assert!(!client.all_diagnostics().is_empty());
}

#[test]
fn a_connection_cut_within_a_blob_loses_nothing() {
    let Some(server) = Server::start() else { return };
    let (near, far) = (CuttableProxy::start(&server), CuttableProxy::start(&server));
    let url = |cut: &CuttableProxy| format!("nats://127.0.0.1:{}", cut.port);
    let _worker = WorkerThread::start(&url(&far), "a", ScriptedExecutor::new(1, run_echo));
    let client = connect(&url(&near));
    check_echo(&client, 10);
    for length in [1_000_000, 1_500_000] {
        near.cut_after(length / 2);
        check_echo(&client, length);
        assert!(near.is_cut());
    }
    for length in [1_700_000, 1_900_000] {
        // Results travel in the other direction.
        far.cut_after(length / 2);
        check_echo(&client, length);
        assert!(far.is_cut());
    }
}

/// A server with room for three megabytes.
fn small_server() -> Option<Server> {
    Server::start_with(|store| {
        let room = "max_file_store: 3000000, sync_interval: always";
        format!("jetstream {{ store_dir: '{store}', {room} }}\n")
    })
}

#[test]
fn a_full_server_is_reported_and_the_next_one_works() {
    let Some(server) = small_server() else { return };
    let _worker = WorkerThread::start(&server.url(), "a", ScriptedExecutor::new(1, run_echo));
    let client = connect(&server.url());
    check_echo(&client, 100_000);
    check_full_server(&client);
    check_echo(&client, 10);
}

#[test]
fn a_full_disk_is_reported_and_work_continues_with_more_room() {
    let Some(server) = Server::start() else { return };
    server.stop("TERM");
    let Some(disk) = SmallDisk::mount_at(&server.store_directory(), "8m") else { return };
    server.restart();
    let _worker = WorkerThread::start(&server.url(), "a", ScriptedExecutor::new(1, run_echo));
    let full = connect(&server.url());
    check_echo(&full, 100_000);
    check_full_server(&full);
    drop(full);
    // The server stays unusable until it has room and is restarted.
    server.stop("KILL");
    disk.resize("64m");
    server.restart();
    check_echo(&connect(&server.url()), 20_000_000);
}

/// A blob without room makes the run fail, with the reason.
fn check_full_server(client: &Workers) {
    let Err(Stop::Fault(error)) =
        client.run_job(&echo_job(&["/bin/cat"], &echo_output(20_000_000)))
    else {
        panic!("a fault")
    };
    assert_eq!(error.step, "send a job to the server", "{error}");
}

#[test]
fn a_result_without_room_is_reported_with_the_reason() {
    let Some(server) = small_server() else { return };
    let long = ScriptedExecutor::new(1, |job: &Job| {
        run_echo(job).map(|reply| JobReply { stdout: echo_output(20_000_000).into(), ..reply })
    });
    let _worker = WorkerThread::start(&server.url(), "a", long);
    let client = connect(&server.url());
    let Err(Stop::Fault(error)) = client.run_job(&echo_job(&["/bin/cat"], b"")) else {
        panic!("a fault")
    };
    let reason = "it failed 5 times; the last time: the server did not store it: ";
    assert!(error.reason.starts_with(reason), "{error}");
}

#[test]
fn an_ended_worker_is_not_counted_and_unclaimed_results_are_dropped() {
    let Some(server) = Server::start() else { return };
    let (begun, has_begun) = channel();
    let (go, may_go) = channel::<()>();
    let (begun, may_go) = (Mutex::new(begun), Mutex::new(may_go));
    let executor = ScriptedExecutor::new(2, move |job: &Job| {
        if job.command.argv[0] == "/wait" {
            begun.lock().unwrap().send(()).unwrap();
            let _ = may_go.lock().unwrap().recv();
        }
        run_echo(job)
    });
    let worker = WorkerThread::start(&server.url(), "a", executor);
    let client = connect(&server.url());
    thread::scope(|scope| {
        scope.spawn(|| client.run_job(&echo_job(&["/wait"], b"")));
        has_begun.recv().unwrap();
        client.stop();
    });
    drop(client);
    // Fills the stream of the result.
    assert_eq!((server.message_count("JOBS"), server.message_count("RESULTS")), (0, 1));
    let is_empty = || {
        let body = r#"{"seq":1,"next_by_subj":"res.>"}"#;
        server.request(OutgoingMessage::new("$JS.API.DIRECT.GET.RESULTS", body)).payload.is_empty()
    };
    assert!(is_empty());
    go.send(()).unwrap();
    let other = connect(&server.url());
    (0..3).for_each(|_| check_echo(&other, 10));
    drop(other);
    assert!(server.message_count("RESULTS") == 1 && is_empty());

    assert_eq!(server.workers().len(), 1);
    drop(worker);
    // The server stores the farewell of a worker at once, and forgets a worker without one after ten seconds.
    let end = Instant::now() + Duration::from_secs(5);
    while !server.workers().is_empty() {
        assert!(Instant::now() < end, "it is still counted");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Three servers that replicate all data.
fn three_servers() -> Option<[Server; 3]> {
    let routes = [free_port(), free_port(), free_port()];
    let ports = [free_port(), free_port(), free_port()];
    let all = routes.map(|port| format!("nats://127.0.0.1:{port}")).join(", ");
    let server = |index: usize| {
        Server::start_at(ports[index], |store| {
            format!(
                "server_name: s{index}\njetstream {{ store_dir: '{store}', sync_interval: always }}\n\
                 cluster {{ name: c, listen: '127.0.0.1:{}', routes: [{all}] }}\n",
                routes[index]
            )
        })
    };
    Some([server(0)?, server(1)?, server(2)?])
}

fn stream_leader(server: &Server, stream: &str) -> Option<usize> {
    server.stream_info(stream)["cluster"]["leader"].as_str()?.strip_prefix('s')?.parse().ok()
}

#[test]
fn work_goes_on_when_the_leader_of_three_servers_is_killed() {
    let Some(servers) = three_servers() else { return };
    let hosts: Vec<String> =
        servers.iter().map(|server| format!("127.0.0.1:{}", server.port)).collect();
    let url = format!("nats://{}", hosts.join(","));
    prepare(&url);
    let _workers = [Worker::start(&url), Worker::start(&url)];
    let client = connect_to_workers(&servers[0], &url, 2);
    let is_killed = AtomicBool::new(false);
    check_all_finish(&client, 60, |ended| {
        if ended == 20 {
            let leader = stream_leader(&servers[0], "JOBS").expect("a leader");
            servers[leader].stop("KILL");
            is_killed.store(true, Ordering::SeqCst);
        }
    });
    assert!(is_killed.load(Ordering::SeqCst));
}
