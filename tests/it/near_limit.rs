//! How often an endless program runs on a test case.

use serde_json::{Value, json};

use crate::fixture::Fixture;

const ENDLESS: &str = "while :; do :; done\n";

/// Checks test cases on which an endless program was judged with a limit of 0.2 s.
fn check_cases(cases: &Value, most: usize) {
    let cases = cases.as_array().expect("test cases");
    assert!(!cases.is_empty());
    for case in cases {
        assert_eq!(case["verdict"], "TLE", "{case:#}");
        let repeats = &case["repeats"];
        let runs = repeats["runs"].as_array().map_or(&[] as &[Value], Vec::as_slice);
        assert!(runs.len() <= most, "{case:#}");
        // The verdict is sensitive only if other programs wanted the processor during the last run.
        let is_disturbed = runs.last().is_some_and(|run| run["disturbed"] == true);
        assert_eq!(repeats["sensitive"] == true, is_disturbed, "{case:#}");
        let cpu = case["outcome"]["cpu_seconds"].as_f64().expect("a time");
        assert!(cpu >= 0.25, "it is stopped at 1.25 limits: {case:#}");
    }
}

#[test]
fn an_endless_program_runs_once_on_bare_tests_and_at_most_twice_in_packages() {
    let fixture = Fixture::new();
    for name in ["1", "2"] {
        fixture.write(&format!("tests/{name}.in"), "");
        fixture.write(&format!("tests/{name}.ans"), "");
    }
    fixture.write("loop.sh", ENDLESS);
    let check = |arguments: &str, most: usize| {
        let report = fixture.json(&format!("judge {arguments} loop.sh --time-limit 0.2"), 1);
        check_cases(&report["submissions"][0]["judgement"]["test_cases"], most);
    };
    check("tests --all", 1);
    check("tests --all --repeat", 2);
    check("sum", 2);
}

#[test]
fn an_endless_program_in_a_stream_runs_once_without_repeat() {
    let fixture = Fixture::new();
    let line = json!({
        "source": { "text": ENDLESS, "name": "loop.sh" },
        "cases": [{ "input": "", "answer": "" }],
        "limits": { "time": 0.2 },
        "return": "cases",
    });
    let check = |arguments: &str, most: usize| {
        let output = fixture.juror(arguments).write_stdin(line.to_string()).output();
        let output = output.expect("juror runs");
        let result: Value = serde_json::from_slice(&output.stdout).expect("a result");
        check_cases(&result["test_cases"], most);
        assert_eq!(result["sensitive"], result["test_cases"][0]["repeats"]["sensitive"] == true);
    };
    check("grade --quiet", 1);
    check("grade --quiet --repeat", 2);
}
