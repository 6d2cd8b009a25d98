//! Every command that juror prints as a next step runs as it is printed.

use std::fs;

use crate::fixture::{Fixture, RIGHT};
use crate::guide::run_line;

const GRAMMAR: &str = "INT(0, 100000, a) SPACE INT(0, 100000, b) NEWLINE EOF\n";

/// Wrong on no test case of the fixture.
const LATE: &str = "read -r a b; echo $((a == b + 1 ? 0 : a + b))\n";

fn package() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("sum/input_validators/input.ctd", GRAMMAR);
    fixture
}

/// Checks the commands that `juror` prints, runs each with further options, and checks what these print.
fn check(fixture: &Fixture, arguments: &str, code: i32, expected: &[(&str, &str, i32, &str)]) {
    let report = fixture.json(arguments, code);
    let steps = report["next"].as_array().cloned().unwrap_or_default();
    let commands: Vec<&str> = steps.iter().filter_map(|step| step["command"].as_str()).collect();
    let printed: Vec<&str> = expected.iter().map(|(command, ..)| *command).collect();
    assert_eq!(commands, printed, "{arguments}: {report:#}");
    for (command, options, code, message) in expected {
        let (found, text) = run_line(&format!("{command} {options}"), fixture, ".");
        assert_eq!(found, *code, "{command} {options}: {text}");
        assert!(text.contains(message), "{command} {options}: {text}");
    }
}

#[test]
fn a_wrong_submission_that_is_accepted_leads_to_a_search() {
    let fixture = package();
    fixture.write("sum/submissions/wrong_answer/late.sh", LATE);
    let search = "juror stress sum wrong_answer/late.sh";
    check(&fixture, "verify sum", 1, &[(search, "--seed 1", 1, "WA   wrong_answer/late.sh")]);
    fixture.check("verify sum", 1, &["find an input on which wrong_answer/late.sh fails", search]);
    // Without a source of inputs, nothing can be searched.
    fixture.remove("sum/input_validators/input.ctd");
    check(&fixture, "verify sum", 1, &[]);
}

#[test]
fn weak_data_leads_to_more_data() {
    let fixture = package();
    check(&fixture, "verify sum", 0, &[]);
    fixture.write("sum/data/secret/small/3.in", "2 1\n");
    fixture.write("sum/data/secret/small/3.ans", "3\n");
    let measure = "juror strength sum";
    check(&fixture, "verify sum -v", 0, &[(measure, "--time 1s", 0, "score:")]);
}

#[test]
fn what_strength_finds_can_be_added() {
    let fixture = package();
    for name in ["small", "large"] {
        fs::remove_dir_all(fixture.path(&format!("sum/data/secret/{name}"))).expect("cases");
    }
    fixture.write("sum/data/secret/1.in", "0 0\n");
    fixture.write("sum/data/secret/1.ans", "0\n");
    let add = "juror strength sum --promote";
    fixture.check("strength sum --time 30s", 0, &["next:", add]);
    let (code, text) = run_line(&format!("{add} --time 30s"), &fixture, ".");
    assert!(code == 0 && text.contains("as test case secret/strength/"), "{text}");
}

#[test]
fn what_a_package_lacks_can_be_made() {
    let fixture = package();
    fs::remove_dir_all(fixture.path("sum/data/secret")).expect("cases");
    let make = "juror generate sum --from-grammar";
    check(&fixture, "verify sum", 3, &[(make, "", 0, "new cases")]);
    let fixture = package();
    fs::remove_dir_all(fixture.path("sum/data")).expect("cases");
    fixture.write("sum/submissions/accepted/right.sh", RIGHT);
    fixture.write(
        "sum/generators/generators.yaml",
        "solution: /submissions/accepted/right.sh\n\
         data:\n  secret:\n    data:\n      '1': {in: \"5 8\\n\"}\n",
    );
    check(&fixture, "verify sum", 3, &[("juror generate sum", "", 0, "1 created")]);
}
