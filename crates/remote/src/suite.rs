//! What holds for every executor: a suite for whoever writes another one.
//!
//! Each executor forwards jobs to another one, however far away that is. That is once the sandboxes of this machine.
//! It is once a scripted executor, for what a machine does not do on request.
//!
//! ```no_run
//! use juror_remote::suite::check_executor;
//!
//! // Put an executor of your own in between.
//! check_executor(|behind| behind);
//! ```

use std::io::{self, Read, Write};
use std::path::Path;
use std::slice::from_ref;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::link::{WorkerPipes, WorkerProcess};
use crate::message::WorkerFacts;
use crate::serve::{EXTRA_JOBS, serve};
use crate::workers::Workers;
use juror_core::blob::Blob;
use juror_core::isolation::{Isolation, RequiredIsolation};
use juror_core::job::{BoxRetention, CollectedEntry, Command, Job, JobReply, VisiblePath};
use juror_core::joint::{JointJob, JointReply};
use juror_core::judgement::JudgeError;
use juror_core::language::toolchain::Toolchains;
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, quiet_outcome};
use juror_core::stop::{Stop, StopFlag, with_stop_flags};
use juror_core::tree::{FileMode, Node, Tree, TreeEntry};
use juror_core::units::Bytes;
use juror_core::work::{RunMode, Work, WorkReply};
use juror_sandbox::executor::local::LocalExecutor;
use juror_sandbox::executor::scripted::ScriptedExecutor;
use juror_sandbox::executor::{Executor, ExecutorWrapper};
use juror_sandbox::sandbox::Machine;

/// What a worker of this name reports about this executor.
pub fn facts(name: &str, executor: &dyn Executor) -> WorkerFacts {
    WorkerFacts {
        name: name.to_owned(),
        boot: name.to_owned(),
        isolation: Isolation::Namespaces,
        shortfall: None,
        mechanism: executor.mechanism(),
        slots: executor.slots(),
        queue: EXTRA_JOBS,
        pace: Duration::from_millis(1),
        identity: None,
    }
}

/// An executor behind a pipe, in a thread of this process.
///
/// # Panics
/// If the system has no pipes.
pub fn behind_pipe(name: &str, executor: Arc<dyn Executor>) -> WorkerPipes {
    let (input, to_worker) = io::pipe().expect("a pipe");
    let (output, from_worker) = io::pipe().expect("a pipe");
    let facts = facts(name, &*executor);
    thread::spawn(move || serve_pipe(facts, &*executor, input, from_worker));
    let process = WorkerProcess::default();
    WorkerPipes { output: Box::new(output), input: to_worker.into(), process, again: None }
}

fn serve_pipe(
    facts: WorkerFacts,
    executor: &dyn Executor,
    input: impl Read,
    output: impl Write + Send,
) {
    let tools = Toolchains::new(Box::new(Machine));
    serve(facts, executor, &tools, &|_| None, input, output, &|| ()).expect("juror sends jobs");
}

/// One executor of all workers behind these pipes.
///
/// # Panics
/// If no worker is ready.
pub fn connect(workers: Vec<WorkerPipes>) -> Workers {
    let workers = workers.into_iter().map(|pipes| (String::new(), pipes)).collect();
    Workers::connect(workers, None, |_| Ok(())).expect("a worker is ready")
}

/// Checks everything that holds for every executor. `carry` makes one that forwards its jobs to the executor behind it.
///
/// # Panics
/// If something does not hold.
pub fn check_executor(carry: ExecutorWrapper) {
    let executor = carry(Arc::new(local()));
    jobs_have_the_expected_results(&*executor);
    outputs_of_any_size_come_back(&*executor);
    programs_talk(&*executor);
    exclusive_runs_are_alone(&*executor);
    stop_ends_all_runs(&*executor);
    many_results_reach_their_callers(carry);
    faults_arrive_unchanged(carry);
}

/// The sandboxes of this machine.
///
/// # Panics
/// If it runs no programs.
pub fn local() -> LocalExecutor {
    LocalExecutor::start(Some(SLOTS), RequiredIsolation::Any).expect("this machine runs programs")
}

const SLOTS: usize = 2;

/// A script for the shell, with limits that are far away.
fn script(text: &str) -> Job {
    let argv = ["/bin/sh", "-c", text].map(str::to_owned).to_vec();
    Job {
        command: Command { argv, ..Command::default() },
        writable: true,
        box_size: Bytes::mib(16),
        limits: Limits {
            cpu_time: Some(Duration::from_secs(60)),
            wall_time: Some(Duration::from_secs(120)),
            deadline: None,
            memory: Some(Bytes::mib(256)),
            output: Some(Bytes::mib(32)),
            processes: Some(16),
        },
        ..Job::default()
    }
}

