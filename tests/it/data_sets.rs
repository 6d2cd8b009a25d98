//! Lines in the forms of public data sets, with verdicts known by construction, and problems in a file of their own.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::grade::{join_lines, parse_results, run_grade, with_keys};

/// How the lines of one data set are made. A problem asks for the sum of two numbers.
struct Form {
    data_set: &'static str,
    /// What a right program is, around an expression.
    program: fn(&str) -> String,
    /// Everything but the program, for these test cases: the numbers and their sum.
    problem: fn(&str, &[[u32; 3]; 2]) -> Value,
    /// The verdict if the process ends well before it answers.
    silent: &'static str,
    /// The verdict if the answer is not a number.
    not_a_number: &'static str,
}

/// With eleven forms, 506 lines.
const LINES_OF_FORM: usize = 46;

fn reading(sum: &str) -> String {
    format!("a, b = map(int, input().split())\nprint({sum})\n")
}

fn method(sum: &str) -> String {
    format!("class Solution:\n    def add(self, a: int, b: int) -> int:\n        return {sum}\n")
}

fn function(sum: &str) -> String {
    format!("def add(a, b):\n    return {sum}\n")
}

fn texts(cases: &[[u32; 3]; 2]) -> [Vec<String>; 2] {
    let inputs = cases.iter().map(|[a, b, _]| format!("{a} {b}\n"));
    [inputs.collect(), cases.iter().map(|case| format!("{}\n", case[2])).collect()]
}

fn side_by_side(cases: &[[u32; 3]]) -> Value {
    let inputs: Vec<String> = cases.iter().map(|[a, b, _]| format!("{a} {b}\n")).collect();
    let outputs: Vec<String> = cases.iter().map(|case| format!("{}\n", case[2])).collect();
    json!({ "input": inputs, "output": outputs })
}

fn objects(cases: &[[u32; 3]]) -> Value {
    let case = |[a, b, sum]: &[u32; 3]| json!({ "input": format!("{a} {b}\n"), "output": format!("{sum}\n") });
    cases.iter().map(case).collect()
}

/// As LiveCodeBench packs private tests.
fn packed(text: &str) -> String {
    let length = u32::try_from(text.len()).expect("a short text").to_le_bytes();
    packed_pickle(&[b"\x80\x04X", &length[..], text.as_bytes(), b"\x94."].concat())
}

fn packed_pickle(pickle: &[u8]) -> String {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(pickle).expect("memory");
    STANDARD.encode(zlib.finish().expect("memory"))
}

fn livecodebench(name: &str, tests: [Value; 2], metadata: &str, starter: &str) -> Value {
    let [public, private] = tests.map(|test| json!([test]).to_string());
    json!({
        "question_title": "Sum", "question_content": "Add.", "platform": "x", "question_id": name,
        "contest_date": "2026-01-01T00:00:00", "starter_code": starter, "difficulty": "easy",
        "public_test_cases": public, "private_test_cases": packed(&private), "metadata": metadata,
    })
}

fn apps(name: &str, input_output: &Value, starter: &str) -> Value {
    json!({
        "problem_id": name.len(), "question": "Add.", "solutions": "[\"print(1)\"]", "difficulty": "introductory",
        "input_output": input_output.to_string(), "url": "", "starter_code": starter, "problem_id": name,
    })
}

fn calls(cases: &[[u32; 3]; 2]) -> Value {
    let inputs: Vec<[u32; 2]> = cases.iter().map(|[a, b, _]| [*a, *b]).collect();
    let outputs: Vec<[u32; 1]> = cases.iter().map(|case| [case[2]]).collect();
    json!({ "fn_name": "add", "inputs": inputs, "outputs": outputs })
}

