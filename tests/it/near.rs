//! How often an endless program runs on a test case.

use crate::fixture::Fixture;

#[test]
fn an_endless_program_runs_once_on_bare_tests_and_at_most_twice_in_a_package() {
    let fixture = Fixture::new();
    for name in ["1", "2"] {
        fixture.write(&format!("tests/{name}.in"), "");
        fixture.write(&format!("tests/{name}.ans"), "");
    }
    fixture.write("loop.sh", "while :; do :; done\n");
    let check = |arguments: &str, most: usize| {
        let report = fixture.json(&format!("judge {arguments} loop.sh --time-limit 0.2"), 1);
        let cases = report["submissions"][0]["test_cases"].as_array().expect("test cases");
        assert!(!cases.is_empty(), "{report:#}");
        for case in cases {
            assert_eq!(case["verdict"], "TLE", "{case:#}");
            let repeats = &case["repeats"];
            let runs = repeats["runs"].as_array().map_or(1, Vec::len);
            assert!(runs <= most, "{case:#}");
            // It is sensitive only if others wanted the processor during the last run.
            let is_disturbed =
                repeats["runs"].as_array().is_some_and(|it| it[runs - 1]["disturbed"] == true);
            assert_eq!(repeats["sensitive"] == true, is_disturbed, "{case:#}");
            let cpu = case["cpu_seconds"].as_f64().expect("a time");
            assert!(cpu >= 0.25, "it is stopped at 1.25 limits: {case:#}");
        }
    };
    check("tests --all", 1);
    check("tests --all --repeat", 2);
    check("sum", 2);
}