fn text(blob: &Blob) -> String {
    String::from_utf8_lossy(&blob.prefix(u64::MAX).expect("its bytes are here")).into_owned()
}

/// The result of a job: its ending, and all that it left.
fn describe_reply(reply: &JobReply) -> String {
    let mut line = match (reply.outcome.stopped_by, reply.outcome.ending) {
        (Some(stop), _) => format!("{stop:?}"),
        (None, Ending::Exited(code)) => format!("exit {code}"),
        (None, Ending::Signalled(signal)) => signal.to_string(),
    };
    for (name, blob) in [("out", &reply.stdout), ("err", &reply.stderr)] {
        let text = text(blob);
        // If a program was stopped, nobody knows how much it wrote.
        if !text.is_empty() && reply.outcome.stopped_by.is_none() {
            line += &format!("; {name} `{}`", text.trim_end());
        }
    }
    for collected in &reply.collected {
        line += &match collected {
            CollectedEntry::File(blob) => format!("; got `{}`", text(blob)),
            other => format!("; got {other:?}"),
        };
    }
    let mut entries: Vec<String> =
        reply.kept.iter().flat_map(|tree| &tree.entries).map(entry).collect();
    entries.sort();
    let entries: String = entries.iter().map(|entry| format!("; kept {entry}")).collect();
    line + &entries
}

fn entry(entry: &TreeEntry) -> String {
    let name = entry.name.display();
    match &entry.node {
        Node::File { blob, mode: FileMode::Plain } => format!("{name} `{}`", text(blob)),
        Node::File { blob, mode: FileMode::Executable } => format!("{name}* `{}`", text(blob)),
        Node::Link(target) => format!("{name} -> {}", target.display()),
        Node::Directory => format!("{name}/"),
    }
}

fn plain(name: &str, text: &str) -> TreeEntry {
    TreeEntry::new(name, Node::plain(text.as_bytes()))
}

fn jobs_have_the_expected_results(executor: &dyn Executor) {
    let check = |job: Job, expected: &str| {
        let reply =
            executor.run_job(&job).unwrap_or_else(|stop| panic!("{:?}: {stop:?}", job.command));
        assert_eq!(describe_reply(&reply), expected, "{:?}: {:?}", job.command, reply.outcome);
    };
    let limited = |text: &str, limit: fn(&mut Limits)| {
        let mut job = script(text);
        limit(&mut job.limits);
        job
    };
    // How a program ends, what it reads and what it writes.
    check(script("exit 0"), "exit 0");
    check(script("exit 42"), "exit 42");
    check(script("kill -SEGV $$"), "SIGSEGV");
    check(Job { stdin: b"a\nb".to_vec().into(), ..script("cat; cat >&2") }, "exit 0; out `a\nb`");
    check(script("echo a; echo b >&2; exit 1"), "exit 1; out `a`; err `b`");
    let mut told_more = script("echo $OWN $0 $1");
    told_more.command.env.push(("OWN".to_owned(), "a b".to_owned()));
    told_more.command.argv.extend(["c".to_owned(), "d e".to_owned()]);
    check(told_more, "exit 0; out `a b c d e`");
    // Limits.
    let endless = "while :; do :; done";
    check(limited(endless, |limits| limits.cpu_time = Some(Duration::from_millis(100))), "CpuTime");
    let sleep = limited("sleep 60", |limits| limits.wall_time = Some(Duration::from_millis(100)));
    check(sleep, "WallTime");
    let until =
        |job: &str| limited(job, |limits| limits.deadline = Some(Duration::from_millis(100)));
    check(until("sleep 60"), "WallTime");
    check(until(endless), "WallTime");
    let grow = "x=0123456789abcdef; while :; do x=$x$x; done";
    check(limited(grow, |limits| limits.memory = Some(Bytes::mib(16))), "Memory");
    check(limited("yes", |limits| limits.output = Some(Bytes::kib(64))), "Output");
    let small = Job {
        box_size: Bytes::mib(1),
        ..script("head -c 4000000 /dev/zero 2> /dev/null > f || exit 7")
    };
    check(small, "exit 7");
    check(Job { writable: false, ..script("(: > f) 2> /dev/null || echo no") }, "exit 0; out `no`");
    // Files that a program has, and files that it leaves.
    let files = vec![plain("d/in", "x"), TreeEntry::new("to", Node::Link("d/in".into()))];
    check(Job { files: files.clone(), ..script("cat to; ls") }, "exit 0; out `xd\nto`");
    let tree = Arc::new(Tree::from(vec![TreeEntry::new(
        "run",
        Node::File { blob: b"#!/bin/sh\necho shown\n".to_vec().into(), mode: FileMode::Executable },
    )]));
    let mut shows = script("/program/run");
    shows.command.visible.push(VisiblePath::tree("/program", &tree));
    check(shows, "exit 0; out `shown`");
    let leaves = "printf a > a; ln -s a l; mkdir -p e d; printf b > d/b; chmod +x d/b";
    let collect = ["a", "l", "e", "none", "d/b"].map(str::to_owned).to_vec();
    check(
        Job { collect, ..script(leaves) },
        "exit 0; got `a`; got NotAFile(Link); got NotAFile(Directory); got Missing; got `b`",
    );
    let keep = BoxRetention::AllBut(vec!["d/in".into()]);
    check(
        Job { files, keep, ..script(leaves) },
        "exit 0; kept a `a`; kept d/b* `b`; kept e/; kept l -> a; kept to -> d/in",
    );
    // A missing program is a fault, and the next job works as before.
    let mut missing = script("");
    missing.command.argv = vec!["/nowhere/program".to_owned()];
    match executor.run_job(&missing) {
        Err(Stop::Fault(error)) => {
            assert!(error.to_string().contains("/nowhere/program"), "{error}")
        }
        other => panic!("{other:?}"),
    }
    check(script("exit 0"), "exit 0");
}

