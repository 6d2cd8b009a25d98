//! Scoring problems: points by group, skipped runs, expected scores, and output validators with scores.

use serde_json::Value;

use crate::fixture::{Fixture, RIGHT};

/// Right if both numbers are at most 9.
pub(crate) const UP_TO_9: &str =
    "read -r a b; if (( a < 10 && b < 10 )); then echo $((a + b)); else echo 0; fi\n";
/// Wrong on `1 1`.
pub(crate) const NOT_1_1: &str = "read -r a b; [[ $a$b == 11 ]] && echo 3 || echo $((a + b))\n";

const VALIDATOR: &str =
    "#!/usr/bin/env bash\nread -r line; [[ $line == $(cat \"$2\") ]] && exit 42; exit 43\n";

/// The groups are `a` with 40 points or none, `b` with 30 points, 10 for each case, and `c` with up to 30 points, the
/// minimum of its cases.
pub(crate) fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let path = fixture.path("sum/problem.yaml");
    let problem = std::fs::read_to_string(path).expect("a package");
    fixture.write("sum/problem.yaml", format!("{problem}type: scoring\n"));
    for old in ["small/1", "small/2", "large/1"] {
        for ending in ["in", "ans"] {
            fixture.remove(&format!("sum/data/secret/{old}.{ending}"));
        }
    }
    for directory in ["small", "large"] {
        std::fs::remove_dir(fixture.path(&format!("sum/data/secret/{directory}"))).expect("empty");
    }
    for (name, input, answer) in [
        ("a/1", "1 1\n", "2\n"),
        ("a/2", "2 2\n", "4\n"),
        ("b/1", "3 3\n", "6\n"),
        ("b/2", "10 3\n", "13\n"),
        ("b/3", "4 4\n", "8\n"),
        ("c/1", "5 5\n", "10\n"),
        ("c/2", "20 1\n", "21\n"),
        ("c/3", "6 6\n", "12\n"),
    ] {
        fixture.write(&format!("sum/data/secret/{name}.in"), input);
        fixture.write(&format!("sum/data/secret/{name}.ans"), answer);
    }
    write_group(&fixture, "a", "max_score: 40\nrequire_pass: sample\n");
    write_group(&fixture, "b", "max_score: 30\nscore_aggregation: sum\nrequire_pass: secret/a\n");
    write_group(&fixture, "c", "max_score: 30\nscore_aggregation: min\n");
    fixture
}

fn write_group(fixture: &Fixture, name: &str, text: &str) {
    fixture.write(&format!("sum/data/secret/{name}/test_group.yaml"), text);
}

fn set_validator(fixture: &Fixture, validator: &str) {
    fixture.write("sum/output_validator/validate/run", validator);
    fixture.make_executable("sum/output_validator/validate/run");
}

/// The score; then score and state of each group.
fn score_summary(document: &Value) -> String {
    let submission = &document["submissions"][0]["judgement"];
    let score = &submission["score"];
    let mut text = score["points"].to_string();
    for group in score["groups"].as_array().expect("groups") {
        let run = group["run"].as_str().unwrap_or("barred");
        text.push_str(&format!(" {} {run}", group["points"]));
    }
    let run = submission["test_cases"].as_array().expect("cases").len();
    format!("{text}; {run} run, {} skipped", submission["skipped"])
}

