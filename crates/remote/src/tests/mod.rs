//! Both sides of the pipe, together and each with hostile bytes.

mod hostile;

use parking_lot::Mutex;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::frame::{Peer, encode_frame};
use crate::judge_side::ReceivedMessage;
use crate::link::{WorkerConnection, WorkerPipes, WorkerProcess};
use crate::message::{MessageFromWorker, ToolAnswer, WorkerFacts};
use crate::serve::{EXTRA_JOBS, serve};
use crate::state::{Member, WorkerState, WorkersState};
use crate::workers::{Workers, build_reports, identify_command, may_take_long};
use juror_core::blob::{Blob, Digest};
use juror_core::isolation::Isolation;
use juror_core::job::{BoxRetention, Command, Job, JobReply, VisibleContent, VisiblePath};
use juror_core::judgement::{FaultKind, JudgeError};
use juror_core::language::probe::{AskFault, Linking, Lookup, Probe, Toolchain};
use juror_core::language::tool::TOOLS;
use juror_core::language::toolchain::Toolchains;
use juror_core::limits::{Limits, ProblemLimits};
use juror_core::outcome::quiet_outcome;
use juror_core::stop::{Stop, StopFlag, is_interrupted, with_stop_flags};
use juror_core::tree::{Node, Tree, TreeEntry};
use juror_core::units::Bytes;
use juror_core::worker::{MachineIdentity, WorkerId, WorkerReport};
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::scripted::ScriptedExecutor;

pub(super) fn facts(name: &str, slots: usize) -> WorkerFacts {
    WorkerFacts {
        name: name.to_owned(),
        boot: name.to_owned(),
        isolation: Isolation::Namespaces,
        shortfall: None,
        mechanism: "scripted".to_owned(),
        slots,
        queue: EXTRA_JOBS,
        pace: Duration::from_millis(1),
        identity: None,
    }
}

pub(super) fn job(program: &str, stdin: &[u8]) -> Job {
    Job {
        command: Command { argv: vec![program.to_owned()], ..Command::default() },
        stdin: stdin.to_vec().into(),
        box_size: Bytes::mib(1),
        limits: Limits::of_machine_check(),
        ..Job::default()
    }
}

fn reply(stdout: impl Into<Blob>) -> JobReply {
    JobReply {
        outcome: quiet_outcome(),
        stdout: stdout.into(),
        stderr: Blob::default(),
        collected: Vec::new(),
        kept: None,
    }
}

/// Echoes its input, and keeps what its job shows.
fn echo(job: &Job) -> Result<JobReply, Stop> {
    let mut reply = reply(job.stdin.prefix(u64::MAX).expect("its bytes are here"));
    let shown = job.command.visible.iter().find_map(|shown| match &shown.what {
        VisibleContent::Tree(tree) => Some(Tree::from(tree.entries.clone())),
        VisibleContent::Installed { .. } => None,
    });
    reply.kept = shown.filter(|_| job.keep != BoxRetention::Nothing);
    Ok(reply)
}

/// All tools are at `/usr/bin`, in this version.
struct FakeTools(&'static [&'static str], &'static str);

impl Probe for FakeTools {
    fn on_path(&self, name: &str) -> Vec<PathBuf> {
        let found = self.0.iter().find(|tool| **tool == name || Path::new(name).ends_with(tool));
        found.map(|tool| Path::new("/usr/bin").join(tool)).into_iter().collect()
    }

    fn ask(&self, _: &Path, _: &[&str]) -> Result<String, AskFault> {
        Ok(self.1.to_owned())
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }

    fn link_chain(&self, path: &Path) -> Vec<PathBuf> {
        // It leads to a directory with everybody's files.
        if path.ends_with("secret") { vec!["/home/x".into()] } else { vec![path.to_owned()] }
    }

