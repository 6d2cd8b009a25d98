//! Programs on workers behind a real NATS server, which the tests start.

mod faults;
pub(crate) mod server;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use juror_core::blob::Blob;
use juror_core::job::{Command, Job, JobReply};
use juror_core::language::toolchain::Toolchains;
use juror_core::limits::Limits;
use juror_core::stop::Stop;
use juror_core::units::Bytes;
use juror_core::work::{RunMode, Work, WorkReply};
use juror_remote::nats::address::NatsAddress;
use juror_remote::nats::link::{NatsLink, OutgoingMessage};
use juror_remote::nats::{submitter, unit_worker};
use juror_remote::workers::Workers;
use juror_sandbox::executor::Executor;
use serde_json::{Value, json};

use crate::executors::facts;
use crate::fixture::{Fixture, RIGHT};
use crate::nats::server::{Server, Worker};
use crate::workers::{check, check_same};
use juror_core::outcome::quiet_outcome;
use juror_sandbox::executor::scripted::ScriptedExecutor;

fn connect(url: &str) -> Workers {
    try_connect(url).unwrap_or_else(|error| panic!("{error}"))
}

fn try_connect(url: &str) -> Result<Workers, juror_core::judgement::JudgeError> {
    Workers::connect(submitter::connect(&NatsAddress::parse(url)?)?, None, |_| Ok(()))
}

/// A worker in a thread of this process. It ends when this is dropped.
struct WorkerThread {
    ends: Sender<()>,
    thread: Option<thread::JoinHandle<()>>,
}

impl WorkerThread {
    fn start(url: &str, name: &str, executor: impl Executor + 'static) -> Self {
        Self::with_executor(url, name, Arc::new(executor))
    }

    fn with_executor(url: &str, name: &str, executor: Arc<dyn Executor>) -> Self {
        let (ends, heard) = channel();
        let (ready, is_ready) = channel();
        let facts = facts(name, &*executor);
        let address = NatsAddress::parse(url).unwrap();
        let work = move || {
            let tools = Toolchains::new(Box::new(ToollessMachine));
            // Waits for the first message only.
            let tell = |_: &str| _ = ready.send(());
            unit_worker::work(&address, facts, &*executor, &tools, heard, tell)
                .expect("the server is there");
        };
        let thread = Some(thread::spawn(work));
        is_ready.recv().expect("it is ready");
        Self { ends, thread }
    }
}

impl Drop for WorkerThread {
    fn drop(&mut self) {
        let _ = self.ends.send(());
        let ended = self.thread.take().map(thread::JoinHandle::join);
        assert!(thread::panicking() || ended.is_some_and(|it| it.is_ok()));
    }
}

struct ToollessMachine;

impl juror_core::language::probe::Probe for ToollessMachine {
    fn on_path(&self, _: &str) -> Vec<std::path::PathBuf> {
        Vec::new()
    }

    fn ask(
        &self,
        _: &std::path::Path,
        _: &[&str],
    ) -> Result<String, juror_core::language::probe::AskFault> {
        Err("there is none".to_owned().into())
    }

    fn real_path(&self, _: &std::path::Path) -> Option<std::path::PathBuf> {
        None
    }

    fn link_chain(&self, _: &std::path::Path) -> Vec<std::path::PathBuf> {
        Vec::new()
    }

    fn links_out_of(&self, _: &std::path::Path) -> Vec<std::path::PathBuf> {
        Vec::new()
    }

    fn size(&self, _: &std::path::Path) -> Option<u64> {
        None
    }

    fn home(&self) -> Option<std::path::PathBuf> {
        None
    }

    fn remote_lookup(&self, _: &str) -> Option<juror_core::language::toolchain::Lookup> {
        None
    }
}

fn echo_job(program: &[&str], stdin: &[u8]) -> Job {
    let argv = program.iter().map(|&it| it.to_owned()).collect();
    Job {
        command: Command { argv, ..Command::default() },
        stdin: stdin.to_vec().into(),
        box_size: Bytes::mib(1),
        limits: Limits::of_machine_check(),
        ..Job::default()
    }
}

/// Returns standard input as standard output.
fn run_echo(job: &Job) -> Result<JobReply, Stop> {
    let stdout = job.stdin.prefix(u64::MAX).expect("its bytes are here").into();
    Ok(JobReply {
        outcome: quiet_outcome(),
        stdout,
        stderr: Blob::default(),
        collected: Vec::new(),
        kept: None,
    })
}

fn echo_output(length: usize) -> Vec<u8> {
    (0..length).map(|it| (it % 251) as u8).collect()
}

