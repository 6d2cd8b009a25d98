//! Programs that run plainly, without isolation: the same code on every Unix, tested where the tests run.
//!
//! No test depends on how fast the machine is: limits that should not be reached are far away.

mod joined;

use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process;
use std::thread;
use std::time::Duration;

use juror_core::blob::Blob;
use juror_core::isolation::{Isolation, RequiredIsolation};
use juror_core::job::{BoxRetention, CollectedEntry, Command, Job, JobReply, VisiblePath};
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Meter, Outcome};
use juror_core::root::FilePath;
use juror_core::stop::{StopFlag, with_stop_flags};
use juror_core::tree::{Node, Tree, TreeEntry};
use juror_core::units::Bytes;
use juror_core::verdict::Verdict;
use juror_sandbox::sandbox::{Host, Slot, is_interrupted};

use crate::fixture::{Fixture, RIGHT, write_program};
use crate::sandbox::outputs::{check_large_outputs, check_outputs};
use crate::sandbox::{executable, job, kept_box, programs, run, stdout_text};

fn slot() -> Slot {
    let host = Host::try_isolation(Isolation::Plain).expect("every Unix can do this");
    Slot::start(&host, None).expect("a slot starts")
}

fn script(text: &str) -> Job {
    let mut job = job("endings", &[]);
    job.command =
        Command { argv: ["/bin/sh", "-c", text].map(str::to_owned).into(), ..Command::default() };
    job
}

/// There is a process with this argument.
pub(crate) fn is_running(argument: &str) -> bool {
    if Path::new("/proc/self/cmdline").exists() {
        let processes = fs::read_dir("/proc").expect("processes").flatten();
        let mut lines =
            processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
        let is_this =
            |line: Vec<u8>| line.split(|byte| *byte == 0).any(|word| word == argument.as_bytes());
        return lines.any(is_this);
    }
    let listed = process::Command::new("ps").args(["-A", "-o", "args"]).output();
    let listed = listed.expect("ps lists processes").stdout;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    listed.split_whitespace().any(|word| word == argument)
}

/// How a run ended, such as `exit 0`, `SIGSEGV`, `stopped: WallTime`.
fn summary(outcome: &Outcome) -> String {
    match (outcome.stopped_by, outcome.ending) {
        (Some(stop), _) => format!("stopped: {stop:?}"),
        (None, Ending::Exited(code)) => format!("exit {code}"),
        (None, Ending::Signalled(signal)) => signal.to_string(),
    }
}

/// Runs a job, and compares how it ended and what it wrote.
fn check(slot: &mut Slot, job: &Job, expected: &str, output: &str) -> JobReply {
    let mut reply = run(slot, job);
    let argv = &job.command.argv;
    let outcome = &reply.outcome;
    assert_eq!(summary(outcome), expected, "{argv:?}: {outcome:?}");
    assert_eq!(outcome.mechanism.isolation, Isolation::Plain);
    assert_eq!(outcome.mechanism.memory, Meter::Rusage);
    assert_eq!(stdout_text(&mut reply), output, "{argv:?}");
    reply
}

#[test]
fn programs_end_as_outside_the_sandbox() {
    let mut slot = slot();
    let mut check = |arguments: &[&str], expected: &str| {
        check(&mut slot, &job("endings", arguments), expected, "");
    };
    check(&["exit", "0"], "exit 0");
    check(&["exit", "42"], "exit 42");
    check(&["exit", "255"], "exit 255");
    check(&["abort"], "SIGABRT");
    check(&["segv"], "SIGSEGV");
    check(&["raise", "15"], "SIGTERM");
    check(&["raise", "9"], "SIGKILL");
    check(&["raise", "2"], "SIGINT");
    check(&["raise", "24"], "SIGXCPU");
    check(&["pipe"], "SIGPIPE");
    check(&["large-file"], "SIGXFSZ");
    check(&["alarm"], "SIGALRM");
    check(&["mask"], "exit 0");
    // The signals that the judge's parent had blocked make no difference.
    let mut most = MaybeUninit::uninit();
    // SAFETY: the set is valid once it was filled; this thread is the test's own.
    unsafe {
        libc::sigfillset(most.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, most.as_ptr(), std::ptr::null_mut());
    }
    check(&["mask"], "exit 0");
    check(&["alarm"], "SIGALRM");
}