    fn links_out_of(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    fn size(&self, _: &Path) -> Option<u64> {
        None
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }

    fn remote_lookup(&self, _: &str) -> Option<Lookup> {
        None
    }
}

fn worker(
    facts: WorkerFacts,
    tools: FakeTools,
    executor: impl Executor + 'static,
) -> (String, WorkerPipes) {
    pipes(move |input, output| {
        let tools = Toolchains::new(Box::new(tools));
        serve(facts, &executor, &tools, &|_| None, input, output, &|| ())
            .expect("juror sends jobs");
    })
}

fn pipes(
    work: impl FnOnce(Box<dyn Read + Send>, Box<dyn Write + Send>) + Send + 'static,
) -> (String, WorkerPipes) {
    let (input, to_worker) = io::pipe().unwrap();
    let (output, from_worker) = io::pipe().unwrap();
    thread::spawn(move || work(Box::new(input), Box::new(from_worker)));
    let process = WorkerProcess::default();
    let (output, again) = (Box::new(output), None);
    ("typed".to_owned(), WorkerPipes { output, input: to_worker.into(), process, again })
}

fn connect_workers(workers: Vec<(String, WorkerPipes)>) -> Workers {
    Workers::connect(workers, None, |_| Ok(())).expect("a worker is ready")
}

const NO_TOOLS: FakeTools = FakeTools(&[], "");

fn echo_worker(name: &str) -> (String, WorkerPipes) {
    worker(facts(name, 2), NO_TOOLS, ScriptedExecutor::new(2, echo))
}

/// A worker that reports ready, and is gone after this many bytes of jobs.
fn dying_worker(name: &str, after: u64) -> (String, WorkerPipes) {
    let facts = facts(name, 2);
    pipes(move |input, mut output| {
        output.write_all(Peer::Worker.greeting().as_bytes()).unwrap();
        let ready = MessageFromWorker::Ready(facts);
        output.write_all(&encode_frame(&ready, &[]).unwrap()).unwrap();
        io::copy(&mut input.take(after), &mut io::sink()).unwrap();
    })
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index % 251) as u8).collect()
}

#[test]
fn a_tree_is_sent_once_and_kept_boxes_return() {
    let seen = Arc::new(Mutex::new(HashMap::new()));
    let noted = Arc::clone(&seen);
    let executor = ScriptedExecutor::new(2, move |job: &Job| {
        let VisibleContent::Tree(tree) = &job.command.visible[0].what else {
            panic!("a tree is shown")
        };
        noted.lock().insert(Arc::as_ptr(tree) as usize, Arc::clone(tree));
        echo(job)
    });
    let workers = connect_workers(vec![worker(facts("a", 2), NO_TOOLS, executor)]);
    let entries = vec![
        TreeEntry::new("run", Node::plain(bytes(500_000))),
        TreeEntry::new("d/small", Node::plain(&b"x"[..])),
        TreeEntry::new("link", Node::Link("/program/run".into())),
        TreeEntry::new("empty", Node::Directory),
    ];
    let tree = Arc::new(Tree::from(entries.clone()));
    let mut job = job("/program/run", b"");
    job.command.visible.push(VisiblePath::tree("/program", &tree));
    job.keep = BoxRetention::ALL;
    for _ in 0..3 {
        let returned = workers.run_job(&job).unwrap().kept.expect("the box is kept");
        assert_eq!(returned.entries.len(), entries.len());
        assert_eq!(
            returned.file(Path::new("run")).unwrap().prefix(u64::MAX).unwrap(),
            bytes(500_000)
        );
        assert_eq!(returned.file(Path::new("d/small")).unwrap().prefix(9).unwrap(), b"x");
    }
    assert_eq!(seen.lock().len(), 1);
}

#[test]
fn many_results_reach_their_callers() {
    let workers = connect_workers(vec![
        worker(facts("a", 100), NO_TOOLS, ScriptedExecutor::new(100, echo)),
        worker(facts("b", 100), NO_TOOLS, ScriptedExecutor::new(100, echo)),
    ]);
    thread::scope(|scope| {
        for number in 0..500usize {
            let workers = &workers;
            scope.spawn(move || {
                let sent = bytes(number * 30);
                let reply = workers.run_job(&job("/bin/cat", &sent)).unwrap();
                assert_eq!(reply.stdout.prefix(u64::MAX).unwrap(), sent);
            });
        }
    });
    let programs: Vec<usize> = workers.report().iter().map(|worker| worker.programs).collect();
    assert_eq!(programs.iter().sum::<usize>(), 500);
    assert!(programs.iter().all(|count| *count > 0), "{programs:?}");
}

fn check_survives(lost: Vec<(String, WorkerPipes)>, pieces: &[&str]) {
    let mut workers = lost;
    workers.push(echo_worker("good"));
    let workers = connect_workers(workers);
    let sent = bytes(600_000);
    for _ in 0..3 {
        let reply = workers.run_job(&job("/bin/cat", &sent)).unwrap();
        assert_eq!(reply.outcome.worker.as_deref(), Some("good"));
    }
    while workers.report().iter().all(|worker| worker.lost.is_none()) {
        thread::yield_now();
    }
    let text = format!("{:?} {:?}", workers.all_diagnostics(), workers.report());
    pieces.iter().for_each(|piece| assert!(text.contains(piece), "{piece}: {text}"));
}

