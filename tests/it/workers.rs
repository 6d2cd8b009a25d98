//! Programs on workers: other processes of juror, to which a command connects.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::tidy::root;
use crate::wire;

/// For a shell and for `--executor`.
pub(crate) fn worker(options: &str) -> String {
    let juror = assert_cmd::cargo::cargo_bin("juror");
    format!("'{}' worker --stdio --jobs 1 {options}", juror.display())
}

/// In this directory, with these workers.
fn juror(fixture: &Fixture, arguments: &str, workers: &[&str]) -> assert_cmd::Command {
    let (name, rest) = arguments.split_once(' ').expect("a command with arguments");
    let mut command = fixture.juror(name);
    command.env("TMPDIR", fixture.temporary_directory());
    for worker in workers {
        command.args(["--executor", worker]);
    }
    command.args(rest.split(' '));
    command
}

/// Its exit code, and what it writes on both streams.
fn run_juror(fixture: &Fixture, arguments: &str, workers: &[&str]) -> (Option<i32>, String) {
    let output = juror(fixture, arguments, workers).output().expect("juror runs");
    let text = [output.stdout, output.stderr].concat();
    // Wherever lines are broken.
    let text = String::from_utf8_lossy(&text);
    (output.status.code(), text.split_whitespace().collect::<Vec<_>>().join(" "))
}

pub(crate) fn check(
    fixture: &Fixture,
    arguments: &str,
    workers: &[&str],
    code: i32,
    pieces: &[&str],
) {
    let (found, text) = run_juror(fixture, arguments, workers);
    assert_eq!(found, Some(code), "{arguments} {workers:?}: {text}");
    for piece in pieces {
        assert!(text.contains(piece), "{arguments} {workers:?} lacks {piece}: {text}");
    }
}

/// The verdicts of all runs in a report, with the worker of each.
fn runs(report: &Value) -> Vec<(String, Option<String>)> {
    let submissions = report["submissions"].as_array().expect("submissions");
    let cases = submissions.iter().flat_map(|submission| {
        submission["judgement"]["test_cases"].as_array().expect("test cases")
    });
    let run = |case: &Value| {
        let verdict = format!("{} {}", case["name"], case["verdict"]);
        (verdict, case["outcome"]["worker"].as_str().map(str::to_owned))
    };
    cases.map(run).collect()
}

#[test]
fn reports_are_the_same_here_and_on_workers() {
    let worker = worker("");
    check_same(&[&worker, &worker]);
}

