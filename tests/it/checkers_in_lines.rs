//! Checkers whose text is in a line of `juror grade`.

use std::fs;

use serde_json::{Value, json};

use crate::fixture::{Fixture, RIGHT};
use crate::grade::{grade_lines, join_lines, sum_line, with_keys};
use crate::workers::worker;

/// A small header with the same names.
const HEADER: &str = r#"
#include <cstdio>
#include <cstdlib>
#include <fstream>
enum TResult { _ok, _wa, _pe, _fail };
struct InStream {
    std::ifstream file;
    int readInt() { int it; if (!(file >> it)) std::exit(_pe); return it; }
};
static InStream inf, ouf, ans;
static void registerTestlibCmd(int, char **words) {
    inf.file.open(words[1]), ouf.file.open(words[2]), ans.file.open(words[3]);
}
[[noreturn]] static void quitf(TResult result, const char *message) {
    std::fputs(message, stderr);
    std::exit(result);
}
"#;

const TESTLIB: &str = r#"
#include "testlib.h"
int main(int argc, char **argv) {
    registerTestlibCmd(argc, argv);
    int a = inf.readInt(), b = inf.readInt();
    if (ans.readInt() != a + b) quitf(_fail, "the answer is wrong");
    if (ouf.readInt() != a + b) quitf(_wa, "no sum");
    quitf(_ok, "fine");
}
"#;

/// It breaks down if the order of its files is another one.
const READ: &str = "read -r a b < $INPUT; read -r answer < $ANSWER; read -r output < $OUTPUT
[[ $answer = $((a + b)) ]] || exit 9; [[ $output = $answer ]]";

fn reading(input: &str, answer: &str, output: &str, then: &str) -> String {
    let files = READ.replace("$INPUT", input).replace("$ANSWER", answer);
    format!("{} {then}\n", files.replace("$OUTPUT", output))
}

fn checker(protocol: &str, language: &str, text: impl Into<Value>) -> Value {
    let text: Value = text.into();
    json!({ "protocol": protocol, "language": language, "text": text })
}

/// A line with two test cases.
fn line(source: &str, checker: &Value) -> Value {
    with_keys(sum_line(1, source), json!({ "compare": { "checker": checker } }))
}

/// The verdict or the kind of error, with the cause or the message, and the help.
fn shown(result: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match &result["error"] {
        Value::Null => (text(&result["verdict"]), text(&result["cause"])),
        error => {
            let words = format!("{} [{}]", text(&error["message"]), text(&error["help"]));
            (text(&error["kind"]), words)
        }
    }
}

fn judge_all(
    fixture: &Fixture,
    options: &[&str],
    lines: &[Value],
    code: i32,
) -> Vec<(String, String)> {
    let options = [options, &["--ordered"]].concat();
    grade_lines(fixture, &options, &join_lines(lines), code).iter().map(shown).collect()
}

fn judge(fixture: &Fixture, options: &[&str], line: &Value, code: i32) -> (String, String) {
    judge_all(fixture, options, std::slice::from_ref(line), code).remove(0)
}