#[test]
fn limits_end_programs() {
    let mut slot = slot();
    let mut check = |arguments: &[&str], expected: &str, set: fn(&mut Limits)| {
        let mut job = job("hungry", arguments);
        set(&mut job.limits);
        let outcome = run(&mut slot, &job).outcome;
        assert_eq!(summary(&outcome), expected, "{arguments:?}: {outcome:?}");
        outcome
    };
    let half = Duration::from_millis(500);
    let cpu: fn(&mut Limits) = |limits| limits.cpu_time = Some(Duration::from_millis(500));
    let wall: fn(&mut Limits) = |limits| limits.wall_time = Some(Duration::from_millis(500));
    let little: fn(&mut Limits) = |limits| limits.output = Some(Bytes::kib(300));
    let outcome = check(&["cpu", "-1"], "stopped: CpuTime", cpu);
    assert!(outcome.cpu_time >= half && outcome.wall_time >= half);
    let outcome = check(&["sleep"], "stopped: WallTime", wall);
    assert!(outcome.wall_time >= half && outcome.cpu_time < half);
    // CPU time of children that it does not wait for is counted nowhere; the clock ends it all the same.
    check(&["hidden-cpu", "-1"], "stopped: WallTime", wall);
    let outcome = check(&["output"], "stopped: Output", little);
    assert!(outcome.stdout_bytes > Bytes::kib(300));
    let outcome = check(&["errors"], "stopped: Output", little);
    assert!(outcome.stderr_bytes > Bytes::kib(300));
    // What it leaves in its box counts, too.
    let outcome = check(&["sparse", "1"], "exit 0", |_| {});
    assert_eq!(outcome.file_bytes, Bytes::mib(1));
    let outcome = check(&["cpu", "300"], "exit 0", |_| {});
    assert!(outcome.cpu_time >= Duration::from_millis(300));
}

#[test]
fn outputs_arrive_however_they_were_written() {
    check_outputs(&mut slot());
}

/// The verdicts of programs that take memory. It needs a process of its own: on Linux, the judge's own memory hides
/// that of a program.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn memory() {
    let mut slot = slot();
    let mut check = |job: &mut Job, expected: Option<Verdict>| {
        job.limits.memory = Some(Bytes::mib(128));
        let outcome = run(&mut slot, job).outcome;
        let classified = juror_judging::judge::classify::classify(&outcome, &job.limits);
        let verdict = classified.map(|classified| classified.verdict);
        assert_eq!(verdict, expected, "{:?}: {outcome:?}", job.command.argv);
        outcome.peak_memory
    };
    let mle = Some(Verdict::MemoryLimitExceeded);
    check(&mut job("hungry", &["array"]), mle);
    check(&mut job("hungry", &["memory", "200"]), mle);
    if cfg!(target_os = "linux") {
        // It cannot even begin.
        check(&mut job("giant-array", &[]), mle);
    }
    // The kernel refuses it: more than a program may request.
    let refused = check(&mut job("hungry", &["memory", "4000"]), Some(Verdict::RunTimeError));
    assert!(refused < Bytes::mib(128));
    // As deep as the stack goes, which is a little more than the memory limit.
    check(&mut job("recursion", &[]), mle);
    let peak = check(&mut job("hungry", &["memory", "100"]), None);
    assert!(peak > Bytes::mib(99) && peak < Bytes::mib(110), "{peak} of 100 MiB");
    check(&mut job("hungry", &["untouched-array"]), None);
    check_large_outputs(&mut slot);
}

#[test]
fn memory_is_measured_by_use() {
    let output = crate::sandbox::run_in_own_process("plain::memory", |_| {});
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("1 passed"), "{report}");
}

#[test]
fn processes_in_the_group_end_with_the_run() {
    let mut slot = slot();
    let marker = format!("plain-{}", process::id());
    let background = format!("{}/hungry sleep {marker} & echo done", programs().display());
    for _ in 0..3 {
        check(&mut slot, &script(&background), "exit 0", "done\n");
        assert!(!is_running(&marker), "it goes on");
    }
    // Nobody waits for a process that left the group and holds the output open.
    let leaving = "import os, time\nif os.fork() == 0:\n os.setsid()\n print(os.getpid(), flush=True)\n time.sleep(1000)\ntime.sleep(0.1)";
    if !Path::new("/usr/bin/python3").exists() {
        return crate::sandbox::skip("no python3");
    }
    let mut job = script("");
    job.command.argv = ["/usr/bin/python3", "-c", leaving].map(str::to_owned).into();
    let mut reply = run(&mut slot, &job);
    let number: i32 = stdout_text(&mut reply).trim().parse().expect("a number");
    let pid = rustix::process::Pid::from_raw(number).expect("a number");
    // It is alive, as the warning tells.
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it is there");
}