/// All commands report the same with these two workers.
pub(crate) fn check_same(workers: &[&str]) {
    let fixture = Fixture::new();
    fixture.write("wrong.sh", WRONG);
    fixture.write("right.sh", RIGHT);
    fixture.write("broken.cpp", "int main() { return }\n");
    fixture.write("sum/generators/gen.sh", "echo 1 2\n");
    fixture.write("sum/input_validators/sum.ctd", "INT(0, 9, a) SPACE INT(0, 9, b) NEWLINE\n");
    fixture.write("large/1.in", "7".repeat(300_000) + "\n");
    fixture.write("large/1.ans", "7".repeat(300_000) + "\n");
    let live = root().join("problems/gridlive");
    let live = format!(
        "judge {0} {0}/submissions/accepted/masks.py {0}/submissions/accepted/leaves_at_once.c \
         --case sample/* --json",
        live.display()
    );
    for line in [
        "judge sum wrong.sh right.sh --all --json",
        "judge sum broken.cpp --json",
        "judge large --json -- /bin/cat",
        "verify sum --json",
        &live,
    ] {
        let report = |workers: &[&str]| {
            let output = juror(&fixture, line, workers).output().expect("juror runs");
            let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
            (output.status.code(), report)
        };
        let (here, there) = (report(&[]), report(workers));
        let verdicts = |report| runs(report).into_iter().map(|run| run.0).collect::<Vec<_>>();
        assert_eq!(here.0, there.0, "{line}: {}", there.1);
        assert_eq!(verdicts(&here.1), verdicts(&there.1), "{line}");
        let diagnostics = |report: &Value| report["diagnostics"].clone();
        assert_eq!(diagnostics(&here.1), diagnostics(&there.1), "{line}");
        assert_eq!(here.1["workers"], Value::Array(Vec::new()));
        assert!(runs(&here.1).iter().all(|run| run.1.is_none()));
        assert!(runs(&there.1).iter().all(|run| run.1.is_some()), "{line}: {}", there.1);
        assert_eq!(there.1["workers"].as_array().map(Vec::len), Some(2), "{line}");
    }
    check(&fixture, "judge sum right.sh", &workers[..1], 0, &["programs on workers: "]);
    let stress = "stress sum wrong.sh --reference right.sh --runs 200";
    check(&fixture, stress, &workers[..1], 1, &["wrong answer: token 1 differs"]);
    write_lines(&fixture, 12);
    assert_eq!(grade_results(&fixture, workers, |_| ()), grade_results(&fixture, &[], |_| ()));
    // Eight inputs, so that it ends soon.
    fixture.write("sum/input_validators/sum.ctd", "INT(0, 1, a) SPACE INT(0, 3, b) NEWLINE\n");
    fs::remove_dir_all(fixture.path("sum/data/secret")).expect("test cases");
    let strength = |workers: &[&str]| {
        let line = "strength sum --seed 1 --time 10m --json";
        let output = juror(&fixture, line, workers).output().expect("juror runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        (output.status.code(), report["subjects"].clone())
    };
    let here = strength(&[]);
    assert!(here.1.is_array(), "{here:?}");
    assert_eq!(strength(workers), here);
}

#[test]
fn a_broken_worker_command_is_reported_with_its_reason() {
    let fixture = Fixture::new();
    let broken = |worker: &str, piece: &str| {
        check(&fixture, "judge sum sum/submissions/accepted/right.sh", &[worker], 4, &[piece]);
    };
    broken("no-such-command a", "start the worker `no-such-command a`");
    broken("echo hello", "does not begin with `juror worker`, but with `hello`");
    broken("cat", "but with `juror sender, protocol");
    broken(
        "printf 'juror worker, protocol 0\\n'",
        "it is another juror: `juror worker, protocol 0`",
    );
    broken("true", "it ended with exit status: 0");
    broken(
        "sh -c 'echo no route >&2; exit 255'",
        "it ended with exit status: 255; it wrote `no route`",
    );
    let misspelt = |worker: &str, piece: &str| {
        check(&fixture, "judge sum sum/submissions/accepted/right.sh", &[worker], 2, &[piece]);
    };
    misspelt("'", "has an unclosed quote");
    misspelt("", "expected a command");
    misspelt("nats://a", "is not a command; for a NATS server, write `juror-nats submit nats://a`");
    let plain = worker("--isolation plain");
    let arguments = "judge sum sum/submissions/accepted/right.sh --isolation full";
    check(&fixture, arguments, &[&plain], 4, &["programs are not fully isolated there (plain"]);
    let poor = format!("env PATH=/nowhere {}", worker(""));
    fixture.write("a.lua", "print(3)\n");
    let (_, text) = run_juror(&fixture, "judge sum a.lua", &[&poor]);
    assert!(text.contains("skipped: a.lua: no lua; install Lua"), "{text}");
}

#[test]
fn this_machine_can_be_one_of_the_workers() {
    let fixture = Fixture::new();
    let arguments = "judge sum sum/submissions/accepted/right.sh --all";
    check(&fixture, arguments, &["local"], 0, &["1 accepted"]);
}

/// All is judged although the first of two workers is lost. Its command is this script, in which `worker` starts a
/// worker whose number is in the file `pid`.
fn check_survives(script: &str, piece: &str) {
    let fixture = Fixture::new();
    for number in 0..20 {
        // Longer than what follows a message.
        let input = format!("1 {}{number}\n", " ".repeat(20_000));
        fixture.write(&format!("sum/data/secret/{number}.in"), &input);
        fixture.write(&format!("sum/data/secret/{number}.ans"), format!("{}\n", number + 1));
    }
    fixture.write("pid.sh", format!("echo $$ > pid; exec {}\n", worker("")));
    fixture.write("worker.sh", script.replace("worker", "sh pid.sh"));
    let arguments = "judge sum sum/submissions/accepted/right.sh --all";
    let workers = ["sh worker.sh", &worker("")];
    check(&fixture, arguments, &workers, 0, &["1 accepted", "this worker is lost: ", piece]);
    wait_for_end(&fixture);
}

fn pid(fixture: &Fixture) -> Option<String> {
    let text = fs::read_to_string(fixture.path("pid")).ok()?;
    text.ends_with('\n').then(|| text.trim().to_owned())
}

/// Waits until the worker with this number in its file is gone.
fn wait_for_end(fixture: &Fixture) {
    let pid = pid(fixture).expect("a number");
    let end = Instant::now() + Duration::from_secs(60);
    // A process that nobody waits for is dead as well.
    let lives = || {
        let state = fs::read_to_string(Path::new("/proc").join(&pid).join("stat"));
        state.is_ok_and(|state| !state.contains(") Z"))
    };
    while lives() {
        assert!(Instant::now() < end, "the worker still runs");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Forwards a worker's greeting, its facts, and a part of what follows.
const CUT_FILTER: &str = "dd bs=1 count=520 2>/dev/null";

#[test]
fn runs_go_elsewhere_if_a_worker_dies_or_its_connection_is_cut() {
    check_survives(&format!("worker | {CUT_FILTER}\n"), "it ended with");
    check_survives("dd bs=1 count=40000 2>/dev/null | worker\n", "it ended with");
    let killed = format!("worker | ({CUT_FILTER}; kill -9 $(cat pid))\n");
    check_survives(&killed, "it ended with");
}

#[test]
fn a_silent_worker_is_lost() {
    let stopped =
        format!("worker | ({CUT_FILTER}; kill -STOP $(cat pid); sleep 13; kill -9 $(cat pid))\n");
    check_survives(&stopped, "it has sent nothing for 10 s");
}

/// The process has a handler for the signal.
pub(crate) fn handles_signal(process: u32, signal: Signal) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it is there");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("signals");
    let caught = u64::from_str_radix(caught.trim(), 16).expect("a mask");
    caught & 1 << (signal.as_raw() - 1) != 0
}

#[test]
fn workers_end_with_juror() {
    for signal in ["INT", "KILL"] {
        let fixture = Fixture::new();
        fixture.write("sleeps.sh", "sleep 100\n");
        fixture.write("pid.sh", format!("echo $$ > pid; exec {}\n", worker("")));
        let mut command = wire::juror();
        command.current_dir(fixture.path("")).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("TMPDIR", fixture.temporary_directory());
        command.args(["judge", "sum", "sleeps.sh", "--time-limit", "100"]);
        let mut judge = command.args(["--executor", "sh pid.sh"]).spawn().expect("juror starts");
        // Before it has a handler, the signal ends it like any program.
        while pid(&fixture).is_none() || !handles_signal(judge.id(), Signal::INT) {
            thread::sleep(Duration::from_millis(5));
        }
        let signalled = Command::new("kill").args(["-s", signal, &judge.id().to_string()]).status();
        assert!(signalled.expect("kill runs").success());
        let code = judge.wait().expect("it ends").code();
        assert_eq!(code, if signal == "INT" { Some(130) } else { None });
        wait_for_end(&fixture);
    }
}

/// Judges a stream on workers, of which this many are killed, one now and then. Each line has one result, the same as
/// here.
fn check_each_once(lines: usize, killed: usize) {
    let fixture = Fixture::new();
    write_lines(&fixture, lines);
    fixture.write("pid.sh", format!("echo $$ > pid.$1; exec {}\n", worker("")));
    let workers: Vec<String> =
        (0..killed + 2).map(|number| format!("sh pid.sh {number}")).collect();
    let workers: Vec<&str> = workers.iter().map(String::as_str).collect();
    let here = grade_results(&fixture, &[], |_| ());
    let ids: Vec<u64> = here.iter().map(|result| result.0).collect();
    assert_eq!(ids, (0..lines as u64).collect::<Vec<_>>());
    let mut alive: Vec<usize> = (0..workers.len()).collect();
    let kill = |results: usize| {
        if results.is_multiple_of(lines / (killed + 1)) && alive.len() > 2 {
            // In an arbitrary order.
            let pid = fixture.read(&format!("pid.{}", alive.remove(results * 7919 % alive.len())));
            let signalled = Command::new("kill").args(["-s", "KILL", pid.trim()]).status();
            assert!(signalled.expect("kill runs").success());
        }
    };
    let there = grade_results(&fixture, &workers, kill);
    assert_eq!(there, here);
    assert_eq!(alive.len(), 2);
}

/// Writes this many lines for `juror grade` into the file `lines`.
fn write_lines(fixture: &Fixture, lines: usize) {
    let line = |number: usize| {
        let text = [RIGHT, WRONG, "read -r a b; exit $b\n"][number % 3];
        let cases =
            json!([{ "input": format!("{number} 3\n"), "answer": format!("{}\n", number + 3) }]);
        let source = json!({ "text": text, "language": "bash" });
        format!("{}\n", json!({ "id": number, "cases": cases, "source": source }))
    };
    fixture.write("lines", (0..lines).map(line).collect::<String>());
}

/// The verdicts of the lines in the file `lines`, in their order. `see` gets the number of results so far.
fn grade_results(
    fixture: &Fixture,
    workers: &[&str],
    mut see: impl FnMut(usize),
) -> Vec<(u64, String)> {
    let mut command = wire::juror();
    command.arg("grade").current_dir(fixture.path("")).stderr(Stdio::null());
    command.env("TMPDIR", fixture.temporary_directory());
    workers.iter().for_each(|worker| _ = command.args(["--executor", worker]));
    let lines = fs::File::open(fixture.path("lines")).expect("the lines");
    let mut juror = command.stdin(lines).stdout(Stdio::piped()).spawn().expect("juror starts");
    let results = BufReader::new(juror.stdout.take().expect("a pipe")).lines();
    let mut verdicts = Vec::new();
    for result in results {
        let result: Value = serde_json::from_str(&result.expect("a line")).expect("a result");
        let id = result["id"].as_u64().expect("a number");
        verdicts.push((id, result["verdict"].to_string()));
        see(verdicts.len());
    }
    assert_eq!(juror.wait().expect("it ends").code(), Some(1));
    verdicts.sort();
    verdicts
}

#[test]
fn each_line_of_a_stream_has_one_result_although_workers_are_killed() {
    check_each_once(120, 3);
}

mod quiet {
    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    fn each_of_ten_thousand_lines_has_one_result_although_workers_are_killed() {
        super::check_each_once(10_000, 10);
    }
}
