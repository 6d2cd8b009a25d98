//! What `verify` checks about test data in addition to validators.

use std::fs;

use crate::fixture::{Fixture, WRONG};

/// Accepts two numbers in any white space, and ignores the rest of the input.
const LENIENT: &str = "\
#!/usr/bin/env bash
read -r a b rest
[[ $a =~ ^[0-9]+$ && $b =~ ^[0-9]+$ && -z $rest ]] && exit 42
exit 43
";

fn lenient_package() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("sum/input_validators/validate/run", LENIENT);
    fixture
}

#[test]
fn faults_that_validators_miss_are_warnings() {
    let fixture = lenient_package();
    fixture.check(
        "verify sum",
        0,
        &[
            "warning: accepts inputs with a blank at the end of the last line, with a blank at the start",
            "with no line end at the end",
            "seen with sample/1",
            "warning: accepts inputs with a leading zero, with a leading zero in the last number;",
            "warning: accepts inputs with a line after the last one;",
            "sum/input_validators/validate",
            "all as expected; 3 warnings",
        ],
    );
    Fixture::new().check("verify sum", 0, &["no errors, no warnings"]);
    // With a selection of cases, inputs are not mutated.
    fixture.check("verify sum --case sample/*", 0, &["no errors, no warnings"]);
}

#[test]
fn every_input_is_mutated_so_that_a_rare_fault_is_found() {
    let cases = |fixture: &Fixture| {
        for (name, input) in (11..31).map(|a| (format!("sum/data/secret/more/{a}"), a)) {
            fixture.write(&format!("{name}.in"), format!("{input} 1000\n"));
            fixture.write(&format!("{name}.ans"), format!("{}\n", input + 1000));
        }
    };
    // Only inputs that begin with 17 are accepted in any white space; neither the smallest nor the middle input does.
    let fixture = Fixture::new();
    cases(&fixture);
    let strict = fs::read_to_string(fixture.path("sum/input_validators/validate/run"));
    let careless = strict
        .expect("a validator")
        .replace("[[ $text", "[[ $text =~ ^[+0]*17 ]] && exit 42\n[[ $text");
    fixture.write("sum/input_validators/validate/run", careless);
    fixture.check("verify sum", 0, &["accepts inputs with", "seen with secret/more/17"]);
    // A grammar checks every kind of change in every input.
    let fixture = Fixture::new();
    cases(&fixture);
    fs::remove_dir_all(fixture.path("sum/input_validators/validate")).expect("a directory");
    fixture.write(
        "sum/input_validators/sum.ctd",
        "INT(0, 100000, a) SPACE INT(0, 1000, b) IF(a == 17) REGEX(\" *\") END NEWLINE\n",
    );
    fixture.check(
        "verify sum",
        0,
        &["accepts inputs with a blank at the end of the last line; seen with secret/more/17"],
    );
}

#[test]
fn one_strict_validator_among_several_is_enough() {
    let fixture = lenient_package();
    let strict = fs::read(Fixture::new().path("sum/input_validators/validate/run"));
    fixture.write("sum/input_validators/strict/run", strict.expect("a validator"));
    fixture.make_executable("sum/input_validators/strict/run");
    fixture.check("verify sum", 0, &["no errors, no warnings"]);
}

#[test]
fn duplicate_cases_get_a_warning_unless_their_groups_differ() {
    let fixture = Fixture::new();
    fixture.write("sum/data/secret/small/3.in", "5 8\n");
    fixture.write("sum/data/secret/small/3.ans", "13\n");
    fixture.write("sum/data/secret/large/2.in", "1 2\n");
    fixture.write("sum/data/secret/large/2.ans", "3\n");
    fixture.check(
        "verify sum",
        0,
        &["has the same input as secret/small/1", "data/secret/small/3.in", "1 warning"],
    );
    fixture.write("sum/data/secret/small/test_group.yaml", "");
    fixture.write("sum/data/secret/large/test_group.yaml", "");
    fixture.write("sum/data/secret/large/3.in", "5 8\n");
    fixture.write("sum/data/secret/large/3.ans", "13\n");
    fixture.check("verify sum", 0, &["1 warning"]);
}

