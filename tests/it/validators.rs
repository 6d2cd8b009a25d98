//! Output validators of packages: their files and arguments, their exit codes, and their faults.

use std::fs;

use crate::fixture::{Fixture, RIGHT, WRONG};

/// Accepts outputs with the words of the judge answer; prints its arguments.
const VALIDATOR: &str = r#"#!/usr/bin/env bash
read -r -a answer < "$2"
read -r -a output || true
echo "input $(tr -d '\n' < "$1"), wanted ${answer[*]}, got ${output[*]:0:3}, arguments ${*:4}" > "${3}judgemessage.txt"
if [[ ${answer[*]} == "${output[*]}" ]]; then exit 42; fi
echo "do not give up" > "${3}teammessage.txt"
exit 43
"#;

/// `validator` is a shell script.
fn fixture(validator: &str) -> Fixture {
    let fixture = Fixture::new();
    set_validator(&fixture, validator);
    fixture
}

fn set_validator(fixture: &Fixture, validator: &str) {
    fixture.write("sum/output_validator/validate/run", validator);
    fixture.make_executable("sum/output_validator/validate/run");
}

/// Adds lines to `limits` of `problem.yaml`, and others before it.
fn set_problem(fixture: &Fixture, before: &str, limits: &str) {
    let path = fixture.path("sum/problem.yaml");
    let problem = fs::read_to_string(path).expect("a package");
    let problem = problem.replace("limits:\n", &format!("{before}limits:\n{limits}"));
    fixture.write("sum/problem.yaml", problem);
}

#[test]
fn a_validator_decides_and_its_message_is_shown() {
    let fixture = fixture(VALIDATOR);
    fixture.write("a.sh", RIGHT);
    fixture.write("b.sh", WRONG);
    fixture.check("verify sum", 0, &["2 submissions, all as expected"]);
    fixture.check("judge sum a.sh", 0, &["AC", "accepted on 4 test cases"]);
    let cause = "wrong answer on secret/large/1: the output validator rejects it: \
                input 100000 1, wanted 100001, got 3, arguments";
    let note = "team message: │ do not give up";
    fixture.check("judge sum b.sh", 1, &["WA", cause, note]);
    fixture.write("sum/data/secret/large/1.yaml", "output_validator_args: [loud, 'a b']\n");
    fixture.check("judge sum b.sh", 1, &["arguments loud a b"]);
    let document = fixture.json("judge sum b.sh", 1);
    let case = &document["submissions"][0]["judgement"]["test_cases"][1];
    assert_eq!(case["verdict"], "WA");
    assert_eq!(case["team_message"], "do not give up\n");
    let message = case["message"].as_str().expect("a message");
    assert!(message.ends_with("arguments loud a b\n"), "{message}");
}

#[test]
fn limits_and_crashes_come_before_the_validator() {
    let fixture = fixture(VALIDATOR);
    let rows = [
        ("read -r a b; echo $((a + b)); exit 3", "RTE", "exit code 3"),
        ("read -r a b; echo $((a + b)); while :; do :; done", "TLE", ""),
        ("head -c 20000000 /dev/zero", "OLE", ""),
    ];
    fixture.judge_all("", "--time-limit 0.1", &rows);
}

/// 2025-09, "Working directory": an output validator has the files of the submission
#[test]
fn the_working_directory_of_a_validator_has_the_submissions_files() {
    let fixture = fixture(
        "#!/usr/bin/env bash\nls > \"${3}judgemessage.txt\"; echo ~ >> \"${3}judgemessage.txt\"\n\
         read -r line; [[ $line == $(cat \"$2\") ]] && exit 42; exit 43\n",
    );
    fixture.write("sub/main.sh", WRONG);
    fixture.write("sub/juror", "a file of this name is in the way\n");
    fixture.check("judge sum sub/main.sh", 1, &["judge message: │ juror │ main.sh │ /tmp"]);
    fixture.check("judge sum sub/main.sh --case secret/large/1", 1, &["main.sh"]);
}

