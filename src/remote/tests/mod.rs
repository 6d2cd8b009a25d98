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

use crate::executor::Executor;
use crate::executor::scripted::Scripted;
use crate::language::probe::{AskFault, Probe};
use crate::language::tool::TOOLS;
use crate::language::toolchain::{Lookup, Toolchains};
use crate::model::blob::Blob;
use crate::model::isolation::Isolation;
use crate::model::job::{Command, Job, Keep, Reply, Shown, What};
use crate::model::limits::{Limits, ProblemLimits};
use crate::model::outcome::quiet_outcome;
use crate::model::stop::Stop;
use crate::model::tree::{Node, Tree, TreeEntry};
use crate::model::units::Bytes;
use crate::model::worker::WorkerReport;
use crate::remote::frame::{Peer, frame};
use crate::remote::group::Member;
use crate::remote::link::{Pipes, Process, Route};
use crate::remote::message::{Facts, FromWorker};
use crate::remote::serve::serve;
use crate::remote::state::WorkerState;
use crate::remote::workers::{Workers, may_take_long, reported};

pub(super) fn facts(name: &str, slots: usize) -> Facts {
    Facts {
        name: name.to_owned(),
        boot: name.to_owned(),
        isolation: Isolation::Namespaces,
        shortfall: None,
        mechanism: "scripted".to_owned(),
        slots,
        pace: Duration::from_millis(1),
    }
}

pub(super) fn job(program: &str, stdin: &[u8]) -> Job {
    Job {
        command: Command { argv: vec![program.to_owned()], ..Command::default() },
        stdin: stdin.to_vec().into(),
        box_size: Bytes::mib(1),
        limits: Limits::of_trial(),
        ..Job::default()
    }
}

fn reply(stdout: impl Into<Blob>) -> Reply {
    Reply {
        outcome: quiet_outcome(),
        stdout: stdout.into(),
        stderr: Blob::default(),
        collected: Vec::new(),
        kept: None,
    }
}

/// Echoes its input, and keeps what its job shows.
fn echo(job: &Job) -> Result<Reply, Stop> {
    let mut reply = reply(job.stdin.start(u64::MAX).expect("its bytes are here"));
    let shown = job.command.visible.iter().find_map(|shown| match &shown.what {
        What::Tree(tree) => Some(Tree::from(tree.entries.clone())),
        What::Installed { .. } => None,
    });
    reply.kept = shown.filter(|_| job.keep != Keep::Nothing);
    Ok(reply)
}

/// All tools are at `/usr/bin`, in this version.
struct Tools(&'static [&'static str], &'static str);

impl Probe for Tools {
    fn on_path(&self, name: &str) -> Vec<PathBuf> {
        let found = self.0.iter().find(|it| **it == name || Path::new(name).ends_with(it));
        found.map(|it| Path::new("/usr/bin").join(it)).into_iter().collect()
    }

    fn ask(&self, _: &Path, _: &[&str]) -> Result<String, AskFault> {
        Ok(self.1.to_owned())
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }

    fn hops(&self, path: &Path) -> Vec<PathBuf> {
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

    fn elsewhere(&self, _: &str) -> Option<Lookup> {
        None
    }
}

fn worker(facts: Facts, tools: Tools, executor: impl Executor + 'static) -> (String, Route) {
    pipes(move |input, output| {
        let tools = Toolchains::new(Box::new(tools));
        serve(facts, &executor, &tools, input, output, &|| ()).expect("juror sends jobs");
    })
}

fn pipes(
    work: impl FnOnce(Box<dyn Read + Send>, Box<dyn Write + Send>) + Send + 'static,
) -> (String, Route) {
    let (input, to_worker) = io::pipe().unwrap();
    let (output, from_worker) = io::pipe().unwrap();
    thread::spawn(move || work(Box::new(input), Box::new(from_worker)));
    let process = Process::default();
    let pipes = Pipes { output: Box::new(output), input: to_worker.into(), process };
    ("typed".to_owned(), Route::Pipes(pipes))
}

fn connected(workers: Vec<(String, Route)>) -> Workers {
    Workers::of(workers, None, |_| Ok(())).expect("a worker is ready")
}

const NO_TOOLS: Tools = Tools(&[], "");

fn of_echo(name: &str) -> (String, Route) {
    worker(facts(name, 2), NO_TOOLS, Scripted::new(2, echo))
}

/// A worker that reports ready, and is gone after this many bytes of jobs.
fn dying(name: &str, after: u64) -> (String, Route) {
    let facts = facts(name, 2);
    pipes(move |input, mut output| {
        output.write_all(Peer::Worker.greeting().as_bytes()).unwrap();
        let ready = FromWorker::Ready(facts);
        output.write_all(&frame(&ready, &[]).unwrap()).unwrap();
        io::copy(&mut input.take(after), &mut io::sink()).unwrap();
    })
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|it| (it % 251) as u8).collect()
}

