//! Outputs that are kept, and lines that are judged again by them.

use std::fs;
use std::io::{Read, Write};

use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::grade::{
    grade_lines, join_lines, kill_at, parse_results, run_grade, sum_line, with_keys,
};

const SPACED: &str = "read -r a b; echo \" $((a + b)) \"";
const KEEP: [&str; 2] = ["--keep-outputs", "kept"];

fn python(text: &str, more: Value) -> Value {
    let source = json!({ "source": { "text": text, "language": "python3" } });
    with_keys(with_keys(sum_line(Value::Null, ""), source), more)
}

fn call(text: &str, answer: &str, more: Value) -> Value {
    let cases = json!([{ "input": "[[3, 1, 2]]", "answer": answer }]);
    python(text, with_keys(json!({ "call": { "function": "f" }, "cases": cases }), more))
}

fn asserts(text: &str, test: &str) -> Value {
    json!({ "source": { "text": text, "language": "python3" }, "asserts": { "test": test } })
}

/// Right, wrong, slow, crashing, without a build, and more; each with its verdict or kind of fault.
fn mixed_lines(fixture: &Fixture) -> Vec<(Value, &'static str)> {
    fixture.write("t/1.in", "1 2\n");
    fixture.write("t/1.ans", "3\n");
    fixture.write("t/2.in", "5 8\n");
    fixture.write("t/2.ans", "13\n");
    fixture.write("right.sh", RIGHT);
    let outputs = json!({ "return": "outputs" });
    let limit = |limits: Value| json!({ "limits": limits, "return": "cases" });
    let bash = |text: &str, more: Value| with_keys(sum_line(Value::Null, text), more);
    let fenced = format!("Here:\n```bash\n{RIGHT}\n```\n");
    vec![
        (bash(RIGHT, json!({ "problem": "a", "sample": 1 })), "AC"),
        (bash(SPACED, json!({ "compare": "exact", "return": "outputs" })), "WA"),
        (bash(WRONG, outputs.clone()), "WA"),
        (bash(":", outputs.clone()), "WA"),
        (bash("printf '\\xff\\x00base64:'", outputs.clone()), "WA"),
        (bash("echo base64:sha256:", outputs.clone()), "WA"),
        (bash("while :; do :; done", limit(json!({ "time": 0.2 }))), "TLE"),
        (bash(&format!("{RIGHT}\nwhile :; do :; done"), limit(json!({ "time": 0.2 }))), "TLE"),
        (bash("printf '%99999d' 1", limit(json!({ "output": 0.01 }))), "OLE"),
        (bash("echo 3; echo no >&2; exit 3", outputs.clone()), "RTE"),
        (python("print(x)", json!({ "return": "cases" })), "RTE"),
        (python("x = 'a' * (1 << 29)", limit(json!({ "memory": 64 }))), "MLE"),
        (python("print(1", json!({ "return": "cases", "id": "ce" })), "CE"),
        (bash(&fenced, json!({})), "AC"),
        (bash("<think>I give up.", json!({})), "no_code"),
        (json!({ "id": 7, "sorce": 1 }), "line"),
        (json!({ "package": "t", "source": { "file": "right.sh" } }), "AC"),
        (json!({ "package": "t", "source": { "text": WRONG, "language": "bash" } }), "WA"),
        (json!({ "package": "none", "source": { "file": "right.sh" } }), "package"),
        (call("def f(x): return sorted(x)", "[1, 2, 3]", json!({})), "AC"),
        (call("def f(x): return x", "[1, 2, 3]", json!({})), "WA"),
        (call("def f(x): return {1}", "[1, 2, 3]", json!({})), "RTE"),
        (asserts("def f(x): return x", "assert f(1) == 1\nassert f((2,)) == (2,)"), "AC"),
        (asserts("def f(x): return [x]", "assert f(1) == (1,)"), "WA"),
        (asserts("def f(x): return x", "y = f(2)\nassert y > 1"), "AC"),
        (asserts("def f(x): return x", "y = f(2)\nassert y > 2"), "WA"),
    ]
}