#[test]
fn the_test_of_an_output_validator_has_a_submissions_files() {
    let fixture = fixture(
        "#!/usr/bin/env bash\nlong=$(wc -c < *.sh) || exit 1\n\
         read -r line; [[ $line == $(cat \"$2\") ]] && (( long < 40 )) && exit 42; exit 43\n",
    );
    fixture.check("verify sum", 0, &["all as expected"]);
    fixture.write("long.sh", format!("{RIGHT}# {}\n", "x".repeat(40)));
    fixture.check("judge sum long.sh", 1, &["WA"]);
}

/// 2025-09, "Working directory": a name both in `.files` and in an input validator is a judge error
#[test]
fn files_of_a_test_case_do_not_overwrite_an_input_validator() {
    let fixture = Fixture::new();
    fixture.write("sum/input_validators/other.sh", "exit 42\n");
    fixture.write("sum/data/secret/small/1.files/other.sh", "exit 43\n");
    fixture.check(
        "verify sum",
        4,
        &["cannot add a test case's `.files`", "`other.sh` is also a file of", "rename"],
    );
}

/// 2025-09, "Input validators": an input validator gets `input_validator_args`, then the case's
/// `args`, and its `.files`; in searches only the first
#[test]
fn an_input_validator_gets_the_arguments_and_files_of_the_case() {
    let fixture = Fixture::new();
    let validator = |says: &str| format!("echo \"$#:$*:$(cat more.txt)\" >&2\n{says}\n");
    fixture.write("sum/input_validators/more.sh", validator("exit 43"));
    fixture
        .write("sum/data/secret/small/1.yaml", "input_validator_args: [own, 'a b']\nargs: [x]\n");
    fixture.write("sum/data/secret/small/1.files/more.txt", "7\n");
    let expected = ["small/1.in", "input validator `more.sh` refuses it: 3:own a b x:7"];
    fixture.check("verify sum", 3, &expected);
}

#[test]
fn a_submission_never_sees_answer_or_feedback() {
    let fixture = fixture(VALIDATOR);
    fixture.write(
        "p.sh",
        "cat /box/juror/* ./juror/* ../juror/* /submission/* /program/../juror/*.ans 2>/dev/null; \
         if ls -R /box /submission 2>/dev/null | grep -q '[.]ans'; then echo found; fi\n",
    );
    fixture.check("judge sum p.sh", 1, &["WA", "wanted 3, got , arguments"]);
}

#[test]
fn input_and_output_files_work_with_a_validator() {
    let fixture = Fixture::with_files();
    set_validator(&fixture, VALIDATOR);
    fixture.check("verify sum", 0, &["all as expected"]);
    fixture.write("p.sh", "echo 3\n");
    fixture.check("judge sum p.sh", 1, &["`sum.out` is missing"]);
    fixture.write("p.sh", "cat sum.in > sum.out\n");
    fixture.check("judge sum p.sh", 1, &["wanted 3, got 1 2"]);
}

#[test]
fn feedback_is_saved_with_boxes() {
    let fixture = fixture(
        "#!/usr/bin/env bash\necho '<svg/>' > \"${3}judgeimage.svg\"; echo more > \"${3}notes\"; echo debug >&2\n\
         read -r line; [[ $line == $(cat \"$2\") ]] && exit 42; exit 43\n",
    );
    fixture.write("b.sh", WRONG);
    fixture.check(
        "judge sum b.sh --keep=kept",
        1,
        &[
            "images: judgeimage.svg",
            "standard error of the output validator: │ debug",
            "kept/b.sh/secret~-large~-1.validator/juror/feedback",
        ],
    );
    let feedback = "kept/b.sh/secret~-large~-1.validator/juror/feedback";
    let read = |name: &str| fs::read_to_string(fixture.path(&format!("{feedback}/{name}")));
    assert_eq!(read("judgeimage.svg").expect("an image"), "<svg/>\n");
    assert_eq!(read("notes").expect("notes"), "more\n");
}

