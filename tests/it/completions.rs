//! What language models write, and rates of it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::grade::{grade_lines, join_lines, parse_results, run_grade, sum_line, with_keys};

const PYTHON: &str = "print(sum(map(int, input().split())))\n";
const C: &str = "#include <stdio.h>\nint main(void) { int a, b; scanf(\"%d%d\", &a, &b); printf(\"%d\\n\", a + b); }\n";

/// Each row has the line's language, the completion, how it is extracted, and the verdict or the kind of error, with
/// the language, the line and the part that was extracted.
#[test]
fn completions_are_judged_by_the_program_in_them() {
    let fixture = Fixture::new();
    let check = |language: &str, text: &str, extract: &str, expected: &str| {
        let mut line = with_keys(sum_line(1, ""), json!({ "extract": extract }));
        line["source"] = json!({ "text": text });
        if !language.is_empty() {
            line["source"]["language"] = language.into();
        }
        let output = run_grade(&fixture, &[], &line.to_string());
        let result = &parse_results(&output.stdout)[0];
        let kind = result["error"]["kind"].as_str();
        let verdict = result["verdict"].as_str().or(kind).unwrap_or("none");
        let extracted = &result["extracted"];
        let part = |key: &str| extracted[key].to_string().replace('"', "");
        let shown = match extracted {
            Value::Null => verdict.to_owned(),
            _ => format!("{verdict} {} {} {}", part("language"), part("line"), part("how")),
        };
        assert_eq!(shown, expected, "{text}\n{result:#}");
        let code = match verdict {
            "AC" => 0,
            "source" => 2,
            _ => 1,
        };
        assert_eq!(output.status.code(), Some(code), "{result:#}");
    };
    let fenced =
        |word: &str, code: &str| format!("Here's how:\n\n```{word}\n{code}```\nIt's done.\n");
    check("python3", &fenced("python", PYTHON), "auto", "AC python3 4 block");
    check("", &fenced("python", PYTHON), "auto", "AC python3 4 block");
    check("", &fenced("", PYTHON), "auto", "source");
    check("", PYTHON, "auto", "source");
    check("", "", "auto", "no_code");
    check("", PYTHON, "last-block", "no_code");
    check("python3", &fenced("text", PYTHON), "auto", "AC python3 4 block");
    check("python3", &fenced("c", C), "auto", "CE python3 4 block");
    check("python3", &fenced("python", "print(3)\n"), "auto", "WA python3 4 block");
    check("bash", &format!("```bash\n{RIGHT}```\n"), "auto", "AC bash 2 block");
    check("bash", &fenced("sh", RIGHT), "auto", "AC bash 4 block");
    check("bash", &format!("\n~~~\n{RIGHT}"), "auto", "AC bash 3 incomplete_block");
    check("c", &fenced("c", C), "auto", "AC c 4 block");
    check("c", &format!("{C}```\n"), "auto", "AC c 1 before_fence");
    check(
        "python3",
        &format!("<think>\n{}</think>\n{PYTHON}", fenced("py", "1")),
        "auto",
        "AC python3 8 outside_thoughts",
    );
    check(
        "python3",
        &format!("It is easy.\n</think>\n{PYTHON}"),
        "auto",
        "AC python3 3 outside_thoughts",
    );
    check("python3", &format!("<think>\n{}", fenced("py", PYTHON)), "auto", "no_code");
    check("python3", "```python\n```\n", "auto", "no_code");
    check("python3", "\n", "auto", "no_code");
    check("python3", "I cannot do that.", "auto", "CE");
    // Two programs.
    let two = format!("```python\nprint(3)\n```\nBetter:\n```python\n{PYTHON}```\n");
    check("python3", &two, "auto", "AC python3 6 block");
    check("python3", &two, "first-block", "WA python3 2 block");
    check("python3", &two, "longest-block", "AC python3 6 block");
    check("python3", &two, "none", "source");
    // Fences that are parts of programs.
    let docstring = format!("def f():\n    \"\"\"\n```python\nf(1)\n```\n    \"\"\"\n{PYTHON}");
    check("python3", &docstring, "auto", "AC");
    check("python3", &docstring, "none", "AC");
    check("python3", &format!("{docstring}("), "auto", "CE");
    check("python3", &docstring, "last-block", "RTE python3 4 block");
    check("c", &format!("/*\n```\nsum 1 2\n```\n*/\n{C}"), "auto", "AC");
    check("c", &format!("/*\n```\n*/\n{}", C.replace("int a", "a")), "auto", "CE");
    check("bash", &format!("{RIGHT}: '\n```\n'\n"), "auto", "AC");
    check("bash", &format!("{WRONG}: '```'\n# ```\n"), "auto", "WA");
    check("c", &format!("{C}```\n"), "none", "source");
    // Files, and defaults for all lines.
    fixture.write("answer.sh", format!("```\n{RIGHT}```\n"));
    let file = with_keys(sum_line(1, ""), json!({ "source": { "file": "answer.sh" } }));
    let results = grade_lines(&fixture, &[], &file.to_string(), 0);
    assert_eq!(results[0]["extracted"]["how"], "block");
    let results =
        grade_lines(&fixture, &["--defaults", "{\"extract\":\"none\"}"], &file.to_string(), 2);
    assert_eq!(results[0]["error"]["kind"], "source");
}

