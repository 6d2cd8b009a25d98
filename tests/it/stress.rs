//! `juror stress` on whole packages.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::wire;

const GRAMMAR: &str = "INT(0, 100000, a) SPACE INT(0, 100000, b) NEWLINE\n";

pub(crate) fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("sum/input_validators/sum.ctd", GRAMMAR);
    fixture.write("right.sh", RIGHT);
    fixture.write("wrong.sh", WRONG);
    fixture
}

/// Returns the document.
fn run_search(fixture: &Fixture, submission: &str, options: &str, code: i32) -> Value {
    fixture.write("my.sh", submission);
    fixture.json(&format!("stress sum my.sh --seed 1 --explain 0 {options}"), code)
}

pub(crate) fn counterexample(report: &Value) -> &Value {
    &report["counterexample"]
}

fn check_found(submission: &str, verdict: &str, input: &str) {
    let fixture = fixture();
    let report = run_search(&fixture, submission, "--runs 3000 --time 10m", 1);
    assert_eq!(counterexample(&report)["verdict"], verdict, "{report:#}");
    assert_eq!(counterexample(&report)["input"]["text"], input, "{report:#}");
    assert_eq!(counterexample(&report)["failing"], 3, "{report:#}");
}

/// The shown output always comes from a failed run.
#[test]
fn a_flaky_failure_is_shown_with_a_failing_run() {
    let fixture = fixture();
    let report = run_search(&fixture, "read -r a b; echo $((a + b + (RANDOM % 4 == 0)))\n", "", 1);
    let found = counterexample(&report);
    assert!(found["failing"].as_u64() <= found["repeats"].as_u64(), "{report:#}");
    assert!(found["expected"]["text"].is_string(), "{report:#}");
    assert_ne!(found["got"], found["expected"], "{report:#}");
}

#[test]
fn the_smallest_input_of_each_kind_of_failure_is_found() {
    check_found(WRONG, "WA", "0 0\n");
    check_found("read -r a b; echo $((a > 5 ? a - b : a + b))\n", "WA", "6 1\n");
    check_found("read -r a b; [[ $b -gt 7 ]] && exit 3; echo $((a + b))\n", "RTE", "0 8\n");
}

#[test]
fn a_slow_submission_is_found_and_its_input_stays_slow() {
    let fixture = fixture();
    let slow = "read -r a b; while [[ $a -gt 7 ]]; do :; done; echo $((a + b))\n";
    let report = run_search(&fixture, slow, "--runs 300 --time 30s --time-limit 0.1", 1);
    assert_eq!(counterexample(&report)["verdict"], "TLE", "{report:#}");
    let input = counterexample(&report)["input"]["text"].as_str().expect("an input");
    let first = input.split(' ').next().and_then(|word| word.parse::<u32>().ok());
    assert!(first.is_some_and(|first| first >= 8), "{report:#}");
}

#[test]
fn the_time_limit_of_a_search_holds_even_if_a_program_sleeps() {
    let fixture = fixture();
    // Its wall time limit is more than two minutes.
    let asleep = "read -r a b; [[ $a -gt 1 ]] && sleep 1000; echo $((a + b))\n";
    let options = "--time 1s --shrink-time 500ms --time-limit 60";
    let report = run_search(&fixture, asleep, options, 0);
    assert_eq!(report["end"], "time", "{report:#}");
    let seconds = report["seconds"].as_f64().expect("a time");
    assert!((1.0..30.0).contains(&seconds), "{report:#}");

    // The found input is kept, even if shrinking runs out of time.
    let options = "--time 6s --shrink-time 1s --time-limit 0.1 --save found.in";
    let report = run_search(&fixture, &format!("{asleep}sleep 1000\n"), options, 1);
    assert_eq!(counterexample(&report)["verdict"], "TLE", "{report:#}");
    assert!(report["seconds"].as_f64().is_some_and(|seconds| seconds < 30.0), "{report:#}");
    assert_eq!(counterexample(&report)["saved"], "found.in");
    assert_eq!(counterexample(&report)["input"]["text"], fixture.read("found.in"));
}