const FORMS: [Form; 11] = [
    Form {
        data_set: "livecodebench",
        program: reading,
        problem: |name, cases| {
            let test = |[a, b, sum]: [u32; 3]| json!({ "input": format!("{a} {b}"), "output": format!("{sum}"), "testtype": "stdin" });
            livecodebench(name, cases.map(test), "{}", "")
        },
        silent: "WA",
        not_a_number: "WA",
    },
    Form {
        data_set: "livecodebench",
        program: method,
        problem: |name, cases| {
            let test = |[a, b, sum]: [u32; 3]| json!({ "input": format!("{a}\n{b}"), "output": format!("{sum}"), "testtype": "functional" });
            livecodebench(
                name,
                cases.map(test),
                r#"{"func_name": "add"}"#,
                "class Solution:\n    def add(",
            )
        },
        silent: "RTE",
        not_a_number: "RTE",
    },
    Form {
        data_set: "apps",
        program: reading,
        problem: |name, cases| {
            let [inputs, outputs] = texts(cases);
            apps(name, &json!({ "inputs": inputs, "outputs": outputs }), "")
        },
        silent: "WA",
        not_a_number: "WA",
    },
    Form {
        data_set: "apps",
        program: function,
        problem: |name, cases| apps(name, &calls(cases), "def add(a, b):\n    "),
        silent: "RTE",
        not_a_number: "RTE",
    },
    Form {
        data_set: "taco",
        program: reading,
        problem: |name, cases| {
            // Some problems have lists of lines.
            let inputs: Vec<[String; 1]> =
                cases.iter().map(|[a, b, _]| [format!("{a} {b}")]).collect();
            let outputs: Vec<[String; 1]> =
                cases.iter().map(|case| [case[2].to_string()]).collect();
            let tests = json!({ "inputs": inputs, "outputs": outputs }).to_string();
            json!({ "task_id": name, "question": "Add.", "input_output": tests, "starter_code": "", "name": null, "time_limit": "2.0 seconds" })
        },
        silent: "WA",
        not_a_number: "WA",
    },
    Form {
        data_set: "taco",
        program: method,
        problem: |name, cases| {
            let tests = calls(cases).to_string();
            json!({ "task_id": name, "question": "Add.", "input_output": tests, "starter_code": "class Solution:" })
        },
        silent: "RTE",
        not_a_number: "RTE",
    },
    Form {
        data_set: "code-contests",
        program: reading,
        problem: |name, cases| {
            json!({
                "name": name, "description": "Add.", "public_tests": side_by_side(&cases[..1]),
                "private_tests": side_by_side(&[]), "generated_tests": side_by_side(&cases[1..]),
                "solutions": { "language": [3], "solution": ["print(1)"] }, "input_file": "", "output_file": "",
                "time_limit": { "seconds": 0, "nanos": 600_000_000 }, "memory_limit_bytes": 256_000_000,
            })
        },
        silent: "WA",
        not_a_number: "WA",
    },
    Form {
        data_set: "code-contests-plus",
        program: reading,
        problem: |name, cases| {
            json!({
                "id": name, "source": "x", "title": "Sum", "description": "Add.", "time_limit": 600, "memory_limit": 256,
                "generator": "", "validator": "", "checker": null, "test_cases": objects(cases),
            })
        },
        silent: "WA",
        not_a_number: "WA",
    },
    Form {
        data_set: "open-r1-codeforces",
        program: reading,
        problem: |name, cases| {
            json!({
                "id": name, "title": "Sum", "time_limit": 0.6, "memory_limit": 256.0, "input_mode": "stdio",
                "interaction_format": null, "generated_checker": null, "official_tests": objects(cases),
            })
        },
        silent: "WA",
        not_a_number: "WA",
    },
    Form {
        data_set: "humaneval",
        program: function,
        problem: |name, cases| {
            let assert =
                |[a, b, sum]: [u32; 3]| format!("    assert candidate({a}, {b}) == {sum}\n");
            json!({
                "task_id": name, "prompt": "def add(a, b):\n    \"\"\" Adds. \"\"\"\n", "entry_point": "add",
                "canonical_solution": "    return a + b\n",
                "test": format!("\n\nMETADATA = {{}}\n\n\ndef check(candidate):\n{}", cases.map(assert).concat()),
            })
        },
        silent: "RTE",
        not_a_number: "WA",
    },
    Form {
        data_set: "mbpp",
        program: function,
        problem: |name, cases| {
            json!({
                "task_id": name, "text": "Add.", "code": "print(1)", "test_setup_code": "", "challenge_test_list": [],
                "test_list": cases.map(|[a, b, sum]| format!("assert add({a}, {b}) == {sum}")),
            })
        },
        silent: "RTE",
        not_a_number: "WA",
    },
];

