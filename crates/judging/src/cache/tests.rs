//! The caching executor wraps a scripted one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use crate::cache::cached::CachedExecutor;
use crate::cache::key::{Place, key_of};
use crate::cache::knowledge::KnownResults;
use crate::cache::store::Store;
use crate::cache::surroundings::Surroundings;
use juror_core::blob::Blob;
use juror_core::job::{BoxRetention, Command, Job, JobReply, VisiblePath};
use juror_core::judgement::JudgeError;
use juror_core::limits::Limits;
use juror_core::outcome::quiet_outcome;
use juror_core::outcome::{Ending, Outcome, Signal, StopReason};
use juror_core::stop::{Stop, StopFlag, with_stop_flags};
use juror_core::tree::{Node, Tree, TreeEntry};
use juror_core::work::{RunMode, Work, WorkReply};
use juror_core::worker::{MachineIdentity, WorkerId, WorkerKind};
use juror_sandbox::executor::Executor;
use juror_sandbox::executor::scheduler::{Scheduler, SlotQueue};
use juror_sandbox::executor::scripted::ScriptedExecutor;

fn job(argument: &str, input: &str) -> Job {
    Job {
        command: Command { argv: vec!["/box/run".into(), argument.into()], ..Command::default() },
        stdin: input.as_bytes().into(),
        limits: Limits::of_machine_check(),
        ..Job::default()
    }
}

fn reply(outcome: Outcome) -> JobReply {
    JobReply {
        outcome,
        stdout: b"said".to_vec().into(),
        stderr: Blob::default(),
        collected: Vec::new(),
        kept: None,
    }
}

/// Several commands, one after the other, with one store.
struct Commands {
    store: Arc<Store>,
    runs: Arc<AtomicUsize>,
}

impl Commands {
    fn new() -> Self {
        Self { store: Arc::new(Store::scratch()), runs: Arc::default() }
    }

    fn knowledge(&self, is_fresh: bool) -> Arc<KnownResults> {
        Arc::new(KnownResults::new(Arc::clone(&self.store), is_fresh))
    }

    /// Answers from a function, and counts runs.
    fn counting_executor<F>(&self, answer: F) -> Arc<dyn Executor>
    where
        F: Fn(&Job) -> Result<JobReply, Stop> + Send + Sync + 'static,
    {
        let runs = Arc::clone(&self.runs);
        Arc::new(ScriptedExecutor::new(4, move |job: &Job| {
            runs.fetch_add(1, Ordering::SeqCst);
            answer(job)
        }))
    }

    fn command<F>(&self, is_fresh: bool, answer: F) -> CachedExecutor
    where
        F: Fn(&Job) -> Result<JobReply, Stop> + Send + Sync + 'static,
    {
        CachedExecutor::new(self.counting_executor(answer), self.knowledge(is_fresh))
    }

    /// Since the last call.
    fn runs(&self) -> usize {
        self.runs.swap(0, Ordering::SeqCst)
    }
}

#[test]
fn a_known_result_is_not_run_again() {
    let commands = Commands::new();
    let check = |jobs: &[Job], is_fresh: bool, runs: usize, from_before: usize| {
        let knowledge = commands.knowledge(is_fresh);
        let ground = commands.counting_executor(|_| Ok(reply(quiet_outcome())));
        let command = CachedExecutor::new(ground, Arc::clone(&knowledge));
        let mut marked = 0;
        for job in jobs {
            let reply = command.run_job(job).unwrap();
            assert_eq!(reply.stdout.bytes(), Some(&b"said"[..]));
            marked += usize::from(reply.outcome.ran_at.is_some());
        }
        assert_eq!(commands.runs(), runs);
        assert_eq!(marked, from_before);
        let recalled = knowledge.cache_use();
        assert_eq!((recalled.started, recalled.recalled), (runs, from_before));
        assert_eq!(recalled.oldest.is_some(), from_before > 0);
    };
    let jobs = [job("a", "1"), job("a", "2"), job("b", "1")];
    // Equal jobs within a command run once. That is no recalled result.
    check(&[job("a", "1"), job("a", "1")], false, 1, 0);
    check(&jobs, false, 2, 1);
    check(&jobs, false, 0, 3);
    check(&jobs, true, 3, 0);
    check(&[job("a", "1"), job("a", "1")], true, 1, 0);
    check(&jobs, false, 0, 3);
}