#[test]
fn a_checker_in_a_line_judges_as_its_protocol_says() {
    let fixture = Fixture::new();
    fixture.write("testlib.h", HEADER);
    // What a checker would say is only an output; so is a large one.
    let sources = [RIGHT, "echo 4", "echo 1", "echo OK; exit 0", "printf '%999999d' 1"];
    let check = |options: &[&str], checker: &Value, words: &str| {
        let lines = sources.map(|source| line(source, checker));
        let results = judge_all(&fixture, options, &lines, 1);
        assert_eq!(results[0].0, "AC", "{checker}");
        for (verdict, cause) in &results[1..] {
            assert_eq!(verdict, "WA", "{checker}: {cause}");
            assert!(cause.starts_with("the checker rejects it"), "{cause}");
        }
        assert!(results[1].1.contains(words), "{}", results[1].1);
    };
    let testlib = checker("testlib", "cpp", TESTLIB);
    let with_files = with_keys(testlib.clone(), json!({ "files": { "testlib.h": HEADER } }));
    check(&["--testlib", "testlib.h"], &testlib, "no sum");
    check(&[], &with_files, "no sum");
    for name in ["icpc", "standard"] {
        let text =
            reading("$1", "$2", "/dev/stdin", "&& exit 42; echo no > $3/judgemessage.txt; exit 43");
        check(&[], &checker(name, "bash", text), "the checker rejects it: no");
    }
    check(&[], &checker("files", "bash", reading("$1", "$2", "$3", "")), "");
    check(&[], &checker("plain", "bash", reading("$1", "$3", "$2", "")), "");
    for (yes, no) in [("1", "0"), ("100", "0"), ("1.0", "0.5")] {
        let text = reading("$1", "$2", "$3", &format!("&& echo {yes} || echo {no}"));
        check(&[], &checker("open-r1", "bash", text), "");
    }
    check(&[], &checker("cms", "bash", reading("$1", "$2", "$3", "&& echo 1.0 || echo 0.0")), "");
    check(&[], &checker("sinol", "bash", reading("$1", "$3", "$2", "&& echo OK || echo NO")), "");
    let dmoj = [
        "def check(process_output, judge_output, **more):",
        "  return process_output == judge_output",
    ];
    check(&[], &checker("dmoj", "python3", json!(dmoj)), "");
    let helped =
        "from helper import equal\nimport sys\nprint(int(equal(*map(open, sys.argv[2:4]))))";
    let helper = json!({ "helper.py": "def equal(a, b): return a.read() == b.read()" });
    check(&[], &with_keys(checker("open-r1", "python3", helped), json!({ "files": helper })), "");
    // Empty lines do not reach a checker of open-r1.
    let strict = checker("open-r1", "bash", "cmp -s $2 $3 && echo 1 || echo 0");
    let spaced = format!("echo; {RIGHT}echo");
    assert_eq!(judge(&fixture, &[], &line(&spaced, &strict), 0).0, "AC");
    // No file of the host is inside.
    let text = format!("[[ -e {} ]] && echo 1 || echo 0", fixture.path("testlib.h").display());
    assert_eq!(judge(&fixture, &[], &line(RIGHT, &checker("open-r1", "bash", text)), 1).0, "WA");
}

/// In place of the package's output validator. It is tried on the package's test cases.
#[test]
fn a_checker_in_a_line_may_judge_a_package() {
    let fixture = Fixture::new();
    let check = |then: &str, source: &str, code: i32, expected: &str, words: &str| {
        let checker = checker("files", "bash", reading("$1", "$2", "$3", then));
        let line = json!({
            "package": "sum", "source": { "text": source, "language": "bash" },
            "compare": { "checker": checker },
        });
        let (got, message) = judge(&fixture, &[], &line, code);
        assert!(got == expected && message.contains(words), "{got}: {message}");
    };
    check("", RIGHT, 0, "AC", "");
    check("", "echo 4", 1, "WA", "the checker rejects it");
    check("; exit 0", RIGHT, 4, "checker", "accepts an empty output");
}