#[test]
fn points_are_by_group_and_irrelevant_cases_are_not_run() {
    let fixture = fixture();
    let check = |program: &str, options: &str, code: i32, expected: &str| {
        fixture.write("p.sh", program);
        let document = fixture.json(&format!("judge sum p.sh {options}"), code);
        assert_eq!(score_summary(&document), expected);
    };
    check(RIGHT, "", 0, "100.0 40.0 all 30.0 all 30.0 all; 9 run, 0 skipped");
    check(UP_TO_9, "", 1, "60.0 40.0 all 20.0 all 0.0 part; 8 run, 1 skipped");
    check(UP_TO_9, "--all", 1, "60.0 40.0 all 20.0 all 0.0 all; 9 run, 0 skipped");
    check(NOT_1_1, "", 1, "30.0 0.0 part 0.0 barred 30.0 all; 5 run, 4 skipped");
    check(NOT_1_1, "--all", 1, "30.0 0.0 all 0.0 barred 30.0 all; 6 run, 3 skipped");
    check("echo 0\n", "", 1, "0.0 0.0 barred 0.0 barred 0.0 part; 2 run, 7 skipped");
    check(RIGHT, "--case secret/b", 0, "null null part 30.0 all null part; 3 run, 0 skipped");
    check(
        "while :; do :; done\n",
        "--time-limit 0.1 --case secret/c",
        1,
        "null null part null part 0.0 part; 1 run, 2 skipped",
    );
    fixture.write("p.sh", NOT_1_1);
    fixture.check(
        "judge sum p.sh",
        1,
        &[
            "score 30 of 100",
            "secret/a 0 of 40 not all run",
            "secret/b 0 of 30 not run: secret/a was not passed",
            "secret/c 30 of 30",
            "4 not run: no effect on the score",
        ],
    );
    fixture.write("p.c", "int main(void) { return }\n");
    let document = fixture.json("judge sum p.c", 1);
    let submission = &document["submissions"][0]["judgement"];
    assert_eq!(submission["verdict"], "CE");
    assert_eq!(submission["score"]["points"], 0.0);
}

#[test]
fn expected_scores_are_compared_with_actual_scores() {
    let fixture = fixture();
    fixture.write("sum/submissions/rejected/up_to_9.sh", UP_TO_9);
    fixture.write("sum/submissions/rejected/not_1_1.sh", NOT_1_1);
    fixture.remove("sum/submissions/wrong_answer/wrong.sh");
    let check = |rules: &str, code: i32, messages: &[&str]| {
        fixture.write("sum/submissions/submissions.yaml", rules);
        fixture.check("verify sum", code, messages);
    };
    check(
        "accepted: {score: 100}\nrejected/up_to_9.sh:\n  score: [50, 60]\n  secret/b: {score: 20}\n  secret/c: {score: 0}\n  secret: {score: 60}\n\
         rejected/not_1_1.sh:\n  score: 30\n  secret/a: {required: [WA]}\n  secret/b: {permitted: [AC, WA], score: 0}\n",
        0,
        &["3 submissions, all as expected; no errors, no warnings"],
    );
    check(
        "rejected/up_to_9.sh:\n  secret/b/2: {score: 20}\n  sample: {score: 1}\n",
        0,
        &[
            "`secret/b/2` does not name a group with a score",
            "help: did you mean `secret/b`?",
            "`sample` does not name a group with a score",
        ],
    );
    check(
        "rejected/up_to_9.sh:\n  score: [0, 59]\n  secret/*: {score: 20}\n",
        1,
        &[
            "broken: rejected/up_to_9.sh: expected a score of 0 to 59; got 60",
            "broken: rejected/up_to_9.sh, secret/*: expected a score of secret/a of 20; got 40",
            "expected a score of secret/c of 20; got 0",
        ],
    );
    check(
        "rejected/not_1_1.sh:\n  secret/b: {permitted: [AC]}\n",
        1,
        &[
            "permitted AC; secret/b/1 was not run because secret/a was not passed; it counts as not accepted",
        ],
    );
    check(
        "rejected/not_1_1.sh:\n  secret/b/2: {required: [TLE]}\n",
        1,
        &[
            "required TLE on at least one case; got none; 1 case not run, because secret/a was not passed",
        ],
    );
    check(
        "rejected/not_1_1.sh:\n  secret/b: {required: [WA, TLE, RTE]}\n",
        0,
        &["all as expected"],
    );
}

#[test]
fn unknown_points_break_no_expectation() {
    let fixture = fixture();
    fixture.remove("sum/submissions/wrong_answer/wrong.sh");
    fixture.write("sum/submissions/rejected/not_1_1.sh", NOT_1_1);
    let rules = "rejected/not_1_1.sh:\n  secret/b: {score: 0}\n  secret/c: {score: 30}\n";
    fixture.write("sum/submissions/submissions.yaml", rules);
    fixture.check("verify sum", 0, &["all as expected"]);
    fixture.check("verify sum --case secret/b", 0, &["no expectation broken"]);
    fixture.write("sum/submissions/submissions.yaml", rules.replace("30", "20"));
    fixture.check("verify sum --case secret/c", 1, &["expected a score of secret/c of 20"]);
}

