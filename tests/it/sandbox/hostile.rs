//! The hostile programs of `tests/programs/`, each compared with its row in `docs/design/hostile.md`. Eight run at
//! once, or one if that is requested.
//!
//! If an attack works, the program prints `ESCAPED` and what it reached, and otherwise nothing. If a program ends by a
//! limit, that limit is near. All other limits are far away, so that the speed of the machine does not matter.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use juror_judging::judge::classify::classify;

use super::*;
use crate::fixture::write_program;

const DOCUMENT: &str = include_str!("../../../docs/design/hostile.md");

/// An argument that every program gets, and that a shell would run.
const ARGUMENT: &str = "\n; touch /tmp/pwned # $(id) `id`";

const INPUT: &[u8] = b"input";

/// `alone` if they run one after the other, for example because a host is slow.
const HOSTILE: &str = "JUROR_TEST_HOSTILE";

/// How many run at the same time.
const AT_ONCE: usize = 8;

struct ProgramRow {
    program: &'static str,
    /// The limit that is near, and what the host must have.
    conditions: Vec<&'static str>,
    /// How it ends, such as `SIGABRT` or `CPU time`.
    ends: &'static str,
    /// What is at a name in the box afterwards.
    found: Option<ExpectedFile>,
    /// The verdict that the run alone decides, or `–` if its output decides.
    verdict: &'static str,
}

/// A name in the box, and what must be there.
struct ExpectedFile {
    name: &'static str,
    what: &'static str,
}

/// The rows of the document's tables of programs. A heading says what its rows have in common, such as
/// `### cpu: CPU time; TLE`.
fn table() -> Vec<ProgramRow> {
    let mut common = "";
    let mut rows = Vec::new();
    for line in DOCUMENT.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            common = heading;
        } else if line.starts_with("| `") {
            rows.push(row(line, common));
        }
    }
    rows
}

fn row(line: &'static str, common: &'static str) -> ProgramRow {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let common: Vec<&str> = common.split([':', ';']).map(str::trim).collect();
    let [program, attack, conditions, ends, verdict, mechanism] = match (&cells[..], &common[..]) {
        (&[program, attack, mechanism], &[conditions, ends, verdict]) => {
            [program, attack, conditions, ends, verdict, mechanism]
        }
        (&[program, attack], &[conditions, ends, verdict]) => {
            [program, attack, conditions, ends, verdict, "said above the table"]
        }
        _ => {
            cells.try_into().unwrap_or_else(|_| panic!("two, three or six cells in a row: {line}"))
        }
    };
    assert!(!attack.is_empty() && !mechanism.is_empty(), "{line}");
    let (ends, found) = match ends.split_once(", ") {
        None => (ends, None),
        Some((ends, found)) => {
            let (name, what) = found.split_once(" is ").expect("`NAME is WHAT`");
            (ends, Some(ExpectedFile { name, what }))
        }
    };
    ProgramRow {
        program: program.trim_matches('`'),
        conditions: conditions
            .split(", ")
            .filter(|word| !["–", "nothing"].contains(word))
            .collect(),
        ends,
        found,
        verdict,
    }
}