#[test]
fn jobs_of_a_lost_worker_go_elsewhere() {
    check_survives(
        vec![dying_worker("weak", 90)],
        &["weak", "this worker is lost: it closed its pipe"],
    );
    check_survives(vec![dying_worker("weak", 120)], &["this worker is lost: it closed its pipe"]);
    let says = |text: &'static str| {
        pipes(move |mut input, mut output| {
            let _ = output.write_all(text.as_bytes());
            let _ = io::copy(&mut input, &mut io::sink());
        })
    };
    check_survives(vec![says("Welcome!\n")], &["typed", "but with `Welcome!`"]);
    check_survives(vec![says("juror worker, protocol 0\n")], &["it is another juror"]);
    let asked_to_end = ScriptedExecutor::new(1, |_: &Job| Err(Stop::Interrupted));
    let asked_to_end = worker(facts("ending", 1), NO_TOOLS, asked_to_end);
    let workers = connect_workers(vec![asked_to_end, echo_worker("good")]);
    let names: Vec<_> =
        (0..9).map(|_| workers.run_job(&job("/x", b"")).unwrap().outcome.worker).collect();
    assert!(names.iter().all(|name| name.as_deref() == Some("good")), "{names:?}");
}

/// An empty piece is the end.
struct ChannelReader(Receiver<Vec<u8>>);

impl Read for ChannelReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.0.recv().unwrap_or_default();
        buffer[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}

#[test]
fn a_worker_whose_input_ends_during_a_run_is_lost() {
    let (sender, pieces) = channel();
    let cut = sender.clone();
    let stopped = Arc::new(AtomicBool::new(false));
    let is_told = Arc::clone(&stopped);
    let mut executor = ScriptedExecutor::new(1, move |_: &Job| {
        // Here the connection is cut.
        let _ = cut.send(Vec::new());
        while !is_told.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        Err(Stop::Interrupted)
    });
    executor.stopped = Arc::clone(&stopped);
    let lost = pipes(move |mut input, output| {
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = input.read(&mut buffer) {
                let _ = sender.send(buffer[..length].to_vec());
            }
        });
        let tools = Toolchains::new(Box::new(NO_TOOLS));
        let served = serve(
            facts("cut", 1),
            &executor,
            &tools,
            &|_| None,
            ChannelReader(pieces),
            output,
            &|| (),
        );
        served.expect("juror sends jobs");
    });
    check_survives(vec![lost], &["this worker is lost: it closed its pipe"]);
}

#[test]
fn a_cancelled_job_ends_on_its_worker_which_goes_on() {
    let (began, beginnings) = channel();
    let executor = ScriptedExecutor::new(1, move |job: &Job| {
        if job.command.argv[0] != "/endless" {
            return echo(job);
        }
        began.send(()).expect("somebody waits for it");
        while !is_interrupted() {
            thread::yield_now();
        }
        Err(Stop::Interrupted)
    });
    let workers = connect_workers(vec![worker(facts("only", 1), NO_TOOLS, executor)]);
    let endless = |flag: &StopFlag| {
        let run = || workers.run_job(&job("/endless", b"")).err();
        with_stop_flags(std::slice::from_ref(flag), run)
    };
    let (flag, other) = (StopFlag::default(), StopFlag::default());
    thread::scope(|scope| {
        let first = scope.spawn(|| endless(&flag));
        beginnings.recv().expect("it runs");
        let second = scope.spawn(|| endless(&other));
        beginnings.recv().expect("it runs");
        flag.set();
        assert_eq!(first.join().unwrap(), Some(Stop::Interrupted));
        assert_eq!(endless(&flag), Some(Stop::Interrupted));
        assert!(workers.run_job(&job("/x", b"text")).is_ok());
        assert!(!second.is_finished());
        other.set();
        assert_eq!(second.join().unwrap(), Some(Stop::Interrupted));
    });
    // The worker answers for the cancelled jobs, too.
    while !workers.shared.lock().workers[0].open_requests.is_empty() {
        thread::yield_now();
    }
    assert!(workers.run_job(&job("/x", b"text")).is_ok());
    assert_eq!(workers.report()[0].lost, None);
    assert!(workers.all_diagnostics().is_empty());
}

