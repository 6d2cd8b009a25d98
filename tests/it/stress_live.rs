//! `juror stress` on interactive and multi-pass problems.

use std::fs;

use serde_json::Value;

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::stress::counterexample;

const GRAMMAR: &str = "INT(0, 1000, a) SPACE INT(0, 1000, b) NEWLINE\n";

/// Sends two numbers and expects their sum.
const SUM_VALIDATOR: &str = r#"#!/usr/bin/env bash
read -r a b < "$1"
echo "$a $b"
read -r answer || answer=nothing
if [[ $answer == $((a + b)) ]]; then exit 42; fi
if [[ $answer == boom ]]; then exit 1; fi
echo "$answer is not $((a + b))" > "${3}judgemessage.txt"
echo "looked at $answer" >&2
exit 43
"#;

/// Expects a number, then in each pass the next smaller one, down to 0.
const COUNTDOWN_VALIDATOR: &str = r#"#!/usr/bin/env bash
number=$(cat "$1")
read -r line || line=nothing
[[ $line == "$number" ]] || { echo "$line is not $number" > "${3}judgemessage.txt"; exit 43; }
(( number > 0 )) && echo $(( number - 1 )) > "${3}nextpass.in"
exit 42
"#;

/// The package `sum` with another type, output validator and grammar.
fn fixture(kind: &str, limits: &str, validator: &str, grammar: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write("sum/output_validator/validate/run", validator);
    fixture.make_executable("sum/output_validator/validate/run");
    fixture.write("sum/input_validators/sum.ctd", grammar);
    let problem = fs::read_to_string(fixture.path("sum/problem.yaml")).expect("a package");
    let problem = problem.replace("limits:\n", &format!("type: {kind}\nlimits:\n{limits}"));
    fixture.write("sum/problem.yaml", problem);
    fixture
}

pub(crate) fn interactive_sum() -> Fixture {
    fixture("interactive", "", SUM_VALIDATOR, GRAMMAR)
}

/// At most 9 passes.
fn countdown() -> Fixture {
    let grammar = "INT(0, 8, n) NEWLINE\n";
    let fixture = fixture("multi-pass", "  validation_passes: 9\n", COUNTDOWN_VALIDATOR, grammar);
    write_countdown_data(&fixture);
    fixture
}

fn write_countdown_data(fixture: &Fixture) {
    fixture.write("sum/input_validators/validate/run", "#!/bin/sh\nexit 42\n");
    fixture.write("sum/submissions/accepted/right.sh", "cat\n");
    for name in ["sample/1", "secret/small/1", "secret/small/2", "secret/large/1"] {
        fixture.write(&format!("sum/data/{name}.in"), "2\n");
    }
}

fn run_search(fixture: &Fixture, submission: &str, options: &str, code: i32) -> Value {
    fixture.write("my.sh", submission);
    let runs = if options.contains("--runs") { "" } else { "--runs 1500" };
    let line = format!("stress sum my.sh --seed 1 --time 10m --explain 0 {runs} {options}");
    fixture.json(&line, code)
}

/// In the notation of `.interaction` files.
fn transcript_text(report: &Value) -> String {
    let transcript = &counterexample(report)["transcript"];
    let mut text = String::new();
    for part in ["first", "last"] {
        for line in transcript[part].as_array().expect("lines") {
            let mark = match line["by"].as_str() {
                Some("submission") => ">",
                _ => "<",
            };
            text += &format!("{mark}{}|", line["line"]["text"].as_str().expect("a line"));
        }
    }
    text
}

