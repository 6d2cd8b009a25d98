//! What `verify` proves about test data beyond what validators say of each case.

use crate::fixture::{Fixture, WRONG};

/// Refuses everything but two numbers, one blank and one line end.
const STRICT: &str = "\
import re, sys
text = sys.stdin.buffer.read()
sys.exit(42 if re.fullmatch(rb'(0|[1-9][0-9]{0,8}) (0|[1-9][0-9]{0,8})\\n', text) else 43)
";

/// A package whose validator overlooks nothing.
fn strict() -> Fixture {
    let fixture = Fixture::new();
    fixture.remove("sum/input_validators/validate/run");
    fixture.write("sum/input_validators/validate/validate.py", STRICT);
    fixture
}

#[test]
fn what_validators_let_pass_is_named_and_fails_nothing() {
    let fixture = Fixture::new();
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
    strict().check("verify sum", 0, &["no errors, no warnings"]);
    // A look at some cases only is quick.
    Fixture::new().check("verify sum --case sample/*", 0, &["no errors, no warnings"]);
}

#[test]
fn one_strict_validator_among_several_is_enough() {
    let fixture = Fixture::new();
    fixture.write("sum/input_validators/strict.py", STRICT);
    fixture.check("verify sum", 0, &["no errors, no warnings"]);
}

#[test]
fn a_case_that_is_there_twice_is_named_unless_its_group_is_another() {
    let fixture = strict();
    fixture.write("sum/data/secret/small/3.in", "5 8\n");
    fixture.write("sum/data/secret/small/3.ans", "13\n");
    fixture.write("sum/data/secret/large/2.in", "1 2\n");
    fixture.write("sum/data/secret/large/2.ans", "3\n");
    fixture.check(
        "verify sum",
        0,
        &[
            "has the same input as secret/small/1",
            "data/secret/small/3.in",
            "1 warning",
        ],
    );
    fixture.write("sum/data/secret/small/test_group.yaml", "");
    fixture.write("sum/data/secret/large/test_group.yaml", "");
    fixture.write("sum/data/secret/large/3.in", "5 8\n");
    fixture.write("sum/data/secret/large/3.ans", "13\n");
    fixture.check("verify sum", 0, &["1 warning"]);
}

#[test]
fn cases_that_nobody_fails_are_named_on_request() {
    let fixture = strict();
    fixture.write("sum/data/secret/small/3.in", "1 2\n");
    fixture.write("sum/data/secret/small/3.ans", "3\n");
    fixture.check("verify sum", 0, &["no warnings"]);
    fixture.check(
        "verify sum -v",
        0,
        &[
            "no submission fails on 1 of 4 secret cases: secret/small/3",
            "1 warning",
        ],
    );
    // Where no submission is wrong, nothing can be said.
    fixture.remove("sum/submissions/wrong_answer/wrong.sh");
    fixture.check("verify sum -v", 0, &["no warnings"]);
}

#[test]
fn answers_have_validators() {
    let fixture = strict();
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
    std::fs::remove_dir_all(fixture.path("sum/answer_validators")).expect("a directory");
    fixture.check(
        "verify sum",
        3,
        &["the package has no answer validator to refuse these answers"],
    );
}
