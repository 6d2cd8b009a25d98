//! Which version of the format a package is in, and why.

use super::{DRAFT, SMALLEST, problem};

#[test]
fn the_version_has_a_reason() {
    let check = |base: &str, changes: &str, format: &str, reason: &str| {
        let problem = problem(base, changes);
        assert_eq!((problem.layout.format, problem.format_reason.as_str()), (format, reason));
    };
    let none = "problem.yaml has no `problem_format_version`";
    check(SMALLEST, "", "legacy", &format!("{none}, and has the key `author`"));
    check(DRAFT, "", "2023-07", "problem.yaml has `problem_format_version: 2023-07-draft`");
    let unnamed = "--- problem.yaml\nname: x\n";
    check(SMALLEST, unnamed, "legacy", &format!("{none}, and there is problem_statement"));
    check("", unnamed, "2025-09", &format!("{none}, and there is statement"));
    let nothing = format!("{unnamed}--- problem_statement removed\n");
    check(SMALLEST, &nothing, "legacy", none);
    for (version, format) in
        [("legacy", "legacy"), ("'legacy-icpc'", "legacy-icpc"), ("2023-07\t# x", "2023-07")]
    {
        let yaml = format!("--- problem.yaml\nproblem_format_version: {version}\nname: x\n");
        let value = version.split("\t#").next().unwrap_or_default().trim_matches('\'');
        let reason = format!("problem.yaml has `problem_format_version: {value}`");
        check(SMALLEST, &yaml, format, &reason);
    }
    let flow = "--- problem.yaml\n{name: x, \"problem_format_version\": 2023-07-draft}\n";
    let reason = "problem.yaml has `problem_format_version: 2023-07-draft`";
    check(SMALLEST, flow, "2023-07", reason);
    let domjudge = "--- problem.yaml removed\n--- domjudge-problem.ini\ntimelimit = 3\n";
    let mark = "it is for DOMjudge, because there is domjudge-problem.ini";
    let reason = format!("there is no problem.yaml, but data/ and domjudge-problem.ini; {mark}");
    check(SMALLEST, domjudge, "legacy", &reason);
}
