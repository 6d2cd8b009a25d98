//! Streams of submissions: results, their order, and resuming after a kill.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use juror_core::blob::Blob;
use juror_core::job::{BoxRetention, JobReply};
use juror_core::limits::Limits;
use juror_core::program::Program;
use juror_core::root::FilePath;
use juror_core::tree::{FileMode, Node, TreeEntry};
use juror_core::units::Bytes;
use juror_judging::build::{BuildResult, Builder};
use serde_json::{Value, json};

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::plain::is_running;
use juror_core::outcome::quiet_outcome;
use juror_sandbox::executor::scripted::ScriptedExecutor;

pub(crate) fn run_grade(fixture: &Fixture, options: &[&str], lines: &str) -> Output {
    fixture.juror("grade").args(options).write_stdin(lines).output().expect("juror runs")
}

pub(crate) fn grade_lines(
    fixture: &Fixture,
    options: &[&str],
    lines: &str,
    code: i32,
) -> Vec<Value> {
    let output = run_grade(fixture, options, lines);
    let err = String::from_utf8_lossy(&output.stderr);
    let results = parse_results(&output.stdout);
    assert_eq!(output.status.code(), Some(code), "{results:#?}\n{err}");
    results
}

pub(crate) fn parse_results(text: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(text).expect("results are text");
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    let result =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(result).collect()
}

/// A line with a bash source and two test cases.
pub(crate) fn sum_line(id: impl Into<Value>, source: &str) -> Value {
    let cases =
        json!([{ "input": "1 2\n", "answer": "3\n" }, { "input": "5 8\n", "answer": "13\n" }]);
    let id: Value = id.into();
    json!({ "id": id, "cases": cases, "source": { "text": source, "language": "bash" } })
}

/// Adds or replaces keys.
pub(crate) fn with_keys(mut line: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("an object") };
    line.as_object_mut().expect("a line").extend(more);
    line
}

