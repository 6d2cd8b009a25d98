//! The sandbox as other programs use it, with programs that every machine has.

use std::fs;
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use juror_sandbox::{
    Bytes, Command, End, Error, ErrorKind, Isolation, Limits, Outcome, RequiredIsolation, Sandbox,
    Signal,
};

/// Far from what the programs of these tests need, except where a test lowers one.
fn limits() -> Limits {
    let minute = Duration::from_secs(60);
    Limits { cpu_time: minute, wall_time: minute * 2, ..Limits::default() }
}

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(limits()).unwrap());

fn shell(script: &str) -> Command {
    Command::new("/bin/sh").arg("-c").arg(script)
}

fn check(command: Command, end: End, stdout: &str) -> Outcome {
    let shown = format!("{command:?}");
    let outcome = SANDBOX.run(command).unwrap();
    let written = String::from_utf8_lossy(&outcome.stdout);
    assert_eq!((outcome.end, &*written), (end, stdout), "{shown}: {outcome:?}");
    assert_eq!(outcome.is_success(), end == End::Exited(0));
    outcome
}

fn check_error(result: Result<Outcome, Error>, kind: ErrorKind, text: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind, kind, "{error}");
    assert!(error.to_string().contains(text), "{error}");
}

#[test]
fn a_program_ends_as_it_ends_outside() {
    check(shell("exit 0"), End::Exited(0), "");
    check(shell("echo x; exit 7"), End::Exited(7), "x\n");
    check(shell("exit 255"), End::Exited(255), "");
    check(shell("kill -SEGV $$"), End::Signalled(Signal(11)), "");
    check(shell("kill -KILL $$"), End::Signalled(Signal(9)), "");
    let outcome = check(shell("echo x >&2; exit 1"), End::Exited(1), "");
    assert_eq!(outcome.stderr, b"x\n");
    assert_eq!(outcome.mechanism, SANDBOX.mechanism());
}

#[test]
fn a_limit_that_is_exceeded_is_the_end() {
    let check = |script: &str, lower: fn(&mut Limits), end: End| {
        let mut limits = limits();
        lower(&mut limits);
        let outcome = SANDBOX.run_within(shell(script), &limits).unwrap();
        assert_eq!(outcome.end, end, "{script}: {outcome:?}");
    };
    let busy = "while :; do :; done";
    let half = |limits: &mut Limits| limits.cpu_time = Duration::from_millis(500);
    check(busy, half, End::CpuTimeExceeded);
    check(busy, |limits| limits.cpu_time = Duration::ZERO, End::CpuTimeExceeded);
    let soon = |limits: &mut Limits| limits.wall_time = Duration::from_millis(500);
    check("sleep 1000", soon, End::WallTimeExceeded);
    let little = |limits: &mut Limits| limits.memory = Bytes::mib(16);
    // It lives until somebody has looked, also without control groups.
    let greedy = "x=$(head -c 40000000 /dev/zero | tr '\\0' x); while :; do :; done";
    check(greedy, little, End::MemoryExceeded);
    let short = |limits: &mut Limits| limits.output = Bytes(1000);
    check("head -c 1001 /dev/zero", short, End::OutputExceeded);
    check("head -c 1000 /dev/zero", short, End::Exited(0));
    check("head -c 1001 /dev/zero > file", short, End::OutputExceeded);
    let huge = |limits: &mut Limits| {
        let (time, bytes) = (Duration::MAX, Bytes(u64::MAX));
        (limits.cpu_time, limits.wall_time) = (time, time);
        (limits.memory, limits.output, limits.room) = (bytes, bytes, bytes);
        limits.processes = u32::MAX;
    };
    check("exit 3", huge, End::Exited(3));
}

#[test]
fn a_program_gets_what_the_command_has() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("text");
    fs::write(&path, "from disk\n").unwrap();
    let ok = End::Exited(0);
    check(Command::new("cat"), ok, "");
    check(Command::new("cat").stdin("one\ntwo\n"), ok, "one\ntwo\n");
    check(Command::new("cat").stdin_file(&path), ok, "from disk\n");
    check(Command::new("printf").args(["%s,", "a b", "$x", ";"]), ok, "a b,$x,;,");
    check(shell("echo $A$B").env("A", "old").env("A", "1").env("B", "2"), ok, "12\n");
    check(shell("echo $CARGO_PKG_NAME"), ok, "\n");
    check(shell("cat in").file("in", "text\n"), ok, "text\n");
    check(shell("cat a/copy").copy_file("a/copy", &path), ok, "from disk\n");
    check(Command::new("/box/run").arg("x").copy_file("run", "/bin/echo"), ok, "x\n");
    let shown = Command::new("cat").arg("/data/text").show_at(dir.path(), "/data");
    check(shown, ok, "from disk\n");
    let shown = Command::new("cat").arg("/data").show_at(&path, "/data");
    check(shown, ok, "from disk\n");
    let refused = shell("echo x > /data/new || exit 9").show_at(dir.path(), "/data");
    check(refused, End::Exited(9), "");
}