fn outputs_of_any_size_come_back(executor: &dyn Executor) {
    for length in [0, 1, 8 << 10, (8 << 10) + 1, 64 << 10, (64 << 10) + 1, 3_000_000] {
        let sent: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
        let files = vec![TreeEntry::new("in", Node::plain(sent.clone()))];
        let job =
            Job { stdin: sent.clone().into(), files, keep: BoxRetention::ALL, ..script("cat") };
        let reply = executor.run_job(&job).expect("it runs");
        assert_eq!(reply.stdout.prefix(u64::MAX).expect("its bytes"), sent, "{length}");
        assert_eq!(reply.outcome.stdout_bytes, Bytes(length), "{length}");
        let tree = reply.kept.expect("its box is kept");
        let tree = tree.file(Path::new("in")).expect("a file");
        assert_eq!(tree.prefix(u64::MAX).expect("its bytes"), sent, "{length}");
    }
}

fn programs_talk(executor: &dyn Executor) {
    let check = |program: &str, partner: &str, expected: &str| {
        let (program, partner) = (script(program), script(partner));
        let transcript = Some(Bytes::kib(1));
        let job = JointJob { program, partner, accept_exit_code: 42, transcript };
        for mode in [RunMode::default(), RunMode::repeat_alone(1)] {
            let reply = executor.run(&job.clone().into(), mode).and_then(WorkReply::joint);
            let reply = reply.unwrap_or_else(|stop| panic!("{job:?}: {stop:?}"));
            assert_eq!(describe_joint_reply(&reply), expected, "{reply:?}");
        }
    };
    check(
        "read a; echo $a$a; echo ours >&2",
        "echo x; read b; echo $b >&2; exit 42",
        "exit 0; err `ours` | exit 42; err `xx` | <x >xx",
    );
    check("exit 3", "cat; exit 43", "exit 3 | exit 43 |");
    check("cat > /dev/null; sleep 60", "echo x; exit 43", "Dismissed | exit 43 | <x");
    check("read a", "read b", "Deadlock | Deadlock |");
}

fn describe_joint_reply(reply: &JointReply) -> String {
    let program = describe_reply(&reply.program.reply);
    let partner = describe_reply(&reply.partner.reply);
    let notation = String::from_utf8_lossy(&reply.transcript.to_interaction_text()).into_owned();
    let words: Vec<&str> = notation.split_whitespace().collect();
    format!("{program} | {partner} | {}", words.join(" ")).trim_end().to_owned()
}

/// Each job prints when it began and when it ended.
fn exclusive_runs_are_alone(executor: &dyn Executor) {
    let job = script("date +%s%N; sleep 0.01; date +%s%N");
    let times = |reply: JobReply| -> (u128, u128) {
        let text = text(&reply.stdout);
        let mut times = text.lines().map(|line| line.parse().expect("a time"));
        (times.next().expect("a beginning"), times.next().expect("an end"))
    };
    let (mut alone, mut others) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        let run =
            || (0..10).map(|_| times(executor.run_job(&job).expect("it runs"))).collect::<Vec<_>>();
        let threads: Vec<_> = (0..SLOTS).map(|_| scope.spawn(run)).collect();
        for number in 1..=3 {
            let reply = executor.run(&job.clone().into(), RunMode::repeat_alone(number));
            alone.push(times(reply.and_then(WorkReply::single).expect("it runs")));
        }
        others.extend(threads.into_iter().flat_map(|thread| thread.join().expect("no panic")));
    });
    for (start, end) in alone {
        let overlapping = others.iter().find(|other| other.0 < end && start < other.1);
        assert_eq!(overlapping, None, "{start} to {end}");
    }
}

