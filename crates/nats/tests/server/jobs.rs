//! Jobs behind a server: the suite of executors, blobs, and what stays on the server.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use juror_core::blob::Blob;
use juror_core::job::{Command, Job, JobReply};
use juror_core::judgement::JudgeError;
use juror_core::language::probe::{AskFault, Lookup, Probe};
use juror_core::language::toolchain::Toolchains;
use juror_core::limits::Limits;
use juror_core::outcome::quiet_outcome;
use juror_core::stop::Stop;
use juror_core::units::Bytes;
use juror_core::work::{RunMode, Work, WorkReply};
use juror_nats::address::NatsAddress;
use juror_nats::link::{Link, OutgoingMessage};
use juror_nats::{block_on, layout, work};
use juror_remote::serve::serve;
use juror_remote::suite::{check_executor, facts};
use juror_remote::workers::Workers;
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::scripted::ScriptedExecutor;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::process::{
    Server, Worker, free_port, juror_nats, server_program, submit_command, worker_program,
};

/// An executor of the workers behind a server.
pub(crate) fn connect(url: &str) -> Workers {
    try_connect(url).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn try_connect(url: &str) -> Result<Workers, JudgeError> {
    let pipes = submit_command(url).open()?;
    Workers::connect(vec![("submit".to_owned(), pipes)], None, |_| Ok(()))
}

/// As soon as so many workers are there.
pub(crate) fn connect_to_workers(server: &Server, url: &str, workers: usize) -> Workers {
    server.wait_for_workers(workers);
    connect(url)
}

/// A worker in threads of this process. It ends when this is dropped.
pub(crate) struct WorkerThread {
    end: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl WorkerThread {
    pub(crate) fn start(url: &str, name: &str, executor: impl Executor + 'static) -> Self {
        Self::with_executor(url, name, Arc::new(executor))
    }

    pub(crate) fn with_executor(url: &str, name: &str, executor: Arc<dyn Executor>) -> Self {
        let (end, heard) = oneshot::channel();
        let (ready, is_ready) = std::sync::mpsc::channel();
        let facts = facts(name, &*executor);
        let (input, to_worker) = io::pipe().expect("a pipe");
        let (output, from_worker) = io::pipe().expect("a pipe");
        thread::spawn(move || {
            let tools = Toolchains::new(Box::new(ToollessMachine));
            serve(facts, &*executor, &tools, &|_| None, input, from_worker, &|| ())
                .expect("jobs come");
        });
        let address = NatsAddress::parse(url).expect("an address");
        let work = move || {
            // Waits for the first message only.
            let tell = |_: &str| _ = ready.send(());
            block_on(work::work(&address, to_worker, output, heard, tell))
                .expect("the server is there");
        };
        let thread = Some(thread::spawn(work));
        prepare(url);
        is_ready.recv().expect("it is ready");
        Self { end: Some(end), thread }
    }
}

impl Drop for WorkerThread {
    fn drop(&mut self) {
        self.end.take().map(|end| end.send(()));
        let ended = self.thread.take().map(thread::JoinHandle::join);
        assert!(thread::panicking() || ended.is_some_and(|result| result.is_ok()));
    }
}

/// Makes the streams, as the first submitter does: a worker waits for them.
pub(crate) fn prepare(url: &str) {
    let address = NatsAddress::parse(url).expect("an address");
    let prepare = async {
        let patience = Some(std::time::Duration::from_secs(60));
        let link = Link::open(&address, patience).await?;
        layout::prepare(&link, address.copies()).await
    };
    block_on(prepare).expect("it is there");
}

struct ToollessMachine;

impl Probe for ToollessMachine {
    fn on_path(&self, _: &str) -> Vec<std::path::PathBuf> {
        Vec::new()
    }

    fn ask(&self, _: &std::path::Path, _: &[&str]) -> Result<String, AskFault> {
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

    fn remote_lookup(&self, _: &str) -> Option<Lookup> {
        None
    }
}

pub(crate) fn echo_job(program: &[&str], stdin: &[u8]) -> Job {
    let argv = program.iter().map(|&word| word.to_owned()).collect();
    Job {
        command: Command { argv, ..Command::default() },
        stdin: stdin.to_vec().into(),
        box_size: Bytes::mib(1),
        limits: Limits::of_machine_check(),
        ..Job::default()
    }
}

/// Returns standard input as standard output.
pub(crate) fn run_echo(job: &Job) -> Result<JobReply, Stop> {
    let stdout = job.stdin.prefix(u64::MAX).expect("its bytes are here").into();
    Ok(JobReply {
        outcome: quiet_outcome(),
        stdout,
        stderr: Blob::default(),
        collected: Vec::new(),
        kept: None,
    })
}

pub(crate) fn echo_output(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index % 251) as u8).collect()
}

pub(crate) fn check_echo(executor: &dyn Executor, length: usize) {
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
    fn inner(&self) -> Option<&dyn Executor> {
        Some(&self.client)
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        self.client.run(work, mode)
    }
}

/// Each has its own server.
fn behind_server(beyond: Arc<dyn Executor>) -> Arc<dyn Executor> {
    let server = Server::start().expect("there is a program");
    let worker = WorkerThread::with_executor(&server.url(), "a", beyond);
    Arc::new(ServerExecutor { client: connect(&server.url()), _worker: worker, _server: server })
}

#[test]
fn a_worker_behind_a_server_conforms() {
    if server_program().is_some() {
        check_executor(behind_server);
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
    let clients = [connect_to_workers(&server, &url, 2), connect_to_workers(&server, &url, 2)];
    thread::scope(|scope| {
        for number in 0..200usize {
            let client = &clients[number % 2];
            scope.spawn(move || check_echo(client, number * 75));
        }
    });
    for client in &clients {
        let programs: Vec<usize> = client.report().iter().map(|worker| worker.programs).collect();
        assert_eq!(programs.iter().sum::<usize>(), 100);
        assert_eq!(client.all_diagnostics(), []);
    }
}

#[test]
fn a_unit_sent_twice_is_stored_once_and_so_is_its_result() {
    let Some(server) = Server::start() else { return };
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let executor = ScriptedExecutor::new(1, move |job: &Job| {
        count.fetch_add(1, Ordering::SeqCst);
        run_echo(job)
    });
    let _worker = WorkerThread::start(&server.url(), "a", executor);
    let client = connect(&server.url());
    check_echo(&client, 10);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    let name = "0123456789abcdef0123456789abcdef";
    let store = |subject: &str, id: Option<&str>| {
        let mut call = OutgoingMessage::new(subject, b"x");
        if let Some(id) = id {
            call = call.with_header("Nats-Msg-Id", id);
        }
        let answer = server.request(call);
        serde_json::from_slice::<Value>(&answer.payload).unwrap()
    };
    // No worker has this class, so no one takes the unit.
    let job = format!("job.live.0000000000000000.{name}.{name}");
    assert_eq!(store(&job, Some(name))["duplicate"], Value::Null);
    assert_eq!(store(&job, Some(name))["duplicate"], json!(true));
    assert_eq!(server.message_count("JOBS"), 1);
    let before = server.message_count("RESULTS");
    let result = format!("res.{name}.{name}");
    assert_eq!(store(&result, None)["error"], Value::Null);
    assert_eq!(store(&result, None)["error"]["err_code"], json!(10_077));
    assert_eq!(server.message_count("RESULTS"), before + 1);
}

#[test]
fn only_blobs_stay_on_the_server() {
    let Some(server) = Server::start() else { return };
    let worker = WorkerThread::start(&server.url(), "a", ScriptedExecutor::new(1, run_echo));
    let client = connect(&server.url());
    check_echo(&client, 2_000_000);
    check_echo(&client, 1);
    assert!(server.message_count("RESULTS") > 2);
    drop(client);
    assert_eq!((server.message_count("RESULTS"), server.message_count("JOBS")), (0, 0));
    // A blob is a head and pieces.
    assert_eq!(server.message_count("OBJ_CAS"), 1 + 2_000_000u64.div_ceil(256 << 10));
    drop(worker);
}

#[test]
fn a_submitter_claims_the_slots_that_it_is_told() {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    let _worker = WorkerThread::start(&url, "a", ScriptedExecutor::new(3, run_echo));
    let slots = |arguments: &[&str]| {
        let mut connection = submit_command(&url);
        connection.command.args(arguments);
        let pipes = connection.open().unwrap();
        let client = Workers::connect(vec![(String::new(), pipes)], None, |_| Ok(())).unwrap();
        client.facts()[0].slots
    };
    assert_eq!(slots(&[]), 3);
    assert_eq!(slots(&["--slots", "40"]), 40);
}

#[test]
fn a_worker_of_another_image_is_refused_with_the_difference() {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    let other = WorkerThread::start(&url, "other", ScriptedExecutor::new(1, run_echo));
    let (worker, lines) = Worker::with_stderr(&url);
    let text = lines.collect::<Vec<_>>().join(" ");
    assert_eq!(worker.wait(), Some(4), "{text}");
    for piece in ["join the workers at nats://", "other is there, and not like this worker: "] {
        assert!(text.contains(piece), "{piece}: {text}");
    }
    // The one that was there is not disturbed.
    check_echo(&connect(&url), 10);
    drop(other);
    let (_worker, mut lines) = Worker::with_stderr(&url);
    assert!(lines.next().is_some_and(|line| line.contains("takes jobs from")));
}

#[test]
fn a_wrong_address_is_a_usage_error() {
    let check = |typed: &str, piece: &str| {
        for command in ["submit", "work", "status", "check"] {
            let mut command = juror_nats(&[command, typed]);
            if command.get_args().next() == Some("work".as_ref()) {
                command.args(["--", "true"]);
            }
            let output = command.output().expect("it runs");
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(2) && text.contains(piece), "{typed}: {text}");
        }
    };
    check("nats://127.0.0.1:x", "`x` is not a port; write nats://HOST:PORT");
    check("nats://a?key=/nowhere/key", "read the key /nowhere/key: No such file");
    check("nats://a?ca=/nowhere/ca", "read the certificates /nowhere/ca: No such file");
    check("127.0.0.1", "it has no `://`");
}

#[test]
fn a_broken_worker_command_is_reported_with_its_reason() {
    let check = |command: &[&str], piece: &str| {
        let address = format!("nats://127.0.0.1:{}", free_port());
        let arguments = [&["work", &address, "--"][..], command].concat();
        let output = juror_nats(&arguments).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(4) && text.contains(piece), "{command:?}: {text}");
    };
    check(&["/nowhere/juror"], "start /nowhere/juror: No such file");
    check(&["false"], "use the worker: it ended; it ended with exit status: 1");
    check(&["echo", "hello"], "does not begin with `juror worker`, but with `hello`");
}