/// With `--checker-fault wa`, a breakdown is the program's fault; a checker that does not build is not.
#[test]
fn a_checker_that_breaks_down_is_an_error_and_no_verdict() {
    let fixture = Fixture::new();
    let mut rows: Vec<(Value, &str, &str)> = Vec::new();
    let mut add = |checker: Value, message: &'static str, help: &'static str| {
        rows.push((line("echo 4", &checker), message, help));
    };
    let bash = |protocol: &str, text: &str| checker(protocol, "bash", text);
    let also = "it breaks down on the judge answer, too";
    add(
        bash("icpc", "echo why >&2; exit 1"),
        "it ended with exit code 1; it must be 42 to accept",
        also,
    );
    add(bash("icpc", "echo why >&2; exit 1"), ": why", also);
    add(bash("files", "exit 3"), "it ended with exit code 3", also);
    add(bash("testlib", "exit 3"), "it reports a fault of the test case", also);
    add(bash("open-r1", "echo maybe"), "it prints \"maybe\", not 1 or 0", also);
    add(bash("open-r1", "echo 1; exit 2"), "it ended with exit code 2", also);
    let on_wrong = |then: &str| format!("[[ $(< $3) = 4 ]] && exit 7; echo {then}");
    add(bash("open-r1", &on_wrong("1")), "exit code 7", "it accepts the judge answer as an output");
    add(bash("open-r1", &on_wrong("0")), "exit code 7", "it rejects the judge answer as an output");
    let python = |text: &str| checker("open-r1", "python3", text);
    add(python("import json\nprint(json.x)"), "AttributeError: module 'json' has no", also);
    // It is run once more, on the judge answer.
    let limited = |checker: Value| with_keys(checker, json!({ "time": 0.3 }));
    add(limited(bash("open-r1", "while :; do :; done")), "more than 0.3", also);
    add(bash("open-r1", "head -c 1G /dev/zero"), "it exceeded a limit", also);
    add(limited(python("import os\nwhile True: os.fork()")), "", "");
    add(python("print("), "the checker does not build: the syntax check ended with", "");
    add(
        checker("files", "cpp", "int main( { }"),
        "does not build: the compiler ended with exit code 1: checker.cc:1:5: error: ",
        "",
    );
    let lines: Vec<Value> = rows.iter().map(|(line, ..)| line.clone()).collect();
    let faults = judge_all(&fixture, &["--jobs", "1"], &lines, 4);
    let blamed = judge_all(&fixture, &["--jobs", "1", "--checker-fault", "wa"], &lines, 4);
    for ((fault, blamed), (line, message, help)) in faults.iter().zip(&blamed).zip(&rows) {
        assert!(fault.0 == "checker" && fault.1.contains(message), "{line}: {fault:?}");
        assert!(fault.1.contains(help), "{line}: {fault:?}");
        let is_build = fault.1.contains("the checker does not build");
        assert_eq!(blamed.0, if is_build { "checker" } else { "WA" }, "{line}: {blamed:?}");
        let is_named = is_build || blamed.1.starts_with("the checker breaks down: ");
        assert!(is_named && blamed.1.contains(message), "{line}: {blamed:?}");
    }
}

#[test]
fn faults_of_the_checker_s_keys_are_named() {
    let fixture = Fixture::new();
    let good = checker("files", "bash", "exit 0");
    let check = |more: Value, kind: &str, message: &str, help: &str| {
        let code = if kind == "line" { 2 } else { 4 };
        let (got, words) = judge(&fixture, &[], &line(RIGHT, &with_keys(good.clone(), more)), code);
        assert!(got == kind && words.contains(message) && words.contains(help), "{got}: {words}");
    };
    let unknown = "`/compare/checker/protocol`: unknown variant `testlb`";
    check(json!({ "protocol": "testlb" }), "line", unknown, "did you mean `testlib`?");
    for key in ["text", "language", "protocol"] {
        let message = format!("`/compare/checker` lacks `{key}`");
        check(json!({ (key): null }), "line", &message, "`text`, `language` and `protocol`");
    }
    let unknown = "`/compare/checker/language`: unknown language `pyton3`";
    check(json!({ "language": "pyton3" }), "line", unknown, "did you mean `python3`?");
    check(
        json!({ "txt": "" }),
        "line",
        "`/compare/checker/txt`: unknown field",
        "did you mean `text`?",
    );
    check(json!({ "time": 0 }), "line", "`/compare/checker/time`: out of range", "from 0.001");
    let path = "`/compare/checker/files`: `../a.h` is not a plain file name";
    check(json!({ "files": { "../a.h": "" } }), "line", path, "");
    let long = "x".repeat(5 << 20);
    check(json!({ "text": long }), "line", "`/compare/checker` has more than 4 MiB", "");
    let header = json!({ "protocol": "testlib", "language": "cpp", "text": TESTLIB });
    check(header, "checker", "fatal error: testlib.h", "--testlib FILE");
    let output = crate::grade::run_grade(&fixture, &["--testlib", "none.h"], "{}");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(err.contains("--testlib: cannot read none.h: "), "{err}");
}