#[test]
fn a_group_without_points_still_decides_verdicts() {
    let fixture = fixture();
    write_group(&fixture, "c", "max_score: 0\nscore_aggregation: min\n");
    write_group(&fixture, "a", "max_score: 70\nrequire_pass: sample\n");
    fixture.write("a.sh", "read -r a b; (( a == 20 )) && echo 0 || echo $((a + b))\n");
    let expected = ["WA", "secret/c/2", "100 of 100"];
    fixture.check("judge sum a.sh", 1, &expected);
    fixture.check("judge sum a.sh --all", 1, &expected);
}

#[test]
fn an_output_validator_can_give_scores() {
    let fixture = fixture();
    let check = |says: &str, expected: &str| {
        let validator = VALIDATOR.replace("&& exit 42", &format!("&& {{ {says}; exit 42; }}"));
        set_validator(&fixture, &validator);
        fixture.write("p.sh", RIGHT);
        let document = fixture.json("judge sum p.sh", 0);
        assert_eq!(score_summary(&document), expected, "{says}");
    };
    check(":", "100.0 40.0 all 30.0 all 30.0 all; 9 run, 0 skipped");
    check(
        "[[ $line == 8 ]] && echo 2.5 > \"${3}score.txt\"",
        "92.5 40.0 all 22.5 all 30.0 all; 9 run, 0 skipped",
    );
    check(
        "(( line > 4 )) && echo 0.5 > \"${3}score_multiplier.txt\"",
        "70.0 40.0 all 15.0 all 15.0 all; 9 run, 0 skipped",
    );
    // Samples have no score, even if the validator gives one.
    check(
        "[[ $line == 3 ]] && echo junk > \"${3}score.txt\"",
        "100.0 40.0 all 30.0 all 30.0 all; 9 run, 0 skipped",
    );
    check(
        "[[ $line == 10 ]] && echo 0 > \"${3}score.txt\"",
        "70.0 40.0 all 30.0 all 0.0 all; 9 run, 0 skipped",
    );
}

#[test]
fn invalid_scores_of_an_output_validator_are_judge_errors() {
    let fixture = fixture();
    let check = |accepted: &str, rejected: &str, case: &str, message: &str| {
        let validator = VALIDATOR
            .replace("&& exit 42", &format!("&& {{ {accepted}; exit 42; }}"))
            .replace("; exit 43", &format!("; {rejected}; exit 43"));
        set_validator(&fixture, &validator);
        fixture.write("p.sh", "read -r a b; (( a == 20 )) && echo 7 || echo $((a + b))\n");
        fixture.check(
            "judge sum p.sh",
            4,
            &[
                "no verdict for p.sh",
                &format!("judge {case} with"),
                message,
                &format!("--case {case}"),
            ],
        );
    };
    let on = |line: u32, file: &str, text: &str| {
        format!("[[ $line == {line} ]] && printf '{text}' > \"${{3}}{file}\"")
    };
    check(
        &on(6, "score.txt", "ten\\nor so"),
        ":",
        "secret/b/1",
        "its score.txt is \"ten\\nor so\", not a single number of at least 0",
    );
    check(&on(6, "score.txt", &"0".repeat(5000)), ":", "secret/b/1", "longer than 4 KiB");
    check(&on(6, "score.txt", "11"), ":", "secret/b/1", "more than the 10 of the test case");
    check(&on(6, "score_multiplier.txt", "1.01"), ":", "secret/b/1", "more than 1");
    check(&on(2, "score.txt", "1"), ":", "secret/a/1", "for a test case that has no points");
    check(
        &(on(6, "score.txt", "1") + ";" + &on(6, "score_multiplier.txt", "1")),
        ":",
        "secret/b/1",
        "it wrote both score.txt and score_multiplier.txt",
    );
    check(":", &on(7, "score.txt", "0"), "secret/c/2", "for an output that it rejects");
    write_group(&fixture, "c", "max_score: unbounded\nscore_aggregation: min\n");
    fixture.write("sum/data/secret/test_group.yaml", "max_score: unbounded\n");
    check(":", ":", "secret/c/1", "it wrote no score.txt for an output that it accepts");
    check(
        &on(10, "score_multiplier.txt", "1"),
        ":",
        "secret/c/1",
        "in a group without a greatest score",
    );
}