#[test]
fn a_found_input_is_shown_in_short_and_saved_in_full() {
    let fixture = fixture();
    fixture.write("my.sh", WRONG);
    let line = "stress -q sum my.sh --seed 1 --runs 300 --explain 0 --time 10m --save dir/found.in";
    fixture.check(line, 1, &["input:", "0 0", "saved:   dir/found.in", "repeat:  juror stress"]);
    assert_eq!(fixture.read("dir/found.in"), "0 0\n");
    for option in ["--save", "--save-slowest"] {
        let refusal = format!("{option}: /dev/null is not a file");
        fixture.check(&format!("stress sum my.sh {option} /dev/null"), 2, &[&refusal]);
    }
}

#[test]
fn a_right_submission_gets_no_counterexample() {
    let fixture = fixture();
    let report = run_search(&fixture, RIGHT, "--runs 60 --time 10m", 0);
    assert_eq!(counterexample(&report), &Value::Null);
    assert_eq!(report["seed"], 1);
    assert_eq!(report["end"], "runs");
    assert_eq!(report["reference"], "accepted/right.sh");
    assert!(report["runs"].as_u64().is_some_and(|runs| (20..=60).contains(&runs)), "{report:#}");
    assert!(report["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert_eq!(
        report["repeat"],
        "juror stress --explain 0 --runs 60 --time 10m --seed 1 sum my.sh"
    );
}

#[test]
fn a_finite_set_of_inputs_is_exhausted() {
    let fixture = fixture();
    fixture.write("sum/input_validators/sum.ctd", "INT(0, 3, a) SPACE INT(0, 2, b) NEWLINE\n");
    fixture.write("my.sh", RIGHT);
    // Shapes and random inputs never end, but all inputs were tried before.
    let report = run_search(&fixture, RIGHT, "--runs 2000 --time 10m", 0);
    assert_eq!(report["runs"], 12, "{report:#}");
    let wrong = "read -r a b; echo $((a + b + (a == 3 && b > 0)))\n";
    let report = run_search(&fixture, wrong, "--runs 2000 --time 10m --shrink-time 10m", 1);
    assert_eq!(counterexample(&report)["input"]["text"], "3 1\n", "{report:#}");
    assert_eq!(report["is_smallest"], true, "{report:#}");
    let line = "stress sum my.sh --seed 1 --explain 0 --runs 2000 --time 10m --shrink-time 10m";
    fixture.check(line, 1, &["nothing smaller fails"]);
}

#[test]
fn the_same_seed_finds_the_same_with_any_number_of_slots() {
    let submission = "read -r a b; [[ $((a % 7)) = 3 && $b -gt 5 ]] && a=0; echo $((a + b))\n";
    let fixture = fixture();
    let found = ["--jobs 1", "--jobs 2"].map(|jobs| {
        let report = run_search(&fixture, submission, &format!("{jobs} --runs 3000 --time 10m"), 1);
        let details = counterexample(&report);
        (details["input"].clone(), details["origin"].clone(), details["first_bytes"].clone())
    });
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0].0["text"], "3 6\n");
}

#[test]
fn a_grammar_and_a_reference_suffice_without_a_package() {
    let fixture = Fixture::new();
    fixture.write("empty/g.ctd", GRAMMAR);
    fixture.write("empty/ref.sh", RIGHT);
    fixture.write("empty/my.sh", WRONG);
    let output = fixture
        .juror("stress --input-grammar g.ctd --reference ref.sh my.sh --runs 100 --seed 1 --json")
        .current_dir(fixture.path("empty"))
        .output()
        .expect("juror runs");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(counterexample(&report)["input"]["text"], "0 0\n");
    assert_eq!(counterexample(&report)["expected"]["text"], "0\n");
    assert_eq!(counterexample(&report)["got"]["text"], "3\n");
}