#[test]
fn cases_that_no_submission_fails_are_named_on_request() {
    let fixture = Fixture::new();
    fixture.write("sum/data/secret/small/3.in", "1 2\n");
    fixture.write("sum/data/secret/small/3.ans", "3\n");
    fixture.check("verify sum", 0, &["no warnings"]);
    fixture.check(
        "verify sum -v",
        0,
        &["no submission fails on 1 of 4 secret cases: secret/small/3", "no warnings"],
    );
    // Without a wrong submission, nothing can be said.
    fixture.remove("sum/submissions/wrong_answer/wrong.sh");
    fixture.check("verify sum -v", 0, &["no warnings"]);
}

#[test]
fn answer_validators_check_judge_answers() {
    let fixture = Fixture::new();
    let validator = "\
import re, sys
with open(sys.argv[1]) as file:
    a, b = map(int, file.read().split())
text = sys.stdin.read()
print('expected', a + b, file=sys.stderr)
sys.exit(42 if re.fullmatch('[0-9]+\\n', text) and int(text) == a + b else 43)
";
    fixture.write("sum/answer_validators/answer.py", validator);
    fixture.write("sum/data/invalid_answer/word.in", "1 2\n");
    fixture.write("sum/data/invalid_answer/word.ans", "three\n");
    fixture.check("verify sum", 0, &["no errors, no warnings"]);
    fixture.write("sum/data/invalid_answer/right.in", "1 2\n");
    fixture.write("sum/data/invalid_answer/right.ans", "3\n");
    fixture.write("sum/data/invalid_answer/bad.in", "01 2\n");
    fixture.write("sum/data/invalid_answer/bad.ans", "4\n");
    fixture.write("sum/data/secret/small/1.ans", "14\n");
    fixture.write(
        "sum/submissions/accepted/right.sh",
        "read -r a b; [ $a = 5 ] && a=6; echo $((a + b))\n",
    );
    fixture.write("sum/submissions/wrong_answer/wrong.sh", WRONG);
    fixture.check(
        "verify sum",
        3,
        &[
            "answer validator `answer.py` refuses it: expected 13",
            "no answer validator refuses this invalid answer",
            "input validator `validate` refuses it",
            "3 errors",
        ],
    );
    fs::remove_dir_all(fixture.path("sum/answer_validators")).expect("a directory");
    fixture.check(
        "verify sum",
        3,
        &["the package has no answer validator to refuse these answers"],
    );
}

#[test]
fn an_output_validator_may_refuse_an_invalid_answer() {
    let fixture = Fixture::new();
    let validator = "\
import sys
want, got = open(sys.argv[2]).read().split(), sys.stdin.read().split()
sys.exit(42 if got == want and all(word.isdigit() for word in got) else 43)
";
    fixture.write("sum/output_validator/validate.py", validator);
    fixture.write("sum/data/invalid_answer/word.in", "1 2\n");
    fixture.write("sum/data/invalid_answer/word.ans", "three\n");
    fixture.check("verify sum", 0, &["no errors"]);
    fixture.write("sum/data/invalid_answer/other.in", "1 2\n");
    fixture.write("sum/data/invalid_answer/other.ans", "3\n");
    let fault = "neither an answer validator nor the output validator refuses this invalid answer";
    fixture.check("verify sum", 3, &[fault, "other.ans"]);
}

#[test]
fn bounds_of_a_grammar_that_no_case_reaches_are_named() {
    let fixture = Fixture::new();
    let grammar = |bounds: &str| format!("INT({bounds}, a) SPACE INT(0, 8, b) NEWLINE\n");
    fixture.write("sum/input_validators/sum.ctd", grammar("0, 100000"));
    // The other validator may accept inputs that the grammar refuses.
    fixture.check("verify sum", 0, &["no errors, no warnings"]);
    fixture.write("sum/input_validators/sum.ctd", grammar("0, 100001"));
    fixture.check(
        "verify sum",
        0,
        &[
            "no test case reaches a bound: a is never 100001",
            "sum/input_validators/sum.ctd:1:1",
            "add a test case at the bound",
            "1 warning",
        ],
    );
    // A bound that an assertion excludes needs no test case.
    let assert = |test: &str| format!("{}ASSERT({test})\n", grammar("0, 100001"));
    for test in ["a <= 100000", "2 * a < 200001"] {
        fixture.write("sum/input_validators/sum.ctd", assert(test));
        fixture.check("verify sum", 0, &["no errors, no warnings"]);
    }
    fixture.write("sum/input_validators/sum.ctd", assert("b < 9"));
    fixture.check("verify sum", 0, &["a is never 100001"]);
}