impl ProgramRow {
    /// Why the program cannot run here; `None` if it can.
    fn skip_reason(&self) -> Option<&'static str> {
        if self.conditions.contains(&"groups") && !has_group_meters() {
            return Some("needs control groups");
        }
        if self.conditions.contains(&"namespaces") && uses_landlock() {
            return Some("needs namespaces");
        }
        let has_own_user = !uses_landlock() || rustix::process::geteuid().is_root();
        if self.conditions.contains(&"user") && !has_own_user {
            return Some("needs namespaces or a user of its own");
        }
        if self.conditions.contains(&"x86-64") && !cfg!(target_arch = "x86_64") {
            return Some("needs an x86-64 processor");
        }
        let path = programs().join(stem(self.program));
        let mut start = [0; 64];
        let Ok(length) = fs::File::open(path).and_then(|mut file| file.read(&mut start)) else {
            return Some("its compiler is missing");
        };
        let interpreter = start[..length]
            .strip_prefix(b"#!")
            .and_then(|rest| rest.split(|byte| *byte == b'\n').next());
        let is_missing =
            interpreter.is_some_and(|name| !Path::new(OsStr::from_bytes(name)).exists());
        is_missing.then_some("its interpreter is missing")
    }

    fn job(&self) -> Job {
        let mut job = job(stem(self.program), &[ARGUMENT]);
        job.stdin = Blob::from(INPUT);
        let limits = &mut job.limits;
        for condition in &self.conditions {
            match *condition {
                "cpu" => limits.cpu_time = Some(Duration::from_millis(200)),
                "wall" => limits.wall_time = Some(Duration::from_millis(300)),
                "memory" => limits.memory = Some(Bytes::mib(16)),
                "output" => limits.output = Some(Bytes::kib(64)),
                // The kernel needs memory for a process before it refuses it.
                "roomy" => limits.memory = Some(Bytes::mib(1024)),
                "groups" | "namespaces" | "user" | "x86-64" => {}
                other => panic!("{}: what is `{other}`?", self.program),
            }
        }
        job.collect = self.found.iter().map(|found| found.name.into()).collect();
        job
    }

    /// Runs the program; returns what is not as expected.
    fn run_in(&self, slot: &mut Slot) -> Option<String> {
        let job = self.job();
        let reply = match slot.run(&job) {
            Ok(reply) => reply,
            Err(error) => return Some(format!("{}: {error}", self.program)),
        };
        let ends = end_text(&reply.outcome);
        let verdict = classify(&reply.outcome, &job.limits)
            .map_or("–".to_owned(), |classified| classified.verdict.short().to_owned());
        let output = text(&reply.stdout);
        let is_out =
            output.lines().any(|line| line.starts_with("ESCAPED") || line.starts_with("found"));
        let found = reply.collected.first().map(kind);
        let expected = self.found.as_ref().map(|found| found.what);
        let is_good =
            ends == self.ends && verdict == self.verdict && !is_out && found.as_deref() == expected;
        (!is_good).then(|| {
            let output: String = output.chars().take(2000).collect();
            format!(
                "{}: {ends} {verdict} {found:?} instead of {} {} {expected:?}: {:?}\n{output}{}",
                self.program,
                self.ends,
                self.verdict,
                reply.outcome,
                text(&reply.stderr)
            )
        })
    }
}

fn stem(program: &str) -> &str {
    program.split_once('.').map_or(program, |(stem, _)| stem)
}

/// In the table's words.
fn end_text(outcome: &Outcome) -> String {
    match outcome.stopped_by {
        Some(StopReason::CpuTime) => "CPU time".to_owned(),
        Some(StopReason::WallTime) => "wall time".to_owned(),
        Some(StopReason::Memory) => "memory".to_owned(),
        Some(StopReason::Output) => "output".to_owned(),
        Some(stop) => format!("{stop:?}"),
        None => summary(outcome),
    }
}

fn kind(collected: &CollectedEntry) -> String {
    match collected {
        CollectedEntry::File(_) => "a file".to_owned(),
        CollectedEntry::Missing => "missing".to_owned(),
        CollectedEntry::NotAFile(kind) => kind.to_string(),
    }
}

#[test]
fn the_table_names_each_program_and_no_other() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let Ok(entries) = fs::read_dir(directory) else {
        return skip("the programs' sources are not on this machine");
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = names.filter(|name| !name.ends_with(".h")).collect();
    let rows: Vec<String> = table().iter().map(|row| row.program.to_owned()).collect();
    let named: BTreeSet<String> = rows.iter().cloned().collect();
    assert_eq!(files, named);
    assert_eq!(rows.len(), named.len(), "each in one row");
    let stems: BTreeSet<&str> = rows.iter().map(|name| stem(name)).collect();
    assert_eq!(rows.len(), stems.len(), "no two are compiled to the same file");
}

#[test]
fn hostile_programs_end_as_the_table_says_and_leave_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let output = run_in_own_process("sandbox::hostile::all_programs", |command| {
        command.env("TMPDIR", directory.path());
    });
    let errors = String::from_utf8_lossy(&output.stderr);
    for line in errors.lines().filter(|line| line.starts_with("left out")) {
        skip(line.trim_start_matches("left out: "));
    }
    assert!(output.status.success(), "{errors}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// It counts what its process has, so it must be alone in it.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn all_programs() {
    let mut rows = table();
    rows.retain(|row| match row.skip_reason() {
        None => true,
        Some(reason) => {
            skip(&format!("{}: {reason}", row.program));
            false
        }
    });
    assert!(rows.len() >= 60, "only {} programs could be tried", rows.len());
    let before = ProcessResources::of_this_process();
    let is_alone = std::env::var_os(HOSTILE).is_some_and(|how| how == "alone");
    let most = host().max_simultaneous_runs().unwrap_or(AT_ONCE);
    let faults = run_all(if is_alone { 1 } else { most.min(AT_ONCE) }, &rows);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(ProcessResources::of_this_process(), before);
    assert_eq!(left_in_memory(), Vec::<String>::new());
}

