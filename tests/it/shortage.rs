//! Runs on a machine with a shortage give a judge error, never a verdict.
//!
//! These tests need root and control groups of version 1, or mounts, and are skipped elsewhere.
//! `crates/sandbox/src/sandbox/shortage.rs` has the table of all cases.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::fixture::{Fixture, RIGHT};
use crate::wire;

/// Needs 200 MiB, and prints the sum of two numbers.
const LARGE_PROGRAM: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
    int main(void) { int a, b; if (scanf(\"%d %d\", &a, &b) != 2) return 9; long n = 200L << 20;\n\
    volatile char *p = malloc(n); for (long i = 0; i < n; i += 4096) p[i] = 1; printf(\"%d\\n\", a + b); }\n";

/// Needs 60 processes.
const FORKING_PROGRAM: &str = "#include <stdio.h>\n#include <unistd.h>\n\
    int main(void) { int a, b; if (scanf(\"%d %d\", &a, &b) != 2) return 9;\n\
    for (int i = 0; i < 60; i++) { int p = fork(); if (p < 0) return 3; if (!p) for (;;) pause(); }\n\
    printf(\"%d\\n\", a + b); }\n";

fn juror_program() -> OsString {
    wire::juror().get_program().to_owned()
}

/// A control group of version 1, removed when dropped.
struct ControlGroup(PathBuf);

impl ControlGroup {
    /// `None` if this machine does not allow it.
    fn make(controller: &str, limit: &str, value: &str) -> Option<Self> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = own.lines().find_map(|line| line.split_once(&format!(":{controller}:/")))?.1;
        let name = format!("juror-test-{}-{limit}", std::process::id());
        let path = Path::new("/sys/fs/cgroup").join(controller).join(own).join(name);
        fs::create_dir(&path).ok()?;
        let group = Self(path);
        fs::write(group.0.join(limit), value).ok()?;
        Some(group)
    }

    /// `before` precedes the command.
    fn juror(&self, fixture: &Fixture, before: &[&str], arguments: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "echo $$ > \"$0/tasks\" && exec \"$@\""]).arg(&self.0).args(before);
        command.arg(juror_program()).args(arguments.split_whitespace());
        command.current_dir(fixture.root()).env("JUROR_CACHE", "off").env("NO_COLOR", "1");
        command
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // Ended processes leave the group a moment later.
        for _ in 0..500 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn grade(mut command: Command, lines: &[Value]) -> (Vec<Value>, String) {
    use std::io::Write;
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("juror runs");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("a write");
    let Output { stdout, stderr, .. } = child.wait_with_output().expect("an end");
    let results = String::from_utf8_lossy(&stdout);
    let results = results.lines().map(|line| serde_json::from_str(line).expect("a result"));
    (results.collect(), String::from_utf8_lossy(&stderr).into_owned())
}

fn grade_line(source: &str, language: &str) -> Value {
    let case = json!({ "input": "1 2\n", "answer": "3\n" });
    json!({ "cases": [case], "source": { "text": source, "language": language }, "limits": { "time": 20 } })
}

/// The result must be a judge error with this text in its message.
fn check_judge_error(command: Command, line: Value, expected: &str) {
    let (results, err) = grade(command, &[line]);
    let [result] = &results[..] else { panic!("{results:?} {err}") };
    assert_eq!(result["verdict"], Value::Null, "{result:#}");
    assert_eq!(result["error"]["kind"], "judge", "{result:#}");
    let message = result["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains(expected), "{message}");
}

/// A directory for another user, and the words that run a command as that user.
fn as_other_user(fixture: &Fixture) -> (PathBuf, Vec<&'static str>) {
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    open(fixture.root(), 0o755).expect("rights");
    let scratch = fixture.path("scratch");
    fs::create_dir(&scratch).expect("a directory");
    open(&scratch, 0o777).expect("rights");
    (scratch, "setpriv --reuid 65534 --regid 65534 --clear-groups".split(' ').collect())
}

/// Whether another user can start juror from the build directory.
fn can_other_user_start(fixture: &Fixture, user: &[&str]) -> bool {
    let mut command = Command::new(user[0]);
    let tried = command.args(&user[1..]).arg(juror_program()).arg("--version").output();
    let is_open = tried.is_ok_and(|output| output.status.success());
    if !is_open {
        fixture.announce_skip("another user cannot start juror here");
    }
    is_open
}

#[test]
fn a_machine_without_memory_gives_a_judge_error() {
    let fixture = Fixture::new();
    let (scratch, user) = as_other_user(&fixture);
    let Some(group) = ControlGroup::make("memory", "memory.limit_in_bytes", "125829120") else {
        return fixture.announce_skip("no control group can be made");
    };
    if !can_other_user_start(&fixture, &user) {
        return;
    }
    for isolation in ["any", "plain"] {
        let mut command =
            group.juror(&fixture, &user, &format!("grade --isolation={isolation} --jobs 1"));
        command.env("TMPDIR", &scratch);
        check_judge_error(
            command,
            grade_line(LARGE_PROGRAM, "c"),
            "memory was short, although 2 GiB is allowed",
        );
    }
}

#[test]
fn a_container_with_few_processes_gives_a_judge_error() {
    let fixture = Fixture::new();
    let (scratch, user) = as_other_user(&fixture);
    let Some(group) = ControlGroup::make("pids", "pids.max", "40") else {
        return fixture.announce_skip("no control group can be made");
    };
    let message = "was refused, although 128 are allowed";
    check_judge_error(
        group.juror(&fixture, &[], "grade --jobs 1"),
        grade_line(FORKING_PROGRAM, "c"),
        message,
    );
    if can_other_user_start(&fixture, &user) {
        let mut command = group.juror(&fixture, &user, "grade --jobs 1");
        command.env("TMPDIR", &scratch);
        check_judge_error(command, grade_line(FORKING_PROGRAM, "c"), message);
    }
}

/// juror itself needs a few processes and threads. With fewer, it cannot ask a shell for its version.
#[test]
fn a_container_without_free_processes_reports_no_missing_tool() {
    let fixture = Fixture::new();
    let judged_by = (2..=9).filter(|most| {
        let Some(group) = ControlGroup::make("pids", "pids.max", &most.to_string()) else {
            return true;
        };
        let mut command =
            group.juror(&fixture, &[], "judge sum sum/submissions/accepted/right.sh --jobs 1");
        let output = command.output().expect("juror runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!text.contains("skipped"), "{most}: {text}");
        let is_judged = text.contains("1 accepted");
        assert_eq!(output.status.code(), Some(if is_judged { 0 } else { 4 }), "{most}: {text}");
        text.contains("cannot be asked for its version")
            && text.contains("allows no more processes")
    });
    assert!(judged_by.count() > 0, "no limit was met when juror asked for a shell");
}

/// Runs juror with a temporary directory that is mounted with these options. `None` if that is not possible.
fn with_mounted_temporary_directory(
    fixture: &Fixture,
    options: &str,
    arguments: &str,
) -> Option<Command> {
    let scratch = fixture.path("mounted");
    fs::create_dir_all(&scratch).expect("a directory");
    let script = format!("mount -t tmpfs -o {options} none \"$0\" && TMPDIR=\"$0\" exec \"$@\"");
    let command = |arguments: &str| {
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &script]).arg(&scratch);
        command.arg(juror_program()).args(arguments.split_whitespace());
        command.current_dir(fixture.root()).env("JUROR_CACHE", "off");
        command
    };
    if command("--version").output().is_ok_and(|output| output.status.success()) {
        return Some(command(arguments));
    }
    fixture.announce_skip("nothing can be mounted here");
    None
}

#[test]
fn a_temporary_directory_without_programs_gives_a_judge_error() {
    let fixture = Fixture::new();
    let source = "#include <stdio.h>\nint main(void) { puts(\"3\"); }\n";
    let Some(command) = with_mounted_temporary_directory(&fixture, "noexec", "grade --jobs 1")
    else {
        return;
    };
    check_judge_error(command, grade_line(source, "c"), "is mounted with noexec");
    let run = |arguments: &str| {
        with_mounted_temporary_directory(&fixture, "noexec", arguments).expect("it is possible")
    };
    let (results, err) = grade(run("grade --isolation=plain"), &[grade_line(source, "c")]);
    assert_eq!(results, [] as [Value; 0]);
    let err = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(err.contains("is mounted with noexec"), "{err}");
    let output = run("doctor --json").output().expect("juror runs");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["host"]["temporary_noexec"], true);
}

#[test]
fn a_full_temporary_directory_gives_a_judge_error() {
    let fixture = Fixture::new();
    let Some(command) =
        with_mounted_temporary_directory(&fixture, "size=10m", "grade --isolation=plain")
    else {
        return;
    };
    let source = "head -c 20000000 /dev/zero > large || exit 1\necho 3\n";
    check_judge_error(command, grade_line(source, "bash"), "is full");
}

/// All temporary files are removed while a built program runs.
#[test]
fn a_temporary_directory_that_is_cleaned_gives_a_judge_error() {
    let fixture = Fixture::new();
    let scratch = fixture.path("scratch");
    fs::create_dir(&scratch).expect("a directory");
    let rights = fs::Permissions::from_mode(0o755);
    fs::set_permissions(fixture.root(), rights).expect("rights");
    for isolation in ["any", "plain"] {
        let mut command = fixture.std_juror(&format!("grade --jobs 1 --isolation={isolation}"));
        command.env("TMPDIR", &scratch).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("juror runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut results = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
        let mut ask = |source: &str, runs_all: bool| {
            use std::io::{BufRead, Write};
            let mut line = grade_line(source, "bash");
            line["all"] = runs_all.into();
            writeln!(stdin, "{line}").expect("a write");
            let mut text = String::new();
            results.read_line(&mut text).expect("a result");
            serde_json::from_str::<Value>(&text).expect("JSON")
        };
        assert_eq!(ask(RIGHT, false)["verdict"], "AC");
        for entry in fs::read_dir(&scratch).expect("a directory").flatten() {
            fs::remove_dir_all(entry.path()).expect("a removal");
        }
        // The program is cached in memory, but its files are gone. An equal line would get the first result.
        let result = ask(RIGHT, true);
        assert_eq!(result["verdict"], Value::Null, "{result:#}");
        assert_eq!(result["error"]["kind"], "judge", "{result:#}");
        let message = result["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("somebody removed"), "{message}");
        assert_eq!(ask("echo 3", false)["verdict"], "AC", "others are judged");
        drop(stdin);
        child.wait().expect("an end");
    }
}

fn processes_with(argument: &str) -> Vec<i32> {
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has = |process: &i32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == argument.as_bytes())
    };
    numbers.filter(has).collect()
}

/// A program may be killed once from outside. If the second run is killed too, the program itself is the cause.
#[test]
fn a_run_killed_from_outside_is_repeated() {
    let fixture = Fixture::new();
    // A number of seconds that no other process sleeps.
    let time = format!("1000.77{}", std::process::id());
    let mut line = grade_line(&format!("exec sleep {time}"), "bash");
    line["limits"] = json!({ "time": 500 });
    let command = fixture.std_juror("grade --jobs 1");
    let is_over = AtomicBool::new(false);
    let kill_twice = || {
        let mut killed: Vec<i32> = Vec::new();
        while killed.len() < 2 && !is_over.load(Ordering::SeqCst) {
            let mut found = processes_with(&time);
            found.retain(|process| !killed.contains(process));
            for process in found {
                let number = Pid::from_raw(process).expect("a process");
                if kill_process(number, Signal::KILL).is_ok() {
                    killed.push(process);
                }
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        killed.len()
    };
    let ((results, err), killed) = std::thread::scope(|scope| {
        let killing = scope.spawn(kill_twice);
        let graded = grade(command, &[line]);
        is_over.store(true, Ordering::SeqCst);
        (graded, killing.join().expect("a thread"))
    });
    assert_eq!(
        (killed, &results[0]["cause"]),
        (2, &json!("killed by SIGKILL")),
        "{results:?} {err}"
    );
}