#[test]
fn a_job_fails_after_five_lost_workers() {
    let deadly = (0..7).map(|number| dying_worker(&number.to_string(), 100));
    let workers = connect_workers(deadly.collect());
    let Err(Stop::Fault(error)) = workers.run_job(&job("/x", &bytes(1000))) else {
        panic!("a fault")
    };
    assert_eq!(error.reason, "5 workers were lost while they ran it");
    let Err(Stop::Fault(error)) = workers.run_job(&job("/x", &bytes(1000))) else {
        panic!("a fault")
    };
    assert!(error.reason.starts_with("there is none; 0: it closed its pipe; 1: "), "{error}");
}

#[test]
fn unusable_workers_are_dropped_and_one_must_be_left() {
    let accepts = |facts: &WorkerFacts| match &*facts.name {
        "bad" => Err("it is bad".to_owned()),
        _ => Ok(()),
    };
    let none = Workers::connect(vec![echo_worker("bad")], None, accepts).map(|_| ());
    assert!(none.unwrap_err().reason.contains("typed: it is bad"));
    let workers = Workers::connect(
        vec![echo_worker("bad"), echo_worker("good"), echo_worker("good")],
        None,
        accepts,
    );
    let workers = workers.unwrap();
    let names: Vec<String> = workers.report().into_iter().map(|worker| worker.name).collect();
    assert_eq!(names, ["typed", "good", "good (2)"]);
    assert_eq!(workers.slots(), 8);
    assert_eq!(workers.all_diagnostics().len(), 1);
}

#[test]
fn a_worker_of_another_speed_gets_one_warning() {
    let seconds = |seconds: f64| Duration::from_secs_f64(seconds);
    let check = |pace: f64, boot: &str, is_expected: bool| {
        let received = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&received);
        let executor = ScriptedExecutor::new(1, move |job: &Job| {
            *noted.lock() = job.limits.cpu_time;
            let mut reply = reply(Vec::new());
            reply.outcome.cpu_time = seconds(1.0);
            Ok(reply)
        });
        let boot = boot.to_owned();
        let other = WorkerFacts { pace: seconds(pace / 1000.0), boot, ..facts("b", 1) };
        let first = ScriptedExecutor::new(1, |_: &Job| Err(Stop::Interrupted));
        let first = worker(facts("a", 1), NO_TOOLS, first);
        let workers = connect_workers(vec![first, worker(other, NO_TOOLS, executor)]);
        let mut job = job("/x", b"");
        job.limits.cpu_time = Some(seconds(2.0));
        for _ in 0..2 {
            let reply = workers.run_job(&job).unwrap();
            assert_eq!(*received.lock(), Some(seconds(2.0)), "{pace}");
            assert_eq!(reply.outcome.cpu_time, seconds(1.0), "{pace}");
        }
        let remarks = format!("{:?}", workers.all_diagnostics());
        let warnings = remarks.matches("times as long as a").count();
        assert_eq!(warnings, usize::from(is_expected), "{remarks}");
    };
    check(1.0, "b", false);
    check(1.09, "b", false);
    check(1.12, "b", true);
    check(0.5, "b", true);
    check(2.0, "a", false);
    check(0.0, "b", false);
}

#[test]
fn jobs_with_the_limits_of_juror_are_not_long() {
    let check = |limits: Limits, expected| {
        let job = Job { limits, ..job("echo", b"") };
        assert_eq!(may_take_long(&[&job]), expected, "{:?}", job.limits);
    };
    let problem = ProblemLimits::default();
    let submission = |time| Limits::of_submission(&problem, Duration::from_secs(time));
    check(submission(1), false);
    check(submission(120), false);
    check(submission(121), true);
    check(Limits::of_compiler(&problem), false);
    check(Limits::of_output_validator(&problem), false);
    check(Limits::of_validator(), false);
    check(Limits::of_generator(), false);
    check(Limits { wall_time: Some(Duration::from_secs(121)), ..Limits::default() }, true);
    check(Limits::default(), true);
}