/// 2025-09, "Reporting additional feedback": `score.txt` on one test case and `score_multiplier.txt` on another are a judge error
#[test]
fn scores_that_contradict_each_other_are_a_judge_error() {
    let fixture = fixture();
    fixture.write("p.sh", RIGHT);
    let validator =
        |accepted: &str| VALIDATOR.replace("&& exit 42", &format!("&& {{ {accepted}; exit 42; }}"));
    let one = "[[ $line == 6 ]] && echo 1 > \"${3}score.txt\"";
    let other = "[[ $line == 8 ]] && echo 1 > \"${3}score_multiplier.txt\"";
    set_validator(&fixture, &validator(&format!("{one}; {other}")));
    fixture.check(
        "judge sum p.sh",
        4,
        &["it wrote score.txt on secret/b/1 and score_multiplier.txt on secret/b/3"],
    );
    fixture.write("sum/data/secret/test_group.yaml", "max_score: 90\n");
    fixture.write("sum/output_validator/validate/run", VALIDATOR);
    fixture.check(
        "judge sum p.sh",
        4,
        &["the score of secret is 100, more than its greatest score of 90"],
    );
}

#[test]
fn scores_may_have_no_bound() {
    let fixture = fixture();
    let validator = VALIDATOR.replace(
        "&& exit 42",
        "&& { [[ $1 == */c/* || $line == 10 || $line == 21 || $line == 12 ]] && echo $((line * 100)) > \"${3}score.txt\"; exit 42; }",
    );
    set_validator(&fixture, &validator);
    fixture.write("sum/data/secret/test_group.yaml", "max_score: unbounded\n");
    write_group(&fixture, "c", "max_score: unbounded\nscore_aggregation: sum\n");
    fixture.write("p.sh", RIGHT);
    let document = fixture.json("judge sum p.sh", 0);
    assert_eq!(score_summary(&document), "4370.0 40.0 all 30.0 all 4300.0 all; 9 run, 0 skipped");
    assert_eq!(document["submissions"][0]["judgement"]["score"]["max_points"], Value::Null);
    assert_eq!(document["submissions"][0]["judgement"]["test_cases"][6]["score"]["points"], 1000.0);
    fixture.check("judge sum p.sh", 0, &["score 4370 ", "secret/c 4300 "]);
}

#[test]
fn without_groups_the_points_are_shared_evenly() {
    let fixture = Fixture::new();
    let path = fixture.path("sum/problem.yaml");
    let problem = std::fs::read_to_string(path).expect("a package");
    fixture.write("sum/problem.yaml", format!("{problem}type: scoring\n"));
    fixture.write("p.sh", UP_TO_9);
    fixture.check("judge sum p.sh", 1, &["score 66.666667 of 100", "3 of 4 test cases accepted"]);
    fixture.check("judge sum p.sh --quiet", 1, &["WA 66.666667 of 100"]);
}

/// Accepts submissions without the word in the first argument, and prints its arguments.
const STATIC_VALIDATOR: &str = r#"#!/usr/bin/env bash
echo "$1 $2 ${*:4}: $(ls | tr '\n' ' ')" > "${3}judgemessage.txt"
grep -q "$4" -- *.sh && exit 43
exit 42
"#;