#[test]
fn files_are_read_as_if_they_were_joined() {
    let fixture = Fixture::new();
    let lines: Vec<Value> = (0..5).map(|id| sum_line(id, RIGHT)).collect();
    let text = join_lines(&lines);
    let whole = grade_lines(&fixture, &["--ordered"], &text, 0);
    let (start, rest) = text.split_at(text.match_indices('\n').nth(1).expect("lines").0);
    fixture.write("a.jsonl", start);
    fixture.write("empty", "");
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(rest.trim_start().trim_end().as_bytes()).expect("a write");
    fixture.write("b", packed.finish().expect("an end"));
    let files = ["a.jsonl", "empty", "b", "--ordered"];
    let strip = |results: Vec<Value>| -> Vec<String> {
        let show = |line: &Value| format!("{} {} {}", line["line"], line["id"], line["digest"]);
        results.iter().map(show).collect()
    };
    assert_eq!(strip(grade_lines(&fixture, &files, "", 0)), strip(whole));
    let resume = [&files[..3], &["--output", "results", "--resume"]].concat();
    for lines in ["5 lines: 5 accepted", "5 lines: 5 accepted"] {
        let output = run_grade(&fixture, &resume, "");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && err.contains(lines), "{err}");
    }
    let check = |files: &[&str], code: i32, message: &str| {
        let output = run_grade(&fixture, files, "");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{err}");
        assert!(err.contains(message), "{err}");
    };
    check(&["a.jsonl", "no.jsonl"], 2, "cannot read no.jsonl: No such file");
    check(&["a.jsonl", "."], 2, "cannot read .: Is a directory");
    check(&["empty"], 5, "the input has no lines");
    check(&["a.jsonl", "--output", "a.jsonl", "--resume"], 2, "the lines are read from it");
    let cut = fs::read(fixture.path("b")).expect("a file");
    fixture.write("cut", &cut[..cut.len() - 9]);
    check(&["cut"], 4, "cannot read the lines: cut: ");
}

#[test]
fn equal_lines_run_once() {
    let fixture = Fixture::new();
    let line = |id: u64, more: Value| with_keys(sum_line(id, RIGHT), more);
    let lines = [
        line(1, json!({ "problem": "a", "sample": 0 })),
        line(2, json!({ "problem": "a", "sample": 1 })),
        line(3, json!({ "all": true })),
        line(4, json!({})),
        json!({ "id": 5, "x": 1 }),
        json!({ "id": 6, "x": 1 }),
    ];
    let options = ["--jobs", "1", "--ordered"];
    let results = grade_lines(&fixture, &options, &join_lines(&lines), 2);
    let same: Vec<&Value> = results.iter().map(|result| &result["same_as"]).collect();
    // Two lines are judged at once: either of two equal ones may come first.
    assert_eq!(same.iter().filter(|same| !same.is_null()).count(), 2, "{results:#?}");
    assert_eq!((same[2], same[4], same[5]), (&Value::Null, &Value::Null, &Value::Null));
    for result in &results[..4] {
        assert_eq!((&result["verdict"], &result["passed"]), (&json!("AC"), &json!(2)));
    }
    assert_eq!((&results[1]["id"], &results[1]["sample"]), (&json!(2), &json!(1)));
    let outputs = [1, 2].map(|id| line(id, json!({ "return": "outputs" })));
    for result in grade_lines(&fixture, &options, &join_lines(&outputs), 0) {
        assert_eq!(result["same_as"], Value::Null);
    }
}