#[test]
fn trees_come_and_go_and_are_the_same_tree_for_the_worker() {
    let seen = Arc::new(Mutex::new(HashMap::new()));
    let noted = Arc::clone(&seen);
    let executor = Scripted::new(2, move |job: &Job| {
        let What::Tree(tree) = &job.command.visible[0].what else { panic!("a tree is shown") };
        noted.lock().insert(Arc::as_ptr(tree) as usize, Arc::clone(tree));
        echo(job)
    });
    let workers = connected(vec![worker(facts("a", 2), NO_TOOLS, executor)]);
    let entries = vec![
        TreeEntry::new("run", Node::plain(bytes(500_000))),
        TreeEntry::new("d/small", Node::plain(&b"x"[..])),
        TreeEntry::new("link", Node::Link("/program/run".into())),
        TreeEntry::new("empty", Node::Directory),
    ];
    let tree = Arc::new(Tree::from(entries.clone()));
    let mut job = job("/program/run", b"");
    job.command.visible.push(Shown::tree("/program", &tree));
    job.keep = Keep::ALL;
    for _ in 0..3 {
        let kept = workers.run_job(&job).unwrap().kept.expect("the box is kept");
        assert_eq!(kept.entries.len(), entries.len());
        assert_eq!(kept.file(Path::new("run")).unwrap().start(u64::MAX).unwrap(), bytes(500_000));
        assert_eq!(kept.file(Path::new("d/small")).unwrap().start(9).unwrap(), b"x");
    }
    assert_eq!(seen.lock().len(), 1);
}

#[test]
fn many_results_at_once_reach_who_asked() {
    let workers = connected(vec![
        worker(facts("a", 100), NO_TOOLS, Scripted::new(100, echo)),
        worker(facts("b", 100), NO_TOOLS, Scripted::new(100, echo)),
    ]);
    thread::scope(|scope| {
        for number in 0..500usize {
            let workers = &workers;
            scope.spawn(move || {
                let sent = bytes(number * 30);
                let reply = workers.run_job(&job("/bin/cat", &sent)).unwrap();
                assert_eq!(reply.stdout.start(u64::MAX).unwrap(), sent);
            });
        }
    });
    let programs: Vec<usize> = workers.report().iter().map(|it| it.programs).collect();
    assert_eq!(programs.iter().sum::<usize>(), 500);
    assert!(programs.iter().all(|it| *it > 0), "{programs:?}");
}

fn check_survives(lost: Vec<(String, Route)>, pieces: &[&str]) {
    let mut workers = lost;
    workers.push(of_echo("good"));
    let workers = connected(workers);
    let sent = bytes(600_000);
    for _ in 0..3 {
        let reply = workers.run_job(&job("/bin/cat", &sent)).unwrap();
        assert_eq!(reply.outcome.worker.as_deref(), Some("good"));
    }
    while workers.report().iter().all(|worker| worker.lost.is_none()) {
        thread::yield_now();
    }
    let text = format!("{:?} {:?}", workers.last_remarks(), workers.report());
    pieces.iter().for_each(|piece| assert!(text.contains(piece), "{piece}: {text}"));
}

