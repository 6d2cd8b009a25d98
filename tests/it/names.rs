//! Names of packages, submissions and test cases that become file names and keys.

use std::collections::BTreeSet;
use std::fs;

use crate::fixture::{Fixture, RIGHT, WRONG};
use crate::tidy::files_below;

/// A copy of the package with few test cases. Some test cases and submissions have similar names.
fn copy_with_similar_names(fixture: &Fixture, dir: &str) {
    for file in ["problem.yaml", "statement/problem.en.md", "data/sample/1.in", "data/sample/1.ans"]
    {
        fixture.write(&format!("{dir}/{file}"), fixture.read(&format!("sum/{file}")));
    }
    let grammar = "INT(0, 9) SPACE INT(0, 9) NEWLINE\n";
    fixture.write(&format!("{dir}/input_validators/in.ctd"), grammar);
    for (name, input, answer) in
        [("secret/g/1-2", "1 3\n", "4\n"), ("secret/g-1/2", "2 3\n", "5\n")]
    {
        fixture.write(&format!("{dir}/data/{name}.in"), input);
        fixture.write(&format!("{dir}/data/{name}.ans"), answer);
    }
    for (name, text) in
        [("accepted/x-y.sh", RIGHT), ("accepted-x/y.sh", RIGHT), ("wrong_answer/x-y.sh", WRONG)]
    {
        fixture.write(&format!("{dir}/submissions/{name}"), text);
    }
}

/// The paths of saved outputs below a directory.
fn saved_outputs(fixture: &Fixture, dir: &str) -> Vec<String> {
    let files = files_below(&fixture.path(dir));
    files.into_iter().filter_map(|file| file.strip_suffix(".output").map(str::to_owned)).collect()
}

fn verify_report(fixture: &Fixture, arguments: &str) -> String {
    let line = format!("verify {arguments} -q");
    let output = fixture.juror(&line).output().expect("juror runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(!text.contains("judge error"), "{text}");
    text
}

#[test]
fn boxes_with_similar_names_are_all_saved() {
    let fixture = Fixture::new();
    for dir in ["a/p", "b/p", "a-b/p"] {
        copy_with_similar_names(&fixture, dir);
    }
    verify_report(&fixture, "a/p --all --keep=one");
    let cases = ["sample~-1", "secret~-g-1~-2", "secret~-g~-1-2"];
    let submissions = ["accepted-x~-y.sh", "accepted~-x-y.sh", "wrong_answer~-x-y.sh"];
    let of = |dir: &str| {
        submissions.map(|name| cases.map(|case| format!("{dir}{name}/{case}"))).concat()
    };
    assert_eq!(saved_outputs(&fixture, "one"), of(""));
    verify_report(&fixture, "b/p a/p a-b/p a/../a/p --all --keep=several");
    let expected = ["a-b~-p/", "a~-p/", "b~-p/"].map(of).concat();
    assert_eq!(saved_outputs(&fixture, "several"), expected);
    // A package that is given twice is judged once.
    verify_report(&fixture, "a/p ./a/p --all --keep=twice");
    assert_eq!(saved_outputs(&fixture, "twice"), of(""));
    // The paths of these submissions differ only in their slashes.
    fixture.write("m-n/o.sh", RIGHT);
    fixture.write("m/n-o.sh", RIGHT);
    fixture.check("judge a/p m-n/o.sh m/n-o.sh m/n-o.sh --keep=paths", 0, &["2 submissions"]);
    let expected =
        ["m-n~-o.sh", "m~-n-o.sh"].map(|name| cases.map(|case| format!("{name}/{case}")));
    assert_eq!(saved_outputs(&fixture, "paths"), expected.concat());
}

#[test]
fn test_cases_with_endings_of_saved_files_are_all_saved() {
    let fixture = Fixture::new();
    for name in ["1", "1.input", "1.error.pass2", "build", "verdict"] {
        fixture.write(&format!("bare/{name}.in"), "1 2\n");
        fixture.write(&format!("bare/{name}.ans"), "3\n");
    }
    fixture.write("a.sh", RIGHT);
    fixture.check("judge bare a.sh --keep=kept --csv t.csv", 0, &["AC"]);
    let expected = ["1", "1~.error~.pass2", "1~.input", "build", "verdict"];
    assert_eq!(saved_outputs(&fixture, "kept/a.sh"), expected);
    let table = fixture.read("t.csv");
    let titles: Vec<&str> = table.lines().next().expect("titles").split(',').collect();
    let different: BTreeSet<&&str> = titles.iter().collect();
    assert_eq!(different.len(), titles.len(), "{titles:?}");
    assert!(titles.contains(&"~verdict"), "{titles:?}");
}

#[test]
fn packages_have_unique_names_in_each_report() {
    let fixture = Fixture::new();
    for dir in ["a/p", "b/p"] {
        copy_with_similar_names(&fixture, dir);
    }
    let check = |packages: &str, expected: &[&str]| {
        let text =
            verify_report(&fixture, &format!("{packages} --junit j.xml --csv t.csv --html t.html"));
        let junit = fixture.read("j.xml");
        let suites =
            junit.lines().filter_map(|line| line.trim().strip_prefix("<testsuite name=\""));
        let suites: Vec<&str> =
            suites.map(|suite| suite.split('"').next().unwrap_or(suite)).collect();
        assert_eq!(suites, expected, "{packages}");
        let table = fixture.read("t.csv");
        let rows = table.lines().skip(1).filter_map(|row| row.split(',').next());
        let rows: Vec<&str> = rows.collect();
        assert_eq!(
            rows,
            expected.iter().flat_map(|name| [*name; 3]).collect::<Vec<_>>(),
            "{packages}"
        );
        for name in expected {
            assert!(text.contains(&format!("{name}: accepted/x-y.sh")), "{text}");
        }
    };
    check("a/p b/p", &["a/p", "b/p"]);
    check("b/p a/p", &["b/p", "a/p"]);
    check("a/p a/p a/p/", &["p"]);
    check("a/p sum/../b/../a/p b/p", &["a/p", "b/p"]);
    fs::rename(fixture.path("b/p"), fixture.path("b/q")).expect("a new name");
    check("a/p b/q", &["p", "q"]);
    fs::rename(fixture.path("b/q"), fixture.path("package")).expect("a new name");
    check("a/p package", &["p", "package"]);
}
