//! The lines that repeat a run: each works in a shell, and has the options that were given.

use std::collections::BTreeSet;

use assert_cmd::Command;
use serde_json::Value;

use crate::fixture::{Fixture, WRONG};
use crate::stress;

/// Options that no line repeats: they concern reports, or the line has its own.
const LEFT_OUT: &str = "--case --class --class-form --color --csv --events --github --help --html --json --junit --keep \
                        --names --only --promote --quiet --save --save-slowest --seed --shard --sort \
                        --verbose --changed --strict";

fn fixture() -> Fixture {
    let fixture = stress::fixture();
    fixture.write("my/it's wrong.sh", WRONG);
    fixture.write("class/anna/one.sh", WRONG);
    fixture.write("class/anna/two.sh", WRONG);
    fixture.write("class/bert/main.sh", WRONG);
    fixture.write("wrong.c", "#include <stdio.h>\nint main(void) { puts(\"3\"); }\n");
    fixture.write("t/1.in", "5 8\n");
    fixture.write("t/1.out", "13\n");
    fixture.write("t/wrong.sh", WRONG);
    fixture.write("gen.sh", "echo $(($2 % 9)) $1\n");
    fixture.write("valid.sh", "exit 42\n");
    fixture.write("talk.sh", "read -r a b < $1; echo $a $b; read -r c; [[ $c == $((a + b)) ]]\n");
    fixture
}

/// The options in the usage of a command.
fn known_options(fixture: &Fixture, command: &str) -> BTreeSet<String> {
    let help = fixture.juror(&format!("{command} -h")).output().expect("juror runs").stdout;
    let help = String::from_utf8(help).expect("a text");
    let words = help.lines().filter_map(|line| {
        let line = line.trim_start();
        let line =
            line.split_once(", ").filter(|pair| pair.0.len() == 2).map_or(line, |pair| pair.1);
        let word = line.split([' ', '=', '[']).next().unwrap_or_default();
        let is_option = word.starts_with("--") && !word.ends_with([',', '.']);
        is_option.then_some(word)
    });
    words.map(str::to_owned).collect()
}

/// All values of the key `repeat`.
fn repeat_lines(document: &Value, found: &mut Vec<String>) {
    match document {
        Value::Array(values) => values.iter().for_each(|value| repeat_lines(value, found)),
        Value::Object(map) => {
            found.extend(map.get("repeat").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| repeat_lines(value, found));
        }
        _ => {}
    }
}

fn run_line(fixture: &Fixture, line: &str) -> Value {
    let juror = assert_cmd::cargo::cargo_bin("juror").display().to_string();
    // An option after `--` would be the program's.
    let (command, program) = line.split_once(" -- ").unwrap_or((line, ""));
    let separator = if program.is_empty() { "" } else { " -- " };
    let command = command.replacen("juror", &juror, 1);
    let mut shell = Command::new("bash");
    shell.current_dir(fixture.root()).env("JUROR_CACHE", "off").env("CI", "true");
    shell.args(["-c", &format!("{command} --json{separator}{program}")]);
    let output = shell.output().expect("a shell runs");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{line}: {stderr}");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {line}: {stderr}"))
}