#[test]
fn jobs_of_a_lost_worker_go_elsewhere() {
    check_survives(vec![dying("weak", 90)], &["weak", "this worker is lost: it closed its pipe"]);
    check_survives(vec![dying("weak", 120)], &["this worker is lost: it closed its pipe"]);
    let says = |text: &'static str| {
        pipes(move |mut input, mut output| {
            let _ = output.write_all(text.as_bytes());
            let _ = io::copy(&mut input, &mut io::sink());
        })
    };
    check_survives(vec![says("Welcome!\n")], &["typed", "but with `Welcome!`"]);
    check_survives(vec![says("juror worker, protocol 0\n")], &["it is another juror"]);
    let asked_to_end = Scripted::new(1, |_: &Job| Err(Stop::Interrupted));
    let asked_to_end = worker(facts("ending", 1), NO_TOOLS, asked_to_end);
    let workers = connected(vec![asked_to_end, of_echo("good")]);
    let names: Vec<_> =
        (0..9).map(|_| workers.run_job(&job("/x", b"")).unwrap().outcome.worker).collect();
    assert!(names.iter().all(|name| name.as_deref() == Some("good")), "{names:?}");
}

/// An empty piece is the end.
struct Pieces(Receiver<Vec<u8>>);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.0.recv().unwrap_or_default();
        buffer[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}

#[test]
fn a_worker_whose_input_ends_during_a_run_was_not_asked_to_end() {
    let (sender, pieces) = channel();
    let cut = sender.clone();
    let stopped = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stopped);
    let mut executor = Scripted::new(1, move |_: &Job| {
        // Here the connection is cut.
        let _ = cut.send(Vec::new());
        while !told.load(Ordering::Relaxed) {
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
        let served = serve(facts("cut", 1), &executor, &tools, Pieces(pieces), output, &|| ());
        served.expect("juror sends jobs");
    });
    check_survives(vec![lost], &["this worker is lost: it closed its pipe"]);
}

#[test]
fn a_job_with_which_all_workers_are_lost_is_given_up() {
    let deadly = (0..7).map(|number| dying(&number.to_string(), 100));
    let workers = connected(deadly.collect());
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
fn a_worker_that_cannot_be_used_is_not_and_without_any_nothing_begins() {
    let accepts = |facts: &Facts| match &*facts.name {
        "bad" => Err("it is bad".to_owned()),
        _ => Ok(()),
    };
    let none = Workers::of(vec![of_echo("bad")], None, accepts).map(|_| ());
    assert!(none.unwrap_err().reason.contains("typed: it is bad"));
    let workers =
        Workers::of(vec![of_echo("bad"), of_echo("good"), of_echo("good")], None, accepts);
    let workers = workers.unwrap();
    let names: Vec<String> = workers.report().into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["typed", "good", "good (2)"]);
    assert_eq!(workers.slots(), 8);
    assert_eq!(workers.last_remarks().len(), 1);
}

#[test]
fn a_worker_of_another_speed_is_told_once_and_its_times_are_not_converted() {
    let seconds = |seconds: f64| Duration::from_secs_f64(seconds);
    let check = |pace: f64, boot: &str, is_told: bool| {
        let given = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&given);
        let executor = Scripted::new(1, move |job: &Job| {
            *noted.lock() = job.limits.cpu_time;
            let mut reply = reply(Vec::new());
            reply.outcome.cpu_time = seconds(1.0);
            Ok(reply)
        });
        let boot = boot.to_owned();
        let other = Facts { pace: seconds(pace / 1000.0), boot, ..facts("b", 1) };
        let first = Scripted::new(1, |_: &Job| Err(Stop::Interrupted));
        let first = worker(facts("a", 1), NO_TOOLS, first);
        let workers = connected(vec![first, worker(other, NO_TOOLS, executor)]);
        let mut job = job("/x", b"");
        job.limits.cpu_time = Some(seconds(2.0));
        for _ in 0..2 {
            let reply = workers.run_job(&job).unwrap();
            assert_eq!(*given.lock(), Some(seconds(2.0)), "{pace}");
            assert_eq!(reply.outcome.cpu_time, seconds(1.0), "{pace}");
        }
        let remarks = format!("{:?}", workers.last_remarks());
        let told = remarks.matches("times as long as a").count();
        assert_eq!(told, usize::from(is_told), "{remarks}");
    };
    check(1.0, "b", false);
    check(1.09, "b", false);
    check(1.12, "b", true);
    check(0.5, "b", true);
    check(2.0, "a", false);
    check(0.0, "b", false);
}

