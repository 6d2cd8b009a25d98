//! `juror strength` on packages with few inputs.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::{builds, stress_live};

const GRAMMAR: &str = "INT(0, 3, a) SPACE INT(0, 3, b) NEWLINE\n";

/// A right submission in a language with mutants.
const SUM: &str = "\
#include <stdio.h>
int main(void) {
    int a, b;
    if (scanf(\"%d %d\", &a, &b) != 2) return 1;
    printf(\"%d\\n\", a + b);
    return 0;
}
";

/// Leaves one small test case, and adds a grammar.
fn small_package(fixture: Fixture) -> Fixture {
    fs::remove_dir_all(fixture.path("sum/data/secret")).expect("test cases");
    fixture.write("sum/data/sample/1.in", "0 0\n");
    fixture.write("sum/data/sample/1.ans", "0\n");
    fixture.write("sum/input_validators/sum.ctd", GRAMMAR);
    fixture
}

/// With the right submission in C, which starts fast.
pub(crate) fn small_package_in_c() -> Fixture {
    let fixture = small_package(Fixture::new());
    fixture.remove("sum/submissions/accepted/right.sh");
    fixture.remove("sum/submissions/wrong_answer/wrong.sh");
    fixture.write("sum/submissions/accepted/sum.c", SUM);
    fixture
}

fn find_subject<'r>(report: &'r Value, id: &str) -> &'r Value {
    let subjects = report["subjects"].as_array().expect("programs");
    subjects
        .iter()
        .find(|subject| subject["id"] == id)
        .unwrap_or_else(|| panic!("no {id}: {report:#}"))
}

fn subjects_where(report: &Value, holds: impl Fn(&Value) -> bool) -> Vec<String> {
    let subjects = report["subjects"].as_array().expect("programs");
    let ids = subjects
        .iter()
        .filter(|subject| holds(subject))
        .map(|subject| subject["id"].as_str().expect("a name"));
    ids.map(str::to_owned).collect()
}

/// Measures the package `sum`.
fn check(fixture: &Fixture, options: &str, code: i32, messages: &[&str]) {
    fixture.check(&format!("strength sum --seed 1 --time 10m {options}"), code, messages);
}

#[test]
fn promote_adds_inputs_and_a_second_run_shows_the_gain() {
    if !builds::has_tool("cc") {
        return;
    }
    let fixture = small_package(Fixture::new());
    fixture.remove("sum/submissions/accepted/right.sh");
    fixture.write("sum/submissions/accepted/sum.c", SUM);
    let recipe = "solution: /submissions/accepted/sum.c\n\
                  data:\n  sample:\n    data:\n      \"1\":\n        in: \"0 0\\n\"\n";
    fixture.write("sum/generators/generators.yaml", recipe);
    fs::remove_dir_all(fixture.path("sum/data")).expect("the data");
    fixture.juror("generate sum").assert().success();

    let first = fixture.json("strength sum --cache kept --seed 1 --time 10m --promote", 0);
    let promoted = subjects_where(&first, |subject| subject["missed"]["promoted"].is_string());
    assert!(!promoted.is_empty(), "{first:#}");
    let faults: BTreeSet<&str> =
        promoted.iter().filter_map(|id| find_subject(&first, id)["fault"].as_str()).collect();
    assert_eq!(faults.len(), promoted.len(), "one for each kind of fault: {first:#}");
    let recipe = fixture.read("sum/generators/generators.yaml");
    for id in &promoted {
        let subject = find_subject(&first, id);
        assert_eq!(subject["held_out"], false, "{subject:#}");
        let name = subject["missed"]["promoted"].as_str().expect("a name");
        assert_eq!(
            subject["missed"]["input"]["text"],
            fixture.read(&format!("sum/data/{name}.in"))
        );
        assert!(recipe.contains(&format!("Catches {id}: ")), "{recipe}");
    }
    let hold_out = &first["hold_out"];
    assert_eq!(hold_out["operators"].as_array().map(Vec::len), Some(8), "{hold_out:#}");

    // Another line does not change the names of mutants.
    let undecided = subjects_where(&first, |subject| {
        subject["status"] == "undecided" && subject["kind"] == "mutant"
    });
    let known = undecided.first().expect("one that nothing rejects");
    fixture.write("sum/submissions/accepted/sum.c", format!("/* Right. */\n{SUM}"));
    let wrong = known.replace("sum.c:", "sum.c:x");
    let lines =
        format!("[strength.equivalent]\n\"{known}\" = \"at most 6\"\n\"{wrong}\" = \"so\"\n");
    fixture.write("sum/juror.toml", lines);
    let second = fixture.json("strength sum --cache kept --seed 1 --time 10m", 0);
    let confirmed = find_subject(&second, known);
    assert_eq!(confirmed["status"], "confirmed_equivalent", "{confirmed:#}");
    assert_eq!(confirmed["reason"], "at most 6");
    let remarks = second["diagnostics"].to_string();
    let near = [
        format!("unknown program in [strength.equivalent]: `{wrong}`"),
        format!("did you mean `{known}`?"),
    ];
    assert!(near.iter().all(|near| remarks.contains(near)), "{remarks}");
    for id in &promoted {
        assert_eq!(find_subject(&second, id)["status"], "caught", "{second:#}");
        let others = find_subject(&first, id)["missed"]["also"].as_array().expect("names").clone();
        for other in others {
            let status = &find_subject(&second, other.as_str().expect("a name"))["status"];
            assert!(
                ["caught", "duplicate"].contains(&status.as_str().unwrap_or_default()),
                "{other}"
            );
        }
    }
    let score = |report: &Value| report["score"].as_f64().expect("a score");
    assert!(score(&second) > score(&first) + 5.0, "{} {}", score(&first), score(&second));
    assert!(first["gained"].is_null());
    let gained = &second["gained"];
    assert_eq!(gained["before"], first["score"]);
    let points = gained["points"].as_f64().expect("points");
    assert!((points - (score(&second) - score(&first))).abs() < 1e-9, "{gained:#}");
    for id in &promoted {
        assert!(gained["caught"].to_string().contains(id.as_str()), "{gained:#}");
    }
    // Other inputs are not known to be valid.
    let other = fixture.json("strength sum --cache kept --seed 2 --time 10m", 0);
    assert!(other["gained"].is_null(), "{other:#}");
}

#[test]
fn disagreeing_accepted_submissions_are_shown_with_a_small_input() {
    let fixture = small_package(Fixture::new());
    let wrong = "read -r a b; echo $((a > 1 ? 7 : a + b))\n";
    fixture.write("sum/submissions/accepted/sure.sh", wrong);
    check(&fixture, "", 3, &["should both be accepted, but differ on a valid input", ": `2 0\\n`"]);
}

#[test]
fn a_package_without_inputs_gets_a_list_of_what_is_missing() {
    let fixture = small_package(Fixture::new());
    fixture.remove("sum/input_validators/sum.ctd");
    fixture.write("sum/submissions/wrong_answer/all_but_zero.sh", WRONG.replace('3', "$((a * b))"));
    let expected = [
        "missing:   a grammar or a validator of the input, or a generator line with",
        "bounds and features are not",
        "mutants, which are made of accepted submissions in",
        "undecided: wrong_answer/all_but_zero.sh",
        "sample/1",
        "needed",
        "score: ",
    ];
    fs::remove_dir_all(fixture.path("sum/input_validators")).expect("a directory to remove");
    check(&fixture, "--matrix", 0, &expected);
    fixture.remove("sum/submissions/accepted/right.sh");
    check(&fixture, "", 0, &["only the package's own wrong ones are run on the", "1 caught"]);
}

#[test]
fn endless_programs_are_caught_after_all_others() {
    if !builds::has_tool("cc") {
        return;
    }
    let fixture = small_package_in_c();
    let less = "time_limit: 0.2\n  time_resolution: 0.1\n";
    let problem = fixture.read("sum/problem.yaml").replace("time_limit: 1\n", less);
    fixture.write("sum/problem.yaml", problem);
    fixture.write("sum/data/sample/1.in", "1 2\n");
    fixture.write("sum/data/sample/1.ans", "3\n");
    let sum = "printf(\"%d\\n\", a + b)";
    let loops = "while (b != 0) {\n        a++;\n        b--;\n    }\n    printf(\"%d\\n\", a)";
    fixture.write("sum/submissions/accepted/sum.c", SUM.replace(sum, loops));
    let report = fixture.json("strength sum --seed 1 --time 10m", 0);
    let killed = |subject: &Value| subject["killers"].as_array().expect("test cases").clone();
    let endless = subjects_where(&report, |subject| {
        killed(subject).iter().any(|kill| kill["verdict"] == "TLE")
    });
    assert!(!endless.is_empty(), "{report:#}");
    for id in &endless {
        let subject = find_subject(&report, id);
        assert_eq!(subject["status"], "caught", "{subject:#}");
        assert_eq!(killed(subject).len(), 1, "one is enough: {subject:#}");
    }
    let left = subjects_where(&report, |subject| subject["status"] == "not_run");
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn programs_caught_by_the_same_input_have_separate_causes() {
    if !builds::has_tool("cc") {
        return;
    }
    let fixture = small_package_in_c();
    let wrong = SUM.replace("a + b", "a > 1 ? 9 : a + b");
    fixture.write("sum/submissions/wrong_answer/wrong.c", wrong);
    let crashes = SUM.replace("    printf", "    if (a > 1) return 3;\n    printf");
    fixture.write("sum/submissions/run_time_error/crashes.c", crashes);
    let report = fixture.json("strength sum --seed 1 --time 10m", 0);
    for (id, verdict) in [("wrong_answer/wrong.c", "WA"), ("run_time_error/crashes.c", "RTE")] {
        let subject = find_subject(&report, id);
        assert_eq!(subject["missed"]["input"]["text"], "2 0\n", "{subject:#}");
        assert_eq!(subject["missed"]["verdict"], verdict, "{subject:#}");
    }
}

#[test]
fn without_a_grammar_test_cases_are_changed() {
    let fixture = Fixture::new();
    fixture.write("sum/data/secret/small/9.in", "99999 100000\n");
    fixture.write("sum/data/secret/small/9.ans", "199999\n");
    // The validator runs a thousand times, so it must start fast.
    fs::remove_dir_all(fixture.path("sum/input_validators")).expect("a directory to remove");
    let valid = SUM.replace(
        "printf(\"%d\\n\", a + b);\n    return 0",
        "return a >= 0 && b >= 0 && getchar() == '\\n' && getchar() == EOF ? 42 : 43",
    );
    fixture.write("sum/input_validators/validate.c", valid);
    fixture.write("sum/submissions/accepted/sum.c", SUM);
    let wrong = SUM.replace("a + b", "a > b && b > 1 ? a : a + b");
    fixture.write("sum/submissions/wrong_answer/ordered.c", wrong);
    let expected = ["missed  wrong_answer/ordered.c", "│ 3 2", "presumed equivalent"];
    check(&fixture, "--rounds 1", 0, &expected);
}

#[test]
fn interactive_problems_have_no_wrappers() {
    let fixture = small_package(stress_live::interactive_sum());
    fixture.write("sum/submissions/wrong_answer/some.sh", RIGHT.replace("a + b", "a ? 9 : b"));
    let parts = ["a separate output for each input", "missed  wrong_answer/some.sh", "│ 1 0"];
    check(&fixture, "", 0, &parts);
}

#[test]
fn a_changed_test_case_that_breaks_the_output_validator_is_left_out() {
    let fixture = small_package(stress_live::interactive_sum());
    fixture.remove("sum/input_validators/sum.ctd");
    // The output validator needs no judge answer, so test cases can be changed.
    fixture.write("sum/data/sample/1.ans", "");
    let boom = "read -r a b; (( b > 0 )) && echo boom || echo $a\n";
    fixture.write("sum/submissions/wrong_answer/boom.sh", boom);
    fixture.write("sum/submissions/wrong_answer/some.sh", RIGHT.replace("a + b", "a ? 9 : b"));
    let parts =
        ["an input on which the output validator breaks down: ", "missed  wrong_answer/some.sh"];
    check(&fixture, "--rounds 1", 0, &parts);
    fixture.write("my.sh", boom);
    fixture.check("stress sum my.sh --seed 1 --runs 50 --time 10m", 0, &[]);
}

#[test]
fn a_submission_with_partial_points_counts_as_wrong() {
    if !builds::has_tool("cc") {
        return;
    }
    let fixture = small_package_in_c();
    let problem = fixture.read("sum/problem.yaml");
    fixture.write("sum/problem.yaml", format!("{problem}type: scoring\n"));
    fixture.write("sum/data/secret/1.in", "1 1\n");
    fixture.write("sum/data/secret/1.ans", "2\n");
    let some = SUM.replace("a + b", "a < 3 ? a + b : 0");
    fixture.write("sum/submissions/wrong_answer/some.c", some);
    check(&fixture, "", 0, &["missed  wrong_answer/some.c", "│ 3 0"]);
}