/// Passes its test, and runs `fault` on the output 666.
fn validator_with_fault(fault: &str) -> String {
    format!(
        "#!/usr/bin/env bash\nread -r line; [[ $line == $(cat \"$2\") ]] && exit 42\n\
         [[ $line == 666 ]] || exit 43\necho 'what went wrong' >&2\n{fault}\n"
    )
}

#[test]
fn a_validator_that_breaks_down_is_a_judge_error() {
    let check = |fault: &str, message: &str| {
        let fixture = fixture(&validator_with_fault(fault));
        set_problem(&fixture, "", "  validation_time: 1\n  validation_output: 1\n");
        fixture.write("p.sh", "echo 666\n");
        let document = fixture.json("judge sum p.sh", 4);
        let error = &document["judge_errors"][0];
        assert_eq!(error["step"], "judge sample/1 with the output validator `validate`");
        assert!(error["reason"].as_str().is_some_and(|it| it.contains(message)), "{error:#}");
        assert_eq!(document["submissions"][0]["judgement"]["verdict"], serde_json::Value::Null);
        let stderr = error["program"]["stderr"]["text"].as_str().expect("a text");
        assert!(stderr.starts_with("what went wrong\n"), "{stderr}");
    };
    check("kill -SEGV $$", "it was killed by SIGSEGV");
    check("exit 0", "it ended with exit code 0; it must be 42");
    check("exit 1", "it ended with exit code 1; it must be 42");
    // On a busy machine the other limit may be reached first.
    check("while :; do :; done", "it exceeded a limit:");
    check("sleep 100", "more than 3.00 s on the wall clock");
    check("head -c 3000000 /dev/zero; exit 43", "it exceeded a limit: wrote more than the 1 MiB");
    check(
        "head -c 3000000 /dev/zero > \"${3}notes\"; exit 43",
        "it exceeded a limit: wrote more than the 1 MiB",
    );
    check("mkdir \"${3}score.txt\"; exit 43", "score.txt is a directory, not a file");
    check(
        "ln -s /etc/passwd \"${3}judgemessage.txt\"; exit 43",
        "judgemessage.txt is a symbolic link, not a file",
    );
    check("echo 1 > \"${3}nextpass.in\"; exit 42", "not of type multi-pass");
}

#[test]
fn a_validator_is_confined_to_its_files() {
    let fixture = fixture(
        "#!/usr/bin/env bash\nfor place in /etc/x /program/x /submission/x /x; do \
         { echo > $place && echo \"wrote $place\" >> \"${3}judgemessage.txt\"; } 2> /dev/null; done\n\
         cat /etc/shadow ../data/secret/*.ans /root/* >> \"${3}judgemessage.txt\" 2> /dev/null\n\
         read -r line; [[ $line == $(cat \"$2\") ]] && exit 42; exit 43\n",
    );
    fixture.write("b.sh", WRONG);
    let document = fixture.json("judge sum b.sh", 1);
    assert_eq!(document["submissions"][0]["judgement"]["test_cases"][1]["message"], "");
}

#[test]
fn an_output_validator_is_tested_before_it_judges() {
    let check = |validator: &str, code: i32, messages: &[&str]| {
        let fixture = fixture(&format!("#!/usr/bin/env bash\n{validator}\n"));
        fixture.write("a.sh", RIGHT);
        fixture.check("judge sum a.sh", code, messages);
    };
    let script = "sum/output_validator/validate";
    let rejects = "rejects sum/data/sample/1.ans as the output of sample/1";
    check("exit 43", 3, &[script, rejects]);
    // The validator confuses answer and output, which shows only if they differ.
    check(
        "read -r line < \"$1\"; [[ $line == $(cat \"$2\") ]] && exit 42; exit 43",
        3,
        &[script, rejects],
    );
    check("exit 42", 3, &[script, "accepts an empty output, on sample/1 and 2 more"]);
    check(
        "read -r line && exit 42; exit 43",
        3,
        &[script, "accepts nonsense as the output, on sample/1 and 2 more"],
    );
    check(
        "read -r line; echo oops >&2; [[ $line == $(cat \"$2\") ]] && exit 42; exit 1",
        0,
        &[script, "breaks down on an empty output, on sample/1: it ended with exit code 1", "oops"],
    );
    check("exit 1", 3, &[script, "breaks down on sum/data/sample/1.ans as the output"]);
    check("syntax error (", 3, &[script, "breaks down on"]);
}