/// Runs all programs, this many at the same time; returns what is not as expected.
fn run_all(slots: usize, rows: &[ProgramRow]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    let work = || {
        let mut slot = slot();
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(fault) = row.run_in(&mut slot) {
                faults.lock().unwrap().push(format!("{slots} at once: {fault}"));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..slots {
            scope.spawn(work);
        }
    });
    faults.into_inner().unwrap()
}

/// How often an honest program runs during each hostile one.
const HONEST_RUNS: usize = 1000;

mod quiet {
    use super::*;

    /// An honest program runs during each hostile one, which starts again and again: no verdict differs. Under root,
    /// all runs once more as a user without rights.
    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    #[expect(clippy::print_stdout, reason = "whoever runs it reads it")]
    fn an_honest_program_beside_each_hostile_one() {
        let honest = |words: &[&str]| {
            let mut job = job("nothing", &[]);
            job.command.argv = words.iter().map(ToString::to_string).collect();
            job.stdin = Blob::from(INPUT);
            job
        };
        let honest = [honest(&["/bin/cat"]), honest(&["/bin/sh", "-c", "cat | cat"])];
        let (mut hostile_slot, mut honest_slot) = (slot(), slot());
        let mut faults = Vec::new();
        let hostile_runs = AtomicUsize::new(0);
        let rows: Vec<ProgramRow> =
            table().into_iter().filter(|row| row.skip_reason().is_none()).collect();
        for row in &rows {
            let job = row.job();
            let is_over = AtomicBool::new(false);
            std::thread::scope(|scope| {
                let run_again = || {
                    while !is_over.load(Ordering::Relaxed) {
                        let _ = hostile_slot.run(&job);
                        hostile_runs.fetch_add(1, Ordering::Relaxed);
                    }
                };
                scope.spawn(run_again);
                let _over = SetOnDrop(&is_over);
                for round in 0..HONEST_RUNS {
                    // One in ten has processes and a pipe of its own.
                    let job = &honest[usize::from(round % 10 == 0)];
                    let result = match honest_slot.run(job) {
                        Ok(reply) if text(&reply.stdout).as_bytes() == INPUT => {
                            end_text(&reply.outcome)
                        }
                        Ok(reply) => format!("{:?}: {}", reply.outcome, text(&reply.stdout)),
                        Err(error) => error.to_string(),
                    };
                    if result != "exit 0" {
                        faults.push(format!("{} {round}: {result}", row.program));
                    }
                }
            });
        }
        let user = rustix::process::geteuid().as_raw();
        println!(
            "\nuser {user}, {}: {HONEST_RUNS} honest runs beside each of {} hostile programs, which ran {} times, \
             {} faults",
            host().isolation(),
            rows.len(),
            hostile_runs.into_inner(),
            faults.len()
        );
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        let this = "sandbox::hostile::quiet::an_honest_program_beside_each_hostile_one";
        let arguments = [this, "--exact", "--ignored", "--nocapture"];
        if let Some(output) = run_without_rights(&arguments) {
            let report = String::from_utf8_lossy(&output.stdout);
            print!("{report}");
            assert_one_test_ran(this, &output);
            assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));
        }
    }

    /// Takes minutes on a slow machine.
    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    fn ten_thousand_runs_leave_nothing() {
        let programs = ["nothing", "endings", "orphans", "traces", "zombies", "subreaper"];
        let before = ProcessResources::of_this_process();
        let mut slot = slot();
        run(&mut slot, &job("nothing", &[]));
        let during = ProcessResources::of_this_process();
        for round in 0..10_000 {
            run(&mut slot, &job(programs[round % programs.len()], &[]));
        }
        assert_eq!(ProcessResources::of_this_process(), during);
        drop(slot);
        assert_eq!(ProcessResources::of_this_process(), before);
        assert_eq!(left_in_memory(), Vec::<String>::new());
    }
}

