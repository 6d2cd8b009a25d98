//! Problems whose submissions are answers.

use crate::fixture::{Fixture, RIGHT};

const ANSWERS: [(&str, &str); 4] = [
    ("sample/1.out", "3\n"),
    ("small/1.out", "13\n"),
    ("small/2.out", "0\n"),
    ("large/1.ans", "100001\n"),
];

/// The package `sum`, changed so that submissions are answers.
fn answers_fixture() -> Fixture {
    let fixture = Fixture::new();
    let problem = fixture.read("sum/problem.yaml");
    fixture.write("sum/problem.yaml", format!("{problem}type: submit-answer\n"));
    fixture.remove("sum/submissions/accepted/right.sh");
    fixture.remove("sum/submissions/wrong_answer/wrong.sh");
    write_answers(&fixture, "sum/submissions/accepted/all");
    write_answers(&fixture, "sum/submissions/wrong_answer/one");
    fixture.write("sum/submissions/wrong_answer/one/small/2.out", "1\n");
    fixture
}

fn write_answers(fixture: &Fixture, dir: &str) {
    for (name, text) in ANSWERS {
        fixture.write(&format!("{dir}/{name}"), text);
    }
}

#[test]
fn answers_are_judged_and_nothing_runs() {
    let fixture = answers_fixture();
    let messages = ["2 submissions, all as expected", "not used: submissions are answers"];
    fixture.check("verify sum", 0, &messages);
    write_answers(&fixture, "mine");
    fixture.check("judge sum mine", 0, &["AC", "accepted on 4 test cases"]);
    fixture.remove("mine/small/2.out");
    let missing = "wrong answer on secret/small/2: no answer: `small/2.out` is missing";
    fixture.check("judge sum mine", 1, &["WA", missing]);
    fixture.write("mine/small/2.out", "1\n");
    let wrong = "wrong answer on secret/small/2";
    let repeat = "juror judge sum mine --case secret/small/2";
    fixture.check("judge sum mine", 1, &[wrong, "expected `0`, got `1`", repeat]);
    // A file is a directory with that file.
    fixture.write("1.out", "100001\n");
    let document = fixture.json("judge sum 1.out", 1);
    assert_eq!(document["submissions"][0]["judgement"]["verdict"], "WA");
    // The file looks like a script, but it is not started.
    fixture.write("mine/run", RIGHT);
    fixture.make_executable("mine/run");
    fixture.write("mine/small/2.out", "0\n");
    fixture.check("judge sum mine", 0, &["AC"]);
}

#[test]
fn an_output_validator_gets_the_answer_and_the_files() {
    let fixture = answers_fixture();
    fixture.write(
        "sum/output_validator/validate/run",
        "#!/usr/bin/env bash\nread -r line; [[ $line == $(cat \"$2\") ]] && exit 42\n\
         echo \"got $line beside\" * > \"${3}judgemessage.txt\"; exit 43\n",
    );
    fixture.make_executable("sum/output_validator/validate/run");
    fixture.check("verify sum", 0, &["2 submissions, all as expected"]);
    let cause = "the output validator rejects it: got 1 beside juror large sample small";
    fixture.check("judge sum wrong_answer/one", 1, &["WA", cause]);
}

#[test]
fn a_program_is_refused_as_a_submission() {
    let fixture = answers_fixture();
    let expected = "submissions to this problem are answers, not programs";
    fixture.check("judge sum -- cat", 2, &[expected]);
    fixture.check("stress sum accepted/all", 2, &[expected]);
}

#[test]
fn the_code_limit_applies_if_the_package_has_one() {
    let fixture = answers_fixture();
    write_answers(&fixture, "mine");
    fixture.write("mine/notes", vec![b' '; 2 << 20]);
    fixture.check("judge sum mine", 0, &["AC"]);
    let problem = fixture.read("sum/problem.yaml").replace("limits:\n", "limits:\n  code: 8\n");
    fixture.write("sum/problem.yaml", problem);
    fixture.check("judge sum mine", 1, &["CE", "of source code, 8 KiB allowed"]);
}