#[test]
fn files_of_the_box_are_returned_if_they_are_files() {
    let script = "echo x > a; mkdir b; echo y > b/c; ln -s /etc/passwd link";
    let command = ["a", "b", "b/c", "link", "missing"]
        .iter()
        .fold(shell(script), |job, name| job.collect(*name));
    let files = check(command, End::Exited(0), "").files;
    let files: Vec<_> = files.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
    assert_eq!(files, [("a", &b"x\n"[..]), ("b/c", b"y\n")]);
}

#[test]
fn what_cannot_be_run_is_an_error_with_a_way_out() {
    let check = |command: Command, kind: ErrorKind, text: &str| {
        check_error(SANDBOX.run(command), kind, text)
    };
    check(Command::new("/usr/bin/juror-has-none"), ErrorKind::Program, "Command::show");
    check(Command::new("juror-has-none"), ErrorKind::Program, "juror-has-none");
    check(Command::new(""), ErrorKind::Program, "");
    check(Command::new("/box/text").file("text", "no program"), ErrorKind::Program, "/box/text");
    check(Command::new("cat").show("/juror-has-none"), ErrorKind::Command, "show /juror-has-none");
    check(Command::new("cat").stdin_file("/juror-has-none"), ErrorKind::Command, "");
    check(Command::new("cat").copy_file("x", "/juror-has-none"), ErrorKind::Command, "");
    check(Command::new("cat").file("../x", ""), ErrorKind::Command, "..");
    check(Command::new("cat").arg("a\0b"), ErrorKind::Command, "zero byte");
    if SANDBOX.mechanism().isolation.is_full() {
        // Otherwise it is shown at its own path.
        check(Command::new("cat").show_at("/usr", "/proc/x"), ErrorKind::Command, "/proc");
    }
}

#[test]
fn threads_share_a_sandbox() {
    let run = |code: i32| check(shell(&format!("exit {code}")), End::Exited(code), "");
    thread::scope(|scope| (0..4).for_each(|code| _ = scope.spawn(move || run(code))));
}

#[test]
fn a_stopped_sandbox_runs_nothing_more() {
    let sandbox = Sandbox::new(limits()).unwrap();
    sandbox.stop();
    check_error(sandbox.run(Command::new("cat")), ErrorKind::Stopped, "");
}

/// The child has one thread, and only asks, drops and ends.
#[test]
fn a_fork_gets_an_error_and_changes_nothing_for_its_parent() {
    let sandbox = Sandbox::new(limits()).unwrap();
    let exits = |code: i32| sandbox.run(shell(&format!("exit {code}"))).map(|it| it.end);
    assert_eq!(exits(1), Ok(End::Exited(1)));
    type InChild<'a> = &'a dyn Fn(Sandbox) -> bool;
    let check = |act: InChild<'_>| {
        // SAFETY: the child takes no lock that another thread may hold: it makes no process and no thread.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: the parent's value stays the parent's: the copy is used as if it had moved here.
            let copy = unsafe { std::ptr::read(&raw const sandbox) };
            let is_good = act(copy);
            // SAFETY: ends this process, without handlers.
            unsafe { libc::_exit(i32::from(!is_good)) };
        }
        // The parent does not wait for the child.
        assert_eq!(exits(7), Ok(End::Exited(7)));
        let mut status = -1;
        // SAFETY: the status lives until the call returns.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0);
        assert_eq!(exits(2), Ok(End::Exited(2)));
    };
    check(&|copy| copy.run(shell("exit 3")).is_err_and(|error| error.kind == ErrorKind::Forked));
    check(&|copy| {
        drop(copy);
        true
    });
    check(&|copy| {
        copy.stop();
        true
    });
}

#[test]
fn required_isolation_is_there_or_the_error_says_what_to_do() {
    match Sandbox::with_isolation(limits(), RequiredIsolation::Full) {
        Ok(sandbox) => {
            assert!(sandbox.mechanism().isolation.is_full());
            assert_eq!(sandbox.weaknesses(), Vec::<String>::new());
        }
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::Isolation);
            assert!(error.to_string().contains("max_user_namespaces"), "{error}");
        }
    }
}

#[test]
fn a_plain_sandbox_says_what_it_does_not_do() {
    let sandbox = Sandbox::with_isolation(limits(), RequiredIsolation::Plain).unwrap();
    assert_eq!(sandbox.run(shell("exit 4")).unwrap().end, End::Exited(4));
    assert_eq!(sandbox.mechanism().isolation, Isolation::Plain);
    assert!(sandbox.weaknesses().iter().any(|line| line.starts_with("network: ")));
}