/// Shared memory, semaphores and messages of contestants, which outlive processes.
fn left_in_memory() -> Vec<String> {
    const USERS: std::ops::Range<u32> = 60_578..61_178;
    let mut found = Vec::new();
    for kind in ["shm", "sem", "msg"] {
        let list = fs::read_to_string(format!("/proc/sysvipc/{kind}")).unwrap_or_default();
        let is_theirs = |line: &&str| {
            line.split_whitespace()
                .any(|word| word.parse().is_ok_and(|number| USERS.contains(&number)))
        };
        found.extend(list.lines().skip(1).filter(is_theirs).map(str::to_owned));
    }
    for entry in fs::read_dir("/dev/shm").into_iter().flatten().flatten() {
        let owner = entry.metadata().map(|found| std::os::unix::fs::MetadataExt::uid(&found));
        if owner.is_ok_and(|owner| USERS.contains(&owner)) {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

/// Two runs at once search for each other everywhere they could meet.
#[test]
fn two_runs_at_once_do_not_meet() {
    let meet = |_| {
        let mut slot = slot();
        let mut job = job("meet", &[]);
        job.limits.wall_time = Some(Duration::from_secs(2));
        let reply = run(&mut slot, &job);
        assert_eq!(end_text(&reply.outcome), "wall time");
        // Without namespaces these names do not exist.
        let no_names = ["somebody has the name already", "/tmp/meet", "/box/meet"];
        let output = text(&reply.stdout);
        let met = output.lines().filter(|line| {
            let what = line.strip_prefix("ESCAPED: ");
            !(uses_landlock() && what.is_some_and(|what| no_names.contains(&what)))
        });
        met.collect::<Vec<_>>().join("\n")
    };
    let output = std::thread::scope(|scope| {
        let runs = [0, 1].map(|number| scope.spawn(move || meet(number)));
        runs.map(|run| run.join().unwrap())
    });
    assert_eq!(output, ["", ""]);
}

/// A program's descriptors in flight do not keep the judge from sending its own, though both may have one user.
#[test]
fn descriptors_on_their_way_do_not_stop_other_runs() {
    let output = run_in_own_process("sandbox::hostile::send_beside_descriptors", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// It changes a limit of its process.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn send_beside_descriptors() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let usual = Rlimit { current: Some(1024), ..getrlimit(Resource::Nofile) };
    setrlimit(Resource::Nofile, usual).unwrap();
    let (mut hostile, mut other) = (slot(), slot());
    let mut job = job("inflight", &[]);
    job.limits.wall_time = Some(Duration::from_secs(3));
    std::thread::scope(|scope| {
        let run = scope.spawn(|| end_text(&run(&mut hostile, &job).outcome));
        while !run.is_finished() {
            check(&mut other, &self::job("nothing", &[]), "exit 0", "");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(run.join().unwrap(), "wall time");
    });
}

#[test]
fn a_slot_that_is_killed_leaves_nothing() {
    let output = run_in_own_process("sandbox::hostile::kill_a_slot", |_| {});
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// It uses its only child.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn kill_a_slot() {
    let before = ProcessResources::of_this_process();
    let mark = marker(process::id());
    let mut slot = slot();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| slot.run(&job("hungry", &["sleep", &mark])));
        let is_running = || processes_of("hungry").iter().any(|line| line.contains(&mark));
        while !is_running() {
            std::thread::sleep(Duration::from_millis(5));
        }
        for child in slots() {
            let child = rustix::process::Pid::from_raw(child).unwrap();
            rustix::process::kill_process(child, rustix::process::Signal::KILL).unwrap();
        }
        let error = run.join().unwrap().unwrap_err();
        assert_eq!(error.reason, "the sandbox's process ended unexpectedly");
        while is_running() {
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    drop(slot);
    assert_eq!(ProcessResources::of_this_process(), before);
}

/// A program can name its interpreter. The kernel opens it while the descriptors of the process that starts the
/// program are open: a box of another run may be among them.
#[test]
fn no_interpreter_is_found_by_a_descriptor_of_the_judge() {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let mut slot = slot();
    let mut start = |number: u32| {
        let name = format!("by-{number}");
        let path = directory.path().join(&name);
        write_program(&path, &format!("#!/proc/self/fd/{number}\n"));
        let mut job = job("", &[]);
        job.command.argv = vec![format!("/scripts/{name}")];
        job.command.visible =
            vec![VisiblePath::tree("/scripts", &Tree::unlisted(directory.path()))];
        let error = slot.run(&job).expect_err("there is no such interpreter");
        error.to_string()
    };
    let missing = start(1_000_000);
    for number in 3..60 {
        let message = start(number);
        assert_eq!(message.replace(&format!("by-{number}"), "by-1000000"), missing);
    }
}