#[test]
fn a_requested_run_is_never_answered_from_the_cache() {
    let commands = Commands::new();
    let command = commands.command(false, |_| Ok(reply(quiet_outcome())));
    command.run_job(&job("a", "1")).unwrap();
    for _ in 0..3 {
        let reply = command.run(&job("a", "1").into(), RunMode::FRESH).unwrap();
        assert_eq!(reply.replies()[0].outcome.ran_at, None);
    }
    assert_eq!(commands.runs(), 4);
    // Repeated runs are separate; their numbers identify them.
    for _ in 0..2 {
        let command = commands.command(false, |_| Ok(reply(quiet_outcome())));
        for number in 1..=3 {
            command.run(&job("a", "1").into(), RunMode::repeat_alone(number)).unwrap();
        }
    }
    assert_eq!(commands.runs(), 3);
}

#[test]
fn failed_interrupted_and_killed_runs_are_not_kept() {
    let check = |answer: fn() -> Result<JobReply, Stop>, runs: usize| {
        let commands = Commands::new();
        for _ in 0..2 {
            let _ = commands.command(false, move |_| answer()).run_job(&job("a", "1"));
        }
        assert_eq!(commands.runs(), runs);
    };
    check(|| Ok(reply(quiet_outcome())), 1);
    check(|| Err(Stop::Interrupted), 2);
    check(|| Err(JudgeError::new("run", "no").into()), 2);
    check(|| Ok(reply(Outcome { ending: Ending::Signalled(Signal(9)), ..quiet_outcome() })), 2);
    check(
        || {
            let ending = Ending::Signalled(Signal(9));
            let stopped_by = Some(StopReason::CpuTime);
            Ok(reply(Outcome { ending, stopped_by, ..quiet_outcome() }))
        },
        1,
    );
}

/// The CPU time of a program and changing limits, in milliseconds, and how often it runs.
#[test]
fn known_results_answer_runs_with_other_limits() {
    let check = |needs: u64, limits: &[u64], runs: usize| {
        let commands = Commands::new();
        for limit in limits {
            let command = commands.command(false, move |job: &Job| {
                let limit = job.limits.cpu_time.unwrap_or_default();
                let needs = Duration::from_millis(needs);
                let cpu_time = needs.min(limit + Duration::from_millis(1));
                let stopped_by = (needs > limit).then_some(StopReason::CpuTime);
                let wall_time = cpu_time;
                Ok(reply(Outcome { cpu_time, wall_time, stopped_by, ..quiet_outcome() }))
            });
            let mut job = Job { is_timed: true, ..job("a", "1") };
            let limit = Duration::from_millis(*limit);
            job.limits.cpu_time = Some(limit);
            job.limits.wall_time = Some(limit * 3);
            let outcome = command.run_job(&job).unwrap().outcome;
            assert_eq!(outcome.cpu_time > limit, Duration::from_millis(needs) > limit);
        }
        assert_eq!(commands.runs(), runs, "{needs} under {limits:?}");
    };
    check(100, &[1000, 800], 1);
    check(900, &[1000, 800, 2000], 1);
    check(5000, &[1000, 800], 1);
    check(5000, &[1000, 1500, 1200], 2);
    check(1400, &[1000, 1500, 1000], 2);
}