fn by_line(mut results: Vec<Value>) -> Vec<Value> {
    results.sort_by_key(|result| result["line"].as_u64());
    results
}

fn kind(result: &Value) -> &str {
    result["verdict"].as_str().or(result["error"]["kind"].as_str()).unwrap_or_default()
}

#[test]
fn the_same_comparison_gives_the_same_results() {
    let fixture = Fixture::new();
    let mixed = mixed_lines(&fixture);
    // Each line twice, so that texts are known from earlier records; and in another order.
    let lines = mixed.iter().map(|(line, _)| line.clone());
    let lines: Vec<Value> = lines.clone().chain(lines.rev()).collect();
    let summary = ["--summary", "rates", "--k", "1,2", "--copy", "id"];
    let kept = [&KEEP[..], &summary].concat();
    let first = by_line(grade_lines(&fixture, &kept, &join_lines(&lines), 2));
    let rates = fixture.read("rates");
    for (result, (line, expected)) in first.iter().zip(&mixed) {
        assert_eq!(kind(result), *expected, "{line} {result:#}");
    }
    let again = ["--rejudge", "kept", "--summary", "rates", "--k", "1,2"];
    let second = by_line(grade_lines(&fixture, &again, "", 2));
    assert_eq!(second.len(), first.len());
    for (second, first) in second.iter().zip(&first) {
        assert_eq!(second, first);
    }
    assert_eq!(fixture.read("rates"), rates);
    let time = serde_json::from_str::<Value>(&rates).expect("rates")["cpu_seconds"].as_f64();
    let sum = |key: &str| first.iter().filter_map(|result| result[key].as_f64()).sum::<f64>();
    assert!((time.expect("a time") - sum("total_cpu_seconds")).abs() < 1e-6, "{time:?}");
    assert!(sum("total_cpu_seconds") > sum("cpu_seconds"));
}