#[test]
fn rates_are_of_problems_and_leave_errors_out() {
    let fixture = Fixture::new();
    let line = |id: u64, problem: &str, source: &str| {
        let more = json!({ "problem": problem, "sample": id, "note": { "n": id } });
        with_keys(sum_line(id, source), more)
    };
    let lines = [
        line(1, "a", RIGHT),
        line(2, "a", WRONG),
        line(3, "a", "```bash\n```\n"),
        line(4, "b", RIGHT),
        with_keys(line(5, "b", ""), json!({ "source": { "file": "missing.sh" } })),
    ];
    let text = join_lines(&lines);
    let options = ["--summary", "rates.json", "--k", "1,2", "--copy", "note"];
    let resume = [&options[..], &["--output", "results", "--resume"]].concat();
    let first = text.match_indices('\n').nth(2).expect("lines").0;
    run_grade(&fixture, &resume, &text[..first]);
    let output = run_grade(&fixture, &resume, &text);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    let rates: Value = serde_json::from_str(&fixture.read("rates.json")).expect("rates");
    let third = 1.0 / 3.0;
    assert_eq!((&rates["problems"], &rates["samples"]), (&json!(2), &json!(4)));
    assert_eq!(rates["errors"], json!({ "source": 1 }));
    let close = |value: &Value, expected: f64| {
        let value = value.as_f64().unwrap_or(f64::NAN);
        assert!((value - expected).abs() < 1e-9, "{value} {expected}\n{rates:#}");
    };
    close(&rates["pass_at"]["1"]["mean"], (third + 1.0) / 2.0);
    close(&rates["pass_at"]["2"]["mean"], 2.0 * third);
    close(&rates["tests_passed"]["mean"], (1.5 * third + 1.0) / 2.0);
    let a = &rates["by_problem"]["a"];
    assert_eq!((&a["samples"], &a["accepted"], &a["no_code"]), (&json!(3), &json!(1), &json!(1)));
    assert_eq!(rates["by_problem"]["b"]["pass_at"]["2"], Value::Null);
    assert!(err.contains("1 accepted") || err.contains("2 accepted"), "{err}");
    assert!(err.contains("pass@1") && err.contains("66.7 %"), "{err}");
    let results = parse_results(fixture.read("results").as_bytes());
    assert_eq!(results.len(), 5);
    for result in &results {
        assert_eq!(result["copied"], json!({ "note": { "n": result["id"] } }));
        assert_eq!(result["sample"], result["id"]);
    }
    // The same as in one go.
    let whole =
        run_grade(&fixture, &["--summary", "whole.json", "--k", "1,2", "--copy", "note"], &text);
    assert_eq!(whole.status.code(), Some(2));
    let without_times = |path| {
        let mut rates: Value = serde_json::from_str(&fixture.read(path)).expect("rates");
        let problems = rates["by_problem"].as_object_mut().expect("problems");
        for rates in problems.values_mut() {
            rates.as_object_mut().expect("rates").remove("cpu_seconds").expect("a time");
        }
        rates.as_object_mut().expect("rates").remove("cpu_seconds").expect("a time");
        rates
    };
    assert_eq!(without_times("whole.json"), without_times("rates.json"));
    fixture.write("lines", &text);
    for unusable in ["no/rates.json", "lines", "other"] {
        let options = ["lines", "--output", "other", "--summary", unusable];
        let output = run_grade(&fixture, &options, &text);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(&format!("--summary: cannot use {unusable}: ")), "{err}");
    }
    assert_eq!(fixture.read("lines"), text);
}

#[test]
fn a_reader_that_goes_away_is_an_error() {
    let fixture = Fixture::new();
    let lines: Vec<Value> = (0..200).map(|id| sum_line(id, &format!("{RIGHT}# {id}\n"))).collect();
    fixture.write("lines", join_lines(&lines));
    let mut command = fixture.std_juror("grade lines");
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("juror runs");
    let mut first = String::new();
    let mut results = BufReader::new(child.stdout.take().expect("a pipe"));
    results.read_line(&mut first).expect("a result");
    drop(results);
    let output = child.wait_with_output().expect("an end");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(err.contains("cannot write results to standard output: Broken pipe"), "{err}");
}

#[test]
fn a_line_that_is_too_long_keeps_its_id() {
    let fixture = Fixture::new();
    let long = format!("{{\"id\":\"long\",\"source\":\"{}\"}}\n", "x".repeat(65 << 20));
    let results = grade_lines(&fixture, &[], &long, 2);
    assert_eq!((&results[0]["id"], &results[0]["error"]["kind"]), (&json!("long"), &json!("line")));
}
