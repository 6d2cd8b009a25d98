//! Inputs of one's own, inputs without answers, and words that people type.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::{Fixture, RIGHT, WRONG};

/// Files in `my`: a right and a wrong program, an input with an answer, and one without.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("my/a.sh", RIGHT);
    fixture.write("my/b.sh", WRONG);
    fixture.write("my/crash.sh", "echo half; exit 3\n");
    fixture.write("my/1.in", "5 8\n");
    fixture.write("my/1.out", "13\n");
    fixture.write("my/x.txt", "3 4\n");
    fixture
}

#[test]
fn a_submission_runs_on_any_input_without_a_package() {
    let fixture = fixture();
    fixture.write("alone/a.sh", RIGHT);
    fixture.write("alone/1.in", "20 22\n");
    let check = |arguments: &str, input: &str, code: i32, out: &str, message: &str| {
        let line = format!("run {arguments}");
        let output = fixture.juror(&line).write_stdin(input).output().expect("juror runs");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {errors}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), out, "{arguments}: {errors}");
        assert!(errors.contains(message), "{arguments} lacks `{message}`: {errors}");
    };
    check("my/a.sh", "1 2\n", 0, "3\n", "my/a.sh on standard input: exit code 0");
    check("my/a.sh --input -", "1 2\n", 0, "3\n", "on standard input");
    check("my/a.sh --input my/x.txt", "", 0, "7\n", "my/a.sh on my/x.txt: exit code 0");
    check("my/a.sh my/x.txt", "", 0, "7\n", "on my/x.txt");
    check("my/a.sh --case 1", "", 0, "13\n", "on 1: exit code 0");
    check("alone/a.sh", "1 2\n", 0, "3\n", "");
    check("alone/a.sh alone/1.in", "", 0, "42\n", "on alone/1.in");
    check("alone alone/a.sh --input alone/1.in", "", 0, "42\n", "");
    check("alone alone/a.sh --input my/x.txt", "", 0, "7\n", "");
    check("-- sh my/a.sh", "4 4\n", 0, "8\n", "sh my/a.sh on standard input");
    check("my/crash.sh my/x.txt", "", 1, "half\n", "exit code 3");
    check("sum sum/submissions/accepted/right.sh --input my/x.txt", "", 0, "7\n", "");
    check("my/a.sh my/x.txt --input my/1.in", "", 2, "", "my/x.txt is a second input");
    check("my/c.sh", "", 2, "", "submission not found: my/c.sh");
    check("sum", "", 2, "", "give one: juror run sum SUBMISSION");
    check("my/a.sh -t 1m -m 64", "1 2\n", 0, "3\n", "");
    check("my/a.sh --flags -DX", "1 2\n", 2, "", "cannot be built with --flags");
}

/// The program never ends by itself.
#[test]
fn the_output_of_a_run_is_shown_as_it_comes() {
    let fixture = fixture();
    fixture.write("my/a.sh", "echo early; exec sleep 100000\n");
    let line = "run my/a.sh my/x.txt --time-limit 1h";
    let mut child = fixture.std_juror(line).stdout(Stdio::piped()).spawn().expect("juror runs");
    let mut first = String::new();
    let out = child.stdout.take().expect("a pipe");
    BufReader::new(out).read_line(&mut first).expect("a line");
    assert_eq!(first, "early\n");
    assert_eq!(child.try_wait().expect("a process"), None);
    kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
    assert_eq!(child.wait().expect("an end").code(), Some(130));
}

