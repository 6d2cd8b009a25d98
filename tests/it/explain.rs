//! Explanations of failures on real programs. Unit tests of `explain` have the large table.

use serde_json::Value;

use crate::stress::fixture;

/// The problem is the sum of two numbers. `wanted` has the kind and the text of the explanation.
#[track_caller]
fn check(command: &str, submission: &str, expected: (&str, &str)) {
    let fixture = fixture();
    fixture.write("my.sh", submission);
    let report = fixture.json(command, 1);
    let explained = &report["explanations"][0];
    assert_eq!(explained["submission"], "my.sh", "{report:#}");
    assert_eq!(explained["cut"], false, "{report:#}");
    let explanation = &explained["explanation"];
    let found = explanation["kind"].as_str().zip(explanation["statement"].as_str());
    assert_eq!(found, Some(expected), "{report:#}");
    let figure = |side: &str, key: &str| explanation[side][key].as_u64().expect("a figure");
    assert_eq!(figure("without", "failing"), 0, "{report:#}");
    assert!(figure("with", "inputs") >= 10 && figure("without", "inputs") >= 10, "{report:#}");
}

#[test]
fn programs_get_the_expected_explanations() {
    let judge = "judge sum my.sh --explain=10m";
    let odd = "read -r a b; echo $((a + b - a % 2))\n";
    check(judge, odd, ("exactly", "a is odd"));
    let stress = "stress sum my.sh --seed 1 --time 10m --explain 10m";
    let beyond = "read -r a b; ((b > 40)) && exit 3; echo $((a + b))\n";
    check(stress, beyond, ("exactly", "b is at least 41"));
}

#[test]
fn impossible_explanations_are_refused_before_anything_runs() {
    let fixture = crate::fixture::Fixture::new();
    fixture.write("my.sh", crate::fixture::WRONG);
    fixture.check("judge sum my.sh --explain", 2, &["--explain needs a grammar of the input"]);
    let report: Value = fixture.json("judge sum my.sh", 1);
    assert_eq!(report["explanations"], Value::Array(Vec::new()), "nobody asked");
}
