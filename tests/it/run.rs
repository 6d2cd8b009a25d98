//! `juror run` and `juror show`.

use crate::fixture::{Fixture, RIGHT};
use crate::interactive;

/// Returns the exit code, standard output and standard error.
fn run_juror(fixture: &Fixture, arguments: &str, input: &str) -> (Option<i32>, String, String) {
    let output = fixture.juror(arguments).write_stdin(input).output().expect("juror runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn program_output_is_passed_on_unchanged() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    fixture.write("1.txt", "20 22\n");
    let check = |arguments: &str, input: &str, code: i32, out: &str, messages: &[&str]| {
        let (ended, written, errors) = run_juror(&fixture, &format!("run sum {arguments}"), input);
        assert_eq!((ended, &*written), (Some(code), out), "{arguments}: {errors}");
        for piece in messages {
            assert!(errors.contains(piece), "{arguments} lacks `{piece}`: {errors}");
        }
    };
    let facts = ["exit code 0", "CPU time ", "memory "];
    check("a.sh --input 1.txt", "", 0, "42\n", &facts);
    check("a.sh", "1 2\n", 0, "3\n", &["a.sh on standard input: exit code 0"]);
    check("a.sh --input -", "1 2\n", 0, "3\n", &[]);
    check("a.sh --case secret/large/1", "", 0, "100001\n", &["on secret/large/1"]);
    check("a.sh --case data/secret/large/1.in", "", 0, "100001\n", &[]);
    check("accepted/right.sh --case sample/1", "", 0, "3\n", &[]);
    check("a.sh --case sample/1 -q", "", 0, "3\n", &[]);
    fixture.write("a.sh", "printf 'no line \\xff\\x1b end'; echo -e '\\x1b[31mred' >&2; exit 7\n");
    let output = fixture.juror("run sum a.sh --case sample/1").output().expect("juror runs");
    assert_eq!(output.stdout, b"no line \xff\x1b end");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("a.sh on sample/1: exit code 7"), "{errors}");
    assert!(errors.contains("\\x1b[31mred") && !errors.contains('\x1b'), "{errors}");
    assert_eq!(output.status.code(), Some(1));
    fixture.write("a.sh", "while :; do :; done\n");
    check("a.sh --case sample/1 --time-limit 0.1", "", 1, "", &["of CPU time"]);
}

#[test]
fn the_output_of_a_run_is_shown_however_it_ends() {
    let fixture = Fixture::new();
    let check = |program: &str, code: i32, out: &str, message: &str| {
        fixture.write("a.sh", program);
        let line = "run sum a.sh --case sample/1 --time-limit 0.2";
        let (ended, written, errors) = run_juror(&fixture, line, "");
        assert_eq!((ended, &*written), (Some(code), out), "{program}: {errors}");
        assert!(errors.contains(message), "{program}: {errors}");
    };
    check("echo early; while :; do :; done\n", 1, "early\n", "of CPU time");
    check("echo early; kill -SEGV $$\n", 1, "early\n", "SIGSEGV");
    check("echo early; exit 3\n", 1, "early\n", "exit code 3");
    check("echo early; exec sleep 100000\n", 1, "early\n", "a.sh on sample/1");
    check("echo early; exec >&-; exit 0\n", 0, "early\n", "exit code 0");
}

#[test]
fn output_files_are_shown() {
    let fixture = Fixture::with_files();
    let expected = ["exit code 0", "sum.out:", "3"];
    fixture.check("run sum accepted/right.sh --case sample/1", 0, &expected);
    fixture.write("a.sh", "echo hidden\n");
    fixture.check("run sum a.sh --case sample/1", 0, &["`sum.out` is missing"]);
    let document = fixture.json("run sum accepted/right.sh --case sample/1", 0);
    assert_eq!(document["file"]["contents"]["text"], "3\n");
    assert_eq!(document["outcome"]["ending"]["exit_code"], 0);
}

#[test]
fn impossible_runs_are_refused_with_a_reason() {
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    fixture.write("broken.c", "int main(void) { return }\n");
    let check =
        |arguments: &str, code: i32, messages: &[&str]| fixture.check(arguments, code, messages);
    check("run sum", 2, &["give one: juror run sum SUBMISSION"]);
    check("run sum absent.sh", 2, &["submission not found: absent.sh"]);
    check(
        "run sum a.sh --input absent.txt",
        2,
        &["--input: cannot read absent.txt", "give a file"],
    );
    check("run sum a.sh --input 1 --case sample/1", 2, &["cannot be used with"]);
    check(
        "run sum a.sh --case sample/2",
        5,
        &["`sample/2` is not a test case of sum", "did you mean `sample/1`"],
    );
    check("run sum a.sh --case else/where/9", 5, &["names look like `sample/1`"]);
    check("run --play sum", 2, &["--play is only for interactive problems"]);
    check("run nowhere a.sh", 3, &["nowhere"]);
    check("run sum broken.c --case sample/1", 1, &["the submission does not build", "broken.c"]);
}