#[test]
fn a_validator_may_accept_an_empty_output_if_the_package_says_so() {
    let validator = "#!/usr/bin/env bash\nread -r line; \
                     [[ -z $line || $line == $(cat \"$2\") ]] && exit 42; exit 43\n";
    let fixture = fixture(validator);
    fixture.write("a.sh", RIGHT);
    fixture.check("judge sum a.sh", 3, &["accepts an empty output"]);
    for (ending, text) in [("in", "1 2\n"), ("ans", "3\n"), ("out", "")] {
        fixture.write(&format!("sum/data/valid_output/empty.{ending}"), text);
    }
    fixture.check("judge sum a.sh", 0, &["AC"]);
}

#[test]
fn a_judge_answer_that_is_not_an_output_needs_an_out_file() {
    let validator = "#!/usr/bin/env bash\nread -r line; read -r _ right < \"$2\"; \
                     [[ $line == $right ]] && exit 42; exit 43\n";
    let fixture = fixture(validator);
    for (name, right) in [("sample/1", 3), ("secret/small/1", 13), ("secret/small/2", 0)] {
        fixture.write(&format!("sum/data/{name}.ans"), format!("hint {right}\n"));
    }
    fixture.write("sum/data/secret/large/1.ans", "hint 100001\n");
    fixture.write("a.sh", RIGHT);
    fixture.check("judge sum a.sh", 3, &["rejects", "next to it as .out"]);
    // If another text is shown, the answer may be anything.
    fixture.write("sum/data/sample/1.ans.statement", "3\n");
    fixture.write("sum/data/sample/1.ans.download", "3\n");
    fixture.check("judge sum a.sh", 0, &["warning: rejects", "AC"]);
    for ending in ["statement", "download"] {
        fixture.remove(&format!("sum/data/sample/1.ans.{ending}"));
    }
    fixture.write("sum/data/secret/small/1.out", "13\n");
    fixture.check("judge sum a.sh", 0, &["AC"]);
}

/// 2025-09, "Validation of shared test case files": a sample whose answer the output validator rejects is an error,
/// unless another text is shown
#[test]
fn sample_answers_must_be_right_outputs() {
    let fixture = fixture(
        "#!/usr/bin/env bash\nread -r line; read -r right < \"$2\"; [[ $line == ${right#hint } ]] && exit 42; exit 43\n",
    );
    fixture.check("verify sum", 0, &["all as expected"]);
    fixture.write("sum/data/secret/small/1.ans", "hint 13\n");
    fixture.check("verify sum", 0, &["all as expected"]);
    fixture.write("sum/data/sample/1.ans", "hint 3\n");
    fixture.write("sum/data/sample/0.in", "0 1\n");
    fixture.write("sum/data/sample/0.ans", "1\n");
    let parts = ["sum/data/sample/1.ans", "the output validator `validate` rejects it"];
    fixture.check("verify sum", 3, &parts);
    fixture.write("sum/data/sample/1.out", "3\n");
    fixture.check("verify sum", 0, &["all as expected"]);
}

#[test]
fn a_validator_that_does_not_build_is_reported() {
    let fixture = fixture(VALIDATOR);
    fixture.write("sum/output_validator/validate/build", "#!/bin/sh\necho no luck >&2\nexit 1\n");
    fixture.make_executable("sum/output_validator/validate/build");
    fixture.write("a.sh", RIGHT);
    fixture.check("judge sum a.sh", 3, &["the output validator does not build", "no luck"]);
}