#[test]
fn jobs_go_only_to_workers_with_their_tool() {
    let jobs = Arc::new(AtomicUsize::new(0));
    let has = |name: &str, tools, version| {
        let jobs = Arc::clone(&jobs);
        let executor = ScriptedExecutor::new(1, move |job: &Job| {
            jobs.fetch_add(1, Ordering::Relaxed);
            echo(job)
        });
        worker(facts(name, 1), FakeTools(tools, version), executor)
    };
    let workers = connect_workers(vec![
        has("none", &[], ""),
        has("first", &["lua", "sh"], "Lua 5.4"),
        has("other", &["lua"], "Lua 5.3"),
        has("same", &["lua"], "Lua 5.4"),
    ]);
    let tools = Toolchains::new(workers.probe());
    let lua = TOOLS.iter().find(|tool| tool.name() == "lua").unwrap();
    assert_eq!(tools.find(lua, "build").unwrap().version, "Lua 5.4");
    assert_eq!(tools.find_named("sh", "run").unwrap().program, Path::new("/usr/bin/sh"));
    let missing = tools.find_named("fish", "run").unwrap_err();
    assert_eq!(missing.to_string(), "cannot run: fish not found");
    let by = |program: &str| {
        let mut names: Vec<_> = (0..20)
            .filter_map(|_| workers.run_job(&job(program, b"")).unwrap().outcome.worker)
            .collect();
        names.sort();
        names.dedup();
        names
    };
    assert!(by("/usr/bin/lua").iter().all(|worker| ["first", "same"].contains(&&**worker)));
    assert_eq!(by("/usr/bin/sh"), ["first"]);
    assert_eq!(jobs.load(Ordering::Relaxed), 40);
}

#[test]
fn a_worker_shows_only_tools_that_it_found() {
    let secret = worker(facts("a", 1), FakeTools(&["secret"], "1"), ScriptedExecutor::new(1, echo));
    let workers = connect_workers(vec![secret]);
    assert!(Toolchains::new(workers.probe()).find_named("/opt/secret", "run").is_err());
    let mut job = job("/bin/cat", b"");
    let (name, identity) = ("secret".to_owned(), String::new());
    let what = VisibleContent::Installed { name, identity };
    job.command.visible.push(VisiblePath { inside: "/home/x".into(), what });
    let Err(Stop::Fault(error)) = workers.run_job(&job) else { panic!("it is refused") };
    assert_eq!(error.to_string(), "show a tool: /home/x was not found here");
    job.command.visible = vec![VisiblePath::tree("/x", &Tree::unlisted("/home/x"))];
    let Err(Stop::Fault(error)) = workers.run_job(&job) else { panic!("it is refused") };
    assert_eq!(error.reason, "a directory of this machine is shown to it");
}

fn member(name: &str) -> Member {
    Member { reported: name.to_owned(), facts: facts(name, 2) }
}

#[test]
fn an_unannounced_worker_is_reported_if_it_ran_programs() {
    let check = |programs: &[(&str, usize)], members: &[&str], expected: &[&str]| {
        let worker = WorkerState {
            facts: Some(facts("all", 4)),
            programs: programs.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect(),
            members: members.iter().map(|name| member(name)).collect(),
            ..WorkerState::new("all".to_owned())
        };
        let reports = build_reports(&worker);
        let shown =
            |worker: &WorkerReport| format!("{} {} {}", worker.name, worker.slots, worker.programs);
        assert_eq!(reports.iter().map(shown).collect::<Vec<_>>(), expected);
        assert!(reports.iter().all(|report| report.isolation == Some(Isolation::Namespaces)));
    };
    check(&[("all", 7)], &[], &["all 4 7"]);
    check(&[("a", 2)], &["a", "b"], &["a 2 2", "b 2 0"]);
    check(&[("a", 2), ("c", 3)], &["a", "b"], &["a 2 2", "b 2 0", "c 0 3"]);
}

/// A command whose first start reports ready and ends with its first job. The second start is a worker.
#[test]
fn a_command_that_ends_is_started_once_more() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for name in ["in", "out"] {
        let made = std::process::Command::new("mkfifo").arg(at(name)).status();
        assert!(made.unwrap().success());
    }
    let ready = MessageFromWorker::Ready(facts("again", 2));
    let ready = [Peer::Worker.greeting().into_bytes(), encode_frame(&ready, &[]).unwrap()];
    std::fs::write(at("ready"), ready.concat()).unwrap();
    // The greeting and the session are shorter than what is read of the first start's input.
    let script = "cd $0
        if [ ! -e first ]; then
            : > first
            cat ready
            head -c 200 > /dev/null
            echo gone >&2
            exit 3
        fi
        # A command in the background reads nothing else.
        exec 3<&0
        cat <&3 > in &
        exec cat out";
    let (input, output) = (at("in"), at("out"));
    thread::spawn(move || {
        let input = std::fs::File::open(input).unwrap();
        let output = std::fs::File::options().write(true).open(output).unwrap();
        let tools = Toolchains::new(Box::new(NO_TOOLS));
        let executor = ScriptedExecutor::new(2, echo);
        serve(facts("again", 2), &executor, &tools, &|_| None, input, output, &|| ()).unwrap();
    });
    let mut command = std::process::Command::new("/bin/sh");
    command.arg("-c").arg(script).arg(directory.path());
    let pipes = WorkerConnection { name: "typed".to_owned(), command }.open().unwrap();
    let workers = connect_workers(vec![("typed".to_owned(), pipes)]);
    thread::scope(|scope| {
        for length in [10, 20_000, 600_000] {
            let workers = &workers;
            scope.spawn(move || {
                let sent = bytes(length);
                let reply = workers.run_job(&job("/bin/cat", &sent)).unwrap();
                assert_eq!(reply.stdout.prefix(u64::MAX).unwrap(), sent);
            });
        }
    });
    let remarks = format!("{:?}", workers.all_diagnostics());
    let expected =
        "this worker was started once more: it ended with exit status: 3; it wrote `gone`";
    assert!(remarks.contains(expected), "{remarks}");
    assert_eq!(workers.report()[0].lost, None);
}