/// The completion, and the verdict or the kind of the error.
fn completion(form: &Form, kind: usize) -> (String, &'static str) {
    let code = |sum: &str| (form.program)(sum);
    let fenced = |code: &str| format!("Here it is:\n\n```python\n{code}```\n");
    let right = code("a + b");
    let ending = |statement: &str| format!("{statement}\n{right}");
    match kind {
        0 => (right, "AC"),
        1 => (fenced(&right), "AC"),
        2 => (format!("<think>\n{}\n</think>\n{}", fenced("print(1)\n"), fenced(&right)), "AC"),
        3 => (format!("{}Better:\n{}", fenced(&code("0")), fenced(&right)), "AC"),
        4 => (code("0"), "WA"),
        5 => (fenced(&code("a - b - 1")), "WA"),
        6 => (format!("{}Or:\n{}", fenced(&right), fenced(&code("0"))), "WA"),
        7 => (code("a + b if a < 5 else 0"), "WA"),
        8 => (code("1 // 0"), "RTE"),
        9 => (code("undefined"), "RTE"),
        10 => (ending("raise SystemExit(3)"), "RTE"),
        11 => (ending("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"), "RTE"),
        12 => ("def add(:\n".to_owned(), "CE"),
        13 => ("I cannot solve this problem.".to_owned(), "CE"),
        14 => ("```python\n```\n".to_owned(), "no_code"),
        15 => (format!("<think>\n{}", fenced(&right)), "no_code"),
        // It would accept itself if its exit code, its output or its own comparison decided.
        16 => (ending("import os\nos._exit(0)"), form.silent),
        17 => (ending("import sys\nsys.exit()"), form.silent),
        18 => (code("(print(a + b), 0)[1]"), "WA"),
        // JSON has no such number, and the literals of asserts do.
        19 => (code("float('nan')"), form.not_a_number),
        20 => (code("open('answer').read()"), "RTE"),
        _ => (code("max(0 for _ in iter(int, 1))"), "TLE"),
    }
}

/// Without the last one, which is slow.
const KINDS: usize = 21;

/// Lines that are at fault, each with a part of the message.
fn faulty_lines(form: &Form) -> Vec<(Value, &'static str)> {
    let problem = (form.problem)("faulty", &[[1, 2, 3], [5, 8, 13]]);
    let whole = with_keys(problem, json!({ "completion": (form.program)("a + b") }));
    let with = |more: Value| with_keys(whole.clone(), more);
    let mut all = vec![
        (json!([5]), "has neither"),
        (json!({}), "has neither"),
        (with(json!({ "completion": null })), "has neither `/source/text`"),
        (with(json!({ "completion": 5 })), "`/source/text`: "),
        (with(json!({ "completion": ["x", 5] })), "`/source/text/1`: "),
    ];
    let packed_test = |text: &str| with(json!({ "private_test_cases": text }));
    let tests = |text: &str| with(json!({ "input_output": text }));
    match form.data_set {
        "livecodebench" => all.extend([
            (packed_test(&packed_pickle(b"cos\nsystem\n(S'id'\ntR.")), "opcode GLOBAL at byte 0"),
            (
                packed_test(&packed_pickle(b"\x80\x04\x8d\xff\xff\xff\xff\xff\0\0\0.")),
                "more than 256 MiB",
            ),
            (packed_test(&packed("[{\"input\": NaN}]")), "is not JSON"),
            (packed_test("not tests"), "is not JSON"),
        ]),
        "apps" | "taco" => all.extend([
            (tests("{\"inputs\": [\"1\"], \"outputs\": []}"), "1 inputs are at"),
            (tests("{\"inputs\": [NaN], \"outputs\": [1]}"), "is not JSON"),
            (tests(""), if form.silent == "WA" { "has neither" } else { "asks for a function" }),
            (
                tests("{\"fn_name\": \"f\", \"inputs\": [1], \"outputs\": [[2]]}"),
                "is not a JSON list of arguments",
            ),
        ]),
        "code-contests" => all.extend([
            (with(json!({ "input_file": "a.in" })), "reads or writes files"),
            (
                with(json!({ "public_tests": 5, "private_tests": null, "generated_tests": null })),
                "has neither",
            ),
        ]),
        "code-contests-plus" => all.push((with(json!({ "time_limit": -5 })), "out of range")),
        "open-r1-codeforces" => {
            all.push((with(json!({ "input_mode": "file" })), "reads or writes files"))
        }
        "humaneval" => all.push((with(json!({ "test": null })), "missing field `test`")),
        _ => all.push((with(json!({ "test_list": [] })), "has no assert")),
    }
    all
}