/// `expected` has verdict, input, a part of the cause, and the transcript.
fn check(fixture: &Fixture, submission: &str, expected: [&str; 4]) {
    let report = run_search(fixture, submission, "", 1);
    let text = |value: &Value| value.as_str().unwrap_or("nothing").to_owned();
    let shown = counterexample(&report);
    let cause = text(&shown["cause"]);
    let [verdict, input, why, exchange] = expected;
    assert!(cause.contains(why), "{report:#}");
    let found = [text(&shown["verdict"]), text(&shown["input"]["text"])];
    assert_eq!(found, [verdict, input], "{report:#}");
    assert_eq!(transcript_text(&report), exchange, "{report:#}");
    assert_eq!(shown["expected"], Value::Null);
    assert_eq!(shown["got"], Value::Null);
    assert_eq!(shown["failing"], 3, "{report:#}");
}

#[test]
fn an_interaction_is_shrunk_and_shown() {
    let fixture = interactive_sum();
    let rejects = "the output validator rejects it";
    check(&fixture, WRONG, ["WA", "0 0\n", &format!("{rejects}: 3 is not 0"), "<0 0|>3|"]);
    check(
        &fixture,
        "read -r a b; echo $((a > 4 ? a : a + b))\n",
        ["WA", "5 1\n", rejects, "<5 1|>5|"],
    );
    check(
        &fixture,
        "read -r a b; [[ $b -gt 6 ]] && exit 3; echo $((a + b))\n",
        ["RTE", "0 7\n", "exit code 3", "<0 7|"],
    );
    check(
        &fixture,
        "read -r a b; [[ $a = 2 ]] && read -r c; echo $((a + b))\n",
        ["TLE", "2 0\n", "waited for input that never came", "<2 0|"],
    );
    run_search(&fixture, RIGHT, "--runs 20", 0);
}

#[test]
fn the_same_seed_finds_the_same_interaction_with_any_number_of_slots() {
    let fixture = interactive_sum();
    let submission = "read -r a b; [[ $((a % 7)) = 3 && $b -gt 5 ]] && a=0; echo $((a + b))\n";
    let found = ["--jobs 1", "--jobs 2"].map(|jobs| {
        let report = run_search(&fixture, submission, jobs, 1);
        let origin = counterexample(&report)["origin"].clone();
        (counterexample(&report)["input"].clone(), origin)
    });
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0].0["text"], "3 6\n");
}

fn recipe_with_solution(solution: &str) -> String {
    format!(
        "solution: {solution}\ndata:\n  secret:\n    data:\n      one:\n        in: \"1 1\\n\"\n"
    )
}

/// Adds the found input to a package with this recipe, and returns the new judge answer.
fn promote_answer(fixture: &Fixture, recipe: &str) -> String {
    fixture.write("sum/generators/generators.yaml", recipe);
    fs::remove_dir_all(fixture.path("sum/data")).expect("the data");
    fixture.juror("generate sum").assert().success();
    let report = run_search(fixture, WRONG, "--promote zeros", 1);
    let details = counterexample(&report);
    assert_eq!(details["promoted"], "secret/zeros", "{report:#}");
    fixture.juror("generate sum --check").assert().success();
    fixture.check("verify sum", 0, &["all as expected"]);
    let input = fs::read_to_string(fixture.path("sum/data/secret/zeros.in"));
    assert_eq!(input.expect("an input"), "0 0\n");
    fs::read_to_string(fixture.path("sum/data/secret/zeros.ans")).expect("an answer")
}

#[test]
fn promoted_judge_answers_follow_the_recipe() {
    // An interactive submission makes no answer, so the answer is empty.
    let validator =
        SUM_VALIDATOR.replace("echo \"$a $b\"\n", "[[ -s $2 ]] && exit 9\necho \"$a $b\"\n");
    let fixture = fixture("interactive", "", &validator, GRAMMAR);
    let answer = promote_answer(&fixture, &recipe_with_solution("/submissions/accepted/right.sh"));
    assert_eq!(answer, "");
    // Another program makes an answer.
    let fixture = interactive_sum();
    let validator = SUM_VALIDATOR.replace("$((a + b))", "$(cat \"$2\")");
    fixture.write("sum/output_validator/validate/run", validator);
    fixture.write("sum/generators/sum.sh", RIGHT);
    let answer = promote_answer(&fixture, &recipe_with_solution("/generators/sum.sh"));
    assert_eq!(answer, "0\n");
}