/// For executors that reach programs under way: the slots of a caller who gives up are free for others. The runs of two
/// callers fill all slots for longer than a test may take.
///
/// # Panics
/// If it is not so.
pub fn check_stop_flags(carry: ExecutorWrapper) {
    let executor = &*carry(Arc::new(local()));
    let (sleep, wait) = (script("sleep 100"), script("read a"));
    let joint = |program: &Job, partner: &Job| JointJob {
        program: program.clone(),
        partner: partner.clone(),
        accept_exit_code: 42,
        transcript: None,
    };
    let works =
        [Work::from(sleep.clone()), joint(&sleep, &wait).into(), joint(&wait, &sleep).into()];
    for work in &works {
        for mode in [RunMode::default(), RunMode::FRESH, RunMode::repeat_alone(1)] {
            let (own, other) = (StopFlag::default(), StopFlag::default());
            let run = |flag: &StopFlag, mode| {
                let result = with_stop_flags(from_ref(flag), || executor.run(work, mode));
                assert_eq!(result.err(), Some(Stop::Interrupted), "{work:?}");
            };
            thread::scope(|scope| {
                let other_run = scope.spawn(|| run(&other, RunMode::default()));
                // One of them runs, unless the other caller is in its way, and the others wait.
                let own_runs = [(); 2 * SLOTS].map(|()| scope.spawn(|| run(&own, mode)));
                own.set();
                own_runs.into_iter().for_each(|thread| thread.join().expect("no panic"));
                run(&own, mode);
                if mode == RunMode::default() {
                    // The slots of the runs that ended are free, although the other caller's run goes on.
                    let reply = executor.run_job(&script("echo $((6 * 7))")).expect("it runs");
                    assert_eq!(describe_reply(&reply), "exit 0; out `42`");
                    assert!(!other_run.is_finished());
                }
                other.set();
            });
        }
    }
    let reply = executor.run_job(&script("echo next")).expect("it runs");
    assert_eq!(describe_reply(&reply), "exit 0; out `next`");
}

fn stop_ends_all_runs(executor: &dyn Executor) {
    let work = Work::from(script("sleep 100"));
    let run = |mode| match executor.run(&work, mode) {
        Err(Stop::Interrupted) => {}
        other => panic!("{other:?}"),
    };
    thread::scope(|scope| {
        (0..2 * SLOTS).for_each(|_| _ = scope.spawn(|| run(RunMode::default())));
        scope.spawn(|| run(RunMode::repeat_alone(1)));
        executor.stop();
    });
    run(RunMode::default());
}

fn many_results_reach_their_callers(carry: ExecutorWrapper) {
    let echo = |job: &Job| {
        let stdout = job.stdin.prefix(u64::MAX).expect("its bytes are here").into();
        let (stderr, collected, kept) = (Blob::default(), Vec::new(), None);
        Ok(JobReply { outcome: quiet_outcome(), stdout, stderr, collected, kept })
    };
    let executor = carry(Arc::new(ScriptedExecutor::new(100, echo)));
    assert!(executor.slots() >= 100);
    thread::scope(|scope| {
        for number in 0..500 {
            let executor = &executor;
            scope.spawn(move || {
                let sent = format!("{number} ").repeat(number * 10).into_bytes();
                let job = Job { stdin: sent.clone().into(), ..script("cat") };
                let reply = executor.run_job(&job).expect("an answer");
                assert_eq!(reply.stdout.prefix(u64::MAX).expect("its bytes"), sent, "{number}");
            });
        }
    });
}

fn faults_arrive_unchanged(carry: ExecutorWrapper) {
    let plain = JudgeError::new("mount", "no");
    let lacks = Some("Lua 5.4".to_owned());
    for fault in [
        plain.clone(),
        plain.clone().help("try"),
        plain.clone().transient(),
        JudgeError { lacks, ..plain },
    ] {
        let (single, joint) = (fault.clone(), fault.clone());
        let scripted = ScriptedExecutor::new(SLOTS, move |_: &Job| Err(single.clone().into()));
        let executor =
            carry(Arc::new(scripted.with_joint_answers(move |_| Err(joint.clone().into()))));
        let (program, partner) = (script(""), script(""));
        let job = JointJob { program, partner, accept_exit_code: 42, transcript: None };
        let expected = Some(Stop::Fault(fault));
        let works = [Work::from(job.program.clone()), job.into()];
        for work in &works {
            assert_eq!(executor.run(work, RunMode::default()).err(), expected);
            assert_eq!(executor.run(work, RunMode::repeat_alone(1)).err(), expected);
        }
        executor.stop();
        assert_eq!(executor.run(&works[0], RunMode::default()).err(), Some(Stop::Interrupted));
    }
}