/// Runs a command, then each line that it prints. Adds the options to `tried`, and checks that the lines have those
/// that are not left out.
fn check(fixture: &Fixture, tried: &mut BTreeSet<String>, words: &[&str]) {
    let (options, program) = match words.iter().position(|word| *word == "--") {
        Some(end) => words.split_at(end),
        None => (words, &[][..]),
    };
    let output = fixture.juror("").args(options).arg("--json").args(program).output();
    let output = output.expect("juror runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let mut lines = Vec::new();
    repeat_lines(&document, &mut lines);
    lines.retain(|line| !line.is_empty());
    assert!(!lines.is_empty(), "{words:?}: {said}{document:#}");
    for line in &lines {
        let again = run_line(fixture, line);
        let found = |of: &Value| of["counterexample"]["input"].clone();
        assert_eq!(found(&document), found(&again), "{line}");
        if document["counterexample"].is_null() {
            let case = &again["submissions"][0]["judgement"]["test_cases"][0];
            let name = case["name"].as_str().expect("a case");
            let selects = |option: &str| line.contains(&format!("{option} {name}"));
            assert!(selects("--case") || selects("--input"), "{line}: {again:#}");
            assert_ne!(case["verdict"], "AC", "{line}: {again:#}");
        }
        for option in options.iter().filter(|option| option.starts_with("--")) {
            let name = option.split('=').next().expect("a name");
            let is_repeated =
                line.contains(&format!(" {name}")) || line.contains(&format!(" '{name}="));
            let is_own = ["--case", "--seed"].contains(&name);
            let is_expected = is_own || !LEFT_OUT.split_whitespace().any(|word| word == name);
            assert_eq!(is_repeated, is_expected, "{name}: {line}");
            tried.insert(name.to_owned());
        }
    }
}

/// Every option of the command was tried.
fn check_all(fixture: &Fixture, command: &str, tried: &BTreeSet<String>) {
    let reports = [
        "--csv-separator",
        "--gradebook",
        "--gradebook-column",
        "--feedback",
        "--hidden",
        "--show-hidden",
    ];
    // A line judges one submission, with one.
    let of_class = ["--student", "--update"];
    let free = [&["--help", "--json", "--github"][..], &reports, &of_class].concat();
    let known = known_options(fixture, command);
    assert!(known.len() > 20, "{known:?}");
    let missing: Vec<_> = known
        .iter()
        .filter(|option| !tried.contains(*option) && !free.contains(&option.as_str()))
        .collect();
    assert!(missing.is_empty(), "{command}: {missing:?}");
}

#[test]
fn a_line_repeats_a_judgement_with_all_of_its_options() {
    let fixture = fixture();
    let mut tried = BTreeSet::new();
    let mut run = |words: &[&str]| check(&fixture, &mut tried, words);
    run(&["judge", "sum", "my/it's wrong.sh"]);
    run(&["judge", "t/wrong.sh", "--repeat", "--time-limit", "1500ms", "--memory-limit", "100M"]);
    run(&[
        "judge", "sum", "class", "--class", "--start", "two.sh", "--points", "cases", "--jobs=1",
    ]);
    run(&[
        "judge",
        "sum",
        "class",
        "--class-form",
        "github",
        "--template",
        "t",
        "--start",
        "two.sh",
    ]);
    run(&["judge", "sum", "class", "--names", "^(?<name>[a-z]+)$", "--start", "two.sh"]);
    run(&["judge", "--start=one", "sum", "class/anna", "--all", "--explain=2s", "--fresh"]);
    run(&["judge", "sum", "wrong.sh", "wrong.c", "--compare", "tokens", "--dialect", "kattis"]);
    run(&["judge", "sum", "wrong.c", "--flags=-O0 -DX='a b'", "--debug", "--format=2025-09"]);
    run(&["judge", "sum", "--exclusive", "--isolation", "any", "--", "bash", "wrong.sh"]);
    run(&["judge", "t/wrong.sh", "--interactor", "talk.sh", "--checker-protocol=plain"]);
    run(&["judge", "t/wrong.sh", "--input", "t/1.in"]);
    run(&["judge", "sum", "wrong.sh", "--executor", "local", "--cache", "off"]);
    run(&["judge", "sum", "wrong.sh", "--case", "secret/*", "--shard", "1/1", "--keep=kept", "-q"]);
    run(&[
        "judge",
        "sum",
        "wrong.sh",
        "--html",
        "o.html",
        "--csv=o.csv",
        "--junit",
        "o.xml",
        "--quiet",
    ]);
    run(&["judge", "sum", "wrong.sh", "--events=o.jsonl", "--sort", "name", "--only=failed"]);
    run(&["judge", "sum", "wrong.sh", "--language", "bash", "--verbose", "--color", "never"]);
    check_all(&fixture, "judge", &tried);
    check_all(&fixture, "watch", &tried);
}

#[test]
fn a_line_repeats_what_was_verified_with_all_of_its_options() {
    let fixture = fixture();
    fixture.write("changed.txt", "sum/problem.yaml\n");
    let mut tried = BTreeSet::new();
    let mut run = |words: &[&str]| {
        let words = [&["verify", "sum", "--html", "o.html"], words].concat();
        check(&fixture, &mut tried, &words);
    };
    run(&["--time-limit", "1500ms", "--memory-limit=100M", "--all", "--jobs", "1"]);
    run(&["--exclusive", "--isolation", "any", "--dialect", "domjudge", "--fresh"]);
    run(&["--executor", "local", "--cache", "off", "--format", "2025-09", "--keep=kept"]);
    run(&["--case", "secret/*", "--shard", "1/1", "--sort=name", "--only=failed", "--quiet"]);
    run(&[
        "--csv",
        "o.csv",
        "--junit",
        "o.xml",
        "--events",
        "o.jsonl",
        "--verbose",
        "--color=never",
    ]);
    run(&["--changed", "changed.txt", "--strict"]);
    check_all(&fixture, "verify", &tried);
}

#[test]
fn a_line_repeats_a_search_with_all_of_its_options() {
    let fixture = fixture();
    let mut tried = BTreeSet::new();
    let mut run = |line: &str, generator: &[&str]| {
        let words: Vec<&str> = line.split_whitespace().collect();
        check(&fixture, &mut tried, &[&["stress"], &words[..], generator].concat());
        assert!(!fixture.path("new.in").exists(), "{line}");
    };
    let times = "--runs 60 --time 10m --shrink-time=10m --explain 0";
    run(&format!("sum wrong.sh {times} --seed 3 --time-limit 1500ms --compare tokens"), &[]);
    run(&format!("sum wrong.sh {times} --isolation=any --fresh --jobs 1 --html o.html"), &[]);
    run(
        &format!("sum wrong.sh {times} --exclusive --cache off --reference accepted/right.sh"),
        &[],
    );
    run(
        &format!("sum wrong.c {times} --debug --flags=-O0 --quiet --color never --language c"),
        &[],
    );
    run(&format!("sum wrong.sh {times} --executor local --verbose --save-slowest new.in"), &[]);
    let alone = format!("wrong.sh --reference right.sh {times}");
    run(&format!("{alone} --input-grammar sum/input_validators/sum.ctd --compare lines"), &[]);
    let generator = ["--n-max", "20", "--generator", "gen.sh {n}"];
    run(&format!("{alone} --validator valid.sh"), &generator);
    run(&format!("{alone} --interactor talk.sh --checker-protocol plain"), &generator);
    run(
        &format!("--reference right.sh {times}"),
        &[&generator[..], &["--", "bash", "wrong.sh"]].concat(),
    );
    run(&format!("sum wrong.sh {times} --save saved.in --promote found"), &[]);
    check_all(&fixture, "stress", &tried);
}