/// In the forms of open-r1/codeforces and CodeContests+.
#[test]
fn data_sets_bring_their_checkers() {
    let fixture = Fixture::new();
    fixture.write("testlib.h", HEADER);
    let check = |options: &[&str], more: Value, code: i32, expected: &str| {
        let line =
            json!({ "completion": "echo 5", "tests": [{ "input": "1 2\n", "output": "3\n" }] });
        let (got, words) = judge(&fixture, options, &with_keys(line, more), code);
        assert_eq!(got, expected, "{words}");
    };
    let cases = r#""cases": {"each": "/tests", "input": "/input", "answer": "/output"}"#;
    let map = format!(r#"{{"source": "/completion", {cases}}}"#);
    let bash = r#"{"source": {"language": "bash"}}"#;
    let generated = |text: &str| json!({ "generated_checker": text });
    let options = ["--map", &map, "--defaults", bash];
    check(&options, json!({}), 1, "WA");
    check(&options, generated(" "), 1, "WA");
    check(&options, generated("print(1)"), 0, "AC");
    check(&options, generated("print(0)"), 1, "WA");
    check(&options, generated("print(2 / 0)"), 4, "checker");
    check(&options, json!({ "problem": { "generated_checker": "print(1)" } }), 0, "AC");
    check(&options, json!({ "generated_checker": ["print(1)"] }), 2, "line");
    let also = json!({ "generated_checker": "print(1)", "interaction_format": "x" });
    check(&options, also, 2, "line");
    let own = with_keys(sum_line(1, "echo 5"), generated("print(1)"));
    assert_eq!(judge(&fixture, &[], &own, 0).0, "AC");
    let map = format!(
        r#"{{"source": "/completion", "compare": {{"checker": {{"text": "/checker"}}}}, {cases}}}"#
    );
    let defaults = r#"{"source": {"language": "bash"}, "compare": {"checker": {"language": "cpp", "protocol": "testlib"}}}"#;
    let options = ["--map", &map, "--defaults", defaults, "--testlib", "testlib.h"];
    let any = "#include \"testlib.h\"\nint main() { quitf(_ok, \"\"); }";
    check(&options, json!({ "checker": any }), 0, "AC");
    check(&options, json!({ "checker": TESTLIB }), 1, "WA");
    check(&options, json!({ "checker": null }), 1, "WA");
}

#[test]
fn a_checker_of_many_lines_is_built_once() {
    let builds = |checkers: &[&str], lines: usize| {
        let fixture = Fixture::new();
        let copy = format!("tee '{}' | {}", fixture.path("jobs").display(), worker(""));
        fixture.write("worker.sh", copy);
        let lines = (0..lines).map(|number| {
            let text = checkers[number % checkers.len()];
            let source = format!("{RIGHT}# {number}");
            line(&source, &checker("files", "cpp", text))
        });
        let lines: Vec<Value> = lines.collect();
        let options = ["--executor", "sh worker.sh"];
        for result in grade_lines(&fixture, &options, &join_lines(&lines), 0) {
            assert_eq!(result["verdict"], "AC", "{result:#}");
        }
        let jobs = fs::read(fixture.path("jobs")).expect("the jobs");
        String::from_utf8_lossy(&jobs).matches("g++").count()
    };
    let (one, other) = ("int main() {}", "int main() { return 0; }");
    let once = builds(&[one], 1);
    assert!(once > 0);
    assert_eq!(builds(&[one], 50), once);
    assert!(builds(&[one, other], 50) > once);
}

#[test]
fn a_resumed_stream_goes_on_with_checkers() {
    let fixture = Fixture::new();
    let line = |checker: &str| {
        line(RIGHT, &json!({ "text": checker, "language": "bash", "protocol": "open-r1" }))
    };
    let lines = ["echo 1", "exit 1", "echo 0"].map(line);
    let options = ["--output", "results", "--resume"];
    assert!(grade_lines(&fixture, &options, &join_lines(&lines[..2]), 4).is_empty());
    assert!(grade_lines(&fixture, &options, &join_lines(&lines), 4).is_empty());
    let results = fs::read_to_string(fixture.path("results")).expect("results");
    let mut results: Vec<Value> =
        results.lines().map(|line| serde_json::from_str(line).expect("a result")).collect();
    results.sort_by_key(|result| result["line"].as_u64());
    let kinds: Vec<String> = results.iter().map(|result| shown(result).0).collect();
    assert_eq!(kinds, ["AC", "checker", "WA"]);
    // What decides verdicts cannot change in the middle.
    fixture.write("testlib.h", "");
    for option in ["--checker-fault=wa", "--testlib=testlib.h"] {
        let mut command = fixture.juror("grade --output results --resume");
        let output = command.arg(option).write_stdin(join_lines(&lines)).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("--testlib or --checker-fault differ"), "{text}");
    }
}