#[test]
fn input_of_every_kind_arrives_and_cannot_be_changed() {
    let mut slot = slot();
    let large = vec![b'x'; 30 << 20];
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("in");
    fs::write(&file, &large).unwrap();
    let open = || Blob::open_file(fs::File::open(&file).unwrap());
    for stdin in [Blob::from(large.clone()), Blob::file(&FilePath::root(&file)), open()] {
        let mut job = job("hungry", &["input"]);
        job.stdin = stdin;
        check(&mut slot, &job, "exit 0", "31457280");
    }
    check(&mut slot, &job("hungry", &["input"]), "exit 0", "0");
    let mut job = script("(echo y >&0) 2>/dev/null && echo written; cat");
    job.stdin = Blob::from(b"x\n".to_vec());
    check(&mut slot, &job, "exit 0", "x\n");
}

#[test]
fn much_output_is_kept_up_to_the_limit() {
    let mut slot = slot();
    let mut job = script("head -c 3000000 /dev/zero; echo bad >&2; exit 3");
    job.limits.output = Some(Bytes::mib(4));
    let reply = run(&mut slot, &job);
    assert_eq!(summary(&reply.outcome), "exit 3");
    assert_eq!(reply.outcome.stdout_bytes, Bytes(3_000_000));
    assert_eq!(reply.stdout.bytes(), None, "in a file");
    assert_eq!(reply.stderr.bytes(), Some(&b"bad\n"[..]));
}

#[test]
fn programs_get_the_jobs_environment_and_no_other_descriptors() {
    let mut slot = slot();
    let mut job = script("env | grep -v '^_=' | grep -v '^PWD=' | grep -v '^SHLVL=' | sort; pwd");
    job.command.env = vec![("OWN".into(), "a=b c".into()), ("TZ".into(), "CET".into())];
    let mut reply = run(&mut slot, &job);
    let text = stdout_text(&mut reply);
    let lines: Vec<&str> = text.lines().collect();
    let [home, lang, own, path, temporary, zone, directory] = lines[..] else {
        panic!("{text}");
    };
    assert_eq!(
        [lang, own, path, zone],
        ["LANG=C.UTF-8", "OWN=a=b c", "PATH=/usr/local/bin:/usr/bin:/bin", "TZ=CET"]
    );
    assert_eq!(home, format!("HOME={directory}"));
    let run_of = directory.strip_suffix("/box").expect("a box");
    assert_eq!(temporary, format!("TMPDIR={run_of}/tmp"));
    // The judge's parent left a descriptor open.
    let left_open = fs::File::open("/dev/zero").unwrap();
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();
    let number = left_open.as_raw_fd();
    let mut slot = self::slot();
    let mut is_open = |number: i32, expected: &str| {
        let job = crate::sandbox::job("endings", &["is-open", &number.to_string()]);
        check(&mut slot, &job, expected, "");
    };
    is_open(1, "exit 1");
    is_open(number, "exit 0");
}

#[test]
fn each_run_has_a_fresh_box() {
    let directory = tempfile::tempdir().unwrap();
    let canary = directory.path().join("canary");
    fs::create_dir(&canary).unwrap();
    fs::write(canary.join("file"), "x").unwrap();
    let mut slot = slot();
    let commands = "pwd; ls -A . $TMPDIR | wc -l; mkdir -p a/b; echo x > a/b/c; ln -s";
    let locked = format!("{commands} {} a/link; chmod 0 a/b a", canary.display());
    let mut first = run(&mut slot, &script(&locked));
    let mut second = run(&mut slot, &script(&locked));
    let (first, second) = (stdout_text(&mut first), stdout_text(&mut second));
    assert_eq!(first, second);
    let path = Path::new(first.lines().next().expect("a path"));
    let ground = path.ancestors().nth(2).expect("a slot's directory");
    let rights = fs::metadata(ground).unwrap().permissions().mode();
    assert_eq!(rights & 0o777, 0o700);
    assert_eq!(fs::read_dir(ground).unwrap().count(), 0, "nothing stays");
    drop(slot);
    assert!(!ground.exists());
    assert_eq!(fs::read_to_string(canary.join("file")).unwrap(), "x");
}