#[test]
fn what_juror_runs_by_its_own_limits_does_not_wait_among_long_runs() {
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
fn a_tool_is_that_of_the_first_worker_that_has_it_and_its_jobs_go_only_to_those_that_have_it() {
    let ran = Arc::new(AtomicUsize::new(0));
    let has = |name: &str, tools, version| {
        let ran = Arc::clone(&ran);
        let executor = Scripted::new(1, move |job: &Job| {
            ran.fetch_add(1, Ordering::Relaxed);
            echo(job)
        });
        worker(facts(name, 1), Tools(tools, version), executor)
    };
    let workers = connected(vec![
        has("none", &[], ""),
        has("first", &["lua", "sh"], "Lua 5.4"),
        has("other", &["lua"], "Lua 5.3"),
        has("same", &["lua"], "Lua 5.4"),
    ]);
    let tools = Toolchains::new(workers.probe());
    let lua = TOOLS.iter().find(|tool| tool.name() == "lua").unwrap();
    assert_eq!(tools.tool(lua, "build").unwrap().version, "Lua 5.4");
    assert_eq!(tools.named("sh", "run").unwrap().program, Path::new("/usr/bin/sh"));
    let missing = tools.named("fish", "run").unwrap_err();
    assert_eq!(missing.to_string(), "cannot run: fish not found");
    let by = |program: &str| {
        let mut names: Vec<_> = (0..20)
            .filter_map(|_| workers.run_job(&job(program, b"")).unwrap().outcome.worker)
            .collect();
        names.sort();
        names.dedup();
        names
    };
    assert!(by("/usr/bin/lua").iter().all(|it| ["first", "same"].contains(&&**it)));
    assert_eq!(by("/usr/bin/sh"), ["first"]);
    assert_eq!(ran.load(Ordering::Relaxed), 40);
}

#[test]
fn a_worker_shows_nothing_of_its_machine_but_tools_that_it_found() {
    let secret = worker(facts("a", 1), Tools(&["secret"], "1"), Scripted::new(1, echo));
    let workers = connected(vec![secret]);
    assert!(Toolchains::new(workers.probe()).named("/opt/secret", "run").is_err());
    let mut job = job("/bin/cat", b"");
    let (name, identity) = ("secret".to_owned(), String::new());
    let what = What::Installed { name, identity };
    job.command.visible.push(Shown { inside: "/home/x".into(), what });
    let Err(Stop::Fault(error)) = workers.run_job(&job) else { panic!("it is refused") };
    assert_eq!(error.to_string(), "show a tool: /home/x was not found here");
    job.command.visible = vec![Shown::tree("/x", &Tree::unlisted("/home/x"))];
    let Err(Stop::Fault(error)) = workers.run_job(&job) else { panic!("it is refused") };
    assert_eq!(error.reason, "a directory of this machine is shown to it");
}

#[test]
fn who_ran_something_is_reported_although_it_was_never_heard_of() {
    let check = |ran: &[(&str, usize)], members: &[&str], expected: &[&str]| {
        let worker = WorkerState {
            facts: Some(facts("all", 4)),
            programs: ran.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect(),
            ..WorkerState::new("all".to_owned())
        };
        let member = |name: &&str| Member { name: (*name).to_owned(), facts: facts(name, 2) };
        let reports = reported(&worker, members.iter().map(member).collect());
        let shown = |it: &WorkerReport| format!("{} {} {}", it.name, it.slots, it.programs);
        assert_eq!(reports.iter().map(shown).collect::<Vec<_>>(), expected);
        assert!(reports.iter().all(|it| it.isolation == Some(Isolation::Namespaces)));
    };
    check(&[("all", 7)], &[], &["all 4 7"]);
    check(&[("a", 2)], &["a", "b"], &["a 2 2", "b 2 0"]);
    check(&[("a", 2), ("c", 3)], &["a", "b"], &["a 2 2", "b 2 0", "c 0 3"]);
}