fn digest(text: &str) -> Digest {
    Blob::from(text.as_bytes()).digest().expect("bytes in memory")
}

/// A worker on a machine with this system.
fn on(name: &str, system: &str) -> WorkerFacts {
    let identity = MachineIdentity { system: digest(system), hardware: digest("one") };
    WorkerFacts { identity: Some(identity), ..facts(name, 1) }
}

fn ids(workers: &[(usize, usize)]) -> Vec<WorkerId> {
    workers.iter().map(|&(connection, member)| WorkerId { connection, member }).collect()
}

/// A result counts for the kind of the connection it came through, whatever names there are behind it.
#[test]
fn workers_are_of_a_kind_if_their_machines_are_alike_and_one_command_reaches_them() {
    let mut state = WorkersState::default();
    for (command, facts) in [
        ("ssh a", on("a", "old")),
        ("juror-nats submit", on("all", "new")),
        ("ssh c", facts("c", 1)),
    ] {
        let name = facts.name.clone();
        let worker = WorkerState::new(command.to_owned());
        state.workers.push(WorkerState { name, facts: Some(facts), ..worker });
    }
    for facts in [on("b1", "new"), on("b2", "old"), on("b3", "new"), on("a", "old")] {
        state.note(1, ReceivedMessage::Member(facts));
    }
    let kinds = state.worker_kinds();
    let kinds: Vec<_> = kinds.into_iter().map(|kind| (kind.command, kind.workers)).collect();
    let expected: [(&str, &[(usize, usize)]); 3] = [
        ("ssh a", &[(0, 0)]),
        ("juror-nats submit", &[(1, 0), (1, 2)]),
        ("juror-nats submit", &[(1, 1), (1, 3)]),
    ];
    assert_eq!(kinds, expected.map(|(command, workers)| (command.to_owned(), ids(workers))));
    let check = |connection, name: &str, expected| {
        assert_eq!(state.distinct_name(connection, name.to_owned()), expected);
    };
    check(0, "a", "a");
    check(1, "b1", "b1");
    check(1, "a", "a (all)");
    check(1, "c", "c (all)");
    check(2, "b2", "b2 (c)");
}

/// Names that workers choose, behind two connections of one command and one of another.
#[test]
fn a_result_is_of_the_connection_that_sent_it_whatever_names_workers_choose() {
    let check = |names: [&str; 3], members: &[(usize, &str)]| {
        let mut state = WorkersState::default();
        for (command, name) in ["./a", "./a", "./evil"].into_iter().zip(names) {
            let worker = WorkerState::new(command.to_owned());
            let (facts, name) = (Some(on(name, "same")), name.to_owned());
            state.workers.push(WorkerState { name, facts, ..worker });
        }
        for &(connection, name) in members {
            state.note(connection, ReceivedMessage::Member(on(name, "same")));
        }
        let kinds = state.worker_kinds();
        assert_eq!(kinds.len(), 2, "{names:?} {members:?}");
        let of = |command: &str| {
            let kind = kinds.iter().find(|kind| kind.command == command).expect("a kind");
            kind.workers.iter().map(|worker| worker.connection).collect::<Vec<_>>()
        };
        assert!(of("./evil").iter().all(|connection| *connection == 2), "{names:?} {members:?}");
        assert!(of("./a").iter().all(|connection| *connection < 2), "{names:?} {members:?}");
        for name in names.into_iter().chain(["x", "x (2)", "./a", ""]) {
            let member = state.workers[2].member(Some(name));
            let is_announced = members.contains(&(2, name));
            assert_eq!(member.is_some(), is_announced, "{name} of {names:?}");
        }
    };
    check(["x", "x (2)", "x (2)"], &[]);
    check(["x", "x", "x (2)"], &[]);
    check(["x", "x", "./a"], &[]);
    check(["", "", ""], &[]);
    check(["x", "y", "z"], &[(2, "x"), (2, "y"), (2, "x (./a)")]);
    check(["x", "y", "z"], &[(2, "x"), (0, "x"), (1, "x (./evil)")]);
}