#[test]
fn lines_are_judged_again_by_another_comparison() {
    let fixture = Fixture::new();
    let mixed = mixed_lines(&fixture);
    // One accepts any number, and one only the answer.
    fixture.write("any.sh", "read -r x; case \"$x\" in [0-9]*) exit 42;; esac; exit 43\n");
    fixture.write(
        "own.sh",
        "read -r x; read -r y < \"$2\"; [ \"$x\" = \"$y\" ] && exit 42; exit 43\n",
    );
    let package = fs::canonicalize("problems/game1live").expect("a package");
    let long = "printf '%2000000d' 1";
    let kept = |line: Value| {
        let _ = fs::remove_file(fixture.path("kept"));
        run_grade(&fixture, &KEEP, &join_lines(&[line]));
    };
    let check = |line: Value, compare: &str, expected: &str, message: &str| {
        kept(line.clone());
        let options = ["--rejudge", "kept", "--compare", compare];
        let output =
            run_grade(&fixture, if compare.is_empty() { &options[..2] } else { &options }, "");
        let results = parse_results(&output.stdout);
        let [result] = &results[..] else { panic!("{}", String::from_utf8_lossy(&output.stderr)) };
        assert_eq!(kind(result), expected, "{line} {compare} {result:#}");
        let text = result["error"]["message"].as_str().or(result["cause"].as_str());
        assert!(text.unwrap_or_default().contains(message), "{message}: {result:#}");
        assert_eq!(result["line"], 1);
    };
    let bash = |text: &str| sum_line(1, text);
    check(bash(SPACED), "exact", "WA", "");
    check(with_keys(bash(SPACED), json!({ "compare": "exact" })), "words", "AC", "");
    check(bash("echo 3.0000001"), "float=1e-3", "WA", "token 1 is too far off");
    check(bash("read -r a b; echo $((a + b)).0000001"), "float=1e-3", "AC", "");
    check(bash(WRONG), "./any.sh", "AC", "");
    check(bash(SPACED), "own.sh", "AC", "");
    check(with_keys(bash(WRONG), json!({ "compare": "none" })), "own.sh", "WA", "");
    check(
        json!({ "package": "t", "source": { "text": SPACED, "language": "bash" } }),
        "exact",
        "WA",
        "",
    );
    // What decided before the output did stays.
    for (line, verdict) in mixed {
        if ["TLE", "OLE", "RTE", "MLE", "CE", "no_code", "line", "package"].contains(&verdict) {
            let compare = if line.get("call").is_some() { "json" } else { "none" };
            check(line, compare, verdict, "");
        }
    }
    // What is not there is never WA.
    check(
        bash(long),
        "exact",
        "skipped",
        "cannot judge it again: its output on 1 was too long to keep",
    );
    let live = json!({ "package": package, "source": { "text": "exit 1", "language": "bash" } });
    check(live.clone(), "", "skipped", "cannot judge it again: the problem is interactive");
    check(live, "words", "line", "interactive or multi-pass");
    // Functions and asserts.
    let sorted = || call("def f(x): return x", "[1, 2, 3]", json!({}));
    check(sorted(), "json", "WA", "");
    check(sorted(), "json,any_order=true", "AC", "");
    check(sorted(), "words", "line", "`words` does not compare what functions return");
    let near = asserts("def f(x): return x + 1e-9", "assert f(1) == 1.0");
    check(near.clone(), "", "WA", "");
    check(near, "json,tolerance=1e-6", "AC", "");
    let forged = asserts("def f(x): return x", "y = f(2)\nassert y > 1");
    check(forged, "json", "skipped", "the program's interpreter ran its test");
    // A package is read again: answers may be corrected, inputs may not.
    kept(json!({ "package": "t", "source": { "file": "right.sh" } }));
    let package = |verdict: &str, message: &str| {
        let output = run_grade(&fixture, &["--rejudge", "kept"], "");
        let result = parse_results(&output.stdout).remove(0);
        assert_eq!(kind(&result), verdict, "{result:#}");
        assert!(result.to_string().contains(message), "{result:#}");
    };
    package("AC", "");
    fixture.write("t/2.ans", "14\n");
    package("WA", "token 1 differs");
    fixture.write("t/2.in", "6 8\n");
    package("skipped", "has another input now");
    fixture.write("t/3.in", "6 8\n");
    fixture.write("t/3.ans", "14\n");
    fs::remove_file(fixture.path("t/2.in")).expect("an input");
    fs::remove_file(fixture.path("t/2.ans")).expect("an answer");
    package("skipped", "it did not run on 3");
}

#[test]
fn a_killed_stream_keeps_the_outputs_of_all_results() {
    let fixture = Fixture::new();
    let line = |id: u64| match id % 5 {
        0 => json!({ "id": id, "sorce": 1 }),
        1 => sum_line(id, "echo 4"),
        _ => sum_line(id, &format!("{RIGHT}# {id}\n")),
    };
    let all: Vec<Value> = (0..40).map(line).collect();
    let check = |more: &[&str], kill_after: &[usize]| {
        for name in ["results", "kept"] {
            let _ = fs::remove_file(fixture.path(name));
        }
        let path = fixture.path("results");
        let options = [&KEEP[..], &["--output", "results", "--resume"], more].concat();
        let finished = || fs::read_to_string(&path).map_or(0, |text| text.lines().count());
        for &more in kill_after {
            kill_at(&fixture, &options, &all, &path, finished() + more);
            // A full disk or a power cut leaves half a record.
            let whole = fs::read(fixture.path("kept")).expect("records");
            let mut file =
                fs::OpenOptions::new().append(true).open(fixture.path("kept")).expect("it");
            file.write_all(&whole[..40]).expect("a write");
        }
        assert_eq!(grade_lines(&fixture, &options, &join_lines(&all), 2), [] as [Value; 0]);
        let first = by_line(parse_results(&fs::read(&path).expect("results")));
        assert_eq!(first.len(), all.len());
        let second = by_line(grade_lines(&fixture, &["--rejudge", "kept"], "", 2));
        assert_eq!(second, first);
        let mut text = String::new();
        let file = fs::File::open(fixture.path("kept")).expect("records");
        MultiGzDecoder::new(file).read_to_string(&mut text).expect("whole members");
        assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    };
    check(&[], &[1, 7, 3]);
    check(&["--copy", "id"], &[2, 9]);
}