fn check_echo(executor: &dyn Executor, length: usize) {
    let sent = echo_output(length);
    let reply = executor.run_job(&echo_job(&["/bin/cat"], &sent)).expect("it runs");
    assert_eq!(reply.stdout.prefix(u64::MAX).unwrap(), sent, "{length}");
}

/// The client ends first, then the worker, then the server.
struct ServerExecutor {
    client: Workers,
    _worker: WorkerThread,
    _server: Server,
}

impl Executor for ServerExecutor {
    fn slots(&self) -> usize {
        self.client.slots()
    }

    fn mechanism(&self) -> String {
        self.client.mechanism()
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        self.client.run(work, mode)
    }

    fn stop(&self) {
        self.client.stop();
    }
}

/// Each has its own server.
pub(crate) fn behind_server(beyond: Arc<dyn Executor>) -> Arc<dyn Executor> {
    let server = Server::start().expect("there is a program");
    let worker = WorkerThread::with_executor(&server.url(), "a", beyond);
    Arc::new(ServerExecutor { client: connect(&server.url()), _worker: worker, _server: server })
}

#[test]
fn jobs_go_to_workers_with_the_needed_tools() {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    let fixture = Fixture::new();
    fixture.write("right.sh", RIGHT);
    // This worker has more slots, so it would be asked first.
    let _poor = Worker::with_path(&url, &["--jobs", "2"], "/nowhere".as_ref());
    connect_to_workers(&url, 1);
    check(&fixture, "judge sum right.sh", &[&url], 4, &["skipped: right.sh: no "]);
    let _rich = Worker::start(&url, &["--jobs", "1"]);
    connect_to_workers(&url, 2);
    check(&fixture, "judge sum right.sh", &[&url], 0, &["1 accepted"]);
}

#[test]
fn all_commands_give_the_same_output_locally_and_behind_a_server() {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    let _workers = [Worker::start(&url, &["--jobs", "1"]), Worker::start(&url, &["--jobs", "1"])];
    connect_to_workers(&url, 2);
    check_same(&[&url]);
}

fn connect_to_workers(url: &str, workers: usize) -> Workers {
    loop {
        match try_connect(url) {
            Ok(client) if client.report().len() >= workers => return client,
            _ => thread::sleep(Duration::from_millis(50)),
        }
    }
}

#[test]
fn blobs_of_any_size_are_transferred() {
    let Some(server) = Server::start() else { return };
    let _worker = WorkerThread::start(&server.url(), "a", ScriptedExecutor::new(2, run_echo));
    let client = connect(&server.url());
    for length in [0, 1, 8 << 10, (8 << 10) + 1, 300 << 10, 512 << 10, 3_000_000] {
        check_echo(&client, length);
        check_echo(&client, length);
    }
    let report = client.report();
    assert_eq!((report[0].name.as_str(), report[0].programs), ("a", 14));
    assert_eq!(client.all_diagnostics(), []);
}

#[test]
fn concurrent_results_reach_their_senders() {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    let _workers =
        ["a", "b"].map(|name| WorkerThread::start(&url, name, ScriptedExecutor::new(4, run_echo)));
    let clients = [connect_to_workers(&url, 2), connect_to_workers(&url, 2)];
    thread::scope(|scope| {
        for number in 0..200usize {
            let client = &clients[number % 2];
            scope.spawn(move || check_echo(client, number * 75));
        }
    });
    for client in &clients {
        let programs: Vec<usize> = client.report().iter().map(|it| it.programs).collect();
        assert_eq!(programs.iter().sum::<usize>(), 100);
        assert_eq!(client.all_diagnostics(), []);
    }
}

fn message_count(link: &NatsLink, stream: &str) -> u64 {
    let answer =
        link.request(&OutgoingMessage::new(format!("$JS.API.STREAM.INFO.{stream}"), b"")).unwrap();
    let answer: Value = serde_json::from_slice(&answer.payload).unwrap();
    answer["state"]["messages"].as_u64().expect("a number")
}

#[test]
fn a_unit_sent_twice_is_stored_once_and_so_is_its_result() {
    let Some(server) = Server::start() else { return };
    let ran = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&ran);
    let executor = ScriptedExecutor::new(1, move |job: &Job| {
        count.fetch_add(1, Ordering::SeqCst);
        run_echo(job)
    });
    let _worker = WorkerThread::start(&server.url(), "a", executor);
    let client = connect(&server.url());
    check_echo(&client, 10);
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let link = server.link();
    let name = "0123456789abcdef0123456789abcdef";
    let store = |subject: String, id: Option<&str>| {
        let mut call = OutgoingMessage::new(subject, b"x");
        call.headers.extend(id.map(|id| ("Nats-Msg-Id", id.to_owned())));
        let answer = link.request(&call).unwrap();
        serde_json::from_slice::<Value>(&answer.payload).unwrap()
    };
    // No worker has this class, so no one takes the unit.
    let job = format!("job.live.0000000000000000.{name}.{name}");
    assert_eq!(store(job.clone(), Some(name))["duplicate"], Value::Null);
    assert_eq!(store(job, Some(name))["duplicate"], json!(true));
    assert_eq!(message_count(&link, "JOBS"), 1);
    let before = message_count(&link, "RESULTS");
    let result = format!("res.{name}.{name}");
    assert_eq!(store(result.clone(), None)["error"], Value::Null);
    assert_eq!(store(result, None)["error"]["err_code"], json!(10_077));
    assert_eq!(message_count(&link, "RESULTS"), before + 1);
}