#[test]
fn results_of_a_worker_whose_facts_change_count_for_the_new_ones() {
    let mut state = WorkersState::default();
    let worker = WorkerState::new("submit".to_owned());
    state.workers.push(WorkerState { facts: Some(on("all", "old")), ..worker });
    let mut check = |announced: WorkerFacts, expected: (usize, usize)| {
        state.note(0, ReceivedMessage::Member(announced));
        let found = (state.workers[0].member(Some("b")), state.worker_kinds().len());
        assert_eq!(found, (Some(expected.0), expected.1));
    };
    check(on("b", "old"), (0, 1));
    check(on("b", "old"), (0, 1));
    check(on("b", "new"), (1, 2));
    check(on("c", "new"), (1, 2));
    check(WorkerFacts { mechanism: "other".to_owned(), ..on("b", "new") }, (3, 3));
    check(WorkerFacts { pace: Duration::from_secs(1), ..on("b", "new") }, (4, 3));
    assert_eq!(state.workers[0].member(None), None);
    assert_eq!(build_reports(&state.workers[0]).len(), 2);
}

/// Two workers that one command reaches, with a tool whose files they identify so.
#[test]
fn workers_with_other_tools_are_of_another_kind() {
    let check = |first: Option<&str>, second: Option<&str>, expected: &[&[(usize, usize)]]| {
        let mut state = WorkersState::default();
        for files in [first, second] {
            let tool = Toolchain {
                program: "/usr/bin/lua".into(),
                visible: Vec::new(),
                version: "5.4".to_owned(),
                linking: Linking::Dynamic,
                lld: None,
            };
            let answer = ToolAnswer { found: Ok(tool), files: files.map(digest) };
            let tools = [("{lua}".to_owned(), answer)].into();
            let worker = WorkerState::new("./a".to_owned());
            state.workers.push(WorkerState { facts: Some(on("x", "same")), tools, ..worker });
        }
        let kinds: Vec<_> = state.worker_kinds().into_iter().map(|kind| kind.workers).collect();
        let expected: Vec<_> = expected.iter().map(|workers| ids(workers)).collect();
        assert_eq!(kinds, expected, "{first:?} {second:?}");
    };
    check(Some("1"), Some("1"), &[&[(0, 0), (1, 0)]]);
    check(Some("1"), Some("2"), &[&[(0, 0)], &[(1, 0)]]);
    check(None, Some("1"), &[&[(1, 0)]]);
    check(Some("1"), None, &[&[(0, 0)]]);
    check(None, None, &[]);
}

/// The second start of a command reaches something else.
#[test]
fn a_worker_that_is_started_once_more_must_be_the_same() {
    let check = |second: WorkerFacts, expected: &str| {
        let directory = tempfile::tempdir().unwrap();
        for (name, facts) in [("first", on("x", "same")), ("second", second)] {
            let ready = encode_frame(&MessageFromWorker::Ready(facts), &[]).unwrap();
            let greeting = Peer::Worker.greeting().into_bytes();
            std::fs::write(directory.path().join(name), [greeting, ready].concat()).unwrap();
        }
        let script = "cd $0; if [ -e again ]; then cat second; exec cat > in; fi
            : > again; cat first; head -c 200 > /dev/null; exit 3";
        let mut command = std::process::Command::new("/bin/sh");
        command.arg("-c").arg(script).arg(directory.path());
        let pipes = WorkerConnection { name: "typed".to_owned(), command }.open().unwrap();
        let workers = connect_workers(vec![("typed".to_owned(), pipes)]);
        let sent = bytes(1000);
        let Err(Stop::Fault(error)) = workers.run_job(&job("/x", &sent)) else { panic!("lost") };
        assert!(error.reason.contains(expected), "{error}");
    };
    let same = || on("x", "same");
    let mechanism = "other meters".to_owned();
    check(WorkerFacts { mechanism, ..same() }, "it isolates or measures programs otherwise");
    let isolation = Isolation::Plain;
    check(WorkerFacts { isolation, ..same() }, "it isolates or measures programs otherwise");
    check(on("x", "other"), "it is another machine");
    check(WorkerFacts { identity: None, ..same() }, "it is another machine");
}