#[test]
fn unsuitable_servers_are_reported_with_the_reason() {
    let broken = |url: &str, piece: &str| {
        let error = try_connect(url).map(|_| ()).expect_err("it is unsuitable").to_string();
        assert!(error.contains(piece), "{url}: {error}");
    };
    let url = format!("nats://127.0.0.1:{}", free_port());
    broken(&url, "check that the server runs");
    let url = format!("nats://127.0.0.1:{}", short_lived_server("2.9.10", usize::MAX));
    broken(&url, "its version is 2.9.10; 2.12 or newer is needed");
    let Some(plain) = Server::start_with(|_| String::new()) else { return };
    broken(&plain.url(), "prepare the JOBS on the server");
    let server = Server::start().unwrap();
    broken(&server.url(), "no worker has announced itself; start some with `juror-nats work");
    let keys = "jetstream {}\nauthorization { users: [{ nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4 }] }\n";
    let closed =
        Server::start_with(|store| keys.replace("{}", &format!("{{ store_dir: '{store}' }}")))
            .unwrap();
    broken(&closed.url(), "it does not let us in");
    let other = Server::start().unwrap();
    let config = json!({ "name": "JOBS", "subjects": ["job.>"] }).to_string();
    other.request(OutgoingMessage::new("$JS.API.STREAM.CREATE.JOBS", config));
    broken(&other.url(), "there is another stream of this name");
}

#[test]
fn the_worker_of_these_tests_is_built() {
    assert!(worker_program().is_file(), "{}", worker_program().display());
}

/// Reports this version, serves so many connections, and closes each after one answer. Returns the port.
pub(crate) fn short_lived_server(version: &str, connections: usize) -> u16 {
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

pub(crate) fn count_equal<T: Ord>(all: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    all.into_iter().for_each(|item| *counts.entry(item).or_default() += 1);
    counts
}