#[test]
fn equal_jobs_at_the_same_time_run_once() {
    let commands = Commands::new();
    let command = commands.command(false, |_| {
        thread::sleep(Duration::from_millis(20));
        Ok(reply(quiet_outcome()))
    });
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| command.run_job(&job("a", "1")).unwrap());
        }
    });
    assert_eq!(commands.runs(), 1);
    // If the first one fails, each of the others tries.
    let command = commands.command(false, |_| Err(Stop::Interrupted));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| command.run_job(&job("b", "1")).unwrap_err());
        }
    });
    assert_eq!(commands.runs(), 4);
}

#[test]
fn a_stop_ends_the_wait_for_equal_work() {
    let commands = Commands::new();
    let (began, beginnings) = mpsc::channel();
    let (go_on, gate) = mpsc::channel();
    let gate = Mutex::new(gate);
    let command = commands.command(false, move |_| {
        began.send(()).expect("somebody waits for it");
        gate.lock().expect("no panic").recv().expect("it may end");
        Ok(reply(quiet_outcome()))
    });
    let flag = StopFlag::default();
    let run = || command.run_job(&job("a", "1")).err();
    thread::scope(|scope| {
        let first = scope.spawn(run);
        beginnings.recv().expect("it runs");
        let waiting = scope.spawn(|| with_stop_flags(std::slice::from_ref(&flag), run));
        flag.set();
        assert_eq!(waiting.join().unwrap(), Some(Stop::Interrupted));
        go_on.send(()).expect("somebody waits for it");
        assert_eq!(first.join().unwrap(), None);
    });
    assert_eq!((run(), commands.runs()), (None, 1));
}

#[test]
fn a_known_result_needs_no_free_slot() {
    let commands = Commands::new();
    let knowledge = commands.knowledge(false);
    let user = |number: usize, places: usize| {
        let ground = commands.counting_executor(|_| Ok(reply(quiet_outcome())));
        let scheduler = Scheduler::new(ground).with_queue(&SlotQueue::new(places), number);
        CachedExecutor::new(Arc::new(scheduler), Arc::clone(&knowledge))
    };
    user(0, 1).run_job(&job("a", "1")).unwrap();
    let without_a_place = user(1, 0);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let stdout = without_a_place.run_job(&job("a", "1")).map(|reply| reply.stdout);
        sender.send(stdout).unwrap();
    });
    let stdout = receiver.recv_timeout(Duration::from_secs(60)).expect("it waits for a place");
    assert_eq!(stdout.unwrap().bytes(), Some(&b"said"[..]));
    assert_eq!(commands.runs(), 1);
    // Who asks for a new run gets one, in turn.
    user(1, 1).run(&job("a", "1").into(), RunMode::FRESH).unwrap();
    assert_eq!(commands.runs(), 1);
    assert_eq!(knowledge.cache_use().started, 2);
}

fn build(source: &str) -> Job {
    Job {
        files: vec![TreeEntry::new("a.c", Node::plain(source.as_bytes()))],
        keep: BoxRetention::ALL,
        ..job("cc", "")
    }
}

#[test]
fn a_program_that_the_cache_lost_is_built_again_when_it_is_needed() {
    let check = |is_lost: bool, needs_it: bool, runs: usize| {
        let mut commands = Commands::new();
        let shown = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&shown);
        let answer = move |job: &Job| {
            let mut reply = reply(quiet_outcome());
            match job.keep {
                BoxRetention::Nothing => {
                    let blobs = job.blobs().map(|blob| blob.prefix(u64::MAX).unwrap());
                    seen.lock().unwrap().push(blobs.map(|blob| blob.len()).collect::<Vec<_>>());
                }
                BoxRetention::AllBut(_) => {
                    let file = TreeEntry::new("run", Node::plain(vec![b'p'; 100_000]));
                    reply.kept = Some(vec![file].into());
                }
            }
            Ok(reply)
        };
        let first = commands.command(false, answer.clone());
        first.run_job(&build("main")).unwrap();
        assert_eq!(commands.runs(), 1);
        if is_lost {
            let surroundings = Surroundings::new(Arc::clone(&commands.store));
            let key = key_of(
                &build("main").into(),
                Place { mechanism: &first.mechanism(), surroundings: &surroundings, workers: None },
            )
            .unwrap();
            let other = Store::scratch();
            other.put(&key, &commands.store.get(&key).unwrap().bytes);
            commands.store = Arc::new(other);
        }
        let second = commands.command(false, answer);
        let built = second.run_job(&build("main")).unwrap();
        assert_eq!(commands.runs(), 0, "not needed yet");
        if needs_it {
            let mut run = job("x", "1");
            let tree: Tree = built.kept.unwrap();
            run.command.visible = vec![VisiblePath::tree("/program", &Arc::new(tree))];
            second.run_job(&run).unwrap();
            assert_eq!(*shown.lock().unwrap(), [[100_000, 1]]);
        }
        assert_eq!(commands.runs(), runs);
    };
    check(false, false, 0);
    check(false, true, 1);
    check(true, false, 0);
    check(true, true, 2);
}

