//! Runs that `verify` leaves out, because they can prove nothing more of what is expected.

use crate::fixture::{Fixture, WRONG};

/// Never ends for large numbers.
const ENDLESS: &str = "read -r a b; while ((a > 1000)); do :; done; echo $((a + b))\n";

#[test]
fn a_submission_is_run_until_its_expectations_are_settled() {
    let fixture = Fixture::new();
    fixture.write("sum/submissions/rejected/any.sh", WRONG);
    fixture.write("sum/submissions/slow/endless.sh", ENDLESS);
    let rules = "slow/endless.sh: { permitted: [AC, WA, TLE, RTE], required: [TLE] }\n";
    fixture.write("sum/submissions/submissions.yaml", rules);
    // Runs of each submission, those that were spared, and the same of all.
    let check = |options: &str, runs: [(usize, u64); 4], all: (u64, u64)| {
        let report = fixture.json(&format!("verify sum --time-limit 0.3 {options}"), 0);
        let names =
            ["accepted/right.sh", "rejected/any.sh", "slow/endless.sh", "wrong_answer/wrong.sh"];
        for (name, expected) in names.into_iter().zip(runs) {
            let submissions = report["submissions"].as_array().expect("submissions");
            let submission = submissions.iter().find(|it| it["name"] == name).expect(name);
            let cases = submission["test_cases"].as_array().expect("test cases").len();
            let spared = submission["spared"].as_u64().unwrap_or(0);
            assert_eq!((cases, spared), expected, "{options}: {name}");
            assert_eq!(submission["skipped"], spared, "{options}: {name}");
        }
        let summary = &report["summary"];
        let spared = summary["spared_runs"].as_u64().unwrap_or(0);
        assert_eq!((summary["runs"].as_u64().expect("runs"), spared), all, "{options}");
    };
    // The first rejection is enough of the one, and the largest input of the other.
    check("", [(4, 0), (2, 2), (1, 3), (4, 0)], (11, 5));
    let whole = [(4, 0), (4, 0), (4, 0), (4, 0)];
    check("--all", whole, (16, 0));
    check("--verbose", whole, (16, 0));
    fixture.check("verify sum --time-limit 0.3", 0, &["11 runs in", "5 spared"]);
}