#[test]
fn files_are_placed_and_collected() {
    let directory = tempfile::tempdir().unwrap();
    let tool = directory.path().join("tool");
    fs::write(&tool, "#!/bin/sh\necho tool\n").unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let secret = directory.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    symlink(&secret, directory.path().join("link")).unwrap();
    let file = |name: &str, content| TreeEntry::new(name, content);
    let mut job = script(&format!(
        "cat below/in; ./tool; cat link; ls empty; echo out > out; ln -s {0} to-secret; mkfifo fifo; mkdir dir; \
         ln -s {1} below/away; cat /shown/secret",
        secret.display(),
        directory.path().display()
    ));
    job.command.visible = vec![VisiblePath::tree("/shown", &Tree::unlisted(directory.path()))];
    job.files = vec![
        file("below/in", Node::plain(b"in\n".to_vec())),
        file("tool", executable(tool)),
        file("link", Node::Link("/box/below/in".into())),
        file("empty", Node::Directory),
    ];
    let names = ["out", "to-secret", "fifo", "dir", "missing", "below/away/secret", "out/x"];
    job.collect = names.map(str::to_owned).into();
    job.keep = BoxRetention::ALL;
    let mut slot = slot();
    let reply = check(&mut slot, &job, "exit 0", "in\ntool\nin\nsecret");
    let found = reply.collected.iter().map(|found| match found {
        CollectedEntry::File(blob) => String::from_utf8_lossy(blob.bytes().unwrap()).into_owned(),
        CollectedEntry::Missing => "missing".to_owned(),
        CollectedEntry::NotAFile(kind) => kind.to_string(),
    });
    let expected = [
        "out\n",
        "a symbolic link",
        "a fifo",
        "a directory",
        "missing",
        "a symbolic link",
        "missing",
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert_eq!(reply.outcome.file_bytes, Bytes(4), "only what is new");
    let keep = kept_box(&reply);
    assert_eq!(fs::read_to_string(keep.join("out")).unwrap(), "out\n");
    assert!(keep.join("to-secret").is_symlink());
    for name in ["../out", "/etc/passwd", ""] {
        let mut outside = script("true");
        outside.collect = vec![name.to_owned()];
        let error = slot.run(&outside).expect_err(name);
        assert!(error.reason.contains("relative path"), "{name}: {error}");
    }
}

#[test]
fn an_unstartable_program_is_a_fault() {
    let directory = tempfile::tempdir().unwrap();
    let text = directory.path().join("text");
    write_program(&text, "echo a shell ran this\n");
    let text = text.display().to_string();
    let mut slot = slot();
    let mut check = |argv: &[&str], reason: &str| {
        let mut job = script("");
        job.command.argv = argv.iter().map(ToString::to_string).collect();
        let error = slot.run(&job).expect_err("not started");
        assert!(error.step.starts_with("start the program"), "{error}");
        assert!(error.reason.contains(reason), "{argv:?}: {error}");
    };
    check(&["/nowhere"], "ENOENT");
    check(&["/etc"], "EACCES");
    check(&[&text], "ENOEXEC");
    check(&["/bin/sh", "a\0b"], "zero byte");
    check(&[], "no program");
    self::check(&mut slot, &script("echo fine"), "exit 0", "fine\n");
}

#[test]
fn a_run_can_be_stopped_from_another_thread() {
    let mut slot = slot();
    let flag = StopFlag::default();
    let flags = [flag.clone()];
    let marker = format!("stopped-{}", process::id());
    let argument = marker.clone();
    let running = thread::spawn(move || {
        let stopped = with_stop_flags(&flags, || slot.run(&job("hungry", &["sleep", &argument])));
        (stopped, slot)
    });
    let lives = || is_running(&marker);
    while !lives() {
        assert!(!running.is_finished(), "it does not run");
        thread::sleep(Duration::from_millis(5));
    }
    flag.set();
    let (stopped, mut slot) = running.join().unwrap();
    assert!(is_interrupted(&stopped.expect_err("stopped")));
    assert!(!lives());
    check(&mut slot, &script("echo next"), "exit 0", "next\n");
    let later = with_stop_flags(&[flag], || slot.run(&script("echo never")));
    assert!(is_interrupted(&later.expect_err("stopped")));
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn a_judge_runs() {
    let marker = std::env::var("JUROR_TEST_MARKER").expect("a marker");
    let _ = slot().run(&job("hungry", &["sleep", &marker]));
}

#[test]
fn a_judge_that_is_killed_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let marker = format!("killed-{}", process::id());
    let lives = || is_running(&marker);
    let mut judge = process::Command::new(std::env::current_exe().unwrap())
        .args(["plain::a_judge_runs", "--exact", "--ignored"])
        .env("TMPDIR", directory.path())
        .env("JUROR_TEST_MARKER", &marker)
        .env(crate::sandbox::PROGRAMS, programs())
        .stdout(process::Stdio::null())
        .spawn()
        .unwrap();
    while !lives() {
        assert!(judge.try_wait().unwrap().is_none(), "it does not run");
        thread::sleep(Duration::from_millis(5));
    }
    judge.kill().unwrap();
    judge.wait().unwrap();
    let is_left = || lives() || fs::read_dir(directory.path()).unwrap().count() > 0;
    // This is only an upper bound on the wait.
    let gone = (0..6000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        !is_left()
    });
    assert!(gone, "something is left");
}