/// Two connections: the first one's worker is honest, the second one's chooses its name. Both have equal facts.
struct TwoConnections {
    inner: Arc<dyn Executor>,
    commands: [&'static str; 2],
}

impl TwoConnections {
    fn id(connection: usize) -> WorkerId {
        WorkerId { connection, member: 0 }
    }
}

impl Executor for TwoConnections {
    fn inner(&self) -> Option<&dyn Executor> {
        Some(&*self.inner)
    }

    fn slots(&self) -> usize {
        2
    }

    fn worker_kinds(&self) -> Option<Vec<WorkerKind>> {
        let digest = Blob::from(&b"same"[..]).digest().expect("bytes in memory");
        let kind = |(connection, command): (usize, &&str)| WorkerKind {
            command: (*command).to_owned(),
            mechanism: "namespaces".to_owned(),
            identity: MachineIdentity { system: digest, hardware: digest },
            tools: BTreeMap::new(),
            workers: vec![Self::id(connection)],
        };
        Some(self.commands.iter().enumerate().map(kind).collect())
    }

    fn run(&self, work: &Work, mode: RunMode) -> Result<WorkReply, Stop> {
        self.inner.run(work, mode)
    }

    fn stop(&self) {}
}

/// `ran` is the connection that ran the job, with the name that its worker chose.
#[test]
fn a_result_is_kept_for_the_connection_that_ran_it_whatever_its_name() {
    let check = |ran: Option<usize>, name: &str, later: [&'static str; 2], is_known: bool| {
        let commands = Commands::new();
        let command = |commands_of_workers| {
            let runs = Arc::clone(&commands.runs);
            let name = name.to_owned();
            let inner = Arc::new(ScriptedExecutor::new(2, move |_: &Job| {
                runs.fetch_add(1, Ordering::SeqCst);
                let worker_id = ran.map(TwoConnections::id);
                Ok(reply(Outcome { worker: Some(name.clone()), worker_id, ..quiet_outcome() }))
            }));
            let inner = Arc::new(TwoConnections { inner, commands: commands_of_workers });
            CachedExecutor::new(inner, commands.knowledge(false))
        };
        command(["honest", "evil"]).run_job(&job("a", "1")).unwrap();
        assert_eq!(commands.runs(), 1);
        command(later).run_job(&job("a", "1")).unwrap();
        assert_eq!(commands.runs() == 0, is_known, "{ran:?} {name} {later:?}");
    };
    for name in ["x", "x (2)", "honest", ""] {
        check(Some(1), name, ["honest", "other"], false);
        check(Some(1), name, ["evil", "other"], true);
        check(Some(0), name, ["honest", "other"], true);
        check(Some(0), name, ["other", "honest"], true);
        check(Some(0), name, ["evil", "other"], false);
        // A member that was never announced.
        check(None, name, ["honest", "evil"], false);
        check(Some(7), name, ["honest", "evil"], false);
    }
}