/// The greeting and the session have 100 bytes or less, a question has more than 10.
#[test]
fn a_tool_that_nobody_is_left_to_look_for_is_no_missing_tool() {
    let dying = |after| dying_worker("weak", after);
    let has = |tools: &'static [&'static str]| {
        worker(facts("good", 1), FakeTools(tools, "Lua 5.4"), ScriptedExecutor::new(1, echo))
    };
    let check = |workers: Vec<(String, WorkerPipes)>, expected: Result<&str, Option<&str>>| {
        let workers = connect_workers(workers);
        let tools = Toolchains::new(workers.probe());
        let lua = TOOLS.iter().find(|tool| tool.name() == "lua").unwrap();
        for _ in 0..2 {
            let found = tools.find(lua, "run Lua");
            let named = tools.find_named("lua", "run it").map_err(JudgeError::from);
            let found = found.map(|tool| tool.version.clone()).map_err(JudgeError::from);
            let kind = |error: &JudgeError| error.kind == FaultKind::NoWorker;
            assert_eq!(named.as_ref().is_err_and(kind), found.as_ref().is_err_and(kind));
            let found = found.map_err(|error| {
                assert_eq!(error.kind == FaultKind::NoWorker, error.lacks.is_none(), "{error}");
                error.lacks
            });
            let expected = expected.map(str::to_owned);
            assert_eq!(found, expected.map_err(|lacks| lacks.map(str::to_owned)));
        }
    };
    let session = Peer::Sender.greeting().len() as u64 + 30;
    for more in [0, 1, 5] {
        check(vec![dying(session + more)], Err(None));
        check(vec![dying(session + more), dying(session)], Err(None));
        check(vec![dying(session + more), has(&["lua"])], Ok("Lua 5.4"));
        check(vec![dying(session + more), has(&[])], Err(Some("lua")));
    }
    check(vec![has(&[])], Err(Some("lua")));
}

#[test]
fn a_worker_cannot_say_that_no_worker_is_left() {
    let check = |sent: JudgeError, expected: Option<&str>| {
        let executor = ScriptedExecutor::new(1, move |_: &Job| Err(sent.clone().into()));
        let workers = connect_workers(vec![worker(facts("a", 1), NO_TOOLS, executor)]);
        let Err(Stop::Fault(error)) = workers.run_job(&job("/x", b"")) else { panic!("a fault") };
        assert_ne!(error.kind, FaultKind::NoWorker);
        assert_eq!(
            expected.is_some_and(|reason| reason == error.reason),
            expected.is_some(),
            "{error}"
        );
    };
    let plain = JudgeError::new("start it", "no room");
    check(plain.clone(), Some("no room"));
    check(JudgeError { kind: FaultKind::Unstartable, ..plain.clone() }, Some("no room"));
    check(JudgeError { kind: FaultKind::NoWorker, ..plain.clone() }, None);
    let fault = AskFault::Judge(Box::new(plain));
    assert!(postcard::to_allocvec(&fault).is_err(), "nor for a tool");
}

#[test]
fn a_relative_command_is_another_one_in_another_directory() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("worker.sh");
    std::fs::write(&file, "").unwrap();
    let here = std::env::current_dir().unwrap();
    let check = |words: &[&str], expected: &str| {
        let mut command = std::process::Command::new(words[0]);
        command.args(&words[1..]);
        let connection = WorkerConnection { name: words.join(" "), command };
        assert_eq!(identify_command(&words.join(" "), Some(&connection)), expected);
    };
    let absolute = file.to_str().unwrap();
    check(&[absolute], absolute);
    check(&["/usr/bin/ssh", "lab", "juror"], "/usr/bin/ssh lab juror");
    let manifest = format!(" {}", here.join("Cargo.toml").display());
    check(&["./Cargo.toml"], &format!("./Cargo.toml{manifest}"));
    check(&["/bin/sh", "Cargo.toml"], &format!("/bin/sh Cargo.toml{manifest}"));
    check(&["src/../Cargo.toml", "x"], &format!("src/../Cargo.toml x{manifest}"));
    assert_eq!(identify_command("local", None), "local");
}