fn shown(result: &Value) -> String {
    let error = &result["error"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match text(&error["kind"]).as_str() {
        "" => text(&result["verdict"]),
        "no_code" => "no_code".to_owned(),
        kind => format!("{kind}: {}", text(&error["message"])),
    }
}

/// Starts juror, kills it after some results, and starts it again.
fn results_after_a_kill(fixture: &Fixture, options: &[&str], lines: &[Value]) -> Vec<Value> {
    let (path, kill_after) = (fixture.path("results"), lines.len() / 2);
    let options = [&["--output", "results", "--resume"][..], options].concat();
    let mut command = fixture.std_juror("grade --jobs 3");
    command.args(&options).stderr(Stdio::null()).stdout(Stdio::null()).stdin(Stdio::piped());
    let mut child = command.spawn().expect("juror runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A few more than the awaited results, and never all.
    stdin.write_all(join_lines(&lines[..kill_after + 4]).as_bytes()).expect("a write");
    while fs::read_to_string(&path).map_or(0, |text| text.lines().count()) < kill_after {
        assert_eq!(child.try_wait().expect("a child"), None, "it waits for more");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a kill");
    child.wait().expect("an end");
    run_grade(fixture, &options, &join_lines(lines));
    let mut results = parse_results(&fs::read(&path).expect("results"));
    results.sort_by_key(|result| result["line"].as_u64());
    results
}

/// The lines of a form, half of them with their problems in a file of their own.
fn wrong_results(form: &Form) -> Vec<String> {
    let (mut whole, mut joined, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..5_u32 {
        let cases = [[number, 2, number + 2], [number + 5, 8, number + 13]];
        problems.push((form.problem)(&format!("p{number}"), &cases));
    }
    for index in 0..LINES_OF_FORM {
        let is_last = index + 1 == LINES_OF_FORM;
        let (completion, expected) = completion(form, if is_last { KINDS } else { index % KINDS });
        // Equal lines would run once.
        let code = format!("{completion}\n# {index}\n");
        let problem = &problems[index % problems.len()];
        if index % 2 == index / KINDS % 2 {
            whole.push((with_keys(problem.clone(), json!({ "completion": code })), expected));
        } else {
            let name = format!("p{}", index % problems.len());
            joined.push((json!({ "id": index, "problem": name, "completion": code }), expected));
        }
    }
    let faulty = faulty_lines(form);
    for (index, (line, message)) in faulty.into_iter().enumerate() {
        whole.insert(index * 2, (line, message));
    }
    let fixture = Fixture::new();
    fixture.write("problems", join_lines(&problems));
    let quick = r#"{"limits": {"time": 0.6}, "source": {"language": "python3"}}"#;
    let options = ["--data-set", form.data_set, "--defaults", quick];
    let mut wrong = Vec::new();
    for (lines, more) in [(whole, &[][..]), (joined, &["--problems", "problems"][..])] {
        let texts: Vec<Value> = lines.iter().map(|(line, _)| line.clone()).collect();
        let results = results_after_a_kill(&fixture, &[&options, more].concat(), &texts);
        assert_eq!(results.len(), lines.len(), "{}", form.data_set);
        for (result, (line, expected)) in results.iter().zip(lines) {
            let found = shown(result);
            let is_right = match found.strip_prefix("line: ") {
                Some(message) => message.contains(expected),
                None => found == expected,
            };
            if !is_right {
                wrong.push(format!("{}: {found} instead of {expected}: {line}", form.data_set));
            }
        }
        fixture.remove("results");
    }
    wrong
}

#[test]
fn lines_of_data_sets_get_the_verdicts_that_they_were_made_for() {
    let wrong: Vec<String> = FORMS.iter().flat_map(wrong_results).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_of_any_size_and_lines_with_many_tests_are_judged() {
    let fixture = Fixture::new();
    let check = |data_set: &str, line: Value, expected: &str| {
        let output = run_grade(
            &fixture,
            &["--data-set", data_set],
            &join_lines(std::slice::from_ref(&line)),
        );
        let result = parse_results(&output.stdout).remove(0);
        let found = format!("{} {}", shown(&result), result["ran"]);
        assert!(found.starts_with(expected), "{found}\n{line}");
    };
    let call = |outputs: &str, returned: &str| {
        let tests = format!(r#"{{"fn_name": "f", "inputs": [[1]], "outputs": {outputs}}}"#);
        json!({ "problem_id": 1, "input_output": tests, "completion": format!("def f(x):\n    return {returned}\n") })
    };
    let huge = format!("1{}", "0".repeat(400));
    check("apps", call(&format!("[[{huge}]]"), "10 ** 400"), "AC 1");
    check("apps", call(&format!("[{huge}]"), "10 ** 400"), "AC 1");
    check("apps", call(&format!("[[{huge}]]"), "10 ** 400 + 1"), "WA 1");
    check("apps", call("[[1000000000000000000000]]", "10 ** 21"), "AC 1");
    check("apps", call("[[1000000000000000000000]]", "10 ** 21 + 1"), "WA 1");
    check("apps", call(r#"[["5"]]"#, "'5'"), "AC 1");
    check("apps", call(r#"[["5"]]"#, "5"), "WA 1");
    check("apps", call(r#"["5"]"#, "'5'"), "AC 1");
    check("apps", call("[[[]]]", "[]"), "AC 1");
    check("apps", call("[[]]", "[]"), "AC 1");
    check("apps", call("[[1, 2]]", "[1, 2]"), "AC 1");
    check("apps", call("[[1, 2]]", "[2]"), "WA 1");
    let value = json!({ "problem_id": 1, "input_output": { "fn_name": "f", "inputs": [[1]], "outputs": [1e20] }, "completion": "x" });
    check("apps", value, "line: a number of more than 64 bits would lose digits");
    let many = vec!["1\n"; 100_000];
    let many = json!({ "inputs": many, "outputs": many }).to_string();
    check("taco", json!({ "input_output": many, "completion": "print(2)" }), "WA 1");
    let stdin = |answer: &str, printed: &str| {
        let tests = json!({ "inputs": ["1\n"], "outputs": [answer] }).to_string();
        json!({ "problem_id": 1, "input_output": tests, "completion": format!("print({printed:?})") })
    };
    check("apps", stdin("0.5 1000000", "0.500001 1000000"), "AC 1");
    check("apps", stdin("0.5 1000000", "0.5 1000001"), "WA 1");
    let human = |completion: &str| {
        json!({
            "task_id": "x", "entry_point": "f", "prompt": "import math\ndef f(x):\n    \"\"\" Doubles. \"\"\"\n",
            "test": "def check(candidate):\n    assert candidate(2) == 4\n", "completion": completion,
        })
    };
    check("humaneval", human("    return x * 2\n"), "AC 1");
    check("humaneval", human("    return x * 2\n\ndef g():\n    pass"), "AC 1");
    check("humaneval", human("```python\n    return x * 2\n```"), "AC 1");
    check("humaneval", human("```python\ndef f(x):\n    return math.floor(x * 2.0)\n```"), "AC 1");
    check("humaneval", human("    return x * 3\n"), "WA 1");
    let any_order = "import sys\n_, answer, output = (sorted(open(it).read().split()) for it in sys.argv[1:])\nprint(int(answer == output))\n";
    let open_r1 = |printed: &str| {
        json!({
            "id": "1/A", "official_tests": [{ "input": "", "output": "1 2" }], "generated_checker": any_order,
            "language": "python3", "completion": format!("print({printed:?})"),
        })
    };
    check("open-r1-codeforces", open_r1("2 1"), "AC 1");
    check("open-r1-codeforces", open_r1("2 2"), "WA 1");
    let any_sign = "#include <cstdlib>\n#include <fstream>\nint main(int, char** files) {\n    int output, answer;\n    std::ifstream(files[2]) >> output;\n    std::ifstream(files[3]) >> answer;\n    return abs(output) == abs(answer) ? 0 : 1;\n}\n";
    let plus = |printed: &str| {
        json!({
            "id": "1_A", "test_cases": [{ "input": "", "output": "5" }], "checker": any_sign, "language": "python3",
            "completion": format!("print({printed})"),
        })
    };
    check("code-contests-plus", plus("-5"), "AC 1");
    check("code-contests-plus", plus("6"), "WA 1");
    let mbpp = |test: &str| json!({ "task_id": 2, "test_list": [test], "completion": "def f(x):\n    return x\n" });
    check("mbpp", mbpp("assert f(1) == 1"), "AC 1");
    check("mbpp", mbpp(""), "line: `/asserts/test` has no assert");
}

/// A problem whose name is a number, and samples in bash.
fn numbered_problem(name: &Value, answer: &str) -> Value {
    json!({ "problem": name, "cases": [{ "input": "", "answer": answer }] })
}

fn sample(name: Value, text: &str) -> Value {
    json!({ "problem": name, "source": { "text": text, "language": "bash" } })
}

#[test]
fn problems_are_found_by_their_names() {
    let fixture = Fixture::new();
    let problems = [numbered_problem(&json!(7), "7"), numbered_problem(&json!("b"), "8")];
    fixture.write("problems", format!("\n{}", join_lines(&problems)));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(fixture.read("problems").as_bytes()).expect("memory");
    fixture.write("problems.gz", gzip.finish().expect("memory"));
    let rows = [
        (sample(json!(7), "echo 7"), "AC"),
        (sample(json!("7"), "echo 7"), "AC"),
        (sample(json!("b"), "echo 7"), "WA"),
        (sample(json!("b"), "echo 8"), "AC"),
        // A sample brings no tests of its own.
        (
            with_keys(
                sample(json!(7), "echo x"),
                json!({ "cases": [{ "input": "", "answer": "x" }] }),
            ),
            "WA",
        ),
        (sample(json!(8), "echo 8"), "line: `/problem`: "),
        (sample(json!(7.5), "echo 8"), "line: `/problem`: a number with a fraction"),
        (sample(Value::Null, "echo 8"), "line: has no `/problem`"),
        (json!({ "problem": 7 }), "line: missing field `source`"),
    ];
    let lines: Vec<Value> = rows.iter().map(|(line, _)| line.clone()).collect();
    for file in ["problems", "problems.gz"] {
        let options = ["--ordered", "--problems", file];
        let results = parse_results(&run_grade(&fixture, &options, &join_lines(&lines)).stdout);
        for (result, (line, expected)) in results.iter().zip(&rows) {
            assert!(shown(result).starts_with(expected), "{result:#}\n{line}");
        }
        assert_eq!(results.len(), rows.len());
    }
    let check = |text: &str, message: &str| {
        fixture.write("wrong", text);
        let output = run_grade(&fixture, &["--problems", "wrong"], &join_lines(&lines));
        let err = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(message), "{err}");
    };
    let twice =
        [&problems[0], &problems[1], &numbered_problem(&json!("7"), "1")].map(Value::to_string);
    check(&twice.join("\n"), "wrong: lines 1 and 3 are both the problem `7`");
    check("{\"problem\": 1}\n{", "wrong: line 2 is not JSON");
    check("{\"name\": 1}", "wrong: line 1 has no text or whole number at `/problem`");
}

#[test]
fn a_problem_that_changes_is_never_judged_by() {
    let fixture = Fixture::new();
    let names = ["a", "b"].map(Value::from);
    let [first, second] = names.clone().map(|name| numbered_problem(&name, "7"));
    fixture.write("problems", join_lines(&[first.clone(), second]));
    let start = || {
        let mut command = fixture.std_juror("grade --problems problems --output results --resume");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("juror runs")
    };
    let [one, two] = names.map(|name| format!("{}\n", sample(name, "echo 7")));
    let mut child = start();
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(one.as_bytes()).expect("a write");
    while fs::read(fixture.path("results")).unwrap_or_default().is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let other = numbered_problem(&json!("b"), "8");
    fixture.write("problems", join_lines(&[first.clone(), other.clone()]));
    stdin.write_all(two.as_bytes()).expect("a write");
    drop(stdin);
    let output = child.wait_with_output().expect("an end");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert!(err.contains("line 2 of problems has changed since the start"), "{err}");
    assert_eq!(fixture.read("results").lines().count(), 1);
    // What was judged has not changed, so it goes on; then it has.
    let resume = || {
        let options = ["--problems", "problems", "--output", "results", "--resume"];
        let output = run_grade(&fixture, &options, &[&*one, &*two].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(resume().0, Some(1));
    fixture.write("problems", join_lines(&[numbered_problem(&json!("a"), "9"), other]));
    let (code, err) = resume();
    assert!(code == Some(2) && err.contains("differ from"), "{err}");
}

#[test]
fn tests_that_are_all_public_are_told_once() {
    let fixture = Fixture::new();
    let tests = |answer: &str| json!({ "input": [""], "output": [answer] });
    let line = |private: Value| json!({ "name": "x", "public_tests": tests("1"), "private_tests": private, "completion": "print(1)" });
    let check = |lines: &[Value], times: usize| {
        let defaults =
            ["--data-set", "code-contests", "--defaults", r#"{"source": {"language": "python3"}}"#];
        let output = run_grade(&fixture, &defaults, &join_lines(lines));
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(err.matches("all test cases are public ones").count(), times, "{err}");
    };
    let public = line(json!({ "input": [], "output": [] }));
    check(&[public.clone(), public, line(Value::Null)], 1);
    check(&[line(tests("1"))], 0);
}