#[test]
fn an_input_with_many_test_cases_is_shrunk_to_one() {
    let fixture = Fixture::new();
    let grammar = "INT(1, 50, t) NEWLINE REP(t) INT(1, 9, n) NEWLINE REP(n, SPACE) INT(0, 20, a) END NEWLINE END\n";
    fixture.write("g.ctd", grammar);
    let sum = |wrong: &str| {
        format!(
            "read -r t; for ((i = 0; i < t; i++)); do read -r n; read -r line; s=0; \
             for x in $line; do s=$((s + x)); done; {wrong} echo $s; done\n"
        )
    };
    fixture.write("ref.sh", sum(""));
    fixture.write("my.sh", sum("[[ $n = 2 && $s = 3 ]] && s=4;"));
    let line = "stress --input-grammar g.ctd --reference ref.sh my.sh --runs 200 --time 10m --seed 1 --explain 0";
    let report = fixture.json(line, 1);
    assert_eq!(counterexample(&report)["input"]["text"], "1\n2\n0 3\n", "{report:#}");
    assert_eq!(counterexample(&report)["origin"]["kind"], "small", "{report:#}");
}

#[test]
fn generators_run_with_fresh_seeds_and_smaller_numbers() {
    let fixture = Fixture::new();
    let recipe = "solution: /submissions/accepted/right.sh\n\
                  data:\n  secret:\n    data:\n      random:\n        generate: gen.sh 5000 {seed}\n";
    fixture.write("sum/generators/generators.yaml", recipe);
    fixture.write("sum/generators/gen.sh", "RANDOM=$2; echo $((RANDOM % $1)) $((RANDOM % $1))\n");
    let submission = "read -r a b; [[ $b -gt 40 ]] && b=0; echo $((a + b))\n";
    let report = run_search(&fixture, submission, "--runs 100 --time 10m", 1);
    let details = counterexample(&report);
    assert_eq!(details["origin"]["kind"], "generator", "{report:#}");
    let input = counterexample(&report)["input"]["text"].as_str().expect("an input");
    let largest = input.split_whitespace().filter_map(|word| word.parse::<u32>().ok()).max();
    assert!(largest.is_some_and(|largest| (41..100).contains(&largest)), "{report:#}");
}

#[test]
fn without_a_grammar_test_cases_are_changed_and_validated() {
    let check = |submission: &str, verdict: &str, input: &str| {
        let fixture = Fixture::new();
        let report =
            run_search(&fixture, submission, "--runs 3000 --time 10m --shrink-time 10m", 1);
        let origin = &counterexample(&report)["origin"];
        assert_eq!(origin["kind"], "test_case", "{report:#}");
        assert!(origin["test_case"].is_string(), "{report:#}");
        let found = counterexample(&report);
        assert_eq!((&found["verdict"], &found["input"]["text"]), (&verdict.into(), &input.into()));
    };
    check("read -r a b; echo $((a > 5 ? a - b : a + b))\n", "WA", "6 1\n");
    check("read -r a b; [[ $b -gt 9 ]] && exit 3; echo $((a + b))\n", "RTE", "0 10\n");
    check("read -r a b; [[ $a -gt 9 && $a = $b ]] && b=0; echo $((a + b))\n", "WA", "10 10\n");
}

#[test]
fn an_invalid_input_that_lax_validators_accept_is_not_a_fault_of_the_reference() {
    let fixture = Fixture::new();
    fixture.write("sum/input_validators/validate/run", "#!/bin/bash\ncat > /dev/null\nexit 42\n");
    let strict = "read -r a b; [[ $b ]] || exit 1; echo $((a + b))\n";
    fixture.write("sum/submissions/accepted/right.sh", strict);
    let report = run_search(&fixture, strict, "--runs 100 --time 10m", 0);
    assert!(report["left_out"].as_u64() > Some(0), "{report:#}");
    let reasons = &report["left_out_reasons"][0];
    assert_eq!(
        reasons["reason"], "not solved by the reference, and perhaps not valid",
        "{report:#}"
    );
    assert!(reasons["example"].as_str().is_some_and(|it| it.contains("exit code 1")), "{report:#}");
}