#[test]
fn a_file_that_is_none_is_refused_and_unchanged() {
    let fixture = Fixture::new();
    let lines = join_lines(&[sum_line(1, RIGHT), sum_line(2, WRONG)]);
    let check = |options: &[&str], code: i32, message: &str| {
        let before = fs::read(fixture.path("kept")).unwrap_or_default();
        let output = run_grade(&fixture, options, &lines);
        let err = String::from_utf8_lossy(&output.stderr);
        let err = err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(code), "{err}");
        assert!(err.contains(message), "{err}");
        if code == 2 {
            assert_eq!(fs::read(fixture.path("kept")).unwrap_or_default(), before);
        }
    };
    let keep = |file: &'static str| ["--keep-outputs", file];
    let resume = ["--keep-outputs", "kept", "--output", "results", "--resume"];
    let packed = |text: &str| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).expect("a write");
        packed.finish().expect("an end")
    };
    let half = b"\x1f\x8b\x08\x04".to_vec();
    for (other, code, message) in [
        (b"precious\n".to_vec(), 2, "1 line: 1 broken"),
        (half, 4, "cannot read the lines: kept: "),
        (packed("x"), 2, "1 line: 1 broken"),
        (packed("{}\n"), 2, "1 line: 1 broken"),
    ] {
        fixture.write("kept", &other);
        check(&KEEP, 2, "--keep-outputs: cannot use kept: it is not empty");
        check(&resume, 2, "record 1 is not what `juror grade --keep-outputs` writes");
        check(&["--rejudge", "kept"], code, message);
    }
    fs::remove_file(fixture.path("kept")).expect("a file");
    fs::remove_file(fixture.path("results")).expect("an empty file");
    check(&resume, 1, "2 lines: 1 accepted, 1 rejected");
    check(&resume, 1, "2 lines: 1 accepted, 1 rejected");
    check(&["--rejudge", "kept"], 1, "2 lines: 1 accepted, 1 rejected");
    check(&KEEP, 2, "it is not empty");
    let (kept, results) = (fs::read(fixture.path("kept")).expect("it"), fixture.read("results"));
    // A whole record with a damaged byte is no half record.
    let mut damaged = kept.clone();
    damaged[kept.len() - 30] ^= 1;
    fixture.write("kept", damaged);
    check(&["--rejudge", "kept"], 4, "cannot read the lines: kept: ");
    check(&resume, 2, "record 2 is not what");
    // Records and results belong together.
    let others = "it has the outputs of other results than --output";
    fixture.write("kept", "");
    check(&resume, 2, others);
    fixture.write("kept", &kept);
    for less in ["", results.lines().nth(1).expect("a result")] {
        fixture.write("results", less);
        check(&resume, 2, others);
    }
    // A kill left a record without its result.
    fixture.write("results", results.lines().next().expect("a result"));
    check(&resume, 1, "2 lines: 1 accepted, 1 rejected");
    assert_eq!(by_line(grade_lines(&fixture, &["--rejudge", "kept"], "", 1)).len(), 2);
    let text = "--compare: cannot find the checker exakt";
    check(&["--rejudge", "kept", "--compare", "exakt"], 2, text);
    check(&["--rejudge", "kept", "--compare", "float=x"], 2, "--compare: ");
    check(&["--rejudge", "none"], 2, "cannot read none: No such file");
    check(&["--rejudge", "kept", "--ordered"], 2, "cannot be used with");
    check(&["--compare", "words"], 2, "--rejudge");
    check(&["--keep-outputs", "new", "--ordered"], 2, "cannot be used with");
    check(&keep("/dev/full"), 2, "--keep-outputs: cannot use /dev/full: it is not a regular file");
    check(&keep("no/kept"), 2, "--keep-outputs: cannot use no/kept: No such file");
    check(&["--keep-outputs", "new", "--output", "new"], 2, "it has the results");
    check(&["--keep-outputs", "new", "--summary", "new"], 2, "it has the outputs");
    fixture.write("empty", "");
    check(&["--rejudge", "empty"], 5, "the input has no lines");
}