#[test]
fn only_blobs_stay_on_the_server() {
    let Some(server) = Server::start() else { return };
    let worker = WorkerThread::start(&server.url(), "a", ScriptedExecutor::new(1, run_echo));
    let client = connect(&server.url());
    check_echo(&client, 2_000_000);
    check_echo(&client, 1);
    let link = server.link();
    assert!(message_count(&link, "RESULTS") > 2);
    drop(client);
    assert_eq!((message_count(&link, "RESULTS"), message_count(&link, "JOBS")), (0, 0));
    // A blob is a head and pieces.
    assert_eq!(message_count(&link, "OBJ_CAS"), 1 + 2_000_000u64.div_ceil(256 << 10));
    drop(worker);
}

#[test]
fn a_wrong_address_is_a_usage_error() {
    let fixture = Fixture::new();
    fixture.write("right.sh", RIGHT);
    let address = |typed: &str, piece: &str| {
        for command in
            ["judge sum right.sh --executor", "worker --nats", "cluster status", "doctor --nats"]
        {
            fixture.check(&format!("{command} {typed}"), 2, &[piece]);
        }
    };
    address("nats://127.0.0.1:x", "`x` is not a port; write nats://HOST:PORT");
    address("nats://a?key=/nowhere/key", "read the key /nowhere/key: No such file");
    address("nats://a?ca=/nowhere/ca", "read the certificates /nowhere/ca: No such file");
    fixture.check("worker --nats 127.0.0.1", 2, &["it has no `://`"]);
}

#[test]
fn unsuitable_servers_are_reported_with_the_reason() {
    let fixture = Fixture::new();
    fixture.write("right.sh", RIGHT);
    let broken =
        |url: &str, pieces: &[&str]| check(&fixture, "judge sum right.sh", &[url], 4, pieces);
    broken(
        &format!("nats://127.0.0.1:{}", server::free_port()),
        &["connect to nats://127.0.0.1:", "check that the server runs"],
    );
    broken(
        &format!("nats://127.0.0.1:{}", short_lived_server("2.9.10", usize::MAX)),
        &["its version is 2.9.10; 2.12 or newer is needed"],
    );
    let Some(plain) = Server::start_with(|_| String::new()) else { return };
    broken(&plain.url(), &["prepare the JOBS on the server", "JetStream"]);
    let server = Server::start().unwrap();
    broken(
        &server.url(),
        &["no worker has announced itself", "start some with `juror worker --nats"],
    );
    let keys = "jetstream {}\nauthorization { users: [{ nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4 }] }\n";
    let closed =
        Server::start_with(|store| keys.replace("{}", &format!("{{ store_dir: '{store}' }}")))
            .unwrap();
    broken(&closed.url(), &["it does not let us in"]);
    let other = Server::start().unwrap();
    let config = json!({ "name": "JOBS", "subjects": ["job.>"] }).to_string();
    other
        .link()
        .request(&OutgoingMessage::new("$JS.API.STREAM.CREATE.JOBS", config.as_bytes()))
        .unwrap();
    broken(&other.url(), &["there is another stream of this name", "the version is null"]);
}

/// Reports this version, serves so many connections, and closes each after one answer. Returns the port.
fn short_lived_server(version: &str, connections: usize) -> u16 {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let info = format!(
        "INFO {{\"server_id\":\"x\",\"version\":\"{version}\",\"headers\":true,\"max_payload\":1048576,\"jetstream\":true}}\r\n"
    );
    thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok).take(connections) {
            let info = info.clone();
            thread::spawn(move || {
                let _ = client.write_all(info.as_bytes());
                let lines = BufReader::new(client.try_clone().unwrap()).lines();
                if lines.map_while(Result::ok).any(|line| line == "PING") {
                    let _ = client.write_all(b"PONG\r\n");
                }
            });
        }
    });
    port
}

fn count_equal<T: Ord>(all: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    all.into_iter().for_each(|it| *counts.entry(it).or_default() += 1);
    counts
}