#[test]
fn a_faulty_package_is_reported_with_the_input() {
    let fixture = interactive_sum();
    let reference = |program: &str, code: i32, expected: &[&str]| {
        fixture.write("ref.sh", format!("read -r a b; {program}\n"));
        fixture.write("my.sh", RIGHT);
        let line = "stress sum my.sh --seed 1 --explain 0 --runs 300 --reference ref.sh";
        fixture.check(line, code, expected);
    };
    let fails = "the reference fails on a valid input:";
    let rejected = format!("{fails} WA,");
    let cause = "the output validator rejects it: 7 is not";
    reference("echo $((a == 2 ? 7 : a + b))", 3, &[&rejected, cause, "`2 "]);
    let stuck = format!("{fails} TLE, waited for input that never came");
    reference("[[ $a = 2 ]] && read -r c; echo $((a + b))", 3, &[&stuck]);
    let asked =
        "cannot judge stress with the output validator `validate`: it ended with exit code 1";
    reference("echo boom", 4, &[asked, "the input is `", "the judge answer is empty"]);
    fixture.write("sum/generators/sum.sh", "read -r a b; exit $((a == 2))\n");
    fixture.write("sum/generators/generators.yaml", recipe_with_solution("/generators/sum.sh"));
    let answer = "no judge answer for a valid input: the solution ends with exit code 1: `2 ";
    reference("echo $((a + b))", 3, &["sum.sh", answer]);
    fixture.write("sum/generators/sum.sh", "exit 0\n");
    fixture.check("stress sum my.sh --seed 1 --explain 0 --runs 60", 0, &["nothing found"]);
}

#[test]
fn every_pass_is_judged() {
    let fixture = countdown();
    let rejects = |number: u32, cause: &str| format!("in pass {number}: {cause}");
    check(
        &fixture,
        "read -r n; echo $((n == 3 ? 8 : n))\n",
        ["WA", "3\n", "the output validator rejects it: 8 is not 3", "<3|>8|"],
    );
    // The number itself and numbers below 3 are right.
    check(
        &fixture,
        "read -r n; [[ -e seen ]] || exit 0; echo $n\n",
        ["WA", "0\n", "the output validator rejects it: nothing is not 0", "<0|"],
    );
    let fixture = countdown();
    fixture.write(
        "sum/output_validator/validate/run",
        COUNTDOWN_VALIDATOR
            .replace("echo $(( number - 1 ))", "echo $(( 10 + number - 1 ))")
            .replace("(( number > 0 ))", "(( number > 2 && number < 9 ))"),
    );
    check(
        &fixture,
        "read -r n; echo $((n > 9 ? 0 : n))\n",
        ["WA", "3\n", &rejects(2, "the output validator rejects it: 0 is not 12"), "<12|>0|"],
    );
    check(
        &fixture,
        "read -r n; [[ $n -gt 12 ]] && exit 3; echo $n\n",
        ["RTE", "4\n", &rejects(2, "exit code 3"), "<13|"],
    );
}

#[test]
fn every_interactive_pass_is_judged() {
    let validator = COUNTDOWN_VALIDATOR
        .replace("number=$(cat \"$1\")\n", "number=$(cat \"$1\"); echo $number\n");
    let limits = "  validation_passes: 9\n";
    let grammar = "INT(0, 8, n) NEWLINE\n";
    let fixture = fixture("[interactive, multi-pass]", limits, &validator, grammar);
    write_countdown_data(&fixture);
    check(
        &fixture,
        "read -r n; echo $((n == 1 ? 5 : n))\n",
        ["WA", "1\n", "the output validator rejects it: 5 is not 1", "<1|>5|"],
    );
    let report = run_search(&fixture, "read -r n; echo $n\n", "--runs 40", 0);
    assert_eq!(report["runs"], 9, "{report:#}");
}