/// Kills `juror grade` when its file has as many results. It has read a few lines more.
pub(crate) fn kill_at(
    fixture: &Fixture,
    options: &[&str],
    all: &[Value],
    results: &Path,
    wanted: usize,
) {
    let mut command = fixture.std_juror("grade --jobs 3");
    command.args(options).stderr(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stdin(Stdio::piped()).spawn().expect("juror runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(join_lines(&all[..wanted + 4]).as_bytes()).expect("a write");
    while fs::read_to_string(results).map_or(0, |text| text.lines().count()) < wanted {
        assert_eq!(child.try_wait().expect("a child"), None, "it waits for more");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a kill");
    child.wait().expect("an end");
}

pub(crate) fn join_lines(all: &[Value]) -> String {
    all.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn each_line_gets_its_result() {
    let fixture = Fixture::new();
    fixture.write("mine.sh", RIGHT);
    // Each row has the line, the verdict or kind of fault, and a part of the cause or message.
    let check = |line: Value, code: i32, expected: &str, message: &str| {
        let results = grade_lines(&fixture, &[], &format!("\n{line}\n"), code);
        let [result] = &results[..] else { panic!("{results:#?}") };
        assert_eq!((&result["version"], &result["line"]), (&json!(2), &json!(2)), "{line}");
        assert_eq!(result["id"], line["id"], "{line}");
        assert_eq!(result["digest"].as_str().map(str::len), Some(16), "{line}");
        let (got, text) = match result["verdict"].as_str() {
            Some(verdict) => (verdict, &result["cause"]),
            None => {
                (result["error"]["kind"].as_str().expect("a kind"), &result["error"]["message"])
            }
        };
        let text = text.as_str().unwrap_or_default();
        assert_eq!(got, expected, "{result:#}");
        assert!(text.contains(message), "{message}: {result:#}");
        result.clone()
    };
    let right = check(sum_line("a", RIGHT), 0, "AC", "");
    assert_eq!(
        (&right["passed"], &right["ran"], &right["skipped"]),
        (&json!(2), &json!(2), &json!(0))
    );
    assert_eq!(right["test_cases"], Value::Null);
    let wrong = check(sum_line(7, "echo 4"), 1, "WA", "token 1 differs");
    assert_eq!(
        (&wrong["test_case"], &wrong["ran"], &wrong["skipped"]),
        (&json!("1"), &json!(1), &json!(1))
    );
    let all = check(
        with_keys(sum_line("a", WRONG), json!({ "all": true, "return": "cases" })),
        1,
        "WA",
        "",
    );
    let verdict = |case: usize| &all["test_cases"][case]["verdict"];
    assert_eq!(
        (verdict(0), verdict(1), &all["test_case"]),
        (&json!("AC"), &json!("WA"), &json!("2"))
    );
    assert_eq!(all["test_cases"][1]["evidence"], Value::Null);
    let shown = check(with_keys(sum_line("a", WRONG), json!({ "return": "outputs" })), 1, "WA", "");
    let evidence = &shown["test_cases"][1]["evidence"];
    assert_eq!(
        (&evidence["output"]["text"], &evidence["answer"]["text"]),
        (&json!("3\n"), &json!("13\n"))
    );
    check(sum_line(Value::Null, "exit 3"), 1, "RTE", "exit code 3");
    let crash = json!({ "text": "print(x)", "language": "python3" });
    let crash = with_keys(sum_line("r", ""), json!({ "source": crash, "return": "cases" }));
    let crash = check(crash, 1, "RTE", "NameError: name 'x' is not defined (");
    assert_eq!(crash["test_cases"][0]["evidence"], Value::Null);
    let broken = json!({ "text": "print(1", "language": "python3" });
    let broken = with_keys(sum_line("b", ""), json!({ "source": broken }));
    assert_eq!(check(broken, 1, "CE", "SyntaxError: ")["test_case"], "build");
    check(
        with_keys(sum_line("z", RIGHT), json!({ "limits": { "time": 0, "memory": 0 } })),
        0,
        "AC",
        "",
    );
    let limited =
        |limits: Value, source: &str| with_keys(sum_line("l", source), json!({ "limits": limits }));
    check(limited(json!({ "time": 0.2 }), "while :; do :; done"), 1, "TLE", "0.2");
    check(limited(json!({ "output": 0.01 }), "printf '%99999d' 1"), 1, "OLE", "");
    let compared =
        |how: &str, source: &str| with_keys(sum_line("c", source), json!({ "compare": how }));
    let spaced = "read -r a b; echo \" $((a + b)) \"";
    check(compared("exact", spaced), 1, "WA", "");
    check(compared("tokens", spaced), 0, "AC", "");
    check(compared("float=0.5", "read -r a b; echo $((a + b)).4"), 0, "AC", "");
    check(compared("float=x", RIGHT), 2, "line", "`/compare`");
    let help = |line: Value| line["error"]["help"].clone();
    let message = "`/compare`: cannot find the checker no; such.py";
    let unknown = check(compared("no; such.py", RIGHT), 2, "line", message);
    assert_eq!(help(unknown), "`juror help comparisons` lists the names of comparisons");
    let unfinished = check(compared("float", RIGHT), 2, "line", "write the largest error");
    assert_eq!(help(unfinished), "see `juror help streams`");
    let python = json!({ "text": "print(sum(map(int, input().split())))", "language": "py" });
    check(with_keys(sum_line("p", ""), json!({ "source": python })), 0, "AC", "");
    let named = json!({ "text": RIGHT, "name": "x.sh" });
    check(with_keys(sum_line("n", ""), json!({ "source": named })), 0, "AC", "");
    let sourced = |source: Value| with_keys(sum_line("s", ""), json!({ "source": source }));
    check(sourced(json!({ "file": "mine.sh" })), 0, "AC", "");
    let near = check(sourced(json!({ "file": "mime.sh" })), 2, "source", "mime.sh");
    assert_eq!(help(near), "did you mean `mine.sh`?");
    check(sourced(json!({ "text": "x", "name": "../x.sh" })), 2, "line", "`../x.sh`");
    check(sourced(json!({ "text": "x", "language": "pyhton" })), 2, "source", "`pyhton`");
    check(sourced(json!({ "text": "x", "language": "apl" })), 2, "source", "APL");
    check(sourced(json!("x")), 2, "source", "the language is unknown");
    check(sourced(json!({ "text": ":", "language": "bash" })), 1, "WA", "the output is empty");
    let packaged = |package: &str| json!({ "id": 1, "package": package, "source": { "text": RIGHT, "language": "bash" } });
    let judged = check(packaged("sum"), 0, "AC", "");
    assert_eq!(judged["ran"], 4);
    check(packaged("sun"), 3, "package", "sun");
    fixture.write("bad/problem.yaml", "problem_format_version: 2025-09\nlimits: 3\n");
    check(packaged("bad"), 3, "package", "problem.yaml");
    let own = json!({ "id": 1, "package": "sum", "source": { "file": "wrong_answer/wrong.sh" } });
    check(own, 1, "WA", "token 1 differs");
    check(json!({ "id": 3, "sorce": 1 }), 2, "line", "/sorce");
}

#[test]
fn a_missing_compiler_skips_the_line() {
    let fixture = Fixture::new();
    let line = with_keys(
        sum_line("c", ""),
        json!({ "source": { "text": "int main(){}", "language": "c" } }),
    );
    let empty = fixture.path("empty");
    fs::create_dir(&empty).expect("a directory");
    let mut command = fixture.juror("grade");
    let output =
        command.env("PATH", empty).write_stdin(join_lines(&[line])).output().expect("juror runs");
    let results = parse_results(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{results:#?}");
    assert_eq!(results[0]["error"]["kind"], "skipped");
}

#[test]
fn a_broken_line_does_not_stop_the_others() {
    let fixture = Fixture::new();
    let good = sum_line("good", RIGHT).to_string();
    let cut = &good[..good.len() / 2];
    let text = format!("{good}\nnonsense\n\n{cut}\n[1]\n{{}}\n\u{0}\n{good}");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(b"\n\xff\xfe{\"id\":1}\n{\"id\":\"x\",\"package\":7}\n");
    let mut command = fixture.juror("grade --ordered");
    let output = command.write_stdin(bytes).output().expect("juror runs");
    assert_eq!(output.status.code(), Some(2));
    let results = parse_results(&output.stdout);
    let found: Vec<String> = results
        .iter()
        .map(|result| format!("{} {} {}", result["line"], result["id"], result["error"]["kind"]))
        .collect();
    let expected = [
        "1 \"good\" null",
        "2 null \"line\"",
        "4 null \"line\"",
        "5 null \"line\"",
        "6 null \"line\"",
        "7 null \"line\"",
        "8 \"good\" null",
        "9 null \"line\"",
        "10 \"x\" \"line\"",
    ];
    assert_eq!(found, expected);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("9 lines: 2 accepted, 7 broken; "), "{err}");
}

#[test]
fn the_exit_code_is_that_of_the_gravest_line() {
    let fixture = Fixture::new();
    let check = |lines: &str, code: i32, message: &str| {
        let output = run_grade(&fixture, &[], lines);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{err}");
        assert!(err.contains(message), "{err}");
    };
    check("", 5, "the input has no lines");
    check("\n\n", 5, "the input has no lines");
    let (right, wrong) = (sum_line(1, RIGHT), sum_line(2, WRONG));
    check(&join_lines(&[right.clone(), wrong.clone()]), 1, "2 lines: 1 accepted, 1 rejected; ");
    check(&join_lines(&[right, wrong, json!(3)]), 2, "3 lines: 1 accepted, 1 rejected, 1 broken; ");
}

/// The form of the data set deepmind/code_contests, as its card on Hugging Face shows it, and of BAAI/TACO, whose
/// test cases are JSON in a string; each with a submission.
#[test]
fn a_map_reads_public_data_sets() {
    let fixture = Fixture::new();
    let check = |map: Value, defaults: Value, line: Value, expected: &str| {
        let (map, defaults) = (map.to_string(), defaults.to_string());
        let options = ["--map", &map, "--defaults", &defaults];
        let code = match expected {
            "AC 3" => 0,
            "none 0" => 2,
            _ => 1,
        };
        let results = grade_lines(&fixture, &options, &line.to_string(), code);
        let got =
            format!("{} {}", results[0]["verdict"].as_str().unwrap_or("none"), results[0]["ran"]);
        assert_eq!((&*got, &results[0]["id"]), (expected, &json!("1_A. Sum")), "{results:#?}");
    };
    let tests = |pairs: &[(&str, &str)]| {
        let of =
            |part: fn(&(&str, &str)) -> String| pairs.iter().map(part).collect::<Vec<String>>();
        json!({ "input": of(|pair| pair.0.to_owned()), "output": of(|pair| pair.1.to_owned()) })
    };
    let part = |name: &str| json!({ "input": format!("/{name}/input"), "answer": format!("/{name}/output") });
    let map = json!({
        "id": "/name",
        "source": "/completion",
        "limits": { "time": "/time_limit/seconds", "memory_bytes": "/memory_limit_bytes" },
        "cases": [part("public_tests"), part("private_tests"), part("generated_tests")],
    });
    let defaults = json!({ "source": { "language": "bash" } });
    let line = |source: &str| {
        json!({
            "name": "1_A. Sum",
            "description": "Add two numbers.",
            "public_tests": tests(&[("1 2\n", "3\n")]),
            "private_tests": tests(&[]),
            "generated_tests": tests(&[("5 8\n", "13\n"), ("0 0\n", "0\n")]),
            "solutions": { "language": [3], "solution": ["print(1)"] },
            "time_limit": { "seconds": 2, "nanos": 0 },
            "memory_limit_bytes": 256_000_000,
            "completion": source,
        })
    };
    check(map.clone(), defaults.clone(), line(RIGHT), "AC 3");
    check(map, defaults.clone(), line(WRONG), "WA 2");
    let map = json!({
        "id": "/name",
        "source": "/completion",
        "cases": { "input": "/input_output/inputs", "answer": "/input_output/outputs" },
    });
    let inputs =
        json!({ "inputs": ["1 2\n", "5 8\n", "0 0\n"], "outputs": ["3\n", "13\n", "0\n"] });
    let line = |source: &str| json!({ "name": "1_A. Sum", "input_output": inputs.to_string(), "completion": source });
    check(map.clone(), defaults.clone(), line(RIGHT), "AC 3");
    check(map.clone(), defaults.clone(), line("echo 0"), "WA 1");
    let unlike = json!({ "inputs": ["1 2\n"], "outputs": [] });
    let broken = json!({ "name": "1_A. Sum", "input_output": unlike, "completion": RIGHT });
    check(map, defaults.clone(), broken, "none 0");
    // The form of open-r1/codeforces.
    let map = json!({
        "id": "/name",
        "source": "/completion",
        "limits": { "time": "/time_limit", "memory": "/memory_limit" },
        "cases": { "each": "/official_tests", "input": "/input", "answer": "/output" },
    });
    let each = json!([
        { "input": "1 2\n", "output": "3\n" },
        { "input": "5 8\n", "output": "13\n" },
        { "input": "0 0\n", "output": "0\n" },
    ]);
    let line = json!({
        "name": "1_A. Sum", "official_tests": each, "completion": RIGHT, "time_limit": 2.0, "memory_limit": 256.0,
    });
    check(map, defaults, line, "AC 3");
}

#[test]
fn extreme_lines_have_their_errors_and_the_rest_goes_on() {
    let fixture = Fixture::new();
    let line = sum_line("x", RIGHT).to_string();
    let with_limit =
        |limit: &str| line.replacen('{', &format!(r#"{{"limits":{{"time":{limit}}},"#), 1);
    let many: Vec<Value> =
        (0..100_000).map(|n| json!({ "input": "1 2\n", "answer": n.to_string() })).collect();
    let many = with_keys(sum_line("x", RIGHT), json!({ "cases": many })).to_string();
    let nested =
        format!(r#"{{"id":"x","source":{}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let long = format!("{}1", "0".repeat(400).replacen('0', "1", 1));
    let rows = [
        (with_limit("NaN"), "is not JSON at column"),
        (with_limit("1e400"), "number out of range"),
        (with_limit(&long), "number out of range"),
        (with_limit("-1"), "`/limits/time`: out of range"),
        (nested, "recursion limit exceeded"),
        (many, "token 1 differs"),
    ];
    let text: String = rows.iter().map(|(row, _)| format!("{row}\n{line}\n")).collect();
    let results = grade_lines(&fixture, &["--ordered"], &text, 2);
    assert_eq!(results.len(), 2 * rows.len());
    for ((_, message), pair) in rows.iter().zip(results.chunks(2)) {
        let error = pair[0]["error"]["message"].as_str().or(pair[0]["cause"].as_str());
        assert!(error.is_some_and(|error| error.contains(message)), "{message}: {:#}", pair[0]);
        assert_eq!(pair[1]["verdict"], "AC", "{message}");
    }
    let last = &results[2 * rows.len() - 2];
    assert_eq!((&last["ran"], &last["skipped"]), (&json!(1), &json!(99_999)));
}

#[test]
fn equal_sources_are_built_once() {
    let builds = Mutex::new(0);
    let executor = ScriptedExecutor::new(1, |job| {
        *builds.lock().expect("a number") += 1;
        let BoxRetention::AllBut(_) = &job.keep else { panic!("only builds") };
        let node = Node::File { blob: b"x".to_vec().into(), mode: FileMode::Executable };
        // Everything that a build writes.
        let names = job.command.argv.iter().filter(|word| !word.starts_with(['-', '/']));
        let entries: Vec<TreeEntry> =
            names.map(|name| TreeEntry::new(name, node.clone())).collect();
        let outcome = quiet_outcome();
        let (stdout, stderr) = (Blob::default(), Blob::default());
        Ok(JobReply { outcome, stdout, stderr, collected: Vec::new(), kept: Some(entries.into()) })
    });
    let builder = Builder::new(&executor).keeping_recent(2);
    let limits = Limits { memory: Some(Bytes::mib(64)), ..Limits::default() };
    let check = |sources: &[&str], expected: usize| {
        *builds.lock().expect("a number") = 0;
        for source in sources {
            let (path, text) = (FilePath::root("main.c"), Some((*source).to_owned()));
            let program = Program { path, text, ..Program::default() };
            let Ok(prepared) = builder.prepare(&program) else {
                return Fixture::new().announce_skip("no C compiler");
            };
            let built = builder.build(&prepared, &limits, &limits).expect("a build");
            assert!(matches!(built, BuildResult::Program(_)), "{built:?}");
        }
        assert_eq!(*builds.lock().expect("a number"), expected, "{sources:?}");
    };
    check(&["a", "a", "b", "a", "b"], 2);
    check(&["c", "d", "c", "e", "c", "d"], 4);
}

#[test]
fn ordered_results_follow_the_order_of_the_lines() {
    let fixture = Fixture::new();
    let slow = sum_line(0, &format!("sleep 0.3; {RIGHT}"));
    let quick: Vec<Value> = (1..40).map(|id| sum_line(id, &format!("{RIGHT}# {id}\n"))).collect();
    let text = join_lines(&[vec![slow], quick].concat());
    let ids = |options: &[&str]| {
        let results = grade_lines(&fixture, options, &text, 0);
        results.iter().map(|result| result["id"].as_u64().expect("a number")).collect::<Vec<u64>>()
    };
    assert_eq!(ids(&["--ordered", "--jobs", "4"]), (0..40).collect::<Vec<u64>>());
    let mut any = ids(&["--jobs", "4"]);
    any.sort_unstable();
    assert_eq!(any, (0..40).collect::<Vec<u64>>());
}

/// Kills juror again and again after some results, until the stream is finished. Each start follows at once, even on
/// a busy machine.
#[test]
fn a_killed_stream_can_be_resumed() {
    let fixture = Fixture::new();
    let all: Vec<Value> = (0..60)
        .map(|id| match id % 7 {
            0 => json!({ "id": id, "sorce": 1 }),
            1 => sum_line(id, "echo 4"),
            _ => sum_line(id, &format!("{RIGHT}# {id}\n")),
        })
        .collect();
    let verdicts = |results: &[Value]| {
        let mut found: Vec<String> = results
            .iter()
            .map(|result| format!("{:>3} {} {}", result["line"], result["id"], result["verdict"]))
            .collect();
        found.sort();
        found
    };
    let expected = verdicts(&grade_lines(&fixture, &[], &join_lines(&all), 2));
    let check = |options: &[&str], name: &str, kill_after: &[usize]| {
        let path = fixture.path(name);
        let options = [&["--output", name, "--resume"][..], options].concat();
        let finished = || fs::read_to_string(&path).map_or(0, |text| text.lines().count());
        for &more in kill_after {
            kill_at(&fixture, &options, &all, &path, finished() + more);
        }
        assert!(finished() < all.len(), "it was killed in the middle");
        // A full disk or a power cut leaves half a line.
        let mut half = fs::OpenOptions::new().append(true).open(&path).expect("the results");
        half.write_all(b"{\"version\":2,\"li").expect("a write");
        drop(half);
        assert_eq!(grade_lines(&fixture, &options, &join_lines(&all), 2), [] as [Value; 0]);
        let results = parse_results(&fs::read(&path).expect("results"));
        assert_eq!(verdicts(&results), expected, "{options:?}");
        if options.contains(&"--ordered") {
            assert!(results.is_sorted_by_key(|result| result["line"].as_u64()));
        }
        // When all lines have results, nothing is judged; no program could run.
        let output = fixture
            .juror("grade --isolation full")
            .args(&options)
            .env("PATH", "/nowhere")
            .write_stdin(join_lines(&all))
            .output()
            .expect("juror runs");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(self::parse_results(&fs::read(&path).expect("results")), results);
    };
    check(&[], "any", &[1, 5, 11, 3]);
    check(&["--ordered"], "ordered", &[2, 9, 1]);
}

#[test]
fn a_file_with_other_results_is_refused_and_unchanged() {
    let fixture = Fixture::new();
    let (one, two) = (sum_line(1, RIGHT), sum_line(2, WRONG));
    let check = |options: &[&str], all: &[&Value], message: &str| {
        let before = fs::read(fixture.path("results")).unwrap_or_default();
        let text: String = all.iter().map(|line| format!("{line}\n")).collect();
        let output = run_grade(&fixture, &[&["--output", "results"][..], options].concat(), &text);
        let err = String::from_utf8_lossy(&output.stderr)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let code = if message.is_empty() { 1 } else { 2 };
        assert_eq!(output.status.code(), Some(code), "{err}");
        assert!(err.contains(message), "{err}");
        if code == 2 {
            assert_eq!(fs::read(fixture.path("results")).expect("results"), before);
        }
    };
    check(&[], &[&one, &two], "");
    check(&[], &[&one, &two], "results is not empty; add --resume to go on after its results");
    check(&["--resume"], &[&one, &two], "");
    let differ = "the lines, their problems, --data-set, --map, --defaults, --testlib or --checker-fault differ from those that results was made with";
    check(&["--resume"], &[&two, &two], differ);
    check(&["--resume"], &[&two, &one], differ);
    check(&["--resume", "--defaults", "{\"all\":true}"], &[&one, &two], differ);
    check(&["--resume"], &[&one], "results has 1 result for which the input has no line");
    let text = fixture.read("results");
    let mut turned: Vec<&str> = text.lines().collect();
    turned.sort_by_key(|line| std::cmp::Reverse(line.contains("\"line\":2,")));
    fixture.write("results", turned.join("\n") + "\n");
    let ordered = ["--resume", "--ordered"];
    check(&ordered, &[&one, &two], "are not in the order of the lines; leave out --ordered");
    fixture.write("results", turned[..1].join("\n") + "\n");
    check(&ordered, &[&one, &two], "results lacks line 1, and has later ones");
    for other in ["x\n", "x", "{\"precious\": true}"] {
        fixture.write("results", other);
        check(&["--resume"], &[&one, &two], "line 1 is not a result of `juror grade`");
        check(&[], &[&one, &two], "results is not empty");
    }
}

#[test]
fn two_processes_cannot_write_the_same_file() {
    let fixture = Fixture::new();
    let mut command = fixture.std_juror("grade --output results --resume");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut first = command.spawn().expect("juror runs");
    let mut stdin = first.stdin.take().expect("a pipe");
    stdin.write_all(join_lines(&[sum_line(0, RIGHT)]).as_bytes()).expect("a write");
    while fs::read(fixture.path("results")).unwrap_or_default().is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = run_grade(
        &fixture,
        &["--output", "results", "--resume"],
        &join_lines(&[sum_line(0, RIGHT)]),
    );
    let err = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(2), "{err}");
    assert!(err.contains("another juror is writing it"), "{err}");
    drop(stdin);
    assert!(first.wait().expect("an end").success());
}

#[test]
fn results_can_go_to_a_file_and_maps_are_checked_first() {
    let fixture = Fixture::new();
    let line = join_lines(&[sum_line(1, RIGHT)]);
    let check = |options: &[&str], code: i32, message: &str| {
        let output = run_grade(&fixture, options, &line);
        let err = String::from_utf8_lossy(&output.stderr)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{err}");
        assert!(err.contains(message), "{err}");
    };
    check(&["--output", "results"], 0, "1 line: 1 accepted; ");
    assert_eq!(parse_results(fixture.read("results").as_bytes())[0]["verdict"], "AC");
    check(&["--output", "no/results"], 2, "--output: cannot use no/results: No such file");
    check(&["--output", "/dev/null"], 0, "1 line: 1 accepted; ");
    let device = ["--output", "/dev/null", "--resume"];
    check(&device, 2, "--output: cannot use /dev/null: it is not a regular file");
    check(&["--resume"], 2, "--output");
    std::os::unix::fs::symlink("elsewhere", fixture.path("link")).expect("a link");
    check(&["--output", "link"], 0, "1 line: 1 accepted; ");
    assert_eq!(parse_results(fixture.read("elsewhere").as_bytes())[0]["verdict"], "AC");
    check(&["--output", "link"], 2, "--output: link is not empty");
    check(&["--map", "{"], 2, "--map: is not JSON at column 1: EOF");
    check(
        &["--map", "{\"sauce\":\"/x\"}"],
        2,
        "--map: there is no key `/sauce`; did you mean `source`?",
    );
    check(
        &["--defaults", "{\"limits\":1}"],
        2,
        "--defaults: `/limits`: invalid type: integer `1`, expected an object",
    );
    let quiet = run_grade(&fixture, &["--quiet"], &line);
    assert!(quiet.stderr.is_empty(), "{}", String::from_utf8_lossy(&quiet.stderr));
    fixture.write("lines", &line);
    let mut command = fixture.std_juror("grade --output lines");
    let stdin = fs::File::open(fixture.path("lines")).expect("the lines");
    let refused = command.stdin(stdin).output().expect("juror runs");
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(fixture.read("lines"), line);
}

#[test]
fn an_interruption_ends_a_stream_cleanly_even_without_input() {
    let fixture = Fixture::new();
    // The program sleeps until the signal arrives.
    let time = format!("1000.{}", std::process::id());
    let sleeps =
        with_keys(sum_line(1, &format!("sleep {time}")), json!({ "limits": { "time": 500 } }));
    for line in [String::new(), join_lines(&[sleeps])] {
        let mut command = fixture.std_juror("grade --output results");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("juror runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(join_lines(&[sum_line(0, RIGHT)]).as_bytes()).expect("a write");
        // The next line needs all slots, so it starts after this one.
        while fs::read(fixture.path("results")).unwrap_or_default().is_empty() {
            std::thread::sleep(Duration::from_millis(1));
        }
        stdin.write_all(line.as_bytes()).expect("a write");
        while !line.is_empty() && !is_running(&time) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a signal");
        let output = child.wait_with_output().expect("an end");
        assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(parse_results(fixture.read("results").as_bytes()).len(), 1);
        drop(stdin);
        fs::remove_file(fixture.path("results")).expect("results");
    }
}

#[test]
fn a_stream_of_nohup_goes_on_without_its_terminal() {
    let fixture = Fixture::new();
    let juror = fixture.std_juror("grade");
    let mut command = Command::new("nohup");
    command.arg(juror.get_program()).args(juror.get_args());
    command.envs(juror.get_envs().filter_map(|(key, value)| Some((key, value?))));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("juror runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut results = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for _ in 0..3 {
        stdin.write_all(join_lines(&[sum_line(0, RIGHT)]).as_bytes()).expect("a write");
        results.next().expect("a result").expect("text");
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::HUP).expect("a signal");
    }
    drop(stdin);
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}

#[test]
fn a_stream_ends_at_once_if_nobody_reads_its_results() {
    let fixture = Fixture::new();
    let time = format!("2000.{}", std::process::id());
    let sleeps =
        with_keys(sum_line(1, &format!("sleep {time}")), json!({ "limits": { "time": 500 } }));
    let mut command = fixture.std_juror("grade");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("juror runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(join_lines(&[sleeps]).as_bytes()).expect("a write");
    while !is_running(&time) {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an end");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(err.contains("write results to standard output: Broken pipe"), "{err}");
    assert!(!is_running(&time));
    drop(stdin);
}

/// The schema and the page have each key of lines and results.
#[test]
fn lines_and_results_match_the_schema_and_the_page() {
    let fixture = Fixture::new();
    let output = fixture.juror("schema grade").output().expect("juror runs");
    let schema: Value = serde_json::from_slice(&output.stdout).expect("a schema");
    let page = include_str!("../../docs/grade.md");
    let keys = |of: &str| {
        let properties = schema["$defs"][of]["properties"].as_object().expect("keys");
        properties.keys().cloned().collect::<Vec<String>>()
    };
    for of in ["line", "result"] {
        for key in keys(of) {
            assert!(page.contains(&format!("| `{key}` |")), "docs/grade.md lacks `{key}`");
        }
    }
    let line = with_keys(sum_line(1, WRONG), json!({ "return": "outputs" }));
    let result = grade_lines(&fixture, &[], &line.to_string(), 1).remove(0);
    let mut names: Vec<&String> = result.as_object().expect("an object").keys().collect();
    names.sort();
    let known = keys("result");
    assert_eq!(names, known.iter().collect::<Vec<_>>());
}