#[test]
fn plain_runs_must_be_requested_if_isolation_is_possible() {
    let host = Host::find(RequiredIsolation::Plain).expect("every Unix can do this");
    assert_eq!(host.isolation(), Isolation::Plain);
    assert!(host.refused().is_empty() && !host.gaps().is_empty());
    let unasked = Host::find(RequiredIsolation::Any)
        .map(|host| (host.isolation() == Isolation::Plain, host.gaps().is_empty()));
    match unasked {
        Ok(found) if cfg!(target_os = "linux") => assert_eq!(found, (false, true)),
        Ok(found) => assert_eq!(found, (true, false), "there is nothing else"),
        // If nothing better works, it is not chosen without a request.
        Err(fault) => assert_eq!(std::env::consts::OS, "linux", "{fault}"),
    }
}

/// From a package to a verdict, with nothing but what every Unix has.
#[test]
fn a_ready_program_gets_its_verdict() {
    let fixture = Fixture::new();
    let check = |script: &str, code: i32, pieces: &[&str]| {
        fixture.write("program.sh", script);
        let path = fixture.path("program.sh");
        let arguments =
            format!("judge sum --isolation=plain --time-limit 0.1 -- /bin/sh {}", path.display());
        fixture.check(&arguments, code, pieces);
    };
    check(RIGHT, 0, &["1 submission", "plain, no isolation"]);
    let wrong = "WA wrong answer on secret/large/1: token 1 differs: expected `100001`, got `3`";
    let check = |script: &str, message: &str| {
        let (verdict, cause) = message.split_once(' ').expect("a verdict and its cause");
        check(script, 1, &[&format!("{verdict} /bin/sh"), cause]);
    };
    check(crate::fixture::WRONG, wrong);
    check("read a b; exit 3\n", "RTE exit code 3");
    check("kill -SEGV $$\n", "RTE killed by SIGSEGV");
    check("while :; do :; done\n", "TLE of CPU time, 0.100 s allowed");
    check("sleep 1000\n", "TLE on the wall clock, 1.20 s allowed");
    check("exec yes\n", "OLE wrote more than the 8 MiB allowed");
    if !cfg!(target_os = "linux") {
        let refused = "judge sum --isolation=full -- /usr/bin/true";
        fixture.check(refused, 4, &["isolate programs", "cannot do that on"]);
        let known = ["juror cannot isolate programs on", "run without isolation"];
        fixture.check("doctor", 4, &known);
    }
}

#[test]
fn plain_runs_have_a_warning() {
    if process::Command::new("bash").arg("--version").output().is_err() {
        return crate::sandbox::skip("no bash");
    }
    let fixture = Fixture::new();
    fixture.write("right.sh", RIGHT);
    let run = |arguments: &str| {
        let output = fixture.juror(arguments).output().expect("juror runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        // Only root sees it.
        let is_general = |line: &&str| !line.starts_with("  rights: ");
        let errors: String = errors.split_inclusive('\n').filter(is_general).collect();
        (output.stdout, errors)
    };
    let (_, warning) = run("judge sum right.sh --isolation=plain --quiet");
    crate::golden::file::check_snapshot("plain-warning.txt", &warning);
    let (document, again) = run("verify sum --isolation=plain --json");
    assert_eq!(again, warning, "once, and the same for each command");
    let document: serde_json::Value = serde_json::from_slice(&document).expect("a document");
    assert_eq!(document["isolation"]["by"], "plain");
    assert_eq!(document["isolation"]["full"], false);
    let reasons = &document["isolation"]["warning"]["reasons"];
    assert!(reasons.as_array().is_some_and(|it| !it.is_empty()));
    // The repeated command has the same isolation.
    fixture.write("wrong.sh", crate::fixture::WRONG);
    fixture.check(
        "judge sum wrong.sh --isolation=plain",
        1,
        &["repeat: juror judge sum --isolation plain wrong.sh --case"],
    );
    fixture.check(
        "judge sum right.sh --isolation=none",
        2,
        &["invalid value 'none'", "full, any, plain"],
    );
}