#[test]
fn declared_valid_and_invalid_outputs_are_checked() {
    let fixture = fixture(VALIDATOR);
    let case = |directory: &str, output: &str| {
        for (ending, text) in [("in", "1 2\n"), ("ans", "3\n"), ("out", output)] {
            fixture.write(&format!("sum/data/{directory}.{ending}"), text);
        }
    };
    case("valid_output/spaces", "  3\n");
    case("invalid_output/four", "4\n");
    fixture.check("verify sum", 0, &["no errors, no warnings"]);
    case("valid_output/four", "4\n");
    case("invalid_output/three", "3\n");
    fixture.check(
        "verify sum",
        3,
        &[
            "sum/data/valid_output/four.out",
            "the output validator `validate` rejects it: input 1 2, wanted 3, got 4",
            "sum/data/invalid_output/three.out",
            "the output validator `validate` accepts this invalid output",
        ],
    );
    fs::remove_dir_all(fixture.path("sum/data/valid_output")).expect("a directory");
    fs::remove_dir_all(fixture.path("sum/data/invalid_output")).expect("a directory");
    set_validator(&fixture, &validator_with_fault("exit 7"));
    case("invalid_output/beast", "666\n");
    fixture.check(
        "verify sum",
        3,
        &["the output validator `validate` breaks down on it: it ended with exit code 7"],
    );
}

#[test]
fn verify_shows_a_judge_error_with_its_repeat_line() {
    let fixture = fixture(&validator_with_fault("exit 0"));
    fixture.write("sum/submissions/wrong_answer/beast.sh", "echo 666\n");
    fixture.check(
        "verify sum",
        4,
        &[
            "no verdict for wrong_answer/beast.sh",
            "repeat: juror judge sum sum/submissions/wrong_answer/beast.sh --case sample/1",
        ],
    );
}

#[test]
fn expectations_can_match_the_message() {
    let fixture = fixture(VALIDATOR);
    let expect = |message: &str| {
        let rules = format!("wrong_answer/wrong.sh:\n  message: '{message}'\n");
        fixture.write("sum/submissions/submissions.yaml", rules);
    };
    expect("wanted 13, got 3");
    fixture.check("verify sum", 0, &["all as expected"]);
    expect("wanted 14, got 3");
    fixture.check("verify sum", 1, &["should contain `wanted 14, got 3`"]);
}

/// Counts down from the input: each pass must print the number, and the next number is one less.
const MULTI_PASS_VALIDATOR: &str = r#"#!/usr/bin/env bash
read -r line || line=
number=$(cat "$1")
echo "pass with $number: $line" >> "${3}judgemessage.txt"
echo x >> "${3}state"
[[ $line == "$number" ]] || exit 43
(( number > 0 )) && echo $(( number - 1 )) > "${3}nextpass.in"
exit 42
"#;

#[test]
fn a_multi_pass_problem_runs_until_no_next_pass() {
    let fixture = fixture(MULTI_PASS_VALIDATOR);
    set_problem(&fixture, "type: multi-pass\n", "  validation_passes: 3\n");
    for name in ["sample/1", "secret/small/1", "secret/small/2", "secret/large/1"] {
        fixture.write(&format!("sum/data/{name}.in"), "2\n");
    }
    fixture.write("sum/input_validators/validate/run", "#!/bin/sh\nexit 42\n");
    fixture.write("a.sh", "cat\n");
    fixture.write("b.sh", "echo 2\n");
    fixture.write("c.sh", "read -r n; (( n > 1 )) || exit 9; echo $n\n");
    fixture.check("judge sum a.sh", 0, &["AC", "accepted on 4 test cases"]);
    let message = "judge message: │ pass with 2: 2 │ pass with 1: 2";
    let shown = ["WA", "in pass 2: the output validator rejects it: pass with 1: 2", message];
    fixture.check("judge sum b.sh", 1, &shown);
    let report = fixture.json("judge sum b.sh", 1);
    let case = &report["submissions"][0]["judgement"]["test_cases"][0];
    let transcript = &case["evidence"]["transcript"];
    let line = |part: &str| {
        let line = &transcript[part][0];
        (line["by"].clone(), line["line"]["text"].clone())
    };
    let own = ("output_validator".into(), "1".into());
    assert_eq!(line("first"), own, "{report:#}");
    assert_eq!(line("last"), ("submission".into(), "2".into()));
    fixture.check("judge sum b.sh --keep=kept", 1, &[message]);
    assert_eq!(fixture.read("kept/b.sh/sample~-1.interaction"), "<2\n>2\n---\n<1\n>2\n");
    let passes = fixture.path("kept/b.sh/sample~-1.pass2.interaction");
    assert!(!passes.exists(), "one for the run");
    let state = "kept/b.sh/sample~-1.validator.pass2/juror/feedback/state";
    assert_eq!(fs::read(fixture.path(state)).expect("a file"), b"x\nx\n");
    // The message of the first pass stays.
    fixture.check("judge sum c.sh", 1, &["RTE", "exit code 9", "judge message: │ pass with 2: 2"]);
    fixture.write("sum/data/secret/large/1.in", "3\n");
    fixture.check(
        "judge sum a.sh",
        4,
        &["judge secret/large/1 with", "in the last pass that the problem allows"],
    );
}