#[test]
fn an_input_with_an_answer_is_judged_and_others_are_shown() {
    let fixture = fixture();
    let check = |line: &str, code: i32, messages: &[&str]| fixture.check(line, code, messages);
    let ran = ["ran on 1 test case; outputs are not compared", "my/x.txt:", "7"];
    check("my/a.sh my/x.txt", 0, &ran);
    check("judge my/a.sh my/x.txt", 0, &ran);
    check("my/a.sh --input my/x.txt", 0, &ran);
    check("judge sum my/a.sh --input my/x.txt", 0, &ran);
    check("judge my my/a.sh --input my/x.txt", 0, &ran);
    check("my/a.sh my/x.txt --compare none", 0, &ran);
    check("my/a.sh my/1.in", 0, &["accepted on 1 test case", "my/1.in with my/1.out"]);
    check("judge --input my/1.in my/a.sh", 0, &["accepted on 1 test case"]);
    check("judge sum my/a.sh --input my/1.in", 0, &["accepted on 1 test case"]);
    let wrong = ["wrong answer on my/1.in", "repeat: juror judge my/b.sh --input my/1.in"];
    check("my/b.sh my/1.in", 1, &wrong);
    check("my/b.sh my/1.in my/x.txt", 1, &["0 of 1 test case accepted; 1 more ran"]);
    check("my/crash.sh my/x.txt", 1, &["run-time error on my/x.txt: exit code 3", "half"]);
    let both = ["accepted on 1 test case; 1 more ran: it has no answer", "my/x.txt:", "7"];
    check("my/a.sh my/1.in my/x.txt", 0, &both);
    check("my/a.sh my/1.in --input my/x.txt", 0, &both);
    check("my/a.sh my/y.txt", 2, &["cannot read the input my/y.txt", "did you mean `x.txt`?"]);
    check("my/a.sh --input my", 2, &["cannot read the input my: is a directory"]);
    check("my/a.sh --input my/1.in --case 1", 2, &["cannot be used with"]);
    check("my/a.sh my/b.sh", 3, &["name the package first"]);
}

#[test]
fn inputs_without_answers_are_run_and_are_never_accepted() {
    let fixture = fixture();
    fixture.write("my/2.in", "1 1\n");
    let both =
        ["accepted on 1 test case; 1 more ran: it has no answer", "2:", "without an answer: 2.in"];
    fixture.check("my/a.sh", 0, &both);
    fixture.check("judge my my/a.sh", 0, &both);
    fixture.check("my/b.sh", 1, &["0 of 1 test case accepted; 1 more ran: it has no answer"]);
    fixture.check("my/a.sh -q", 0, &["AC"]);
    let reports = "my/a.sh --csv o.csv --junit o.xml --html o.html";
    let report = fixture.json(reports, 0);
    let cases = &report["submissions"][0]["judgement"]["test_cases"];
    assert_eq!((&cases[0]["compared"], &cases[1]["compared"]), (&true.into(), &false.into()));
    let csv = fixture.read("o.csv");
    assert!(csv.contains(",AC,,,,1,1,") && csv.ends_with(",AC,ran\n"), "{csv}");
    let junit = fixture.read("o.xml");
    assert!(junit.contains("<skipped message=\"ran; its output is not compared\""), "{junit}");
    assert!(fixture.read("o.html").contains("<td class=\"ran\">ran</td>"));
    for name in ["1.in", "1.out", "x.txt"] {
        fixture.remove(&format!("my/{name}"));
    }
    let alone = ["ran on 1 test case; outputs are not compared", "2:", "memory 256 MiB"];
    for line in ["my/a.sh", "judge my my/a.sh", "my/a.sh --compare none", "my/a.sh --compare lines"]
    {
        fixture.check(line, 0, &alone);
    }
    fixture.check("my/a.sh -q", 0, &["ran"]);
    fixture.check("my/crash.sh", 1, &["run-time error on 2"]);
    fixture.write("my/loop.sh", "while :; do :; done\n");
    fixture.check("my/loop.sh --time-limit 100ms", 1, &["time limit exceeded on 2"]);
    fixture.check("verify my", 3, &["no problem.yaml in my"]);
    // A bounded number of outputs.
    for number in 10..30 {
        fixture.write(&format!("my/{number}.in"), "1 1\n");
    }
    fixture.check("my/a.sh", 0, &["ran on 21 test cases", "11 more outputs; -v shows them"]);
}