#[test]
fn an_interactive_problem_is_played_by_hand() {
    let fixture = interactive::fixture();
    let check = |arguments: &str, input: &str, code: i32, out: &str, messages: &[&str]| {
        let (ended, written, errors) = run_juror(&fixture, arguments, input);
        assert_eq!((ended, &*written), (Some(code), out), "{arguments}: {errors}");
        for piece in messages {
            assert!(errors.contains(piece), "{arguments} lacks `{piece}`: {errors}");
        }
    };
    // The person plays the interactor, or the submission.
    check("run sum accepted/right.sh", "20 22\n", 0, "42\n", &["exit code 0"]);
    let accepts = ["the output validator accepts what you did"];
    check("run --play sum --case secret/small/1", "13\n", 0, "5 8\n", &accepts);
    check("run --play sum", "3\n", 0, "1 2\n", &["validate on sample/1"]);
    let rejects = ["rejects what you did", "judge message:", "14 is not 13"];
    check("run --play sum --case secret/small/1", "14\n", 1, "5 8\n", &rejects);
    check("run --play sum --case secret/small/1", "", 1, "5 8\n", &["no answer"]);
    // Without a person, a file has the whole input.
    fixture.write("said.txt", "1 2\n");
    check("run sum accepted/right.sh --input said.txt", "", 0, "3\n", &[]);
}

#[test]
fn a_package_is_shown_as_a_tree() {
    let fixture = Fixture::new();
    fixture.write("sum/data/sample/1.yaml", "description: The smallest\nhint: 'Add: both'\n");
    let all = [
        "sum: Sum",
        "type:    pass-fail",
        "CPU time 1 s, memory 256 MiB, output 8 MiB",
        "sample  1 test case",
        "1  4 B  2 B  The smallest",
        "secret/small  2 test cases",
        "invalid_input  1 test case",
        "2 submissions",
        "accepted/right.sh      permitted AC",
        "wrong_answer/wrong.sh  permitted AC, WA; required WA",
        "input validator  input_validators/validate",
    ];
    fixture.check("show sum", 0, &all);
    let case = ["sample/1", "The smallest", "Add: both", "input  4 B  sum/data/sample/1.in", "1 2"];
    fixture.check("show sum sample/1", 0, &case);
    fixture.check("show sum data/secret/small/1.in", 0, &["5 8", "judge answer", "13"]);
    fixture.check("show sum secret/smal/1", 5, &["did you mean `secret/small/1`"]);
    fixture.check("show nowhere", 3, &["nowhere"]);
    fixture.check("show sum --all", 2, &["<CASE>"]);
    fixture.write("sum/data/sample/1.in", format!("1 2\x1b[31m{}\n", " 3".repeat(5000)));
    fixture.check("show sum sample/1", 0, &["1 2\\x1b[31m 3 3", "more; --all shows them"]);
    let document = fixture.json("show sum sample/1 --all", 0);
    let input = &document["case"]["files"][0];
    assert_eq!(input["left_out_bytes"], 0);
    assert_eq!(input["bytes"], input["contents"]["text"].as_str().expect("a text").len());
    assert_eq!(document["groups"][0]["cases"][0]["description"], "The smallest");
}

#[test]
fn verify_lists_the_next_steps_of_an_unfinished_package() {
    let fixture = Fixture::new();
    let next = |arguments: &str, code: i32| {
        let document = fixture.json(arguments, code);
        let steps = document["next"].as_array().cloned().unwrap_or_default();
        let steps = steps.iter().map(|step| step["what"].as_str().expect("a text"));
        steps
            .map(|what| what.split([':', ' ']).take(3).collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    assert_eq!(next("verify sum", 0), [""; 0]);
    fixture.write("new/problem.yaml", fixture.read("sum/problem.yaml"));
    let all = [
        "write the statement",
        "describe the input",
        "write a solution",
        "add test cases",
        "add a sample",
        "add a wrong",
    ];
    assert_eq!(next("verify new", 3), all);
    fixture.check("verify new", 3, &["next:", "1. write the statement: statement/problem.en.md"]);
    fixture.write("new/statement/problem.en.md", "Add.\n");
    fixture.write("new/input_validators/sum.ctd", "INT(0, 9, a) SPACE INT(0, 9, b) NEWLINE\n");
    fixture.write("new/submissions/accepted/right.sh", RIGHT);
    assert_eq!(next("verify new", 3), ["make a first", "add a sample", "add a wrong"]);
    fixture.check("verify new", 3, &["juror generate new --from-grammar"]);
    fixture.write(
        "new/generators/generators.yaml",
        "data: {secret: {data: {one: {in: '1 2', ans: '3'}}}}\n",
    );
    assert_eq!(next("verify new", 3), ["make the test", "add a wrong"]);
    fixture.check("generate new", 0, &["1 created"]);
    // The missing part is now a remark instead of an error.
    assert_eq!(next("verify new", 0), ["add a sample", "add a wrong"]);
}