#[test]
fn large_outputs_reach_the_validator() {
    let fixture = fixture(
        "#!/usr/bin/env bash\nif [[ $(cat \"$1\") == '1 2' ]]; then read -r line; \
         [[ $line == 3 ]] && exit 42; exit 43; fi\n[[ $(tr -d -c x | wc -c) == 3000000 ]] && exit 42; exit 43\n",
    );
    let program = |number: u32| {
        format!("read -r a b; [[ $a == 1 ]] && echo 3 || head -c {number} /dev/zero | tr '\\0' x\n")
    };
    fixture.write("p.sh", program(3_000_000));
    fixture.check("judge sum p.sh", 0, &["AC"]);
    fixture.write("p.sh", program(2_999_999));
    fixture.check("judge sum p.sh", 1, &["WA"]);
}

/// The same validator in several languages, by file name.
const LANGUAGES: [(&str, &str, &str); 4] = [
    (
        "validate.py",
        "python3",
        "import sys\n\
         got = sys.stdin.buffer.read().split()\n\
         want = open(sys.argv[2], 'rb').read().split()\n\
         print(got, file=open(sys.argv[3] + 'judgemessage.txt', 'w'))\n\
         sys.exit(42 if got == want else 43)\n",
    ),
    (
        "validate.cpp",
        "c++",
        "#include <fstream>\n#include <iostream>\n#include <string>\n\
         int main(int, char** argv) {\n  std::ifstream answer(argv[2]);\n  std::string got, want;\n\
         std::cin >> got; answer >> want;\n  \
         std::ofstream(std::string(argv[3]) + \"judgemessage.txt\") << got;\n  return got == want ? 42 : 43;\n}\n",
    ),
    (
        "validate.rs",
        "rustc",
        "use std::io::Read;\nfn main() {\n  let args: Vec<String> = std::env::args().collect();\n  \
         let mut got = Vec::new();\n  std::io::stdin().read_to_end(&mut got).unwrap();\n  \
         let want = std::fs::read(&args[2]).unwrap();\n  \
         std::fs::write(format!(\"{}judgemessage.txt\", args[3]), &got).unwrap();\n  \
         std::process::exit(if got == want { 42 } else { 43 });\n}\n",
    ),
    (
        "validate.c",
        "cc",
        "#include <stdio.h>\n#include <string.h>\n\
         int main(int argc, char **argv) {\n  char got[100] = \"\", want[100] = \"\";\n  \
         FILE *answer = fopen(argv[2], \"r\");\n  if (argc < 4 || !answer || fscanf(answer, \"%99s\", want) != 1) return 1;\n  \
         if (scanf(\"%99s\", got) != 1) return 43;\n  return strcmp(got, want) == 0 ? 42 : 43;\n}\n",
    ),
];

#[test]
fn validators_may_be_in_any_language() {
    for (name, tool, source) in LANGUAGES {
        let fixture = Fixture::new();
        let path = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&path).any(|dir| dir.join(tool).is_file()) {
            fixture.announce_skip(&format!("{name} needs {tool}"));
            continue;
        }
        fixture.write(&format!("sum/output_validator/{name}"), source);
        fixture.check("verify sum", 0, &["2 submissions, all as expected"]);
    }
}