#[test]
fn tests_are_found_in_the_layouts_of_other_tools() {
    let check = |files: &[(&str, &str)], arguments: &str, code: i32, messages: &[&str]| {
        let fixture = Fixture::new();
        fixture.write("my/a.sh", RIGHT);
        for (name, text) in files {
            match name.split_once(" -> ") {
                None => fixture.write(name, text),
                Some((link, target)) => {
                    std::os::unix::fs::symlink(target, fixture.path(link)).expect("a link");
                }
            }
        }
        fixture.check(arguments, code, messages);
    };
    let json = r#"[{"input": "1 2\n", "output": "3\n"}]"#;
    let accepted = "accepted on 1 test case";
    check(&[("my/sum.json", json), ("my/package.json", "{}")], "my/a.sh", 0, &[accepted]);
    check(&[("my/a.json", json), ("my/b.json", "[]")], "my/a.sh", 0, &[accepted]);
    let two = [("my/b.json", json), ("my/c.json", json)];
    check(&two, "my/a.sh", 2, &["my/b.json, my/c.json may all have", "judge my/b.json my/a.sh"]);
    let [input, answer] = ["1 2\n", "3\n"];
    let deep = [("my/tests/1/input.txt", input), ("my/tests/1/output.txt", answer)];
    check(&deep, "my/a.sh", 0, &[accepted]);
    check(&[("my/01.dat", input), ("my/01.ans", answer)], "my/a.sh", 0, &[accepted]);
    let scratch = [
        ("my/1.in", input),
        ("my/1.out", answer),
        ("my/input.txt", "1 1\n"),
        ("my/output.txt", "9\n"),
    ];
    check(&scratch, "my/a.sh", 0, &[accepted, "left out: input.txt"]);
    check(&scratch[2..], "my/a.sh", 1, &["wrong answer on input"]);
    let zeroth = [("my/input1.txt", input), ("my/output1.txt", answer), scratch[2], scratch[3]];
    check(&zeroth, "my/a.sh", 1, &["1 of 2 test cases accepted"]);
    let real = [("real/1.in", input), ("real/1.out", answer)];
    let linked = [real[0], real[1], ("my/tests -> ../real", "")];
    let command = "tests -> ../real leads out of its directory; juror judge my/../real my/a.sh";
    check(&linked, "my/a.sh", 2, &[command]);
    let linked = [real[0], real[1], ("my/1.in -> ../real/1.in", "")];
    check(&linked, "my/a.sh", 2, &["1.in -> ../real/1.in leads out", "my/../real my/a.sh"]);
    check(&linked, "judge my/../real my/a.sh", 0, &[accepted]);
    let table = [
        "no tests beside my/a.sh; files there: a.sh, notes.txt",
        "juror run my/a.sh < FILE or juror my/a.sh FILE",
        "juror judge PACKAGE my/a.sh",
        "input answer 1.in 1.out, 1.ans, 1.sol or 1.a",
    ];
    check(&[("my/notes.txt", "")], "my/a.sh", 2, &table);
}

#[test]
fn words_of_other_tools_are_known_or_explained() {
    let fixture = fixture();
    fixture.write("my/near.sh", "echo 13.0000001\n");
    let check = |line: &str, code: i32, messages: &[&str]| fixture.check(line, code, messages);
    for option in ["-t 3", "-t 3s", "--timeout 3", "--tle 3"] {
        check(&format!("my/a.sh {option}"), 0, &["CPU time 3 s"]);
    }
    check("my/a.sh -m 64 -j 1", 0, &["memory 64 MiB"]);
    check("my/near.sh", 1, &["wrong answer"]);
    for option in ["-e 1e-6", "--eps 1e-6", "--epsilon=1e-6"] {
        check(&format!("my/near.sh {option}"), 0, &["accepted"]);
    }
    check("my/near.sh -e 1e-6 --compare words", 2, &["cannot be used with"]);
    check("my/near.sh -e x", 2, &["invalid value 'x'"]);
    check("my/a.sh --std=c++20", 2, &["--flags=-std=c++20"]);
    check("my/a.sh --tests my", 2, &["tests are named first"]);
    check("stress my/a.sh --timeout 2", 2, &["--time-limit limits a run"]);
    check("my/a.sh --flags -std=c++23", 2, &["cannot be built with --flags"]);
    check("my/a", 0, &["AC my/a.sh", "accepted on 1 test case"]);
    check("my/nothing", 3, &["no such directory"]);
    fixture.write("my/a.py", "");
    check("my/a", 2, &["`my/a.py` or `my/a.sh`"]);
}

/// The input is a hole: it takes no room on the disk.
#[test]
fn a_huge_input_is_not_held_in_memory() {
    let fixture = fixture();
    fixture.write("my/big.sh", "head -c 3; exit 0\n");
    let file = std::fs::File::create(fixture.path("my/big.txt")).expect("a file");
    file.set_len(1 << 30).expect("a hole");
    let output = fixture.juror("run my/big.sh my/big.txt").output().expect("juror runs");
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"\0\0\0"[..]));
}