#[test]
fn a_promoted_input_is_added_to_the_package_in_one_step() {
    let fixture = fixture();
    let recipe = "solution: /submissions/accepted/right.sh\n\
                  data:\n  secret:\n    data:\n      one:\n        in: \"1 1\\n\"\n  # The end.\n";
    fixture.write("sum/generators/generators.yaml", recipe);
    fs::remove_dir_all(fixture.path("sum/data")).expect("the data");
    fixture.juror("generate sum").assert().success();
    let report = run_search(&fixture, WRONG, "--runs 100 --promote edges/zeros", 1);
    assert_eq!(counterexample(&report)["promoted"], "secret/edges/zeros", "{report:#}");
    let read = |name: &str| fs::read_to_string(fixture.path(name)).expect("a file");
    assert_eq!(read("sum/data/secret/edges/zeros.in"), "0 0\n");
    assert_eq!(read("sum/data/secret/edges/zeros.ans"), "0\n");
    assert!(read("sum/generators/generators.yaml").ends_with("  # The end.\n"));
    fixture.juror("generate sum --check").assert().success();
    fixture.check(
        "stress sum my.sh --promote edges/zeros",
        2,
        &["already has secret/edges/zeros.in"],
    );
    fixture.check("stress sum my.sh --promote edges", 2, &["already has secret/edges in its"]);
    fixture.check("stress sum my.sh --runs 0", 2, &["--runs"]);
    fixture.check("stress sum my.sh --promote test_group", 2, &["but not `test_group`"]);
    fixture.check(
        "stress sum my.sh --seed 1 --explain 0 --promote again",
        1,
        &["the test case secret/edges/zeros already has this input", "added"],
    );
}

#[test]
fn a_promoted_input_in_a_legacy_package_has_a_description_file() {
    let fixture = fixture();
    let settings = "name: Sum\nlimits: {memory: 256}\nvalidation: default\n";
    fixture.write("sum/problem.yaml", settings);
    let wrong = "read -r a b; echo $((a > 5 ? a - b : a + b))\n";
    let report =
        run_search(&fixture, wrong, "--runs 3000 --time 10m --time-limit 1 --promote new", 1);
    let found = counterexample(&report);
    assert_eq!(found["promoted"], "secret/new", "{report:#}");
    let about = fixture.read("sum/data/secret/new.desc");
    assert!(about.contains("stress"), "{about}");
    assert!(!fixture.path("sum/data/secret/new.yaml").exists());
}

#[test]
fn a_promoted_input_in_a_list_gets_the_next_number() {
    let fixture = fixture();
    let recipe = "solution: /submissions/accepted/right.sh\n\
                  data:\n  secret:\n    data:\n      - one: {in: \"1 1\\n\"}\n";
    let recipe = recipe.replace('\n', "\r\n");
    fixture.write("sum/generators/generators.yaml", &recipe);
    fs::remove_dir_all(fixture.path("sum/data")).expect("the data");
    fixture.juror("generate sum").assert().success();
    let report = run_search(&fixture, WRONG, "--runs 100 --promote zeros", 1);
    assert_eq!(counterexample(&report)["promoted"], "secret/2-zeros", "{report:#}");
    // The recipe keeps its line ends.
    let new = fixture.read("sum/generators/generators.yaml");
    assert!(new.starts_with(&recipe) && new.matches('\n').count() > 5, "{new}");
    assert_eq!(new.matches('\n').count(), new.matches("\r\n").count(), "{new:?}");
    fixture.juror("generate sum --check").assert().success();
}