#[test]
fn a_static_validator_checks_the_submission() {
    let fixture = fixture();
    fixture.write("sum/static_validator/look/run", STATIC_VALIDATOR);
    fixture.make_executable("sum/static_validator/look/run");
    write_group(
        &fixture,
        "a",
        "max_score: 40\nstatic_validation_score: pass-fail\nstatic_validator_args: [sleep]\n",
    );
    write_group(
        &fixture,
        "b",
        "max_score: 30\nscore_aggregation: sum\nstatic_validation_score: 15\nstatic_validator_args: [echo, x]\n",
    );
    fixture.write("p.sh", RIGHT);
    let document = fixture.json("judge sum p.sh", 1);
    assert_eq!(score_summary(&document), "85.0 40.0 all 15.0 all 30.0 all; 11 run, 0 skipped");
    let cases = &document["submissions"][0]["judgement"]["test_cases"];
    assert_eq!(cases[1]["name"], "secret/a/static validation");
    assert_eq!(cases[1]["message"], "bash p.sh sleep: juror p.sh \n");
    assert_eq!(cases[5]["score"]["points"], 5.0);
    assert_eq!(cases[0]["outcome"]["ending"]["exit_code"], 0);
    assert_eq!(cases[1]["outcome"], Value::Null);
    fixture.check(
        "judge sum p.sh",
        1,
        &[
            "wrong answer on secret/b/static validation: the static validator rejects it: bash p.sh echo x: juror p.sh",
            "repeat: juror judge sum p.sh --case 'secret/b/static validation'",
        ],
    );
    fixture.write("p.sh", format!("# never sleep\n{RIGHT}"));
    let document = fixture.json("judge sum p.sh", 1);
    assert_eq!(score_summary(&document), "45.0 0.0 part 15.0 all 30.0 all; 9 run, 2 skipped");
    fixture.write("sum/static_validator/look/run", "#!/bin/sh\necho oops >&2; exit 1\n");
    fixture.check(
        "judge sum p.sh",
        4,
        &[
            "judge secret/a/static validation with the static validator `look`",
            "it ended with exit code 1",
            "oops",
        ],
    );
}

#[test]
fn static_validation_works_without_scores() {
    let fixture = Fixture::new();
    fixture.write("sum/static_validator/look/run", STATIC_VALIDATOR);
    fixture.make_executable("sum/static_validator/look/run");
    fixture.write(
        "sum/data/secret/test_group.yaml",
        "static_validation_score: pass-fail\nstatic_validator_args: [sleep]\n",
    );
    fixture.write("sum/submissions/wrong_answer/sleeps.sh", format!("# sleep\n{RIGHT}"));
    fixture.check("verify sum", 0, &["3 submissions, all as expected"]);
    fixture.write("p.sh", format!("# sleep\n{RIGHT}"));
    fixture.check("judge sum p.sh", 1, &["wrong answer on secret/static validation"]);
    let output =
        fixture.juror("judge sum p.sh --case secret/static*").output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("static validator rejects it") && !text.contains("CPU time 0"), "{text}");
    assert!(!text.contains("judge message:"), "the cause has it: {text}");
}

#[test]
fn interactive_problems_may_have_scores() {
    let fixture = fixture();
    let path = fixture.path("sum/problem.yaml");
    let problem = std::fs::read_to_string(path).expect("a package");
    let problem = problem.replace("type: scoring", "type: [scoring, interactive]");
    fixture.write("sum/problem.yaml", problem);
    let talk = |says: &str| {
        format!(
            "#!/usr/bin/env bash\ncat \"$1\"; read -r line; \
             [[ $line == $(cat \"$2\") ]] && {{ {says}; exit 42; }}; exit 43\n"
        )
    };
    set_validator(&fixture, &talk("[[ $line == 8 ]] && echo 2.5 > \"${3}score.txt\""));
    fixture.write("p.sh", RIGHT);
    let document = fixture.json("judge sum p.sh", 0);
    assert_eq!(score_summary(&document), "92.5 40.0 all 22.5 all 30.0 all; 9 run, 0 skipped");
    fixture.write("p.sh", UP_TO_9);
    let document = fixture.json("judge sum p.sh", 1);
    assert_eq!(score_summary(&document), "52.5 40.0 all 12.5 all 0.0 part; 8 run, 1 skipped");
    set_validator(&fixture, &talk("[[ $line == 8 ]] && echo junk > \"${3}score.txt\""));
    fixture.check("judge sum p.sh", 4, &["judge secret/b/3 with", "its score.txt is \"junk\\n\""]);
}
