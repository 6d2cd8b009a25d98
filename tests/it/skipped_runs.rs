//! Runs that `verify` skips, because they can prove nothing more about expectations.

use serde_json::Value;

use crate::fixture::{Fixture, WRONG};

const ENDLESS: &str = "read -r a b; while ((a > 1000)); do :; done; echo $((a + b))\n";

/// Runs and spared runs of each submission, and in total.
fn check_runs(
    fixture: &Fixture,
    options: &str,
    runs: &[(&str, (usize, u64))],
    all: (u64, u64),
) -> Value {
    let report = fixture.json(&format!("verify sum --time-limit 0.1 {options}"), 0);
    for (name, expected) in runs {
        let submissions = report["submissions"].as_array().expect("submissions");
        let submission =
            submissions.iter().find(|entry| entry["name"] == *name).expect("it is there");
        let submission = &submission["judgement"];
        let cases = submission["test_cases"].as_array().expect("test cases").len();
        let spared = submission["spared"].as_u64().unwrap_or(0);
        assert_eq!((cases, spared), *expected, "{options}: {name}");
        assert_eq!(submission["skipped"], spared, "{options}: {name}");
    }
    let summary = &report["summary"];
    let spared = summary["spared_runs"].as_u64().unwrap_or(0);
    assert_eq!((summary["runs"].as_u64().expect("runs"), spared), all, "{options}");
    report
}

#[test]
fn a_submission_runs_until_its_expectations_are_decided() {
    let fixture = Fixture::new();
    fixture.write("sum/submissions/rejected/any.sh", WRONG);
    fixture.write("sum/submissions/slow/endless.sh", ENDLESS);
    let rules = "slow/endless.sh: { permitted: [AC, WA, TLE, RTE], required: [TLE] }\n";
    fixture.write("sum/submissions/submissions.yaml", rules);
    let names =
        ["accepted/right.sh", "rejected/any.sh", "slow/endless.sh", "wrong_answer/wrong.sh"];
    let check = |options: &str, runs: [(usize, u64); 4], all: (u64, u64)| {
        check_runs(&fixture, options, &names.into_iter().zip(runs).collect::<Vec<_>>(), all);
    };
    // One submission needs its first rejection, the other the largest input.
    check("", [(4, 0), (2, 2), (1, 3), (4, 0)], (11, 5));
    let whole = [(4, 0), (4, 0), (4, 0), (4, 0)];
    check("--all", whole, (16, 0));
    check("--verbose", whole, (16, 0));
    fixture.check("verify sum --time-limit 0.1", 0, &["11 runs in", "5 spared"]);
}

#[test]
fn a_group_runs_until_it_has_no_points_left() {
    let fixture = Fixture::new();
    let problem = fixture.read("sum/problem.yaml");
    fixture.write("sum/problem.yaml", problem + "type: scoring\n");
    for (group, max_score, how) in
        [("", 100, "sum"), ("small/", 40, "pass-fail"), ("large/", 60, "min")]
    {
        let settings = format!("max_score: {max_score}\nscore_aggregation: {how}\n");
        fixture.write(&format!("sum/data/secret/{group}test_group.yaml"), settings);
    }
    for number in 2..6 {
        fixture.write(&format!("sum/data/secret/large/{number}.in"), format!("100000 {number}\n"));
        let answer = format!("{}\n", 100_000 + number);
        fixture.write(&format!("sum/data/secret/large/{number}.ans"), answer);
    }
    fixture.write("sum/submissions/rejected/nothing.sh", WRONG);
    fixture.write("sum/submissions/slow/endless.sh", ENDLESS);
    let rules =
        "slow/endless.sh: { required: [TLE], score: 40 }\nrejected/nothing.sh: { score: 0 }\n";
    fixture.write("sum/submissions/submissions.yaml", rules);
    let scores = |report: &Value| {
        let submissions = report["submissions"].as_array().expect("submissions").iter();
        submissions
            .map(|submission| submission["judgement"]["score"]["points"].to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    // The sample, the case that most submissions fail, and the other group; then in judging order up to the first
    // rejection in the last group.
    let runs = |slow, wrong| [("slow/endless.sh", slow), ("rejected/nothing.sh", wrong)];
    let some = check_runs(&fixture, "", &runs((4, 4), (7, 1)), (27, 5));
    let all = check_runs(&fixture, "--all", &runs((8, 0), (8, 0)), (32, 0));
    assert_eq!(scores(&some), scores(&all));
    assert_eq!(scores(&all), "100.0 0.0 40.0 0.0");
}