#[test]
fn impossible_searches_are_refused_before_anything_runs() {
    let fixture = fixture();
    fixture.check("stress my.sh", 2, &["give a package and a submission"]);
    fixture.check("stress sum none.sh", 2, &["submission not found: none.sh"]);
    fixture.check("stress sum wrong.sh --reference no.sh", 2, &["reference not found: no.sh"]);
    fixture.check(
        "stress sum wrong.sh --promote a/../b",
        2,
        &["is not a valid name for a test case"],
    );
    fixture.check("stress sum wrong.sh --time 1d", 2, &["`d` is not a unit of time"]);
    fixture.check(
        "stress sum wrong.sh --input-grammar g.ctd",
        2,
        &["cannot read the grammar g.ctd", "give a file in the language checktestdata"],
    );
    fixture.write("g.ctd", "INT(0, 5, a) NEWLIN\n");
    fixture.check("stress sum wrong.sh --input-grammar g.ctd", 3, &["g.ctd:1:14"]);
    fixture.check(
        "stress --input-grammar g.ctd --reference right.sh wrong.sh --promote x",
        3,
        &["g.ctd:1:14"],
    );
    fixture.write("broken.c", "int main( {\n");
    fixture.check("stress sum broken.c", 1, &["the submission does not build"]);
    fs::remove_dir_all(fixture.path("sum/input_validators")).expect("a directory to remove");
    fixture.check("stress sum wrong.sh", 5, &["neither a grammar", "--input-grammar"]);
    fixture.write("hard.ctd", "REGEX(\"[a-z]{20}\",s) NEWLINE ASSERT(s == \"a\")\n");
    let hard =
        "stress --input-grammar hard.ctd --reference right.sh wrong.sh --time 1s --shrink-time 10m";
    fixture.check(hard, 3, &["hard.ctd:1:30", "could not be satisfied"]);
}

#[test]
fn validators_that_disagree_with_the_grammar_are_reported_and_prevail() {
    let fixture = fixture();
    fixture.write("sum/input_validators/sum.ctd", "INT(-3, 9, a) SPACE INT(-3, 9, b) NEWLINE\n");
    let wrong_below_zero = "read -r a b; [[ $a -lt 0 ]] && a=0; echo $((a + b))\n";
    let report = run_search(&fixture, wrong_below_zero, "--runs 300 --time 10m", 0);
    let text = report["diagnostics"].to_string();
    assert!(
        text.contains("rejects an input from") && text.contains("expected two numbers"),
        "{report:#}"
    );
}

#[test]
fn a_reference_that_fails_is_a_fault_of_the_package() {
    let fixture = fixture();
    fixture.write("bad.sh", "read -r a b; [[ $a = 2 ]] && exit 1; echo $((a + b))\n");
    fixture.check(
        "stress sum right.sh --seed 1 --reference bad.sh",
        3,
        &["the reference fails on a valid input: RTE, exit code 1", "`2 "],
    );
}

pub(crate) fn search_shipped_package(package: &str, submission: &str, options: &[&str]) -> Value {
    let options = [&["--json", "--seed", "1", "--explain", "0"], options].concat();
    shipped_document("stress", package, submission, &options)
}

pub(crate) fn shipped_document(
    subcommand: &str,
    package: &str,
    submission: &str,
    options: &[&str],
) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = root.join("problems").join(package);
    let mut command = wire::juror();
    command.arg(subcommand).args(options).arg(&dir);
    let submission = dir.join("submissions").join(submission);
    let output = command.arg(submission).output().expect("juror runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn wrong_submissions_of_game1_are_found_on_the_shortest_boards() {
    for (submission, verdict, input) in [
        ("wrong_answer/every_other.c", "WA", "2\n1 2\n"),
        ("wrong_answer/skips_last.rs", "WA", "2\n1 1\n"),
        ("run_time_error/signed_bytes.rs", "RTE", "2\n1 128\n"),
        ("run_time_error/assert_even.py", "RTE", "3\n1 1 1\n"),
    ] {
        let report =
            search_shipped_package("game1", submission, &["--runs", "400", "--time", "10m"]);
        let found = counterexample(&report);
        let found = (found["verdict"].as_str(), found["input"]["text"].as_str());
        assert_eq!(found, (Some(verdict), Some(input)), "{submission}: {report:#}");
    }
}
